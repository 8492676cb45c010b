//! A plain aria snapshot of a page, from Chromium's full accessibility tree: what the economy of an observation is measured against.
//!
//! It is written in the widely used YAML style: `- role "name" [state]:`, children indented by two spaces, `- text: …`, a link's
//! target as a `- /url: …` line below it. Nodes that mean nothing are flattened, one text child stands behind the colon, and
//! text that only repeats its parent's name is dropped. Nothing of the page library has a part in it.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::asking::call;
use super::chromium_roles::our_word;
use crate::Attached;

/// Roles that make an element a control; the same on both sides.
const WIDGETS: [&str; 18] = [
    "button",
    "checkbox",
    "combobox",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "scrollbar",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
];

/// Other roles that make a control of an element that can take focus and has a name; a region or a row takes focus for
/// the keyboard's sake only.
const FOCUSED_WIDGETS: [&str; 4] = ["application", "generic", "img", "separator"];

/// Chromium's words for native fields whose inner parts are the browser's own.
const NATIVE_FIELDS: [&str; 4] = ["ColorWell", "Date", "DateTime", "InputTime"];

/// States that are written, with how they look when they are true.
const STATES: [(&str, &str); 5] = [
    ("checked", "checked"),
    ("disabled", "disabled"),
    ("expanded", "expanded"),
    ("pressed", "pressed"),
    ("selected", "selected"),
];

/// A control of the accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Control {
    pub(super) role: String,
    pub(super) name: String,
}

/// A plain aria snapshot and what can be acted on in it.
pub(super) struct Snapshot {
    pub(super) text: String,
    pub(super) controls: Vec<Control>,
}

/// Takes the snapshot of the page in this tab, frames included.
pub(super) fn take(tab: &Attached<'_>, page_url: &str) -> Snapshot {
    call(tab, "Accessibility.enable", &json!({}));
    call(tab, "DOM.enable", &json!({}));
    let frames = call(tab, "Page.getFrameTree", &json!({}));
    let mut reading = Reading { tab, page_url, frames: HashMap::new(), controls: Vec::new() };
    reading.find_frames(&frames["frameTree"]);
    let children = reading.document(&frames["frameTree"]["frame"]["id"]);
    let mut text = String::new();
    write_items(&children, 0, &mut text);
    Snapshot { text, controls: reading.controls }
}

/// A line with what is below it, or a run of text.
enum Item {
    Text(String),
    Node { head: String, name: String, url: Option<String>, children: Vec<Item> },
}

struct Reading<'a> {
    tab: &'a Attached<'a>,
    page_url: &'a str,
    /// Frame ids by the backend node of the element that holds the frame.
    frames: HashMap<u64, Value>,
    controls: Vec<Control>,
}

impl Reading<'_> {
    fn find_frames(&mut self, tree: &Value) {
        for child in tree["childFrames"].as_array().into_iter().flatten() {
            let id = &child["frame"]["id"];
            let owner = call(self.tab, "DOM.getFrameOwner", &json!({ "frameId": id }));
            if let Some(node) = owner["backendNodeId"].as_u64() {
                self.frames.insert(node, id.clone());
            }
            self.find_frames(child);
        }
    }

    fn document(&mut self, frame: &Value) -> Vec<Item> {
        let answer = call(self.tab, "Accessibility.getFullAXTree", &json!({ "frameId": frame }));
        let nodes = answer["nodes"].as_array().cloned().unwrap_or_default();
        let by_id: HashMap<&str, &Value> =
            nodes.iter().filter_map(|node| Some((node["nodeId"].as_str()?, node))).collect();
        let root = nodes.iter().find(|node| node["parentId"].is_null());
        root.map_or_else(Vec::new, |root| self.children(root, &by_id))
    }

    fn children(&mut self, node: &Value, by_id: &HashMap<&str, &Value>) -> Vec<Item> {
        let mut items = Vec::new();
        for id in node["childIds"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if let Some(child) = by_id.get(id) {
                self.add(child, by_id, &mut items);
            }
        }
        items
    }

    fn add(&mut self, node: &Value, by_id: &HashMap<&str, &Value>, items: &mut Vec<Item>) {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = folded(node["name"]["value"].as_str().unwrap_or_default());
        if role == "StaticText" {
            add_text(&name, items);
            return;
        }
        let word = our_word(role);
        let is_flat = node["ignored"] == true
            || word.is_none_or(|word| matches!(word, "none" | "generic") && name.is_empty())
            || role == "MenuListPopup";
        if is_flat {
            if !matches!(role, "InlineTextBox" | "ListMarker" | "LineBreak") {
                items.extend(self.children(node, by_id));
            }
            return;
        }
        let word = word.unwrap_or(role);
        let is_focusable = property(node, "focusable") == Some(&Value::Bool(true)) && !name.is_empty();
        if WIDGETS.contains(&word) || (is_focusable && FOCUSED_WIDGETS.contains(&word)) {
            self.controls.push(Control { role: word.to_owned(), name: name.clone() });
        }
        let is_leaf = NATIVE_FIELDS.contains(&role);
        let mut children = if is_leaf { Vec::new() } else { self.children(node, by_id) };
        if let Some(frame) = node["backendDOMNodeId"].as_u64().and_then(|id| self.frames.get(&id)).cloned() {
            children.extend(self.document(&frame));
        }
        let value = folded(node["value"]["value"].as_str().unwrap_or_default());
        if children.is_empty() && value != name {
            add_text(&value, &mut children);
        }
        let url = property(node, "url").and_then(Value::as_str).filter(|_| word == "link");
        let url = url.map(|url| self.short_url(url));
        items.push(Item::Node { head: head(node, word, &name), name, url, children });
    }

    /// A link's target as a page writes it: without what it shares with the page's own address.
    fn short_url(&self, url: &str) -> String {
        let origin_end = self.page_url.match_indices('/').nth(2).map_or(self.page_url.len(), |(at, _)| at);
        let within_page = url.strip_prefix(self.page_url).filter(|rest| rest.starts_with('#'));
        within_page.or_else(|| url.strip_prefix(&self.page_url[..origin_end])).unwrap_or(url).to_owned()
    }
}

fn property<'a>(node: &'a Value, name: &str) -> Option<&'a Value> {
    let all = node["properties"].as_array()?;
    all.iter().find(|one| one["name"] == name).map(|one| &one["value"]["value"])
}

fn head(node: &Value, word: &str, name: &str) -> String {
    let mut head = word.to_owned();
    if !name.is_empty() {
        let _ = write!(head, " \"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    }
    for (property_name, shown) in STATES {
        match property(node, property_name) {
            Some(Value::Bool(true)) => {
                let _ = write!(head, " [{shown}]");
            }
            Some(Value::String(text)) if text == "true" || text == "mixed" => {
                let _ = write!(head, " [{shown}{}]", if text == "mixed" { "=mixed" } else { "" });
            }
            _ => {}
        }
    }
    if let Some(level) = property(node, "level").filter(|_| word == "heading") {
        let _ = write!(head, " [level={level}]");
    }
    head
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn add_text(text: &str, items: &mut Vec<Item>) {
    if text.is_empty() {
        return;
    }
    match items.last_mut() {
        Some(Item::Text(before)) => {
            before.push(' ');
            before.push_str(text);
        }
        Some(Item::Node { .. }) | None => items.push(Item::Text(text.to_owned())),
    }
}

fn write_items(items: &[Item], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for item in items {
        let _ = match item {
            Item::Text(text) => writeln!(out, "{indent}- text: {text}"),
            Item::Node { head, name, url, children } => {
                let children = match &children[..] {
                    [Item::Text(text)] if text == name => &[],
                    all => all,
                };
                match (url, children) {
                    (None, []) => writeln!(out, "{indent}- {head}"),
                    (None, [Item::Text(text)]) => writeln!(out, "{indent}- {head}: {text}"),
                    (url, children) => {
                        let _ = writeln!(out, "{indent}- {head}:");
                        if let Some(url) = url {
                            let _ = writeln!(out, "{indent}  - /url: {url}");
                        }
                        write_items(children, depth + 1, out);
                        Ok(())
                    }
                }
            }
        };
    }
}
