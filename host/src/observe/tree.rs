//! An observation as a tree: the page library's columns, frame by frame, with child frames under their elements.

use std::collections::HashMap;

use bsk_protocol::ids::{FrameNumber, Ref};
use serde::Deserialize;

/// One frame's observation as the page library sends it (extension/page/types.d.ts, `Observation`).
#[derive(Debug, Deserialize)]
pub(super) struct Columns {
    url: String,
    title: String,
    ready_state: String,
    viewport: Size,
    scroll: Scroll,
    unexplored: u32,
    strings: Vec<String>,
    nodes: NodeColumns,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Size {
    width: f64,
    height: f64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Scroll {
    y: f64,
    max_y: f64,
}

#[derive(Debug, Deserialize)]
struct NodeColumns {
    depth: Vec<u32>,
    role: Vec<i32>,
    name: Vec<i32>,
    value: Vec<i32>,
    description: Vec<i32>,
    states: Vec<i32>,
    #[serde(rename = "ref")]
    refs: Vec<u32>,
}

impl Columns {
    /// Whether every column has a row for every node and every text exists.
    pub(super) fn is_consistent(&self) -> bool {
        let NodeColumns { depth, role, name, value, description, states, refs } = &self.nodes;
        let rows = depth.len();
        let texts = [role, name, value, description, states];
        texts.iter().all(|column| column.len() == rows)
            && refs.len() == rows
            && texts.iter().all(|column| {
                column
                    .iter()
                    .all(|&index| index == -1 || usize::try_from(index).is_ok_and(|i| i < self.strings.len()))
            })
    }

    /// How many elements may hold a closed shadow root that was not looked into yet.
    pub(super) fn unexplored(&self) -> u32 {
        self.unexplored
    }

    fn text(&self, index: i32) -> Option<&str> {
        self.strings.get(usize::try_from(index).ok()?).map(String::as_str)
    }
}

/// A frame's nodes and the frames below them.
#[derive(Debug)]
pub(super) struct Tree {
    columns: Columns,
    frame: FrameNumber,
    /// Child frames by the row of their element.
    children: HashMap<usize, Tree>,
}

/// What the first line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page<'a> {
    pub(super) url: &'a str,
    pub(super) title: &'a str,
    pub(super) is_loading: bool,
    pub(super) viewport: (f64, f64),
    pub(super) scroll_y: f64,
    pub(super) scroll_max_y: f64,
}

/// One line's worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) depth: u32,
    pub(super) role: &'a str,
    pub(super) name: Option<&'a str>,
    pub(super) value: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    /// Comma-separated.
    pub(super) states: Option<&'a str>,
    pub(super) handle: Option<Ref>,
}

impl Tree {
    /// The observation of one frame.
    pub(super) fn new(columns: Columns, frame: FrameNumber) -> Self {
        Self { columns, frame, children: HashMap::new() }
    }

    /// Whether there are frames to look into.
    pub(super) fn has_frames(&self) -> bool {
        (0..self.columns.nodes.depth.len()).any(|row| self.is_frame(row))
    }

    fn is_frame(&self, row: usize) -> bool {
        self.columns.text(self.columns.nodes.role[row]) == Some("iframe")
    }

    /// Hangs the frames that were seen, by (parent frame, ref number of the element), under their elements.
    pub(super) fn graft(&mut self, seen: &mut HashMap<(FrameNumber, u32), Tree>) {
        for row in 0..self.columns.nodes.depth.len() {
            if !self.is_frame(row) {
                continue;
            }
            if let Some(mut child) = seen.remove(&(self.frame, self.columns.nodes.refs[row])) {
                child.graft(seen);
                self.children.insert(row, child);
            }
        }
    }

    /// The page's own facts.
    pub(super) fn page(&self) -> Page<'_> {
        let Columns { url, title, ready_state, viewport, scroll, .. } = &self.columns;
        Page {
            url,
            title,
            is_loading: ready_state == "loading",
            viewport: (viewport.width, viewport.height),
            scroll_y: scroll.y,
            scroll_max_y: scroll.max_y,
        }
    }

    /// Calls `visit` with every node in reading order, those of child frames one level below their element.
    pub(super) fn walk<'a>(&'a self, visit: &mut impl FnMut(Node<'a>)) {
        self.walk_from(0, visit);
    }

    fn walk_from<'a>(&'a self, base: u32, visit: &mut impl FnMut(Node<'a>)) {
        let nodes = &self.columns.nodes;
        for row in 0..nodes.depth.len() {
            let depth = base.saturating_add(nodes.depth[row]);
            let number = nodes.refs[row];
            visit(Node {
                depth,
                role: self.columns.text(nodes.role[row]).unwrap_or("generic"),
                name: self.columns.text(nodes.name[row]),
                value: self.columns.text(nodes.value[row]),
                description: self.columns.text(nodes.description[row]),
                states: self.columns.text(nodes.states[row]),
                handle: (number != 0).then_some(Ref { frame: self.frame, number }),
            });
            if let Some(child) = self.children.get(&row) {
                child.walk_from(depth.saturating_add(1), visit);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A frame's tree from rows of (depth, role, name, value, states, ref).
    pub(in super::super) fn tree(frame: u32, rows: &[(u32, &str, &str, &str, &str, u32)]) -> Tree {
        let mut strings = Vec::new();
        let mut index = |text: &str| {
            if text.is_empty() {
                return -1;
            }
            strings.push(text.to_owned());
            i32::try_from(strings.len() - 1).unwrap()
        };
        let nodes = NodeColumns {
            depth: rows.iter().map(|row| row.0).collect(),
            role: rows.iter().map(|row| index(row.1)).collect(),
            name: rows.iter().map(|row| index(row.2)).collect(),
            value: rows.iter().map(|row| index(row.3)).collect(),
            description: rows.iter().map(|_| -1).collect(),
            states: rows.iter().map(|row| index(row.4)).collect(),
            refs: rows.iter().map(|row| row.5).collect(),
        };
        let columns = Columns {
            url: "http://a.test/".into(),
            title: "A".into(),
            ready_state: "complete".into(),
            viewport: Size { width: 800.0, height: 600.0 },
            scroll: Scroll { y: 0.0, max_y: 0.0 },
            unexplored: 0,
            strings,
            nodes,
        };
        assert!(columns.is_consistent());
        Tree::new(columns, FrameNumber(frame))
    }

    #[test]
    fn frames_hang_below_their_elements_at_any_depth() {
        let mut main = tree(
            0,
            &[(0, "main", "", "", "", 0), (1, "iframe", "ad", "", "", 4), (0, "text", "end", "", "", 0)],
        );
        let mut seen = HashMap::new();
        seen.insert((FrameNumber(0), 4), tree(1, &[(0, "iframe", "", "", "", 2)]));
        seen.insert((FrameNumber(1), 2), tree(2, &[(0, "button", "Deep", "", "", 7)]));
        main.graft(&mut seen);
        let mut lines = Vec::new();
        main.walk(&mut |node| {
            lines.push((node.depth, node.role.to_owned(), node.handle.map(|r| r.to_string())));
        });
        let line =
            |depth, role: &str, handle: Option<&str>| (depth, role.to_owned(), handle.map(str::to_owned));
        assert_eq!(
            lines,
            [
                line(0, "main", None),
                line(1, "iframe", Some("@e4")),
                line(2, "iframe", Some("@f1e2")),
                line(3, "button", Some("@f2e7")),
                line(0, "text", None),
            ]
        );
    }

    #[test]
    fn columns_that_do_not_fit_together_are_noticed() {
        let mut broken = tree(0, &[(0, "main", "", "", "", 0)]).columns;
        broken.nodes.refs.push(1);
        assert!(!broken.is_consistent());
        let mut dangling = tree(0, &[(0, "main", "", "", "", 0)]).columns;
        dangling.nodes.name[0] = 99;
        assert!(!dangling.is_consistent());
    }
}
