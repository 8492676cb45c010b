//! `bsk hover`: rests the pointer on an element.
//!
//! The pointer stays there after the command, so that what it opened can be observed. Fails when something covers the
//! element, as `bsk click` does.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use super::keys::Modifiers;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::duration;
use crate::render::Acted;
use crate::target::TargetArgs;

/// Rest the pointer on an element
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk hover @e3 --settle 500ms --session quwe")]
pub(crate) struct HoverArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Wait until the page has reacted and come to rest, at most this long
    #[arg(long, value_name = "DURATION", default_value = "0ms", value_parser = duration::parse)]
    settle: Duration,
    /// Do not wait for the element to be ready and do not check what covers it
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    modifiers: Modifiers,
    #[command(flatten)]
    place: ActPlace,
}

pub(crate) fn run(args: HoverArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Hover {
        target: args.target.required()?,
        modifiers: args.modifiers.modifiers,
        settle_ms: duration::millis(args.settle),
        force: args.force,
    };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| Ok(reply.read::<Acted>()?.line("hovered over")))?;
    Ok(DONE)
}
