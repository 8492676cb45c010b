//! One connection to a host, with one deadline for everything that is read from or written to it.
//!
//! A host that hangs never hangs us: each read and write may take what is left until the deadline.
//!
//! # Platform-specific behaviour
//! Named pipes have no timeouts in the standard interface, so on Windows a thread ends the process some time after the
//! deadline (`exchange`); on Unix the socket's own timeouts do the work.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bsk_protocol::codec::{FrameReader, Local};
use interprocess::ConnectWaitMode;
use interprocess::local_socket::traits::{Stream as _, StreamCommon as _};
use interprocess::local_socket::{ConnectOptions, GenericFilePath, PeerCreds, Stream, ToFsName as _};

/// Shortest timeout that a socket takes; zero would mean none.
const SHORTEST: Duration = Duration::from_millis(1);

/// A connection and its deadline.
#[derive(Debug)]
struct Line {
    stream: Stream,
    deadline: Mutex<Instant>,
}

/// The reading half.
#[derive(Debug)]
pub(crate) struct LineReader(Arc<Line>);

/// A connection as two halves.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Frames that the host sends.
    pub(crate) reader: FrameReader<Local, BufReader<LineReader>>,
    line: Arc<Line>,
}

impl Connection {
    /// Connects to a host's socket; never waits for a host that does not accept.
    ///
    /// # Errors
    /// What the system said; "connection refused" means that nobody listens.
    pub(crate) fn open(socket: &Path, deadline: Instant) -> io::Result<Self> {
        let name = socket.to_fs_name::<GenericFilePath>()?;
        let wait = ConnectWaitMode::Timeout(deadline.saturating_duration_since(Instant::now()).max(SHORTEST));
        let stream = ConnectOptions::new().name(name).wait_mode(wait).connect_sync()?;
        let line = Arc::new(Line { stream, deadline: Mutex::new(deadline) });
        Ok(Self { reader: FrameReader::new(BufReader::new(LineReader(Arc::clone(&line)))), line })
    }

    /// Who is at the other end.
    ///
    /// # Errors
    /// When the system does not tell.
    pub(crate) fn peer(&self) -> io::Result<PeerCreds> {
        self.line.stream.peer_creds()
    }

    /// Sets the end of the time for all that follows.
    pub(crate) fn set_deadline(&self, deadline: Instant) {
        *self.line.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Writes all bytes.
    ///
    /// # Errors
    /// What the system said; [`is_timeout`] tells whether the deadline passed.
    pub(crate) fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let left = self.line.time_left()?;
            apply(self.line.stream.set_send_timeout(Some(left)))?;
            match (&self.line.stream).write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Read for LineReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.0.time_left()?;
        apply(self.0.stream.set_recv_timeout(Some(left)))?;
        (&self.0.stream).read(buffer)
    }
}

impl Line {
    fn time_left(&self) -> io::Result<Duration> {
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        match deadline.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(left.max(SHORTEST)),
            Some(_) | None => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// Whether an error means that the deadline passed.
pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// A system without timeouts is served by a watchdog; elsewhere a refused timeout is an error.
fn apply(result: io::Result<()>) -> io::Result<()> {
    if cfg!(unix) { result } else { Ok(()) }
}
