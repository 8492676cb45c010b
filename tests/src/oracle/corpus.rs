//! The pages that are compared: the accname pages of `../shared/wpt`, and below `tests/corpus/` one page per part of
//! HTML-AAM (`aam/`) and ten pages as the real web has them (`sites/`).
//!
//! A checkout that stands alone has no `../shared`; its corpus is the smaller for it, and the list of known differences
//! is then not held against the pages that are missing.

use std::path::{Path, PathBuf};

use crate::workspace;

/// A page of the corpus.
#[derive(Debug, Clone)]
pub struct CorpusPage {
    /// Its folder and file, such as `sites/shop.html`.
    pub name: String,
    /// The whole document.
    pub html: String,
}

/// All pages, those that are read first are the standard's own.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn corpus() -> Vec<CorpusPage> {
    let own = corpus_dir();
    let wpt = workspace::root().join("../shared/wpt");
    let mut pages = if wpt.is_dir() { pages_below(&wpt, "wpt") } else { Vec::new() };
    for page in &mut pages {
        page.html = without_harness(&page.html);
    }
    pages.extend(pages_below(&own.join("aam"), "aam"));
    pages.extend(sites());
    pages
}

/// The ten realistic pages.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn sites() -> Vec<CorpusPage> {
    pages_below(&corpus_dir().join("sites"), "sites")
}

/// Where our own pages and the list of known differences are.
pub(super) fn corpus_dir() -> PathBuf {
    workspace::root().join("tests/corpus")
}

fn pages_below(folder: &Path, prefix: &str) -> Vec<CorpusPage> {
    let page = |file: PathBuf| {
        let relative = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        CorpusPage { name: format!("{prefix}/{relative}"), html: workspace::read(&file) }
    };
    workspace::files_below(folder, ".html").into_iter().map(page).collect()
}

/// The page without the scripts of its test harness, which is not there.
fn without_harness(html: &str) -> String {
    let lines = html.lines().filter(|line| !line.trim_start().starts_with("<script src="));
    lines.collect::<Vec<_>>().join("\n")
}
