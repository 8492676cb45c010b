//! How uploads end: cancelled, too late, with their session, with their host; what is left then, and what was used meanwhile.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use bsk_protocol::codec::encode_raw;
use bsk_protocol::local::{Action, FromCli, FromHost, Outcome, Target, UploadFile};
use bsk_tests::{Browser, Consent, FakeCli, Options, peak_resident_kib, signal, until};
use nix::sys::signal::Signal;
use serde_json::json;

use crate::{ATTACH, BROWSER, PRESS, READER, SOON, choosers_are_shown, file, holds, nothing_is_staged};

#[test]
fn a_file_that_changes_while_the_user_is_asked_takes_the_upload_back() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    browser.set("uploads", &json!("ask"));
    for how in ["grows", "shrinks", "vanishes"] {
        let steady = file(&browser, "steady.txt", &vec![b's'; 400_000]);
        let path = file(&browser, &format!("{how}.txt"), &vec![b'x'; 300_000]);
        let asking = session.start_bsk(&["upload", "#f", "--file", &steady, "--file", &path]);
        let consent = Consent::asked(&browser);
        match how {
            "grows" => fs::File::options().append(true).open(&path).unwrap().write_all(b"more").unwrap(),
            "shrinks" => fs::File::options().write(true).open(&path).unwrap().set_len(7).unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
        consent.allow();
        let error = asking.finish().failure();
        assert_eq!(error["data"]["reason"], "file_changed", "{how}: {error}");
        assert_eq!(
            (&error["data"]["effect_state"], &error["data"]["cleanup_state"]),
            (&json!("none"), &json!("done"))
        );
        assert_eq!(error["data"]["phase"], "reading");
        assert!(browser.staged().is_empty(), "{how}");
    }
    assert_eq!(page.evaluate("o.textContent"), "");
}

#[test]
fn a_caller_that_leaves_at_any_step_leaves_nothing() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let path = file(&browser, "left.txt", b"LEFT");
    let page = session.open_page(&format!(
        "{READER}{ATTACH}<button id=none onclick=\"document.title='pressed'\">Nothing</button>"
    ));
    // While the user is asked.
    browser.set("uploads", &json!("ask"));
    let asking = session.start_bsk(&["upload", "#f", "--file", &path]);
    let _consent = Consent::asked(&browser);
    asking.kill();
    until("the question to be withdrawn", SOON, || (!Consent::is_asked(&browser)).then_some(()));
    browser.set("uploads", &json!("allow"));
    // While the bytes are on their way.
    let mut cli = FakeCli::connect(&browser.scratch().socket());
    let _ = cli.hello();
    let files = vec![UploadFile { name: "half.bin".to_owned(), size: 1_000_000 }];
    cli.command(
        Some(&session.id),
        30_000,
        Action::Upload { target: Target::Selector("#f".to_owned()), files, drop: false },
    );
    let answer = until("the host to ask for the files", SOON, || {
        cli.receive().filter(|message| matches!(message, FromHost::SendFiles {}))
    });
    assert!(matches!(answer, FromHost::SendFiles {}));
    encode_raw(&vec![1; 500_000]).for_each(|frame| cli.send_bytes(&frame));
    until("a copy to be begun", SOON, || (browser.staged().len() == 1).then_some(()));
    drop(cli);
    nothing_is_staged(&browser);
    // While a chooser is waited for.
    let waiting = session.start_bsk(&["upload", "#none", "--file", &path]);
    until("the press", SOON, || (page.evaluate("document.title") == "pressed").then_some(()));
    waiting.kill();
    nothing_is_staged(&browser);
    choosers_are_shown(&session, &page);
    assert_eq!(page.evaluate("o.textContent"), "");
    // And the next one works.
    session.ok(&["upload", "#f", "--file", &path]);
    holds(&page, "left.txt:LEFT");
    choosers_are_shown(&session, &page);
}

#[test]
fn bytes_that_were_not_announced_and_names_with_ways_out_get_nowhere() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let upload = |name: &str, size: u64| {
        let files = vec![UploadFile { name: name.to_owned(), size }];
        Action::Upload { target: Target::Selector("#f".to_owned()), files, drop: false }
    };
    let socket = browser.scratch().socket();
    let outcome = |action: Action, frames: Vec<Vec<u8>>| {
        let mut cli = FakeCli::connect(&socket);
        let _ = cli.hello();
        cli.command(Some(&session.id), 10_000, action);
        frames.iter().for_each(|frame| cli.send_bytes(frame));
        match cli.reply() {
            Outcome::Failed(failure) => serde_json::to_value(failure).unwrap(),
            Outcome::Ok(value) => panic!("it was done: {value}"),
        }
    };
    for name in ["../../escape.txt", "..", "a/b", "", "a\\b"] {
        assert_eq!(outcome(upload(name, 1), Vec::new())["reason"], "file_name_invalid", "{name:?}");
    }
    assert_eq!(outcome(upload("a", 512 * 1024 * 1024 + 1), Vec::new())["reason"], "file_too_large");
    let sent = bsk_protocol::codec::encode::<bsk_protocol::codec::Local>(&FromCli::FilesSent {}).unwrap();
    let failure = outcome(upload("a", 10), encode_raw(&[1; 5]).chain([sent]).collect());
    assert_eq!(failure["data"]["effect_state"], "none", "{failure}");
    let failure = outcome(upload("a", 10), encode_raw(&[1; 20]).collect());
    assert_eq!(failure["data"]["effect_state"], "none", "{failure}");
    let abandon = bsk_protocol::codec::encode::<bsk_protocol::codec::Local>(&FromCli::Abandon {}).unwrap();
    let failure = outcome(upload("a", 10), encode_raw(&[1; 5]).chain([abandon]).collect());
    assert_eq!(failure["data"]["cleanup_state"], "done", "{failure}");
    nothing_is_staged(&browser);
    assert!(!browser.scratch().state_dir().join("escape.txt").exists());
    assert_eq!(page.evaluate("f.files.length"), 0);
}

#[test]
fn eighty_megabytes_arrive_whole_in_little_memory() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let size = 80 * 1024 * 1024;
    let mut bytes = vec![0_u8; size];
    bytes.iter_mut().enumerate().for_each(|(place, byte)| *byte = (place % 253) as u8);
    let path = file(&browser, "large.bin", &bytes);
    let page = session.open_page(
        "<input id=f type=file><pre id=o></pre><script>f.onchange=async()=>{const b=new Uint8Array(await f.files[0].arrayBuffer());\
         let w=-1;for(let i=0;i<b.length;i++)if(b[i]!==i%253){w=i;break}o.textContent=b.length+' '+w}</script>",
    );
    let host = browser.host_pid();
    let uploading = session.start_bsk(&["upload", "#f", "--file", &path]);
    let mut cli_kib = 0;
    let pid = uploading.pid();
    until("the upload to end", Duration::from_secs(60), || match peak_resident_kib(pid) {
        Some(kib) => {
            cli_kib = cli_kib.max(kib);
            None
        }
        None => Some(()),
    });
    let _ = uploading.finish().success();
    holds(&page, &format!("{size} -1"));
    let host_kib = peak_resident_kib(host).unwrap();
    println!("host {host_kib} KiB, CLI {cli_kib} KiB");
    assert!(cli_kib > 0 && cli_kib < 40 * 1024, "the CLI took {cli_kib} KiB");
    assert!(host_kib < 40 * 1024, "the host took {host_kib} KiB");
    let [copy] = &browser.staged()[..] else { panic!("one upload is staged: {:?}", browser.staged()) };
    for (path, mode) in [(copy.clone(), 0o700), (copy.join("0"), 0o700), (copy.join("0/large.bin"), 0o600)] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn what_a_session_uploads_in_all_is_bounded_and_a_new_one_begins_at_zero() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<input id=f type=file>");
    let large = browser.scratch().file("300.bin");
    fs::File::create(&large).unwrap().set_len(300 * 1024 * 1024).unwrap();
    let args = ["upload", "#f", "--file", large.to_str().unwrap()];
    session.ok(&args);
    let error = session.err(&args);
    assert_eq!(error["data"]["reason"], "file_too_large", "{error}");
    assert_eq!(page.evaluate("f.files[0].size"), 300 * 1024 * 1024);
    browser.bsk_ok(&["session", "stop", &session.id]);
    nothing_is_staged(&browser);
    let next = browser.session();
    let page = next.open_page("<input id=f type=file>");
    next.ok(&args);
    assert_eq!(page.evaluate("f.files[0].size"), 300 * 1024 * 1024);
}

#[test]
fn what_a_killed_host_left_is_gone_with_the_next_one_and_another_s_stays() {
    let browser = Browser::launch(&Options::default());
    let beside = browser.launch_beside(&Options::default());
    let (session, other) = (browser.session(), beside.session());
    let path = file(&browser, "kept.txt", b"KEPT");
    let _page = session.open_page("<input id=f type=file>");
    let other_page = other.open_page("<input id=f type=file>");
    session.ok(&["upload", "#f", "--file", &path]);
    other.ok(&["upload", "#f", "--file", &path]);
    assert_eq!(browser.staged().len(), 2);
    let host = browser.host_pid();
    signal(host, Signal::SIGKILL);
    until("another host", Duration::from_secs(20), || browser.find_host().filter(|pid| *pid != host));
    until("what the killed host left to be gone", SOON, || (browser.staged().len() == 1).then_some(()));
    assert_eq!(other_page.evaluate("f.files[0].text()"), "KEPT", "another host's copy stays");
    let host = beside.host_pid();
    signal(host, Signal::SIGTERM);
    nothing_is_staged(&browser);
}

#[test]
fn a_host_that_ends_while_a_chooser_is_waited_for_frees_choosers_and_the_page_has_nothing() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let path = file(&browser, "lost.txt", b"LOST");
    let page = session.open_page(&format!(
        "{READER}{ATTACH}<button id=none onclick=\"document.title='pressed'\">Nothing</button>"
    ));
    let waiting = session.start_bsk(&["upload", "#none", "--file", &path]);
    until("the press", SOON, || (page.evaluate("document.title") == "pressed").then_some(()));
    let host = browser.host_pid();
    signal(host, Signal::SIGKILL);
    let error = waiting.finish().failure();
    assert_eq!(error["data"]["effect_state"], "unknown", "the caller cannot know: {error}");
    assert!(error["hint"].as_str().unwrap().contains("do not run the upload again blindly"), "{error}");
    until("another host", Duration::from_secs(20), || browser.find_host().filter(|pid| *pid != host));
    nothing_is_staged(&browser);
    until("the session to be there again", SOON, || {
        (session.bsk(&["observe"]).exit_code() == Some(0)).then_some(())
    });
    choosers_are_shown(&session, &page);
    assert_eq!(page.evaluate("o.textContent"), "");
}

#[test]
fn an_upload_that_ends_too_late_says_whether_the_page_can_have_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let path = file(&browser, "late.txt", b"LATE");
    let page = session.open_page(&format!(
        "{READER}{ATTACH}<input id=slow type=file><script>slow.onchange=()=>{{const t=Date.now();while(Date.now()-t<4000);}}</script>"
    ));
    let ran = session.bsk(&["upload", "#none", "--file", &path, "--timeout", "700ms"]);
    let error = ran.failure();
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    let ran = session.bsk(&["upload", "#slow", "--file", &path, "--timeout", "1500ms"]);
    assert_eq!(ran.exit_code(), Some(4), "{}", ran.report());
    let error = ran.failure();
    assert_eq!(error["data"]["reason"], "transfer_outcome_unknown", "{error}");
    assert_eq!(
        (&error["data"]["effect_state"], &error["data"]["cleanup_state"]),
        (&json!("unknown"), &json!("kept"))
    );
    assert_eq!(error["data"]["phase"], "assigning");
    until("the page to have it all the same", SOON, || {
        (page.evaluate("slow.files[0]?.name") == "late.txt").then_some(())
    });
    assert_eq!(page.evaluate("slow.files[0].text()"), "LATE", "the copy is still there");
}

#[test]
fn two_sessions_upload_side_by_side() {
    let browser = BROWSER.browser();
    let (one, two) = (browser.session(), browser.session());
    let (a, b) = (file(&browser, "side-a.txt", b"A"), file(&browser, "side-b.txt", b"B"));
    let (first, second) =
        (one.open_page(&format!("{READER}{ATTACH}")), two.open_page(&format!("{READER}{ATTACH}")));
    for _ in 0..3 {
        let press = |path| [&["upload"][..], &PRESS[..], &[path][..]].concat();
        let (left, right) = (one.start_bsk(&press(a.as_str())), two.start_bsk(&press(b.as_str())));
        let _ = (left.finish().success(), right.finish().success());
        holds(&first, "side-a.txt:A");
        holds(&second, "side-b.txt:B");
        first.evaluate("o.textContent=''");
        second.evaluate("o.textContent=''");
    }
}
