//! The record of what was installed: `<state_dir>/installs.json`, the basis of an exact undo.
//!
//! One process at a time holds it, by an advisory lock on the state directory itself, so no lock file is
//! left behind. It is saved *before* the files it lists are written: after a crash it may list too much,
//! never too little. Refuses a corrupt or newer record, entries for any file but our manifest, and a state
//! directory that others can write.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::InstallError;
use crate::files::{self, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE};
use crate::manifest::MANIFEST_FILE;
use crate::plan::Scope;

const RECORD_FILE: &str = "installs.json";
const RECORD_VERSION: u32 = 1;
/// An install takes milliseconds; after this long the other one hangs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK_POLL: Duration = Duration::from_millis(10);

/// Everything that has to be undone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) version: u32,
    pub(crate) entries: Vec<Entry>,
    /// Folders that were created for manifests.
    #[serde(default)]
    pub(crate) folders: Vec<PathBuf>,
    /// Folders that were created for the record itself.
    #[serde(default)]
    pub(crate) state_folders: Vec<PathBuf>,
}

/// One manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) browser: String,
    pub(crate) scope: Scope,
    /// The browser's data directory; its `SingletonLock` tells whether the browser runs.
    pub(crate) data_dir: PathBuf,
    pub(crate) path: PathBuf,
    /// What we wrote.
    pub(crate) written: String,
    /// What we had written before `written`; still on disk after a crash between record and file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) written_before: Option<String>,
    /// What was there before us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<Previous>,
}

/// A foreign manifest that ours replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Previous {
    pub(crate) content: String,
    pub(crate) mode: u32,
}

impl Entry {
    /// Whether a file's content is what we wrote.
    pub(crate) fn is_ours(&self, content: &str) -> bool {
        content == self.written || self.written_before.as_deref() == Some(content)
    }
}

impl Record {
    /// The entry for a manifest's path.
    pub(crate) fn entry(&self, path: &Path) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path)
    }
}

/// Reads the record without holding it; a missing one is empty.
pub(crate) fn read(state_dir: &Path) -> Result<Record, InstallError> {
    let path = state_dir.join(RECORD_FILE);
    let Some(found) = files::read_target(&path)? else {
        return Ok(Record { version: RECORD_VERSION, ..Record::default() });
    };
    check_owner(state_dir)?;
    parse(&path, &found.content)
}

fn parse(path: &Path, text: &str) -> Result<Record, InstallError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let corrupt = |detail: String| InstallError::RecordCorrupt { path: path.to_path_buf(), detail };
    let Versioned { version } = serde_json::from_str(text).map_err(|error| corrupt(error.to_string()))?;
    if version > RECORD_VERSION {
        return Err(InstallError::RecordTooNew { path: path.to_path_buf(), version });
    }
    let record: Record = serde_json::from_str(text).map_err(|error| corrupt(error.to_string()))?;
    let is_sane = |entry: &Entry| entry.path.is_absolute() && entry.path.ends_with(MANIFEST_FILE);
    match record.entries.iter().find(|entry| !is_sane(entry)) {
        Some(entry) => Err(corrupt(format!("`{}` is no manifest of bsk", entry.path.display()))),
        None => Ok(record),
    }
}

fn check_owner(state_dir: &Path) -> Result<(), InstallError> {
    let metadata = fs::metadata(state_dir).map_err(InstallError::io("look at", state_dir))?;
    if !metadata.is_dir() {
        Err(InstallError::NotAFolder { path: state_dir.to_path_buf() })
    } else if files::is_private_enough(&metadata) {
        Ok(())
    } else {
        Err(InstallError::StateFolderUnsafe { path: state_dir.to_path_buf() })
    }
}

/// The record while this process alone may change it; the lock ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Store {
    state_dir: PathBuf,
    created: Vec<PathBuf>,
    _lock: File,
}

impl Store {
    /// Takes the record, creating the state directory when it is missing.
    pub(crate) fn open(state_dir: &Path) -> Result<Self, InstallError> {
        let mut created: Vec<PathBuf> = Vec::new();
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            for folder in files::missing_folders(state_dir)? {
                files::create_folder(&folder, Some(PRIVATE_FOLDER_MODE))?;
                if !created.contains(&folder) {
                    created.push(folder);
                }
            }
            if let Some(lock) = lock(state_dir, deadline)? {
                return Ok(Self { state_dir: state_dir.to_path_buf(), created, _lock: lock });
            }
        }
    }

    /// Takes the record where there is one; `None` where nothing was ever installed.
    pub(crate) fn open_existing(state_dir: &Path) -> Result<Option<Self>, InstallError> {
        let deadline = Instant::now() + LOCK_TIMEOUT;
        while state_dir.join(RECORD_FILE).symlink_metadata().is_ok() {
            if let Some(lock) = lock(state_dir, deadline)? {
                return Ok(Some(Self {
                    state_dir: state_dir.to_path_buf(),
                    created: Vec::new(),
                    _lock: lock,
                }));
            }
        }
        Ok(None)
    }

    /// The record as it is on disk, plus the folders created for it just now.
    pub(crate) fn load(&self) -> Result<Record, InstallError> {
        let mut record = read(&self.state_dir)?;
        record.state_folders.extend(self.created.iter().cloned());
        Ok(record)
    }

    /// Writes the record; an empty one is removed together with the folders made for it.
    pub(crate) fn save(&self, record: &Record) -> Result<(), InstallError> {
        let path = self.state_dir.join(RECORD_FILE);
        if record.entries.is_empty() && record.folders.is_empty() {
            files::remove_file(&path)?;
            remove_empty(&record.state_folders);
            return Ok(());
        }
        let mut text = serde_json::to_string_pretty(record)
            .map_err(|_| InstallError::PathNotUnicode { path: self.state_dir.clone() })?;
        text.push('\n');
        files::write_atomic(&path, &text, PRIVATE_FILE_MODE)
    }

    /// Removes the folders that `open` made, where nothing was put into them.
    pub(crate) fn discard(&self) {
        remove_empty(&self.created);
    }
}

/// Removes those of `folders` that are empty, innermost first, and returns those that remain.
pub(crate) fn remove_empty(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut ordered: Vec<&PathBuf> = folders.iter().collect();
    ordered.sort_by_key(|path| std::cmp::Reverse(path.components().count()));
    ordered.into_iter().filter(|path| fs::remove_dir(path).is_err() && path.is_dir()).cloned().collect()
}

/// Locks the state directory; `None` when it was removed or replaced meanwhile.
fn lock(state_dir: &Path, deadline: Instant) -> Result<Option<File>, InstallError> {
    let file = match File::open(state_dir) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InstallError::io("open", state_dir)(error)),
    };
    match check_owner(state_dir) {
        Ok(()) => {}
        Err(InstallError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOCK_POLL),
            Err(TryLockError::WouldBlock) => {
                return Err(InstallError::Busy { path: state_dir.to_path_buf() });
            }
            Err(TryLockError::Error(error)) => return Err(InstallError::io("lock", state_dir)(error)),
        }
    }
    let held = file.metadata().map_err(InstallError::io("look at", state_dir))?;
    let is_current = fs::metadata(state_dir).is_ok_and(|current| files::is_same_file(&held, &current));
    Ok(is_current.then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        Entry {
            browser: "chrome".into(),
            scope: Scope::User,
            data_dir: PathBuf::from("/d"),
            path: PathBuf::from(path),
            written: "x".into(),
            written_before: None,
            previous: None,
        }
    }

    fn record(path: &str) -> Record {
        Record { version: RECORD_VERSION, entries: vec![entry(path)], ..Record::default() }
    }

    #[cfg(unix)]
    #[test]
    fn the_record_and_its_folder_are_private() {
        use std::os::unix::fs::MetadataExt;
        let root = tempfile::tempdir().unwrap();
        let state = root.path().join("state");
        let store = Store::open(&state).unwrap();
        store.save(&record("/d/com.bsk.host.json")).unwrap();
        assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(state.join(RECORD_FILE)).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_record_that_names_another_file_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let text = serde_json::to_string(&record("/home/someone/.bashrc")).unwrap();
        fs::write(root.path().join(RECORD_FILE), text).unwrap();
        assert!(matches!(read(root.path()).unwrap_err(), InstallError::RecordCorrupt { .. }));
    }

    #[test]
    fn a_record_of_a_newer_bsk_is_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(RECORD_FILE), r#"{"version":9,"shape":"unknown"}"#).unwrap();
        assert!(matches!(read(root.path()).unwrap_err(), InstallError::RecordTooNew { version: 9, .. }));
    }

    #[cfg(unix)]
    #[test]
    fn a_state_directory_that_everyone_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(Store::open(root.path()).unwrap_err(), InstallError::StateFolderUnsafe { .. }));
    }

    #[test]
    fn an_empty_record_leaves_neither_file_nor_folder() {
        let root = tempfile::tempdir().unwrap();
        let state = root.path().join("a/state");
        let store = Store::open(&state).unwrap();
        let made = store.load().unwrap().state_folders;
        store.save(&Record { state_folders: made.clone(), ..record("/d/com.bsk.host.json") }).unwrap();
        assert!(state.join(RECORD_FILE).exists());
        store.save(&Record { version: 1, state_folders: made, ..Record::default() }).unwrap();
        assert!(!root.path().join("a").exists());
    }
}
