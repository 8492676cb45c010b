//! The runtime directory: found, made and checked, every time.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{HOME_VAR, RUNTIME_DIR_VAR, Sidecar};
use crate::failure::{ErrorCode, Failure, Reason};

/// Longest socket path in bytes: `sun_path` has 104 on macOS (108 on Linux), one of them for the final zero.
const SOCKET_PATH_BYTES: usize = 103;

/// Longest name that a host gives its socket: `h-`, 12 hexadecimal digits, `.sock`.
const SOCKET_NAME_BYTES: usize = 19;

/// A host that has bound its socket but does not listen yet refuses connections for much less than this.
pub const BIND_WINDOW: Duration = Duration::from_millis(10);

/// Why the runtime directory cannot be used.
#[derive(Debug)]
pub enum PlaceError {
    /// No home directory is known for this user.
    NoHome,
    /// It could not be made or looked at.
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It is a symbolic link.
    Symlink(PathBuf),
    /// It is a file.
    NotADirectory(PathBuf),
    /// Another user owns it.
    Foreign {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Others may enter it.
    Open {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Socket paths in it would be too long for the system.
    TooLong(PathBuf),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => f.write_str("this user has no home directory in the user database"),
            Self::Io { path, error } => {
                write!(f, "runtime directory `{}` cannot be used: {error}", path.display())
            }
            Self::Symlink(path) => write!(f, "runtime directory `{}` is a symbolic link", path.display()),
            Self::NotADirectory(path) => {
                write!(f, "runtime directory `{}` is not a directory", path.display())
            }
            Self::Foreign { path, owner } => {
                write!(f, "runtime directory `{}` belongs to another user (uid {owner})", path.display())
            }
            Self::Open { path, mode } => {
                write!(f, "runtime directory `{}` can be entered by others (mode {mode:04o})", path.display())
            }
            Self::TooLong(path) => write!(
                f,
                "runtime directory `{}` is too long: a socket's path may have {SOCKET_PATH_BYTES} bytes",
                path.display()
            ),
        }
    }
}

impl std::error::Error for PlaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::NoHome
            | Self::Symlink(_)
            | Self::NotADirectory(_)
            | Self::Foreign { .. }
            | Self::Open { .. }
            | Self::TooLong(_) => None,
        }
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        let hint = match &error {
            PlaceError::NoHome => {
                format!("set `{RUNTIME_DIR_VAR}` to a directory of yours for browser and shell alike")
            }
            PlaceError::Io { .. } => format!("make sure that you may create it, or set `{RUNTIME_DIR_VAR}`"),
            PlaceError::Symlink(path) | PlaceError::NotADirectory(path) => {
                format!(
                    "remove it with `rm {}`; the next command makes a directory in its place",
                    path.display()
                )
            }
            PlaceError::Foreign { path, .. } => {
                format!(
                    "someone else may have put it there; as an administrator move `{}` away",
                    path.display()
                )
            }
            PlaceError::Open { path, .. } => {
                format!("run `chmod 700 {}` if you trust what is in it, else remove it", path.display())
            }
            PlaceError::TooLong(_) => format!("set `{RUNTIME_DIR_VAR}` to a shorter path"),
        };
        let reason = if matches!(error, PlaceError::TooLong(_)) {
            Reason::PathTooLong
        } else {
            Reason::RuntimeDirUnsafe
        };
        Self::new(ErrorCode::NoBrowserConnected, reason, error.to_string()).hint(hint)
    }
}

/// The user's home directory from the user database; `HOME` may differ between browser and shell.
#[must_use]
pub fn home_dir() -> Option<PathBuf> {
    #[cfg(unix)]
    {
        nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.dir)
    }
    #[cfg(not(unix))]
    {
        directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned())
    }
}

fn from_environment(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Where logs and the install record live: `BSK_HOME`, else `~/.bsk`.
///
/// # Errors
/// [`PlaceError::NoHome`].
pub fn state_dir() -> Result<PathBuf, PlaceError> {
    from_environment(HOME_VAR).or_else(|| home_dir().map(|home| home.join(".bsk"))).ok_or(PlaceError::NoHome)
}

/// Makes a directory where it is missing, and makes sure that it is the user's alone.
///
/// # Errors
/// [`PlaceError`]: nothing in it was touched.
pub fn open_private_dir(path: &Path) -> Result<(), PlaceError> {
    make_private_dir(path).map_err(|error| PlaceError::Io { path: path.to_owned(), error })?;
    check(path)
}

/// A runtime directory that exists and is the user's alone.
#[derive(Debug, Clone)]
pub struct RuntimeDir {
    path: PathBuf,
}

impl RuntimeDir {
    /// Where it is, made or not: `BSK_RUNTIME_DIR`, else `~/.bsk/run`.
    ///
    /// # Errors
    /// [`PlaceError::NoHome`].
    pub fn location() -> Result<PathBuf, PlaceError> {
        from_environment(RUNTIME_DIR_VAR)
            .or_else(|| home_dir().map(|home| home.join(".bsk").join("run")))
            .ok_or(PlaceError::NoHome)
    }

    /// Finds it, makes it where it is missing, and checks it.
    ///
    /// # Errors
    /// [`PlaceError`]: the directory is refused, nothing in it was touched.
    pub fn open() -> Result<Self, PlaceError> {
        Self::at(Self::location()?)
    }

    /// As [`RuntimeDir::open`], at a given place.
    ///
    /// # Errors
    /// [`PlaceError`].
    pub fn at(path: PathBuf) -> Result<Self, PlaceError> {
        if path.as_os_str().len() + 1 + SOCKET_NAME_BYTES > SOCKET_PATH_BYTES {
            return Err(PlaceError::TooLong(path));
        }
        make_private_dir(&path).map_err(|error| PlaceError::Io { path: path.clone(), error })?;
        check(&path)?;
        Ok(Self { path })
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A socket path that no other host has or had.
    #[must_use]
    pub fn new_socket_path(&self) -> PathBuf {
        let unique = uuid::Uuid::new_v4().simple().to_string();
        self.path.join(format!("h-{}.sock", &unique[..12]))
    }

    /// Sockets in the directory, in no order. Says nothing about who is alive.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn socket_paths(&self) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.extension() == Some(OsStr::new("sock")) {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    /// Removes what a dead host left: its socket, then its sidecar. Only for a socket that refused a connection twice,
    /// [`BIND_WINDOW`] apart. Whether it was one: a plain file refuses too and may be somebody's, so it stays.
    pub fn remove_corpse(&self, socket: &Path) -> bool {
        let is_ours = is_socket(socket);
        if is_ours {
            // Either may be gone already: another process sweeps as well.
            let _ = fs::remove_file(socket);
            let _ = fs::remove_file(Sidecar::path_for(socket));
        }
        is_ours
    }
}

fn is_socket(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket())
    }
    #[cfg(not(unix))]
    {
        path.exists()
    }
}

fn make_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // A dangling symlink makes this fail with "exists"; the check names it better.
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

fn check(path: &Path) -> Result<(), PlaceError> {
    let found =
        fs::symlink_metadata(path).map_err(|error| PlaceError::Io { path: path.to_owned(), error })?;
    if found.is_symlink() {
        return Err(PlaceError::Symlink(path.to_owned()));
    }
    if !found.is_dir() {
        return Err(PlaceError::NotADirectory(path.to_owned()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != nix::unistd::geteuid().as_raw() {
            return Err(PlaceError::Foreign { path: path.to_owned(), owner: found.uid() });
        }
        let mode = found.mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(PlaceError::Open { path: path.to_owned(), mode });
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_missing_directory_is_made_for_the_user_alone() {
        let temp = tempfile::tempdir().unwrap();
        let dir = RuntimeDir::at(temp.path().join("a/run")).unwrap();
        let mode = fs::metadata(dir.path()).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o700);
    }

    #[test]
    fn an_open_directory_is_refused_with_the_way_to_fix_it() {
        let temp = tempfile::tempdir().unwrap();
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let error = RuntimeDir::at(temp.path().to_owned()).unwrap_err();
        assert!(matches!(error, PlaceError::Open { mode: 0o777, .. }));
        let failure = Failure::from(error);
        assert!(failure.hint.unwrap().contains(&format!("chmod 700 {}", temp.path().display())));
    }

    #[test]
    fn a_symlink_is_refused_even_to_a_good_directory() {
        let temp = tempfile::tempdir().unwrap();
        RuntimeDir::at(temp.path().join("real")).unwrap();
        symlink(temp.path().join("real"), temp.path().join("link")).unwrap();
        assert!(matches!(RuntimeDir::at(temp.path().join("link")), Err(PlaceError::Symlink(_))));
        symlink(temp.path().join("nowhere"), temp.path().join("dangling")).unwrap();
        assert!(matches!(RuntimeDir::at(temp.path().join("dangling")), Err(PlaceError::Symlink(_))));
    }

    #[test]
    fn a_file_and_a_long_path_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("file"), "").unwrap();
        assert!(matches!(RuntimeDir::at(temp.path().join("file")), Err(PlaceError::NotADirectory(_))));
        assert!(matches!(RuntimeDir::at(temp.path().join("x".repeat(90))), Err(PlaceError::TooLong(_))));
    }

    #[test]
    fn socket_names_are_unique_and_within_the_budget() {
        let temp = tempfile::tempdir().unwrap();
        let dir = RuntimeDir::at(temp.path().join("run")).unwrap();
        let (one, two) = (dir.new_socket_path(), dir.new_socket_path());
        assert_ne!(one, two);
        assert_eq!(one.file_name().unwrap().len(), SOCKET_NAME_BYTES);
    }
}
