//! Closed shadow roots: listed, named and clicked like anything else, and the page cannot tell.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use bsk_tests::Shared;

static BROWSER: Shared = Shared::new();

/// Tells when the page looks at what could have been patched.
const UNTOUCHED: &str = "[Element.prototype.attachShadow, Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get] \
     .every(it => /\\[native code\\]/.test(Function.prototype.toString.call(it))) && typeof bskPage === 'undefined'";

#[test]
fn a_button_in_a_closed_shadow_root_is_listed_and_clicked() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<x-a></x-a><p id=o>-</p><script>const globals = Object.getOwnPropertyNames(window).length;\
         customElements.define('x-a',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});r.innerHTML='<button>Deep</button>';r.firstChild.onclick=()=>o.textContent='deep'}})</script>",
    );
    let text = session.observe();
    assert_eq!(text.matches("button \"Deep\"").count(), 1, "{text}");
    let button = session.ref_of("button \"Deep\"");
    session.ok(&["click", &button]);
    assert_eq!(page.evaluate("o.textContent"), "deep");
    assert_eq!(session.ref_of("button \"Deep\""), button, "the ref stays");
    assert_eq!(page.evaluate(UNTOUCHED), true);
    assert_eq!(page.evaluate("Object.getOwnPropertyNames(window).length - globals"), 0);
    assert_eq!(page.evaluate("document.querySelector('x-a').shadowRoot"), serde_json::Value::Null);
}

#[test]
fn closed_roots_in_closed_and_open_roots_are_reached() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=plain></div><p id=o>-</p><script>\
         const nest = (host, modes) => { const root = host.attachShadow({ mode: modes[0] }); \
           if (modes.length === 1) { root.innerHTML = '<input aria-label=Inmost><button>Press</button>'; \
             root.lastChild.onclick = () => o.textContent = 'pressed'; return; } \
           const inner = document.createElement('section'); root.append(inner); nest(inner, modes.slice(1)); }; \
         nest(plain, ['closed', 'closed', 'open', 'closed'])</script>",
    );
    let field = session.ref_of("textbox \"Inmost\"");
    assert_eq!(session.ok(&["fill", &field, "--value", "far in"])["value"], "far in");
    let text = session.observe();
    assert!(text.contains("textbox \"Inmost\" value \"far in\" [focused]"), "{text}");
    session.ok(&["click", "button"]);
    assert_eq!(page.evaluate("o.textContent"), "pressed", "selectors reach closed roots that were seen");
}

#[test]
fn what_a_page_slots_into_a_closed_root_is_where_its_slot_is() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<x-card><button onclick=\"o.textContent='slotted'\">Slotted</button><i slot=nowhere>Lost</i></x-card><p id=o>-</p><script>\
         customElements.define('x-card', class extends HTMLElement { constructor() { super(); \
           this.attachShadow({ mode: 'closed' }).innerHTML = '<p>Before</p><div inert><slot></slot></div><p>After</p>'; } })</script>",
    );
    let text = session.observe();
    let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("no `{needle}` in:\n{text}"));
    assert!(at("Before") < at("Slotted") && at("Slotted") < at("After"), "{text}");
    assert!(!text.contains("Lost"), "what no slot takes is not rendered: {text}");
    let error = session.err(&["click", "x-card button", "--timeout", "300ms"]);
    assert_eq!(error["data"]["reason"], "element_inert", "inert around its slot: {error}");
    assert_eq!(page.evaluate("o.textContent"), "-");
}

#[test]
fn a_closed_root_in_a_frame_of_another_process_is_reached() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser.pages().html(
        "<div id=host></div><script>const root = host.attachShadow({ mode: 'closed' }); \
         root.innerHTML = '<button style=\"margin:20px\">Pay</button>'; \
         root.firstChild.onclick = () => parent.postMessage('paid', '*')</script>",
    );
    session.open(&format!(
        "<p id=o>-</p><iframe width=400 height=200 src='{}'></iframe><script>onmessage = event => o.textContent = event.data</script>",
        inner.replace("127.0.0.1", "other.localhost")
    ));
    let pay = session.ref_of("button \"Pay\"");
    assert!(pay.starts_with("@f"), "{pay}");
    session.ok(&["click", &pay]);
    assert_eq!(session.ok(&["evaluate", "o.textContent"])["value"], "paid");
}

#[test]
fn a_layer_in_a_closed_root_whose_host_has_no_size_is_listed() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<h1>Page</h1><div id=layer></div><script>layer.attachShadow({ mode: 'closed' }).innerHTML = \
         '<div style=\"position:fixed;bottom:0\"><button>Accept</button></div>'</script>",
    );
    let text = session.observe();
    assert!(text.contains("button \"Accept\""), "{text}");
    session.ok(&["click", &session.ref_of("button \"Accept\"")]);
}

#[test]
fn a_modal_dialog_in_a_shadow_root_keeps_every_action_off_what_is_outside_of_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=i value=kept><select id=s><option>a<option>b</select><input id=c type=checkbox><button id=b>B</button><div id=host></div>\
         <script>const root = host.attachShadow({ mode: 'open' }); root.innerHTML = '<dialog><input id=in aria-label=Inside></dialog>'; \
         root.firstChild.showModal()</script>",
    );
    let refused: [&[&str]; 6] = [
        &["fill", "#i", "--value", "lost"],
        &["type", "#i", "--value", "lost"],
        &["select", "#s", "--label", "b"],
        &["focus", "#b"],
        &["check", "#c"],
        &["click", "#b"],
    ];
    for args in refused {
        let error = session.err(&[args, &["--timeout", "500ms"]].concat());
        assert_eq!(error["data"]["reason"], "element_inert", "{args:?}: {error}");
    }
    assert_eq!(page.evaluate("i.value + s.value + c.checked"), "kepta".to_owned() + "false");
    let inside = session.ref_of("textbox \"Inside\"");
    assert_eq!(session.ok(&["fill", &inside, "--value", "typed"])["value"], "typed");
}
