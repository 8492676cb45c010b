//! Typing key by key: each character as its key goes down and up, in the field that the page library made ready.
//!
//! A line break is Enter and a tab is Tab, as on a keyboard. Keys go up in the same breath as they go down, so a command that
//! is given up leaves none pressed.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::Modifier;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep};

use super::fill::{EDIT_MS, Ended, insert_field, mismatch};
use super::press::Keyboard;
use super::{UsedElement, confirm, effects, flush, keys, read_probe, used};
use crate::run::{Done, Work};
use crate::target::Element;

/// Longest text that is typed; `fill` takes any length at once.
const MOST_KEYS: usize = 20_000;

/// Keys that are on their way at once; more would only wait in the browser.
const AT_ONCE: usize = 64;

#[derive(Deserialize)]
struct Begun {
    is_secret: bool,
    /// An editor that draws itself: what it made of the keys cannot be read without moving its caret.
    #[serde(default)]
    by_keys: bool,
    #[serde(flatten)]
    element: UsedElement,
}

/// `bsk type`.
pub(crate) async fn type_text(
    work: &Work,
    target: &Element,
    value: &str,
    delay_ms: u64,
) -> Result<Done, Failure> {
    let value = value.replace("\r\n", "\n").replace('\r', "\n");
    let typed: Vec<_> = value.chars().map(keys::of_character).collect::<Result<_, _>>()?;
    if typed.len() > MOST_KEYS {
        let message =
            format!("the text has {} characters; at most {MOST_KEYS} are typed key by key", typed.len());
        return Err(Failure::new(ErrorCode::InvalidParams, Reason::UsageInvalid, message)
            .hint("enter long texts with `bsk fill`, which takes any length at once"));
    }
    work.tab.has_fresh_document.set(false);
    let (frame, page_target) = target.in_page();
    let args = json!({ "target": page_target, "timeout_ms": work.page_timeout_ms() });
    let begun: Begun = work.page(frame, PageFunction::TypeBegin, &args).await?;
    let events = work.tab.watch();
    let mut probe = None;
    let mut sent = Vec::new();
    for (index, (key, is_shifted)) in typed.iter().enumerate() {
        let held: &[Modifier] = if *is_shifted { &[Modifier::Shift] } else { &[] };
        let keyboard = Keyboard { work, modifiers: held };
        sent.extend([keyboard.down(key), keyboard.up(key)]);
        let first = probe.get_or_insert_with(|| read_probe(work, frame));
        if index == 0 {
            confirm(first.await, "key")?;
        }
        if delay_ms > 0 || sent.len() >= AT_ONCE {
            for reply in sent.drain(..) {
                let _: Value = reply.await?;
            }
        }
        if delay_ms > 0 && index + 1 < typed.len() {
            sleep(Duration::from_millis(delay_ms)).await;
        }
    }
    let args = json!({ "value": value, "timeout_ms": EDIT_MS.min(work.page_timeout_ms()) });
    let ended = work.page::<Ended>(frame, PageFunction::TypeEnd, &args);
    let flushed = flush(work);
    let ended = ended.await;
    for reply in sent {
        let _: Value = reply.await?;
    }
    let ended = match ended {
        // Enter sent the form: there is no field to read back.
        Err(failure) if failure.reason == Some(Reason::PageNavigated) && is_sent(&value) => None,
        _ if begun.by_keys => None,
        ended => Some(ended?),
    };
    if let Some(ended) = ended.as_ref().filter(|ended| !ended.matches) {
        return Err(mismatch(ended, begun.is_secret));
    }
    let effects = effects(work, events, flushed).await?;
    let mut result = match &ended {
        Some(ended) => used(work, target, &ended.element),
        None if begun.by_keys => used(work, target, &begun.element),
        None => serde_json::Map::from_iter([("tab_id".to_owned(), json!(work.tab_id))]),
    };
    insert_field(&mut result, ended, begun.is_secret);
    result.insert("effects".into(), json!(effects));
    Ok(Done::new(&result))
}

/// Whether Enter is the last key and nothing before it is: then a page that goes away took the whole text along.
fn is_sent(value: &str) -> bool {
    value.ends_with('\n') && !value.trim_end_matches('\n').contains('\n')
}

#[cfg(test)]
mod tests {
    use super::is_sent;

    #[test]
    fn only_enter_at_the_end_sends_the_whole_text() {
        assert!(is_sent("hello\n") && is_sent("\n"));
        assert!(!is_sent("hello") && !is_sent("user\npassword") && !is_sent("a\nb\n"));
    }
}
