//! A command line that clap does not take, as an answer: help and version on standard output, anything else a failure.
//!
//! Exit code 1, never clap's 2, which means "no host" here. With `--json` the failure is JSON like any other.

use std::ffi::OsString;
use std::io::{self, Write};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use clap::error::ErrorKind;

use crate::output::Output;

/// Prints what clap says and gives the exit code.
pub(crate) fn answer(error: &clap::Error, arguments: &[OsString]) -> u8 {
    let output = Output::new(wants_json(arguments), false, 0);
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match output.bytes(text.as_bytes()) {
            Ok(()) => 0,
            Err(failure) => output.failure(&failure),
        };
    }
    if output.is_json() {
        let is_bare = matches!(
            error.kind(),
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        );
        let failure =
            if is_bare { wrong("no command was named", "run `bsk --help`") } else { failure(&text) };
        return output.failure(&failure);
    }
    // Clap's own form: it shows the usage and what was probably meant.
    let _ = io::stderr().lock().write_all(text.as_bytes());
    1
}

/// A usage failure of our own, for what clap cannot express.
pub(crate) fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::InvalidParams, Reason::UsageInvalid, message).hint(hint)
}

/// Whether `--json` is among the arguments, for a line that could not be parsed.
fn wants_json(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Clap's text as a failure: its first paragraph is the message, its tips are the hint.
fn failure(text: &str) -> Failure {
    let is_message = |line: &&str| !line.trim().is_empty();
    let message: Vec<&str> = text.lines().take_while(is_message).map(str::trim).collect();
    let message = message.join(" ");
    let tips: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).collect();
    let hint = if tips.is_empty() { "run the command with `--help`".to_owned() } else { tips.join("; ") };
    let message = message.strip_prefix("error: ").unwrap_or(&message).trim_end_matches('.');
    wrong(message.replace('\'', "`"), hint.replace('\'', "`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_the_message_and_tips_are_the_hint() {
        let text = "error: unrecognized subcommand 'clik'\n\n  tip: a similar subcommand exists: 'click'\n\nUsage: bsk\n";
        let failure = failure(text);
        assert_eq!(failure.message, "unrecognized subcommand `clik`");
        assert_eq!(failure.hint.as_deref(), Some("a similar subcommand exists: `click`"));
        assert_eq!(failure.exit_code(), 1);
    }

    #[test]
    fn json_is_wanted_only_before_a_double_dash() {
        let arguments = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(wants_json(&arguments("bsk nonsense --json")));
        assert!(!wants_json(&arguments("bsk evaluate -- --json")));
    }
}
