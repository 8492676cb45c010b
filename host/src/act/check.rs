//! Checking and unchecking: the page library reads the state and finds where to click, the browser clicks, and the state
//! that comes of it decides. No click when the state already holds.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::PageFunction;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Probe, UsedElement, confirm, effects, flush, to_viewport, used};
use crate::run::{Done, Work};
use crate::target::Element;

/// How long the page may take to get the click and to show the state.
const CHECK_MS: u64 = 3000;

#[derive(Deserialize)]
struct Begun {
    #[serde(flatten)]
    element: UsedElement,
    done: bool,
    x: f64,
    y: f64,
}

#[derive(Deserialize)]
struct Ended {
    #[serde(flatten)]
    element: UsedElement,
    #[serde(flatten)]
    probe: Probe,
    checked: bool,
}

/// `bsk check` and `bsk uncheck`.
pub(crate) async fn check(work: &Work, target: &Element, checked: bool) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let (frame, page_target) = target.in_page();
    let args = json!({ "target": page_target, "checked": checked, "timeout_ms": work.page_timeout_ms() });
    let begun: Begun = work.page(frame, PageFunction::CheckBegin, &args).await?;
    let mut result = used(work, target, &begun.element);
    result.insert("clicked".into(), json!(!begun.done));
    if begun.done {
        result.insert("checked".into(), json!(checked));
        result.insert("effects".into(), json!({}));
        return Ok(Done::new(&result));
    }
    let (x, y) = to_viewport(work, frame, begun.x, begun.y).await?;
    let events = work.tab.watch();
    work.tab.pointer.set(Some((x, y)));
    let mouse = |kind: &str, button: &str, buttons: u8| {
        let event = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": u8::from(button == "left"),
        });
        work.cdp::<Value>("Input.dispatchMouseEvent", &event)
    };
    let sent =
        [mouse("mouseMoved", "none", 0), mouse("mousePressed", "left", 1), mouse("mouseReleased", "left", 0)];
    let args = json!({ "checked": checked, "timeout_ms": CHECK_MS.min(work.page_timeout_ms()) });
    let ended = work.page::<Ended>(frame, PageFunction::CheckEnd, &args);
    let flushed = flush(work);
    let state = match ended.await {
        Ok(ended) => {
            confirm(Ok(ended.probe), "click")?;
            if ended.checked != checked {
                return Err(not_kept(&ended.element, checked));
            }
            Some(ended.checked)
        }
        // The click led to another page, which took the control along.
        Err(failure) if failure.reason == Some(Reason::PageNavigated) => None,
        Err(failure) => return Err(failure),
    };
    for reply in sent {
        reply.await?;
    }
    let effects = effects(work, events, flushed).await?;
    result.insert("checked".into(), json!(state));
    result.insert("effects".into(), json!(effects));
    Ok(Done::new(&result))
}

fn not_kept(element: &UsedElement, wanted: bool) -> Failure {
    let is = if wanted { "not checked" } else { "still checked" };
    Failure::new(
        ErrorCode::CdpFailed,
        Reason::ValueMismatch,
        format!("{} {:?} was clicked and is {is}", element.role, element.name),
    )
    .hint("run `bsk observe` to see what the page says; it may ask for something else first")
    .with("checked", !wanted)
}
