//! Going somewhere: every wait, the history, reloads, and what happens where nothing can be reached.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bsk_tests::{Response, Shared};

static BROWSER: Shared = Shared::new();

#[test]
fn the_first_navigation_of_every_new_session_arrives() {
    let browser = BROWSER.browser();
    for _ in 0..15 {
        let session = browser.session();
        session.open("<title>First</title>");
        assert_eq!(session.ok(&["evaluate", "document.title"])["value"], "First");
    }
}

#[test]
fn every_wait_is_reached_and_named() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for wait in ["load", "domcontentloaded", "networkidle", "commit"] {
        let url = browser.pages().html("<title>T</title>");
        let navigated = session.ok(&["navigate", &url, "--wait-until", wait]);
        assert_eq!(navigated["reached"], wait, "{navigated}");
        assert_eq!(navigated["url"], url.as_str());
        assert_eq!(navigated["final_url"], url.as_str());
        assert!(navigated["tab_id"].is_u64(), "{navigated}");
    }
}

#[test]
fn a_slow_picture_holds_up_load_but_not_the_document() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let gate = Arc::new(std::sync::Barrier::new(2));
    let its_gate = Arc::clone(&gate);
    let picture = browser.pages().answering(move |_| {
        its_gate.wait();
        Response::html("no picture").status(404)
    });
    let url = browser.pages().html(&format!("<img src='{picture}'><p id=p>here</p>"));
    let ran = session.bsk(&["navigate", &url, "--timeout", "1s"]);
    assert_eq!(ran.exit_code(), Some(4), "{}", ran.report());
    gate.wait();
    let url = browser.pages().html(&format!("<img src='{picture}?again'><p id=p>here</p>"));
    let navigated = session.ok(&["navigate", &url, "--wait-until", "domcontentloaded"]);
    assert_eq!(navigated["reached"], "domcontentloaded");
    gate.wait();
}

#[test]
fn back_forward_and_reload_tell_where_they_were_and_are() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let one = session.open("<title>One</title>");
    let two = session.open("<title>Two</title>");
    let back = session.ok(&["navigate-back"]);
    assert_eq!((&back["previous_url"], &back["final_url"]), (&two.as_str().into(), &one.as_str().into()));
    let forward = session.ok(&["navigate-forward"]);
    assert_eq!(
        (&forward["previous_url"], &forward["final_url"]),
        (&one.as_str().into(), &two.as_str().into())
    );
    let reloaded = session.ok(&["reload"]);
    assert_eq!(
        (&reloaded["previous_url"], &reloaded["final_url"]),
        (&two.as_str().into(), &two.as_str().into())
    );
    assert_eq!(session.err(&["navigate-forward"])["data"]["reason"], "no_history_entry");
    for spelling in [["navigate", "back"], ["navigate", "forward"]] {
        assert_eq!(session.bsk(&spelling).exit_code(), Some(0), "{spelling:?}");
    }
}

#[test]
fn a_reload_asks_the_server_again() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let count = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&count);
    let url = browser.pages().answering(move |_| {
        let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
        Response::html(&format!("<title>Visit {number}</title>"))
    });
    session.ok(&["navigate", &url]);
    session.ok(&["reload"]);
    assert_eq!(session.ok(&["evaluate", "document.title"])["value"], "Visit 2");
    session.ok(&["reload", "--hard"]);
    assert_eq!(count.load(Ordering::Relaxed), 3);
}

#[test]
fn a_redirect_ends_at_its_target() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let target = browser.pages().html("<title>Target</title>");
    let location = target.clone();
    let url =
        browser.pages().answering(move |_| Response::html("").status(302).header("Location", &location));
    let navigated = session.ok(&["navigate", &url]);
    assert_eq!(navigated["url"], url.as_str());
    assert_eq!(navigated["final_url"], target.as_str());
    assert_eq!(navigated["status"], 200);
}

#[test]
fn what_is_no_url_or_a_forbidden_one_is_refused_and_nothing_moves() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = session.open("<title>Here</title>");
    for (text, reason) in [
        ("notaurl", "url_invalid"),
        ("http://", "url_invalid"),
        ("file:///etc/passwd", "url_not_allowed"),
        ("javascript:alert(1)", "url_not_allowed"),
        ("chrome://settings", "url_not_allowed"),
        ("data:text/html,x", "url_not_allowed"),
    ] {
        let ran = session.bsk(&["navigate", text]);
        assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
        assert_eq!(ran.failure()["data"]["reason"], reason, "{}", ran.report());
    }
    assert_eq!(session.ok(&["evaluate", "location.href"])["value"], url.as_str());
}

#[test]
fn waiting_for_a_navigation_that_the_page_makes_ends_with_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let next = browser.pages().html("<title>Next</title>");
    let url = session.open(&format!("<script>onmessage=()=>location.href='{next}'</script>"));
    let page = browser.devtools().page(&url);
    let waiting = session.start_bsk(&["wait-for-navigation", "--timeout", "20s"]);
    page.evaluate("setTimeout(() => postMessage(1), 700)");
    let done = waiting.finish().success();
    assert_eq!(done["final_url"], next.as_str());
    assert_eq!(done["previous_url"], url.as_str());
}

#[test]
fn a_click_that_navigates_says_where_to() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let next = browser.pages().html("<title>Next</title>");
    session.open(&format!("<a id=a href='{next}'>Go on</a>"));
    let clicked = session.ok(&["click", "#a"]);
    assert_eq!(clicked["effects"]["navigated_to"], next.as_str(), "{clicked}");
    assert_eq!(
        session.ok(&["evaluate", "document.title"])["value"],
        "Next",
        "the next command sees the new page"
    );
}

#[test]
fn tabs_are_made_listed_chosen_and_closed() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let first = session.tab_id();
    let url = browser.pages().html("<title>Second</title>");
    let second = session.ok(&["tab", "create", "--url", &url])["tab_id"].as_u64().unwrap();
    assert_eq!(session.tab_id(), second);
    let second_text = second.to_string();
    let third = session.ok(&["tab", "create", "--no-active"])["tab_id"].as_u64().unwrap();
    assert_eq!(session.tab_id(), second, "a tab made with --no-active stays behind");
    session.ok(&["tab", "select", &first.to_string()]);
    assert_eq!(session.tab_id(), first);
    let title = session.ok(&["evaluate", "document.title", "--tab-id", &second_text]);
    assert_eq!(title["value"], "Second");
    session.ok(&["tab", "close", &second_text]);
    let tabs = session.ok(&["tab", "list", "--scope", "agent"]);
    let ids: Vec<_> =
        tabs["tabs"].as_array().unwrap().iter().filter_map(|tab| tab["tab_id"].as_u64()).collect();
    assert_eq!(ids, [first, third], "{tabs}");
    let error = session.err(&["tab", "close", &second_text]);
    assert!(
        ["tab_not_found", "tab_not_owned"].contains(&error["data"]["reason"].as_str().unwrap()),
        "{error}"
    );
}

#[test]
fn tabs_of_the_user_are_listed_but_not_touched() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let tabs = session.ok(&["tab", "list", "--scope", "user"]);
    let user_tab = tabs["tabs"][0]["tab_id"]
        .as_u64()
        .unwrap_or_else(|| panic!("the browser started with a tab: {tabs}"));
    let text = user_tab.to_string();
    for args in [
        &["tab", "close", &text][..],
        &["tab", "select", &text],
        &["evaluate", "1", "--tab-id", &text],
        &["observe", "--tab-id", &text],
        &["screenshot", "--tab-id", &text],
    ] {
        let error = session.err(args);
        assert_eq!(error["data"]["reason"], "tab_not_owned", "{args:?}: {error}");
        assert!(error["hint"].is_string(), "{error}");
    }
}

#[test]
fn scripts_give_values_and_their_errors_are_no_failures() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<title>T</title>");
    let done = session.ok(&["evaluate", "({a: [1, 'two', null]})"]);
    assert_eq!((&done["ok"], &done["value"]), (&true.into(), &serde_json::json!({ "a": [1, "two", null] })));
    let thrown = session.ok(&["evaluate", "\n  null.x"]);
    assert_eq!(thrown["ok"], false, "{thrown}");
    assert!(thrown["error"]["text"].as_str().unwrap().contains("TypeError"), "{thrown}");
    assert!(thrown["error"]["line"].is_u64(), "{thrown}");
    let waited = session.ok(&["evaluate", "Promise.resolve(7)", "--await-promise"]);
    assert_eq!(waited["value"], 7);
    let ran = session.bsk(&["evaluate", "while(true);", "--timeout", "1s"]);
    assert_eq!(ran.exit_code(), Some(4), "{}", ran.report());
    assert!(ran.elapsed < Duration::from_secs(4), "{}", ran.report());
    assert_eq!(session.ok(&["evaluate", "1+1"])["value"], 2, "the page lives on after a script was stopped");
}
