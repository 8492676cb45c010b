//! `bsk status`: versions, sockets, browsers and sessions in one look. Asks nothing beyond the hello.
//!
//! A machine without a connected browser is a state, not a failure: the lists are empty and `hint` says what to do.

use bsk_protocol::failure::Failure;
use bsk_protocol::{BUILD_VERSION, PROTOCOL_VERSION};
use clap::Args;
use serde_json::{Value, json};

use super::DONE;
use super::session::{session_json, session_line};
use crate::choose::{browser_json, browser_line};
use crate::connect::{self, Wanted};
use crate::context::Context;
use crate::no_host;

/// Show versions, connected browsers and sessions
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk status")]
pub(crate) struct StatusArgs {}

pub(crate) fn run(_: &StatusArgs, context: &Context) -> Result<u8, Failure> {
    let output = &context.output;
    let (dir, scan) = connect::scan(output, &Wanted::default())?;
    let hellos = || scan.hosts.iter().map(|host| &host.hello);
    let is_lacking = scan.hosts.is_empty() || !scan.failures.is_empty();
    let hint = is_lacking.then(|| no_host::hint_for(&scan.failures));
    if output.is_json() {
        let mut status = json!({
            "cli_version": BUILD_VERSION,
            "protocol": PROTOCOL_VERSION,
            "runtime_dir": dir.path(),
            "socket": scan.hosts.iter().map(|host| host.socket.as_path()).collect::<Vec<_>>(),
            "browsers": hellos().map(browser_json).collect::<Vec<_>>(),
            "sessions": hellos().flat_map(session_json).collect::<Vec<_>>(),
        });
        if let (Value::Object(fields), Some(hint)) = (&mut status, hint) {
            fields.insert("hint".to_owned(), hint.into());
        }
        output.json(&status)?;
        return Ok(DONE);
    }
    let mut lines =
        vec![format!("bsk {BUILD_VERSION}, protocol {PROTOCOL_VERSION}, {}", dir.path().display())];
    for hello in hellos() {
        lines.push(format!("browser {}, host {}", browser_line(hello), hello.host_version));
        lines.extend(session_line(hello).map(|line| format!("  session {line}")));
    }
    if scan.hosts.is_empty() {
        lines.push("no browser is connected".to_owned());
    }
    output.data(&lines.join("\n"))?;
    if let Some(hint) = hint {
        output.hint(&hint);
    }
    Ok(DONE)
}
