//! Choosing and clicking: scenarios 13 to 23. Scenario 22, delivery in the background, is what all of them do in most of their places.

use std::time::{Duration, Instant};

use bsk_tests::{Place, Stage, until};
use serde_json::json;

use super::check;

pub(crate) fn a_button_below_a_sticky_header_is_clicked_and_not_the_header(on: &Stage<'_>) {
    let page = on.page(
        "<style>body{margin:0;height:3000px}header{position:sticky;top:0;height:80px;z-index:9}#t{position:absolute;top:1500px}</style><header onclick=\"o.textContent='header'\">H</header><button id=t onclick=\"o.textContent='paid'\">Pay</button><p id=o style=\"position:fixed;bottom:0\">-</p>",
    );
    on.ok(&["click", &on.session.ref_of("button \"Pay\"")]);
    check(&page, "o.textContent", "paid");
}

pub(crate) fn what_covers_a_button_is_named_and_nothing_is_clicked(on: &Stage<'_>) {
    let page = on.page(
        "<button id=b onclick=\"document.title='x'\">Go</button><div id=veil style=\"position:fixed;inset:0\"></div>",
    );
    let ran = on.session.bsk(&["click", "#b"]);
    let error = ran.failure();
    assert_eq!(error["data"]["reason"], "element_covered", "{error}");
    assert!(error["message"].as_str().unwrap().contains("div#veil"), "{error}");
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    check(&page, "document.title", "");
}

pub(crate) fn disabled_buttons_are_said_to_be_and_refused_unless_forced(on: &Stage<'_>) {
    let page = on.page(
        "<button disabled onclick=\"o.textContent='bad'\">D</button><div role=button aria-disabled=true onclick=\"o.textContent='ad'\">A</div><p id=o>-</p>",
    );
    assert_eq!(on.err(&["click", "button"])["data"]["reason"], "element_disabled");
    let text = on.session.observe();
    assert!(text.contains("button \"A\" [disabled]"), "{text}");
    let aria = on.session.ref_of("button \"A\"");
    assert_eq!(on.err(&["click", &aria])["data"]["reason"], "element_disabled");
    check(&page, "o.textContent", "-");
    assert_eq!(on.ok(&["click", &aria, "--force"])["forced"], true);
    check(&page, "o.textContent", "ad");
}

pub(crate) fn a_moving_button_is_hit(on: &Stage<'_>) {
    let page = on.page(
        "<button id=b style=\"position:relative;transition:left .4s\" onclick=\"document.title='hit'\">B</button><script>setTimeout(()=>b.style.left='300px',0)</script>",
    );
    on.ok(&["click", "#b"]);
    check(&page, "document.title", "hit");
}

pub(crate) fn a_button_in_a_closed_shadow_root_is_listed_and_clicked(on: &Stage<'_>) {
    let page = on.page(
        "<x-a></x-a><p id=o>-</p><script>customElements.define('x-a',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});r.innerHTML='<button>Deep</button>';r.firstChild.onclick=()=>o.textContent='deep'}})</script>",
    );
    on.ok(&["click", &on.session.ref_of("button \"Deep\"")]);
    check(&page, "o.textContent", "deep");
}

pub(crate) fn a_button_in_nested_scaled_frames_of_other_sites_is_clicked(on: &Stage<'_>) {
    let elsewhere = |url: &str, host: &str| url.replace("127.0.0.1", host);
    let inner = on.browser.pages().html(
        "<button style='margin:40px 30px' onclick=\"parent.parent.postMessage('inner','*')\">Deep pay</button>",
    );
    let middle = on.browser.pages().html(&format!(
        "<div style='height:50px'></div><iframe style='border:5px solid;margin-left:20px' width=400 height=150 src='{}'></iframe>",
        elsewhere(&inner, "other.localhost")
    ));
    let page = on.page(&format!(
        "<p id=o>-</p><iframe style='transform:scale(.5);transform-origin:0 0;border:0' width=600 height=400 src='{}'></iframe><script>onmessage=e=>o.textContent=e.data</script>",
        elsewhere(&middle, "third.localhost")
    ));
    let button = on.session.ref_of("button \"Deep pay\"");
    if clicked_or_not_delivered(on, &button, || page.evaluate("o.textContent") == "-") {
        on.comes(&page, "o.textContent", "inner");
    }
}

/// Clicks in a frame of another process. A page that is not shown takes a zoom to its frames late, and in a minimised window
/// its frames of other processes sleep: then it is said, and nothing was clicked.
fn clicked_or_not_delivered(on: &Stage<'_>, button: &str, is_untouched: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    loop {
        let ran = on.session.bsk(&["click", button]);
        if on.place == Place::Front || ran.exit_code() == Some(0) {
            assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
            return true;
        }
        assert_eq!(ran.failure()["data"]["reason"], "not_delivered", "{}", ran.report());
        assert!(is_untouched(), "{}", ran.report());
        if on.place == Place::Minimised {
            return false;
        }
        assert!(started.elapsed() < Duration::from_secs(8), "{}", ran.report());
    }
}

pub(crate) fn a_point_of_a_canvas_is_clicked_at_a_pixel_ratio_of_two_as_well(on: &Stage<'_>) {
    let page = on.page(
        "<canvas id=c width=200 height=100 aria-label=board></canvas><p id=o></p><script>c.onclick=e=>o.textContent=e.offsetX+','+e.offsetY</script>",
    );
    let board = on.session.ref_of("board");
    on.ok(&["click", &board, "--at", "150,25"]);
    check(&page, "o.textContent", "150,25");
    let sharp = page.attached().unwrap();
    let metrics = json!({ "width": 0, "height": 0, "deviceScaleFactor": 2, "mobile": false });
    sharp.call("Emulation.setDeviceMetricsOverride", &metrics).unwrap();
    on.ok(&["click", &board, "--at", "20,80"]);
    check(&page, "o.textContent", "20,80");
    let outside = on.err(&["click", &board, "--at", "250,5"]);
    assert_eq!(outside["data"]["reason"], "position_outside", "{outside}");
}

pub(crate) fn what_is_dragged_brings_the_page_s_own_data(on: &Stage<'_>) {
    let page = on.page(
        "<div id=a draggable=true ondragstart=\"event.dataTransfer.setData('text/plain','card-7')\" ondragend=\"document.title+='end'\">A</div><div id=z ondragover=\"event.preventDefault()\" ondrop=\"event.preventDefault();o.textContent=event.dataTransfer.getData('text/plain')\">Z</div><p id=o>-</p><button onclick=\"o.textContent='clicked'\">After</button>",
    );
    assert_eq!(on.ok(&["drag", "#a", "--to", "#z"])["kind"], "html5");
    check(&page, "o.textContent", "card-7");
    check(&page, "document.title", "end");
    on.ok(&["click", "button"]);
    check(&page, "o.textContent", "clicked");
}

pub(crate) fn hovering_opens_a_menu_whose_item_can_be_clicked(on: &Stage<'_>) {
    let page = on.page(
        "<nav><b id=m>Menu</b><a id=a href=#ok hidden>Item</a></nav><script>m.onmouseenter=()=>a.hidden=false</script>",
    );
    on.ok(&["hover", "#m"]);
    on.ok(&["click", &on.session.ref_of("link \"Item\"")]);
    check(&page, "location.hash", "#ok");
}

pub(crate) fn buttons_of_one_name_carry_their_rows_and_none_is_chosen(on: &Stage<'_>) {
    let row =
        |name: &str| format!("<tr><td>{name}<td><button onclick=\"document.title='{name}'\">Edit</button>");
    let html = format!("<table>{}{}{}</table>", row("Ann"), row("Bob"), row("Cy"));
    let page = on.page(&html);
    let text = on.session.observe();
    for name in ["Ann", "Bob", "Cy"] {
        assert!(text.contains(&format!("button \"Edit\" in \"{name}\"")), "{text}");
    }
    let error = on.err(&["click", "--role", "button", "--name", "Edit"]);
    assert_eq!(error["data"]["reason"], "element_ambiguous", "{error}");
    let candidates = error["data"]["candidates"].as_array().cloned().unwrap_or_default();
    assert_eq!(candidates.len(), 3, "{error}");
    check(&page, "document.title", "");
    on.ok(&["click", candidates[1]["ref"].as_str().unwrap()]);
    check(&page, "document.title", "Bob");
}

pub(crate) fn what_is_clicked_in_a_page_zoomed_while_its_ref_was_held_is_still_hit(on: &Stage<'_>) {
    let page = on.page(
        "<canvas id=c width=200 height=100 aria-label=board></canvas><p id=o></p><script>c.onclick=e=>o.textContent=e.offsetX+','+e.offsetY</script>",
    );
    let board = on.session.ref_of("board");
    for (factor, at) in [(1.25, "151,25"), (0.75, "20,81"), (1.0, "21,80")] {
        on.zoom_to(&page, factor);
        on.ok(&["click", &board, "--at", at]);
        until("the click", Duration::from_secs(1), || (page.evaluate("o.textContent") == at).then_some(()));
    }
}
