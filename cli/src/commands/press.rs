//! `bsk press`: presses a key or a chord, on an element or where the focus is.
//!
//! With `--ref` or `--selector` the element gets the focus first; without, the focus stays where it is. Whether a key
//! exists, the host knows.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, Changed, Effects};
use clap::Args;
use serde::Deserialize;

use super::DONE;
use super::keys::Modifiers;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::target::ForcedTargetArgs;
use crate::{duration, render};

/// Press a key or a chord
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk press Enter --session quwe
  bsk press Control+A --ref @e5 --session quwe
  bsk press ControlOrMeta+A --selector '#notes' --session quwe
  bsk press ArrowDown --hold-ms 1s --session quwe
  bsk press a --modifiers ControlOrMeta,Shift --session quwe")]
pub(crate) struct PressArgs {
    /// Key such as `Enter`, `a` or `ArrowDown`, or chord such as `Control+A`
    #[arg(value_name = "KEY")]
    key: String,
    #[command(flatten)]
    modifiers: Modifiers,
    #[command(flatten)]
    target: ForcedTargetArgs,
    /// How long the key stays down; after 500ms it repeats
    #[arg(long, value_name = "DURATION", default_value = "0", value_parser = duration::parse)]
    hold_ms: Duration,
    #[command(flatten)]
    place: ActPlace,
}

#[derive(Deserialize)]
struct Pressed {
    key: String,
    #[serde(default)]
    effects: Effects,
    changed: Option<Changed>,
}

pub(crate) fn run(args: PressArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Press {
        key: args.key,
        modifiers: args.modifiers.modifiers,
        target: args.target.optional()?,
        hold_ms: duration::millis(args.hold_ms),
    };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        let pressed: Pressed = reply.read()?;
        let (effects, changed) =
            (render::effects(&pressed.effects), render::changed(pressed.changed.as_ref()));
        Ok(format!("pressed {}{effects}{changed}", pressed.key))
    })?;
    Ok(DONE)
}
