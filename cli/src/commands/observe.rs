//! `bsk observe`: what the page looks like now, as text with refs.
//!
//! The text comes from the host and goes out as it is, in a fence that marks it as the page's. docs/observation.md has its
//! format.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::Cursor;
use bsk_protocol::local::{Action, ObserveArgs, ObserveResult};
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::exchange::Reply;
use crate::fence::fenced;
use crate::target;

/// Show what the page looks like now, with refs to act on
///
/// Shows the most important lines first to be kept when not all fit: open dialogs, what can be acted on in view, then what
/// is further away. The last line says what was left out and how to see it.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk observe --session quwe
  bsk observe --diff --session quwe
  bsk observe --after o3.412 --session quwe
  bsk observe --ref @e12 --max-tokens 2000 --session quwe
  bsk observe --interactive --viewport --session quwe
  bsk observe --probe-hover --session quwe")]
pub(crate) struct ObserveCommand {
    #[command(flatten)]
    view: View,
    /// Show only what can be acted on, as a flat list
    #[arg(long)]
    interactive: bool,
    /// Show only what is in view
    #[arg(long)]
    viewport: bool,
    /// Show only what changed since the last observation of the whole page
    #[arg(long, conflicts_with_all = ["by_ref", "after"])]
    diff: bool,
    /// Go on where an earlier observation was cut, as its last line says
    #[arg(
        long,
        value_name = "CURSOR",
        value_parser = str::parse::<Cursor>,
        conflicts_with_all = ["by_ref", "max_depth", "interactive", "viewport", "links", "invisible", "full_text", "probe_hover"],
    )]
    after: Option<Cursor>,
    /// Show the targets of links
    #[arg(long)]
    links: bool,
    /// Show invisible text, too, marked as such
    #[arg(long)]
    invisible: bool,
    /// Show long text unshortened
    #[arg(long)]
    full_text: bool,
    /// Move the pointer over likely triggers and show what appears
    ///
    /// The pointer goes over at most six likely triggers and eight controls without a name, for at most five seconds together,
    /// and back to where it was. Nothing is clicked or submitted. What appears stands as `[hover first: A | B]` beside its
    /// trigger, a tooltip as the name of its control.
    #[arg(long)]
    probe_hover: bool,
    /// Accepted for older skills
    #[arg(long, hide = true)]
    debug_surfaces: bool,
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
    /// Leave out what goes beyond this many tokens [default: 6000; `snapshot` has none]
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u32>,
    #[command(flatten)]
    place: TabPlace,
}

pub(crate) fn run(args: &ObserveCommand, context: &Context) -> Result<u8, Failure> {
    let observed = ObserveArgs {
        interactive: args.interactive,
        viewport: args.viewport,
        diff: args.diff,
        after: args.after,
        links: args.links,
        invisible: args.invisible,
        full_text: args.full_text,
        probe_hover: args.probe_hover,
        ..args.view.args(context)?
    };
    args.view.show(context, Action::Observe(observed))
}

impl View {
    /// The arguments that both commands have.
    pub(crate) fn args(&self, context: &Context) -> Result<ObserveArgs, Failure> {
        Ok(ObserveArgs {
            target: self.by_ref.as_deref().map(target::parse_ref).transpose()?,
            max_depth: self.max_depth,
            max_tokens: self.max_tokens,
            tree: context.output.is_json(),
            ..ObserveArgs::default()
        })
    }

    /// Runs the action and prints what is seen.
    pub(crate) fn show(&self, context: &Context, action: Action) -> Result<u8, Failure> {
        let reply: Reply = context.in_tab(&self.place, COMMAND_TIMEOUT, action)?;
        if context.output.is_json() {
            context.output.json(&reply.json)?;
            return Ok(DONE);
        }
        let seen: ObserveResult = reply.read()?;
        context.output.data(&fenced(&seen.url, &seen.text))?;
        if let Some(dialog) = seen.dialogs.first() {
            let message = &dialog.message;
            context.output.hint(&format!(
                "the dialog {message:?} waits; run `bsk dialog accept` or `bsk dialog dismiss`"
            ));
        }
        Ok(DONE)
    }
}
