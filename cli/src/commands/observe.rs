//! `bsk observe`: what the page looks like now, as text with refs.
//!
//! The text comes from the host and goes out as it is.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, ObserveArgs, ObserveResult};
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::target;

/// Show what the page looks like now, with refs to act on
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk observe --session quwe
  bsk observe --ref @e12 --max-tokens 2000 --session quwe")]
pub(crate) struct ObserveCommand {
    #[command(flatten)]
    view: View,
    /// Accepted for older skills
    #[arg(long, hide = true)]
    debug_surfaces: bool,
    /// Accepted for older skills
    #[arg(long, hide = true)]
    probe_hover: bool,
}

/// Flags of `observe` and `snapshot`.
#[derive(Debug, Args)]
pub(crate) struct View {
    /// Show this element and what is in it instead of the whole page
    #[arg(long = "ref", value_name = "REF")]
    by_ref: Option<String>,
    /// Leave out what is deeper than this
    #[arg(long, value_name = "LEVELS")]
    max_depth: Option<u32>,
    /// Leave out what goes beyond this many tokens
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u32>,
    #[command(flatten)]
    place: TabPlace,
}

pub(crate) fn run(args: &ObserveCommand, context: &Context) -> Result<u8, Failure> {
    args.view.run(context, Action::Observe)
}

impl View {
    pub(crate) fn run(&self, context: &Context, action: fn(ObserveArgs) -> Action) -> Result<u8, Failure> {
        let target = self.by_ref.as_deref().map(target::parse_ref).transpose()?;
        let args = ObserveArgs { target, max_depth: self.max_depth, max_tokens: self.max_tokens };
        let reply = context.in_tab(&self.place, COMMAND_TIMEOUT, action(args))?;
        if context.output.is_json() {
            context.output.json(&reply.json)?;
        } else {
            let seen: ObserveResult = reply.read()?;
            context.output.data(&seen.text)?;
            if let Some(dialog) = seen.dialogs.first() {
                let message = &dialog.message;
                context.output.hint(&format!(
                    "the dialog {message:?} waits; run `bsk dialog accept` or `bsk dialog dismiss`"
                ));
            }
        }
        Ok(DONE)
    }
}
