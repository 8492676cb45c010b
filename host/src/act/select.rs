//! Choosing options of a select: the page library does it in one step and reads back what is chosen.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::Modifier;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{UsedElement, effects, flush, used};
use crate::run::{Done, Work};
use crate::target::Element;

#[derive(Deserialize)]
struct Selected {
    #[serde(flatten)]
    element: UsedElement,
    multiple: bool,
    selected_values: Vec<String>,
    selected_labels: Vec<String>,
}

/// `bsk select`.
pub(crate) async fn select(
    work: &Work,
    target: &Element,
    values: Vec<String>,
    labels: Vec<String>,
    indexes: Vec<u32>,
) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let args = json!({
        "values": values, "labels": labels, "indexes": indexes, "timeout_ms": work.page_timeout_ms(),
    });
    choose(work, target, args).await
}

/// Chooses the option that was clicked: alone, or with Control or Meta besides what is chosen.
pub(super) async fn choose_option(
    work: &Work,
    option: &Element,
    modifiers: &[Modifier],
) -> Result<Done, Failure> {
    let adds = modifiers
        .iter()
        .any(|held| matches!(held, Modifier::Control | Modifier::Meta | Modifier::ControlOrMeta));
    let args = json!({
        "values": [], "labels": [], "indexes": [], "timeout_ms": work.page_timeout_ms(),
        "option": if adds { "toggle" } else { "only" },
    });
    choose(work, option, args).await
}

async fn choose(work: &Work, target: &Element, mut args: Value) -> Result<Done, Failure> {
    let (frame, page_target) = target.in_page();
    args["target"] = json!(page_target);
    let events = work.tab.watch();
    let selected: Selected = work.page(frame, PageFunction::Select, &args).await?;
    let effects = effects(work, events, flush(work)).await?;
    let mut result = used(work, target, &selected.element);
    result.insert("multiple".into(), json!(selected.multiple));
    result.insert("selected_values".into(), json!(selected.selected_values));
    result.insert("selected_labels".into(), json!(selected.selected_labels));
    result.insert("effects".into(), json!(effects));
    Ok(Done::new(&result))
}
