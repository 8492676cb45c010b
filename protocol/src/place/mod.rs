//! Where the two ends meet: one directory per user, in it one socket and one sidecar per host.
//!
//! The directory does not depend on the environment, since browser and shell see different ones; `BSK_RUNTIME_DIR` and
//! `BSK_HOME` override it for tests, containers and forwarded sockets. Refuses a directory that is not the user's alone.
//! Alive means a completed hello: nothing here concludes anything from a pid or from a file that exists (invariant 9).

mod peer;
mod runtime_dir;
mod sidecar;

pub use peer::check_peer;
pub use runtime_dir::{BIND_WINDOW, PlaceError, RuntimeDir, home_dir, open_private_dir, state_dir};
pub use sidecar::Sidecar;

/// Overrides the runtime directory.
pub const RUNTIME_DIR_VAR: &str = "BSK_RUNTIME_DIR";
/// Overrides the state directory (logs, install record).
pub const HOME_VAR: &str = "BSK_HOME";
