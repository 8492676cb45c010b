//! What each kind of thing on a page looks like in an observation: many small pages, exact answers.
//!
//! Where observing.rs shows what an observation is, these pages are the odd ones: what a person sees on them is not what a
//! first look at the markup suggests.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use bsk_tests::{Session, Shared};

static BROWSER: Shared = Shared::new();

/// The lines below the header, refs replaced by `@`, indentation by one dot a level.
fn lines(text: &str) -> Vec<String> {
    let outlined = |line: &str| {
        let bare = line.trim_start_matches(' ');
        let bare = match bare.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((_, node)) => format!("@ {node}"),
            None => bare.to_owned(),
        };
        (line.len() - line.trim_start_matches(' ').len(), bare)
    };
    let lines: Vec<(usize, String)> = text.lines().skip(1).map(outlined).collect();
    let step = lines.iter().map(|line| line.0).filter(|&indent| indent > 0).min().unwrap_or(1);
    lines.into_iter().map(|(indent, line)| format!("{}{line}", ".".repeat(indent / step))).collect()
}

#[track_caller]
fn check(session: &Session<'_>, html: &str, expected: &[&str]) {
    session.open(html);
    let text = session.observe();
    assert_eq!(lines(&text), expected, "{text}");
}

#[test]
fn cells_stay_in_their_columns() {
    let browser = BROWSER.browser();
    let session = browser.session();
    check(
        &session,
        "<table><tr><th>A<th>B<th>C<tr><td>1<td><td>3<tr><td><td><td><tr><td><td><td>x</table>",
        &["table", ".row: A | B | C", ".row: 1 |  | 3", ".row:  |  | x"],
    );
    check(
        &session,
        "<table><tr><td rowspan=3>a<td colspan=2>b<td rowspan=2>c<tr><td>d<td>e<tr><td rowspan=2 colspan=2>f<td>g<tr><td>h<td>i</table>",
        &["table", ".row: a | b |  | c", ".row:  | d | e", ".row:  | f |  | g", ".row: h |  |  | i"],
    );
    check(
        &session,
        "<table role=grid><tr><td><td tabindex=0>1</table><table><tr><td><td></table>",
        &["grid", ".row", "..@ gridcell \"1\""],
    );
}

#[test]
fn letters_are_seen_by_what_paints_them() {
    let browser = BROWSER.browser();
    let session = browser.session();
    check(
        &session,
        "<h1 style='background:linear-gradient(red,blue);background-clip:text;color:transparent'><span>Gradient</span></h1>\
         <p style='-webkit-text-fill-color:transparent'>no fill</p><p style='color:color-mix(in srgb, red, transparent 100%)'>mixed away</p>\
         <p style='color:oklch(0 0 0 / 0)'>no alpha</p><p style='color:rgb(9,9,0)'>dark</p><p style='color:transparent;-webkit-text-fill-color:red'>red</p>",
        &["heading \"Gradient\" [level=1]", "text: dark", "text: red"],
    );
    check(
        &session,
        "<h1 style='text-indent:-9999px;background-image:url(/logo.png)'>Logo</h1><p style='text-indent:-9999px'>pushed out</p>\
         <p style='text-indent:100%;white-space:nowrap;overflow:hidden'>pushed on</p><p style='text-indent:-2em;padding-left:2em'>hanging</p>",
        &["heading \"Logo\" [level=1]", "text: hanging"],
    );
    check(
        &session,
        "<div id=h>slotted</div><script>h.attachShadow({mode:'open'}).innerHTML='<div style=\"opacity:0\"><slot></slot></div>seen'</script>",
        &["text: seen"],
    );
}
