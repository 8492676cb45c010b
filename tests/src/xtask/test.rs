//! `cargo xtask test`: everything that must hold, from a clean checkout, stopping at the first failure.

use std::time::Instant;

use super::machine::{need_browser, need_node, need_screen};
use super::steps::{build_release, cargo, step};
use crate::workspace;

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Nothing that needs a browser or a release build.
    Fast,
    /// What holds every day.
    Whole,
    /// That, and what takes too long for it.
    Long,
}

/// Runs all steps of a lane.
///
/// # Errors
/// A line that names the first step that failed.
pub(super) fn run(lane: Lane) -> Result<(), String> {
    let started = Instant::now();
    let is_fast = lane == Lane::Fast;
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
        shown()?;
    }
    if lane == Lane::Long {
        cargo("long tests", &["test", "-p", "bsk-tests", "--features", "long", "--test", "long"])?;
    }
    println!("\nAll of `cargo xtask test` passed in {:.0} s.", started.elapsed().as_secs_f64());
    Ok(())
}

/// What only windows that are shown can tell: that presses arrive in them and that they do not come to the front.
fn shown() -> Result<(), String> {
    if !need_screen()? {
        println!("No virtual screen on this system: tests in shown windows are left out.");
        return Ok(());
    }
    let root = workspace::root();
    for (name, test) in [
        ("focus in shown windows", "BSK_TEST_HEADED=1 cargo test -p bsk-tests --test ten_sessions leave"),
        (
            "a click in shown windows",
            "BSK_TEST_HEADED=1 BSK_SCENARIO=13 cargo test -p bsk-tests --test scenarios -- --test-threads=1",
        ),
    ] {
        step(name, &root, "xvfb-run", &["-a", "sh", "-c", &format!("openbox & {test}")])?;
    }
    Ok(())
}
