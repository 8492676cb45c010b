//! Going through a tree in reading order, knowing what each node is in: the line, the depth, and what is inherited.
//!
//! There is no recursion: a page may nest as deep as it likes.

use super::kind::Kind;
use super::lines::{KindOfLine, Line, Lines, Traits};
use super::tree::{NOBODY, Place, Tree};
use super::write::Shape;

/// Deepest indentation: deeper lines stand there, so that a page cannot make the text grow with the square of its depth.
const DEEPEST: u32 = 100;

/// An open container.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    end: u32,
    /// Of the lines in it.
    pub(super) depth: u32,
    /// The line of it, or of the nearest container around it that has one.
    pub(super) parent: u32,
    pub(super) inside: Inside,
    is_urgent: bool,
    is_inert: bool,
    is_in_view: bool,
    /// A combobox that is not open.
    is_closed: bool,
    /// In a row that is one line.
    is_in_row: bool,
}

/// Whether the texts of a container are told elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    Anything,
    /// A row in one line: its cells are no lines.
    Row,
    /// A cell of such a row: its texts are in the row's line.
    Cell,
}

/// The way through a tree.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    tree: &'a Tree,
    /// The outermost is the page.
    around: Vec<Open>,
    innermost: Open,
}

impl<'a> Walk<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        let page = Open {
            end: NOBODY,
            depth: 0,
            parent: NOBODY,
            inside: Inside::Anything,
            is_urgent: false,
            is_inert: false,
            is_in_view: true,
            is_closed: false,
            is_in_row: false,
        };
        Self { tree, around: Vec::new(), innermost: page }
    }

    /// Calls `take` with each node; where it says so with what is in it, else with what follows it.
    pub(super) fn run(mut self, mut take: impl FnMut(&mut Self, u32) -> bool) {
        let mut index = 0;
        while let Some(node) = self.tree.nodes.get(index as usize) {
            while self.innermost.end <= index {
                let Some(outer) = self.around.pop() else { break };
                self.innermost = outer;
            }
            index = if take(&mut self, index) { index + 1 } else { node.end };
        }
    }

    /// What the node at hand is in.
    pub(super) fn outer(&self) -> Open {
        self.innermost
    }

    /// Looks at what is in a node that is no line itself.
    pub(super) fn enter(&mut self, index: u32, inside: Inside) -> bool {
        let is_in_view = self.is_in_view(index);
        let end = self.tree.node(index).end;
        self.open(Open { end, inside, is_in_view, is_closed: false, ..self.innermost });
        true
    }

    /// Looks at what is in a node that is a line.
    pub(super) fn descend(&mut self, index: u32, line: u32, inside: Inside) {
        let node = self.tree.node(index);
        let outer = self.innermost;
        let states = States::of(self.tree, index);
        self.open(Open {
            end: node.end,
            depth: (outer.depth + 1).min(DEEPEST),
            parent: line,
            inside,
            is_urgent: outer.is_urgent || states.is_modal || node.kind == Kind::Alert,
            // A modal dialog is what makes everything else inert.
            is_inert: (outer.is_inert && !states.is_modal) || states.is_inert,
            is_in_view: self.is_in_view(index),
            is_closed: node.kind == Kind::Combobox && !states.is_expanded,
            is_in_row: outer.is_in_row || inside == Inside::Row,
        });
    }

    fn open(&mut self, open: Open) {
        self.around.push(std::mem::replace(&mut self.innermost, open));
    }

    fn is_in_view(&self, index: u32) -> bool {
        match self.tree.node(index).place {
            Place::InView => true,
            Place::Above | Place::Below | Place::Beside => false,
            Place::Nowhere => self.innermost.is_in_view,
        }
    }

    /// Adds the line of a node.
    pub(super) fn emit(
        &self,
        lines: &mut Lines,
        index: u32,
        shape: Shape,
        write: impl FnOnce(&mut String),
    ) -> u32 {
        // A wide table would have a divider for each row, in and out of the view again.
        let own = self.tree.node(index).place;
        let place = if own == Place::Beside && self.innermost.is_in_row { Place::Nowhere } else { own };
        let line = Line::of(
            index,
            shape,
            place,
            self.innermost.parent,
            self.innermost.depth,
            self.traits(index, shape),
        );
        lines.add(line, write)
    }

    /// What decides how much the line of a node matters.
    pub(super) fn traits(&self, index: u32, shape: Shape) -> Traits {
        let node = self.tree.node(index);
        let outer = self.innermost;
        let states = States::of(self.tree, index);
        let is_options = shape == Shape::Options;
        let has_words = matches!(shape, Shape::Merged | Shape::Row | Shape::Options) || !node.name.is_none();
        let has_ref = node.has_ref() && !is_options;
        Traits {
            is_urgent: outer.is_urgent || states.is_modal || states.is_focused || node.kind == Kind::Alert,
            is_inert: (outer.is_inert && !states.is_modal) || states.is_inert,
            is_covered: states.is_covered,
            is_in_view: self.is_in_view(index),
            is_folded_away: outer.is_closed && (node.kind == Kind::Option || is_options),
            has_ref,
            kind: if has_ref && node.kind == Kind::Link {
                KindOfLine::Link
            } else if node.kind.is_landmark_or_heading() {
                KindOfLine::Landmark
            } else if has_ref && node.kind != Kind::Frame {
                KindOfLine::Control
            } else if has_words {
                KindOfLine::Words
            } else {
                KindOfLine::Rest
            },
        }
    }
}

/// The states that decide how much a line matters.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
struct States {
    is_focused: bool,
    is_modal: bool,
    is_inert: bool,
    is_covered: bool,
    is_expanded: bool,
}

impl States {
    fn of(tree: &Tree, index: u32) -> Self {
        let mut states = Self::default();
        if tree.node(index).states.is_none() {
            return states;
        }
        for state in tree.states(index) {
            match state {
                "focused" => states.is_focused = true,
                "modal" => states.is_modal = true,
                "inert" => states.is_inert = true,
                "expanded" => states.is_expanded = true,
                _ if state.starts_with("covered") => states.is_covered = true,
                _ => {}
            }
        }
        states
    }
}
