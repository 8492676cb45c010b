//! The default browser of a directory, as `bsk browsers use` set it; it holds for the directories below as well.
//!
//! Kept in `browsers.json` in the state directory, never in the user's project. A default that is not connected is an error,
//! never another browser: whoever chose one did not mean another. `--browser` and `BSK_BROWSER` come first.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::place;
use serde::{Deserialize, Serialize};

const FILE: &str = "browsers.json";

/// Instance ids by directory.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Defaults(BTreeMap<PathBuf, String>);

/// A default, and the directory that it was set for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DefaultBrowser {
    pub(crate) directory: PathBuf,
    pub(crate) instance_id: String,
}

/// The default here, if one was set.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub(crate) fn here() -> Result<Option<DefaultBrowser>, Failure> {
    let path = file()?;
    let Ok(directory) = std::env::current_dir() else { return Ok(None) };
    Ok(read(&path)?.above(&directory))
}

/// Sets the default of this directory, or with `None` removes it; gives the directory.
///
/// # Errors
/// The file cannot be read or written; it is as it was.
pub(crate) fn set(instance_id: Option<&str>) -> Result<PathBuf, Failure> {
    let path = file()?;
    let directory = std::env::current_dir().map_err(|error| unusable(Path::new("."), &error))?;
    let mut defaults = read(&path)?;
    match instance_id {
        Some(id) => defaults.0.insert(directory.clone(), id.to_owned()),
        None => defaults.0.remove(&directory),
    };
    write(&path, &defaults).map_err(|error| unusable(&path, &error))?;
    Ok(directory)
}

impl Defaults {
    fn above(&self, directory: &Path) -> Option<DefaultBrowser> {
        directory.ancestors().find_map(|directory| {
            let instance_id = self.0.get(directory)?.clone();
            Some(DefaultBrowser { directory: directory.to_owned(), instance_id })
        })
    }
}

fn file() -> Result<PathBuf, Failure> {
    Ok(place::state_dir()?.join(FILE))
}

fn read(path: &Path) -> Result<Defaults, Failure> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(path, &error.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Defaults::default()),
        Err(error) => Err(unusable(path, &error)),
    }
}

fn write(path: &Path, defaults: &Defaults) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // Temporary files are the user's alone, and stay so when they are renamed.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut file, defaults)?;
    file.write_all(b"\n")?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("`{}`, which holds default browsers, cannot be used: {error}", path.display());
    Failure::new(ErrorCode::InvalidParams, Reason::FileNotReadable, message)
        .hint("mend or delete the file, or pass `--browser`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_directory_above_counts() {
        let defaults = Defaults(BTreeMap::from([("/a".into(), "one".into()), ("/a/b".into(), "two".into())]));
        let of = |directory: &str| defaults.above(Path::new(directory)).map(|found| found.instance_id);
        assert_eq!(of("/a/b/c").as_deref(), Some("two"));
        assert_eq!(of("/a/bc").as_deref(), Some("one"));
        assert_eq!(of("/b"), None);
    }

    #[test]
    fn what_was_written_is_read_and_what_is_broken_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("new").join(FILE);
        assert_eq!(read(&path).unwrap(), Defaults::default());
        let defaults = Defaults(BTreeMap::from([("/a".into(), "one".into())]));
        write(&path, &defaults).unwrap();
        assert_eq!(read(&path).unwrap(), defaults);
        fs::write(&path, "[]").unwrap();
        assert_eq!(read(&path).unwrap_err().reason, Some(Reason::FileNotReadable));
    }
}
