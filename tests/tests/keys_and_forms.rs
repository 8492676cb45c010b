//! Keys and forms: typing key by key, checking, focusing, every kind of field, long texts, chords and choices.
//!
//! The oracle looks through the debugging pipe; what `bsk` says about a field is compared with what the field holds. The
//! scenarios of plain text entry are in `scenarios/text.rs`.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Page, Session, Shared, until};
use serde_json::{Value, json};

static BROWSER: Shared = Shared::new();

#[track_caller]
fn check(page: &Page<'_>, expression: &str, expected: &str) {
    assert_eq!(page.evaluate(expression), expected, "{expression}");
}

/// Fills `#id` with a text that is too long for the command line, by way of a file.
#[track_caller]
fn fill_from_file(session: &Session<'_>, id: &str, text: &str) -> (Value, Duration) {
    let scratch = bsk_tests::Scratch::new();
    let path = scratch.root().join("text");
    std::fs::write(&path, text).unwrap();
    let ran =
        session.bsk(&["fill", &format!("#{id}"), "--value-file", path.to_str().unwrap(), "--timeout", "2m"]);
    assert!(ran.status.success(), "{}", ran.report().chars().take(2000).collect::<String>());
    let elapsed = ran.elapsed;
    (ran.success(), elapsed)
}

/// Notes the keyboard's and the field's events of `#i` in `log`.
const LOG: &str = "<script>window.log=[];for(const k of ['keydown','keypress','input','keyup','change'])i.addEventListener(k,v=>log.push(k+(v.key?':'+v.key:'')+(v.isTrusted?'':'!')+(v.repeat?'*':'')))</script>";

#[test]
fn typing_gives_every_character_its_key_events() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("<input id=i value=old>{LOG}"));
    let typed = session.ok(&["type", "#i", "--value", "aB"]);
    check(&page, "i.value", "oldaB");
    check(&page, "log.join(' ')", "keydown:a keypress:a input keyup:a keydown:B keypress:B input keyup:B");
    assert_eq!((&typed["value"], &typed["value_length"]), (&json!("oldaB"), &json!(5)));
}

#[test]
fn typing_goes_on_at_the_caret_of_the_focused_field() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=i value=ad>");
    session.ok(&["focus", "#i"]);
    page.evaluate("i.setSelectionRange(1,1)");
    session.ok(&["type", "#i", "--value", "bc"]);
    check(&page, "i.value", "abcd");
    page.evaluate("i.select()");
    session.ok(&["type", "#i", "--value", "é中😀 я"]);
    check(&page, "i.value", "é中😀 я");
}

#[test]
fn typing_rests_between_keys_and_shows_suggestions() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session
        .open_page("<input id=i><script>window.t=[];i.onkeydown=()=>t.push(performance.now())</script>");
    session.ok(&["type", "#i", "--value", "abc", "--delay", "80ms"]);
    check(&page, "String(t.length===3 && t[1]-t[0]>=70 && t[2]-t[1]>=70)", "true");
    check(&page, "i.value", "abc");
}

#[test]
fn typing_into_editors_masks_and_secret_fields_is_read_back() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        r"<div id=e contenteditable><p>one</p><p id=p>two</p><p>three</p></div><input id=m><input id=s type=password><input id=x maxlength=3><textarea id=t></textarea><script>m.oninput=()=>m.value=m.value.replace(/\D/g,'').replace(/(\d{3})(?=\d)/,'$1-')</script>",
    );
    session.ok(&["type", "#p", "--value", " more"]);
    check(&page, "p.textContent.replace('\\u00a0', ' ')", "two more");
    assert_eq!(session.ok(&["type", "#m", "--value", "555123"])["value"], "555-123");
    let secret = session.bsk(&["type", "#s", "--value", "S3cret-keys"]);
    assert!(secret.status.success() && !secret.text().contains("S3cret-keys"), "{}", secret.report());
    check(&page, "s.value", "S3cret-keys");
    assert_eq!(session.err(&["type", "#x", "--value", "abcdef"])["data"]["reason"], "value_mismatch");
    session.ok(&["type", "#t", "--value", "a\n\tb"]);
    // Tab leaves the field, as on a keyboard, so what follows it is not in it.
    check(&page, "t.value.split('\\n')[0]", "a");
}

#[test]
fn typing_enter_sends_a_form_and_a_chat() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<form onsubmit=\"document.title=i.value;i.value='';return false\"><input id=i></form><div id=e contenteditable></div><script>e.onkeydown=v=>{if(v.key=='Enter'){v.preventDefault();document.title=e.innerText;e.textContent=''}}</script>",
    );
    session.ok(&["type", "#i", "--value", "sent\n"]);
    check(&page, "document.title", "sent");
    session.ok(&["type", "#e", "--value", "hi\n"]);
    check(&page, "document.title", "hi");
}

#[test]
fn what_cannot_be_typed_into_is_refused_with_the_way_to_go() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let _page = session.open_page("<input id=d type=date><input id=r readonly><p id=p>text</p>");
    let error = session.err(&["type", "#d", "--value", "1"]);
    assert!(error["hint"].as_str().unwrap().contains("bsk fill"), "{error}");
    assert_eq!(session.err(&["type", "#r", "--value", "1"])["data"]["reason"], "element_readonly");
    assert_eq!(session.err(&["type", "#p", "--value", "1"])["data"]["reason"], "not_fillable");
}

#[test]
fn a_checkbox_is_clicked_once_and_not_again_when_it_is_checked() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<label><input id=c type=checkbox> Terms</label><script>window.n=0;c.onclick=v=>{if(v.isTrusted)n++}</script>",
    );
    let done = session.ok(&["check", "#c"]);
    assert_eq!((&done["checked"], &done["clicked"]), (&json!(true), &json!(true)), "{done}");
    let again = session.ok(&["check", "--label", "Terms"]);
    assert_eq!((&again["checked"], &again["clicked"]), (&json!(true), &json!(false)), "{again}");
    check(&page, "c.checked+' '+n", "true 1");
    assert_eq!(session.ok(&["uncheck", "#c"])["checked"], false);
    session.ok(&["uncheck", "#c"]);
    check(&page, "c.checked+' '+n", "false 2");
}

#[test]
fn a_mixed_checkbox_becomes_what_is_asked_for() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=c type=checkbox><script>c.indeterminate=true</script>");
    session.ok(&["check", "#c"]);
    check(&page, "c.checked+' '+c.indeterminate", "true false");
}

#[test]
fn switches_and_menu_items_of_aria_are_checked_by_their_state() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=s role=switch tabindex=0 aria-checked=false>Wifi</div><div role=menu><div id=m role=menuitemcheckbox tabindex=0 aria-checked=false>Grid</div></div><div id=l role=checkbox tabindex=0 aria-checked=false>Late</div>
        <script>for(const x of [s,m])x.onclick=()=>x.setAttribute('aria-checked',x.getAttribute('aria-checked')!='true');l.onclick=()=>setTimeout(()=>l.setAttribute('aria-checked','true'),300)</script>",
    );
    for id in ["s", "m", "l"] {
        assert_eq!(session.ok(&["check", &format!("#{id}")])["checked"], true, "{id}");
        check(&page, &format!("{id}.getAttribute('aria-checked')"), "true");
    }
    session.ok(&["uncheck", "--role", "switch", "--name", "Wifi"]);
    check(&page, "s.getAttribute('aria-checked')", "false");
}

#[test]
fn hidden_inputs_are_checked_through_their_labels_but_never_through_a_link_in_them() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<style>.h{position:absolute;opacity:0;width:0;height:0}.n{display:none}.sw{display:inline-block;width:40px;height:20px;background:gray}</style>
        <input id=a class=n type=checkbox><label for=a>Plain</label>
        <p><label><input id=b class=h type=checkbox> I <a href='#wrong' style='display:inline-block;width:300px'>accept these terms</a></label></p>
        <span class=sw><input id=c class=n type=checkbox></span>
        <label><input id=r class=n type=radio name=g>Red</label><label><input id=q class=n type=radio name=g checked>Green</label>
        <script>document.querySelector('.sw').onclick=()=>c.checked=!c.checked</script>",
    );
    for id in ["a", "b", "c", "r"] {
        let done = session.ok(&["check", &format!("#{id}")]);
        assert_eq!(done["checked"], true, "{id}: {done}");
    }
    check(&page, "[a,b,c,r,q].map(x=>x.checked).join()+location.hash", "true,true,true,true,false");
}

#[test]
fn a_control_in_a_custom_element_is_found_in_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<x-box id=x></x-box><script>customElements.define('x-box',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<input type=checkbox>'}})</script>",
    );
    session.ok(&["check", "#x"]);
    check(&page, "String(x.shadowRoot.firstChild.checked)", "true");
}

#[test]
fn a_state_that_the_page_takes_back_is_an_error() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=c type=checkbox onclick=\"return false\"><input id=l type=checkbox onchange=\"Promise.resolve().then(()=>l.checked=false)\"><input id=r type=radio checked><input id=d type=checkbox disabled><button id=b>B</button>",
    );
    assert_eq!(session.err(&["check", "#c"])["data"]["reason"], "value_mismatch");
    assert_eq!(session.err(&["check", "#l"])["data"]["reason"], "value_mismatch");
    assert_eq!(session.err(&["uncheck", "#r"])["data"]["reason"], "not_checkable");
    assert_eq!(session.err(&["check", "#b"])["data"]["reason"], "not_checkable");
    assert_eq!(session.err(&["check", "#d"])["data"]["reason"], "element_disabled");
    check(&page, "[c,l,r,d].map(x=>x.checked).join()", "false,false,true,false");
}

#[test]
fn the_focus_goes_where_it_was_sent_or_the_command_fails() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=i><button id=b>B</button><p id=p>text</p><label id=l>Name <input id=n></label>",
    );
    for (asked, focused) in [("i", "i"), ("b", "b"), ("l", "n")] {
        session.ok(&["focus", &format!("#{asked}")]);
        check(&page, "document.activeElement.id", focused);
    }
    assert_eq!(session.err(&["focus", "#p"])["data"]["reason"], "not_focusable");
}

#[test]
fn every_type_of_field_takes_its_value() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let fields = [
        ("text", "plain"),
        ("search", "query"),
        ("email", "ada@example.com"),
        ("url", "https://example.com/x"),
        ("tel", "+44 20 1234"),
        ("number", "-12.5"),
        ("password", "pass word"),
        ("week", "2026-W11"),
        ("datetime-local", "2026-03-09T08:05"),
    ];
    let html: String =
        fields.iter().map(|(kind, _)| format!("<input id={kind} type={kind} value=''>")).collect();
    let page = session.open_page(&html);
    for (kind, value) in fields {
        let filled = session.ok(&["fill", &format!("#{kind}"), "--value", value]);
        check(&page, &format!("document.getElementById('{kind}').value"), value);
        assert_eq!(filled["value_length"], value.len(), "{kind}");
        session.ok(&["fill", &format!("#{kind}"), "--value", ""]);
        check(&page, &format!("document.getElementById('{kind}').value"), "");
    }
}

#[test]
fn fields_that_hold_no_text_say_what_to_use() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let _page = session.open_page(
        "<input id=f type=file><input id=c type=checkbox><input id=r type=radio><input id=h type=hidden><input id=s type=submit><select id=l><option>1</select>",
    );
    for (id, hint) in [
        ("f", "bsk upload"),
        ("c", "bsk check"),
        ("r", "bsk check"),
        ("h", "fill the field"),
        ("s", "bsk click"),
        ("l", "bsk select"),
    ] {
        let error = session.err(&["fill", &format!("#{id}"), "--value", "x"]);
        assert_eq!(error["data"]["reason"], "not_fillable", "{error}");
        assert!(error["hint"].as_str().unwrap().contains(hint), "{id}: {error}");
    }
}

#[test]
fn a_text_that_does_not_fit_fails_before_anything_changes() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=i maxlength=5 value=ab><textarea id=t maxlength=4></textarea>");
    let error = session.err(&["fill", "#i", "--value", "abcdef"]);
    assert_eq!(
        (&error["data"]["reason"], &error["data"]["max_length"]),
        (&json!("value_not_accepted"), &json!(5)),
        "{error}"
    );
    assert_eq!(
        session.err(&["fill", "#i", "--value", "cdef", "--no-clear"])["data"]["reason"],
        "value_not_accepted"
    );
    assert_eq!(session.err(&["fill", "#t", "--value", "abcde"])["data"]["reason"], "value_not_accepted");
    check(&page, "i.value+t.value", "ab");
    session.ok(&["fill", "#i", "--value", "cde", "--no-clear"]);
    check(&page, "i.value", "abcde");
}

#[test]
fn emptying_a_field_tells_the_page_and_leaving_it_gives_one_change() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("<input id=i value=abc><input id=j>{LOG}"));
    session.ok(&["fill", "#i", "--value", ""]);
    session.ok(&["focus", "#j"]);
    check(&page, "log.join(' ')", "input change");
    check(&page, "i.value", "");
}

#[test]
fn a_number_and_a_range_refuse_what_they_cannot_hold() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session
        .open_page("<input id=n type=number><input id=r type=range min=0 max=10><input id=c type=color>");
    for (id, value) in [("n", "abc"), ("r", "11"), ("c", "red")] {
        assert_eq!(
            session.err(&["fill", &format!("#{id}"), "--value", value])["data"]["reason"],
            "value_not_accepted",
            "{id}"
        );
    }
    check(&page, "n.value+r.value+c.value", "5#000000");
}

#[test]
fn an_editor_in_a_shadow_root_is_filled() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<p>around</p><x-e id=x></x-e><script>customElements.define('x-e',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<div contenteditable>old <b>x</b></div>'}})</script>",
    );
    session.ok(&["fill", "x-e [contenteditable], [contenteditable]", "--value", "new"]);
    check(&page, "x.shadowRoot.firstChild.innerText", "new");
    session.ok(&["fill", "[contenteditable]", "--value", " more", "--no-clear"]);
    check(&page, "x.shadowRoot.firstChild.innerText.replace(/\\u00a0/g,' ')", "new more");
}

#[test]
fn an_editor_that_draws_itself_anew_on_input_is_filled() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=e contenteditable><p>old</p></div><script>
        // Keeps a text of its own and draws from it, as editors on `beforeinput` do.
        let model='old';const draw=()=>{e.innerHTML='';for(const l of model.split('\\n')){const p=document.createElement('p');p.textContent=l;e.append(p)}};
        e.addEventListener('beforeinput',v=>{v.preventDefault();const all=String(getSelection()).trim()===model.trim();const t=v.data??(v.inputType=='insertParagraph'?'\\n':'');model=(all?'':model)+t;Promise.resolve().then(()=>{draw();getSelection().selectAllChildren(e);getSelection().collapseToEnd()})})</script>",
    );
    let filled = session.ok(&["fill", "#e", "--value", "new"]);
    check(&page, "e.innerText", "new");
    assert_eq!(filled["value"], "new");
}

#[test]
fn long_texts_arrive_whole_in_text_areas_and_editors() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<textarea id=t></textarea><div id=e contenteditable>old</div>");
    let megabyte = "0123456789".repeat(100_000);
    let lines: String = (0..20_000).map(|line| format!("line {line} of  a < b & c\n")).collect();
    for (id, held) in [("t", "t.value"), ("e", "e.innerText")] {
        let (filled, elapsed) = fill_from_file(&session, id, &megabyte);
        eprintln!("1 MB into {id}: {elapsed:?}");
        assert_eq!(filled["value_length"], 1_000_000);
        assert_eq!(page.evaluate(&format!("{held}==='0123456789'.repeat(100000)")), true);
        let (_, elapsed) = fill_from_file(&session, id, &megabyte.repeat(5));
        eprintln!("5 MB into {id}: {elapsed:?}");
        assert_eq!(page.evaluate(&format!("{held}==='0123456789'.repeat(500000)")), true);
        let (_, elapsed) = fill_from_file(&session, id, &lines);
        eprintln!("20,000 lines into {id}: {elapsed:?}");
        let same = format!(
            "{held}.replace(/\\u00a0/g,' ').split(/\\n+/).filter(Boolean).every((l,k)=>l==='line '+k+' of  a < b & c')&&{held}.split(/\\n+/).filter(Boolean).length"
        );
        assert_eq!(page.evaluate(&same), 20_000, "{id}");
        assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    }
}

#[test]
fn an_editor_that_reads_pastes_gets_long_texts_as_one() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=e contenteditable></div><script>e.onpaste=v=>{v.preventDefault();const t=v.clipboardData.getData('text/plain');setTimeout(()=>{e.innerHTML='';for(const l of t.split('\\n')){const p=document.createElement('p');p.textContent=l;e.append(p)}},50)};e.onbeforeinput=v=>v.preventDefault()</script>",
    );
    let text: String = (0..300).map(|line| format!("line {line}\n")).collect();
    fill_from_file(&session, "e", text.trim_end());
    check(&page, "String(e.children.length)+e.lastChild.textContent", "300line 299");
}

#[test]
fn named_keys_reach_the_page_by_their_names() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<body tabindex=0><script>window.k='';onkeydown=v=>{k=[v.key,v.code,v.keyCode,v.location].join();v.preventDefault()}</script>",
    );
    for (name, expected) in [
        ("F2", "F2,F2,113,0"),
        ("F24", "F24,F24,135,0"),
        ("PageDown", "PageDown,PageDown,34,0"),
        ("Numpad7", "7,Numpad7,103,3"),
        ("NumpadEnter", "Enter,NumpadEnter,13,3"),
        ("ShiftRight", "Shift,ShiftRight,16,2"),
        ("ContextMenu", "ContextMenu,ContextMenu,93,0"),
        ("KeyA", "a,KeyA,65,0"),
        ("я", "я,KeyZ,90,0"),
        ("é", "é,,0,0"),
        ("Dead", "Dead,,0,0"),
    ] {
        session.ok(&["press", name]);
        check(&page, "k", expected);
    }
}

#[test]
fn characters_of_any_script_are_typed_by_press() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("<input id=i>{LOG}"));
    for key in ["é", "я", "中", "ß", "Shift+é", "+", "€"] {
        session.ok(&["press", key, "--selector", "#i"]);
    }
    check(&page, "i.value", "éя中ßÉ+€");
    check(&page, "log.slice(0,4).join(' ')", "keydown:é keypress:é input keyup:é");
}

#[test]
fn editing_chords_select_move_and_delete() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=i value='one two three'>");
    let (word, all) = if cfg!(target_os = "macos") { ("Alt", "Meta") } else { ("Control", "Control") };
    session.ok(&["press", "End", "--selector", "#i"]);
    page.evaluate("i.setSelectionRange(13,13)");
    session.ok(&["press", &format!("{word}+Backspace")]);
    check(&page, "i.value", "one two ");
    session.ok(&["press", &format!("{word}+ArrowLeft")]);
    check(&page, "String(i.selectionStart)", "4");
    session.ok(&["press", &format!("{word}+Shift+ArrowLeft")]);
    check(&page, "i.selectionStart+'-'+i.selectionEnd", "0-4");
    session.ok(&["press", &format!("{all}+A")]);
    check(&page, "i.selectionStart+'-'+i.selectionEnd", "0-8");
    session.ok(&["press", "Delete"]);
    check(&page, "i.value", "");
    session.ok(&["press", "ControlOrMeta+Z"]);
    check(&page, "i.value", "one two ");
    for chord in ["Control+C", "Control+V", "Control+X", "Paste"] {
        assert_eq!(session.err(&["press", chord])["data"]["reason"], "argument_not_allowed", "{chord}");
    }
}

#[test]
fn a_key_that_is_held_repeats_and_goes_up() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("<input id=i>{LOG}"));
    session.ok(&["press", "a", "--selector", "#i", "--hold-ms", "700ms"]);
    let value = page.evaluate("i.value").as_str().unwrap().to_owned();
    assert!(value.len() >= 2 && value.len() < 12 && value.bytes().all(|byte| byte == b'a'), "{value}");
    check(&page, "log.filter(x=>x=='keyup:a').length+log.at(-1)", "1keyup:a");
    check(&page, "String(log.filter(x=>x=='keydown:a*').length===i.value.length-1)", "true");
    session.ok(&["press", "Shift", "--selector", "#i", "--hold-ms", "700ms"]);
    check(&page, "String(log.filter(x=>x.startsWith('keydown:Shift')).length)", "1");
}

#[test]
fn a_command_that_is_given_up_lets_its_keys_go() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(&format!("<input id=i>{LOG}"));
    let ran = session.bsk(&[
        "press",
        "Control+ArrowLeft",
        "--selector",
        "#i",
        "--hold-ms",
        "20s",
        "--timeout",
        "1s",
    ]);
    assert_eq!(ran.exit_code(), Some(4), "{}", ran.report());
    until("the keys are up", Duration::from_secs(2), || {
        (page.evaluate("log.filter(x=>x.startsWith('keyup')).join(' ')") == "keyup:ArrowLeft keyup:Control")
            .then_some(())
    });
    session.ok(&["type", "#i", "--value", "ok"]);
    check(&page, "i.value", "ok");
}

#[test]
fn an_unknown_key_is_told_with_those_near_to_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let _page = session.open_page("<p>page</p>");
    let error = session.err(&["press", "Entr"]);
    assert_eq!(error["data"]["reason"], "unknown_key");
    assert!(error["hint"].as_str().unwrap().contains("`Enter`"), "{error}");
}

#[test]
fn options_are_chosen_by_label_index_group_and_several_at_once() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<select id=s><optgroup label=A><option>One<option>Two</optgroup><optgroup label=B disabled><option>Three</optgroup><option value=4>Four</select>
        <select id=m multiple><option>x<option>y<option>z</select>
        <script>window.log='';for(const e of [s,m])for(const k of ['input','change'])e.addEventListener(k,()=>log+=k+';')</script>",
    );
    session.ok(&["select", "#s", "--index", "3"]);
    check(&page, "s.value+log", "4input;change;");
    session.ok(&["select", "#s", "--label", "Two"]);
    check(&page, "s.value", "Two");
    assert_eq!(session.err(&["select", "#s", "--label", "Three"])["data"]["reason"], "option_disabled");
    page.evaluate("log=''");
    let chosen = session.ok(&["select", "#m", "--label", "x", "--label", "z"]);
    assert_eq!(chosen["selected_values"], json!(["x", "z"]));
    check(&page, "log", "input;change;");
    session.ok(&["select", "#m", "--label", "x", "--label", "z"]);
    check(&page, "log", "input;change;");
}

#[test]
fn options_that_come_late_are_waited_for_and_custom_lists_are_explained() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<select id=s><option value=''>Loading</select><div id=c role=combobox tabindex=0 aria-expanded=false>Pick</div>",
    );
    page.evaluate("setTimeout(()=>s.add(new Option('Late','late')),1800)");
    session.ok(&["select", "#s", "--label", "Late"]);
    check(&page, "s.value", "late");
    let error = session.err(&["select", "#c", "--label", "x"]);
    assert_eq!(error["data"]["reason"], "not_a_select");
    assert!(error["hint"].as_str().unwrap().contains("--role option"), "{error}");
}

#[test]
fn fields_of_frames_are_typed_into_and_checked_where_they_are() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<iframe id=f style='transform:scale(.5);transform-origin:0 0' srcdoc=\"<p style='height:900px'>far</p><input aria-label=Inner><label><input type=checkbox> Agree</label>\"></iframe>",
    );
    session.ok(&["type", "--label", "Inner", "--value", "deep"]);
    session.ok(&["check", "--label", "Agree"]);
    check(
        &page,
        "[...f.contentDocument.querySelectorAll('input')].map(x=>x.type=='checkbox'?x.checked:x.value).join()",
        "deep,true",
    );
    session.ok(&["press", "x", "--label", "Inner"]);
    check(&page, "f.contentDocument.querySelector('input').value", "deepx");
}

#[test]
fn a_check_that_leads_to_another_page_says_so() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let _page = session.open_page(
        "<form action='/nowhere'><input id=c type=checkbox onchange=\"this.form.submit()\"></form>",
    );
    let done = session.ok(&["check", "#c"]);
    assert!(done["effects"]["navigated_to"].as_str().unwrap().contains("/nowhere"), "{done}");
}

#[test]
fn a_page_that_answers_a_check_with_a_dialog_is_told_with_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<input id=c type=checkbox onclick=\"alert('sure')\">");
    let ran = session.bsk(&["check", "#c"]);
    assert_eq!(ran.exit_code(), Some(6), "{}", ran.report());
    session.ok(&["dialog", "accept"]);
    check(&page, "String(c.checked)", "true");
}

#[test]
fn a_controlled_checkbox_of_a_framework_keeps_its_state() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=r></div><script>let on=false;const draw=()=>{r.innerHTML='<input id=c type=checkbox '+(on?'checked':'')+'>';c.onclick=v=>{on=!on;setTimeout(draw)}};draw()</script>",
    );
    session.ok(&["check", "#c"]);
    check(&page, "String(c.checked)", "true");
    session.ok(&["uncheck", "#c"]);
    check(&page, "String(c.checked)", "false");
}

#[test]
fn an_options_ref_means_its_select() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<select id=s size=3><option>One<option>Two</select>");
    session.ok(&["select", "#s option", "--label", "Two"]);
    check(&page, "s.value", "Two");
}

#[test]
fn a_text_from_standard_input_or_a_missing_file_is_clear() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page("<textarea id=t></textarea>");
    let (filled, _) = fill_from_file(&session, "t", "from a file\r\nwith two lines");
    assert_eq!(filled["value"], "from a file\nwith two lines");
    let error = session.err(&["type", "#t", "--value-file", "/nowhere/text"]);
    assert_eq!(error["data"]["reason"], "file_not_readable");
    check(&page, "t.value", "from a file\nwith two lines");
}

#[test]
fn long_texts_fit_every_kind_of_editor() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=a contenteditable>old</div><div id=p contenteditable=plaintext-only>old</div><div id=w contenteditable style='white-space:pre-wrap'><p>old</p></div><div id=l contenteditable><ul><li>old</ul></div>",
    );
    let text: String = (0..300)
        .map(|line| if line % 7 == 3 { "\n".to_owned() } else { format!("  {line}\t<b> &amp;\n") })
        .collect();
    let text = text.trim_end();
    let held = |id: &str| {
        let lines = format!(
            "JSON.stringify({id}.innerText.replace(/[\\u00a0\\t]/g,' ').split(/\\n+/).filter(l=>l.trim()))"
        );
        page.evaluate(&lines).as_str().unwrap().to_owned()
    };
    let lines: Vec<String> =
        text.split('\n').filter(|line| !line.is_empty()).map(|line| line.replace('\t', " ")).collect();
    let expected = serde_json::to_string(&lines).unwrap();
    for id in ["a", "p", "w", "l"] {
        let (_, elapsed) = fill_from_file(&session, id, text);
        assert_eq!(held(id), expected, "{id}");
        assert!(elapsed < Duration::from_secs(5), "{id}: {elapsed:?}");
    }
    page.evaluate("a.textContent='old'");
    let scratch = bsk_tests::Scratch::new();
    let path = scratch.root().join("text");
    std::fs::write(&path, text).unwrap();
    session.ok(&["fill", "#a", "--value-file", path.to_str().unwrap(), "--no-clear"]);
    check(&page, "a.innerText.split('\\n')[0].replace(/\\s+/g,' ')", "old 0 <b> &amp;");
    // One step undoes all of it.
    session.ok(&["press", "ControlOrMeta+Z"]);
    check(&page, "a.innerText.trim()", "old");
}
