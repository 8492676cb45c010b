//! JavaScript conditions: the page's own world is asked, by the grant that `evaluate` needs, after each change of the page and
//! from time to time, since a variable changes without a word.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::Waited;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep_until, timeout};

use super::{REPLACING, in_vain, is_replacing, matched, next_document, time_left};
use crate::look::{self, Given};
use crate::run::Work;

/// Longest time between two looks: what changes without the page's document changing is seen after it.
const RECHECK: Duration = Duration::from_millis(200);
/// Shortest time between two looks, so that a page that changes all the time is not slowed down by us.
const GAP: Duration = Duration::from_millis(30);

pub(super) async fn wait(work: &Work, source: &str) -> Result<Waited, Failure> {
    let called = format!("({source}\n)()");
    let mut is_function = false;
    let mut last = String::new();
    loop {
        let Some(left) = time_left(work) else { return Err(vain(&last)) };
        let began = Instant::now();
        let asked = if is_function { &called } else { source };
        let given =
            timeout(left, look::truth(work, asked.to_owned())).await.unwrap_or_else(|_| Err(vain(&last)));
        match given {
            Ok(Given::Function) if !is_function => {
                is_function = true;
                continue;
            }
            Ok(Given::Truthy(value)) => {
                return Ok(Waited { value, ..matched(work, "function") });
            }
            Ok(Given::Function) => return Ok(matched(work, "function")),
            Ok(Given::Falsy(told)) => last = format!("; it last gave `{told}`"),
            Ok(Given::Malformed(text)) => return Err(malformed(&text)),
            Ok(Given::Thrown(text)) => last = format!("; it last threw `{text}`"),
            Err(failure) if is_replacing(&failure) => {
                next_document(work, left.min(REPLACING)).await;
                continue;
            }
            Err(failure) => return Err(failure),
        }
        change(work, left.min(RECHECK)).await;
        sleep_until(began + GAP).await;
    }
}

/// Waits for the next change of the main frame's document; one that is being replaced has changed.
async fn change(work: &Work, longest: Duration) {
    let timeout_ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    let args = json!({ "timeout_ms": timeout_ms, "until_change": true });
    let asked = work.page::<Value>(FrameNumber::MAIN, PageFunction::Settle, &args);
    // A page whose timers the browser holds back answers later than asked.
    let _ = timeout(longest, asked).await;
}

fn vain(last: &str) -> Failure {
    in_vain("the function gave nothing truthy", last)
}

fn malformed(text: &str) -> Failure {
    Failure::new(
        ErrorCode::InvalidParams,
        Reason::UsageInvalid,
        format!("the function is no JavaScript: `{text}`"),
    )
    .hint("give an expression such as `window.isReady` or a function such as `() => items.length > 3`")
}
