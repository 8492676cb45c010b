//! With no browser connected, each command says within two seconds which of the four causes it is and what to do.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bsk_tests::{Browser, NativeHost, Options, Pages, Scratch, until, workspace};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(2);

#[track_caller]
fn diagnosis(scratch: &Scratch) -> Value {
    let mut last = Value::Null;
    for args in [
        &["session", "start", "--json"][..],
        &["observe", "--session", "quwe", "--json"],
        &["session", "stop", "quwe", "--json"],
    ] {
        let ran = scratch.bsk(args);
        assert!(ran.elapsed < LIMIT, "{}", ran.report());
        assert_eq!(ran.exit_code(), Some(2), "{}", ran.report());
        last = ran.failure();
        assert_eq!(last["code"], "no_browser_connected", "{last}");
        assert!(last["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "a way out: {last}");
    }
    last
}

fn install(scratch: &Scratch) -> std::path::PathBuf {
    let profile = scratch.root().join("profile");
    fs::create_dir(&profile).unwrap();
    let ran = scratch.bsk(&["install", "--user-data-dir", profile.to_str().unwrap()]);
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
    profile
}

#[test]
fn not_installed_is_named() {
    let scratch = Scratch::new();
    let error = diagnosis(&scratch);
    assert_eq!(error["data"]["reason"], "host_not_installed", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("bsk install"), "{error}");
}

#[test]
fn a_browser_that_does_not_run_is_named() {
    let scratch = Scratch::new();
    install(&scratch);
    let error = diagnosis(&scratch);
    assert_eq!(error["data"]["reason"], "browser_not_running", "{error}");
}

#[test]
fn a_browser_without_the_extension_is_named() {
    let scratch = Arc::new(Scratch::new());
    let options = Options { without_extension: true, ..Options::default() };
    let browser = Browser::launch_in(Arc::clone(&scratch), Arc::new(Pages::serve()), &options);
    until("the browser holds its profile", Duration::from_secs(10), || {
        fs::symlink_metadata(browser.profile().join("SingletonLock")).ok()
    });
    let error = diagnosis(&scratch);
    assert_eq!(error["data"]["reason"], "extension_missing", "{error}");
    assert!(error.to_string().contains("extension"), "{error}");
}

#[test]
fn a_host_that_cannot_start_is_named() {
    let scratch = Scratch::new();
    let profile = install(&scratch);
    let manifest = profile.join("NativeMessagingHosts").join(format!("{}.json", workspace::host_name()));
    let mut value = workspace::read_json(&manifest);
    value["path"] = json!(scratch.root().join("gone/bsk-host"));
    fs::write(&manifest, value.to_string()).unwrap();
    let error = diagnosis(&scratch);
    assert_eq!(error["data"]["reason"], "host_cannot_start", "{error}");
    assert!(error.to_string().contains("bsk-host"), "{error}");
}

#[test]
fn status_and_lists_are_answers_even_without_a_browser() {
    let scratch = Scratch::new();
    let status = scratch.bsk(&["status", "--json"]);
    assert!(status.elapsed < LIMIT, "{}", status.report());
    let value = status.json();
    assert_eq!((&value["browsers"], &value["sessions"]), (&json!([]), &json!([])), "{value}");
    assert_eq!(scratch.bsk_ok(&["browsers"]), json!([]));
    assert_eq!(scratch.bsk_ok(&["session", "list"]), json!([]));
}

#[track_caller]
fn doctor_fails(scratch: &Scratch) -> Value {
    let ran = scratch.bsk(&["doctor", "--json"]);
    assert!(ran.elapsed < Duration::from_secs(5), "{}", ran.report());
    assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    let checks = ran.json();
    let failed: Vec<&Value> =
        checks.as_array().unwrap().iter().filter(|check| check["status"] == "fail").collect();
    assert!(!failed.is_empty(), "it names the step that fails: {checks}");
    for check in checks.as_array().unwrap() {
        for key in ["name", "status", "detail"] {
            assert!(check[key].is_string(), "`{key}` in {check}");
        }
        assert_eq!(check["ok"], json!(check["status"] != "fail"), "{check}");
    }
    for check in failed {
        assert!(check["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{check}");
    }
    checks
}

#[test]
fn doctor_names_the_failing_step_in_five_seconds() {
    let scratch = Scratch::new();
    doctor_fails(&scratch);
    let human = scratch.bsk(&["doctor"]);
    assert_eq!(human.exit_code(), Some(1), "{}", human.report());
    install(&scratch);
    doctor_fails(&scratch);
}

#[test]
fn doctor_is_content_when_all_is_well() {
    let browser = Browser::launch(&Options::default());
    let ran = browser.bsk(&["doctor", "--json"]);
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
    assert!(ran.json().as_array().unwrap().iter().all(|check| check["status"] != "fail"), "{}", ran.report());
}

#[test]
fn a_socket_that_nobody_serves_is_no_host() {
    let scratch = Scratch::new();
    scratch.bsk(&["status"]);
    let dir = scratch.runtime_dir();
    assert!(dir.is_dir(), "the runtime directory is made on first use");
    let socket = dir.join("h-0123456789ab.sock");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    fs::write(socket.with_extension("json"), "{}").unwrap();
    assert!(socket.exists());
    let error = diagnosis(&scratch);
    assert_eq!(error["exit_code"], 2);
    assert!(!socket.exists(), "a refused connection's socket is swept away");
    assert!(!socket.with_extension("json").exists());
}

#[test]
fn a_socket_whose_server_says_nothing_does_not_hold_up_a_command() {
    let scratch = Scratch::new();
    scratch.bsk(&["status"]);
    let socket = scratch.runtime_dir().join("h-0123456789ab.sock");
    let _silent = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for args in [&["status"][..], &["session", "start"], &["browsers"]] {
        let ran = scratch.bsk(args);
        assert!(ran.elapsed < Duration::from_millis(2500), "{}", ran.report());
    }
    assert!(socket.exists(), "who does not answer is not declared dead");
}

#[test]
fn a_profile_with_another_host_s_name_is_not_taken_for_ours() {
    let scratch = Arc::new(Scratch::new());
    let program = scratch.root().join("other-host");
    fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let options = Options { host: NativeHost::Program(program), ..Options::default() };
    let browser = Browser::launch_in(Arc::clone(&scratch), Arc::new(Pages::serve()), &options);
    let error = diagnosis(&scratch);
    assert!(Path::new(browser.profile()).is_dir(), "{error}");
    assert_eq!(error["exit_code"], 2);
}
