//! What is kept of a tab's observations: the last whole one, to compare with, and the last that was cut, to go on with.
//!
//! A cache: it goes with the tab and with the host, and a command that needs what is no longer there says so.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bsk_protocol::ids::Cursor;

use super::View;
use super::hover::Memory;
use super::tree::Tree;

/// A tab's observations.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// How many there were; never starts again while the host lives, so that a cursor means one observation only.
    count: Cell<u32>,
    whole: RefCell<Option<Rc<Observation>>>,
    cut: RefCell<Option<Rc<Observation>>>,
    /// What came of pointing at things.
    pub(super) hovered: Memory,
}

/// One observation.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) number: u32,
    pub(super) tree: Tree,
    pub(super) view: View,
    /// Which of the tab's documents it shows.
    pub(super) document: u32,
}

impl Kept {
    /// The number of a new observation.
    pub(super) fn next_number(&self) -> u32 {
        self.count.update(|count| count.wrapping_add(1));
        self.count.get()
    }

    /// The last one of the whole page.
    pub(super) fn whole(&self) -> Option<Rc<Observation>> {
        self.whole.borrow().clone()
    }

    /// The one that a cursor belongs to.
    pub(super) fn by_cursor(&self, cursor: Cursor) -> Option<Rc<Observation>> {
        let kept = [self.cut.borrow().clone(), self.whole.borrow().clone()];
        kept.into_iter().flatten().find(|one| one.number == cursor.observation)
    }

    /// Keeps an observation.
    pub(super) fn keep(&self, observation: Observation, is_whole: bool, is_cut: bool) {
        let observation = Rc::new(observation);
        if is_whole {
            *self.whole.borrow_mut() = Some(Rc::clone(&observation));
        }
        if is_cut {
            *self.cut.borrow_mut() = Some(observation);
        }
    }

    /// The tab is lost.
    pub(crate) fn forget(&self) {
        *self.whole.borrow_mut() = None;
        *self.cut.borrow_mut() = None;
        self.hovered.forget();
    }
}
