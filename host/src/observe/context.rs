//! Which *Edit* is it: for controls with the same role and name, the text that tells each from its twins.
//!
//! That text comes from what a control is in: a row's header or first cell, the name or heading or first text of a list item,
//! article, section, dialog or anything named. The nearest one that no twin shares is taken.

use std::collections::HashMap;

use super::kind::Kind;
use super::texts::Text;
use super::tree::{NOBODY, Tree};
use super::write;

/// How many containers around a control are looked at.
const CONTAINERS: usize = 8;
/// How many nodes of a container are looked at for its heading or text.
const WITHIN: u32 = 64;

/// What a control is in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    pub(super) text: Text,
    /// Whether a row of a table says it: its controls stand below a line that does not name them.
    pub(super) is_of_row: bool,
}

/// The context of every node; none for most.
pub(super) fn find(tree: &Tree) -> Vec<Context> {
    let mut contexts = vec![Context::default(); tree.nodes.len()];
    let mut told = Told { tree, by_node: vec![None; tree.nodes.len()] };
    for twins in twins(tree) {
        // Which text is around how many of the twins.
        let mut shared: HashMap<&str, usize> = HashMap::new();
        let around: Vec<Vec<Context>> = twins.iter().map(|&twin| told.around(twin)).collect();
        for context in around.iter().flatten() {
            *shared.entry(shown(tree, context.text)).or_default() += 1;
        }
        for (&twin, around) in twins.iter().zip(&around) {
            let held_by =
                |context: &&Context| shared.get(shown(tree, context.text)).copied().unwrap_or_default();
            let own = around.iter().find(|context| held_by(context) == 1);
            // Better one of a few than one of all.
            let best = own.or_else(|| around.iter().find(|context| held_by(context) < twins.len()));
            contexts[twin as usize] = best.copied().unwrap_or_default();
        }
    }
    contexts
}

/// The groups of nodes that can be acted on and have the same role and name.
fn twins(tree: &Tree) -> Vec<Vec<u32>> {
    // Within a frame equal texts have one number; several frames need a comparison.
    let mut numbers: HashMap<&str, Text> = HashMap::new();
    let mut same = |text: Text| {
        if tree.has_frames { *numbers.entry(tree.texts.get(text)).or_insert(text) } else { text }
    };
    let mut keyed: Vec<(Text, Text, u32)> = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.has_ref()) {
        keyed.push((same(node.name), same(node.role), u32::try_from(index).unwrap_or(NOBODY)));
    }
    keyed.sort_unstable();
    keyed
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter(|group| group.len() > 1)
        .map(|group| group.iter().map(|&(_, _, node)| node).collect())
        .collect()
}

/// As much of a text as a line would show.
fn shown(tree: &Tree, text: Text) -> &str {
    write::shortened(tree.texts.get(text), write::LONGEST_CONTEXT).0
}

/// What containers say of themselves, each asked once.
struct Told<'a> {
    tree: &'a Tree,
    by_node: Vec<Option<Text>>,
}

impl Told<'_> {
    /// What the containers around a node say, the nearest first, each text once and never the node's own name.
    fn around(&mut self, node: u32) -> Vec<Context> {
        let name = self.tree.texts.get(self.tree.node(node).name);
        let mut found: Vec<Context> = Vec::new();
        let mut next = self.tree.node(node).parent;
        let mut looked_at = 0;
        while next != NOBODY && looked_at < CONTAINERS {
            let container = self.tree.node(next);
            if container.kind.gives_context() || !container.name.is_none() {
                looked_at += 1;
                let text = self.told_by(next);
                let said = self.tree.texts.get(text);
                let is_known =
                    found.iter().any(|other| shown(self.tree, other.text) == shown(self.tree, text));
                if !said.is_empty() && said != name && !is_known {
                    found.push(Context { text, is_of_row: container.kind == Kind::Row });
                }
            }
            next = container.parent;
        }
        found
    }

    fn told_by(&mut self, container: u32) -> Text {
        if let Some(text) = self.by_node[container as usize] {
            return text;
        }
        let text = told_by(self.tree, container);
        self.by_node[container as usize] = Some(text);
        text
    }
}

fn told_by(tree: &Tree, container: u32) -> Text {
    let node = tree.node(container);
    if node.kind == Kind::Row
        && let Some(text) = row_text(tree, container)
    {
        return text;
    }
    if !node.name.is_none() {
        return node.name;
    }
    let within = container + 1..node.end.min(container.saturating_add(WITHIN));
    let named = |kinds: &[Kind]| {
        within.clone().find(|&index| {
            let node = tree.node(index);
            kinds.contains(&node.kind) && !node.name.is_none()
        })
    };
    // In a card without a heading, its title is mostly the first link.
    let told = named(&[Kind::Heading]).or_else(|| named(&[Kind::Link, Kind::Text]));
    told.map_or(Text::NONE, |index| tree.node(index).name)
}

/// The row's header, else its first cell that says something.
fn row_text(tree: &Tree, row: u32) -> Option<Text> {
    let said = |cell: u32| {
        let first = write::cell_texts(tree, cell).next();
        first.or(Some(tree.node(cell).name)).filter(|text| !text.is_none())
    };
    let cells = |kind| tree.children(row).filter(move |&cell| tree.node(cell).kind == kind);
    cells(Kind::RowHeader).find_map(said).or_else(|| cells(Kind::Cell).find_map(said))
}
