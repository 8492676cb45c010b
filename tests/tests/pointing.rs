//! The pointer: where it points, what stands in its way, dragging, scrolling; in front, in the background, zoomed and scaled.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{PLAIN, Page, Shared, Stage, ZOOMED, Zoom, until};
use serde_json::{Value, json};

static BROWSER: Shared = Shared::new();

/// Plays a scenario in every place of the window and at these zooms.
#[track_caller]
fn everywhere(zooms: &[Zoom], scenario: impl Fn(&Stage<'_>)) {
    bsk_tests::everywhere(&BROWSER.browser(), zooms, scenario);
}

#[test]
fn force_says_what_it_skipped() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<button id=b onclick=\"document.title='x'\">Go</button><div id=veil style=\"position:fixed;inset:0\" onclick=\"document.title='veil'\"></div>",
    );
    let forced = session.ok(&["click", "#b", "--force"]);
    assert_eq!((&forced["forced"], &forced["reached"]), (&json!(true), &json!("div#veil")), "{forced}");
    assert_eq!(page.evaluate("document.title"), "veil");
    let forced = session.ok(&["hover", "#b", "--force"]);
    assert_eq!(forced["forced"], true, "{forced}");
}

#[test]
fn a_point_of_a_turned_and_scaled_element_is_hit_where_its_box_has_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div style='height:1800px'></div><div id=d style='width:100px;height:100px;transform:rotate(90deg) scale(2);margin:150px'></div><script>d.onclick=e=>document.title=Math.round(e.clientX-d.getBoundingClientRect().x)+','+Math.round(e.clientY-d.getBoundingClientRect().y)</script>",
    );
    session.ok(&["click", "#d", "--at", "30,170"]);
    assert_eq!(page.evaluate("document.title"), "30,170");
}

#[test]
fn settling_ends_with_the_page_s_reaction_and_not_with_the_time() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<b id=m>Menu</b><a id=a href=#ok hidden>Item</a><script>m.onmouseenter=()=>setTimeout(()=>a.hidden=false,300)</script>",
    );
    let ran = session.bsk(&["hover", "#m", "--settle", "10s"]);
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
    assert_eq!(page.evaluate("a.hidden"), false);
    assert!(ran.elapsed < Duration::from_secs(3), "{}", ran.report());
    session.open("<b id=m>Quiet</b>");
    let ran = session.bsk(&["hover", "#m", "--settle", "400ms"]);
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    let page = session.open_page(
        "<b id=m>Menu</b><a id=a href=#ok hidden>Item</a><script>m.onmouseenter=()=>a.hidden=false</script>",
    );
    let ran = session.bsk(&["hover", "#m", "--settle", "10s"]);
    assert_eq!(page.evaluate("a.hidden"), false);
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
}

#[test]
fn labels_and_visible_parts_stand_in_for_hidden_checkboxes() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let hidden = [
        "display:none",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);margin:-1px",
        "opacity:0;position:absolute;z-index:-1",
        "position:absolute;left:-9999px",
        "width:0;height:0;appearance:none",
        "opacity:0;width:1px;height:1px",
        "visibility:hidden",
    ];
    for style in hidden {
        for html in [
            format!(
                "<input type=checkbox id=c style='{style}'><label for=c>I agree to the <a href=#no>terms and conditions of it all</a></label>"
            ),
            format!("<label><input type=checkbox id=c style='{style}'><span>Agree</span></label>"),
            format!("<label><input type=radio id=c name=r style='{style}'><span>Agree</span></label>"),
        ] {
            let page = session.open_page(&format!(
                "<body style='padding:40px'>{html}<script>n=0;c.onchange=()=>n++</script>"
            ));
            let clicked = session.ok(&["click", "#c"]);
            assert_eq!(page.evaluate("[c.checked, n, location.hash].join()"), "true,1,", "{html} {clicked}");
            if clicked["stand_in"].is_string() {
                assert_eq!(clicked["checked"], true, "{clicked}");
            }
        }
        let page = session.open_page(&format!(
            "<div class=switch style='padding:40px'><input type=checkbox id=c style='{style}'><span style='display:inline-block;width:40px;height:20px;background:red' onclick='c.checked=!c.checked'></span></div>"
        ));
        session.ok(&["click", "#c"]);
        assert_eq!(page.evaluate("c.checked"), true, "{style}");
    }
    let page = session.open_page("<input type=checkbox id=c style='display:none'><label for=c>Agree</label>");
    let clicked = session.ok(&["click", "#c"]);
    assert_eq!(
        (&clicked["stand_in"], &clicked["checked"]),
        (&json!("label \"Agree\""), &json!(true)),
        "{clicked}"
    );
    assert_eq!(session.ok(&["click", "#c"])["checked"], false);
    page.evaluate("c.onclick = event => event.preventDefault(); null");
    assert_eq!(session.err(&["click", "#c"])["data"]["reason"], "value_mismatch");
    page.evaluate("c.onclick = null; c.disabled = true; null");
    assert_eq!(session.err(&["click", "#c"])["data"]["reason"], "element_disabled");
    session.open("<input type=checkbox id=c style='display:none'>");
    assert_eq!(session.err(&["click", "#c", "--timeout", "4s"])["data"]["reason"], "element_not_visible");
}

#[test]
fn a_click_on_an_option_chooses_it_with_one_change() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for attributes in ["", "size=3"] {
        let page = session.open_page(&format!(
            "<select id=s {attributes}><option value=1>One</option><option value=2>Two</option><option value=3 disabled>Three</option></select><script>n=0;s.onchange=()=>{{n++;document.title=s.value}}</script>"
        ));
        let clicked = session.ok(&["click", "--role", "option", "--name", "Two"]);
        assert_eq!(clicked["selected_labels"], json!(["Two"]), "{clicked}");
        assert_eq!(page.evaluate("[document.title, n].join()"), "2,1");
        let error = session.err(&["click", "option[value='3']"]);
        assert_eq!(error["data"]["reason"], "option_disabled", "{error}");
    }
    let page = session.open_page(
        "<select id=s multiple><option selected>One</option><option>Two</option></select><script>n=0;s.onchange=()=>n++</script>",
    );
    let two = session.ref_of("Two");
    let clicked = session.ok(&["click", &two, "--modifiers", "Control"]);
    assert_eq!(clicked["selected_labels"], json!(["One", "Two"]), "{clicked}");
    let clicked = session.ok(&["click", &two]);
    assert_eq!(clicked["selected_labels"], json!(["Two"]), "{clicked}");
    assert_eq!(page.evaluate("n"), 2);
}

const HTML5: &str = "<div id=a draggable=true ondragstart=\"event.dataTransfer.setData('text/plain','card-7')\" ondragend=\"document.title+='end'\">A</div><div id=z ondragover=\"event.preventDefault()\" ondrop=\"event.preventDefault();o.textContent=event.dataTransfer.getData('text/plain')\">Z</div><p id=o>-</p><button onclick=\"o.textContent='clicked'\">After</button>";

#[test]
fn a_drag_ends_at_what_people_call_the_place() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let list = "<div id=a draggable=true ondragstart=\"event.dataTransfer.setData('text/plain','a')\">Report</div>\
        <script>for(const n of ['Doing','Done'])document.write(`<ul aria-label=${n} ondragover=event.preventDefault() ondrop=\"document.title+='${n}'\"><li>${n}</li></ul>`)</script>";
    let page = session.open_page(list);
    session.ok(&["drag", "--text", "Report", "--to-role", "list", "--to-name", "Done"]);
    assert_eq!(page.evaluate("document.title"), "Done");
    session.ok(&["drag", "#a", "--to-role", "list", "--to-nth", "0"]);
    assert_eq!(page.evaluate("document.title"), "DoneDoing");
    assert_eq!(session.err(&["drag", "#a", "--to-role", "list"])["data"]["reason"], "element_ambiguous");
    for to in [&["--to", "#a", "--to-text", "Done"][..], &[], &["--to-nth", "1"]] {
        let error = session.err(&[&["drag", "#a"], to].concat());
        assert_eq!(error["data"]["reason"], "usage_invalid", "{to:?}: {error}");
    }
    assert_eq!(page.evaluate("document.title"), "DoneDoing");
}

#[test]
fn a_drop_that_is_not_taken_is_an_error_and_nothing_stays_held() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&HTML5.replace(" ondragover=\"event.preventDefault()\"", ""));
    let error = session.err(&["drag", "#a", "--to", "#z"]);
    assert_eq!(error["data"]["reason"], "drop_not_accepted", "{error}");
    assert_eq!(page.evaluate("o.textContent"), "-");
    until("the end of the drag", Duration::from_secs(2), || {
        (page.evaluate("document.title") == "end").then_some(())
    });
    session.ok(&["click", "button"]);
    assert_eq!(page.evaluate("o.textContent"), "clicked");
}

/// A box that follows the pointer, as pages do it by hand, and counts what it gets.
const POINTER: &str = "<style>body{margin:0}#b{position:absolute;left:20px;top:20px;width:60px;height:60px;background:red}#t{position:absolute;left:300px;top:200px;width:120px;height:120px;background:#ddd}</style><div id=t></div><div id=b></div><script>let from=null;moves=0;clicks=0;log='';b.onclick=()=>clicks++;b.onpointerdown=e=>{from=[e.clientX-b.offsetLeft,e.clientY-b.offsetTop];b.setPointerCapture(e.pointerId)};b.onpointermove=e=>{if(!from)return;moves++;b.style.left=e.clientX-from[0]+'px';b.style.top=e.clientY-from[1]+'px'};b.onpointerup=b.onpointercancel=e=>{from=null;log+=e.buttons+e.type.slice(7)+';'};onkeydown=e=>log+=e.key+';'</script>";

#[test]
fn a_box_is_dragged_with_pointer_events_to_an_element_and_by_an_offset() {
    everywhere(ZOOMED, |on| {
        let page = on.page(POINTER);
        let dragged = on.ok(&["drag", "#b", "--to", "#t"]);
        assert_eq!(dragged["kind"], "pointer", "{dragged}");
        assert_eq!(page.evaluate("[b.offsetLeft,b.offsetTop,log].join()"), "330,230,0up;");
        assert!(page.evaluate("moves").as_u64().unwrap() >= 5);
        on.ok(&["drag", "#b", "--from", "10,10", "--to", "-90,-40"]);
        assert_eq!(page.evaluate("[b.offsetLeft,b.offsetTop,log].join()"), "230,180,0up;0up;");
    });
}

#[test]
fn mouse_only_pages_sliders_and_links_are_dragged() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=r type=range min=0 max=100 value=0 style='width:200px;margin:0'><p id=o></p><script>r.oninput=()=>o.textContent=r.value</script>",
    );
    session.ok(&["drag", "#r", "--from", "8,8", "--to", "100,8"]);
    let value: u64 = page.evaluate("o.textContent").as_str().unwrap().parse().unwrap();
    assert!((45..=55).contains(&value), "{value}");
    let page = session.open_page(
        "<a id=a href=#x>A link with some words</a><div id=z style='margin-top:90px;height:60px' ondragover='event.preventDefault()' ondrop=\"event.preventDefault();document.title=event.dataTransfer.getData('text/uri-list').slice(-2)\">Z</div>",
    );
    session.ok(&["drag", "#a", "--to", "#z"]);
    assert_eq!(page.evaluate("document.title"), "#x");
    let page = session.open_page(
        "<ul id=l style='width:200px;user-select:none'><li>1<li>2<li>3<li>4</ul><script>let held=null;l.onmousedown=e=>held=e.target;document.onmousemove=e=>{const over=document.elementFromPoint(e.clientX,e.clientY);if(held&&over!==held&&over.parentElement===l)l.insertBefore(held,over.offsetTop>held.offsetTop?over.nextSibling:over)};document.onmouseup=()=>held=null</script>",
    );
    session.ok(&["drag", "li:nth-child(1)", "--to", "li:nth-child(3)"]);
    assert_eq!(page.evaluate("l.textContent"), "2314");
}

#[test]
fn a_drag_goes_on_over_frames_of_other_processes() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser.pages().html(
        "<div role=button aria-label=Zone id=z style='height:100px;background:#ddd' ondragover='event.preventDefault()' ondrop=\"event.preventDefault();parent.postMessage(event.dataTransfer.getData('text/plain'),'*')\">Zone</div><button>Closed</button>",
    );
    let page = session.open_page(&format!(
        "<div id=a draggable=true ondragstart=\"event.dataTransfer.setData('text/plain','card-7')\">A</div><iframe width=400 height=200 src='{}'></iframe><p id=o>-</p><script>onmessage=e=>o.textContent=e.data</script>",
        inner.replace("127.0.0.1", "other.localhost")
    ));
    let error = session.err(&["drag", "#a", "--to", &session.ref_of("button \"Closed\"")]);
    assert_eq!(error["data"]["reason"], "drop_not_accepted", "{error}");
    session.ok(&["drag", "#a", "--to", &session.ref_of("button \"Zone\"")]);
    until("the drop", Duration::from_secs(2), || (page.evaluate("o.textContent") == "card-7").then_some(()));
}

#[test]
fn a_drag_that_is_given_up_lets_go_where_it_began() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!(
        "{POINTER}<script>b.addEventListener('pointermove',()=>{{if(moves==1)t.remove()}})</script>"
    ));
    let error = session.err(&["drag", "#b", "--to", "#t", "--timeout", "2s"]);
    assert_eq!(error["data"]["reason"], "selector_not_found", "{error}");
    until("the release", Duration::from_secs(2), || (page.evaluate("log") == "Escape;0up;").then_some(()));
    assert_eq!(page.evaluate("[b.offsetLeft,b.offsetTop,clicks].join()"), "20,20,0");
    assert_eq!(
        session.err(&["drag", "#b", "--to", "#none", "--timeout", "1s"])["data"]["reason"],
        "selector_not_found"
    );
    assert_eq!(page.evaluate("log"), "Escape;0up;", "nothing was pressed");
}

#[test]
fn a_drag_whose_command_is_killed_leaves_no_button_down() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!(
        "{POINTER}<script>b.addEventListener('pointermove',()=>{{if(moves==1)t.remove()}})</script>"
    ));
    let running = session.start_bsk(&["drag", "#b", "--to", "#t", "--timeout", "50s"]);
    until("the first move", Duration::from_secs(5), || (page.evaluate("moves") == 1).then_some(()));
    running.kill();
    until("the release", Duration::from_secs(2), || (page.evaluate("log") == "Escape;0up;").then_some(()));
}

/// Where the page and its box are scrolled to.
fn tops(page: &Page<'_>) -> Value {
    page.evaluate("[Math.round(scrollY), Math.round(box.scrollTop)].join()")
}

const SCROLLING: &str = "<body style='margin:0;height:4000px'><div id=box style='height:200px;width:300px;overflow:auto;border:1px solid'><div style='height:2000px'><p id=in style='position:absolute'>Inside</p></div></div><button id=low style='position:absolute;top:3000px'>Low</button>";

#[test]
fn the_page_and_its_boxes_are_scrolled_by_the_wheel() {
    everywhere(ZOOMED, |on| {
        let page = on.page(SCROLLING);
        page.evaluate("wheels=0;addEventListener('wheel',event=>{if(event.isTrusted)wheels++});null");
        let scrolled = on.ok(&["scroll", "--by", "0,500"]);
        println!("it was scrolled by {}", scrolled["how"]);
        assert_eq!(scrolled["scroll_y"], 500.0, "{scrolled}");
        assert_eq!(scrolled["above"], 500.0, "{scrolled}");
        assert_eq!(tops(&page), "500,0");
        let has_wheel = page.evaluate("wheels").as_u64().unwrap() > 0;
        assert!(has_wheel || scrolled["how"] == "script", "what came of no wheel is said: {scrolled}");
        on.ok(&["scroll", "--to", "top"]);
        let scrolled = on.ok(&["scroll", "#in", "--by", "0,300"]);
        assert_eq!(tops(&page), "0,300", "{scrolled}");
        let scrolled = on.ok(&["scroll", "#in", "--to", "bottom"]);
        assert_eq!(scrolled["below"], 0.0, "{scrolled}");
        let scrolled = on.ok(&["scroll", "#low"]);
        assert_eq!(scrolled["used_selector"], "#low", "{scrolled}");
        assert_eq!(page.evaluate("low.getBoundingClientRect().bottom <= innerHeight"), true);
        let scrolled = on.ok(&["scroll", "--to", "bottom"]);
        assert_eq!(scrolled["below"], 0.0, "{scrolled}");
    });
}

#[test]
fn scrolling_goes_on_until_a_text_is_there_and_ends_with_the_list() {
    everywhere(PLAIN, |on| {
        let page = on.page(
            "<div id=l style='height:300px;overflow:auto'></div><script>let n=0;const more=()=>{for(let i=0;i<20;i++)l.insertAdjacentHTML('beforeend',`<p>Row ${++n}.</p>`)};more();l.onscroll=()=>{if(n<100&&l.scrollTop+l.clientHeight>l.scrollHeight-50)setTimeout(more,120)}</script>",
        );
        let scrolled = on.ok(&["scroll", "--until-text", "Row 97."]);
        assert!(scrolled["found"]["name"].is_string(), "{scrolled}");
        assert_eq!(
            page.evaluate("(r=>r.top>=0&&r.bottom<=310)([...l.children].find(one=>one.textContent=='Row 97.').getBoundingClientRect())"),
            true
        );
        let error = on.err(&["scroll", "#l", "--until-text", "Row 4000.", "--timeout", "20s"]);
        assert_eq!(error["data"]["reason"], "scroll_end_reached", "{error}");
    });
}

#[test]
fn scrolling_that_never_ends_is_bounded_and_a_page_that_takes_the_wheel_is_said_to() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open("<body id=b><script>const more=()=>b.insertAdjacentHTML('beforeend','<p style=height:600px>more</p>');more();more();more();onscroll=more</script>");
    let ran = session.bsk(&["scroll", "--until-text", "never", "--timeout", "3s"]);
    assert_eq!(ran.exit_code(), Some(4), "{}", ran.report());
    assert!(ran.elapsed < Duration::from_secs(4), "{}", ran.report());
    let page = session.open_page("<body style='height:4000px;margin:0'><script>z=1;addEventListener('wheel',event=>{event.preventDefault();z++},{passive:false})</script>");
    let scrolled = session.ok(&["scroll", "--by", "0,300"]);
    assert_eq!(scrolled["how"], "page", "{scrolled}");
    assert_eq!(page.evaluate("[scrollY,z].join()"), "0,2");
    session.open("<p>short</p>");
    assert_eq!(session.err(&["scroll", "--by", "0,300"])["data"]["reason"], "not_scrollable");
}

#[test]
fn what_is_in_a_frame_is_scrolled_there() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser.pages().html("<body style='height:3000px'><button>Top</button><button style='position:absolute;top:2500px'>Deep</button>");
    session.open(&format!(
        "<div style='height:1500px'></div><iframe style='transform:scale(.5)' width=600 height=400 src='{}'></iframe>",
        inner.replace("127.0.0.1", "other.localhost")
    ));
    let top = session.ref_of("button \"Top\"");
    let scrolled = session.ok(&["scroll", &top, "--by", "0,400"]);
    assert_eq!(scrolled["scroll_y"], 400.0, "{scrolled}");
    let scrolled = session.ok(&["scroll", &session.ref_of("button \"Deep\"")]);
    assert!(scrolled["scroll_y"].as_f64().unwrap() > 1500.0, "{scrolled}");
}

#[test]
fn what_moved_away_under_the_pointer_is_pointed_at_once_more_and_nothing_else_is_clicked() {
    let browser = BROWSER.browser();
    let session = browser.session();
    // As when a bar of the browser slides in between the look and the press.
    let page = session.open_page(
        "<body style='margin:0'><div id=d style='padding-top:20px'><input id=c type=checkbox><button id=b onclick=\"log+='hit;'\">B</button></div><script>log='';moves=0;shy=false;\
         document.onclick=e=>log+=e.target.id+';';document.onmousedown=e=>log+='down '+e.target.id+';';onmousemove=e=>{if(shy)d.style.paddingTop=e.clientY>200?'20px':'400px';else if(moves++<1)d.style.paddingTop='120px'}</script>",
    );
    session.ok(&["click", "#b"]);
    assert_eq!(page.evaluate("log"), "down b;hit;b;");
    page.evaluate("log='';moves=0;d.style.paddingTop='20px'");
    session.ok(&["check", "#c"]);
    assert_eq!(page.evaluate("log+c.checked"), "down c;c;true");
    page.evaluate("log='';shy=true");
    let error = session.err(&["click", "#b"]);
    assert_eq!(error["data"]["reason"], "not_delivered", "{error}");
    page.evaluate("shy=false");
    session.ok(&["click", "#b", "--click-count", "2"]);
    assert_eq!(page.evaluate("log"), "down b;hit;b;down b;hit;b;", "of the stopped presses nothing arrived");
}
