//! `bsk session stop`: ends one session, or all of them; borrowed tabs go back.
//!
//! With `--all` a session that cannot be ended does not keep the others from ending; it is listed in `failed`.

use std::path::PathBuf;

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::SessionId;
use bsk_protocol::kernel::SessionStopped;
use bsk_protocol::local::{Action, Command};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::DONE;
use crate::choose;
use crate::connect::{self, Wanted};
use crate::context::{self, COMMAND_TIMEOUT, Context, HOST_WAIT, SessionPlace, browser_wanted};
use crate::greeting::Host;
use crate::{duration, exchange, usage};

/// End a session: its tabs close, borrowed tabs go back
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk session stop quwe
  bsk session stop --all")]
pub(crate) struct StopArgs {
    /// Session to end [default: `--session`, then `BSK_SESSION`]
    #[arg(value_name = "ID", conflicts_with = "all")]
    id: Option<String>,
    /// End every session, of all browsers or of `--browser`
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: SessionPlace,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    stopped: Vec<SessionId>,
    failed: Vec<Value>,
    returned_tab_ids: Vec<bsk_protocol::ids::TabId>,
    return_failures: Vec<bsk_protocol::kernel::ReturnFailure>,
}

pub(crate) fn run(args: &StopArgs, context: &Context) -> Result<u8, Failure> {
    let mut report = Report::default();
    let exit_code =
        if args.all { stop_all(args, context, &mut report)? } else { stop_one(args, context, &mut report)? };
    if context.output.is_json() {
        context.output.json(&report)?;
        return Ok(exit_code);
    }
    if report.stopped.is_empty() && report.failed.is_empty() {
        context.output.note("no session is open")?;
    }
    for session in &report.stopped {
        context.output.note(&format!("stopped {session}"))?;
    }
    for failure in &report.return_failures {
        context
            .output
            .aside(&format!("warning: tab {} did not go back: {}", failure.tab_id, failure.message));
    }
    for failed in &report.failed {
        let text = |key: &str| failed[key].as_str().unwrap_or_default().to_owned();
        context.output.aside(&format!(
            "error: session `{}` was not stopped: {}",
            text("session_id"),
            text("message")
        ));
    }
    Ok(exit_code)
}

fn stop_one(args: &StopArgs, context: &Context, report: &mut Report) -> Result<u8, Failure> {
    let session = match &args.id {
        Some(text) => context::parse_session(text, "ID")?,
        None if context.has_session() => context.session_id()?,
        None => return Err(usage::wrong("no session was named", "pass the session's id, or `--all`")),
    };
    let browser = browser_wanted(args.place.browser.as_deref());
    let wanted = Wanted { session: Some(&session), browser: browser.as_deref() };
    let host = connect::host_for(&context.output, &wanted, HOST_WAIT)?;
    report.add(stop(args, context, host, session)?);
    Ok(DONE)
}

fn stop_all(args: &StopArgs, context: &Context, report: &mut Report) -> Result<u8, Failure> {
    let mut exit_code = DONE;
    for (socket, session) in all_sessions(args, context)? {
        let stopped = connect::host_at(&socket).and_then(|host| stop(args, context, host, session.clone()));
        match stopped {
            Ok(stopped) => report.add(stopped),
            Err(failure) => {
                if exit_code == DONE {
                    exit_code = failure.exit_code();
                }
                report.failed.push(json!({
                    "session_id": session, "code": failure.code, "reason": failure.reason, "message": failure.message,
                }));
            }
        }
    }
    Ok(exit_code)
}

/// Every session with its host's socket. No host at all is a failure: sessions may go on unseen.
fn all_sessions(args: &StopArgs, context: &Context) -> Result<Vec<(PathBuf, SessionId)>, Failure> {
    let browser = browser_wanted(args.place.browser.as_deref());
    let wanted = Wanted { session: None, browser: browser.as_deref() };
    let hosts = if wanted.browser.is_some() {
        vec![connect::host_for(&context.output, &wanted, HOST_WAIT)?]
    } else {
        connect::all_hosts(&context.output, HOST_WAIT)?
    };
    let sessions_of = |host: Host| {
        let Host { hello, socket, .. } = host;
        hello.sessions.into_iter().map(move |session| (socket.clone(), session.session_id))
    };
    Ok(hosts.into_iter().flat_map(sessions_of).collect())
}

fn stop(
    args: &StopArgs,
    context: &Context,
    host: Host,
    session: SessionId,
) -> Result<SessionStopped, Failure> {
    if !choose::lists(&host.hello, &session) {
        return Err(choose::no_session(&session, std::iter::once(&host.hello)));
    }
    let timeout_ms = duration::millis(args.place.timeout.unwrap_or(COMMAND_TIMEOUT));
    let command = Command {
        session_id: Some(session),
        tab_id: None,
        timeout_ms,
        observe: false,
        action: Action::SessionStop {},
    };
    exchange::send(&context.output, host, command)?.read()
}

impl Report {
    fn add(&mut self, stopped: SessionStopped) {
        self.stopped.push(stopped.session_id);
        self.returned_tab_ids.extend(stopped.returned_tab_ids);
        self.return_failures.extend(stopped.return_failures);
    }
}
