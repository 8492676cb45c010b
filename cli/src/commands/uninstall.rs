//! `bsk uninstall`: undoes what earlier installs did, and nothing else.
//!
//! What is removed and restored, the installer decides by its record: a manifest that somebody changed stays. A second
//! call changes nothing.

use bsk_installer::UninstallRequest;
use bsk_protocol::failure::Failure;
use clap::Args;

use super::DONE;
use super::install::{BrowserFilter, failed};
use crate::context::Context;
use crate::no_host;

/// Undo what `bsk install` did
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk uninstall --dry-run
  bsk uninstall --browser chrome")]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    filter: BrowserFilter,
    /// Accepted for symmetry with `bsk install`
    #[arg(long, value_name = "ID", hide = true)]
    extension_id: Vec<String>,
}

pub(crate) fn run(args: UninstallArgs, context: &Context) -> Result<u8, Failure> {
    let environment = no_host::environment()?;
    let BrowserFilter { browser, user_data_dir, system, dry_run } = args.filter;
    let request =
        UninstallRequest { browsers: browser, user_data_dir, is_system: system, is_dry_run: dry_run };
    let applied = bsk_installer::uninstall(&environment, &request).map_err(|error| failed(&error))?;
    if context.output.is_json() {
        context.output.json(&applied)?;
    } else {
        context.output.note(&applied.to_string())?;
    }
    Ok(DONE)
}
