//! The comparison itself: counts by page and by rule, and every difference with the reason that the list gives for it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::asking::{Element, OpenPage, Said};
use super::chromium_roles::{is_same_role, our_word};
use super::corpus::CorpusPage;
use super::known::Known;
use crate::Browser;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// The role.
    Role,
    /// The accessible name.
    Name,
    /// The accessible description.
    Description,
    /// The name against the one that the standard's own test expects.
    Expected,
}

impl What {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Role, Self::Name, Self::Description, Self::Expected];
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Role => "role",
            Self::Name => "name",
            Self::Description => "description",
            Self::Expected => "expected",
        })
    }
}

/// A difference between the two sides.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The page's name in the corpus.
    pub page: String,
    /// The element's start tag.
    pub element: String,
    /// What differs.
    pub what: What,
    /// What the page library says.
    pub ours: String,
    /// What Chromium says, or the standard's test.
    pub chromium: String,
    /// Why that is so, from the list; none when it is not there.
    pub why: Option<String>,
}

/// How often the two sides agreed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Comparisons.
    pub all: usize,
    /// Those that agreed.
    pub same: usize,
}

impl Tally {
    fn add(&mut self, is_same: bool) {
        self.all += 1;
        self.same += usize::from(is_same);
    }

    /// Agreement in percent; 100 when nothing was compared.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    pub fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { self.same as f64 * 100.0 / self.all as f64 }
    }
}

/// Tallies of everything that is compared.
pub(super) type Tallies = BTreeMap<What, Tally>;

/// The outcome for a whole corpus.
#[derive(Debug, Default)]
pub struct Comparison {
    pub(super) by_page: BTreeMap<String, Tallies>,
    pub(super) by_rule: BTreeMap<String, Tallies>,
    pub(super) total: Tallies,
    /// Every difference, in the order of the pages.
    pub differences: Vec<Difference>,
    /// Entries of the list that no longer occur.
    pub outdated: Vec<String>,
    /// Elements that are shown and that Chromium ignores (hidden from assistive technology, inert, inside an image …), by role.
    pub(super) only_ours: BTreeMap<String, usize>,
    /// Elements that Chromium does not ignore and the page library takes for nothing, by Chromium's role.
    pub(super) only_chromium: BTreeMap<String, usize>,
}

/// Compares every element of these pages.
///
/// # Panics
/// When a page cannot be opened or the page library throws.
#[must_use]
pub fn compare_corpus(browser: &Browser, pages: &[CorpusPage]) -> Comparison {
    let known = Known::read();
    let selectors = known.selectors();
    let tab = browser.devtools().open_tab();
    let tab = tab.attached().expect("a tab that was just opened");
    let mut comparison = Comparison::default();
    for page in pages {
        let open = OpenPage::open(browser, &tab, page);
        let mut found = Vec::new();
        for (number, element) in open.elements().iter().enumerate() {
            found.extend(comparison.compare(&page.name, element).into_iter().map(|one| (number, one)));
        }
        let numbers: Vec<usize> = found.iter().map(|(number, _)| *number).collect();
        let matching = open.matching(&numbers, &selectors);
        for ((_, mut difference), matching) in found.into_iter().zip(matching) {
            difference.why = known.reason(&difference, &matching).map(str::to_owned);
            comparison.differences.push(difference);
        }
    }
    let names: Vec<String> = pages.iter().map(|page| page.name.clone()).collect();
    comparison.outdated = known.outdated(&names);
    comparison
}

/// The text as it is spoken: white space at its ends and runs of it mean nothing.
fn spoken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Comparison {
    /// The tally of one kind over the whole corpus.
    #[must_use]
    pub fn total(&self, what: What) -> Tally {
        self.total.get(&what).copied().unwrap_or_default()
    }

    /// The differences that the list does not explain.
    pub fn unknown(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|one| one.why.is_none())
    }

    fn compare(&mut self, page: &str, element: &Element) -> Vec<Difference> {
        let mut found = Vec::new();
        let ours = &element.ours;
        if let Some(expected) = &element.expected_label {
            found.extend(self.tally(page, element, What::Expected, &ours.name, expected));
        }
        let Some(Said { role, name, description }) = &element.chromium else {
            if element.is_shown && !matches!(ours.role.as_str(), "document" | "generic" | "none") {
                *self.only_ours.entry(ours.role.clone()).or_default() += 1;
            }
            return found;
        };
        let Some(role) = our_word(role) else { return found };
        if is_same_role(&ours.role, "none") && !is_same_role(role, "none") {
            *self.only_chromium.entry(role.to_owned()).or_default() += 1;
        }
        found.extend(self.tally(page, element, What::Role, &ours.role, role));
        found.extend(self.tally(page, element, What::Name, &ours.name, name));
        // A description that repeats the name says nothing; the page library leaves it out.
        let description = if spoken(description) == spoken(name) { "" } else { description };
        found.extend(self.tally(page, element, What::Description, &ours.description, description));
        found
    }

    fn tally(
        &mut self,
        page: &str,
        element: &Element,
        what: What,
        ours: &str,
        theirs: &str,
    ) -> Option<Difference> {
        let is_same = match what {
            What::Role => is_same_role(ours, theirs),
            What::Name | What::Description | What::Expected => spoken(ours) == spoken(theirs),
        };
        for tallies in [
            self.by_page.entry(page.to_owned()).or_default(),
            self.by_rule.entry(element.rule.clone()).or_default(),
            &mut self.total,
        ] {
            tallies.entry(what).or_default().add(is_same);
        }
        (!is_same).then(|| Difference {
            page: page.to_owned(),
            element: element.start_tag.clone(),
            what,
            ours: ours.to_owned(),
            chromium: theirs.to_owned(),
            why: None,
        })
    }
}
