//! `bsk install`: registers the host with browsers and says how to load the extension.
//!
//! What is written where, the installer decides and reports; nothing else on the machine changes.

use std::path::PathBuf;

use bsk_installer::{ErrorKind, InstallError, InstallRequest};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use clap::Args;

use super::DONE;
use crate::context::Context;
use crate::no_host;

/// Register bsk's host with the user's browsers
///
/// Without `--browser` every browser that is found is registered. Says what was written where, and how to load the
/// extension.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk install --dry-run
  bsk install --browser chrome
  bsk install --user-data-dir ~/profiles/work")]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    filter: BrowserFilter,
    /// Extension that may start the host besides bsk's own; repeat for several
    #[arg(long, value_name = "ID")]
    extension_id: Vec<String>,
}

/// Which registrations are meant.
#[derive(Debug, Args)]
pub(crate) struct BrowserFilter {
    /// Browser to use: chrome, chromium, edge or brave; repeat for several
    #[arg(long, value_name = "BROWSER", value_delimiter = ',')]
    pub(crate) browser: Vec<String>,
    /// Browser data directory to use, and no other
    #[arg(long, value_name = "DIR")]
    pub(crate) user_data_dir: Option<PathBuf>,
    /// For all users of the machine; needs administrator rights
    #[arg(long)]
    pub(crate) system: bool,
    /// Say what would be done and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: InstallArgs, context: &Context) -> Result<u8, Failure> {
    let environment = no_host::environment()?;
    let BrowserFilter { browser, user_data_dir, system, dry_run } = args.filter;
    let request = InstallRequest {
        browsers: browser,
        user_data_dir,
        is_system: system,
        extension_ids: args.extension_id,
    };
    let plan = bsk_installer::plan(&environment, &request).map_err(|error| failed(&error))?;
    let applied =
        if dry_run { plan.preview() } else { bsk_installer::apply(&plan).map_err(|error| failed(&error))? };
    if context.output.is_json() {
        context.output.json(&applied)?;
    } else {
        context.output.note(&applied.to_string())?;
    }
    Ok(DONE)
}

/// The installer's refusal in our codes; its own word is `data.cause`.
pub(crate) fn failed(error: &InstallError) -> Failure {
    let code = match error.kind() {
        ErrorKind::Request => ErrorCode::InvalidParams,
        ErrorKind::Machine => ErrorCode::Unsupported,
    };
    Failure::new(code, Reason::InstallFailed, error.message())
        .hint(error.hint())
        .with("cause", error.reason())
}
