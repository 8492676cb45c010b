//! `bsk select`: chooses options of a select element, by value, label or place.
//!
//! At least one option has to be named; several ways may be mixed. Whether they exist and whether the element takes
//! several, the host finds out before anything changes.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;
use serde::Deserialize;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::UnlabelledTargetArgs;

/// Choose options of a select element
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk select @e7 --value de --session quwe
  bsk select '#colours' --label Red --label Blue --session quwe")]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    target: UnlabelledTargetArgs,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    place: ActPlace,
}

/// Which options.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Options {
    /// Option by value; repeat for several
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    value: Vec<String>,
    /// Option by visible label; repeat for several
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    label: Vec<String>,
    /// Option by place, from 0; repeat for several
    #[arg(long, value_name = "INDEX")]
    index: Vec<u32>,
}

#[derive(Deserialize)]
struct Selected {
    #[serde(flatten)]
    acted: Acted,
    selected_labels: Vec<String>,
}

pub(crate) fn run(args: SelectArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Select {
        target: args.target.required()?,
        values: args.options.value,
        labels: args.options.label,
        indexes: args.options.index,
    };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        let selected: Selected = reply.read()?;
        Ok(selected.acted.line_with("selected in", &format!(": {}", selected.selected_labels.join(", "))))
    })?;
    Ok(DONE)
}
