//! What is printed, and where: data on standard output, everything else on standard error.
//!
//! With `--json` standard output gets exactly one JSON value, a failure's too. With `--quiet` only data and failures are
//! printed. A closed standard output ends the process quietly with exit code 0: the reader has what it wanted.
//! A standard error that cannot be written is ignored: there is nowhere left to say so.

use std::io::{self, IsTerminal, Write};
use std::process;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::TransferProgress;
use serde::Serialize;
use serde_json::json;

use crate::render;

/// Where and how much to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    is_json: bool,
    is_quiet: bool,
    verbosity: u8,
}

impl Output {
    pub(crate) fn new(is_json: bool, is_quiet: bool, verbosity: u8) -> Self {
        Self { is_json, is_quiet, verbosity }
    }

    /// Whether the result has to be the one JSON value.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Prints the one JSON value.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(value).map_err(|error| {
            Failure::new(
                ErrorCode::ProtocolError,
                Reason::UsageInvalid,
                format!("the result is no JSON: {error}"),
            )
        })?;
        text.push(b'\n');
        self.bytes(&text)
    }

    /// Prints data as text, with a final newline.
    pub(crate) fn data(&self, text: &str) -> Result<(), Failure> {
        let mut text = if io::stdout().is_terminal() { render::printable(text) } else { text.to_owned() };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.bytes(text.as_bytes())
    }

    /// Prints a sentence on what was done, unless `--quiet`.
    pub(crate) fn note(&self, text: &str) -> Result<(), Failure> {
        if self.is_quiet { Ok(()) } else { self.data(text) }
    }

    /// Writes bytes to standard output as they are.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => process::exit(0),
            Err(error) => {
                let message = format!("standard output cannot be written: {error}");
                Err(Failure::new(ErrorCode::Unsupported, Reason::FileNotWritable, message)
                    .hint("the command itself was done; check where its output goes"))
            }
        }
    }

    /// Prints the way out of a state that is no failure.
    pub(crate) fn hint(&self, text: &str) {
        if !self.is_json && !self.is_quiet {
            to_stderr(&format!("hint: {text}"));
        }
    }

    /// Prints text that belongs beside the data, such as a script's exception.
    pub(crate) fn aside(&self, text: &str) {
        to_stderr(text);
    }

    /// Tells a person who waits what is going on; of a transfer also a program, as a line of JSON.
    pub(crate) fn progress(&self, text: &str, transfer: Option<TransferProgress>) {
        if let (true, Some(transfer)) = (self.is_json, transfer) {
            let mut event = json!({ "event": "progress", "transfer": transfer });
            if let Some(total) = transfer.total_bytes.filter(|total| *total > 0) {
                event["percent"] = json!(transfer.received_bytes.saturating_mul(100) / total);
            }
            to_stderr(&event.to_string());
        } else if !self.is_quiet && io::stderr().is_terminal() {
            to_stderr(text);
        }
    }

    /// Tells a person who looks for a fault what is done.
    pub(crate) fn trace(&self, text: impl FnOnce() -> String) {
        if self.verbosity > 0 {
            to_stderr(&text());
        }
    }

    /// Prints a failure and gives its exit code.
    pub(crate) fn failure(&self, failure: &Failure) -> u8 {
        if self.is_json {
            // A failure to print the failure leaves only the exit code.
            let _ = self.json(&render::failure_json(failure));
        } else {
            to_stderr(&render::failure_text(failure));
        }
        failure.exit_code()
    }
}

fn to_stderr(text: &str) {
    let mut text = if io::stderr().is_terminal() { render::printable(text) } else { text.to_owned() };
    text.push('\n');
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
