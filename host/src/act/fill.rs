//! Filling a field: the page library makes it ready and reads it back, the browser types.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::PageFunction;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::press::chord;
use super::{UsedElement, effects, flush, used};
use crate::kernel::Pending;
use crate::run::{Done, Work};
use crate::target::Element;

#[derive(Deserialize)]
struct Begun {
    done: bool,
    is_secret: bool,
    /// An editor that draws itself: only keys reach what it holds.
    #[serde(default)]
    by_keys: bool,
}

/// What the page library read back.
#[derive(Deserialize)]
pub(super) struct Ended {
    #[serde(flatten)]
    pub(super) element: UsedElement,
    value_length: u64,
    value: Option<String>,
    pub(super) matches: bool,
}

/// How long an edit may take to show once the browser has typed.
pub(super) const EDIT_MS: u64 = 3000;

/// Bytes of text that a slow machine enters in a millisecond (measured: 5 MB in 2.7 s).
const BYTES_PER_MS: u64 = 500;

/// What editors that draw themselves select all with, and go to their end.
const SELECT_ALL: &str = "ControlOrMeta+A";
const TO_END: &str = "ControlOrMeta+End";

/// `bsk fill`.
pub(crate) async fn fill(
    work: &Work,
    target: &Element,
    value: String,
    append: bool,
) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let (frame, page_target) = target.in_page();
    let timeout_ms = work.page_timeout_ms();
    let args = json!({ "target": page_target, "value": value, "append": append, "timeout_ms": timeout_ms });
    let edit_ms = EDIT_MS.saturating_add(value.len() as u64 / BYTES_PER_MS);
    let events = work.tab.watch();
    let begun: Begun = work.page(frame, PageFunction::FillBegin, &args).await?;
    let mut typed = Vec::new();
    if begun.by_keys {
        typed.extend(chord(work, if append { TO_END } else { SELECT_ALL })?);
    }
    if !begun.done {
        typed.extend(enter(work, &value)?);
    }
    if begun.by_keys {
        typed.extend(chord(work, SELECT_ALL)?);
        for reply in typed.drain(..) {
            reply.await?;
        }
    }
    let args = json!({ "value": value, "append": append, "timeout_ms": edit_ms.min(work.page_timeout_ms()) });
    let ended = work.page(frame, PageFunction::FillEnd, &args);
    let flushed = flush(work);
    let ended: Ended = ended.await?;
    if begun.by_keys {
        typed.extend(chord(work, TO_END)?);
    }
    for reply in typed {
        reply.await?;
    }
    if !ended.matches {
        return Err(mismatch(&ended, begun.is_secret));
    }
    let mut result = used(work, target, &ended.element);
    insert_field(&mut result, Some(ended), begun.is_secret);
    result.insert("effects".into(), json!(effects(work, events, flushed).await?));
    Ok(Done::new(&result))
}

/// What a field holds, for the result; never what a secret one holds. None when the page went away with it.
pub(super) fn insert_field(result: &mut Map<String, Value>, ended: Option<Ended>, is_secret: bool) {
    result.insert("value_length".into(), json!(ended.as_ref().map(|ended| ended.value_length)));
    if let (Some(held), false) = (ended.and_then(|ended| ended.value), is_secret) {
        result.insert("value".into(), json!(held));
    }
}

/// Types a text in place of what is selected; for an empty one, takes that out as people do.
fn enter(work: &Work, value: &str) -> Result<Vec<Pending<Value>>, Failure> {
    if !value.is_empty() {
        return Ok(vec![work.cdp("Input.insertText", &json!({ "text": value }))]);
    }
    chord(work, "Delete")
}

/// The failure of a field that holds something else than what was asked for.
pub(super) fn mismatch(ended: &Ended, is_secret: bool) -> Failure {
    let held = match (&ended.value, is_secret) {
        (Some(value), false) if ended.value_length <= 200 => format!("`{value}`"),
        _ => format!("{} characters", ended.value_length),
    };
    let failure = Failure::new(
        ErrorCode::CdpFailed,
        Reason::ValueMismatch,
        format!("the field holds {held}, not what was asked for"),
    )
    .hint("the page may limit or rewrite what it takes; check its rules with `bsk observe`")
    .with("value_length", ended.value_length);
    match (&ended.value, is_secret) {
        (Some(value), false) => failure.with("value", value.clone()),
        _ => failure,
    }
}
