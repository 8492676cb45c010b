//! Site rules and the switch in a real browser: what the user closed stays closed, however a tab gets there.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Browser, Consent, NativeHost, Options, Response, Session, until};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);

/// The test's own server under another name: a site of its own.
fn at_host(url: &str, host: &str) -> String {
    url.replace("127.0.0.1", host)
}

fn path_of(url: &str) -> &str {
    &url[url.rfind('/').unwrap()..]
}

/// Sets the user's rules, as the options page does.
fn set_rules(browser: &Browser, rules: &[(&str, &str)]) {
    let rules: Vec<Value> =
        rules.iter().map(|(pattern, access)| json!({ "pattern": pattern, "access": access })).collect();
    browser.set("site_rules", &json!(rules));
}

#[track_caller]
fn refused(session: &Session<'_>, args: &[&str], reason: &str) -> String {
    let ran = session.bsk(args);
    assert_eq!(ran.exit_code(), Some(7), "{args:?}: {}", ran.report());
    let failure = ran.failure();
    assert_eq!(failure["code"], "permission_denied", "{args:?}: {failure}");
    assert_eq!(failure["data"]["reason"], reason, "{args:?}: {failure}");
    failure["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_blocked_site_is_not_visited_and_the_server_hears_nothing() {
    let browser = Browser::launch(&Options::default());
    set_rules(&browser, &[("bank.localhost", "block")]);
    let session = browser.session();
    let here = session.open("<title>Here</title><p>Open page</p>");
    let bank = at_host(&browser.pages().html("<title>Bank</title>"), "my.bank.localhost");
    let said = refused(&session, &["navigate", &bank], "site_blocked");
    for part in ["my.bank.localhost", "`bank.localhost: block`", "user"] {
        assert!(said.contains(part), "`{part}` in `{said}`");
    }
    refused(&session, &["tab", "create", "--url", &bank], "site_blocked");
    let tabs = session.ok(&["tab", "list", "--scope", "agent"]);
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "no empty tab is left: {tabs}");
    assert!(browser.pages().seen(path_of(&bank)).is_empty(), "nothing was asked of the server");
    session.ok(&["navigate", &here]);
    assert!(session.observe().contains("Open page"));
}

#[test]
fn a_tab_that_gets_to_a_blocked_site_is_closed_to_the_agent_until_it_is_led_away() {
    let browser = Browser::launch(&Options::default());
    set_rules(&browser, &[("bank.localhost", "block")]);
    let session = browser.session();
    let bank = at_host(&browser.pages().html("<title>Secret title</title><p>Balance</p>"), "bank.localhost");
    let target = bank.clone();
    let redirect =
        browser.pages().answering(move |_| Response::html("").status(302).header("Location", &target));
    refused(&session, &["navigate", &redirect], "site_blocked");
    for args in [
        &["observe"][..],
        &["screenshot"],
        &["get-html"],
        &["evaluate", "1"],
        &["click", "p"],
        &["press", "a"],
        &["reload"],
    ] {
        refused(&session, args, "site_blocked");
    }
    let listed = session.ok(&["tab", "list", "--scope", "agent"]).to_string();
    assert!(!listed.contains("Secret title"), "{listed}");
    let open = browser.pages().html(&format!("<p>Open page</p><a href='{bank}'>Bank</a>"));
    session.ok(&["navigate", &open]);
    assert!(session.observe().contains("Open page"));
    let clicked = session.ok(&["click", "a"]);
    assert_eq!(clicked["effects"]["navigated_to"], bank.as_str(), "{clicked}");
    refused(&session, &["observe"], "site_blocked");
    session.ok(&["navigate", &open]);
    refused(&session, &["navigate", "back"], "site_blocked");
}

#[test]
fn a_popup_into_a_blocked_site_is_closed_to_the_agent_and_can_be_closed() {
    let browser = Browser::launch(&Options::default());
    set_rules(&browser, &[("bank.localhost", "block")]);
    let session = browser.session();
    let bank = at_host(&browser.pages().html("<title>Bank</title><p>Balance</p>"), "bank.localhost");
    session.open(&format!("<a href='{bank}' target=_blank rel=opener>Bank</a>"));
    let clicked = session.ok(&["click", "a"]);
    let popup = clicked["effects"]["opened_tab_ids"][0].as_u64().unwrap().to_string();
    refused(&session, &["observe", "--tab-id", &popup], "site_blocked");
    refused(&session, &["screenshot", "--tab-id", &popup], "site_blocked");
    session.ok(&["tab", "close", &popup]);
}

/// A page around a frame of another site that has been seen in full.
fn around(session: &Session<'_>, frame: &str, says: &str) {
    session.open(&format!("<h1>Around</h1><iframe src='{frame}'></iframe>"));
    until("the frame", SOON, || session.observe().contains(says).then_some(()));
}

#[test]
fn a_frame_of_a_blocked_site_is_told_of_and_not_looked_into() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let bank = at_host(&browser.pages().html("<p>Balance 1,000</p>"), "bank.localhost");
    around(&session, &bank, "Balance");
    set_rules(&browser, &[("bank.localhost", "block")]);
    let text = session.observe();
    assert!(text.contains("Around") && text.contains("blocked by a site rule"), "{text}");
    assert!(!text.contains("Balance"), "{text}");
    assert!(!text.contains(path_of(&bank)), "the site is told, not where in it: {text}");
    let script = ["evaluate", "document.body.innerText", "--frame", "1"];
    refused(&session, &script, "site_blocked");
    set_rules(&browser, &[]);
    assert_eq!(session.ok(&script)["value"], "Balance 1,000");
}

#[test]
fn a_frame_of_a_site_that_is_asked_for_opens_after_a_yes() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let shop = at_host(&browser.pages().html("<p>Shown in full</p>"), "shop.localhost");
    around(&session, &shop, "Shown in full");
    set_rules(&browser, &[("shop.localhost", "ask")]);
    let text = session.observe();
    assert!(text.contains("closed until the user is asked") && !text.contains("Shown in full"), "{text}");
    let asked = session.start_bsk(&["evaluate", "document.body.innerText", "--frame", "1"]);
    let consent = Consent::asked(&browser);
    assert!(consent.text().contains("http://shop.localhost:"), "{}", consent.text());
    consent.allow();
    assert_eq!(asked.finish().success()["value"], "Shown in full");
    assert!(session.observe().contains("Shown in full"), "the yes opens it to observations too");
}

#[test]
fn a_site_to_read_only_is_read_and_not_touched() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let form = "<title>News</title><p>Headline</p><input id=i aria-label=Search><button>Go</button>\
                <select id=s><option>one<option>two</select><div style='height:3000px'></div><p>Bottom</p>";
    session.open(form);
    set_rules(&browser, &[("127.0.0.1", "read_only")]);
    assert!(session.observe().contains("Headline"));
    session.ok(&["screenshot"]);
    session.ok(&["get-html"]);
    session.ok(&["scroll", "--to", "bottom"]);
    session.ok(&["wait-for", "--text", "Bottom"]);
    for args in [
        &["click", "button"][..],
        &["hover", "button"],
        &["fill", "#i", "--value", "x"],
        &["type", "#i", "--value", "x"],
        &["press", "Enter"],
        &["select", "#s", "--value", "two"],
        &["evaluate", "1"],
        &["reload"],
    ] {
        refused(&session, args, "site_read_only");
    }
    assert_eq!(session.outline().iter().filter(|line| line.contains("\"x\"")).count(), 0);
    let other = browser.pages().html("<p>Next page</p>");
    session.ok(&["navigate", &other]);
    assert!(session.observe().contains("Next page"));
}

#[test]
fn a_rule_that_asks_opens_the_site_after_a_yes_until_the_tab_leaves_it() {
    let browser = Browser::launch(&Options::default());
    set_rules(&browser, &[("shop.localhost", "ask")]);
    let session = browser.session();
    let shop = at_host(&browser.pages().html("<title>Shop</title><p>Cart</p>"), "shop.localhost");
    let elsewhere = browser.pages().html("<p>Elsewhere</p>");
    let asked = session.start_bsk(&["navigate", &shop]);
    let consent = Consent::asked(&browser);
    let text = consent.text();
    for part in ["http://shop.localhost:", "shop.localhost: ask", &session.id, "site_rules"] {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
    assert!(browser.pages().seen(path_of(&shop)).is_empty(), "nothing goes out before the yes");
    consent.allow();
    let _ = asked.finish().success();
    assert!(session.observe().contains("Cart"));
    session.ok(&["evaluate", "1"]);
    session.ok(&["navigate", &elsewhere]);
    let again = session.start_bsk(&["navigate", &shop]);
    Consent::asked(&browser).deny();
    let ran = again.finish();
    assert_eq!(ran.exit_code(), Some(7), "{}", ran.report());
    assert_eq!(ran.failure()["data"]["reason"], "site_not_allowed", "{}", ran.report());
    refused(&session, &["navigate", &shop], "site_not_allowed");
    assert!(!Consent::is_asked(&browser), "the no counts, so nobody is asked again");
    assert!(session.observe().contains("Elsewhere"));
}

#[test]
fn a_rule_made_or_taken_back_while_a_session_runs_counts_at_once() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open("<p>Open page</p>");
    assert!(session.observe().contains("Open page"));
    set_rules(&browser, &[("*", "block")]);
    refused(&session, &["observe"], "site_blocked");
    set_rules(&browser, &[("*", "block"), ("127.0.0.1", "allow")]);
    assert!(session.observe().contains("Open page"));
    let origin = browser.pages().url("");
    set_rules(&browser, &[("127.0.0.1", "allow"), (&origin, "block")]);
    assert!(refused(&session, &["observe"], "site_blocked").contains(&origin));
    set_rules(&browser, &[]);
    assert!(session.observe().contains("Open page"));
}

#[test]
fn the_user_s_tabs_on_blocked_sites_are_neither_listed_nor_asked_for() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let bank = at_host(&browser.pages().html("<title>Bank of mine</title>"), "bank.localhost");
    let tab =
        browser.in_worker(&format!("chrome.tabs.create({{ url: {} }}).then(({{ id }}) => id)", json!(bank)));
    until("the tab with its title", SOON, || {
        session.ok(&["tab", "list", "--scope", "user"]).to_string().contains("Bank of mine").then_some(())
    });
    set_rules(&browser, &[("bank.localhost", "block")]);
    let listed = session.ok(&["tab", "list", "--scope", "all"]).to_string();
    assert!(!listed.contains("bank") && !listed.contains("Bank"), "{listed}");
    let said = refused(&session, &["tab", "borrow", &tab.to_string()], "site_blocked");
    assert!(!said.contains("bank"), "{said}");
    assert!(!Consent::is_asked(&browser));
    set_rules(&browser, &[]);
    browser.set("list_user_tabs", &json!(false));
    assert_eq!(session.ok(&["tab", "list", "--scope", "user"])["tabs"], json!([]));
}

#[test]
fn switched_off_the_browser_is_gone_for_agents_and_back_when_switched_on() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<p>Busy</p>");
    let running = session.start_endless(&page);
    browser.set("enabled", &json!(false));
    let ended = running.finish();
    assert_eq!(ended.exit_code(), Some(7), "{}", ended.report());
    until("no window of ours", SOON, || (!browser.window_ids().contains(&session.window_id)).then_some(()));
    until("no host", SOON, || browser.find_host().is_none().then_some(()));
    let refused = browser.bsk(&["--json", "session", "start"]).failure();
    assert_eq!(refused["code"], "no_browser_connected", "{refused}");
    let hint = refused["data"]["hint"].as_str().or_else(|| refused["hint"].as_str()).unwrap_or_default();
    assert!(hint.contains("popup"), "the hint says where it may be switched off: {refused}");
    browser.set("enabled", &json!(true));
    until("a host", SOON, || browser.find_host().map(|_| ()));
    until("a connection", SOON, || {
        (browser.bsk(&["--json", "session", "start"]).exit_code() == Some(0)).then_some(())
    });
}

#[test]
fn where_the_user_wants_it_a_program_asks_before_its_session_begins() {
    let browser = Browser::launch(&Options::default());
    browser.set("ask_sessions", &json!(true));
    let start = ["--json", "session", "start", "--name", "flights"];
    let asked = browser.start_bsk(&start);
    let consent = Consent::asked(&browser);
    let text = consent.text();
    for part in ["site_rules", "flights", "for this program"] {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
    consent.deny();
    let ran = asked.finish();
    assert_eq!(ran.exit_code(), Some(7), "{}", ran.report());
    assert_eq!(ran.failure()["data"]["reason"], "consent_denied");
    assert_eq!(browser.bsk_ok(&["session", "list"]), json!([]), "no window was opened");
    let asked = browser.start_bsk(&start);
    let consent = Consent::asked(&browser);
    consent.lasting("site");
    consent.allow();
    let _ = asked.finish().success();
    let _ = browser.session();
    assert!(!Consent::is_asked(&browser), "the program is known now");
}

#[test]
fn no_session_gets_to_the_pages_in_which_the_user_decides() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    for page in ["options.html", "popup.html", "consent.html"] {
        let url = format!("chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/{page}");
        let error = session.err(&["navigate", &url]);
        assert_eq!(error["data"]["reason"], "url_not_allowed", "{error}");
        let tab = browser.in_worker(&format!(
            "chrome.tabs.create({{ url: '{url}', active: false }}).then(({{ id }}) => id)"
        ));
        let error = session.err(&["tab", "borrow", &tab.to_string()]);
        assert_eq!(error["data"]["reason"], "tab_forbidden", "{error}");
    }
}

#[test]
fn the_schema_for_administrators_is_one_that_the_browser_reads() {
    let options = Options { host: NativeHost::None, ..Options::default() };
    let browser = Browser::launch(&options);
    // Without a schema, or with one that the browser cannot read, the extension is not loaded or the read fails.
    until("a worker that has begun", SOON, || (browser.in_worker("typeof chrome") == "object").then_some(()));
    assert_eq!(browser.in_worker("chrome.storage.managed.get(null)"), json!({}));
}
