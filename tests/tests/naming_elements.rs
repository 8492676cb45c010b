//! Elements by what people say of them: role, name, text, label, placeholder, test id.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Session, Shared};
use serde_json::Value;

static BROWSER: Shared = Shared::new();

#[track_caller]
fn candidates(error: &Value) -> Vec<String> {
    let all = error["data"]["candidates"].as_array().unwrap_or_else(|| panic!("no candidates in {error}"));
    all.iter().map(|one| one["ref"].as_str().unwrap().to_owned()).collect()
}

/// What the page's own log of clicks says.
#[track_caller]
fn title(session: &Session<'_>) -> String {
    session.ok(&["evaluate", "document.title"])["value"].as_str().unwrap().to_owned()
}

const ROWS: &str = "<table><tr><td>Ann<td><button onclick=\"document.title='Ann'\">Edit</button><tr><td>Bob<td><button onclick=\"document.title='Bob'\">Edit</button>\
    <tr><td>Cy<td><button onclick=\"document.title='Cy'\">Edit</button></table><p>Edit the rows</p>";

#[test]
fn several_elements_of_a_name_are_listed_and_none_is_chosen() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(ROWS);
    let error = session.err(&["click", "--role", "button", "--name", "Edit"]);
    assert_eq!(error["data"]["reason"], "element_ambiguous", "{error}");
    assert_eq!(error["exit_code"], 1);
    let refs = candidates(&error);
    assert_eq!(refs.len(), 3, "{error}");
    let message = error["message"].as_str().unwrap();
    for (handle, row) in refs.iter().zip(["Ann", "Bob", "Cy"]) {
        assert!(message.contains(handle) && message.contains(row), "{message}");
    }
    assert_eq!(title(&session), "");
    let observed = session.observe();
    assert!(observed.contains(&format!("{} button \"Edit\" in \"Bob\"", refs[1])), "{observed}");
    session.ok(&["click", &refs[2]]);
    assert_eq!(title(&session), "Cy");
    let clicked = session.ok(&["click", "--role", "button", "--name", "edit", "--nth", "1"]);
    assert_eq!(clicked["used_ref"], refs[1].as_str(), "{clicked}");
    assert_eq!(title(&session), "Bob");
}

#[test]
fn each_way_of_naming_finds_its_element() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<label>Your name <input id=n></label><label for=m>Mail</label><input id=m placeholder='ann@mail.test'>\
         <button data-testid=save-all>Save all</button><button>Save</button><a href=#x>Read <b>more</b></a><img alt=Cat onclick=\"document.title='cat'\">\
         <div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML = '<button>Shadow</button>'</script>",
    );
    let ways: &[(&[&str], &str, &str)] = &[
        (&["--label", "your name"], "textbox", "Your name"),
        (&["--placeholder", "ann@"], "textbox", "Mail"),
        (&["--test-id", "save-all"], "button", "Save all"),
        (&["--name", "Save"], "button", "Save"),
        (&["--role", "image"], "img", "Cat"),
        (&["--text", "Shadow"], "button", "Shadow"),
        (&["--role", "link"], "link", "Read more"),
    ];
    for (flags, role, name) in ways {
        let done = session.ok(&[&["hover"], *flags].concat());
        assert_eq!(
            (done["role"].as_str(), done["name"].as_str()),
            (Some(*role), Some(*name)),
            "{flags:?}: {done}"
        );
    }
    session.ok(&["fill", "--label", "Mail", "--value", "bob@mail.test"]);
    assert_eq!(session.ok(&["evaluate", "m.value"])["value"], "bob@mail.test");
}

#[test]
fn the_one_button_among_a_hundred_thousand_elements_is_found_by_name() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<main id=m></main><button onclick=\"document.title='clicked'\">Finish</button><script>m.innerHTML='<div><span>r</span><a href=#>x</a></div>'.repeat(33000)</script>",
    );
    session.ok(&["click", "--name", "Finish"]);
    assert_eq!(title(&session), "clicked");
}

#[test]
fn an_element_in_a_frame_of_another_site_is_found_and_one_that_is_not_there_yet_is_waited_for() {
    let browser = BROWSER.browser();
    let session = browser.session();
    let inner = browser.pages().html("<button onclick=\"parent.postMessage('inner','*')\">Deep pay</button>");
    let inner = inner.replace("127.0.0.1", "other.localhost");
    let page = session.open_page(&format!(
        "<p id=o>-</p><iframe src='{inner}'></iframe><script>onmessage = e => o.textContent = e.data</script>"
    ));
    session.ok(&["click", "--role", "button", "--name", "Deep pay"]);
    bsk_tests::until("the frame's message", Duration::from_secs(5), || {
        (page.evaluate("o.textContent") == "inner").then_some(())
    });
    let waiting = session.start_bsk(&["click", "--name", "Late"]);
    page.run_soon("const b = document.createElement('button'); b.textContent = 'Late'; b.onclick = () => { document.title = 'late' }; document.body.append(b)");
    let clicked = waiting.finish().success();
    assert_eq!(clicked["name"], "Late", "{clicked}");
    assert_eq!(title(&session), "late");
}

#[test]
fn what_is_nowhere_is_refused_with_what_comes_near() {
    let browser = BROWSER.browser();
    let session = browser.session();
    session.open(
        "<button>Save draft</button><button>Send</button><button style='display: none'>Publish</button>",
    );
    let error = session.err(&["click", "--role", "button", "--name", "Save letter", "--timeout", "2s"]);
    assert_eq!(error["data"]["reason"], "element_not_found", "{error}");
    assert!(error["message"].as_str().unwrap().contains("button \"Save draft\""), "{error}");
    let hidden = session.err(&["click", "--name", "Publish", "--timeout", "2s"]);
    assert_eq!(hidden["data"]["reason"], "element_not_found", "{hidden}");
}

#[test]
fn elements_named_in_two_ways_or_not_at_all_are_refused_before_anything_happens() {
    let browser = BROWSER.browser();
    let session = browser.session();
    for args in [
        &["click", "@e1", "--name", "x"][..],
        &["click", "--selector", "a", "--text", "x"],
        &["click", "--nth", "1"],
        &["click", "--name", " "],
        &["click"],
    ] {
        let error = session.err(args);
        assert_eq!(
            (error["exit_code"].as_u64(), error["data"]["reason"].as_str()),
            (Some(1), Some("usage_invalid")),
            "{args:?}: {error}"
        );
    }
}
