//! A test's own directories and environment, and `bsk` run in them.
//!
//! Everything is below one short folder in `/tmp` (socket paths are limited to 104 bytes) that only this user can enter,
//! and is removed in the end. The environment is cleared: no variable of the developer reaches a test.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use bsk_protocol::place::{HOME_VAR, RUNTIME_DIR_VAR};
use nix::sys::signal::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::{processes, workspace};

/// No command of a test takes longer; one that does has hung.
const LIMIT: Duration = Duration::from_secs(60);

/// A test's own directories and environment.
#[derive(Debug)]
pub struct Scratch {
    root: TempDir,
    variables: Vec<(String, String)>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// Makes the directories; those for runtime and state are not made, that is the product's work.
    ///
    /// # Panics
    /// When `/tmp` cannot be written.
    #[must_use]
    pub fn new() -> Self {
        let mine = fs::Permissions::from_mode(0o700);
        let root = tempfile::Builder::new().prefix("bsk-").permissions(mine).tempdir_in("/tmp");
        let root = root.expect("a folder in /tmp");
        for name in ["home", "tmp", "out"] {
            fs::create_dir(root.path().join(name)).expect("a folder in our own folder");
        }
        Self { root, variables: Vec::new() }
    }

    /// Sets one more variable for everything started here.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The folder that all else is in.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// What `BSK_RUNTIME_DIR` says.
    #[must_use]
    pub fn runtime_dir(&self) -> PathBuf {
        self.root().join("run")
    }

    /// What `BSK_HOME` says.
    #[must_use]
    pub fn state_dir(&self) -> PathBuf {
        self.root().join("state")
    }

    /// A place for a file that a test writes.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.root().join("out").join(name)
    }

    /// The sockets and sidecars in the runtime directory.
    #[must_use]
    pub fn runtime_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.runtime_dir()).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }

    /// The one socket in the runtime directory.
    ///
    /// # Panics
    /// When there is none or more than one.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        let is_socket = |path: &PathBuf| path.extension() == Some(OsStr::new("sock"));
        let sockets: Vec<PathBuf> = self.runtime_files().into_iter().filter(is_socket).collect();
        let [socket] = &sockets[..] else { panic!("one socket was expected: {sockets:?}") };
        socket.clone()
    }

    /// A program with this test's environment and nothing else.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .env("HOME", self.root().join("home"))
            .env("TMPDIR", self.root().join("tmp"))
            .env(RUNTIME_DIR_VAR, self.runtime_dir())
            .env(HOME_VAR, self.state_dir())
            .current_dir(self.root().join("out"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `bsk` to its end.
    ///
    /// # Panics
    /// When it cannot be started or hangs.
    #[track_caller]
    pub fn bsk<A: AsRef<OsStr>>(&self, args: &[A]) -> Ran {
        self.start_bsk(args).finish()
    }

    /// Starts `bsk` and does not wait.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn start_bsk<A: AsRef<OsStr>>(&self, args: &[A]) -> Running {
        let mut command = self.command(workspace::bsk());
        command.args(args);
        Running::start(command)
    }

    /// Runs `bsk … --json`, which must succeed, and gives its result.
    ///
    /// # Panics
    /// When it fails, with everything it said.
    #[track_caller]
    pub fn bsk_ok<A: AsRef<OsStr>>(&self, args: &[A]) -> Value {
        let mut all: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        all.push(OsStr::new("--json"));
        self.bsk(&all).success()
    }

    /// Runs `bsk … --json`, which must fail, and gives what it said.
    ///
    /// # Panics
    /// When it succeeds or says something else than an error in JSON.
    #[track_caller]
    pub fn bsk_err<A: AsRef<OsStr>>(&self, args: &[A]) -> Value {
        let mut all: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        all.push(OsStr::new("--json"));
        self.bsk(&all).failure()
    }
}

/// A command that runs.
#[derive(Debug)]
pub struct Running {
    line: String,
    pid: u32,
    started: Instant,
    end: Receiver<(ExitStatus, Vec<u8>, Vec<u8>, Instant)>,
}

impl Running {
    /// Starts a command, its output captured, its input empty.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let line = line_of(&command);
        let started = Instant::now();
        let child = command.spawn().unwrap_or_else(|error| panic!("`{line}` cannot be started: {error}"));
        let pid = child.id();
        let (sender, end) = channel();
        thread::spawn(move || {
            let output = child.wait_with_output().expect("our own child can be waited for");
            let _ = sender.send((output.status, output.stdout, output.stderr, Instant::now()));
        });
        Self { line, pid, started, end }
    }

    /// The process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Kills it without a chance to say goodbye.
    pub fn kill(&self) {
        processes::signal(self.pid, Signal::SIGKILL);
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it hangs; it is killed then.
    #[track_caller]
    #[must_use]
    pub fn finish(self) -> Ran {
        match self.end.recv_timeout(LIMIT) {
            Ok((status, stdout, stderr, ended)) => {
                let elapsed = ended.duration_since(self.started);
                Ran { line: self.line, status, stdout, stderr, elapsed, ended }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                self.kill();
                panic!("`{}` did not end within {LIMIT:?}", self.line)
            }
        }
    }
}

fn line_of(command: &Command) -> String {
    let name =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut line = name;
    for arg in command.get_args() {
        let text = arg.to_string_lossy();
        let shown: String = text.chars().take(120).collect();
        line.push(' ');
        line.push_str(&shown);
    }
    line
}

/// A command that ended.
#[derive(Debug)]
pub struct Ran {
    line: String,
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
    /// From start to end.
    pub elapsed: Duration,
    /// When it ended.
    pub ended: Instant,
}

impl Ran {
    /// Its exit code; none when a signal ended it.
    #[must_use]
    pub fn exit_code(&self) -> Option<i32> {
        self.status.code()
    }

    /// What it wrote, as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What it complained about, as text.
    #[must_use]
    pub fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// What it wrote, as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.report()))
    }

    /// The result of a command that must have succeeded; null when it wrote nothing.
    ///
    /// # Panics
    /// When it failed.
    #[track_caller]
    #[must_use]
    pub fn success(&self) -> Value {
        assert_eq!(self.exit_code(), Some(0), "{}", self.report());
        if self.stdout.is_empty() { Value::Null } else { self.json() }
    }

    /// The error of a command that must have failed: exit code and JSON agree.
    ///
    /// # Panics
    /// When it succeeded, or its error is not as documented.
    #[track_caller]
    #[must_use]
    pub fn failure(&self) -> Value {
        assert!(!self.status.success(), "it should have failed: {}", self.report());
        let error = self.json();
        let code = self.exit_code().unwrap_or_else(|| panic!("it was ended by a signal: {}", self.report()));
        assert_eq!(error["exit_code"], code, "{}", self.report());
        assert!(error["code"].is_string() && error["message"].is_string(), "{}", self.report());
        error
    }

    /// Everything about it, for a message.
    #[must_use]
    pub fn report(&self) -> String {
        format!(
            "`{}` ended with {} after {:?}\nstdout: {}\nstderr: {}",
            self.line,
            self.status,
            self.elapsed,
            self.text(),
            self.complaint()
        )
    }
}
