//! `bsk tab select`: only tabs that the session owns; others the kernel refuses.
//!
//! The window does not come to the front: the user may be typing elsewhere. Later commands without `--tab-id` act on
//! this tab.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::TabId;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, SessionPlace, TabPlace};

/// Make a tab the session's active one
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk tab select 1234 --session quwe")]
pub(crate) struct SelectArgs {
    /// Id from `bsk tab list`
    #[arg(value_name = "TAB", value_parser = str::parse::<TabId>)]
    tab: TabId,
    #[command(flatten)]
    place: SessionPlace,
}

pub(crate) fn run(args: SelectArgs, context: &Context) -> Result<u8, Failure> {
    let place = TabPlace { tab_id: Some(args.tab), session: args.place };
    let reply = context.in_tab(&place, COMMAND_TIMEOUT, Action::TabSelect {})?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        context.output.note(&format!("selected tab {}", args.tab))?;
    }
    Ok(DONE)
}
