//! `bsk session list`: the sessions of all connected browsers. Asks nothing beyond the hello.
//!
//! A machine without a connected browser is a state, not a failure: the list is empty, the exit code 0, and the way out
//! goes to standard error.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::SessionRecord;
use bsk_protocol::local::HostHello;
use clap::Args;
use serde_json::{Value, json};

use super::DONE;
use crate::connect::{self, Wanted};
use crate::context::Context;
use crate::no_host;

/// List the sessions of all connected browsers
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk session list --json")]
pub(crate) struct ListArgs {}

pub(crate) fn run(_: &ListArgs, context: &Context) -> Result<u8, Failure> {
    let (_, scan) = connect::scan(&context.output, &Wanted::default())?;
    let hellos = || scan.hosts.iter().map(|host| &host.hello);
    if context.output.is_json() {
        context.output.json(&hellos().flat_map(session_json).collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    let lines: Vec<String> = hellos().flat_map(session_line).collect();
    if !lines.is_empty() {
        context.output.data(&lines.join("\n"))?;
    } else if scan.hosts.is_empty() {
        context.output.hint(&no_host::hint_for(&scan.failures));
    }
    Ok(DONE)
}

/// A host's sessions as JSON.
pub(crate) fn session_json(hello: &HostHello) -> impl Iterator<Item = Value> {
    hello.sessions.iter().map(|session| {
        json!({
            "session_id": session.session_id,
            "browser_instance_id": hello.instance_id,
            "agent_window_id": session.agent_window_id,
            "created_at_ms": session.created_at_ms,
        })
    })
}

/// A host's sessions as lines.
pub(crate) fn session_line(hello: &HostHello) -> impl Iterator<Item = String> {
    let line = |session: &SessionRecord| {
        let name = session.name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
        let tabs = session.tab_ids.len();
        format!("{}{name} in {} {}, {tabs} tabs", session.session_id, hello.browser_name, hello.instance_id)
    };
    hello.sessions.iter().map(line)
}
