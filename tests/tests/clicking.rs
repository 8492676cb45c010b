//! Clicking: the page gets the input, or the command says why it did not.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Shared, until};

static BROWSER: Shared = Shared::new();

#[test]
fn a_disabled_or_inert_button_is_refused() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<button id=b disabled onclick=\"o.textContent='bad'\">D</button><div inert><button id=i onclick=\"o.textContent='bad'\">I</button></div><p id=o>-</p>",
    );
    assert_eq!(session.err(&["click", "#b", "--timeout", "1s"])["data"]["reason"], "element_disabled");
    assert_eq!(session.err(&["click", "#i", "--timeout", "1s"])["data"]["reason"], "element_inert");
    assert_eq!(page.evaluate("o.textContent"), "-");
}

#[test]
fn modifiers_button_and_count_reach_the_page() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<button id=b>B</button><p id=o></p><script>for(const k of ['click','dblclick','contextmenu'])b.addEventListener(k,e=>{e.preventDefault();o.textContent+=k+(e.shiftKey?'+shift':'')+(e.isTrusted?'':'!')+';'})</script>",
    );
    session.ok(&["click", "#b", "--modifiers", "Shift"]);
    session.ok(&["click", "#b", "--click-count", "2"]);
    session.ok(&["click", "#b", "--button", "right"]);
    assert_eq!(page.evaluate("o.textContent"), "click+shift;click;click;dblclick;contextmenu;");
}

#[test]
fn a_removed_element_s_ref_is_stale_and_never_another_element() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<button id=a onclick=\"document.title='old'\">One</button>");
    let old = session.ref_of("button \"One\"");
    page.evaluate("document.body.innerHTML = '<button onclick=\"document.title=`new`\">One</button>'");
    let error = session.err(&["click", &old]);
    assert_eq!(error["data"]["reason"], "ref_stale", "{error}");
    assert_eq!(page.evaluate("document.title"), "");
    let new = session.ref_of("button \"One\"");
    assert_ne!(old, new, "a ref is never reused");
    session.ok(&["click", &new]);
    assert_eq!(page.evaluate("document.title"), "new");
    session.open("<button>Three</button>");
    assert_ne!(session.ref_of("button \"Three\""), old, "not even by another page of the tab");
    let error = session.err(&["click", &old]);
    assert!(["ref_stale", "ref_not_found"].contains(&error["data"]["reason"].as_str().unwrap()), "{error}");
}

#[test]
fn a_frame_s_button_is_listed_and_clicked_without_naming_the_frame() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser
        .pages()
        .html("<button style='margin:40px' onclick=\"parent.postMessage('inner','*')\">Deep pay</button>");
    let page = session.open_page(&format!(
        "<p id=o>-</p><iframe style='margin:30px;border:5px solid' width=400 height=200 src='{inner}'></iframe><script>onmessage=e=>o.textContent=e.data</script>"
    ));
    let pay = session.ref_of("button \"Deep pay\"");
    assert!(pay.starts_with("@f"), "{pay}");
    session.ok(&["click", &pay]);
    // The frame's message takes its own way to the page.
    until("the frame's message", Duration::from_secs(2), || {
        (page.evaluate("o.textContent") == "inner").then_some(())
    });
}

#[test]
fn a_look_right_after_a_click_shows_the_page_s_reaction() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<button onclick=\"setTimeout(() => timer.textContent = 'timer'); postMessage('message', '*')\">Go</button>\
         <p id=timer></p><p id=message></p><script>onmessage = event => message.textContent = event.data</script>",
    );
    for _ in 0..5 {
        session.ok(&["click", "button"]);
        let seen = session.ok(&["evaluate", "timer.textContent + message.textContent"]);
        assert_eq!(seen["value"], "timermessage");
        session.ok(&["evaluate", "timer.textContent = message.textContent = ''"]);
    }
    session.ok(&["click", "button"]);
    let text = session.observe();
    assert!(text.contains("timer") && text.contains("message"), "{text}");
}

#[test]
fn a_button_in_nested_scaled_frames_is_clicked_where_it_is() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser.pages().html(
        "<button style='margin:40px 30px' onclick=\"parent.parent.postMessage('inner','*')\">Deep pay</button>",
    );
    let middle = browser.pages().html(&format!(
        "<div style='height:50px'></div><iframe style='border:5px solid;margin-left:20px' width=300 height=150 src='{inner}'></iframe>"
    ));
    session.open(&format!(
        "<p id=o>-</p><iframe style='transform:scale(.5);transform-origin:0 0;border:0' width=600 height=400 src='{middle}'></iframe>\
         <script>onmessage = event => o.textContent = event.data</script>"
    ));
    let button = session.ref_of("button \"Deep pay\"");
    assert!(button.starts_with("@f"), "{button}");
    session.ok(&["click", &button]);
    assert_eq!(session.ok(&["evaluate", "o.textContent"])["value"], "inner");
}

#[test]
fn frames_of_other_processes_are_seen_and_clicked_where_they_are() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let elsewhere = |url: &str, host: &str| url.replace("127.0.0.1", host);
    let inner = browser.pages().html(
        "<input aria-label=Deep><button style='margin:40px 30px' onclick=\"parent.parent.postMessage('inner','*')\">Deep pay</button>",
    );
    let middle = browser.pages().html(&format!(
        "<div style='height:50px'></div><iframe style='border:5px solid;margin-left:20px' width=400 height=150 src='{}'></iframe>",
        elsewhere(&inner, "other.localhost")
    ));
    session.open(&format!(
        "<p id=o>-</p><iframe style='transform:scale(.5);transform-origin:0 0;border:0' width=600 height=400 src='{}'></iframe>\
         <script>onmessage = event => o.textContent = event.data</script>",
        elsewhere(&middle, "third.localhost")
    ));
    let processes = browser.devtools().targets();
    assert_eq!(processes.iter().filter(|target| target["type"] == "iframe").count(), 2, "{processes:?}");
    let button = session.ref_of("button \"Deep pay\"");
    session.ok(&["click", &button]);
    assert_eq!(session.ok(&["evaluate", "o.textContent"])["value"], "inner");
    let field = session.ref_of("textbox \"Deep\"");
    assert_eq!(session.ok(&["fill", &field, "--value", "far away"])["value"], "far away");
    let text = session.observe();
    assert!(text.contains("textbox \"Deep\" value \"far away\""), "{text}");
}

#[test]
fn a_screenshot_beside_a_dialog_answers_at_once_with_the_dialog() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<button onclick=\"alert('hi')\">K</button>");
    let _ = session.bsk(&["click", "button"]);
    let picture = browser.scratch().file("beside.png");
    let refused = session.bsk(&["screenshot", "--out", &picture.display().to_string()]);
    assert_eq!(refused.exit_code(), Some(6), "{}", refused.report());
    assert_eq!(refused.failure()["data"]["dialog"]["message"], "hi", "{}", refused.report());
    assert!(!picture.exists(), "no picture was taken");
    session.ok(&["dialog", "accept"]);
    session.ok(&["screenshot", "--out", &picture.display().to_string()]);
}
