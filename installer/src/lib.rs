//! Registers `bsk-host` with the user's browsers, undoes exactly that, and says why no host is connected.
//!
//! `plan` decides and writes nothing; `apply` writes what a plan says; `uninstall` undoes what the record
//! lists; `verify` and `diagnose` only look. Blocking code: call it from a thread that may wait.
//!
//! Refuses to follow a symlink in place of a manifest, to lose a manifest that it replaces, and to remove
//! what it did not write. Never talks to a browser or to a running host. Everything comes from an
//! `InstallEnvironment`, so a test never touches the real home directory.

mod apply;
mod browsers;
mod diagnose;
mod environment;
mod error;
mod files;
mod manifest;
mod plan;
mod policy;
mod probe;
mod record;
mod registrations;
mod report;
mod uninstall;
mod verify;

pub use apply::apply;
pub use browsers::{Browser, Confinement, browsers, supported_ids};
pub use diagnose::{BrowserPlace, NoHostCause, diagnose};
pub use environment::{InstallEnvironment, default_host_binary, find_extension_dir};
pub use error::{ErrorKind, InstallError};
pub use manifest::{HOST_NAME, HostManifest, extension_ids, is_extension_id};
pub use plan::{InstallRequest, Plan, Scope, Step, plan};
pub use probe::HostFault;
pub use report::{Action, Applied, LoadInstructions, Outcome, Reason, Warning};
pub use uninstall::{UninstallRequest, uninstall};
pub use verify::{Check, CheckStatus, verify};
