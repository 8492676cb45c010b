//! A host that wishes the user ill: the browser starts `hostile-host` in bsk-host's place, which passes the frames on to
//! the test, and the test says to the real extension whatever it likes.
//!
//! [`RELAY_VAR`] tells the program where the test listens; it reaches it through the browser's environment.

use std::io::{BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use bsk_protocol::codec::{FrameReader, FromExtension, Joiner, Part, ToExtension, encode};
use serde_json::{Value, json};

use crate::waiting::until;

/// Where the test listens.
pub const RELAY_VAR: &str = "BSK_TEST_RELAY";

const LIMIT: Duration = Duration::from_secs(20);

/// The place where hostile hosts come to.
#[derive(Debug)]
pub struct Relay {
    listener: UnixListener,
}

/// One native messaging port of the real extension, with the test as its host.
#[derive(Debug)]
pub struct HostilePort {
    stream: UnixStream,
    messages: Receiver<Value>,
    next_id: u32,
    /// What the extension said first.
    pub hello: Value,
}

impl Relay {
    /// Listens at a path.
    ///
    /// # Panics
    /// When the path is taken.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let listener =
            UnixListener::bind(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        listener.set_nonblocking(true).expect("a socket can be made to not block");
        Self { listener }
    }

    /// The next host that the browser starts, after the extension's hello; it is not welcomed yet.
    ///
    /// # Panics
    /// When none comes.
    #[track_caller]
    #[must_use]
    pub fn accept(&self) -> HostilePort {
        let (stream, _) =
            until("a hostile host started by the browser", LIMIT, || self.listener.accept().ok());
        stream.set_nonblocking(false).expect("a socket can be made to block");
        let incoming = stream.try_clone().expect("a socket can be shared");
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut reader = FrameReader::<FromExtension, _>::new(BufReader::new(incoming));
            let mut joiner = Joiner::default();
            while let Ok(Some(frame)) = reader.next_frame() {
                let Ok(mut message) = frame.decode::<Value>() else { break };
                if let Some(part) = message.get("part") {
                    let Ok(part) = serde_json::from_value::<Part>(part.clone()) else { break };
                    match joiner.push(&part) {
                        Ok(Some(text)) => message = serde_json::from_str(&text).unwrap_or_default(),
                        Ok(None) => continue,
                        Err(_) => break,
                    }
                }
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut port = HostilePort { stream, messages, next_id: 0, hello: Value::Null };
        port.hello = port.receive().expect("the extension says hello")["hello"].clone();
        port
    }
}

impl HostilePort {
    /// Sends any message.
    pub fn send(&mut self, message: &Value) {
        if let Ok(frame) = encode::<ToExtension>(message) {
            self.send_bytes(&frame);
        }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Takes the hello, as a host that means well would.
    pub fn welcome(&mut self) {
        self.send(&json!({ "welcome": { "host_version": "0.1.0" } }));
    }

    /// The next message; none when the port is closed or nothing comes for long.
    #[must_use]
    pub fn receive(&self) -> Option<Value> {
        self.messages.recv_timeout(LIMIT).ok()
    }

    /// Asks for something; gives the reply's outcome, `{"ok": …}` or `{"failed": …}`.
    ///
    /// # Panics
    /// When the port closes instead.
    #[track_caller]
    pub fn ask(&mut self, call: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "request": { "id": id, "call": call } }));
        loop {
            let message = self.receive();
            let Some(message) = message else { panic!("no reply to {}", cut(call)) };
            if message["reply"]["id"] == id {
                return message["reply"]["outcome"].clone();
            }
        }
    }

    /// Asks for something that must be done.
    ///
    /// # Panics
    /// When it is refused.
    #[track_caller]
    pub fn ask_ok(&mut self, call: &Value) -> Value {
        let outcome = self.ask(call);
        assert!(outcome.get("ok").is_some(), "{} was refused: {outcome}", cut(call));
        outcome["ok"].clone()
    }

    /// Asks for something that must be refused; gives the failure.
    ///
    /// # Panics
    /// When it is done.
    #[track_caller]
    pub fn ask_refused(&mut self, call: &Value) -> Value {
        let outcome = self.ask(call);
        assert!(outcome.get("failed").is_some(), "{} was done: {}", cut(call), cut(&outcome));
        outcome["failed"].clone()
    }

    /// Calls a CDP method in a tab of a session; gives the reply's outcome.
    ///
    /// # Panics
    /// When the port closes instead.
    #[track_caller]
    pub fn cdp(&mut self, session: &str, tab: u64, method: &str, params: &Value) -> Value {
        let call = json!({ "session_id": session, "tab_id": tab, "method": method, "params": params });
        self.ask(&json!({ "cdp": call }))
    }
}

fn cut(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}
