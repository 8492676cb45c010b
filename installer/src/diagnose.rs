//! Why no host is connected: the first of four causes that explains it, with the click or command that
//! helps.
//!
//! Looks at manifests, the host program and the browsers' locks; starts nothing but `bsk-host --version` and
//! is done within about half a second. It changes nothing and is sure of nothing it could not see: the
//! extension itself is the last guess.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::InstallEnvironment;
use crate::browsers;
use crate::error::shell_word;
use crate::plan::Scope;
use crate::probe::{self, HostFault};
use crate::registrations::{self, Reading, Registration};
use crate::report::LoadInstructions;

/// Why no host is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum NoHostCause {
    /// No browser knows the host.
    NotInstalled,
    /// The browser knows the host and cannot start it.
    HostCannotStart {
        /// The program, or the manifest when that is at fault.
        path: PathBuf,
        /// What is wrong with it.
        why: HostFault,
    },
    /// None of the browsers that know the host is running.
    BrowserNotRunning {
        /// The browsers that know the host.
        browsers: Vec<BrowserPlace>,
        /// Ids of running browsers that do not know it.
        running_without_bsk: Vec<String>,
    },
    /// A browser runs and could start the host, but its extension does not.
    ExtensionMissingOrOff {
        /// The browser that runs.
        browser: BrowserPlace,
        /// How to load the extension there.
        load: LoadInstructions,
    },
}

/// A browser that knows the host, as a person would point at it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrowserPlace {
    /// The browser's id, `custom` for a data directory outside the table.
    pub browser: String,
    /// The data directory, when the host was registered for that one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
}

impl fmt::Display for BrowserPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (browsers::by_id(&self.browser), &self.data_dir) {
            (Some(browser), None) => write!(f, "`{}`", browser.name),
            (Some(browser), Some(dir)) => {
                write!(f, "`{}` with the data directory `{}`", browser.name, dir.display())
            }
            (None, Some(dir)) => write!(f, "the browser with the data directory `{}`", dir.display()),
            (None, None) => write!(f, "`{}`", self.browser),
        }
    }
}

fn list(places: &[BrowserPlace]) -> String {
    places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

impl NoHostCause {
    /// What is the matter.
    pub fn message(&self) -> String {
        match self {
            Self::NotInstalled => "bsk is not registered with any browser".to_owned(),
            Self::HostCannotStart { path, why } => {
                format!("the browser cannot start bsk's host: `{}` {}", path.display(), why.text())
            }
            Self::BrowserNotRunning { browsers, .. } => {
                format!("no browser that knows bsk is running; looked for {}", list(browsers))
            }
            Self::ExtensionMissingOrOff { browser, .. } => {
                format!("{browser} is running, but bsk's extension is missing there or switched off")
            }
        }
    }

    /// The command or click that helps.
    pub fn hint(&self) -> String {
        match self {
            Self::NotInstalled => "run `bsk install`, then load the extension as it says".to_owned(),
            Self::HostCannotStart { why: HostFault::NotExecutable, path } => {
                format!("run `chmod +x {}`", shell_word(path))
            }
            Self::HostCannotStart {
                why: HostFault::ManifestBroken | HostFault::ExtensionNotAllowed, ..
            } => "run `bsk install` to write the manifest again".to_owned(),
            Self::HostCannotStart { why: HostFault::Missing | HostFault::NotAFile, .. } => {
                "run `bsk install` again with the `bsk` that you use now".to_owned()
            }
            Self::HostCannotStart {
                why: HostFault::CannotSpawn { .. } | HostFault::Failed { .. } | HostFault::NoAnswer { .. },
                path,
            } => format!(
                "`{} --version` shows the failure; build or unpack bsk again, then run `bsk install`",
                shell_word(path)
            ),
            Self::BrowserNotRunning { browsers, running_without_bsk } => match running_without_bsk.first() {
                Some(id) => format!(
                    "start {}, or register the one that runs with `bsk install --browser {id}`",
                    list(browsers)
                ),
                None => format!("start {}", list(browsers)),
            },
            Self::ExtensionMissingOrOff { load, .. } => {
                format!(
                    "{load}; if `bsk` is listed there already, switch it on, there and in its popup, or press its reload button"
                )
            }
        }
    }
}

/// A registration with what is known about it.
struct Candidate {
    registration: Registration,
    fault: Option<(PathBuf, HostFault)>,
    is_running: bool,
}

/// Decides why no host is connected. Takes at most about half a second.
pub fn diagnose(env: &InstallEnvironment) -> NoHostCause {
    let candidates = candidates(registrations::existing(env));
    if candidates.is_empty() {
        return NoHostCause::NotInstalled;
    }
    let usable_and_running = |candidate: &&Candidate| candidate.is_running && candidate.fault.is_none();
    if let Some(candidate) = candidates.iter().find(usable_and_running) {
        let id = candidate.registration.browser.as_str();
        let browser = place_of(&candidate.registration);
        return NoHostCause::ExtensionMissingOrOff {
            browser,
            load: LoadInstructions::new(env.extension_dir.clone(), &[id]),
        };
    }
    // A fault matters where the browser runs, or where no registration is without one.
    let all_faulty = candidates.iter().all(|candidate| candidate.fault.is_some());
    let faulty = candidates.iter().filter(|candidate| candidate.is_running || all_faulty);
    if let Some((path, why)) = faulty.filter_map(|candidate| candidate.fault.clone()).next() {
        return NoHostCause::HostCannotStart { path, why };
    }
    let mut places: Vec<BrowserPlace> = Vec::new();
    for candidate in candidates.iter().filter(|candidate| candidate.fault.is_none()) {
        let place = place_of(&candidate.registration);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    NoHostCause::BrowserNotRunning {
        browsers: places,
        running_without_bsk: running_without(env, &candidates),
    }
}

fn candidates(registrations: Vec<Registration>) -> Vec<Candidate> {
    let readings: Vec<Reading> = registrations.iter().map(Registration::read).collect();
    let mut hosts: Vec<PathBuf> = Vec::new();
    for reading in &readings {
        if let Reading::Host(path) = reading
            && !hosts.contains(path)
        {
            hosts.push(path.clone());
        }
    }
    let faults = probe::host_faults(&hosts);
    let fault_of = |path: &Path| hosts.iter().position(|host| host == path).and_then(|at| faults[at].clone());
    registrations
        .into_iter()
        .zip(readings)
        .map(|(registration, reading)| {
            let fault = match reading {
                Reading::Host(path) => fault_of(&path).map(|fault| (path, fault)),
                Reading::Fault(path, fault) => Some((path, fault)),
            };
            let is_running = probe::is_browser_running(&registration.data_dir);
            Candidate { registration, fault, is_running }
        })
        .collect()
}

fn running_without(env: &InstallEnvironment, candidates: &[Candidate]) -> Vec<String> {
    let knows = |id: &str| candidates.iter().any(|candidate| candidate.registration.browser == id);
    browsers::browsers()
        .iter()
        .filter(|browser| !knows(&browser.id) && probe::is_browser_running(&browser.user_data_dir(env)))
        .map(|browser| browser.id.clone())
        .collect()
}

fn place_of(registration: &Registration) -> BrowserPlace {
    let data_dir = match registration.scope {
        Scope::DataDir => Some(registration.data_dir.clone()),
        Scope::User | Scope::System => None,
    };
    BrowserPlace { browser: registration.browser.clone(), data_dir }
}
