//! Bad input of every kind: a clear error, the right exit code, and nothing is lost.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use bsk_tests::{Running, Scratch, Session, Shared, workspace};
use serde_json::Value;

static BROWSER: Shared = Shared::new();

/// The command must fail as the caller's mistake, in words and in JSON, and the session must live on.
#[track_caller]
fn refused(session: &Session<'_>, args: &[&str]) -> Value {
    let ran = session.bsk(args);
    assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    let error = ran.failure();
    assert!(!error["message"].as_str().unwrap().is_empty(), "{error}");
    error
}

#[test]
fn every_malformed_argument_is_named() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = session.open("<button>B</button>");
    for (args, named) in [
        (&["observe", "--no-such-flag"][..], "--no-such-flag"),
        (&["no-such-command"], "no-such-command"),
        (&["click"], "element"),
        (&["click", "@e0"], "@e0"),
        (&["click", "--ref", "@x9"], "@x9"),
        (&["click", "@e999999"], "@e999999"),
        (&["click", "div[["], "div[["),
        (&["click", "#nowhere", "--timeout", "2s"], "#nowhere"),
        (&["observe", "--tab-id", "x"], "x"),
        (&["observe", "--tab-id", "99999999"], "99999999"),
        (&["observe", "--tab-id", "-1"], "-1"),
        (&["observe", "--max-tokens", "99999999999999999999"], "99999999999999999999"),
        (&["navigate", "notaurl"], "notaurl"),
        (&["navigate"], "URL"),
        (&["navigate", &url, "--wait-until", "someday"], "someday"),
        (&["navigate", &url, "--timeout", "soon"], "soon"),
        (&["press", "NoSuchKey"], "NoSuchKey"),
        (&["press", "A", "--modifiers", "Hyper"], "Hyper"),
        (&["tab", "close", "x"], "x"),
        (&["window", "resize", "--width", "50", "--height", "500"], "50"),
        (&["session", "start", "--width", "99999"], "99999"),
        (&["wait-ms", "forever"], "forever"),
    ] {
        let error = refused(&session, args);
        let text = error.to_string().to_lowercase();
        assert!(text.contains(&named.to_lowercase()), "{args:?} does not name `{named}`: {error}");
    }
    assert_eq!(session.ok(&["evaluate", "location.href"])["value"], url.as_str(), "nothing was lost");
}

#[test]
fn an_unknown_session_is_not_found_and_a_missing_one_is_asked_for() {
    let browser = BROWSER.browser();
    let _keeps_the_browser_busy = browser.session();
    for id in ["zzzz", "UPPER", "../x", ""] {
        let ran = browser.bsk(&["observe", "--session", id, "--json"]);
        assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
        let _ = ran.failure();
    }
    assert_eq!(browser.bsk_err(&["observe", "--session", "zzzz"])["data"]["reason"], "session_not_found");
    assert_eq!(browser.bsk_err(&["session", "stop", "zzzz"])["exit_code"], 1);
    let error = browser.bsk_err(&["observe"]);
    assert_eq!(error["exit_code"], 1);
    assert!(error.to_string().contains("--session"), "{error}");
}

#[test]
fn the_session_may_come_from_the_environment() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<title>T</title>");
    let mut command = browser.command(workspace::bsk());
    command.args(["evaluate", "document.title", "--json"]).env("BSK_SESSION", &session.id);
    assert_eq!(Running::start(command).finish().success()["value"], "T");
}

#[test]
fn text_that_is_not_utf8_is_refused_in_words() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<input id=i>");
    let broken = OsStr::from_bytes(b"a\xff\xfeb");
    let text = OsStr::new;
    for args in [
        &[text("fill"), text("#i"), text("--value"), broken][..],
        &[text("evaluate"), broken],
        &[text("navigate"), broken],
        &[broken],
        &[text("observe"), text("--session"), broken],
    ] {
        let mut all = args.to_vec();
        if !args.contains(&text("--session")) {
            all.extend([text("--session"), text(&session.id)]);
        }
        let ran = browser.bsk(&all);
        assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
        assert!(ran.complaint().starts_with("error: "), "{}", ran.report());
    }
    assert_eq!(session.ok(&["evaluate", "i.value"])["value"], "");
}

#[test]
fn an_argument_of_two_megabytes_is_carried_or_refused_and_loses_nothing() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<input id=i>");
    // The system refuses a single argument beyond 128 KiB; what it lets through has to work.
    let text = "x".repeat(120 * 1024);
    assert_eq!(session.ok(&["fill", "#i", "--value", &text])["value_length"], text.len());
    let mut command = browser.command(workspace::bsk());
    command.args(["fill", "#i", "--session", &session.id, "--value"]).arg("x".repeat(2 * 1024 * 1024));
    match command.output() {
        Err(error) => assert_eq!(error.raw_os_error(), Some(7), "the system refuses it: {error}"),
        Ok(output) => assert!(output.status.code().is_some(), "it ends in an orderly way"),
    }
    assert_eq!(session.ok(&["evaluate", "i.value.length"])["value"], text.len());
}

#[test]
fn a_picture_does_not_overwrite_a_file_or_leave_half_of_one() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<h1>T</h1>");
    let file = browser.scratch().file(&format!("{}-precious.png", session.id));
    fs::write(&file, "precious").unwrap();
    let ran = session.bsk(&["screenshot", "--out", file.to_str().unwrap()]);
    if !ran.status.success() {
        assert_eq!(ran.failure()["data"]["reason"], "file_exists", "{}", ran.report());
        assert_eq!(fs::read(&file).unwrap(), b"precious");
    }
    let nowhere = browser.scratch().file("no/such/folder/x.png");
    let ran = session.bsk(&["screenshot", "--out", nowhere.to_str().unwrap()]);
    assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    assert_eq!(ran.failure()["data"]["reason"], "file_not_writable", "{}", ran.report());
    assert!(!nowhere.exists());
}

#[test]
fn human_errors_have_a_message_and_a_hint_on_standard_error_only() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<p>-</p>");
    let ran = browser.bsk(&["click", "@e999", "--session", &session.id]);
    assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    assert_eq!(ran.text(), "", "{}", ran.report());
    let complaint = ran.complaint();
    assert!(complaint.starts_with("error: ") && complaint.contains("\nhint: "), "{complaint}");
}

#[test]
fn a_full_disk_or_closed_output_is_no_panic() {
    let scratch = Scratch::new();
    let script = format!("{} --help >/dev/full; echo code $?", workspace::bsk().display());
    let mut command = scratch.command("bash");
    command.args(["-c", &script]);
    let ran = Running::start(command).finish();
    assert!(!ran.complaint().contains("panicked"), "{}", ran.report());
    let script = format!("{} status --json >&-; echo code $?", workspace::bsk().display());
    let mut command = scratch.command("bash");
    command.args(["-c", &script]);
    let ran = Running::start(command).finish();
    assert!(!ran.complaint().contains("panicked"), "{}", ran.report());
}

#[test]
fn help_and_version_are_answers_and_not_errors() {
    let scratch = Scratch::new();
    for args in [&["--help"][..], &["--version"], &["click", "--help"], &["session", "start", "--help"]] {
        let ran = scratch.bsk(args);
        assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
        assert!(!ran.text().is_empty() && ran.complaint().is_empty(), "{}", ran.report());
    }
    let daemon = scratch.bsk(&["daemon", "start"]);
    assert_eq!(daemon.exit_code(), Some(0), "{}", daemon.report());
    assert!(format!("{}{}", daemon.text(), daemon.complaint()).contains("no daemon"), "{}", daemon.report());
}

#[test]
fn waiting_some_milliseconds_needs_no_session() {
    let ran = Scratch::new().bsk(&["wait-ms", "50ms"]);
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
    assert!(ran.elapsed >= std::time::Duration::from_millis(50), "{}", ran.report());
}
