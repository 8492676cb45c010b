//! Pages and agents that want the user's yes without the user: popups, stolen focus, forged questions, alerts without end, and
//! every way to the consent window that a page or an agent's commands have. Nothing is borrowed until the user presses.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Browser, Consent, Options, Page, Session, until, workspace};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(15);

/// Goes on for ever; counts its rounds and writes down whatever it reached.
const HOSTILE: &str = r#"<title>Hostile</title>
<div id=fake style="position:fixed;inset:0;z-index:2147483647;background:#fff;font:16px system-ui">
<h1>chromium wants to use this tab</h1><button id=allow onclick="forged += 1">Allow</button><button id=deny>Deny</button></div>
<iframe name=consent></iframe>
<script>
const CONSENT = 'chrome-extension://EXTENSION/ui/consent.html';
window.rounds = 0; window.forged = 0; window.reached = []; window.tried = [];
const reach = (how, what) => { if (!reached.includes(how)) reached.push(how + ': ' + what); };
const yes = { type: 'consent_answer', id: 1, is_allowed: true, lasting: 'site' };
const attempts = {
  message: async () => {
    const answer = await chrome.runtime.sendMessage('EXTENSION', yes);
    if (answer !== undefined) reach('message', JSON.stringify(answer));
  },
  connect: () => { const port = chrome.runtime.connect('EXTENSION'); port.onMessage.addListener((answer) => reach('connect', answer)); port.postMessage(yes); },
  fetch: async () => reach('fetch', (await fetch(CONSENT)).status),
  script: () => new Promise((done) => {
    const script = document.createElement('script');
    script.src = CONSENT.replace('.html', '.js');
    script.onload = () => { reach('script', 'loaded'); done(); };
    script.onerror = () => { script.remove(); done(); };
    document.head.append(script);
  }),
  frame: () => {
    const frame = document.querySelector('iframe');
    frame.src = CONSENT;
    frame.contentWindow.postMessage(yes, '*');
    if (frame.contentDocument?.querySelector('#allow')) reach('frame', 'document');
  },
  names: () => {
    for (const name of ['consent', 'consent.html', 'bsk', 'EXTENSION']) {
      const found = window.open('', name);
      found?.postMessage(yes, '*');
      if (found && found !== window[0] && found.document?.querySelector('#left')) reach('names', name);
      if (found && found !== window[0]) found.close();
    }
  },
  opener: () => {
    for (const other of [window.opener, window.top, window.parent]) {
      if (other && other !== window) other.postMessage(yes, '*');
    }
  },
  popup: () => {
    const popup = window.open(CONSENT, '_blank', 'popup,width=440,height=420');
    popup?.postMessage(yes, '*');
    setTimeout(() => popup?.close(), 50);
  },
  focus: () => { window.focus(); document.querySelector('#allow').focus(); },
  keys: () => {
    for (const key of ['Enter', ' ', 'Tab']) document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    document.querySelector('#allow').click();
  },
  fullscreen: () => document.documentElement.requestFullscreen(),
  pointer: () => document.body.requestPointerLock(),
  keyboard: () => navigator.keyboard.lock(),
  share: () => new BroadcastChannel('consent').postMessage(yes),
};
window.addEventListener('message', ({ origin }) => { if (origin.startsWith('chrome-extension:')) reach('answer', origin); });
const round = async () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    try { await Promise.race([attempt(), new Promise((done) => setTimeout(done, 200))]); } catch {}
    if (!tried.includes(name)) tried.push(name);
  }
  rounds += 1;
  setTimeout(round, 10);
};
round();
</script>"#;

const ALERTS: &str =
    "<title>Alerts</title><script>setTimeout(() => { for (;;) alert('Press Allow!'); }, 50)</script>";

fn hostile() -> String {
    HOSTILE.replace("EXTENSION", &workspace::extension_id())
}

fn consent_url() -> String {
    format!("chrome-extension://{}/ui/consent.html", workspace::extension_id())
}

/// A user window with these pages; the ids of its tabs.
fn user_window(browser: &Browser, urls: &[&str]) -> Vec<u64> {
    let opened = browser.in_worker(&format!(
        "chrome.windows.create({{ url: {}, focused: true }}).then(({{ tabs }}) => tabs.map((tab) => tab.id))",
        json!(urls)
    ));
    opened.as_array().unwrap().iter().filter_map(Value::as_u64).collect()
}

fn window_of(browser: &Browser, tab: u64) -> Value {
    browser.in_worker(&format!("chrome.tabs.get({tab}).then((tab) => tab.windowId)"))
}

/// The page tries everything a few times more, with the rights that a press in it would give it.
fn rage(page: &Page<'_>) {
    let before = until("the hostile page", SOON, || page.evaluate("window.rounds ?? null").as_u64());
    let press = json!({
        "expression": "for (const attempt of Object.values(attempts)) try { Promise.resolve(attempt()).catch(() => {}) } catch {}",
        "userGesture": true
    });
    page.call("Runtime.evaluate", &press).unwrap();
    until("some rounds of the hostile page", SOON, || {
        (page.evaluate("rounds").as_u64()? >= before + 3).then_some(())
    });
}

/// One question, asked by the extension, and nothing of its page anywhere else.
fn is_asked_once(browser: &Browser) {
    let url = consent_url();
    let shown: Vec<Value> = browser
        .devtools()
        .targets()
        .into_iter()
        .filter(|target| target["type"] != "service_worker")
        .filter(|target| target["url"].as_str().is_some_and(|shown| shown.starts_with(&url)))
        .collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(shown[0]["openerId"].is_null(), "no page holds a handle of it: {shown:?}");
}

#[test]
fn no_page_gets_a_yes_however_hostile_and_the_user_s_press_still_counts() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let mine = browser.pages().html("<title>Mine</title>");
    let hostile = browser.pages().html(&hostile());
    let alerts = browser.pages().html(ALERTS);
    let tab = user_window(&browser, &[&mine, "about:blank"])[0];
    let home = window_of(&browser, tab);
    user_window(&browser, &[&alerts]);
    user_window(&browser, &[&hostile]);
    let page = browser.devtools().page(&hostile);
    until("the hostile page at work", SOON, || {
        (page.evaluate("window.rounds || 0").as_u64()? > 0).then_some(())
    });
    let asked = session.start_bsk(&["tab", "borrow", &tab.to_string()]);
    let consent = Consent::asked(&browser);
    rage(&page);
    rage(&page);
    assert_eq!(page.evaluate("reached"), json!([]));
    let tried = page.evaluate("tried.length").as_u64().unwrap();
    assert_eq!(tried, page.evaluate("Object.keys(attempts).length").as_u64().unwrap(), "all was tried");
    assert!(page.evaluate("forged").as_u64().unwrap() > 0, "its own fake takes presses, which mean nothing");
    is_asked_once(&browser);
    assert_eq!(window_of(&browser, tab), home, "the tab is where it was");
    let error = browser.session().err(&["observe", "--tab-id", &tab.to_string()]);
    assert_eq!(error["data"]["reason"], "tab_not_owned", "{error}");
    consent.deny();
    let ran = asked.finish();
    assert_eq!(ran.exit_code(), Some(7), "{}", ran.report());
    assert_eq!(ran.failure()["data"]["reason"], "consent_denied");
    assert_eq!(window_of(&browser, tab), home);
    // The same page, the same question, and a press.
    let asked = session.start_bsk(&["tab", "borrow", &tab.to_string()]);
    Consent::asked(&browser).allow();
    assert_eq!(asked.finish().success()["owner"], "agent");
}

/// What an agent can do in its own tabs to answer for the user.
fn reach_from_the_agent_window(browser: &Browser, session: &Session<'_>, own: &str) {
    let url = consent_url();
    let consent = browser.in_worker(&format!(
        "chrome.tabs.query({{}}).then((tabs) => tabs.find((tab) => tab.url?.startsWith('{url}')).id)"
    ));
    let consent = consent.to_string();
    for (args, reason) in [
        (&["navigate", &url][..], "url_not_allowed"),
        (&["tab", "create", "--url", &url], "url_not_allowed"),
        (&["press", "Enter", "--tab-id", &consent], "tab_not_owned"),
        (&["click", "button", "--tab-id", &consent], "tab_not_owned"),
        (&["evaluate", "document.querySelector('#allow').click()", "--tab-id", &consent], "tab_not_owned"),
        (&["observe", "--tab-id", &consent], "tab_not_owned"),
        (&["tab", "close", &consent], "tab_not_owned"),
        (&["tab", "select", &consent], "tab_not_owned"),
    ] {
        let error = session.err(args);
        assert_eq!(error["data"]["reason"], reason, "{args:?}: {error}");
    }
    for key in ["Tab", "Enter", "Space"] {
        session.ok(&["press", key, "--tab-id", own]);
    }
    session.ok(&["click", "#allow", "--tab-id", own]);
    session.ok(&["tab", "select", own]);
}

#[test]
fn no_command_of_an_agent_answers_for_the_user() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let mine = browser.pages().html("<title>Mine</title>");
    let tab = user_window(&browser, &[&mine, "about:blank"])[0];
    let home = window_of(&browser, tab);
    let page =
        session.open_page("<title>Agent</title><button id=allow onclick='pressed = true'>Allow</button>");
    let own = session.tab_id().to_string();
    // Borrowing runs in a session of its own: commands of one session wait for each other.
    let asking = browser.session();
    let asked = asking.start_bsk(&["tab", "borrow", &tab.to_string()]);
    let consent = Consent::asked(&browser);
    reach_from_the_agent_window(&browser, &session, &own);
    assert_eq!(page.evaluate("pressed"), true, "the press went to the agent's own page");
    let hostile = browser.pages().html(&hostile());
    session.ok(&["navigate", &hostile]);
    let page = browser.devtools().page(&hostile);
    rage(&page);
    assert_eq!(page.evaluate("reached"), json!([]));
    is_asked_once(&browser);
    assert_eq!(window_of(&browser, tab), home);
    consent.deny();
    assert_eq!(asked.finish().exit_code(), Some(7));
    assert_eq!(window_of(&browser, tab), home);
}
