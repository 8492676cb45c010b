//! `bsk request-help`: asks the user to do something in a tab, and waits.
//!
//! However it ends is an answer and exit code 0: done, cancelled, time over, switched off. Only what keeps the user from being asked
//! is a failure, and that is said before anything is shown. With `BSK_REQUEST_HELP=off` nobody is asked and no host is needed.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, HelpGiven, HelpOutcome, HelpWish};
use clap::Args;

use super::DONE;
use crate::context::{Context, TabPlace};
use crate::{criteria, duration, target, usage, value};

/// Switches asking off.
const SWITCH: &str = "BSK_REQUEST_HELP";

/// How long the user has unless told otherwise.
const HELP_TIMEOUT: Duration = Duration::from_mins(5);
/// What the way to the user may take beyond that: the session's other commands, the targets, the window.
const WAY: Duration = Duration::from_mins(1);

/// What the window shows at most, in UTF-16 units as the wire counts.
const LONGEST_PROMPT: usize = 20_000;
const LONGEST_TITLE: usize = 200;

/// Ask the user to do something in the page, and wait
///
/// Brings the tab forward and shows the prompt in a window beside it, with Done, Cancel and a note field. Until the user is done the
/// session can look at pages and not act in them (exit code 7). The user has 5 minutes, or `--timeout`. Ends with `continued`, `cancelled`, `timed_out`, or `completed`
/// when the criteria are met; each is an answer with exit code 0, so look at the outcome. Going to another page ends nothing.
///
/// Criteria are JSON: `url_contains`, `url_matches` (a regular expression), `selector_exists`, `selector_missing`, `text_exists`,
/// `text_missing`, `any`, `all`, and `stable_for_ms` beside them. What holds already when the command starts completes it at once.
#[derive(Debug, Args)]
#[command(after_long_help = r##"Examples:
  bsk request-help --prompt 'Sign in, then press Done.' --session quwe
  bsk request-help --prompt 'Type the code' --target '#code' --completion-criteria '{"text_exists":"Welcome"}' --session quwe

Environment:
  BSK_REQUEST_HELP=off  nobody is asked; the outcome is `disabled` at once"##)]
pub(crate) struct RequestHelpArgs {
    #[command(flatten)]
    prompt: Prompt,
    /// What it is about, in a few words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// Element to mark in the page: a ref or a CSS selector; may be repeated, and the page is scrolled to the first
    #[arg(long = "target", value_name = "TARGET")]
    targets: Vec<String>,
    /// When it is over without a press, as JSON
    #[arg(long, value_name = "JSON")]
    completion_criteria: Option<String>,
    #[command(flatten)]
    place: TabPlace,
}

/// Where the prompt comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Prompt {
    /// What the user is to do; line breaks are kept
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// File with that text; `-` for standard input
    #[arg(long, value_name = "PATH")]
    prompt_file: Option<PathBuf>,
}

impl Prompt {
    fn read(self) -> Result<String, Failure> {
        let text = match (self.prompt, self.prompt_file) {
            (Some(text), _) => text,
            (None, Some(path)) => value::read(&path)?,
            (None, None) => String::new(),
        };
        shown("prompt", text, LONGEST_PROMPT)
    }
}

/// A text that the window can show.
fn shown(what: &str, text: String, longest: usize) -> Result<String, Failure> {
    if text.trim().is_empty() {
        return Err(usage::wrong(format!("the {what} is empty"), "say what the user is to do, and why"));
    }
    let length = text.encode_utf16().count();
    if length > longest {
        return Err(usage::wrong(
            format!("the {what} has {length} characters; at most {longest} are shown"),
            "say it shorter: a person has to read it",
        ));
    }
    Ok(text)
}

pub(crate) fn run(args: RequestHelpArgs, context: &Context) -> Result<u8, Failure> {
    if is_off(env::var_os(SWITCH).unwrap_or_default().to_string_lossy().trim()) {
        let given = HelpGiven { outcome: HelpOutcome::Disabled, note: None, resolved_targets: Vec::new() };
        return tell(context, &given, HELP_TIMEOUT);
    }
    let RequestHelpArgs { prompt, title, targets, completion_criteria, mut place } = args;
    let timeout = place.session.timeout.unwrap_or(HELP_TIMEOUT);
    let wish = HelpWish {
        title: title.map(|title| shown("title", title, LONGEST_TITLE)).transpose()?,
        targets: targets.iter().map(|text| target::read(text)).collect::<Result<_, _>>()?,
        criteria: completion_criteria.as_deref().map(criteria::read).transpose()?,
        prompt: prompt.read()?,
        timeout_ms: duration::millis(timeout),
    };
    place.session.timeout = Some(timeout.saturating_add(WAY));
    let reply = context.in_tab(&place, HELP_TIMEOUT, Action::RequestHelp(wish))?;
    tell(context, &reply.read()?, timeout)
}

/// Whether a value of the variable means no.
fn is_off(value: &str) -> bool {
    ["off", "0", "false", "no"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn tell(context: &Context, given: &HelpGiven, timeout: Duration) -> Result<u8, Failure> {
    if context.output.is_json() {
        let json = serde_json::value::to_raw_value(given).expect("the result has string keys and no numbers");
        context.output.json(&json)?;
    } else {
        context.output.note(&line(given, timeout))?;
    }
    Ok(DONE)
}

/// `continued: the user is done`, and below it what they wrote.
fn line(given: &HelpGiven, timeout: Duration) -> String {
    let HelpGiven { outcome, note, resolved_targets: _ } = given;
    let said = match outcome {
        HelpOutcome::Continued => "continued: the user is done".to_owned(),
        HelpOutcome::Completed => "completed: the page is as the criteria say".to_owned(),
        HelpOutcome::Cancelled => "cancelled: the user does not do it".to_owned(),
        HelpOutcome::TimedOut => {
            format!("timed out: the user was not done within {} s", timeout.as_secs_f64())
        }
        HelpOutcome::Disabled => format!("disabled: `{SWITCH}` says that nobody is to be asked"),
    };
    match note {
        Some(note) => format!("{said}\nnote: {note}"),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_is_a_line_and_a_note_another() {
        let given = |outcome, note: Option<&str>| HelpGiven {
            outcome,
            note: note.map(str::to_owned),
            resolved_targets: Vec::new(),
        };
        let five = Duration::from_secs(5);
        assert_eq!(
            line(&given(HelpOutcome::Continued, Some("code is 1\nin two lines")), five),
            "continued: the user is done\nnote: code is 1\nin two lines"
        );
        assert_eq!(
            line(&given(HelpOutcome::TimedOut, None), five),
            "timed out: the user was not done within 5 s"
        );
    }

    #[test]
    fn the_switch_takes_the_usual_words_for_no() {
        for off in ["off", "OFF", "0", "false", "no"] {
            assert!(is_off(off), "{off}");
        }
        for on in ["", "on", "1", "office"] {
            assert!(!is_off(on), "{on}");
        }
    }

    #[test]
    fn texts_that_cannot_be_shown_are_refused() {
        assert!(shown("prompt", " \n".into(), 10).is_err());
        assert!(shown("prompt", "a".repeat(11), 10).is_err());
        assert_eq!(shown("prompt", " a\n b".into(), 10), Ok(" a\n b".to_owned()));
    }
}
