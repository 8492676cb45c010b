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
