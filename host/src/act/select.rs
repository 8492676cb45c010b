//! Choosing options of a select: the page library does it in one step and reads back what is chosen.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::PageFunction;
use serde::Deserialize;
use serde_json::json;

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
    let (frame, page_target) = target.in_page();
    let args = json!({
        "target": page_target, "values": values, "labels": labels, "indexes": indexes,
        "timeout_ms": work.page_timeout_ms(),
    });
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
