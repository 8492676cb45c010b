//! Going somewhere: every wait, the history, reloads, and what happens where nothing can be reached.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bsk_tests::{Pages, Response, Shared};
use serde_json::{Value, json};

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
    let (picture, gate) = browser.pages().gated(Response::html("no picture").status(404));
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
    assert_eq!(navigated["redirects"], json!([{ "url": url, "status": 302 }]));
}

/// A path of its own that sends on.
fn sending_on(pages: &Pages, status: u16, to: &str) -> String {
    let to = to.to_owned();
    pages.answering(move |_| Response::html("").status(status).header("Location", &to))
}

/// The same page under another origin.
fn elsewhere(url: &str) -> String {
    url.replace("127.0.0.1", "localhost")
}

#[test]
fn every_address_that_sent_on_is_told_in_order_across_origins() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let target = elsewhere(&pages.html("<title>Target</title>"));
    let mut url = target.clone();
    let mut chain = Vec::new();
    for (status, is_elsewhere) in [(308, false), (307, true), (303, true), (302, false), (301, false)] {
        url = sending_on(pages, status, &url);
        if is_elsewhere {
            url = elsewhere(&url);
        }
        chain.insert(0, json!({ "url": url, "status": status }));
    }
    let navigated = session.ok(&["navigate", &url]);
    assert_eq!(navigated["redirects"], Value::from(chain.clone()), "{navigated}");
    assert_eq!((&navigated["final_url"], &navigated["status"]), (&target.as_str().into(), &200.into()));
    assert!(session.ok(&["reload"])["redirects"].is_null(), "the target itself sends nobody on");
    let ran = browser.bsk(&["navigate", &url, "--session", &session.id]);
    assert_eq!(ran.text().trim_end(), format!("200 {target} (sent on by 5 addresses, from 301 {url})"));
}

#[test]
fn redirects_are_told_of_reloads_of_the_history_and_of_what_a_page_does_itself() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let target = pages.html("<title>Target</title>");
    let location = target.clone();
    let is_moved = Arc::new(AtomicU32::new(0));
    let moved = Arc::clone(&is_moved);
    let url = pages.answering(move |_| match moved.load(Ordering::Relaxed) {
        0 => Response::html("<title>Here</title>").header("Cache-Control", "no-store"),
        _ => Response::html("").status(302).header("Location", &location),
    });
    let told = json!([{ "url": url, "status": 302 }]);
    session.ok(&["navigate", &url]);
    is_moved.store(1, Ordering::Relaxed);
    let reloaded = session.ok(&["reload"]);
    assert_eq!(
        (&reloaded["redirects"], &reloaded["final_url"]),
        (&told, &target.as_str().into()),
        "{reloaded}"
    );
    is_moved.store(0, Ordering::Relaxed);
    session.ok(&["navigate", &url]);
    let page = session.open_page(&format!("<script>onmessage=()=>location.href='{url}'</script>"));
    is_moved.store(1, Ordering::Relaxed);
    let waiting = session.start_bsk(&["wait-for-navigation", "--timeout", "20s"]);
    go_soon(&page);
    let done = waiting.finish().success();
    assert_eq!((&done["redirects"], &done["final_url"]), (&told, &target.as_str().into()), "{done}");
}

/// Has the page go on in a moment, when the command waits for it.
fn go_soon(page: &bsk_tests::Page<'_>) {
    page.evaluate("setTimeout(() => postMessage(1), 700)");
}

/// A path that is a page when it is first asked for, and then what `later` says. Its `unload` keeps it out of the browser's memory.
fn page_at_first(pages: &Pages, later: impl Fn() -> Response + Send + Sync + 'static) -> String {
    let count = AtomicU32::new(0);
    pages.answering(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        0 => Response::html(
            "<title>First</title><script>onmessage=()=>location.reload();onunload=()=>0</script>",
        )
        .header("Cache-Control", "no-store"),
        _ => later(),
    })
}

fn csv() -> Response {
    Response::html("q,1").header("Content-Disposition", "attachment; filename=\"a.csv\"")
}

fn empty() -> Response {
    Response::html("").status(204)
}

#[test]
fn a_reload_or_a_step_in_the_history_that_brings_no_page_says_why_at_once_and_the_page_stays() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for (answer, words) in [
        (csv as fn() -> Response, "is a download of `a.csv`, which began; the page stayed as it was"),
        (empty, "answered with no content (HTTP 204); the page stayed as it was"),
    ] {
        for args in [&["reload"][..], &["reload", "--hard"]] {
            let url = page_at_first(browser.pages(), answer);
            session.ok(&["navigate", &url]);
            check_stays(&session, args, &url, &url, words);
        }
        let url = page_at_first(browser.pages(), answer);
        session.ok(&["navigate", &url]);
        let next = session.open("<title>Next</title>");
        check_stays(&session, &["navigate-back"], &url, &next, words);
        let first = session.open("<title>Before</title>");
        let url = page_at_first(browser.pages(), answer);
        session.ok(&["navigate", &url]);
        session.ok(&["navigate-back"]);
        check_stays(&session, &["navigate-forward"], &url, &first, words);
    }
}

#[track_caller]
fn check_stays(session: &bsk_tests::Session<'_>, args: &[&str], url: &str, here: &str, words: &str) {
    let ran = session.bsk(args);
    assert_eq!(ran.exit_code(), Some(3), "{}", ran.report());
    assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
    let failure = ran.failure();
    assert_eq!(failure["message"], format!("`{url}` {words}"), "{failure}");
    assert_eq!(failure["data"]["reason"], "navigation_failed", "{failure}");
    assert_eq!(session.ok(&["evaluate", "location.href"])["value"], here, "{args:?}");
}

#[test]
fn a_navigation_of_the_page_that_brings_none_ends_the_wait_for_it_and_says_why() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for (answer, words) in [(csv as fn() -> Response, "is a download of `a.csv`"), (empty, "(HTTP 204)")] {
        let url = page_at_first(browser.pages(), answer);
        session.ok(&["navigate", &url]);
        let page = browser.devtools().page(&url);
        let waiting = session.start_bsk(&["wait-for-navigation", "--timeout", "20s"]);
        go_soon(&page);
        let ran = waiting.finish();
        assert!(ran.elapsed < Duration::from_secs(5), "{}", ran.report());
        let failure = ran.failure();
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(words) && message.contains(url.as_str()), "{failure}");
    }
}

#[test]
fn a_circle_of_redirects_is_named() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let url = pages.url("/circle");
    let location = url.clone();
    pages.answering_at("/circle", move |_| Response::html("").status(302).header("Location", &location));
    let ran = session.bsk(&["navigate", &url]);
    assert_eq!(ran.exit_code(), Some(3), "{}", ran.report());
    let failure = ran.failure();
    assert_eq!(failure["data"]["net_error"], "net::ERR_TOO_MANY_REDIRECTS");
    assert_eq!(failure["message"], format!("`{url}` could not be loaded: `net::ERR_TOO_MANY_REDIRECTS`"));
}

#[test]
fn a_page_that_goes_on_at_once_is_followed() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    for on in [
        "<script>location.href='URL'</script>",
        "<script>location.replace('URL')</script>",
        "<body onload=\"location='URL'\">",
        "<meta http-equiv=refresh content='0; url=URL'>",
        "<meta http-equiv=refresh content='0.2; url=URL'>",
        "<form action='URL'></form><script>document.forms[0].submit()</script>",
    ] {
        let target = pages.html("<title>Target</title>");
        // A server that takes its time: the first page has loaded by then.
        let location = target.clone();
        let slow = pages.answering(move |_| {
            std::thread::sleep(Duration::from_millis(150));
            Response::html("").status(302).header("Location", &location)
        });
        let url = pages.html(&on.replace("URL", &slow));
        let navigated = session.ok(&["navigate", &url]);
        let end = navigated["final_url"].as_str().unwrap().trim_end_matches('?');
        assert_eq!(end, target, "{on}: {navigated}");
        let sent_on = navigated["redirects"][0]["url"].as_str().unwrap_or_default().trim_end_matches('?');
        assert_eq!(sent_on, slow, "{on}: {navigated}");
        assert_eq!(session.ok(&["evaluate", "document.title"])["value"], "Target", "{on}");
    }
}

#[test]
fn a_page_that_asks_for_a_file_at_once_is_reached() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for answer in [csv as fn() -> Response, empty] {
        let file = browser.pages().answering(move |_| answer());
        for on in ["<script>location.href='URL'</script>", "<meta http-equiv=refresh content='0; url=URL'>"] {
            let url = browser.pages().html(&on.replace("URL", &file));
            let ran = session.bsk(&["navigate", &url]);
            assert!(ran.elapsed < Duration::from_secs(4), "{}", ran.report());
            assert_eq!(ran.success()["final_url"], url.as_str(), "{on}");
        }
    }
}

#[test]
fn the_browsers_page_about_an_error_is_no_page_to_arrive_at() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let here = session.open("<title>Here</title>");
    let gone = Pages::refusing_url();
    let said = format!("`{gone}` could not be loaded: `net::ERR_CONNECTION_REFUSED`");
    assert_eq!(session.err(&["navigate", &gone])["message"], said.as_str());
    let reloaded = session.bsk(&["reload"]);
    assert_eq!(reloaded.exit_code(), Some(3), "{}", reloaded.report());
    assert!(reloaded.elapsed < Duration::from_secs(3), "{}", reloaded.report());
    assert_eq!(reloaded.failure()["message"], said.as_str());
    let back = session.ok(&["navigate-back"]);
    assert_eq!((&back["final_url"], &back["previous_url"]), (&here.as_str().into(), &gone.as_str().into()));
    let forward = session.bsk(&["navigate-forward"]);
    assert_eq!(forward.exit_code(), Some(3), "{}", forward.report());
    assert_eq!(forward.failure()["message"], said.as_str());
    let page = session.open_page(&format!("<script>onmessage=()=>location='{gone}'</script>"));
    let waiting = session.start_bsk(&["wait-for-navigation", "--timeout", "20s"]);
    go_soon(&page);
    assert_eq!(waiting.finish().failure()["message"], said.as_str());
    let url = browser.pages().html(&format!("<script>location='{gone}'</script>"));
    assert_eq!(session.err(&["navigate", &url])["message"], said.as_str());
    session.open(&format!("<a href='{gone}'>Go</a>"));
    let clicked = session.ok(&["click", "a"]);
    assert_eq!(clicked["effects"]["navigated_to"], gone.as_str(), "{clicked}");
    assert_eq!(clicked["effects"]["net_error"], "net::ERR_CONNECTION_REFUSED", "{clicked}");
    let waited = session.bsk(&["wait-for-navigation"]);
    assert_eq!(waited.exit_code(), Some(3), "{}", waited.report());
    let message = waited.failure()["message"].clone();
    assert_eq!(message, format!("`{gone}` could not be loaded; the browser shows its own page about that"));
}

#[test]
fn a_history_at_its_end_is_said_and_nothing_moves() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = session.open("<title>Here</title>");
    session.ok(&["navigate-back"]);
    let failure = session.err(&["navigate-back"]);
    assert_eq!(failure["data"]["reason"], "no_history_entry", "{failure}");
    assert!(failure["message"].as_str().unwrap().ends_with("has no page to go back to"), "{failure}");
    session.ok(&["navigate-forward"]);
    let failure = session.err(&["navigate-forward"]);
    assert!(failure["message"].as_str().unwrap().ends_with("has no page to go forward to"), "{failure}");
    assert_eq!(session.ok(&["evaluate", "location.href"])["value"], url.as_str());
}

#[test]
fn another_fragment_and_a_route_are_navigations_in_the_same_document() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = session.open("<title>Here</title><script>window.mark=1</script>");
    let there = format!("{url}#there");
    assert_eq!(session.ok(&["navigate", &there])["final_url"], there.as_str());
    let back = session.ok(&["navigate-back"]);
    assert_eq!((&back["final_url"], &back["previous_url"]), (&url.as_str().into(), &there.as_str().into()));
    let page = browser.devtools().page(&url);
    let waiting = session.start_bsk(&["wait-for-navigation", "--timeout", "20s"]);
    page.evaluate("setTimeout(() => history.pushState(0, '', '/route'), 700)");
    let done = waiting.finish().success();
    assert_eq!(done["final_url"], browser.pages().url("/route"), "{done}");
    assert_eq!(session.ok(&["evaluate", "window.mark"])["value"], 1);
}

#[test]
fn a_page_that_may_ask_to_stay_keeps_a_reload_and_the_history_where_dialogs_are_dismissed() {
    let browser = BROWSER.browser();
    let started =
        browser.bsk_ok(&["session", "start", "--browser", &browser.instance_id, "--dialogs", "dismiss"]);
    let id = started["session_id"].as_str().unwrap();
    let bsk = |args: &[&str]| {
        let args: Vec<&str> = args.iter().copied().chain(["--session", id, "--json"]).collect();
        browser.bsk(&args)
    };
    let ok = |args: &[&str]| bsk(args).success()["value"].clone();
    let before = browser.pages().html("<title>Before</title>");
    let keeping = "<input id=i><script>onbeforeunload=e=>{e.preventDefault();e.returnValue='x'}</script>";
    let url = browser.pages().html(keeping);
    ok(&["navigate", &before]);
    ok(&["navigate", &url]);
    for args in [&["reload"][..], &["navigate-back"], &["navigate", &before]] {
        // The browser asks only for pages that were used, and once for each use.
        ok(&["type", "#i", "--value", "z"]);
        let ran = bsk(args);
        assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
        assert_eq!(ran.exit_code(), Some(3), "{}", ran.report());
        let message = ran.failure()["message"].clone();
        assert!(
            message.as_str().unwrap().contains("asked whether to leave it and that was dismissed"),
            "{message}"
        );
        assert_eq!(ok(&["evaluate", "location.href"]), url.as_str(), "{args:?}");
    }
    ok(&["session", "stop"]);
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
