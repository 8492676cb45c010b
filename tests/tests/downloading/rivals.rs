//! Another extension with its own mind about downloads, installed before us and after us. docs/transfers.md says what happens.

use std::fs;
use std::time::Duration;

use bsk_tests::{Browser, Options, until, workspace};

use crate::{SOON, attachment, download, is_alone, place};

#[test]
fn scenario_33_a_download_manager_before_and_after_us() {
    for ours_last in [false, true] {
        let extensions = vec![workspace::rival_dir()];
        let browser = Browser::launch(&Options { extensions, ours_last, ..Options::default() });
        let session = browser.session();
        let url = attachment(browser.pages());
        let links = ["move", "cancel", "restart", "pause", "delete"]
            .map(|mode| format!("<a id={mode} href='{url}?rival={mode}'>{mode}</a> "));
        session.open(&links.concat());

        // Put elsewhere: the last installed decides. What is there is copied and left alone.
        let out = place(&browser, "moved.txt");
        let reply = download(&session, &["#move"], &out);
        assert_eq!(fs::read(&out).unwrap(), b"hello");
        let moved = browser.downloads().join("other/x.bin");
        if ours_last {
            assert!(reply.get("left_path").is_none() && !moved.exists(), "{reply}");
        } else {
            assert_eq!(reply["left_path"], moved.to_str().unwrap(), "{reply}");
            assert_eq!(fs::read(&moved).unwrap(), b"hello");
            fs::remove_dir_all(browser.downloads().join("other")).unwrap();
        }
        assert_eq!(browser.downloaded(), [""; 0], "ours last: {ours_last}");

        // Cancelled: said at once.
        for mode in ["#cancel", "#restart"] {
            let out = place(&browser, "cancelled.txt");
            let ran = session.bsk(&["download", mode, "--out", out.to_str().unwrap()]);
            let error = ran.failure();
            assert_eq!(error["data"]["reason"], "download_capture_failed", "{error}");
            assert_eq!(error["data"]["effect_state"], "none", "{error}");
            assert_eq!(error["data"]["download_error"], "USER_CANCELED", "{error}");
            assert!(ran.elapsed < Duration::from_secs(10), "{}", ran.report());
            assert!(!out.exists());
        }
        until("the manager's own download", SOON, || (browser.downloaded() == ["报告 €.txt"]).then_some(()));
        assert_eq!(fs::read(browser.downloads().join("报告 €.txt")).unwrap(), b"hello");
        fs::remove_file(browser.downloads().join("报告 €.txt")).unwrap();

        // Paused and resumed: it only takes longer.
        let out = place(&browser, "paused.txt");
        download(&session, &["#pause"], &out);
        assert_eq!(fs::read(&out).unwrap(), b"hello");
        is_alone(&out);

        // Deleted as soon as it is there: either we were quicker, or the failure says that nothing is there.
        let out = place(&browser, "deleted.txt");
        let ran = session.bsk(&["download", "#delete", "--out", out.to_str().unwrap()]);
        if ran.exit_code() == Some(0) {
            assert_eq!(fs::read(&out).unwrap(), b"hello");
        } else {
            let error = ran.failure();
            assert_eq!(error["data"]["reason"], "download_path_mismatch", "{error}");
            assert_eq!(error["data"]["effect_state"], "committed", "{error}");
            assert!(!out.exists());
        }
    }
}
