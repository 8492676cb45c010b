//! Waiting until something holds, and JavaScript dialogs: what is waited for is told when it comes, and nothing freezes.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Response, Shared};
use nix::sys::signal::Signal;

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
    let (slow, gate) = browser.pages().gated(Response::html("late"));
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
fn what_a_page_asks_for_while_it_loads_is_waited_for_although_the_wait_begins_later() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let (slow, gate) = browser.pages().gated(Response::html("late"));
    session.open(&format!(
        "<p id=o>-</p><script>fetch('{slow}').then(r => r.text()).then(t => o.textContent = t)</script>"
    ));
    let waited = session.ok(&["wait-for", "--idle", "--timeout", "1500ms"]);
    assert_eq!(waited["matched"], serde_json::Value::Null, "{waited}");
    assert_eq!(waited["busy"], "1 request is under way", "{waited}");
    let waiting = session.start_bsk(&["wait-for", "--idle"]);
    gate.wait();
    let waited = waiting.finish().success();
    assert_eq!(waited["matched"], "idle", "{waited}");
    assert_eq!(session.ok(&["evaluate", "o.textContent"])["value"], "late");
    session.ok(&["navigate-back"]);
    session.ok(&["navigate-forward"]);
    let waited = session.ok(&["wait-for", "--idle"]);
    assert_eq!(waited["matched"], "idle", "a page from the browser's memory is at rest: {waited}");
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

/// Starts a session with a policy for dialogs; stopped with the browser.
fn session_with<'a>(browser: &'a bsk_tests::Browser, policy: &str) -> bsk_tests::Session<'a> {
    let mut session = browser.session();
    let args = ["session", "start", "--browser", &browser.instance_id, "--dialogs", policy];
    let started = browser.bsk_ok(&args);
    assert!(browser.bsk(&["session", "stop", &session.id]).status.success());
    session.id = started["session_id"].as_str().unwrap().to_owned();
    session
}

#[test]
fn an_alert_ends_the_click_at_once_and_is_answered_later() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<button onclick=\"o.textContent+='before;';alert('hi');o.textContent+='after'\">K</button><p id=o></p>",
    );
    let ran = session.bsk(&["click", "button"]);
    assert_eq!(ran.exit_code(), Some(6), "{}", ran.report());
    assert!(ran.elapsed < Duration::from_secs(1), "{}", ran.report());
    let dialog = ran.failure()["data"]["dialog"].clone();
    assert_eq!((&dialog["type"], &dialog["message"]), (&"alert".into(), &"hi".into()));
    for args in [&["status"][..], &["session", "list"]] {
        let ran = browser.bsk(args);
        assert!(ran.status.success() && ran.elapsed < Duration::from_secs(1), "{}", ran.report());
    }
    for args in [&["evaluate", "1"][..], &["wait-for", "--text", "x"], &["click", "button"], &["press", "a"]]
    {
        let ran = session.bsk(args);
        assert_eq!(ran.exit_code(), Some(6), "{}", ran.report());
        assert!(ran.elapsed < Duration::from_secs(1), "{}", ran.report());
    }
    let accepted = session.ok(&["dialog", "accept", "--observe"]);
    assert_eq!((&accepted["type"], &accepted["message"]), (&"alert".into(), &"hi".into()), "{accepted}");
    assert!(accepted["observation"]["text"].as_str().unwrap().contains("after"), "{accepted}");
    assert_eq!(page.evaluate("o.textContent"), "before;after");
}

#[test]
fn alerts_in_a_row_are_answered_one_by_one() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session
        .open_page("<button onclick=\"for(let i=0;i<3;i++)alert('n'+i);document.title='done'\">K</button>");
    assert_eq!(session.bsk(&["click", "button"]).exit_code(), Some(6));
    for n in 0..3 {
        let open = bsk_tests::until("the next alert", Duration::from_secs(3), || {
            session.ok(&["dialog", "list"])["dialogs"]
                .as_array()
                .filter(|dialogs| !dialogs.is_empty())
                .cloned()
        });
        assert_eq!(open[0]["message"], format!("n{n}").as_str());
        let accepted = session.ok(&["dialog", "accept"]);
        assert_eq!(accepted["message"], format!("n{n}").as_str());
    }
    assert_eq!(page.evaluate("document.title"), "done");
}

#[test]
fn a_dialog_of_a_frame_is_told_like_the_page_s() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner =
        browser.pages().html("<button onclick=\"parent.document.title=confirm('sure?')\">In</button>");
    let page = session.open_page(&format!("<iframe src='{inner}'></iframe>"));
    let failure = session.err(&["click", "--name", "In"]);
    assert_eq!(
        (&failure["exit_code"], &failure["data"]["dialog"]["message"]),
        (&6.into(), &"sure?".into()),
        "{failure}"
    );
    session.ok(&["dialog", "dismiss"]);
    assert_eq!(page.evaluate("document.title"), "false");
}

#[test]
fn a_session_can_say_how_dialogs_are_answered_and_is_told_of_each() {
    let browser = BROWSER.browser();
    for (policy, given) in [("accept", "true def"), ("dismiss", "false null")] {
        let session = session_with(&browser, policy);
        let page = session.open_page(
            "<button onclick=\"document.title=confirm('sure?')+' '+prompt('n','def')\">K</button><input oninput=\"alert(this.value)\">",
        );
        let clicked = session.ok(&["click", "button"]);
        let dialogs = &clicked["effects"]["dialogs"];
        assert_eq!(
            (&dialogs[0]["type"], &dialogs[0]["message"]),
            (&"confirm".into(), &"sure?".into()),
            "{clicked}"
        );
        assert_eq!(
            (&dialogs[1]["default_prompt"], &dialogs[1]["action"]),
            (&"def".into(), &policy.into()),
            "{clicked}"
        );
        assert_eq!(page.evaluate("document.title"), given);
        let filled = session.ok(&["fill", "input", "--value", "abc"]);
        assert_eq!(filled["effects"]["dialogs"][0]["message"], "abc", "{filled}");
        let asked = session.ok(&["evaluate", "confirm('again?')"]);
        assert_eq!(asked["effects"]["dialogs"][0]["message"], "again?", "{asked}");
        assert_eq!(asked["value"], policy == "accept", "{asked}");
        let quiet = session.ok(&["evaluate", "1"]);
        assert!(quiet["effects"].is_null(), "each is told once: {quiet}");
        let ran = session.bsk(&["evaluate", "for(;;)alert('more')", "--timeout", "20s"]);
        assert_eq!(ran.exit_code(), Some(6), "a page without end waits for a decision: {}", ran.report());
        let _ = browser.bsk(&["session", "stop", &session.id]);
    }
}

#[test]
fn leaving_a_page_that_asks_to_stay_follows_the_session_s_answer() {
    let browser = BROWSER.browser();
    for policy in ["accept", "dismiss"] {
        let session = session_with(&browser, policy);
        let here = session
            .open("<input id=i><script>onbeforeunload=e=>{e.preventDefault();e.returnValue='x'}</script>");
        let next = browser.pages().html("<title>Next</title>");
        session.ok(&["click", "#i"]);
        let ran = session.bsk(&["navigate", &next]);
        if policy == "accept" {
            let gone = ran.success();
            assert_eq!(gone["final_url"], next.as_str(), "{gone}");
            assert_eq!(gone["effects"]["dialogs"][0]["type"], "beforeunload", "{gone}");
        } else {
            let failure = ran.failure();
            assert_eq!(
                (&failure["exit_code"], &failure["data"]["reason"]),
                (&3.into(), &"navigation_failed".into())
            );
            assert!(failure["message"].as_str().unwrap().contains("dismissed"), "{failure}");
            assert_eq!(session.ok(&["evaluate", "location.href"])["value"], here.as_str());
        }
        let _ = browser.bsk(&["session", "stop", &session.id]);
    }
}

#[test]
fn a_wait_whose_caller_is_killed_or_interrupted_frees_its_session_at_once() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<p>x</p>");
    for signal in [Signal::SIGKILL, Signal::SIGINT] {
        for args in
            [["--text", "never"], ["--function", "false"], ["--url", "never"], ["--selector", "#never"]]
        {
            let waiting = session.start_bsk(&["wait-for", args[0], args[1], "--timeout", "50s"]);
            let pid = waiting.pid();
            bsk_tests::until("the session to be busy", Duration::from_secs(5), || {
                let other = session.bsk(&["evaluate", "1", "--timeout", "100ms"]);
                (other.exit_code() == Some(4)).then_some(())
            });
            bsk_tests::signal(pid, signal);
            let ran = session.bsk(&["evaluate", "1+1"]);
            assert!(ran.elapsed < Duration::from_secs(1), "{}", ran.report());
            assert_eq!(ran.success()["value"], 2);
            let _ = waiting.finish();
        }
    }
}

#[test]
fn a_key_that_is_held_is_let_go_when_the_command_is_interrupted() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<script>onkeydown=e=>document.title='down '+e.key;onkeyup=e=>document.title+=' up '+e.key</script>",
    );
    let holding = session.start_bsk(&["press", "Shift+a", "--hold-ms", "40s", "--timeout", "50s"]);
    bsk_tests::until("the key to be down", Duration::from_secs(5), || {
        (page.evaluate("document.title") == "down A").then_some(())
    });
    bsk_tests::signal(holding.pid(), Signal::SIGINT);
    bsk_tests::until("the keys to be up", Duration::from_secs(1), || {
        (page.evaluate("document.title") == "down A up A up Shift").then_some(())
    });
    let _ = holding.finish();
    session.ok(&["press", "b"]);
    assert_eq!(page.evaluate("document.title"), "down b up b");
}

#[test]
fn stop_and_status_do_not_wait_behind_a_command_that_is_stuck() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<button onclick=\"document.title='busy';while(true);\">Hang</button>");
    let stuck = session.start_bsk(&["click", "button", "--timeout", "50s"]);
    let _ = page;
    bsk_tests::until("the session to be busy", Duration::from_secs(5), || {
        (session.bsk(&["evaluate", "1", "--timeout", "300ms"]).exit_code() == Some(4)).then_some(())
    });
    for args in [&["status"][..], &["session", "list"], &["session", "stop", &session.id]] {
        let ran = browser.bsk(args);
        assert!(ran.status.success() && ran.elapsed < Duration::from_secs(1), "{}", ran.report());
    }
    let ran = stuck.finish();
    assert_eq!(ran.failure()["data"]["reason"], "session_ended", "{}", ran.report());
}
