//! `bsk click`: presses a mouse button on an element, as a user would.
//!
//! All waiting and checking is the host's. Success means that the page got the click; what came of it follows in the same
//! line: where the page goes, which tabs it opened.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, MouseButton, Offset};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::DONE;
use super::keys::Modifiers;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context};
use crate::render::Acted;
use crate::target::{self, TargetArgs};

/// Click an element
///
/// Waits until the element is visible, enabled and still, and fails when something covers it or when the page did not
/// get the click. The label of a checkbox or radio that cannot be seen is clicked in its place; an option of a select is
/// chosen.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk click @e3 --session quwe
  bsk click 'button[type=submit]' --session quwe
  bsk click @e3 --observe --session quwe
  bsk click --role button --name Save --session quwe
  bsk click @e3 --modifiers Control --click-count 2 --session quwe
  bsk click '#board' --at 150,25 --session quwe")]
pub(crate) struct ClickArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Mouse button
    #[arg(long, value_enum, default_value_t = Button::Left)]
    button: Button,
    /// How often: 2 is a double click
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=3))]
    click_count: u8,
    /// Where in the element, in CSS pixels from its top left, such as `150,25`
    #[arg(long, value_name = "X,Y", value_parser = target::offset, allow_hyphen_values = true)]
    at: Option<Offset>,
    /// Do not wait for the element to be ready and do not check what covers it
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    modifiers: Modifiers,
    #[command(flatten)]
    place: ActPlace,
}

/// A mouse button.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Button {
    Left,
    Middle,
    Right,
}

impl From<Button> for MouseButton {
    fn from(button: Button) -> Self {
        match button {
            Button::Left => Self::Left,
            Button::Middle => Self::Middle,
            Button::Right => Self::Right,
        }
    }
}

/// A click's result; labels where an option of a select was chosen.
#[derive(Deserialize)]
struct Clicked {
    #[serde(flatten)]
    acted: Acted,
    selected_labels: Option<Vec<String>>,
}

pub(crate) fn run(args: ClickArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Click {
        target: args.target.required()?,
        button: args.button.into(),
        click_count: args.click_count,
        modifiers: args.modifiers.modifiers,
        at: args.at,
        force: args.force,
    };
    let reply = context.act(&args.place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        let clicked: Clicked = reply.read()?;
        Ok(match clicked.selected_labels {
            Some(labels) => clicked.acted.line_with("selected in", &format!(": {}", labels.join(", "))),
            None => clicked.acted.line("clicked"),
        })
    })?;
    Ok(DONE)
}
