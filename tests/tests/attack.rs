//! A hostile host against the real extension: whatever leaves the session's own tabs, or the table of methods and
//! arguments, is refused, and nothing of it happens.
//!
//! The browser starts `hostile-host` in bsk-host's place; the test speaks through it and looks with the oracle.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use bsk_tests::hostile_host::{HostilePort, RELAY_VAR, Relay};
use bsk_tests::{Browser, Consent, NativeHost, Options, Page, Pages, Scratch, until, workspace};
use serde_json::{Value, json};

/// A browser whose host is the test.
struct Attack {
    relay: Relay,
    port: HostilePort,
    browser: Browser,
    session: String,
    tab: u64,
    url: String,
}

impl Attack {
    /// A browser that has just started, without a session.
    fn connect() -> Self {
        let scratch = Arc::new(Scratch::new());
        let path = scratch.root().join("relay");
        let relay = Relay::at(&path);
        let options = Options {
            host: NativeHost::Program(env!("CARGO_BIN_EXE_hostile-host").into()),
            variables: vec![(RELAY_VAR.to_owned(), path.to_string_lossy().into_owned())],
            ..Options::default()
        };
        let browser = Browser::launch_in(scratch, Arc::new(Pages::serve()), &options);
        let mut port = relay.accept();
        port.welcome();
        let url = browser.pages().html("<title>Mine</title><button id=b>B</button>");
        Self { relay, port, browser, session: String::new(), tab: 0, url }
    }

    /// The same with a session that shows a page.
    fn begin() -> Self {
        let mut attack = Self::connect();
        (attack.session, attack.tab) = attack.start_session();
        attack.settle();
        let (tab, url) = (attack.tab, attack.url.clone());
        attack.navigate(tab, &url);
        let _ = attack.page();
        attack
    }

    fn start_session(&mut self) -> (String, u64) {
        let record = self.port.ask_ok(&json!({ "session_start": { "focus": false, "idle_ms": 600_000 } }));
        let id = record["session_id"].as_str().unwrap().to_owned();
        (id, record["active_tab_id"].as_u64().unwrap())
    }

    /// Waits until the session's first tab shows its empty page.
    fn settle(&self) {
        until("the session's empty page", Duration::from_secs(10), || {
            let is_starting = |target: &Value| target["type"] == "page" && target["url"] == "";
            (!self.browser.devtools().targets().iter().any(is_starting)).then_some(())
        });
    }

    fn navigate(&mut self, tab: u64, url: &str) {
        let outcome = self.cdp_in(tab, "Page.navigate", &json!({ "url": url }));
        assert!(outcome.get("ok").is_some(), "an ordinary navigation passes: {outcome}");
    }

    fn page(&self) -> Page<'_> {
        self.browser.devtools().page(&self.url)
    }

    fn cdp_in(&mut self, tab: u64, method: &str, params: &Value) -> Value {
        let session = self.session.clone();
        self.port.cdp(&session, tab, method, params)
    }

    /// The method with these parameters must not pass.
    #[track_caller]
    fn refuses(&mut self, method: &str, params: &Value) -> String {
        let outcome = self.cdp_in(self.tab, method, params);
        let failed = &outcome["failed"];
        assert!(failed.is_object(), "`{method}` with {params} passed: {outcome}");
        failed["reason"].as_str().unwrap_or_default().to_owned()
    }

    /// The port still works, or the extension has opened a new one that does.
    #[track_caller]
    fn lives_on(&mut self, after: &str) {
        let call = json!({ "tab_list": { "session_id": self.session, "scope": "agent" } });
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.port.ask(&call)));
        let outcome = asked.unwrap_or_else(|_| {
            self.port = self.relay.accept();
            self.port.welcome();
            self.port.ask(&call)
        });
        assert!(outcome.get("ok").is_some(), "after {after}: {outcome}");
    }
}

#[test]
fn a_navigation_right_after_the_start_of_a_session_is_not_overtaken_by_the_empty_page() {
    let mut attack = Attack::connect();
    for number in 0..5 {
        let url = attack.browser.pages().html(&format!("<title>Fresh {number}</title>"));
        let (session, tab) = attack.start_session();
        let outcome = attack.port.cdp(&session, tab, "Page.navigate", &json!({ "url": url }));
        assert!(outcome.get("ok").is_some(), "{outcome}");
        let title = format!("Fresh {number}");
        until("the page that was asked for", Duration::from_secs(10), || {
            (attack.browser.devtools().page(&url).evaluate("document.title") == title.as_str()).then_some(())
        });
    }
}

#[test]
fn no_method_outside_the_table_passes() {
    let mut attack = Attack::begin();
    let bank = attack.browser.pages().answering(|_| {
        bsk_tests::Response::html("<title>Bank</title>")
            .header("Set-Cookie", "sid=top-secret; HttpOnly; Path=/")
    });
    let devtools = attack.browser.devtools();
    devtools.call(None, "Target.createTarget", &json!({ "url": bank })).unwrap();
    let _ = devtools.page(&bank);
    let targets_before = devtools.targets().len();
    let url = attack.url.clone();
    let everything = json!({ "source": "document.title='pwned'", "expression": "document.title='pwned'" });
    let methods = [
        ("Storage.getCookies", json!({})),
        ("Storage.clearCookies", json!({})),
        ("Storage.setCookies", json!({ "cookies": [{ "name": "a", "value": "b", "url": url }] })),
        ("Storage.clearDataForOrigin", json!({ "origin": "*", "storageTypes": "all" })),
        ("Storage.getStorageKeyForFrame", json!({ "frameId": "x" })),
        ("Target.createTarget", json!({ "url": "about:blank" })),
        ("Target.getTargets", json!({})),
        ("Target.attachToTarget", json!({ "targetId": "x", "flatten": true })),
        ("Target.attachToBrowserTarget", json!({})),
        (
            "Target.setAutoAttach",
            json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true }),
        ),
        ("Target.setDiscoverTargets", json!({ "discover": true })),
        ("Target.closeTarget", json!({ "targetId": "x" })),
        ("Target.exposeDevToolsProtocol", json!({ "targetId": "x" })),
        ("Network.getAllCookies", json!({})),
        ("Network.getCookies", json!({ "urls": [url] })),
        ("Network.setCookie", json!({ "name": "a", "value": "b", "url": url })),
        ("Network.clearBrowserCookies", json!({})),
        ("Network.clearBrowserCache", json!({})),
        ("Network.enable", json!({})),
        ("Network.loadNetworkResource", json!({ "url": "file:///etc/passwd", "options": {} })),
        ("Network.setExtraHTTPHeaders", json!({ "headers": { "X": "y" } })),
        ("Browser.getVersion", json!({})),
        ("Browser.close", json!({})),
        ("Browser.crash", json!({})),
        ("Browser.grantPermissions", json!({ "permissions": ["geolocation"] })),
        ("Browser.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": "/tmp" })),
        ("Page.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": "/tmp" })),
        ("Page.addScriptToEvaluateOnNewDocument", everything.clone()),
        ("Page.createIsolatedWorld", json!({ "frameId": "x" })),
        ("Page.setDocumentContent", json!({ "frameId": "x", "html": "pwned" })),
        ("Page.setBypassCSP", json!({ "enabled": true })),
        ("Page.navigateToHistoryEntry", json!({ "entryId": 1 })),
        ("Page.getCookies", json!({})),
        ("Page.captureSnapshot", json!({})),
        ("Page.close", json!({})),
        ("Page.crash", json!({})),
        ("Runtime.evaluate", everything.clone()),
        ("Runtime.callFunctionOn", json!({ "functionDeclaration": "() => document.title = 'pwned'" })),
        ("Runtime.enable", json!({})),
        ("Runtime.addBinding", json!({ "name": "pwned" })),
        ("DOM.setFileInputFiles", json!({ "files": ["/etc/passwd"], "nodeId": 1 })),
        ("Page.setInterceptFileChooserDialog", json!({ "enabled": true })),
        ("DOM.getDocument", json!({})),
        ("Overlay.enable", json!({})),
        ("Overlay.highlightNode", json!({ "highlightConfig": {}, "nodeId": 1 })),
        ("Overlay.setInspectMode", json!({ "mode": "searchForNode", "highlightConfig": {} })),
        ("DOM.setOuterHTML", json!({ "nodeId": 1, "outerHTML": "pwned" })),
        ("DOMStorage.getDOMStorageItems", json!({ "storageId": {} })),
        ("IndexedDB.requestDatabaseNames", json!({})),
        ("Debugger.enable", json!({})),
        ("Fetch.enable", json!({})),
        ("IO.read", json!({ "handle": "1" })),
        ("Extensions.loadUnpacked", json!({ "path": "/tmp" })),
        ("SystemInfo.getInfo", json!({})),
        ("Security.setIgnoreCertificateErrors", json!({ "ignore": true })),
        ("ServiceWorker.enable", json!({})),
        ("Emulation.setUserAgentOverride", json!({ "userAgent": "x" })),
        ("Emulation.setGeolocationOverride", json!({})),
        ("Tethering.bind", json!({ "port": 9999 })),
        ("WebAuthn.enable", json!({})),
        ("PWA.install", json!({ "manifestId": "x" })),
        ("page.navigate", json!({ "url": "https://example.com" })),
        ("Page.navigate ", json!({ "url": "https://example.com" })),
        ("__proto__", json!({})),
        ("constructor", json!({})),
        ("toString", json!({})),
        ("", json!({})),
    ];
    for (method, params) in methods {
        let reason = attack.refuses(method, &params);
        assert_eq!(reason, "method_not_allowed", "`{method}`");
    }
    assert_eq!(attack.browser.devtools().targets().len(), targets_before, "no tab came or went");
    assert_eq!(attack.page().evaluate("document.title"), "Mine");
    attack.lives_on("the forbidden methods");
}

#[test]
fn no_address_outside_the_web_is_opened() {
    let mut attack = Attack::begin();
    let (session, tab) = (attack.session.clone(), attack.tab);
    for url in [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        " file:///etc/passwd",
        "\tfi\nle:///etc/passwd",
        "view-source:file:///etc/passwd",
        "javascript:document.title='pwned'",
        "JaVaScRiPt:document.title='pwned'",
        "chrome://version",
        "chrome://settings",
        "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/popup.html",
        "devtools://devtools/bundled/inspector.html",
        "data:text/html,<title>pwned</title>",
        "blob:http://127.0.0.1/x",
        "filesystem:http://127.0.0.1/temporary/x",
        "about:srcdoc",
        "about:version",
        "ftp://127.0.0.1/",
        "ws://127.0.0.1/",
        "http:",
        "//evil",
        "",
        "x",
    ] {
        let reason = attack.refuses("Page.navigate", &json!({ "url": url }));
        assert!(["url_not_allowed", "url_invalid"].contains(&reason.as_str()), "`{url}`: {reason}");
        let create = json!({ "tab_create": { "session_id": session, "url": url, "active": true } });
        let failed = attack.port.ask_refused(&create);
        assert_eq!(failed["reason"], reason.as_str(), "`{url}`: {failed}");
    }
    for params in [
        json!({}),
        json!({ "url": 1 }),
        json!({ "url": null }),
        json!({ "url": ["http://x/"] }),
        json!([]),
        json!("x"),
        json!(null),
    ] {
        attack.refuses("Page.navigate", &params);
    }
    for extra in ["referrer", "transitionType", "frameId", "referrerPolicy"] {
        let mut params = json!({ "url": attack.url });
        params[extra] = json!("x");
        assert_eq!(attack.refuses("Page.navigate", &params), "argument_not_allowed", "{extra}");
    }
    let page = attack.browser.devtools().page(&attack.url);
    assert_eq!(page.evaluate("document.title"), "Mine");
    let back =
        attack.port.ask(&json!({ "history_step": { "session_id": session, "tab_id": tab, "delta": -99 } }));
    assert!(back.get("failed").is_some(), "{back}");
    attack.lives_on("the forbidden addresses");
}

/// Least parameters with which each method of the table passes its shape.
fn least_params(method: &str) -> Value {
    match method {
        "Page.navigate" => json!({ "url": "http://127.0.0.1:9/" }),
        "Page.reload" | "Page.stopLoading" | "Page.captureScreenshot" | "Page.getLayoutMetrics" => json!({}),
        "Runtime.terminateExecution" => json!({}),
        "Page.handleJavaScriptDialog" => json!({ "accept": true }),
        "Input.dispatchMouseEvent" => json!({ "type": "mouseMoved", "x": 1, "y": 1 }),
        "Input.dispatchKeyEvent" => json!({ "type": "keyDown" }),
        "Input.insertText" => json!({ "text": "x" }),
        "Input.setInterceptDrags" => json!({ "enabled": true }),
        "Input.dispatchDragEvent" => json!({ "type": "dragOver", "x": 1, "y": 1 }),
        "Emulation.setFocusEmulationEnabled" => json!({ "enabled": true }),
        other => panic!(
            "`{other}` is new in the kernel's table: add its least parameters here, and attack its arguments"
        ),
    }
}

#[test]
fn no_method_of_the_table_takes_one_argument_more() {
    let mut attack = Attack::begin();
    let table = workspace::extension_dir().join("kernel/policy/cdp_table.js");
    let script = format!("import({table:?}).then(table => console.log(JSON.stringify(table.CDP_METHODS)))");
    let output = Command::new("node").args(["--input-type=module", "-e", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let methods: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(methods.len() > 5, "{methods:?}");
    for method in methods {
        for (name, value) in [
            ("extra", json!(1)),
            ("sessionId", json!("x")),
            ("__proto__", json!({})),
            ("constructor", json!(null)),
        ] {
            // Built as text: a JSON map would take `__proto__` as any other key, and so must the kernel.
            let mut params = least_params(&method);
            params[name] = value;
            let reason = attack.refuses(&method, &params);
            assert_eq!(reason, "argument_not_allowed", "`{method}` with `{name}`");
        }
    }
    for (method, params) in [
        ("Page.captureScreenshot", json!({ "fromSurface": false })),
        ("Page.captureScreenshot", json!({ "format": "svg" })),
        ("Page.captureScreenshot", json!({ "clip": { "x": 0, "y": 0, "width": 1, "height": 1 } })),
        ("Page.reload", json!({ "scriptToEvaluateOnLoad": "document.title='pwned'" })),
        ("Page.reload", json!({ "ignoreCache": "yes" })),
        ("Input.dispatchKeyEvent", json!({ "type": "keyDown", "commands": ["paste"] })),
        ("Input.dispatchKeyEvent", json!({ "type": "keyDown", "commands": ["copy"] })),
        ("Input.dispatchKeyEvent", json!({ "type": "KeyDown" })),
        ("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": "1", "y": 1 })),
        ("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": null, "y": 1 })),
        ("Input.insertText", json!({ "text": ["x"] })),
        ("Page.handleJavaScriptDialog", json!({ "accept": 1 })),
        ("Input.setInterceptDrags", json!({ "enabled": "yes" })),
        ("Input.dispatchDragEvent", json!({ "type": "dragStart", "x": 1, "y": 1 })),
    ] {
        assert_eq!(attack.refuses(method, &params), "argument_not_allowed", "`{method}` with {params}");
    }
    assert_eq!(attack.page().evaluate("document.title"), "Mine");
    attack.lives_on("the surplus arguments");
}

#[test]
fn only_what_the_page_itself_dragged_is_dropped_and_only_there() {
    let mut attack = Attack::begin();
    let url = attack.browser.pages().html(
        "<body style='margin:0'><div draggable=true style='height:50px' ondragstart=\"event.dataTransfer.setData('text/plain','card-7')\">A</div>\
         <div id=z style='height:200px' ondragover='event.preventDefault()' ondrop=\"event.preventDefault();got=[event.dataTransfer.files.length,event.dataTransfer.getData('text/plain')].join()\">Z</div><script>got=''</script>",
    );
    let tab = attack.tab;
    attack.navigate(tab, &url);
    let drop = |more: &Value| {
        let mut params = json!({ "type": "drop", "x": 100, "y": 150 });
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        params
    };
    let files = json!({ "data": { "items": [], "files": ["/etc/passwd"], "dragOperationsMask": 1 } });
    let text = json!({ "data": { "items": [{ "mimeType": "text/plain", "data": "forged" }], "dragOperationsMask": 1 } });
    for data in [&files, &text] {
        assert_eq!(attack.refuses("Input.dispatchDragEvent", &drop(data)), "argument_not_allowed");
    }
    assert_eq!(attack.refuses("Input.dispatchDragEvent", &drop(&json!({}))), "no_drag");
    let (session, tab) = (attack.session.clone(), attack.tab);
    let listen = json!({ "session_id": session, "tab_id": tab, "events": ["Input.dragIntercepted"] });
    attack.port.ask_ok(&json!({ "subscribe": listen }));
    let mouse = |kind: &str, y: u32| json!({ "type": kind, "x": 100, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
    attack.cdp_in(tab, "Input.setInterceptDrags", &json!({ "enabled": true }));
    // A page that has not drawn yet begins no drag: what was pressed is released, and it is tried again.
    until("the kernel holds the drag", Duration::from_secs(10), || {
        for event in [mouse("mousePressed", 20), mouse("mouseMoved", 40), mouse("mouseMoved", 80)] {
            attack.cdp_in(tab, "Input.dispatchMouseEvent", &event);
        }
        let over = json!({ "type": "dragEnter", "x": 100, "y": 150 });
        let held = attack.cdp_in(tab, "Input.dispatchDragEvent", &over).get("ok").cloned();
        if held.is_none() {
            let release = json!({ "type": "mouseReleased", "x": 100, "y": 80, "button": "left", "buttons": 0, "clickCount": 1 });
            attack.cdp_in(tab, "Input.dispatchMouseEvent", &release);
        }
        held
    });
    for data in [&files, &text] {
        assert_eq!(
            attack.refuses("Input.dispatchDragEvent", &drop(data)),
            "argument_not_allowed",
            "a drag changes nothing"
        );
    }
    let (other, foreign_tab) = attack.start_session();
    let refused = attack.port.cdp(&other, tab, "Input.dispatchDragEvent", &drop(&json!({})));
    assert_eq!(refused["failed"]["reason"], "tab_not_owned", "{refused}");
    let refused = attack.port.cdp(&other, foreign_tab, "Input.dispatchDragEvent", &drop(&json!({})));
    assert_eq!(refused["failed"]["reason"], "no_drag", "{refused}");
    attack.cdp_in(tab, "Input.dispatchDragEvent", &json!({ "type": "dragOver", "x": 100, "y": 150 }));
    attack.cdp_in(tab, "Input.dispatchDragEvent", &drop(&json!({})));
    assert_eq!(attack.browser.devtools().page(&url).evaluate("got"), "0,card-7");
    assert_eq!(attack.refuses("Input.dispatchDragEvent", &drop(&json!({}))), "no_drag");
    attack.lives_on("the drags");
}

/// Every call that names a tab, for a session and a tab.
fn calls_on(session: &Value, tab: &Value) -> Vec<Value> {
    let with = |name: &str, more: Value| {
        let mut args = json!({ "session_id": session, "tab_id": tab });
        for (key, value) in more.as_object().unwrap() {
            args[key] = value.clone();
        }
        json!({ name: args })
    };
    vec![
        with("tab_close", json!({})),
        with("tab_select", json!({})),
        with("subscribe", json!({ "events": ["Page.lifecycleEvent"] })),
        with("frames", json!({})),
        with("flush", json!({})),
        with("frame_quad", json!({ "frame": 1 })),
        with("shadow_roots", json!({ "frame": 0 })),
        with("cdp", json!({ "method": "Page.captureScreenshot", "params": {} })),
        with("page", json!({ "frame": 0, "function": "get_html", "args": { "max_bytes": 1000 } })),
        with(
            "fill",
            json!({ "frame": 0, "target": { "selector": "input" }, "value": "pwned", "append": false, "timeout_ms": 1000, "edit_ms": 100 }),
        ),
        with(
            "evaluate",
            json!({ "expression": "document.title='pwned'", "await_promise": false, "return_by_value": true, "timeout_ms": 1000 }),
        ),
        with("history_step", json!({ "delta": -1 })),
        with(
            "upload_open",
            json!({ "frame": 0, "timeout_ms": 1000, "files": [{
                "path": format!("/x/staging/{}/0/a", "0".repeat(32)), "name": "a", "size": 1,
            }] }),
        ),
        with("upload_arm", json!({})),
        with("upload_chooser", json!({ "timeout_ms": 100 })),
        with("upload_take", json!({ "input": { "frame": 0, "ref": 1 } })),
        with("upload_drag", json!({ "frame": 0, "step": "drop", "x": 1, "y": 1 })),
        with("upload_close", json!({})),
        with("download_open", json!({ "frame": 0, "timeout_ms": 1000 })),
    ]
}

#[test]
fn no_tab_of_the_user_or_of_another_session_is_reached() {
    let mut attack = Attack::begin();
    let user_url = attack.browser.pages().html("<title>User</title>");
    let devtools = attack.browser.devtools();
    devtools.call(None, "Target.createTarget", &json!({ "url": user_url })).unwrap();
    let _ = devtools.page(&user_url);
    let find = format!(
        "chrome.tabs.query({{}}).then(tabs => tabs.find(tab => (tab.url || tab.pendingUrl) === {user_url:?}).id)"
    );
    let user_tab = attack.browser.in_worker(&find);
    let (other_session, other_tab) = attack.start_session();
    let session = json!(attack.session);
    let mine = json!(attack.tab);
    let strange = [user_tab.clone(), json!(other_tab), json!(4_294_967_295_u32), json!(0), json!(1)];
    for tab in &strange {
        for call in calls_on(&session, tab) {
            let failed = attack.port.ask_refused(&call);
            let reason = failed["reason"].as_str().unwrap_or_default();
            assert!(["tab_not_owned", "tab_not_found"].contains(&reason), "{call}: {failed}");
        }
    }
    for id in [json!(other_session), json!("zzzz"), json!("__proto__"), json!("")] {
        for call in calls_on(&id, &mine) {
            let _ = attack.port.ask_refused(&call);
        }
    }
    for tab in [
        json!(-1),
        json!(1.5),
        json!(9_007_199_254_740_993_u64),
        json!("1"),
        json!(null),
        json!([1]),
        json!({}),
        json!(true),
    ] {
        for call in calls_on(&session, &tab) {
            let _ = attack.port.ask_refused(&call);
        }
    }
    for number in [-1.0, 0.5, 4_294_967_296.0] {
        for call in [
            json!({ "frame_quad": { "session_id": session, "tab_id": mine, "frame": number } }),
            json!({ "shadow_roots": { "session_id": session, "tab_id": mine, "frame": number } }),
            json!({ "page": { "session_id": session, "tab_id": mine, "frame": number, "function": "observe", "args": { "budget_ms": 1000 } } }),
        ] {
            let _ = attack.port.ask_refused(&call);
        }
    }
    let user_page = attack.browser.devtools().page(&user_url);
    assert_eq!(user_page.evaluate("document.title"), "User");
    let resize = json!({ "window_resize": { "session_id": other_session, "width": 1e9, "height": 500 } });
    let _ = attack.port.ask_refused(&resize);
    attack.lives_on("the foreign tabs");
}

#[test]
fn the_user_s_clipboard_is_not_reached_by_keys() {
    let mut attack = Attack::begin();
    attack.page().evaluate(
        "window.seen = 0; for (const type of ['copy', 'cut', 'paste']) addEventListener(type, () => { seen += 1; }, true); \
         document.body.innerHTML = '<textarea>text</textarea>'; document.querySelector('textarea').select()",
    );
    let insert = ("Insert", "Insert", 45);
    let chords = [
        (2, ("c", "KeyC", 67)),
        (2, ("x", "KeyX", 88)),
        (2, ("v", "KeyV", 86)),
        (4, ("v", "KeyV", 86)),
        (10, ("V", "KeyV", 86)),
        (2, insert),
        (8, insert),
        (8, ("Delete", "Delete", 46)),
        (0, ("Paste", "Paste", 0)),
    ];
    for (modifiers, (key, code, number)) in chords {
        for kind in ["keyDown", "rawKeyDown", "char"] {
            let whole = json!({ "type": kind, "modifiers": modifiers, "key": key, "code": code, "windowsVirtualKeyCode": number });
            assert_eq!(attack.refuses("Input.dispatchKeyEvent", &whole), "argument_not_allowed", "{whole}");
        }
    }
    let by_number_alone = json!({ "type": "rawKeyDown", "modifiers": 2, "windowsVirtualKeyCode": 86 });
    assert_eq!(attack.refuses("Input.dispatchKeyEvent", &by_number_alone), "argument_not_allowed");
    assert_eq!(attack.page().evaluate("seen"), 0);
    attack.lives_on("the clipboard's chords");
}

#[test]
fn no_page_function_outside_the_library_and_no_surplus_argument_passes() {
    let mut attack = Attack::begin();
    let (session, tab) = (attack.session.clone(), attack.tab);
    let mut call = |function: Value, args: Value| {
        let call =
            json!({ "session_id": session, "tab_id": tab, "frame": 0, "function": function, "args": args });
        attack.port.ask_refused(&json!({ "page": call }))
    };
    for function in [
        "eval",
        "Function",
        "constructor",
        "__proto__",
        "toString",
        "fetch",
        "observe()",
        "observe,alert(1)",
        "",
    ] {
        let _ = call(json!(function), json!({}));
    }
    for (function, args) in [
        ("observe", json!({ "budget_ms": 1000, "extra": 1 })),
        ("observe", json!({})),
        ("query", json!({ "query": { "code": "x" }, "timeout_ms": 1 })),
        ("observe", json!([])),
        ("observe", json!("x")),
        ("observe", json!({ "budget_ms": 1000, "root_ref": -1 })),
        ("observe", json!({ "budget_ms": 1000, "form": "raw" })),
        ("get_html", json!({ "max_bytes": 1, "target": { "selector": "x", "ref": 1 } })),
        ("get_html", json!({})),
        ("prepare", json!({ "target": { "selector": "button" }, "timeout_ms": 1e12 })),
        ("prepare", json!({ "target": { "selector": 1 }, "timeout_ms": 1 })),
        (
            "select",
            json!({ "target": { "ref": 1 }, "values": "x", "labels": [], "indexes": [], "timeout_ms": 1 }),
        ),
        ("document_state", json!({ "x": 1 })),
        ("settle", json!({ "timeout_ms": 1, "x": 1 })),
    ] {
        let _ = call(json!(function), args);
    }
    attack.lives_on("the page functions");
}

#[test]
fn malformed_messages_do_no_harm() {
    let mut attack = Attack::begin();
    let session = attack.session.clone();
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    let call = json!({ "tab_list": { "session_id": session, "scope": "all" } });
    let messages = [
        json!(null),
        json!([]),
        json!({}),
        json!("request"),
        json!(1),
        json!({ "request": null }),
        json!({ "request": {} }),
        json!({ "request": { "id": "1", "call": call } }),
        json!({ "request": { "id": -1, "call": call } }),
        json!({ "request": { "id": 1.5, "call": call } }),
        json!({ "request": { "id": 900, "call": null } }),
        json!({ "request": { "id": 901, "call": { "no_such_call": {} } } }),
        json!({ "request": { "id": 902, "call": { "__proto__": {} } } }),
        json!({ "request": { "id": 903, "call": { "tab_list": {}, "frames": {} } } }),
        json!({ "request": { "id": 904, "call": call, "extra": 1 } }),
        json!({ "request": { "id": 905, "call": call }, "ping": {} }),
        json!({ "welcome": { "host_version": "0.1.0" } }),
        json!({ "welcome": 1 }),
        json!({ "cancel": { "id": 123_456 } }),
        json!({ "cancel": {} }),
        json!({ "part": { "stream": 1, "index": 7, "is_last": true, "text": "x" } }),
        json!({ "part": { "stream": 1, "index": 0, "is_last": true, "text": "{{{" } }),
        json!({ "part": { "stream": 2, "index": 0, "is_last": false, "text": "x" } }),
        json!({ "no_such_message": {} }),
    ];
    for message in messages {
        attack.port.send(&message);
        attack.lives_on(&message.to_string());
    }
    for bytes in [
        framed(deep.as_bytes()),
        framed(b"{{{"),
        framed(&[0xff, 0xfe, 0x00]),
        vec![0xff; 16],
        framed(&vec![b' '; 1_048_577]),
    ] {
        attack.port.send_bytes(&bytes);
        attack.lives_on(&format!("{} raw bytes", bytes.len()));
    }
    assert_eq!(attack.page().evaluate("document.title"), "Mine");
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_ne_bytes(), body].concat()
}

#[test]
fn the_same_request_id_twice_and_a_thousand_at_once_are_each_answered_or_refused() {
    let mut attack = Attack::begin();
    let call = json!({ "tab_list": { "session_id": attack.session, "scope": "agent" } });
    for id in (10_000..11_000).chain([10_000, 10_000]) {
        attack.port.send(&json!({ "request": { "id": id, "call": call } }));
    }
    attack.lives_on("a thousand requests");
}

#[test]
fn a_refused_hello_and_a_silent_host_leave_the_browser_in_peace() {
    let mut attack = Attack::begin();
    let failure = json!({ "code": "version_too_old", "message": "x", "data": {} });
    attack.port.send(&json!({ "refuse": { "failure": failure } }));
    let mut next = attack.relay.accept();
    assert!(next.hello["instance_id"].is_string());
    next.welcome();
    attack.port = next;
    attack.lives_on("a refusal");
}

#[test]
fn a_message_of_exactly_a_mebibyte_reaches_the_extension() {
    let mut attack = Attack::begin();
    let evaluate = |expression: String| {
        json!({ "evaluate": { "session_id": attack.session, "tab_id": attack.tab, "expression": expression,
            "await_promise": false, "return_by_value": true, "timeout_ms": 10_000 } })
    };
    let frame = |call: &Value| json!({ "request": { "id": 70_000, "call": call } }).to_string().len();
    for length in [65_535, 65_536, 1_048_575, 1_048_576] {
        let padding = length - frame(&evaluate("1+1/**/".to_owned()));
        let call = evaluate(format!("1+1/*{}*/", "y".repeat(padding)));
        assert_eq!(frame(&call), length);
        attack.port.send(&json!({ "request": { "id": 70_000, "call": call } }));
        let reply = loop {
            let message = attack.port.receive().unwrap_or_else(|| panic!("no reply to {length} bytes"));
            if message["reply"]["id"] == 70_000 {
                break message;
            }
        };
        assert_eq!(reply["reply"]["outcome"]["ok"]["result"]["value"], 2, "{length}: {reply}");
    }
}

#[test]
fn large_answers_of_the_extension_arrive_whole() {
    let mut attack = Attack::begin();
    for length in [65_535, 65_536, 1_048_575, 1_048_577, 20_000_000, 70_000_000] {
        let evaluate = json!({ "evaluate": { "session_id": attack.session, "tab_id": attack.tab,
            "expression": format!("'z'.repeat({length})"), "await_promise": false, "return_by_value": true, "timeout_ms": 20_000 } });
        let outcome = attack.port.ask(&evaluate);
        // Past the wire's limit a clear refusal is as good as parts.
        match outcome["ok"]["result"]["value"].as_str() {
            Some(text) => assert_eq!(text.len(), length),
            None => assert_eq!(outcome["failed"]["reason"], "message_too_large", "{length}"),
        }
    }
    attack.lives_on("large answers");
}

#[test]
fn no_host_answers_for_the_user_or_reaches_the_question() {
    let mut attack = Attack::begin();
    let user_url = attack.browser.pages().html("<title>User</title>");
    let opened = attack.browser.in_worker(&format!(
        "chrome.windows.create({{ url: ['{user_url}', 'about:blank'] }}).then(({{ id, tabs }}) => [id, tabs[0].id])"
    ));
    let (home, tab) = (opened[0].clone(), opened[1].clone());
    until("the user's page", Duration::from_secs(10), || {
        (attack.browser.devtools().page(&user_url).evaluate("document.title") == "User").then_some(())
    });
    let session = json!(attack.session);
    let agent = json!({ "program": "the user's own browser", "pid": 1, "path": "/usr/bin/true" });
    let borrow = json!({ "tab_borrow": { "session_id": session, "tab_id": tab, "agent": agent } });
    attack.port.send(&json!({ "request": { "id": 900_000, "call": borrow } }));
    let text = Consent::asked(&attack.browser).text();
    assert!(text.contains("User"), "{text}");
    let consent = attack.browser.in_worker(
        "chrome.tabs.query({}).then(tabs => tabs.find(tab => tab.url.endsWith('/ui/consent.html'))).then(tab => [tab.id, tab.windowId])",
    );
    for call in calls_on(&session, &consent[0]) {
        let failed = attack.port.ask_refused(&call);
        assert_eq!(failed["reason"], "tab_not_owned", "{call}: {failed}");
    }
    let call = json!({ "tab_borrow": { "session_id": session, "tab_id": consent[0] } });
    assert_eq!(attack.port.ask_refused(&call)["reason"], "tab_forbidden");
    let url = format!("chrome-extension://{}/ui/consent.html", workspace::extension_id());
    attack.refuses("Page.navigate", &json!({ "url": url }));
    let create = json!({ "tab_create": { "session_id": session, "url": url, "active": true } });
    let _ = attack.port.ask_refused(&create);
    let window_of = |attack: &Attack| {
        attack.browser.in_worker(&format!("chrome.tabs.get({tab}).then(tab => tab.windowId)"))
    };
    assert!(Consent::is_asked(&attack.browser));
    assert_eq!(window_of(&attack), home);
    // Words of the consent page are no words of a host: the port closes over them, and the question goes with it.
    for forged in [
        json!({ "consent_answer": { "id": 1, "is_allowed": true, "lasting": "site" } }),
        json!({ "type": "consent_answer", "id": 1, "is_allowed": true, "lasting": "site" }),
        json!({ "request": { "id": 900_001, "call": { "consent_answer": { "id": 1, "is_allowed": true } } } }),
    ] {
        attack.port.send(&forged);
        attack.lives_on("a forged answer");
    }
    until("no question", Duration::from_secs(10), || (!Consent::is_asked(&attack.browser)).then_some(()));
    assert_eq!(window_of(&attack), home);
    let call = json!({ "evaluate": { "session_id": session, "tab_id": tab, "expression": "1", "await_promise": false,
        "return_by_value": true, "timeout_ms": 1000 } });
    assert_eq!(attack.port.ask_refused(&call)["reason"], "tab_not_owned");
}

#[test]
fn no_file_but_a_staged_one_under_its_own_name_gets_into_a_page() {
    let mut attack = Attack::begin();
    let (session, tab) = (attack.session.clone(), attack.tab);
    let id = "0123456789abcdef".repeat(2);
    let staging = attack.browser.scratch().root().join("staging").join(&id).join("0");
    std::fs::create_dir_all(&staging).unwrap();
    std::fs::write(staging.join("a.txt"), "staged").unwrap();
    let staged = staging.join("a.txt").to_str().unwrap().to_owned();
    let page = "<input id=f type=file><script>f.onchange=()=>document.title=f.files[0].name</script>";
    let url = attack.browser.pages().html(page);
    attack.navigate(tab, &url);
    let open = |path: &str, name: &str| {
        json!({ "upload_open": { "session_id": session, "tab_id": tab, "frame": 0, "timeout_ms": 60_000,
            "files": [{ "path": path, "name": name, "size": 6 }] } })
    };
    for (path, name) in [
        ("/etc/passwd", "passwd"),
        (&format!("{staged}/../../../../../../../etc/passwd"), "passwd"),
        (&format!("/staging/{id}/0/../../../etc/passwd"), "passwd"),
        (&staged, "harmless.txt"),
        (&format!("file://{staged}"), "a.txt"),
        (&staged.replace("/staging/", "/Staging/"), "a.txt"),
    ] {
        let failed = attack.port.ask_refused(&open(path, name));
        assert_eq!(failed["reason"], "argument_not_allowed", "{path}: {failed}");
    }
    let take =
        json!({ "upload_take": { "session_id": session, "tab_id": tab, "input": { "frame": 0, "ref": 1 } } });
    assert_eq!(attack.port.ask_refused(&take)["reason"], "upload_not_open");
    attack.port.ask_ok(&open(&staged, "a.txt"));
    for (method, params) in [
        ("DOM.setFileInputFiles", json!({ "files": [staged], "backendNodeId": 1 })),
        ("Page.setInterceptFileChooserDialog", json!({ "enabled": false })),
        (
            "Input.dispatchDragEvent",
            json!({ "type": "dragEnter", "x": 5, "y": 5, "data": { "files": ["/etc/passwd"] } }),
        ),
    ] {
        attack.refuses(method, &params);
    }
    // The page's own files are no way to others either: a drag of the page's is what it was.
    assert_eq!(
        attack.refuses("Input.dispatchDragEvent", &json!({ "type": "drop", "x": 5, "y": 5 })),
        "no_drag"
    );
    let found = attack.port.ask_ok(&json!({ "page": { "session_id": session, "tab_id": tab, "frame": 0,
        "function": "file_input", "args": { "target": { "selector": "#f" }, "timeout_ms": 1000 } } }));
    let take = json!({ "upload_take": { "session_id": session, "tab_id": tab, "input": { "frame": 0, "ref": found["input"] } } });
    attack.port.ask_ok(&take);
    assert_eq!(attack.browser.devtools().page(&url).evaluate("f.files[0].text()"), "staged");
    assert_eq!(attack.port.ask_refused(&take)["reason"], "upload_not_open", "it was for once");
}
