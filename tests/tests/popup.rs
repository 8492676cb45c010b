//! The popup in its real place, over the toolbar: it shows the connection and the sessions, and Stop stops.
//!
//! Opened by the extension's own `chrome.action.openPopup`, looked at and pressed through DevTools.

use std::time::Duration;

use bsk_tests::{Browser, NativeHost, Options, Page, until};
use serde_json::json;

const SOON: Duration = Duration::from_secs(10);

/// Opens the popup over the first window.
fn popup(browser: &Browser) -> Page<'_> {
    until("a worker that has begun", SOON, || (browser.in_worker("typeof chrome") == "object").then_some(()));
    browser.in_worker(
        "chrome.windows.getAll().then(([first]) => chrome.windows.update(first.id, { focused: true })\
         .then(() => chrome.action.openPopup({ windowId: first.id })).then(() => true))",
    );
    browser.devtools().page("chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/popup.html")
}

fn text(popup: &Page<'_>) -> String {
    popup.evaluate("document.body.innerText").as_str().unwrap_or_default().to_owned()
}

fn shows(popup: &Page<'_>, wanted: &str) -> String {
    until(&format!("a popup that shows `{wanted}`"), SOON, || {
        let text = text(popup);
        text.contains(wanted).then_some(text)
    })
}

#[test]
fn it_shows_the_sessions_and_stops_one_or_all() {
    let browser = Browser::launch(&Options::default());
    let named = browser.bsk_ok(&["session", "start", "--name", "Tea <b>shopping</b>", "--no-focus"]);
    let other = browser.session();
    let popup = popup(&browser);
    let shown = shows(&popup, "Tea <b>shopping</b>");
    assert!(shown.contains("Connected"), "{shown}");
    assert!(shown.contains(&other.id), "{shown}");
    popup.evaluate("document.querySelector('#session-list button').click()");
    until("one session less", SOON, || {
        (browser.bsk_ok(&["session", "list"]).as_array()?.len() == 1).then_some(())
    });
    assert_eq!(browser.bsk_ok(&["session", "list"])[0]["session_id"], other.id.as_str());
    let stopped =
        browser.bsk(&["--json", "evaluate", "1", "--session", named["session_id"].as_str().unwrap()]);
    assert_eq!(stopped.failure()["data"]["reason"], "session_ended", "{}", stopped.report());
    assert_eq!(stopped.exit_code(), Some(7), "{}", stopped.report());
    browser.bsk_ok(&["session", "start", "--no-focus"]);
    until("a button for all", SOON, || {
        (popup.evaluate("!document.querySelector('#stop-all').hidden") == true).then_some(())
    });
    popup.evaluate("document.querySelector('#stop-all').click()");
    until("no session", SOON, || (browser.bsk_ok(&["session", "list"]) == json!([])).then_some(()));
}

#[test]
fn stopping_ends_the_running_command_as_the_user_s_wish() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<title>Busy</title>");
    let running = session.start_endless(&page);
    let popup = popup(&browser);
    shows(&popup, &session.id);
    popup.evaluate("document.querySelector('#session-list button').click()");
    let ended = running.finish();
    assert_eq!(ended.exit_code(), Some(7), "{}", ended.report());
    assert_eq!(ended.failure()["code"], "user_aborted", "{}", ended.report());
}

#[test]
fn without_the_host_it_says_what_is_missing_and_what_to_do() {
    let options = Options { host: NativeHost::None, ..Options::default() };
    let browser = Browser::launch(&options);
    let popup = popup(&browser);
    let shown = shows(&popup, "bsk install");
    assert!(shown.contains("Not connected"), "{shown}");
}
