//! Where `--out` may point, and under which names files come.

use std::fs;
use std::path::Path;
use std::process::Command;

use bsk_tests::{Browser, Options, Response};

use crate::{BROWSER, attachment, download, is_alone, place};

#[test]
fn a_place_that_takes_no_file_is_refused_before_anything_is_clicked() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = attachment(browser.pages());
    let page = session.open_page(&format!("<a href='{url}' onclick=\"document.title='clicked'\">D</a>"));
    let file = place(&browser, "here.txt");
    fs::write(&file, "mine").unwrap();
    let folder = file.parent().unwrap().to_owned();
    let link = folder.join("link");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    for (out, more, reason) in [
        (folder.join("no/such/folder.txt"), None, "file_not_writable"),
        (folder.clone(), Some("--overwrite"), "file_not_writable"),
        (folder.join("new/"), None, "file_not_writable"),
        (file.clone(), None, "file_exists"),
        (link.clone(), None, "file_exists"),
        ("/dev/stdout".into(), Some("--overwrite"), "file_not_writable"),
        ("/dev/null".into(), Some("--overwrite"), "file_not_writable"),
        // Nobody can write there, not even root.
        ("/proc/got.txt".into(), None, "file_not_writable"),
    ] {
        let mut args = vec!["download", "a", "--out", out.to_str().unwrap()];
        args.extend(more);
        let error = session.err(&args);
        assert_eq!(error["data"]["reason"], reason, "{}: {error}", out.display());
        assert_eq!(error["data"]["effect_state"], "none", "{error}");
        assert_eq!(error["exit_code"], 1, "{error}");
    }
    let error = session.err(&["download", "a", "--out", "-"]);
    assert_eq!(error["data"]["reason"], "usage_invalid", "{error}");
    assert_eq!(page.evaluate("document.title"), "");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    let overwriting = session.ok(&["download", "a", "--out", file.to_str().unwrap(), "--overwrite"]);
    assert_eq!((&overwriting["byte_size"], fs::read(&file).unwrap()), (&5.into(), b"hello".to_vec()));
}

/// A file system of its own, so small that a file fills it.
struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    /// None where this user may mount nothing.
    fn mount(folder: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(folder);
        mount.status().is_ok_and(|status| status.success()).then_some(Self(folder))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_no_part_and_the_browser_s_file_where_it_is_told() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let large =
        browser.pages().answering(|_| Response::attachment("filename=large.bin", &"x".repeat(1_000_000)));
    let small = attachment(browser.pages());
    session.open(&format!("<a id=large href='{large}'>L</a><a id=small href='{small}'>S</a>"));
    let out = place(&browser, "large.bin");
    let folder = out.parent().unwrap();
    let Some(_small) = Small::mount(folder) else {
        println!("not run: mounting takes root");
        return;
    };
    let error = session.err(&["download", "#large", "--out", out.to_str().unwrap()]);
    assert_eq!(error["data"]["reason"], "file_not_writable", "{error}");
    assert_eq!(error["data"]["effect_state"], "committed", "{error}");
    assert_eq!(error["data"]["cleanup_state"], "kept", "{error}");
    let left_path = error["data"]["left_path"].as_str().unwrap();
    assert_eq!(fs::metadata(left_path).unwrap().len(), 1_000_000, "{error}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "no part of it");
    fs::remove_dir_all(Path::new(left_path).parent().unwrap()).unwrap();
    // A file system that is another one than the browser's is as good as any.
    let out = folder.join("small.txt");
    download(&session, &["#small"], &out);
    is_alone(&out);
    assert_eq!(fs::read(&out).unwrap(), b"hello");
    assert_eq!(browser.downloaded(), [""; 0]);
}

#[test]
fn names_of_every_kind_are_told_and_do_no_harm() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    // 255 bytes, the most that file systems take.
    let long = format!("{}x.txt", "é".repeat(125));
    // What the browser itself makes of the last ones is its business: it is told as it is, and nothing is written anywhere else.
    let names = [
        "with space.txt",
        "\"quoted\" 'name'.txt",
        "%41 100%.txt",
        "-dash.txt",
        "\u{202e}gpj.txt",
        "../../up.txt",
        "..",
        "nul.txt",
        &long,
    ];
    let links: Vec<String> = names
        .iter()
        .map(|name| serde_json::to_string(name).unwrap())
        .map(|name| format!("a=document.createElement('a');a.href='data:text/plain,named';a.textContent='link';a.download={name};document.body.append(a,' ');"))
        .collect();
    session.open(&format!(
        "<script>let a;addEventListener('DOMContentLoaded',()=>{{{}}})</script>",
        links.concat()
    ));
    for (index, name) in names.iter().enumerate() {
        let out = place(
            &browser,
            name.trim_matches(['.', '/'])
                .rsplit('/')
                .next()
                .filter(|name| !name.is_empty())
                .unwrap_or("dots"),
        );
        let reply = download(&session, &["--text", "link", "--nth", &index.to_string()], &out);
        assert_eq!(fs::read(&out).unwrap(), b"named", "{name}");
        is_alone(&out);
        let told = reply["suggested_filename"].as_str().unwrap();
        assert!(!told.contains('/') && !told.is_empty() && told != "..", "{name}: {told}");
        if index < 5 {
            let kept: String = name.chars().filter(|c| !"\"%\u{202e}".contains(*c)).collect();
            let got: String = told.chars().filter(|c| !"\"%_\u{202e}".contains(*c)).collect();
            assert_eq!(got.trim_start_matches('-'), kept.trim_start_matches('-'), "{name}: {told}");
        }
        assert_eq!(browser.downloaded(), [""; 0], "{name}");
    }
}

#[test]
fn sizes_around_the_frames_come_whole() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for size in [0, 1, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1] {
        let url =
            browser.pages().answering(move |_| Response::attachment("filename=sized.bin", &"y".repeat(size)));
        session.open(&format!("<a href='{url}'>D</a>"));
        let out = place(&browser, "sized.bin");
        let reply = download(&session, &["a"], &out);
        assert_eq!(reply["byte_size"], size, "{reply}");
        assert!(fs::read(&out).unwrap() == "y".repeat(size).as_bytes(), "{size}");
    }
}
