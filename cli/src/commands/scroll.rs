//! `bsk scroll`: turns the wheel over the page or over what an element is in, or brings an element into view.
//!
//! Says how far it is scrolled then and how much is above and below. Without a target the page itself scrolls, or the largest box of a
//! page that does not.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, Offset, ScrollEdge};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::{self, TargetArgs};

/// Scroll the page, or what an element is in
///
/// With an element alone brings it into view. With `--until-text` scrolls down until the text is there, and fails where the
/// scrolling ends without it or the time is over.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk scroll --by 0,600 --session quwe
  bsk scroll @e12 --session quwe
  bsk scroll '#messages' --to bottom --session quwe
  bsk scroll --until-text 'Terms of use' --timeout 20s --session quwe")]
pub(crate) struct ScrollArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    way: Way,
    #[command(flatten)]
    place: ActPlace,
}

/// How far.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Way {
    /// By this many CSS pixels to the right and down, such as `0,600`
    #[arg(long, value_name = "DX,DY", value_parser = target::offset, allow_hyphen_values = true)]
    by: Option<Offset>,
    /// To this end
    #[arg(long, value_enum)]
    to: Option<Edge>,
    /// Down until this text is there
    #[arg(long, value_name = "TEXT")]
    until_text: Option<String>,
}

/// An end of what scrolls.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Edge {
    Top,
    Bottom,
}

impl From<Edge> for ScrollEdge {
    fn from(edge: Edge) -> Self {
        match edge {
            Edge::Top => Self::Top,
            Edge::Bottom => Self::Bottom,
        }
    }
}

#[derive(Deserialize)]
struct Scrolled {
    #[serde(flatten)]
    acted: Acted,
    scroll_x: f64,
    scroll_y: f64,
    above: f64,
    below: f64,
    how: Option<How>,
}

/// What moved the box.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Wheel,
    Page,
    Script,
}

impl Scrolled {
    fn line(&self) -> String {
        let Self { acted, scroll_x, scroll_y, above, below, how } = self;
        let how = match how {
            Some(How::Page) => "; the page took the wheel for itself",
            Some(How::Script) => "; without the wheel, which moved nothing",
            Some(How::Wheel) | None => "",
        };
        let target = acted.named().map(|named| format!(" for {named}")).unwrap_or_default();
        format!("scrolled to {scroll_x},{scroll_y}{target}: {above} px above, {below} px below{how}")
    }
}

pub(crate) fn run(args: ScrollArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Scroll {
        target: args.target.optional()?,
        by: args.way.by,
        to: args.way.to.map(Into::into),
        until_text: args.way.until_text,
    };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| Ok(reply.read::<Scrolled>()?.line()))?;
    Ok(DONE)
}
