//! The table of browsers × systems and what of it exists on this machine.
//!
//! The table is data (`manifests/browsers.json`). Finding a browser reads folders and the first bytes of
//! wrapper scripts; it starts nothing. Recognises snap and flatpak wrappers, whose browsers cannot start a
//! host outside their sandbox.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::InstallEnvironment;
use crate::manifest::MANIFEST_FILE;

/// One row of the table.
#[derive(Debug, Clone, Deserialize)]
pub struct Browser {
    /// What `--browser` takes.
    pub id: String,
    /// The name that a user knows.
    pub name: String,
    /// Address of the page where extensions are loaded.
    pub extensions_page: String,
    linux: Places,
    macos: Places,
    windows: Places,
}

/// Where a browser keeps things on one system.
#[derive(Debug, Clone, Deserialize)]
struct Places {
    executables: Vec<String>,
    user_data_dir: String,
    #[serde(default)]
    system_dir: Option<String>,
    #[serde(default)]
    policy_dir: Option<String>,
    #[serde(default)]
    registry_key: Option<String>,
}

#[derive(Deserialize)]
struct Table {
    browsers: Vec<Browser>,
}

static TABLE: LazyLock<Vec<Browser>> = LazyLock::new(|| {
    serde_json::from_str::<Table>(include_str!("../../manifests/browsers.json"))
        .expect("the table is part of the build and a test reads it")
        .browsers
});

/// The sandbox that a browser was packaged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// Canonical's snap.
    Snap,
    /// Flatpak.
    Flatpak,
}

impl Confinement {
    /// The sandbox's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snap => "snap",
            Self::Flatpak => "flatpak",
        }
    }
}

/// What of a browser was found.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    pub(crate) has_profile: bool,
    pub(crate) has_plain_executable: bool,
    pub(crate) confined: Option<(PathBuf, Confinement)>,
}

impl Presence {
    /// Whether a browser is here that can start a host.
    pub(crate) fn is_usable(&self) -> bool {
        self.has_profile || self.has_plain_executable
    }
}

/// All rows of the table, in its order.
pub fn browsers() -> &'static [Browser] {
    &TABLE
}

/// What `--browser` accepts.
pub fn supported_ids() -> Vec<&'static str> {
    TABLE.iter().map(|browser| browser.id.as_str()).collect()
}

/// The row with this id.
pub(crate) fn by_id(id: &str) -> Option<&'static Browser> {
    TABLE.iter().find(|browser| browser.id == id)
}

/// The name to show for an id of a record; an id outside the table is a `--user-data-dir` install.
pub(crate) fn display_name(id: &str) -> &str {
    by_id(id).map_or("the browser", |browser| browser.name.as_str())
}

impl Browser {
    fn places(&self) -> &Places {
        if cfg!(target_os = "macos") {
            &self.macos
        } else if cfg!(windows) {
            &self.windows
        } else {
            &self.linux
        }
    }

    /// The browser's default data directory for this user.
    pub fn user_data_dir(&self, env: &InstallEnvironment) -> PathBuf {
        let pattern = &self.places().user_data_dir;
        if let Some(rest) = pattern.strip_prefix("{config}/") {
            env.config_home.join(rest)
        } else if let Some(rest) = pattern.strip_prefix("{home}/") {
            env.home.join(rest)
        } else {
            PathBuf::from(pattern)
        }
    }

    /// The system-wide host folder, where the browser has one.
    pub fn system_dir(&self, env: &InstallEnvironment) -> Option<PathBuf> {
        self.places().system_dir.as_deref().map(|dir| env.below_root(dir))
    }

    /// The folder of managed policies, where the browser has one.
    pub(crate) fn policy_dir(&self, env: &InstallEnvironment) -> Option<PathBuf> {
        self.places().policy_dir.as_deref().map(|dir| env.below_root(dir))
    }

    /// The registry key that holds hosts, on systems that have a registry.
    pub fn registry_key(&self) -> Option<&str> {
        self.places().registry_key.as_deref()
    }

    /// Looks for the browser's profile folder and executables.
    pub(crate) fn presence(&self, env: &InstallEnvironment) -> Presence {
        let mut presence =
            Presence { has_profile: has_profile(&self.user_data_dir(env)), ..Presence::default() };
        for name in &self.places().executables {
            let candidates: Vec<PathBuf> = if Path::new(name).is_absolute() {
                vec![env.below_root(name)]
            } else {
                env.executable_dirs.iter().map(|dir| dir.join(name)).collect()
            };
            for path in candidates.into_iter().filter(|path| path.is_file()) {
                match confinement(&path) {
                    Some(kind) => presence.confined = presence.confined.or(Some((path, kind))),
                    None => presence.has_plain_executable = true,
                }
            }
        }
        presence
    }
}

/// Whether the browser itself has used this data directory: a folder that holds only our manifest is none.
fn has_profile(data_dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(data_dir) else { return false };
    let ours_alone = |name: &std::ffi::OsStr| name == HOSTS_FOLDER;
    entries.flatten().any(|entry| !ours_alone(&entry.file_name())) || !holds_our_manifest(data_dir)
}

/// The folder of host manifests inside a data directory.
pub(crate) const HOSTS_FOLDER: &str = "NativeMessagingHosts";

fn holds_our_manifest(data_dir: &Path) -> bool {
    manifest_in(data_dir).exists()
}

/// The manifest's path for a data directory.
pub(crate) fn manifest_in(data_dir: &Path) -> PathBuf {
    data_dir.join(HOSTS_FOLDER).join(MANIFEST_FILE)
}

/// Whether an executable is a wrapper that enters a sandbox: by its place, its symlink's end, or its script text.
fn confinement(path: &Path) -> Option<Confinement> {
    let by_place = |path: &Path| {
        if path.starts_with("/snap") || path.ends_with("usr/bin/snap") || path.starts_with("/var/lib/snapd") {
            Some(Confinement::Snap)
        } else if path.ends_with("usr/bin/flatpak") || path.to_string_lossy().contains("/flatpak/exports/") {
            Some(Confinement::Flatpak)
        } else {
            None
        }
    };
    by_place(path).or_else(|| by_place(&fs::canonicalize(path).ok()?)).or_else(|| by_script(path))
}

fn by_script(path: &Path) -> Option<Confinement> {
    let mut start = Vec::new();
    fs::File::open(path).ok()?.take(4096).read_to_end(&mut start).ok()?;
    let text = String::from_utf8_lossy(&start);
    if !text.starts_with("#!") {
        None
    } else if text.contains("flatpak run") {
        Some(Confinement::Flatpak)
    } else if text.lines().any(|line| line.trim_start().starts_with("exec") && line.contains("/snap/bin/")) {
        Some(Confinement::Snap)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_the_four_browsers_with_their_linux_places() {
        assert_eq!(supported_ids(), ["chrome", "chromium", "edge", "brave"]);
        let env = InstallEnvironment::for_test(Path::new("/h"));
        let places = |id: &str| by_id(id).unwrap().linux.clone();
        assert_eq!(places("brave").user_data_dir, "{config}/BraveSoftware/Brave-Browser");
        assert_eq!(places("edge").system_dir.as_deref(), Some("/etc/opt/edge/native-messaging-hosts"));
        if cfg!(target_os = "linux") {
            let chrome = by_id("chrome").unwrap().user_data_dir(&env);
            assert_eq!(chrome, Path::new("/h/.config/google-chrome"));
        }
    }

    #[test]
    fn every_windows_row_has_a_registry_key_and_no_other_has() {
        for browser in browsers() {
            assert!(browser.windows.registry_key.is_some());
            assert!(browser.linux.registry_key.is_none() && browser.macos.registry_key.is_none());
        }
    }

    #[test]
    fn wrappers_of_snap_and_flatpak_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let snap = write("chromium-browser", "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n");
        let flatpak = write("com.brave.Browser", "#!/bin/sh\nexec /usr/bin/flatpak run --branch=stable x\n");
        let plain = write("chromium", "#!/bin/sh\nexec /usr/lib/chromium/chromium \"$@\"\n");
        assert_eq!(confinement(&snap), Some(Confinement::Snap));
        assert_eq!(confinement(&flatpak), Some(Confinement::Flatpak));
        assert_eq!(confinement(&plain), None);
        assert_eq!(confinement(Path::new("/snap/bin/chromium")), Some(Confinement::Snap));
    }
}
