//! The ways in, and what arrives.

use std::fs;

use bsk_tests::{Response, until};
use serde_json::json;

use crate::{ATTACH, BROWSER, READER, SOON, file, holds};

#[test]
fn scenario_34_a_hidden_input_gets_files_by_itself_and_by_its_button() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let (a, b) = (file(&browser, "a.txt", b"ALPHA"), file(&browser, "b.txt", b"BETA"));
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let done = session.ok(&["upload", "--role", "button", "--name", "Attach", "--file", &a]);
    holds(&page, "a.txt:ALPHA");
    assert_eq!(done["file_names"], json!(["a.txt"]));
    assert_eq!((&done["how"], &done["effect_state"]), (&json!("chooser"), &json!("committed")));
    assert_eq!(done["is_verified"], true);
    assert!(done["used_ref"].is_string() && done["tab_id"].is_u64(), "{done}");
    let done = session.ok(&["upload", "#f", "--file", &a, "--file", &b]);
    holds(&page, "a.txt:ALPHA|b.txt:BETA");
    assert_eq!((&done["how"], &done["used_selector"]), (&json!("input"), &json!("#f")));
    assert_eq!(fs::read(&a).unwrap(), b"ALPHA", "the user's file is as it was");
}

#[test]
fn scenario_35_a_form_that_is_posted_later_still_has_the_bytes() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let path = file(&browser, "later.txt", b"posted after the original was deleted");
    let target = browser.pages().answering(|_| Response::html("<title>Thanks</title>"));
    let page = session.open_page(&format!(
        "<form method=post enctype=multipart/form-data action='{target}'><input type=file name=doc><button>Send</button></form>"
    ));
    session.ok(&["upload", "input", "--file", &path]);
    fs::remove_file(&path).unwrap();
    session.ok(&["click", "--role", "button", "--name", "Send"]);
    let own_path = &target[target.rfind('/').unwrap()..];
    let posts = browser.pages().seen(own_path);
    let body = String::from_utf8_lossy(&posts.last().unwrap().body).into_owned();
    assert!(body.contains("posted after the original was deleted"), "{body}");
    assert!(body.contains("filename=\"later.txt\""), "{body}");
    drop(page);
}

#[test]
fn sizes_around_every_boundary_arrive_byte_for_byte() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=f type=file multiple><pre id=o></pre><script>f.onchange=async()=>{o.textContent=(await Promise.all([...f.files].map(\
         async x=>x.size+':'+[...new Uint8Array(await crypto.subtle.digest('SHA-1',await x.arrayBuffer()))].slice(0,4).join('.')))).join('|')}</script>",
    );
    let chunk = 256 * 1024;
    for size in [0, 1, chunk - 1, chunk, chunk + 1, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1] {
        let bytes: Vec<u8> = (0..size).map(|place: usize| (place * 31 % 251) as u8).collect();
        let path = file(&browser, &format!("size-{size}"), &bytes);
        session.ok(&["upload", "#f", "--file", &path]);
        let sum = page.evaluate(&format!(
            "crypto.subtle.digest('SHA-1',Uint8Array.from({{length:{size}}},(_,i)=>i*31%251)).then(d=>{size}+':'+[...new Uint8Array(d)].slice(0,4).join('.'))"
        ));
        holds(&page, sum.as_str().unwrap());
    }
}

#[test]
fn names_of_every_kind_arrive_as_they_are() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=f type=file><pre id=o></pre><script>f.onchange=()=>o.textContent=f.files[0].name</script>",
    );
    let long = format!("{}.txt", "n".repeat(251));
    let names = [
        "with space.txt",
        "\"quotes\" 'both'.txt",
        "100%25.txt",
        "\u{202e}fdp.exe",
        "naïve-文件-😀.txt",
        "-rf",
        "#?&=.txt",
        "aux.c",
        "..double",
        "a\tb",
        &long,
    ];
    for name in names {
        let path = file(&browser, name, b"x");
        let done = session.ok(&["upload", "#f", "--file", &path]);
        holds(&page, name);
        assert_eq!(done["file_names"], json!([name]));
    }
    // As it is named from its own folder, it looks like a flag.
    let done = session.ok(&["upload", "#f", "--file", "-rf"]);
    assert_eq!(done["file_names"], json!(["-rf"]));
}

#[test]
fn twenty_files_arrive_in_their_order_and_one_more_is_refused() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("{READER}{ATTACH}"));
    let names: Vec<String> = (0..21).map(|number| format!("many-{number}.txt")).collect();
    let paths: Vec<String> = names.iter().map(|name| file(&browser, name, name.as_bytes())).collect();
    let mut args = vec!["upload", "#f"];
    args.extend(paths[..20].iter().flat_map(|path| ["--file", path]));
    session.ok(&args);
    let expected: Vec<String> = names[..20].iter().map(|name| format!("{name}:{name}")).collect();
    holds(&page, &expected.join("|"));
    args.extend(["--file", &paths[20]]);
    assert_eq!(session.err(&args)["data"]["reason"], "usage_invalid");
    // The same name twice, from two folders, is two files.
    let other = browser.scratch().file("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("many-0.txt"), "another").unwrap();
    session.ok(&["upload", "#f", "--file", &paths[0], "--file", other.join("many-0.txt").to_str().unwrap()]);
    holds(&page, "many-0.txt:many-0.txt|many-0.txt:another");
}

#[test]
fn labels_shadow_roots_detached_inputs_and_frames_of_other_processes_are_ways_in() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let path = file(&browser, "ways.txt", b"in");
    let attach = ["upload", "--role", "button", "--name", "Attach", "--file", &path];
    let input = "<label id=l for=f>Attach here</label><input id=f type=file style='position:absolute;left:-9999px'><script>f.onchange=()=>got(f.files)</script>";
    let page = session.open_page(&format!("{READER}{input}"));
    session.ok(&["upload", "#l", "--file", &path]);
    holds(&page, "ways.txt:in");
    for mode in ["open", "closed"] {
        let page = session.open_page(&format!(
            "{READER}<div id=h></div><script>const r=h.attachShadow({{mode:'{mode}'}});\
             r.innerHTML='<input type=file hidden><button>Attach</button>';const i=r.querySelector('input');\
             r.querySelector('button').onclick=()=>i.click();i.onchange=()=>{{got(i.files).then(()=>i.value='')}}</script>"
        ));
        let _ = session.observe();
        session.ok(&attach);
        holds(&page, "ways.txt:in");
    }
    let page = session.open_page(&format!(
        "{READER}<button onclick=\"const i=document.createElement('input');i.type='file';i.onchange=()=>{{got(i.files);i.value=''}};i.click()\">Attach</button>"
    ));
    session.ok(&attach);
    until("the page to have read it", SOON, || {
        page.evaluate("o.textContent").as_str().unwrap().starts_with("ways.txt").then_some(())
    });
    let inner = browser.pages().html(&format!("{READER}{ATTACH}")).replace("127.0.0.1", "other.localhost");
    let _outer =
        session.open_page(&format!("<h1>Outer</h1><iframe src='{inner}' width=500 height=300></iframe>"));
    session.ok(&attach);
    session.ok(&["wait-for", "--text", "ways.txt:in"]);
}

#[test]
fn a_drop_zone_gets_files_and_what_takes_none_is_said_to() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let path = file(&browser, "dropped.txt", b"DROP");
    let zone = "<div id=z style='width:200px;height:100px;background:#eee'>Drop here</div><p id=p>Nothing here</p>\
        <script>z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();got(e.dataTransfer.files)}</script>";
    let page = session.open_page(&format!("{READER}{zone}"));
    let done = session.ok(&["upload", "#z", "--drop", "--file", &path]);
    holds(&page, "dropped.txt:DROP");
    assert_eq!((&done["how"], &done["effect_state"]), (&json!("drop"), &json!("committed")));
    let error = session.err(&["upload", "#p", "--drop", "--file", &path]);
    assert_eq!(error["data"]["reason"], "drop_not_accepted");
    assert_eq!(
        (&error["data"]["effect_state"], &error["data"]["cleanup_state"]),
        (&json!("none"), &json!("done"))
    );
    let inner = browser.pages().html(&format!("{READER}{zone}")).replace("127.0.0.1", "other.localhost");
    let _outer =
        session.open_page(&format!("<h1>Outer</h1><iframe src='{inner}' width=500 height=300></iframe>"));
    let _ = session.observe();
    session.ok(&["upload", "--text", "Drop here", "--drop", "--file", &path]);
    session.ok(&["wait-for", "--text", "dropped.txt:DROP"]);
}
