//! From nodes to the lines of `observe`: what is folded together and what is dropped.
//!
//! Tables become one line a row, with what can be acted on in it below; a container with nothing but a text becomes one line
//! with it; row groups and list items around a single control are no lines; a text that only repeats the name of what it is
//! in is dropped.

use super::context;
use super::kind::Kind;
use super::lines::Lines;
use super::tree::{NOBODY, Tree};
use super::walk::{Inside, Walk};
use super::write::{self, Shape, Style};

/// The observation's lines.
pub(super) fn fold(tree: &Tree, style: Style) -> Lines {
    let mut lines = Lines::for_tree(tree);
    lines.contexts = context::find(tree);
    let mut folder = Folder { tree, style, lines };
    Walk::new(tree).run(|walk, index| folder.take(walk, index));
    folder.lines
}

struct Folder<'a> {
    tree: &'a Tree,
    style: Style,
    lines: Lines,
}

impl Folder<'_> {
    /// Writes a node's line, if it has one, and tells whether what is in it is to be looked at.
    fn take(&mut self, walk: &mut Walk<'_>, index: u32) -> bool {
        let tree = self.tree;
        let node = tree.node(index);
        let inside = walk.outer().inside;
        match (inside, node.kind) {
            (Inside::Row, kind) if kind.is_cell() => return walk.enter(index, Inside::Cell),
            (Inside::Cell, Kind::Text) if write::is_cell_text(tree, index) => return false,
            // Only in a row in one line is there a column to keep.
            (_, kind)
                if kind.is_cell() && node.is_bare() && node.states.is_none() && node.end == index + 1 =>
            {
                return false;
            }
            (_, Kind::RowGroup) if node.is_bare() => return walk.enter(index, inside),
            (_, Kind::ListItem) if self.holds_one_control(index) => {
                return walk.enter(index, Inside::Anything);
            }
            (_, Kind::List) if node.is_bare() && node.states.is_none() && self.is_alone(index) => {
                return walk.enter(index, inside);
            }
            (_, Kind::Text) if self.is_said_beside(index) => return false,
            (_, Kind::Caption) if self.repeats_its_table(index) => return false,
            (_, Kind::Row) if self.is_one_line(index) => return self.row(walk, index),
            (_, Kind::Combobox) if self.holds_options_only(index) => {
                let line = self.emit(walk, index, Shape::Node);
                walk.descend(index, line, Inside::Anything);
                self.emit(walk, index, Shape::Options);
                return false;
            }
            (_, Kind::Frame) => {}
            (Inside::Anything | Inside::Row | Inside::Cell, _) => {
                let only_text = tree.only_child(index).filter(|&child| write::is_cell_text(tree, child));
                if let Some(text) = only_text.map(|text| tree.texts.get(tree.node(text).name)) {
                    if tree.texts.get(node.name) == text {
                        self.emit(walk, index, Shape::Node);
                        return false;
                    }
                    if node.is_bare() {
                        self.emit(walk, index, Shape::Merged);
                        return false;
                    }
                }
            }
        }
        let line = self.emit(walk, index, Shape::Node);
        let has_children = node.end > index + 1;
        if has_children {
            walk.descend(index, line, Inside::Anything);
        }
        has_children
    }

    /// A row whose cells' texts are in its line. One without texts and without anything below is no line.
    fn row(&mut self, walk: &mut Walk<'_>, row: u32) -> bool {
        let tree = self.tree;
        let (mut has_text, mut has_more) = (false, false);
        for child in tree.children(row) {
            if !tree.node(child).kind.is_cell() {
                has_more = true;
                continue;
            }
            has_text |= !tree.node(child).name.is_none();
            for part in tree.children(child) {
                let is_text = write::is_cell_text(tree, part);
                has_text |= is_text;
                has_more |= !is_text;
            }
        }
        let node = tree.node(row);
        if !has_more && !has_text && node.is_bare() && node.states.is_none() {
            return false;
        }
        let line = self.emit(walk, row, Shape::Row);
        if has_more {
            walk.descend(row, line, Inside::Row);
        }
        has_more
    }

    fn emit(&mut self, walk: &Walk<'_>, index: u32, shape: Shape) -> u32 {
        let (tree, style) = (self.tree, self.style);
        let context = self.lines.contexts.get(index as usize).copied().unwrap_or_default();
        walk.emit(&mut self.lines, index, shape, |out| write::line(out, tree, index, shape, context, style))
    }

    /// A list item around one thing that can be acted on: the thing is the line.
    fn holds_one_control(&self, index: u32) -> bool {
        let node = self.tree.node(index);
        let child = self.tree.only_child(index).map(|child| self.tree.node(child));
        node.is_bare()
            && node.states.is_none()
            && child.is_some_and(|child| child.has_ref() && child.kind != Kind::Frame)
    }

    /// All that its container holds, so that it says nothing that the container does not.
    fn is_alone(&self, index: u32) -> bool {
        let parent = self.tree.node(index).parent;
        parent != NOBODY && self.tree.only_child(parent) == Some(index)
    }

    /// A text that is the name of what it is in or of the control right before it, such as a link spread over a card.
    fn is_said_beside(&self, index: u32) -> bool {
        let tree = self.tree;
        let node = tree.node(index);
        if node.has_ref() || !node.states.is_none() {
            return false;
        }
        let text = tree.texts.get(node.name);
        let says_it = |other: u32| tree.texts.get(tree.node(other).name) == text;
        let before = index.checked_sub(1).filter(|&before| tree.node(before).has_ref());
        before.is_some_and(says_it) || node.parent != NOBODY && says_it(node.parent)
    }

    /// A select whose options are told in one line.
    fn holds_options_only(&self, index: u32) -> bool {
        let tree = self.tree;
        let inside = index + 1..tree.node(index).end;
        let is_part = |index| matches!(tree.node(index).kind, Kind::Option | Kind::Group);
        !self.style.is_unbounded() && !inside.is_empty() && inside.into_iter().all(is_part)
    }

    /// The caption that names its table is said already.
    fn repeats_its_table(&self, index: u32) -> bool {
        let tree = self.tree;
        let node = tree.node(index);
        if node.parent == NOBODY || node.has_ref() {
            return false;
        }
        let name = tree.texts.get(tree.node(node.parent).name);
        let own = match tree.only_child(index).filter(|&child| write::is_cell_text(tree, child)) {
            Some(text) => tree.texts.get(tree.node(text).name),
            None if node.end == index + 1 => tree.texts.get(node.name),
            None => return false,
        };
        !name.is_empty() && own == name
    }

    /// Whether no cell of the row can be acted on.
    fn is_one_line(&self, row: u32) -> bool {
        let tree = self.tree;
        let node = tree.node(row);
        let cells = || tree.children(row).filter(|&child| tree.node(child).kind.is_cell());
        node.value.is_none()
            && node.description.is_none()
            && node.link.is_none()
            && cells().next().is_some()
            && cells().all(|cell| !tree.node(cell).has_ref())
    }
}
