//! `bsk browsers`: the connected browsers, and which one this directory uses.
//!
//! A machine without a connected browser is a state, not a failure: the list is empty, the exit code 0, and the way out
//! goes to standard error. What cannot be used, for instance a host of another version, is not listed but explained there.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::Profile;
use bsk_protocol::local::{Action, Command};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::DONE;
use crate::choose::{browser_json, browser_line};
use crate::connect::{self, Wanted};
use crate::context::{Context, HOST_WAIT};
use crate::greeting::Host;
use crate::{default_browser, duration, exchange, no_host, usage};

/// How long a browser may take to say what it is known by.
const PROFILE_TIME: Duration = Duration::from_secs(2);

/// List the connected browsers, or choose one for this directory
///
/// Each is shown with what a person knows it by: its label, its windows and tabs, the page in front. `*` marks the one that this
/// directory uses.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "Example:
  bsk browsers --json"
)]
pub(crate) struct BrowsersArgs {
    #[command(subcommand)]
    command: Option<BrowsersCommand>,
}

#[derive(Debug, Subcommand)]
enum BrowsersCommand {
    Use(UseArgs),
}

/// Use a browser in this directory and below, where no `--browser` and no `BSK_BROWSER` says otherwise
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk browsers use work
  bsk browsers use --clear")]
struct UseArgs {
    /// Its id, the id's start, or its label
    #[arg(value_name = "ID-or-LABEL", required_unless_present = "clear", conflicts_with = "clear")]
    browser: Option<String>,
    /// Use none in particular again
    #[arg(long)]
    clear: bool,
}

pub(crate) fn run(args: &BrowsersArgs, context: &Context) -> Result<u8, Failure> {
    match &args.command {
        None => list(context),
        Some(BrowsersCommand::Use(args)) => choose(args, context),
    }
}

fn list(context: &Context) -> Result<u8, Failure> {
    let (_, scan) = connect::scan(&context.output, &Wanted::default())?;
    let failures = scan.failures;
    let used = default_browser::here().ok().flatten().map(|default| default.instance_id);
    let mut browsers = Vec::new();
    for host in scan.hosts {
        let (mut told, line) = (browser_json(&host.hello), browser_line(&host.hello));
        let is_default = used.as_deref() == Some(host.hello.instance_id.0.as_str());
        let line =
            format!("{}{line}, {} sessions", if is_default { "* " } else { "" }, host.hello.sessions.len());
        let profile = profile(context, host);
        told["is_default"] = json!(is_default);
        told["profile"] = profile.as_ref().map_or(Value::Null, |profile| json!(profile));
        browsers.push((told, line + &profile.as_ref().map(profile_line).unwrap_or_default()));
    }
    if context.output.is_json() {
        context.output.json(&browsers.into_iter().map(|(told, _)| told).collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    for (_, line) in &browsers {
        context.output.data(line)?;
    }
    if browsers.is_empty() || !failures.is_empty() {
        context.output.hint(&no_host::hint_for(&failures));
    }
    Ok(DONE)
}

/// What the profile is known by; none from a browser that does not answer.
fn profile(context: &Context, host: Host) -> Option<Profile> {
    let timeout_ms = duration::millis(PROFILE_TIME);
    let action = Action::Profile {};
    let command = Command { session_id: None, tab_id: None, timeout_ms, observe: false, action };
    exchange::send(&context.output, host, command).and_then(|reply| reply.read()).ok()
}

fn profile_line(profile: &Profile) -> String {
    let Profile { window_count, tab_count, front_title } = profile;
    let title =
        front_title.as_ref().map(|title| format!(", in front \"{}\"", title.replace(['\n', '\t'], " ")));
    format!(", {window_count} windows, {tab_count} tabs{}", title.unwrap_or_default())
}

fn choose(args: &UseArgs, context: &Context) -> Result<u8, Failure> {
    let chosen = match (&args.browser, args.clear) {
        (Some(browser), _) => {
            let wanted = Wanted { session: None, browser: Some(browser) };
            Some(connect::host_for(&context.output, &wanted, HOST_WAIT)?.hello)
        }
        (None, true) => None,
        (None, false) => {
            return Err(usage::wrong("no browser was named", "pass an id or a label from `bsk browsers`"));
        }
    };
    let directory = default_browser::set(chosen.as_ref().map(|hello| hello.instance_id.0.as_str()))?;
    if context.output.is_json() {
        let instance_id = chosen.map(|hello| hello.instance_id);
        context.output.json(&json!({ "directory": directory, "instance_id": instance_id }))?;
    } else {
        let which = chosen.as_ref().map_or("no browser in particular".to_owned(), browser_line);
        context.output.note(&format!("{} uses {which}", directory.display()))?;
    }
    Ok(DONE)
}
