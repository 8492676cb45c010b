//! `bsk uncheck`: unchecks a checkbox, a switch or what ARIA calls so.
//!
//! As `bsk check`; a radio cannot be unchecked and is refused.

use bsk_protocol::failure::Failure;
use clap::Args;

use super::check;
use crate::context::{ActPlace, Context};
use crate::target::TargetArgs;

/// Uncheck a checkbox or switch
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk uncheck @e4 --session quwe
  bsk uncheck --role switch --name Newsletter --session quwe")]
pub(crate) struct UncheckArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    place: ActPlace,
}

pub(crate) fn run(args: &UncheckArgs, context: &Context) -> Result<u8, Failure> {
    check::set(&args.target, &args.place, context, false)
}
