//! The lines of `snapshot`: every node, nothing folded or shortened, in the style of aria snapshots.
//!
//! ```text
//! - banner:
//!   - @e1 link "Home":
//!     - /url: /home
//! - @e2 textbox "Name": Ada
//! - listitem: one text stands beside its container
//! ```
//! What is neither in an aria snapshot's line nor a child is a property line: `/url`, `/value`, `/description`. Without the
//! refs it is YAML: what would read as something else there stands in quotes.

use std::fmt::Write as _;

use super::kind::Kind;
use super::lines::Lines;
use super::texts::Text;
use super::tree::Tree;
use super::walk::{Inside, Walk};
use super::write::{self, Shape};

/// The snapshot's lines.
pub(super) fn strict(tree: &Tree) -> Lines {
    let mut lines = Lines::for_tree(tree);
    lines.level = "  ";
    Walk::new(tree).run(|walk, index| take(tree, &mut lines, walk, index));
    lines
}

fn take(tree: &Tree, lines: &mut Lines, walk: &mut Walk<'_>, index: u32) -> bool {
    let node = tree.node(index);
    let only_text = tree.only_child(index).filter(|&child| write::is_cell_text(tree, child));
    let only_text = only_text.map(|child| tree.node(child).name).filter(|_| node.kind != Kind::Frame);
    let is_repeated = only_text.is_some_and(|text| tree.texts.get(text) == tree.texts.get(node.name));
    let only_text = only_text.filter(|_| !is_repeated);
    let has_children = node.end > index + 1 && !is_repeated;

    let mut properties: Vec<(&str, Text)> = Vec::new();
    let mut inline = Text::NONE;
    let said = [("/url", node.link), ("/description", node.description)];
    properties.extend(said.iter().filter(|(_, text)| !text.is_none()));
    match only_text {
        Some(text) if node.value.is_none() && properties.is_empty() => inline = text,
        Some(_) | None if node.value.is_none() => {}
        None if !has_children && properties.is_empty() => inline = node.value,
        Some(_) | None => properties.insert(0, ("/value", node.value)),
    }
    let is_inline = !inline.is_none();
    let shape = if is_inline && inline != node.value { Shape::Merged } else { Shape::Node };
    let has_lines = !properties.is_empty() || (has_children && !is_inline);
    let line = walk.emit(lines, index, shape, |out| {
        head(out, tree, index);
        if is_inline {
            out.push_str(": ");
            scalar(out, tree.texts.get(inline));
        } else if has_lines {
            out.push(':');
        }
    });
    if !has_lines {
        return false;
    }
    walk.descend(index, line, Inside::Anything);
    for (name, text) in properties {
        walk.emit(lines, index, Shape::Property, |out| {
            let _ = write!(out, "- {name}: ");
            scalar(out, tree.texts.get(text));
        });
    }
    has_children
}

/// A node's line up to the colon; of a text all of it.
fn head(out: &mut String, tree: &Tree, index: u32) {
    let node = tree.node(index);
    out.push_str("- ");
    let start = out.len();
    if let Some(handle) = node.handle() {
        let _ = write!(out, "{handle} ");
    }
    out.push_str(tree.texts.get(node.role));
    let is_text = node.kind == Kind::Text && !node.has_ref();
    if !is_text && !node.name.is_none() {
        out.push(' ');
        write::quoted(out, tree.texts.get(node.name), usize::MAX);
    }
    tree.states(index).for_each(|state| write::state(out, state));
    if ends_early(&out[start..]) {
        let quoted = format!("'{}'", out[start..].replace('\'', "''"));
        out.truncate(start);
        out.push_str(&quoted);
    }
    if is_text {
        out.push_str(": ");
        scalar(out, tree.texts.get(node.name));
    }
}

/// A text after a colon.
fn scalar(out: &mut String, text: &str) {
    let is_sign = text.starts_with(|first: char| "-?:,[]{}#&*!|>'\"%@`".contains(first));
    if is_sign || ends_early(text) || text.ends_with(':') || text.trim() != text {
        write::quoted(out, text, usize::MAX);
    } else {
        out.push_str(text);
    }
}

/// YAML would take a part of the text for a key or a comment.
fn ends_early(text: &str) -> bool {
    text.contains(": ") || text.contains(" #")
}
