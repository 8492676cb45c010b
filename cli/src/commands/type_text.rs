//! `bsk type`: types into a field key by key.
//!
//! For pages that listen to keys, such as search fields with suggestions; `bsk fill` is faster and replaces the text. The text
//! is never printed, since it may be a secret.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;
use serde::Deserialize;

use super::DONE;
use super::text::Text;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::duration;
use crate::render::Acted;
use crate::target::TargetArgs;

/// Type text into a field key by key, where its caret is
#[derive(Debug, Args)]
#[command(
    after_long_help = "A line break presses Enter, a tab presses Tab. A field that did not have the focus gets the text at its end.

Examples:
  bsk type @e5 --value 'ada' --session quwe
  bsk type --label Search --value 'lovelace' --delay 80ms --session quwe"
)]
pub(crate) struct TypeArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    text: Text,
    /// How long to rest after each key
    #[arg(long, value_name = "DURATION", default_value = "0ms", value_parser = duration::parse)]
    delay: Duration,
    #[command(flatten)]
    place: ActPlace,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(flatten)]
    acted: Acted,
    value_length: Option<u64>,
}

pub(crate) fn run(args: TypeArgs, context: &Context) -> Result<u8, Failure> {
    let target = args.target.required()?;
    let action = Action::Type { target, value: args.text.read()?, delay_ms: duration::millis(args.delay) };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        let typed: Typed = reply.read()?;
        let held = typed.value_length.map(|length| format!(", which holds {length} characters"));
        Ok(typed.acted.line_with("typed into", &held.unwrap_or_default()))
    })?;
    Ok(DONE)
}
