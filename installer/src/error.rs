//! Why an installation step was refused or failed.
//!
//! One closed enum. Every error has a message (what happened to which thing) and a hint (the command or
//! click that helps), both lower case, without a full stop, values in backticks. Nothing is decided by a
//! message's text.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Who can do something about an error; the CLI chooses its exit code by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The arguments ask for something impossible.
    Request,
    /// The machine is not in the state that the request needs.
    Machine,
}

/// Why an installation step was refused or failed. Whatever it says, no file is half written.
#[derive(Debug)]
pub enum InstallError {
    /// `--browser` names a browser that is not in the table.
    UnknownBrowser {
        /// What was asked for.
        asked: String,
    },
    /// No browser was named and none was found.
    NoBrowserFound {
        /// Names of browsers that exist only as a snap or flatpak.
        confined: Vec<String>,
    },
    /// Two options exclude each other.
    ConflictingOptions {
        /// The first option, with its dashes.
        first: &'static str,
        /// The second option, with its dashes.
        second: &'static str,
    },
    /// `--user-data-dir` with several browsers: a data directory belongs to one.
    ManyBrowsersOneFolder,
    /// `--extension-id` is not 32 letters from a to p.
    BadExtensionId {
        /// What was given.
        id: String,
    },
    /// The host program does not exist.
    HostBinaryMissing {
        /// Where it was expected.
        path: PathBuf,
    },
    /// The host program exists but cannot be executed.
    HostBinaryNotExecutable {
        /// Where it is.
        path: PathBuf,
    },
    /// The browser reads no system-wide folder that we know.
    NoSystemFolder {
        /// The browser's id.
        browser: String,
    },
    /// Installing is not written for this operating system yet.
    UnsupportedSystem {
        /// The system's name.
        system: &'static str,
    },
    /// A folder is needed where something else is.
    NotAFolder {
        /// The path in question.
        path: PathBuf,
    },
    /// The manifest's place is taken by a symlink.
    TargetIsSymlink {
        /// The manifest's path.
        path: PathBuf,
    },
    /// The manifest's place is taken by something that is no regular text file of a sane size.
    TargetNotAFile {
        /// The manifest's path.
        path: PathBuf,
    },
    /// A path cannot be written into JSON.
    PathNotUnicode {
        /// The path in question.
        path: PathBuf,
    },
    /// The record of earlier installs cannot be understood.
    RecordCorrupt {
        /// The record's path.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The record was written by a newer bsk.
    RecordTooNew {
        /// The record's path.
        path: PathBuf,
        /// Its format version.
        version: u32,
    },
    /// Others could write into the state directory, so its record cannot be trusted.
    StateFolderUnsafe {
        /// The state directory.
        path: PathBuf,
    },
    /// Another `bsk install` or `bsk uninstall` holds the record for too long.
    Busy {
        /// The state directory.
        path: PathBuf,
    },
    /// The operating system refused.
    Io {
        /// The verb: "write", "read", "create", …
        doing: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// The system's own reason.
        source: io::Error,
    },
}

impl InstallError {
    /// Closure for `map_err` that adds what was being done to which path.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { doing, path, source }
    }

    /// Who can do something about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownBrowser { .. }
            | Self::ConflictingOptions { .. }
            | Self::ManyBrowsersOneFolder
            | Self::BadExtensionId { .. }
            | Self::NoSystemFolder { .. }
            | Self::NotAFolder { .. }
            | Self::PathNotUnicode { .. } => ErrorKind::Request,
            Self::NoBrowserFound { .. }
            | Self::HostBinaryMissing { .. }
            | Self::HostBinaryNotExecutable { .. }
            | Self::UnsupportedSystem { .. }
            | Self::TargetIsSymlink { .. }
            | Self::TargetNotAFile { .. }
            | Self::RecordCorrupt { .. }
            | Self::RecordTooNew { .. }
            | Self::StateFolderUnsafe { .. }
            | Self::Busy { .. }
            | Self::Io { .. } => ErrorKind::Machine,
        }
    }

    /// Stable word for `data.reason` in the CLI's error JSON.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::UnknownBrowser { .. } => "unknown_browser",
            Self::NoBrowserFound { .. } => "no_browser_found",
            Self::ConflictingOptions { .. } => "conflicting_options",
            Self::ManyBrowsersOneFolder => "many_browsers_one_folder",
            Self::BadExtensionId { .. } => "bad_extension_id",
            Self::HostBinaryMissing { .. } => "host_binary_missing",
            Self::HostBinaryNotExecutable { .. } => "host_binary_not_executable",
            Self::NoSystemFolder { .. } => "no_system_folder",
            Self::UnsupportedSystem { .. } => "unsupported_system",
            Self::NotAFolder { .. } => "not_a_folder",
            Self::TargetIsSymlink { .. } => "manifest_is_symlink",
            Self::TargetNotAFile { .. } => "manifest_not_a_file",
            Self::PathNotUnicode { .. } => "path_not_unicode",
            Self::RecordCorrupt { .. } => "record_corrupt",
            Self::RecordTooNew { .. } => "record_too_new",
            Self::StateFolderUnsafe { .. } => "state_folder_unsafe",
            Self::Busy { .. } => "install_busy",
            Self::Io { .. } => "io_failed",
        }
    }

    /// What happened to which thing.
    pub fn message(&self) -> String {
        match self {
            Self::UnknownBrowser { asked } => format!("`{asked}` is not a browser that bsk knows"),
            Self::NoBrowserFound { confined } if confined.is_empty() => {
                "no supported browser was found for this user".to_owned()
            }
            Self::NoBrowserFound { confined } => {
                format!("the only browsers found are snaps or flatpaks: `{}`", confined.join("`, `"))
            }
            Self::ConflictingOptions { first, second } => {
                format!("`{first}` and `{second}` cannot be used together")
            }
            Self::ManyBrowsersOneFolder => {
                "a data directory belongs to one browser, several were named".to_owned()
            }
            Self::BadExtensionId { id } => format!("`{id}` is not an extension id"),
            Self::HostBinaryMissing { path } => {
                format!("the host program `{}` does not exist", path.display())
            }
            Self::HostBinaryNotExecutable { path } => {
                format!("the host program `{}` cannot be executed", path.display())
            }
            Self::NoSystemFolder { browser } => {
                format!("bsk knows no system-wide host folder for `{browser}` on this system")
            }
            Self::UnsupportedSystem { system } => format!("installing on {system} is not supported yet"),
            Self::NotAFolder { path } => format!("`{}` is not a folder", path.display()),
            Self::TargetIsSymlink { path } => format!("`{}` is a symlink and was left alone", path.display()),
            Self::TargetNotAFile { path } => {
                format!("`{}` is not a small text file and was left alone", path.display())
            }
            Self::PathNotUnicode { path } => format!("`{}` is not valid unicode", path.display()),
            Self::RecordCorrupt { path, detail } => {
                format!("the install record `{}` cannot be read: {detail}", path.display())
            }
            Self::RecordTooNew { path, version } => {
                format!("the install record `{}` has version {version}, from a newer bsk", path.display())
            }
            Self::StateFolderUnsafe { path } => {
                format!("`{}` belongs to another user or can be written by everyone", path.display())
            }
            Self::Busy { path } => format!("another install is still using `{}`", path.display()),
            Self::Io { doing, path, source } => format!("could not {doing} `{}`: {source}", path.display()),
        }
    }

    /// The command or click that helps.
    pub fn hint(&self) -> String {
        let supported = || format!("`{}`", crate::supported_ids().join("`, `"));
        match self {
            Self::UnknownBrowser { .. } => format!(
                "supported: {}; for any other Chromium-based browser use `bsk install --user-data-dir DIR`",
                supported()
            ),
            Self::NoBrowserFound { confined } if confined.is_empty() => format!(
                "start the browser once, or name one of {} with `--browser`, or its data directory with \
                 `--user-data-dir DIR`",
                supported()
            ),
            Self::NoBrowserFound { .. } => "a snap or flatpak browser cannot start a program outside its sandbox; \
                 install the browser from its vendor's package, then run `bsk install` again"
                .to_owned(),
            Self::ConflictingOptions { first, second } => format!("give either `{first}` or `{second}`"),
            Self::ManyBrowsersOneFolder => "run `bsk install --user-data-dir DIR` once for each directory".to_owned(),
            Self::BadExtensionId { .. } => {
                "an id is 32 letters from a to p, as shown on the browser's extensions page".to_owned()
            }
            Self::HostBinaryMissing { .. } => {
                "`bsk-host` must lie beside `bsk`; build both with `cargo build --release` or unpack the release again"
                    .to_owned()
            }
            Self::HostBinaryNotExecutable { path } => format!("run `chmod +x {}`", shell_word(path)),
            Self::NoSystemFolder { .. } => "leave out `--system`".to_owned(),
            Self::UnsupportedSystem { .. } => "use Linux or macOS for now".to_owned(),
            Self::NotAFolder { .. } => "give a folder, or a path that does not exist yet".to_owned(),
            Self::TargetIsSymlink { path } | Self::TargetNotAFile { path } => {
                format!("look at `{}`, move it away and run the command again", path.display())
            }
            Self::PathNotUnicode { .. } => "move it to a path with ordinary characters".to_owned(),
            Self::RecordCorrupt { path, .. } => format!(
                "nothing was changed; repair it, or move `{}` away (then `bsk uninstall` no longer knows what to undo)",
                path.display()
            ),
            Self::RecordTooNew { .. } => "use the newer `bsk`, or run `bsk update`".to_owned(),
            Self::StateFolderUnsafe { path } => {
                format!("run `chown $USER {0} && chmod 700 {0}`, or point `BSK_HOME` elsewhere", shell_word(path))
            }
            Self::Busy { .. } => "wait until it is done and run the command again".to_owned(),
            Self::Io { path, source, .. } if source.kind() == io::ErrorKind::PermissionDenied => format!(
                "check who owns `{}`; `--system` needs administrator rights",
                path.parent().unwrap_or(path).display()
            ),
            Self::Io { path, .. } => {
                format!("nothing was half written; check `{}` and run the command again", path.display())
            }
        }
    }
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for InstallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Io { source, .. } = self { Some(source) } else { None }
    }
}

/// A path as it can be pasted into a POSIX shell.
pub(crate) fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(&byte);
    if text.bytes().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_a_hint_can_be_pasted_whatever_the_path_is() {
        let hint = |path: &str| InstallError::HostBinaryNotExecutable { path: path.into() }.hint();
        assert_eq!(hint("/opt/bsk/bsk-host"), "run `chmod +x /opt/bsk/bsk-host`");
        assert_eq!(hint("/a b/it's"), r"run `chmod +x '/a b/it'\''s'`");
    }
}
