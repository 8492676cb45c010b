//! How downloads end: too late, given up, refused, with their host or their browser; what is left then.

use std::fs;
use std::time::Duration;

use bsk_tests::{Browser, Consent, Options, Response, peak_resident_kib, signal, until};
use nix::sys::signal::Signal;
use serde_json::json;

use crate::{BROWSER, SOON, attached, attachment, download, is_alone, nothing_is_left, place, stalled};

#[test]
fn a_click_that_begins_no_download_says_so() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<button>Nothing</button>");
    let out = place(&browser, "none.txt");
    let error = session.err(&["download", "button", "--out", out.to_str().unwrap(), "--timeout", "2s"]);
    assert_eq!(error["data"]["reason"], "download_capture_failed", "{error}");
    assert_eq!(error["data"]["effect_state"], "unknown", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("again blindly"), "{error}");
    let error = session.err(&["download", "#none", "--out", out.to_str().unwrap(), "--timeout", "2s"]);
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    assert!(!out.exists());
}

#[test]
fn a_download_that_takes_too_long_or_is_given_up_is_cancelled_in_the_browser() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let pages = browser.pages();
    let (slow, gate) = pages.gated(attached("never"));
    let stalled = stalled(pages);
    session.open(&format!("<a id=stalled href='{stalled}'>S</a><a id=slow href='{slow}'>W</a>"));
    let out = place(&browser, "late.bin");
    let ran = session.bsk(&["download", "#stalled", "--out", out.to_str().unwrap(), "--timeout", "4s"]);
    assert!(ran.complaint().contains(r#""received_bytes":11}}"#), "{}", ran.report());
    let error = ran.failure();
    assert_eq!(error["data"]["reason"], "transfer_timeout", "{error}");
    assert_eq!((&error["code"], &error["exit_code"]), (&json!("timeout"), &json!(4)), "{error}");
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    assert_eq!(browser.download_states(), ["interrupted"]);
    // Given up while it is under way.
    let running = session.start_bsk(&["download", "#stalled", "--out", out.to_str().unwrap()]);
    until("the download to begin", SOON, || {
        browser.download_states().contains(&"in_progress".to_owned()).then_some(())
    });
    running.kill();
    until("it to be cancelled", SOON, || {
        (!browser.download_states().contains(&"in_progress".to_owned())).then_some(())
    });
    // Killed together with the host.
    let running = session.start_bsk(&["download", "#stalled", "--out", out.to_str().unwrap()]);
    until("the download to begin", SOON, || {
        browser.download_states().contains(&"in_progress".to_owned()).then_some(())
    });
    signal(browser.host_pid(), Signal::SIGKILL);
    let error = running.finish().failure();
    assert_eq!(error["data"]["effect_state"], "unknown", "{error}");
    until("it to be cancelled", SOON, || {
        (!browser.download_states().contains(&"in_progress".to_owned())).then_some(())
    });
    until("nothing to be left of it", Duration::from_secs(20), || {
        browser.downloaded().is_empty().then_some(())
    });
    assert!(!out.exists());
    assert_eq!(fs::read_dir(out.parent().unwrap()).unwrap().count(), 0);
    // And the session goes on.
    let downloading = session.start_bsk(&["download", "#slow", "--out", out.to_str().unwrap()]);
    gate.wait();
    let _ = downloading.finish().success();
    assert_eq!(fs::read(&out).unwrap(), b"never");
}

#[test]
fn a_caller_that_leaves_before_it_took_the_file_leaves_nothing() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let url = attachment(browser.pages());
    session.open(&format!("<a href='{url}'>D</a>"));
    browser.set("downloads", &json!("ask"));
    let out = place(&browser, "left.txt");
    let asking = session.start_bsk(&["download", "a", "--out", out.to_str().unwrap()]);
    let _consent = Consent::asked(&browser);
    asking.kill();
    until("the question to be withdrawn", SOON, || (!Consent::is_asked(&browser)).then_some(()));
    until("the file to be deleted", SOON, || {
        browser.downloaded().iter().all(|name| name.starts_with("bsk-")).then_some(())
    });
    browser.set("downloads", &json!("allow"));
    download(&session, &["a"], &out);
    is_alone(&out);
    assert_eq!(browser.downloaded(), [""; 0], "the emptied folder went with the next download");
}

#[test]
fn the_setting_blocks_or_asks_and_a_no_leaves_no_file() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let url = attachment(browser.pages());
    let page = session.open_page(&format!("<a href='{url}' onclick=\"document.title='clicked'\">D</a>"));
    let out = place(&browser, "asked.txt");
    let args = ["download", "a", "--out", out.to_str().unwrap()];
    browser.set("downloads", &json!("block"));
    let error = session.err(&args);
    assert_eq!(
        (&error["data"]["reason"], &error["exit_code"]),
        (&json!("downloads_blocked"), &json!(7)),
        "{error}"
    );
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    assert_eq!(page.evaluate("document.title"), "", "nothing was clicked");
    browser.set("downloads", &json!("ask"));
    let asking = session.start_bsk(&args);
    let consent = Consent::asked(&browser);
    assert!(consent.text().contains("报告 €.txt (5 B)"), "{}", consent.text());
    consent.deny();
    let error = asking.finish().failure();
    assert_eq!(
        (&error["data"]["reason"], &error["exit_code"]),
        (&json!("download_not_allowed"), &json!(7)),
        "{error}"
    );
    assert_eq!(error["data"]["effect_state"], "none", "{error}");
    assert!(!out.exists());
    let asking = session.start_bsk(&args);
    Consent::asked(&browser).allow();
    let _ = asking.finish().success();
    assert_eq!(fs::read(&out).unwrap(), b"hello");
    browser.set("site_rules", &json!([{ "pattern": "127.0.0.1", "access": "read_only" }]));
    let error = session.err(&["download", "a", "--out", out.to_str().unwrap(), "--overwrite"]);
    assert_eq!(error["data"]["reason"], "site_read_only", "{error}");
}

#[test]
fn a_killed_browser_leaves_nothing_once_it_is_back() {
    let mut browser = Browser::launch(&Options::default());
    let out = place(&browser, "killed.bin");
    let running = {
        let session = std::mem::ManuallyDrop::new(browser.session());
        session.open(&format!("<a href='{}'>S</a>", stalled(browser.pages())));
        session.start_bsk(&["download", "a", "--out", out.to_str().unwrap()])
    };
    until("the download to begin", SOON, || {
        browser.download_states().contains(&"in_progress".to_owned()).then_some(())
    });
    browser.kill();
    let error = running.finish().failure();
    assert_eq!(error["data"]["effect_state"], "unknown", "{error}");
    assert_eq!(fs::read_dir(out.parent().unwrap()).unwrap().count(), 0);
    browser.start_again(&Options::default());
    until("nothing to be left", Duration::from_secs(20), || browser.downloaded().is_empty().then_some(()));
}

#[test]
fn eighty_megabytes_come_whole_in_little_memory() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let size = 80 * 1024 * 1024;
    let text = "0123456789abcdef".repeat(size / 16);
    let body = text.clone();
    let url = browser.pages().answering(move |_| Response::attachment("filename=large.bin", &body));
    session.open(&format!("<a href='{url}'>D</a>"));
    let out = place(&browser, "large.bin");
    let host = browser.host_pid();
    let downloading = session.start_bsk(&["download", "a", "--out", out.to_str().unwrap()]);
    let pid = downloading.pid();
    let mut cli_kib = 0;
    until("the download to end", Duration::from_secs(60), || match peak_resident_kib(pid) {
        Some(kib) => {
            cli_kib = cli_kib.max(kib);
            None
        }
        None => Some(()),
    });
    let reply = downloading.finish().success();
    assert_eq!(reply["byte_size"], size, "{reply}");
    assert!(fs::read(&out).unwrap() == text.as_bytes());
    let host_kib = peak_resident_kib(host).unwrap();
    println!("host {host_kib} KiB, CLI {cli_kib} KiB");
    assert!(cli_kib > 0 && cli_kib < 40 * 1024, "the CLI took {cli_kib} KiB");
    assert!(host_kib < 40 * 1024, "the host took {host_kib} KiB");
    nothing_is_left(&browser);
}

#[test]
fn a_file_of_a_site_that_is_closed_is_not_given_out_whatever_page_links_to_it() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let url = attachment(browser.pages()).replace("127.0.0.1", "other.localhost");
    let to = url.clone();
    let redirect = browser.pages().answering(move |_| Response::html("").status(302).header("location", &to));
    session.open(&format!("<a id=plain href='{url}'>D</a><a id=redirect href='{redirect}'>R</a>"));
    let out = place(&browser, "closed.txt");
    let target = |id: &'static str| ["download", id, "--out", out.to_str().unwrap()];
    browser.set("site_rules", &json!([{ "pattern": "other.localhost", "access": "block" }]));
    for id in ["#plain", "#redirect"] {
        let error = session.err(&target(id));
        assert_eq!(
            (&error["data"]["reason"], &error["exit_code"]),
            (&json!("site_blocked"), &json!(7)),
            "{id}: {error}"
        );
        assert_eq!(error["data"]["effect_state"], "none", "{id}: {error}");
        assert!(!out.exists());
        until("the file to be deleted", SOON, || {
            browser
                .downloaded()
                .iter()
                .all(|folder| {
                    fs::read_dir(browser.downloads().join(folder))
                        .is_ok_and(|mut inside| inside.next().is_none())
                })
                .then_some(())
        });
    }
    browser.set("site_rules", &json!([{ "pattern": "other.localhost", "access": "ask" }]));
    let asking = session.start_bsk(&target("#plain"));
    let consent = Consent::asked(&browser);
    assert!(consent.text().contains("other.localhost"), "{}", consent.text());
    consent.allow();
    let _ = asking.finish().success();
    assert_eq!(fs::read(&out).unwrap(), b"hello");
}

#[test]
fn a_file_that_is_no_longer_what_the_browser_wrote_is_not_taken_and_stays() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let url = attachment(browser.pages());
    session.open(&format!("<a href='{url}'>D</a>"));
    browser.set("downloads", &json!("ask"));
    let users = browser.scratch().file("users.txt");
    fs::write(&users, "hello").unwrap();
    for how in ["longer", "gone", "link"] {
        let out = place(&browser, "changed.txt");
        let asking = session.start_bsk(&["download", "a", "--out", out.to_str().unwrap()]);
        let consent = Consent::asked(&browser);
        let [folder] = &browser.downloaded()[..] else {
            panic!("one download is there: {:?}", browser.downloaded())
        };
        let folder = browser.downloads().join(folder);
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        match how {
            "longer" => fs::write(&file, "hello, and more").unwrap(),
            "gone" => fs::remove_file(&file).unwrap(),
            _ => {
                fs::remove_file(&file).unwrap();
                std::os::unix::fs::symlink(&users, &file).unwrap();
            }
        }
        consent.allow();
        let error = asking.finish().failure();
        assert_eq!(error["data"]["reason"], "download_path_mismatch", "{how}: {error}");
        assert_eq!(error["data"]["effect_state"], "committed", "{how}: {error}");
        assert_eq!(
            (&error["data"]["phase"], &error["data"]["cleanup_state"]),
            (&json!("checking"), &json!("kept")),
            "{how}"
        );
        assert_eq!(error["data"]["left_path"], file.to_str().unwrap(), "{how}: {error}");
        assert_eq!(fs::symlink_metadata(&file).is_ok(), how != "gone", "{how}: it is left alone");
        assert!(!out.exists());
        fs::remove_dir_all(&folder).unwrap();
    }
    assert_eq!(fs::read(&users).unwrap(), b"hello");
}
