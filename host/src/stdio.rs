//! The native messaging port: standard input and output on threads of their own, since both block.
//!
//! Input is decoded strictly; the first malformed frame ends the port, since nothing after it can be trusted to be a
//! frame. Output takes frames that the codec made, so none is longer than the browser accepts (invariants 5 and 6).

use std::io::{BufReader, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use bsk_protocol::codec::{CodecError, Frame, FrameReader, FromExtension, Joiner};
use bsk_protocol::kernel::FromKernel;
use tokio::sync::mpsc;

/// Messages that may wait to be handled before the reader stops reading.
const BACKLOG: usize = 256;

/// Starts the reading thread. The channel ends with the stream; the last item is an error if it ended badly.
pub(crate) fn read_messages() -> mpsc::Receiver<Result<FromKernel, CodecError>> {
    let (sender, receiver) = mpsc::channel(BACKLOG);
    thread::spawn(move || {
        let mut frames =
            FrameReader::<FromExtension, _>::new(BufReader::with_capacity(64 * 1024, std::io::stdin()));
        let mut joiner = Joiner::default();
        loop {
            let message = match frames.next_frame() {
                Ok(Some(frame)) => match decode(&frame, &mut joiner) {
                    Ok(Some(message)) => Ok(message),
                    Ok(None) => continue,
                    Err(error) => Err(error),
                },
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let is_end = message.is_err();
            if sender.blocking_send(message).is_err() || is_end {
                return;
            }
        }
    });
    receiver
}

/// The frame's message, or none while a split message is incomplete.
fn decode(frame: &Frame, joiner: &mut Joiner) -> Result<Option<FromKernel>, CodecError> {
    match frame.decode::<FromKernel>()? {
        FromKernel::Part(part) => match joiner.push(&part)? {
            Some(text) => serde_json::from_str(&text).map(Some).map_err(CodecError::Json),
            None => Ok(None),
        },
        message @ (FromKernel::Hello(_)
        | FromKernel::Reply { .. }
        | FromKernel::Event(_)
        | FromKernel::Pong {}) => Ok(Some(message)),
    }
}

/// Frames on their way to the browser, in order.
pub(crate) type FrameSender = std::sync::mpsc::Sender<Vec<u8>>;

/// How often, and how long each, the writing thread naps after a frame before it sleeps for good.
///
/// Chromium watches our pipe on one thread and reads it on another; when both share a core the first spins and the second
/// starves until the scheduler's next tick, 2 ms later (measured, docs/decisions/0003-messages-to-chromium.md). A core that
/// goes to sleep looks for waiting threads first: each nap's end gives the starving reader ours. It halves the median of a
/// short command and costs a few wake-ups per frame, none while nothing is sent.
const NAPS: u32 = 4;
const NAP: Duration = Duration::from_micros(100);

/// Starts the writing thread; it ends when every sender is gone or the browser closed its end. The handle lets the end
/// of the process wait for what is already on its way.
pub(crate) fn write_frames() -> (FrameSender, thread::JoinHandle<()>) {
    let (sender, receiver) = std::sync::mpsc::channel::<Vec<u8>>();
    let handle = thread::spawn(move || {
        let mut output = std::io::stdout().lock();
        while let Some(frame) = next_frame(&receiver) {
            // A closed pipe is noticed by the reader as the end of the port.
            if output.write_all(&frame).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    });
    (sender, handle)
}

/// The next frame, waited for with a few naps first; none when every sender is gone.
fn next_frame(frames: &Receiver<Vec<u8>>) -> Option<Vec<u8>> {
    for _ in 0..NAPS {
        match frames.recv_timeout(NAP) {
            Ok(frame) => return Some(frame),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    frames.recv().ok()
}
