//! What came of pointing at things in a tab, for a while: what told nothing is left alone, names that were found are kept.
//!
//! A cache of one document: with another one everything is forgotten, and a ref never means another element.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::{Duration, Instant};

use bsk_protocol::ids::Ref;

use super::super::tree::Tree;
use super::choose::Key;

/// How long what told nothing is not pointed at again.
const MISS: Duration = Duration::from_secs(60);
/// How long a name that was found is used.
const NAME: Duration = Duration::from_secs(5 * 60);

/// What is remembered of a tab.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    document: Cell<u32>,
    misses: RefCell<HashMap<Key, Instant>>,
    names: RefCell<HashMap<Ref, (String, Instant)>>,
}

impl Memory {
    /// Forgets everything.
    pub(in super::super) fn forget(&self) {
        self.misses.borrow_mut().clear();
        self.names.borrow_mut().clear();
    }

    /// Gives controls without a name the names that were found for them in this document.
    pub(in super::super) fn recall(&self, tree: &mut Tree, document: u32) {
        self.refresh(document, Instant::now());
        let names = self.names.borrow();
        if names.is_empty() {
            return;
        }
        for index in (0..tree.nodes.len()).filter_map(|index| u32::try_from(index).ok()) {
            let node = tree.node(index);
            let known = node.handle().filter(|_| node.name.is_none()).and_then(|handle| names.get(&handle));
            if let Some((name, _)) = known {
                tree.set_name(index, name);
            }
        }
    }

    /// Forgets what is of another document or was too long ago.
    fn refresh(&self, document: u32, now: Instant) {
        if self.document.replace(document) != document {
            self.forget();
        }
        self.misses.borrow_mut().retain(|_, missed| now.duration_since(*missed) < MISS);
        self.names.borrow_mut().retain(|_, (_, found)| now.duration_since(*found) < NAME);
    }

    /// Whether it told nothing a moment ago.
    pub(super) fn is_miss(&self, key: &Key) -> bool {
        self.misses.borrow().contains_key(key)
    }

    /// Notes that it told nothing.
    pub(super) fn missed(&self, key: Key, now: Instant) {
        self.misses.borrow_mut().insert(key, now);
    }

    /// Notes the name that was found for a control.
    pub(super) fn named(&self, handle: Ref, name: String, now: Instant) {
        self.names.borrow_mut().insert(handle, (name, now));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::tree;
    use super::*;

    fn key(number: u32) -> Key {
        Key::Ref(handle(number))
    }

    fn handle(number: u32) -> Ref {
        Ref { frame: bsk_protocol::ids::FrameNumber::MAIN, number }
    }

    fn names(tree: &Tree) -> Vec<&str> {
        (0..u32::try_from(tree.nodes.len()).unwrap()).map(|at| tree.texts.get(tree.node(at).name)).collect()
    }

    #[test]
    fn names_are_given_to_what_still_has_none() {
        let memory = Memory::default();
        memory.named(handle(1), "Bold".into(), Instant::now());
        memory.named(handle(2), "Italic".into(), Instant::now());
        let mut page = tree("@1 button\n@2 button Slanted\n@3 button");
        memory.recall(&mut page, 0);
        assert_eq!(names(&page), ["Bold", "Slanted", ""]);
    }

    #[test]
    fn misses_last_a_minute_and_names_five() {
        let memory = Memory::default();
        let start = Instant::now();
        memory.missed(key(1), start);
        memory.named(handle(2), "Bold".into(), start);
        memory.refresh(0, start + Duration::from_secs(59));
        assert!(memory.is_miss(&key(1)));
        memory.refresh(0, start + Duration::from_secs(61));
        assert!(!memory.is_miss(&key(1)));
        assert_eq!(memory.names.borrow().len(), 1);
        memory.refresh(0, start + Duration::from_secs(301));
        assert!(memory.names.borrow().is_empty());
    }

    #[test]
    fn another_document_is_another_matter() {
        let memory = Memory::default();
        memory.missed(key(1), Instant::now());
        memory.named(handle(2), "Bold".into(), Instant::now());
        let mut page = tree("@2 button");
        memory.recall(&mut page, 1);
        assert!(!memory.is_miss(&key(1)));
        assert_eq!(names(&page), [""]);
    }
}
