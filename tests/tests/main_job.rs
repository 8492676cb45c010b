//! The main job, from a fresh profile to a picture: install, start, session, navigate, observe, fill and click by ref,
//! see the effect with other eyes, take a picture that shows it, stop, and the window is gone.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs;
use std::time::Duration;

use bsk_tests::{Browser, Options, Picture, until, workspace};

const PAGE: &str = "<title>Paint shop</title>
<style>body{margin:0} #wall{height:100vh;background:rgb(200,200,200)} form{position:absolute;top:10px;left:10px}</style>
<div id=wall></div>
<form onsubmit='return false'><label>Colour <input id=colour></label>
<button id=paint onclick=\"wall.style.background=colour.value;document.title='Painted '+colour.value\">Paint the wall</button></form>";

#[test]
fn an_agent_does_a_task_on_a_real_page_from_install_to_stop() {
    let browser = Browser::launch(&Options::default());
    let windows_before = browser.window_ids();
    let session = browser.session();
    assert!(!windows_before.contains(&session.window_id), "the session has a window of its own");

    let url = browser.pages().html(PAGE);
    let navigated = session.ok(&["navigate", &url]);
    assert_eq!(navigated["final_url"], url.as_str());
    assert_eq!(navigated["status"], 200);

    let observed = session.ok(&["observe"]);
    let text = observed["text"].as_str().unwrap();
    assert_eq!(observed["truncated"], false);
    assert_eq!(observed["ref_count"].as_u64().unwrap(), text.matches('@').count() as u64, "{text}");
    assert!(text.contains("textbox \"Colour\""), "{text}");
    assert!(text.contains("button \"Paint the wall\""), "{text}");

    let filled = session.ok(&["fill", &session.ref_of("\"Colour\""), "--value", "rgb(10, 160, 90)"]);
    assert_eq!(filled["value"], "rgb(10, 160, 90)");
    assert_eq!(filled["value_length"], 16);
    let clicked = session.ok(&["click", &session.ref_of("\"Paint the wall\"")]);
    assert!(clicked["used_ref"].as_str().unwrap().starts_with("@e"), "{clicked}");

    let page = browser.devtools().page(&url);
    assert_eq!(page.evaluate("getComputedStyle(wall).backgroundColor"), "rgb(10, 160, 90)");
    assert_eq!(page.evaluate("document.title"), "Painted rgb(10, 160, 90)");

    let file = browser.scratch().file("wall.png");
    let taken = session.ok(&["screenshot", "--out", file.to_str().unwrap()]);
    assert_eq!(taken["byte_size"].as_u64().unwrap(), fs::metadata(&file).unwrap().len());
    let picture = Picture::read(&file);
    assert_eq!(taken["width"], picture.width);
    assert_eq!(taken["height"], picture.height);
    assert_eq!(picture.pixel(picture.width / 2, picture.height / 2), [10, 160, 90]);

    let stopped = browser.bsk_ok(&["session", "stop", &session.id]);
    assert_eq!(stopped["stopped"], serde_json::json!([session.id]));
    until("the Agent Window is gone", Duration::from_secs(2), || {
        (!browser.window_ids().contains(&session.window_id)).then_some(())
    });
    assert_eq!(browser.window_ids(), windows_before, "the user's windows are as they were");
    assert_eq!(browser.bsk_ok(&["session", "list"]), serde_json::json!([]));
}

#[test]
fn the_picture_of_one_element_is_that_element() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    session.open(
        "<style>body{margin:0;height:3000px}#t{position:absolute;top:1500px;left:40px;width:120px;height:60px;border:0;background:rgb(1,2,250)}</style><button id=t>T</button>",
    );
    let file = browser.scratch().file("element.png");
    session.ok(&["screenshot", "--ref", &session.ref_of("button \"T\""), "--out", file.to_str().unwrap()]);
    let picture = Picture::read(&file);
    assert_eq!((picture.width, picture.height), (120, 60));
    assert_eq!(picture.pixel(3, 3), [1, 2, 250]);
    assert_eq!(picture.pixel(116, 56), [1, 2, 250]);
}

#[test]
fn nothing_is_added_to_the_page() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<body><label>A <input id=a></label><button id=b>B</button></body>");
    let before = page.evaluate("document.documentElement.outerHTML");
    let globals_before = page.evaluate("Object.getOwnPropertyNames(window).sort().join()");
    session.ok(&["observe"]);
    session.ok(&["click", "#b"]);
    session.ok(&["hover", "#b"]);
    session.ok(&["fill", "#a", "--value", "x"]);
    let html = session.ok(&["get-html"])["html"].as_str().unwrap().to_owned();
    assert_eq!(page.evaluate("document.documentElement.outerHTML"), before);
    assert_eq!(page.evaluate("Object.getOwnPropertyNames(window).sort().join()"), globals_before);
    assert!(html.contains("<button id=\"b\">B</button>"), "{html}");
}

#[test]
fn install_registers_in_the_given_data_directory_only_and_uninstall_undoes_it() {
    let scratch = bsk_tests::Scratch::new();
    let profile = scratch.root().join("data dir with spaces");
    fs::create_dir(&profile).unwrap();
    let profile_text = profile.to_str().unwrap();
    let dry = scratch.bsk(&["install", "--user-data-dir", profile_text, "--dry-run"]);
    assert_eq!(dry.exit_code(), Some(0), "{}", dry.report());
    assert_eq!(fs::read_dir(&profile).unwrap().count(), 0, "a dry run writes nothing");

    for _ in 0..2 {
        let ran = scratch.bsk(&["install", "--user-data-dir", profile_text]);
        assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
        assert!(ran.text().contains("extension"), "it says how to load the extension: {}", ran.report());
    }
    let manifest = profile.join("NativeMessagingHosts").join(format!("{}.json", workspace::host_name()));
    let manifest_value = workspace::read_json(&manifest);
    let origin = format!("chrome-extension://{}/", workspace::extension_id());
    assert_eq!(manifest_value["allowed_origins"], serde_json::json!([origin]));
    assert_eq!(
        fs::canonicalize(manifest_value["path"].as_str().unwrap()).unwrap(),
        workspace::bsk_host().canonicalize().unwrap()
    );
    let home: Vec<_> = fs::read_dir(scratch.root().join("home")).unwrap().collect();
    assert!(home.is_empty(), "the home directory is not touched: {home:?}");

    let ran = scratch.bsk(&["uninstall", "--user-data-dir", profile_text]);
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
    assert_eq!(fs::read_dir(&profile).unwrap().count(), 0, "what install made is gone");
}
