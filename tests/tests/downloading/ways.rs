//! The ways a click begins a download.

use std::fs;

use bsk_tests::{Browser, Options, Response, until};

use crate::{BROWSER, SOON, attached, attachment, download, is_alone, nothing_is_left, place};

/// SHA-256 of `hello` (`printf hello | sha256sum`).
const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

#[test]
fn scenario_30_an_attachment_has_the_name_of_its_header_and_its_bytes() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let url = attachment(browser.pages());
    session.open(&format!("<a href='{url}'>D</a>"));
    let out = place(&browser, "got.txt");
    let reply = download(&session, &["a"], &out);
    assert_eq!(reply["suggested_filename"], "报告 €.txt", "{reply}");
    assert_eq!(reply["byte_size"], 5);
    assert_eq!(reply["path"], out.to_str().unwrap());
    assert_eq!(reply["sha256"], HELLO);
    // By the name that the browser gives it.
    assert_eq!(reply["mime"], "text/plain");
    assert_eq!(reply["danger"], "safe");
    assert_eq!(reply["url"], url);
    assert_eq!(reply["effect_state"], "committed");
    assert!(reply.get("left_path").is_none(), "{reply}");
    assert_eq!(fs::read(&out).unwrap(), b"hello");
    is_alone(&out);
    nothing_is_left(&browser);
    let again = session.err(&["download", "a", "--out", out.to_str().unwrap()]);
    assert_eq!(again["data"]["reason"], "file_exists", "{again}");
}

#[test]
fn scenario_31_a_blob_that_is_revoked_at_once() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<button onclick=\"const u=window.URL.createObjectURL(new Blob(['q,1\\n']));const a=document.createElement('a');a.href=u;\
         a.download='résumé 2026.csv';a.click();window.URL.revokeObjectURL(u)\">D</button>",
    );
    let out = place(&browser, "a.csv");
    let reply = download(&session, &["button"], &out);
    assert_eq!(reply["suggested_filename"], "résumé 2026.csv", "{reply}");
    assert_eq!(fs::read(&out).unwrap(), b"q,1\n");
}

#[test]
fn scenario_32_a_new_tab_that_is_only_a_download_leaves_no_tab() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let url = attachment(browser.pages());
    session.open(&format!(
        "<a id=blank target=_blank href='{url}'>D</a><a id=apart target=_blank rel='noopener noreferrer' href='{url}'>D</a>\
         <button id=opens onclick=\"window.open('{url}')\">D</button>\
         <button id=later onclick=\"const w=window.open('about:blank');setTimeout(()=>{{w.location='{url}'}},150)\">D</button>"
    ));
    for id in ["#apart", "#blank", "#opens", "#later"] {
        let out = place(&browser, "new-tab.txt");
        let reply = download(&session, &[id], &out);
        assert_eq!(reply["suggested_filename"], "报告 €.txt", "{id}: {reply}");
        assert_eq!(fs::read(&out).unwrap(), b"hello", "{id}");
        let tabs = session.ok(&["tab", "list", "--scope", "agent"]);
        assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{id}: {tabs}");
    }
}

#[test]
fn links_forms_redirects_frames_data_and_scripts() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let url = attachment(pages);
    let to = url.clone();
    let redirect = pages.answering(move |_| Response::html("").status(302).header("location", &to));
    let post = pages.answering(|request| attached(&request.method));
    let pdf =
        pages.answering(|_| Response::html("%PDF-1.4\n%%EOF").header("content-type", "application/pdf"));
    let slow = pages.answering(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1500));
        attached("late")
    });
    let near = pages.html(&format!("<a href='{url}'>same origin</a>"));
    let far =
        pages.html(&format!("<a href='{url}'>another site</a>")).replace("127.0.0.1", "other.localhost");
    session.open(&format!(
        "<a id=redirect href='{redirect}'>r</a><form method=post action='{post}'><button id=post>p</button></form>\
         <a id=data download='d.txt' href='data:text/plain,data%20here'>d</a><a id=pdf download='x.pdf' href='{pdf}'>pdf</a>\
         <a id=slow href='{slow}'>s</a><iframe src='{near}'></iframe><iframe src='{far}'></iframe>\
         <button id=script onclick=\"setTimeout(()=>{{location.href='{url}'}},300)\">script</button>"
    ));
    for (target, name, contents) in [
        (&["#redirect"][..], "报告 €.txt", "hello"),
        (&["#post"], "报告 €.txt", "POST"),
        (&["#data"], "d.txt", "data here"),
        (&["#pdf"], "x.pdf", "%PDF-1.4\n%%EOF"),
        (&["#slow"], "报告 €.txt", "late"),
        (&["#script"], "报告 €.txt", "hello"),
        (&["--text", "same origin"], "报告 €.txt", "hello"),
        (&["--text", "another site"], "报告 €.txt", "hello"),
    ] {
        let out = place(&browser, "way.bin");
        let reply = download(&session, target, &out);
        assert_eq!(reply["suggested_filename"], name, "{target:?}: {reply}");
        assert_eq!(fs::read_to_string(&out).unwrap(), contents, "{target:?}");
        is_alone(&out);
    }
    nothing_is_left(&browser);
}

#[test]
fn of_two_downloads_of_one_click_neither_is_taken_and_both_go_on() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let url = attachment(browser.pages());
    session.open(&format!(
        "<button onclick=\"for(const n of ['1','2']){{const a=document.createElement('a');a.href='data:text/plain,'+n;a.download=n+'.txt';a.click()}}\">D</button><a href='{url}'>x</a>"
    ));
    let out = place(&browser, "one.txt");
    let error = session.err(&["download", "button", "--out", out.to_str().unwrap(), "--timeout", "10s"]);
    assert_eq!(error["data"]["reason"], "download_capture_failed", "{error}");
    assert!(!out.exists());
    assert_eq!(error["data"]["effect_state"], "committed", "{error}");
    until("both to end in the browser", SOON, || (browser.downloaded() == ["1.txt", "2.txt"]).then_some(()));
}

#[test]
fn what_others_download_meanwhile_is_theirs() {
    let browser = Browser::launch(&Options::default());
    let (first, second) = (browser.session(), browser.session());
    let pages = browser.pages();
    let (mine, gate) = pages.gated(attached("mine"));
    let (same, users) =
        (attachment(pages), pages.answering(|_| Response::attachment("filename=users.txt", "theirs")));
    first.open(&format!("<a id=mine href='{mine}'>M</a><a id=same href='{same}'>S</a>"));
    second.open(&format!("<a id=same href='{same}'>S</a>"));
    // The user's own, while a session waits for its file.
    let out = place(&browser, "mine.txt");
    let waiting = first.start_bsk(&["download", "#mine", "--out", out.to_str().unwrap()]);
    until("the click", SOON, || {
        (!pages
            .seen(mine.rsplit_once('/').map(|(_, path)| format!("/{path}")).as_deref().unwrap())
            .is_empty())
        .then_some(())
    });
    browser.in_worker(&format!("chrome.tabs.create({{ url: '{users}', active: false }}).then(() => true)"));
    until("the user's file", SOON, || (browser.downloaded() == ["users.txt"]).then_some(()));
    gate.wait();
    let _ = waiting.finish().success();
    assert_eq!(fs::read(&out).unwrap(), b"mine");
    assert_eq!(fs::read(browser.downloads().join("users.txt")).unwrap(), b"theirs");
    // Two sessions at once, of the same address.
    let outs = [place(&browser, "one.txt"), place(&browser, "two.txt")];
    let running = [(&first, &outs[0]), (&second, &outs[1])]
        .map(|(session, out)| session.start_bsk(&["download", "#same", "--out", out.to_str().unwrap()]));
    for (running, out) in running.into_iter().zip(&outs) {
        let _ = running.finish().success();
        assert_eq!(fs::read(out).unwrap(), b"hello");
    }
    assert_eq!(browser.downloaded(), ["users.txt"]);
}

#[test]
fn a_service_worker_that_makes_the_file_up() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let pages = browser.pages();
    let worker = pages.answering(|_| Response {
        content_type: "text/javascript".to_owned(),
        ..Response::html(
            "addEventListener('install',()=>skipWaiting());addEventListener('activate',e=>e.waitUntil(clients.claim()));\
             addEventListener('fetch',e=>{if(e.request.url.includes('made-up'))e.respondWith(new Response('made up',\
             {headers:{'content-type':'application/octet-stream','content-disposition':'attachment; filename=made.bin'}}))})",
        )
    });
    let page = session.open_page(&format!(
        "<a href='/made-up'>D</a><script>navigator.serviceWorker.register('{worker}',{{scope:'/'}}).then(()=>navigator.serviceWorker.ready).then(()=>{{document.title='ready'}})</script>"
    ));
    until("the service worker", SOON, || {
        (page.evaluate("document.title==='ready'&&!!navigator.serviceWorker.controller") == true)
            .then_some(())
    });
    let out = place(&browser, "made.bin");
    let reply = download(&session, &["a"], &out);
    assert_eq!(reply["suggested_filename"], "made.bin", "{reply}");
    assert_eq!(fs::read(&out).unwrap(), b"made up");
    page.evaluate(
        "navigator.serviceWorker.getRegistrations().then(all=>Promise.all(all.map(one=>one.unregister())))",
    );
}

#[test]
fn a_pdf_that_the_browser_would_show_is_downloaded_all_the_same() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let pdf = browser.pages().answering(|_| Response {
        content_type: "application/pdf".to_owned(),
        ..Response::html(
            "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj \
             3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
        )
    });
    let url =
        session.open(&format!("<a id=here href='{pdf}'>P</a><a id=tab target=_blank href='{pdf}'>P</a>"));
    for id in ["#tab", "#here"] {
        session.ok(&["navigate", &url]);
        let out = place(&browser, "paper.pdf");
        let reply = download(&session, &[id], &out);
        assert!(fs::read(&out).unwrap().starts_with(b"%PDF-1.1"), "{id}: {reply}");
        assert_eq!(reply["mime"], "application/pdf", "{id}: {reply}");
        assert_eq!(reply["url"], pdf, "{id}: {reply}");
    }
    nothing_is_left(&browser);
}
