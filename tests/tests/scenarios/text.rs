//! Text entry: scenarios 1 to 12.

use std::time::Duration;

use bsk_tests::{Scratch, Stage};

use super::check;

pub(crate) fn filling_an_editor_replaces_all_of_it(on: &Stage<'_>) {
    let page = on.page(
        "<div id=e contenteditable>old <b>text</b></div><pre id=o></pre><script>e.oninput=v=>o.textContent+=v.inputType+';'</script>",
    );
    on.ok(&["fill", "#e", "--value", "new"]);
    check(&page, "e.innerText", "new");
    assert_eq!(page.evaluate("o.textContent.includes('insertText')"), true);
    assert_eq!(page.evaluate("e.querySelector('b') === null"), true);
}

pub(crate) fn two_lines_in_an_editor_have_one_newline_between_them(on: &Stage<'_>) {
    let page = on.page("<div id=e contenteditable></div>");
    on.ok(&["fill", "#e", "--value", "a\nb"]);
    check(&page, "e.innerText.trimEnd()", "a\nb");
}

pub(crate) fn a_child_of_an_editor_is_refused_before_any_change(on: &Stage<'_>) {
    let page = on.page("<div id=e contenteditable><p id=c>x</p><p>y</p></div>");
    let before = page.evaluate("e.innerHTML");
    assert_eq!(on.err(&["fill", "#c", "--value", "new"])["data"]["reason"], "not_fillable");
    assert_eq!(page.evaluate("e.innerHTML"), before);
}

pub(crate) fn a_framework_that_tracks_the_value_sees_the_change(on: &Stage<'_>) {
    let page = on.page(
        "<input id=i value=a><p id=o>a</p><script>{const d=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let s='a';Object.defineProperty(i,'value',{get(){return d.get.call(this)},set(v){s=v;d.set.call(this,v)}});i.oninput=()=>{const v=d.get.call(i);if(v!==s){s=v;o.textContent=v}}}</script>",
    );
    assert_eq!(on.ok(&["fill", "#i", "--value", "zed"])["value"], "zed");
    check(&page, "o.textContent", "zed");
}

pub(crate) fn a_masking_field_keeps_its_mask_and_the_reply_says_what_it_holds(on: &Stage<'_>) {
    let page = on.page(
        r"<input id=i><script>i.oninput=()=>i.value=i.value.replace(/\D/g,'').replace(/(\d{3})(?=\d)/,'$1-')</script>",
    );
    let filled = on.ok(&["fill", "#i", "--value", "555123"]);
    check(&page, "i.value", "555-123");
    assert_eq!((&filled["value"], &filled["value_length"]), (&"555-123".into(), &7.into()));
}

pub(crate) fn the_date_family_takes_its_values_with_both_events_and_refuses_another_form(on: &Stage<'_>) {
    let page = on.page(
        "<input id=d type=date><input id=t type=time><input id=m type=month><input id=r type=range min=0 max=10 step=2><input id=c type=color>
        <script>window.log={};for(const i of document.querySelectorAll('input'))for(const k of ['input','change'])i.addEventListener(k,()=>log[i.id]=(log[i.id]||'')+k+';')</script>",
    );
    let error = on.err(&["fill", "#d", "--value", "03/09/2026"]);
    assert_eq!(error["data"]["reason"], "value_not_accepted", "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("20")), "it shows the form: {error}");
    check(&page, "d.value", "");
    for (id, value, held) in [
        ("d", "2026-03-09", "2026-03-09"),
        ("t", "08:05", "08:05"),
        ("m", "2026-03", "2026-03"),
        ("r", "7", "8"),
        ("c", "#FF0000", "#ff0000"),
    ] {
        assert_eq!(on.ok(&["fill", &format!("#{id}"), "--value", value])["value"], held, "{id}");
        check(&page, &format!("{id}.value"), held);
        check(&page, &format!("log.{id}"), "input;change;");
    }
}

pub(crate) fn unicode_arrives_as_it_was_given(on: &Stage<'_>) {
    let page = on.page("<textarea id=t></textarea>");
    let filled = on.ok(&["fill", "#t", "--value", "é😀中\nline2"]);
    check(&page, "t.value", "é😀中\nline2");
    assert_eq!((&page.evaluate("t.value.length"), &filled["value_length"]), (&10.into(), &10.into()));
}

pub(crate) fn two_hundred_thousand_characters_arrive_whole_and_soon(on: &Stage<'_>) {
    let scratch = Scratch::new();
    let file = scratch.root().join("text");
    std::fs::write(&file, "0123456789".repeat(20_000)).unwrap();
    let page = on.page("<textarea id=t></textarea>");
    let ran = on.session.bsk(&["fill", "#t", "--value-file", file.to_str().unwrap()]);
    assert_eq!(ran.exit_code(), Some(0), "{}", ran.complaint());
    assert!(ran.elapsed < Duration::from_secs(2), "{:?}", ran.elapsed);
    assert_eq!(page.evaluate("t.value === '0123456789'.repeat(20000)"), true);
}

pub(crate) fn enter_submits_a_form_and_adds_a_line_in_a_text_area(on: &Stage<'_>) {
    let page = on.page(
        "<form onsubmit=\"o.textContent='sent';return false\"><input id=i></form><p id=o>-</p><textarea id=t></textarea>",
    );
    on.ok(&["press", "Enter", "--selector", "#i"]);
    check(&page, "o.textContent", "sent");
    on.ok(&["press", "Enter", "--selector", "#t"]);
    check(&page, "t.value", "\n");
}

pub(crate) fn select_all_and_a_letter_replace_the_text(on: &Stage<'_>) {
    let page = on.page("<input id=i value=abc>");
    let pressed = on.ok(&["press", "A", "--modifiers", "ControlOrMeta", "--selector", "#i"]);
    assert_eq!(pressed["code"], "KeyA", "{pressed}");
    on.ok(&["type", "#i", "--value", "Z"]);
    check(&page, "i.value", "Z");
    on.ok(&["press", "ControlOrMeta+A", "--selector", "#i"]);
    on.ok(&["press", "Y"]);
    check(&page, "i.value", "Y");
}

pub(crate) fn enter_in_a_chat_editor_sends_what_was_filled(on: &Stage<'_>) {
    let page = on.page(
        "<div id=e contenteditable></div><script>e.onkeydown=v=>{if(v.key=='Enter'&&!v.shiftKey){v.preventDefault();document.title=e.innerText}}</script>",
    );
    on.ok(&["fill", "#e", "--value", "hi"]);
    on.ok(&["press", "Enter"]);
    check(&page, "document.title", "hi");
}

pub(crate) fn an_option_is_chosen_by_label_or_by_value_with_one_change(on: &Stage<'_>) {
    let page = on.page(
        "<select id=s><option value=10>Ten</option><option value=Ten>Eleven</option><option value=12 disabled>Twelve</option></select><script>window.n=0;s.onchange=()=>{n++;document.title=s.value}</script>",
    );
    let chosen = on.ok(&["select", "#s", "--value", "Ten"]);
    assert_eq!(chosen["selected_labels"], serde_json::json!(["Eleven"]));
    check(&page, "document.title + n", "Ten1");
    on.ok(&["select", "#s", "--label", "Ten"]);
    check(&page, "document.title + n", "102");
    for twelve in [["--label", "Twelve"], ["--value", "12"]] {
        let error = on.err(&["select", "#s", twelve[0], twelve[1]]);
        assert_eq!(error["data"]["reason"], "option_disabled", "{error}");
    }
    check(&page, "s.value + n", "102");
}
