//! The user's files that a command sends: looked at first, all of them, then read once from start to end.
//!
//! Nothing else in bsk reads them. Only regular files are taken (a link to one is followed, as every program of the user's would);
//! a file that is not the same at its end as at its start is not passed off as read. None is ever written, moved or deleted.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bsk_protocol::codec::RAW_CHUNK_BYTES;
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::UploadFile;
use bsk_protocol::transfer::{MOST_BYTES, MOST_FILES, check_name};

use crate::usage;

/// A file that is open for reading.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    file: File,
    modified: Option<SystemTime>,
    /// What the host is told of it.
    pub(crate) told: UploadFile,
}

/// Opens all files, or none is used.
///
/// # Errors
/// The first file that is not there, is no regular file, cannot be read, is too large or has a name that cannot be passed on.
pub(crate) fn open_all(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    if paths.len() > MOST_FILES {
        return Err(usage::wrong(
            format!("{} files are too many for one upload", paths.len()),
            format!("give at most {MOST_FILES}"),
        ));
    }
    let sources = paths.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let all: u64 = sources.iter().map(|source| source.told.size).sum();
    if all > MOST_BYTES {
        return Err(too_large(format!("the files have {all} bytes in all")));
    }
    Ok(sources)
}

fn open(path: &Path) -> Result<Source, Failure> {
    let name = name_of(path)?;
    // Before it is opened: to open a pipe or a device may wait, or do something.
    let found = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    check(path, &found)?;
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let opened = file.metadata().map_err(|error| unreadable(path, &error))?;
    check(path, &opened)?;
    let told = UploadFile { name, size: opened.len() };
    Ok(Source { path: path.to_owned(), file, modified: opened.modified().ok(), told })
}

fn name_of(path: &Path) -> Result<String, Failure> {
    let invalid = |why: String| {
        Failure::new(
            ErrorCode::InvalidParams,
            Reason::FileNameInvalid,
            format!("the name of `{}` cannot be passed on: {why}", path.display()),
        )
        .hint("upload a copy under another name")
    };
    let Some(name) = path.file_name() else { return Err(not_regular(path, "it is a folder")) };
    let name = name.to_str().ok_or_else(|| invalid("it is not UTF-8".to_owned()))?;
    check_name(name).map_err(|problem| invalid(problem.to_string()))?;
    Ok(name.to_owned())
}

fn check(path: &Path, found: &Metadata) -> Result<(), Failure> {
    if found.is_dir() {
        return Err(not_regular(path, "it is a folder"));
    }
    if !found.is_file() {
        return Err(not_regular(path, "it is a device, a pipe or a socket"));
    }
    if found.len() > MOST_BYTES {
        return Err(too_large(format!("`{}` has {} bytes", path.display(), found.len())));
    }
    Ok(())
}

fn not_regular(path: &Path, why: &str) -> Failure {
    Failure::new(
        ErrorCode::InvalidParams,
        Reason::FileNotReadable,
        format!("`{}` is no file that can be uploaded: {why}", path.display()),
    )
    .hint("give the path of a regular file")
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        ErrorCode::InvalidParams,
        Reason::FileNotReadable,
        format!("`{}` cannot be read: {error}", path.display()),
    )
    .hint("check the path and that you may read it")
}

fn too_large(what: String) -> Failure {
    Failure::new(ErrorCode::InvalidParams, Reason::FileTooLarge, what)
        .hint(format!("at most {MOST_BYTES} bytes (512 MiB) are uploaded, by one session in all"))
}

impl Source {
    /// Reads the file in pieces, each as long as a frame; makes sure that it is what was announced.
    ///
    /// # Errors
    /// It changed meanwhile or could not be read, or whatever `take` says.
    pub(crate) fn read<E: From<Failure>>(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut piece = vec![0; RAW_CHUNK_BYTES];
        let mut missing = self.told.size;
        while missing > 0 {
            let most = piece.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
            let count = self.next(&mut piece[..most])?;
            if count == 0 {
                return Err(self.changed("is shorter now").into());
            }
            take(&piece[..count])?;
            missing -= count as u64;
        }
        if self.next(&mut [0])? > 0 {
            return Err(self.changed("is longer now").into());
        }
        self.check_same().map_err(E::from)
    }

    fn next(&mut self, piece: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.file.read(piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.map_err(|error| unreadable(&self.path, &error)),
            }
        }
    }

    /// Makes sure that the file is still as it was when it was announced.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn check_same(&self) -> Result<(), Failure> {
        let now = self.file.metadata().map_err(|error| unreadable(&self.path, &error))?;
        if now.len() != self.told.size || now.modified().ok() != self.modified {
            return Err(self.changed("was written to"));
        }
        if fs::metadata(&self.path).is_err() {
            return Err(self.changed("is gone"));
        }
        Ok(())
    }

    fn changed(&self, how: &str) -> Failure {
        Failure::new(
            ErrorCode::InvalidParams,
            Reason::FileChanged,
            format!("`{}` {how}: it changed while it was read, so nothing was uploaded", self.path.display()),
        )
        .hint("wait until whatever writes it is done, then run the command again")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn reason<T>(result: Result<T, Failure>) -> Option<Reason> {
        result.err().and_then(|failure| failure.reason)
    }

    fn read(source: &mut Source) -> Result<Vec<u8>, Failure> {
        let mut all = Vec::new();
        source.read(|piece| {
            all.extend_from_slice(piece);
            Ok::<(), Failure>(())
        })?;
        Ok(all)
    }

    #[test]
    fn a_file_is_read_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        for size in [0, 1, RAW_CHUNK_BYTES - 1, RAW_CHUNK_BYTES, RAW_CHUNK_BYTES + 1] {
            let path = dir.path().join(format!("{size}.bin"));
            fs::write(&path, vec![7; size]).unwrap();
            let mut sources = open_all(std::slice::from_ref(&path)).unwrap();
            assert_eq!(sources[0].told, UploadFile { name: format!("{size}.bin"), size: size as u64 });
            assert_eq!(read(&mut sources[0]).unwrap(), vec![7; size]);
            assert_eq!(fs::read(&path).unwrap().len(), size, "it is still there");
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let opened = || {
            fs::write(&path, "12345").unwrap();
            open(&path).unwrap()
        };
        let mut grown = opened();
        File::options().append(true).open(&path).unwrap().write_all(b"6").unwrap();
        assert_eq!(reason(read(&mut grown)), Some(Reason::FileChanged));
        let mut shrunk = opened();
        File::options().write(true).open(&path).unwrap().set_len(2).unwrap();
        assert_eq!(reason(read(&mut shrunk)), Some(Reason::FileChanged));
        let mut gone = opened();
        fs::remove_file(&path).unwrap();
        assert_eq!(reason(read(&mut gone)), Some(Reason::FileChanged));
        let mut written = opened();
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!(reason(read(&mut written)), Some(Reason::FileChanged));
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for path in
            [dir.path(), Path::new("/dev/null"), Path::new("/"), Path::new(".."), &dir.path().join("missing")]
        {
            assert_eq!(reason(open(path)), Some(Reason::FileNotReadable), "{}", path.display());
        }
        let large = dir.path().join("large");
        File::create(&large).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert_eq!(reason(open(&large)), Some(Reason::FileTooLarge));
        let half = dir.path().join("half");
        File::create(&half).unwrap().set_len(MOST_BYTES / 2 + 1).unwrap();
        assert_eq!(reason(open_all(&[half.clone(), half])), Some(Reason::FileTooLarge));
    }
}
