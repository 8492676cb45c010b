//! `bsk tab list`: the session's tabs and the user's.
//!
//! Titles and addresses come from pages, so a title is kept on its line. The active tab of the session is marked; for
//! the user's tabs the mark means in front in its window.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::{TabList, TabOwner, TabRecord, TabScope};
use bsk_protocol::local::Action;
use clap::{Args, ValueEnum};

use super::DONE;
use crate::context::{Context, SessionPlace};

/// List tabs
///
/// One line per tab: id, `*` for the active one, owner, title, address.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk tab list --scope agent --session quwe")]
pub(crate) struct ListArgs {
    /// Whose tabs: the user's, the session's own (agent), or all
    #[arg(long, value_enum, default_value_t = Scope::All)]
    scope: Scope,
    #[command(flatten)]
    place: SessionPlace,
}

/// Whose tabs.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    User,
    Agent,
    All,
}

impl From<Scope> for TabScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::User => Self::User,
            Scope::Agent => Self::Agent,
            Scope::All => Self::All,
        }
    }
}

pub(crate) fn run(args: &ListArgs, context: &Context) -> Result<u8, Failure> {
    let reply = context.in_session(&args.place, Action::TabList { scope: args.scope.into() })?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
        return Ok(DONE);
    }
    let list: TabList = reply.read()?;
    let lines: Vec<String> = list.tabs.iter().map(line).collect();
    if !lines.is_empty() {
        context.output.data(&lines.join("\n"))?;
    }
    Ok(DONE)
}

fn line(tab: &TabRecord) -> String {
    let active = if tab.active { "*" } else { " " };
    let owner = match tab.owner {
        TabOwner::Agent => "agent",
        TabOwner::User => "user",
    };
    let title = tab.title.replace(['\n', '\t'], " ");
    format!("{}\t{active}\t{owner}\t{title}\t{}", tab.tab_id, tab.url)
}
