//! The popup in its real place, over the toolbar: it shows the connection and the sessions, and Stop stops.
//!
//! Opened by the extension's own `chrome.action.openPopup`, looked at and pressed through DevTools.

use std::time::Duration;

use bsk_tests::{Browser, Consent, NativeHost, Options, Page, until};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);
const SETTINGS: &str = "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/options.html";

/// Opens the popup over the first window.
fn popup(browser: &Browser) -> Page<'_> {
    until("a worker that has begun", SOON, || (browser.in_worker("typeof chrome") == "object").then_some(()));
    browser.in_worker(
        "chrome.windows.getAll().then(([first]) => chrome.windows.update(first.id, { focused: true })\
         .then(() => chrome.action.openPopup({ windowId: first.id })).then(() => true))",
    );
    browser.devtools().page("chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/popup.html")
}

/// What stands on the toolbar button.
fn badge(browser: &Browser) -> Value {
    browser.in_worker("chrome.action.getBadgeText({})")
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
fn it_shows_what_a_session_does_and_which_of_its_tabs_are_the_user_s() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let _ = session.open_page("<title>Tea &lt;i&gt;shop&lt;/i&gt;</title>");
    let url = browser.pages().html("<title>My mail</title>");
    let mine = browser.in_worker(&format!(
        "chrome.windows.create({{ url: [{}, 'about:blank'] }}).then(({{ tabs }}) => tabs[0].id)",
        json!(url)
    ));
    until("a tab that has loaded", SOON, || {
        (browser.in_worker(&format!("chrome.tabs.get({mine})"))["title"] == "My mail").then_some(())
    });
    let asked = session.start_bsk(&["tab", "borrow", &mine.to_string()]);
    let consent = Consent::asked(&browser);
    assert_eq!(badge(&browser), "?", "the user is needed");
    consent.allow();
    let _ = asked.finish().success();
    until("a badge that calls nobody", SOON, || (badge(&browser) != "?").then_some(()));
    let popup = popup(&browser);
    let shown = shows(&popup, "My mail");
    for said in [
        "Tea <i>shop</i>",
        "127.0.0.1:",
        "yours, borrowed",
        "(process ",
        "tab\u{a0}borrow",
        "2 tabs",
        "program ",
    ] {
        assert!(shown.contains(said), "`{said}` in:\n{shown}");
    }
    let _ = session.observe();
    shows(&popup, "observe");
}

#[test]
fn the_toolbar_button_says_when_an_agent_is_at_work() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<title>Busy</title>");
    until("a quiet button", SOON, || (badge(&browser) == "").then_some(()));
    let running = session.start_endless(&page);
    until("a badge for work", SOON, || (badge(&browser) == "●").then_some(()));
    let title = browser.in_worker("chrome.action.getTitle({})");
    assert!(title.as_str().is_some_and(|title| title.contains("an agent is at work")), "{title}");
    running.kill();
    until("a quiet button again", SOON, || (badge(&browser) == "").then_some(()));
}

#[test]
fn its_link_opens_the_settings() {
    let browser = Browser::launch(&Options::default());
    let popup = popup(&browser);
    shows(&popup, "Settings");
    popup.run_soon("document.querySelector('#settings').click()");
    // Among the browser's own pages it is one of ours as the popup is: the kernel answers it. For a moment it can be there twice,
    // and one that is still loading answers nothing.
    let ask = json!({
        "expression": "chrome.runtime.sendMessage({ type: 'state' }).then(({ version }) => version)",
        "returnByValue": true, "awaitPromise": true,
    });
    let settings = until("settings that the kernel answers", SOON, || {
        browser.devtools().embedded(SETTINGS).into_iter().find(|page| {
            let answer = page.call("Runtime.evaluate", &ask);
            answer.is_ok_and(|answer| answer["result"]["value"] == env!("CARGO_PKG_VERSION"))
        })
    });
    // What is pressed there counts at once; the page takes presses when it has shown what there is.
    let press = "(() => { if (document.querySelector('#rules .pattern')) return true; const add = document.querySelector('#add'); \
         if (!add?.querySelector('.pattern') || document.querySelector('#settings').hidden) return false; \
         add.querySelector('.pattern').value = 'bank.localhost'; add.querySelector('select').value = 'block'; \
         add.querySelector('button').click(); return false; })()";
    let press = json!({ "expression": press, "returnByValue": true });
    until("the rule in the list", SOON, || {
        (settings.call("Runtime.evaluate", &press).ok()?["result"]["value"] == true).then_some(())
    });
    let session = browser.session();
    let bank = browser.pages().html("<title>Bank</title>").replace("127.0.0.1", "my.bank.localhost");
    until("the rule that was added", SOON, || {
        let failure = session.bsk(&["navigate", &bank]);
        (failure.exit_code() == Some(7))
            .then(|| failure.failure())
            .filter(|failure| failure["data"]["reason"] == "site_blocked")
    });
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
