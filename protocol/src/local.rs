//! CLI ↔ host: one connection carries one command.
//!
//! Order: [`FromCli::Hello`], [`FromHost::Hello`], [`FromCli::Command`], any number of [`FromHost::Progress`], one
//! [`FromHost::Reply`], then `raw_bytes` bytes in raw frames. Of an upload the host says once [`FromHost::SendFiles`]; then the
//! CLI sends the files in raw frames and [`FromCli::FilesSent`], or [`FromCli::Abandon`]. Closing the connection cancels the command.
//! The results documented at [`Action`] are what `--json` prints; they may gain fields within a protocol version, so their
//! types here, unlike messages, ignore what they do not know.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::ids::{Cursor, FrameNumber, InstanceId, Ref, SessionId, TabId, WindowId};
use crate::kernel::{DialogPolicy, EndedSession, SessionOptions, SessionRecord, TabScope};

/// What the CLI sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromCli {
    /// The first message.
    Hello {
        /// [`crate::PROTOCOL_VERSION`] of the CLI.
        protocol: u32,
        /// [`crate::BUILD_VERSION`] of the CLI.
        cli_version: String,
    },
    /// The one command.
    Command(Command),
    /// All bytes of all files of an upload are sent, and no file changed meanwhile: only now may the page get them.
    FilesSent {},
    /// The files of an upload do not come, or not whole: what came of them is to be removed.
    Abandon {},
    /// The file of a download is whole and in its place.
    Saved {},
}

/// What the host sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromHost {
    /// The answer to the hello; a host that refuses it sends a failed reply instead.
    Hello(HostHello),
    /// The command goes on; for a person who waits.
    Progress {
        /// What it is doing, such as `waiting for another command of this session`.
        message: String,
        /// How far a transfer is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transfer: Option<TransferProgress>,
    },
    /// The file of a download comes, in raw frames; answered with [`FromCli::Saved`] or [`FromCli::Abandon`].
    File {
        /// So many bytes.
        byte_size: u64,
    },
    /// Nothing is in the way of the upload: the files' bytes may come, in raw frames, one file after the other.
    SendFiles {},
    /// The end of the command.
    Reply {
        /// What came of it.
        outcome: Outcome,
        /// Raw bytes that follow.
        #[serde(default, skip_serializing_if = "is_zero")]
        raw_bytes: u64,
    },
}

/// How far the browser is with a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferProgress {
    /// So far.
    pub received_bytes: u64,
    /// Where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Since it was last told.
    pub bytes_per_second: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// What came of a command.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done; the value is the action's result.
    Ok(Box<RawValue>),
    /// Refused or failed.
    Failed(Failure),
}

/// Who the host is and which browser it belongs to: one entry of `bsk browsers`, and more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostHello {
    /// [`crate::PROTOCOL_VERSION`] of the host.
    pub protocol: u32,
    /// [`crate::BUILD_VERSION`] of the host.
    pub host_version: String,
    /// The profile's extension.
    pub instance_id: InstanceId,
    /// Such as `Chromium`.
    pub browser_name: String,
    /// Such as `156.0.8078.114`.
    pub browser_version: String,
    /// Version in the extension's manifest.
    pub extension_version: String,
    /// The user's name for this browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Milliseconds since 1970.
    pub connected_at_ms: u64,
    /// Sessions that this host serves.
    pub sessions: Vec<SessionRecord>,
    /// Sessions of this browser that ended lately, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedSession>,
}

/// One command.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The session it is for; none for actions that need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The tab meant; without it the session's active tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// How long it may take, waiting in the queue included.
    pub timeout_ms: u64,
    /// Whether the result gets an `observation`: what the command changed, as `observe --diff` shows it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub observe: bool,
    /// What to do.
    pub action: Action,
}

/// A file that is to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UploadFile {
    /// Its name without folders.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// Which element is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// By ref.
    Ref(Ref),
    /// The first match of a CSS selector in the main frame, open shadow roots included.
    Selector(String),
    /// The one element that people would call so, in any frame.
    Query(Box<Query>),
}

/// An element by what people say of it. All that is given must hold; case and white space do not count, and a name or text that
/// is just the one given wins over one that only contains it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// ARIA role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Accessible name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Visible text of the innermost element that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Label of a form field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Placeholder of a form field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// `data-testid`, `data-test-id` or `data-test`, exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_id: Option<String>,
    /// Which of several, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
}

/// When a navigation counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitUntil {
    /// The `load` event.
    #[default]
    Load,
    /// The `DOMContentLoaded` event.
    DomContentLoaded,
    /// No request for half a second, as the browser reports it.
    NetworkIdle,
    /// The new document is there.
    Commit,
}

/// A modifier key held during an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names of the keys")]
pub enum Modifier {
    Alt,
    Control,
    Meta,
    Shift,
    /// Meta on macOS, Control elsewhere.
    ControlOrMeta,
}

/// A mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names of the buttons")]
pub enum MouseButton {
    #[default]
    Left,
    Middle,
    Right,
}

/// CSS pixels from an element's top left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offset {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// Where a drag ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DragEnd {
    /// On an element.
    Target(Target),
    /// Here, from the top left of the element that is dragged.
    Offset(Offset),
}

/// An end of what scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the ends")]
pub enum ScrollEdge {
    Top,
    Bottom,
}

/// What `wait-for` waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// This text is visible, in any frame.
    Text(String),
    /// This text is visible in no frame.
    GoneText(String),
    /// A visible element of the main frame matches this CSS selector.
    Selector(String),
    /// No visible element of the main frame matches this CSS selector.
    Gone(String),
    /// The address fits: a glob with `*` and `**`, or a part of it.
    Url(String),
    /// This JavaScript gives something truthy; a function is called.
    Function(String),
    /// Neither network nor page changed for half a second.
    Idle {},
}

/// When a help is over without a press of the user's. Texts are looked for in all frames, selectors in the main frame, and only
/// what can be seen counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Criterion {
    /// The main frame's address has this in it.
    UrlContains(String),
    /// The main frame's address fits this regular expression.
    UrlMatches(String),
    /// A visible element matches.
    SelectorExists(String),
    /// No visible element matches.
    SelectorMissing(String),
    /// This text is visible.
    TextExists(String),
    /// This text is visible nowhere.
    TextMissing(String),
    /// One of these holds.
    Any(Vec<Self>),
    /// All of these hold.
    All(Vec<Self>),
    /// It holds for a while without a break.
    Stable {
        /// What.
        criterion: Box<Self>,
        /// For how long.
        for_ms: u64,
    },
}

/// What the user is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelpWish {
    /// What it is about, 1–200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is to be done, 1–20,000 characters.
    pub prompt: String,
    /// Elements to be marked in the page, at most 20.
    pub targets: Vec<Target>,
    /// When it is over by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Criterion>,
    /// How long the user has.
    pub timeout_ms: u64,
}

/// How a help ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HelpOutcome {
    /// The user pressed Done.
    Continued,
    /// The criteria are met.
    Completed,
    /// The user pressed Cancel or closed the window.
    Cancelled,
    /// The time is over.
    TimedOut,
    /// Asking is switched off.
    Disabled,
}

/// An element that the user was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelpShown {
    /// Its ref.
    #[serde(rename = "ref")]
    pub handle: Ref,
    /// Its role.
    pub role: String,
    /// Its accessible name.
    pub name: String,
}

/// Result of [`Action::RequestHelp`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelpGiven {
    /// How it ended.
    pub outcome: HelpOutcome,
    /// What the user wrote.
    pub note: Option<String>,
    /// What was marked in the page.
    pub resolved_targets: Vec<HelpShown>,
}

/// What a command does. After the arrow: the result as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// What a person knows the profile by → [`crate::kernel::Profile`].
    Profile {},
    /// Opens a session → `{session_id, browser_instance_id, agent_window_id}`.
    SessionStart(SessionOptions),
    /// Ends the command's session; never waits for its queue → [`crate::kernel::SessionStopped`].
    SessionStop {},
    /// → [`crate::kernel::TabList`].
    TabList {
        /// Which tabs.
        scope: TabScope,
    },
    /// → `{tab_id, window_id, url, title, active, owner}`.
    TabCreate {
        /// http, https or about:blank.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// Whether it becomes the active tab.
        active: bool,
        /// Place in the window.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
    },
    /// Closes the command's tab → `{tab_id}`.
    TabClose {},
    /// Makes the command's tab active → `{tab_id}`.
    TabSelect {},
    /// Asks the user for the command's tab → `{tab_id, window_id, url, title, active, owner}`.
    TabBorrow {},
    /// Gives the command's tab, a borrowed one, back → [`crate::kernel::TabReturned`].
    TabReturn {},
    /// → [`crate::kernel::WindowSize`].
    WindowResize {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// → `{tab_id, url, final_url, reached, status}`; `status` is null where there is no HTTP status.
    Navigate {
        /// Where to.
        url: String,
        /// When it counts as done.
        wait_until: WaitUntil,
    },
    /// → `{tab_id, previous_url, final_url, reached, status}`.
    NavigateBack {
        /// When it counts as done.
        wait_until: WaitUntil,
    },
    /// → `{tab_id, previous_url, final_url, reached, status}`.
    NavigateForward {
        /// When it counts as done.
        wait_until: WaitUntil,
    },
    /// → `{tab_id, previous_url, final_url, reached, status}`.
    Reload {
        /// Past the cache.
        hard: bool,
        /// When it counts as done.
        wait_until: WaitUntil,
    },
    /// Waits for a navigation that is under way or comes → `{tab_id, previous_url, final_url, reached, status}`.
    WaitForNavigation {
        /// When it counts as done.
        wait_until: WaitUntil,
    },
    /// Waits until something holds → [`Waited`].
    WaitFor {
        /// What is to hold.
        condition: Condition,
    },
    /// Asks the user to do something in the command's tab → [`HelpGiven`].
    RequestHelp(HelpWish),
    /// What the page looks like → [`ObserveResult`].
    Observe(ObserveArgs),
    /// The full tree → [`ObserveResult`].
    Snapshot(ObserveArgs),
    /// Lines of the whole observation that hold a text → [`FindResult`].
    Find {
        /// The text, or a regular expression.
        pattern: String,
        /// Whether it is a regular expression; else it is a text whose case does not matter.
        is_regex: bool,
        /// Most matches listed.
        max: u32,
    },
    /// → `{html, truncated, byte_size, tab_id}`.
    GetHtml {
        /// One element instead of the document.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
        /// Cut after this many bytes, never inside a character.
        max_bytes: u64,
    },
    /// → `{tab_id, used_ref | used_selector, role, name, changed?, x, y, forced?, reached?, stand_in?, checked?, effects}`, `changed`
    /// being a [`Changed`]; of an option of a select `{…, selected_values, selected_labels}` instead of a place.
    Click {
        /// What.
        target: Target,
        /// With which button.
        button: MouseButton,
        /// 1 to 3.
        click_count: u8,
        /// Held keys.
        modifiers: Vec<Modifier>,
        /// Where in the element; without it a point that input reaches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Offset>,
        /// Without waiting for the element and without checking what is over it.
        #[serde(default, skip_serializing_if = "is_false")]
        force: bool,
    },
    /// → `{tab_id, used_ref | used_selector, x, y, forced?, reached?, effects}`.
    Hover {
        /// What.
        target: Target,
        /// Held keys.
        modifiers: Vec<Modifier>,
        /// How long the page's reaction is waited for.
        settle_ms: u64,
        /// As of a click.
        #[serde(default, skip_serializing_if = "is_false")]
        force: bool,
    },
    /// → `{tab_id, used_ref | used_selector, role, name, x, y, to_x, to_y, kind, effects}`; `kind` is `html5` where the page took what
    /// was dragged as data, else `pointer`.
    Drag {
        /// What.
        target: Target,
        /// Where to.
        to: DragEnd,
        /// Where it is taken; without it a point that input reaches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Offset>,
    },
    /// Scrolls what is around the target, or the page; with a target alone brings it into view
    /// → `{tab_id, used_ref | used_selector?, scroll_x, scroll_y, above, below, how, found?}`.
    Scroll {
        /// What is in the box that scrolls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
        /// By this much.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Offset>,
        /// To this end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<ScrollEdge>,
        /// Down until this text is there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_text: Option<String>,
    },
    /// → `{tab_id, used_ref | used_selector, value_length, value}`; no `value` for secret fields.
    Fill {
        /// What.
        target: Target,
        /// The text.
        value: String,
        /// Keep what the field holds and add to its end.
        append: bool,
    },
    /// Types into a field key by key, at its caret → as [`Action::Fill`].
    Type {
        /// What.
        target: Target,
        /// The text.
        value: String,
        /// How long to rest after each key.
        delay_ms: u64,
    },
    /// → `{tab_id, used_ref | used_selector, role, name, changed?, checked, clicked, effects}`; `checked` is null when the page was
    /// replaced by the click.
    Check {
        /// What.
        target: Target,
        /// The state that is wanted.
        checked: bool,
    },
    /// → `{tab_id, used_ref | used_selector, role, name, changed?}`.
    Focus {
        /// What.
        target: Target,
    },
    /// → `{tab_id, key, code, modifiers, effects}`.
    Press {
        /// A key, or a chord such as `Control+A`.
        key: String,
        /// Held keys, besides the chord's.
        modifiers: Vec<Modifier>,
        /// What gets the focus first; without it the focus stays.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
        /// How long the key stays down.
        hold_ms: u64,
    },
    /// → `{tab_id, used_ref | used_selector, multiple, selected_values, selected_labels}`.
    Select {
        /// What.
        target: Target,
        /// Options by value.
        values: Vec<String>,
        /// Options by label.
        labels: Vec<String>,
        /// Options by place, from 0.
        indexes: Vec<u32>,
    },
    /// Gives files to the page → `{tab_id, used_ref | used_selector, role, name, changed?, file_names, not_accepted, how, effect_state,
    /// effects}`; `how` is `input`, `chooser` or `drop`.
    Upload {
        /// A file input, what opens its chooser, or where to drop.
        target: Target,
        /// What comes after [`FromHost::SendFiles`], 1 to 20.
        files: Vec<UploadFile>,
        /// Whether they are dropped on the target.
        #[serde(default, skip_serializing_if = "is_false")]
        drop: bool,
    },
    /// Clicks what downloads a file and sends that file → `{tab_id, used_ref | used_selector, role, name, changed?, suggested_filename,
    /// byte_size, mime, danger, url, effect_state, left_path?, effects}`; `left_path` where the browser's own file was left.
    Download {
        /// What begins the download when it is clicked.
        target: Target,
    },
    /// → `{ok: true, tab_id, value}` or `{ok: false, tab_id, error: {text, line, column}}`.
    Evaluate {
        /// JavaScript source.
        expression: String,
        /// The frame it runs in; the main one without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<FrameNumber>,
        /// Whether a promise is waited for.
        await_promise: bool,
        /// Whether objects come as JSON.
        return_by_value: bool,
    },
    /// A PNG in the reply's raw bytes → `{width, height, byte_size, format, tab_id}`; sizes in device pixels.
    Screenshot {
        /// One element instead of the visible page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
    },
    /// → `{tab_id, dialogs: [{type, message, default_prompt}]}`.
    DialogList {},
    /// → `{tab_id, type, message}`.
    DialogAccept {
        /// The answer to a prompt; without it the prompt's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// → `{tab_id, type, message}`.
    DialogDismiss {},
}

/// What to observe, and how much of it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct ObserveArgs {
    /// One element's subtree instead of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Ref>,
    /// Deepest level shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// Most tokens of text, counted as a quarter of the bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Go on where an earlier observation stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
    /// Only what can be acted on, one flat list.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interactive: bool,
    /// Only what is in view.
    #[serde(default, skip_serializing_if = "is_false")]
    pub viewport: bool,
    /// Only what changed since the last observation of the whole page.
    #[serde(default, skip_serializing_if = "is_false")]
    pub diff: bool,
    /// Targets of links, too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub links: bool,
    /// Invisible text, too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub invisible: bool,
    /// Long text unshortened.
    #[serde(default, skip_serializing_if = "is_false")]
    pub full_text: bool,
    /// Move the pointer over what may show more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub probe_hover: bool,
    /// The tree, too, for programs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tree: bool,
}

/// What `observe` and `snapshot` give.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObserveResult {
    /// The page as text.
    pub text: String,
    /// Refs in the text.
    pub ref_count: u32,
    /// The tab.
    pub tab_id: TabId,
    /// The page's address.
    #[serde(default)]
    pub url: String,
    /// Whether something was left out; the text says what.
    pub truncated: bool,
    /// Whether the page or a frame did not answer in full within its time.
    #[serde(default)]
    pub partial: bool,
    /// Where `--after` goes on; none when nothing is left.
    #[serde(default)]
    pub cursor: Option<Cursor>,
    /// Dialogs that wait for a decision.
    pub dialogs: Vec<Dialog>,
    /// What the text shows as nested nodes, if it was asked for (docs/observation.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Box<RawValue>>,
    /// What came of moving the pointer, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hover_probe: Option<HoverProbe>,
}

/// What came of moving the pointer over likely triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoverProbe {
    /// Whether the pointer was moved at all.
    pub performed: bool,
    /// Whether something showed that was not there before.
    pub revealed_content: bool,
}

/// Result of [`Action::Find`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindResult {
    /// The matches with the lines they are in, as a tree.
    pub text: String,
    /// Matching lines, listed or not.
    pub match_count: u32,
    /// Those listed.
    pub matches: Vec<Match>,
    /// The tab.
    pub tab_id: TabId,
    /// The page's address.
    #[serde(default)]
    pub url: String,
    /// Whether there are more matches than were listed.
    pub truncated: bool,
    /// Whether the page or a frame did not answer in full within its time.
    pub partial: bool,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The line, without indentation.
    pub line: String,
    /// Its element's ref.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Ref>,
    /// Its role.
    pub role: String,
    /// Its name; of `text` the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The lines it is in, the outermost first.
    pub ancestors: Vec<String>,
}

/// How an element that was used differs from what was last told of its ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Its role then.
    pub was_role: String,
    /// Its name then.
    pub was_name: String,
}

/// An open JavaScript dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
    /// What a prompt suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_prompt: Option<String>,
}

/// What an action did besides its own purpose. Lists that are empty are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// The page went, or is going, to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub navigated_to: Option<String>,
    /// Why that address could not be loaded, such as `net::ERR_CONNECTION_REFUSED`; the browser shows its own page instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_error: Option<String>,
    /// Tabs that the page opened; the session owns them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened_tab_ids: Vec<TabId>,
    /// The same tabs, with more of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened_tabs: Vec<OpenedTab>,
    /// Tabs of the session that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed_tab_ids: Vec<TabId>,
    /// Dialogs that were answered as the session wants it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<AnsweredDialog>,
    /// Downloads that began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<BegunDownload>,
    /// The element's states, where they are others now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateChange>,
    /// Nothing that can be seen is different yet; absent where something is or where nobody can tell.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nothing_visible_changed: bool,
}

/// A tab that a page opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedTab {
    /// The tab.
    pub tab_id: TabId,
    /// The tab whose page opened it.
    pub opener_tab_id: TabId,
    /// The address it shows or is loading.
    pub url: String,
}

/// A dialog that was answered without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredDialog {
    /// The dialog.
    #[serde(flatten)]
    pub dialog: Dialog,
    /// `accept` or `dismiss`.
    pub action: DialogPolicy,
}

/// A download that began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunDownload {
    /// Where from.
    pub url: String,
    /// The name that the page or the server suggests.
    pub suggested_filename: String,
}

/// How an element's states changed, as `observe` shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChange {
    /// Those it had.
    pub before: Vec<String>,
    /// Those it has.
    pub after: Vec<String>,
}

/// Result of [`Action::SessionStart`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// The new session.
    pub session_id: SessionId,
    /// The browser it is in.
    pub browser_instance_id: InstanceId,
    /// Its window.
    pub agent_window_id: WindowId,
}

/// Result of the navigating actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Navigated {
    /// The tab.
    pub tab_id: TabId,
    /// The address asked for, of `navigate` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address before, of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_url: Option<String>,
    /// The address it ended at.
    pub final_url: String,
    /// What was reached.
    pub reached: WaitUntil,
    /// HTTP status of the document, null where there is none.
    pub status: Option<u16>,
    /// The addresses that sent on, in order; left out where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<Redirect>,
}

/// An address that sent on to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// The address.
    pub url: String,
    /// Its HTTP status: 301, 302, 303, 307 or 308.
    pub status: u16,
}

/// Result of [`Action::WaitFor`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waited {
    /// The tab.
    pub tab_id: TabId,
    /// The condition that holds, as the command line names it, such as `text`; none where `idle` did not come.
    pub matched: Option<String>,
    /// How long that took.
    pub waited_ms: u64,
    /// The page's address, of `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The element that shows the text or matches the selector.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Ref>,
    /// Its role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the function gave, if that is a string, a number or a boolean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// What kept the page from being idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<String>,
}

/// Result of [`Action::Screenshot`]; the CLI adds the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screenshot {
    /// Device pixels.
    pub width: u32,
    /// Device pixels.
    pub height: u32,
    /// Bytes of the picture.
    pub byte_size: u64,
    /// `png`.
    pub format: String,
    /// The tab.
    pub tab_id: TabId,
}
