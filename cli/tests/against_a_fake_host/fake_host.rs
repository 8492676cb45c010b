//! A host without a browser: speaks the local wire in a test's own runtime directory and answers as the test says.
//!
//! Each [`Place`] is a temporary folder with runtime directory, state and home; `bsk` started from it sees nothing else.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use bsk_protocol::codec::{FrameReader, Local, encode, encode_raw};
use bsk_protocol::failure::Failure;
use bsk_protocol::place::RuntimeDir;
use interprocess::local_socket::traits::ListenerExt as _;
use interprocess::local_socket::{GenericFilePath, Listener, ListenerOptions, Stream, ToFsName as _};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a fake host does with a command.
pub(crate) enum Answer {
    /// Replies with a result.
    Ok(Value),
    /// Replies with a result and raw bytes.
    Raw(Value, Vec<u8>),
    /// Replies with a failure.
    Failed(Failure),
    /// Asks for an upload's files, reads so many messages of them, then replies with a result or ends.
    TakeFiles(usize, Option<Value>),
    /// Ends without a reply.
    Close,
    /// Says nothing and keeps the connection.
    Silent,
}

/// A test's own world.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    environment: BTreeMap<&'static str, PathBuf>,
}

/// A running fake host.
pub(crate) struct FakeHost {
    pub(crate) socket: PathBuf,
    commands: Arc<Mutex<Vec<Value>>>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let inside = |name: &str| folder.path().join(name);
        let environment = BTreeMap::from([
            ("BSK_RUNTIME_DIR", inside("run")),
            ("BSK_HOME", inside("state")),
            ("HOME", inside("home")),
        ]);
        Self { folder, environment }
    }

    pub(crate) fn runtime_dir(&self) -> RuntimeDir {
        RuntimeDir::at(self.folder.path().join("run")).expect("a private directory")
    }

    /// `bsk` in this world.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bsk"));
        command.args(arguments).env_clear().envs(&self.environment).current_dir(self.folder.path());
        command.stdin(Stdio::null());
        command
    }

    /// Runs `bsk` to its end.
    pub(crate) fn bsk(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("bsk runs")
    }

    /// Runs `bsk --json` to its end; gives the exit code and the one value.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.command(arguments).arg("--json").output().expect("bsk runs");
        let value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error} in {:?}", String::from_utf8_lossy(&output.stdout)));
        (output.status.code().expect("an exit code"), value)
    }

    /// Starts a host with a good hello.
    pub(crate) fn host(
        &self,
        instance: &str,
        sessions: &[&str],
        answer: impl Fn(&Value) -> Answer + Send + Sync + 'static,
    ) -> FakeHost {
        self.host_with(hello(instance, sessions), answer)
    }

    /// Starts a host whose first message is `first`; null keeps silent.
    pub(crate) fn host_with(
        &self,
        first: Value,
        answer: impl Fn(&Value) -> Answer + Send + Sync + 'static,
    ) -> FakeHost {
        let socket = self.runtime_dir().new_socket_path();
        let name = socket.as_path().to_fs_name::<GenericFilePath>().expect("a path");
        let listener = ListenerOptions::new().name(name).create_sync().expect("a socket");
        let commands = Arc::new(Mutex::new(Vec::new()));
        let host = FakeHost { socket, commands: Arc::clone(&commands) };
        thread::spawn(move || serve(&listener, &first, &answer, &commands));
        host
    }
}

impl FakeHost {
    /// The commands that came, oldest first.
    pub(crate) fn commands(&self) -> Vec<Value> {
        self.commands.lock().expect("no test thread panicked").clone()
    }

    /// The one command that came.
    pub(crate) fn command(&self) -> Value {
        let commands = self.commands();
        assert_eq!(commands.len(), 1, "{commands:?}");
        commands[0].clone()
    }
}

/// A hello as a host of this version sends it.
pub(crate) fn hello(instance: &str, sessions: &[&str]) -> Value {
    let session =
        |id: &&str| json!({ "session_id": id, "agent_window_id": 1, "created_at_ms": 5, "tab_ids": [10] });
    json!({ "hello": {
        "protocol": bsk_protocol::PROTOCOL_VERSION,
        "host_version": bsk_protocol::BUILD_VERSION,
        "instance_id": instance,
        "browser_name": "Chromium",
        "browser_version": "156.0.1.2",
        "extension_version": bsk_protocol::BUILD_VERSION,
        "connected_at_ms": 1000,
        "sessions": sessions.iter().map(session).collect::<Vec<_>>(),
    }})
}

fn serve(
    listener: &Listener,
    first: &Value,
    answer: &(impl Fn(&Value) -> Answer + Sync),
    commands: &Mutex<Vec<Value>>,
) {
    thread::scope(|scope| {
        for stream in listener.incoming().map_while(Result::ok) {
            scope.spawn(move || {
                // A client may go at any time.
                let _ = talk(&stream, first, answer, commands);
            });
        }
    });
}

fn talk(
    stream: &Stream,
    first: &Value,
    answer: &(impl Fn(&Value) -> Answer + Sync),
    commands: &Mutex<Vec<Value>>,
) -> Option<()> {
    let mut reader = FrameReader::<Local, _>::new(stream);
    let mut writer = stream;
    let mut send = |message: &Value| writer.write_all(&encode::<Local>(message).ok()?).ok();
    reader.next_frame().ok()??;
    if !first.is_null() {
        send(first)?;
    }
    let command: Value = reader.next_frame().ok()??.decode().ok()?;
    let command = command["command"].clone();
    commands.lock().ok()?.push(command.clone());
    match answer(&command) {
        Answer::Ok(result) => send(&json!({ "reply": { "outcome": { "ok": result } } }))?,
        Answer::Failed(failure) => send(&json!({ "reply": { "outcome": { "failed": failure } } }))?,
        Answer::Raw(result, bytes) => {
            send(&json!({ "reply": { "outcome": { "ok": result }, "raw_bytes": bytes.len() } }))?;
            for frame in encode_raw(&bytes) {
                writer.write_all(&frame).ok()?;
            }
        }
        Answer::TakeFiles(messages, result) => {
            send(&json!({ "send_files": {} }))?;
            for _ in 0..messages {
                reader.next_frame().ok()??;
            }
            if let Some(result) = result {
                send(&json!({ "reply": { "outcome": { "ok": result } } }))?;
            }
        }
        Answer::Close => {}
        Answer::Silent => {
            reader.next_frame().ok()?;
        }
    }
    Some(())
}

/// Text of a stream.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
