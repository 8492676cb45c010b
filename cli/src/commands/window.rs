//! `bsk window resize`: the size of the session's window.
//!
//! The size is the outer one, in pixels, 100 to 7680 each. The system may give less than was asked for, so what was
//! reached is printed.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::WindowSize;
use bsk_protocol::local::Action;
use clap::{Args, Subcommand};

use super::DONE;
use crate::context::{Context, SessionPlace};

/// Change the session's window
#[derive(Debug, Args)]
pub(crate) struct WindowArgs {
    #[command(subcommand)]
    command: WindowCommand,
}

#[derive(Debug, Subcommand)]
enum WindowCommand {
    /// Set the window's outer size and print what was reached
    #[command(after_long_help = "Example:\n  bsk window resize --width 1280 --height 800 --session quwe")]
    Resize {
        /// Pixels, 100 to 7680
        #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(100..=7680))]
        width: u32,
        /// Pixels, 100 to 7680
        #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(100..=7680))]
        height: u32,
        #[command(flatten)]
        place: SessionPlace,
    },
}

pub(crate) fn run(args: WindowArgs, context: &Context) -> Result<u8, Failure> {
    let WindowCommand::Resize { width, height, place } = args.command;
    let reply = context.in_session(&place, Action::WindowResize { width, height })?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        let size: WindowSize = reply.read()?;
        context.output.note(&format!("{} x {}", size.width, size.height))?;
    }
    Ok(DONE)
}
