//! Searching an observation.

use bsk_protocol::failure::Reason;

use super::super::View;
use super::super::find::{Found, Pattern, find};
use super::tree;

const PAGE: &str = "
main
  table Users
    row
      cell
        text Ann
      cell
        @4 button Edit
    row
      cell
        text Bob
      cell
        @5 button Edit
  text Total: 42 €
@6 button Say \"hi\"";

fn search(pattern: &str, is_regex: bool, max: u32) -> Found {
    let tree = tree(PAGE);
    let (lines, _) = View::find().lines(&tree);
    find(&tree, &lines, "page\n", &Pattern::new(pattern, is_regex).unwrap(), max)
}

#[test]
fn matches_come_with_what_they_are_in_and_their_refs() {
    let found = search("EDIT", false, 20);
    assert_eq!(
        found.text,
        "\
page
main
 table \"Users\"
  row: Ann
   @e4 button \"Edit\" in \"Ann\"
  row: Bob
   @e5 button \"Edit\" in \"Bob\"
"
    );
    assert_eq!(found.match_count, 2);
    let first = &found.matches[0];
    assert_eq!(first.line, "@e4 button \"Edit\" in \"Ann\"");
    assert_eq!(first.element, Some("@e4".parse().unwrap()));
    assert_eq!((first.role.as_str(), first.name.as_deref()), ("button", Some("Edit")));
    assert_eq!(first.ancestors, ["main", "table \"Users\"", "row: Ann"]);
}

#[test]
fn a_text_is_taken_as_it_is_and_an_expression_as_one() {
    assert_eq!(search("total: 42 €", false, 20).match_count, 1);
    assert_eq!(search("4.", false, 20).match_count, 0);
    assert_eq!(search(r"Total: \d+ €", true, 20).match_count, 1);
    assert_eq!(search(r"total: \d+", true, 20).match_count, 0);
    assert_eq!(search("say \"hi\"", false, 20).match_count, 1);
}

#[test]
fn signs_that_lines_escape_are_found_as_the_page_has_them() {
    let tree = tree("table\n  row\n    cell a|b\n    cell c\n@1 button a\\b \"c\" {hover first: x[1] | y}");
    let (lines, _) = View::find().lines(&tree);
    for text in ["a|b", "a\\b", "b \"c\"", "x[1] | y", "a|b | c"] {
        let found = find(&tree, &lines, "page\n", &Pattern::new(text, false).unwrap(), 20);
        assert_eq!(found.match_count, 1, "{text}");
    }
}

#[test]
fn more_matches_than_asked_for_are_counted() {
    let found = search("e", false, 1);
    assert_eq!(found.matches.len(), 1);
    assert!(found.match_count > 2);
    let last = format!("… {0} more matches: --max {1} shows all\n", found.match_count - 1, found.match_count);
    assert!(found.text.ends_with(&last), "{}", found.text);
}

#[test]
fn no_match_is_an_answer() {
    let found = search("nowhere \"x\"", false, 20);
    assert_eq!(found.text, "page\nno match for `nowhere \"x\"`\n");
    assert_eq!((found.match_count, found.matches.len()), (0, 0));
}

#[test]
fn what_is_no_expression_is_refused_with_the_way_out() {
    for (pattern, is_regex) in [("(", true), ("a{99999}{99999}", true), ("", false), ("  ", false)] {
        let failure = Pattern::new(pattern, is_regex).unwrap_err();
        assert_eq!(failure.reason, Some(Reason::PatternInvalid), "{pattern}");
        assert!(failure.hint.is_some() && !failure.message.contains('\n'), "{failure}");
    }
}
