//! One command and its reply over a connection whose hello is done; in between the files of an upload, once the host asks for them.
//!
//! Progress goes to a person's terminal. The host gives up after the command's own time; a host that does not is given
//! up a little later. A connection that breaks before the reply is a failure of its own: the command may have taken effect.

use std::time::{Duration, Instant};

use bsk_protocol::codec::{self, CodecError, Frame, Local};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::{Command, FromCli, FromHost, Outcome};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::greeting::Host;
use crate::line::is_timeout;
use crate::output::Output;
use crate::source::Source;

/// What a host has beyond the command's own time to say that it is over.
const GRACE: Duration = Duration::from_secs(5);

/// Most raw bytes of one reply.
const RAW_LIMIT: u64 = 1024 * 1024 * 1024;

/// How far an upload is.
const READING: &str = "reading";
const WAITING: &str = "waiting";

/// What a command gave.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The result as the host wrote it.
    pub(crate) json: Box<RawValue>,
    /// Bytes that followed.
    pub(crate) raw: Vec<u8>,
}

impl Reply {
    /// The result as a type.
    ///
    /// # Errors
    /// The host sent another shape.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_str(self.json.get()).map_err(|error| malformed(&format!("its result: {error}")))
    }
}

/// Sends a command and waits for its end.
///
/// # Errors
/// What the host says, a lost connection, or a host that does not answer in time.
pub(crate) fn send(output: &Output, host: Host, command: Command) -> Result<Reply, Failure> {
    converse(output, host, command, &mut [], &mut false)
}

/// As [`send`], with files that the host asks for.
///
/// # Errors
/// As [`send`], or a file that changed or could not be read; each says whether the page can have got something.
pub(crate) fn send_with_files(
    output: &Output,
    host: Host,
    command: Command,
    sources: &mut [Source],
) -> Result<Reply, Failure> {
    let mut is_sent = false;
    converse(output, host, command, sources, &mut is_sent).map_err(|failure| {
        if failure.data.contains_key("effect_state") {
            return failure;
        }
        // The host was there and said so: then nothing had begun.
        let is_told = !matches!(
            failure.reason,
            Some(Reason::ConnectionLost | Reason::HostSilent | Reason::HostMalformed | Reason::BrowserGone)
        );
        if is_told || !is_sent {
            let cleanup = if is_told { "done" } else { "pending" };
            return with_state(failure, "none", READING, cleanup);
        }
        let hint = "the page may have the files: look with `bsk observe` first, and do not run the upload again blindly";
        with_state(failure.hint(hint), "unknown", WAITING, "pending")
    })
}

/// Adds what is known of an upload's effect; `pending`: the host's copies go with the session or with the next host.
fn with_state(failure: Failure, effect: &str, phase: &str, cleanup: &str) -> Failure {
    failure.with("effect_state", effect).with("phase", phase).with("cleanup_state", cleanup)
}

/// Why files did not get to the host.
enum Unsent {
    /// A file is to blame.
    Source(Failure),
    /// The host reads no more; it may have said why.
    Line,
}

impl From<Failure> for Unsent {
    fn from(failure: Failure) -> Self {
        Self::Source(failure)
    }
}

fn send_files(host: &Host, sources: &mut [Source]) -> Result<(), Unsent> {
    for source in sources.iter_mut() {
        source.read(|piece| {
            codec::encode_raw(piece)
                .try_for_each(|frame| host.connection.write(&frame))
                .map_err(|_| Unsent::Line)
        })?;
    }
    // One may have changed while another was read.
    sources.iter().try_for_each(Source::check_same)?;
    let end = codec::encode::<Local>(&FromCli::FilesSent {}).map_err(|_| Unsent::Line)?;
    host.connection.write(&end).map_err(|_| Unsent::Line)
}

/// Has the host remove what came, and waits until it has.
fn abandon(host: &mut Host, failure: Failure) -> Failure {
    let cleanup = removed(host).unwrap_or_else(|| "pending".to_owned());
    with_state(failure, "none", READING, &cleanup)
}

/// What the host says became of its copies; none when it says nothing.
fn removed(host: &mut Host) -> Option<String> {
    host.connection.set_deadline(Instant::now() + GRACE);
    let frame = codec::encode::<Local>(&FromCli::Abandon {}).ok()?;
    host.connection.write(&frame).ok()?;
    loop {
        match host.connection.reader.next_frame().ok()??.decode::<FromHost>().ok()? {
            FromHost::Progress { .. } | FromHost::SendFiles {} => {}
            FromHost::Reply { outcome: Outcome::Failed(told), .. } => {
                return told.data.get("cleanup_state")?.as_str().map(str::to_owned);
            }
            FromHost::Reply { outcome: Outcome::Ok(_), .. } | FromHost::Hello(_) => return None,
        }
    }
}

fn converse(
    output: &Output,
    mut host: Host,
    command: Command,
    sources: &mut [Source],
    is_sent: &mut bool,
) -> Result<Reply, Failure> {
    let time = Duration::from_millis(command.timeout_ms).saturating_add(GRACE);
    let started = Instant::now();
    host.connection.set_deadline(started + time);
    #[cfg(not(unix))]
    watch(*output, time);
    let frame = encode(command)?;
    // A host that stops reading may still have said why.
    let mut written = host.connection.write(&frame).is_ok();
    loop {
        let frame = match host.connection.reader.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Err(lost()),
            Err(error) => return Err(broken(&error, time)),
        };
        match frame.decode::<FromHost>().map_err(|error| malformed(&error.to_string()))? {
            FromHost::Progress { message } => output.progress(&message),
            FromHost::SendFiles {} if sources.is_empty() || *is_sent => {
                return Err(malformed("it asks for files that there are not"));
            }
            FromHost::SendFiles {} => {
                // From its last byte on the page may get them.
                let sent = send_files(&host, sources);
                *is_sent = true;
                match sent {
                    Ok(()) => {}
                    Err(Unsent::Source(failure)) => return Err(abandon(&mut host, failure)),
                    Err(Unsent::Line) => written = false,
                }
                continue;
            }
            FromHost::Reply { outcome: Outcome::Failed(failure), .. } => return Err(failure),
            FromHost::Reply { outcome: Outcome::Ok(json), raw_bytes } => {
                let raw = read_raw(&mut host, raw_bytes, time)?;
                output.trace(|| format!("answered after {} ms", started.elapsed().as_millis()));
                return Ok(Reply { json, raw });
            }
            FromHost::Hello(_) => return Err(malformed("a second hello")),
        }
        if !written {
            return Err(lost());
        }
    }
}

fn encode(command: Command) -> Result<Vec<u8>, Failure> {
    codec::encode::<Local>(&FromCli::Command(command)).map_err(|error| {
        let message = format!("the command is too large to send: {error}");
        Failure::new(ErrorCode::InvalidParams, Reason::MessageTooLarge, message)
            .hint("send less text at once")
    })
}

fn read_raw(host: &mut Host, raw_bytes: u64, time: Duration) -> Result<Vec<u8>, Failure> {
    if raw_bytes > RAW_LIMIT {
        return Err(malformed(&format!("{raw_bytes} raw bytes announced; at most {RAW_LIMIT} are allowed")));
    }
    let mut raw = Vec::new();
    while (raw.len() as u64) < raw_bytes {
        match host.connection.reader.next_frame() {
            Ok(Some(Frame::Raw(chunk))) => raw.extend(chunk),
            Ok(Some(Frame::Json(_))) => return Err(malformed("a message in place of raw bytes")),
            Ok(None) => return Err(lost()),
            Err(error) => return Err(broken(&error, time)),
        }
    }
    if raw.len() as u64 != raw_bytes {
        return Err(malformed(&format!("{} raw bytes in place of {raw_bytes}", raw.len())));
    }
    Ok(raw)
}

fn broken(error: &CodecError, time: Duration) -> Failure {
    match error {
        CodecError::Io(error) if is_timeout(error) => unanswered(time),
        CodecError::Io(_) | CodecError::Truncated => lost(),
        CodecError::Empty
        | CodecError::TooLong { .. }
        | CodecError::Json(_)
        | CodecError::UnexpectedKind
        | CodecError::BrokenParts => malformed(&error.to_string()),
    }
}

fn lost() -> Failure {
    Failure::new(ErrorCode::NoBrowserConnected, Reason::ConnectionLost, "the host ended while the command ran").hint(
        "the session goes on; look with `bsk observe` first, since the command may have taken effect, then run it again",
    )
}

fn unanswered(time: Duration) -> Failure {
    let message = format!("the host did not answer within {} ms", time.as_millis());
    Failure::new(ErrorCode::Timeout, Reason::HostSilent, message)
        .hint("look with `bsk observe`, since the command may have taken effect")
}

fn malformed(detail: &str) -> Failure {
    let message = format!("the host sent something malformed: {detail}");
    Failure::new(ErrorCode::ProtocolError, Reason::HostMalformed, message)
        .hint("run `bsk doctor`; it compares the versions of `bsk`, host and extension")
}

/// Ends the process where reads cannot time out by themselves.
#[cfg(not(unix))]
fn watch(output: Output, time: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        std::process::exit(i32::from(output.failure(&unanswered(time))));
    });
}
