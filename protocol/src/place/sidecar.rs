//! The sidecar: what a person or `bsk doctor` can read about a host without asking it.
//!
//! Written beside the socket after bind, by rename, so it is never seen half done. It proves nothing (invariant 9).

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ids::InstanceId;

/// What a sidecar says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// [`crate::PROTOCOL_VERSION`] of the host.
    pub protocol: u32,
    /// [`crate::BUILD_VERSION`] of the host.
    pub host_version: String,
    /// The host's process, for a person who looks for it.
    pub pid: u32,
    /// The profile's extension.
    pub instance_id: InstanceId,
    /// Such as `Chromium 156.0.8078.114`.
    pub browser: String,
    /// Milliseconds since 1970.
    pub started_at_ms: u64,
}

impl Sidecar {
    /// Where the sidecar of a socket is.
    #[must_use]
    pub fn path_for(socket: &Path) -> PathBuf {
        socket.with_extension("json")
    }

    /// Writes it, readable by the user alone.
    ///
    /// # Errors
    /// What the system said; no partial file is left.
    pub fn write(&self, socket: &Path) -> io::Result<()> {
        let folder = socket.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.persist(Self::path_for(socket))?;
        Ok(())
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it is missing or malformed.
    pub fn read(socket: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(Self::path_for(socket))?)?)
    }
}
