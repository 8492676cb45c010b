//! Entering text, besides the scenarios (`scenarios/text.rs`): adding to a field, fields that take nothing, secrets.
//!
//! The oracle looks through the debugging pipe; what `bsk` says about a field is compared with what the field holds.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use bsk_tests::{Page, Shared};

static BROWSER: Shared = Shared::new();

#[track_caller]
fn check(page: &Page<'_>, expression: &str, expected: &str) {
    assert_eq!(page.evaluate(expression), expected, "{expression}");
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
fn a_field_that_the_page_draws_anew_counts_by_what_stands_in_its_place() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let page = session.open_page(
        "<input id=i oninput=\"const n=i.cloneNode();n.value=i.value.slice(0,window.most??99);i.replaceWith(n)\">",
    );
    assert_eq!(session.ok(&["fill", "#i", "--value", "hello"])["value"], "hello");
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
    let filled = session.ok(&["fill", "#i", "--value", "4111111111111111"]);
    check(&page, "i.value", "4111 1111 1111 1111");
    assert!(!filled.to_string().contains("4111"), "{filled}");
    let error = session.err(&["fill", "#i", "--value", "41111111111111112"]);
    assert_eq!(error["data"]["reason"], "value_mismatch", "{error}");
    assert!(!error.to_string().contains("4111"), "{error}");
}
