//! One command and its reply over a connection whose hello is done; in between the files of an upload, once the host asks for them,
//! or the file of a download, once the host has it.
//!
//! Progress goes to a person's terminal. The host gives up after the command's own time; a host that does not is given
//! up a little later. A connection that breaks before the reply is a failure of its own: the command may have taken effect.

use std::time::{Duration, Instant};

use bsk_protocol::codec::{self, CodecError, Frame, Local};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::{Command, FromCli, FromHost, Outcome};
use bsk_protocol::transfer::{DOWNLOAD_IN_DOUBT, UPLOAD_IN_DOUBT};
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::download_file::{DownloadFile, Written};
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
    converse(output, host, command, &mut Passed::Nothing)
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
    let mut passed = Passed::Out { sources, is_sent: false };
    let done = converse(output, host, command, &mut passed);
    let is_sent = matches!(passed, Passed::Out { is_sent: true, .. });
    done.map_err(|failure| {
        if failure.data.contains_key("effect_state") {
            return failure;
        }
        // The host was there and said so: then nothing had begun.
        if is_told(&failure) || !is_sent {
            let cleanup = if is_told(&failure) { "done" } else { "pending" };
            return with_state(failure, "none", READING, cleanup);
        }
        with_state(failure.hint(UPLOAD_IN_DOUBT), "unknown", WAITING, "pending")
    })
}

/// As [`send`], for a file that the host sends.
///
/// # Errors
/// As [`send`], or the file could not be written; each says whether the browser can have it.
pub(crate) fn send_for_file(
    output: &Output,
    host: Host,
    command: Command,
    file: &DownloadFile,
) -> Result<(Reply, Written), Failure> {
    let mut passed = Passed::In { file, written: None };
    let done = converse(output, host, command, &mut passed);
    let Passed::In { written: Some(written), .. } = passed else {
        return Err(done.map_or_else(with_doubt, |_| malformed("a download without its file")));
    };
    // The file is whole and in its place: what went wrong after that does not undo it.
    let reply = done.or_else(|failure| {
        let mut rest = json!({ "effect_state": "committed" });
        if let Some(path) = failure.data.get("left_path") {
            rest["left_path"] = path.clone();
        }
        to_raw_value(&rest).map(|json| Reply { json, raw: Vec::new() }).map_err(|_| failure)
    })?;
    Ok((reply, written))
}

/// A download's failure with what is known of its effect.
fn with_doubt(failure: Failure) -> Failure {
    if failure.data.contains_key("effect_state") {
        return failure;
    }
    if is_told(&failure) {
        return with_state(failure, "none", WAITING, "done");
    }
    with_state(failure.hint(DOWNLOAD_IN_DOUBT), "unknown", WAITING, "pending")
}

/// A transfer's failure before anything of it was begun, unless it says otherwise.
pub(crate) fn not_begun(failure: Failure) -> Failure {
    if failure.data.contains_key("effect_state") {
        return failure;
    }
    with_state(failure, "none", READING, "done")
}

/// What goes along with a command.
enum Passed<'a> {
    Nothing,
    /// Files that the host asks for.
    Out {
        sources: &'a mut [Source],
        is_sent: bool,
    },
    /// A file that the host sends.
    In {
        file: &'a DownloadFile,
        written: Option<Written>,
    },
}

/// Whether the host was there and said so.
fn is_told(failure: &Failure) -> bool {
    !matches!(
        failure.reason,
        Some(Reason::ConnectionLost | Reason::HostSilent | Reason::HostMalformed | Reason::BrowserGone)
    )
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
    let told = told_after(host, &FromCli::Abandon {})?;
    told.data.get("cleanup_state")?.as_str().map(str::to_owned)
}

/// Says something and waits for the failure that the host ends the command with; none when it says nothing more.
fn told_after(host: &mut Host, message: &FromCli) -> Option<Failure> {
    host.connection.set_deadline(Instant::now() + GRACE);
    let frame = codec::encode::<Local>(message).ok()?;
    host.connection.write(&frame).ok()?;
    loop {
        match host.connection.reader.next_frame().ok()?? {
            // What was on its way when we left off.
            Frame::Raw(_) => {}
            frame @ Frame::Json(_) => match frame.decode::<FromHost>().ok()? {
                FromHost::Progress { .. } | FromHost::SendFiles {} | FromHost::File { .. } => {}
                FromHost::Reply { outcome: Outcome::Failed(told), .. } => return Some(told),
                FromHost::Reply { outcome: Outcome::Ok(_), .. } | FromHost::Hello(_) => return None,
            },
        }
    }
}

fn converse(
    output: &Output,
    mut host: Host,
    command: Command,
    passed: &mut Passed<'_>,
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
            FromHost::Progress { message, transfer } => output.progress(&message, transfer),
            FromHost::SendFiles {} => {
                let Passed::Out { sources, is_sent: is_sent @ false } = passed else {
                    return Err(malformed("it asks for files that there are not"));
                };
                // Only once the host knows that all is sent may the page get them.
                let sent = send_files(&host, sources);
                *is_sent = sent.is_ok();
                match sent {
                    Ok(()) => {}
                    Err(Unsent::Source(failure)) => return Err(abandon(&mut host, failure)),
                    Err(Unsent::Line) => written = false,
                }
                continue;
            }
            FromHost::File { byte_size } => {
                let Passed::In { file, written: place @ None } = passed else {
                    return Err(malformed("it sends a file that was not asked for"));
                };
                match receive_file(&mut host, file, byte_size, time) {
                    Ok(saved) => *place = Some(saved),
                    Err(Unsaved::Place(failure)) => return Err(not_taken(&mut host, failure)),
                    Err(Unsaved::Line(failure)) => return Err(failure),
                }
                // The file is in its place, whatever the host says of it now.
                let saved = codec::encode::<Local>(&FromCli::Saved {})
                    .map_err(|error| malformed(&error.to_string()))?;
                written = host.connection.write(&saved).is_ok();
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

/// Why a file is not in its place.
enum Unsaved {
    /// It cannot be written there.
    Place(Failure),
    /// It did not come.
    Line(Failure),
}

fn receive_file(
    host: &mut Host,
    file: &DownloadFile,
    byte_size: u64,
    time: Duration,
) -> Result<Written, Unsaved> {
    let mut writing = file.begin().map_err(Unsaved::Place)?;
    let mut missing = byte_size;
    while missing > 0 {
        let chunk = match host.connection.reader.next_frame() {
            Ok(Some(Frame::Raw(chunk))) => chunk,
            Ok(Some(Frame::Json(_))) => {
                return Err(Unsaved::Line(malformed("a message in place of raw bytes")));
            }
            Ok(None) => return Err(Unsaved::Line(lost())),
            Err(error) => return Err(Unsaved::Line(broken(&error, time))),
        };
        missing = missing
            .checked_sub(chunk.len() as u64)
            .ok_or_else(|| Unsaved::Line(malformed("more bytes than it announced")))?;
        writing.write(&chunk).map_err(Unsaved::Place)?;
    }
    writing.finish().map_err(Unsaved::Place)
}

/// Says that the file cannot be taken; the failure with where the browser's own file is.
fn not_taken(host: &mut Host, failure: Failure) -> Failure {
    let failure = with_state(failure, "committed", "copying", "kept");
    match told_after(host, &FromCli::Abandon {}).and_then(|told| told.data.get("left_path").cloned()) {
        Some(path) => failure.with("left_path", path),
        None => failure,
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
