//! The user takes control back, and the agent learns of it.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::{Duration, Instant};

use bsk_tests::{Browser, Options, Running, Session, until};
use serde_json::json;

const SOON: Duration = Duration::from_secs(10);
const AT_ONCE: Duration = Duration::from_secs(2);

/// The running command and every later one end as the user's wish.
#[track_caller]
fn is_stopped(session: &Session<'_>, running: Running, then: Instant) {
    let ran = running.finish();
    assert!(ran.ended.saturating_duration_since(then) < AT_ONCE, "{}", ran.report());
    assert_eq!(
        (ran.exit_code(), &ran.failure()["code"]),
        (Some(7), &json!("user_aborted")),
        "{}",
        ran.report()
    );
    let later = session.bsk(&["observe"]);
    assert_eq!(
        (later.exit_code(), &later.failure()["code"]),
        (Some(7), &json!("user_aborted")),
        "{}",
        later.report()
    );
    assert!(
        later.failure()["message"].as_str().unwrap().contains("the user stopped it"),
        "{}",
        later.report()
    );
}

#[test]
fn the_keyboard_command_stops_every_session() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<title>Busy</title>");
    let running = session.start_endless(&page);
    let shortcut = browser.in_worker(
        "chrome.commands.getAll().then((all) => all.find(({ name }) => name === 'stop-all').shortcut)",
    );
    assert_ne!(shortcut, "", "the browser gave it its key");
    let then = Instant::now();
    browser.in_worker("chrome.commands.onCommand.dispatch('stop-all'), true");
    is_stopped(&session, running, then);
    browser.session().ok(&["evaluate", "1"]);
}

#[test]
fn a_tab_dragged_out_of_its_group_stops_the_session_and_stays() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<title>Kept</title>");
    let tab = session.tab_id();
    until("the tab's group", SOON, || {
        (browser.in_worker(&format!("chrome.tabs.get({tab}).then((tab) => tab.groupId)")).as_i64()? >= 0)
            .then_some(())
    });
    let running = session.start_endless(&page);
    let then = Instant::now();
    browser.in_worker(&format!("chrome.tabs.ungroup([{tab}])"));
    is_stopped(&session, running, then);
    assert_eq!(page.evaluate("document.title"), "Kept");
}

#[test]
fn moving_the_whole_group_to_another_window_stops_nothing() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<title>Group</title>");
    let tab = session.tab_id();
    let group = until("the tab's group", SOON, || {
        let group =
            browser.in_worker(&format!("chrome.tabs.get({tab}).then((tab) => tab.groupId)")).as_i64()?;
        (group >= 0).then_some(group)
    });
    // A tab of the user keeps the Agent Window open, whose end would be the session's.
    browser.in_worker(&format!(
        "chrome.tabs.create({{ windowId: {}, url: 'chrome://version' }})",
        session.window_id
    ));
    browser.in_worker(&format!(
        "chrome.windows.getAll().then((all) => chrome.tabGroups.move({group}, {{ index: -1, windowId: all.find(({{ id }}) => id !== {}).id }}))",
        session.window_id
    ));
    // Longer than a tab may be without a group on its way.
    browser.bsk_ok(&["wait-ms", "600"]);
    let open = browser.bsk_ok(&["session", "list"]);
    assert!(open.as_array().unwrap().iter().any(|one| one["session_id"] == session.id.as_str()), "{open}");
}

#[test]
fn what_the_user_presses_is_reported_once_and_what_the_agent_presses_is_not() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session
        .open_page("<title>-</title><button id=b onclick=\"document.title+='x'\">B</button><input id=i>");
    session.ok(&["click", "#b"]);
    session.ok(&["fill", "#i", "--value", "typed"]);
    session.ok(&["press", "a", "--selector", "#i"]);
    session.ok(&["type", "#i", "--value", "more"]);
    let seen = session.ok(&["observe"]);
    assert_eq!(seen.get("user_acted"), None, "{seen}");
    // No person presses within the moment of our own input that counts as ours.
    browser.bsk_ok(&["wait-ms", "100"]);
    // The second way into the browser plays the user.
    for kind in ["mousePressed", "mouseReleased"] {
        page.call(
            "Input.dispatchMouseEvent",
            &json!({ "type": kind, "x": 15, "y": 15, "button": "left", "clickCount": 1 }),
        )
        .unwrap();
    }
    until("the user's click", SOON, || (page.evaluate("document.title") == "-xx").then_some(()));
    let seen = session.ok(&["observe"]);
    assert_eq!(seen["user_acted"], true, "{seen}");
    let seen = session.ok(&["observe"]);
    assert_eq!(seen.get("user_acted"), None, "told once: {seen}");
    assert_eq!(page.evaluate("typeof bskUserInput"), "undefined", "no page sees how it is noticed");
}
