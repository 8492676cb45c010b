//! `bsk drag`: takes an element and drops it on another one, or moves it by some way.
//!
//! Whether the page drags by mouse and pointer events or with data (HTML5), the host finds out. Success means that the page got the
//! release, or the drop.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, DragEnd, Offset, Target};
use clap::Args;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::{self, TargetArgs, ToArgs};
use crate::usage;

/// Drag an element to another one, or to a place
///
/// Presses the left button on the element, moves in several steps and lets go. A drag that fails goes back to where it began.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk drag @e3 --to @e9 --session quwe
  bsk drag '#card-7' --to '#done' --session quwe
  bsk drag --text 'Write report' --to-role list --to-name Done --session quwe
  bsk drag @e5 --from 8,8 --to 120,8 --session quwe")]
pub(crate) struct DragArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// A ref, a CSS selector, or CSS pixels from the top left of what is dragged, such as `120,8`
    #[arg(long, value_name = "TARGET-or-X,Y", allow_hyphen_values = true, help_heading = target::WHERE_TO)]
    to: Option<String>,
    #[command(flatten)]
    to_said: ToArgs,
    /// Where to take it, in CSS pixels from its top left
    #[arg(long, value_name = "X,Y", value_parser = target::offset, allow_hyphen_values = true)]
    from: Option<Offset>,
    #[command(flatten)]
    place: ActPlace,
}

pub(crate) fn run(args: &DragArgs, context: &Context) -> Result<u8, Failure> {
    let to = end_of(args)?;
    let action = Action::Drag { target: args.target.required()?, to, from: args.from };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    let place = args.to.as_deref().or(args.to_said.shown()).unwrap_or_default();
    context
        .acted(&reply, |reply| Ok(reply.read::<Acted>()?.line_with("dragged", &format!(" to {place}"))))?;
    Ok(DONE)
}

/// Where it goes: exactly one way of saying it.
fn end_of(args: &DragArgs) -> Result<DragEnd, Failure> {
    match (&args.to, args.to_said.query()?) {
        (Some(text), None) => match target::offset(text) {
            Ok(offset) => Ok(DragEnd::Offset(offset)),
            Err(_) => target::read(text).map(DragEnd::Target),
        },
        (None, Some(query)) => Ok(DragEnd::Target(Target::Query(Box::new(query)))),
        (None, None) => Err(usage::wrong(
            "nothing says where to drag to",
            "pass `--to` with a ref, a selector or `X,Y`, or flags such as `--to-role list --to-name Done`",
        )),
        (Some(_), Some(_)) => Err(usage::wrong(
            "the place to drag to was named in several ways",
            "use `--to`, or flags such as `--to-role` and `--to-name`",
        )),
    }
}
