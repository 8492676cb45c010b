//! `cargo xtask soak`: thousands of mixed actions over many kinds of pages, against what the pages themselves say.
//!
//! An action that is reported done and is not in its page's own record ends the run at once. Everything is weighed at the start, in
//! the middle and at the end; what grew more in the second half than its bound allows is a leak, and an error.

mod course;
mod rounds;
mod weights;

use std::time::Duration;

use self::course::Course;
use self::weights::Weights;
use super::machine::need_browser;
use super::steps::build_release;
use crate::{Browser, Options};

/// Actions of a run.
const ACTIONS: usize = 2000;
/// Actions before the first weighing: caches fill and libraries load.
const WARM_UP: usize = 200;

/// Runs all actions, spread over this many minutes; 0 is as fast as they go.
///
/// # Errors
/// When it cannot be built or started, an action was reported done that was not, or something leaks.
pub(super) fn run(minutes: u64) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let rest = Duration::from_secs(minutes * 60) / u32::try_from(ACTIONS).unwrap_or(u32::MAX);
    let mut course = Course::new(&browser, &session, rest);
    let rounds = rounds::all(&browser);
    let lasting = rounds::Lasting::open(&browser, &session);
    let mut weighings: Vec<Weights> = Vec::new();
    for (number, goal) in [WARM_UP, usize::midpoint(WARM_UP, ACTIONS), ACTIONS].into_iter().enumerate() {
        while course.done() < goal {
            for round in &rounds {
                round.run(&mut course).map_err(|error| format!("{}: {error}", round.name))?;
            }
            lasting.run(&mut course).map_err(|error| format!("the lasting page: {error}"))?;
        }
        weighings.push(Weights::of(&browser, &session, &lasting.page));
        println!("{} actions done, weighing {} of 3", course.done(), number + 1);
    }
    println!("\n{}", weights::table(&weighings));
    println!("{}", course.tally());
    println!("every action that was reported done is in its page's record");
    let leaks = weights::leaks(&weighings[1], &weighings[2]);
    if leaks.is_empty() {
        Ok(())
    } else {
        Err(format!("grew too much in the second half: {}", leaks.join(", ")))
    }
}
