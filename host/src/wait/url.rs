//! Addresses: the page's own, then those that the tab's events tell. `**` in a pattern stands for anything, `*` for anything
//! without a `/`; a pattern without either is a part of the address.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Waited;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::{in_vain, matched, time_left};
use crate::navigate;
use crate::run::{Work, tab_lost};
use crate::tabs::TabEvent;

pub(super) async fn wait(work: &Work, pattern: &str) -> Result<Waited, Failure> {
    let mut events = work.tab.watch();
    let found = |url: String| Waited { url: Some(url), ..matched(work, "url") };
    let mut last = current(work).await;
    loop {
        if fits(pattern, &last) {
            return Ok(found(last));
        }
        let vain =
            || in_vain(&format!("the address did not become `{pattern}`"), &format!("; it is `{last}`"));
        let left = time_left(work).ok_or_else(vain)?;
        match timeout(left, events.recv()).await {
            Err(_) => return Err(vain()),
            Ok(Ok(TabEvent::Lost(cause))) => return Err(tab_lost(work.tab_id, cause)),
            Ok(Ok(event)) => last = event.into_url().unwrap_or(last),
            Ok(Err(RecvError::Lagged(_))) => last = current(work).await,
            Ok(Err(RecvError::Closed)) => return Err(crate::kernel::browser_gone()),
        }
    }
}

/// The address as the page itself has it, else as it was last told.
pub(super) async fn current(work: &Work) -> String {
    match navigate::state(work).await {
        Some(state) => state.url,
        None => work.tab.url.borrow().clone().unwrap_or_default(),
    }
}

/// Whether an address is as the pattern says.
fn fits(pattern: &str, url: &str) -> bool {
    if pattern.contains('*') { glob(pattern.as_bytes(), url.as_bytes()) } else { url.contains(pattern) }
}

/// Whether all of the text is as the pattern says, in a time that grows with the product of the lengths at most.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    // What holds for the pattern's parts so far, at each place of the text.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut rest = pattern;
    while let Some((&sign, after)) = rest.split_first() {
        let is_any = sign == b'*' && after.first() == Some(&b'*');
        rest = if is_any { &after[1..] } else { after };
        let before = reached.clone();
        for place in 0..=text.len() {
            let from_last = place.checked_sub(1);
            reached[place] = match (sign, is_any) {
                (b'*', true) => before[place] || from_last.is_some_and(|last| reached[last]),
                (b'*', false) => {
                    before[place] || from_last.is_some_and(|last| reached[last] && text[last] != b'/')
                }
                (_, _) => from_last.is_some_and(|last| before[last] && text[last] == sign),
            };
        }
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stays_within_a_segment_and_two_do_not() {
        let url = "https://shop.test/cart/checkout?step=2";
        for pattern in ["/checkout", "**/checkout*", "https://*/cart/*", "https://shop.test/**", "**"] {
            assert!(fits(pattern, url), "{pattern}");
        }
        for pattern in ["/basket", "**/checkout", "https://*/checkout*", "http://**", "*"] {
            assert!(!fits(pattern, url), "{pattern}");
        }
    }

    #[test]
    fn a_hostile_pattern_costs_little() {
        let (pattern, url) = ("*a".repeat(2000) + "b", "a".repeat(4000));
        assert!(!fits(&pattern, &url));
    }
}
