//! Whatever dies, dies alone: the host, the worker, the tab, the renderer, the browser, the command line.
//!
//! A command that runs at that moment fails within a second with what died, never at its deadline (50 s here), and
//! everything that did not die goes on.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::{Duration, Instant};

use bsk_tests::{Browser, Options, Ran, Running, Session, is_alive, signal, until, workspace};
use nix::sys::signal::Signal;
use serde_json::Value;

/// The bound for a command whose ground is taken away, and for the end of a host.
const AT_ONCE: Duration = Duration::from_secs(1);
/// The bound for the extension to connect again.
const RECONNECT: Duration = Duration::from_secs(2);

/// Waits for the end of a command that something happened to at `then`, and checks that it came at once.
#[track_caller]
fn fails_at_once(running: Running, then: Instant, exit_code: i32, reasons: &[&str]) -> Value {
    let ran: Ran = running.finish();
    let took = ran.ended.saturating_duration_since(then);
    assert_eq!(ran.exit_code(), Some(exit_code), "{}", ran.report());
    let error = ran.failure();
    let reason = error["data"]["reason"].as_str().unwrap_or_default();
    assert!(reasons.contains(&reason), "{reason} is none of {reasons:?}: {error}");
    assert!(took < AT_ONCE, "it took {took:?}: {error}");
    error
}

#[track_caller]
fn is_connected_again(browser: &Browser, limit: Duration) {
    until("the extension connects again", limit, || {
        let status = browser.bsk(&["status", "--json"]);
        let value: Value = serde_json::from_slice(&status.stdout).ok()?;
        let browsers = value["browsers"].as_array()?;
        browsers.iter().any(|one| one["instance_id"] == browser.instance_id.as_str()).then_some(())
    });
}

#[track_caller]
fn session_works(session: &Session<'_>) {
    assert_eq!(session.ok(&["evaluate", "1+1"])["value"], 2);
}

const PAGE: &str = "<title>-</title><button onclick=\"document.title='clicked'\">Go</button>";

#[test]
fn a_killed_host_costs_its_command_and_nothing_else() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(PAGE);
    let button = session.ref_of("button \"Go\"");
    let tab = session.tab_id();
    let host = browser.host_pid();
    let running = session.start_endless(&page);

    let then = Instant::now();
    signal(host, Signal::SIGKILL);
    let error = fails_at_once(running, then, 2, &["connection_lost"]);
    assert_eq!(error["code"], "no_browser_connected", "{error}");
    is_connected_again(&browser, RECONNECT.saturating_sub(then.elapsed()));

    assert_ne!(browser.host_pid(), host);
    assert_eq!(session.tab_id(), tab);
    session.ok(&["click", &button]);
    assert_eq!(page.evaluate("document.title"), "clicked");
    assert!(browser.window_ids().contains(&session.window_id));
    until("the dead host's socket is swept away", RECONNECT, || {
        browser.bsk(&["status"]);
        (browser.runtime_files().len() == 2).then_some(())
    });
}

#[test]
fn a_killed_browser_takes_its_host_with_it_and_leaves_nothing() {
    let mut browser = Browser::launch(&Options::default());
    let host = browser.host_pid();
    let scratch_files = browser.runtime_files();
    assert_eq!(scratch_files.len(), 2, "a socket and a sidecar: {scratch_files:?}");
    let started = browser.bsk_ok(&["session", "start"]);
    let id = started["session_id"].as_str().unwrap().to_owned();
    let url = browser.pages().html("<title>-</title>");
    browser.bsk_ok(&["navigate", &url, "--session", &id]);
    let script = "document.title = 'running'; new Promise(() => {})";
    let running = browser.start_bsk(&[
        "evaluate",
        script,
        "--await-promise",
        "--timeout",
        "50s",
        "--session",
        &id,
        "--json",
    ]);
    until("the command runs", Duration::from_secs(10), || {
        (browser.devtools().page(&url).evaluate("document.title") == "running").then_some(())
    });

    let then = Instant::now();
    browser.kill();
    until("the host is gone", AT_ONCE, || (!is_alive(host)).then_some(()));
    fails_at_once(running, then, 2, &["browser_gone", "connection_lost"]);
    assert_eq!(browser.runtime_files(), Vec::<std::path::PathBuf>::new());
    let staging = workspace::files_below(&browser.state_dir(), "");
    assert!(staging.iter().all(|file| !file.to_string_lossy().contains("staging")), "{staging:?}");
    let error = browser.bsk_err(&["evaluate", "1", "--session", &id]);
    assert_eq!(error["exit_code"], 2, "{error}");
}

#[test]
fn sessions_go_on_after_the_service_worker_was_stopped() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(PAGE);
    let button = session.ref_of("button \"Go\"");
    let running = session.start_endless(&page);
    let then = Instant::now();
    browser.devtools().worker().close();
    fails_at_once(running, then, 2, &["connection_lost", "browser_gone"]);
    // Without that its alarm wakes it, half a minute later.
    browser.wake_worker();
    is_connected_again(&browser, Duration::from_secs(5));
    session_works(&session);
    session.ok(&["click", &button]);
    assert_eq!(page.evaluate("document.title"), "clicked");
    assert_eq!(browser.bsk_ok(&["session", "stop", &session.id])["stopped"], serde_json::json!([session.id]));
    until("the Agent Window is gone", RECONNECT, || {
        (!browser.window_ids().contains(&session.window_id)).then_some(())
    });
}

#[test]
fn a_reloaded_extension_fails_its_command_connects_again_and_leaves_no_orphan_window() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(PAGE);
    let running = session.start_endless(&page);
    let then = Instant::now();
    browser.devtools().worker().run_soon("chrome.runtime.reload()");
    fails_at_once(running, then, 2, &["connection_lost", "browser_gone"]);
    is_connected_again(&browser, Duration::from_secs(10));
    let is_listed = browser.bsk_ok(&["session", "list"]).to_string().contains(&session.id);
    until("the session is listed with its window, or neither is there", Duration::from_secs(5), || {
        (browser.window_ids().contains(&session.window_id) == is_listed).then_some(())
    });
    let next = browser.session();
    session_works(&next);
}

#[test]
fn a_tab_that_closes_in_mid_command_is_named() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.ok(&["tab", "create"]);
    let page = session.open_page(PAGE);
    let running = session.start_endless(&page);
    let then = Instant::now();
    page.close();
    fails_at_once(running, then, 3, &["tab_closed"]);
    // The other tab of the session is still there.
    session_works(&session);
}

#[test]
fn a_crashed_page_is_named_and_navigating_revives_it() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(PAGE);
    let running = session.start_endless(&page);
    let then = Instant::now();
    page.crash();
    let error = fails_at_once(running, then, 3, &["page_crashed"]);
    assert!(error["hint"].as_str().unwrap_or_default().contains("navigate"), "{error}");
    for args in [&["observe"][..], &["evaluate", "1"], &["click", "button"], &["screenshot"]] {
        let ran = session.bsk(args);
        assert_eq!(ran.failure()["data"]["reason"], "page_crashed", "{}", ran.report());
        assert!(ran.elapsed < AT_ONCE, "{}", ran.report());
    }
    session.open(PAGE);
    session.ok(&["click", "button"]);
    assert_eq!(session.ok(&["evaluate", "document.title"])["value"], "clicked");
}

#[test]
fn a_killed_command_frees_its_session_at_once() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(PAGE);
    let running = session.start_endless(&page);
    running.kill();
    let next = session.bsk(&["evaluate", "1+1"]);
    assert_eq!(next.success()["value"], 2);
    assert!(next.elapsed < AT_ONCE, "{}", next.report());
}

#[test]
fn a_second_command_of_a_session_waits_its_turn() {
    let browser = Browser::launch(&Options::default());
    let (session, other) = (browser.session(), browser.session());
    let page = session.open_page("<script>window.order = []</script>");
    let script = "new Promise(done => window.finish = () => { order.push('first'); done(1) })";
    let first = session.start_bsk(&["evaluate", script, "--await-promise"]);
    until("the first command runs", Duration::from_secs(10), || {
        (page.evaluate("typeof window.finish") == "function").then_some(())
    });
    let second = session.start_bsk(&["evaluate", "order.push('second')"]);
    // Whole commands of another session come and go meanwhile.
    for _ in 0..5 {
        session_works(&other);
    }
    assert_eq!(page.evaluate("order.join()"), "");
    page.evaluate("finish()");
    assert_eq!(first.finish().success()["value"], 1);
    assert_eq!(second.finish().success()["value"], 2);
    assert_eq!(page.evaluate("order.join()"), "first,second");
}

#[test]
fn stopping_a_session_does_not_wait_for_its_command() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(PAGE);
    let running = session.start_endless(&page);
    let queued = session.start_bsk(&["evaluate", "1+1"]);
    let then = Instant::now();
    let stopped = browser.bsk(&["session", "stop", &session.id, "--json"]);
    assert!(stopped.elapsed < AT_ONCE, "{}", stopped.report());
    assert_eq!(stopped.success()["stopped"], serde_json::json!([session.id]));
    let ran = running.finish();
    assert_eq!(ran.failure()["data"]["reason"], "session_ended", "{}", ran.report());
    assert!(ran.ended.saturating_duration_since(then) < AT_ONCE, "{}", ran.report());
    let reason = queued.finish().failure()["data"]["reason"].clone();
    assert!(reason == "session_ended" || reason == "session_not_found", "{reason}");
}

#[test]
fn a_session_whose_window_the_user_closes_is_over() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open(PAGE);
    browser.in_worker(&format!("chrome.windows.remove({}).then(() => 1)", session.window_id));
    until("the session is no longer listed", RECONNECT, || {
        (browser.bsk_ok(&["session", "list"]) == serde_json::json!([])).then_some(())
    });
    let late = session.bsk(&["observe"]);
    assert_eq!(
        (late.exit_code(), &late.failure()["data"]["reason"]),
        (Some(7), &"session_ended".into()),
        "{}",
        late.report()
    );
}

#[test]
fn output_into_a_closed_pipe_ends_quietly() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open(&"<p>A line of text</p><button>And a button</button>".repeat(4000));
    let bsk = workspace::bsk();
    for line in [
        "observe --max-tokens 200000",
        "evaluate \"'line\\n'.repeat(200000)\"",
        "get-html --max-bytes 10000000",
    ] {
        let script = format!("set -o pipefail; {} {line} --session {} | head -1", bsk.display(), session.id);
        let mut command = browser.command("bash");
        command.args(["-c", &script]);
        let ran = Running::start(command).finish();
        assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
        assert_eq!(ran.complaint(), "", "{}", ran.report());
        assert_eq!(ran.text().lines().count(), 1, "{}", ran.report());
    }
}

#[test]
fn an_idle_session_costs_the_host_no_cpu() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<title>Idle</title>");
    let host = browser.host_pid();
    let before = bsk_tests::cpu_seconds(host);
    // Not a wait for something to happen: the twenty seconds are what is measured.
    std::thread::sleep(Duration::from_secs(20));
    let used = bsk_tests::cpu_seconds(host) - before;
    assert!(used < 0.05, "the host used {used} s of CPU in 20 s of nothing");
    session_works(&session);
}
