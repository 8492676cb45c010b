//! Why no host is connected, as a failure: the installer's diagnosis in our codes.
//!
//! Looks at files and browser locks only; takes about half a second at most.

use std::env;
use std::path::PathBuf;

use bsk_installer::{InstallEnvironment, NoHostCause};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::place::{PlaceError, home_dir, state_dir};

/// The machine as the installer sees it. The home directory is the one that browsers see: `HOME`.
///
/// # Errors
/// No home directory is known.
pub(crate) fn environment() -> Result<InstallEnvironment, Failure> {
    let from_environment = env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = from_environment.or_else(home_dir).ok_or(PlaceError::NoHome)?;
    Ok(InstallEnvironment::of_this_machine(home, state_dir()?))
}

/// The failure of a command that needs a host.
pub(crate) fn failure() -> Failure {
    let environment = match environment() {
        Ok(environment) => environment,
        Err(failure) => return failure,
    };
    let cause = bsk_installer::diagnose(&environment);
    let reason = match cause {
        NoHostCause::NotInstalled => Reason::HostNotInstalled,
        NoHostCause::HostCannotStart { .. } => Reason::HostCannotStart,
        NoHostCause::BrowserNotRunning { .. } => Reason::BrowserNotRunning,
        NoHostCause::ExtensionMissingOrOff { .. } => Reason::ExtensionMissing,
    };
    Failure::new(ErrorCode::NoBrowserConnected, reason, cause.message()).hint(cause.hint())
}

/// What is the matter in one line, for commands that are fine without a host: why the hosts that are there cannot be
/// used, else why there is none.
pub(crate) fn hint_for(failures: &[Failure]) -> String {
    let failure = match failures.first() {
        Some(failure) => failure.clone(),
        None => failure(),
    };
    match failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message,
    }
}
