//! A user and a machine on a temporary folder: home, browsers, host program and state directory.
//!
//! Nothing here reads or writes outside that folder. `/bin/true` stands for a host program that answers,
//! because a program written by the test itself may still be busy when another test's thread forks.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use bsk_installer::{Action, Applied, InstallEnvironment, InstallRequest};

/// A user on a machine with one browser profile (Google Chrome's).
pub struct Machine {
    pub root: tempfile::TempDir,
    pub env: InstallEnvironment,
}

impl Machine {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = fs::canonicalize(root.path()).unwrap();
        let env = InstallEnvironment {
            home: at.join("home"),
            config_home: at.join("home/.config"),
            state_dir: at.join("home/.bsk"),
            host_binary: PathBuf::from("/bin/true"),
            extension_dir: Some(at.join("extension")),
            executable_dirs: vec![at.join("usr-bin")],
            system_root: at.join("system"),
        };
        fs::create_dir_all(env.config_home.join("google-chrome/Default")).unwrap();
        fs::create_dir_all(&env.executable_dirs[0]).unwrap();
        Self { root, env }
    }

    pub fn chrome_dir(&self) -> PathBuf {
        self.env.config_home.join("google-chrome")
    }

    pub fn chrome_manifest(&self) -> PathBuf {
        self.chrome_dir().join("NativeMessagingHosts/com.bsk.host.json")
    }

    pub fn record(&self) -> PathBuf {
        self.env.state_dir.join("installs.json")
    }

    pub fn install(&self, request: &InstallRequest) -> Applied {
        bsk_installer::apply(&bsk_installer::plan(&self.env, request).unwrap()).unwrap()
    }

    pub fn install_all(&self) -> Applied {
        self.install(&InstallRequest::default())
    }

    pub fn uninstall_all(&self) -> Applied {
        bsk_installer::uninstall(&self.env, &bsk_installer::UninstallRequest::default()).unwrap()
    }

    /// A script as another host program.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.env.executable_dirs[0].join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Makes a data directory look used by a running browser: this test's own process.
    pub fn run_browser(&self, data_dir: &Path) {
        self.lock(data_dir, std::process::id());
    }

    pub fn lock(&self, data_dir: &Path, pid: u32) {
        let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        symlink(format!("{}-{pid}", machine.trim()), data_dir.join("SingletonLock")).unwrap();
    }

    /// Every path below the machine with its mode and content.
    pub fn snapshot(&self) -> Vec<(PathBuf, u32, Option<String>)> {
        let mut seen = Vec::new();
        let mut open = vec![self.root.path().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap().flatten() {
                let metadata = fs::symlink_metadata(entry.path()).unwrap();
                if metadata.is_dir() {
                    open.push(entry.path());
                }
                let text = metadata.is_file().then(|| fs::read_to_string(entry.path()).unwrap());
                seen.push((entry.path(), metadata.permissions().mode(), text));
            }
        }
        seen.sort();
        seen
    }
}

/// The actions of a result, in order.
pub fn actions(applied: &Applied) -> Vec<Action> {
    applied.outcomes.iter().map(|outcome| outcome.action).collect()
}
