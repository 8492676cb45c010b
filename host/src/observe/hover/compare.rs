//! What showed under the pointer: a later look compared with the static one, and what that says of what was pointed at. Pure.
//!
//! A page changes by itself, too: what is far from the pointer, only took another's place, or is in a frame that has just
//! come is not counted. What an earlier trigger showed is not told of a later one.

use std::collections::{HashMap, HashSet};

use bsk_protocol::ids::{FrameNumber, Ref};

use super::super::columns::Rect;
use super::super::kind::Kind;
use super::super::tree::{NOBODY, Node, Tree};
use super::choose::Candidate;

/// Names told of one trigger.
const MOST_ITEMS: usize = 6;
/// Longest of them in characters.
const LONGEST_ITEM: usize = 30;
/// Longest name made of a tooltip, in characters.
const LONGEST_NAME: usize = 80;
/// How far from what is pointed at a menu may show, in CSS pixels: as wide as a menu over the whole page is.
const MENU_REACH: f64 = 400.0;
/// The same for words alone.
const WORDS_REACH: f64 = 150.0;

/// What pointing at something told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    /// What shows then, as a state has it.
    Items(String),
    /// What it is called.
    Name(String),
}

/// The page before anything was pointed at.
#[derive(Debug)]
pub(super) struct Before<'a> {
    pub(super) tree: &'a Tree,
    frames: HashSet<FrameNumber>,
    /// Role and name by ref.
    refs: HashMap<Ref, (&'a str, &'a str)>,
    others: HashSet<(&'a str, &'a str)>,
    /// Where texts begin.
    spots: HashSet<(i64, i64)>,
}

/// What earlier triggers showed, by ref where there is one, and name.
#[derive(Debug, Default)]
pub(super) struct Earlier(HashSet<(Option<Ref>, String)>);

impl<'a> Before<'a> {
    pub(super) fn of(tree: &'a Tree) -> Self {
        let (mut frames, mut refs, mut others) = (HashSet::new(), HashMap::new(), HashSet::new());
        let mut spots = HashSet::new();
        for (index, node) in nodes(tree) {
            frames.insert(node.frame);
            let said = said(tree, node);
            match node.handle() {
                Some(handle) => {
                    refs.insert(handle, said);
                }
                None => {
                    others.insert(said);
                    spots.extend(spot(tree, index));
                }
            }
        }
        Self { tree, frames, refs, others, spots }
    }

    /// The nodes that were not there before.
    fn news(&self, earlier: &Earlier, now: &Tree) -> Vec<u32> {
        let present: HashSet<Ref> = nodes(now).filter_map(|(_, node)| node.handle()).collect();
        // What a page draws anew has new refs and is the same to a person.
        let mut replaced: HashMap<(&str, &str), usize> = HashMap::new();
        for (_, said) in self.refs.iter().filter(|(handle, _)| !present.contains(handle)) {
            *replaced.entry(*said).or_default() += 1;
        }
        let is_new = |(index, node): &(u32, &Node)| {
            let said = said(now, node);
            if !self.frames.contains(&node.frame) || node.kind == Kind::Frame || earlier.has(now, node) {
                return false;
            }
            let Some(handle) = node.handle() else {
                let took_a_place = spot(now, *index).is_some_and(|spot| self.spots.contains(&spot));
                return !node.name.is_none() && !self.others.contains(&said) && !took_a_place;
            };
            if self.refs.contains_key(&handle) {
                return false;
            }
            match replaced.get_mut(&said) {
                Some(left @ 1..) => {
                    *left -= 1;
                    false
                }
                Some(0) | None => true,
            }
        };
        nodes(now).filter(is_new).map(|(index, _)| index).collect()
    }

    /// What a look while something was pointed at told of it.
    pub(super) fn tell(&self, earlier: &mut Earlier, candidate: &Candidate, now: &Tree) -> Option<Told> {
        let own = candidate.key.find(now);
        if let Some(name) = own.filter(|_| candidate.is_unnamed).and_then(|own| own_name(candidate, now, own))
        {
            return Some(Told::Name(shortened(name, LONGEST_NAME)));
        }
        let news = self.news(earlier, now);
        let reach =
            |index: u32| now.area(index).map_or(f64::INFINITY, |there| distance(candidate.area, there));
        let is_menu_near = news.iter().any(|&index| reach(index) <= MENU_REACH);
        let items: Vec<&str> =
            news.iter().filter(|&&index| now.node(index).has_ref()).map(|&index| name(now, index)).collect();
        if is_menu_near && let Some(items) = joined(&items) {
            earlier.add(now, &news);
            return Some(Told::Items(items));
        }
        let is_told = |index: &u32| {
            !now.node(*index).has_ref()
                && (is_tooltip(now, *index) || reach(*index) <= WORDS_REACH)
                && !name(now, *index).eq_ignore_ascii_case(&candidate.name)
        };
        let words: Vec<u32> = news.into_iter().filter(is_told).collect();
        let told = if candidate.is_unnamed { tooltip(now, &words) } else { joined(&names(now, &words)) }?;
        earlier.add(now, &words);
        Some(if candidate.is_unnamed { Told::Name(told) } else { Told::Items(told) })
    }
}

/// The name that a control has now, or the description that it got.
fn own_name<'a>(candidate: &Candidate, now: &'a Tree, own: u32) -> Option<&'a str> {
    let node = now.node(own);
    let description = if candidate.has_description { "" } else { now.texts.get(node.description) };
    [now.texts.get(node.name), description].into_iter().find(|text| !text.is_empty())
}

impl Earlier {
    fn has(&self, now: &Tree, node: &Node) -> bool {
        !self.0.is_empty() && self.0.contains(&(node.handle(), now.texts.get(node.name).to_owned()))
    }

    fn add(&mut self, now: &Tree, news: &[u32]) {
        self.0.extend(news.iter().map(|&index| (now.node(index).handle(), name(now, index).to_owned())));
    }
}

fn nodes(tree: &Tree) -> impl Iterator<Item = (u32, &Node)> {
    (0..NOBODY).zip(&tree.nodes)
}

fn said<'a>(tree: &'a Tree, node: &Node) -> (&'a str, &'a str) {
    (tree.texts.get(node.role), tree.texts.get(node.name))
}

fn name(tree: &Tree, index: u32) -> &str {
    tree.texts.get(tree.node(index).name)
}

fn names<'a>(tree: &'a Tree, indexes: &[u32]) -> Vec<&'a str> {
    indexes.iter().map(|&index| name(tree, index)).collect()
}

fn is_tooltip(tree: &Tree, index: u32) -> bool {
    tree.texts.get(tree.node(index).role) == "tooltip"
}

/// Where a text begins, to the pixel.
fn spot(tree: &Tree, index: u32) -> Option<(i64, i64)> {
    let Rect { x, y, .. } = tree.area(index).filter(|_| tree.node(index).kind == Kind::Text)?;
    Some((x as i64, y as i64))
}

/// What a tooltip says: the one with that role, else all words.
fn tooltip(now: &Tree, words: &[u32]) -> Option<String> {
    let own = words.iter().find(|&&index| is_tooltip(now, index)).map(|&index| name(now, index).to_owned());
    let text = own.unwrap_or_else(|| names(now, words).join(" "));
    (!text.is_empty()).then(|| shortened(&text, LONGEST_NAME))
}

/// Names as a state has them, each once; none where there are none.
fn joined(names: &[&str]) -> Option<String> {
    let mut items: Vec<String> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let item = shortened(&name.replace('|', "/"), LONGEST_ITEM);
        if !items.contains(&item) {
            items.push(item);
        }
    }
    let more = items.len().saturating_sub(MOST_ITEMS);
    items.truncate(MOST_ITEMS);
    if more > 0 {
        items.push(format!("{more} more"));
    }
    (!items.is_empty()).then(|| items.join(" | "))
}

/// The text, or what of it fits with an ellipsis.
fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let kept: String = text.chars().take(longest - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Between the edges of two rectangles, in CSS pixels; 0 where they meet.
fn distance(a: Rect, b: Rect) -> f64 {
    let across = (b.x - a.x - a.width).max(a.x - b.x - b.width).max(0.0);
    let down = (b.y - a.y - a.height).max(a.y - b.y - b.height).max(0.0);
    across.hypot(down)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::tree;
    use super::super::choose::{Key, plan};
    use super::*;

    const ICON: &str = "@1 button {box=10,10,20,20}";

    /// What pointing at the node with this ref tells, when the page looks like `after` then.
    fn told(before: &str, number: u32, after: &str) -> Option<Told> {
        told_next(&mut Earlier::default(), before, number, after)
    }

    fn told_next(earlier: &mut Earlier, before: &str, number: u32, after: &str) -> Option<Told> {
        let (before, after) = (tree(before), tree(after));
        let key = Key::Ref(Ref { frame: FrameNumber::MAIN, number });
        let candidate = Candidate::of(&before, key.find(&before).unwrap()).unwrap();
        Before::of(&before).tell(earlier, &candidate, &after)
    }

    fn items(text: &str) -> Option<Told> {
        Some(Told::Items(text.to_owned()))
    }

    fn named(text: &str) -> Option<Told> {
        Some(Told::Name(text.to_owned()))
    }

    #[test]
    fn what_can_be_acted_on_is_told_by_name_each_once_and_shortened() {
        let before = "navigation\n  @1 link Shop {box=10,10,50,20}";
        let after = "  list\n    text Our range\n    @2 link Teas | more\n    @3 link Cups\n    @4 link Cups\n    \
                     @5 link A name that is longer than thirty characters\n    @6 link D\n    @7 link E\n    @8 link F\n    @9 link G";
        assert_eq!(
            told(before, 1, &format!("{before}\n{after}")),
            items("Teas / more | Cups | A name that is longer than th… | D | E | F | 1 more")
        );
        assert_eq!(told(before, 1, before), None);
    }

    #[test]
    fn words_alone_are_told_when_they_are_near() {
        let before = "@1 link Price {box=10,10,50,20}";
        let near = format!("{before}\ntext 12 euros {{box=10,40,60,20}}");
        assert_eq!(told(before, 1, &near), items("12 euros"));
        let far = format!("{before}\ntext 12:00 {{box=700,500,60,20}}");
        assert_eq!(told(before, 1, &far), None);
        let same = format!("{before}\ntooltip PRICE {{box=10,40,60,20}}");
        assert_eq!(told(before, 1, &same), None);
    }

    #[test]
    fn a_tooltip_names_a_control_and_so_does_its_own_new_name() {
        let tip = format!(
            "{ICON}\ntooltip Make bold {{box=400,300,60,20}}\n  text Make bold {{box=400,300,60,20}}"
        );
        assert_eq!(told(ICON, 1, &tip), named("Make bold"));
        let words = format!("{ICON}\ntext Bold {{box=10,35,60,20}}\ntext Ctrl+B {{box=75,35,60,20}}");
        assert_eq!(told(ICON, 1, &words), named("Bold Ctrl+B"));
        assert_eq!(told(ICON, 1, "@1 button Bold {box=10,10,20,20}"), named("Bold"));
        assert_eq!(told(ICON, 1, "@1 button {description=Bold; box=10,10,20,20}"), named("Bold"));
        let menu = format!("{ICON}\n@2 menuitem Cut {{box=10,40,50,20}}");
        assert_eq!(told(ICON, 1, &menu), items("Cut"));
    }

    #[test]
    fn what_the_page_does_by_itself_is_not_told() {
        let before = format!("{ICON}\ntext 12:00:01 {{box=40,10,60,20}}\n@2 link Reply {{box=10,60,50,20}}");
        // A clock, and a list that was drawn anew.
        let after = format!("{ICON}\ntext 12:00:02 {{box=40,10,61,20}}\n@3 link Reply {{box=10,60,50,20}}");
        assert_eq!(told(&before, 1, &after), None);
        let twice = format!("{after}\n@4 link Reply {{box=10,90,50,20}}");
        assert_eq!(told(&before, 1, &twice), items("Reply"));
        let far = format!("{before}\n@5 link New post {{box=10,590,50,20}}");
        assert_eq!(told(&before, 1, &far), None);
    }

    #[test]
    fn what_an_earlier_trigger_left_open_is_not_told_of_the_next() {
        let before = "navigation\n  @1 link Shop\n  @2 link About";
        let after = format!("{before}\n  @3 link Teas");
        let mut earlier = Earlier::default();
        assert_eq!(told_next(&mut earlier, before, 1, &after), items("Teas"));
        assert_eq!(told_next(&mut earlier, before, 2, &after), None);
        let other = format!("{before}\n  @3 link Press");
        assert_eq!(told_next(&mut earlier, before, 2, &other), items("Press"));
    }

    #[test]
    fn a_text_is_a_trigger_by_its_words() {
        let before = tree("navigation\n  text Menu {box=10,10,50,20}");
        let after = tree("navigation\n  text Menu {box=10,10,50,20}\n  @1 link Item {box=10,40,50,20}");
        let plan = plan(&before, |_| false);
        let told = Before::of(&before).tell(&mut Earlier::default(), &plan.triggers[0], &after);
        assert_eq!(told, items("Item"));
    }
}
