//! The CLI's end of the local wire, spoken by the test itself: what the real `bsk` would never send can be sent here.

use std::io::{BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use bsk_protocol::codec::{Frame, FrameReader, Local, encode};
use bsk_protocol::local::{Action, Command, FromCli, FromHost, HostHello, Outcome};
use bsk_protocol::{BUILD_VERSION, PROTOCOL_VERSION};

const LIMIT: Duration = Duration::from_secs(20);

/// One connection to a host.
#[derive(Debug)]
pub struct FakeCli {
    stream: UnixStream,
    reader: FrameReader<Local, BufReader<UnixStream>>,
}

impl FakeCli {
    /// Connects and says nothing yet.
    ///
    /// # Panics
    /// When nobody listens.
    #[track_caller]
    #[must_use]
    pub fn connect(socket: &Path) -> Self {
        let stream =
            UnixStream::connect(socket).unwrap_or_else(|error| panic!("`{}`: {error}", socket.display()));
        stream.set_read_timeout(Some(LIMIT)).expect("a socket takes a limit");
        let reader = FrameReader::new(BufReader::new(stream.try_clone().expect("a socket can be shared")));
        Self { stream, reader }
    }

    /// Sends bytes as they are; whether the host still takes them is not asked.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Says that nothing more is sent; what the host says can still be read.
    pub fn finish_sending(&self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Sends a message.
    ///
    /// # Panics
    /// When it does not fit a frame.
    pub fn send(&mut self, message: &FromCli) {
        let frame = encode::<Local>(message).expect("a message of a test fits a frame");
        self.send_bytes(&frame);
    }

    /// The next message; none when the host closed the connection.
    ///
    /// # Panics
    /// When the host sends something else than messages, or nothing for long.
    #[track_caller]
    pub fn receive(&mut self) -> Option<FromHost> {
        match self.reader.next_frame() {
            Ok(Some(frame)) => Some(frame.decode().expect("the host sends messages")),
            Ok(None) => None,
            Err(error) => {
                let text = error.to_string();
                assert!(!text.contains("temporarily"), "the host said nothing for {LIMIT:?}");
                None
            }
        }
    }

    /// Raw bytes up to a number.
    ///
    /// # Panics
    /// When the host sends something else.
    #[track_caller]
    pub fn receive_raw(&mut self, count: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < count {
            let frame = self.reader.next_frame().expect("whole frames").expect("more bytes");
            let Frame::Raw(chunk) = frame else { panic!("raw bytes were due") };
            bytes.extend(chunk);
        }
        bytes
    }

    /// Exchanges hellos.
    ///
    /// # Panics
    /// When the host does not answer with its own.
    #[track_caller]
    pub fn hello(&mut self) -> HostHello {
        self.send(&FromCli::Hello { protocol: PROTOCOL_VERSION, cli_version: BUILD_VERSION.to_owned() });
        let answer = self.receive();
        let Some(FromHost::Hello(hello)) = answer else { panic!("no hello but {answer:?}") };
        hello
    }

    /// Sends a command; the answer is left to [`FakeCli::reply`].
    ///
    /// # Panics
    /// When the session's id is malformed.
    pub fn command(&mut self, session: Option<&str>, timeout_ms: u64, action: Action) {
        let session_id = session.map(|id| id.parse().expect("a session id"));
        self.send(&FromCli::Command(Command {
            session_id,
            tab_id: None,
            timeout_ms,
            observe: false,
            action,
        }));
    }

    /// What comes of the command; progress is skipped.
    ///
    /// # Panics
    /// When the connection ends before.
    #[track_caller]
    pub fn reply(&mut self) -> Outcome {
        loop {
            let message = self.receive().expect("the host replies before it closes the connection");
            if let FromHost::Reply { outcome, .. } = message {
                return outcome;
            }
        }
    }
}
