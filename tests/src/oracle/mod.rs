//! The oracle: what the page library says of every element of a corpus, beside what Chromium's own accessibility tree says.
//!
//! Roles, accessible names and descriptions are compared for every element that Chromium does not ignore. A difference is
//! fine only when `tests/corpus/known_differences.json` explains it, and an explanation must explain something. The page
//! library runs as it is shipped, in an isolated world made through the test's own DevTools pipe; `bsk` has no part in it.

mod asking;
mod chromium_roles;
mod compare;
mod corpus;
mod economy;
mod known;
mod report;
mod snapshot;

pub use compare::{Comparison, Difference, What, compare_corpus};
pub use corpus::{CorpusPage, corpus, sites};
pub use economy::{Economy, PageEconomy, measure_economy};
