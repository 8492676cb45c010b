//! Reading and writing single files and folders so that nobody ever sees half of one.
//!
//! A write goes to a temporary file in the same folder, is synced and renamed; the folder is synced after
//! it. Refuses to read or replace a symlink, a special file or anything large. Folders are created one by
//! one, so the caller knows which.
//!
//! Platform-specific behaviour: modes, owners and folder syncs exist on Unix only; elsewhere they are
//! skipped.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::InstallError;

/// Mode of a host manifest: every browser process of the user may read it.
pub(crate) const MANIFEST_MODE: u32 = 0o644;
/// Mode of private files.
pub(crate) const PRIVATE_FILE_MODE: u32 = 0o600;
/// Mode of private folders.
pub(crate) const PRIVATE_FOLDER_MODE: u32 = 0o700;
/// Mode of system-wide folders, whatever the administrator's umask is.
pub(crate) const SHARED_FOLDER_MODE: u32 = 0o755;

/// A manifest or record is some hundred bytes; more than this is something else.
const SIZE_LIMIT_BYTES: u64 = 1 << 20;

/// A file as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) content: String,
    pub(crate) mode: u32,
}

/// The file at `path`, `None` when nothing is there.
pub(crate) fn read_target(path: &Path) -> Result<Option<Found>, InstallError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(InstallError::io("look at", path)(error)),
    };
    if metadata.file_type().is_symlink() {
        return Err(InstallError::TargetIsSymlink { path: path.to_path_buf() });
    }
    if !metadata.is_file() || metadata.len() > SIZE_LIMIT_BYTES {
        return Err(InstallError::TargetNotAFile { path: path.to_path_buf() });
    }
    match fs::read_to_string(path) {
        Ok(content) => Ok(Some(Found { content, mode: mode_of(&metadata) })),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(InstallError::TargetNotAFile { path: path.to_path_buf() })
        }
        Err(error) => Err(InstallError::io("read", path)(error)),
    }
}

/// Replaces or creates `path` in one step.
pub(crate) fn write_atomic(path: &Path, content: &str, mode: u32) -> Result<(), InstallError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| InstallError::io("write", path)(error);
    let mut file = tempfile::Builder::new().prefix(".com.bsk.host.").tempfile_in(folder).map_err(failed)?;
    file.write_all(content.as_bytes()).map_err(failed)?;
    set_mode(file.path(), mode).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    sync_folder(folder).map_err(failed)
}

/// Removes a file; already gone is fine.
pub(crate) fn remove_file(path: &Path) -> Result<(), InstallError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(InstallError::io("remove", path)(error)),
    }
}

/// The folders that must be created for `folder` to exist, outermost first.
pub(crate) fn missing_folders(folder: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let mut missing = Vec::new();
    for ancestor in folder.ancestors().filter(|path| !path.as_os_str().is_empty()) {
        match fs::metadata(ancestor) {
            Ok(metadata) if metadata.is_dir() => break,
            Ok(_) => return Err(InstallError::NotAFolder { path: ancestor.to_path_buf() }),
            Err(error) if is_absent(&error) => missing.push(ancestor.to_path_buf()),
            Err(error) => return Err(InstallError::io("look at", ancestor)(error)),
        }
    }
    missing.reverse();
    Ok(missing)
}

/// Creates one folder; with a mode it is set exactly, without one the umask decides. Already there is fine.
pub(crate) fn create_folder(path: &Path, mode: Option<u32>) -> Result<(), InstallError> {
    let mut builder = fs::DirBuilder::new();
    if let Some(mode) = mode {
        limit_mode(&mut builder, mode);
    }
    match builder.create(path) {
        Ok(()) => mode.map_or(Ok(()), |mode| set_mode(path, mode)).map_err(InstallError::io("create", path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(InstallError::io("create", path)(error)),
    }
}

/// An absolute path with the symlinks of its existing part resolved, so that a folder has one name before and after
/// it is created.
pub(crate) fn settle(path: &Path) -> Result<PathBuf, InstallError> {
    let absolute = std::path::absolute(path).map_err(InstallError::io("resolve", path))?;
    for ancestor in absolute.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            let rest = absolute.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) });
        }
    }
    Ok(absolute)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
mod platform {
    use std::fs;
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
    use std::path::Path;

    pub(crate) fn mode_of(metadata: &fs::Metadata) -> u32 {
        metadata.mode() & 0o7777
    }

    pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }

    pub(crate) fn limit_mode(builder: &mut fs::DirBuilder, mode: u32) {
        builder.mode(mode);
    }

    pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
        fs::File::open(folder)?.sync_all()
    }

    pub(crate) fn is_executable(metadata: &fs::Metadata) -> bool {
        metadata.mode() & 0o111 != 0
    }

    /// Owned by this process's user and not writable by everyone.
    pub(crate) fn is_private_enough(metadata: &fs::Metadata) -> bool {
        metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o002 == 0
    }

    pub(crate) fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
        one.dev() == other.dev() && one.ino() == other.ino()
    }
}

#[cfg(not(unix))]
mod platform {
    use std::fs;
    use std::io;
    use std::path::Path;

    pub(crate) fn mode_of(_: &fs::Metadata) -> u32 {
        0o644
    }

    pub(crate) fn set_mode(_: &Path, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn limit_mode(_: &mut fs::DirBuilder, _: u32) {}

    pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn is_executable(_: &fs::Metadata) -> bool {
        true
    }

    pub(crate) fn is_private_enough(_: &fs::Metadata) -> bool {
        true
    }

    pub(crate) fn is_same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
        true
    }
}

pub(crate) use platform::{is_executable, is_private_enough, is_same_file};
use platform::{limit_mode, mode_of, set_mode, sync_folder};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_file_and_leaves_no_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_atomic(&path, "one", MANIFEST_MODE).unwrap();
        write_atomic(&path, "two", MANIFEST_MODE).unwrap();
        let found = read_target(&path).unwrap().unwrap();
        assert_eq!(found, Found { content: "two".into(), mode: 0o644 });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_missing_folders_are_listed_outermost_first() {
        let root = tempfile::tempdir().unwrap();
        let missing = missing_folders(&root.path().join("a/b")).unwrap();
        assert_eq!(missing, [root.path().join("a"), root.path().join("a/b")]);
        fs::write(root.path().join("file"), "").unwrap();
        let error = missing_folders(&root.path().join("file/b")).unwrap_err();
        assert!(matches!(error, InstallError::NotAFolder { .. }));
    }

    #[test]
    fn binary_content_is_refused_and_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(matches!(read_target(&path).unwrap_err(), InstallError::TargetNotAFile { .. }));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_has_the_same_name_before_and_after_it_is_created() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("real")).unwrap();
        std::os::unix::fs::symlink(root.path().join("real"), root.path().join("link")).unwrap();
        let asked = root.path().join("link/new");
        let before = settle(&asked).unwrap();
        fs::create_dir(&asked).unwrap();
        assert_eq!(before, settle(&asked).unwrap());
    }
}
