//! Undoes exactly what the record lists.
//!
//! Removes a manifest only while its content is what bsk wrote, puts back what bsk replaced, and removes
//! only folders that bsk created and that are empty. A changed file is left, reported, and stays in the
//! record. Twice is fine.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files;
use crate::plan::{self, Scope};
use crate::record::{self, Entry, Previous, Record, Store};
use crate::registrations;
use crate::report::{Action, Applied, Outcome, Reason};
use crate::{InstallEnvironment, InstallError};

/// What the user asks to undo. Without any filter: everything that the record lists.
#[derive(Debug, Clone, Default)]
pub struct UninstallRequest {
    /// Only these browsers; empty means all, data directories included.
    pub browsers: Vec<String>,
    /// Only this browser data directory.
    pub user_data_dir: Option<PathBuf>,
    /// Only what was registered for all users.
    pub is_system: bool,
    /// Say what would be done and do nothing.
    pub is_dry_run: bool,
}

/// What has to be done for one entry.
enum Undo {
    Remove,
    Restore(Previous),
    Forget(Reason),
    Leave(Reason),
}

/// Undoes what earlier installs did.
///
/// # Errors
/// An unknown browser id, an unreadable record, or a file that the system refuses to remove. What was undone before an
/// error stays undone and is no longer in the record.
pub fn uninstall(env: &InstallEnvironment, request: &UninstallRequest) -> Result<Applied, InstallError> {
    let filter = Filter::new(request)?;
    let mut outcomes = Vec::new();
    if request.is_dry_run {
        for entry in record::read(&env.state_dir)?.entries.iter().filter(|entry| filter.takes(entry)) {
            outcomes.push(outcome(entry, &undo_for(entry)?));
        }
    } else if let Some(store) = Store::open_existing(&env.state_dir)? {
        undo_recorded(&store, &filter, &mut outcomes)?;
    }
    for place in registrations::unrecorded(env, &outcomes) {
        if filter.takes_place(&place.browser, place.scope, &place.data_dir) {
            let reason = Some(Reason::NotRecorded);
            outcomes.push(Outcome { browser: place.browser, path: place.path, action: Action::Left, reason });
        }
    }
    Ok(Applied { is_dry_run: request.is_dry_run, outcomes, warnings: Vec::new(), load: None })
}

fn undo_recorded(store: &Store, filter: &Filter, outcomes: &mut Vec<Outcome>) -> Result<(), InstallError> {
    let original = store.load()?;
    let mut kept = Vec::new();
    let mut failure = None;
    for entry in &original.entries {
        if failure.is_some() || !filter.takes(entry) {
            kept.push(entry.clone());
            continue;
        }
        match undo_for(entry).and_then(|undo| perform(entry, &undo).map(|()| undo)) {
            Ok(undo) => {
                if matches!(undo, Undo::Leave(_)) {
                    kept.push(entry.clone());
                }
                outcomes.push(outcome(entry, &undo));
            }
            Err(error) => {
                kept.push(entry.clone());
                failure = Some(error);
            }
        }
    }
    let is_needed = |folder: &PathBuf| kept.iter().any(|entry| entry.path.starts_with(folder));
    let (needed, free): (Vec<_>, Vec<_>) = original.folders.iter().cloned().partition(is_needed);
    record::remove_empty(&free);
    let record = Record { entries: kept, folders: needed, ..original.clone() };
    if record != original || record.entries.is_empty() {
        store.save(&record)?;
    }
    failure.map_or(Ok(()), Err)
}

fn undo_for(entry: &Entry) -> Result<Undo, InstallError> {
    let found = match files::read_target(&entry.path) {
        Ok(found) => found,
        Err(InstallError::TargetIsSymlink { .. } | InstallError::TargetNotAFile { .. }) => {
            return Ok(Undo::Leave(Reason::NotAFile));
        }
        Err(error) => return Err(error),
    };
    Ok(match (found, &entry.previous) {
        (Some(found), Some(previous)) if found.content == previous.content => {
            Undo::Forget(Reason::AlreadyRestored)
        }
        (Some(found), Some(previous)) if entry.is_ours(&found.content) => Undo::Restore(previous.clone()),
        (Some(found), None) if entry.is_ours(&found.content) => Undo::Remove,
        (Some(_), _) => Undo::Leave(Reason::ChangedSinceInstall),
        (None, Some(previous)) if entry.path.parent().is_some_and(Path::is_dir) => {
            Undo::Restore(previous.clone())
        }
        (None, _) => Undo::Forget(Reason::AlreadyGone),
    })
}

fn perform(entry: &Entry, undo: &Undo) -> Result<(), InstallError> {
    match undo {
        Undo::Remove => files::remove_file(&entry.path),
        Undo::Restore(previous) => files::write_atomic(&entry.path, &previous.content, previous.mode),
        Undo::Forget(_) | Undo::Leave(_) => Ok(()),
    }
}

fn outcome(entry: &Entry, undo: &Undo) -> Outcome {
    let (action, reason) = match undo {
        Undo::Remove => (Action::Removed, None),
        Undo::Restore(_) => (Action::Restored, None),
        Undo::Forget(reason) => (Action::Unchanged, Some(*reason)),
        Undo::Leave(reason) => (Action::Left, Some(*reason)),
    };
    Outcome { browser: entry.browser.clone(), path: entry.path.clone(), action, reason }
}

/// Which entries a request means.
struct Filter {
    browsers: Vec<String>,
    data_dir: Option<PathBuf>,
    is_system: bool,
}

impl Filter {
    fn new(request: &UninstallRequest) -> Result<Self, InstallError> {
        if request.is_system && request.user_data_dir.is_some() {
            return Err(InstallError::ConflictingOptions { first: "--user-data-dir", second: "--system" });
        }
        let browsers =
            plan::named_browsers(&request.browsers)?.into_iter().map(|row| row.id.clone()).collect();
        let data_dir = request.user_data_dir.as_deref().map(files::settle).transpose()?;
        Ok(Self { browsers, data_dir, is_system: request.is_system })
    }

    fn takes(&self, entry: &Entry) -> bool {
        self.takes_place(&entry.browser, entry.scope, &entry.data_dir)
    }

    fn takes_place(&self, browser: &str, scope: Scope, data_dir: &Path) -> bool {
        (self.browsers.is_empty() || self.browsers.iter().any(|id| id == browser))
            && (!self.is_system || scope == Scope::System)
            && self
                .data_dir
                .as_deref()
                .is_none_or(|wanted| scope != Scope::System && is_same(wanted, data_dir))
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || fs::canonicalize(other).is_ok_and(|real| real == one)
}
