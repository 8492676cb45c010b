//! `bsk find`: the lines of an observation that hold a text, from all frames, with what they are in.
//!
//! No match is an answer, with exit code 0.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, FindResult};
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::fence::fenced;

/// Find text in the whole page and show where it is, with refs to act on
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk find 'add to cart' --session quwe
  bsk find --regex 'Total: \\d+' --max 5 --session quwe")]
pub(crate) struct FindCommand {
    /// Text to look for, in any case
    #[arg(value_name = "TEXT", required_unless_present = "regex")]
    text: Option<String>,
    /// Look for a regular expression instead, in the case given
    #[arg(long, value_name = "PATTERN", conflicts_with = "text", allow_hyphen_values = true)]
    regex: Option<String>,
    /// List at most this many matches
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    max: u32,
    #[command(flatten)]
    place: TabPlace,
}

pub(crate) fn run(args: FindCommand, context: &Context) -> Result<u8, Failure> {
    let is_regex = args.regex.is_some();
    let pattern = args.regex.or(args.text).unwrap_or_default();
    let action = Action::Find { pattern, is_regex, max: args.max };
    let reply = context.in_tab(&args.place, COMMAND_TIMEOUT, action)?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        let found: FindResult = reply.read()?;
        context.output.data(&fenced(&found.url, &found.text))?;
    }
    Ok(DONE)
}
