//! The way between a command and the CLI that sent it: what is said to it, and the files' bytes that come from it or go to it.

use bsk_protocol::local::{FromHost, TransferProgress};
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
    /// The rest does not come, or what was sent is not taken.
    Abandoned,
    /// What was sent is in its place.
    Saved,
}

/// A command's end of it.
#[derive(Debug)]
pub(crate) struct Line {
    say: mpsc::UnboundedSender<FromHost>,
    files: mpsc::Receiver<Sent>,
    bytes: mpsc::Sender<Vec<u8>>,
}

/// The connection's end of it.
#[derive(Debug)]
pub(crate) struct LineEnd {
    /// What is to be said.
    pub(crate) said: mpsc::UnboundedReceiver<FromHost>,
    /// The bytes that come behind it.
    pub(crate) bytes: mpsc::Receiver<Vec<u8>>,
    /// Where to put what the CLI sends.
    pub(crate) sent: mpsc::Sender<Sent>,
}

impl Line {
    /// A line and its other end.
    pub(crate) fn new() -> (Self, LineEnd) {
        let (say, said) = mpsc::unbounded_channel();
        let (sent, files) = mpsc::channel(MOST_WAITING);
        let (bytes, outgoing) = mpsc::channel(MOST_WAITING);
        (Self { say, files, bytes }, LineEnd { said, bytes: outgoing, sent })
    }

    /// Tells a person who waits what is going on. A caller that left is noticed by its connection.
    pub(crate) fn progress(&self, message: &str) {
        let _ = self.say.send(FromHost::Progress { message: message.to_owned(), transfer: None });
    }

    /// Tells how far a transfer is.
    pub(crate) fn bytes(&self, transfer: TransferProgress) {
        let _ = self.say.send(FromHost::Progress { message: words(transfer), transfer: Some(transfer) });
    }

    /// Announces a file: where its bytes go, and where the answer comes.
    pub(crate) fn give_file(self, byte_size: u64) -> (mpsc::Sender<Vec<u8>>, mpsc::Receiver<Sent>) {
        let _ = self.say.send(FromHost::File { byte_size });
        (self.bytes, self.files)
    }

    /// Has the files sent.
    pub(crate) fn ask_for_files(self) -> mpsc::Receiver<Sent> {
        let _ = self.say.send(FromHost::SendFiles {});
        self.files
    }
}

fn words(TransferProgress { received_bytes, total_bytes, bytes_per_second }: TransferProgress) -> String {
    let rate = size(bytes_per_second);
    match total_bytes {
        Some(total) if total > 0 => {
            let percent = received_bytes.saturating_mul(100) / total;
            format!("{percent} % of {} downloaded, {rate}/s", size(total))
        }
        Some(_) | None => format!("{} downloaded, {rate}/s", size(received_bytes)),
    }
}

/// Bytes for people, in units of 1000 as browsers show them.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        1_000_000_000.. => (1_000_000_000, "GB"),
    };
    format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_much_and_how_fast() {
        let half = TransferProgress {
            received_bytes: 40_000_000,
            total_bytes: Some(80_000_000),
            bytes_per_second: 5_250_000,
        };
        assert_eq!(words(half), "50 % of 80.0 MB downloaded, 5.2 MB/s");
        let unknown = TransferProgress { received_bytes: 1500, total_bytes: None, bytes_per_second: 0 };
        assert_eq!(words(unknown), "1.5 kB downloaded, 0.0 kB/s");
    }
}
