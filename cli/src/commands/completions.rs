//! `bsk completions`: a script that teaches a shell our commands and flags.
//!
//! Made from the same definition that parses the command line, so it cannot disagree. Needs neither a session nor a
//! browser; writes no file, the shell's redirection does.

use bsk_protocol::failure::Failure;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::DONE;
use crate::cli::Cli;
use crate::context::Context;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk completions bash > ~/.local/share/bash-completion/completions/bsk")]
pub(crate) struct CompletionsArgs {
    /// Shell to write it for
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, context: &Context) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "bsk", &mut script);
    if context.output.is_json() {
        context.output.json(&serde_json::json!({ "script": String::from_utf8_lossy(&script) }))?;
    } else {
        context.output.bytes(&script)?;
    }
    Ok(DONE)
}
