//! Idleness: half a second without a request under way and without a change of the page. A page may never be idle, so the wait
//! has a cap, and the answer says what kept it busy: that it was not idle is an answer, not a failure.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, NetworkQuiet, PageFunction};
use bsk_protocol::local::Waited;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{REPLACING, is_replacing, matched, next_document, time_left};
use crate::kernel::{Pending, in_ms};
use crate::run::Work;

/// How long nothing may have happened; the page library has the same time (extension/page/wait.js).
const QUIET_MS: u32 = 500;
/// How many looks in a row may find the one side quiet and the other just busy again, in the time of the command.
const LATEST_MS: u64 = 50;

#[derive(Deserialize)]
struct Rest {
    holds: bool,
}

pub(super) async fn wait(work: &Work) -> Result<Waited, Failure> {
    // Held for the whole wait, so that no request slips in between two looks.
    let watch = Call::NetworkWatch { session_id: work.session_id.clone(), tab_id: work.tab_id };
    let _reports: Pending<Value> = work.host.kernel.send(watch);
    let mut busy = String::from("the page was being replaced");
    loop {
        let Some(left) = time_left(work) else {
            return Ok(Waited { matched: None, busy: Some(busy), ..matched(work, "idle") });
        };
        let left_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).saturating_sub(LATEST_MS);
        let asked = in_ms(left_ms);
        let args = json!({ "condition": "quiet", "value": "", "timeout_ms": asked });
        let rest: Pending<Rest> = work.page(FrameNumber::MAIN, PageFunction::Wait, &args);
        let network: NetworkQuiet = work.host.kernel.send(quiet(work, QUIET_MS, asked)).await?;
        let rest = match rest.await {
            Ok(rest) => rest,
            Err(failure) if is_replacing(&failure) => {
                next_document(work, left.min(REPLACING)).await;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        if !(network.is_quiet && rest.holds) {
            busy = told(&network, rest.holds);
            if time_left(work).is_none_or(|left| left.as_millis() < u128::from(2 * QUIET_MS)) {
                return Ok(Waited { matched: None, busy: Some(busy), ..matched(work, "idle") });
            }
            continue;
        }
        // The one may have begun anew while the other came to rest.
        let now: NetworkQuiet = work.host.kernel.send(quiet(work, QUIET_MS, 0)).await?;
        if now.is_quiet {
            return Ok(matched(work, "idle"));
        }
        busy = told(&now, true);
    }
}

fn quiet(work: &Work, quiet_ms: u32, timeout_ms: u32) -> Call {
    Call::NetworkQuiet { session_id: work.session_id.clone(), tab_id: work.tab_id, quiet_ms, timeout_ms }
}

/// What keeps the page busy, in words.
fn told(network: &NetworkQuiet, is_at_rest: bool) -> String {
    let requests = match (network.is_quiet, network.under_way) {
        (true, _) => None,
        (false, 0) => Some("requests keep coming".to_owned()),
        (false, 1) => Some("1 request is under way".to_owned()),
        (false, count) => Some(format!("{count} requests are under way")),
    };
    let changes = (!is_at_rest).then(|| "the page keeps changing".to_owned());
    let parts: Vec<String> = requests.into_iter().chain(changes).collect();
    if parts.is_empty() { "it just came to rest".to_owned() } else { parts.join(" and ") }
}
