//! The host's state and its life: hello, messages from the kernel, the end.
//!
//! Everything runs on one thread; the state is a cache of what the kernel owns (invariant 8). Order of the end: stop
//! accepting, fail what waits, remove socket and sidecar, exit within a second (invariant 7).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bsk_protocol::codec::CodecError;
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{InstanceId, SessionId, TabId};
use bsk_protocol::kernel::{
    Call, CdpEventName, DialogPolicy, EndCause, EndedSession, Event, FromKernel, KernelHello, LossCause,
    SessionRecord, ToKernel,
};
use bsk_protocol::local::{HostHello, OpenedTab};
use bsk_protocol::{BUILD_VERSION, PROTOCOL_VERSION};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::task::LocalSet;
use tokio::time::{Instant, interval_at, timeout};

use crate::kernel::{Kernel, raw};
use crate::queue::Queue;
use crate::serve::Server;
use crate::tabs::{Tab, TabEvent};
use crate::transfer::{Staged, Staging, sweep_downloads, sweep_staging};
use crate::{log, look, stdio};

/// How long the extension may take for its hello.
const HELLO_DEADLINE: Duration = Duration::from_secs(10);
/// How often the kernel is asked whether it still lives; also keeps its worker awake should the port alone not.
const PING_EVERY: Duration = Duration::from_secs(20);
/// How many ended sessions are remembered.
const MOST_ENDED: usize = 32;
/// How long open connections may take to hear of the end.
const FAREWELL: Duration = Duration::from_millis(500);

/// A session as the host remembers it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) record: SessionRecord,
    pub(crate) queue: Queue,
    /// Whether the user is asked about a site for it.
    pub(crate) is_user_asked: Rc<Cell<bool>>,
    /// Set when the session ends; what runs for it then stops.
    pub(crate) ended: watch::Sender<Option<EndCause>>,
    /// How many commands ask the user for help: while one does, nothing is decided for them.
    pub(crate) helps: Rc<Cell<u32>>,
    /// Copies of files that its pages were given; gone with it.
    pub(crate) staged: Rc<RefCell<Vec<Staged>>>,
}

/// The host.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) kernel: Rc<Kernel>,
    hello: KernelHello,
    connected_at_ms: u64,
    sessions: RefCell<HashMap<SessionId, Rc<Session>>>,
    /// Sessions that ended lately, so that their next command learns why.
    ended: RefCell<Vec<EndedSession>>,
    tabs: RefCell<HashMap<TabId, Rc<Tab>>>,
    /// Where files are copied to on their way into a page.
    pub(crate) staging: Staging,
    /// Set when the host ends; everything that waits then fails with it.
    pub(crate) ending: watch::Sender<Option<Failure>>,
}

impl Host {
    fn new(kernel: Rc<Kernel>, hello: KernelHello) -> Self {
        let host = Self {
            kernel,
            connected_at_ms: now_ms(),
            sessions: RefCell::default(),
            ended: RefCell::new(hello.ended.clone()),
            tabs: RefCell::default(),
            staging: Staging::default(),
            ending: watch::Sender::new(None),
            hello,
        };
        for record in host.hello.sessions.clone() {
            host.note_session(record);
        }
        host
    }

    /// The profile's extension.
    pub(crate) fn instance_id(&self) -> &InstanceId {
        &self.hello.instance_id
    }

    /// What the CLI is told at the start of every connection.
    pub(crate) fn hello(&self) -> HostHello {
        let mut sessions: Vec<_> =
            self.sessions.borrow().values().map(|session| session.record.clone()).collect();
        sessions.sort_by(|a, b| (a.created_at_ms, &a.session_id).cmp(&(b.created_at_ms, &b.session_id)));
        HostHello {
            protocol: PROTOCOL_VERSION,
            host_version: BUILD_VERSION.to_owned(),
            instance_id: self.hello.instance_id.clone(),
            browser_name: self.hello.browser_name.clone(),
            browser_version: self.hello.browser_version.clone(),
            extension_version: self.hello.extension_version.clone(),
            label: self.hello.label.clone(),
            connected_at_ms: self.connected_at_ms,
            sessions,
            ended: self.ended.borrow().clone(),
        }
    }

    /// The session with this id. One that ended is told as that: its caller may have seen it in our hello a moment ago.
    pub(crate) fn session(&self, id: &SessionId) -> Result<Rc<Session>, Failure> {
        self.sessions.borrow().get(id).cloned().ok_or_else(|| {
            if let Some(ended) = self.ended.borrow().iter().rfind(|ended| ended.session_id == *id) {
                return ended.failure();
            }
            Failure::new(ErrorCode::NotFound, Reason::SessionNotFound, format!("there is no session `{id}`"))
                .hint("run `bsk session list`, or start one with `bsk session start`")
        })
    }

    /// What is remembered of a tab. A tab that is new here makes room for itself: what belongs to no session and is in nobody's
    /// hands is forgotten, so that tabs which come and go, or never were, gather nothing.
    pub(crate) fn tab(&self, id: TabId) -> Rc<Tab> {
        let mut tabs = self.tabs.borrow_mut();
        if !tabs.contains_key(&id) {
            let sessions = self.sessions.borrow();
            let is_owned = |id: &TabId| sessions.values().any(|session| session.record.tab_ids.contains(id));
            tabs.retain(|id, tab| Rc::strong_count(tab) > 1 || is_owned(id));
        }
        Rc::clone(tabs.entry(id).or_default())
    }

    /// Takes a session as the kernel describes it, new or changed.
    pub(crate) fn note_session(&self, record: SessionRecord) {
        let mut sessions = self.sessions.borrow_mut();
        let id = record.session_id.clone();
        let session = match sessions.get(&id).map(Rc::as_ref) {
            Some(Session { queue, is_user_asked, ended, helps, staged, .. }) => Session {
                record,
                queue: queue.clone(),
                is_user_asked: Rc::clone(is_user_asked),
                ended: ended.clone(),
                helps: Rc::clone(helps),
                staged: Rc::clone(staged),
            },
            None => Session {
                record,
                queue: Queue::default(),
                is_user_asked: Rc::default(),
                ended: watch::Sender::new(None),
                helps: Rc::default(),
                staged: Rc::default(),
            },
        };
        sessions.insert(id, Rc::new(session));
    }

    /// Removes every copy of a file: no page can be given it any more, and none is asked to read it after the host.
    fn forget_staged(&self) {
        for session in self.sessions.borrow().values() {
            session.staged.take();
        }
    }

    fn note_end(&self, session: EndedSession) {
        let mut ended = self.ended.borrow_mut();
        ended.push(session);
        let surplus = ended.len().saturating_sub(MOST_ENDED);
        ended.drain(..surplus);
    }

    fn take_event(&self, event: Event) {
        match event {
            Event::SessionChanged(record) => self.note_session(record),
            Event::SessionEnded { session_id, cause } => {
                tracing::info!(session = %session_id, ?cause, "session ended");
                let session = self.sessions.borrow_mut().remove(&session_id);
                self.note_end(EndedSession { session_id: session_id.clone(), cause });
                if let Some(session) = session {
                    for tab_id in &session.record.tab_ids {
                        self.tabs.borrow_mut().remove(tab_id);
                    }
                    session.ended.send_replace(Some(cause));
                    // No page of it is left that could read them.
                    session.staged.take();
                }
            }
            Event::Asking { session_id, is_open } => {
                if let Some(session) = self.sessions.borrow().get(&session_id) {
                    session.is_user_asked.set(is_open);
                }
            }
            Event::UserActed { tab_id, .. } => self.tab(tab_id).has_user_acted.set(true),
            Event::TabLost { session_id, tab_id, cause } => {
                if cause == LossCause::Closed {
                    self.tell_others(&session_id, tab_id);
                }
                self.tab(tab_id).lose(cause);
                if cause == LossCause::Closed {
                    self.tabs.borrow_mut().remove(&tab_id);
                }
            }
            Event::TabOpened { tab_id, opener_tab_id, .. } => {
                self.tab(opener_tab_id).tell(TabEvent::Opened(OpenedTab {
                    tab_id,
                    opener_tab_id,
                    url: String::new(),
                }));
            }
            Event::DocumentRequest { tab_id, frame_id, loader_id, step } => {
                self.tab(tab_id).take_document_step(&frame_id, loader_id, step);
            }
            Event::Cdp { tab_id, method, params } => self.take_cdp(tab_id, method, &params),
        }
    }

    /// Tells the other tabs of a session that one is gone.
    fn tell_others(&self, session_id: &SessionId, closed: TabId) {
        let Ok(session) = self.session(session_id) else { return };
        for tab_id in session.record.tab_ids.iter().filter(|tab_id| **tab_id != closed) {
            self.tab(*tab_id).tell(TabEvent::Closed(closed));
        }
    }

    fn take_cdp(&self, tab_id: TabId, method: CdpEventName, params: &RawValue) {
        let tab = self.tab(tab_id);
        if method == CdpEventName::DialogOpening
            && let Some((session_id, policy)) = self.dialog_policy(tab_id)
            && let Some(answered) = tab.answer(params.get(), policy)
        {
            let params = raw(&look::dialog_answer(&answered));
            let method = "Page.handleJavaScriptDialog".to_owned();
            // Carried out although nobody waits for it.
            drop(self.kernel.send::<Value>(Call::Cdp { session_id, tab_id, method, params }));
            return;
        }
        tab.take(method, params);
    }

    /// What is done about dialogs of a tab, and for which session.
    fn dialog_policy(&self, tab_id: TabId) -> Option<(SessionId, DialogPolicy)> {
        let sessions = self.sessions.borrow();
        let owner = sessions.values().find(|session| session.record.tab_ids.contains(&tab_id))?;
        let policy = if owner.helps.get() > 0 { DialogPolicy::Ask } else { owner.record.dialogs };
        Some((owner.record.session_id.clone(), policy))
    }

    /// Whether the message kept to the protocol.
    fn take(&self, message: FromKernel) -> bool {
        match message {
            FromKernel::Reply { id, outcome } => self.kernel.take_reply(id, outcome),
            FromKernel::Event(event) => self.take_event(event),
            FromKernel::Pong {} => {}
            FromKernel::Hello(_) | FromKernel::Part(_) => return false,
        }
        true
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Runs until the port ends.
pub(crate) fn run() -> ExitCode {
    log::start();
    tracing::info!(version = BUILD_VERSION, pid = std::process::id(), "host started");
    let (output, writer) = stdio::write_frames();
    let kernel = Rc::new(Kernel::new(output));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a process may make timers and an event queue");
    let is_clean = LocalSet::new().block_on(&runtime, live(kernel));
    // Dropping the runtime drops every task and with it the last sender, which ends the writer once all is written.
    drop(runtime);
    let _ = writer.join();
    tracing::info!(is_clean, "host ended");
    // The reading thread may still be blocked on a standard input that never ends.
    std::process::exit(i32::from(!is_clean));
}

/// From hello to the end; whether it was a clean one.
async fn live(kernel: Rc<Kernel>) -> bool {
    let mut messages = stdio::read_messages();
    let Some(hello) = receive_hello(&mut messages).await else { return false };
    let refusal = if hello.protocol == PROTOCOL_VERSION {
        Server::bind(&hello).map_err(|failure| *failure)
    } else {
        Err(version_skew(&hello))
    };
    let server = match refusal {
        Ok(server) => server,
        Err(failure) => {
            tracing::error!(code = %failure.code, reason = ?failure.reason, "refused to serve");
            // If this cannot be written the extension is gone and nobody needs to know.
            let _ = kernel.write(&ToKernel::Refuse { failure });
            return false;
        }
    };
    let host = Rc::new(Host::new(Rc::clone(&kernel), hello));
    if kernel.write(&ToKernel::Welcome { host_version: BUILD_VERSION.to_owned() }).is_err() {
        return false;
    }
    let connections = server.serve(&host);
    tokio::task::spawn_blocking(sweep_staging);
    let swept = Rc::clone(&host);
    tokio::task::spawn_local(async move { sweep_downloads(&swept).await });
    let (failure, is_clean) = until_the_end(&host, &mut messages).await;
    host.ending.send_replace(Some(failure));
    kernel.abandon();
    let _ = timeout(FAREWELL, connections.finish()).await;
    host.forget_staged();
    is_clean
}

async fn receive_hello(messages: &mut mpsc::Receiver<Result<FromKernel, CodecError>>) -> Option<KernelHello> {
    match timeout(HELLO_DEADLINE, messages.recv()).await {
        Ok(Some(Ok(FromKernel::Hello(hello)))) => Some(hello),
        Ok(Some(Ok(
            FromKernel::Reply { .. } | FromKernel::Event(_) | FromKernel::Pong {} | FromKernel::Part(_),
        ))) => {
            tracing::error!("the extension's first message was no hello");
            None
        }
        Ok(Some(Err(error))) => {
            log_codec_error(&error);
            None
        }
        Ok(None) => {
            tracing::info!("the port ended before a hello");
            None
        }
        Err(_) => {
            tracing::error!("the extension sent no hello");
            None
        }
    }
}

/// Handles messages until the port, a signal or a broken message ends it; why, and whether that was orderly.
async fn until_the_end(
    host: &Rc<Host>,
    messages: &mut mpsc::Receiver<Result<FromKernel, CodecError>>,
) -> (Failure, bool) {
    let mut ping = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    let mut terminated = std::pin::pin!(termination());
    loop {
        tokio::select! {
            message = messages.recv() => match message {
                Some(Ok(message)) => if !host.take(message) {
                    tracing::error!("the extension sent a message out of order");
                    return (protocol_broken(), false);
                },
                Some(Err(error)) => {
                    log_codec_error(&error);
                    return (protocol_broken(), false);
                }
                None => {
                    tracing::info!("the browser closed the port");
                    return (crate::kernel::browser_gone(), true);
                }
            },
            _ = ping.tick() => if let Err(failure) = host.kernel.write(&ToKernel::Ping {}) {
                return (failure, true);
            },
            () = &mut terminated => {
                tracing::info!("asked to end by a signal");
                return (crate::kernel::browser_gone(), true);
            }
        }
    }
}

/// Resolves when the system asks the process to end.
async fn termination() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            terminate.recv().await;
            return;
        }
    }
    std::future::pending::<()>().await;
}

/// Logs what was wrong with a frame, but never its contents: a JSON error may quote them (invariant 12).
fn log_codec_error(error: &CodecError) {
    match error {
        CodecError::Json(error) => {
            tracing::error!(category = ?error.classify(), column = error.column(), "a malformed message from the extension");
        }
        CodecError::Io(_)
        | CodecError::Empty
        | CodecError::TooLong { .. }
        | CodecError::Truncated
        | CodecError::UnexpectedKind
        | CodecError::BrokenParts => tracing::error!(%error, "a malformed frame from the extension"),
    }
}

fn protocol_broken() -> Failure {
    Failure::new(
        ErrorCode::ProtocolError,
        Reason::HostMalformed,
        "the extension sent a malformed message, so the host ended",
    )
    .hint("run the command again; if it happens again, `bsk doctor` compares the versions")
}

fn version_skew(hello: &KernelHello) -> Failure {
    Failure::new(
        ErrorCode::VersionTooOld,
        Reason::VersionSkew,
        format!(
            "extension {} speaks protocol {}, host {BUILD_VERSION} speaks {PROTOCOL_VERSION}",
            hello.extension_version, hello.protocol
        ),
    )
    .hint("update bsk and reload the extension so that both have the same version")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn host_with_tabs(tab_ids: &[u64]) -> Host {
        let session =
            json!({ "session_id": "abcd", "agent_window_id": 1, "created_at_ms": 0, "tab_ids": tab_ids });
        let hello = json!({
            "protocol": PROTOCOL_VERSION, "extension_version": "1", "instance_id": "one", "browser_name": "Chromium",
            "browser_version": "1", "sessions": [session],
        });
        let (output, _) = std::sync::mpsc::channel();
        Host::new(Rc::new(Kernel::new(output)), serde_json::from_value(hello).unwrap())
    }

    #[test]
    fn tabs_that_come_and_go_or_never_were_leave_nothing() {
        let host = host_with_tabs(&[1]);
        host.tab(TabId(1)).documents.set(7);
        let held = host.tab(TabId(2));
        held.documents.set(8);
        for id in 3..100 {
            let _ = host.tab(TabId(id));
        }
        assert!(host.tabs.borrow().len() <= 3, "{:?}", host.tabs.borrow().keys());
        assert_eq!((host.tab(TabId(1)).documents.get(), host.tab(TabId(2)).documents.get()), (7, 8));
        let lost = |tab_id| Event::TabLost {
            session_id: serde_json::from_value(json!("abcd")).unwrap(),
            tab_id: TabId(tab_id),
            cause: LossCause::Closed,
        };
        host.take_event(lost(1));
        assert!(!host.tabs.borrow().contains_key(&TabId(1)));
    }
}
