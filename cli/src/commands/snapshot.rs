//! `bsk snapshot`: the page's full tree, with what `observe` leaves out.
//!
//! Same flags and same result as `bsk observe`; only how much is shown differs, and that is the host's business.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::observe::View;
use crate::context::Context;

/// Show the page's full tree, with what `observe` leaves out
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk snapshot --max-depth 5 --session quwe")]
pub(crate) struct SnapshotCommand {
    #[command(flatten)]
    view: View,
}

pub(crate) fn run(args: &SnapshotCommand, context: &Context) -> Result<u8, Failure> {
    args.view.run(context, Action::Snapshot)
}
