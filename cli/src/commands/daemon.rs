//! `bsk daemon …`: accepted for older skills. There is no daemon: the browser starts the host by itself.
//!
//! Exit code 0 and an explanation, so that a script which starts a daemon first goes on. Starts, stops and asks nothing;
//! needs neither a session nor a browser.

use bsk_protocol::failure::Failure;
use clap::{Args, Subcommand};
use serde_json::json;

use super::DONE;
use crate::context::Context;

/// What to know instead.
const MESSAGE: &str = "there is no daemon: the browser starts bsk's host by itself; run `bsk install` once, and \
                       `bsk doctor` when no browser connects";

/// Do nothing; accepted for older skills, since no daemon exists
#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    command: DaemonCommand,
}

#[derive(Debug, Subcommand)]
enum DaemonCommand {
    /// Do nothing; the browser starts the host
    #[command(after_long_help = "Example:\n  bsk daemon start")]
    Start {},
    /// Do nothing; the host ends with the browser
    #[command(after_long_help = "Example:\n  bsk daemon stop")]
    Stop {},
    /// Do nothing; reload the extension for a new host
    #[command(after_long_help = "Example:\n  bsk daemon restart")]
    Restart {},
}

pub(crate) fn run(args: &DaemonArgs, context: &Context) -> Result<u8, Failure> {
    let asked = match args.command {
        DaemonCommand::Start {} => "start",
        DaemonCommand::Stop {} => "stop",
        DaemonCommand::Restart {} => "restart",
    };
    if context.output.is_json() {
        context.output.json(&json!({ "asked": asked, "done": false, "message": MESSAGE }))?;
    } else {
        context.output.note(MESSAGE)?;
    }
    Ok(DONE)
}
