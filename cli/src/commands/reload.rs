//! `bsk reload`: loads the tab's page again.
//!
//! Waits for the page like `bsk navigate`, for a shorter time. What was typed into the page is lost, as in any reload.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::waits::{SHORT_WAIT, Waits};
use crate::context::Context;

/// Load the tab's page again
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk reload --hard --session quwe")]
pub(crate) struct ReloadArgs {
    /// Go past the browser's cache
    #[arg(long)]
    hard: bool,
    #[command(flatten)]
    waits: Waits,
}

pub(crate) fn run(args: &ReloadArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Reload { hard: args.hard, wait_until: args.waits.until() };
    args.waits.run(context, SHORT_WAIT, action)
}
