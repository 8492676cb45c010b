//! `evaluate`: values, promises and errors, from files and standard input, in any frame, with limits that say so.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use bsk_tests::{Shared, workspace};

static BROWSER: Shared = Shared::new();

#[test]
fn a_script_comes_from_a_file_or_from_standard_input() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<title>T</title>");
    let file = browser.scratch().file("script.js");
    fs::write(&file, "const a = 20;\na + 2 * 11").unwrap();
    assert_eq!(session.ok(&["evaluate", "--file", &file.display().to_string()])["value"], 42);
    for flag in ["--stdin", "-"] {
        let mut command = browser.command(workspace::bsk());
        command
            .args(["evaluate", flag, "--session", &session.id])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"document.title + '!'").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "T!");
    }
    for args in [&["evaluate"][..], &["evaluate", "1", "--stdin"], &["evaluate", "--file", "/no/such/file"]] {
        assert_eq!(session.bsk(args).exit_code(), Some(1), "{args:?}");
    }
    fs::write(&file, "\n\n   nope()").unwrap();
    let thrown = session.ok(&["evaluate", "--file", &file.display().to_string()]);
    assert_eq!(
        (&thrown["ok"], &thrown["error"]["line"], &thrown["error"]["column"]),
        (&false.into(), &3.into(), &4.into())
    );
}

#[test]
fn a_script_runs_in_the_world_of_the_frame_that_is_named() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let near = browser.pages().html("<script>var mine = 'near'</script><button>Near</button>");
    let far = browser
        .pages()
        .html("<script>var mine = 'far'</script><button>Far</button>")
        .replace("127.0.0.1", "other.localhost");
    session.open(&format!(
        "<script>var mine = 'main'</script><iframe src='{near}'></iframe><iframe src='{far}'></iframe>"
    ));
    for name in ["Near", "Far"] {
        let button = session.ref_of(&format!("button \"{name}\""));
        let frame = button[..button.rfind('e').unwrap()].to_owned();
        let done = session.ok(&["evaluate", "mine + (window === top)", "--frame", &frame]);
        assert_eq!(done["value"], format!("{}false", name.to_lowercase()).as_str(), "{done}");
        let number = frame.trim_start_matches("@f");
        let waited = session.ok(&["evaluate", "Promise.resolve(mine)", "--await-promise", "--frame", number]);
        assert_eq!(waited["value"], name.to_lowercase().as_str());
    }
    assert_eq!(session.ok(&["evaluate", "mine", "--frame", "0"])["value"], "main");
    assert_eq!(session.err(&["evaluate", "1", "--frame", "99"])["data"]["reason"], "frame_not_found");
}

#[test]
fn a_large_value_arrives_whole_and_one_that_is_too_large_is_an_error_that_leaves_everything_standing() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<title>T</title>");
    let done = session.ok(&["evaluate", "'x'.repeat(5_000_000)"]);
    assert_eq!(done["value"].as_str().unwrap().len(), 5_000_000);
    let ran = session.bsk(&["evaluate", "'x'.repeat(200_000_000)"]);
    assert!(matches!(ran.exit_code(), Some(1 | 3)), "{}", ran.report().chars().take(500).collect::<String>());
    assert!(ran.failure()["hint"].is_string());
    assert_eq!(session.ok(&["evaluate", "1+1"])["value"], 2);
}
