//! `bsk snapshot`: the page's full tree in the style of aria snapshots, with what `observe` folds together or leaves out.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::observe::View;
use crate::context::Context;

/// Show the page's full tree, with what `observe` leaves out
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk snapshot --max-depth 5 --session quwe
  bsk snapshot --ref @e12 --session quwe")]
pub(crate) struct SnapshotCommand {
    #[command(flatten)]
    view: View,
    /// Accepted for older skills
    #[arg(long, hide = true)]
    debug_surfaces: bool,
}

pub(crate) fn run(args: &SnapshotCommand, context: &Context) -> Result<u8, Failure> {
    args.view.show(context, Action::Snapshot(args.view.args(context)?))
}
