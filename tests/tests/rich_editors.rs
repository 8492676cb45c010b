//! Editors that keep a document of their own: what they hold, not what the page shows, is what was asked for.
//!
//! Each page behaves as a kind of editor does: it draws itself anew from its own model, hears of the selection late, draws only a
//! part of its text, or takes its input through a field that nobody sees.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Page, Session, Shared};
use serde_json::Value;

static BROWSER: Shared = Shared::new();

/// Cancels all input and writes its own lines; undoes what others change; hears of the selection only after a while, loses all but
/// the first line of a text at a mere caret, and takes pastes where it last heard that the selection is.
const MODEL: &str = r"<style>#e{white-space:pre-wrap}p{margin:1em 0}</style><div id=e contenteditable></div><script>
let lines=['old one','old two'],sel=null;
const draw=()=>{watch.disconnect();e.replaceChildren(...lines.map(t=>{const p=document.createElement('p');p.append(t===''?document.createElement('br'):t);return p}));watch.observe(e,{subtree:true,childList:true,characterData:true})};
const watch=new MutationObserver(()=>draw());
const point=(node,offset)=>{if(node===e)return offset>=lines.length?[lines.length-1,lines.at(-1).length]:[offset,0];const p=(node.nodeType===3?node.parentNode:node);const i=[...e.children].indexOf(p);return[i,node.nodeType===3?offset:offset===0?0:lines[i].length]};
const read=()=>{const s=getSelection();if(!s.rangeCount||!e.contains(s.anchorNode))return;const r=s.getRangeAt(0);sel=[point(r.startContainer,r.startOffset),point(r.endContainer,r.endOffset)]};
let late=0;document.addEventListener('selectionchange',()=>{clearTimeout(late);late=setTimeout(read,100)});
const put=text=>{const[[a,b],[c,d]]=sel;const whole=lines[a].slice(0,b)+text+lines[c].slice(d);lines.splice(a,c-a+1,...whole.split('\n'));draw();const n=text.split('\n'),i=a+n.length-1,at=(n.length>1?0:b)+n.at(-1).length;sel=[[i,at],[i,at]];const p=e.children[i];getSelection().collapse(p.firstChild.nodeType===3?p.firstChild:p,p.firstChild.nodeType===3?at:0)};
e.onkeydown=v=>{if(v.key!=='Delete'&&v.key!=='Backspace')return;v.preventDefault();read();if(String(sel[0])===String(sel[1])&&v.key==='Backspace')sel[0]=[sel[0][0],Math.max(0,sel[0][1]-1)];put('')};
e.onbeforeinput=v=>{v.preventDefault();read();const isCaret=String(sel[0])===String(sel[1]);
 if(v.inputType==='insertParagraph'||v.inputType==='insertLineBreak')put('\n');
 else if(v.inputType==='insertText')put(isCaret?v.data.split('\n')[0]:v.data)};
e.onpaste=v=>{v.preventDefault();put(v.clipboardData.getData('text/plain'))};
draw();const model=()=>lines.join('\n');</script>";

/// Draws the first lines only, and gives the whole to a copy. `LIMIT` is how many lines it keeps.
const PARTLY_DRAWN: &str = r"<div id=e contenteditable style='white-space:pre'></div><script>
let lines=['old'];const draw=()=>e.replaceChildren(...lines.slice(0,10).map(t=>{const d=document.createElement('div');d.append(t===''?document.createElement('br'):t);return d}));
const put=t=>{lines=t.split('\n').slice(0,LIMIT);draw()};
e.onbeforeinput=v=>{v.preventDefault();put(v.data??'')};e.onpaste=v=>{v.preventDefault();put(v.clipboardData.getData('text/plain'))};
e.oncopy=v=>{v.preventDefault();v.clipboardData.setData('text/plain',model())};draw();const model=()=>lines.join('\n');</script>";

/// Takes its input through a text area that is clipped away, empties it at once, and draws the text elsewhere.
const HIDDEN_INPUT: &str = r"<div style='overflow:hidden;position:relative;width:3px;height:0'><textarea id=e style='position:absolute;width:1000px;height:1em'></textarea></div><pre id=shown></pre><script>
let text='old one\nold two',from=3,to=3;const draw=()=>{shown.textContent=text;e.value=text.slice(from,to);e.select()};
const put=t=>{if(window.isLocked)return draw();text=text.slice(0,from)+t+text.slice(to);from=to=from+t.length;draw()};
let typed=0;const take=()=>{if(!typed)return;clearTimeout(typed);typed=0;put(e.value)};
e.onkeydown=v=>{take();const c=v.ctrlKey||v.metaKey;if(c&&v.key.toLowerCase()==='a'){from=0;to=text.length}else if(c&&v.key==='End'){from=to=text.length}
 else if(v.key==='Home'){from=to=text.lastIndexOf('\n',from-1)+1}else if(v.key==='Delete'){v.preventDefault();return put('')}else return;v.preventDefault();draw()};
e.oninput=()=>{typed=setTimeout(take,30)};draw();const model=()=>text;</script>";

/// Has an edit context and no editable element at all.
const EDIT_CONTEXT: &str = r"<div id=e tabindex=0></div><pre id=shown></pre><script>
let text='old one\nold two',from=3,to=3;const context=new EditContext();e.editContext=context;
const draw=()=>{shown.textContent=text;context.updateText(0,context.text.length,text);context.updateSelection(from,to)};
const put=t=>{text=text.slice(0,from)+t+text.slice(to);from=to=from+t.length;draw()};
context.addEventListener('textupdate',v=>put(v.text));
e.addEventListener('keydown',v=>{const c=v.ctrlKey||v.metaKey;if(c&&v.key.toLowerCase()==='a'){from=0;to=text.length}else if(c&&v.key==='End'){from=to=text.length}
 else if(v.key==='Home'){from=to=text.lastIndexOf('\n',from-1)+1}else if(v.key==='Delete'){v.preventDefault();return put('')}else if(v.key==='Enter'){v.preventDefault();return put('\n')}else return;v.preventDefault();draw()});
e.addEventListener('copy',v=>{v.preventDefault();v.clipboardData.setData('text/plain',text.slice(from,to))});draw();const model=()=>text;</script>";

#[track_caller]
fn holds(page: &Page<'_>, expected: &str) {
    assert_eq!(page.evaluate("model()"), expected);
}

#[track_caller]
fn fill(session: &Session<'_>, value: &str) -> Value {
    session.ok(&["fill", "#e", "--value", value])
}

/// Everything that `fill` does with an editor, against what the editor itself holds.
#[track_caller]
fn fills(html: &str) {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(html);
    for text in ["new", "one\ntwo", "a\n\nb", "", "from empty", "", "two lines\nfrom empty", "  <b> &amp;"] {
        let filled = fill(&session, text);
        holds(&page, text);
        assert_eq!(filled["value"], text, "{filled}");
    }
    fill(&session, "ab");
    session.ok(&["fill", "#e", "--value", "c", "--no-clear"]);
    holds(&page, "abc");
    session.ok(&["fill", "#e", "--value", "d\ne", "--no-clear"]);
    holds(&page, "abcd\ne");
    let long = (0..120).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    fill(&session, &long);
    holds(&page, &long);
    fill(&session, "end");
    holds(&page, "end");
}

#[test]
fn an_editor_with_a_document_of_its_own_holds_what_was_filled_in() {
    fills(MODEL);
}

#[test]
fn an_editor_behind_a_hidden_input_holds_what_was_filled_in() {
    fills(HIDDEN_INPUT);
}

#[test]
fn an_editor_with_an_edit_context_holds_what_was_filled_in() {
    fills(EDIT_CONTEXT);
}

#[test]
fn typing_goes_on_at_the_caret_of_every_kind_of_editor() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for html in [MODEL, HIDDEN_INPUT, EDIT_CONTEXT] {
        let page = session.open_page(html);
        fill(&session, "abc");
        if html != MODEL {
            session.ok(&["press", "Home", "--selector", "#e"]);
        }
        let typed = session.ok(&["type", "#e", "--value", "xy"]);
        let expected = if html == MODEL { "abcxy" } else { "xyabc" };
        bsk_tests::until("the keys are taken over", Duration::from_secs(3), || {
            (page.evaluate("model()") == expected).then_some(())
        });
        assert_eq!(typed["value"].is_null(), html != MODEL, "only what can be read is told: {typed}");
    }
}

#[test]
fn a_locked_editor_behind_a_hidden_input_is_no_success() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(HIDDEN_INPUT);
    page.evaluate("window.isLocked = true");
    let error = session.err(&["fill", "#e", "--value", "new"]);
    assert_eq!(error["data"]["reason"], "value_mismatch", "{error}");
    assert_eq!(error["data"]["value"], "old one\nold two", "{error}");
    holds(&page, "old one\nold two");
}

#[test]
fn an_editor_that_draws_a_part_of_its_text_is_asked_for_all_of_it() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let long = (0..120).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    let page = session.open_page(&PARTLY_DRAWN.replace("LIMIT", "1e9"));
    assert_eq!(fill(&session, &long)["value"], long.as_str());
    holds(&page, &long);
    session.open(&PARTLY_DRAWN.replace("LIMIT", "100"));
    let error = session.err(&["fill", "#e", "--value", &long]);
    assert_eq!(error["data"]["reason"], "value_mismatch", "{error}");
}

#[test]
fn an_editor_that_drops_line_breaks_is_no_success() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<div id=e contenteditable></div><script>e.onbeforeinput=v=>{v.preventDefault();e.textContent=(v.data??'').replaceAll('\\n',' ')}</script>",
    );
    let error = session.err(&["fill", "#e", "--value", "one\ntwo"]);
    assert_eq!(error["data"]["reason"], "value_mismatch", "{error}");
    assert_eq!(error["data"]["value"], "one two", "{error}");
}

#[test]
fn an_editor_that_cancels_the_older_event_of_typing_is_not_waited_for() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=e contenteditable></div><script>e.addEventListener('textInput',v=>{v.preventDefault();setTimeout(()=>e.textContent=v.data,20)});const model=()=>e.textContent</script>",
    );
    let ran = session.bsk(&["fill", "#e", "--value", "new"]);
    assert_eq!(ran.success()["value"], "new");
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    holds(&page, "new");
}

#[test]
fn a_placeholder_and_line_numbers_are_no_text_of_an_editor() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<div id=e contenteditable><div contenteditable=false>12</div><p>old</p><span contenteditable=false style='pointer-events:none'>Write here</span></div><script>const model=()=>e.querySelector('p').textContent</script>",
    );
    let filled = session.ok(&["fill", "#e", "--value", " more", "--no-clear"]);
    assert!(!filled["value"].as_str().unwrap().contains("12"), "{filled}");
    assert!(!filled["value"].as_str().unwrap().contains("Write"), "{filled}");
    assert!(page.evaluate("e.innerText").as_str().unwrap().contains("more"));
}
