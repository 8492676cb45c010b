//! `bsk tab close`: only tabs that the session owns; others the kernel refuses.
//!
//! The page is not asked whether it wants to be left. The session itself goes on, even without a tab.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::TabId;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, SessionPlace, TabPlace};

/// Close a tab of the session
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk tab close 1234 --session quwe")]
pub(crate) struct CloseArgs {
    /// Id from `bsk tab list`
    #[arg(value_name = "TAB", value_parser = str::parse::<TabId>)]
    tab: TabId,
    #[command(flatten)]
    place: SessionPlace,
}

pub(crate) fn run(args: CloseArgs, context: &Context) -> Result<u8, Failure> {
    let place = TabPlace { tab_id: Some(args.tab), session: args.place };
    let reply = context.in_tab(&place, COMMAND_TIMEOUT, Action::TabClose {})?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        context.output.note(&format!("closed tab {}", args.tab))?;
    }
    Ok(DONE)
}
