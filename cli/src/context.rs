//! What every command gets: where to print, and the session that was named.
//!
//! `BSK_SESSION` and `BSK_BROWSER` are read only when a command asks for one and no `--session` or `--browser` was given.

use std::env;
use std::time::Duration;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{SessionId, TabId};
use bsk_protocol::local::{Action, Command, ObserveResult};
use clap::Args;
use serde::Deserialize;

use crate::connect::{self, Wanted};
use crate::download_file::{DownloadFile, Written};
use crate::duration;
use crate::exchange::{self, Reply};
use crate::fence::fenced;
use crate::greeting::Host;
use crate::output::Output;
use crate::source::Source;

/// The session that commands use when `--session` is not given.
pub(crate) const SESSION_VAR: &str = "BSK_SESSION";

/// The browser that commands use when `--browser` is not given.
pub(crate) const BROWSER_VAR: &str = "BSK_BROWSER";

/// How long a command waits for a host that is just being restarted.
pub(crate) const HOST_WAIT: Duration = Duration::from_secs(1);

/// How long a command may take unless it says otherwise.
pub(crate) const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// Where to print and which session to use.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) output: Output,
    session: Option<String>,
}

/// Flags of commands that run in a session.
#[derive(Debug, Args)]
pub(crate) struct SessionPlace {
    /// Look for the session in this browser only: its id, the id's start, or its label
    #[arg(long, value_name = "ID-or-LABEL", hide_short_help = true)]
    pub(crate) browser: Option<String>,
    /// Give up after this long, such as `500ms`, `30s` or `2m` [default: 30s; 15s to go back, forward, reload or wait; 2m to upload or download; 5m for the user's help]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
}

/// Flags of commands that change a page.
#[derive(Debug, Args)]
pub(crate) struct ActPlace {
    /// Show afterwards what changed, as `bsk observe --diff` does
    #[arg(long)]
    pub(crate) observe: bool,
    #[command(flatten)]
    pub(crate) tab: TabPlace,
}

/// Flags of commands that act on one tab of a session.
#[derive(Debug, Args)]
pub(crate) struct TabPlace {
    /// Tab to use instead of the session's active one
    #[arg(long, value_name = "TAB", value_parser = str::parse::<TabId>)]
    pub(crate) tab_id: Option<TabId>,
    #[command(flatten)]
    pub(crate) session: SessionPlace,
}

impl Context {
    pub(crate) fn new(output: Output, session: Option<String>) -> Self {
        Self { output, session }
    }

    /// The session named by `--session`, else by `BSK_SESSION`.
    pub(crate) fn session_id(&self) -> Result<SessionId, Failure> {
        let (text, source) = match &self.session {
            Some(text) => (text.clone(), "--session"),
            None => {
                (env::var_os(SESSION_VAR).unwrap_or_default().to_string_lossy().into_owned(), SESSION_VAR)
            }
        };
        if text.is_empty() {
            let message = "no session was named";
            return Err(Failure::new(ErrorCode::InvalidParams, Reason::UsageInvalid, message).hint(format!(
                "run `bsk session start`, then pass the id it prints with `--session ID` or set `{SESSION_VAR}`"
            )));
        }
        parse_session(&text, source)
    }

    /// Whether a session was named on the command line or in the environment.
    pub(crate) fn has_session(&self) -> bool {
        self.session.is_some() || env::var_os(SESSION_VAR).is_some_and(|value| !value.is_empty())
    }

    /// Runs an action in the named session.
    ///
    /// # Errors
    /// No session named, no host that has it, or whatever the host says.
    pub(crate) fn in_session(&self, place: &SessionPlace, action: Action) -> Result<Reply, Failure> {
        self.run(place, None, COMMAND_TIMEOUT, false, action)
    }

    /// Runs an action in a tab of the named session; `default` is its time without `--timeout`.
    ///
    /// # Errors
    /// As [`Context::in_session`].
    pub(crate) fn in_tab(
        &self,
        place: &TabPlace,
        default: Duration,
        action: Action,
    ) -> Result<Reply, Failure> {
        self.run(&place.session, place.tab_id, default, false, action)
    }

    /// Runs an action that changes a page; `default` is its time without `--timeout`.
    ///
    /// # Errors
    /// As [`Context::in_session`].
    pub(crate) fn act(&self, place: &ActPlace, default: Duration, action: Action) -> Result<Reply, Failure> {
        let TabPlace { tab_id, session } = &place.tab;
        self.run(session, *tab_id, default, place.observe, action)
    }

    /// Prints what an action gave: its JSON, or a line for people and below it what changed, if that was asked for.
    ///
    /// # Errors
    /// The host sent another shape, or it cannot be written.
    pub(crate) fn acted(
        &self,
        reply: &Reply,
        line: impl FnOnce(&Reply) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        #[derive(Deserialize)]
        struct Observed {
            observation: Option<ObserveResult>,
        }
        if self.output.is_json() {
            return self.output.json(&reply.json);
        }
        self.output.note(&line(reply)?)?;
        match reply.read::<Observed>()?.observation {
            Some(seen) => self.output.data(&fenced(&seen.url, &seen.text)),
            None => Ok(()),
        }
    }

    fn run(
        &self,
        place: &SessionPlace,
        tab_id: Option<TabId>,
        default: Duration,
        observe: bool,
        action: Action,
    ) -> Result<Reply, Failure> {
        let (host, command) = self.reach(place, tab_id, default, observe, action)?;
        let reply = exchange::send(&self.output, host, command)?;
        self.tell_user_acted(&reply);
        Ok(reply)
    }

    /// Runs an upload; `sources` are the files that its action announces.
    ///
    /// # Errors
    /// As [`Context::in_session`], and what is wrong with a file.
    pub(crate) fn upload(
        &self,
        place: &ActPlace,
        default: Duration,
        action: Action,
        sources: &mut [Source],
    ) -> Result<Reply, Failure> {
        let TabPlace { tab_id, session } = &place.tab;
        let (host, command) = self.reach(session, *tab_id, default, place.observe, action)?;
        let reply = exchange::send_with_files(&self.output, host, command, sources)?;
        self.tell_user_acted(&reply);
        Ok(reply)
    }

    /// Runs a download into a file.
    ///
    /// # Errors
    /// As [`Context::in_session`], and what keeps the file from being written.
    pub(crate) fn download(
        &self,
        place: &TabPlace,
        default: Duration,
        action: Action,
        file: &DownloadFile,
    ) -> Result<(Reply, Written), Failure> {
        let (host, command) = self.reach(&place.session, place.tab_id, default, false, action)?;
        let (reply, written) = exchange::send_for_file(&self.output, host, command, file)?;
        self.tell_user_acted(&reply);
        Ok((reply, written))
    }

    /// The host that has the session, and the command for it.
    fn reach(
        &self,
        place: &SessionPlace,
        tab_id: Option<TabId>,
        default: Duration,
        observe: bool,
        action: Action,
    ) -> Result<(Host, Command), Failure> {
        let session_id = self.session_id()?;
        let browser = browser_wanted(place.browser.as_deref());
        let wanted = Wanted { session: Some(&session_id), browser: browser.as_deref() };
        let host = connect::host_for(&self.output, &wanted, HOST_WAIT)?;
        let timeout_ms = duration::millis(place.timeout.unwrap_or(default));
        let command = Command { session_id: Some(session_id), tab_id, timeout_ms, observe, action };
        Ok((host, command))
    }

    fn tell_user_acted(&self, reply: &Reply) {
        // A quotation mark inside of page text has a backslash before it, so no page can write this.
        if reply.json.get().contains(r#""user_acted":true"#) {
            self.output.aside("note: the user clicked or typed in this tab since your last command");
        }
    }
}

/// The browser named by `--browser`, else by `BSK_BROWSER`.
pub(crate) fn browser_wanted(named: Option<&str>) -> Option<String> {
    named.map(str::to_owned).or_else(|| {
        let set = env::var_os(BROWSER_VAR)?.to_string_lossy().into_owned();
        (!set.is_empty()).then_some(set)
    })
}

/// A session id as a person typed it.
pub(crate) fn parse_session(text: &str, source: &str) -> Result<SessionId, Failure> {
    text.parse().map_err(|error| {
        let message = format!("`{text}` from `{source}` is no session id: {error}");
        Failure::new(ErrorCode::InvalidParams, Reason::UsageInvalid, message).hint("run `bsk session list`")
    })
}
