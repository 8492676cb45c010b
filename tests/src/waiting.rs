//! Waiting for a condition: look, pause briefly, look again, and say what was missing when the time is over.

use std::thread;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(10);

/// Calls `look` until it gives something, and gives that.
///
/// # Panics
/// When `limit` is over; the message names `what` was waited for.
#[track_caller]
pub fn until<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < limit, "waited {limit:?} in vain: {what}");
        thread::sleep(PAUSE);
    }
}
