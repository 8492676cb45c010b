//! The small pages with exact answers, 1 to 29: each in front, behind another tab, behind another window and minimised, and where
//! geometry matters at 125 % zoom as well. One test a scenario: its page and its oracle; the variants are in `bsk_tests::everywhere`.
//!
//! All share one browser. `BSK_TEST_HEADED=1 xvfb-run -a cargo test -p bsk-tests --test scenarios` shows its windows.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

mod going;
mod pointing;
mod text;

use bsk_tests::{Page, Shared, Stage, Zoom};

static BROWSER: Shared = Shared::new();

/// Plays a scenario everywhere.
#[track_caller]
fn everywhere(zooms: &[Zoom], scenario: impl Fn(&Stage<'_>)) {
    bsk_tests::everywhere(&BROWSER.browser(), zooms, scenario);
}

/// What the oracle sees in the page.
#[track_caller]
fn check(page: &Page<'_>, expression: &str, expected: &str) {
    assert_eq!(page.evaluate(expression), expected, "{expression}");
}
