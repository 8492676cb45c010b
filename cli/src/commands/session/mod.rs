//! `bsk session …`: opening, listing and ending sessions.
//!
//! One file per command. How a session looks in lists is defined here once, since `bsk status` shows sessions too.

mod list;
mod start;
mod stop;

use bsk_protocol::failure::Failure;
use clap::{Args, Subcommand};

pub(crate) use self::list::{session_json, session_line};
use super::DONE;
use crate::context::Context;

/// Start, stop and list sessions
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    command: SessionCommand,
}

#[derive(Debug, Subcommand)]
enum SessionCommand {
    Start(start::StartArgs),
    Stop(stop::StopArgs),
    List(list::ListArgs),
}

pub(crate) fn run(args: SessionArgs, context: &Context) -> Result<u8, Failure> {
    match args.command {
        SessionCommand::Start(args) => start::run(args, context),
        SessionCommand::Stop(args) => stop::run(&args, context),
        SessionCommand::List(args) => list::run(&args, context),
    }
}
