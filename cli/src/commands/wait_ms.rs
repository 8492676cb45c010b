//! `bsk wait-ms`: does nothing for a while. Needs no session and no browser.
//!
//! Takes at most a day. Exists for older skills and for pages that show nothing to wait for; commands that act wait for
//! what they need by themselves.

use std::thread;
use std::time::Duration;

use bsk_protocol::failure::Failure;
use clap::Args;
use serde_json::json;

use super::DONE;
use crate::context::Context;
use crate::duration;

/// Wait for a fixed time; prefer commands that wait for something
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk wait-ms 500")]
pub(crate) struct WaitMsArgs {
    /// How long, in milliseconds, or such as `2s`
    #[arg(value_name = "DURATION", value_parser = duration::parse)]
    duration: Duration,
}

pub(crate) fn run(args: &WaitMsArgs, context: &Context) -> Result<u8, Failure> {
    thread::sleep(args.duration);
    if context.output.is_json() {
        context.output.json(&json!({ "waited_ms": duration::millis(args.duration) }))?;
    }
    Ok(DONE)
}
