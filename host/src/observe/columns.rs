//! One frame's observation as the page library sends it: columns with a row for every node, checked before use.
//!
//! The form is extension/page/types.d.ts, `Observation`. It comes from a page's process, so nothing in it is believed: rows
//! and texts that do not exist, columns of other lengths and texts in place of numbers are refused as a whole.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use serde::Deserialize;

use super::texts::Texts;

/// One frame's observation.
#[derive(Debug, Deserialize)]
pub(super) struct Columns {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) ready_state: String,
    pub(super) viewport: Size,
    pub(super) scroll: Scroll,
    /// Whether the walk ran out of its time; the rows up to there are here.
    pub(super) partial: bool,
    /// Elements that may hold a closed shadow root that was not looked into yet.
    pub(super) unexplored: u32,
    pub(super) strings: Texts,
    pub(super) nodes: NodeColumns,
    /// For each frame element its row and its content box in this frame's viewport.
    frames: Vec<f64>,
}

/// CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// How far the page is scrolled down and how far it can be, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Scroll {
    pub(super) y: f64,
    pub(super) max_y: f64,
}

/// A row for every node; texts are numbers into `strings`.
#[derive(Debug, Deserialize)]
pub(super) struct NodeColumns {
    pub(super) depth: Vec<u32>,
    pub(super) role: Vec<u32>,
    pub(super) name: Vec<u32>,
    #[serde(rename = "ref")]
    pub(super) refs: Vec<u32>,
    /// One digit a node ([`super::tree::Place`]).
    pub(super) place: String,
    /// This and the next three: pairs of a row and a text.
    pub(super) value: Vec<u32>,
    pub(super) description: Vec<u32>,
    pub(super) states: Vec<u32>,
    #[serde(default)]
    pub(super) link: Vec<u32>,
    /// Four numbers a node, or none at all.
    #[serde(rename = "box", default)]
    pub(super) boxes: Vec<f32>,
}

/// A rectangle in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Columns {
    /// Reads the page library's answer.
    ///
    /// # Errors
    /// It is no observation, or its columns do not fit together.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let columns: Self = serde_json::from_str(text).map_err(|error| malformed(&kind_of(&error)))?;
        columns.check().map_err(malformed)?;
        Ok(columns)
    }

    fn check(&self) -> Result<(), &'static str> {
        let NodeColumns { depth, role, name, refs, place, value, description, states, link, boxes } =
            &self.nodes;
        let rows = depth.len();
        if [role.len(), name.len(), refs.len(), place.len()].iter().any(|&length| length != rows) {
            return Err("has columns of different lengths");
        }
        if !place.bytes().all(|digit| matches!(digit, b'0'..=b'4')) {
            return Err("has a place that does not exist");
        }
        let is_text = |&index: &u32| (index as usize) < self.strings.len();
        if !role.iter().all(is_text) || !name.iter().all(is_text) {
            return Err("names a text that does not exist");
        }
        for pairs in [value, description, states, link] {
            let (pairs, rest) = pairs.as_chunks::<2>();
            if !rest.is_empty() || !pairs.iter().all(|[row, text]| (*row as usize) < rows && is_text(text)) {
                return Err("names a row or text that does not exist");
            }
        }
        if !boxes.is_empty() && boxes.len() != rows * 4 {
            return Err("has boxes for some of its nodes only");
        }
        let (frames, rest) = self.frames.as_chunks::<5>();
        if !rest.is_empty() || !frames.iter().all(|[row, ..]| row_number(*row).is_some_and(|row| row < rows))
        {
            return Err("names a frame's row that does not exist");
        }
        Ok(())
    }

    /// The rows of frame elements with their content boxes.
    pub(super) fn frames(&self) -> impl Iterator<Item = (usize, Rect)> {
        self.frames
            .as_chunks::<5>()
            .0
            .iter()
            .filter_map(|&[row, x, y, width, height]| Some((row_number(row)?, Rect { x, y, width, height })))
    }
}

/// A row number as JSON's numbers carry it.
fn row_number(number: f64) -> Option<usize> {
    // In this range the conversion is exact; fractions and negative numbers are no rows.
    let is_row = number.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(&number);
    is_row.then_some(number as usize)
}

/// What is wrong, without the text that it may quote (invariant 12).
fn kind_of(error: &serde_json::Error) -> String {
    format!("has an unexpected form ({:?} error at column {})", error.classify(), error.column())
}

fn malformed(what: &str) -> Failure {
    Failure::new(
        ErrorCode::ProtocolError,
        Reason::PageLibraryFailed,
        format!("the page library's observation {what}"),
    )
    .hint("reload the extension so that it fits this host: `bsk doctor` compares the versions")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sound() -> Value {
        json!({
            "url": "http://a.test/", "title": "A", "ready_state": "complete",
            "viewport": { "width": 800, "height": 600.5 }, "scroll": { "x": 0, "y": 0, "max_x": 0, "max_y": 9 },
            "device_pixel_ratio": 2, "partial": false, "unexplored": 0,
            "strings": ["", "main", "iframe", "checked"],
            "nodes": {
                "depth": [0, 1], "role": [1, 2], "name": [0, 0], "ref": [0, 3], "place": "00",
                "value": [], "description": [], "states": [1, 3], "link": [], "box": [0, 0, 9, 9, 1, 1, 2, 2],
            },
            "frames": [1, 0.5, 0, 300, 150],
        })
    }

    #[test]
    fn a_sound_observation_is_read() {
        let columns = Columns::read(&sound().to_string()).unwrap();
        let frames: Vec<_> = columns.frames().collect();
        assert_eq!(frames, [(1, Rect { x: 0.5, y: 0.0, width: 300.0, height: 150.0 })]);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for (pointer, value) in [
            ("/nodes/depth", json!([0])),
            ("/nodes/depth", json!([0, -1])),
            ("/nodes/role", json!([1, 4])),
            ("/nodes/name", json!([0, 4_294_967_295_u32])),
            ("/nodes/ref", json!([0, 1, 2])),
            ("/nodes/place", json!("05")),
            ("/nodes/place", json!("0")),
            ("/nodes/place", json!("é")),
            ("/nodes/value", json!([0])),
            ("/nodes/value", json!([2, 1])),
            ("/nodes/states", json!([0, 99])),
            ("/nodes/box", json!([1])),
            ("/frames", json!([1, 2, 3])),
            ("/frames", json!([2, 0, 0, 1, 1])),
            ("/frames", json!([0.5, 0, 0, 1, 1])),
            ("/frames", json!([-1, 0, 0, 1, 1])),
            ("/frames", json!([1e300, 0, 0, 1, 1])),
            ("/strings", json!(["x"])),
            ("/strings", json!("x")),
            ("/viewport", json!(null)),
            ("/partial", json!(1)),
        ] {
            let mut broken = sound();
            *broken.pointer_mut(pointer).unwrap() = value.clone();
            let failure = Columns::read(&broken.to_string()).expect_err(&format!("{pointer} {value}"));
            assert_eq!(failure.reason, Some(Reason::PageLibraryFailed));
        }
        for text in ["", "[]", "{", "null", "\u{0}"] {
            Columns::read(text).unwrap_err();
        }
    }
}
