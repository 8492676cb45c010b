//! `bsk tab create`: a new tab in the session's window.
//!
//! The session owns the new tab. Which URLs may be opened, the kernel decides; a refused URL opens nothing. Prints the id
//! alone, for use in a shell.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::TabRecord;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use crate::context::{Context, SessionPlace};

/// Open a tab in the session's window and print its id
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk tab create --url https://example.com --session quwe")]
pub(crate) struct CreateArgs {
    /// Address to open: http, https or about:blank
    #[arg(long)]
    url: Option<String>,
    /// Keep the session's active tab
    #[arg(long)]
    no_active: bool,
    /// Place in the window, from 0
    #[arg(long)]
    index: Option<u32>,
    #[command(flatten)]
    place: SessionPlace,
}

pub(crate) fn run(args: CreateArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::TabCreate { url: args.url, active: !args.no_active, index: args.index };
    let reply = context.in_session(&args.place, action)?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        context.output.data(&reply.read::<TabRecord>()?.tab_id.to_string())?;
    }
    Ok(DONE)
}
