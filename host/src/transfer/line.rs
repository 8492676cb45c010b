//! The way between a command and the CLI that sent it: what is said to it, and the files' bytes that come from it.

use bsk_protocol::local::FromHost;
use tokio::sync::mpsc;

/// Frames that may wait for the disk; with the codec's frames a megabyte.
const MOST_WAITING: usize = 4;

/// What the CLI sends after its command.
#[derive(Debug)]
pub(crate) enum Sent {
    /// Bytes of the files.
    Bytes(Vec<u8>),
    /// That was all, and it is good.
    Whole,
    /// The rest does not come.
    Abandoned,
}

/// A command's end of it.
#[derive(Debug)]
pub(crate) struct Line {
    say: mpsc::UnboundedSender<FromHost>,
    files: mpsc::Receiver<Sent>,
}

impl Line {
    /// A line that says things there, and the end where files come in.
    pub(crate) fn new(say: mpsc::UnboundedSender<FromHost>) -> (Self, mpsc::Sender<Sent>) {
        let (incoming, files) = mpsc::channel(MOST_WAITING);
        (Self { say, files }, incoming)
    }

    /// Tells a person who waits what is going on. A caller that left is noticed by its connection.
    pub(crate) fn progress(&self, message: &str) {
        let _ = self.say.send(FromHost::Progress { message: message.to_owned() });
    }

    /// Has the files sent.
    pub(crate) fn ask_for_files(self) -> mpsc::Receiver<Sent> {
        let _ = self.say.send(FromHost::SendFiles {});
        self.files
    }
}
