//! `bsk drag`: takes an element and drops it on another one, or moves it by some way.
//!
//! Whether the page drags by mouse and pointer events or with data (HTML5), the host finds out. Success means that the page got the
//! release, or the drop.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, DragEnd, Offset};
use clap::Args;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::{self, TargetArgs};

/// Drag an element to another one, or to a place
///
/// Presses the left button on the element, moves in several steps and lets go. A drag that fails goes back to where it began.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk drag @e3 --to @e9 --session quwe
  bsk drag '#card-7' --to '#done' --session quwe
  bsk drag @e5 --from 8,8 --to 120,8 --session quwe")]
pub(crate) struct DragArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Where to: a ref, a CSS selector, or CSS pixels from the top left of what is dragged, such as `120,8`
    #[arg(long, value_name = "TARGET-or-X,Y", allow_hyphen_values = true)]
    to: String,
    /// Where to take it, in CSS pixels from its top left
    #[arg(long, value_name = "X,Y", value_parser = target::offset, allow_hyphen_values = true)]
    from: Option<Offset>,
    #[command(flatten)]
    place: ActPlace,
}

pub(crate) fn run(args: &DragArgs, context: &Context) -> Result<u8, Failure> {
    let to = match target::offset(&args.to) {
        Ok(offset) => DragEnd::Offset(offset),
        Err(_) => DragEnd::Target(target::read(&args.to)?),
    };
    let action = Action::Drag { target: args.target.required()?, to, from: args.from };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        Ok(reply.read::<Acted>()?.line_with("dragged", &format!(" to {}", args.to)))
    })?;
    Ok(DONE)
}
