//! `bsk focus`: gives an element the focus.
//!
//! Fails when the element does not take it. Keys of later `bsk press` commands go there.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::TargetArgs;

/// Give an element the focus
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk focus @e5 --session quwe")]
pub(crate) struct FocusArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    place: ActPlace,
}

pub(crate) fn run(args: &FocusArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Focus { target: args.target.required()? };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| Ok(reply.read::<Acted>()?.line("focused")))?;
    Ok(DONE)
}
