//! Helping: the user is asked to do something in a page, has the control until they are done, and nothing else ends it.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Browser, Help, Options, Page, Picture, Running, Scratch, Session, until};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);

/// Asks for help; the caller answers.
fn asking(session: &Session<'_>, more: &[&str]) -> Running {
    let args: Vec<&str> = ["request-help", "--prompt", "Type the code"].iter().chain(more).copied().collect();
    session.start_bsk(&args)
}

/// A part of what the page shows, as a person sees it and past the extension.
fn picture(page: &Page<'_>, place: [u32; 4]) -> Vec<[u8; 3]> {
    Picture::of(page).part(place)
}

fn outcome(running: Running) -> Value {
    let ran = running.finish();
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
    ran.json()
}

#[test]
fn the_user_reads_what_is_asked_and_done_brings_the_note() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<label>Code <input id=code></label><button id=b>Send</button>");
    let asked = session.start_bsk(&[
        "request-help",
        "--title",
        "A text message",
        "--prompt",
        "Type the <b>code</b>\n  that you got",
        "--target",
        "#code",
        "--target",
        &session.ref_of("Send"),
    ]);
    let help = Help::asked(&browser);
    let text = help.text();
    for said in [
        "helping",
        "A text message",
        "Type the <b>code</b>\n  that you got",
        "Code",
        "Send",
        &session.id,
        "left",
    ] {
        assert!(text.contains(said), "`{said}` in:\n{text}");
    }
    help.note("it was 4711\nthanks");
    help.done();
    let given = outcome(asked);
    assert_eq!((&given["outcome"], &given["note"]), (&json!("continued"), &json!("it was 4711\nthanks")));
    let shown = given["resolved_targets"].as_array().unwrap();
    assert_eq!((&shown[0]["role"], &shown[0]["name"]), (&json!("textbox"), &json!("Code")), "{given}");
    assert_eq!((&shown[1]["ref"], &shown[1]["name"]), (&json!(session.ref_of("Send")), &json!("Send")));
}

#[test]
fn cancel_and_a_closed_window_and_the_end_of_the_time_are_answers() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<p>Page</p>");
    let asked = asking(&session, &[]);
    Help::asked(&browser).cancel();
    assert_eq!(outcome(asked), json!({ "outcome": "cancelled", "note": null, "resolved_targets": [] }));
    let asked = asking(&session, &[]);
    Help::asked(&browser).page().close();
    assert_eq!(outcome(asked)["outcome"], "cancelled");
    Help::gone(&browser);
    let asked = asking(&session, &["--timeout", "1500ms"]);
    drop(Help::asked(&browser));
    assert_eq!(outcome(asked)["outcome"], "timed_out");
    Help::gone(&browser);
}

#[test]
fn switched_off_it_is_disabled_at_once_without_any_host() {
    let scratch = Scratch::new().with_variable("BSK_REQUEST_HELP", "off");
    let given = scratch.bsk_ok(&["request-help", "--prompt", "Sign in", "--session", "quwe"]);
    assert_eq!(given, json!({ "outcome": "disabled", "note": null, "resolved_targets": [] }));
}

#[test]
fn what_cannot_be_asked_is_said_before_anything_is_shown() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<p>Page</p>");
    for (criteria, reason) in [
        (r#"{"url": "x"}"#, "usage_invalid"),
        ("{", "usage_invalid"),
        (r#"{"url_matches": "("}"#, "pattern_invalid"),
        (r#"{"any": [{"text_exists": "never"}, {"selector_exists": "::::"}]}"#, "selector_invalid"),
    ] {
        let ran = asking(&session, &["--completion-criteria", criteria]).finish();
        assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
        assert_eq!(ran.failure()["data"]["reason"], reason, "{}", ran.report());
        assert!(!Help::is_asked(&browser), "{criteria}");
    }
    let error = session.err(&["request-help", "--prompt", "p", "--target", "@e999"]);
    assert_eq!(error["data"]["reason"], "ref_not_found", "{error}");
    assert!(!Help::is_asked(&browser));
}

#[test]
fn each_criterion_completes_it_when_the_page_is_so() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let inner = browser.pages().html("<p id=q>Inner</p>");
    let page = session.open_page(&format!(
        "<p id=login>Sign in</p><p id=welcome hidden>Welcome back</p><iframe src='{inner}'></iframe>"
    ));
    let reset = "login.hidden = false; welcome.hidden = true; history.replaceState(null, '', '#'); 1";
    for (criteria, deed) in [
        (r#"{"text_exists": "welcome back"}"#, "welcome.hidden = false"),
        (r#"{"text_missing": "Sign in"}"#, "login.hidden = true"),
        (r##"{"selector_exists": "#welcome"}"##, "welcome.hidden = false"),
        (r##"{"selector_missing": "#login"}"##, "login.hidden = true"),
        (r#"{"url_contains": "/account"}"#, "history.pushState(null, '', '/account')"),
        (r#"{"url_matches": "/orders/\\d+$"}"#, "history.pushState(null, '', '/orders/17')"),
        (r#"{"any": [{"text_exists": "never"}, {"text_missing": "Sign in"}]}"#, "login.hidden = true"),
        (
            r##"{"all": [{"selector_exists": "#welcome"}, {"type": "text_exists", "value": "Inner"}]}"##,
            "welcome.hidden = false",
        ),
    ] {
        page.evaluate(reset);
        let asked = asking(&session, &["--completion-criteria", criteria]);
        drop(Help::asked(&browser));
        page.evaluate(&format!("{deed}; 1"));
        let given = outcome(asked);
        assert_eq!(given["outcome"], "completed", "{criteria}: {given}");
        Help::gone(&browser);
    }
    page.evaluate(reset);
    let given = session.ok(&[
        "request-help",
        "--prompt",
        "p",
        "--completion-criteria",
        r#"{"text_exists": "Sign in"}"#,
    ]);
    assert_eq!(given["outcome"], "completed", "what holds already needs nobody");
}

#[test]
fn going_to_another_page_ends_nothing_and_criteria_are_judged_there() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let last = browser.pages().html("<p>Welcome back</p>");
    let middle = browser.pages().html(&format!("<a href='{last}'>on</a>"));
    let first = session.open_page(&format!("<a href='{middle}'>on</a>"));
    let asked = asking(&session, &["--completion-criteria", r#"{"text_exists": "Welcome back"}"#]);
    drop(Help::asked(&browser));
    first.run_soon("document.querySelector('a').click()");
    let there = browser.devtools().page(&middle);
    until("the next page", SOON, || (there.evaluate("document.readyState") == "complete").then_some(()));
    let seen = session.observe();
    assert!(seen.contains("on"), "{seen}");
    assert!(Help::is_asked(&browser));
    there.run_soon("document.querySelector('a').click()");
    assert_eq!(outcome(asked)["outcome"], "completed");
    Help::gone(&browser);
    let asked = asking(&session, &[]);
    let help = Help::asked(&browser);
    browser.devtools().page(&last).run_soon(&format!("location.href = '{middle}'"));
    let there = browser.devtools().page(&middle);
    until("the page before", SOON, || (there.evaluate("document.readyState") == "complete").then_some(()));
    help.done();
    assert_eq!(outcome(asked)["outcome"], "continued");
}

#[test]
fn what_is_to_be_stable_has_to_hold_without_a_break() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(
        "<p id=p>Ready</p><script>
        let turns = 0; const flap = setInterval(() => { p.hidden = !p.hidden; turns += 1; }, 300);</script>",
    );
    let criteria = r#"{"text_exists": "Ready", "stable_for_ms": 1800}"#;
    let asked = asking(&session, &["--completion-criteria", criteria]);
    drop(Help::asked(&browser));
    page.evaluate("turns = 0");
    until("many turns", SOON, || (page.evaluate("turns").as_u64() >= Some(12)).then_some(()));
    assert!(Help::is_asked(&browser), "it never held for long enough");
    page.evaluate("clearInterval(flap); p.hidden = false; window.since = performance.now(); 1");
    assert_eq!(outcome(asked)["outcome"], "completed");
    let waited = page.evaluate("performance.now() - since").as_f64().unwrap();
    assert!(waited >= 1500.0, "it held for {waited} ms");
}

#[test]
fn the_agent_looks_and_does_not_act_until_the_user_is_done() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page =
        session.open_page("<button id=b onclick=\"this.textContent = 'pressed'\">Press</button><input id=i>");
    let asked = asking(&session, &[]);
    let help = Help::asked(&browser);
    for act in [
        &["click", "#b"][..],
        &["fill", "#i", "--value", "x"],
        &["press", "Enter"],
        &["scroll", "--by", "0,100"],
        &["navigate", "about:blank"],
        &["reload"],
        &["evaluate", "b.click()"],
        &["tab", "create"],
        &["window", "resize", "--width", "600", "--height", "600"],
        &["request-help", "--prompt", "again"],
    ] {
        let ran = session.bsk(act);
        assert_eq!(ran.exit_code(), Some(7), "{}", ran.report());
        assert_eq!(ran.failure()["data"]["reason"], "user_in_control", "{}", ran.report());
    }
    assert!(session.observe().contains("Press"));
    session.ok(&["wait-for", "--text", "Press"]);
    session.ok(&["wait-for", "--idle"]);
    let file = browser.scratch().file("during.png");
    session.ok(&["screenshot", "--out", file.to_str().unwrap()]);
    assert_eq!(page.evaluate("b.textContent + i.value"), "Press");
    help.done();
    assert_eq!(outcome(asked)["outcome"], "continued");
    session.ok(&["click", "#b"]);
    assert_eq!(page.evaluate("b.textContent"), "pressed");
}

#[test]
fn what_the_user_types_and_presses_reaches_the_page_and_is_no_news_afterwards() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(
        "<style>body{margin:0} *{position:absolute;width:120px;height:30px}</style><input id=code style='top:20px'>
        <button id=b style='top:80px' onclick=\"out.textContent = 'Sent ' + code.value\">Send</button><p id=out style='top:120px'></p>",
    );
    let asked =
        asking(&session, &["--target", "#code", "--completion-criteria", r#"{"text_exists": "Sent 4711"}"#]);
    drop(Help::asked(&browser));
    let press = |x: u32, y: u32| {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            page.call("Input.dispatchMouseEvent", &event).unwrap();
        }
    };
    press(50, 35);
    page.call("Input.insertText", &json!({ "text": "4711" })).unwrap();
    assert!(Help::is_asked(&browser));
    press(50, 95);
    assert_eq!(outcome(asked)["outcome"], "completed");
    let seen = session.ok(&["observe"]);
    assert_eq!(seen.get("user_acted"), None, "{seen}");
}

#[test]
fn targets_are_marked_in_the_picture_and_not_in_the_page() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let inner = browser
        .pages()
        .html("<style>body{margin:0}</style><button id=deep style='width:100px;height:30px'>Deep</button>");
    let far = browser
        .pages()
        .html("<style>body{margin:0}</style><button style='width:100px;height:30px'>Far</button>")
        .replace("127.0.0.1", "localhost");
    let page = session.open_page(&format!(
        "<style>body{{margin:0}} button{{position:absolute;left:20px;width:100px;height:30px}}
        iframe{{position:absolute;left:20px;width:120px;height:40px;border:0}}</style>
        <button id=one style='top:20px'>One</button><button id=two style='top:80px'>Two</button>
        <iframe src='{inner}' style='top:150px'></iframe><iframe src='{far}' style='top:280px'></iframe>
        <button id=other style='top:220px'>Other</button>"
    ));
    let (deep, far) = (session.ref_of("Deep"), session.ref_of("Far"));
    page.evaluate(
        "window.changes = []; new MutationObserver((all) => changes.push(...all.map(({ type }) => type)))
        .observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); 1",
    );
    let html = || page.evaluate("document.documentElement.outerHTML");
    let places = [[10, 10, 120, 50], [10, 70, 120, 50], [10, 145, 120, 40], [10, 275, 120, 40]];
    let other = [10, 210, 120, 50];
    let plain = (html(), places.map(|place| picture(&page, place)), picture(&page, other));
    let asked =
        asking(&session, &["--target", "#one", "--target", "#two", "--target", &deep, "--target", &far]);
    let help = Help::asked(&browser);
    for (place, plain) in places.into_iter().zip(&plain.1) {
        until("each is marked", SOON, || (picture(&page, place) != *plain).then_some(()));
    }
    assert!(
        places.into_iter().zip(&plain.1).all(|(place, plain)| picture(&page, place) != *plain),
        "all at the same time"
    );
    assert!(picture(&page, other) == plain.2, "nothing else is marked");
    assert_eq!(html(), plain.0);
    let file = browser.scratch().file("during.png");
    session.ok(&["screenshot", "--selector", "#two", "--out", file.to_str().unwrap()]);
    let during = std::fs::read(&file).unwrap();
    until("it is marked again after the picture", SOON, || {
        (picture(&page, places[1]) != plain.1[1]).then_some(())
    });
    help.done();
    assert_eq!(outcome(asked)["outcome"], "continued");
    for (place, plain) in places.into_iter().zip(&plain.1) {
        until("each is plain again", SOON, || (picture(&page, place) == *plain).then_some(()));
    }
    session.ok(&["screenshot", "--selector", "#two", "--out", file.to_str().unwrap()]);
    assert!(during == std::fs::read(&file).unwrap(), "the agent's picture shows no mark");
    assert_eq!((html(), page.evaluate("changes")), (plain.0, json!([])));
}

#[test]
fn the_page_is_scrolled_to_the_first_target() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(
        "<style>button{position:absolute}</style><button id=last style='top:6000px'>Last</button>
        <button id=first style='top:3000px'>First</button>",
    );
    let asked = asking(&session, &["--target", "#first", "--target", "#last"]);
    let help = Help::asked(&browser);
    until("the first is in view", SOON, || {
        let top = page.evaluate("first.getBoundingClientRect().top").as_f64()?;
        (0.0..page.evaluate("innerHeight").as_f64()?).contains(&top).then_some(())
    });
    help.done();
    assert_eq!(outcome(asked)["outcome"], "continued");
}

#[test]
fn a_target_is_marked_again_in_the_next_document_that_has_it() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let look =
        "<style>body{margin:0} button{position:absolute;left:20px;top:20px;width:100px;height:30px}</style>";
    let next = browser.pages().html(&format!("{look}<button id=n>Send</button>"));
    let page = session.open_page(&format!("{look}<button id=b>Send</button>"));
    let place = [10, 10, 120, 50];
    let plain = picture(&page, place);
    let asked = asking(&session, &["--target", "#b"]);
    let help = Help::asked(&browser);
    until("it is marked", SOON, || (picture(&page, place) != plain).then_some(()));
    page.run_soon(&format!("location.href = '{next}'"));
    let there = browser.devtools().page(&next);
    until("it is marked again", SOON, || (picture(&there, place) != plain).then_some(()));
    help.done();
    until("nothing is marked", SOON, || (picture(&there, place) == plain).then_some(()));
    assert_eq!(outcome(asked)["outcome"], "continued");
}

#[test]
fn who_gives_the_command_up_and_who_stops_the_session_takes_the_window_along() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<p>Page</p>");
    let asked = asking(&session, &[]);
    drop(Help::asked(&browser));
    asked.kill();
    Help::gone(&browser);
    assert_eq!(session.ok(&["evaluate", "1+1"])["value"], 2, "the session goes on, and acts");
    let other = browser.session();
    let asked = asking(&other, &[]);
    drop(Help::asked(&browser));
    browser.bsk_ok(&["session", "stop", &other.id]);
    assert_eq!(asked.finish().failure()["data"]["reason"], "session_ended");
    Help::gone(&browser);
}

#[test]
fn a_restarted_worker_leaves_no_window_and_no_mark() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(
        "<style>body{margin:0}</style><button id=b style='width:100px;height:30px'>Press</button>",
    );
    let place = [0, 0, 110, 40];
    let plain = picture(&page, place);
    let asked = asking(&session, &["--target", "#b"]);
    drop(Help::asked(&browser));
    until("it is marked", SOON, || (picture(&page, place) != plain).then_some(()));
    browser.devtools().worker().close();
    let ran = asked.finish();
    assert_eq!(ran.exit_code(), Some(2), "{}", ran.report());
    Help::gone(&browser);
    until("the mark is gone", SOON, || (picture(&page, place) == plain).then_some(()));
    until("the session acts again", SOON, || {
        (session.bsk(&["click", "#b"]).exit_code() == Some(0)).then_some(())
    });
}

#[test]
fn a_hostile_page_neither_ends_nor_fakes_it() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(
        "<div id=fake style='position:fixed;inset:0'><h1>bsk asks for your help</h1><button id=done>Done</button></div><script>
        const extension = 'chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/';
        function attack() {
          for (const id of [1, 2, 3]) try { chrome.runtime.sendMessage(extension.split('/')[2], { type: 'help_answer', id, answer: 'done', note: 'evil' }); } catch {}
          open(extension + 'ui/help.html'); open(location.href, '', 'popup');
          setInterval(() => { focus(); done.click(); open('', 'bsk'); }, 20);
          fetch(extension + 'ui/help.html').catch(() => {}).then(() => { window.attacked = true; });
        }
        function alerts() { for (;;) alert('Help is over, press OK'); }
        </script>",
    );
    let asked = asking(&session, &[]);
    let help = Help::asked(&browser);
    page.evaluate("attack()");
    until("the attack is under way", SOON, || {
        (page.evaluate("window.attacked === true") == true).then_some(())
    });
    page.run_soon("alerts()");
    until("an alert", SOON, || {
        let dialogs = session.ok(&["dialog", "list"]);
        (!dialogs["dialogs"].as_array().unwrap().is_empty()).then_some(())
    });
    assert_eq!(session.err(&["dialog", "accept"])["data"]["reason"], "user_in_control");
    assert!(help.text().contains("helping"));
    help.note("mine");
    help.done();
    let given = outcome(asked);
    assert_eq!((&given["outcome"], &given["note"]), (&json!("continued"), &json!("mine")));
}

#[test]
fn dialogs_are_the_user_s_to_decide_while_they_help() {
    let browser = Browser::launch(&Options::default());
    let started = browser.bsk_ok(&["session", "start", "--dialogs", "accept"]);
    let id = started["session_id"].as_str().unwrap();
    let url = browser.pages().html("<p>Page</p>");
    browser.bsk_ok(&["navigate", &url, "--session", id]);
    let page = browser.devtools().page(&url);
    let asked = browser.start_bsk(&["request-help", "--prompt", "p", "--json", "--session", id]);
    let help = Help::asked(&browser);
    let again = browser.bsk_err(&["request-help", "--prompt", "again", "--session", id]);
    assert_eq!(again["data"]["reason"], "user_in_control", "{again}");
    page.run_soon("window.said = confirm('Sure?')");
    until("the dialog waits", SOON, || {
        let dialogs = browser.bsk_ok(&["dialog", "list", "--session", id]);
        (!dialogs["dialogs"].as_array().unwrap().is_empty()).then_some(())
    });
    help.done();
    assert_eq!(outcome(asked)["outcome"], "continued");
    browser.bsk_ok(&["dialog", "dismiss", "--session", id]);
    assert_eq!(page.evaluate("said"), false, "nobody accepted it meanwhile");
}

#[test]
fn two_sessions_are_helped_at_once() {
    let browser = Browser::launch(&Options::default());
    let (first, second) = (browser.session(), browser.session());
    first.open("<p>First</p>");
    second.open("<button id=b>Second</button>");
    let one = asking(&first, &[]);
    let help = Help::asked(&browser);
    second.ok(&["click", "#b"]);
    let two = asking(&second, &["--timeout", "2s"]);
    assert_eq!(outcome(two)["outcome"], "timed_out");
    help.done();
    assert_eq!(outcome(one)["outcome"], "continued");
}
