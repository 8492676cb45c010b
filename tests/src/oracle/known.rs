//! The list of known differences: `tests/corpus/known_differences.json`, grouped by reason.
//!
//! An entry names a page (`*` for all), the element by a CSS selector, what differs and what each side says (left out where
//! it may be anything). An entry that explains nothing any more is an error, as is one whose page is not in the corpus.

use std::cell::Cell;

use serde::Deserialize;

use super::compare::{Difference, What};
use super::corpus::corpus_dir;
use crate::workspace;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    why: String,
    differences: Vec<Entry>,
}

/// One entry of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    page: String,
    element: String,
    what: What,
    ours: Option<String>,
    chromium: Option<String>,
    #[serde(skip)]
    uses: Cell<usize>,
}

/// The list.
#[derive(Debug)]
pub(super) struct Known {
    groups: Vec<Group>,
}

impl Known {
    /// Reads the list.
    pub(super) fn read() -> Self {
        let file = corpus_dir().join("known_differences.json");
        let groups = serde_json::from_str(&workspace::read(&file));
        Self { groups: groups.unwrap_or_else(|error| panic!("`{}`: {error}", file.display())) }
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.groups.iter().flat_map(|group| &group.differences)
    }

    /// The selectors of all entries, in the order of the list.
    pub(super) fn selectors(&self) -> Vec<&str> {
        self.entries().map(|entry| entry.element.as_str()).collect()
    }

    /// The reason for a difference of an element that matches these selectors (by index), if the list has it.
    pub(super) fn reason(&self, difference: &Difference, matching: &[usize]) -> Option<&str> {
        let mut index = 0;
        for group in &self.groups {
            for entry in &group.differences {
                if matching.contains(&index) && entry.is_about(difference) {
                    entry.uses.set(entry.uses.get() + 1);
                    return Some(&group.why);
                }
                index += 1;
            }
        }
        None
    }

    /// The entries that explained nothing, of pages that were compared.
    pub(super) fn outdated(&self, pages: &[String]) -> Vec<String> {
        let has_wpt = pages.iter().any(|name| name.starts_with("wpt/"));
        let is_outdated =
            |entry: &&Entry| entry.uses.get() == 0 && (has_wpt || !entry.page.starts_with("wpt/"));
        self.entries().filter(is_outdated).map(Entry::line).collect()
    }
}

impl Entry {
    fn is_about(&self, difference: &Difference) -> bool {
        (self.page == "*" || self.page == difference.page)
            && self.what == difference.what
            && self.ours.as_ref().is_none_or(|ours| *ours == difference.ours)
            && self.chromium.as_ref().is_none_or(|chromium| *chromium == difference.chromium)
    }

    fn line(&self) -> String {
        format!(
            "{} `{}` {}: ours {:?}, Chromium's {:?}",
            self.page, self.element, self.what, self.ours, self.chromium
        )
    }
}
