//! Text that is too long or too secret for the command line: read from a file or from standard input.
//!
//! Taken as it is, final newline included. Refuses what is not UTF-8, and more than one message to the host can carry.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bsk_protocol::codec::{Local, Wire};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// It cannot be read, is too long, or is not UTF-8.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return text("standard input", io::stdin().lock());
    }
    let name = format!("`{}`", path.display());
    let file = File::open(path).map_err(|error| unreadable(&name, &error.to_string()))?;
    text(&name, file)
}

fn text(name: &str, source: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = Local::LIMIT as u64;
    source.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error.to_string()))?;
    if bytes.len() as u64 > limit {
        let message = format!("{name} has more than {limit} bytes");
        return Err(Failure::new(ErrorCode::InvalidParams, Reason::MessageTooLarge, message)
            .hint("send less text at once"));
    }
    String::from_utf8(bytes).map_err(|error| {
        unreadable(name, &format!("no UTF-8 text at byte {}", error.utf8_error().valid_up_to()))
    })
}

fn unreadable(name: &str, detail: &str) -> Failure {
    Failure::new(
        ErrorCode::InvalidParams,
        Reason::FileNotReadable,
        format!("{name} cannot be read: {detail}"),
    )
    .hint("nothing was sent; pass a readable file with UTF-8 text, or `-` for standard input")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_taken_as_it_is() {
        assert_eq!(text("x", "aé\n".as_bytes()), Ok("aé\n".to_owned()));
    }

    #[test]
    fn what_is_no_text_is_refused_with_the_place() {
        let failure = text("x", [b'a', 0xff].as_slice()).unwrap_err();
        assert_eq!(failure.reason, Some(Reason::FileNotReadable));
        assert!(failure.message.contains("byte 1"));
    }
}
