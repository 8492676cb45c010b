//! Requests to the kernel: ids, replies, cancellation.
//!
//! [`Kernel::send`] writes at once and returns what is to be awaited, so that requests can be pipelined; they reach the
//! kernel in the order they were sent. A request that is dropped before its reply is cancelled there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use bsk_protocol::codec::{ToExtension, encode_split};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{RequestId, SessionId};
use bsk_protocol::kernel::{Call, Outcome, ToKernel};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::oneshot;

use crate::stdio::FrameSender;

/// The kernel as the host sees it.
#[derive(Debug)]
pub(crate) struct Kernel {
    output: FrameSender,
    next_id: Cell<u32>,
    next_stream: Cell<u32>,
    waiting: RefCell<HashMap<RequestId, Waiting>>,
}

/// Who waits for a reply, since when, and for what.
#[derive(Debug)]
struct Waiting {
    reply: oneshot::Sender<Outcome>,
    sent: Instant,
    /// Only when somebody reads it: with `BSK_LOG=debug`.
    name: Option<String>,
}

/// The request's name in the debug log: the call, and which function or method it names. Never its arguments.
fn debug_name(call: &Call) -> Option<String> {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return None;
    }
    let name = match call {
        Call::Cdp { method, .. } => method.clone(),
        Call::Page { function, frame, .. } => format!("page {function:?} in frame {frame}"),
        Call::Profile {} => "profile".to_owned(),
        Call::SessionStart(_) => "session_start".to_owned(),
        Call::SessionStop { .. } => "session_stop".to_owned(),
        Call::TabList { .. } => "tab_list".to_owned(),
        Call::TabCreate { .. } => "tab_create".to_owned(),
        Call::TabClose { .. } => "tab_close".to_owned(),
        Call::TabSelect { .. } => "tab_select".to_owned(),
        Call::TabBorrow { .. } => "tab_borrow".to_owned(),
        Call::HelpRequest { .. } => "help_request".to_owned(),
        Call::UploadOpen { .. } => "upload_open".to_owned(),
        Call::UploadArm { .. } => "upload_arm".to_owned(),
        Call::UploadChooser { .. } => "upload_chooser".to_owned(),
        Call::UploadTake { .. } => "upload_take".to_owned(),
        Call::UploadDrag { step, .. } => format!("upload_drag {step:?}"),
        Call::UploadClose { .. } => "upload_close".to_owned(),
        Call::DownloadOpen { .. } => "download_open".to_owned(),
        Call::DownloadTake { .. } => "download_take".to_owned(),
        Call::DownloadProgress { .. } => "download_progress".to_owned(),
        Call::DownloadClose { .. } => "download_close".to_owned(),
        Call::DownloadFolders {} => "download_folders".to_owned(),
        Call::TabReturn { .. } => "tab_return".to_owned(),
        Call::WindowResize { .. } => "window_resize".to_owned(),
        Call::Subscribe { .. } => "subscribe".to_owned(),
        Call::Frames { .. } => "frames".to_owned(),
        Call::FrameQuad { .. } => "frame_quad".to_owned(),
        Call::ShadowRoots { .. } => "shadow_roots".to_owned(),
        Call::Flush { .. } => "flush".to_owned(),
        Call::NetworkWatch { .. } => "network_watch".to_owned(),
        Call::NetworkQuiet { .. } => "network_quiet".to_owned(),
        Call::Fill { .. } => "fill".to_owned(),
        Call::Evaluate { .. } => "evaluate".to_owned(),
        Call::HistoryStep { .. } => "history_step".to_owned(),
    };
    Some(name)
}

impl Kernel {
    pub(crate) fn new(output: FrameSender) -> Self {
        Self { output, next_id: Cell::new(1), next_stream: Cell::new(1), waiting: RefCell::default() }
    }

    /// Writes one message.
    pub(crate) fn write(&self, message: &ToKernel) -> Result<(), Failure> {
        let stream = self.next_stream.get();
        let frames = encode_split::<ToExtension>(message, stream).map_err(|error| {
            Failure::new(
                ErrorCode::ProtocolError,
                Reason::MessageTooLarge,
                format!("a message cannot be sent: {error}"),
            )
        })?;
        if frames.len() > 1 {
            self.next_stream.set(stream.wrapping_add(1));
        }
        for frame in frames {
            self.output.send(frame).map_err(|_| browser_gone())?;
        }
        Ok(())
    }

    /// Tells that a command of a session begins; nothing waits for it, and a port that is gone shows by what follows.
    pub(crate) fn note(&self, session_id: &SessionId, command: &str) {
        let _ = self.write(&ToKernel::Note { session_id: session_id.clone(), command: command.to_owned() });
    }

    /// Sends a request now; await the result for its reply, read as `T`.
    pub(crate) fn send<T: DeserializeOwned>(self: &Rc<Self>, call: Call) -> Pending<T> {
        let id = RequestId(self.next_id.get());
        self.next_id.set(id.0.wrapping_add(1).max(1));
        let (sender, reply) = oneshot::channel();
        let waiting = Waiting { reply: sender, sent: Instant::now(), name: debug_name(&call) };
        if let Some(name) = &waiting.name {
            tracing::debug!(id = id.0, call = name, "kernel asked");
        }
        self.waiting.borrow_mut().insert(id, waiting);
        let failed = self.write(&ToKernel::Request { id, call }).err();
        if failed.is_some() {
            self.waiting.borrow_mut().remove(&id);
        }
        Pending { kernel: Rc::clone(self), id, reply, failed, result: PhantomData }
    }

    /// Takes a reply; one that nobody waits for is the answer to a cancelled request.
    pub(crate) fn take_reply(&self, id: RequestId, outcome: Outcome) {
        let Some(Waiting { reply, sent, name }) = self.waiting.borrow_mut().remove(&id) else { return };
        if let Some(name) = name {
            let is_ok = matches!(outcome, Outcome::Ok(_));
            tracing::debug!(
                id = id.0,
                call = name,
                is_ok,
                took_us = sent.elapsed().as_micros(),
                "kernel answered"
            );
        }
        // The receiver may have been dropped in this very turn.
        let _ = reply.send(outcome);
    }

    /// Fails everything that waits: the port is gone.
    pub(crate) fn abandon(&self) {
        self.waiting.borrow_mut().clear();
    }
}

/// A request under way.
#[derive(Debug)]
#[must_use = "a request that is dropped is cancelled"]
pub(crate) struct Pending<T> {
    kernel: Rc<Kernel>,
    id: RequestId,
    reply: oneshot::Receiver<Outcome>,
    failed: Option<Failure>,
    result: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Future for Pending<T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(failure) = self.failed.take() {
            return Poll::Ready(Err(failure));
        }
        Pin::new(&mut self.reply).poll(context).map(|outcome| match outcome {
            Ok(Outcome::Ok(value)) => serde_json::from_str(value.get()).map_err(|error| {
                Failure::new(
                    ErrorCode::ProtocolError,
                    Reason::PageLibraryFailed,
                    format!("the extension's answer has an unexpected form: {}", shape_of(&error)),
                )
                .hint("reload the extension so that it fits this host: `bsk doctor` compares the versions")
            }),
            Ok(Outcome::Failed(failure)) => Err(failure),
            Err(_) => Err(browser_gone()),
        })
    }
}

/// Where a decoding error is, without the value it may quote (invariant 12).
fn shape_of(error: &serde_json::Error) -> String {
    format!("{:?} error at line {}, column {}", error.classify(), error.line(), error.column())
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if self.kernel.waiting.borrow_mut().remove(&self.id).is_some() {
            // If the port is gone there is nobody to tell.
            let _ = self.kernel.write(&ToKernel::Cancel { id: self.id });
        }
    }
}

/// The failure of everything that waits when the browser's end goes away.
pub(crate) fn browser_gone() -> Failure {
    Failure::new(
        ErrorCode::NoBrowserConnected,
        Reason::BrowserGone,
        "the browser or its extension ended while the command ran",
    )
    .hint("run `bsk status`; if the browser still runs the extension reconnects by itself within seconds")
}

/// Milliseconds for a request; no command has more than a day.
pub(crate) fn in_ms(ms: u64) -> u32 {
    u32::try_from(ms).unwrap_or(u32::MAX)
}

/// A value as raw JSON for a request.
pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("the host's own arguments have string keys and finite numbers")
}
