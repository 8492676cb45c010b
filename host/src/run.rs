//! From a command to the code that carries it out: the queue, the deadline, the tab, the open dialog.
//!
//! Commands of one session never overlap; stop and lists never wait (invariant 11). Whatever ends first ends the
//! command: its own work, its deadline, its session, its tab, the host.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{FrameNumber, SessionId, TabId};
use bsk_protocol::kernel::{Call, EndCause, LossCause, PageFunction};
use bsk_protocol::local::{Action, Command, Dialog, DragEnd};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout_at};

use crate::host::Host;
use crate::kernel::{Pending, raw};
use crate::queue::Turn;
use crate::tabs::{self, Tab, TabEvent};
use crate::transfer::{self, Line, TransferState};
use crate::{act, help, look, more, navigate, observe, session, target, wait};

/// Longest time a command may ask for.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// What the page library gets less than the command has, so that its precise error comes first.
const MARGIN: Duration = Duration::from_millis(150);

/// How long a page may take to react to input, in milliseconds; what it does later is news, not a reaction.
const REACTION_MS: u64 = 100;
const REACTION: Duration = Duration::from_millis(REACTION_MS);

/// A command's result: JSON, and the bytes that follow it.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) value: Box<RawValue>,
    pub(crate) bytes: Vec<u8>,
}

impl Done {
    /// A result without bytes.
    pub(crate) fn new(value: &impl Serialize) -> Self {
        Self { value: raw(value), bytes: Vec::new() }
    }
}

/// The command's name for the log.
pub(crate) fn name_of(action: &Action) -> &'static str {
    match action {
        Action::Profile {} => "browsers",
        Action::SessionStart(_) => "session start",
        Action::SessionStop {} => "session stop",
        Action::TabList { .. } => "tab list",
        Action::TabCreate { .. } => "tab create",
        Action::TabClose {} => "tab close",
        Action::TabSelect {} => "tab select",
        Action::TabBorrow {} => "tab borrow",
        Action::TabReturn {} => "tab return",
        Action::WindowResize { .. } => "window resize",
        Action::Navigate { .. } => "navigate",
        Action::NavigateBack { .. } => "navigate-back",
        Action::NavigateForward { .. } => "navigate-forward",
        Action::Reload { .. } => "reload",
        Action::WaitForNavigation { .. } => "wait-for-navigation",
        Action::WaitFor { .. } => "wait-for",
        Action::RequestHelp(_) => "request-help",
        Action::Observe(_) => "observe",
        Action::Snapshot(_) => "snapshot",
        Action::Find { .. } => "find",
        Action::GetHtml { .. } => "get-html",
        Action::Click { .. } => "click",
        Action::Hover { .. } => "hover",
        Action::Drag { .. } => "drag",
        Action::Scroll { .. } => "scroll",
        Action::Fill { .. } => "fill",
        Action::Type { .. } => "type",
        Action::Check { checked: true, .. } => "check",
        Action::Check { checked: false, .. } => "uncheck",
        Action::Focus { .. } => "focus",
        Action::Press { .. } => "press",
        Action::Select { .. } => "select",
        Action::Upload { .. } => "upload",
        Action::Download { .. } => "download",
        Action::Evaluate { .. } => "evaluate",
        Action::Screenshot { .. } => "screenshot",
        Action::DialogList {} => "dialog list",
        Action::DialogAccept { .. } => "dialog accept",
        Action::DialogDismiss {} => "dialog dismiss",
    }
}

/// Runs a command to its end; `caller` is the process that sent it.
pub(crate) async fn run(
    host: Rc<Host>,
    command: Command,
    caller: Option<u32>,
    line: Line,
) -> Result<Done, Failure> {
    let transfer = Rc::new(TransferState::default());
    let done = until_done(host, command, caller, line, &transfer).await;
    done.map_err(|failure| transfer.tell(failure))
}

async fn until_done(
    host: Rc<Host>,
    command: Command,
    caller: Option<u32>,
    line: Line,
    transfer: &Rc<TransferState>,
) -> Result<Done, Failure> {
    let name = name_of(&command.action);
    let allowed = Duration::from_millis(command.timeout_ms).min(LONGEST);
    let deadline = Instant::now() + allowed;
    let stage = Stage::new(Cell::new("waiting for its turn"));
    let session_id = command.session_id.clone();
    let mut ending = host.ending.subscribe();
    tokio::select! {
        biased;
        done = timeout_at(deadline, route(&host, command, caller, line, Time { deadline, stage: &stage, transfer })) => done.unwrap_or_else(|_| {
            let is_user_asked = session_id.and_then(|id| host.session(&id).ok()).is_some_and(|session| session.is_user_asked.get());
            let (stage, hint) = if is_user_asked {
                ("waiting for the user's answer about this site", "the question stays open for a minute; run the command again")
            } else {
                (stage.get(), "look at the page with `bsk observe` or `bsk screenshot`, then try again with a longer `--timeout`")
            };
            let message = format!("`{name}` did not finish within {} ms; it was {stage}", allowed.as_millis());
            Err(Failure::without_reason(ErrorCode::Timeout, message).hint(hint))
        }),
        failure = ending.wait_for(Option::is_some) => {
            Err(failure.ok().and_then(|failure| failure.clone()).unwrap_or_else(crate::kernel::browser_gone))
        }
    }
}

/// How long a command has, and what it says of how far it is.
#[derive(Clone, Copy)]
struct Time<'a> {
    deadline: Instant,
    stage: &'a Stage,
    transfer: &'a Rc<TransferState>,
}

async fn route(
    host: &Rc<Host>,
    command: Command,
    caller: Option<u32>,
    line: Line,
    Time { deadline, stage, transfer }: Time<'_>,
) -> Result<Done, Failure> {
    if let Action::Profile {} = command.action {
        return session::profile(host).await;
    }
    if let Action::SessionStart(options) = command.action {
        return session::start(host, options, caller).await;
    }
    let session_id = command.session_id.ok_or_else(|| {
        Failure::new(ErrorCode::InvalidParams, Reason::UsageInvalid, "the command names no session")
            .hint("pass `--session ID`, or start one with `bsk session start`")
    })?;
    let session = host.session(&session_id)?;
    let name = name_of(&command.action);
    if let Action::SessionStop {} = command.action {
        return session::stop(host, &session_id).await;
    }
    if let Action::TabList { scope } = command.action {
        host.kernel.note(&session_id, name);
        return session::tab_list(host, session_id, scope).await;
    }
    if session.queue.is_busy() {
        line.progress("waiting for another command of this session");
    }
    let mut ended = session.ended.subscribe();
    let in_turn = async {
        let turn = session.queue.enter(&session_id).await?;
        stage.set("at work in the page");
        host.kernel.note(&session_id, name);
        let transfer = Rc::clone(transfer);
        let bounds = Bounds { turn, caller, deadline, stage: Rc::clone(stage), line, transfer };
        in_session(host, session_id.clone(), command.tab_id, command.action, command.observe, bounds).await
    };
    tokio::select! {
        biased;
        done = in_turn => done,
        cause = ended.wait_for(Option::is_some) => {
            Err(session_over(&session_id, cause.ok().and_then(|cause| *cause)))
        }
    }
}

fn session_over(session: &SessionId, cause: Option<EndCause>) -> Failure {
    let (code, why) = match cause {
        Some(EndCause::User) => (ErrorCode::UserAborted, "the user stopped it"),
        Some(EndCause::WindowClosed) => (ErrorCode::UserAborted, "its window was closed"),
        Some(EndCause::Idle) => (ErrorCode::Cancelled, "it was idle for too long"),
        Some(EndCause::Stopped) | None => (ErrorCode::Cancelled, "it was stopped"),
    };
    let hint = match cause {
        Some(EndCause::User | EndCause::WindowClosed) => "ask the user before you start another session",
        Some(EndCause::Idle | EndCause::Stopped) | None => "start another with `bsk session start`",
    };
    Failure::new(
        code,
        Reason::SessionEnded,
        format!("session `{session}` ended while the command ran: {why}"),
    )
    .hint(hint)
}

async fn in_session(
    host: &Rc<Host>,
    session_id: SessionId,
    tab_id: Option<TabId>,
    action: Action,
    observe: bool,
    bounds: Bounds,
) -> Result<Done, Failure> {
    if let Action::TabCreate { url, active, index } = action {
        return session::tab_create(host, session_id, url, active, index, bounds).await;
    }
    if let Action::WindowResize { width, height } = action {
        return session::window_resize(host, session_id, width, height).await;
    }
    if let Action::TabBorrow {} = action {
        return session::tab_borrow(host, session_id, tab_id, &bounds).await;
    }
    let caller = bounds.caller;
    let work = Work::on(host, session_id, tab_id, bounds)?;
    if let Action::TabReturn {} = action {
        return session::tab_return(&work).await;
    }
    if let Action::TabClose {} = action {
        return session::tab_close(&work).await;
    }
    if let Action::TabSelect {} = action {
        return session::tab_select(&work).await;
    }
    let listening = work.listen().await;
    let leads_away = matches!(action, Action::Navigate { .. });
    let is_forbidden =
        |failure: &Failure| matches!(failure.reason, Some(Reason::TabForbidden | Reason::FrameForbidden));
    // The kernel lets a navigation out of what may not be touched, and has noted what we listen to.
    if !(leads_away && listening.as_ref().is_err_and(is_forbidden)) {
        listening?;
    }
    if let Action::RequestHelp(wish) = action {
        return help::request(work, wish, caller).await;
    }
    let is_about_dialogs =
        matches!(action, Action::DialogList {} | Action::DialogAccept { .. } | Action::DialogDismiss {});
    if is_about_dialogs {
        let done = in_tab(&work, action).await?;
        let done = more::tell(&work, done, observe).await;
        return more::tell_user_acted(&work, done);
    }
    let is_a_look = matches!(
        action,
        Action::Observe(_)
            | Action::Snapshot(_)
            | Action::Find { .. }
            | Action::GetHtml { .. }
            | Action::Evaluate { .. }
            | Action::Screenshot { .. }
            | Action::WaitFor { .. }
    );
    let is_observation = matches!(action, Action::Observe(_) | Action::Snapshot(_));
    let done = work
        .unless_dialog(async {
            if is_a_look {
                work.settle().await;
            }
            in_tab(&work, action).await
        })
        .await;
    let done = match done {
        Err(failure) if is_observation && failure.reason == Some(Reason::DialogPending) => {
            let open = work.tab.dialog.borrow().clone();
            open.map(|dialog| observe::beside_dialog(&work, &dialog)).ok_or(failure)
        }
        Ok(done) => more::tell(&work, done, observe && !is_a_look).await,
        Err(_) => done,
    };
    more::tell_user_acted(&work, done)
}

async fn in_tab(work: &Work, action: Action) -> Result<Done, Failure> {
    match action {
        Action::Navigate { url, wait_until } => navigate::to_url(work, url, wait_until).await,
        Action::NavigateBack { wait_until } => navigate::history(work, -1, wait_until).await,
        Action::NavigateForward { wait_until } => navigate::history(work, 1, wait_until).await,
        Action::Reload { hard, wait_until } => navigate::reload(work, hard, wait_until).await,
        Action::WaitForNavigation { wait_until } => navigate::wait(work, wait_until).await,
        Action::WaitFor { condition } => wait::wait_for(work, condition).await,
        Action::Observe(args) => observe::observe(work, &args).await,
        Action::Snapshot(args) => observe::snapshot(work, &args).await,
        Action::Find { pattern, is_regex, max } => observe::find(work, &pattern, is_regex, max).await,
        Action::GetHtml { target, max_bytes } => {
            look::get_html(work, target::locate_some(work, target).await?.as_ref(), max_bytes).await
        }
        Action::Click { target, button, click_count, modifiers, at, force } => {
            let target = target::locate(work, target).await?;
            let press = act::Press { button, count: click_count, modifiers, at, force };
            act::again_if_lost(work, || act::click(work, &target, &press)).await
        }
        Action::Hover { target, modifiers, settle_ms, force } => {
            let target = target::locate(work, target).await?;
            act::again_if_lost(work, || act::hover(work, &target, &modifiers, settle_ms, force)).await
        }
        Action::Drag { target, to, from } => {
            let target = target::locate(work, target).await?;
            let goal = match to {
                DragEnd::Target(onto) => act::Goal::Element(target::locate(work, onto).await?),
                DragEnd::Offset(offset) => act::Goal::Offset(offset),
            };
            act::drag(work, &target, &goal, from).await
        }
        Action::Scroll { target, by, to, until_text } => {
            let target = target::locate_some(work, target).await?;
            act::scroll(work, target.as_ref(), &act::Way::new(by, to, until_text)?).await
        }
        Action::Fill { target, value, append } => {
            let target = target::locate(work, target).await?;
            act::fill(work, &target, value, append).await
        }
        Action::Type { target, value, delay_ms } => {
            let target = target::locate(work, target).await?;
            act::type_text(work, &target, &value, delay_ms).await
        }
        Action::Check { target, checked } => {
            let target = target::locate(work, target).await?;
            act::again_if_lost(work, || act::check(work, &target, checked)).await
        }
        Action::Focus { target } => {
            let target = target::locate(work, target).await?;
            act::focus(work, &target).await
        }
        Action::Press { key, modifiers, target, hold_ms } => {
            let target = target::locate_some(work, target).await?;
            act::press(work, &key, &modifiers, target.as_ref(), hold_ms).await
        }
        Action::Select { target, values, labels, indexes } => {
            let target = target::locate(work, target).await?;
            act::select(work, &target, values, labels, indexes).await
        }
        Action::Upload { target, files, drop } => transfer::upload(work, target, &files, drop).await,
        Action::Download { target } => transfer::download(work, target).await,
        Action::Evaluate { expression, frame, await_promise, return_by_value } => {
            look::evaluate(work, frame, expression, await_promise, return_by_value).await
        }
        Action::Screenshot { target } => {
            look::screenshot(work, target::locate_some(work, target).await?.as_ref()).await
        }
        Action::DialogList {} => look::dialog_list(work),
        Action::DialogAccept { text } => look::dialog_decide(work, true, text).await,
        Action::DialogDismiss {} => look::dialog_decide(work, false, None).await,
        Action::Profile {}
        | Action::SessionStart(_)
        | Action::SessionStop {}
        | Action::TabList { .. }
        | Action::TabCreate { .. }
        | Action::TabClose {}
        | Action::TabSelect {}
        | Action::TabBorrow {}
        | Action::TabReturn {}
        | Action::RequestHelp(_)
        | Action::WindowResize { .. } => Err(Failure::new(
            ErrorCode::UnknownMethod,
            Reason::UsageInvalid,
            "the command was routed to a tab that it does not need",
        )),
    }
}

/// What a command is waiting for: the most useful thing to say when its time is up.
pub(crate) type Stage = Rc<Cell<&'static str>>;

/// What a command was given to run in.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Held as long as the command runs.
    turn: Turn,
    /// The process that sent the command.
    pub(crate) caller: Option<u32>,
    deadline: Instant,
    stage: Stage,
    line: Line,
    transfer: Rc<TransferState>,
}

impl Bounds {
    /// Notes what the command waits for from now on.
    pub(crate) fn stage(&self, what: &'static str) {
        self.stage.set(what);
    }
}

/// One command at work in one tab.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) host: Rc<Host>,
    pub(crate) session_id: SessionId,
    pub(crate) tab_id: TabId,
    pub(crate) tab: Rc<Tab>,
    pub(crate) deadline: Instant,
    stage: Stage,
    /// None once others may run beside it.
    turn: Option<Turn>,
    /// To the caller; none once it is taken.
    line: RefCell<Option<Line>>,
    /// The process that sent the command.
    pub(crate) caller: Option<u32>,
    /// How far a transfer is.
    pub(crate) transfer: Rc<TransferState>,
}

impl Work {
    /// In the named tab, else in the session's active one.
    pub(crate) fn on(
        host: &Rc<Host>,
        session_id: SessionId,
        tab_id: Option<TabId>,
        bounds: Bounds,
    ) -> Result<Self, Failure> {
        let session = host.session(&session_id)?;
        let tab_id = tab_id.or(session.record.active_tab_id).ok_or_else(|| {
            Failure::new(
                ErrorCode::NotFound,
                Reason::TabNotActive,
                format!("session `{session_id}` has no tab left to act on"),
            )
            .hint(format!("open one with `bsk tab create --session {session_id}`"))
        })?;
        let tab = host.tab(tab_id);
        let Bounds { turn, caller, deadline, stage, line, transfer } = bounds;
        let (turn, line, host) = (Some(turn), RefCell::new(Some(line)), Rc::clone(host));
        Ok(Self { host, session_id, tab_id, tab, deadline, stage, turn, line, caller, transfer })
    }

    /// Notes what the command waits for from now on.
    pub(crate) fn stage(&self, what: &'static str) {
        self.stage.set(what);
    }

    /// The way to the caller, for the one that takes files from there.
    pub(crate) fn take_line(&self) -> Option<Line> {
        self.line.take()
    }

    /// Gives the right to run to the caller: the next command of the session starts when it is dropped.
    pub(crate) fn take_turn(&mut self) -> Option<Turn> {
        self.turn.take()
    }

    /// Makes sure that the tab's events reach us.
    pub(crate) async fn listen(&self) -> Result<(), Failure> {
        if self.tab.is_subscribed.get() {
            return Ok(());
        }
        let (session_id, tab_id) = (self.session_id.clone(), self.tab_id);
        let call = Call::Subscribe { session_id, tab_id, events: tabs::WANTED.to_vec() };
        self.stage("attaching to the tab");
        self.host.kernel.send::<Value>(call).await?;
        self.stage("at work in the page");
        self.tab.is_subscribed.set(true);
        Ok(())
    }

    /// Sends a CDP method of the kernel's table.
    pub(crate) fn cdp<T: DeserializeOwned>(&self, method: &str, params: &impl Serialize) -> Pending<T> {
        let (session_id, tab_id) = (self.session_id.clone(), self.tab_id);
        self.host.kernel.send(Call::Cdp {
            session_id,
            tab_id,
            method: method.to_owned(),
            params: raw(params),
        })
    }

    /// Calls a function of the page library in a frame.
    pub(crate) fn page<T: DeserializeOwned>(
        &self,
        frame: FrameNumber,
        function: PageFunction,
        args: &impl Serialize,
    ) -> Pending<T> {
        let (session_id, tab_id) = (self.session_id.clone(), self.tab_id);
        self.host.kernel.send(Call::Page { session_id, tab_id, frame, function, args: raw(args) })
    }

    /// Notes that input was sent: the next look at the page comes after the page's reaction to it.
    pub(crate) fn input_sent(&self) {
        self.tab.unsettled_input.set(Some(std::time::Instant::now()));
    }

    /// Lets the page react to input that was sent a moment ago. Chromium holds a page's tasks back after input until it has
    /// drawn a frame (docs/decisions/0002-no-task-after-input.md), so a look that comes sooner would show the page before it.
    pub(crate) async fn settle(&self) {
        let Some(sent) = self.tab.unsettled_input.take() else { return };
        if sent.elapsed() < REACTION {
            let args = serde_json::json!({ "timeout_ms": REACTION_MS });
            // A page that is being replaced has nothing to settle.
            let _ = self.page::<Value>(FrameNumber::MAIN, PageFunction::Settle, &args).await;
        }
    }

    /// How long the page library may wait.
    pub(crate) fn page_timeout_ms(&self) -> u64 {
        let left = self.deadline.saturating_duration_since(Instant::now()).saturating_sub(MARGIN);
        u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
    }

    /// Runs `work` unless a dialog is open or opens meanwhile: nothing in the page answers while one is.
    pub(crate) async fn unless_dialog<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let open = self.tab.dialog.borrow().clone();
        if let Some(dialog) = open {
            return Err(dialog_pending(&dialog, "waits for a decision"));
        }
        act::fetch_pointer(self);
        let mut events = self.tab.watch();
        let opened = async {
            loop {
                match events.recv().await {
                    Ok(TabEvent::DialogOpened) | Err(RecvError::Lagged(_)) => {
                        let open = self.tab.dialog.borrow().clone();
                        if let Some(dialog) = open {
                            return dialog;
                        }
                    }
                    Ok(_) => {}
                    Err(RecvError::Closed) => return std::future::pending().await,
                }
            }
        };
        tokio::select! {
            biased;
            done = work => done,
            dialog = opened => Err(dialog_pending(&dialog, "opened while the command ran")),
        }
    }
}

fn dialog_pending(dialog: &Dialog, what: &str) -> Failure {
    Failure::new(
        ErrorCode::CdpFailed,
        Reason::DialogPending,
        format!("a JavaScript dialog (`{}`) {what}: `{}`", dialog.kind, dialog.message),
    )
    .hint("decide with `bsk dialog accept [--text TEXT]` or `bsk dialog dismiss`")
    .with("dialog", serde_json::to_value(dialog).unwrap_or_default())
}

/// The failure of a wait whose tab is lost.
pub(crate) fn tab_lost(tab: TabId, cause: LossCause) -> Failure {
    let (reason, message, hint) = match cause {
        LossCause::Closed => (Reason::TabClosed, "was closed", "run `bsk tab list` and use another tab"),
        LossCause::Crashed => (Reason::PageCrashed, "crashed", "`bsk navigate URL` loads a page in it again"),
        LossCause::Detached => (
            Reason::TabDetached,
            "was taken from us by the browser or the user",
            "run `bsk tab list`; a page of the browser itself cannot be used",
        ),
        LossCause::ForeignFrame => (
            Reason::FrameForbidden,
            "got a frame of another extension, which the browser lets no extension debug,",
            "the command may have taken effect; once the frame is gone, `bsk observe` shows the page",
        ),
    };
    Failure::new(ErrorCode::CdpFailed, reason, format!("tab {tab} {message} while the command ran"))
        .hint(hint)
}
