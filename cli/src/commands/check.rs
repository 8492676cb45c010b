//! `bsk check`: checks a checkbox, a radio, a switch or what ARIA calls so.
//!
//! Does not click when it is checked already. A control hidden behind its own styling is clicked through its label; the state
//! that comes of it decides whether the command succeeded.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;
use serde::Deserialize;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::TargetArgs;

/// Check a checkbox, radio or switch
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk check @e4 --session quwe
  bsk check --label 'I accept the terms' --session quwe")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    place: ActPlace,
}

#[derive(Deserialize)]
struct Checked {
    #[serde(flatten)]
    acted: Acted,
    clicked: bool,
}

pub(crate) fn run(args: &CheckArgs, context: &Context) -> Result<u8, Failure> {
    set(&args.target, &args.place, context, true)
}

/// Brings an element to a checked state and says what was done.
///
/// # Errors
/// Whatever the host says.
pub(super) fn set(
    target: &TargetArgs,
    place: &ActPlace,
    context: &Context,
    checked: bool,
) -> Result<u8, Failure> {
    let reply = context.act(place, COMMAND_TIMEOUT, Action::Check { target: target.required()?, checked })?;
    context.acted(&reply, |reply| {
        let done: Checked = reply.read()?;
        let verb = if checked { "checked" } else { "unchecked" };
        Ok(if done.clicked {
            done.acted.line(verb)
        } else {
            done.acted.line_with("nothing to do for", &format!(": it is {verb} already"))
        })
    })?;
    Ok(DONE)
}
