//! Golden tests: outlines of pages go in as the columns that a page would send, and exact text comes out.
//!
//! An outline has a node a line, two spaces a level: `@4 button Edit {pressed; value=x; place=2}`. Every text that comes out
//! of [`look`] and its like is also parsed with the grammar of docs/observation.md.

mod budgets;
mod diffs;
mod find;
mod folding;
mod frames;
mod grammar;
mod hostile;
mod speed;

use std::collections::HashMap;

use bsk_protocol::ids::FrameNumber;
use bsk_protocol::local::ObserveArgs;
use serde_json::{Value, json};

use super::assemble::{Child, Mapping, Seen};
use super::budget::{self, Shown, Wish, bytes_of};
use super::columns::Columns;
use super::lines::Lines;
use super::tree::Tree;
use super::{View, header, json as json_tree};

/// The columns of an outline.
pub(super) fn columns(outline: &str) -> Value {
    let mut strings = vec![String::new()];
    let mut known: HashMap<String, usize> = HashMap::from([(String::new(), 0)]);
    let mut index = |text: &str| {
        *known.entry(text.to_owned()).or_insert_with(|| {
            strings.push(text.to_owned());
            strings.len() - 1
        })
    };
    let (mut depth, mut role, mut name, mut refs) = (vec![], vec![], vec![], vec![]);
    let (mut place, mut boxes, mut frames) = (String::new(), vec![], vec![]);
    let (mut value, mut description, mut states, mut link) = (vec![], vec![], vec![], vec![]);
    for (row, line) in outline.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let body = line.trim_start_matches(' ');
        depth.push((line.len() - body.len()) / 2);
        let (body, extras) = body.strip_suffix('}').and_then(|b| b.rsplit_once(" {")).unwrap_or((body, ""));
        let (number, body) = match body.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((number, rest)) => (number.parse().unwrap(), rest),
            None => (0_u32, body),
        };
        refs.push(number);
        let (its_role, its_name) = body.split_once(' ').unwrap_or((body, ""));
        role.push(index(its_role));
        name.push(index(its_name));
        let (mut its_place, mut its_box, mut its_states) = ("0", [0.0; 4], Vec::new());
        for extra in extras.split("; ").filter(|extra| !extra.is_empty()) {
            let mut pair = |column: &mut Vec<usize>, text: &str| column.extend([row, index(text)]);
            match extra.split_once('=') {
                Some(("value", text)) => pair(&mut value, text),
                Some(("description", text)) => pair(&mut description, text),
                Some(("link", text)) => pair(&mut link, text),
                Some(("place", digit)) => its_place = digit,
                Some(("box", numbers)) => its_box = numbers_of(numbers),
                Some(("content", numbers)) => {
                    frames.push(json!(row));
                    frames.extend(numbers_of(numbers).map(|number| json!(number)));
                }
                _ => its_states.push(extra.to_owned()),
            }
        }
        if !its_states.is_empty() {
            states.extend([row, index(&its_states.join("\n"))]);
        }
        place.push_str(its_place);
        boxes.extend(its_box);
    }
    json!({
        "url": "http://a.test/", "title": "A", "ready_state": "complete",
        "viewport": { "width": 800, "height": 600 }, "scroll": { "x": 0, "y": 0, "max_x": 0, "max_y": 0 },
        "device_pixel_ratio": 1, "partial": false, "unexplored": 0, "strings": strings, "frames": frames,
        "nodes": {
            "depth": depth, "role": role, "name": name, "ref": refs, "place": place, "value": value,
            "description": description, "states": states, "link": link, "box": boxes,
        },
    })
}

fn numbers_of(text: &str) -> [f64; 4] {
    let numbers: Vec<f64> = text.split(',').map(|number| number.trim().parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// One frame's observation.
pub(super) fn seen(frame: u32, columns: &Value, children: Vec<(u32, Child)>) -> Seen {
    let columns = Columns::read(&columns.to_string()).unwrap();
    Seen { frame: FrameNumber(frame), columns, children: children.into_iter().collect() }
}

/// The tree of a page without frames.
pub(super) fn tree(outline: &str) -> Tree {
    Tree::assemble(seen(0, &columns(outline), vec![]), Mapping::IDENTITY, true)
}

/// What `observe` or `snapshot` shows of a tree, as the command does, and its lines.
pub(super) fn show(tree: &Tree, view: View, tokens: Option<u32>, from: usize) -> (Shown, Lines) {
    let (lines, too_deep) = view.lines(tree);
    let header = header::line(&tree.page, tree.is_partial);
    let shown = budget::show(&Wish {
        tree,
        lines: &lines,
        header: &header,
        room: tokens.map_or(usize::MAX, bytes_of),
        from,
        observation: (!view.is_snapshot).then_some(3),
        too_deep,
        has_dividers: !view.is_snapshot && !view.is_viewport,
    });
    if tokens.is_none_or(|tokens| tokens > 100) && !view.is_snapshot {
        grammar::check(&shown.text);
    }
    (shown, lines)
}

/// The text after the first line.
pub(super) fn body(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

/// An outline in, the lines after the first out.
#[track_caller]
pub(super) fn check(outline: &str, args: &ObserveArgs, expected: &str) {
    let (shown, _) = show(&tree(outline), View::observe(args), args.max_tokens, 0);
    assert_eq!(body(&shown.text), expected);
}

/// As [`check`], for a snapshot.
#[track_caller]
pub(super) fn check_snapshot(outline: &str, expected: &str) {
    let (shown, _) = show(&tree(outline), View::snapshot(&ObserveArgs::default()), None, 0);
    assert_eq!(body(&shown.text), expected);
}

/// The nested nodes that go with what is shown.
pub(super) fn nested(tree: &Tree, args: &ObserveArgs) -> Value {
    let view = View::observe(args);
    let (shown, lines) = show(tree, view, args.max_tokens, 0);
    let tree = json_tree::nested(tree, &lines, &shown.lines, view.style).unwrap();
    serde_json::from_str(tree.get()).unwrap()
}

pub(super) fn default() -> ObserveArgs {
    ObserveArgs::default()
}
