//! `bsk browsers`: the connected browsers. Asks nothing beyond the hello.
//!
//! A machine without a connected browser is a state, not a failure: the list is empty, the exit code 0, and the way out
//! goes to standard error. What cannot be used, for instance a host of another version, is not listed but explained there.

use bsk_protocol::failure::Failure;
use clap::Args;

use super::DONE;
use crate::choose::{browser_json, browser_line};
use crate::connect::{self, Wanted};
use crate::context::Context;
use crate::no_host;

/// List the connected browsers
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk browsers --json")]
pub(crate) struct BrowsersArgs {}

pub(crate) fn run(_: &BrowsersArgs, context: &Context) -> Result<u8, Failure> {
    let (_, scan) = connect::scan(&context.output, &Wanted::default())?;
    let hellos = || scan.hosts.iter().map(|host| &host.hello);
    if context.output.is_json() {
        context.output.json(&hellos().map(browser_json).collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    for hello in hellos() {
        context.output.data(&format!("{}, {} sessions", browser_line(hello), hello.sessions.len()))?;
    }
    if scan.hosts.is_empty() || !scan.failures.is_empty() {
        context.output.hint(&no_host::hint_for(&scan.failures));
    }
    Ok(DONE)
}
