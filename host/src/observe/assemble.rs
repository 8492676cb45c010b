//! From the answers of all frames to one tree: rows become nodes, child frames hang below their elements, boxes and places are
//! told for the tab's viewport.
//!
//! Depths that a page made up become a proper tree; texts of all frames are kept in one list.

use std::collections::HashMap;

use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::FrameQuad;

use super::columns::{Columns, NodeColumns, Rect, Size};
use super::kind::Kind;
use super::texts::{Shift, Text, Texts};
use super::tree::{NOBODY, Node, Page, Place, Tree};

/// One frame's observation and what became of the frames in it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) frame: FrameNumber,
    pub(super) columns: Columns,
    /// By the ref number of the frame's element.
    pub(super) children: HashMap<u32, Child>,
}

/// A frame in a frame.
#[derive(Debug)]
pub(super) enum Child {
    Seen(Box<Seen>),
    /// It could not be looked into: the state that its line gets.
    Unseen {
        state: &'static str,
        is_partial: bool,
    },
}

impl Child {
    /// The same for another frame that could not be looked into; one that was seen is no pattern.
    pub(super) fn unseen(&self) -> Self {
        match self {
            Self::Unseen { state, is_partial } => Self::Unseen { state, is_partial: *is_partial },
            Self::Seen(_) => Self::Unseen { state: "loading", is_partial: false },
        }
    }
}

/// How a frame's viewport lies in the tab's: factors and offsets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mapping {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) scale_x: f64,
    pub(super) scale_y: f64,
}

impl Mapping {
    /// Of the tab's own viewport.
    pub(super) const IDENTITY: Self = Self { x: 0.0, y: 0.0, scale_x: 1.0, scale_y: 1.0 };

    fn rect(self, rect: Rect) -> Rect {
        Rect {
            x: self.x + rect.x * self.scale_x,
            y: self.y + rect.y * self.scale_y,
            width: rect.width * self.scale_x,
            height: rect.height * self.scale_y,
        }
    }

    /// Of a frame whose content lies in that quad; what is turned keeps its upright bounds.
    pub(super) fn of_quad(place: &FrameQuad) -> Self {
        let [x1, y1, x2, y2, x3, y3, x4, y4] = place.quad;
        let least = |numbers: [f64; 4]| numbers.into_iter().fold(f64::INFINITY, f64::min);
        let most = |numbers: [f64; 4]| numbers.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let (x, y) = (least([x1, x2, x3, x4]), least([y1, y2, y3, y4]));
        let content = Rect { x, y, width: most([x1, x2, x3, x4]) - x, height: most([y1, y2, y3, y4]) - y };
        Self::IDENTITY.inner(content, Size { width: place.width, height: place.height })
    }

    /// Of a frame whose content box lies at `content` in this one's viewport and whose own viewport has this size.
    fn inner(self, content: Rect, viewport: Size) -> Self {
        let Rect { x, y, width, height } = self.rect(content);
        let scale = |length: f64, own: f64, outer: f64| {
            let scale = length / own;
            if scale.is_finite() && scale > 0.0 { scale } else { outer }
        };
        Self {
            x,
            y,
            scale_x: scale(width, viewport.width, self.scale_x),
            scale_y: scale(height, viewport.height, self.scale_y),
        }
    }
}

impl Tree {
    /// Puts frames together. `mapping` is where the outermost one lies in the tab's viewport; boxes are kept if asked for.
    pub(super) fn assemble(seen: Seen, mapping: Mapping, with_boxes: bool) -> Self {
        let Columns { url, title, ready_state, viewport, scroll, .. } = &seen.columns;
        let visible = |text: &str| {
            let mut texts = Texts::default();
            let text = texts.push(text);
            let text = texts.folded(text);
            texts.get(text).to_owned()
        };
        let page = Page {
            url: visible(url),
            title: visible(title),
            is_loading: ready_state == "loading",
            viewport: *viewport,
            scroll: *scroll,
        };
        let mut tree = Self {
            texts: Texts::default(),
            nodes: Vec::with_capacity(seen.columns.nodes.depth.len()),
            boxes: Vec::new(),
            is_partial: false,
            has_frames: !seen.children.is_empty(),
            page,
        };
        let is_root = true;
        tree.add(seen, Spot { parent: NOBODY, mapping, place: Place::InView, with_boxes, is_root });
        tree.close();
        tree
    }

    fn add(&mut self, seen: Seen, spot: Spot) {
        let Seen { frame, mut columns, mut children } = seen;
        self.is_partial |= columns.partial;
        let shift = if self.texts.len() == 0 {
            self.texts = std::mem::take(&mut columns.strings);
            Shift::default()
        } else {
            let Some(shift) = self.texts.append(&columns.strings) else {
                self.is_partial = true;
                return;
            };
            shift
        };
        let mut rows = self.rows(frame, &columns.nodes, shift);
        let contents: HashMap<usize, Rect> = columns.frames().collect();
        let viewport = self.page.viewport;
        // The open nodes: (depth as the page said, node).
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (row, node) in rows.iter_mut().enumerate() {
            let depth = columns.nodes.depth[row];
            while open.last().is_some_and(|&(outer, _)| outer >= depth) {
                open.pop();
            }
            node.parent = open.last().map_or(spot.parent, |&(_, node)| node);
            let here = u32::try_from(self.nodes.len()).unwrap_or(NOBODY);
            open.push((depth, here));
            let area = area(&columns.nodes.boxes, row).map(|area| spot.mapping.rect(area));
            node.place = spot.place_of(node.place, area, viewport);
            if spot.with_boxes {
                self.boxes.push(area.map_or([0.0; 4], |area| {
                    [area.x as f32, area.y as f32, area.width as f32, area.height as f32]
                }));
            }
            let child = (node.kind == Kind::Frame).then(|| children.remove(&node.number)).flatten();
            self.nodes.push(*node);
            match child {
                Some(Child::Seen(child)) => {
                    if child.columns.ready_state == "loading" {
                        self.add_state(here, "loading");
                    }
                    let content = contents.get(&row).copied().unwrap_or_default();
                    let mapping = spot.mapping.inner(content, child.columns.viewport);
                    let place = node.place;
                    self.add(*child, Spot { parent: here, mapping, place, is_root: false, ..spot });
                }
                Some(Child::Unseen { state, is_partial }) => {
                    self.is_partial |= is_partial;
                    self.add_state(here, state);
                }
                None => {}
            }
        }
    }

    /// The nodes of one frame, without their relations.
    fn rows(&mut self, frame: FrameNumber, nodes: &NodeColumns, shift: Shift) -> Vec<Node> {
        let mut kinds: HashMap<u32, Kind> = HashMap::new();
        let places = nodes.place.bytes();
        let columns = nodes.role.iter().zip(&nodes.name).zip(&nodes.refs).zip(places);
        let mut rows: Vec<Node> = Vec::with_capacity(nodes.depth.len());
        let mut last_role = (u32::MAX, Kind::Other);
        for (((&role, &name), &number), place) in columns {
            let role_text = self.text(role, shift);
            if last_role.0 != role {
                let kind = kinds.entry(role).or_insert_with(|| Kind::of(self.texts.get(role_text)));
                last_role = (role, *kind);
            }
            rows.push(Node {
                parent: NOBODY,
                end: 0,
                kind: last_role.1,
                place: Place::of_digit(place),
                role: role_text,
                name: self.folded(name, shift),
                value: Text::NONE,
                description: Text::NONE,
                states: Text::NONE,
                link: Text::NONE,
                frame,
                number,
            });
        }
        for &[row, text] in nodes.value.as_chunks::<2>().0 {
            rows[row as usize].value = self.folded(text, shift);
        }
        for &[row, text] in nodes.description.as_chunks::<2>().0 {
            rows[row as usize].description = self.folded(text, shift);
        }
        for &[row, text] in nodes.states.as_chunks::<2>().0 {
            rows[row as usize].states = self.text(text, shift);
        }
        for &[row, text] in nodes.link.as_chunks::<2>().0 {
            rows[row as usize].link = self.folded(text, shift);
        }
        rows
    }

    /// A text by its number in the frame's list; nothing where nothing of it is left to see.
    fn text(&self, index: u32, shift: Shift) -> Text {
        let text = self.texts.nth(index).map_or(Text::NONE, |text| shift.of(text));
        if self.texts.get(text).is_empty() { Text::NONE } else { text }
    }

    fn folded(&mut self, index: u32, shift: Shift) -> Text {
        let text = self.text(index, shift);
        self.texts.folded(text)
    }

    /// Finds where each node ends.
    fn close(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            node.end = node.end.max(u32::try_from(index + 1).unwrap_or(NOBODY));
            let (parent, end) = (node.parent, node.end);
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.end = parent.end.max(end);
            }
        }
    }
}

pub(super) fn area(boxes: &[f32], row: usize) -> Option<Rect> {
    let &[x, y, width, height] = boxes.as_chunks::<4>().0.get(row)?;
    Some(Rect { x: x.into(), y: y.into(), width: width.into(), height: height.into() })
}

/// Where a frame's nodes belong.
#[derive(Debug, Clone, Copy)]
struct Spot {
    /// The frame's element.
    parent: u32,
    mapping: Mapping,
    /// The element's place.
    place: Place,
    with_boxes: bool,
    /// Whether it is the outermost frame, whose places are right as they are.
    is_root: bool,
}

impl Spot {
    /// The place of a node in the tab, from its place in the frame and its box in the tab's viewport.
    fn place_of(&self, own: Place, area: Option<Rect>, viewport: Size) -> Place {
        if self.is_root || own == Place::Nowhere {
            return own;
        }
        match self.place {
            Place::InView | Place::Nowhere => {}
            Place::Above | Place::Below | Place::Beside => return self.place,
        }
        let Some(area) = area.filter(|_| own == Place::InView) else { return own };
        // What has no size is where it stands, also at the very edge.
        let is_before = |end: f64, length: f64| end < 0.0 || end == 0.0 && length > 0.0;
        if is_before(area.y + area.height, area.height) {
            Place::Above
        } else if area.y >= viewport.height {
            Place::Below
        } else if is_before(area.x + area.width, area.width) || area.x >= viewport.width {
            Place::Beside
        } else {
            Place::InView
        }
    }
}
