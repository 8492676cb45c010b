//! `bsk tab borrow`: asks the user for one of their tabs.
//!
//! The question is put by the extension, in a window that no page and no program reaches; it waits 60 s and then counts as no.
//! `--no-confirm` is accepted for scripts that pass it and changes nothing: nobody but the user can say yes.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::TabId;
use bsk_protocol::kernel::TabRecord;
use bsk_protocol::local::Action;
use clap::Args;

use super::DONE;
use crate::context::{Context, SessionPlace, TabPlace};

/// The user's 60 s, once for each question that may be ahead of this one, and some for the way.
const BORROW_TIMEOUT: Duration = Duration::from_mins(10);

/// Ask the user for one of their tabs
///
/// The tab moves to the session's window and goes back to its place with `bsk tab return` or when the session ends. The user has 60 s
/// to answer; no answer is a no (exit code 7).
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk tab borrow 1234 --session quwe")]
pub(crate) struct BorrowArgs {
    /// Id from `bsk tab list`
    #[arg(value_name = "TAB", value_parser = str::parse::<TabId>)]
    tab: TabId,
    /// Accepted and without effect: the user is always asked
    #[arg(long)]
    no_confirm: bool,
    #[command(flatten)]
    place: SessionPlace,
}

pub(crate) fn run(args: BorrowArgs, context: &Context) -> Result<u8, Failure> {
    if args.no_confirm {
        context.output.aside("note: `--no-confirm` has no effect; the user is asked");
    }
    let place = TabPlace { tab_id: Some(args.tab), session: args.place };
    let reply = context.in_tab(&place, BORROW_TIMEOUT, Action::TabBorrow {})?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        let TabRecord { tab_id, title, .. } = reply.read()?;
        context.output.note(&format!("borrowed tab {tab_id}: {}", title.replace(['\n', '\t'], " ")))?;
    }
    Ok(DONE)
}
