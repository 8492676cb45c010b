//! The pages of the extension as people see them: nothing is cut off, everything can be read, reached and has a name, in
//! both languages, light, dark, in forced colours and at twice the size. With `BSK_UPDATE_DOCS=1` the pictures of
//! docs/interface.md are written.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs;

use bsk_tests::{Face, Faces, NOW_MS, View, workspace};
use serde_json::{Value, json};

const LANGUAGES: [&str; 2] = ["en-US", "zh-CN"];

const POPUP: (u32, u32) = (340, 600);
const OPTIONS: (u32, u32) = (700, 800);
/// What is left of the consent window below its title bar.
const CONSENT: (u32, u32) = (460, 500);

/// The same of the help window.
const HELP: (u32, u32) = (400, 560);

/// Which pictures of a page are in the documents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pictures {
    None,
    /// In English, light.
    One,
    /// In English, light, and in Chinese, dark.
    Both,
}

/// A page with contents, under a name for messages and files.
struct Case {
    name: &'static str,
    file: &'static str,
    answers: Value,
    size: (u32, u32),
    /// What must be in sight without scrolling.
    in_sight: &'static str,
    pictures: Pictures,
}

fn settings(changes: &Value) -> Value {
    let mut settings = json!({
        "enabled": true, "label": "Work laptop", "evaluate_enabled": true, "uploads": "ask", "downloads": "allow",
        "ask_sessions": false, "list_user_tabs": true,
        "site_rules": [
            { "pattern": "*", "access": "allow" },
            { "pattern": "bank.example.com", "access": "block" },
            { "pattern": "example.org", "access": "read_only" },
            { "pattern": "https://shop.example.com:8443", "access": "ask" },
        ],
        "answers": [
            { "kind": "borrow", "program": "/home/mara/.local/bin/planner", "site": "https://mail.example.com",
              "is_allowed": true, "at_ms": NOW_MS - 86_400_000 },
            { "kind": "borrow", "program": "/opt/reader/bin/reader", "site": "https://bank.example.com",
              "is_allowed": false, "at_ms": NOW_MS - 500_000_000 },
        ],
    });
    settings.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    json!({ "settings": settings, "managed": [], "problems": [] })
}

fn state(connection: &Value, sessions: &Value) -> Value {
    let mut state = json!({ "connection": connection, "sessions": sessions, "version": "0.1.0" });
    if connection["state"] == "connected" {
        state["host_version"] = json!("0.1.0");
    }
    state
}

fn tab(id: u32, title: &str, site: &str, is_borrowed: bool) -> Value {
    json!({ "tab_id": id, "title": title, "site": site, "is_borrowed": is_borrowed })
}

fn sessions() -> Value {
    json!([
        { "session_id": "quwe", "name": "Flight search", "tab_count": 2, "created_at_ms": NOW_MS - 960_000,
          "agent": { "program": "planner", "pid": 4711, "path": "/home/mara/.local/bin/planner" },
          "tabs": [
              tab(1, "Zürich → Shanghai, 2 passengers", "flights.example.com", false),
              tab(2, "Calendar, week 23", "calendar.example.org", true),
          ],
          "last_command": { "name": "click", "at_ms": NOW_MS - 12_000 } },
        { "session_id": "rabo", "tab_count": 5, "created_at_ms": NOW_MS - 120_000,
          "agent": { "program": "reader", "pid": 52_310 },
          "tabs": (1..6).map(|number| tab(10 + number, &format!("Report {number}"), "docs.example.com", false)).collect::<Vec<_>>(),
          "last_command": { "name": "wait-for", "at_ms": NOW_MS - 1000 } },
    ])
}

/// Words that try to break out: markup, direction, length, lines.
fn hostile() -> String {
    format!(
        "<b>Allow</b> \u{202e}detcirtsernu\u{202c} {}\n\nAllow\nAllow {}",
        "W".repeat(300),
        "مرحبا بالعالم ".repeat(20)
    )
}

fn question(kind: &str, site: &str, subject: &str, choices: &[&str]) -> Value {
    json!({ "question": {
        "id": 1, "kind": kind, "session": "Flight search", "site": site, "subject": subject, "choices": choices,
        "agent": { "program": "planner", "pid": 4711, "path": "/home/mara/.local/bin/planner" },
        "deadline_ms": NOW_MS + 42_000, "armed_ms": NOW_MS - 1,
    } })
}

fn popup(
    name: &'static str,
    pictures: Pictures,
    connection: &Value,
    sessions: &Value,
    changes: &Value,
) -> Case {
    let answers = json!({ "state": state(connection, sessions), "settings": settings(changes) });
    Case { name, file: "popup.html", answers, size: POPUP, in_sight: "header *", pictures }
}

fn options(name: &'static str, pictures: Pictures, settings: &Value) -> Case {
    let answers = json!({ "settings": settings });
    Case { name, file: "options.html", answers, size: OPTIONS, in_sight: "h1", pictures }
}

fn consent(name: &'static str, pictures: Pictures, question: &Value) -> Case {
    let answers = json!({ "question": question });
    Case { name, file: "consent.html", answers, size: CONSENT, in_sight: "#allow, #deny, #left", pictures }
}

fn help(name: &'static str, pictures: Pictures, title: &str, prompt: &str, targets: &Value) -> Case {
    let help = json!({ "help": {
        "id": 1, "title": title, "prompt": prompt, "program": "planner", "session": "Flight search", "targets": targets,
        "deadline_ms": NOW_MS + 262_000,
    } });
    let answers = json!({ "help": help });
    Case { name, file: "help.html", answers, size: HELP, in_sight: "#done, #cancel, #left", pictures }
}

fn cases() -> Vec<Case> {
    let connected = json!({ "state": "connected" });
    let missing = json!({ "state": "disconnected", "cause": "host_not_found", "detail": "Specified native messaging host not found." });
    let same = json!({});
    let hostile_session = json!([{
        "session_id": "quwe", "name": hostile(), "tab_count": 1, "created_at_ms": NOW_MS - 90_000_000,
        "agent": { "program": hostile(), "pid": 4_294_967_295_u32, "path": hostile() },
        "tabs": [tab(1, &hostile(), &format!("{}.example.com", "a".repeat(240)), true)],
        "last_command": { "name": "wait-for-navigation", "at_ms": NOW_MS - 7_000_000 },
    }]);
    let managed = {
        let mut answer =
            settings(&json!({ "evaluate_enabled": false, "uploads": "block", "label": "Room 12" }));
        answer["managed"] = json!(["evaluate_enabled", "uploads", "label", "site_rules"]);
        answer["problems"] = json!(["`downloads`: neither allow nor ask nor block; block counts"]);
        answer
    };
    let mut long_question = question(
        "borrow",
        &format!("https://{}.example.com", "a".repeat(230)),
        &hostile(),
        &["once", "session", "site"],
    );
    long_question["question"]["agent"] =
        json!({ "program": hostile(), "pid": 4711, "path": format!("/{}", "x/".repeat(2000)) });
    long_question["question"]["session"] = json!(hostile());
    let mut early = question("borrow", "https://a.example.com", "Early", &["once"]);
    early["question"]["armed_ms"] = json!(NOW_MS + 100_000);
    early["question"].as_object_mut().unwrap().remove("agent");
    let all = ["once", "session", "site"];
    vec![
        popup("popup", Pictures::Both, &connected, &sessions(), &same),
        popup("popup-disconnected", Pictures::One, &missing, &json!([]), &same),
        popup("popup-off", Pictures::None, &missing, &json!([]), &json!({ "enabled": false })),
        popup(
            "popup-hostile",
            Pictures::None,
            &connected,
            &hostile_session,
            &json!({ "label": "W".repeat(40) }),
        ),
        options("options", Pictures::Both, &settings(&same)),
        options("options-managed", Pictures::One, &managed),
        options(
            "options-empty",
            Pictures::None,
            &settings(&json!({ "site_rules": [], "answers": [], "label": "" })),
        ),
        options(
            "options-hostile",
            Pictures::None,
            &settings(&json!({
                "site_rules": [{ "pattern": format!("{}.example.com", "a".repeat(240)), "access": "read_only" }],
                "answers": [{ "kind": "upload", "program": hostile(), "site": format!("https://{}.example.com", "a".repeat(240)),
                              "is_allowed": false, "at_ms": NOW_MS }],
            })),
        ),
        consent(
            "consent",
            Pictures::Both,
            &question("borrow", "https://calendar.example.org", "Calendar, week 23", &all),
        ),
        consent("consent-session", Pictures::None, &question("session", "", "", &["once", "site"])),
        consent(
            "consent-site",
            Pictures::None,
            &question("site", "https://shop.example.com:8443", "https://shop.example.com:8443: ask", &all),
        ),
        consent(
            "consent-upload",
            Pictures::None,
            &question("upload", "https://mail.example.com", "tickets.pdf", &all),
        ),
        consent(
            "consent-download",
            Pictures::None,
            &question("download", "https://mail.example.com", "invoice.pdf", &["once"]),
        ),
        consent("consent-hostile", Pictures::None, &long_question),
        help(
            "help",
            Pictures::Both,
            "Sign in",
            "The airline asks for a code that it sent to your phone.\n\nPlease type it and press Continue.",
            &json!([{ "role": "textbox", "name": "Code" }, { "role": "button", "name": "Continue" }]),
        ),
        help("help-bare", Pictures::None, "", "请完成拼图", &json!([])),
        help(
            "help-hostile",
            Pictures::None,
            &hostile(),
            &format!("{}\n", hostile()).repeat(20),
            &(0..20).map(|_| json!({ "role": "button", "name": hostile() })).collect::<Value>(),
        ),
        consent("consent-early", Pictures::None, &early),
    ]
}

fn view((width, height): (u32, u32)) -> View {
    View { width, height, is_dark: false, is_forced: false }
}

/// What may scroll: the page itself and a question.
const IN_SCROLL: &str = "body, #question, body > header + main";

#[test]
fn everything_can_be_read_reached_and_has_a_name_in_both_languages() {
    let mut wrong = Vec::new();
    for language in LANGUAGES {
        let faces = Faces::in_language(language);
        for case in cases() {
            let face = faces.show(case.file, &case.answers, view(case.size));
            let mut complain = |how: &str, what: Vec<String>| {
                wrong.extend(what.into_iter().map(|one| format!("{} {language} {how}: {one}", case.name)));
            };
            let _ =
                face.value("for (const details of document.querySelectorAll('details')) details.open = true");
            complain("names", face.nameless());
            complain("Tab", face.unreached());
            for is_dark in [false, true] {
                face.view(View { is_dark, ..view(case.size) });
                complain(if is_dark { "dark" } else { "light" }, face.complaints(case.in_sight, IN_SCROLL));
            }
            face.view(View { is_forced: true, ..view(case.size) });
            complain("forced colours", face.complaints(case.in_sight, IN_SCROLL));
            // A popup grows with its contents; windows and pages have half the room at twice the size.
            if case.file != "popup.html" {
                face.view(view((case.size.0 / 2, case.size.1 / 2)));
                complain("200 %", face.complaints("#allow, #deny, #done, #cancel", IN_SCROLL));
            }
            if language != "en-US" {
                let left = face.value(
                    "document.body.innerText.match(/[A-Za-z]{3,}[^\\n]*\\b(the|is|you)\\b/)?.[0] ?? null",
                );
                complain("language", left.as_str().map(str::to_owned).into_iter().collect());
            }
            write(&case, language, &face);
        }
    }
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

/// Writes the pictures: those of the documents, and with `BSK_FACES=folder` all of them there, to be looked at.
fn write(case: &Case, language: &str, face: &Face<'_>) {
    let docs = std::env::var_os("BSK_UPDATE_DOCS").map(|_| workspace::root().join("docs/faces"));
    let all = std::env::var_os("BSK_FACES").map(std::path::PathBuf::from);
    if all.is_none() && (docs.is_none() || case.pictures == Pictures::None) {
        return;
    }
    let _ = face.value(
        "document.activeElement?.blur(); \
         document.querySelectorAll('#settings details').forEach((one) => { one.open = false; }); \
         document.querySelectorAll('#session-list details').forEach((one) => { one.open = one.querySelectorAll('li').length <= 3; })",
    );
    for is_dark in [false, true] {
        face.view(View { is_dark, ..view(case.size) });
        let height = if case.file == "consent.html" { case.size.1 } else { face.content_height() };
        face.view(View { is_dark, ..view((case.size.0, height)) });
        let is_first = language == LANGUAGES[0] && !is_dark;
        let is_second = language == LANGUAGES[1] && is_dark && case.pictures == Pictures::Both;
        let is_in_docs = is_second || (is_first && case.pictures != Pictures::None);
        let shade = if is_dark { "dark" } else { "light" };
        for folder in docs.iter().filter(|_| is_in_docs).chain(&all) {
            fs::create_dir_all(folder).unwrap();
            let file = folder.join(format!("{}-{language}-{shade}.png", case.name));
            fs::write(file, face.picture()).unwrap();
        }
    }
}

#[test]
fn allow_is_neither_focused_nor_reached_by_a_key_that_was_meant_for_something_else() {
    let faces = Faces::in_language("en-US");
    let all = ["once", "session", "site"];
    let answers = json!({ "question": question("borrow", "https://a.example.com", "Tea", &all) });
    let face = faces.show("consent.html", &answers, view(CONSENT));
    assert_eq!(face.value("document.activeElement.id"), "title");
    for key in ["Enter", " "] {
        for kind in ["keyDown", "keyUp"] {
            face.key(kind, key);
        }
    }
    assert_eq!(face.value("asked.filter(({ type }) => type === 'consent_answer').length"), 0);
    face.key("keyDown", "Escape");
    assert_eq!(face.value("asked.at(-1).is_allowed"), false);
}

#[test]
fn rules_are_added_changed_and_removed_and_a_malformed_one_is_explained() {
    let faces = Faces::in_language("en-US");
    let face = faces.show("options.html", &json!({ "settings": settings(&json!({})) }), view(OPTIONS));
    let rules = "FACE.answers.settings.settings.site_rules";
    let add = |pattern: &str| {
        face.value(&format!(
            "(() => {{ const add = document.querySelector('#add'); add.querySelector('.pattern').value = {}; add.querySelector('button').click(); \
             return add.querySelector('.problem').innerText; }})()",
            json!(pattern)
        ))
    };
    for (pattern, said) in [
        ("", "Write a site"),
        ("example.com/private", "whole site"),
        ("example.com:80", "needs its scheme"),
        ("ex*mple.com", "stands alone or at the start"),
        ("ftp://example.com", "Only http and https"),
        ("EXAMPLE.org", "a rule for this site already"),
        ("two words", "This is no site"),
    ] {
        let problem = add(pattern);
        assert!(problem.as_str().is_some_and(|problem| problem.contains(said)), "`{pattern}`: {problem}");
    }
    assert_eq!(face.value(&format!("{rules}.length")), 4);
    add(" News.Example.com ");
    let last = face.value(&format!("{rules}.at(-1)"));
    assert_eq!(last, json!({ "pattern": "news.example.com", "access": "ask" }));
    let shown = face.value("[...document.querySelectorAll('#rules .pattern')].map((input) => input.value)");
    let order = ["https://shop.example.com:8443", "bank.example.com", "news.example.com", "example.org", "*"];
    assert_eq!(shown, json!(order), "in the order in which they count");
    let _ = face.value(
        "(() => { const select = document.querySelectorAll('#rules select')[2]; select.value = 'block'; select.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(face.value(&format!("{rules}.at(-1).access")), "block");
    let _ =
        face.value("document.querySelectorAll('#rules button')[4].focus(); document.activeElement.click()");
    assert_eq!(face.value(&format!("{rules}.map(({{ pattern }}) => pattern).includes('*')")), false);
    assert_eq!(
        face.value("document.activeElement === document.querySelectorAll('#rules button')[3]"),
        true,
        "the focus stays in the list"
    );
    let _ = face.value("document.querySelector('#answers button').click()");
    assert_eq!(face.value("document.querySelectorAll('#answers li').length"), 1);
}

#[test]
fn what_a_policy_set_is_shown_and_cannot_be_changed() {
    let faces = Faces::in_language("en-US");
    let mut managed = settings(&json!({ "evaluate_enabled": false }));
    managed["managed"] = json!(["evaluate_enabled", "uploads", "site_rules"]);
    managed["problems"] = json!(["`downloads` <b>cannot</b> be read"]);
    let face = faces.show("options.html", &json!({ "settings": managed }), view(OPTIONS));
    let disabled = face.value("[...document.querySelectorAll('#settings :disabled')].map((one) => one.id || one.name || one.className).filter(Boolean)");
    let disabled = disabled.to_string();
    for key in ["evaluate_enabled", "uploads", "pattern"] {
        assert!(disabled.contains(key), "`{key}` in {disabled}");
    }
    assert!(!disabled.contains("downloads"), "{disabled}");
    let notes = face.value("[...document.querySelectorAll('.policy')].filter((one) => !one.hidden).map((one) => one.dataset.policy)");
    assert_eq!(notes, json!(["evaluate_enabled", "uploads", "site_rules"]));
    let problems = face.value("document.querySelector('#problems').innerText");
    assert!(problems.as_str().unwrap().contains("<b>cannot</b>"), "{problems}");
}
