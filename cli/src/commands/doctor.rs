//! `bsk doctor`: looks at each step from the state directory to the extension and says which one fails.
//!
//! Changes nothing but dead hosts' sockets. Never hangs: the checks run on a thread of their own, and what is not known
//! when the time is over is itself a failed check. The exit code is 1 when a check fails.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use bsk_installer::{Check, CheckStatus};
use bsk_protocol::BUILD_VERSION;
use bsk_protocol::failure::{Failure, Reason};
use bsk_protocol::local::HostHello;
use bsk_protocol::place::{RuntimeDir, state_dir};
use clap::Args;

use super::DONE;
use crate::choose::browser_line;
use crate::connect::{self, Scan, Wanted};
use crate::context::Context;
use crate::output::Output;
use crate::{duration, no_host};

/// Exit code when a check fails.
const CHECK_FAILED: u8 = 1;

/// Check each step from the installation to the extension
///
/// Exit code 1 when a check fails.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  bsk doctor --timeout 5s")]
pub(crate) struct DoctorArgs {
    /// Report what is not known by then as a failed check
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration::parse)]
    timeout: Duration,
}

pub(crate) fn run(args: &DoctorArgs, context: &Context) -> Result<u8, Failure> {
    let output = context.output;
    let checks = within(args.timeout, move |sender| examine(&output, sender));
    let is_well = checks.iter().all(|check| check.is_ok);
    if output.is_json() {
        output.json(&checks)?;
    } else {
        let lines: Vec<String> = checks.iter().map(line).collect();
        output.data(&lines.join("\n"))?;
    }
    Ok(if is_well { DONE } else { CHECK_FAILED })
}

/// Collects what comes in time.
fn within(timeout: Duration, examine: impl FnOnce(&Sender<Check>) + Send + 'static) -> Vec<Check> {
    let (sender, receiver) = mpsc::channel();
    let deadline = Instant::now() + timeout;
    thread::spawn(move || examine(&sender));
    let mut checks = Vec::new();
    loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(check) => checks.push(check),
            Err(RecvTimeoutError::Disconnected) => return checks,
            Err(RecvTimeoutError::Timeout) => {
                let detail = format!("not every check ended within {} ms", timeout.as_millis());
                checks.push(check(
                    "time",
                    CheckStatus::Fail,
                    detail,
                    "run it again with a longer `--timeout`",
                ));
                return checks;
            }
        }
    }
}

fn examine(output: &Output, sender: &Sender<Check>) {
    // Nobody listens any more once the time is over.
    let tell = |check: Check| {
        let _ = sender.send(check);
    };
    tell(state_directory());
    let dir = runtime_directory();
    let is_usable = dir.is_ok;
    tell(dir);
    match no_host::environment() {
        Ok(environment) => bsk_installer::verify(&environment).into_iter().for_each(tell),
        Err(failure) => tell(failed("installation", &failure)),
    }
    if !is_usable {
        return;
    }
    match connect::scan(output, &Wanted::default()) {
        Ok((_, scan)) => connection(&scan).into_iter().for_each(tell),
        Err(failure) => tell(failed("host", &failure)),
    }
}

fn state_directory() -> Check {
    let name = "state directory";
    match state_dir() {
        Ok(path) if path.is_dir() => check(name, CheckStatus::Ok, format!("`{}`", path.display()), ""),
        Ok(path) if !path.exists() => {
            check(name, CheckStatus::Na, format!("`{}` does not exist yet", path.display()), "")
        }
        Ok(path) => {
            let hint = format!("move `{}` away", path.display());
            check(name, CheckStatus::Fail, format!("`{}` is not a directory", path.display()), hint)
        }
        Err(error) => failed(name, &error.into()),
    }
}

fn runtime_directory() -> Check {
    match RuntimeDir::open() {
        Ok(dir) => check("runtime directory", CheckStatus::Ok, format!("`{}`", dir.path().display()), ""),
        Err(error) => failed("runtime directory", &error.into()),
    }
}

/// The checks of the live host: the hello, the versions, the extension.
fn connection(scan: &Scan) -> Vec<Check> {
    let mut checks: Vec<Check> = scan.failures.iter().map(|failure| failed("host", failure)).collect();
    checks
        .extend(scan.hosts.iter().map(|host| check("host", CheckStatus::Ok, browser_line(&host.hello), "")));
    if !scan.hosts.is_empty() {
        checks.extend(scan.hosts.iter().map(|host| versions(&host.hello)));
        checks.push(check("extension", CheckStatus::Ok, "connected to its host", ""));
        return checks;
    }
    if scan.failures.is_empty() {
        let cause = no_host::failure();
        let is_extension = cause.reason == Some(Reason::ExtensionMissing);
        let step = if is_extension { "extension" } else { "host" };
        if is_extension {
            checks.push(check("host", CheckStatus::Na, "not started, since no extension asked for it", ""));
        }
        checks.push(failed(step, &cause));
    }
    checks.push(check("versions", CheckStatus::Na, "no host to compare with", ""));
    checks
}

fn versions(hello: &HostHello) -> Check {
    let HostHello { host_version, extension_version, .. } = hello;
    let detail = format!("bsk {BUILD_VERSION}, host {host_version}, extension {extension_version}");
    if host_version != BUILD_VERSION {
        let hint = "run `bsk install` with the newer `bsk`, then restart the browser";
        return check("versions", CheckStatus::Fail, detail, hint);
    }
    if extension_version != BUILD_VERSION {
        let hint = "reload bsk's extension on the browser's extensions page";
        return check("versions", CheckStatus::Fail, detail, hint);
    }
    check("versions", CheckStatus::Ok, detail, "")
}

fn check(name: &str, status: CheckStatus, detail: impl Into<String>, hint: impl Into<String>) -> Check {
    let is_ok = status != CheckStatus::Fail;
    Check { name: name.to_owned(), is_ok, status, detail: detail.into(), hint: hint.into() }
}

fn failed(name: &str, failure: &Failure) -> Check {
    check(name, CheckStatus::Fail, failure.message.as_str(), failure.hint.as_deref().unwrap_or_default())
}

fn line(check: &Check) -> String {
    let status = match check.status {
        CheckStatus::Ok => "ok  ",
        CheckStatus::Fail => "FAIL",
        CheckStatus::Na => "-   ",
    };
    let hint = if check.hint.is_empty() { String::new() } else { format!("\n      hint: {}", check.hint) };
    format!("{status}  {}: {}{hint}", check.name, check.detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_hangs_is_reported_and_the_others_are_kept() {
        let (_keep, blocked) = mpsc::channel::<()>();
        let checks = within(Duration::from_millis(20), move |sender| {
            let _ = sender.send(check("one", CheckStatus::Ok, "", ""));
            let _ = blocked.recv();
        });
        assert_eq!(checks.iter().map(|check| check.name.as_str()).collect::<Vec<_>>(), ["one", "time"]);
        assert!(!checks[1].is_ok);
    }
}
