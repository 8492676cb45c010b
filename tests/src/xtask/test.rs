//! `cargo xtask test`: everything that must hold, from a clean checkout, stopping at the first failure.

use std::time::Instant;

use super::machine::{need_browser, need_node};
use super::steps::{build_release, cargo, step};
use crate::workspace;

/// Runs all steps; `is_fast` leaves out what needs a browser or a release build.
///
/// # Errors
/// A line that names the first step that failed.
pub(super) fn run(is_fast: bool) -> Result<(), String> {
    let started = Instant::now();
    let extension = workspace::extension_dir();
    need_node()?;
    if !is_fast {
        need_browser()?;
    }
    cargo("format", &["fmt", "--all", "--check"])?;
    cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    step("npm packages", &extension, "npm", &["ci", "--no-audit", "--no-fund"])?;
    step("extension types", &extension, "npm", &["run", "check"])?;
    step("extension tests", &extension, "npm", &["test"])?;
    if is_fast {
        cargo("tests", &["test", "--workspace", "--exclude", "bsk-tests"])?;
        cargo("tidy", &["test", "-p", "bsk-tests", "--test", "tidy"])?;
    } else {
        build_release()?;
        cargo("tests", &["test", "--workspace"])?;
    }
    println!("\nAll of `cargo xtask test` passed in {:.0} s.", started.elapsed().as_secs_f64());
    Ok(())
}
