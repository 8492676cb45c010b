//! `bsk tab return`: gives a borrowed tab back to its window and place.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::TabId;
use bsk_protocol::kernel::TabReturned;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, SessionPlace, TabPlace};

/// Give a borrowed tab back to its window and place
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk tab return 1234 --session quwe")]
pub(crate) struct ReturnArgs {
    /// The borrowed tab
    #[arg(value_name = "TAB", value_parser = str::parse::<TabId>)]
    tab: TabId,
    #[command(flatten)]
    place: SessionPlace,
}

pub(crate) fn run(args: ReturnArgs, context: &Context) -> Result<u8, Failure> {
    let place = TabPlace { tab_id: Some(args.tab), session: args.place };
    let reply = context.in_tab(&place, COMMAND_TIMEOUT, Action::TabReturn {})?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
        return Ok(DONE);
    }
    let TabReturned { tab_id, message, .. } = reply.read()?;
    context.output.note(&format!("returned tab {tab_id}"))?;
    if let Some(message) = message {
        context.output.aside(&format!("warning: tab {tab_id}: {message}"));
    }
    Ok(DONE)
}
