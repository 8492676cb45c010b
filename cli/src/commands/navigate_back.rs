//! `bsk navigate-back`: one step back in the tab's history.
//!
//! Waits for the page like `bsk navigate`, for a shorter time. Refused by the host where there is no page to go to, and
//! by the kernel where that page is none it would open by URL.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::waits::{SHORT_WAIT, Waits};
use crate::context::Context;

/// Go back in the tab's history
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk navigate-back --session quwe")]
pub(crate) struct NavigateBackArgs {
    #[command(flatten)]
    waits: Waits,
}

pub(crate) fn run(args: &NavigateBackArgs, context: &Context) -> Result<u8, Failure> {
    args.waits.run(context, SHORT_WAIT, Action::NavigateBack { wait_until: args.waits.until() })
}
