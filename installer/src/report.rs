//! What an install or uninstall did, or would do: typed for `--json`, with one sentence each for people.
//!
//! Only words and numbers; nothing here reads or writes a file.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::browsers::{self, Confinement};
use crate::error::shell_word;
use crate::manifest::extension_ids;

/// What happened to a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It did not exist and was written.
    Created,
    /// It existed with other content and was replaced.
    Updated,
    /// It is as it should be.
    Unchanged,
    /// It was ours and is gone.
    Removed,
    /// What was there before bsk is there again.
    Restored,
    /// It is not what bsk wrote and was not touched.
    Left,
}

/// Why something happened that is not the plain case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A manifest of someone else was replaced; its content is kept for `bsk uninstall`.
    ReplacedForeign,
    /// The file was changed after bsk wrote it.
    ChangedSinceInstall,
    /// The file was removed by someone else.
    AlreadyGone,
    /// The earlier content is back already.
    AlreadyRestored,
    /// The file is in bsk's place, but no record says that bsk wrote it.
    NotRecorded,
    /// The file was replaced by a symlink, a folder or something large.
    NotAFile,
}

impl Reason {
    /// The reason in words, to follow "because" or a colon.
    pub fn text(self) -> &'static str {
        match self {
            Self::ReplacedForeign => "another manifest was there; `bsk uninstall` puts it back",
            Self::ChangedSinceInstall => "it was changed after bsk wrote it",
            Self::AlreadyGone => "it was already gone",
            Self::AlreadyRestored => "what was there before bsk is back already",
            Self::NotRecorded => "no record says that bsk wrote it",
            Self::NotAFile => "it is no longer an ordinary file",
        }
    }
}

/// What happened to one manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The browser's id, `custom` for a data directory outside the table.
    pub browser: String,
    /// The manifest.
    pub path: PathBuf,
    /// What happened to it.
    pub action: Action,
    /// Why, where it is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// Something that a user should know but that stops nothing. Serialises as `{kind, message, hint}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The browser is a snap or flatpak, which cannot start a host.
    Confined {
        /// The browser's id.
        browser: String,
        /// The wrapper that was found.
        path: PathBuf,
        /// The sandbox.
        kind: Confinement,
    },
    /// The browser was asked for and was not found.
    BrowserNotFound {
        /// The browser's id.
        browser: String,
    },
    /// `--user-data-dir` names a profile inside a data directory; the browser will not look there.
    ProfileFolder {
        /// What was named.
        path: PathBuf,
    },
    /// A managed policy keeps the browser from using the host.
    Policy {
        /// The browser's id.
        browser: String,
        /// The policy file.
        path: PathBuf,
        /// The policy's name.
        policy: &'static str,
    },
}

impl Warning {
    /// Stable word for the kind of warning.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Confined { .. } => "confined_browser",
            Self::BrowserNotFound { .. } => "browser_not_found",
            Self::ProfileFolder { .. } => "profile_folder",
            Self::Policy { .. } => "managed_policy",
        }
    }

    /// What is the matter with which thing.
    pub fn message(&self) -> String {
        match self {
            Self::Confined { browser, path, kind } => {
                format!("`{}` at `{}` is a {}", browsers::display_name(browser), path.display(), kind.name())
            }
            Self::BrowserNotFound { browser } => {
                format!("`{}` was not found for this user", browsers::display_name(browser))
            }
            Self::ProfileFolder { path } => {
                format!("`{}` looks like a profile inside a data directory", path.display())
            }
            Self::Policy { browser, path, policy } => format!(
                "the policy `{policy}` in `{}` keeps `{}` from starting bsk's host",
                path.display(),
                browsers::display_name(browser)
            ),
        }
    }

    /// The command or click that helps.
    pub fn hint(&self) -> String {
        match self {
            Self::Confined { kind, .. } => format!(
                "a browser in a {} cannot start a program outside its sandbox; install it from its vendor's package",
                kind.name()
            ),
            Self::BrowserNotFound { .. } => {
                "the registration will work once the browser is installed for this user".to_owned()
            }
            Self::ProfileFolder { path } => format!(
                "the browser looks in the data directory: `bsk install --user-data-dir {}`",
                shell_word(path.parent().unwrap_or(path))
            ),
            Self::Policy { policy, .. } if *policy == "NativeMessagingUserLevelHosts" => {
                "hosts must be registered for all users here: run `bsk install --system` as an administrator"
                    .to_owned()
            }
            Self::Policy { .. } => {
                format!("ask your administrator to add `{}` to `NativeMessagingAllowlist`", crate::HOST_NAME)
            }
        }
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape {
            kind: &'static str,
            message: String,
            hint: String,
        }
        Shape { kind: self.kind(), message: self.message(), hint: self.hint() }.serialize(serializer)
    }
}

/// Where the unpacked extension is and how to load it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadInstructions {
    /// The extension's id; the same wherever the folder lies.
    pub extension_id: String,
    /// The folder to load, when it was found.
    pub extension_dir: Option<PathBuf>,
    /// The addresses of the extension pages of the browsers concerned.
    pub extensions_pages: Vec<String>,
}

impl LoadInstructions {
    /// Instructions for these browsers; a browser outside the table gets the common address.
    pub(crate) fn new(extension_dir: Option<PathBuf>, browser_ids: &[&str]) -> Self {
        let mut extensions_pages: Vec<String> = Vec::new();
        for id in browser_ids {
            let page =
                browsers::by_id(id).map_or("chrome://extensions", |browser| browser.extensions_page.as_str());
            if !extensions_pages.iter().any(|known| known == page) {
                extensions_pages.push(page.to_owned());
            }
        }
        let extension_id = extension_ids().first().copied().unwrap_or_default().to_owned();
        Self { extension_id, extension_dir, extensions_pages }
    }
}

impl fmt::Display for LoadInstructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = match &self.extension_dir {
            Some(dir) => format!("choose `{}`", dir.display()),
            None => "choose the folder `extension` that came with bsk".to_owned(),
        };
        let pages = if self.extensions_pages.is_empty() {
            "chrome://extensions".to_owned()
        } else {
            self.extensions_pages.join("` or `")
        };
        write!(f, "open `{pages}`, switch `Developer mode` on, press `Load unpacked` and {folder}")
    }
}

/// What an install or uninstall did; with `is_dry_run`, what it would have done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Whether nothing was written.
    #[serde(rename = "dry_run")]
    pub is_dry_run: bool,
    /// One per manifest, in the order of the plan or the record.
    pub outcomes: Vec<Outcome>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// How to load the extension; absent after an uninstall.
    #[serde(rename = "extension", skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadInstructions>,
}

impl fmt::Display for Applied {
    /// One line per manifest, then warnings with their hints, then how to load the extension.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.outcomes.is_empty() {
            writeln!(f, "nothing to do")?;
        }
        for outcome in &self.outcomes {
            let verb = verb(outcome.action, self.is_dry_run);
            let name = browsers::display_name(&outcome.browser);
            write!(f, "{verb} `{}` for {name}", outcome.path.display())?;
            match outcome.reason {
                Some(reason) => writeln!(f, ": {}", reason.text())?,
                None => writeln!(f)?,
            }
        }
        for warning in &self.warnings {
            writeln!(f, "warning: {}\nhint: {}", warning.message(), warning.hint())?;
        }
        match &self.load {
            Some(load) => writeln!(f, "to load the extension: {load}"),
            None => Ok(()),
        }
    }
}

fn verb(action: Action, is_dry_run: bool) -> &'static str {
    match (action, is_dry_run) {
        (Action::Created, false) => "created",
        (Action::Created, true) => "would create",
        (Action::Updated, false) => "updated",
        (Action::Updated, true) => "would update",
        (Action::Unchanged, _) => "unchanged",
        (Action::Removed, false) => "removed",
        (Action::Removed, true) => "would remove",
        (Action::Restored, false) => "restored",
        (Action::Restored, true) => "would restore",
        (Action::Left, false) => "left",
        (Action::Left, true) => "would leave",
    }
}
