//! `bsk wait-for-navigation`: waits for a navigation that is under way or comes.
//!
//! For navigations that something else began: a click, a script, the page itself. Where none comes, the host says so with
//! a timeout (exit code 4).

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::waits::{SHORT_WAIT, Waits};
use crate::context::Context;

/// Wait for a navigation that is under way or about to begin
///
/// Fails at once, with the reason, for one that brings no page: a download, an answer without content, a network error.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk wait-for-navigation --wait-until domcontentloaded --session quwe")]
pub(crate) struct WaitForNavigationArgs {
    #[command(flatten)]
    waits: Waits,
}

pub(crate) fn run(args: &WaitForNavigationArgs, context: &Context) -> Result<u8, Failure> {
    args.waits.run(context, SHORT_WAIT, Action::WaitForNavigation { wait_until: args.waits.until() })
}
