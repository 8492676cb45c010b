//! Entering text: what a field, an editor, a form and a framework get when `bsk` fills and presses.
//!
//! The oracle looks through the debugging pipe; what `bsk` says about a field is compared with what the field holds.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Page, Session, Shared};
use serde_json::Value;

static BROWSER: Shared = Shared::new();

/// Fills `#id` with a value.
#[track_caller]
fn fill(session: &Session<'_>, id: &str, value: &str) -> Value {
    session.ok(&["fill", &format!("#{id}"), "--value", value])
}

#[track_caller]
fn check(page: &Page<'_>, expression: &str, expected: &str) {
    assert_eq!(page.evaluate(expression), expected, "{expression}");
}

#[test]
fn filling_an_editor_replaces_all_of_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=e contenteditable>old <b>text</b></div><pre id=o></pre><script>e.oninput=v=>o.textContent+=v.inputType+';'</script>",
    );
    fill(&session, "e", "new");
    check(&page, "e.innerText", "new");
    check(&page, "String(o.textContent.includes('insertText'))", "true");
    check(&page, "String(e.querySelector('b'))", "null");
}

#[test]
fn two_lines_in_an_editor_have_one_newline_between_them() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<div id=e contenteditable></div>");
    fill(&session, "e", "a\nb");
    check(&page, "e.innerText.trimEnd()", "a\nb");
}

#[test]
fn a_child_of_an_editor_is_refused_or_replaced_alone() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<div id=e contenteditable><p id=c>x</p><p>y</p></div>");
    let ran = session.bsk(&["fill", "#c", "--value", "new"]);
    if ran.status.success() {
        check(&page, "e.innerText.replace(/\\s+/g, ' ').trim()", "new y");
    } else {
        check(&page, "e.innerText.replace(/\\s+/g, ' ').trim()", "x y");
        assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    }
}

#[test]
fn a_framework_that_tracks_the_value_sees_the_change() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=i value=a><p id=o>a</p><script>{const d=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let s='a';Object.defineProperty(i,'value',{get(){return d.get.call(this)},set(v){s=v;d.set.call(this,v)}});i.oninput=()=>{const v=d.get.call(i);if(v!==s){s=v;o.textContent=v}}}</script>",
    );
    let filled = fill(&session, "i", "zed");
    check(&page, "o.textContent", "zed");
    assert_eq!(filled["value"], "zed");
}

#[test]
fn a_masking_field_keeps_its_mask_and_the_reply_says_what_it_holds() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        r"<input id=i><script>i.oninput=()=>i.value=i.value.replace(/\D/g,'').replace(/(\d{3})(?=\d)/,'$1-')</script>",
    );
    let filled = fill(&session, "i", "555123");
    check(&page, "i.value", "555-123");
    assert_eq!(filled["value"], "555-123");
    assert_eq!(filled["value_length"], 7);
}

#[test]
fn date_time_range_and_colour_fields_take_their_values_with_both_events() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=d type=date><input id=t type=time><input id=m type=month><input id=r type=range min=0 max=10 step=2><input id=c type=color>
        <script>window.log={};for(const i of document.querySelectorAll('input'))for(const k of ['input','change'])i.addEventListener(k,()=>log[i.id]=(log[i.id]||'')+k+';')</script>",
    );
    for (id, value, held) in [
        ("d", "2026-03-09", "2026-03-09"),
        ("t", "08:05", "08:05"),
        ("m", "2026-03", "2026-03"),
        ("r", "7", "8"),
        ("c", "#FF0000", "#ff0000"),
    ] {
        let filled = fill(&session, id, value);
        check(&page, &format!("{id}.value"), held);
        check(&page, &format!("log.{id}"), "input;change;");
        assert_eq!(filled["value"], held, "{id}");
    }
}

#[test]
fn a_date_in_another_form_is_an_error_and_the_field_stays_empty() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=d type=date>");
    let error = session.err(&["fill", "#d", "--value", "03/09/2026"]);
    assert_eq!(error["data"]["reason"], "value_not_accepted", "{error}");
    assert!(
        error["hint"].as_str().is_some_and(|hint| hint.contains("20")),
        "the hint shows the form: {error}"
    );
    check(&page, "d.value", "");
}

#[test]
fn unicode_arrives_as_it_was_given() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<textarea id=t></textarea>");
    let filled = fill(&session, "t", "é😀中\nline2");
    check(&page, "t.value", "é😀中\nline2");
    assert_eq!(page.evaluate("t.value.length"), 10);
    assert_eq!(filled["value_length"], 10);
}

#[test]
fn two_hundred_thousand_characters_arrive_whole() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<textarea id=t></textarea>");
    // One argument holds at most 128 KiB on Linux, so the text comes in two halves.
    let half = "0123456789".repeat(10_000);
    let first = session.bsk(&["fill", "#t", "--value", &half]);
    let second = session.bsk(&["fill", "#t", "--value", &half, "--no-clear"]);
    assert!(first.status.success() && second.status.success(), "{}{}", first.report(), second.report());
    assert!(first.elapsed + second.elapsed < Duration::from_secs(2), "{:?}", first.elapsed + second.elapsed);
    assert_eq!(page.evaluate("t.value.length"), 200_000);
    assert_eq!(page.evaluate("t.value === '0123456789'.repeat(20000)"), true);
}

#[test]
fn enter_submits_a_form_and_adds_a_line_in_a_text_area() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<form onsubmit=\"o.textContent='sent';return false\"><input id=i></form><p id=o>-</p><textarea id=t></textarea>",
    );
    session.ok(&["press", "Enter", "--selector", "#i"]);
    check(&page, "o.textContent", "sent");
    session.ok(&["press", "Enter", "--selector", "#t"]);
    check(&page, "t.value", "\n");
}

#[test]
fn select_all_and_a_letter_replace_the_text() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=i value=abc>");
    let pressed = session.ok(&["press", "A", "--modifiers", "ControlOrMeta", "--selector", "#i"]);
    assert_eq!(pressed["code"], "KeyA", "{pressed}");
    session.ok(&["press", "Z"]);
    check(&page, "i.value", "Z");
    session.ok(&["press", "ControlOrMeta+A", "--selector", "#i"]);
    session.ok(&["press", "Y"]);
    check(&page, "i.value", "Y");
}

#[test]
fn enter_in_a_chat_editor_sends_what_was_filled() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=e contenteditable></div><script>e.onkeydown=v=>{if(v.key=='Enter'&&!v.shiftKey){v.preventDefault();document.title=e.innerText}}</script>",
    );
    fill(&session, "e", "hi");
    session.ok(&["press", "Enter"]);
    check(&page, "document.title", "hi");
}

#[test]
fn appending_keeps_what_is_there() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=i value=abc>");
    let filled = session.ok(&["fill", "#i", "--value", "def", "--no-clear"]);
    check(&page, "i.value", "abcdef");
    assert_eq!(filled["value"], "abcdef");
}

#[test]
fn a_read_only_or_disabled_field_is_refused_and_unchanged() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page =
        session.open_page("<input id=r readonly value=a><input id=d disabled value=b><p id=p>text</p>");
    for (id, reason) in [("r", "element_readonly"), ("d", "element_disabled"), ("p", "not_fillable")] {
        let ran = session.bsk(&["fill", &format!("#{id}"), "--value", "x", "--timeout", "1s"]);
        let ran = if ran.exit_code() == Some(1) && ran.text().contains("usage_invalid") {
            session.bsk(&["fill", &format!("#{id}"), "--value", "x"])
        } else {
            ran
        };
        assert_eq!(ran.failure()["data"]["reason"], reason, "{}", ran.report());
    }
    check(&page, "r.value + d.value + p.textContent", "abtext");
}

#[test]
fn secret_values_are_never_in_an_answer_or_a_log() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=p type=password><input id=n autocomplete=new-password value=T0ken-given><input id=c autocomplete=one-time-code value=918273>",
    );
    let ran = session.bsk(&["fill", "#p", "--value", "S3cret-typed"]);
    assert!(ran.status.success(), "{}", ran.report());
    check(&page, "p.value", "S3cret-typed");
    let observed = session.bsk(&["observe"]);
    let snapshot = session.bsk(&["snapshot"]);
    for text in [ran.text(), observed.text(), snapshot.text(), browser.bsk(&["logs"]).text()] {
        for secret in ["S3cret-typed", "T0ken-given", "918273"] {
            assert!(!text.contains(secret), "`{secret}` in: {text}");
        }
    }
    for file in bsk_tests::workspace::files_below(&browser.state_dir(), "") {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("S3cret-typed"), "the typed secret is in `{}`", file.display());
    }
    assert!(observed.json()["text"].as_str().unwrap().contains("filled"), "{}", observed.text());
}

#[test]
fn a_choice_is_made_by_value_and_told_with_one_change() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<select id=s><option value=10>Ten</option><option value=Ten>Eleven</option><option value=12 disabled>Twelve</option></select><script>window.n=0;s.onchange=()=>{n++;document.title=s.value}</script>",
    );
    let chosen = session.ok(&["select", "#s", "--value", "Ten"]);
    assert_eq!(chosen["selected_labels"], serde_json::json!(["Eleven"]));
    check(&page, "document.title + n", "Ten1");
    session.ok(&["select", "#s", "--label", "Ten"]);
    check(&page, "document.title + n", "102");
    assert_eq!(session.err(&["select", "#s", "--value", "12"])["data"]["reason"], "option_disabled");
    assert_eq!(session.err(&["select", "#s", "--value", "13"])["data"]["reason"], "option_not_found");
    check(&page, "s.value + n", "102");
}

#[test]
fn a_field_that_the_page_draws_anew_counts_by_what_stands_in_its_place() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=i oninput=\"const n=i.cloneNode();n.value=i.value.slice(0,window.most??99);i.replaceWith(n)\">",
    );
    assert_eq!(fill(&session, "i", "hello")["value"], "hello");
    check(&page, "document.querySelector('input').value", "hello");
    page.evaluate("window.most = 2");
    let error = session.err(&["fill", "#i", "--value", "world"]);
    assert_eq!(error["data"]["reason"], "element_replaced", "{error}");
}

#[test]
fn a_secret_field_with_a_mask_is_compared_in_the_page() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        r"<input id=i autocomplete=cc-number><script>i.oninput=()=>i.value=i.value.replace(/\D/g,'').slice(0,16).replace(/(\d{4})(?=\d)/g,'$1 ')</script>",
    );
    let filled = fill(&session, "i", "4111111111111111");
    check(&page, "i.value", "4111 1111 1111 1111");
    assert!(!filled.to_string().contains("4111"), "{filled}");
    let error = session.err(&["fill", "#i", "--value", "41111111111111112"]);
    assert_eq!(error["data"]["reason"], "value_mismatch", "{error}");
    assert!(!error.to_string().contains("4111"), "{error}");
}
