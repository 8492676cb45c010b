//! `bsk logs`: the end of the host's log, and what is added to it.
//!
//! Reads the files `host.…log…` in the state directory's `logs` folder, newest last, from their ends: a log is never read
//! whole. Bytes go out as they are; hosts log no page contents.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::place::state_dir;
use clap::Args;
use serde_json::json;

use super::DONE;
use crate::context::Context;
use crate::usage;

/// Between two looks at a log that is followed.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Bytes read at once from a log's end.
const BLOCK_BYTES: u64 = 64 * 1024;

/// Print the end of the host's log
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk logs -n 200
  bsk logs -f")]
pub(crate) struct LogsArgs {
    /// Go on with what is added
    #[arg(short, long)]
    follow: bool,
    /// How many lines
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    lines: usize,
}

pub(crate) fn run(args: &LogsArgs, context: &Context) -> Result<u8, Failure> {
    let output = &context.output;
    if args.follow && output.is_json() {
        return Err(usage::wrong("`--follow` never ends, so it has no one JSON value", "leave out `--json`"));
    }
    let folder = state_dir()?.join("logs");
    let files = log_files(&folder).map_err(|error| unreadable(&folder, &error))?;
    let mut end = Vec::new();
    for path in files.iter().rev() {
        let wanted = args.lines.saturating_sub(count_lines(&end));
        if wanted == 0 {
            break;
        }
        let mut older = last_lines(path, wanted).map_err(|error| unreadable(path, &error))?;
        older.append(&mut end);
        end = older;
    }
    if output.is_json() {
        let text = String::from_utf8_lossy(&end);
        output.json(&json!({ "folder": folder, "lines": text.lines().collect::<Vec<_>>() }))?;
        return Ok(DONE);
    }
    if files.is_empty() {
        output.hint(&format!("no host has written a log in `{}` yet", folder.display()));
    }
    output.bytes(&end)?;
    if args.follow { follow(&folder, files.last().cloned(), context) } else { Ok(DONE) }
}

/// Prints what is added to the newest log, until the reader or the user has enough.
fn follow(folder: &Path, newest: Option<PathBuf>, context: &Context) -> Result<u8, Failure> {
    let mut current = newest;
    let mut offset = match &current {
        Some(path) => fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default(),
        None => 0,
    };
    loop {
        if let Some(path) = &current {
            let (bytes, end) = read_from(path, offset).map_err(|error| unreadable(path, &error))?;
            offset = end;
            context.output.bytes(&bytes)?;
        }
        let newest = log_files(folder).map_err(|error| unreadable(folder, &error))?.pop();
        if newest.is_some() && newest != current {
            current = newest;
            offset = 0;
        } else {
            thread::sleep(LOOK_AGAIN);
        }
    }
}

/// The host's logs, oldest first; none where the folder does not exist.
fn log_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("host.") && name.contains("log") {
            files.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// The last lines of a file, as bytes.
fn last_lines(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut start = file.seek(SeekFrom::End(0))?;
    let mut end = Vec::new();
    while start > 0 && count_lines(&end) <= count {
        let block = BLOCK_BYTES.min(start);
        start -= block;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        (&mut file).take(block).read_to_end(&mut bytes)?;
        bytes.append(&mut end);
        end = bytes;
    }
    let surplus = count_lines(&end).saturating_sub(count);
    let lines: Vec<&[u8]> = end.split_inclusive(|&byte| byte == b'\n').skip(surplus).collect();
    Ok(lines.concat())
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|&byte| byte == b'\n').count()
}

/// What a file holds from an offset on, and where it ends; from its start when it was cut.
fn read_from(path: &Path, offset: u64) -> io::Result<(Vec<u8>, u64)> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        // Deleted by a cleanup; a newer one may come.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), offset)),
        Err(error) => return Err(error),
    };
    let start = if file.metadata()?.len() < offset { 0 } else { offset };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(BLOCK_BYTES * 16).read_to_end(&mut bytes)?;
    let end = start + bytes.len() as u64;
    Ok((bytes, end))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("`{}` cannot be read: {error}", path.display());
    Failure::new(ErrorCode::Unsupported, Reason::FileNotReadable, message).hint("check who may read it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_found_across_blocks() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("host.2026-01-01.log");
        let text: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
        fs::write(&path, &text).unwrap();
        assert_eq!(last_lines(&path, 2).unwrap(), b"line 19998\nline 19999\n");
        assert_eq!(count_lines(&last_lines(&path, 15_000).unwrap()), 15_000);
        assert_eq!(last_lines(&path, 30_000).unwrap(), text.as_bytes());
        assert_eq!(last_lines(&path, 0).unwrap(), b"");
    }

    #[test]
    fn only_the_host_s_logs_count() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["host.2026-01-01.log", "host.log", "audit.log", "host.txt"] {
            fs::write(temp.path().join(name), name).unwrap();
        }
        assert_eq!(log_files(temp.path()).unwrap().len(), 2);
        assert_eq!(log_files(&temp.path().join("none")).unwrap().len(), 0);
    }

    #[test]
    fn a_log_that_was_cut_is_read_from_its_start() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("host.log");
        fs::write(&path, "new").unwrap();
        assert_eq!(read_from(&path, 100).unwrap(), (b"new".to_vec(), 3));
        assert_eq!(read_from(&path, 1).unwrap(), (b"ew".to_vec(), 3));
    }
}
