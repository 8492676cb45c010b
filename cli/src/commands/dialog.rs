//! `bsk dialog list | accept | dismiss`: JavaScript dialogs that wait for a decision.
//!
//! Other commands of the tab answer with exit code 6 while a dialog waits; nothing here decides by itself. The message is
//! the page's own text, so it is printed quoted.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, Dialog};
use clap::{Args, Subcommand};
use serde::Deserialize;

use super::DONE;
use crate::context::{ActPlace, COMMAND_TIMEOUT, Context, TabPlace};

/// See and answer JavaScript dialogs
#[derive(Debug, Args)]
pub(crate) struct DialogArgs {
    #[command(subcommand)]
    command: DialogCommand,
}

#[derive(Debug, Subcommand)]
enum DialogCommand {
    /// List the tab's open dialogs
    #[command(after_long_help = "Example:\n  bsk dialog list --session quwe")]
    List {
        #[command(flatten)]
        place: TabPlace,
    },
    /// Press OK
    #[command(after_long_help = "Examples:
  bsk dialog accept --session quwe
  bsk dialog accept --text Ada --session quwe")]
    Accept {
        /// Answer to a prompt, in place of what it suggests
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        text: Option<String>,
        #[command(flatten)]
        place: ActPlace,
    },
    /// Press Cancel
    #[command(after_long_help = "Example:\n  bsk dialog dismiss --session quwe")]
    Dismiss {
        #[command(flatten)]
        place: ActPlace,
    },
}

#[derive(Deserialize)]
struct Dialogs {
    dialogs: Vec<Dialog>,
}

#[derive(Deserialize)]
struct Answered {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

pub(crate) fn run(args: DialogArgs, context: &Context) -> Result<u8, Failure> {
    match args.command {
        DialogCommand::List { place } => list(&place, context),
        DialogCommand::Accept { text, place } => {
            answer(&place, context, "accepted", Action::DialogAccept { text })
        }
        DialogCommand::Dismiss { place } => answer(&place, context, "dismissed", Action::DialogDismiss {}),
    }
}

fn list(place: &TabPlace, context: &Context) -> Result<u8, Failure> {
    let reply = context.in_tab(place, COMMAND_TIMEOUT, Action::DialogList {})?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
        return Ok(DONE);
    }
    let found: Dialogs = reply.read()?;
    if found.dialogs.is_empty() {
        context.output.note("no dialog is open")?;
    }
    for dialog in &found.dialogs {
        context.output.data(&format!("{} {:?}", dialog.kind, dialog.message))?;
    }
    Ok(DONE)
}

fn answer(place: &ActPlace, context: &Context, verb: &str, action: Action) -> Result<u8, Failure> {
    let reply = context.act(place, COMMAND_TIMEOUT, action)?;
    context.acted(&reply, |reply| {
        let answered: Answered = reply.read()?;
        Ok(format!("{verb} {} {:?}", answered.kind, answered.message))
    })?;
    Ok(DONE)
}
