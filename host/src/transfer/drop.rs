//! Dropping files on a place of the page: enter, over, and the drop once the page takes it. The page's own `drop` confirms.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, DragStep, PageFunction};
use bsk_protocol::local::UploadFile;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Effect;
use crate::act::{DELIVERY_MS, Wish, aim};
use crate::kernel::Pending;
use crate::run::Work;
use crate::target::Element;

/// What the page library's `drag_state` says.
#[derive(Debug, Deserialize)]
struct DropState {
    accepts: bool,
    dropped: bool,
    hit: Option<String>,
    #[serde(default)]
    files: Vec<UploadFile>,
}

fn state(work: &Work, frame: FrameNumber, until: Option<&str>) -> Pending<DropState> {
    let mut args = json!({ "timeout_ms": DELIVERY_MS.min(work.page_timeout_ms()) });
    if let Some(until) = until {
        args["until"] = json!(until);
    }
    work.page(frame, PageFunction::DragState, &args)
}

fn step(work: &Work, frame: FrameNumber, step: DragStep, (x, y): (f64, f64)) -> Pending<Value> {
    let (session_id, tab_id) = (work.session_id.clone(), work.tab_id);
    work.tab.pointer.set(Some((x, y)));
    work.input_sent();
    work.host.kernel.send(Call::UploadDrag { session_id, tab_id, frame, step, x, y })
}

/// # Errors
/// The page takes no drop there, or did not get this one.
pub(super) async fn drop_files(work: &Work, target: &Element, files: &[UploadFile]) -> Result<(), Failure> {
    work.transfer.enter("dropping");
    work.stage("dropping the files");
    let aim = aim(work, target, &Wish { arm: "drop", ..Wish::default() }).await?;
    let (frame, point) = (aim.frame, (aim.x, aim.y));
    step(work, frame, DragStep::Enter, point).await?;
    step(work, frame, DragStep::Over, point).await?;
    if !state(work, frame, None).await?.accepts {
        return Err(Failure::new(
            ErrorCode::CdpFailed,
            Reason::DropNotAccepted,
            "what is there takes no files, so they were not dropped",
        )
        .hint("run `bsk observe` to see where files go; a file input takes them without `--drop`"));
    }
    let dropped = step(work, frame, DragStep::Drop, point);
    work.transfer.set_effect(Effect::Unknown);
    let seen = state(work, frame, Some("drop"));
    dropped.await?;
    match seen.await {
        Ok(DropState { dropped: true, hit: None, files: seen, .. }) if seen == files => Ok(()),
        Ok(DropState { dropped: true, hit: Some(hit), .. }) => {
            Err(not_delivered(format!("the drop reached `{hit}` instead")))
        }
        Ok(DropState { dropped: true, .. }) => {
            Err(not_delivered("the page got other files than were dropped".to_owned()))
        }
        Ok(DropState { dropped: false, .. }) => Err(not_delivered("the page never got the drop".to_owned())),
        // A page that was replaced in the act got it.
        Err(failure) if failure.reason == Some(Reason::PageNavigated) => Ok(()),
        Err(failure) => Err(failure),
    }
}

fn not_delivered(message: String) -> Failure {
    Failure::new(ErrorCode::CdpFailed, Reason::NotDelivered, message)
        .hint("run `bsk observe` to see the page as it is now")
}
