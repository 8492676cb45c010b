//! The local socket: bind, accept, one command per connection.
//!
//! The socket is 0600 in a directory that is the user's alone, its name is new each time, and a peer that runs as
//! another user is sent away before a byte is read. A connection that closes cancels its command.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use bsk_protocol::codec::{self, CodecError, Frame, HEADER_BYTES, Header, Local};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::KernelHello;
use bsk_protocol::local::{Action, Command, FromCli, FromHost, Outcome};
use bsk_protocol::place::{BIND_WINDOW, PlaceError, RuntimeDir, Sidecar, check_peer};
use bsk_protocol::{BUILD_VERSION, PROTOCOL_VERSION};
use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, PeerCreds};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet, spawn_local};
use tokio::time::{Instant, timeout};

use crate::host::Host;
use crate::run::{self, Done};
use crate::transfer::{Line, LineEnd, Sent};

/// How long the last words and bytes of a command may take to get out.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long a peer may take for its hello and its command.
const GREETING: Duration = Duration::from_secs(5);

/// A bound socket with its sidecar; both are removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    listener: Listener,
    files: SocketFiles,
}

#[derive(Debug)]
struct SocketFiles {
    socket: PathBuf,
}

impl Drop for SocketFiles {
    fn drop(&mut self) {
        // Another process may have swept them after the listener was closed.
        let _ = std::fs::remove_file(&self.socket);
        let _ = std::fs::remove_file(Sidecar::path_for(&self.socket));
    }
}

impl Server {
    /// Binds a new socket and writes its sidecar, then sweeps what dead hosts left.
    pub(crate) fn bind(hello: &KernelHello) -> Result<Self, Box<Failure>> {
        let dir = RuntimeDir::open().map_err(|error| Box::new(Failure::from(error)))?;
        let in_dir = |error| Box::new(Failure::from(PlaceError::Io { path: dir.path().to_owned(), error }));
        let socket = dir.new_socket_path();
        let name = socket.as_path().to_fs_name::<GenericFilePath>().map_err(in_dir)?;
        let options = ListenerOptions::new().name(name).reclaim_name(false);
        #[cfg(unix)]
        let options = interprocess::os::unix::local_socket::ListenerOptionsExt::mode(options, 0o600);
        let listener = options.create_tokio().map_err(in_dir)?;
        let files = SocketFiles { socket: socket.clone() };
        let sidecar = Sidecar {
            protocol: PROTOCOL_VERSION,
            host_version: BUILD_VERSION.to_owned(),
            pid: std::process::id(),
            instance_id: hello.instance_id.clone(),
            browser: format!("{} {}", hello.browser_name, hello.browser_version),
            started_at_ms: crate::host::now_ms(),
        };
        sidecar.write(&socket).map_err(in_dir)?;
        sweep(dir, socket);
        Ok(Self { listener, files })
    }

    /// Accepts connections from now on.
    pub(crate) fn serve(self, host: &Rc<Host>) -> Connections {
        let host = Rc::clone(host);
        let task = spawn_local(async move {
            let Self { listener, files } = self;
            let mut connections = JoinSet::new();
            let mut ending = host.ending.subscribe();
            loop {
                tokio::select! {
                    accepted = listener.accept() => match accepted {
                        Ok(stream) => {
                            connections.spawn_local(attend(stream, Rc::clone(&host)));
                        }
                        Err(error) => {
                            tracing::warn!(kind = ?error.kind(), "a connection could not be accepted");
                            // Out of file handles: wait for one of ours to be free instead of spinning.
                            connections.join_next().await;
                        }
                    },
                    Some(_) = connections.join_next() => {}
                    _ = ending.wait_for(Option::is_some) => break,
                }
            }
            drop(listener);
            while connections.join_next().await.is_some() {}
            drop(files);
        });
        Connections { task }
    }
}

/// The accepting task.
#[derive(Debug)]
pub(crate) struct Connections {
    task: JoinHandle<()>,
}

impl Connections {
    /// Waits until every connection has been answered; the host's `ending` must be set.
    pub(crate) async fn finish(self) {
        let _ = self.task.await;
    }
}

/// Removes sockets that refuse a connection. Off the main path: a dead host's leftovers hurt nobody meanwhile.
fn sweep(dir: RuntimeDir, own: PathBuf) {
    spawn_local(async move {
        for path in dir.socket_paths().unwrap_or_default() {
            if path == own {
                continue;
            }
            if refuses(&path).await {
                tokio::time::sleep(BIND_WINDOW).await;
                if refuses(&path).await {
                    dir.remove_corpse(&path);
                }
            }
        }
    });
}

async fn refuses(socket: &Path) -> bool {
    let Ok(name) = socket.to_fs_name::<GenericFilePath>() else { return false };
    let refused = Stream::connect(name).await.err();
    refused.is_some_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
}

/// One connection from hello to reply.
async fn attend(stream: Stream, host: Rc<Host>) {
    let credentials = stream.peer_creds();
    let caller = credentials.as_ref().ok().and_then(PeerCreds::pid).and_then(|pid| u32::try_from(pid).ok());
    if let Err(failure) = check_peer(credentials) {
        tracing::warn!(reason = ?failure.reason, "a peer was sent away");
        return;
    }
    // A shared reference reads and writes; the two are used one after the other or in one `select!`.
    let (mut input, mut output) = (&stream, &stream);
    let command = match timeout(GREETING, greet(&mut input, &mut output, &host)).await {
        Ok(Ok(Some(command))) => command,
        // A look at the hello is all that `status` and the like want.
        Ok(Ok(None)) => return,
        Ok(Err(failure)) => {
            let _ = send_reply(&mut output, Err(failure)).await;
            return;
        }
        Err(_) => {
            tracing::warn!("a peer was too slow with its hello or command");
            return;
        }
    };
    let started = Instant::now();
    let name = run::name_of(&command.action);
    let session = command.session_id.clone();
    let takes_files = matches!(command.action, Action::Upload { .. } | Action::Download { .. });
    let (line, LineEnd { said, bytes, sent }) = Line::new();
    let is_between = Cell::new(true);
    let done = {
        let mut running = std::pin::pin!(run::run(Rc::clone(&host), command, caller, line));
        let mut telling = std::pin::pin!(pass_on(&stream, said, bytes, &is_between));
        let mut closed = std::pin::pin!(until_closed(&mut input, takes_files.then_some(sent)));
        let mut is_telling = true;
        let done = loop {
            tokio::select! {
                biased;
                done = &mut running => break Some(done),
                () = &mut telling, if is_telling => is_telling = false,
                () = &mut closed => break None,
            }
        };
        if done.is_some() && is_telling {
            // What was said last is still on its way; a peer that reads nothing is not waited for.
            let _ = timeout(LAST_WORDS, &mut telling).await;
        }
        done
    };
    let duration_ms = started.elapsed().as_millis();
    let session = session.as_ref().map_or("-", |id| id.as_str());
    let Some(done) = done else {
        tracing::info!(command = name, session, duration_ms, "cancelled: the caller left");
        return;
    };
    if !is_between.get() {
        // A peer that reads no more; a reply would stand in the middle of what it did not read.
        tracing::info!(command = name, session, duration_ms, "ended: the caller takes nothing more");
        return;
    }
    let failed = done.as_ref().err().map(|failure| (failure.code, failure.reason));
    // A caller that left between the end of its command and this reply loses only the words.
    let _ = send_reply(&mut output, done).await;
    match failed {
        None => tracing::info!(command = name, session, duration_ms, "done"),
        Some((code, reason)) => {
            tracing::info!(command = name, session, duration_ms, %code, ?reason, "failed");
        }
    }
}

/// Passes on what a command says, and the bytes of its file, until it has nothing more. `is_between` is false in the middle of a frame.
async fn pass_on(
    mut output: &Stream,
    mut said: mpsc::UnboundedReceiver<FromHost>,
    mut bytes: mpsc::Receiver<Vec<u8>>,
    is_between: &Cell<bool>,
) {
    loop {
        // What is said first announces the bytes. A peer that is gone is noticed by `until_closed`.
        tokio::select! {
            biased;
            Some(message) = said.recv() => {
                is_between.set(false);
                let _ = send(&mut output, &message).await;
            }
            Some(piece) = bytes.recv() => {
                is_between.set(false);
                for frame in codec::encode_raw(&piece) {
                    let _ = output.write_all(&frame).await;
                }
            }
            else => return,
        }
        is_between.set(true);
    }
}

/// Hello and command; none when the peer leaves after the hello.
async fn greet(input: &mut &Stream, output: &mut &Stream, host: &Host) -> Result<Option<Command>, Failure> {
    match receive(input).await? {
        Some(FromCli::Hello { protocol, .. }) if protocol == PROTOCOL_VERSION => {}
        Some(FromCli::Hello { protocol, cli_version }) => {
            return Err(Failure::new(
                ErrorCode::VersionTooOld,
                Reason::VersionSkew,
                format!(
                    "bsk {cli_version} speaks protocol {protocol}, host {BUILD_VERSION} speaks {PROTOCOL_VERSION}"
                ),
            )
            .hint("install one version of both: `bsk doctor` shows which is where"));
        }
        Some(FromCli::Command(_) | FromCli::Abandon {} | FromCli::FilesSent {} | FromCli::Saved {}) => {
            return Err(malformed("a command came before the hello"));
        }
        None => return Ok(None),
    }
    send(output, &FromHost::Hello(host.hello())).await.map_err(|error| malformed(&error.to_string()))?;
    match receive(input).await? {
        Some(FromCli::Command(command)) => Ok(Some(command)),
        Some(FromCli::Hello { .. } | FromCli::Abandon {} | FromCli::FilesSent {} | FromCli::Saved {}) => {
            Err(malformed("no command after the hello"))
        }
        None => Ok(None),
    }
}

fn malformed(what: &str) -> Failure {
    Failure::new(
        ErrorCode::ProtocolError,
        Reason::ConnectionLost,
        format!("the connection broke its protocol: {what}"),
    )
    .hint("install one version of CLI and host: `bsk doctor` shows which is where")
}

/// The next message; none when the peer closed the connection.
async fn receive(input: &mut &Stream) -> Result<Option<FromCli>, Failure> {
    match read_frame(input).await {
        Ok(Some(frame)) => frame.decode().map(Some).map_err(|error| malformed(&error.to_string())),
        Ok(None) => Ok(None),
        Err(error) => Err(malformed(&error.to_string())),
    }
}

async fn read_frame(input: &mut &Stream) -> Result<Option<Frame>, CodecError> {
    read_frame_up_to(input, usize::MAX).await
}

async fn read_frame_up_to(input: &mut &Stream, limit: usize) -> Result<Option<Frame>, CodecError> {
    let mut header = [0; HEADER_BYTES];
    if input.read(&mut header[..1]).await? == 0 {
        return Ok(None);
    }
    input.read_exact(&mut header[1..]).await?;
    let Header { kind, length } = Header::parse::<Local>(header)?;
    if length > limit {
        return Err(CodecError::TooLong { length, limit });
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).await?;
    Ok(Some(Frame::new(kind, body)))
}

/// Resolves when the peer has gone. Passes on the files that it sends for an upload; beyond that it has nothing more to say, so
/// anything else counts as leaving too.
async fn until_closed(input: &mut &Stream, files: Option<mpsc::Sender<Sent>>) {
    let Some(files) = files else {
        let _ = input.read(&mut [0]).await;
        return;
    };
    loop {
        let sent = match read_file_frame(input).await {
            Ok(Some(Frame::Raw(bytes))) => Sent::Bytes(bytes),
            Ok(Some(frame @ Frame::Json(_))) => match frame.decode() {
                Ok(FromCli::FilesSent {}) => Sent::Whole,
                Ok(FromCli::Abandon {}) => Sent::Abandoned,
                Ok(FromCli::Saved {}) => Sent::Saved,
                Ok(FromCli::Hello { .. } | FromCli::Command(_)) | Err(_) => return,
            },
            Ok(None) | Err(_) => return,
        };
        // Where nobody takes them any more, the reply that says why is on its way.
        let _ = files.send(sent).await;
    }
}

/// As [`read_frame`], for files: a frame that would take much memory is refused before it does.
async fn read_file_frame(input: &mut &Stream) -> Result<Option<Frame>, CodecError> {
    read_frame_up_to(input, codec::RAW_CHUNK_BYTES).await
}

async fn send(output: &mut &Stream, message: &FromHost) -> Result<(), CodecError> {
    output.write_all(&codec::encode::<Local>(message)?).await?;
    Ok(())
}

async fn send_reply(output: &mut &Stream, done: Result<Done, Failure>) -> Result<(), CodecError> {
    let (outcome, bytes) = match done {
        Ok(Done { value, bytes }) => (Outcome::Ok(value), bytes),
        Err(failure) => (Outcome::Failed(failure), Vec::new()),
    };
    let reply = codec::encode::<Local>(&FromHost::Reply { outcome, raw_bytes: bytes.len() as u64 });
    let reply = match reply {
        Err(CodecError::TooLong { length, limit }) => {
            let failure = Failure::new(
                ErrorCode::CdpFailed,
                Reason::MessageTooLarge,
                format!("the answer has {length} bytes; at most {limit} can be passed on"),
            )
            .hint("ask for less: a smaller part of the page, or `--max-bytes`");
            let outcome = Outcome::Failed(failure);
            return send(output, &FromHost::Reply { outcome, raw_bytes: 0 }).await;
        }
        other => other?,
    };
    output.write_all(&reply).await?;
    for frame in codec::encode_raw(&bytes) {
        output.write_all(&frame).await?;
    }
    Ok(())
}
