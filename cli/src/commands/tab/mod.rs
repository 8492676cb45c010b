//! `bsk tab …`: the tabs of a session, and what the user has open.
//!
//! One file per command. Tabs are named by the browser's own numbers, which `bsk tab list` shows; they are never guessed
//! from titles or addresses.

mod borrow;
mod close;
mod create;
mod list;
mod return_tab;
mod select;

use bsk_protocol::failure::Failure;
use clap::{Args, Subcommand};

use super::DONE;
use crate::context::Context;

/// List, open, close, choose and borrow tabs
#[derive(Debug, Args)]
pub(crate) struct TabArgs {
    #[command(subcommand)]
    command: TabCommand,
}

#[derive(Debug, Subcommand)]
enum TabCommand {
    List(list::ListArgs),
    Create(create::CreateArgs),
    Close(close::CloseArgs),
    Select(select::SelectArgs),
    Borrow(borrow::BorrowArgs),
    Return(return_tab::ReturnArgs),
}

pub(crate) fn run(args: TabArgs, context: &Context) -> Result<u8, Failure> {
    match args.command {
        TabCommand::List(args) => list::run(&args, context),
        TabCommand::Create(args) => create::run(args, context),
        TabCommand::Close(args) => close::run(args, context),
        TabCommand::Select(args) => select::run(args, context),
        TabCommand::Borrow(args) => borrow::run(args, context),
        TabCommand::Return(args) => return_tab::run(args, context),
    }
}
