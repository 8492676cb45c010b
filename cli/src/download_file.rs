//! The file that `bsk download --out` writes: beside its place until it is whole and on the disk, then there in one step.
//!
//! What is in its place is only ever replaced as a whole, and only when that was asked for. Devices, pipes and folders are refused.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::out_file::{new_beside, unwritable};

/// Where a download goes.
#[derive(Debug)]
pub(crate) struct DownloadFile {
    place: PathBuf,
    overwrite: bool,
}

/// A download that is in its place.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    pub(crate) byte_size: u64,
    /// 64 hexadecimal digits.
    pub(crate) sha256: String,
}

/// A download that is being written.
#[derive(Debug)]
pub(crate) struct Writing<'a> {
    target: &'a DownloadFile,
    file: NamedTempFile<File>,
    hash: Sha256,
    byte_size: u64,
}

impl DownloadFile {
    /// Makes sure that the file can be written, and writes nothing yet.
    ///
    /// # Errors
    /// Something is there that is not to be replaced, or the folder takes no file.
    pub(crate) fn new(path: &Path, overwrite: bool) -> Result<Self, Failure> {
        let failed = |error: io::Error| unwritable(path, &error);
        if cfg!(unix) && path.starts_with("/dev") {
            return Err(no_file(path, "a device takes no file"));
        }
        let is_taken = fs::symlink_metadata(path).is_ok();
        if is_taken && !overwrite {
            return Err(Failure::new(
                ErrorCode::InvalidParams,
                Reason::FileExists,
                format!("`{}` is there already", path.display()),
            )
            .hint("pass `--overwrite` to replace it, or another path"));
        }
        // A symlink to a file keeps pointing at it.
        let place = fs::canonicalize(path).or_else(|_| std::path::absolute(path)).map_err(failed)?;
        match fs::metadata(&place) {
            Ok(found) if found.is_dir() => {
                return Err(no_file(path, "it is a folder; give the path of the file"));
            }
            Ok(found) if !found.is_file() => return Err(no_file(path, "it is no regular file")),
            Ok(_) | Err(_) => {}
        }
        if place.file_name().is_none()
            || path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
        {
            return Err(no_file(path, "it names no file"));
        }
        new_beside(&place).map_err(failed)?;
        Ok(Self { place, overwrite })
    }

    /// Begins to write.
    ///
    /// # Errors
    /// The folder takes no file any more.
    pub(crate) fn begin(&self) -> Result<Writing<'_>, Failure> {
        let file = new_beside(&self.place).map_err(|error| unwritable(&self.place, &error))?;
        Ok(Writing { target: self, file, hash: Sha256::new(), byte_size: 0 })
    }
}

impl Writing<'_> {
    /// # Errors
    /// The disk is full, or the like; what was written goes when this is dropped.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.target.place, &error))?;
        self.hash.update(bytes);
        self.byte_size += bytes.len() as u64;
        Ok(())
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Something came there meanwhile, or it cannot be written.
    pub(crate) fn finish(self) -> Result<Written, Failure> {
        let Self { target: DownloadFile { place, overwrite }, file, hash, byte_size } = self;
        let failed = |error: io::Error| unwritable(place, &error);
        file.as_file().sync_all().map_err(failed)?;
        let persisted = if *overwrite { file.persist(place) } else { file.persist_noclobber(place) };
        persisted.map_err(|error| failed(error.error))?;
        sync_folder(place).map_err(failed)?;
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Written { path: place.clone(), byte_size, sha256 })
    }
}

/// Makes sure that the name is on the disk, too.
fn sync_folder(place: &Path) -> io::Result<()> {
    match place.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        Some(_) | None => Ok(()),
    }
}

fn no_file(path: &Path, why: &str) -> Failure {
    Failure::new(
        ErrorCode::InvalidParams,
        Reason::FileNotWritable,
        format!("`{}` cannot be written: {why}", path.display()),
    )
    .hint("a download is put into its place in one step, which takes a path where a file can be: `--out report.pdf`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, overwrite: bool, bytes: &[u8]) -> Result<Written, Failure> {
        let file = DownloadFile::new(path, overwrite)?;
        let mut writing = file.begin()?;
        writing.write(bytes)?;
        writing.finish()
    }

    #[test]
    fn a_file_is_whole_or_not_there_and_replaced_only_when_asked_for() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a b.bin");
        let written = write(&path, false, b"abc").unwrap();
        assert_eq!(written.byte_size, 3);
        // SHA-256 of "abc": FIPS 180-2, appendix B.1.
        assert_eq!(written.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let failure = write(&path, false, b"x").unwrap_err();
        assert_eq!((failure.reason, fs::read(&path).unwrap()), (Some(Reason::FileExists), b"abc".to_vec()));
        write(&path, true, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let later = DownloadFile::new(&temp.path().join("later"), false).unwrap();
        let writing = later.begin().unwrap();
        fs::write(temp.path().join("later"), "mine").unwrap();
        writing.finish().unwrap_err();
        assert_eq!(fs::read(temp.path().join("later")).unwrap(), b"mine", "what came meanwhile stays");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2, "nothing is left");
    }

    #[test]
    fn folders_devices_and_places_that_are_not_there_are_refused_before_anything_is_written() {
        let temp = tempfile::tempdir().unwrap();
        for path in [
            temp.path().to_owned(),
            temp.path().join("no/such"),
            temp.path().join("new/"),
            "/dev/stdout".into(),
        ] {
            let failure = DownloadFile::new(&path, true).unwrap_err();
            assert_eq!(failure.reason, Some(Reason::FileNotWritable), "{}", path.display());
        }
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_is_something_that_is_there_and_keeps_pointing() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link) = (temp.path().join("real"), temp.path().join("link"));
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(DownloadFile::new(&link, false).unwrap_err().reason, Some(Reason::FileExists));
        fs::write(&real, "old").unwrap();
        write(&link, true, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }
}
