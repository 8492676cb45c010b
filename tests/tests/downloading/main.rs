//! Files out of the browser: every way a page begins a download, what the file on the disk is and what is left behind; and what comes of
//! it when it fails, is given up, is not allowed, or when another extension has its own mind about it.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

mod ends;
mod places;
mod rivals;
mod ways;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bsk_tests::{Browser, Pages, Response, Session, Shared, until};
use serde_json::Value;

static BROWSER: Shared = Shared::new();
const SOON: Duration = Duration::from_secs(10);

/// Scenario 30's file: its own name in UTF-8, five bytes. Gives its address.
fn attachment(pages: &Pages) -> String {
    pages.answering(|_| attached("hello"))
}

fn attached(body: &str) -> Response {
    Response::attachment("filename=\"plain.txt\"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%20%E2%82%AC.txt", body)
}

/// A download that begins and never ends.
fn stalled(pages: &Pages) -> String {
    pages.answering(|_| Response::attachment("filename=stalled.bin", "first bytes").stalling())
}

/// A place for a file, in a folder of its own.
fn place(browser: &Browser, name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let folder = browser.scratch().file(&format!("out-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    fs::create_dir(&folder).unwrap();
    folder.join(name)
}

/// Downloads to a place; the reply.
#[track_caller]
fn download(session: &Session<'_>, target: &[&str], out: &Path) -> Value {
    let mut args = vec!["download"];
    args.extend(target);
    args.extend(["--out", out.to_str().unwrap()]);
    session.ok(&args)
}

/// Nothing of ours is in the browser's download folder.
#[track_caller]
fn nothing_is_left(browser: &Browser) {
    until("the download folder to be empty", SOON, || browser.downloaded().is_empty().then_some(()));
}

/// The only thing in the folder of a place is its file.
#[track_caller]
fn is_alone(out: &Path) {
    let names: Vec<_> =
        fs::read_dir(out.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [out]);
}
