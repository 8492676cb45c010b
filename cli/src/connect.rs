//! Finds the hosts of this user, and the one that a command is for.
//!
//! Every socket in the runtime directory is tried at once, so that a host that hangs delays nobody. Sockets that refuse
//! are a dead host's and are removed; nothing else is. A directory that is not ours alone is refused before it is read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::HostHello;
use bsk_protocol::place::RuntimeDir;

pub(crate) use crate::choose::Wanted;
use crate::choose::{self, lists};
use crate::greeting::{Found, Host, greet};
use crate::no_host;
use crate::output::Output;

/// How long a host has for its hello.
const HELLO_TIME: Duration = Duration::from_secs(2);

/// How long the others still have once the wanted session's host has answered.
const REST_TIME: Duration = Duration::from_millis(100);

/// Between two looks for a host that is just starting.
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// What is in the runtime directory.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Hosts that completed the hello, oldest connection first.
    pub(crate) hosts: Vec<Host>,
    /// Why others cannot be used.
    pub(crate) failures: Vec<Failure>,
    /// Whether a dead host's socket was found: its browser may be starting another.
    pub(crate) has_corpse: bool,
}

/// Looks once at every socket.
///
/// # Errors
/// The runtime directory cannot be used. What single sockets do wrong is in [`Scan::failures`].
pub(crate) fn scan(output: &Output, wanted: &Wanted<'_>) -> Result<(RuntimeDir, Scan), Failure> {
    let dir = RuntimeDir::open()?;
    let scan = scan_dir(output, &dir, wanted)?;
    Ok((dir, scan))
}

/// The host that a command is for; waits up to `wait` for one that is just starting.
///
/// # Errors
/// No host, none that fits, or several.
pub(crate) fn host_for(output: &Output, wanted: &Wanted<'_>, wait: Duration) -> Result<Host, Failure> {
    let dir = RuntimeDir::open()?;
    let give_up = Instant::now() + wait;
    let mut was_restarting = false;
    loop {
        let mut scan = scan_dir(output, &dir, wanted)?;
        was_restarting |= scan.has_corpse;
        let is_over = Instant::now() >= give_up;
        if scan.hosts.is_empty() {
            // What is there and cannot be used will not change by waiting.
            if !scan.failures.is_empty() {
                return Err(scan.failures.swap_remove(0));
            }
            if is_over {
                return Err(no_host::failure());
            }
        } else {
            let hellos: Vec<&HostHello> = scan.hosts.iter().map(|host| &host.hello).collect();
            match choose::choose(&hellos, wanted) {
                Ok(index) => {
                    let host = scan.hosts.swap_remove(index);
                    output.trace(|| format!("using {}", host.socket.display()));
                    return Ok(host);
                }
                Err(failure) if failure.code == ErrorCode::NotFound => {
                    // It may be on the host that we could not talk to, or on one that is being restarted.
                    if !scan.failures.is_empty() {
                        return Err(scan.failures.swap_remove(0));
                    }
                    if is_over || !was_restarting {
                        return Err(failure);
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Every host; waits up to `wait` for one.
///
/// # Errors
/// There is none, or one that cannot be used.
pub(crate) fn all_hosts(output: &Output, wait: Duration) -> Result<Vec<Host>, Failure> {
    let dir = RuntimeDir::open()?;
    let give_up = Instant::now() + wait;
    loop {
        let mut scan = scan_dir(output, &dir, &Wanted::default())?;
        if !scan.failures.is_empty() {
            return Err(scan.failures.swap_remove(0));
        }
        if !scan.hosts.is_empty() {
            return Ok(scan.hosts);
        }
        if Instant::now() >= give_up {
            return Err(no_host::failure());
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Connects again to the host behind a socket; one connection carries one command.
///
/// # Errors
/// The host is gone or cannot be used.
pub(crate) fn host_at(socket: &Path) -> Result<Host, Failure> {
    match greet(socket, Instant::now() + HELLO_TIME) {
        Found::Host(host) => Ok(*host),
        Found::Unusable(failure) => Err(failure),
        Found::Corpse | Found::Gone => {
            let message = format!("the host at `{}` ended", socket.display());
            Err(Failure::new(ErrorCode::NoBrowserConnected, Reason::ConnectionLost, message)
                .hint("run the command again"))
        }
    }
}

fn scan_dir(output: &Output, dir: &RuntimeDir, wanted: &Wanted<'_>) -> Result<Scan, Failure> {
    let mut sockets = dir.socket_paths().map_err(|error| unreadable(dir, &error))?;
    sockets.sort();
    output.trace(|| format!("{} sockets in {}", sockets.len(), dir.path().display()));
    let mut scan = Scan::default();
    let deadline = Instant::now() + HELLO_TIME;
    match sockets.as_slice() {
        [] => {}
        [socket] => scan.take(dir, socket, greet(socket, deadline)),
        _ => scan_all(&mut scan, dir, &sockets, wanted, deadline),
    }
    scan.hosts.sort_by_key(|host| host.hello.connected_at_ms);
    Ok(scan)
}

fn scan_all(
    scan: &mut Scan,
    dir: &RuntimeDir,
    sockets: &[PathBuf],
    wanted: &Wanted<'_>,
    mut deadline: Instant,
) {
    let (sender, receiver) = mpsc::channel();
    for socket in sockets.iter().cloned() {
        let sender = sender.clone();
        thread::spawn(move || {
            let found = greet(&socket, deadline);
            // The receiver may have decided already.
            let _ = sender.send((socket, found));
        });
    }
    drop(sender);
    // The threads keep the deadline themselves; their last words still have to get here.
    deadline += REST_TIME;
    loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok((socket, found)) => {
                if let (Found::Host(host), Some(session)) = (&found, wanted.session)
                    && lists(&host.hello, session)
                {
                    deadline = deadline.min(Instant::now() + REST_TIME);
                }
                scan.take(dir, &socket, found);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl Scan {
    fn take(&mut self, dir: &RuntimeDir, socket: &Path, found: Found) {
        match found {
            Found::Host(host) => self.hosts.push(*host),
            Found::Unusable(failure) => self.failures.push(failure),
            Found::Gone => {}
            Found::Corpse => self.has_corpse |= dir.remove_corpse(socket),
        }
    }
}

fn unreadable(dir: &RuntimeDir, error: &io::Error) -> Failure {
    let message = format!("runtime directory `{}` cannot be read: {error}", dir.path().display());
    Failure::new(ErrorCode::NoBrowserConnected, Reason::RuntimeDirUnsafe, message)
        .hint(format!("check who may read `{}`; an agent's sandbox must allow it", dir.path().display()))
}
