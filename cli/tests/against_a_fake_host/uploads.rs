//! What `bsk upload` sends, and what it says of a host that goes away: whether the page can have got anything.

use std::fs;

use serde_json::json;

use crate::fake_host::{Answer, Place};

const UPLOAD: [&str; 8] = ["upload", "@e3", "--file", "a.txt", "--file", "b.txt", "--session", "quwe"];

fn place() -> Place {
    let place = Place::new();
    fs::write(place.folder.path().join("a.txt"), "ALPHA").expect("a file of our own");
    fs::write(place.folder.path().join("b.txt"), "").expect("a file of our own");
    place
}

#[test]
fn names_and_sizes_are_announced_and_the_bytes_follow() {
    let place = place();
    let result = json!({ "tab_id": 10, "used_ref": "@e3", "file_names": ["a.txt", "b.txt"], "not_accepted": [], "effects": {} });
    let answer = result.clone();
    // The bytes of the one that has any, and the end.
    let host = place.host("aaaa", &["quwe"], move |_| Answer::TakeFiles(2, Some(answer.clone())));
    assert_eq!(place.json(&UPLOAD), (0, result));
    let files = json!([{ "name": "a.txt", "size": 5 }, { "name": "b.txt", "size": 0 }]);
    assert_eq!(host.command()["action"], json!({ "upload": { "target": { "ref": "@e3" }, "files": files } }));
    assert_eq!(host.command()["timeout_ms"], 120_000);
}

#[test]
fn a_host_that_is_lost_before_it_has_all_has_given_nothing_and_afterwards_nobody_knows() {
    for (messages, effect, phase) in [(None, "none", "reading"), (Some(2), "unknown", "waiting")] {
        let place = place();
        let _host = place.host("aaaa", &["quwe"], move |_| match messages {
            None => Answer::Close,
            Some(messages) => Answer::TakeFiles(messages, None),
        });
        let (code, error) = place.json(&UPLOAD);
        assert_eq!((code, &error["data"]["reason"]), (2, &json!("connection_lost")), "{error}");
        assert_eq!(
            (&error["data"]["effect_state"], &error["data"]["phase"]),
            (&json!(effect), &json!(phase)),
            "{error}"
        );
        assert_eq!(error["data"]["cleanup_state"], "pending");
        let hint = error["hint"].as_str().unwrap_or_default();
        assert_eq!(hint.contains("do not run the upload again blindly"), effect == "unknown", "{hint}");
    }
}

#[test]
fn a_host_that_asks_for_files_of_another_command_or_twice_is_malformed() {
    let place = Place::new();
    let _host = place.host("aaaa", &["quwe"], |_| Answer::TakeFiles(0, Some(json!({}))));
    let (_, error) = place.json(&["click", "@e3", "--session", "quwe"]);
    assert_eq!(error["data"]["reason"], "host_malformed", "{error}");
}

#[test]
fn nothing_is_sent_for_files_that_cannot_be_uploaded() {
    let place = place();
    let host = place.host("aaaa", &["quwe"], |_| Answer::Close);
    for file in ["missing", ".", "/dev/null"] {
        let (code, error) =
            place.json(&["upload", "@e3", "--file", "a.txt", "--file", file, "--session", "quwe"]);
        assert_eq!((code, &error["data"]["reason"]), (1, &json!("file_not_readable")), "{error}");
    }
    assert_eq!(host.commands(), Vec::<serde_json::Value>::new());
}
