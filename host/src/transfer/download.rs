//! `bsk download`: one click, one file of the browser's, on its way to the CLI.
//!
//! The kernel claims the download that the click begins and follows it to its end; then the file is looked at, sent to the CLI, and,
//! once that has it, removed from the folder that was made for it. A file that ended elsewhere is only read. Whatever ends the command,
//! the kernel's capture is closed, which cancels what is under way.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bsk_protocol::codec::RAW_CHUNK_BYTES;
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::{Call, DownloadFolders, DownloadProgress, DownloadTaken};
use bsk_protocol::local::{MouseButton, Target, TransferProgress};
use bsk_protocol::transfer::DOWNLOAD_IN_DOUBT;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::Sender;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use super::upload::is_refusal;
use super::{Effect, Line, Sent};
use crate::act::{self, Press};
use crate::host::Host;
use crate::kernel::in_ms;
use crate::run::{Done, Work};
use crate::session::agent_of;
use crate::target::{self, Element};

/// How long after the click a download may begin: a server may have to make the file first.
const BEGIN_MS: u64 = 30_000;
/// How long before the command's own end the browser is told to cancel, so that it can still say what came of that.
const COMPENSATION_MS: u64 = 2500;
/// How often a person who waits is told how far it is.
const TOLD_EVERY: Duration = Duration::from_millis(500);
/// File systems keep times more coarsely than the browser does.
const COARSE: Duration = Duration::from_secs(3);

/// The kernel's capture, closed when it is dropped.
struct Open<'a> {
    work: &'a Work,
    /// Whether the file is ours to remove or to leave from now on; else the kernel deletes it, since nobody took it.
    is_kept: bool,
}

impl Open<'_> {
    /// The file is not taken, and stays for the user to look at.
    fn keep(&mut self, path: &str) {
        self.is_kept = true;
        self.work.transfer.keep();
        self.work.transfer.left_at(path);
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let (session_id, is_kept) = (self.work.session_id.clone(), self.is_kept);
        // What was sent is carried out although nobody waits for it.
        drop(self.work.host.kernel.send::<Value>(Call::DownloadClose { session_id, is_kept }));
    }
}

/// # Errors
/// What keeps the file from coming; whether the browser has it all the same is in the failure.
pub(crate) async fn download(work: &Work, target: Target) -> Result<Done, Failure> {
    let transfer = &work.transfer;
    transfer.in_doubt(DOWNLOAD_IN_DOUBT);
    transfer.enter("finding");
    let target = target::locate(work, target).await?;
    let line = work.take_line().ok_or_else(|| {
        Failure::new(ErrorCode::ProtocolError, Reason::ConnectionLost, "there is nobody to give a file to")
    })?;
    transfer.enter("opening");
    work.stage("waiting for the extension to allow the download");
    let call = Call::DownloadOpen {
        session_id: work.session_id.clone(),
        tab_id: work.tab_id,
        frame: target.in_page().0,
        agent: agent_of(work.caller).await,
        timeout_ms: in_ms(work.page_timeout_ms()),
    };
    // Ahead of it, so that a caller who leaves meanwhile leaves no capture open.
    let mut open = Open { work, is_kept: false };
    let (opened, ()) = tokio::join!(work.host.kernel.send::<Value>(call), sweep(&work.host));
    opened?;
    let mut result = click(work, &target).await?;
    let taken = take(work, &line).await?;
    transfer.set_effect(Effect::Committed);
    transfer.enter("checking");
    work.stage("looking at the downloaded file");
    let (path, size, since) = (PathBuf::from(&taken.path), taken.byte_size, taken.began_at_ms);
    let opened = spawn_blocking(move || open_checked(&path, size, since)).await;
    let opened = opened.unwrap_or_else(|error| Err(mismatch(&taken.path, &error.to_string())));
    let file = opened.inspect_err(|_| open.keep(&taken.path))?;
    transfer.enter("copying");
    work.stage("handing the file over");
    hand_over(line, file, size).await.inspect_err(|_| open.keep(&taken.path))?;
    open.is_kept = true;
    transfer.enter("cleaning");
    let left = if taken.is_own_place { remove(&taken.path).await } else { Some(taken.path.clone()) };
    tell(&mut result, &taken, left);
    Ok(Done::new(&result))
}

/// Clicks what begins the download; what the click's own reply has.
async fn click(work: &Work, target: &Element) -> Result<Map<String, Value>, Failure> {
    let transfer = &work.transfer;
    transfer.enter("activating");
    work.stage("clicking what downloads the file");
    transfer.set_effect(Effect::Unknown);
    let press = Press { button: MouseButton::Left, count: 1, modifiers: Vec::new(), at: None, force: false };
    match act::again_if_lost(work, || act::click(work, target, &press)).await {
        Ok(done) => Ok(serde_json::from_str(done.value.get()).unwrap_or_default()),
        Err(failure) => {
            if is_refusal(&failure) && failure.code != ErrorCode::Timeout {
                transfer.set_effect(Effect::None);
            }
            Err(failure)
        }
    }
}

/// Waits for the download and tells how far it is.
async fn take(work: &Work, line: &Line) -> Result<DownloadTaken, Failure> {
    work.transfer.enter("waiting");
    work.stage("waiting for the browser to download the file");
    let left = work.page_timeout_ms();
    let timeout_ms = in_ms(left.saturating_sub(COMPENSATION_MS.min(left / 4)));
    let call =
        Call::DownloadTake { session_id: work.session_id.clone(), begin_ms: in_ms(BEGIN_MS), timeout_ms };
    let mut taken = std::pin::pin!(work.host.kernel.send::<DownloadTaken>(call));
    let mut ticks = interval(TOLD_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    let mut before = 0;
    loop {
        tokio::select! {
            taken = &mut taken => return taken,
            _ = ticks.tick() => {
                let call = Call::DownloadProgress { session_id: work.session_id.clone() };
                let Ok(now) = work.host.kernel.send::<DownloadProgress>(call).await else { continue };
                if now.is_held_back {
                    line.progress("the browser warns of this file and waits for the user's word in its download list");
                } else if now.received_bytes > 0 {
                    let rate = now.received_bytes.saturating_sub(before) * 1000 / u64::try_from(TOLD_EVERY.as_millis()).unwrap_or(1);
                    line.bytes(TransferProgress { received_bytes: now.received_bytes, total_bytes: now.total_bytes, bytes_per_second: rate });
                }
                before = now.received_bytes;
            }
        }
    }
}

/// Opens the file if it is what the browser says: a regular file of that size, written since the download began.
fn open_checked(path: &Path, size: u64, began_at_ms: u64) -> Result<File, Failure> {
    let shown = path.display().to_string();
    let failed = |error: io::Error| mismatch(&shown, &error.to_string());
    let found = fs::symlink_metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(mismatch(&shown, "it is no regular file"));
    }
    let file = File::open(path).map_err(failed)?;
    let opened = file.metadata().map_err(failed)?;
    if !is_same(&found, &opened) {
        return Err(mismatch(&shown, "another file took its place"));
    }
    if opened.len() != size {
        return Err(mismatch(
            &shown,
            &format!("it has {} bytes, and the browser downloaded {size}", opened.len()),
        ));
    }
    let began = UNIX_EPOCH + Duration::from_millis(began_at_ms);
    if opened.modified().unwrap_or_else(|_| SystemTime::now()) + COARSE < began {
        return Err(mismatch(&shown, "it is older than the download"));
    }
    Ok(file)
}

#[cfg(unix)]
fn is_same(found: &fs::Metadata, opened: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn is_same(found: &fs::Metadata, opened: &fs::Metadata) -> bool {
    found.len() == opened.len() && found.created().ok() == opened.created().ok()
}

fn mismatch(path: &str, why: &str) -> Failure {
    Failure::new(
        ErrorCode::CdpFailed,
        Reason::DownloadPathMismatch,
        format!(
            "the browser downloaded the file to `{path}`, and what is there cannot be taken for it: {why}"
        ),
    )
    .hint("the file was left alone; another extension or program may have moved or changed it")
}

/// Sends the file and waits until the CLI has it in its place.
async fn hand_over(line: Line, file: File, size: u64) -> Result<(), Failure> {
    let (bytes, mut incoming) = line.give_file(size);
    let sent = spawn_blocking(move || send(file, size, &bytes)).await;
    sent.map_err(|error| unsent(&error.to_string()))??;
    match incoming.recv().await {
        Some(Sent::Saved) => Ok(()),
        Some(Sent::Abandoned) => Err(unsent("it could not be written where it was asked for")),
        Some(Sent::Bytes(_) | Sent::Whole) | None => Err(unsent("the caller left")),
    }
}

fn send(mut file: File, size: u64, bytes: &Sender<Vec<u8>>) -> Result<(), Failure> {
    let mut left = size;
    while left > 0 {
        let mut piece = vec![0; RAW_CHUNK_BYTES.min(usize::try_from(left).unwrap_or(RAW_CHUNK_BYTES))];
        file.read_exact(&mut piece).map_err(|error| unsent(&format!("it cannot be read: {error}")))?;
        left -= piece.len() as u64;
        bytes.blocking_send(piece).map_err(|_| unsent("the caller left"))?;
    }
    Ok(())
}

fn unsent(why: &str) -> Failure {
    Failure::new(
        ErrorCode::Cancelled,
        Reason::FileNotWritable,
        format!("the downloaded file was not handed over: {why}"),
    )
    .hint("the browser has it; `left_path` says where")
}

/// Removes a file that was handed over, with its own folder; where it is still, when that fails.
async fn remove(path: &str) -> Option<String> {
    let file = PathBuf::from(path);
    let removed = spawn_blocking(move || {
        fs::remove_file(&file)?;
        // Only an empty folder goes.
        file.parent().map_or(Ok(()), fs::remove_dir)
    });
    matches!(removed.await, Ok(Ok(()))).then_some(()).map_or_else(|| Some(path.to_owned()), |()| None)
}

fn tell(result: &mut Map<String, Value>, taken: &DownloadTaken, left: Option<String>) {
    result.insert("suggested_filename".into(), json!(taken.suggested_filename));
    result.insert("byte_size".into(), json!(taken.byte_size));
    result.insert("mime".into(), json!(taken.mime));
    result.insert("danger".into(), json!(taken.danger));
    result.insert("url".into(), json!(taken.url));
    result.insert("effect_state".into(), json!(Effect::Committed.as_str()));
    if let Some(path) = left {
        result.insert("left_path".into(), json!(path));
    }
}

/// Removes folders of downloads that nobody took, once the kernel has emptied them: at the start of a host and of a download.
pub(crate) async fn sweep(host: &Host) {
    let Ok(DownloadFolders { folders }) = host.kernel.send(Call::DownloadFolders {}).await else { return };
    let _ = spawn_blocking(move || folders.iter().for_each(|folder| remove_folder(Path::new(folder)))).await;
}

/// Removes a folder that is ours by its name, and is no link, with what a killed browser left in it.
fn remove_folder(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_ours = name
        .strip_prefix("bsk-")
        .is_some_and(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()));
    if is_ours && folder.is_absolute() && fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path, size: u64, began_at_ms: u64) -> String {
        let failure = open_checked(path, size, began_at_ms).unwrap_err();
        assert_eq!(failure.reason, Some(Reason::DownloadPathMismatch));
        failure.message
    }

    #[test]
    fn only_the_file_that_the_browser_wrote_is_taken() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a.bin");
        fs::write(&file, "12345").unwrap();
        let mut text = String::new();
        open_checked(&file, 5, 0).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "12345");
        assert!(refused(&file, 6, 0).contains("5 bytes"));
        assert!(refused(&file, 5, u64::from(u32::MAX) * 1000).contains("older"));
        assert!(refused(temp.path(), 5, 0).contains("regular"));
        assert!(refused(&temp.path().join("none"), 5, 0).contains("none"));
        #[cfg(unix)]
        {
            let link = temp.path().join("link");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            assert!(refused(&link, 5, 0).contains("regular"));
        }
    }

    #[test]
    fn only_folders_of_our_own_are_swept() {
        let temp = tempfile::tempdir().unwrap();
        let own = temp.path().join(format!("bsk-{}", "a".repeat(32)));
        let others = ["bsk-", "bsk-xyz", "Downloads"].map(|name| temp.path().join(name));
        for folder in others.iter().chain([&own]) {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("f"), "x").unwrap();
            remove_folder(folder);
        }
        assert!(!own.exists());
        assert!(others.iter().all(|folder| folder.join("f").exists()));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&others[2], &own).unwrap();
            remove_folder(&own);
            assert!(others[2].join("f").exists() && own.is_symlink());
        }
    }
}
