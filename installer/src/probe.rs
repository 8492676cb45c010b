//! Looks at the living system: can this host program start, and does a browser use this data directory?
//!
//! A host program is run with `--version` and nothing else, with its input and output closed, and is killed
//! when it does not answer in time. Never signals a browser. A browser counts as running when the pid in its
//! `SingletonLock` exists on this machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::files;

/// How long a host program may take to print its version.
pub(crate) const VERSION_TIMEOUT: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(3);

/// Why a browser cannot start the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostFault {
    /// The manifest cannot be read or is not a manifest for our host.
    ManifestBroken,
    /// The manifest does not allow bsk's extension.
    ExtensionNotAllowed,
    /// The program does not exist.
    Missing,
    /// The path is a folder or something else that is no program.
    NotAFile,
    /// The program lacks the right to be executed.
    NotExecutable,
    /// The system refused to start it.
    CannotSpawn {
        /// The system's own reason.
        detail: String,
    },
    /// It ended with a failure.
    Failed {
        /// Its exit code; none when a signal ended it.
        exit_code: Option<i32>,
    },
    /// It did not end in time.
    NoAnswer {
        /// How long it was given.
        waited_ms: u64,
    },
}

impl HostFault {
    /// The fault in words, to follow the program's or manifest's path.
    pub fn text(&self) -> String {
        match self {
            Self::ManifestBroken => "is not a valid host manifest".to_owned(),
            Self::ExtensionNotAllowed => "does not allow bsk's extension".to_owned(),
            Self::Missing => "does not exist".to_owned(),
            Self::NotAFile => "is not a program".to_owned(),
            Self::NotExecutable => "cannot be executed".to_owned(),
            Self::CannotSpawn { detail } => format!("cannot be started: {detail}"),
            Self::Failed { exit_code: Some(code) } => format!("ended with exit code {code} on `--version`"),
            Self::Failed { exit_code: None } => "was ended by a signal on `--version`".to_owned(),
            Self::NoAnswer { waited_ms } => format!("did not answer `--version` within {waited_ms} ms"),
        }
    }
}

/// Probes several programs at once; takes at most about [`VERSION_TIMEOUT`] in all.
pub(crate) fn host_faults(paths: &[PathBuf]) -> Vec<Option<HostFault>> {
    thread::scope(|scope| {
        let running: Vec<_> = paths.iter().map(|path| scope.spawn(|| host_fault(path))).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or(None)).collect()
    })
}

/// Why this program cannot serve as host; `None` when it answers.
pub(crate) fn host_fault(path: &Path) -> Option<HostFault> {
    match fs::metadata(path) {
        Err(_) => return Some(HostFault::Missing),
        Ok(metadata) if !metadata.is_file() => return Some(HostFault::NotAFile),
        Ok(metadata) if !files::is_executable(&metadata) => return Some(HostFault::NotExecutable),
        Ok(_) => {}
    }
    let deadline = Instant::now() + VERSION_TIMEOUT;
    match spawn(path, deadline) {
        Ok(child) => wait(child, deadline),
        Err(error) => Some(HostFault::CannotSpawn { detail: error.to_string() }),
    }
}

/// A program that is just being replaced is busy for a moment; that is no fault.
fn spawn(path: &Path, deadline: Instant) -> io::Result<Child> {
    loop {
        let started = Command::new(path)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                thread::sleep(POLL);
            }
            other => return other,
        }
    }
}

fn wait(mut child: Child, deadline: Instant) -> Option<HostFault> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return None,
            Ok(Some(status)) => return Some(HostFault::Failed { exit_code: status.code() }),
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
            Ok(None) => {
                // Both only fail when the process is gone already.
                let _ = child.kill();
                let _ = child.wait();
                return Some(HostFault::NoAnswer { waited_ms: VERSION_TIMEOUT.as_millis() as u64 });
            }
            Err(error) => return Some(HostFault::CannotSpawn { detail: error.to_string() }),
        }
    }
}

/// Whether a browser of this machine uses the data directory.
///
/// Chromium keeps a symlink `SingletonLock` → `<host name>-<pid>` there for as long as it runs (Linux and macOS).
pub(crate) fn is_browser_running(data_dir: &Path) -> bool {
    let Ok(target) = fs::read_link(data_dir.join("SingletonLock")) else { return false };
    let target = target.to_string_lossy();
    let Some((machine, pid)) = target.rsplit_once('-') else { return false };
    is_this_machine(machine) && pid.parse().is_ok_and(is_process)
}

/// A home directory on a network may hold another machine's lock.
fn is_this_machine(machine: &str) -> bool {
    match fs::read_to_string("/proc/sys/kernel/hostname") {
        Ok(name) => name.trim() == machine,
        Err(_) => true,
    }
}

#[cfg(unix)]
fn is_process(pid: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    match Pid::from_raw(pid).filter(|_| pid > 0) {
        Some(pid) => matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM)),
        None => false,
    }
}

#[cfg(not(unix))]
fn is_process(_: i32) -> bool {
    false
}
