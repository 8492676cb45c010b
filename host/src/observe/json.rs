//! The lines that are shown as nested nodes in JSON, for programs.
//!
//! `{"role","name"?,"ref"?,"value"?,"states"?,"description"?,"context"?,"link"?,"box"?,"place"?,"children"?}`; texts are as the
//! lines show them. Written piece by piece, since a page has a hundred thousand nodes and a value each would take a hundred
//! times the memory.

use serde::Serialize;
use serde_json::value::RawValue;

use super::lines::Lines;
use super::texts::Text;
use super::tree::{Place, Tree};
use super::write::{self, Shape, Style};

/// The nodes of some lines, in reading order, each with the lines that are in it.
pub(super) fn nested(tree: &Tree, lines: &Lines, shown: &[u32], style: Style) -> Option<Box<RawValue>> {
    let mut writer = Writer { tree, lines, style, out: vec![b'['], open: Vec::new(), is_first: true };
    for &index in shown.iter().filter(|&&line| lines.all[line as usize].shape != Shape::Property) {
        let line = lines.all[index as usize];
        while writer.open.last().is_some_and(|last| last.line != lines.all[index as usize].parent) {
            writer.close();
        }
        if line.shape == Shape::Options {
            write::options_told(tree, line.node).for_each(|option| writer.option(option));
            continue;
        }
        writer.node(index);
    }
    while !writer.open.is_empty() {
        writer.close();
    }
    writer.out.push(b']');
    RawValue::from_string(String::from_utf8(writer.out).ok()?).ok()
}

struct Writer<'a> {
    tree: &'a Tree,
    lines: &'a Lines,
    style: Style,
    out: Vec<u8>,
    open: Vec<Open>,
    /// Whether nothing stands in the outermost list yet.
    is_first: bool,
}

/// A node that is not closed yet.
struct Open {
    line: u32,
    has_children: bool,
}

impl Writer<'_> {
    /// Begins a node in the list of the innermost open one.
    fn begin(&mut self) {
        let is_first = match self.open.last_mut() {
            Some(open) => !std::mem::replace(&mut open.has_children, true),
            None => std::mem::replace(&mut self.is_first, false),
        };
        match (is_first, self.open.is_empty()) {
            (true, true) => {}
            (true, false) => self.out.extend(b",\"children\":["),
            (false, _) => self.out.push(b','),
        }
    }

    fn close(&mut self) {
        let has_children = self.open.pop().is_some_and(|open| open.has_children);
        self.out.extend(if has_children { b"]}".as_slice() } else { b"}" });
    }

    /// Writes a node, which stays open for its children.
    fn node(&mut self, index: u32) {
        self.begin();
        self.open.push(Open { line: index, has_children: false });
        let tree = self.tree;
        let line = self.lines.all[index as usize];
        let node = *tree.node(line.node);
        self.out.extend(b"{\"role\":");
        self.value(&tree.texts.get(node.role));
        self.text("name", node.name);
        if let Some(handle) = node.handle() {
            self.field("ref", &handle);
        }
        self.text("value", node.value);
        if !node.states.is_none() {
            self.field("states", &tree.states(line.node).collect::<Vec<_>>());
        }
        self.text("description", node.description);
        let context = self.lines.contexts.get(line.node as usize).copied().unwrap_or_default();
        self.text("context", context.text);
        if self.style.links {
            self.text("link", node.link);
        }
        if let Some(area) = tree.boxes.get(line.node as usize) {
            self.field("box", &area.map(|length| length.round() as i64));
        }
        match node.place {
            Place::InView | Place::Nowhere => {}
            Place::Above => self.field("place", &"above"),
            Place::Below => self.field("place", &"below"),
            Place::Beside => self.field("place", &"beside"),
        }
        self.folded(line.node, line.shape);
    }

    /// The texts that a line took from what is in its node.
    fn folded(&mut self, node: u32, shape: Shape) {
        let tree = self.tree;
        match shape {
            Shape::Node | Shape::Property | Shape::Options => {}
            Shape::Merged => self.leaf("text", &[tree.node(node + 1).name]),
            Shape::Row => {
                for cell in tree.children(node).filter(|&cell| tree.node(cell).kind.is_cell()) {
                    let texts: Vec<Text> = write::cell_texts(tree, cell).collect();
                    let texts = if texts.is_empty() { vec![tree.node(cell).name] } else { texts };
                    self.leaf(tree.texts.get(tree.node(cell).role), &texts);
                }
            }
        }
    }

    /// An option that has no line of its own.
    fn option(&mut self, index: u32) {
        let tree = self.tree;
        let node = tree.node(index);
        self.begin();
        self.out.extend(b"{\"role\":\"option\"");
        self.text("name", node.name);
        if let Some(handle) = node.handle() {
            self.field("ref", &handle);
        }
        if !node.states.is_none() {
            self.field("states", &tree.states(index).collect::<Vec<_>>());
        }
        self.out.push(b'}');
    }

    fn leaf(&mut self, role: &str, texts: &[Text]) {
        let texts: Vec<String> = texts.iter().map(|&text| self.shortened(text)).collect();
        self.begin();
        self.out.extend(b"{\"role\":");
        self.value(&role);
        self.field("name", &texts.join(" "));
        self.out.push(b'}');
    }

    fn shortened(&self, text: Text) -> String {
        let mut out = String::new();
        write::plain(&mut out, self.tree.texts.get(text), self.style.longest);
        out
    }

    fn text(&mut self, name: &str, text: Text) {
        if !text.is_none() {
            self.field(name, &self.shortened(text));
        }
    }

    fn field(&mut self, name: &str, value: &impl Serialize) {
        self.out.push(b',');
        self.value(&name);
        self.out.push(b':');
        self.value(value);
    }

    fn value(&mut self, value: &impl Serialize) {
        // Texts, numbers and lists of them have a JSON form, and a Vec takes all of it.
        let _ = serde_json::to_writer(&mut self.out, value);
    }
}
