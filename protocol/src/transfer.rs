//! What files may be passed on: how many, how large, under which names. Both ends check alike, so that a person hears of it before
//! anything is read.

use std::fmt;

/// Most files of one upload.
pub const MOST_FILES: usize = 20;
/// Most bytes of one file, and of all that a session uploads: 512 MiB.
pub const MOST_BYTES: u64 = 512 * 1024 * 1024;
/// Longest name in bytes, as file systems have it.
pub const LONGEST_NAME: usize = 255;

/// What to do when nobody can tell whether a page got the files of an upload.
pub const UPLOAD_IN_DOUBT: &str =
    "the page may have the files: look with `bsk observe` first, and do not run the upload again blindly";
/// What to do when nobody can tell what became of a download.
pub const DOWNLOAD_IN_DOUBT: &str = "look into the download list of the browser and at the page with `bsk observe`, and do not run the download again blindly";

/// Names that mean a device on Windows, whatever ending they have.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why a name cannot be passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameProblem {
    /// It has no characters.
    Empty,
    /// It means a folder.
    Folder,
    /// It has a separator of folders, of this system or another one.
    Separator,
    /// It has more than [`LONGEST_NAME`] bytes.
    TooLong,
    /// It means a device; only on Windows.
    Device,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::Folder => "it means a folder",
            Self::Separator => "it has `/`, `\\` or a zero byte in it",
            Self::TooLong => "it is longer than 255 bytes",
            Self::Device => "it means a device",
        })
    }
}

/// Whether a file may be passed on under this name, on any system or, of devices, on this one.
///
/// # Errors
/// What is wrong with it.
pub fn check_name(name: &str) -> Result<(), NameProblem> {
    if name.is_empty() {
        return Err(NameProblem::Empty);
    }
    if name == "." || name == ".." {
        return Err(NameProblem::Folder);
    }
    if name.contains(['/', '\\', '\0']) {
        return Err(NameProblem::Separator);
    }
    if name.len() > LONGEST_NAME {
        return Err(NameProblem::TooLong);
    }
    if cfg!(windows) && is_device(name) {
        return Err(NameProblem::Device);
    }
    Ok(())
}

/// Whether Windows takes the name for a device, such as `NUL.txt` or `com1`.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_port = ["com", "lpt"].iter().any(|port| {
        let number = stem.strip_prefix(port).unwrap_or_default();
        matches!(number, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    });
    is_port || DEVICES.contains(&stem.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_pass_and_ways_out_of_a_folder_do_not() {
        for name in ["a.txt", " ", "-rf", "50%.txt", "\"q'.txt", "\u{202e}txt.exe", "…", "..a", "a..", "x\ny"]
        {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
        assert_eq!(check_name(&"é".repeat(127)), Ok(()));
        assert_eq!(check_name(&"é".repeat(128)), Err(NameProblem::TooLong));
        assert_eq!(check_name(""), Err(NameProblem::Empty));
        for name in [".", ".."] {
            assert_eq!(check_name(name), Err(NameProblem::Folder));
        }
        for name in ["a/b", "..\\x", "/", "a\0"] {
            assert_eq!(check_name(name), Err(NameProblem::Separator), "{name:?}");
        }
    }

    #[test]
    fn devices_are_known_by_their_stem() {
        for name in ["nul", "NUL.txt", "aux.c", "Com1", "lpt9.log", "con .x", "CONIN$"] {
            assert!(is_device(name), "{name}");
        }
        for name in ["null", "com", "com10", "com0", "console", "a.nul"] {
            assert!(!is_device(name), "{name}");
        }
    }
}
