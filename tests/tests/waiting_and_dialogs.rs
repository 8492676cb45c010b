//! Waiting until something holds, and JavaScript dialogs: what is waited for is told when it comes, and nothing freezes.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::sync::{Arc, Barrier};
use std::time::Duration;

use bsk_tests::{Response, Shared};

static BROWSER: Shared = Shared::new();

/// Far less than any round of waiting: what holds already is answered at once.
const AT_ONCE: Duration = Duration::from_millis(700);

#[test]
fn what_holds_already_is_answered_at_once() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = session.open("<p id=p>Total: <b>42</b> euro</p><script>window.ready = 7</script>");
    let _ = session.ok(&["wait-for", "--text", "total"]);
    for (args, matched) in [
        (["--text", "total: 42 EURO"], "text"),
        (["--gone-text", "Loading"], "gone_text"),
        (["--selector", "p > b"], "selector"),
        (["--gone", ".spinner"], "gone"),
        (["--url", &url], "url"),
        (["--url", "http://**"], "url"),
        (["--function", "window.ready"], "function"),
        (["--function", "() => window.ready > 6"], "function"),
    ] {
        let ran = session.bsk(&["wait-for", args[0], args[1]]);
        assert!(ran.elapsed < AT_ONCE, "{}", ran.report());
        let waited = ran.success();
        assert_eq!(waited["matched"], matched, "{waited}");
        assert!(waited["waited_ms"].as_u64().unwrap() < 500, "{waited}");
    }
}

#[test]
fn a_route_of_a_single_page_application_is_waited_for_by_its_text() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<button onclick=\"history.pushState(0,'','/b');setTimeout(()=>o.textContent='B',300)\">Go</button><p id=o>A</p>",
    );
    session.ok(&["click", "button"]);
    let waited = session.ok(&["wait-for", "--text", "B"]);
    assert_eq!((&waited["matched"], &waited["role"]), (&"text".into(), &"paragraph".into()), "{waited}");
    assert!(waited["ref"].as_str().unwrap().starts_with('@'), "{waited}");
    let waited = session.ok(&["wait-for", "--url", "**/b"]);
    assert!(waited["url"].as_str().unwrap().ends_with("/b"), "{waited}");
}

#[test]
fn texts_and_elements_are_waited_for_until_they_come_and_until_they_go() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<p id=spin class=spinner>Loading</p><div id=m hidden>Order placed</div><script>onmessage=()=>{m.hidden=false;setTimeout(()=>spin.remove(),200)}</script>",
    );
    for args in [
        ["--text", "order  placed"],
        ["--selector", "#m"],
        ["--gone-text", "Loading"],
        ["--gone", ".spinner"],
        ["--function", "!m.hidden && !document.querySelector('.spinner')"],
    ] {
        page.evaluate("m.hidden = true; document.body.append(spin)");
        let waiting = session.start_bsk(&["wait-for", args[0], args[1], "--timeout", "10s"]);
        page.evaluate("setTimeout(() => postMessage(1), 400)");
        let waited = waiting.finish().success();
        assert!(waited["waited_ms"].as_u64().unwrap() < 3000, "{args:?}: {waited}");
        session.ok(&["wait-for", "--gone", ".spinner"]);
        page.evaluate("window.spin = document.querySelector('#spin') ?? Object.assign(document.createElement('p'), { id: 'spin', className: 'spinner', textContent: 'Loading' }); 0");
    }
}

#[test]
fn what_cannot_be_seen_is_not_there_and_the_error_says_so() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<p id=p hidden>Secret</p><script>/* Secret */</script>");
    for (args, what) in [(["--text", "Secret"], "p#p"), (["--selector", "#p"], "p#p")] {
        let ran = session.bsk(&["wait-for", args[0], args[1], "--timeout", "600ms"]);
        assert_eq!(ran.exit_code(), Some(4), "{}", ran.report());
        let message = ran.failure()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(what) && message.contains("cannot be seen"), "{message}");
        assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    }
    session.ok(&["wait-for", "--gone", "#p"]);
    session.ok(&["wait-for", "--gone-text", "Secret"]);
    let error = session.err(&["wait-for", "--selector", "p[["]);
    assert_eq!(error["data"]["reason"], "selector_invalid", "{error}");
}

#[test]
fn a_wait_goes_on_in_the_next_page_and_in_frames_that_come_later() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser.pages().html("<p>Far inside</p>").replace("127.0.0.1", "other.localhost");
    let next = browser.pages().html(&format!(
        "<p>Next</p><script>setTimeout(() => document.body.innerHTML += `<iframe src='{inner}'></iframe>`, 300)</script>"
    ));
    for (flag, value) in [
        ("--text", "Far inside"),
        ("--url", next.as_str()),
        ("--selector", "iframe"),
        ("--function", "frames.length"),
    ] {
        let page =
            session.open_page(&format!("<p>First</p><script>onmessage=()=>location.href='{next}'</script>"));
        let waiting = session.start_bsk(&["wait-for", flag, value, "--timeout", "15s"]);
        page.evaluate("setTimeout(() => postMessage(1), 300)");
        let waited = waiting.finish().success();
        assert_eq!(waited["matched"], flag.trim_start_matches('-'), "{waited}");
        if flag == "--text" {
            assert!(waited["ref"].as_str().unwrap().starts_with("@f"), "{waited}");
            let error = session.err(&["wait-for", "--gone-text", "Far inside", "--timeout", "500ms"]);
            assert_eq!(error["code"], "timeout", "{error}");
            session.ok(&["evaluate", "document.querySelector('iframe').remove()"]);
            session.ok(&["wait-for", "--gone-text", "Far inside"]);
        }
    }
}

#[test]
fn idle_waits_for_requests_and_changes_and_says_when_it_did_not_come() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let gate = Arc::new(Barrier::new(2));
    let its_gate = Arc::clone(&gate);
    let slow = browser.pages().answering(move |_| {
        its_gate.wait();
        Response::html("late")
    });
    session.open(&format!(
        "<button onclick=\"fetch('{slow}').then(r => r.text()).then(t => o.textContent = t)\">Load</button><p id=o>-</p>"
    ));
    session.ok(&["click", "button"]);
    let waited = session.ok(&["wait-for", "--idle", "--timeout", "1500ms"]);
    assert_eq!(waited["matched"], serde_json::Value::Null, "{waited}");
    assert!(waited["busy"].as_str().unwrap().contains("1 request"), "{waited}");
    let waiting = session.start_bsk(&["wait-for", "--idle"]);
    gate.wait();
    let waited = waiting.finish().success();
    assert_eq!(waited["matched"], "idle", "{waited}");
    assert_eq!(session.ok(&["evaluate", "o.textContent"])["value"], "late");
    session.ok(&["evaluate", "setInterval(() => o.textContent += '.', 50)"]);
    let waited = session.ok(&["wait-for", "--idle", "--timeout", "1500ms"]);
    assert!(waited["busy"].as_str().unwrap().contains("keeps changing"), "{waited}");
}

#[test]
fn a_function_that_never_holds_says_what_it_gave_and_one_that_is_none_fails_at_once() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<p>x</p>");
    let error =
        session.err(&["wait-for", "--function", "document.querySelector('#no').id", "--timeout", "700ms"]);
    assert!(error["message"].as_str().unwrap().contains("TypeError"), "{error}");
    let ran = session.bsk(&["wait-for", "--function", "if (", "--timeout", "10s"]);
    assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
    assert_eq!(session.bsk(&["wait-for"]).exit_code(), Some(1));
    assert_eq!(session.bsk(&["wait-for", "--text", "a", "--url", "b"]).exit_code(), Some(1));
}
