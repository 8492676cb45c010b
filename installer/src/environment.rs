//! Where things are for one user on one machine: the only way this crate learns about the outside.
//!
//! Nothing else in the crate reads an environment variable or the current executable's path, so a test that
//! builds an `InstallEnvironment` on a temporary folder cannot reach the real home directory.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::manifest::is_our_key;

/// Where things are for one user on one machine.
#[derive(Debug, Clone)]
pub struct InstallEnvironment {
    /// The user's home directory, as the browser sees it (`$HOME`).
    pub home: PathBuf,
    /// Where Linux browsers keep their data directories: `$XDG_CONFIG_HOME` or `<home>/.config`.
    pub config_home: PathBuf,
    /// bsk's state directory (`$BSK_HOME` or `~/.bsk`); holds the install record.
    pub state_dir: PathBuf,
    /// The host program to register; need not exist until `plan`.
    pub host_binary: PathBuf,
    /// The unpacked extension, when it was found.
    pub extension_dir: Option<PathBuf>,
    /// Folders to look for browser executables in.
    pub executable_dirs: Vec<PathBuf>,
    /// Prefix of absolute system paths; `/` outside tests.
    pub system_root: PathBuf,
}

impl InstallEnvironment {
    /// The real machine: `home` as the browser sees it, `state_dir` as the rest of bsk uses it.
    ///
    /// Reads `XDG_CONFIG_HOME` and `PATH`, and finds `bsk-host` and the extension beside the current executable.
    pub fn of_this_machine(home: PathBuf, state_dir: PathBuf) -> Self {
        let config_home = env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(".config"));
        let mut executable_dirs: Vec<PathBuf> =
            env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        for dir in ["/usr/bin", "/usr/local/bin", "/snap/bin", "/var/lib/flatpak/exports/bin"] {
            executable_dirs.push(PathBuf::from(dir));
        }
        executable_dirs.push(home.join(".local/share/flatpak/exports/bin"));
        let host_binary = default_host_binary();
        let extension_dir = find_extension_dir(&host_binary);
        let system_root = PathBuf::from("/");
        Self { home, config_home, state_dir, host_binary, extension_dir, executable_dirs, system_root }
    }

    /// An absolute system path below `system_root`.
    pub(crate) fn below_root(&self, path: &str) -> PathBuf {
        self.system_root.join(path.trim_start_matches('/'))
    }

    #[cfg(test)]
    pub(crate) fn for_test(root: &Path) -> Self {
        Self {
            home: root.to_path_buf(),
            config_home: root.join(".config"),
            state_dir: root.join(".bsk"),
            host_binary: root.join("bin/bsk-host"),
            extension_dir: None,
            executable_dirs: vec![root.join("usr-bin")],
            system_root: root.join("system"),
        }
    }
}

/// `bsk-host` beside the current executable, symlinks resolved; the path is returned even when nothing is there.
pub fn default_host_binary() -> PathBuf {
    let name = format!("bsk-host{}", env::consts::EXE_SUFFIX);
    let executable = env::current_exe().and_then(fs::canonicalize);
    executable
        .ok()
        .and_then(|path| path.parent().map(|dir| dir.join(&name)))
        .unwrap_or_else(|| PathBuf::from(name))
}

/// The unpacked extension that belongs to a host program: `extension/` in one of its parent folders (a repository
/// or an unpacked release), else `../share/bsk/extension`. A folder counts when its manifest has our key.
pub fn find_extension_dir(host_binary: &Path) -> Option<PathBuf> {
    let host_binary = fs::canonicalize(host_binary).unwrap_or_else(|_| host_binary.to_path_buf());
    let beside = host_binary.ancestors().skip(1).map(|dir| dir.join("extension"));
    let shared = host_binary.ancestors().nth(2).map(|prefix| prefix.join("share/bsk/extension"));
    beside.chain(shared).find(|dir| is_our_extension(dir))
}

/// Whether a folder holds our extension: its manifest can be read and has our key.
pub(crate) fn is_our_extension(dir: &Path) -> bool {
    #[derive(Deserialize)]
    struct ExtensionManifest {
        key: String,
    }
    fs::read_to_string(dir.join("manifest.json"))
        .ok()
        .and_then(|text| serde_json::from_str::<ExtensionManifest>(&text).ok())
        .is_some_and(|manifest| is_our_key(&manifest.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_extension(dir: &Path) {
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../../manifests/extension_ids.json")).unwrap();
        fs::create_dir_all(dir).unwrap();
        let manifest = serde_json::json!({ "key": table["extensions"][0]["key"] });
        fs::write(dir.join("manifest.json"), manifest.to_string()).unwrap();
    }

    #[test]
    fn the_extension_is_found_above_the_build_folder_and_in_share() {
        let root = fs::canonicalize(tempfile::tempdir().unwrap().keep()).unwrap();
        let host = root.join("repo/target/release/bsk-host");
        assert_eq!(find_extension_dir(&host), None);
        put_extension(&root.join("repo/extension"));
        assert_eq!(find_extension_dir(&host), Some(root.join("repo/extension")));
        put_extension(&root.join("usr/share/bsk/extension"));
        assert_eq!(
            find_extension_dir(&root.join("usr/bin/bsk-host")),
            Some(root.join("usr/share/bsk/extension"))
        );
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_folder_with_another_key_is_not_our_extension() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("extension");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("manifest.json"), r#"{"key":"other"}"#).unwrap();
        assert!(!is_our_extension(&dir));
    }

    #[test]
    fn the_repository_s_extension_has_the_key_of_the_table() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extension");
        assert!(is_our_extension(&dir), "manifests/extension_ids.json and extension/manifest.json disagree");
    }
}
