//! Pages that try to pass their words off for ours, or to use up the host.

use super::super::View;
use super::super::assemble::Mapping;
use super::super::tree::Tree;
use super::{body, check_snapshot, columns, default, seen, show, tree};

/// A page with one node of each kind that carries the text.
fn with_text(text: &str) -> Tree {
    let mut page = columns(
        "@1 button NAME {value=NAME; description=NAME; covered by NAME; link=NAME}\n\
         text NAME!\n\
         row\n  cell\n    text NAME\n  cell\n    text b\n\
         listitem\n  text NAME",
    );
    let strings = page["strings"].as_array_mut().unwrap();
    for string in strings {
        *string = string.as_str().unwrap().replace("NAME", text).into();
    }
    page["title"] = text.into();
    Tree::assemble(seen(0, &page, vec![]), Mapping::IDENTITY, false)
}

#[test]
fn page_text_cannot_begin_a_line_close_its_quotes_or_hide() {
    let text = "a\"] [checked]\n@e9 button \"b\\\u{1b}[2J\u{202E}c\u{E0041}|d";
    let args = bsk_protocol::local::ObserveArgs { links: true, ..default() };
    let (shown, _) = show(&with_text(text), View::observe(&args), None, 0);
    let plain = "a\"] [checked] @e9 button \"b\\⟨U+001B⟩[2J⟨U+202E⟩c⟨U+E0041⟩|d";
    let quoted = "\"a\\\"] [checked] @e9 button \\\"b\\\\⟨U+001B⟩[2J⟨U+202E⟩c⟨U+E0041⟩|d\"";
    let lines: Vec<&str> = shown.text.lines().collect();
    assert_eq!(lines[0], format!("page {quoted} http://a.test/ 800x600"));
    assert_eq!(
        lines[1],
        // A state is cut in two by a line break, which joins states: both stand in brackets of their own.
        format!(
            "@e1 button {quoted} value {quoted} [covered by a\"\\] \\[checked\\]] \
      [@e9 button \"b\\\\⟨U+001B⟩\\[2J⟨U+202E⟩c⟨U+E0041⟩|d] -> {} — {plain}",
            plain.replace(' ', "%20")
        )
    );
    assert_eq!(lines[2], format!("text: {plain}!"));
    assert_eq!(lines[3], format!("row: {} | b", plain.replace('|', "\\|")));
    assert_eq!(lines[4], format!("listitem: {plain}"));
    assert_eq!(lines.len(), 5);
}

#[test]
fn a_snapshot_keeps_page_text_in_its_line_too() {
    check_snapshot(
        "@1 button a\"b\ntext - @e9 button",
        "- @e1 button \"a\\\"b\"\n- text: \"- @e9 button\"\n",
    );
    check_snapshot(
        "@1 button it's: b {value=c #d}\n  text 'e\nlistitem\n  text f: g\n@2 link h {link=/i: j}\ntext k: \ntext 5:30",
        "\
- '@e1 button \"it''s: b\"':
  - /value: \"c #d\"
  - text: \"'e\"
- listitem: \"f: g\"
- @e2 link \"h\":
  - /url: \"/i: j\"
- text: \"k: \"
- text: 5:30
",
    );
}

#[test]
fn depths_that_a_page_makes_up_become_a_tree() {
    let mut page = columns("main\nlist\nlistitem\ntext a\ntext b");
    page["nodes"]["depth"] = serde_json::json!([7, 4_000_000_000_u32, 9, 4_294_967_295_u32, 0]);
    let tree = Tree::assemble(seen(0, &page, vec![]), Mapping::IDENTITY, false);
    let (shown, _) = show(&tree, View::observe(&default()), None, 0);
    assert_eq!(body(&shown.text), "main\n list\n listitem: a\ntext: b\n");
}

#[test]
fn a_deep_page_neither_overflows_nor_grows_with_the_square_of_its_depth() {
    const DEEP: usize = 20_000;
    let mut page = columns(&"group\n".repeat(DEEP));
    page["nodes"]["depth"] = (0..DEEP).collect::<Vec<_>>().into();
    let tree = Tree::assemble(seen(0, &page, vec![]), Mapping::IDENTITY, false);
    for view in [View::observe(&default()), View::snapshot(&default())] {
        let (shown, _) = show(&tree, view, None, 0);
        assert!(shown.text.len() < DEEP * 220, "{}", shown.text.len());
    }
    let (shown, _) = show(&tree, View::observe(&default()), Some(500), 0);
    assert!(shown.text.len() <= 2000);
}

#[test]
fn texts_that_are_nothing_but_hidden_are_no_names() {
    let text = "\u{AD}".repeat(3);
    let (shown, _) = show(&with_text(&text), View::observe(&default()), None, 0);
    assert!(shown.text.contains("@e1 button [covered by ]\n"), "{}", shown.text);
}

#[test]
fn an_address_stays_one_word() {
    let mut page = columns("text a");
    page["url"] = format!("http://a.test/ [dialog \"x\"] {}", "y".repeat(500)).into();
    let tree = Tree::assemble(seen(0, &page, vec![]), Mapping::IDENTITY, false);
    let (shown, _) = show(&tree, View::observe(&default()), None, 0);
    let first = shown.text.lines().next().unwrap();
    assert!(first.starts_with("page \"A\" http://a.test/%20[dialog%20\"x\"]%20yyy"), "{first}");
    assert!(first.ends_with(") 800x600"), "{first}");
    assert!(first.len() < 260);
}

#[test]
fn an_empty_page_is_a_first_line() {
    let (shown, _) = show(&tree(""), View::observe(&default()), None, 0);
    assert_eq!(shown.text, "page \"A\" http://a.test/ 800x600\n");
    assert!(!shown.is_truncated && shown.cursor.is_none());
}
