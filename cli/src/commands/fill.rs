//! `bsk fill`: puts text into a field.
//!
//! The text comes from `--value`, from a file or from standard input; it is never printed, since it may be a secret.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;
use serde::Deserialize;

use super::DONE;
use super::text::Text;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::TargetArgs;

/// Put text into a field, in place of what it holds
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk fill @e5 --value 'Ada Lovelace' --session quwe
  bsk fill '#notes' --value-file notes.txt --session quwe
  pass show mail | head -c -1 | bsk fill @e6 --value-file - --session quwe")]
pub(crate) struct FillArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    text: Text,
    /// Keep what the field holds and add to its end
    #[arg(long)]
    no_clear: bool,
    #[command(flatten)]
    place: ActPlace,
}

#[derive(Deserialize)]
struct Filled {
    #[serde(flatten)]
    acted: Acted,
    value_length: u64,
}

pub(crate) fn run(args: FillArgs, context: &Context) -> Result<u8, Failure> {
    let target = args.target.required()?;
    let value = args.text.read()?;
    let action = Action::Fill { target, value, append: args.no_clear };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        let filled: Filled = reply.read()?;
        Ok(filled.acted.line_with("filled", &format!(", {} characters", filled.value_length)))
    })?;
    Ok(DONE)
}
