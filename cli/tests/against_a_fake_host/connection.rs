//! Finding hosts and losing them: what `bsk` does with sockets, hellos and broken connections.
//!
//! Times are upper bounds that a person would notice, never exact: a hang is what they are there to catch.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::fake_host::{Answer, Place, hello, text};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use serde_json::{Value, json};

fn value(number: i64) -> impl Fn(&Value) -> Answer + Send + Sync + 'static {
    move |_| Answer::Ok(json!({ "ok": true, "tab_id": 10, "value": number }))
}

const EVALUATE: [&str; 4] = ["evaluate", "1+1", "--session", "quwe"];

#[test]
fn a_command_reaches_the_host_that_has_its_session() {
    let place = Place::new();
    let other = place.host("aaaa1111", &["zuzu"], value(1));
    let right = place.host("bbbb2222", &["quwe"], value(2));
    let output = place.bsk(&EVALUATE);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "2\n"));
    assert!(other.commands().is_empty());
    let command = right.command();
    assert_eq!(command["session_id"], "quwe");
    let action =
        json!({ "evaluate": { "expression": "1+1", "await_promise": false, "return_by_value": true } });
    assert_eq!(command["action"], action);
    assert_eq!(command["timeout_ms"], 30_000);
}

#[test]
fn the_session_may_come_from_the_environment_and_the_flag_wins() {
    let place = Place::new();
    let host = place.host("aaaa", &["quwe", "zuzu"], value(1));
    let with_variable = place.command(&["evaluate", "1"]).env("BSK_SESSION", "zuzu").output().unwrap();
    assert!(with_variable.status.success());
    place.command(&EVALUATE).env("BSK_SESSION", "zuzu").output().unwrap();
    let sessions: Vec<Value> = host.commands().iter().map(|command| command["session_id"].clone()).collect();
    assert_eq!(sessions, ["zuzu", "quwe"]);
}

#[test]
fn an_unknown_session_is_the_request_s_fault_and_sends_nothing() {
    let place = Place::new();
    let host = place.host("aaaa", &["zuzu"], value(1));
    let (code, error) = place.json(&EVALUATE);
    assert_eq!((code, &error["data"]["reason"]), (1, &json!("session_not_found")));
    assert!(error["hint"].as_str().unwrap().contains("bsk session list"));
    assert!(host.commands().is_empty());
}

#[test]
fn two_browsers_and_no_choice_is_an_error_that_lists_them() {
    let place = Place::new();
    let _one = place.host("aaaa1111", &[], value(1));
    let two = place.host("bbbb2222", &[], |_| {
        Answer::Ok(json!({ "session_id": "quwe", "browser_instance_id": "bbbb2222", "agent_window_id": 1 }))
    });
    let (code, error) = place.json(&["session", "start"]);
    assert_eq!((code, &error["code"]), (1, &json!("multiple_browsers_online")));
    assert_eq!(error["data"]["browsers"].as_array().unwrap().len(), 2);
    let output = place.bsk(&["session", "start", "--browser", "bbbb", "--no-focus"]);
    assert_eq!(text(&output.stdout), "quwe\n");
    let start = &two.command()["action"]["session_start"];
    assert_eq!(start, &json!({ "focus": false, "idle_ms": 300_000 }));
    let (code, error) = place.json(&["session", "start", "--browser", "cccc"]);
    assert_eq!((code, &error["data"]["reason"]), (1, &json!("browser_not_found")));
}

#[test]
fn a_dead_host_s_socket_is_removed_and_a_plain_file_is_not() {
    let place = Place::new();
    let corpse = place.runtime_dir().new_socket_path();
    drop(UnixListener::bind(&corpse).unwrap());
    let sidecar = corpse.with_extension("json");
    fs::write(&sidecar, "{}").unwrap();
    let file = place.runtime_dir().path().join("notes.sock");
    fs::write(&file, "mine").unwrap();
    let _host = place.host("aaaa", &["quwe"], value(2));
    let (code, browsers) = place.json(&["browsers"]);
    assert_eq!((code, browsers.as_array().unwrap().len()), (0, 1));
    assert!(!corpse.exists() && !sidecar.exists());
    assert!(file.exists());
}

#[test]
fn a_host_that_ends_in_mid_command_is_reported_at_once() {
    let place = Place::new();
    let _host = place.host("aaaa", &["quwe"], |_| Answer::Close);
    let started = Instant::now();
    let (code, error) = place.json(&EVALUATE);
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!((code, &error["data"]["reason"]), (2, &json!("connection_lost")));
    assert!(error["hint"].as_str().unwrap().contains("bsk observe"));
}

#[test]
fn a_host_that_says_nothing_is_given_up_after_the_command_s_time() {
    let place = Place::new();
    let _host = place.host("aaaa", &["quwe"], |_| Answer::Silent);
    let started = Instant::now();
    let (code, error) = place.json(&["evaluate", "1", "--session", "quwe", "--timeout", "100ms"]);
    assert_eq!((code, &error["code"]), (4, &json!("timeout")));
    assert!(started.elapsed() < Duration::from_secs(7));
}

#[test]
fn a_socket_that_never_says_hello_costs_two_seconds_and_nobody_else_s_session_anything() {
    let place = Place::new();
    let _silent = place.host_with(Value::Null, value(1));
    let started = Instant::now();
    let (code, error) = place.json(&EVALUATE);
    assert_eq!((code, &error["code"]), (4, &json!("timeout")));
    assert!(started.elapsed() < Duration::from_secs(3));
    let _host = place.host("aaaa", &["quwe"], value(2));
    let started = Instant::now();
    assert_eq!(text(&place.bsk(&EVALUATE).stdout), "2\n");
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_host_of_another_protocol_is_version_skew_even_with_unknown_fields() {
    for extra in [false, true] {
        let place = Place::new();
        let mut first = hello("aaaa", &["quwe"]);
        first["hello"]["protocol"] = json!(99);
        if extra {
            first["hello"]["mood"] = json!("fine");
        }
        let _host = place.host_with(first, value(1));
        let (code, error) = place.json(&EVALUATE);
        assert_eq!((code, &error["code"]), (5, &json!("version_too_old")));
        assert_eq!(error["data"]["host_protocol"], 99);
        let (code, status) = place.json(&["status"]);
        assert_eq!((code, &status["browsers"]), (0, &json!([])));
        assert!(status["hint"].as_str().unwrap().contains("protocol 99"));
    }
}

#[test]
fn a_host_that_refuses_the_hello_says_why() {
    let place = Place::new();
    let failure = Failure::new(ErrorCode::VersionTooOld, Reason::UsageInvalid, "`bsk` is too old")
        .hint("get a newer one");
    let _host = place.host_with(json!({ "reply": { "outcome": { "failed": failure } } }), value(1));
    let output = place.bsk(&EVALUATE);
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(text(&output.stderr), "error: `bsk` is too old\nhint: get a newer one\n");
}

#[test]
fn nonsense_on_a_socket_is_a_transport_failure() {
    let place = Place::new();
    let _host = place.host_with(json!({ "hello": { "protocol": 1 } }), value(1));
    let (code, error) = place.json(&EVALUATE);
    assert_eq!((code, &error["code"]), (2, &json!("protocol_error")));
}

#[test]
fn an_unsafe_runtime_directory_is_refused_with_the_way_to_fix_it() {
    let place = Place::new();
    let dir = place.runtime_dir().path().to_owned();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
    for arguments in [&["status"][..], &EVALUATE] {
        let (code, error) = place.json(arguments);
        assert_eq!((code, &error["data"]["reason"]), (2, &json!("runtime_dir_unsafe")));
        assert!(error["hint"].as_str().unwrap().contains("chmod 700"));
    }
}

#[test]
fn without_a_host_a_command_says_why_within_two_seconds() {
    let place = Place::new();
    let started = Instant::now();
    let (code, error) = place.json(&EVALUATE);
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!((code, &error["data"]["reason"]), (2, &json!("host_not_installed")));
    assert!(error["hint"].as_str().unwrap().contains("bsk install"));
}

#[test]
fn a_host_that_comes_up_while_a_command_waits_is_used() {
    let place = Place::new();
    place.runtime_dir();
    let mut child =
        place.command(&EVALUATE).arg("-v").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its first word says that it has looked and found nothing.
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut String::new()).unwrap();
    let _host = place.host("aaaa", &["quwe"], value(7));
    assert_eq!(text(&child.wait_with_output().unwrap().stdout), "7\n");
    drop(stderr);
}

#[test]
fn lists_come_from_the_hellos_of_all_hosts() {
    let place = Place::new();
    let profile = json!({ "window_count": 2, "tab_count": 5, "front_title": "Inbox" });
    let told = profile.clone();
    let one = place.host("aaaa1111", &["quwe", "zuzu"], move |_: &Value| Answer::Ok(told.clone()));
    let _two = place.host("bbbb2222", &["wawa"], value(1));
    let (_, browsers) = place.json(&["browsers"]);
    let entry = browsers.as_array().unwrap().iter().find(|entry| entry["instance_id"] == "aaaa1111").unwrap();
    let expected = json!({
        "instance_id": "aaaa1111", "browser_name": "Chromium", "browser_version": "156.0.1.2",
        "extension_version": bsk_protocol::BUILD_VERSION, "label": null, "session_count": 2,
        "connected_at_ms": 1000, "version_skew": false, "is_default": false, "profile": profile,
    });
    assert_eq!(entry, &expected);
    let listed = browsers.as_array().unwrap();
    assert!(
        listed.iter().any(|entry| entry["profile"].is_null()),
        "one that does not say is listed all the same"
    );
    let (_, sessions) = place.json(&["session", "list"]);
    assert_eq!(sessions.as_array().unwrap().len(), 3);
    let (_, status) = place.json(&["status"]);
    assert_eq!(status["socket"].as_array().unwrap().len(), 2);
    assert!(status["socket"].as_array().unwrap().contains(&json!(one.socket)));
    assert!(status.get("hint").is_none());
    assert_eq!(one.commands().len(), 1, "only `browsers` asks for more than the hello");
}

#[test]
fn stopping_all_ends_every_session_and_names_those_that_did_not_end() {
    let place = Place::new();
    let stop = |command: &Value| match command["session_id"].as_str() {
        Some("zuzu") => Answer::Failed(Failure::new(ErrorCode::CdpFailed, Reason::BrowserGone, "no")),
        session => {
            Answer::Ok(json!({ "session_id": session, "returned_tab_ids": [4], "return_failures": [] }))
        }
    };
    let _one = place.host("aaaa1111", &["quwe", "zuzu"], stop);
    let _two = place.host("bbbb2222", &["wawa"], stop);
    let (code, report) = place.json(&["session", "stop", "--all"]);
    assert_eq!(code, 3);
    assert_eq!(report["stopped"].as_array().unwrap().len(), 2);
    assert_eq!(report["failed"][0]["session_id"], "zuzu");
    assert_eq!(report["returned_tab_ids"], json!([4, 4]));
    let (code, report) = place.json(&["session", "stop", "wawa"]);
    assert_eq!((code, &report["stopped"]), (0, &json!(["wawa"])));
}
