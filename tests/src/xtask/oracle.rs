//! `cargo xtask oracle`: the page library's roles, names and descriptions beside Chromium's, over the whole corpus.

use super::machine::need_browser;
use crate::oracle::{compare_corpus, corpus};
use crate::{Browser, NativeHost, Options};

/// Compares the pages whose names hold `part` and prints the outcome.
///
/// # Errors
/// When something differs that the list of known differences does not explain, or the list is outdated.
pub(super) fn run(part: &str) -> Result<(), String> {
    need_browser()?;
    let options = Options { host: NativeHost::None, without_extension: true, ..Options::default() };
    let browser = Browser::launch(&options);
    let pages: Vec<_> = corpus().into_iter().filter(|page| page.name.contains(part)).collect();
    let comparison = compare_corpus(&browser, &pages);
    print!("{comparison}");
    match (comparison.unknown().count(), comparison.outdated.len()) {
        (0, 0) => Ok(()),
        (unknown, 0) => Err(format!("{unknown} differences are not in the list of known differences")),
        // A part of the corpus cannot tell whether an entry is outdated.
        (0, _) if !part.is_empty() => Ok(()),
        (unknown, outdated) => Err(format!("{unknown} unknown differences, {outdated} outdated entries")),
    }
}
