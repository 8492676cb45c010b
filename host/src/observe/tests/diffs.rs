//! What changed between two looks at a tab.

use std::fmt::Write as _;

use super::super::View;
use super::super::diff::{Outcome, Side, compare};
use super::{default, tree};

const HEADER: &str = "page \"A\" http://a.test/ 800x600\n";

fn outcome(old: &str, new: &str, room: usize) -> Outcome {
    let (old, new) = (tree(old), tree(new));
    let view = View::observe(&default());
    let ((old_lines, _), (new_lines, _)) = (view.lines(&old), view.lines(&new));
    compare(Side { tree: &old, lines: &old_lines }, Side { tree: &new, lines: &new_lines }, HEADER, room)
}

#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    // Lines that stay make the page longer than its changes.
    let rest = "text The rest of the page, which stays as it is\n".repeat(9);
    let (old, new) = (format!("{old}\n{rest}"), format!("{new}\n{rest}"));
    match outcome(&old, &new, usize::MAX) {
        Outcome::Changes(changes) => assert_eq!(changes.text, format!("{HEADER}{expected}")),
        other @ (Outcome::Same | Outcome::TooMany) => panic!("{other:?}"),
    }
}

#[test]
fn a_change_of_state_shows_what_it_was() {
    check(
        "main\n  @1 button Mute {pressed}\n  @2 checkbox All\n  @3 textbox Name {value=Ada}",
        "main\n  @1 button Mute\n  @2 checkbox All {checked}\n  @3 textbox Name {value=Bob Lee}",
        "\x20 main
~  @e1 button \"Mute\" (was [pressed])
~  @e2 checkbox \"All\" [checked] (was without [checked])
~  @e3 textbox \"Name\" value \"Bob Lee\" (was \"Ada\")
",
    );
}

#[test]
fn new_and_gone_lines_stand_in_what_they_are_in() {
    check(
        "main\n  list Cart\n    listitem\n      text Mug\n    listitem\n      text Cup\n  text 2 items",
        "main\n  list Cart\n    listitem\n      text Mug\n  text 1 item\n  @9 button Undo",
        "\x20 main
   list \"Cart\"
-   listitem: Cup
-  text: 2 items
+  text: 1 item
+  @e9 button \"Undo\"
",
    );
}

#[test]
fn an_item_among_items_like_it_comes_and_goes_as_a_whole() {
    let items = |names: &[&str]| {
        let item = |name: &&str| format!("  listitem\n    heading {name}\n    text Same words\n");
        format!("list\n{}", names.iter().map(item).collect::<String>())
    };
    let (three, two) = (items(&["A", "B", "C"]), items(&["A", "C"]));
    let item =
        |sign: &str| format!("  list\n{sign}  listitem\n{sign}   heading \"B\"\n{sign}   text: Same words\n");
    check(&three, &two, &item("-"));
    check(&two, &three, &item("+"));
    let Outcome::Changes(changes) =
        outcome(&items(&["A", "B", "C", "D"]), &items(&["A", "B", "C"]), usize::MAX)
    else {
        panic!("the last item is gone")
    };
    assert!(
        changes.text.ends_with("-  listitem\n-   heading \"D\"\n-   text: Same words\n"),
        "{}",
        changes.text
    );
}

#[test]
fn a_container_around_things_does_not_make_them_new() {
    check("text a\ntext b", "group G\n  text a\n  text b", "+ group \"G\"\n");
}

#[test]
fn what_only_moved_says_so() {
    check("@1 link A\n@2 link B\n@3 link C", "@3 link C\n@1 link A\n@2 link B", "~ @e3 link \"C\" (moved)\n");
}

#[test]
fn nothing_new_is_said_in_one_word() {
    assert!(matches!(outcome("main\n  text a", "main\n  text a", usize::MAX), Outcome::Same));
}

#[test]
fn a_page_that_changed_altogether_is_not_told_as_changes() {
    assert!(matches!(outcome("text a\ntext b", "text c\ntext d", usize::MAX), Outcome::TooMany));
}

#[test]
fn the_bound_holds_for_changes_too() {
    let (mut old, mut new) = (String::new(), String::new());
    for number in 1..=300 {
        let _ = writeln!(old, "@{number} button B{number}\ntext stays as it is and as it was {number}");
        let _ = writeln!(
            new,
            "@{number} button B{number} {{disabled}}\ntext stays as it is and as it was {number}"
        );
    }
    for room in [1, 20, 60, 200, 1000, 5000] {
        let changes = match outcome(&old, &new, room) {
            Outcome::Changes(changes) => changes,
            other @ (Outcome::Same | Outcome::TooMany) => panic!("{other:?}"),
        };
        assert!(changes.text.len() <= room, "{room}");
        assert!(changes.is_truncated);
        if room >= 200 {
            let shown = changes.text.lines().filter(|line| line.starts_with("~ ")).count();
            assert_eq!(changes.ref_count as usize, shown);
            assert!(changes.text.ends_with(&format!("… {} more changes\n", 300 - shown)), "{}", changes.text);
        }
    }
}

#[test]
fn two_large_pages_without_a_common_line_do_not_take_forever() {
    let page = |word: &str| {
        (0..20_000).fold(String::new(), |mut page, number| {
            let _ = writeln!(page, "text {word} {}", number * 7919 % 20_011);
            page
        })
    };
    let started = std::time::Instant::now();
    assert!(matches!(outcome(&page("old"), &page("new"), usize::MAX), Outcome::TooMany));
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}
