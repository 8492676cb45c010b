//! Filling a field: the page library makes it ready and reads it back, the browser types. The kernel does the three in one go; what
//! takes keys is done from here.

use std::future::ready;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, PageFunction};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::press::chord;
use super::{UsedElement, effects, flush, used};
use crate::kernel::in_ms;
use crate::run::{Done, Work};
use crate::target::Element;

/// The kernel's answer; without the last two, what is left to do takes keys.
#[derive(Deserialize)]
struct Filled {
    begun: Begun,
    ended: Option<Ended>,
    flushed: Option<Value>,
}

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

/// How long the page may take to show a text.
fn edit_ms(value: &str) -> u64 {
    EDIT_MS.saturating_add(value.len() as u64 / BYTES_PER_MS)
}

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
    let edit_ms = edit_ms(&value).min(timeout_ms);
    let events = work.tab.watch();
    let call = Call::Fill {
        session_id: work.session_id.clone(),
        tab_id: work.tab_id,
        frame,
        target: page_target,
        value: value.clone(),
        append,
        timeout_ms: in_ms(timeout_ms),
        edit_ms: in_ms(edit_ms),
        opened_ms: Some(in_ms(timeout_ms)),
    };
    work.input_sent();
    let Filled { begun, ended, flushed } = work.host.kernel.send(call).await?;
    work.input_sent();
    let (ended, flushed) = match (ended, flushed) {
        (Some(ended), Some(flushed)) => (ended, flushed),
        _ => by_keys(work, frame, &value, append, &begun).await?,
    };
    if !ended.matches {
        return Err(mismatch(&ended, begun.is_secret));
    }
    let mut result = used(work, target, &ended.element);
    insert_field(&mut result, Some(ended), begun.is_secret);
    result.insert("effects".into(), json!(effects(work, events, ready(Ok(flushed))).await?));
    Ok(Done::new(&result))
}

/// Edits a field that the page library has made ready with keys: an editor that draws itself, or one that is emptied.
async fn by_keys(
    work: &Work,
    frame: FrameNumber,
    value: &str,
    append: bool,
    begun: &Begun,
) -> Result<(Ended, Value), Failure> {
    let mut typed = Vec::new();
    if begun.by_keys {
        typed.extend(chord(work, if append { TO_END } else { SELECT_ALL })?);
    }
    if !begun.done && value.is_empty() {
        typed.extend(chord(work, "Delete")?);
    } else if !begun.done {
        typed.push(work.cdp("Input.insertText", &json!({ "text": value })));
    }
    if begun.by_keys {
        typed.extend(chord(work, SELECT_ALL)?);
        for reply in typed.drain(..) {
            reply.await?;
        }
    }
    let args =
        json!({ "value": value, "append": append, "timeout_ms": edit_ms(value).min(work.page_timeout_ms()) });
    let ended = work.page(frame, PageFunction::FillEnd, &args);
    let flushed = flush(work);
    let ended: Ended = ended.await?;
    if begun.by_keys {
        typed.extend(chord(work, TO_END)?);
    }
    for reply in typed {
        reply.await?;
    }
    Ok((ended, flushed.await?))
}

/// What a field holds, for the result; never what a secret one holds. None when the page went away with it.
pub(super) fn insert_field(result: &mut Map<String, Value>, ended: Option<Ended>, is_secret: bool) {
    result.insert("value_length".into(), json!(ended.as_ref().map(|ended| ended.value_length)));
    if let (Some(held), false) = (ended.and_then(|ended| ended.value), is_secret) {
        result.insert("value".into(), json!(held));
    }
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
