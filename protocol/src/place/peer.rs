//! Who is at the other end of a socket.

use std::io;

use interprocess::local_socket::PeerCreds;

use crate::failure::{ErrorCode, Failure, Reason};

/// Checks that the peer runs as this user; both ends call it before they send anything.
///
/// # Platform-specific behaviour
/// On Unix the kernel's credentials of the peer are compared with our effective uid; root is no exception. On Windows
/// the pipe's owner-only security descriptor does this work.
///
/// # Errors
/// [`Reason::PeerNotTrusted`], also where the system does not tell.
pub fn check_peer(credentials: io::Result<PeerCreds>) -> Result<(), Failure> {
    let refused = |message: String| {
        Failure::new(ErrorCode::NoBrowserConnected, Reason::PeerNotTrusted, message)
            .hint("run `bsk` as the user whose browser it is")
    };
    let credentials =
        credentials.map_err(|error| refused(format!("the socket's peer is unknown: {error}")))?;
    #[cfg(unix)]
    {
        let own = nix::unistd::geteuid().as_raw();
        match credentials.euid() {
            Some(uid) if uid == own => Ok(()),
            Some(uid) => Err(refused(format!("the socket's peer runs as uid {uid}, not as uid {own}"))),
            None => Err(refused("the system does not tell who the socket's peer is".to_owned())),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = credentials;
        Ok(())
    }
}
