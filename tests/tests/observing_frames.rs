//! Frames of every kind in one tree, and none that keeps the others back.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use bsk_tests::{Browser, Options, Page, Response, Session, Shared, until, workspace};
use serde_json::Value;

static BROWSER: Shared = Shared::new();

/// A page whose button tells the topmost page its name.
fn telling(name: &str) -> String {
    format!("<button onclick=\"top.postMessage('{name}','*')\">Press {name}</button>")
}

/// The same address in another site, and so in another process.
fn elsewhere(url: &str, host: &str) -> String {
    url.replace("127.0.0.1", host)
}

#[test]
fn frames_of_every_kind_are_in_one_tree_and_clicked_by_their_refs() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let same = pages.html(&telling("same"));
    let inmost = elsewhere(&pages.html(&telling("inmost")), "third.localhost");
    let other = pages.html(&format!(
        "{}<iframe width=250 height=60 src='{inmost}'></iframe>\
         <iframe width=200 height=60 srcdoc=\"<button onclick=top.postMessage('nested','*')>Press nested</button>\"></iframe>",
        telling("other")
    ));
    let other = elsewhere(&other, "other.localhost");
    let page = session.open_page(&format!(
        "<p id=o>-</p><script>onmessage = event => o.textContent = event.data</script><style>iframe{{height:70px}}</style>\
         <iframe title=same src='{same}'></iframe><iframe title=other style='width:600px;height:150px' src='{other}'></iframe>\
         <iframe title=srcdoc srcdoc=\"<button onclick=top.postMessage('srcdoc','*')>Press srcdoc</button>\"></iframe>\
         <iframe title=sandboxed sandbox=allow-scripts src='{same}#s' name=boxed></iframe>\
         <iframe title=data src=\"data:text/html,<button onclick=top.postMessage('data','*')>Press data</button>\"></iframe>\
         <iframe title=written id=w></iframe><script>w.contentDocument.body.innerHTML = \
         \"<button onclick=top.postMessage('written','*')>Press written</button>\"</script>"
    ));
    let text = session.observe();
    for name in ["other", "inmost", "nested", "srcdoc", "data", "written"] {
        let button = session.ref_of(&format!("button \"Press {name}\""));
        assert!(button.starts_with("@f"), "`{name}` is in a frame: {button} in\n{text}");
        session.ok(&["click", &button]);
        until("the frame's message", Duration::from_secs(5), || {
            (page.evaluate("o.textContent") == name).then_some(())
        });
        assert_eq!(session.ref_of(&format!("button \"Press {name}\"")), button, "the ref stays");
    }
    assert_eq!(text.matches("button \"Press same\"").count(), 2, "the sandboxed one, too:\n{text}");
    let depth_of = |needle: &str| {
        let line = text.lines().find(|line| line.contains(needle)).unwrap_or_else(|| panic!("no {needle}"));
        line.len() - line.trim_start().len()
    };
    assert!(depth_of("Press inmost") > depth_of("Press other"), "{text}");
    assert!(depth_of("Press other") > depth_of("iframe \"other\""), "{text}");
}

#[test]
fn a_frame_whose_server_says_nothing_is_not_waited_for() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let (let_go, gate) = channel::<()>();
    let gate = Mutex::new(gate);
    let silent = browser.pages().answering(move |_| {
        let _ = gate.lock().unwrap().recv();
        Response::html("late")
    });
    let quick = browser.pages().html(&telling("quick"));
    let url = browser.pages().html(&format!(
        "<iframe title=silent src='{silent}'></iframe><iframe title=far src='{}'></iframe><iframe title=quick src='{quick}'></iframe>",
        elsewhere(&silent, "other.localhost")
    ));
    session.ok(&["navigate", &url, "--wait-until", "domcontentloaded"]);
    until("the frame that answers", Duration::from_secs(5), || {
        session.observe().contains("button \"Press quick\"").then_some(())
    });
    let ran = session.bsk(&["observe"]);
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    let text = ran.success()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("iframe \"silent\"") && text.contains("iframe \"far\""), "{text}");
    drop(let_go);
}

#[test]
fn a_frame_that_hangs_in_another_process_keeps_nothing_back() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let hangs = browser.pages().html("<title>Hangs</title><script>onmessage = () => { for (;;); }</script>");
    let works = browser.pages().html(&telling("works"));
    let page = session.open_page(&format!(
        "<p id=o>-</p><script>onmessage = event => o.textContent = event.data</script>\
         <iframe id=h title=hangs src='{}'></iframe><iframe title=works src='{}'></iframe>",
        elsewhere(&hangs, "hangs.localhost"),
        elsewhere(&works, "works.localhost")
    ));
    page.evaluate("h.contentWindow.postMessage('hang', '*')");
    for _ in 0..2 {
        let ran = session.bsk(&["observe"]);
        assert!(ran.elapsed < Duration::from_secs(4), "{}", ran.report());
        let text = ran.success()["text"].as_str().unwrap().to_owned();
        assert!(text.contains("iframe \"hangs\"") && text.contains("button \"Press works\""), "{text}");
    }
    session.ok(&["click", &session.ref_of("button \"Press works\"")]);
    until("the other frame's message", Duration::from_secs(5), || {
        (page.evaluate("o.textContent") == "works").then_some(())
    });
}

#[test]
fn the_browser_s_own_viewer_is_not_looked_into() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let document = browser.pages().answering(|_| Response {
        status: 200,
        headers: Vec::new(),
        content_type: "application/pdf".into(),
        body: b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj \
                3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
            .to_vec(),
        stalls: false,
    });
    session.open(&format!(
        "<button>Mine</button><iframe title=paper width=600 height=400 src='{document}'></iframe>"
    ));
    let viewer = || {
        let targets = browser.devtools().targets();
        let is_it = |target: &Value| {
            let url = target["url"].as_str().unwrap_or_default();
            target["type"] == "iframe" && url.starts_with("chrome-extension://")
        };
        targets.iter().any(is_it).then_some(())
    };
    until("the viewer's frame", Duration::from_secs(10), viewer);
    let text = session.observe();
    assert!(text.contains("button \"Mine\"") && text.contains("iframe \"paper\""), "{text}");
    assert_eq!(text.matches("button").count(), 1, "nothing of the viewer's: {text}");
    session.ok(&["navigate", &document]);
    assert!(session.observe().contains(&document), "the document itself can be gone to");
}

fn with_framer(arguments: &[&str]) -> Browser {
    Browser::launch(&Options {
        extensions: vec![workspace::framer_dir()],
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        ..Options::default()
    })
}

/// Has the test extension do something in the page and waits until it is done.
fn framer(page: &Page<'_>, message: &str, state: &Value) {
    until("the extension's content script", Duration::from_secs(10), || {
        (page.evaluate("document.documentElement.dataset.framer ?? null") != Value::Null).then_some(())
    });
    page.evaluate(&format!("postMessage('{message}', '*')"));
    until("what the extension does", Duration::from_secs(10), || {
        (page.evaluate("document.documentElement.dataset.framer ?? null") == *state).then_some(())
    });
}

fn open_for_framer<'a>(session: &Session<'a>) -> Page<'a> {
    session.open_page("<button onclick=\"document.title = 'clicked'\">Mine</button>")
}

#[test]
fn a_tab_with_another_extension_s_frame_says_so_and_works_again_without_it() {
    let browser = with_framer(&[]);
    let session = browser.session();
    let page = open_for_framer(&session);
    let button = session.ref_of("button \"Mine\"");
    framer(&page, "add framer", &"loaded".into());
    let error = session.err(&["click", &button]);
    assert_eq!(error["data"]["reason"], "frame_forbidden", "{error}");
    assert_eq!(error["data"]["extension_ids"].as_array().map(Vec::len), Some(1), "{error}");
    assert_eq!(session.err(&["observe"])["data"]["reason"], "frame_forbidden");
    assert!(session.ok(&["tab", "list", "--scope", "agent"])["tabs"].is_array());
    framer(&page, "remove framer", &Value::Null);
    session.ok(&["click", &session.ref_of("button \"Mine\"")]);
    assert_eq!(page.evaluate("document.title"), "clicked");
    page.evaluate("document.documentElement.dataset.framer = 'ready'");
    framer(&page, "add framer", &"loaded".into());
    assert_eq!(session.err(&["observe"])["data"]["reason"], "frame_forbidden");
    session.open("<h1>Elsewhere</h1>");
    assert!(session.observe().contains("Elsewhere"), "a navigation leads away from it");
}

#[test]
fn where_the_browser_allows_it_another_extension_s_frame_is_named_and_not_looked_into() {
    let browser = with_framer(&["--extensions-on-extension-urls"]);
    let session = browser.session();
    let page = open_for_framer(&session);
    framer(&page, "add framer", &"loaded".into());
    let text = session.observe();
    assert!(text.contains("iframe \"framer\"") && !text.contains("Theirs"), "{text}");
    session.ok(&["click", &session.ref_of("button \"Mine\"")]);
    assert_eq!(page.evaluate("document.title"), "clicked");
}
