//! The text that a command enters: from the command line, from a file or from standard input.
//!
//! Exactly one of them. The text is never printed, since it may be a secret.

use std::path::PathBuf;

use bsk_protocol::failure::Failure;
use clap::Args;

use crate::{usage, value};

/// Where the text comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Text {
    /// The text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    value: Option<String>,
    /// File with the text, taken as it is; `-` for standard input
    #[arg(long, value_name = "PATH")]
    value_file: Option<PathBuf>,
}

impl Text {
    /// The text.
    ///
    /// # Errors
    /// The file cannot be read or is no UTF-8 text.
    pub(crate) fn read(self) -> Result<String, Failure> {
        match (self.value, self.value_file) {
            (Some(text), _) => Ok(text),
            (None, Some(path)) => value::read(&path),
            (None, None) => Err(usage::wrong("no text was given", "pass `--value` or `--value-file`")),
        }
    }
}
