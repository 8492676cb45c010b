//! What each kind of thing on a page looks like in an observation: many small pages, exact answers.
//!
//! Where observing.rs shows what an observation is, these pages are the odd ones: what a person sees on them is not what a
//! first look at the markup suggests.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use bsk_tests::{Shared, outline};

static BROWSER: Shared = Shared::new();

#[test]
fn cells_stay_in_their_columns() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<table><tr><th>A<th>B<th>C<tr><td>1<td><td>3<tr><td><td><td><tr><td><td><td>x</table>",
        &["table", " row: A | B | C", " row: 1 |  | 3", " row:  |  | x"],
    );
    session.check_outline(
        "<table><tr><td rowspan=3>a<td colspan=2>b<td rowspan=2>c<tr><td>d<td>e<tr><td rowspan=2 colspan=2>f<td>g<tr><td>h<td>i</table>",
        &["table", " row: a | b |  | c", " row:  | d | e", " row:  | f |  | g", " row: h |  |  | i"],
    );
    session.check_outline(
        "<table role=grid><tr><td><td tabindex=0>1</table><table><tr><td><td></table>",
        &["grid", " row", "  @ gridcell \"1\""],
    );
}

#[test]
fn letters_are_seen_by_what_paints_them() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<h1 style='background:linear-gradient(red,blue);background-clip:text;color:transparent'><span>Gradient</span></h1>\
         <p style='-webkit-text-fill-color:transparent'>no fill</p><p style='color:color-mix(in srgb, red, transparent 100%)'>mixed away</p>\
         <p style='color:oklch(0 0 0 / 0)'>no alpha</p><p style='color:rgb(9,9,0)'>dark</p><p style='color:transparent;-webkit-text-fill-color:red'>red</p>",
        &["heading \"Gradient\" [level=1]", "text: dark", "text: red"],
    );
    session.check_outline(
        "<h1 style='text-indent:-9999px;background-image:url(/logo.png)'>Logo</h1><p style='text-indent:-9999px'>pushed out</p>\
         <p style='text-indent:100%;white-space:nowrap;overflow:hidden'>pushed on</p><p style='text-indent:-2em;padding-left:2em'>hanging</p>",
        &["heading \"Logo\" [level=1]", "text: hanging"],
    );
    session.check_outline(
        "<div id=h>slotted</div><script>h.attachShadow({mode:'open'}).innerHTML='<div style=\"opacity:0\"><slot></slot></div>seen'</script>",
        &["text: seen"],
    );
}

#[test]
fn places_go_by_where_scrolling_leads() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<div style='display:flex;flex-direction:column-reverse;overflow:auto;height:300px'>\
         <div><p style='height:284px'>old<p style='height:284px'>new</div></div>",
        &[
            "generic [scroll 316 above, 0 below]",
            " --- above the view",
            " text: old",
            " --- in view",
            " text: new",
        ],
    );
    session.check_outline(
        "<div dir=rtl style='overflow:auto;width:200px;scrollbar-width:none'><div style='width:500px'><button>one</button></div></div>",
        &["generic [scroll 300 left, 0 right]", " @ button \"one\""],
    );
    session.check_outline(
        "<style>body { direction: rtl; width: 3000px }</style><button>first</button><div style='position:absolute;right:2000px'>far</div>\
         <div style='position:absolute;right:-2000px'>never</div>",
        &["@ button \"first\"", "--- beside the view", "text: far"],
    );
    session.check_outline(
        "<div style='position:relative;overflow:auto;height:90px;width:200px;line-height:20px'><div style='position:absolute;left:-500px'>never</div>\
         <p style='margin-top:300px'>later</p><i>end</i></div><div style='position:fixed;bottom:-90px'>toast <button>Undo</button></div>",
        &[
            "generic [scroll 0 above, 266 below]",
            " --- below the view",
            " text: later",
            " text: end",
            "@ button \"Undo\" [invisible]",
        ],
    );
    session.check_outline(
        "<div style='overflow:hidden;height:50px'>strip<div style='position:fixed;inset:0'>layer <button style='position:absolute;top:300px'>OK</button></div></div>",
        &["text: strip", "text: layer", "@ button \"OK\""],
    );
    session.check_outline(
        "<div style='height:3000px'></div><img usemap='#m' alt=Map width=90 height=90 src=/x><map name=m><area href='#a' alt=North coords='0,0,9,9'></map>",
        &["--- below the view", "img \"Map\"", "@ link \"North\""],
    );
    session.check_outline(
        "<p style='clip-path:inset(0 100% 0 0)'>a</p><p style='clip-path:inset(40px)'>b</p><p style='clip-path:polygon(0 0,0 0,0 0)'>c</p>\
         <p style='clip-path:inset(1px)'>seen</p><p style='transform:scale(0)'>d</p>",
        &["text: seen"],
    );
}

#[test]
fn what_is_half_scrolled_away_is_not_covered() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<div style='overflow:auto;height:60px'><p style='height:34px;margin:0'>x</p><button style='display:block;height:90px'>Half</button></div>",
        &["generic [scroll 0 above, 64 below]", " text: x", " @ button \"Half\""],
    );
    session.check_outline(
        "<button>Under</button><svg style='position:fixed;inset:0;width:100%;height:100%'><rect width=999 height=999 fill=none pointer-events=all /></svg>",
        &["@ button \"Under\" [covered by svg]"],
    );
}

#[test]
fn a_secret_stays_one_when_its_page_shows_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<input id=p type=password value=TOPS3CRET aria-label=Key><button onclick=\"p.type='text'\">Show</button>\
         <select autocomplete=cc-exp-year><option value=y1>2030<option value=y2 selected>2031</select>\
         <template><select autocomplete=cc-exp-month><option selected>07</select></template>",
    );
    // Once a password, always one: the click's own look at the page is the first.
    session.ok(&["click", &session.ref_of("Show")]);
    assert_eq!(session.outline()[0], "@ textbox \"Key\" [filled]");
    let html = session.ok(&["get-html"]).to_string();
    assert!(!html.contains("TOPS3CRET") && !html.contains("selected"), "{html}");
    let filled = session.ok(&["fill", "#p", "--value", "N3XT"]).to_string();
    assert!(!filled.contains("N3XT"), "{filled}");
}

#[test]
fn a_page_cannot_write_states_of_its_own() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<a href='#' aria-current='page'>A</a><a href='#' aria-current='x&#10;filled'>B</a><a href='#' aria-current=false>C</a>",
        &["@ link \"A\" [current=page]", "@ link \"B\" [current]", "@ link \"C\""],
    );
}

#[test]
fn text_of_rare_elements_is_not_lost() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<object data='/nope'><p>instead</object><object>of it</object><object data='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>hidden</object>",
        &["text: instead", "text: of it"],
    );
    session.check_outline(
        "<label for=f>Amount</label><x-f id=f></x-f><label for=g>Sum</label><x-f id=g role=group></x-f><script>customElements.define('x-f',
         class extends HTMLElement { static formAssociated = true; constructor() { super(); this.attachShadow({mode:'open'}).innerHTML = '<input>' } })</script>",
        &["text: Amount", "@ textbox", "group \"Sum\"", " @ textbox"],
    );
    session.check_outline(
        "<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math><math aria-label=half><mi>h</mi></math>",
        &["math: x = 1 2", "math \"half\"", " text: h"],
    );
}

#[test]
fn what_moved_into_a_frame_is_told_there_and_back() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<div id=b>Both <input value=v aria-label=In><button onclick=\"move(document.body)\">Move</button></div>\
         <iframe id=f srcdoc='<p>in</p>'></iframe><script>move = (to) => to.append(b)</script>",
    );
    let outside = session.outline();
    assert_eq!(
        outside,
        ["text: Both", "@ textbox \"In\" value \"v\"", "@ button \"Move\"", "@ iframe", " text: in"]
    );
    session.ok(&["evaluate", "held = b; move(f.contentDocument.body); 1"]);
    let text = session.observe();
    let moved =
        ["@ iframe", " text: in", " text: Both", " @ textbox \"In\" value \"v\"", " @ button \"Move\""];
    assert_eq!(outline(&text), moved, "{text}");
    session.ok(&["evaluate", "document.body.prepend(held); 1"]);
    assert_eq!(session.outline(), outside);
}

#[test]
fn a_container_in_view_may_hold_what_is_not() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<div style='overflow:auto;height:20px;width:90px;line-height:20px'>one<br><button>two</button><br>three</div><p>after</p>",
        &[
            "generic [scroll 0 above, 41 below]",
            " text: one",
            " --- below the view",
            " @ button \"two\"",
            " text: three",
            "--- in view",
            "text: after",
        ],
    );
}

#[test]
fn a_label_by_reference_is_told_once() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.check_outline(
        "<span id=a>Age</span><div role=combobox aria-labelledby=a tabindex=0>Ten</div><div role=radiogroup aria-labelledby=s>\
         <span id=s>Size</span><div role=radio tabindex=0>S</div></div><section aria-labelledby=h><h2 id=h>Part</h2>words</section>",
        &[
            "@ combobox \"Age\" value \"Ten\"",
            "radiogroup \"Size\"",
            " @ radio \"S\"",
            "region",
            " heading \"Part\" [level=2]",
            " text: words",
        ],
    );
}

#[test]
fn a_form_whose_fields_hide_what_forms_have_is_looked_through() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<main><form><label>Children <input name=children value=2></label><input name=hasAttribute aria-label=A><input name=firstChild aria-label=B>\
         <input name=nextSibling aria-label=C><input name=localName aria-label=D><p>In the form</p><button type=button onclick=\"document.title='went'\">Go</button></form><p>After</p></main>",
    );
    let expected = [
        "main",
        " @ textbox \"Children\" value \"2\"",
        " @ textbox \"A\"",
        " @ textbox \"B\"",
        " @ textbox \"C\"",
        " @ textbox \"D\"",
        " text: In the form",
        " @ button \"Go\"",
        " text: After",
    ];
    assert_eq!(session.outline(), expected);
    session.ok(&["click", "--name", "Go"]);
    assert_eq!(session.ok(&["evaluate", "document.title"])["value"], "went");
    session.ok(&["fill", "--label", "Children", "--value", "3"]);
    assert_eq!(session.ok(&["evaluate", "document.querySelector('[name=children]').value"])["value"], "3");
    let old = session.ref_of("\"Go\"");
    session.ok(&[
        "evaluate",
        "document.querySelector('button').outerHTML = '<button type=button>Go</button>'; 0",
    ]);
    let stale = session.err(&["click", &old]);
    assert_eq!(stale["data"]["reason"], "ref_stale", "{stale}");
    assert_eq!(stale["data"]["successor"]["name"], "Go", "{stale}");
}
