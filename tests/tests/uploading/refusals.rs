//! What is not uploaded: files that are none, inputs that do not take them, settings, rules and people that say no.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use bsk_tests::{Browser, Consent, Options, Running, workspace};
use nix::unistd::geteuid;
use serde_json::json;

use crate::{ATTACH, BROWSER, PRESS, READER, choosers_are_shown, file, holds, nothing_is_staged, refused};

#[test]
fn what_an_input_does_not_take_is_refused_before_anything_changes() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let (a, b) = (file(&browser, "one.txt", b"1"), file(&browser, "two.txt", b"2"));
    let page = session.open_page(
        "<input id=one type=file><input id=dir type=file webkitdirectory><input id=off type=file disabled><input id=pic type=file accept='image/*'>\
         <button id=none onclick='document.title=1'>Nothing</button><button id=own onclick=\"showOpenFilePicker().catch(()=>{})\">Own</button><p id=o>-</p>\
         <script>addEventListener('change',e=>o.textContent+=e.target.id)</script>",
    );
    refused(&session, &["upload", "#one", "--file", &a, "--file", &b], "files_not_accepted");
    refused(&session, &["upload", "#dir", "--file", &a], "files_not_accepted");
    refused(&session, &["upload", "#off", "--file", &a], "element_disabled");
    let started = Instant::now();
    let error = refused(&session, &["upload", "#own", "--file", &a], "file_input_not_activated");
    assert!(error["message"].as_str().unwrap().contains("showOpenFilePicker"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(4), "at once: {:?}", started.elapsed());
    refused(&session, &["upload", "#none", "--file", &a], "file_input_not_activated");
    assert_eq!(page.evaluate("o.textContent"), "-");
    assert_eq!(browser.staged(), Vec::<PathBuf>::new());
    // What `accept` does not list is taken, as a chooser lets a person do, and told.
    let done = session.ok(&["upload", "#pic", "--file", &a]);
    assert_eq!(done["not_accepted"], json!(["one.txt"]));
    assert_eq!(page.evaluate("pic.files[0].name"), "one.txt");
    assert_eq!(browser.staged().len(), 1);
    browser.bsk_ok(&["session", "stop", &session.id]);
    nothing_is_staged(&browser);
}

#[test]
fn what_is_no_file_is_refused_before_anything_is_asked() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let out = browser.scratch().root().join("out");
    let socket = out.join("a.socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let pipe = out.join("a.pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let large = out.join("large.bin");
    fs::File::create(&large).unwrap().set_len(512 * 1024 * 1024 + 1).unwrap();
    let backslash = file(&browser, "a\\b.txt", b"x");
    for (path, reason) in [
        (out.to_str().unwrap(), "file_not_readable"),
        ("/dev/zero", "file_not_readable"),
        (socket.to_str().unwrap(), "file_not_readable"),
        (pipe.to_str().unwrap(), "file_not_readable"),
        ("missing.txt", "file_not_readable"),
        ("", "usage_invalid"),
        (large.to_str().unwrap(), "file_too_large"),
        (&backslash, "file_name_invalid"),
    ] {
        let ran = session.bsk(&["upload", "#f", "--file", path]);
        assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
        assert_eq!(ran.failure()["data"]["reason"], reason, "{path}: {}", ran.report());
    }
    // A link of the user's to a file is as good as the file, under the link's name.
    let real = file(&browser, "real.txt", b"linked");
    std::os::unix::fs::symlink(&real, out.join("link.txt")).unwrap();
    session.ok(&["upload", "#f", "--file", "link.txt"]);
    holds(&page, "link.txt:linked");
}

#[test]
fn settings_block_ask_and_allow() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let path = file(&browser, "secret plan.txt", b"PLAN");
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let press = [&["upload"][..], &PRESS[..], &[path.as_str()][..]].concat();
    browser.set("uploads", &json!("block"));
    let error = refused(&session, &press, "uploads_blocked");
    assert_eq!(error["exit_code"], 7);
    browser.set("uploads", &json!("ask"));
    for (answer, reason) in [("deny", "upload_not_allowed"), ("close", "upload_not_allowed")] {
        let asking = session.start_bsk(&press);
        let consent = Consent::asked(&browser);
        let text = consent.text();
        for part in ["secret plan.txt", "4 B", "http://127.0.0.1"] {
            assert!(text.contains(part), "`{part}` in `{text}`");
        }
        assert_eq!(consent.page().evaluate("document.querySelectorAll('#subject .file').length"), 1);
        assert!(browser.staged().is_empty(), "nothing is read before the yes");
        if answer == "deny" {
            consent.deny();
        } else {
            consent.page().close();
        }
        let error = asking.finish().failure();
        assert_eq!((&error["data"]["reason"], &error["exit_code"]), (&json!(reason), &json!(7)), "{error}");
        assert_eq!(error["data"]["effect_state"], "none");
    }
    choosers_are_shown(&session, &page);
    assert_eq!(page.evaluate("o.textContent"), "");
    let asking = session.start_bsk(&press);
    let consent = Consent::asked(&browser);
    consent.lasting("session");
    consent.allow();
    let _ = asking.finish().success();
    holds(&page, "secret plan.txt:PLAN");
    // The answer counts for this site until the session ends, and for no other site.
    session.ok(&press);
    let inner = browser.pages().html(&format!("{READER}{ATTACH}")).replace("127.0.0.1", "other.localhost");
    let _outer =
        session.open_page(&format!("<h1>Outer</h1><iframe src='{inner}' width=500 height=300></iframe>"));
    let _ = session.observe();
    let asking = session.start_bsk(&press);
    let consent = Consent::asked(&browser);
    assert!(consent.text().contains("other.localhost"), "{}", consent.text());
    consent.deny();
    assert_eq!(asking.finish().failure()["data"]["reason"], "upload_not_allowed");
    browser.set("uploads", &json!("allow"));
    session.ok(&press);
    session.ok(&["wait-for", "--text", "secret plan.txt:PLAN"]);
}

#[test]
fn site_rules_keep_files_out() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let path = file(&browser, "rules.txt", b"R");
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let press = [&["upload"][..], &PRESS[..], &[path.as_str()][..]].concat();
    for (access, reason) in [("read_only", "site_read_only"), ("block", "site_blocked")] {
        browser.set("site_rules", &json!([{ "pattern": "127.0.0.1", "access": access }]));
        for args in
            [&press[..], &["upload", "#f", "--file", &path], &["upload", "#f", "--drop", "--file", &path]]
        {
            let error = session.err(args);
            assert_eq!(
                (&error["data"]["reason"], &error["exit_code"]),
                (&json!(reason), &json!(7)),
                "{error}"
            );
        }
    }
    assert_eq!(page.evaluate("o.textContent"), "");
    // The frame's own site counts, whoever opened its chooser.
    browser.set("site_rules", &json!([{ "pattern": "other.localhost", "access": "read_only" }]));
    let inner = browser.pages().html(&format!("{READER}{ATTACH}")).replace("127.0.0.1", "other.localhost");
    let _outer =
        session.open_page(&format!("<h1>Outer</h1><iframe src='{inner}' width=500 height=300></iframe>"));
    let _ = session.observe();
    let error = session.err(&press);
    assert_eq!(error["data"]["reason"], "site_read_only", "{error}");
    nothing_is_staged(&browser);
}

#[test]
fn a_file_that_its_user_may_not_read_is_refused_and_left_as_it_is() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let path = file(&browser, "closed.txt", b"closed");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything, so another user tries; that one is refused before it looks for a host.
    let as_nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut command = if geteuid().is_root() {
        let mut command = browser.scratch().command("setpriv");
        command.args(as_nobody).arg(workspace::bsk()).current_dir("/");
        command
    } else {
        browser.scratch().command(workspace::bsk())
    };
    command.args(["upload", "#f", "--file", &path, "--session", &session.id, "--json"]);
    let error = Running::start(command).finish().failure();
    assert_eq!(error["data"]["reason"], "file_not_readable", "{error}");
    assert!(error["message"].as_str().unwrap().to_lowercase().contains("permission denied"), "{error}");
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    assert_eq!(page.evaluate("f.files.length"), 0);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"closed");
}
