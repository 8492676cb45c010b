//! Giving an element the focus: the page library does it and checks that it stayed.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::PageFunction;
use serde_json::json;

use super::{UsedElement, used};
use crate::run::{Done, Work};
use crate::target::Element;

/// `bsk focus`.
pub(crate) async fn focus(work: &Work, target: &Element) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let (frame, page_target) = target.in_page();
    let args = json!({ "target": page_target, "timeout_ms": work.page_timeout_ms() });
    let focused: UsedElement = work.page(frame, PageFunction::Focus, &args).await?;
    work.input_sent();
    Ok(Done::new(&used(work, target, &focused)))
}
