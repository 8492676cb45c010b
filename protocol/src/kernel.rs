//! Host ↔ extension: what the host may ask, what the kernel answers and tells.
//!
//! The host asks, the kernel decides: a request names a session and a tab, and the kernel refuses what that session does
//! not own and what its table does not list. Every request has an id and gets exactly one reply; events have none.
//! Order: [`FromKernel::Hello`], then [`ToKernel::Welcome`] or [`ToKernel::Refuse`], then anything.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::codec::Part;
use crate::failure::{ErrorCode, Failure, Reason};
use crate::ids::{FrameNumber, InstanceId, RequestId, SessionId, TabId, WindowId};

/// What the host sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToKernel {
    /// The hello was fine; requests may follow.
    Welcome {
        /// [`crate::BUILD_VERSION`] of the host.
        host_version: String,
    },
    /// The host cannot work and will end; the popup shows why.
    Refuse {
        /// Why, for the user.
        failure: Failure,
    },
    /// Do this.
    Request {
        /// The reply carries the same id.
        id: RequestId,
        /// What to do.
        call: Call,
    },
    /// Nobody waits for this request any more; no reply is due.
    Cancel {
        /// The request given up.
        id: RequestId,
    },
    /// A command of a session began; for the popup. Nothing is answered.
    Note {
        /// The session.
        session_id: SessionId,
        /// The command's name, such as `click`; nothing of its arguments.
        command: String,
    },
    /// Answer with [`FromKernel::Pong`].
    Ping {},
    /// A piece of a message longer than 1 MiB.
    Part(Part),
}

/// What the kernel sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromKernel {
    /// The first message on a new port.
    Hello(KernelHello),
    /// The answer to a request.
    Reply {
        /// The request's id.
        id: RequestId,
        /// What came of it.
        outcome: Outcome,
    },
    /// Something happened.
    Event(Event),
    /// The answer to a ping.
    Pong {},
    /// A piece of a message longer than 64 MiB.
    Part(Part),
}

/// What came of a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done; the value is the call's own result type.
    Ok(Box<RawValue>),
    /// Refused or failed.
    Failed(Failure),
}

/// Who the kernel is and what it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelHello {
    /// [`crate::PROTOCOL_VERSION`] of the extension.
    pub protocol: u32,
    /// Version in the extension's manifest.
    pub extension_version: String,
    /// This profile's extension.
    pub instance_id: InstanceId,
    /// Such as `Chrome`, `Chromium`, `Edge`.
    pub browser_name: String,
    /// Such as `156.0.8078.114`.
    pub browser_version: String,
    /// The name the user gave this browser, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The sessions that are open.
    pub sessions: Vec<SessionRecord>,
    /// Sessions that ended lately, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedSession>,
}

/// A session that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndedSession {
    /// Its id.
    pub session_id: SessionId,
    /// Why it ended.
    pub cause: EndCause,
}

impl EndedSession {
    /// The failure of a command that names it.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let Self { session_id, cause } = self;
        let (code, why) = match cause {
            EndCause::User => (ErrorCode::UserAborted, "the user stopped it"),
            EndCause::WindowClosed => (ErrorCode::UserAborted, "the user closed its window"),
            EndCause::Idle => (ErrorCode::NotFound, "it was idle for too long"),
            EndCause::Stopped => (ErrorCode::NotFound, "it was stopped"),
        };
        let hint = match cause {
            EndCause::User | EndCause::WindowClosed => "ask the user before you start another session",
            EndCause::Idle => "run `bsk session start` for a new one; `--idle` makes it wait longer",
            EndCause::Stopped => "run `bsk session start` for a new one",
        };
        Failure::new(code, Reason::SessionEnded, format!("session `{session_id}` is over: {why}")).hint(hint)
    }
}

/// A session as the kernel keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord {
    /// Its id.
    pub session_id: SessionId,
    /// The name shown on its tab group, if it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The window made for it.
    pub agent_window_id: WindowId,
    /// Milliseconds since 1970.
    pub created_at_ms: u64,
    /// The tab that commands without a tab id mean: the session's tab last made active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_tab_id: Option<TabId>,
    /// Every tab that the session may touch.
    pub tab_ids: Vec<TabId>,
    /// What is done about JavaScript dialogs.
    #[serde(default, skip_serializing_if = "DialogPolicy::is_ask")]
    pub dialogs: DialogPolicy,
}

/// What is done about a JavaScript dialog that opens in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogPolicy {
    /// It waits for a decision.
    #[default]
    Ask,
    /// It is accepted, a prompt with what it suggests.
    Accept,
    /// It is dismissed.
    Dismiss,
}

impl DialogPolicy {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
    const fn is_ask(&self) -> bool {
        matches!(self, Self::Ask)
    }
}

/// The program that asks for something, as the host's system names it: the nearest one above `bsk` that is no shell.
/// For people's eyes and for lasting answers; a program of the user could be made to look like another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Its name, 1–256 characters.
    pub program: String,
    /// Its process.
    pub pid: u32,
    /// Its file, for an interpreter the script's, 1–4096 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// How a session is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionOptions {
    /// Shown on the tab group, 1–40 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// CSS pixels, 100..=7680.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// CSS pixels, 100..=7680.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Whether the window comes to the front.
    pub focus: bool,
    /// Ends the session after this long without a command.
    pub idle_ms: u64,
    /// What is done about JavaScript dialogs.
    #[serde(default, skip_serializing_if = "DialogPolicy::is_ask")]
    pub dialogs: DialogPolicy,
    /// Who starts it; the host fills it in, whatever the CLI says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
}

/// What the host may ask. Fields that are left out take the kernel's default.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Call {
    /// What a person knows this profile by → [`Profile`].
    Profile {},
    /// Opens an Agent Window → [`SessionRecord`].
    SessionStart(SessionOptions),
    /// Closes what the session opened → [`SessionStopped`].
    SessionStop {
        /// The session.
        session_id: SessionId,
    },
    /// Tabs by owner → [`TabList`].
    TabList {
        /// Whose view: this session's tabs are `agent`, all others `user`.
        session_id: SessionId,
        /// Which of them.
        scope: TabScope,
    },
    /// Opens a tab in the Agent Window → [`TabRecord`].
    TabCreate {
        /// The session.
        session_id: SessionId,
        /// http, https or about:blank.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// Whether it becomes the session's active tab.
        active: bool,
        /// Place in the window, from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
    },
    /// Closes a tab of the session → `{}`.
    TabClose {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Makes a tab the session's active one, without raising the window → `{}`.
    TabSelect {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Asks the user for a tab and, after a yes, moves it into the Agent Window → [`TabRecord`].
    TabBorrow {
        /// The session.
        session_id: SessionId,
        /// A tab of the user.
        tab_id: TabId,
        /// Who asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Agent>,
    },
    /// Asks the user to do something in the tab; answers once the user has → [`HelpAnswer`]. Until then the session may look and
    /// not act. Cancelling the request takes the question away.
    HelpRequest {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// What it is about, 1–200 characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// What is to be done, 1–20,000 characters.
        prompt: String,
        /// Elements that are marked in the page, at most 20.
        targets: Vec<HelpTarget>,
        /// Who asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Agent>,
        /// When the host will take the question away, for the user to see; at most a day.
        timeout_ms: u32,
    },
    /// Opens an upload, the one of its session: its files are the only ones that can get into a page, and only those that are staged
    /// (`…/staging/<32 hexadecimal digits>/<number>/<name>`). Asks the user first where a setting says so → `{}`.
    UploadOpen {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame of the target.
        frame: FrameNumber,
        /// 1 to 20.
        files: Vec<StagedFile>,
        /// Who asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Agent>,
        /// When the upload is closed by itself.
        timeout_ms: u32,
    },
    /// Keeps file choosers of the tab from being shown, until the upload is closed → `{}`.
    UploadArm {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Waits until the page opens a file chooser, which is not shown → `{}`. Fails at once where a page opens one that only a person can
    /// use.
    UploadChooser {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// How long.
        timeout_ms: u32,
    },
    /// Gives the files to a file input and looks whether it has them; closes the upload, whatever comes of it → [`UploadTaken`].
    UploadTake {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The input; without it the one whose chooser the page opened.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<UploadInput>,
    },
    /// Moves the files over the page, or drops them → `{}`.
    UploadDrag {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame at that place.
        frame: FrameNumber,
        /// Which step.
        step: DragStep,
        /// CSS pixels of the tab's viewport.
        x: f64,
        /// CSS pixels of the tab's viewport.
        y: f64,
    },
    /// Ends the upload of the session, if one is open; choosers are shown again → `{}`.
    UploadClose {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Opens a capture, the one of its session: the next download that a page of the tab begins is claimed → `{}`.
    DownloadOpen {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame of the target.
        frame: FrameNumber,
        /// Who asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Agent>,
        /// When the capture is closed by itself.
        timeout_ms: u32,
    },
    /// Waits until the claimed download has ended; asks the user first where a setting says so → [`DownloadTaken`].
    DownloadTake {
        /// The session.
        session_id: SessionId,
        /// How long a download may take to begin.
        begin_ms: u32,
        /// How long it may take in all; then it is cancelled.
        timeout_ms: u32,
    },
    /// How far the claimed download is → [`DownloadProgress`].
    DownloadProgress {
        /// The session.
        session_id: SessionId,
    },
    /// Ends the capture of the session, if one is open; what is under way is cancelled, and a file that nobody took deleted → `{}`.
    DownloadClose {
        /// The session.
        session_id: SessionId,
        /// Whether the file is the host's from now on.
        is_kept: bool,
    },
    /// Folders of claimed downloads that nobody took, emptied; each is told once → [`DownloadFolders`].
    DownloadFolders {},
    /// Gives a borrowed tab back → [`TabReturned`].
    TabReturn {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Sets the Agent Window's outer size → [`WindowSize`].
    WindowResize {
        /// The session.
        session_id: SessionId,
        /// Pixels, 100..=7680.
        width: u32,
        /// Pixels, 100..=7680.
        height: u32,
    },
    /// Attaches to the tab if need be and forwards these CDP events of it from now on → `{}`.
    Subscribe {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// All that are wanted; what is not named is no longer forwarded.
        events: Vec<CdpEventName>,
    },
    /// The tab's frames in tree order, the main frame first → [`Frames`].
    Frames {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Where a frame's content is in the tab's viewport → [`FrameQuad`].
    FrameQuad {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame, not the main one.
        frame: FrameNumber,
    },
    /// Looks for closed shadow roots in the elements that the frame's last observation counted as `unexplored`, and opens
    /// what is found to the page library → [`ShadowRoots`]. Roots inside of those show in the next observation.
    ShadowRoots {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame.
        frame: FrameNumber,
    },
    /// Answers `{}` once the page has handled the input sent before and all that the browser had to tell of it has been passed
    /// on. A reply to input can overtake the events of what the input set off; this cannot. With a frame the answer has what its
    /// page library's `outcome` says, unless its document is gone. Where the page has opened tabs the answer has `opened`, a list of
    /// `{tab_id, url}`.
    Flush {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<FrameNumber>,
        /// How long tabs that the page opened may take to show where they are going.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opened_ms: Option<u32>,
    },
    /// Has the browser report the tab's requests for as long as this request lasts: it is answered only when that cannot be, and ends
    /// by [`ToKernel::Cancel`]. Meanwhile [`Event::DocumentRequest`]s are told.
    NetworkWatch {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// Waits until none of the tab's requests has been under way for a while → [`NetworkQuiet`].
    NetworkQuiet {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// For how long nothing may have happened.
        quiet_ms: u32,
        /// The longest wait.
        timeout_ms: u32,
    },
    /// One method of the kernel's table → that method's result.
    Cdp {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The method, such as `Input.insertText`.
        method: String,
        /// Its parameters, an object.
        params: Box<RawValue>,
    },
    /// One function of the page library → that function's result (extension/page/types.d.ts).
    Page {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame.
        frame: FrameNumber,
        /// The function.
        function: PageFunction,
        /// Its argument, an object.
        args: Box<RawValue>,
    },
    /// Fills a field in one go → `begun`, `ended` and `flushed`, as the page library's `fill_begin` and `fill_end` and [`Call::Flush`]
    /// give them. Without the last two nothing was typed: what is left to do takes keys.
    Fill {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame.
        frame: FrameNumber,
        /// The field.
        target: PageTarget,
        /// What it is to hold, or to hold more.
        value: String,
        /// Whether it is added to what the field holds.
        append: bool,
        /// How long it may take in all.
        timeout_ms: u32,
        /// How long the page may take to show what was typed.
        edit_ms: u32,
        /// As of [`Call::Flush`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opened_ms: Option<u32>,
    },
    /// Runs JavaScript in the page's own world; a grant of its own → the result of CDP's `Runtime.evaluate`.
    Evaluate {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// The frame; the main one without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<FrameNumber>,
        /// The source text.
        expression: String,
        /// Whether a promise is waited for.
        await_promise: bool,
        /// Whether objects come as JSON rather than as descriptions.
        return_by_value: bool,
        /// When the browser stops the script.
        timeout_ms: u32,
    },
    /// Goes back or forward in the tab's history, to a page the kernel would also open by URL → [`HistoryStep`].
    HistoryStep {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// -1 is back, 1 is forward.
        delta: i32,
    },
}

/// Functions of the page library that the host may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "extension/page/types.d.ts documents each")]
pub enum PageFunction {
    Observe,
    Query,
    Prepare,
    Probe,
    FillBegin,
    FillEnd,
    Select,
    Focus,
    TypeBegin,
    TypeEnd,
    CheckBegin,
    CheckEnd,
    GetHtml,
    Box,
    Settle,
    DocumentState,
    CheckedState,
    DragState,
    ScrollPlace,
    ScrollEnd,
    ScrollText,
    Wait,
    Outcome,
    FileInput,
}

/// CDP events that the host may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CdpEventName {
    /// A frame shows another document.
    #[serde(rename = "Page.frameNavigated")]
    FrameNavigated,
    /// A frame's URL changed without a new document.
    #[serde(rename = "Page.navigatedWithinDocument")]
    NavigatedWithinDocument,
    /// The page itself asked for a navigation.
    #[serde(rename = "Page.frameRequestedNavigation")]
    FrameRequestedNavigation,
    /// `init`, `commit`, `DOMContentLoaded`, `load`, `networkIdle` … of a document.
    #[serde(rename = "Page.lifecycleEvent")]
    LifecycleEvent,
    /// A frame's loading ended, whether a document came of it or not.
    #[serde(rename = "Page.frameStoppedLoading")]
    FrameStoppedLoading,
    /// A JavaScript dialog opened.
    #[serde(rename = "Page.javascriptDialogOpening")]
    DialogOpening,
    /// A JavaScript dialog was closed.
    #[serde(rename = "Page.javascriptDialogClosed")]
    DialogClosed,
    /// The page began a drag while drags are intercepted; without what it drags, which stays in the kernel.
    #[serde(rename = "Input.dragIntercepted")]
    DragIntercepted,
    /// A download began.
    #[serde(rename = "Page.downloadWillBegin")]
    DownloadWillBegin,
}

/// What the kernel tells unasked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A session's tabs, active tab or name changed; comes before the reply of the call that caused it.
    SessionChanged(SessionRecord),
    /// A session is over.
    SessionEnded {
        /// Which.
        session_id: SessionId,
        /// Why.
        cause: EndCause,
    },
    /// A tab of a session can no longer be used, or not until it is navigated.
    TabLost {
        /// The session that owned it.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
        /// Why.
        cause: LossCause,
    },
    /// A page of the session opened a tab; the session owns it.
    TabOpened {
        /// The session.
        session_id: SessionId,
        /// The new tab.
        tab_id: TabId,
        /// The tab whose page opened it.
        opener_tab_id: TabId,
    },
    /// The user is asked whether the session may use a site, or no longer.
    Asking {
        /// The session.
        session_id: SessionId,
        /// Whether the question is open.
        is_open: bool,
    },
    /// The user pressed a key or a button in a tab of the session; which one is not told.
    UserActed {
        /// The session.
        session_id: SessionId,
        /// The tab.
        tab_id: TabId,
    },
    /// A step of the request that brings a frame's document, while a [`Call::NetworkWatch`] lasts or input is followed to its rest.
    DocumentRequest {
        /// The tab.
        tab_id: TabId,
        /// The frame, as the browser calls it.
        frame_id: String,
        /// The document's loader; the steps of one navigation have the same.
        loader_id: String,
        /// What happened.
        step: DocumentStep,
    },
    /// A CDP event that was subscribed to.
    Cdp {
        /// The tab.
        tab_id: TabId,
        /// Which event.
        method: CdpEventName,
        /// Its parameters.
        params: Box<RawValue>,
    },
}

/// What happened to a request that is to bring a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DocumentStep {
    /// It went out.
    Asked {
        /// To this address.
        url: String,
    },
    /// An address sent it on to another one.
    SentOn {
        /// The address that did.
        url: String,
        /// Its HTTP status, such as 302.
        status: u16,
    },
    /// It was answered.
    Answered {
        /// The HTTP status.
        status: u16,
    },
    /// No document of its own came of it.
    Failed {
        /// The browser's name for why, such as `net::ERR_ABORTED`.
        net_error: String,
    },
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// `session stop`.
    Stopped,
    /// The user pressed Stop.
    User,
    /// The Agent Window was closed.
    WindowClosed,
    /// No command for too long.
    Idle,
}

/// Why a tab is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossCause {
    /// It was closed.
    Closed,
    /// Its page crashed; navigating revives it.
    Crashed,
    /// The browser detached us: the user cancelled debugging, or the tab went to a page no extension may touch.
    Detached,
    /// The browser detached us: a frame of another extension came into the page. The tab can be used again without it.
    ForeignFrame,
}

/// Whose tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TabScope {
    /// The user's and other sessions'.
    User,
    /// The session's own.
    Agent,
    /// Both.
    All,
}

/// Who may touch a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TabOwner {
    /// The session that asked.
    Agent,
    /// Anyone else.
    User,
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TabRecord {
    /// The tab.
    pub tab_id: TabId,
    /// Its window.
    pub window_id: WindowId,
    /// The address it shows or is loading.
    pub url: String,
    /// Its title.
    pub title: String,
    /// For the session's own tabs whether it is the session's active tab, for others whether it is in front in its window.
    pub active: bool,
    /// Who may touch it.
    pub owner: TabOwner,
}

/// Result of [`Call::TabList`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TabList {
    /// In window and tab order.
    pub tabs: Vec<TabRecord>,
}

/// Result of [`Call::SessionStop`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionStopped {
    /// The session that ended.
    pub session_id: SessionId,
    /// Borrowed tabs that went back to their place.
    pub returned_tab_ids: Vec<TabId>,
    /// Borrowed tabs that could not go back, and why.
    pub return_failures: Vec<ReturnFailure>,
}

/// Result of [`Call::Profile`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its windows.
    pub window_count: u32,
    /// The tabs in them.
    pub tab_count: u32,
    /// Title of the user's tab that was in front last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front_title: Option<String>,
}

/// Result of [`Call::TabReturn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TabReturned {
    /// The tab.
    pub tab_id: TabId,
    /// The window it is in now.
    pub window_id: WindowId,
    /// Why that is not its old place, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An element that the user is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelpTarget {
    /// Its frame.
    pub frame: FrameNumber,
    /// Its ref number in that frame.
    #[serde(rename = "ref")]
    pub number: u32,
    /// Its role, at most 200 characters; with the name it is found again in the next document.
    pub role: String,
    /// Its accessible name, at most 200 characters.
    pub name: String,
}

/// A file that an upload may give to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagedFile {
    /// Where its copy is or will be; the last part is its name.
    pub path: String,
    /// Its name, for the user and for the page.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// A file input that is known by its ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UploadInput {
    /// Its frame.
    pub frame: FrameNumber,
    /// Its ref number in that frame.
    #[serde(rename = "ref")]
    pub number: u32,
}

/// A step of a drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the steps")]
pub enum DragStep {
    Enter,
    Over,
    Drop,
    Cancel,
}

/// Result of [`Call::UploadTake`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UploadTaken {
    /// Names of the files that the input's `accept` does not list; a chooser would have let a person take them all the same.
    pub not_accepted: Vec<String>,
    /// Whether the input was seen to have them; not where the page went elsewhere at once.
    pub is_verified: bool,
}

/// Result of [`Call::HelpRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelpAnswer {
    /// Which button.
    pub outcome: HelpEnd,
    /// What the user wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How the user ended a help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HelpEnd {
    /// Done.
    Continued,
    /// Cancel, or the window was closed.
    Cancelled,
}

/// A borrowed tab that could not go back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReturnFailure {
    /// The tab.
    pub tab_id: TabId,
    /// Why, for the user.
    pub message: String,
}

/// Result of [`Call::WindowResize`]: the size that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSize {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// Result of [`Call::Frames`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Parents before children.
    pub frames: Vec<FrameRecord>,
}

/// One frame of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameRecord {
    /// Its number.
    pub frame: FrameNumber,
    /// Its parent's number; the main frame has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<FrameNumber>,
    /// Ref number of its element in the parent's document; none where the element cannot be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_ref: Option<u32>,
    /// Its document's address, at most 2,048 characters of it.
    pub url: String,
    /// Why there is nothing to ask in it; none for a frame that can be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<FrameObstacle>,
}

/// An element for the page library of its frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageTarget {
    /// By the number of its ref.
    Ref(u32),
    /// By CSS selector.
    Selector(String),
}

/// Why a frame's content cannot be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameObstacle {
    /// Its first document has not come yet; a frame that loads lazily begins once it is near the view.
    Loading,
    /// Its process does not answer.
    Busy,
    /// It shows a page of another extension or of the browser, such as its PDF viewer.
    Foreign,
    /// A site rule of the user or of a policy keeps agents out.
    Blocked,
    /// By a site rule the user has to be asked for its site first; a call for just this frame asks.
    Unasked,
}

/// Result of [`Call::FrameQuad`]: the corners of the frame's content box in CSS pixels of the tab's viewport, clockwise
/// from the content's top left, with the content's own size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameQuad {
    /// x1, y1 … x4, y4.
    pub quad: [f64; 8],
    /// CSS pixels of the frame's own viewport.
    pub width: f64,
    /// CSS pixels of the frame's own viewport.
    pub height: f64,
}

/// Result of [`Call::ShadowRoots`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShadowRoots {
    /// Closed roots that the page library did not know; with none, another observation would show nothing more.
    pub found: u32,
}

/// Result of [`Call::DownloadTake`]: a download that ended well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadTaken {
    /// Where its file is, as the browser says at its end.
    pub path: String,
    /// Whether that is in the folder that was made for it.
    pub is_own_place: bool,
    /// The name that the browser had for it.
    pub suggested_filename: String,
    /// As the browser says.
    pub byte_size: u64,
    /// As the server or the browser says.
    pub mime: String,
    /// The browser's verdict, such as `safe` (Chrome extensions API, `downloads.DangerType`).
    pub danger: String,
    /// After redirects.
    pub url: String,
    /// Milliseconds since 1970.
    pub began_at_ms: u64,
}

/// Result of [`Call::DownloadProgress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadProgress {
    /// So far.
    pub received_bytes: u64,
    /// Where the server said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Whether the browser waits for the user's word on a file that may be harmful.
    #[serde(default)]
    pub is_held_back: bool,
}

/// Result of [`Call::DownloadFolders`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadFolders {
    /// Absolute paths.
    pub folders: Vec<String>,
}

/// Result of [`Call::NetworkQuiet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkQuiet {
    /// Whether it was quiet for long enough.
    pub is_quiet: bool,
    /// Requests that have not ended.
    pub under_way: u32,
}

/// Result of [`Call::HistoryStep`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryStep {
    /// Where the tab was.
    pub from_url: String,
    /// Where it is going.
    pub to_url: String,
}
