//! The pointer: click and hover.
//!
//! A click is two rounds: the page library prepares (and arms its probe), then move, press, release and the probe's
//! reading are sent in one go. The release is on its way before anything can cancel the command, so no button stays down.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, FrameQuad, PageFunction};
use bsk_protocol::local::{Effects, Modifier, MouseButton};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep};

use super::{
    UsedElement, confirm, effects, ended_by_itself, flush, flush_in, modifier_bits, read_probe, used,
};
use crate::kernel::Pending;
use crate::run::{Done, Work};
use crate::target::Element;

/// A triple click is the most that any browser knows.
const MOST_CLICKS: u8 = 3;

/// Outside of the view: where the pointer is before anything moved it.
const OUTSIDE: (f64, f64) = (-1.0, -1.0);

#[derive(Deserialize)]
struct Prepared {
    #[serde(flatten)]
    element: UsedElement,
    x: f64,
    y: f64,
}

/// A prepared target: where to point in the tab's viewport.
struct Aim {
    frame: FrameNumber,
    element: UsedElement,
    x: f64,
    y: f64,
}

async fn aim(work: &Work, target: &Element, arm: &str) -> Result<Aim, Failure> {
    let (frame, target) = target.in_page();
    let args = json!({ "target": target, "timeout_ms": work.page_timeout_ms(), "arm": arm });
    let Prepared { element, x, y } = work.page(frame, PageFunction::Prepare, &args).await?;
    let (x, y) = to_viewport(work, frame, x, y).await?;
    Ok(Aim { frame, element, x, y })
}

/// A point of a frame's viewport in the tab's viewport, whatever scales or moves the frame.
pub(crate) async fn to_viewport(
    work: &Work,
    frame: FrameNumber,
    x: f64,
    y: f64,
) -> Result<(f64, f64), Failure> {
    if frame == FrameNumber::MAIN {
        return Ok((x, y));
    }
    let call = Call::FrameQuad { session_id: work.session_id.clone(), tab_id: work.tab_id, frame };
    let place: FrameQuad = work.host.kernel.send(call).await?;
    point_in_quad(&place, x, y).ok_or_else(|| {
        Failure::new(ErrorCode::CdpFailed, Reason::ElementNotVisible, format!("frame {frame} has no size"))
            .hint("run `bsk observe` to see the page as it is now")
    })
}

/// Bilinear: exact for every affine transform, and close for perspective.
fn point_in_quad(place: &FrameQuad, x: f64, y: f64) -> Option<(f64, f64)> {
    if place.width <= 0.0 || place.height <= 0.0 {
        return None;
    }
    let [x1, y1, x2, y2, x3, y3, x4, y4] = place.quad;
    let (u, v) = (x / place.width, y / place.height);
    let blend = |a: f64, b: f64, c: f64, d: f64| {
        a * (1.0 - u) * (1.0 - v) + b * u * (1.0 - v) + c * u * v + d * (1.0 - u) * v
    };
    Some((blend(x1, x2, x3, x4), blend(y1, y2, y3, y4)))
}

fn mouse(work: &Work, kind: &str, aim: &Aim, more: &Value) -> Pending<Value> {
    work.tab.pointer.set(Some((aim.x, aim.y)));
    let mut event = json!({ "type": kind, "x": aim.x, "y": aim.y });
    if let (Some(event), Some(more)) = (event.as_object_mut(), more.as_object()) {
        event.extend(more.clone());
    }
    work.cdp("Input.dispatchMouseEvent", &event)
}

/// Moves the pointer for a moment: the tab's own pointer is where an action left it.
pub(crate) fn move_for_now(work: &Work, (x, y): (f64, f64)) -> Pending<Value> {
    work.cdp("Input.dispatchMouseEvent", &json!({ "type": "mouseMoved", "x": x, "y": y }))
}

/// Moves the pointer to where an action left it.
pub(crate) fn move_home(work: &Work) -> Pending<Value> {
    move_for_now(work, work.tab.pointer.get().unwrap_or(OUTSIDE))
}

/// Puts back a pointer that could not be put back while a dialog was open: the browser drops input then.
pub(crate) fn fetch_pointer(work: &Work) {
    if work.tab.is_pointer_astray.take() {
        // What was sent is carried out although nobody waits for it.
        drop(move_home(work));
        work.input_sent();
    }
}

/// `bsk click`.
pub(crate) async fn click(
    work: &Work,
    target: &Element,
    button: MouseButton,
    click_count: u8,
    modifiers: &[Modifier],
) -> Result<Done, Failure> {
    if !(1..=MOST_CLICKS).contains(&click_count) {
        return Err(Failure::new(
            ErrorCode::InvalidParams,
            Reason::UsageInvalid,
            format!("`{click_count}` clicks at once are not possible"),
        )
        .hint(format!("use a click count of 1 to {MOST_CLICKS}")));
    }
    work.tab.has_fresh_document.set(false);
    let aim = aim(work, target, "mousedown").await?;
    let events = work.tab.watch();
    let modifiers = modifier_bits(modifiers);
    let (button, held) = match button {
        MouseButton::Left => ("left", 1),
        MouseButton::Right => ("right", 2),
        MouseButton::Middle => ("middle", 4),
    };
    let mut sent = vec![mouse(work, "mouseMoved", &aim, &json!({ "modifiers": modifiers }))];
    for count in 1..=click_count {
        for (kind, buttons) in [("mousePressed", held), ("mouseReleased", 0)] {
            let more =
                json!({ "button": button, "buttons": buttons, "clickCount": count, "modifiers": modifiers });
            sent.push(mouse(work, kind, &aim, &more));
        }
    }
    let (probe, flushed) = (read_probe(work, aim.frame), flush_in(work, aim.frame));
    let done = async {
        confirm(probe.await, "click")?;
        for reply in sent {
            reply.await?;
        }
        effects(work, events, flushed).await
    };
    let effects = done.await.or_else(|failure| ended_by_itself(work, failure))?;
    Ok(pointed(work, target, &aim, &effects))
}

/// The answer of a command that pointed at something.
fn pointed(work: &Work, target: &Element, aim: &Aim, effects: &Effects) -> Done {
    let mut result = used(work, target, &aim.element);
    result.insert("x".into(), json!(aim.x));
    result.insert("y".into(), json!(aim.y));
    result.insert("effects".into(), json!(effects));
    Done::new(&result)
}

/// `bsk hover`.
pub(crate) async fn hover(
    work: &Work,
    target: &Element,
    modifiers: &[Modifier],
    settle_ms: u64,
) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let aim = aim(work, target, "mousemove").await?;
    let events = work.tab.watch();
    let moved = mouse(work, "mouseMoved", &aim, &json!({ "modifiers": modifier_bits(modifiers) }));
    let probe = read_probe(work, aim.frame).await;
    confirm(probe, "pointer")?;
    moved.await?;
    // How long the pointer rests is the caller's wish, not a wait for the page.
    sleep(Duration::from_millis(settle_ms)).await;
    let effects = effects(work, events, flush(work)).await?;
    Ok(pointed(work, target, &aim, &effects))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_follows_its_frame_through_scale_and_rotation() {
        let scaled = FrameQuad {
            quad: [10.0, 20.0, 310.0, 20.0, 310.0, 220.0, 10.0, 220.0],
            width: 600.0,
            height: 400.0,
        };
        assert_eq!(point_in_quad(&scaled, 60.0, 40.0), Some((40.0, 40.0)));
        let turned =
            FrameQuad { quad: [100.0, 0.0, 100.0, 100.0, 0.0, 100.0, 0.0, 0.0], width: 100.0, height: 100.0 };
        assert_eq!(point_in_quad(&turned, 25.0, 0.0), Some((100.0, 25.0)));
        let empty = FrameQuad { quad: [0.0; 8], width: 0.0, height: 10.0 };
        assert_eq!(point_in_quad(&empty, 1.0, 1.0), None);
    }
}
