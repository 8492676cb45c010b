//! Filling a field: the page library makes it ready and reads it back, the browser types.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::PageFunction;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{UsedElement, effects, flush, used};
use crate::run::{Done, Work};
use crate::target::Element;

#[derive(Deserialize)]
struct Begun {
    done: bool,
    is_secret: bool,
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
    let typed = (!begun.done).then(|| work.cdp::<Value>("Input.insertText", &json!({ "text": value })));
    let args = json!({ "value": value, "append": append, "timeout_ms": edit_ms.min(work.page_timeout_ms()) });
    let ended = work.page(frame, PageFunction::FillEnd, &args);
    let flushed = flush(work);
    let ended: Ended = ended.await?;
    if let Some(typed) = typed {
        typed.await?;
    }
    if !ended.matches && !is_reformatted(&value, ended.value.as_deref(), append) {
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

/// Whether the page only laid the text out anew, as masks do: the same letters and digits in the same order.
fn is_reformatted(asked: &str, held: Option<&str>, append: bool) -> bool {
    let significant = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (asked, held) = (significant(asked), significant(held.unwrap_or_default()));
    !asked.is_empty() && (asked == held || append && held.ends_with(&asked))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_may_add_signs_but_not_lose_or_change_characters() {
        assert!(is_reformatted("555123", Some("555-123"), false));
        assert!(is_reformatted("123", Some("555-123"), true));
        assert!(!is_reformatted("555123", Some("555-12"), false));
        assert!(!is_reformatted("123", Some("555-123"), false));
        assert!(!is_reformatted("--", Some(""), false));
        assert!(!is_reformatted("abc", None, false));
    }
}
