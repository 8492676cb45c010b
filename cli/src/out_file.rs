//! Files that the user asked for with `--out`, or gets by default.
//!
//! Written beside their place and renamed, so that nobody sees half a file. A named file is replaced, since naming it is
//! asking; a default name never replaces anything. Devices and pipes are written to, not replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use tempfile::NamedTempFile;

/// Most tries for a default name that is free.
const MOST_NUMBERS: u32 = 100_000;

/// Writes a file that the user named; gives its absolute path.
///
/// # Errors
/// It cannot be written; what was there is as it was.
pub(crate) fn write_named(path: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let failed = |error: io::Error| unwritable(path, &error);
    // A symlink to a file keeps pointing at it.
    let place = fs::canonicalize(path).or_else(|_| std::path::absolute(path)).map_err(failed)?;
    match fs::metadata(&place) {
        Ok(metadata) if metadata.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(metadata) if !metadata.is_file() => {
            OpenOptions::new()
                .write(true)
                .open(&place)
                .and_then(|mut file| file.write_all(bytes))
                .map_err(failed)?;
        }
        Ok(_) | Err(_) => {
            let file = beside(&place, bytes).map_err(failed)?;
            file.persist(&place).map_err(|error| failed(error.error))?;
        }
    }
    Ok(place)
}

/// Writes `<stem>-<n>.<extension>` in the current directory, with the first number that is free.
///
/// # Errors
/// It cannot be written; no file is left.
pub(crate) fn write_numbered(stem: &str, extension: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let folder = std::path::absolute(".").map_err(|error| unwritable(Path::new("."), &error))?;
    let mut file = beside(&folder.join(stem), bytes).map_err(|error| unwritable(&folder, &error))?;
    for number in 1..=MOST_NUMBERS {
        let place = folder.join(format!("{stem}-{number}.{extension}"));
        if place.exists() {
            continue;
        }
        match file.persist_noclobber(&place) {
            Ok(_) => return Ok(place),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => file = error.file,
            Err(error) => return Err(unwritable(&place, &error.error)),
        }
    }
    Err(unwritable(&folder, &io::ErrorKind::AlreadyExists.into()))
}

fn beside(place: &Path, bytes: &[u8]) -> io::Result<NamedTempFile<File>> {
    let mut file = new_beside(place)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A new file in the folder of a place, removed unless it is put somewhere.
///
/// # Errors
/// The folder is not there or takes no file.
pub(crate) fn new_beside(place: &Path) -> io::Result<NamedTempFile<File>> {
    let folder = place.parent().unwrap_or_else(|| Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bsk-");
    // The user's own umask decides who may read it, as for any file a program writes.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Failure::new(ErrorCode::InvalidParams, Reason::FileNotWritable, message)
        .hint("no partial file was left; pass `--out` with a file in a folder that you may write to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_is_replaced_and_a_symlink_keeps_pointing() {
        let temp = tempfile::tempdir().unwrap();
        let real = temp.path().join("real");
        fs::write(&real, "old").unwrap();
        write_named(&real, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        #[cfg(unix)]
        {
            let link = temp.path().join("link");
            std::os::unix::fs::symlink(&real, &link).unwrap();
            write_named(&link, b"newer").unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read(&real).unwrap(), b"newer");
        }
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), if cfg!(unix) { 2 } else { 1 });
    }

    #[test]
    fn a_folder_and_a_missing_folder_are_refused_and_nothing_is_left() {
        let temp = tempfile::tempdir().unwrap();
        for path in [temp.path().to_owned(), temp.path().join("no/such")] {
            let failure = write_named(&path, b"x").unwrap_err();
            assert_eq!(failure.reason, Some(Reason::FileNotWritable));
        }
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        write_named(Path::new("/dev/null"), b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
