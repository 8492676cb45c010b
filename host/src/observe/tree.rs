//! The observation as one tree: all frames' nodes in reading order, child frames below their elements.
//!
//! Nodes are a flat list; a node's children are the nodes up to its `end` whose `parent` it is. How it comes together from the
//! answers of the frames is in [`super::assemble`].

use bsk_protocol::ids::{FrameNumber, Ref};

use super::assemble::area;
use super::columns::{Rect, Scroll, Size};
use super::kind::Kind;
use super::texts::{Text, Texts};

/// Stands for no node.
pub(super) const NOBODY: u32 = u32::MAX;

/// Where a node is, seen from the viewport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    InView,
    Above,
    Below,
    /// Left or right of it, or scrolled out of its container sideways.
    Beside,
    /// It has none of its own.
    Nowhere,
}

impl Place {
    pub(super) fn of_digit(digit: u8) -> Self {
        match digit {
            b'0' => Self::InView,
            b'1' => Self::Above,
            b'2' => Self::Below,
            b'3' => Self::Beside,
            // The check of the columns lets only digits up to 4 through.
            _ => Self::Nowhere,
        }
    }
}

/// One node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The node it is in, or [`NOBODY`].
    pub(super) parent: u32,
    /// The node after its last descendant.
    pub(super) end: u32,
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) role: Text,
    /// Of a text the text itself.
    pub(super) name: Text,
    pub(super) value: Text,
    pub(super) description: Text,
    /// Joined by line breaks.
    pub(super) states: Text,
    pub(super) link: Text,
    pub(super) frame: FrameNumber,
    pub(super) number: u32,
}

impl Node {
    /// What people and commands call it by.
    pub(super) fn handle(&self) -> Option<Ref> {
        (self.number != 0).then_some(Ref { frame: self.frame, number: self.number })
    }

    /// Whether it can be acted on.
    pub(super) fn has_ref(&self) -> bool {
        self.number != 0
    }

    /// Whether its role and what is in it are all there is to it.
    pub(super) fn is_bare(&self) -> bool {
        self.number == 0
            && self.name.is_none()
            && self.value.is_none()
            && self.description.is_none()
            && self.link.is_none()
    }
}

/// What the first line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) is_loading: bool,
    pub(super) viewport: Size,
    pub(super) scroll: Scroll,
}

/// The whole observation.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) page: Page,
    pub(super) texts: Texts,
    pub(super) nodes: Vec<Node>,
    /// Boxes in the tab's viewport, one a node, or none at all.
    pub(super) boxes: Vec<[f32; 4]>,
    /// Whether a frame did not tell everything.
    pub(super) is_partial: bool,
    /// Whether there are nodes of more than one frame, whose equal texts have several numbers.
    pub(super) has_frames: bool,
}

impl Tree {
    pub(super) fn add_state(&mut self, node: u32, state: &str) {
        let before = self.nodes[node as usize].states;
        let states = [self.texts.get(before), state].join(if before.is_none() { "" } else { "\n" });
        self.nodes[node as usize].states = self.texts.push(&states);
    }

    /// Takes back the states of a node that begin so.
    pub(super) fn drop_states(&mut self, node: u32, start: &str) {
        let kept: Vec<&str> = self.states(node).filter(|state| !state.starts_with(start)).collect();
        let kept = kept.join("\n");
        self.nodes[node as usize].states = if kept.is_empty() { Text::NONE } else { self.texts.push(&kept) };
    }

    /// Names a node that the page gave no name.
    pub(super) fn set_name(&mut self, node: u32, name: &str) {
        self.nodes[node as usize].name = self.texts.push(name);
    }

    /// Makes a node one that can be acted on.
    pub(super) fn set_ref_number(&mut self, node: u32, number: u32) {
        self.nodes[node as usize].number = number;
    }

    /// The box of a node in the tab's viewport, where boxes were asked for.
    pub(super) fn area(&self, node: u32) -> Option<Rect> {
        area(self.boxes.as_flattened(), node as usize)
    }

    /// A node by its number.
    pub(super) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The nodes directly in a node.
    pub(super) fn children(&self, index: u32) -> impl Iterator<Item = u32> {
        let end = self.node(index).end;
        let mut next = index + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.node(child).end;
                child
            })
        })
    }

    /// The one node directly in a node, if it is the only one.
    pub(super) fn only_child(&self, index: u32) -> Option<u32> {
        let end = self.node(index).end;
        (index + 1 < end && self.node(index + 1).end == end).then_some(index + 1)
    }

    /// The states of a node.
    pub(super) fn states(&self, index: u32) -> impl Iterator<Item = &str> {
        self.texts.get(self.node(index).states).split('\n').filter(|state| !state.is_empty())
    }
}
