//! `bsk session start`: a window of the agent's own in the user's browser.
//!
//! The one command that may wait long for a browser (`--wait`). Prints the id alone, for use in a shell. With several
//! browsers and no `--browser` it opens nothing.

use std::time::Duration;

use bsk_protocol::failure::{Failure, Reason};
use bsk_protocol::kernel::{DialogPolicy, SessionOptions};
use bsk_protocol::local::{Action, Command, SessionStarted};
use clap::{Args, ValueEnum};

use super::DONE;
use crate::connect::{self, Wanted};
use crate::context::{Context, HOST_WAIT, browser_wanted};
use crate::greeting::Host;
use crate::{default_browser, duration, exchange};

/// The user may be asked first, and has 60 s for that.
const START_TIMEOUT: Duration = Duration::from_secs(90);

/// Open a window in the user's browser and print the new session's id
///
/// The session ends with `bsk session stop`, when the user closes its window, or after `--idle` without a command.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk session start
  bsk session start --dialogs accept
  bsk session start --browser work --width 1280 --height 800 --no-focus
  export BSK_SESSION=$(bsk session start --wait 30s)")]
pub(crate) struct StartArgs {
    /// Browser to use: its id, the id's start, its label or its name
    #[arg(long, value_name = "ID-or-LABEL")]
    browser: Option<String>,
    /// Window width in CSS pixels, 100 to 7680
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(100..=7680))]
    width: Option<u32>,
    /// Window height in CSS pixels, 100 to 7680
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(100..=7680))]
    height: Option<u32>,
    /// Leave the window in the background
    #[arg(long)]
    no_focus: bool,
    /// End the session after this long without a command
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration::parse)]
    idle: Duration,
    /// What is done about JavaScript dialogs; answered ones are told in the next reply
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = Dialogs::Ask)]
    dialogs: Dialogs,
    /// Name to show on the session's tab group
    #[arg(long)]
    name: Option<String>,
    /// Wait this long for a browser to connect
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    wait: Option<Duration>,
    /// Give up after this long, such as `500ms`, `30s` or `2m` [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,
}

/// What is done about JavaScript dialogs.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Dialogs {
    /// The command ends with exit code 6 and `bsk dialog` decides
    Ask,
    /// Press OK
    Accept,
    /// Press Cancel
    Dismiss,
}

impl From<Dialogs> for DialogPolicy {
    fn from(dialogs: Dialogs) -> Self {
        match dialogs {
            Dialogs::Ask => Self::Ask,
            Dialogs::Accept => Self::Accept,
            Dialogs::Dismiss => Self::Dismiss,
        }
    }
}

pub(crate) fn run(args: StartArgs, context: &Context) -> Result<u8, Failure> {
    let host = host(&args, context)?;
    let action = Action::SessionStart(SessionOptions {
        name: args.name,
        width: args.width,
        height: args.height,
        focus: !args.no_focus,
        idle_ms: duration::millis(args.idle),
        dialogs: args.dialogs.into(),
        agent: None,
    });
    let timeout_ms = duration::millis(args.timeout.unwrap_or(START_TIMEOUT));
    let command = Command { session_id: None, tab_id: None, timeout_ms, observe: false, action };
    let reply = exchange::send(&context.output, host, command)?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        context.output.data(reply.read::<SessionStarted>()?.session_id.as_str())?;
    }
    Ok(DONE)
}

/// The browser that was named, else the default of this directory, else the only one.
fn host(args: &StartArgs, context: &Context) -> Result<Host, Failure> {
    let wait = args.wait.unwrap_or(HOST_WAIT);
    if let Some(browser) = browser_wanted(args.browser.as_deref()) {
        let wanted = Wanted { session: None, browser: Some(&browser) };
        return connect::host_for(&context.output, &wanted, wait);
    }
    let Some(default) = default_browser::here()? else {
        return connect::host_for(&context.output, &Wanted::default(), wait);
    };
    let wanted = Wanted { session: None, browser: Some(&default.instance_id) };
    connect::host_for(&context.output, &wanted, wait).map_err(|mut failure| {
        if failure.reason == Some(Reason::BrowserNotFound) {
            failure.message = format!(
                "the default browser of `{}` is not connected; {}",
                default.directory.display(),
                failure.message
            );
            failure.hint = Some(
                "start that browser, choose another with `bsk browsers use`, or pass `--browser`".to_owned(),
            );
        }
        failure
    })
}
