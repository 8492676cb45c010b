//! One line of an observation, without its indentation; the grammar is in docs/observation.md.
//!
//! Whatever a page says stands after a word of ours, in quotes it cannot close or at the end of the line, so that it cannot
//! pass for another line or another part of its own.

use std::fmt::Write as _;

use super::context::Context;
use super::kind::Kind;
use super::texts::Text;
use super::tree::Tree;

/// Longest text in characters, unless everything is wanted.
pub(super) const LONGEST: usize = 120;
/// How many times as long a name may be: what can be acted on is told by it.
const NAMES: usize = 2;
/// Most bytes of options told in the line of a select; `--ref` shows them all.
const OPTIONS: usize = 600;
/// How far below a container the thing that names it is looked for.
const NEAR: u32 = 4;
/// Longest context in characters, besides the ellipsis: enough to tell things apart, as it is repeated line by line.
pub(super) const LONGEST_CONTEXT: usize = 29;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    /// Most characters of a piece of page text.
    pub(super) longest: usize,
    /// Whether the targets of links are shown.
    pub(super) links: bool,
    /// Whether every repeated control says what it is in; else only those whose row tells them apart.
    pub(super) contexts: bool,
}

impl Style {
    /// Whether nothing is shortened.
    pub(super) fn is_unbounded(self) -> bool {
        self.longest == usize::MAX
    }
}

/// What of the tree is in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One node.
    Node,
    /// A node and the one text in it.
    Merged,
    /// A row and the texts of its cells.
    Row,
    /// The options of a select, in the line after the select's own.
    Options,
    /// Of a snapshot: something that is said of the node in the line before.
    Property,
}

/// Writes the line of a node.
pub(super) fn line(out: &mut String, tree: &Tree, index: u32, shape: Shape, context: Context, style: Style) {
    if shape == Shape::Options {
        options(out, tree, index, style);
        return;
    }
    let node = tree.node(index);
    if let Some(handle) = node.handle() {
        let _ = write!(out, "{handle} ");
    }
    out.push_str(tree.texts.get(node.role));
    let is_text = node.kind == Kind::Text && !node.has_ref();
    if !is_text && !node.name.is_none() && !is_named_below(tree, index) {
        out.push(' ');
        quoted(out, tree.texts.get(node.name), style.longest.saturating_mul(NAMES));
    }
    if !node.value.is_none() {
        out.push_str(" value ");
        quoted(out, tree.texts.get(node.value), style.longest);
    }
    if !node.states.is_none() {
        tree.states(index).for_each(|state| self::state(out, state));
    }
    if !context.text.is_none() && (style.contexts || context.is_of_row) {
        out.push_str(" in ");
        quoted(out, tree.texts.get(context.text), LONGEST_CONTEXT);
    }
    if style.links && !node.link.is_none() {
        out.push_str(" -> ");
        target(out, tree.texts.get(node.link), style.longest);
    }
    if !node.description.is_none() {
        out.push_str(" — ");
        plain(out, tree.texts.get(node.description), style.longest);
    }
    match shape {
        Shape::Row => cells(out, tree, index, style),
        Shape::Merged => {
            out.push_str(": ");
            plain(out, tree.texts.get(tree.node(index + 1).name), style.longest);
        }
        Shape::Node if is_text => {
            out.push_str(": ");
            plain(out, tree.texts.get(node.name), style.longest);
        }
        Shape::Node | Shape::Property | Shape::Options => {}
    }
}

/// Whether the heading or the control that names a container stands right below it and says the same.
fn is_named_below(tree: &Tree, index: u32) -> bool {
    let node = tree.node(index);
    if node.has_ref() || !matches!(node.kind, Kind::Landmark | Kind::Section | Kind::Group) {
        return false;
    }
    let name = tree.texts.get(node.name);
    let first = index + 1..node.end.min(index + 1 + NEAR);
    first.into_iter().any(|below| {
        let below = tree.node(below);
        (below.kind == Kind::Heading || below.has_ref()) && tree.texts.get(below.name) == name
    })
}

/// The options of a select, as far as they are told in one line.
pub(super) fn options_told(tree: &Tree, select: u32) -> impl Iterator<Item = u32> {
    let mut told = 0;
    options_of(tree, select).take_while(move |&option| {
        told += tree.texts.get(tree.node(option).name).len();
        told <= OPTIONS
    })
}

fn options_of(tree: &Tree, select: u32) -> impl Iterator<Item = u32> {
    (select + 1..tree.node(select).end).filter(|&index| tree.node(index).kind == Kind::Option)
}

/// The names and states of a select's options.
fn options(out: &mut String, tree: &Tree, select: u32, style: Style) {
    out.push_str("options:");
    let mut count = 0;
    for (index, option) in options_told(tree, select).enumerate() {
        count += 1;
        out.push_str(if index == 0 { " " } else { " | " });
        between_bars(out, |out| plain(out, tree.texts.get(tree.node(option).name), style.longest));
        tree.states(option).for_each(|state| self::state(out, state));
    }
    let more = options_of(tree, select).count() - count;
    if more > 0 {
        let _ = write!(out, " | … {more} more");
    }
}

/// The texts of a row's cells after a colon; empty ones at the end are dropped.
fn cells(out: &mut String, tree: &Tree, row: u32, style: Style) {
    out.push(':');
    // The line up to the last cell that holds something.
    let mut end = out.len() - 1;
    let cells = tree.children(row).filter(|&cell| tree.node(cell).kind.is_cell());
    for (index, cell) in cells.enumerate() {
        out.push_str(if index == 0 { " " } else { " | " });
        let start = out.len();
        cell_text(out, tree, cell, style);
        if out.len() > start {
            end = out.len();
        }
    }
    out.truncate(end);
}

/// A cell's own text, or its name where it has no text.
fn cell_text(out: &mut String, tree: &Tree, cell: u32, style: Style) {
    between_bars(out, |out| {
        let start = out.len();
        for text in cell_texts(tree, cell) {
            if out.len() > start {
                out.push(' ');
            }
            plain(out, tree.texts.get(text), style.longest);
        }
        if out.len() == start {
            plain(out, tree.texts.get(tree.node(cell).name), style.longest);
        }
    });
}

/// Page text in a list with bars: a bar of its own would pass for the end of it.
fn between_bars(out: &mut String, write: impl FnOnce(&mut String)) {
    let start = out.len();
    write(out);
    if out[start..].contains('|') {
        let escaped = out[start..].replace('|', "\\|");
        out.truncate(start);
        out.push_str(&escaped);
    }
}

/// The texts directly in a cell.
pub(super) fn cell_texts(tree: &Tree, cell: u32) -> impl Iterator<Item = Text> {
    tree.children(cell).filter(|&child| is_cell_text(tree, child)).map(|child| tree.node(child).name)
}

/// Whether a node in a cell goes into the row's line.
pub(super) fn is_cell_text(tree: &Tree, index: u32) -> bool {
    let node = tree.node(index);
    node.kind == Kind::Text && !node.has_ref() && node.states.is_none()
}

/// A state in brackets that page text in it cannot close.
pub(super) fn state(out: &mut String, state: &str) {
    out.push_str(" [");
    match state.strip_prefix("invalid \"").and_then(|rest| rest.strip_suffix('"')) {
        Some(message) => {
            out.push_str("invalid ");
            quoted(out, message, LONGEST);
        }
        None if state.contains([']', '[', '\\']) => {
            for character in state.chars() {
                if matches!(character, ']' | '[' | '\\') {
                    out.push('\\');
                }
                out.push(character);
            }
        }
        None => out.push_str(state),
    }
    out.push(']');
}

/// A link's target: one word.
pub(super) fn target(out: &mut String, text: &str, longest: usize) {
    if text.contains(' ') {
        plain(out, &text.replace(' ', "%20"), longest);
    } else {
        plain(out, text, longest);
    }
}

/// Page text in double quotes that it cannot close.
pub(super) fn quoted(out: &mut String, text: &str, longest: usize) {
    let (kept, left_out) = shortened(text, longest);
    out.push('"');
    if kept.contains(['"', '\\']) {
        for character in kept.chars() {
            if matches!(character, '"' | '\\') {
                out.push('\\');
            }
            out.push(character);
        }
    } else {
        out.push_str(kept);
    }
    rest(out, left_out, longest);
    out.push('"');
}

/// Page text as it is, shortened.
pub(super) fn plain(out: &mut String, text: &str, longest: usize) {
    let (kept, left_out) = shortened(text, longest);
    out.push_str(kept);
    rest(out, left_out, longest);
}

/// Says how much was left out; of a context, which is short by nature, only that.
fn rest(out: &mut String, left_out: usize, longest: usize) {
    match left_out {
        0 => {}
        _ if longest <= LONGEST_CONTEXT => out.push('…'),
        _ => {
            let _ = write!(out, "… (+{left_out})");
        }
    }
}

/// What is kept of a text, cut after a word where one ends late enough, and how many characters are left out.
pub(super) fn shortened(text: &str, longest: usize) -> (&str, usize) {
    // Bytes are never fewer than characters.
    if text.len() <= longest {
        return (text, 0);
    }
    let Some((end, next)) = text.char_indices().nth(longest) else { return (text, 0) };
    let kept = &text[..end];
    let kept = match kept.rfind(' ').filter(|_| next != ' ') {
        Some(space) if space >= end / 4 * 3 => &kept[..space],
        Some(_) | None => kept,
    };
    (kept, text[kept.len()..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn long_text_is_cut_after_a_word_and_says_how_much_is_missing() {
        let text = "word ".repeat(100);
        let short = written(|out| plain(out, text.trim_end(), LONGEST));
        assert!(short.ends_with("word… (+380)"), "{short}");
        assert_eq!(shortened("one two three", 9).0, "one two");
        let short = written(|out| plain(out, &"é".repeat(150), LONGEST));
        assert_eq!(short, format!("{}… (+30)", "é".repeat(120)));
        assert_eq!(written(|out| plain(out, &"é".repeat(120), LONGEST)), "é".repeat(120));
        assert_eq!(written(|out| plain(out, &text, usize::MAX)), text);
    }

    #[test]
    fn quotes_and_brackets_cannot_be_closed_from_inside() {
        assert_eq!(written(|out| quoted(out, r#"a" [checked] \"#, LONGEST)), r#""a\" [checked] \\""#);
        assert_eq!(written(|out| state(out, "covered by div#a] [x")), r" [covered by div#a\] \[x]");
        assert_eq!(written(|out| state(out, r#"invalid "say "hi"""#)), r#" [invalid "say \"hi\""]"#);
        assert_eq!(written(|out| state(out, "checked")), " [checked]");
    }
}
