//! What can go wrong, as closed lists: [`ErrorCode`] says what kind of thing, [`Reason`] says which, [`Failure`] carries
//! both with the words for a person. Lists only grow; docs/protocol.md shows them and a test compares.
//!
//! A failure is built where the facts are (kernel, page library, host); the CLI only renders it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

macro_rules! closed_list {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal, $meaning:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $(#[doc = $meaning] #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every entry, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The entry as it is on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// What the entry means, in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

closed_list! {
    /// The kind of a failure; with the reason it decides the exit code.
    ErrorCode {
        UnknownMethod = "unknown_method", "the other end does not know this request";
        Unsupported = "unsupported", "the request is known but cannot be done here";
        InvalidParams = "invalid_params", "an argument is missing, malformed or out of range";
        NotFound = "not_found", "the session, tab, frame, element or option does not exist";
        PermissionDenied = "permission_denied", "the kernel, the user or a policy does not allow it";
        Timeout = "timeout", "it did not happen before the deadline";
        CdpFailed = "cdp_failed", "the browser or the page could not do it";
        ProtocolError = "protocol_error", "one of our own ends sent something malformed";
        Cancelled = "cancelled", "the command was given up before it was done";
        UserAborted = "user_aborted", "the user stopped the session";
        VersionTooOld = "version_too_old", "CLI, host and extension do not fit together";
        MultipleBrowsersOnline = "multiple_browsers_online", "several browsers are connected and none was chosen";
        NoBrowserConnected = "no_browser_connected", "no browser is connected, or the connection was lost";
    }
}

closed_list! {
    /// What exactly happened; more precise than the code, and the thing to decide by.
    Reason {
        SessionNotFound = "session_not_found", "no connected browser has this session";
        SessionBusy = "session_busy", "too many commands wait for this session";
        SessionEnded = "session_ended", "the session ended while the command ran";
        TabNotFound = "tab_not_found", "there is no such tab";
        TabNotOwned = "tab_not_owned", "the tab belongs to the user or to another session";
        TabNotActive = "tab_not_active", "the session has no tab to act on";
        TabClosed = "tab_closed", "the tab was closed while the command ran";
        TabDetached = "tab_detached", "the browser or the user took the tab from us while the command ran";
        TabForbidden = "tab_forbidden", "the tab shows a page that no extension may touch";
        FrameNotFound = "frame_not_found", "there is no such frame in the tab";
        PageCrashed = "page_crashed", "the page's process crashed";
        PageNavigated = "page_navigated", "the page was replaced by another while the command ran";
        RefNotFound = "ref_not_found", "the ref was never given out in this tab";
        RefStale = "ref_stale", "the ref's element is gone from the page";
        CursorStale = "cursor_stale", "the observation that the cursor belongs to is no longer kept";
        PatternInvalid = "pattern_invalid", "the text is not a regular expression";
        SelectorInvalid = "selector_invalid", "the text is not a CSS selector";
        SelectorNotFound = "selector_not_found", "the selector matches nothing";
        ElementNotFound = "element_not_found", "no element is as the query says";
        ElementAmbiguous = "element_ambiguous", "several elements are as the query says";
        ElementNotVisible = "element_not_visible", "the element is not rendered or has no size";
        ElementCovered = "element_covered", "another element would get the input";
        ElementDisabled = "element_disabled", "the element is disabled";
        ElementInert = "element_inert", "the element is inert, for instance behind a modal dialog";
        ElementReadonly = "element_readonly", "the field is read-only";
        ElementUnstable = "element_unstable", "the element never stopped moving";
        ElementReplaced = "element_replaced", "the page replaced the element while it was used";
        NotDelivered = "not_delivered", "the page never got the input";
        NotFillable = "not_fillable", "the element does not hold text";
        NotFocusable = "not_focusable", "the element does not take the focus";
        NotASelect = "not_a_select", "the element is not a select";
        ValueNotAccepted = "value_not_accepted", "the field cannot hold this value";
        ValueMismatch = "value_mismatch", "the field holds something else than what was asked for";
        OptionNotFound = "option_not_found", "the select has no such option";
        OptionDisabled = "option_disabled", "the option is disabled";
        SingleSelectValueCount = "single_select_value_count", "several values for a select that takes one";
        PositionOutside = "position_outside", "the point is outside the element";
        PageFunctionUnknown = "page_function_unknown", "the page library has no such function";
        PageLibraryFailed = "page_library_failed", "the page library failed in this page";
        MethodNotAllowed = "method_not_allowed", "the kernel's table has no such method";
        ArgumentNotAllowed = "argument_not_allowed", "the kernel's table does not allow this argument";
        UrlNotAllowed = "url_not_allowed", "the kernel opens only http, https and about:blank";
        UrlInvalid = "url_invalid", "the text is not a URL";
        EvaluateOff = "evaluate_off", "running JavaScript is switched off in the extension";
        NavigationFailed = "navigation_failed", "the browser could not load the page";
        NoHistoryEntry = "no_history_entry", "there is no page to go back or forward to";
        DialogPending = "dialog_pending", "a JavaScript dialog waits for a decision";
        NoDialog = "no_dialog", "no JavaScript dialog is open";
        ScreenshotCaptureFailed = "screenshot_capture_failed", "the browser gave no picture";
        UnknownKey = "unknown_key", "there is no such key";
        OriginNotAllowed = "origin_not_allowed", "the host was not started by our extension";
        MessageTooLarge = "message_too_large", "the message is longer than its wire carries";
        HostNotInstalled = "host_not_installed", "no browser knows the native messaging host";
        HostCannotStart = "host_cannot_start", "the registered host cannot run";
        BrowserNotRunning = "browser_not_running", "the host is registered but its browser does not run";
        ExtensionMissing = "extension_missing", "the browser runs but the extension is missing or off";
        ConnectionLost = "connection_lost", "the connection broke while the command ran";
        ConnectionDenied = "connection_denied", "the system does not let this program reach the host's socket";
        BrowserGone = "browser_gone", "the browser ended or dropped the host while the command ran";
        PeerNotTrusted = "peer_not_trusted", "the other end of the socket runs as another user";
        RuntimeDirUnsafe = "runtime_dir_unsafe", "the runtime directory is not ours alone";
        PathTooLong = "path_too_long", "the socket's path is longer than the system allows";
        FileNotReadable = "file_not_readable", "a file could not be read";
        FileNotWritable = "file_not_writable", "a file could not be written";
        FileExists = "file_exists", "a file is in the way and is not overwritten";
        InstallFailed = "install_failed", "the host could not be registered or unregistered";
        CheckFailed = "check_failed", "a check of `bsk doctor` failed";
        BrowserNotFound = "browser_not_found", "no connected browser has this id or label";
        UsageInvalid = "usage_invalid", "the command line is malformed";
        VersionSkew = "version_skew", "two of our ends speak different protocols";
        HostSilent = "host_silent", "the host accepts connections but does not answer";
        HostMalformed = "host_malformed", "one of our ends broke the protocol";
        SeveralBrowsers = "several_browsers", "a browser has to be named";
        FrameForbidden = "frame_forbidden", "the tab or the frame shows a frame of another extension";
        NotCheckable = "not_checkable", "the element cannot be checked or unchecked";
        NoDrag = "no_drag", "the page drags nothing";
        DropNotAccepted = "drop_not_accepted", "the element does not take what was dragged";
        ScrollEndReached = "scroll_end_reached", "scrolling came to its end without the text";
        NotScrollable = "not_scrollable", "there is nothing to scroll";
        BorrowConflict = "borrow_conflict", "the tab cannot be borrowed now";
        TabNotBorrowed = "tab_not_borrowed", "the tab was opened in the session, not borrowed";
        ConsentDenied = "consent_denied", "the user said no";
        ConsentTimedOut = "consent_timed_out", "the user did not answer in time";
        ConsentNotShown = "consent_not_shown", "the browser did not show the question";
        SiteBlocked = "site_blocked", "a rule of the user or of a policy keeps agents off this site";
        SiteReadOnly = "site_read_only", "a rule of the user or of a policy lets agents only read this site";
        SiteNotAllowed = "site_not_allowed", "the user was asked about this site and did not say yes";
        SwitchedOff = "switched_off", "the user or a policy switched the extension off";
        UserInControl = "user_in_control", "the user was asked for help and has the control";
        FileNameInvalid = "file_name_invalid", "a file has a name that cannot be passed on";
        FileTooLarge = "file_too_large", "a file, or what a session uploads in all, is larger than what is passed on";
        FileChanged = "file_changed", "a file changed while it was read";
        FilesNotAccepted = "files_not_accepted", "the file input takes no such files, or not so many";
        FileInputProbeFailed = "file_input_probe_failed", "the file input could not be looked at";
        FileInputNotActivated = "file_input_not_activated", "nothing opened the chooser of a file input";
        SetFileInputFailed = "set_file_input_failed", "the file input did not get the files";
        TransferTimeout = "transfer_timeout", "the files were not passed on in time";
        TransferOutcomeUnknown = "transfer_outcome_unknown", "nobody can tell whether the page got the files";
        UploadNotOpen = "upload_not_open", "no upload is open";
        UploadsBlocked = "uploads_blocked", "the user or a policy does not allow uploads";
        UploadNotAllowed = "upload_not_allowed", "the user was asked about the upload and did not say yes";
        DownloadCaptureFailed = "download_capture_failed", "the click began no download that could be taken";
        DownloadPathMismatch = "download_path_mismatch", "where the browser says the file is, there is another one or none";
        DownloadNotOpen = "download_not_open", "no download is waited for";
        DownloadsBlocked = "downloads_blocked", "the user or a policy does not allow downloads";
        DownloadNotAllowed = "download_not_allowed", "the user was asked about the download and did not say yes";
        FileAccessOff = "file_access_off", "the browser does not let the extension give files to pages";
    }
}

impl ErrorCode {
    /// The exit code of a failure with this code and reason. Documented in docs/protocol.md; scripts rely on it.
    #[must_use]
    pub const fn exit_code(self, reason: Option<Reason>) -> u8 {
        if matches!(reason, Some(Reason::DialogPending)) {
            return 6;
        }
        if matches!(
            reason,
            Some(
                Reason::EvaluateOff
                    | Reason::ConsentDenied
                    | Reason::ConsentTimedOut
                    | Reason::ConsentNotShown
                    | Reason::SiteBlocked
                    | Reason::SiteReadOnly
                    | Reason::SiteNotAllowed
                    | Reason::SwitchedOff
                    | Reason::UserInControl
                    | Reason::UploadsBlocked
                    | Reason::UploadNotAllowed
                    | Reason::DownloadsBlocked
                    | Reason::DownloadNotAllowed
                    | Reason::FileAccessOff
            )
        ) {
            return 7;
        }
        match self {
            Self::UnknownMethod
            | Self::Unsupported
            | Self::InvalidParams
            | Self::NotFound
            | Self::PermissionDenied
            | Self::MultipleBrowsersOnline
            | Self::Cancelled => 1,
            Self::ProtocolError | Self::NoBrowserConnected => 2,
            Self::CdpFailed => 3,
            Self::Timeout => 4,
            Self::VersionTooOld => 5,
            Self::UserAborted => 7,
        }
    }
}

/// A failure with everything a person or an agent needs to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The kind.
    pub code: ErrorCode,
    /// The precise cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What happened to which thing and why: lower case, no full stop, values in backticks.
    pub message: String,
    /// The command or click that helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Facts for a program, such as the candidates.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl Failure {
    /// A failure without a hint yet.
    #[must_use]
    pub fn new(code: ErrorCode, reason: Reason, message: impl Into<String>) -> Self {
        Self { code, reason: Some(reason), message: message.into(), hint: None, data: Map::new() }
    }

    /// A failure whose code says it all, such as a time-out.
    #[must_use]
    pub fn without_reason(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, reason: None, message: message.into(), hint: None, data: Map::new() }
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds one fact for a program.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// The process exit code of this failure.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        self.code.exit_code(self.reason)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_follow_the_code_unless_the_reason_says_more() {
        assert_eq!(Failure::new(ErrorCode::NotFound, Reason::RefStale, "x").exit_code(), 1);
        assert_eq!(Failure::new(ErrorCode::NoBrowserConnected, Reason::BrowserGone, "x").exit_code(), 2);
        assert_eq!(Failure::new(ErrorCode::CdpFailed, Reason::PageCrashed, "x").exit_code(), 3);
        assert_eq!(Failure::new(ErrorCode::CdpFailed, Reason::DialogPending, "x").exit_code(), 6);
        assert_eq!(Failure::new(ErrorCode::PermissionDenied, Reason::EvaluateOff, "x").exit_code(), 7);
        assert_eq!(Failure::new(ErrorCode::PermissionDenied, Reason::TabNotOwned, "x").exit_code(), 1);
    }

    #[test]
    fn entries_read_as_they_are_written() {
        for &reason in Reason::ALL {
            let text = serde_json::to_string(&reason).expect("a string");
            assert_eq!(text, format!("\"{reason}\""));
            assert_eq!(serde_json::from_str::<Reason>(&text).expect("the same"), reason);
        }
    }
}
