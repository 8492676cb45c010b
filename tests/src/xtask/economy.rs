//! `cargo xtask economy`: tokens of the observation of ten realistic pages beside those of a plain aria snapshot.
//!
//! Both texts of every page are left in `target/economy/`.

use std::fs;

use super::machine::need_browser;
use super::steps::build_release;
use crate::oracle::measure_economy;
use crate::{Browser, Options, workspace};

/// Measures and prints the table.
///
/// # Errors
/// When it cannot be built, or a control is missing in an observation.
pub(super) fn run() -> Result<(), String> {
    need_browser()?;
    if std::env::var_os("BSK_BIN_DIR").is_none() {
        build_release()?;
    }
    let economy = measure_economy(&Browser::launch(&Options::default()));
    let folder = workspace::root().join("target/economy");
    for page in &economy.pages {
        let name = folder.join(page.page.replace('/', "-"));
        let written = fs::create_dir_all(&folder)
            .and_then(|()| fs::write(name.with_extension("observe.txt"), &page.observed))
            .and_then(|()| fs::write(name.with_extension("aria.txt"), &page.snapshot));
        written.map_err(|error| format!("`{}`: {error}", folder.display()))?;
    }
    println!("{economy}");
    let missing: usize = economy.pages.iter().map(|page| page.missing.len()).sum();
    if missing == 0 { Ok(()) } else { Err(format!("{missing} controls are missing in the observations")) }
}
