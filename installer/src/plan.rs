//! What an install will do: which browsers, which files, which content. Decides and writes nothing.
//!
//! Refuses contradicting options, a host program that cannot be started, a symlink in a manifest's place and
//! an unreadable record, all before anything is touched. The same request on the same machine gives the same
//! plan.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::browsers::{self, Browser, Presence};
use crate::files;
use crate::manifest::{self, MANIFEST_FILE};
use crate::policy;
use crate::record;
use crate::report::{Action, Applied, LoadInstructions, Outcome, Reason, Warning};
use crate::{InstallEnvironment, InstallError};

/// Browser id of a data directory that is none of the table's.
pub(crate) const CUSTOM: &str = "custom";

/// What the user asks to install.
#[derive(Debug, Clone, Default)]
pub struct InstallRequest {
    /// Ids from the table; empty means every browser that is found.
    pub browsers: Vec<String>,
    /// Register in this browser data directory only.
    pub user_data_dir: Option<PathBuf>,
    /// Register for all users, in the browser's system folder.
    pub is_system: bool,
    /// Extensions that may start the host besides our own.
    pub extension_ids: Vec<String>,
}

/// For whom a manifest is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The browser's default data directory of this user.
    User,
    /// One named data directory.
    DataDir,
    /// All users of the machine.
    System,
}

/// One manifest that has to be as the plan says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The browser's id, `custom` for a data directory outside the table.
    pub browser: String,
    /// For whom it is registered.
    pub scope: Scope,
    /// The browser data directory that it serves.
    pub data_dir: PathBuf,
    /// The manifest.
    pub path: PathBuf,
    /// What has to happen as things stand now.
    pub action: Action,
    /// Why, where it is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The manifest's text.
    pub content: String,
}

/// Everything that an install will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The state directory that will hold the record.
    pub state_dir: PathBuf,
    /// The host program that browsers will start, symlinks resolved.
    pub host_binary: PathBuf,
    /// One per manifest.
    pub steps: Vec<Step>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// How to load the extension.
    pub load: LoadInstructions,
}

impl Plan {
    /// The plan as the result of a dry run, in the same shape as a real one.
    pub fn preview(&self) -> Applied {
        let outcome = |step: &Step| Outcome {
            browser: step.browser.clone(),
            path: step.path.clone(),
            action: step.action,
            reason: step.reason,
        };
        Applied {
            is_dry_run: true,
            outcomes: self.steps.iter().map(outcome).collect(),
            warnings: self.warnings.clone(),
            load: Some(self.load.clone()),
        }
    }
}

/// A manifest's place before its content is compared.
struct Place {
    browser: String,
    scope: Scope,
    data_dir: PathBuf,
    path: PathBuf,
}

/// Decides what an install will do.
///
/// # Errors
/// Every refusal that can be known beforehand; see [`InstallError`].
pub fn plan(env: &InstallEnvironment, request: &InstallRequest) -> Result<Plan, InstallError> {
    if cfg!(windows) {
        return Err(InstallError::UnsupportedSystem { system: std::env::consts::OS });
    }
    let mut warnings = Vec::new();
    let places = places(env, request, &mut warnings)?;
    let host_binary = usable_host(&env.host_binary)?;
    let content = manifest::render(&host_binary, &request.extension_ids)?;
    let record = record::read(&env.state_dir)?;
    let mut steps = Vec::new();
    for place in places {
        files::missing_folders(place.path.parent().unwrap_or(&place.path))?;
        let found = files::read_target(&place.path)?;
        let (action, reason) =
            decide(&record, &place.path, found.as_ref().map(|file| file.content.as_str()), &content);
        let Place { browser, scope, data_dir, path } = place;
        steps.push(Step { browser, scope, data_dir, path, action, reason, content: content.clone() });
    }
    let ids: Vec<&str> = steps.iter().map(|step| step.browser.as_str()).collect();
    let load = LoadInstructions::new(env.extension_dir.clone(), &ids);
    Ok(Plan { state_dir: env.state_dir.clone(), host_binary, steps, warnings, load })
}

/// What has to happen to a file with this content.
pub(crate) fn decide(
    record: &record::Record,
    path: &Path,
    found: Option<&str>,
    wanted: &str,
) -> (Action, Option<Reason>) {
    match found {
        None => (Action::Created, None),
        Some(text) if text == wanted => (Action::Unchanged, None),
        Some(text) if record.entry(path).is_some_and(|entry| entry.is_ours(text)) => (Action::Updated, None),
        Some(_) => (Action::Updated, Some(Reason::ReplacedForeign)),
    }
}

fn places(
    env: &InstallEnvironment,
    request: &InstallRequest,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Place>, InstallError> {
    let named = named_browsers(&request.browsers)?;
    if let Some(data_dir) = &request.user_data_dir {
        if request.is_system {
            return Err(InstallError::ConflictingOptions { first: "--user-data-dir", second: "--system" });
        }
        if named.len() > 1 {
            return Err(InstallError::ManyBrowsersOneFolder);
        }
        return data_dir_place(env, named.first().copied(), data_dir, warnings).map(|place| vec![place]);
    }
    let chosen = if named.is_empty() { found_browsers(env, warnings)? } else { named };
    let mut places = Vec::new();
    for browser in chosen {
        let presence = browser.presence(env);
        warn_about(browser, &presence, warnings);
        if !request.is_system {
            warnings.extend(policy::obstacle(browser, env));
        }
        let data_dir = browser.user_data_dir(env);
        let (scope, path) = match (request.is_system, browser.system_dir(env)) {
            (false, _) => (Scope::User, browsers::manifest_in(&data_dir)),
            (true, Some(dir)) => (Scope::System, dir.join(MANIFEST_FILE)),
            (true, None) if request.browsers.is_empty() => continue,
            (true, None) => return Err(InstallError::NoSystemFolder { browser: browser.id.clone() }),
        };
        places.push(Place { browser: browser.id.clone(), scope, data_dir, path });
    }
    if places.is_empty() {
        return Err(InstallError::NoBrowserFound { confined: Vec::new() });
    }
    Ok(places)
}

/// The table's rows for ids, each once.
pub(crate) fn named_browsers(ids: &[String]) -> Result<Vec<&'static Browser>, InstallError> {
    let mut named: Vec<&'static Browser> = Vec::new();
    for id in ids {
        let browser =
            browsers::by_id(id).ok_or_else(|| InstallError::UnknownBrowser { asked: id.clone() })?;
        if !named.iter().any(|known| known.id == browser.id) {
            named.push(browser);
        }
    }
    Ok(named)
}

fn data_dir_place(
    env: &InstallEnvironment,
    named: Option<&Browser>,
    data_dir: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<Place, InstallError> {
    let data_dir = files::settle(data_dir)?;
    let by_place = || browsers::browsers().iter().find(|browser| browser.user_data_dir(env) == data_dir);
    let browser = named.or_else(by_place).map_or(CUSTOM, |browser| browser.id.as_str()).to_owned();
    let is_inside_one = data_dir.parent().is_some_and(|parent| parent.join("Local State").exists());
    if is_inside_one && data_dir.join("Preferences").exists() {
        warnings.push(Warning::ProfileFolder { path: data_dir.clone() });
    }
    let path = browsers::manifest_in(&data_dir);
    Ok(Place { browser, scope: Scope::DataDir, data_dir, path })
}

/// Every browser that is here and can start a host.
fn found_browsers(
    env: &InstallEnvironment,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<&'static Browser>, InstallError> {
    let mut found = Vec::new();
    let mut confined = Vec::new();
    for browser in browsers::browsers() {
        let presence = browser.presence(env);
        if presence.is_usable() {
            found.push(browser);
        } else if presence.confined.is_some() {
            confined.push(browser.name.clone());
            warn_about(browser, &presence, warnings);
        }
    }
    if found.is_empty() { Err(InstallError::NoBrowserFound { confined }) } else { Ok(found) }
}

fn warn_about(browser: &Browser, presence: &Presence, warnings: &mut Vec<Warning>) {
    let id = browser.id.clone();
    match &presence.confined {
        Some((path, kind)) if !presence.has_plain_executable => {
            warnings.push(Warning::Confined { browser: id, path: path.clone(), kind: *kind });
        }
        None if !presence.is_usable() => warnings.push(Warning::BrowserNotFound { browser: id }),
        Some(_) | None => {}
    }
}

/// The host program's real path; refused when a browser could not start it.
fn usable_host(path: &Path) -> Result<PathBuf, InstallError> {
    let real =
        fs::canonicalize(path).map_err(|_| InstallError::HostBinaryMissing { path: path.to_path_buf() })?;
    match fs::metadata(&real) {
        Ok(metadata) if metadata.is_file() && files::is_executable(&metadata) => Ok(real),
        Ok(_) => Err(InstallError::HostBinaryNotExecutable { path: real }),
        Err(error) => Err(InstallError::io("look at", &real)(error)),
    }
}
