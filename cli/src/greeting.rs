//! The hello: who is behind a socket, and whether we understand each other.
//!
//! The peer is checked before anything is sent. Only a completed hello makes a host (invariant 9). A host of another
//! version is told apart from one that talks nonsense, even when its hello has fields that we do not know.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use bsk_protocol::codec::{self, CodecError, Frame, Local};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::{FromCli, FromHost, HostHello, Outcome};
use bsk_protocol::place::check_peer;
use bsk_protocol::{BUILD_VERSION, PROTOCOL_VERSION};
use serde::Deserialize;

use crate::line::{Connection, is_timeout};

/// Between two tries of a socket that refused or is busy: a host binds its socket a moment before it listens.
const SECOND_LOOK: Duration = bsk_protocol::place::BIND_WINDOW;

/// The way to a new host.
const RELOAD: &str = "reload bsk's extension on the browser's extensions page; that starts a new host";

/// A host that completed the hello.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) hello: HostHello,
    pub(crate) socket: PathBuf,
    pub(crate) connection: Connection,
}

/// What is behind a socket.
#[derive(Debug)]
pub(crate) enum Found {
    /// A host.
    Host(Box<Host>),
    /// Nobody listens: the socket is a dead host's.
    Corpse,
    /// Nobody any more; it went while we looked.
    Gone,
    /// Somebody whom we cannot or must not talk to.
    Unusable(Failure),
}

/// Connects and says hello; done by the deadline.
pub(crate) fn greet(socket: &Path, deadline: Instant) -> Found {
    let connection = match open(socket, deadline) {
        Ok(connection) => connection,
        Err(error) => return not_connected(socket, &error),
    };
    if let Err(failure) = check_peer(connection.peer()) {
        return Found::Unusable(failure);
    }
    let hello = FromCli::Hello { protocol: PROTOCOL_VERSION, cli_version: BUILD_VERSION.to_owned() };
    match codec::encode::<Local>(&hello).and_then(|frame| connection.write(&frame).map_err(CodecError::Io)) {
        Ok(()) => answer(socket, connection),
        Err(error) => broken(socket, &error),
    }
}

/// Connects. A refused connection gets a second look, a full queue as many as the time allows.
fn open(socket: &Path, deadline: Instant) -> io::Result<Connection> {
    let mut was_refused = false;
    loop {
        let error = match Connection::open(socket, deadline) {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        let is_refused = error.kind() == io::ErrorKind::ConnectionRefused;
        let is_full = error.kind() == io::ErrorKind::WouldBlock && Instant::now() < deadline;
        if !is_full && (!is_refused || was_refused) {
            return Err(error);
        }
        was_refused |= is_refused;
        thread::sleep(SECOND_LOOK);
    }
}

fn not_connected(socket: &Path, error: &io::Error) -> Found {
    let kind = error.kind();
    if kind == io::ErrorKind::ConnectionRefused {
        return Found::Corpse;
    }
    if kind == io::ErrorKind::NotFound {
        return Found::Gone;
    }
    if is_timeout(error) {
        return Found::Unusable(silent(socket));
    }
    let failure =
        |reason: Reason, message: String| Failure::new(ErrorCode::NoBrowserConnected, reason, message);
    Found::Unusable(if kind == io::ErrorKind::PermissionDenied {
        let message = format!("the system does not let `bsk` connect to `{}`: {error}", socket.display());
        failure(Reason::ConnectionDenied, message).hint(format!(
            "if this runs in an agent's sandbox, allow it to connect to sockets in `{}`",
            socket.parent().unwrap_or(socket).display()
        ))
    } else {
        let message = format!("connecting to `{}` failed: {error}", socket.display());
        failure(Reason::ConnectionLost, message).hint("run `bsk doctor`")
    })
}

fn answer(socket: &Path, mut connection: Connection) -> Found {
    let frame = match connection.reader.next_frame() {
        Ok(Some(frame)) => frame,
        Ok(None) => return Found::Gone,
        Err(error) => return broken(socket, &error),
    };
    match frame.decode::<FromHost>() {
        Ok(FromHost::Hello(hello)) if hello.protocol == PROTOCOL_VERSION => {
            Found::Host(Box::new(Host { hello, socket: socket.to_owned(), connection }))
        }
        Ok(FromHost::Hello(hello)) => Found::Unusable(skew(hello.protocol, &hello.host_version)),
        Ok(FromHost::Reply { outcome: Outcome::Failed(failure), .. }) => Found::Unusable(failure),
        Ok(
            FromHost::Reply { outcome: Outcome::Ok(_), .. }
            | FromHost::Progress { .. }
            | FromHost::File { .. }
            | FromHost::SendFiles {},
        ) => Found::Unusable(nonsense(socket, "it did not begin with a hello")),
        Err(error) => {
            Found::Unusable(skew_in(&frame).unwrap_or_else(|| nonsense(socket, &error.to_string())))
        }
    }
}

/// Version skew, when the frame is a hello of another protocol.
fn skew_in(frame: &Frame) -> Option<Failure> {
    #[derive(Deserialize)]
    struct AnyHello {
        hello: Versions,
    }
    #[derive(Deserialize)]
    struct Versions {
        protocol: u32,
        #[serde(default)]
        host_version: String,
    }
    let AnyHello { hello } = frame.decode().ok()?;
    (hello.protocol != PROTOCOL_VERSION).then(|| skew(hello.protocol, &hello.host_version))
}

fn skew(protocol: u32, host_version: &str) -> Failure {
    let message = format!(
        "the browser's host {host_version} speaks protocol {protocol}, this `bsk` {BUILD_VERSION} speaks {PROTOCOL_VERSION}"
    );
    let hint = if protocol > PROTOCOL_VERSION {
        "use the `bsk` that came with the newer host; `which -a bsk` shows whether several are installed"
    } else {
        "run `bsk install`, then restart the browser so that it starts the newer host"
    };
    Failure::new(ErrorCode::VersionTooOld, Reason::VersionSkew, message)
        .hint(hint)
        .with("host_protocol", protocol)
        .with("host_version", host_version)
        .with("cli_protocol", PROTOCOL_VERSION)
        .with("cli_version", BUILD_VERSION)
}

fn broken(socket: &Path, error: &CodecError) -> Found {
    match error {
        CodecError::Io(error) if is_timeout(error) => Found::Unusable(silent(socket)),
        CodecError::Io(_) | CodecError::Truncated => Found::Gone,
        CodecError::Empty
        | CodecError::TooLong { .. }
        | CodecError::Json(_)
        | CodecError::UnexpectedKind
        | CodecError::BrokenParts => Found::Unusable(nonsense(socket, &error.to_string())),
    }
}

fn silent(socket: &Path) -> Failure {
    let message = format!("the host at `{}` accepts connections but does not answer", socket.display());
    Failure::new(ErrorCode::Timeout, Reason::HostSilent, message).hint(RELOAD)
}

fn nonsense(socket: &Path, detail: &str) -> Failure {
    let message = format!("what listens at `{}` does not talk like a host: {detail}", socket.display());
    Failure::new(ErrorCode::ProtocolError, Reason::HostMalformed, message).hint(RELOAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(kind: io::ErrorKind) -> Option<Reason> {
        match not_connected(Path::new("/run/h-1.sock"), &kind.into()) {
            Found::Unusable(failure) => failure.reason,
            Found::Host(_) | Found::Corpse | Found::Gone => panic!("{kind} was taken for no failure"),
        }
    }

    #[test]
    fn a_sandbox_that_forbids_the_socket_is_told_apart() {
        assert_eq!(reason(io::ErrorKind::PermissionDenied), Some(Reason::ConnectionDenied));
        assert_eq!(reason(io::ErrorKind::Other), Some(Reason::ConnectionLost));
        assert_eq!(reason(io::ErrorKind::TimedOut), Some(Reason::HostSilent));
    }

    #[test]
    fn only_a_refused_connection_makes_a_corpse() {
        let found = |kind: io::ErrorKind| not_connected(Path::new("/run/h-1.sock"), &kind.into());
        assert!(matches!(found(io::ErrorKind::ConnectionRefused), Found::Corpse));
        assert!(matches!(found(io::ErrorKind::NotFound), Found::Gone));
    }
}
