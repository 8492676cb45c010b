//! Managed policies that keep a browser from starting our host.
//!
//! Reads the JSON files of the browser's managed policy folder (Linux). Unreadable files are skipped: the
//! browser reports those itself. Changes nothing.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::browsers::Browser;
use crate::report::Warning;
use crate::{HOST_NAME, InstallEnvironment};

/// The policies that concern hosts, by their names in Chromium's policy list.
#[derive(Debug, Default, Deserialize)]
struct Policies {
    #[serde(rename = "NativeMessagingUserLevelHosts")]
    user_level_hosts: Option<bool>,
    #[serde(rename = "NativeMessagingBlocklist", default)]
    blocklist: Vec<String>,
    #[serde(rename = "NativeMessagingAllowlist", default)]
    allowlist: Vec<String>,
}

/// The first policy that is in the way of a per-user host.
pub(crate) fn obstacle(browser: &Browser, env: &InstallEnvironment) -> Option<Warning> {
    let dir = browser.policy_dir(env)?;
    let found: Vec<_> = fs::read_dir(dir)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter_map(|path| read(&path).map(|policies| (path, policies)))
        .collect();
    let is_allowed =
        found.iter().any(|(_, policies)| policies.allowlist.iter().any(|name| name == HOST_NAME));
    found.into_iter().find_map(|(path, policies)| {
        let is_blocked = policies.blocklist.iter().any(|name| name == HOST_NAME || name == "*");
        let policy = if policies.user_level_hosts == Some(false) {
            "NativeMessagingUserLevelHosts"
        } else if is_blocked && !is_allowed {
            "NativeMessagingBlocklist"
        } else {
            return None;
        };
        Some(Warning::Policy { browser: browser.id.clone(), path, policy })
    })
}

fn read(path: &Path) -> Option<Policies> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}
