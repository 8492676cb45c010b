//! Files into a page: every way in, with what the page itself reads as the oracle; and what comes of it when it fails, is cancelled or
//! not allowed. No chooser of the system is ever shown: one that opened would keep the page from its files.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

mod ends;
mod refusals;
mod ways;

use std::fs;
use std::time::Duration;

use bsk_tests::{Browser, Page, Session, Shared, until};
use serde_json::Value;

static BROWSER: Shared = Shared::new();
const SOON: Duration = Duration::from_secs(10);

/// Says what the input holds, once it was given files.
const READER: &str = "<pre id=o></pre><script>window.got=async(files)=>{o.textContent=(await Promise.all([...files].map(\
    async x=>x.name+':'+(x.size>99?x.size:await x.text())))).join('|')}</script>";

/// A hidden input behind a button; a chooser that is shown and goes away again says so.
const ATTACH: &str = "<input id=f type=file hidden multiple><button onclick=\"f.click()\">Attach</button>\
    <script>f.onchange=()=>got(f.files);f.oncancel=()=>document.title='chooser'</script>";

const PRESS: [&str; 5] = ["--role", "button", "--name", "Attach", "--file"];

/// A file of the user's; each test has names of its own, so that a shared folder does no harm.
fn file(browser: &Browser, name: &str, contents: &[u8]) -> String {
    let path = browser.scratch().file(name);
    fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_owned()
}

#[track_caller]
fn holds(page: &Page<'_>, expected: &str) {
    until(&format!("the page to read {expected:?}"), SOON, || {
        (page.evaluate("o.textContent") == expected).then_some(())
    });
}

#[track_caller]
fn nothing_is_staged(browser: &Browser) {
    until("nothing to be staged", SOON, || browser.staged().is_empty().then_some(()));
}

/// Choosers are the user's again: one that the page opens is shown, and goes away as nobody chooses.
#[track_caller]
fn choosers_are_shown(session: &Session<'_>, page: &Page<'_>) {
    page.evaluate("document.title='-'");
    session.ok(&["click", "--role", "button", "--name", "Attach"]);
    until("a chooser to be shown", SOON, || (page.evaluate("document.title") == "chooser").then_some(()));
}

/// It must fail for this reason, the page got nothing and nothing is left.
#[track_caller]
fn refused(session: &Session<'_>, args: &[&str], reason: &str) -> Value {
    let error = session.err(args);
    assert_eq!(error["data"]["reason"], reason, "{error}");
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    assert_eq!(error["data"]["cleanup_state"], "done", "{error}");
    assert!(error["data"]["phase"].is_string(), "{error}");
    error
}
