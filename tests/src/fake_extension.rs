//! The extension's end of the native messaging wire: starts the real bsk-host as a browser would and answers its calls
//! with a closure, so the host is tested without a browser.
//!
//! Pings are answered, parts joined, and everything that came is remembered with the length of its frame.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bsk_protocol::PROTOCOL_VERSION;
use bsk_protocol::codec::{Frame, FrameReader, FromExtension, Joiner, ToExtension, encode};
use bsk_protocol::failure::Failure;
use bsk_protocol::ids::{InstanceId, RequestId, TabId, WindowId};
use bsk_protocol::kernel::{
    Call, FromKernel, KernelHello, Outcome, SessionRecord, SessionStopped, TabList, ToKernel,
};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::waiting::until;
use crate::{Scratch, workspace};

const LIMIT: Duration = Duration::from_secs(10);

/// What the closure does with a call.
#[derive(Debug)]
pub enum Answer {
    /// It worked; this is the result.
    Ok(Value),
    /// A script's result, a text of `x`, in a reply whose frame has exactly this many bytes.
    TextOfFrame(usize),
    /// It did not.
    Failed(Failure),
    /// No reply, as from a page that hangs.
    Never,
}

/// Something that the host sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The hello was taken.
    Welcome,
    /// The hello was refused.
    Refuse,
    /// A request, by its call's Debug text (long texts are cut).
    Request(RequestId, String),
    /// A request was given up.
    Cancel(RequestId),
}

#[derive(Debug, Default)]
struct Record {
    seen: Vec<Seen>,
    frame_lengths: Vec<usize>,
    is_over: bool,
    error: Option<String>,
}

/// A host and the fake browser around it.
#[derive(Debug)]
pub struct FakeExtension {
    process: Child,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    record: Arc<Mutex<Record>>,
    reader: Option<JoinHandle<()>>,
}

/// The command that a browser runs to start the host.
#[must_use]
pub fn host_command(scratch: &Scratch, origin: &str) -> Command {
    let mut command = scratch.command(workspace::bsk_host());
    command.arg(origin).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The origin of the product's extension.
#[must_use]
pub fn own_origin() -> String {
    format!("chrome-extension://{}/", workspace::extension_id())
}

/// The hello of a fake browser.
#[must_use]
pub fn hello(instance: &str, sessions: Vec<SessionRecord>) -> KernelHello {
    KernelHello {
        protocol: PROTOCOL_VERSION,
        extension_version: "0.1.0".to_owned(),
        instance_id: InstanceId(instance.to_owned()),
        browser_name: "Fake".to_owned(),
        browser_version: "1.0".to_owned(),
        label: None,
        sessions,
        ended: Vec::new(),
    }
}

/// A session with one tab.
///
/// # Panics
/// When the id is malformed.
#[must_use]
pub fn session_record(id: &str, tab: u32) -> SessionRecord {
    SessionRecord {
        session_id: id.parse().expect("a session id"),
        name: None,
        agent_window_id: WindowId(tab + 1000),
        created_at_ms: 1_700_000_000_000,
        active_tab_id: Some(TabId(tab)),
        tab_ids: vec![TabId(tab)],
        dialogs: bsk_protocol::kernel::DialogPolicy::Ask,
    }
}

static NEXT_SESSION: AtomicU32 = AtomicU32::new(0);

/// How a browser without surprises answers: sessions open and close, scripts give 2, everything else gives `{}`.
///
/// # Panics
/// Never for values that can be written as JSON.
#[must_use]
pub fn ordinary(call: &Call) -> Answer {
    let value = if let Call::SessionStart(_) = call {
        let number = NEXT_SESSION.fetch_add(1, Ordering::Relaxed);
        serde_json::to_value(session_record(&format!("s{number:03}"), 100 + number))
    } else if let Call::SessionStop { session_id } = call {
        let session_id = session_id.clone();
        serde_json::to_value(SessionStopped { session_id, returned_tab_ids: vec![], return_failures: vec![] })
    } else if let Call::TabList { .. } = call {
        serde_json::to_value(TabList { tabs: vec![] })
    } else if let Call::Evaluate { .. } = call {
        Ok(serde_json::json!({ "result": { "type": "number", "value": 2, "description": "2" } }))
    } else {
        Ok(serde_json::json!({}))
    };
    Answer::Ok(value.expect("results can be written as JSON"))
}

impl FakeExtension {
    /// Starts the host, sends the hello and waits until the host takes it.
    ///
    /// # Panics
    /// When the host refuses or ends.
    #[track_caller]
    #[must_use]
    pub fn connect(scratch: &Scratch, answer: impl FnMut(&Call) -> Answer + Send + 'static) -> Self {
        let fake = Self::start(scratch, &own_origin(), answer);
        fake.send(&FromKernel::Hello(hello("fake-1", vec![])));
        until("the host's welcome", LIMIT, || {
            let record = fake.record();
            assert!(!record.is_over, "the host ended: {record:?}");
            record.seen.contains(&Seen::Welcome).then_some(())
        });
        fake
    }

    /// Starts the host and says nothing yet.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(
        scratch: &Scratch,
        origin: &str,
        answer: impl FnMut(&Call) -> Answer + Send + 'static,
    ) -> Self {
        let mut process = host_command(scratch, origin).spawn().expect("the host can be started");
        let stdin = Arc::new(Mutex::new(process.stdin.take()));
        let stdout = process.stdout.take().expect("it is piped");
        let record: Arc<Mutex<Record>> = Arc::default();
        let (its_stdin, its_record) = (Arc::clone(&stdin), Arc::clone(&record));
        let reader = thread::spawn(move || read(stdout, &its_stdin, &its_record, answer));
        Self { process, stdin, record, reader: Some(reader) }
    }

    /// The host's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        lock(&self.record)
    }

    /// Sends a message.
    ///
    /// # Panics
    /// When it does not fit a frame.
    pub fn send(&self, message: &FromKernel) {
        self.send_bytes(&encode::<FromExtension>(message).expect("a message of a test fits a frame"));
    }

    /// Sends bytes as they are; whether the host still takes them is not asked.
    pub fn send_bytes(&self, bytes: &[u8]) {
        send_bytes(&self.stdin, bytes);
    }

    /// Ends the host's input, as a browser that goes away does.
    pub fn close_stdin(&self) {
        *lock(&self.stdin) = None;
    }

    /// Everything that the host sent, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.record().seen.clone()
    }

    /// The longest frame so far, in bytes.
    #[must_use]
    pub fn longest_frame(&self) -> usize {
        self.record().frame_lengths.iter().copied().max().unwrap_or(0)
    }

    /// The frames' lengths so far, in bytes.
    #[must_use]
    pub fn frame_lengths(&self) -> Vec<usize> {
        self.record().frame_lengths.clone()
    }

    /// What on the host's output was no message, if anything.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.record().error.clone()
    }

    /// Waits for a request whose Debug text starts so; gives its id.
    ///
    /// # Panics
    /// When none comes.
    #[track_caller]
    pub fn wait_for_request(&self, start: &str) -> RequestId {
        until(&format!("a request `{start}…`"), LIMIT, || {
            self.record().seen.iter().find_map(|seen| match seen {
                Seen::Request(id, text) if text.starts_with(start) => Some(*id),
                Seen::Request(..) | Seen::Welcome | Seen::Refuse | Seen::Cancel(_) => None,
            })
        })
    }

    /// How many requests came whose Debug text starts so.
    #[must_use]
    pub fn count_requests(&self, start: &str) -> usize {
        let is_it = |seen: &&Seen| matches!(seen, Seen::Request(_, text) if text.starts_with(start));
        self.record().seen.iter().filter(is_it).count()
    }

    /// Waits for the host's end; gives how it ended, how long that took from now, and what it wrote to standard error.
    ///
    /// # Panics
    /// When it does not end.
    #[track_caller]
    pub fn wait(&mut self) -> (ExitStatus, Duration, String) {
        let started = Instant::now();
        let status = until("the host's end", LIMIT, || self.process.try_wait().expect("our own child"));
        let took = started.elapsed();
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader does not panic");
        }
        let mut complaint = String::new();
        if let Some(mut stderr) = self.process.stderr.take() {
            let _ = stderr.read_to_string(&mut complaint);
        }
        (status, took, complaint)
    }
}

impl Drop for FakeExtension {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn send_bytes(stdin: &Mutex<Option<ChildStdin>>, bytes: &[u8]) {
    if let Some(stdin) = lock(stdin).as_mut() {
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }
}

fn read(
    stdout: ChildStdout,
    stdin: &Mutex<Option<ChildStdin>>,
    record: &Mutex<Record>,
    mut answer: impl FnMut(&Call) -> Answer,
) {
    let mut reader = FrameReader::<ToExtension, _>::new(BufReader::new(stdout));
    let mut joiner = Joiner::default();
    let outcome = loop {
        let frame = match reader.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error.to_string()),
        };
        let (Frame::Json(body) | Frame::Raw(body)) = &frame;
        lock(record).frame_lengths.push(body.len());
        let message = match frame.decode::<ToKernel>() {
            Ok(message) => message,
            Err(error) => break Err(error.to_string()),
        };
        if let Err(error) = take(message, stdin, record, &mut joiner, &mut answer) {
            break Err(error);
        }
    };
    let mut record = lock(record);
    record.is_over = true;
    record.error = outcome.err();
}

fn take(
    message: ToKernel,
    stdin: &Mutex<Option<ChildStdin>>,
    record: &Mutex<Record>,
    joiner: &mut Joiner,
    answer: &mut impl FnMut(&Call) -> Answer,
) -> Result<(), String> {
    match message {
        ToKernel::Welcome { .. } => lock(record).seen.push(Seen::Welcome),
        ToKernel::Refuse { .. } => lock(record).seen.push(Seen::Refuse),
        ToKernel::Cancel { id } => lock(record).seen.push(Seen::Cancel(id)),
        // Tells and asks nothing.
        ToKernel::Note { .. } => {}
        ToKernel::Ping {} => {
            send_bytes(stdin, &encode::<FromExtension>(&FromKernel::Pong {}).expect("it is short"));
        }
        ToKernel::Part(part) => {
            if let Some(text) = joiner.push(&part).map_err(|error| error.to_string())? {
                let whole = serde_json::from_str(&text).map_err(|error| error.to_string())?;
                take(whole, stdin, record, joiner, answer)?;
            }
        }
        ToKernel::Request { id, call } => {
            let text: String = format!("{call:?}").chars().take(200).collect();
            lock(record).seen.push(Seen::Request(id, text));
            let outcome = match answer(&call) {
                Answer::Ok(value) => Outcome::Ok(raw(&value)),
                Answer::TextOfFrame(length) => Outcome::Ok(raw(&text_result(id, length))),
                Answer::Failed(failure) => Outcome::Failed(failure),
                Answer::Never => return Ok(()),
            };
            let reply = encode::<FromExtension>(&FromKernel::Reply { id, outcome });
            send_bytes(stdin, &reply.map_err(|error| error.to_string())?);
        }
    }
    Ok(())
}

/// The result of a script that gives a text, as long as it takes to make the reply's JSON this long.
fn text_result(id: RequestId, frame_length: usize) -> Value {
    let result = |text: String| serde_json::json!({ "result": { "type": "string", "value": text } });
    let outcome = Outcome::Ok(raw(&result(String::new())));
    let shortest = serde_json::to_vec(&FromKernel::Reply { id, outcome }).expect("it can be written").len();
    result("x".repeat(frame_length - shortest))
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a JSON value can be written as JSON")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
