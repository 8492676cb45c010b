//! The lines of an observation: their text, what each is in, and what decides how much it matters.
//!
//! The text of all lines is in one piece, without indentation, so that budget, search and comparison only ever look at slices
//! of it. How lines come to be is in [`super::fold`] and [`super::snapshot`].

use super::context::Context;
use super::tree::{NOBODY, Place, Tree};
use super::write::Shape;

/// One line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Where its text is in [`Lines::text`].
    start: u32,
    end: u32,
    /// The node it tells of.
    pub(super) node: u32,
    /// The line it is in, or [`NOBODY`].
    pub(super) parent: u32,
    pub(super) depth: u32,
    pub(super) shape: Shape,
    /// As the page said: a line of [`Place::Nowhere`] stands wherever its neighbours do.
    pub(super) place: Place,
    pub(super) traits: Traits,
}

/// What decides how much a line matters.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Traits {
    /// In an open modal dialog, in an alert, or focused.
    pub(super) is_urgent: bool,
    pub(super) is_inert: bool,
    pub(super) is_covered: bool,
    /// Its own place, or where it has none that of what it is in.
    pub(super) is_in_view: bool,
    /// An option of a select that is not open.
    pub(super) is_folded_away: bool,
    /// Counts as one of the refs shown.
    pub(super) has_ref: bool,
    pub(super) kind: KindOfLine,
}

/// What a line is, as far as its rank goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum KindOfLine {
    Link,
    Control,
    Landmark,
    /// It says something: text, a row, a picture.
    Words,
    #[default]
    Rest,
}

/// All lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// One level of indentation.
    pub(super) level: &'static str,
    /// The lines' texts, one after the other.
    text: String,
    pub(super) all: Vec<Line>,
    /// For every node the text that tells it from its twins.
    pub(super) contexts: Vec<Context>,
}

impl Lines {
    /// No lines yet, with room for those of a tree.
    pub(super) fn for_tree(tree: &Tree) -> Self {
        let mut lines = Self { level: " ", ..Self::default() };
        lines.all.reserve(tree.nodes.len());
        // What a line of a large page takes on average; it grows where that is not enough.
        lines.text.reserve(tree.nodes.len() * 24);
        lines
    }

    /// A line's text, without indentation.
    pub(super) fn text(&self, line: u32) -> &str {
        let Line { start, end, .. } = self.all[line as usize];
        &self.text[start as usize..end as usize]
    }

    /// Bytes of all lines with their indentation and breaks.
    pub(super) fn size(&self) -> usize {
        let size =
            |line: &Line| (line.end - line.start) as usize + line.depth as usize * self.level.len() + 1;
        self.all.iter().map(size).sum()
    }

    /// Writes a line with its indentation.
    pub(super) fn print(&self, out: &mut String, line: u32) {
        self.indent(out, line);
        out.push_str(self.text(line));
        out.push('\n');
    }

    /// Writes the indentation of a line.
    pub(super) fn indent(&self, out: &mut String, line: u32) {
        for _ in 0..self.all[line as usize].depth {
            out.push_str(self.level);
        }
    }

    /// The lines it is in, the innermost first.
    pub(super) fn ancestors(&self, line: u32) -> impl Iterator<Item = u32> {
        let parent = |line: u32| Some(self.all.get(line as usize)?.parent).filter(|&parent| parent != NOBODY);
        std::iter::successors(parent(line), move |&line| parent(line))
    }

    /// Adds a line whose text `write` writes and gives its number, or its parent's when there is no room for more.
    pub(super) fn add(&mut self, line: Line, write: impl FnOnce(&mut String)) -> u32 {
        let start = self.text.len();
        write(&mut self.text);
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(self.text.len())) else {
            // More than four gigabytes of text: the rest of it is not worth an answer.
            self.text.truncate(start);
            return line.parent;
        };
        self.all.push(Line { start, end, ..line });
        u32::try_from(self.all.len() - 1).unwrap_or(NOBODY)
    }

    /// Drops the lines that are not kept; those in a dropped line go one level up, to what it was in.
    pub(super) fn keep(&mut self, is_kept: &[bool]) {
        let mut now: Vec<u32> = Vec::with_capacity(self.all.len());
        let mut kept: Vec<Line> = Vec::new();
        for (line, &is_kept) in self.all.iter().zip(is_kept) {
            let parent = now.get(line.parent as usize).copied().unwrap_or(NOBODY);
            if is_kept {
                now.push(u32::try_from(kept.len()).unwrap_or(NOBODY));
                kept.push(Line { parent, ..*line });
            } else {
                now.push(parent);
            }
        }
        self.all = kept;
    }

    /// The controls only, as a flat list.
    pub(super) fn flatten(&mut self) {
        self.all.retain(|line| line.traits.has_ref);
        for line in &mut self.all {
            (line.parent, line.depth) = (NOBODY, 0);
        }
    }

    /// What is in view and what that is in.
    pub(super) fn keep_view(&mut self) {
        let mut is_kept: Vec<bool> = self.all.iter().map(|line| line.traits.is_in_view).collect();
        for index in (0..self.all.len()).rev() {
            let parent = self.all[index].parent;
            if is_kept[index] && parent != NOBODY {
                is_kept[parent as usize] = true;
            }
        }
        self.keep(&is_kept);
    }

    /// Drops lines deeper than this and tells how many.
    pub(super) fn cut_below(&mut self, deepest: u32) -> usize {
        let before = self.all.len();
        let is_kept: Vec<bool> = self.all.iter().map(|line| line.depth <= deepest).collect();
        self.keep(&is_kept);
        before - self.all.len()
    }
}

impl Line {
    /// The line of a node, still without its text.
    pub(super) fn of(node: u32, shape: Shape, place: Place, parent: u32, depth: u32, traits: Traits) -> Self {
        Self { start: 0, end: 0, node, parent, depth, shape, place, traits }
    }
}
