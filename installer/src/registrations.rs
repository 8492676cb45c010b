//! Where manifests of ours are right now: those of the record and those in the browsers' usual places.
//!
//! Only looks. A record that cannot be read counts as empty here; `plan` and `verify` report it.

use std::fs;
use std::path::PathBuf;

use crate::InstallEnvironment;
use crate::browsers;
use crate::manifest::{HOST_NAME, HostManifest, MANIFEST_FILE, extension_ids, origin};
use crate::plan::Scope;
use crate::probe::HostFault;
use crate::record;
use crate::report::Outcome;

/// A manifest of ours that exists.
#[derive(Debug, Clone)]
pub(crate) struct Registration {
    pub(crate) browser: String,
    pub(crate) scope: Scope,
    pub(crate) data_dir: PathBuf,
    pub(crate) path: PathBuf,
}

/// What a manifest says, or why the browser cannot use it.
pub(crate) enum Reading {
    Host(PathBuf),
    Fault(PathBuf, HostFault),
}

/// Every existing manifest of ours, each once, the record's first.
pub(crate) fn existing(env: &InstallEnvironment) -> Vec<Registration> {
    let recorded = record::read(&env.state_dir).map(|record| record.entries).unwrap_or_default();
    let mut places: Vec<Registration> = recorded
        .into_iter()
        .map(|entry| Registration {
            browser: entry.browser,
            scope: entry.scope,
            data_dir: entry.data_dir,
            path: entry.path,
        })
        .collect();
    for place in usual_places(env) {
        if !places.iter().any(|known| known.path == place.path) {
            places.push(place);
        }
    }
    places.retain(|place| place.path.exists());
    places
}

/// Manifests in the usual places that an uninstall has not spoken of.
pub(crate) fn unrecorded(env: &InstallEnvironment, outcomes: &[Outcome]) -> Vec<Registration> {
    let recorded = record::read(&env.state_dir).map(|record| record.entries).unwrap_or_default();
    usual_places(env)
        .into_iter()
        .filter(|place| place.path.symlink_metadata().is_ok())
        .filter(|place| !outcomes.iter().any(|outcome| outcome.path == place.path))
        .filter(|place| !recorded.iter().any(|entry| entry.path == place.path))
        .collect()
}

fn usual_places(env: &InstallEnvironment) -> Vec<Registration> {
    let mut places = Vec::new();
    for browser in browsers::browsers() {
        let data_dir = browser.user_data_dir(env);
        let path = browsers::manifest_in(&data_dir);
        let id = || browser.id.clone();
        places.push(Registration { browser: id(), scope: Scope::User, data_dir: data_dir.clone(), path });
        if let Some(dir) = browser.system_dir(env) {
            let path = dir.join(MANIFEST_FILE);
            places.push(Registration { browser: id(), scope: Scope::System, data_dir, path });
        }
    }
    places
}

impl Registration {
    /// Reads the manifest as the browser would.
    pub(crate) fn read(&self) -> Reading {
        let fault = |fault| Reading::Fault(self.path.clone(), fault);
        let Ok(text) = fs::read_to_string(&self.path) else { return fault(HostFault::ManifestBroken) };
        let Ok(manifest) = serde_json::from_str::<HostManifest>(&text) else {
            return fault(HostFault::ManifestBroken);
        };
        let host = PathBuf::from(&manifest.path);
        if manifest.name != HOST_NAME || manifest.transport != "stdio" || !host.is_absolute() {
            return fault(HostFault::ManifestBroken);
        }
        let is_open_to = |id: &str| manifest.allowed_origins.iter().any(|allowed| *allowed == origin(id));
        if extension_ids().into_iter().any(is_open_to) {
            Reading::Host(host)
        } else {
            fault(HostFault::ExtensionNotAllowed)
        }
    }
}
