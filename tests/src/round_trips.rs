//! How often a command goes to the browser and back, read from the host's debug log.
//!
//! Requests that are sent without waiting for an answer in between are one round trip: `asked asked answered answered` is one,
//! `asked answered asked answered` are two.

use std::fs;

use crate::Browser;

/// The variable that has a browser's host log its requests.
pub const WITH_LOG: (&str, &str) = ("BSK_LOG", "debug");

/// What went between host and kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Times that something was waited for.
    pub round_trips: usize,
    /// Requests.
    pub requests: usize,
}

impl Traffic {
    /// What `run` costs in a browser that was started with [`WITH_LOG`].
    ///
    /// # Panics
    /// When there is no log.
    #[must_use]
    pub fn of(browser: &Browser, run: impl FnOnce()) -> Self {
        let before = log(browser).len();
        run();
        Self::read(log(browser).get(before..).unwrap_or_default())
    }

    fn read(log: &str) -> Self {
        let (mut round_trips, mut requests, mut is_asking) = (0, 0, false);
        for line in log.lines() {
            let asks = line.contains("kernel asked");
            if asks {
                requests += 1;
                round_trips += usize::from(!is_asking);
            }
            is_asking = asks || (is_asking && !line.contains("kernel answered"));
        }
        Self { round_trips, requests }
    }
}

fn log(browser: &Browser) -> String {
    let folder = browser.scratch().state_dir().join("logs");
    let files = fs::read_dir(&folder).expect("the host logs").map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_together_is_one_round_trip() {
        let log = "kernel asked a\nkernel answered a\nkernel asked b\npage event\nkernel asked c\nkernel answered b\nkernel answered c\n";
        assert_eq!(Traffic::read(log), Traffic { round_trips: 2, requests: 3 });
    }
}
