//! Checks of the installation for `bsk doctor`: each says what it looked at, whether it is well, and what
//! helps.
//!
//! Looks only, starts nothing but `bsk-host --version`, and ends within about a second whatever it finds.

use std::fs;
use std::thread;

use serde::Serialize;

use crate::InstallEnvironment;
use crate::browsers;
use crate::environment::is_our_extension;
use crate::error::shell_word;
use crate::plan::Scope;
use crate::policy;
use crate::probe;
use crate::record;
use crate::registrations::{self, Reading, Registration};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// All is well.
    Ok,
    /// Something has to be done.
    Fail,
    /// It does not apply here.
    Na,
}

/// One line of `bsk doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, e.g. `host program` or `registration chrome`.
    pub name: String,
    /// Whether nothing has to be done; true for `na` as well.
    #[serde(rename = "ok")]
    pub is_ok: bool,
    /// How it ended.
    pub status: CheckStatus,
    /// What was found.
    pub detail: String,
    /// The command or click that helps; empty when nothing has to be done.
    pub hint: String,
}

impl Check {
    fn new(
        name: impl Into<String>,
        status: CheckStatus,
        detail: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let is_ok = status != CheckStatus::Fail;
        Self { name: name.into(), is_ok, status, detail: detail.into(), hint: hint.into() }
    }

    fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Ok, detail, "")
    }

    fn fail(name: impl Into<String>, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Fail, detail, hint)
    }
}

/// Checks the host program, the extension's folder, the record and every registration.
pub fn verify(env: &InstallEnvironment) -> Vec<Check> {
    let mut checks = vec![host_program(env), extension_folder(env), install_record(env)];
    let existing = registrations::existing(env);
    if existing.is_empty() {
        let detail = "no browser knows bsk's host";
        checks.push(Check::fail("registration", detail, "run `bsk install`"));
    }
    checks.extend(all_registered(env, &existing));
    checks.extend(unregistered(env, &existing));
    checks.extend(policies(env, &existing));
    checks
}

fn host_program(env: &InstallEnvironment) -> Check {
    let path = env.host_binary.display();
    match probe::host_fault(&env.host_binary) {
        None => Check::ok("host program", format!("`{path}` answers")),
        Some(fault) => {
            let hint = "build it with `cargo build --release`, or unpack the release again";
            Check::fail("host program", format!("`{path}` {}", fault.text()), hint)
        }
    }
}

fn extension_folder(env: &InstallEnvironment) -> Check {
    let name = "extension folder";
    match &env.extension_dir {
        Some(dir) if is_our_extension(dir) => Check::ok(name, format!("`{}`", dir.display())),
        Some(dir) => Check::fail(
            name,
            format!("`{}` does not hold bsk's extension", dir.display()),
            "unpack the release again",
        ),
        // A browser may have the extension from elsewhere.
        None => Check::new(name, CheckStatus::Na, "no folder `extension` belongs to this bsk", ""),
    }
}

fn install_record(env: &InstallEnvironment) -> Check {
    match record::read(&env.state_dir) {
        Ok(record) => Check::ok("install record", format!("{} registrations recorded", record.entries.len())),
        Err(error) => Check::fail("install record", error.message(), error.hint()),
    }
}

/// Side by side, because each may have to wait for a host program.
fn all_registered(env: &InstallEnvironment, existing: &[Registration]) -> Vec<Check> {
    thread::scope(|scope| {
        let running: Vec<_> =
            existing.iter().map(|registration| scope.spawn(|| registered(env, registration))).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

fn registered(env: &InstallEnvironment, registration: &Registration) -> Check {
    let name = match registration.scope {
        Scope::User => format!("registration {}", registration.browser),
        Scope::System => format!("registration {} for all users", registration.browser),
        Scope::DataDir => format!("registration {}", registration.data_dir.display()),
    };
    let again = || match registration.scope {
        Scope::User => format!("run `bsk install --browser {}`", registration.browser),
        Scope::System => format!("run `bsk install --system --browser {}`", registration.browser),
        Scope::DataDir => format!("run `bsk install --user-data-dir {}`", shell_word(&registration.data_dir)),
    };
    let host = match registration.read() {
        Reading::Host(host) => host,
        Reading::Fault(path, fault) => {
            return Check::fail(name, format!("`{}` {}", path.display(), fault.text()), again());
        }
    };
    let detail = format!("`{}` starts `{}`", registration.path.display(), host.display());
    if fs::canonicalize(&env.host_binary).is_ok_and(|real| real == host) {
        // `host program` runs it already.
        return Check::ok(name, detail);
    }
    match probe::host_fault(&host) {
        None => Check::ok(name, format!("{detail}, which is another copy than this bsk's")),
        Some(fault) => Check::fail(name, format!("{detail}, which {}", fault.text()), again()),
    }
}

/// Browsers that are here and do not know the host: nothing is wrong, the user may want it so.
fn unregistered(env: &InstallEnvironment, existing: &[Registration]) -> Vec<Check> {
    let mut checks = Vec::new();
    for browser in browsers::browsers() {
        if existing.iter().any(|registration| registration.browser == browser.id) {
            continue;
        }
        let name = format!("registration {}", browser.id);
        let presence = browser.presence(env);
        if presence.is_usable() {
            let detail = format!("`{}` is here and does not know bsk", browser.name);
            let hint = format!("run `bsk install --browser {}` if you want it to", browser.id);
            checks.push(Check::new(name, CheckStatus::Na, detail, hint));
        } else if let Some((path, kind)) = presence.confined {
            let detail = format!("`{}` is a {} and cannot start a host", path.display(), kind.name());
            checks.push(Check::new(name, CheckStatus::Na, detail, ""));
        }
    }
    checks
}

fn policies(env: &InstallEnvironment, existing: &[Registration]) -> Vec<Check> {
    browsers::browsers()
        .iter()
        .filter(|browser| {
            existing.iter().any(|known| known.browser == browser.id && known.scope == Scope::User)
        })
        .filter_map(|browser| policy::obstacle(browser, env).map(|found| (browser, found)))
        .map(|(browser, found)| Check::fail(format!("policy {}", browser.id), found.message(), found.hint()))
        .collect()
}
