//! `bsk evaluate`: runs JavaScript in the page's own world.
//!
//! An exception is an answer, not a failure of the command: exit code 0, its text beside the data.

use std::path::{Path, PathBuf};

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::local::Action;
use clap::{ArgAction, Args};
use serde::Deserialize;
use serde_json::Value;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::{render, value};

/// Run JavaScript in the page and print its value
///
/// An exception is printed on standard error and leaves the exit code 0; with `--json` it is `error` in the result.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk evaluate 'document.title' --session quwe
  bsk evaluate 'fetch(\"/api\").then(r => r.status)' --await-promise --session quwe
  bsk evaluate --file script.js --session quwe
  bsk evaluate 'document.title' --frame @f2 --session quwe
  cat script.js | bsk evaluate --stdin --session quwe")]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    source: Source,
    /// Frame to run it in: its number, as in `@f2e5`
    #[arg(long, value_name = "FRAME", value_parser = frame)]
    frame: Option<FrameNumber>,
    /// Wait for a promise and give what it resolves to
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false,
          default_missing_value = "true", action = ArgAction::Set)]
    await_promise: bool,
    /// Give objects as JSON; with `=false` as descriptions
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
          default_missing_value = "true", action = ArgAction::Set)]
    return_by_value: bool,
    #[command(flatten)]
    place: TabPlace,
}

/// Where the script comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// JavaScript source; `-` reads it from standard input
    #[arg(value_name = "EXPR", allow_negative_numbers = true)]
    expression: Option<String>,
    /// File with the source
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Read the source from standard input
    #[arg(long)]
    stdin: bool,
}

impl Source {
    fn text(self) -> Result<String, Failure> {
        match (self.expression, self.file) {
            (Some(text), _) if text != "-" => Ok(text),
            (None, Some(path)) => value::read(&path),
            (Some(_), _) | (None, None) => value::read(Path::new("-")),
        }
    }
}

/// `2`, `f2` or `@f2`.
fn frame(text: &str) -> Result<FrameNumber, String> {
    let number = text.trim_start_matches('@').trim_start_matches('f').parse();
    number.map(FrameNumber).map_err(|_| "a frame is a number, as in `@f2e5`: `2` or `@f2`".to_owned())
}

#[derive(Deserialize)]
struct Evaluated {
    ok: bool,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    error: Option<ScriptError>,
}

#[derive(Deserialize)]
struct ScriptError {
    text: String,
}

pub(crate) fn run(args: EvaluateArgs, context: &Context) -> Result<u8, Failure> {
    let action = Action::Evaluate {
        expression: args.source.text()?,
        frame: args.frame,
        await_promise: args.await_promise,
        return_by_value: args.return_by_value,
    };
    let reply = context.in_tab(&args.place, COMMAND_TIMEOUT, action)?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
        return Ok(DONE);
    }
    let evaluated: Evaluated = reply.read()?;
    if evaluated.ok {
        context.output.data(&render::script_value(&evaluated.value))?;
    } else {
        context
            .output
            .aside(evaluated.error.as_ref().map_or("the script threw", |error| error.text.as_str()));
    }
    Ok(DONE)
}
