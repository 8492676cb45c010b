//! What to point at: likely triggers of what only shows under the pointer, and controls that nothing names. Pure.
//!
//! Only what is in view and would get the pointer as the page stands: nothing inert or covered. What opens something already
//! has it open.

use bsk_protocol::ids::{FrameNumber, Ref};

use super::super::columns::Rect;
use super::super::kind::Kind;
use super::super::tree::{NOBODY, Node, Place, Tree};

/// Most triggers pointed at for one observation.
const MOST_TRIGGERS: usize = 6;
/// Most controls without a name.
const MOST_UNNAMED: usize = 8;

/// What an element is known by from one look to the next.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Ref(Ref),
    /// A text without a ref, in this frame.
    Text(FrameNumber, String),
}

impl Key {
    fn of(tree: &Tree, node: &Node) -> Option<Self> {
        match node.handle() {
            Some(handle) => Some(Self::Ref(handle)),
            None if node.kind == Kind::Text => {
                Some(Self::Text(node.frame, tree.texts.get(node.name).to_owned()))
            }
            None => None,
        }
    }

    fn is_of(&self, tree: &Tree, node: &Node) -> bool {
        match self {
            Self::Ref(handle) => node.handle() == Some(*handle),
            Self::Text(frame, text) => {
                node.frame == *frame && node.kind == Kind::Text && tree.texts.get(node.name) == text
            }
        }
    }

    /// Where it is in a later look.
    pub(super) fn find(&self, tree: &Tree) -> Option<u32> {
        let at = tree.nodes.iter().position(|node| self.is_of(tree, node))?;
        u32::try_from(at).ok()
    }
}

/// Something to point at, as the static observation has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) node: u32,
    pub(super) key: Key,
    pub(super) frame: FrameNumber,
    pub(super) name: String,
    pub(super) has_description: bool,
    pub(super) area: Rect,
    /// Whether a name is looked for.
    pub(super) is_unnamed: bool,
}

impl Candidate {
    /// None where nothing tells it from other nodes, or boxes were not asked for.
    pub(super) fn of(tree: &Tree, index: u32) -> Option<Self> {
        let node = tree.node(index);
        Some(Self {
            node: index,
            key: Key::of(tree, node)?,
            frame: node.frame,
            name: tree.texts.get(node.name).to_owned(),
            has_description: !node.description.is_none(),
            area: tree.area(index)?,
            is_unnamed: is_unnamed(tree, index),
        })
    }
}

/// What to point at, in this order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) triggers: Vec<Candidate>,
    pub(super) unnamed: Vec<Candidate>,
}

impl Plan {
    pub(super) fn is_empty(&self) -> bool {
        self.triggers.is_empty() && self.unnamed.is_empty()
    }
}

/// Chooses. What `is_past` is left out.
pub(super) fn plan(tree: &Tree, is_past: impl Fn(&Key) -> bool) -> Plan {
    let (mut sure, mut in_bars, mut texts, mut unnamed) = (vec![], vec![], vec![], vec![]);
    let has_modal = indexes(tree).any(|index| tree.states(index).any(|state| state == "modal"));
    let mut bar_end = 0;
    for index in indexes(tree) {
        let node = tree.node(index);
        if is_bar(tree, node) {
            bar_end = bar_end.max(node.end);
        }
        let Some(hint) = hint(tree, index) else { continue };
        let list = match (node.has_ref(), hint) {
            (true, Hint::Sure) => &mut sure,
            (true, Hint::None) if index < bar_end && node.kind != Kind::Frame && !is_field(tree, node) => {
                &mut in_bars
            }
            (true, Hint::None | Hint::Open) if is_unnamed(tree, index) => &mut unnamed,
            // What a modal dialog makes inert says so where it has a ref.
            (false, Hint::None) if !has_modal && is_bare_text(tree, index) => &mut texts,
            (true | false, _) => continue,
        };
        list.extend(Candidate::of(tree, index).filter(|candidate| !is_past(&candidate.key)));
    }
    let mut all = sure.into_iter().chain(in_bars).chain(texts);
    let triggers: Vec<_> = all.by_ref().take(MOST_TRIGGERS).collect();
    // The others may want a name, too.
    let rest = all.filter(|candidate| candidate.is_unnamed);
    let mut unnamed: Vec<_> = unnamed.into_iter().chain(rest).collect();
    unnamed.sort_by_key(|candidate| candidate.node);
    unnamed.truncate(MOST_UNNAMED);
    Plan { triggers, unnamed }
}

fn indexes(tree: &Tree) -> impl Iterator<Item = u32> + use<> {
    0..u32::try_from(tree.nodes.len()).unwrap_or(NOBODY)
}

/// What a node's states say about pointing at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    None,
    /// It has something to show.
    Sure,
    /// It shows it already, or never will: only a name may be missing.
    Open,
}

/// None where the pointer would not get to the node.
fn hint(tree: &Tree, index: u32) -> Option<Hint> {
    if tree.node(index).place != Place::InView {
        return None;
    }
    let mut hint = Hint::None;
    for state in tree.states(index) {
        match state {
            "inert" => return None,
            _ if state.starts_with("covered") => return None,
            "expanded" | "disabled" => hint = Hint::Open,
            _ if hint == Hint::Open => {}
            "has-submenu" => hint = Hint::Sure,
            _ if state.starts_with("hover first") => hint = Hint::Sure,
            _ => {}
        }
    }
    Some(hint)
}

fn is_bar(tree: &Tree, node: &Node) -> bool {
    is_bar_role(tree.texts.get(node.role))
}

pub(super) fn is_bar_role(role: &str) -> bool {
    matches!(role, "navigation" | "menubar")
}

/// A field shows what is in it; pointing at it tells nothing more.
fn is_field(tree: &Tree, node: &Node) -> bool {
    matches!(
        tree.texts.get(node.role),
        "textbox"
            | "searchbox"
            | "combobox"
            | "listbox"
            | "option"
            | "spinbutton"
            | "slider"
            | "checkbox"
            | "radio"
            | "switch"
            | "canvas"
    )
}

/// A control that neither has a name nor says anything inside of it.
fn is_unnamed(tree: &Tree, index: u32) -> bool {
    let node = tree.node(index);
    node.has_ref()
        && node.name.is_none()
        && node.kind != Kind::Frame
        && !is_field(tree, node)
        && (index + 1..node.end).all(|inside| tree.node(inside).name.is_none())
}

/// A text that only lists stand between it and a bar.
fn is_bare_text(tree: &Tree, index: u32) -> bool {
    let node = tree.node(index);
    if node.kind != Kind::Text || node.name.is_none() {
        return false;
    }
    let mut parent = node.parent;
    while let Some(around) = tree.nodes.get(parent as usize) {
        if is_bar(tree, around) {
            return true;
        }
        if around.has_ref() || !matches!(tree.texts.get(around.role), "list" | "listitem") {
            return false;
        }
        parent = around.parent;
    }
    false
}

/// The middle of what can be seen of a node, where it would get the pointer.
pub(super) fn point(tree: &Tree, index: u32) -> Option<(f64, f64)> {
    hint(tree, index)?;
    let mut seen = tree.area(index)?;
    let view = tree.page.viewport;
    seen = common(seen, Rect { x: 0.0, y: 0.0, width: view.width, height: view.height });
    let mut parent = tree.node(index).parent;
    while let Some(around) = tree.nodes.get(parent as usize) {
        let clips =
            around.kind == Kind::Frame || tree.states(parent).any(|state| state.starts_with("scroll "));
        if let Some(area) = tree.area(parent).filter(|_| clips) {
            seen = common(seen, area);
        }
        parent = around.parent;
    }
    let has_size = seen.width >= 1.0 && seen.height >= 1.0;
    has_size.then_some((seen.x + seen.width / 2.0, seen.y + seen.height / 2.0))
}

/// What two rectangles have in common; without a size where that is nothing.
fn common(a: Rect, b: Rect) -> Rect {
    let (x, y) = (a.x.max(b.x), a.y.max(b.y));
    let (right, bottom) = ((a.x + a.width).min(b.x + b.width), (a.y + a.height).min(b.y + b.height));
    Rect { x, y, width: right - x, height: bottom - y }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::tree;
    use super::*;

    fn chosen(candidates: &[Candidate]) -> Vec<String> {
        let shown = |candidate: &Candidate| match &candidate.key {
            Key::Ref(handle) => handle.to_string(),
            Key::Text(_, text) => text.clone(),
        };
        candidates.iter().map(shown).collect()
    }

    #[test]
    fn sure_triggers_come_before_what_is_in_bars_and_texts_come_last() {
        let tree = tree(
            "navigation\n  text Menu\n  list\n    listitem\n      text More\n    listitem\n      @1 link Home\n  \
             @2 searchbox Find\n  article\n    text Story\n@3 button File {has-submenu}\n@4 link Shop {hover first: A | B}\n\
             menubar\n  @5 menuitem Edit\ntext Elsewhere",
        );
        let plan = plan(&tree, |_| false);
        assert_eq!(chosen(&plan.triggers), ["@e3", "@e4", "@e1", "@e5", "Menu", "More"]);
        assert!(plan.unnamed.is_empty());
    }

    #[test]
    fn what_the_pointer_cannot_reach_or_has_opened_is_left_out() {
        let tree = tree(
            "navigation\n  @1 link A {inert}\n  @2 link B {covered by div#veil}\n  @3 button C {has-submenu; expanded}\n  \
             @4 link D {place=2}\n  @5 button E {disabled}\n  @6 link F\n  text Behind\ndialog {modal}\n  @7 button {inert}\n  @8 button",
        );
        let plan = plan(&tree, |key| *key == Key::Ref("@e6".parse().unwrap()));
        assert!(plan.triggers.is_empty(), "{plan:?}");
        assert_eq!(chosen(&plan.unnamed), ["@e8"]);
    }

    #[test]
    fn at_most_six_triggers_and_eight_controls_without_a_name_are_chosen_each_once() {
        let bar: String = (1..=8).map(|number| format!("  @{number} button\n")).collect();
        let icons: String = (11..=20).map(|number| format!("@{number} button\n")).collect();
        let tree = tree(&format!("navigation\n{bar}{icons}"));
        let plan = plan(&tree, |_| false);
        assert_eq!(chosen(&plan.triggers), ["@e1", "@e2", "@e3", "@e4", "@e5", "@e6"]);
        assert!(plan.triggers.iter().all(|candidate| candidate.is_unnamed));
        assert_eq!(chosen(&plan.unnamed), ["@e7", "@e8", "@e11", "@e12", "@e13", "@e14", "@e15", "@e16"]);
    }

    #[test]
    fn fields_frames_and_what_says_something_inside_need_no_name() {
        let tree = tree(
            "@1 textbox\n@2 checkbox\n@3 canvas {200x100}\n@4 iframe\n  @5 button\n@6 generic\n  text Card\n@7 generic\n  img\n@8 button",
        );
        assert_eq!(chosen(&plan(&tree, |_| false).unnamed), ["@e5", "@e7", "@e8"]);
    }

    #[test]
    fn the_middle_of_what_can_be_seen_is_pointed_at() {
        let tree = tree(
            "@1 button A {box=10,20,30,10}\n@2 button B {box=700,590,200,20}\ngeneric {scroll 0 above, 90 below; box=0,100,100,50}\n  \
             @3 button C {box=0,140,100,40}\n  @4 button D {box=0,170,100,40}\n@5 button E {box=10,20,30,10; place=2}",
        );
        let points: Vec<_> = [0, 1, 3, 4, 5].into_iter().map(|index| point(&tree, index)).collect();
        assert_eq!(points, [Some((25.0, 25.0)), Some((750.0, 595.0)), Some((50.0, 145.0)), None, None]);
    }
}
