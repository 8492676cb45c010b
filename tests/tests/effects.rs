//! What an action's reply says came of it: states, tabs, downloads, navigations that did not happen, or that nothing did.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Response, Shared};

static BROWSER: Shared = Shared::new();

#[test]
fn a_state_that_changed_is_told_and_so_is_that_nothing_did() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<label id=l><input type=checkbox id=c>Yes</label><button id=e aria-expanded=false onclick=\"this.ariaExpanded='true'\">More</button>\
         <button id=n onclick=\"window.count=1\">Nothing</button><button id=m onclick=\"o.textContent='x'\">Something</button><p id=o>-</p>\
         <input id=t><a id=a href='#here'>Jump</a>",
    );
    let checked = session.ok(&["click", "#l"]);
    assert_eq!(checked["effects"]["state"]["after"][0], "checked", "{checked}");
    let opened = session.ok(&["click", "#e"]);
    assert_eq!(opened["effects"]["state"]["before"][0], "collapsed", "{opened}");
    assert_eq!(opened["effects"]["state"]["after"][0], "expanded", "{opened}");
    session.ok(&["click", "#n"]);
    let nothing = session.ok(&["click", "#n"]);
    assert_eq!(nothing["effects"]["nothing_visible_changed"], true, "{nothing}");
    for args in [&["click", "#m"][..], &["click", "#t"], &["press", "a"], &["click", "#a"]] {
        let something = session.ok(args);
        assert!(something["effects"]["nothing_visible_changed"].is_null(), "{args:?}: {something}");
    }
    let pressed = session.ok(&["press", "F7"]);
    assert_eq!(pressed["effects"]["nothing_visible_changed"], true, "{pressed}");
}

#[test]
fn what_cannot_be_seen_from_outside_is_not_called_nothing() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for html in [
        "<canvas id=b onclick=\"this.getContext('2d').fillRect(0,0,9,9)\"></canvas>",
        "<select id=b><option>a<option>b</select>",
        "<x-a id=b></x-a><script>customElements.define('x-a',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});r.innerHTML='<button>D</button>';r.firstChild.onclick=()=>r.append('x')}})</script>",
        "<button id=b>Go</button><iframe srcdoc=x></iframe>",
    ] {
        session.open(html);
        session.ok(&["click", "#b"]);
        let clicked = session.ok(&["click", "#b"]);
        assert!(clicked["effects"]["nothing_visible_changed"].is_null(), "{html}: {clicked}");
    }
}

#[test]
fn observing_comes_with_the_action_that_asks_for_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<button onclick=\"o.textContent='paid'\">Pay</button><p id=o>open</p><input aria-label=Name><select aria-label=Size><option>S<option>M</select>");
    let _ = session.observe();
    let clicked = session.ok(&["click", "--name", "Pay", "--observe"]);
    let text = clicked["observation"]["text"].as_str().unwrap();
    assert!(text.contains("paid") && !text.contains("Name"), "{text}");
    for args in [
        &["fill", "input", "--value", "Ada", "--observe"][..],
        &["select", "select", "--label", "M", "--observe"],
        &["press", "Tab", "--observe"],
        &["hover", "button", "--observe"],
        &["type", "input", "--value", "x", "--observe"],
        &["focus", "button", "--observe"],
        &["scroll", "--selector", "button", "--observe"],
        &["reload", "--observe"],
    ] {
        let done = session.ok(args);
        assert!(done["observation"]["text"].is_string(), "{args:?}: {done}");
    }
    let ran = browser.bsk(&["click", "button", "--observe", "--session", &session.id]);
    assert!(
        ran.text().contains("clicked button") && ran.text().contains("page text from"),
        "{}",
        ran.report()
    );
}

#[test]
fn tabs_that_open_and_close_are_told_with_their_address_and_opener() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let close = browser.pages().html("<button id=c onclick=\"window.close()\">Close</button>");
    session.open(&format!(
        "<button id=o onclick=\"window.w=window.open('{close}')\">Open</button><button id=k onclick='w.close()'>Close it</button>"
    ));
    let tab = session.tab_id();
    let here = tab.to_string();
    let open = || {
        let clicked = session.ok(&["click", "#o", "--tab-id", &here]);
        let opened = clicked["effects"]["opened_tabs"][0].clone();
        assert_eq!(opened["opener_tab_id"], tab, "{clicked}");
        assert_eq!(opened["url"], close.as_str(), "{clicked}");
        opened["tab_id"].as_u64().unwrap()
    };
    let popup = open();
    let closed = session.ok(&["click", "#c", "--tab-id", &popup.to_string()]);
    assert_eq!(closed["effects"]["closed_tab_ids"][0], popup, "{closed}");
    let popup = open();
    let closed = session.ok(&["click", "#k", "--tab-id", &here, "--observe"]);
    let told = &closed["effects"]["closed_tab_ids"];
    assert!(told.is_null() || told[0] == popup, "{closed}");
    let left = session.ok(&["tab", "list", "--scope", "agent"]);
    assert_eq!(left["tabs"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn a_popup_that_is_sent_somewhere_a_moment_later_is_told_once_with_where_it_went() {
    let browser = BROWSER.browser();
    let next = browser.pages().html("<title>Next</title><h1>Next page</h1>");
    let target = browser.pages().html("<title>Target</title>");
    let location = target.clone();
    let sent_on =
        browser.pages().answering(move |_| Response::html("").status(302).header("Location", &location));
    let slow = browser.pages().answering(|_| {
        std::thread::sleep(Duration::from_millis(700));
        Response::html("<title>Slow</title>")
    });
    for (html, url) in [
        (
            format!(
                "<button onclick=\"w=window.open('about:blank','','width=300,height=200');setTimeout(()=>w.location='{next}',150)\">Open</button>"
            ),
            &next,
        ),
        (
            format!(
                "<button onclick=\"w=window.open('');w.document.write('Wait');setTimeout(()=>w.location='{slow}',150)\">Open</button>"
            ),
            &slow,
        ),
        (format!("<button onclick=\"window.open('{sent_on}')\">Open</button>"), &target),
        (format!("<button onclick=\"window.open('{slow}','','noopener,width=300')\">Open</button>"), &slow),
        (format!("<a href='{sent_on}' target=_blank>Open</a>"), &target),
        (format!("<a href='{slow}' target=_blank rel=noopener>Open</a>"), &slow),
        (format!("<a href='{next}' target=_blank rel=opener>Open</a>"), &next),
    ] {
        let session = browser.session();
        session.open(&html);
        let tab = session.tab_id();
        let clicked = session.ok(&["click", "button, a"]);
        let opened = clicked["effects"]["opened_tabs"].as_array().unwrap();
        assert_eq!(opened.len(), 1, "{html}: {clicked}");
        assert_eq!(
            (&opened[0]["url"], &opened[0]["opener_tab_id"]),
            (&url.as_str().into(), &tab.into()),
            "{html}"
        );
        assert_eq!(clicked["effects"]["opened_tab_ids"][0], opened[0]["tab_id"], "{html}: {clicked}");
        let popup = opened[0]["tab_id"].to_string();
        let href = session.ok(&["evaluate", "location.href", "--tab-id", &popup]);
        assert_eq!(href["value"], url.as_str(), "the tab is the session's own: {html}");
        let agent = session.ok(&["tab", "list", "--scope", "agent"]);
        assert_eq!(agent["tabs"].as_array().unwrap().len(), 2, "{html}: {agent}");
    }
}

#[test]
fn an_empty_popup_that_stays_empty_holds_the_answer_up_for_a_moment_only() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let empty = browser.pages().answering(|_| Response::html("").status(204));
    for (opening, url) in [("window.open('')", "about:blank"), ("window.open('EMPTY')", "")] {
        session.open(&format!("<button onclick=\"{}\">Open</button>", opening.replace("EMPTY", &empty)));
        let tab = session.tab_id().to_string();
        let ran = session.bsk(&["click", "button", "--tab-id", &tab]);
        assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
        let clicked = ran.success();
        let told = clicked["effects"]["opened_tabs"][0]["url"].as_str().unwrap();
        assert!(told == url || told == empty, "{clicked}");
        let popup = clicked["effects"]["opened_tab_ids"][0].to_string();
        session.ok(&["tab", "close", &popup]);
        session.ok(&["tab", "select", &tab]);
    }
}

#[test]
fn a_click_that_starts_a_download_tells_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let file = pages.answering(|_| {
        Response::html("q,1").header(
            "Content-Disposition",
            "attachment; filename=\"plain.txt\"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%20%E2%82%AC.txt",
        )
    });
    let slow = pages.answering(|_| {
        std::thread::sleep(Duration::from_millis(600));
        Response::html("q,1")
    });
    for (html, name) in [
        (format!("<a href='{file}'>Get</a>"), "报告 €.txt"),
        (format!("<a href='{slow}' download='c.txt'>Get</a>"), "c.txt"),
        (format!("<a href='{slow}' download='c.txt'><b>Get</b></a>"), "c.txt"),
        ("<a href='data:text/plain,hi' download=d.txt>Get</a>".to_owned(), "d.txt"),
    ] {
        session.open(&html);
        let clicked = session.ok(&["click", "a"]);
        let told = &clicked["effects"]["downloads"];
        assert_eq!(told[0]["suggested_filename"], name, "{html}: {clicked}");
        assert_eq!(told.as_array().unwrap().len(), 1, "{html}: {clicked}");
        assert!(clicked["effects"]["navigated_to"].is_null(), "{html}: {clicked}");
        session.open(&html);
        session.ok(&["focus", "a"]);
        let pressed = session.ok(&["press", "Enter"]);
        assert_eq!(pressed["effects"]["downloads"][0]["suggested_filename"], name, "{html}: {pressed}");
    }
}

/// The browser tells of such a download by a way of its own, on a busy machine after the reply.
#[test]
fn a_download_that_a_script_starts_is_never_told_wrongly() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<a href=# onclick=\"const u=window.URL.createObjectURL(new Blob(['q,1\\n']));const a=document.createElement('a');a.href=u;a.download='résumé 2026.csv';a.click();window.URL.revokeObjectURL(u);return false\">Get</a>",
    );
    let clicked = session.ok(&["click", "a"]);
    let told = clicked["effects"]["downloads"].as_array().cloned().unwrap_or_default();
    let names: Vec<_> =
        told.iter().map(|download| download["suggested_filename"].as_str().unwrap()).collect();
    assert!(names.is_empty() || names == ["résumé 2026.csv"], "{clicked}");
}

#[test]
fn a_download_in_a_new_tab_shows_as_a_tab_that_opened_and_closed_and_leaves_none() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let file = browser
        .pages()
        .answering(|_| Response::html("q,1").header("Content-Disposition", "attachment; filename=\"a.csv\""));
    session.open(&format!("<a target=_blank href='{file}'>D</a>"));
    let clicked = session.ok(&["click", "a"]);
    let effects = &clicked["effects"];
    assert_eq!(effects["opened_tab_ids"], effects["closed_tab_ids"], "{clicked}");
    assert_eq!(effects["opened_tabs"][0]["url"], file.as_str(), "{clicked}");
    let left = session.ok(&["tab", "list", "--scope", "agent"]);
    assert_eq!(left["tabs"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn a_download_and_an_empty_answer_are_no_navigations() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let file = browser
        .pages()
        .answering(|_| Response::html("q,1").header("Content-Disposition", "attachment; filename=\"a.csv\""));
    let empty = browser.pages().answering(|_| Response::html("").status(204));
    let here = session.open(&format!("<a id=d href='{file}'>D</a><a id=e href='{empty}'>E</a><form action='{empty}'><button>F</button></form>"));
    let clicked = session.ok(&["click", "#d"]);
    assert_eq!(clicked["effects"]["downloads"][0]["suggested_filename"], "a.csv", "{clicked}");
    assert!(clicked["effects"]["navigated_to"].is_null(), "{clicked}");
    for target in ["#e", "button"] {
        let ran = session.bsk(&["click", target]);
        assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
        let clicked = ran.success();
        assert!(clicked["effects"]["navigated_to"].is_null(), "{clicked}");
    }
    for (url, word) in [(&file, "download"), (&empty, "no content")] {
        let ran = session.bsk(&["navigate", url]);
        assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
        let failure = ran.failure();
        assert_eq!(failure["data"]["reason"], "navigation_failed", "{failure}");
        assert!(failure["message"].as_str().unwrap().contains(word), "{failure}");
    }
    assert_eq!(session.ok(&["evaluate", "location.href"])["value"], here.as_str());
}
