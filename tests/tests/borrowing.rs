//! Borrowing a tab: nothing without the user's yes, everything back in its place afterwards.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Browser, Consent, Options, Session, until};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);

/// A window of the user with these pages, the first in front; its id and its tabs'.
fn user_window(browser: &Browser, urls: &[String]) -> (u64, Vec<u64>) {
    let opened = browser.in_worker(&format!(
        "chrome.windows.create({{ url: {}, focused: true }}).then(({{ id, tabs }}) => [id, tabs.map((tab) => tab.id)])",
        json!(urls)
    ));
    let ids = opened[1].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
    until("pages that have loaded", SOON, || {
        let tabs = tabs_of(browser, opened[0].as_u64().unwrap());
        (tabs.iter().all(|tab| tab["status"] == "complete") && tabs.len() == urls.len()).then_some(())
    });
    (opened[0].as_u64().unwrap(), ids)
}

fn tabs_of(browser: &Browser, window: u64) -> Vec<Value> {
    browser.in_worker(&format!("chrome.tabs.query({{ windowId: {window} }})")).as_array().unwrap().clone()
}

fn ids_of(browser: &Browser, window: u64) -> Vec<u64> {
    tabs_of(browser, window).iter().map(|tab| tab["id"].as_u64().unwrap()).collect()
}

/// Asks for a tab; the caller answers.
fn borrowing(session: &Session<'_>, tab: u64) -> bsk_tests::Running {
    session.start_bsk(&["tab", "borrow", &tab.to_string()])
}

fn pages(browser: &Browser, names: &[&str]) -> Vec<String> {
    names
        .iter()
        .map(|name| browser.pages().html(&format!("<title>{name}</title><p>Secret of {name}</p>")))
        .collect()
}

#[test]
fn a_tab_is_borrowed_after_a_yes_and_goes_back_to_its_place() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (window, tabs) = user_window(&browser, &pages(&browser, &["First", "Second", "Third"]));
    let tab = tabs[1].to_string();
    let asked = borrowing(&session, tabs[1]);
    let consent = Consent::asked(&browser);
    let text = consent.text();
    for said in ["Second", "http://127.0.0.1:", &session.id, "borrowing"] {
        assert!(text.contains(said), "`{said}` in:\n{text}");
    }
    let error = browser.session().err(&["observe", "--tab-id", &tab]);
    assert_eq!(error["data"]["reason"], "tab_not_owned", "nothing is read while the user is asked: {error}");
    consent.allow();
    let borrowed = asked.finish().success();
    assert_eq!(borrowed["owner"], "agent", "{borrowed}");
    assert_eq!(ids_of(&browser, window), [tabs[0], tabs[2]]);
    assert!(session.observe().contains("Secret of Second"), "it is the tab that commands mean now");
    let refused = session.err(&["tab", "close", &tab]);
    assert_eq!(refused["data"]["reason"], "tab_not_owned", "{refused}");
    let returned = session.ok(&["tab", "return", &tab]);
    assert_eq!(returned, json!({ "tab_id": tabs[1], "window_id": window }));
    assert_eq!(ids_of(&browser, window), tabs);
    assert_eq!(session.err(&["observe", "--tab-id", &tab])["data"]["reason"], "tab_not_owned");
}

#[test]
fn a_pinned_and_a_grouped_tab_go_back_pinned_and_grouped_when_the_session_ends() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (window, tabs) = user_window(&browser, &pages(&browser, &["A", "B", "C", "D"]));
    let (pinned, grouped) = (tabs[0], tabs[2]);
    browser.in_worker(&format!("chrome.tabs.update({pinned}, {{ pinned: true }})"));
    let group = browser.in_worker(&format!(
        "chrome.tabs.group({{ tabIds: [{grouped}, {}], createProperties: {{ windowId: {window} }} }})",
        tabs[3]
    ));
    for tab in [grouped, pinned] {
        let asked = borrowing(&session, tab);
        Consent::asked(&browser).allow();
        let _ = asked.finish().success();
    }
    let stopped = browser.bsk_ok(&["session", "stop", &session.id]);
    assert_eq!(stopped["return_failures"], json!([]), "{stopped}");
    assert_eq!(ids_of(&browser, window), tabs);
    let after = tabs_of(&browser, window);
    assert_eq!((&after[0]["pinned"], &after[1]["pinned"]), (&json!(true), &json!(false)));
    assert_eq!((&after[2]["groupId"], &after[3]["groupId"]), (&group, &group));
    assert!(!browser.window_ids().contains(&session.window_id), "the Agent Window is gone");
}

#[test]
fn no_and_a_closed_question_are_exit_7_and_leave_the_tab_alone() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (window, tabs) = user_window(&browser, &pages(&browser, &["Mine", "Other"]));
    let asked = borrowing(&session, tabs[0]);
    Consent::asked(&browser).deny();
    let ran = asked.finish();
    assert_eq!(ran.exit_code(), Some(7), "{}", ran.report());
    assert_eq!(ran.failure()["data"]["reason"], "consent_denied", "{}", ran.report());
    let asked = borrowing(&session, tabs[0]);
    Consent::asked(&browser).page().close();
    assert_eq!(asked.finish().failure()["data"]["reason"], "consent_denied");
    let settings = browser
        .in_worker("chrome.tabs.create({ url: 'chrome://version', active: false }).then(({ id }) => id)");
    let error = session.err(&["tab", "borrow", &settings.to_string()]);
    assert_eq!(error["data"]["reason"], "tab_forbidden", "{error}");
    assert!(!Consent::is_asked(&browser));
    assert_eq!(ids_of(&browser, window)[..2], tabs);
}

#[test]
fn a_command_that_is_given_up_takes_its_question_along() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (_, tabs) = user_window(&browser, &pages(&browser, &["Mine", "Other"]));
    let asked = borrowing(&session, tabs[0]);
    drop(Consent::asked(&browser));
    asked.kill();
    until("no question", SOON, || (!Consent::is_asked(&browser)).then_some(()));
    assert_eq!(session.ok(&["evaluate", "1+1"])["value"], 2, "the session goes on");
}

#[test]
fn a_window_that_went_with_its_last_tab_is_made_again() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (window, tabs) = user_window(&browser, &pages(&browser, &["Alone"]));
    let asked = borrowing(&session, tabs[0]);
    Consent::asked(&browser).allow();
    let _ = asked.finish().success();
    assert!(!browser.window_ids().contains(&window));
    let stopped = browser.bsk_ok(&["session", "stop", &session.id]);
    assert_eq!(stopped["return_failures"][0]["tab_id"], tabs[0], "{stopped}");
    let home = browser.in_worker(&format!("chrome.tabs.get({})", tabs[0]));
    assert_eq!(home["title"], "Alone");
    assert_ne!(home["windowId"], session.window_id);
}

#[test]
fn closing_the_agent_window_loses_no_borrowed_tab() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let urls = pages(&browser, &["Kept", "Other"]);
    let (window, tabs) = user_window(&browser, &urls);
    let asked = borrowing(&session, tabs[0]);
    Consent::asked(&browser).allow();
    let _ = asked.finish().success();
    browser.in_worker(&format!("chrome.windows.remove({})", session.window_id));
    until("the tab is back", SOON, || {
        let tabs = tabs_of(&browser, window);
        (tabs.len() == 2 && tabs[0]["url"] == urls[0].as_str()).then_some(())
    });
}

#[test]
fn a_tab_whose_page_the_browser_gave_up_to_save_memory_is_loaded_again() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (_, tabs) = user_window(&browser, &pages(&browser, &["Front", "Asleep"]));
    let asleep = browser.in_worker(&format!("chrome.tabs.discard({}).then(({{ id }}) => id)", tabs[1]));
    let is_discarded =
        |id: &Value| browser.in_worker(&format!("chrome.tabs.get({id}).then((tab) => tab.discarded)"));
    assert_eq!(is_discarded(&asleep), true);
    let asked = session.start_bsk(&["tab", "borrow", &asleep.to_string()]);
    Consent::asked(&browser).allow();
    let borrowed = asked.finish().success();
    assert!(session.observe().contains("Secret of Asleep"), "{borrowed}");
    assert_eq!(is_discarded(&borrowed["tab_id"]), false);
}
