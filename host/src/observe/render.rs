//! The text of an observation: one line per node, two spaces per level.
//!
//! ```text
//! page "Shop" http://shop.test/ 1280x720 scrolled 0 of 1400
//! @e1 searchbox "Search" value "tea" [focused]
//! main
//!   heading "Teas" [level=2]
//!   @e4 button "Add to cart" [disabled]
//!   text: In stock
//! ```
//! A node with a ref starts with it, one without starts with its role. The budget is a hard bound and never cuts inside a
//! line; what is left out is said in the last line.

use std::fmt::Write as _;

use super::tree::{Node, Tree};

/// How much to write.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    /// Most tokens, each counted as four bytes.
    pub(super) max_tokens: Option<u32>,
    /// Deepest level written, 0 for the outermost.
    pub(super) max_depth: Option<u32>,
}

/// A rendered observation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) ref_count: u32,
    pub(super) is_truncated: bool,
}

/// Bytes that count as one token: what English text and markup average for the models in use.
const TOKEN_BYTES: usize = 4;
/// Bytes kept free for the line that says what was left out.
const NOTICE_BYTES: usize = 120;
/// Longest piece of page text in one line, in characters; the rest is cut with an ellipsis.
const LONGEST_TEXT: usize = 400;

/// Writes the tree.
pub(super) fn render(tree: &Tree, style: Style) -> Rendered {
    let budget = style.max_tokens.map_or(usize::MAX, |tokens| (tokens as usize).saturating_mul(TOKEN_BYTES));
    let room = budget.saturating_sub(NOTICE_BYTES);
    let mut out = Rendered { text: header(tree), ref_count: 0, is_truncated: false };
    let (mut left_out, mut left_out_refs, mut too_deep) = (0_u32, 0_u32, 0_u32);
    let mut line = String::new();
    tree.walk(&mut |node| {
        if style.max_depth.is_some_and(|deepest| node.depth > deepest) {
            too_deep += 1;
            return;
        }
        line.clear();
        write_line(&mut line, node);
        // Once one line did not fit none after it is written: a gap in the middle would be taken for the page.
        if left_out > 0 || out.text.len() + line.len() > room {
            left_out += 1;
            left_out_refs += u32::from(node.handle.is_some());
            return;
        }
        out.text.push_str(&line);
        out.ref_count += u32::from(node.handle.is_some());
    });
    if left_out > 0 {
        out.is_truncated = true;
        let notice = format!(
            "… {left_out} more lines, {left_out_refs} of them with refs: raise `--max-tokens` or narrow with `--ref`\n"
        );
        out.text.push_str(&notice);
    }
    if too_deep > 0 {
        out.is_truncated = true;
        let _ = writeln!(out.text, "… {too_deep} deeper lines: raise `--max-depth`");
    }
    out
}

fn header(tree: &Tree) -> String {
    let page = tree.page();
    let mut line = String::from("page ");
    quote(&mut line, page.title);
    let (width, height) = page.viewport;
    let _ = write!(line, " {} {width:.0}x{height:.0}", page.url);
    if page.scroll_max_y >= 1.0 {
        let _ = write!(line, " scrolled {:.0} of {:.0}", page.scroll_y, page.scroll_max_y);
    }
    if page.is_loading {
        line.push_str(" [loading]");
    }
    line.push('\n');
    line
}

fn write_line(line: &mut String, node: Node<'_>) {
    for _ in 0..node.depth {
        line.push_str("  ");
    }
    if let ("text", Some(text), None) = (node.role, node.name, node.handle) {
        line.push_str("text: ");
        plain(line, text);
        line.push('\n');
        return;
    }
    if let Some(handle) = node.handle {
        let _ = write!(line, "{handle} ");
    }
    line.push_str(node.role);
    if let Some(name) = node.name {
        line.push(' ');
        quote(line, name);
    }
    if let Some(value) = node.value {
        line.push_str(" value ");
        quote(line, value);
    }
    for state in node.states.unwrap_or_default().split(',').filter(|state| !state.is_empty()) {
        let _ = write!(line, " [{state}]");
    }
    if let Some(description) = node.description {
        line.push_str(" — ");
        plain(line, description);
    }
    line.push('\n');
}

/// Page text on one line: white space folded, control characters gone, cut at a bound.
fn plain(line: &mut String, text: &str) {
    let mut written = 0;
    let mut is_first = true;
    for word in text.split_whitespace() {
        if !is_first {
            line.push(' ');
            written += 1;
        }
        is_first = false;
        for character in word.chars().filter(|c| !c.is_control()) {
            if written == LONGEST_TEXT {
                line.push('…');
                return;
            }
            line.push(character);
            written += 1;
        }
    }
}

/// As [`plain`], in double quotes that page text cannot close.
fn quote(line: &mut String, text: &str) {
    let mut inner = String::with_capacity(text.len());
    plain(&mut inner, text);
    line.push('"');
    for character in inner.chars() {
        if matches!(character, '"' | '\\') {
            line.push('\\');
        }
        line.push(character);
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::tree;
    use super::*;

    fn check(rows: &[(u32, &str, &str, &str, &str, u32)], style: Style, expected: &str) {
        assert_eq!(render(&tree(0, rows), style).text, expected);
    }

    #[test]
    fn a_line_is_ref_role_name_value_and_states() {
        check(
            &[
                (0, "searchbox", "Search", "tea", "focused", 1),
                (0, "main", "", "", "", 0),
                (1, "heading", "Teas", "", "level=2", 0),
                (1, "button", "Add", "", "pressed,disabled", 4),
                (1, "text", "In\n  stock", "", "", 0),
            ],
            Style::default(),
            "page \"A\" http://a.test/ 800x600\n\
             @e1 searchbox \"Search\" value \"tea\" [focused]\n\
             main\n\
             \x20 heading \"Teas\" [level=2]\n\
             \x20 @e4 button \"Add\" [pressed] [disabled]\n\
             \x20 text: In stock\n",
        );
    }

    #[test]
    fn page_text_cannot_fake_a_line_or_close_its_quotes() {
        check(
            &[(0, "button", "a\" [checked]\n@e9 button \"b\\", "", "", 1)],
            Style::default(),
            "page \"A\" http://a.test/ 800x600\n@e1 button \"a\\\" [checked] @e9 button \\\"b\\\\\"\n",
        );
    }

    #[test]
    fn the_budget_is_a_hard_bound_and_says_what_is_missing() {
        let rows: Vec<_> = (1..=500).map(|n| (0, "button", "Añadir 中", "", "", n)).collect();
        let style = Style { max_tokens: Some(200), max_depth: None };
        let rendered = render(&tree(0, &rows), style);
        assert!(rendered.is_truncated);
        assert!(rendered.text.len() <= 800, "{}", rendered.text.len());
        let shown = rendered.text.lines().filter(|line| line.starts_with('@')).count();
        assert_eq!(rendered.ref_count as usize, shown);
        let last = rendered.text.lines().last().unwrap();
        assert!(last.starts_with(&format!("… {} more lines", 500 - shown)), "{last}");
    }

    #[test]
    fn deeper_lines_than_asked_for_are_counted() {
        check(
            &[(0, "main", "", "", "", 0), (1, "list", "", "", "", 0), (2, "listitem", "", "", "", 0)],
            Style { max_tokens: None, max_depth: Some(1) },
            "page \"A\" http://a.test/ 800x600\nmain\n  list\n… 1 deeper lines: raise `--max-depth`\n",
        );
    }
}
