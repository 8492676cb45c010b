//! `observe --probe-hover`: what only shows under the pointer is found with the real pointer, which is never pressed.
//!
//! The pages count what reaches them: pointers that come, clicks, where the pointer was last.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::{Duration, Instant};

use bsk_tests::{Page, Session, Shared, until};
use serde_json::{Value, json};

static BROWSER: Shared = Shared::new();

/// Notes every pointer that comes to a control or text, every click and submission, and where the pointer is.
const WATCH: &str = "<script>
    var came = [], clicks = 0, last = 'nowhere';
    addEventListener('mouseover', event => came.push(event.target.id || event.target.localName), true);
    for (const type of ['mousedown', 'mouseup', 'click', 'submit', 'keydown'])
        addEventListener(type, event => { clicks++; event.preventDefault(); }, true);
    addEventListener('mousemove', event => last = `${Math.round(event.clientX)},${Math.round(event.clientY)}`, true);
    document.documentElement.addEventListener('mouseleave', () => last = 'outside');
    </script>";

fn probe(session: &Session<'_>) -> Value {
    session.ok(&["observe", "--probe-hover"])
}

#[track_caller]
fn text_of(observed: &Value) -> &str {
    observed["text"].as_str().unwrap()
}

fn outcome(performed: bool, revealed_content: bool) -> Value {
    json!({ "performed": performed, "revealed_content": revealed_content })
}

/// How often the pointer came to an element whose id begins so.
fn visits(page: &Page<'_>, start: &str) -> u64 {
    let counted = page.evaluate(&format!("came.filter(id => id.startsWith('{start}')).length"));
    counted.as_u64().unwrap()
}

#[test]
fn a_menu_that_a_script_shows_is_found_and_can_be_used() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let html = "<nav><b id=m>Menu</b><a id=a href=#ok hidden>Item</a></nav><script>m.onmouseenter=()=>a.hidden=false</script>";
    session.open(html);
    let observed = probe(&session);
    assert_eq!(observed["hover_probe"], outcome(true, true), "{observed}");
    let line = text_of(&observed).lines().find(|line| line.contains("\"Menu\"")).unwrap();
    assert!(line.ends_with("text \"Menu\" [hover first: Item]"), "{line}");
    assert!(
        !text_of(&observed).contains("link \"Item\""),
        "what was seen first is what is shown: {observed}"
    );
    // On a fresh page: the trigger's ref in the observation is what to point at.
    session.ok(&["reload"]);
    let observed = probe(&session);
    let line = text_of(&observed).lines().find(|line| line.contains("\"Menu\"")).unwrap();
    let trigger = line.split_whitespace().next().unwrap();
    session.ok(&["hover", trigger]);
    let item = session.ref_of("link \"Item\"");
    session.ok(&["click", &item]);
    assert_eq!(session.ok(&["evaluate", "location.hash"])["value"], "#ok");
}

#[test]
fn a_menu_that_closes_behind_the_pointer_is_told_and_left_closed() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!(
        "<style>.menu {{ display: none; position: absolute }} .open .menu {{ display: block }}</style><nav>\
         <div id=shop style='width:100px'><a id=trigger href=#s>Shop</a><div class=menu><a href=#t>Teas</a> <a href=#c>Cups | more</a></div></div>\
         </nav><script>shop.onmouseenter = () => shop.className = 'open'; shop.onmouseleave = () => shop.className = ''</script>{WATCH}"
    ));
    let observed = probe(&session);
    assert!(text_of(&observed).contains("link \"Shop\" [hover first: Teas | Cups / more]"), "{observed}");
    assert_eq!(page.evaluate("shop.className"), "", "the pointer is out of the view again");
    assert_eq!(page.evaluate("last"), "outside");
    assert_eq!(page.evaluate("clicks"), 0);
    // A trigger that shows something is looked at each time.
    let again = probe(&session);
    assert!(text_of(&again).contains("link \"Shop\" [hover first: Teas | Cups / more]"), "{again}");
    assert_eq!(again["hover_probe"], outcome(true, true));
}

#[test]
fn a_menu_of_style_sheets_only_is_told_as_it_really_is() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<style>ul ul { display: none } li:hover > ul { display: block } .later { display: none }</style><ul><li><a href=#s>Shop</a>\
         <ul><li><a href=#t>Teas</a><li class=later><a href=#c>Cups</a></ul><li><a href=#a>About</a></ul>",
    );
    assert!(session.observe().contains("link \"Shop\" [hover first: Teas | Cups]"));
    let observed = probe(&session);
    assert!(text_of(&observed).contains("link \"Shop\" [hover first: Teas]\n"), "{observed}");
    assert_eq!(observed["hover_probe"], outcome(true, true));
}

#[test]
fn what_a_control_without_a_name_is_called_is_found_and_kept() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!(
        "<style>button {{ width: 30px; height: 30px }}</style><p><button id=b1></button><button id=b2></button><button id=b3></button></p>\
         <div id=tip style='position: absolute; left: 20px; top: 60px' hidden></div><button id=b4>Named</button>\
         <script>let timer; b1.onmouseenter = () => timer = setTimeout(() => {{ tip.hidden = false; tip.textContent = 'Make bold' }}, 100);\
         b1.onmouseleave = () => {{ clearTimeout(timer); tip.hidden = true }}; b2.onmouseenter = () => b2.setAttribute('aria-label', 'Make italic');\
         b2.onmouseleave = () => b2.removeAttribute('aria-label')</script>{WATCH}"
    ));
    let observed = probe(&session);
    let text = text_of(&observed);
    assert!(text.contains("button \"Make bold\"") && text.contains("button \"Make italic\""), "{text}");
    assert!(text.lines().any(|line| line.ends_with(" button")), "one has none: {text}");
    assert_eq!(observed["hover_probe"], outcome(true, true));
    assert_eq!([visits(&page, "b1"), visits(&page, "b2"), visits(&page, "b3")], [1, 1, 1]);
    assert_eq!(visits(&page, "b4"), 0, "it has a name");
    assert_eq!(page.evaluate("clicks"), 0);
    // The names are kept and the miss is left alone.
    let again = probe(&session);
    assert!(
        text_of(&again).contains("button \"Make bold\"") && text_of(&again).contains("\"Make italic\""),
        "{again}"
    );
    assert_eq!(again["hover_probe"], outcome(false, false));
    assert_eq!([visits(&page, "b1"), visits(&page, "b2"), visits(&page, "b3")], [1, 1, 1]);
    assert_eq!(session.ok(&["find", "make italic"])["match_count"], 1);
    // Another document has other controls.
    session.ok(&["reload"]);
    assert!(!session.observe().contains("Make"));
    assert!(text_of(&probe(&session)).contains("button \"Make bold\""));
}

#[test]
fn six_triggers_are_pointed_at_in_bounded_time_and_misses_not_again() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let links: String = (1..=9).map(|n| format!("<a id=t{n} href=#{n}>Part {n}</a> ")).collect();
    let icons: String =
        (1..=10).map(|n| format!("<button id=u{n} style='width:20px;height:20px'></button>")).collect();
    let page = session.open_page(&format!("<nav>{links}</nav><form>{icons}</form>{WATCH}"));
    let begun = Instant::now();
    let observed = probe(&session);
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(5600), "{took:?}");
    assert_eq!(observed["hover_probe"], outcome(true, false));
    assert_eq!(visits(&page, "t"), 6);
    let unnamed = visits(&page, "u");
    assert!((1..=8).contains(&unnamed), "{unnamed}");
    assert_eq!(page.evaluate("new Set(came.filter(id => /^[tu]/.test(id))).size"), 6 + unnamed);
    probe(&session);
    assert_eq!(visits(&page, "t"), 9, "the others have their turn");
    probe(&session);
    probe(&session);
    assert_eq!([visits(&page, "t"), visits(&page, "u")], [9, 10]);
    assert_eq!(page.evaluate("clicks"), 0);
}

#[test]
fn the_pointer_returns_to_where_an_action_left_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!(
        "<style>body {{ margin: 0 }}</style><p style='margin: 200px 0 0'><button id=home style='width:100px;height:40px'>Home</button></p>\
         <nav><a id=t1 href=#1>Part</a></nav>{WATCH}"
    ));
    session.ok(&["hover", "#home"]);
    assert_eq!(page.evaluate("last"), "50,220");
    assert_eq!(probe(&session)["hover_probe"], outcome(true, false));
    assert_eq!(visits(&page, "t1"), 1);
    assert_eq!(page.evaluate("last"), "50,220");
    assert_eq!(page.evaluate("home.matches(':hover')"), true);
}

#[test]
fn a_page_without_candidates_keeps_its_pointer() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("<p>Text</p><button>Go</button><input><nav></nav>{WATCH}"));
    assert_eq!(probe(&session)["hover_probe"], outcome(false, false));
    assert_eq!(page.evaluate("came.length"), 0);
    assert!(session.ok(&["observe"])["hover_probe"].is_null());
}

#[test]
fn triggers_in_frames_are_pointed_at_where_they_are() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = "<style>body{margin:0}</style><nav><b id=m>Menu</b> <a id=a href=#ok hidden>Inner item</a></nav>\
                 <button id=i style='width:30px;height:30px'></button><script>m.onmouseenter=()=>a.hidden=false;\
                 i.onmouseenter=()=>i.title='Print';i.onmouseleave=()=>i.title=''</script>";
    let url = browser.pages().html(inner).replace("127.0.0.1", "other.localhost");
    session.open(&format!(
        "<p style='height:100px'>Above</p><iframe style='border:10px solid;padding:6px;transform:scale(.8)' width=400 height=120 src='{url}'></iframe>"
    ));
    let observed = probe(&session);
    let text = text_of(&observed);
    assert!(text.contains("text \"Menu\" [hover first: Inner item]"), "{text}");
    assert!(text.contains("button \"Print\""), "{text}");
    let line = text.lines().find(|line| line.contains("\"Menu\"")).unwrap();
    let trigger = line.split_whitespace().next().unwrap();
    assert!(trigger.starts_with("@f"), "{line}");
    session.ok(&["hover", trigger]);
    session.ok(&["click", &session.ref_of("link \"Inner item\"")]);
}

#[test]
fn what_a_trigger_leaves_in_the_way_gets_the_time_to_go() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let entry = |n: u32| {
        format!(
            "<li><a href=#{n}>Part {n}</a><ul><li><a href=#{n}a>Item {n}a</a><li><a href=#{n}b>Item {n}b</a></ul>"
        )
    };
    session.open(&format!(
        "<style>li {{ width: 120px }} ul ul {{ display: none; position: absolute; background: white }} li:hover > ul {{ display: block }}</style>\
         <nav><ul>{}</ul></nav>",
        [1, 2, 3].map(entry).concat()
    ));
    let observed = probe(&session);
    for n in 1..=3 {
        let line = format!("link \"Part {n}\" [hover first: Item {n}a | Item {n}b]");
        assert!(text_of(&observed).contains(&line), "no {line} in {observed}");
    }
}

#[test]
fn a_part_is_probed_and_what_shows_elsewhere_told() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!(
        "<button id=b1 aria-haspopup=menu>File</button><nav aria-label=Main><a id=t1 href=#s>Shop</a></nav><p>Old words</p>\
         <div id=menu hidden><a href=#t>Teas</a></div><script>t1.onmouseenter=()=>menu.hidden=false;t1.onmouseleave=()=>menu.hidden=true</script>{WATCH}"
    ));
    let shop = session.ref_of("\"Shop\"");
    let observed = session.ok(&["observe", "--ref", &shop, "--probe-hover"]);
    assert!(text_of(&observed).contains("link \"Shop\""), "{observed}");
    assert_eq!(visits(&page, "b1"), 0, "only the part is probed");
    let observed = session.ok(&["observe", "--probe-hover", "--diff"]);
    assert!(text_of(&observed).contains("link \"Shop\" [hover first: Teas]"), "{observed}");
}

#[test]
fn a_page_that_goes_away_or_hangs_under_the_pointer_is_still_told() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let next = browser.pages().html("<h1>Next</h1>");
    session.open(&format!("<nav><a id=t href=#1>Leave</a></nav><p>Words</p><script>t.onmouseenter=()=>location='{next}'</script>"));
    let observed = probe(&session);
    assert!(text_of(&observed).contains("text: Words"), "{observed}");
    assert_eq!(observed["hover_probe"], outcome(true, false), "another page is not what a trigger shows");
    let page = session.open_page(
        "<nav><a id=t href=#1>Hang</a></nav><p>Words</p><script>t.onmouseenter=()=>{const end=Date.now()+4000;while(Date.now()<end);}</script>",
    );
    let begun = Instant::now();
    let observed = probe(&session);
    assert!(begun.elapsed() < Duration::from_millis(3600), "{:?}", begun.elapsed());
    assert!(text_of(&observed).contains("text: Words"), "{observed}");
    until("the pointer is back", Duration::from_secs(10), || {
        (page.evaluate("t.matches(':hover')") == false).then_some(())
    });
}

#[test]
fn a_dialog_that_the_pointer_opens_is_said_and_the_pointer_is_put_back() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session
        .open_page("<nav><a id=t href=#1>Ask</a></nav><script>t.onmouseenter=()=>alert('Look')</script>");
    let observed = probe(&session);
    assert_eq!(observed["dialogs"][0]["message"], "Look", "{observed}");
    session.ok(&["dialog", "accept"]);
    until("the pointer is back", Duration::from_secs(10), || {
        (page.evaluate("t.matches(':hover')") == false).then_some(())
    });
}
