//! Dialogs, popups and navigation: scenarios 24 to 29.

use std::time::Duration;

use bsk_tests::{Pages, Response, Stage};

use super::check;

pub(crate) fn an_alert_ends_its_click_at_once_and_the_click_runs_once(on: &Stage<'_>) {
    let page = on.page(
        "<button onclick=\"o.textContent+='before;';alert('hi');o.textContent+='after'\">K</button><p id=o></p>",
    );
    let ran = on.session.bsk(&["click", "button"]);
    assert_eq!(ran.exit_code(), Some(6), "{}", ran.report());
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    let dialog = ran.failure()["data"]["dialog"].clone();
    assert_eq!((&dialog["type"], &dialog["message"]), (&"alert".into(), &"hi".into()), "{dialog}");
    let status = on.browser.bsk(&["status"]);
    assert!(status.status.success() && status.elapsed < Duration::from_secs(1), "{}", status.report());
    let picture = on.browser.scratch().file("beside.png");
    let shot = on.session.bsk(&["screenshot", "--out", &picture.display().to_string()]);
    assert_eq!(shot.exit_code(), Some(6), "{}", shot.report());
    assert!(shot.elapsed < Duration::from_secs(1), "{}", shot.report());
    on.ok(&["dialog", "accept"]);
    check(&page, "o.textContent", "before;after");
}

pub(crate) fn a_prompt_takes_a_text_its_default_or_nothing(on: &Stage<'_>) {
    let page = on.page("<button onclick=\"document.title=String(prompt('n','def'))\">P</button>");
    for (args, title) in [
        (&["dialog", "accept", "--text", ""][..], ""),
        (&["dialog", "accept"], "def"),
        (&["dialog", "accept", "--text", "Ada"], "Ada"),
        (&["dialog", "dismiss"], "null"),
    ] {
        let failure = on.err(&["click", "button"]);
        assert_eq!(failure["data"]["dialog"]["default_prompt"], "def", "{failure}");
        on.ok(args);
        check(&page, "document.title", title);
    }
}

pub(crate) fn a_page_that_asks_to_stay_is_asked_back(on: &Stage<'_>) {
    let here = on
        .session
        .open("<input id=i><script>onbeforeunload=e=>{e.preventDefault();e.returnValue='x'}</script>");
    let page = on.browser.devtools().page(&here);
    let next = on.browser.pages().html("<title>Next</title>");
    on.ok(&["type", "#i", "--value", "z"]);
    let failure = on.err(&["navigate", &next]);
    assert_eq!(
        (&failure["exit_code"], &failure["data"]["dialog"]["type"]),
        (&6.into(), &"beforeunload".into())
    );
    on.ok(&["dialog", "dismiss"]);
    check(&page, "location.href + ' ' + i.value", &format!("{here} z"));
    assert_eq!(on.session.bsk(&["navigate", &next]).exit_code(), Some(6));
    on.ok(&["dialog", "accept"]);
    on.ok(&["wait-for", "--url", &next]);
    check(&page, "location.href", &next);
}

pub(crate) fn the_popup_belongs_to_the_session(on: &Stage<'_>) {
    let next = on.browser.pages().answering_at("/next", |_| Response::html("<title>Next</title>"));
    for html in [
        "<button onclick=\"w=window.open('about:blank','','width=300,height=200');setTimeout(()=>w.location='/next',150)\">Open</button>",
        "<a href=/next target=_blank rel=noopener>Open</a>",
    ] {
        let _page = on.page(html);
        let here = on.session.tab_id();
        let clicked = on.ok(&["click", "--name", "Open"]);
        let opened = clicked["effects"]["opened_tabs"].as_array().cloned().unwrap_or_default();
        assert_eq!(opened.len(), 1, "{clicked}");
        assert_eq!(opened[0]["opener_tab_id"], here, "{clicked}");
        let popup = opened[0]["tab_id"].to_string();
        let tabs = on.ok(&["tab", "list", "--scope", "agent"]);
        assert!(
            tabs["tabs"].as_array().unwrap().iter().any(|tab| tab["tab_id"] == opened[0]["tab_id"]),
            "{tabs}"
        );
        on.ok(&["wait-for", "--url", &next, "--tab-id", &popup]);
        on.ok(&["tab", "close", &popup]);
        on.ok(&["tab", "select", &here.to_string()]);
    }
}

pub(crate) fn a_route_of_a_single_page_application_is_waited_for_by_its_text(on: &Stage<'_>) {
    let page = on.page(
        "<button onclick=\"history.pushState(0,'','/b');setTimeout(()=>o.textContent='B',300)\">Go</button><p id=o>A</p>",
    );
    on.ok(&["click", "button"]);
    let waited = on.ok(&["wait-for", "--text", "B"]);
    assert_eq!((&waited["matched"], &waited["role"]), (&"text".into(), &"paragraph".into()), "{waited}");
    assert!(waited["ref"].as_str().unwrap().starts_with('@'), "{waited}");
    check(&page, "location.pathname + o.textContent", "/bB");
    let waited = on.ok(&["wait-for", "--url", "**/b"]);
    assert!(waited["url"].as_str().unwrap().ends_with("/b"), "{waited}");
}

pub(crate) fn a_status_a_network_error_and_no_address_are_told_apart(on: &Stage<'_>) {
    let missing = on.ok(&["navigate", &on.browser.pages().url("/nowhere")]);
    assert_eq!((&missing["status"], &missing["reached"]), (&404.into(), &"load".into()), "{missing}");
    let ran = on.session.bsk(&["navigate", &Pages::refusing_url()]);
    let error = ran.failure();
    assert_eq!(
        (ran.exit_code(), &error["data"]["reason"]),
        (Some(3), &"navigation_failed".into()),
        "{error}"
    );
    assert!(error["message"].as_str().unwrap().contains("ERR_CONNECTION_REFUSED"), "{error}");
    assert!(ran.elapsed < Duration::from_secs(5), "{}", ran.report());
    let error = on.err(&["navigate", "notaurl"]);
    assert_eq!(
        (&error["exit_code"], &error["data"]["reason"]),
        (&1.into(), &"url_invalid".into()),
        "{error}"
    );
}
