//! Carries out a plan: all of its manifests or none.
//!
//! Looks again at every file under the record's lock, refuses before the first write what can be refused,
//! saves the record, then writes. When a write fails, the earlier ones of the same call are taken back. Only
//! manifests and the record are written.

use std::path::{Path, PathBuf};

use crate::InstallError;
use crate::files::{self, Found, MANIFEST_MODE, PRIVATE_FOLDER_MODE, SHARED_FOLDER_MODE};
use crate::plan::{self, Plan, Scope, Step};
use crate::record::{self, Entry, Previous, Record, Store};
use crate::report::{Action, Applied, Outcome, Reason};

/// A step with what was on disk before it.
struct Change<'plan> {
    step: &'plan Step,
    before: Option<Found>,
    folders: Vec<PathBuf>,
    action: Action,
    reason: Option<Reason>,
}

/// Writes what the plan says. A second call with the same plan changes nothing.
///
/// # Errors
/// Whatever was refused or failed; then the disk is as it was before the call.
pub fn apply(plan: &Plan) -> Result<Applied, InstallError> {
    let store = Store::open(&plan.state_dir)?;
    let result = apply_with(&store, plan);
    if result.is_err() {
        store.discard();
    }
    result
}

fn apply_with(store: &Store, plan: &Plan) -> Result<Applied, InstallError> {
    let original = store.load()?;
    let mut record = original.clone();
    let mut changes = Vec::new();
    for step in &plan.steps {
        let change = examine(step, &original)?;
        if change.action != Action::Unchanged {
            note(&mut record, &change);
        }
        changes.push(change);
    }
    if changes.iter().any(|change| change.action != Action::Unchanged) {
        store.save(&record)?;
        write_all(&changes).inspect_err(|_| {
            // The write's own error is the one to report; a record that lists too much is harmless.
            let _ = store.save(&original);
        })?;
    } else {
        store.discard();
    }
    let outcomes = changes
        .into_iter()
        .map(|change| Outcome {
            browser: change.step.browser.clone(),
            path: change.step.path.clone(),
            action: change.action,
            reason: change.reason,
        })
        .collect();
    Ok(Applied {
        is_dry_run: false,
        outcomes,
        warnings: plan.warnings.clone(),
        load: Some(plan.load.clone()),
    })
}

fn examine<'plan>(step: &'plan Step, record: &Record) -> Result<Change<'plan>, InstallError> {
    let before = files::read_target(&step.path)?;
    let text = before.as_ref().map(|found| found.content.as_str());
    let (action, reason) = plan::decide(record, &step.path, text, &step.content);
    let folders = files::missing_folders(folder_of(&step.path))?;
    Ok(Change { step, before, folders, action, reason })
}

/// Adds a change to the record: what we will write and what has to come back.
fn note(record: &mut Record, change: &Change<'_>) {
    let step = change.step;
    let known = record.entry(&step.path).cloned();
    let (previous, written_before) = match (&change.before, known) {
        (Some(found), Some(entry)) if entry.is_ours(&found.content) => {
            (entry.previous, Some(found.content.clone()))
        }
        (Some(found), _) => (Some(Previous { content: found.content.clone(), mode: found.mode }), None),
        (None, known) => (known.and_then(|entry| entry.previous), None),
    };
    record.entries.retain(|entry| entry.path != step.path);
    record.entries.push(Entry {
        browser: step.browser.clone(),
        scope: step.scope,
        data_dir: step.data_dir.clone(),
        path: step.path.clone(),
        written: step.content.clone(),
        written_before,
        previous,
    });
    for folder in &change.folders {
        if !record.folders.contains(folder) {
            record.folders.push(folder.clone());
        }
    }
}

fn write_all(changes: &[Change<'_>]) -> Result<(), InstallError> {
    for (done, change) in changes.iter().enumerate() {
        if change.action == Action::Unchanged {
            continue;
        }
        if let Err(error) = write(change) {
            changes[..=done].iter().rev().for_each(take_back);
            return Err(error);
        }
    }
    Ok(())
}

fn write(change: &Change<'_>) -> Result<(), InstallError> {
    let hosts_folder = folder_of(&change.step.path);
    for folder in &change.folders {
        let mode = match change.step.scope {
            Scope::System => Some(SHARED_FOLDER_MODE),
            // The browser makes its data directory private as well; the hosts' folder follows the umask.
            Scope::User | Scope::DataDir if folder != hosts_folder => Some(PRIVATE_FOLDER_MODE),
            Scope::User | Scope::DataDir => None,
        };
        files::create_folder(folder, mode)?;
    }
    files::write_atomic(&change.step.path, &change.step.content, MANIFEST_MODE)
}

/// Undoes one change as far as the disk allows; the error that led here is reported, not this one's.
fn take_back(change: &Change<'_>) {
    if change.action == Action::Unchanged {
        return;
    }
    let _ = match &change.before {
        Some(found) => files::write_atomic(&change.step.path, &found.content, found.mode),
        None => files::remove_file(&change.step.path),
    };
    record::remove_empty(&change.folders);
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
