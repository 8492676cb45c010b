//! Staging: copies of the user's files for as long as a page may read them, `staging/<id>/<number>/<name>` in the state directory.
//!
//! Directories are 0700, files 0600; everything is made new, so no link is ever followed. An id begins with the host's own part,
//! and the host holds a lock on the file of that name: a host that starts removes what belongs to a part that nobody locks, so what
//! a killed host left goes, and what another one uses stays. Nothing is concluded from a process id.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::StagedFile;
use bsk_protocol::local::UploadFile;
use bsk_protocol::place::{open_private_dir, state_dir};
use bsk_protocol::transfer::{MOST_BYTES, MOST_FILES, check_name};
use tokio::sync::mpsc::Receiver;
use uuid::Uuid;

use super::Sent;

/// Characters of the host's part of an id.
const OWN_PART: usize = 16;
const LOCK: &str = "lock";
/// A lock that another host swept away in the moment it was made is made again.
const TRIES: usize = 8;

/// The host's place for copies; made when it is first used.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    own: RefCell<Option<Arc<Own>>>,
}

/// This host's part of the place.
#[derive(Debug)]
struct Own {
    root: PathBuf,
    part: String,
    /// Held as long as the host lives.
    _lock: File,
}

impl Drop for Own {
    fn drop(&mut self) {
        // A next host sweeps what cannot be removed now.
        let _ = fs::remove_file(lock_path(&self.root, &self.part));
    }
}

/// The copies of one upload; removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Staged {
    dir: PathBuf,
    /// What the kernel is told.
    pub(crate) files: Vec<StagedFile>,
    _own: Arc<Own>,
}

impl Staged {
    /// Bytes of all files.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Removes them now; where they are still, when that fails.
    pub(crate) fn remove(self) -> Result<(), PathBuf> {
        match fs::remove_dir_all(&self.dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.dir.clone()),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // A next host sweeps what cannot be removed now.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Staging {
    /// Gives each file its place; nothing is written yet. `held` are the bytes that the session has staged already.
    ///
    /// # Errors
    /// Names or sizes that are not passed on, or no place for them.
    pub(crate) fn plan(&self, files: &[UploadFile], held: u64) -> Result<Staged, Failure> {
        check(files, held)?;
        let own = self.own()?;
        let random = Uuid::new_v4().simple().to_string();
        let id = format!("{}{}", own.part, &random[..OWN_PART]);
        let dir = own.root.join(id);
        let place = |(number, file): (usize, &UploadFile)| {
            let path = dir.join(number.to_string()).join(&file.name);
            let path = path.into_os_string().into_string().map_err(|path| {
                Failure::new(
                    ErrorCode::Unsupported,
                    Reason::FileNotWritable,
                    format!("`{}` is no text, so the browser cannot be told of it", path.display()),
                )
                .hint("set `BSK_HOME` to a directory whose path is UTF-8")
            })?;
            Ok(StagedFile { path, name: file.name.clone(), size: file.size })
        };
        let files = files.iter().enumerate().map(place).collect::<Result<_, Failure>>()?;
        Ok(Staged { dir, files, _own: own })
    }

    fn own(&self) -> Result<Arc<Own>, Failure> {
        if let Some(own) = &*self.own.borrow() {
            return Ok(Arc::clone(own));
        }
        let own = Arc::new(claim(&root()?).map_err(|error| not_writable("the staging directory", &error))?);
        self.own.replace(Some(Arc::clone(&own)));
        Ok(own)
    }
}

/// Removes what hosts left that are no more.
pub(crate) fn sweep() {
    let Ok(state) = state_dir() else { return };
    let root = state.join("staging");
    // A link in its place, or somebody else's directory, is left alone.
    if !fs::symlink_metadata(&root).is_ok_and(|found| found.is_dir()) || open_private_dir(&root).is_err() {
        return;
    }
    let entries: Vec<PathBuf> =
        fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let parts: BTreeSet<String> = entries.iter().filter_map(|path| part_of(path)).collect();
    for part in parts {
        let Some(_lock) = lock_of_dead(&root, &part) else { continue };
        for path in entries.iter().filter(|path| part_of(path).as_ref() == Some(&part)) {
            if path.extension().is_none() {
                let _ = fs::remove_dir_all(path);
            }
        }
        let _ = fs::remove_file(lock_path(&root, &part));
    }
}

/// The host's part in the name of an entry that is ours by its form.
fn part_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (id, length) = match name.strip_suffix(".lock") {
        Some(id) => (id, OWN_PART),
        None => (name, 2 * OWN_PART),
    };
    let is_ours = id.len() == length && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    is_ours.then(|| id[..OWN_PART].to_owned())
}

/// The lock of a part, if nobody holds it; made where it is missing, as what it was for is then left over all the same.
fn lock_of_dead(root: &Path, part: &str) -> Option<File> {
    let file = private(OpenOptions::new().write(true).create(true)).open(lock_path(root, part)).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

fn lock_path(root: &Path, part: &str) -> PathBuf {
    root.join(part).with_extension(LOCK)
}

fn root() -> Result<PathBuf, Failure> {
    let state = state_dir().map_err(Failure::from)?;
    let root = state.join("staging");
    open_private_dir(&root).map_err(|error| {
        Failure::new(
            ErrorCode::Unsupported,
            Reason::FileNotWritable,
            format!("nothing can be staged: {error}"),
        )
        .hint("make sure that the directory is yours alone, or set `BSK_HOME`")
    })?;
    // The kernel takes no path that leads back and forth.
    if cfg!(unix) {
        return fs::canonicalize(&root).map_err(|error| not_writable("the staging directory", &error));
    }
    std::path::absolute(&root).map_err(|error| not_writable("the staging directory", &error))
}

/// Makes a part of its own and locks it.
fn claim(root: &Path) -> io::Result<Own> {
    for _ in 0..TRIES {
        let part = Uuid::new_v4().simple().to_string()[..OWN_PART].to_owned();
        let path = lock_path(root, &part);
        let file = private(OpenOptions::new().write(true).create_new(true)).open(&path)?;
        file.lock()?;
        // A sweep between the two has removed it.
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(Own { root: root.to_owned(), part, _lock: file });
        }
    }
    Err(io::Error::other("its lock is removed again and again"))
}

fn check(files: &[UploadFile], held: u64) -> Result<(), Failure> {
    if files.is_empty() || files.len() > MOST_FILES {
        return Err(Failure::new(
            ErrorCode::InvalidParams,
            Reason::UsageInvalid,
            format!("{} files cannot be uploaded at once", files.len()),
        )
        .hint(format!("give 1 to {MOST_FILES}")));
    }
    for file in files {
        check_name(&file.name).map_err(|problem| {
            Failure::new(
                ErrorCode::InvalidParams,
                Reason::FileNameInvalid,
                format!("`{}` cannot be the name of a file: {problem}", file.name),
            )
            .hint("rename a copy of the file")
        })?;
        if file.size > MOST_BYTES {
            return Err(too_large(format!("`{}` has {} bytes", file.name, file.size)));
        }
    }
    let all = files.iter().fold(held, |all, file| all.saturating_add(file.size));
    if all > MOST_BYTES {
        return Err(too_large(format!("with these files the session would upload {all} bytes in all")));
    }
    Ok(())
}

fn too_large(what: String) -> Failure {
    Failure::new(ErrorCode::InvalidParams, Reason::FileTooLarge, what).hint(format!(
        "at most {MOST_BYTES} bytes (512 MiB) are uploaded, by one session in all; a new session begins at zero"
    ))
}

fn not_writable(what: &str, error: &io::Error) -> Failure {
    Failure::new(
        ErrorCode::Unsupported,
        Reason::FileNotWritable,
        format!("{what} cannot be written: {error}"),
    )
    .hint("make room, or set `BSK_HOME` for the browser to another directory")
}

/// Writes the files as their bytes come. Ends early when the sender is gone. Blocks.
///
/// # Errors
/// The disk is full, the bytes are not those that were announced, or no more come.
pub(crate) fn receive(files: &[StagedFile], incoming: &mut Receiver<Sent>) -> Result<(), Failure> {
    let mut rest: Vec<u8> = Vec::new();
    for file in files {
        let mut copy =
            create(Path::new(&file.path)).map_err(|error| not_writable("a copy of a file", &error))?;
        let mut missing = file.size;
        while missing > 0 {
            if rest.is_empty() {
                rest = match incoming.blocking_recv() {
                    Some(Sent::Bytes(bytes)) => bytes,
                    Some(Sent::Whole | Sent::Saved) => return Err(unannounced("fewer")),
                    Some(Sent::Abandoned) => return Err(abandoned(CHANGED)),
                    None => return Err(abandoned(LEFT)),
                };
            }
            let now = rest.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
            copy.write_all(&rest[..now]).map_err(|error| not_writable("a copy of a file", &error))?;
            rest.drain(..now);
            missing -= now as u64;
        }
    }
    if !rest.is_empty() {
        return Err(unannounced("more"));
    }
    // The files may have changed behind what was read: only the one who read them can tell.
    match incoming.blocking_recv() {
        Some(Sent::Whole) => Ok(()),
        Some(Sent::Bytes(_) | Sent::Saved) => Err(unannounced("more")),
        Some(Sent::Abandoned) => Err(abandoned(CHANGED)),
        None => Err(abandoned(LEFT)),
    }
}

const CHANGED: &str = "they changed, or could not be read";
const LEFT: &str = "the caller left";

fn unannounced(how: &str) -> Failure {
    Failure::new(
        ErrorCode::ProtocolError,
        Reason::ConnectionLost,
        format!("{how} bytes came than were announced"),
    )
    .hint("install one version of CLI and host: `bsk doctor` shows which is where")
}

fn abandoned(why: &str) -> Failure {
    Failure::new(ErrorCode::Cancelled, Reason::FileChanged, format!("the files did not come whole: {why}"))
        .hint("run `bsk upload` again")
}

/// A new file in a folder of its own.
fn create(path: &Path) -> io::Result<File> {
    let folder = path.parent().unwrap_or(path);
    for folder in [folder.parent().unwrap_or(folder), folder] {
        match private_dir().create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    private(OpenOptions::new().write(true).create_new(true)).open(path)
}

fn private_dir() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    #[cfg(not(unix))]
    builder.recursive(false);
    builder
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
