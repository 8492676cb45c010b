//! The bound on tokens: never exceeded, cut by importance, and everything else is a cursor away.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bsk_protocol::local::ObserveArgs;

use super::super::View;
use super::{check, default, show, tree};

/// Ten thousand links before the form that matters, as on a page of search results.
fn links_then_form() -> String {
    let mut outline = String::from("main\n");
    for number in 1..=10_000 {
        let place = if number <= 10 { 0 } else { 2 };
        let _ = writeln!(outline, "  @{number} link Résultat {number} {{place={place}}}");
    }
    outline.push_str("  form Order {place=2}\n");
    outline.push_str("    @20001 textbox Name {place=2}\n    @20002 button Send {place=2}\n");
    outline
}

#[test]
fn the_bound_holds_whatever_it_is() {
    let pages = [links_then_form(), "text é中😀".to_owned(), format!("text {}", "é".repeat(5000))];
    for page in pages {
        let tree = tree(&page);
        for tokens in (1..=60).chain([100, 333, 1000, 6000, 100_000]) {
            for view in [
                View::observe(&default()),
                View::observe(&ObserveArgs { full_text: true, ..default() }),
                View::snapshot(&default()),
            ] {
                let (shown, _) = show(&tree, view, Some(tokens), 0);
                assert!(shown.text.len() <= tokens as usize * 4, "{tokens}: {}", shown.text);
            }
        }
    }
}

#[test]
fn the_form_at_the_end_survives_ten_thousand_links() {
    let tree = tree(&links_then_form());
    let (shown, _) = show(&tree, View::observe(&default()), Some(300), 0);
    assert!(shown.is_truncated);
    for line in ["@e1 link \"Résultat 1\"", "@e20001 textbox \"Name\"", "@e20002 button \"Send\""] {
        assert!(shown.text.contains(line), "{line}:\n{}", shown.text);
    }
    assert!(shown.text.contains("\n … 99"), "{}", shown.text);
    let last = shown.text.lines().last().unwrap();
    let cursor = shown.cursor.unwrap();
    let left = 10_004 - cursor.shown;
    let expected = format!(
        "… {left} lines left out, {left} with refs: --after {cursor} shows the next, --ref @e{} one part, \
         --viewport what is in view, --max-tokens more",
        10_001 - left
    );
    assert_eq!(last, expected);
}

#[test]
fn the_most_important_line_is_there_even_in_a_tiny_budget() {
    let tree = tree(
        "main\n  @1 button A\n  text words\ndialog Sure {modal}\n  @2 button Yes\n  text Delete everything",
    );
    let (shown, _) = show(&tree, View::observe(&default()), Some(25), 0);
    assert!(shown.text.contains("dialog \"Sure\" [modal]"), "{}", shown.text);
    let (shown, _) = show(&tree, View::observe(&default()), Some(40), 0);
    assert!(shown.text.contains(" @e2 button \"Yes\"\n text: Delete everything\n"), "{}", shown.text);
}

#[test]
fn lines_are_kept_by_importance() {
    let outline = "
text Early words {place=1}
@1 link Early link {place=1}
heading Early heading {place=1}
@2 button Early button {place=1}
@3 button Inert {inert}
@4 button Covered {covered by div#veil}
heading Here
text Seen words
@5 link Here link
alert
  text Failed
@6 textbox Late {focused; place=2}";
    let tree = tree(outline);
    let (_, lines) = show(&tree, View::observe(&default()), None, 0);
    let ranking = super::super::rank::Ranking::of(&lines);
    let order: Vec<&str> = ranking.order.iter().map(|&line| lines.text(line)).collect();
    assert_eq!(
        order,
        [
            "alert: Failed",
            "@e6 textbox \"Late\" [focused]",
            "@e5 link \"Here link\"",
            "heading \"Here\"",
            "text: Seen words",
            "@e4 button \"Covered\" [covered by div#veil]",
            "@e2 button \"Early button\"",
            "heading \"Early heading\"",
            "@e1 link \"Early link\"",
            "text: Early words",
            "@e3 button \"Inert\" [inert]",
        ]
    );
}

#[test]
fn gaps_and_dividers_say_where_something_is_missing() {
    let mut outline = String::from("list\n");
    for number in 1..=40 {
        let _ = writeln!(
            outline,
            "  @{number} link Number {number} {{place={}}}",
            if number < 3 { 0 } else { 2 }
        );
    }
    outline.push_str("@41 button Send {place=2}\ntext The end {place=2}");
    check(
        &outline,
        &ObserveArgs { max_tokens: Some(110), ..default() },
        "\
list
 @e1 link \"Number 1\"
 @e2 link \"Number 2\"
 --- below the view
 @e3 link \"Number 3\"
 @e4 link \"Number 4\"
 @e5 link \"Number 5\"
 @e6 link \"Number 6\"
 @e7 link \"Number 7\"
 @e8 link \"Number 8\"
 @e9 link \"Number 9\"
 @e10 link \"Number 10\"
… 30 more
@e41 button \"Send\"
… 31 lines left out, 30 with refs: --after o3.12 shows the next, --ref @e11 one part, --viewport what is in view, --max-tokens more
",
    );
}

#[test]
fn the_cursor_pages_through_everything_exactly_once() {
    let mut outline = String::new();
    for group in 0..60 {
        let _ = writeln!(outline, "region Part {group} {{place={}}}", group % 3);
        for item in 1..=9 {
            let number = group * 10 + item;
            let _ = writeln!(
                outline,
                "  list\n    listitem\n      text Words {number}\n      @{number} button B{number}"
            );
        }
    }
    let tree = tree(&outline);
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let (mut from, mut pages) = (0, 0);
    loop {
        let (shown, lines) = show(&tree, View::observe(&default()), Some(400), from);
        assert!(shown.text.len() <= 1600);
        pages += 1;
        for line in shown
            .text
            .lines()
            .map(str::trim_start)
            .filter(|line| line.contains(" button ") || line.starts_with("text"))
        {
            *times.entry(line.to_owned()).or_default() += 1;
        }
        let Some(cursor) = shown.cursor else {
            assert!(!shown.is_truncated);
            assert!(lines.all.len() > 1000);
            break;
        };
        assert!(cursor.shown as usize > from, "each page goes on");
        from = cursor.shown as usize;
    }
    assert!(pages > 5, "{pages}");
    assert_eq!(times.len(), 60 * 9 * 2);
    assert!(times.values().all(|&times| times == 1), "{times:?}");
}

#[test]
fn going_on_comes_to_an_end_even_where_no_line_fits() {
    let tree = tree(&format!("main\n  list\n    @12345 link {}\n  text {}", "x".repeat(90), "é".repeat(90)));
    for tokens in 1..60 {
        let mut from = 0;
        loop {
            let (shown, lines) = show(&tree, View::observe(&default()), Some(tokens), from);
            assert!(shown.text.len() <= tokens as usize * 4, "{}", shown.text);
            let is_ref_whole = shown.text.lines().all(|line| {
                let line = line.trim_start();
                !line.starts_with('@') || line.starts_with("@e12345 ")
            });
            assert!(is_ref_whole, "{}", shown.text);
            let Some(cursor) = shown.cursor else { break };
            assert!(cursor.shown as usize > from && from <= lines.all.len(), "{tokens}: {}", shown.text);
            from = cursor.shown as usize;
        }
    }
}

#[test]
fn a_cursor_beyond_the_end_shows_nothing_more() {
    let tree = tree("text a");
    let (shown, _) = show(&tree, View::observe(&default()), Some(100), 9999);
    assert_eq!(shown.text, "page \"A\" http://a.test/ 800x600\n");
    assert!(shown.cursor.is_none());
}

#[test]
fn a_snapshot_that_is_cut_offers_no_cursor() {
    let tree = tree(&links_then_form());
    let (shown, _) = show(&tree, View::snapshot(&default()), Some(200), 0);
    assert!(shown.cursor.is_none() && shown.is_truncated);
    let last = shown.text.lines().last().unwrap();
    assert!(last.starts_with("… ") && last.ends_with(" one part, --max-tokens more"), "{last}");
}
