//! Dragging: press, move in steps, release. Where the page begins a drag with data (HTML5), drag events and a drop instead.
//!
//! The kernel keeps what the page drags; the host only says where it goes. A drag that is given up, or fails, goes back to where it
//! began and is let go there without a click: no button stays pressed.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::Offset;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Duration, Instant, timeout_at};

use super::pointer::{Aim, Wish, aim, hurry, mouse, to_viewport};
use super::{DELIVERY_MS, confirm, effects, flush, is_over, read_probe, used};
use crate::kernel::Pending;
use crate::run::{Done, Work};
use crate::tabs::TabEvent;
use crate::target::Element;

/// Moves between the first, which begins the drag, and the last: libraries take a drag for one after several.
const STEPS: u32 = 6;
/// How far the first move goes, in CSS pixels: past the few that pages and browsers take for a shaky hand.
const NUDGE: f64 = 10.0;

/// Where a drag ends.
#[derive(Debug)]
pub(crate) enum Goal {
    Element(Element),
    /// From the top left of what is dragged.
    Offset(Offset),
}

/// What the page library's `drag_state` says.
#[derive(Debug, Deserialize)]
struct DragState {
    started: bool,
    overdue: bool,
    accepts: bool,
    released: bool,
    dropped: bool,
    hit: Option<String>,
}

/// The button that is down; it is let go when the drag is given up.
struct Grip<'a> {
    work: &'a Work,
    frame: FrameNumber,
    start: (f64, f64),
    at: (f64, f64),
    has_moved: bool,
    /// The page drags data.
    is_drag: bool,
    is_down: bool,
}

impl Grip<'_> {
    fn held(&self, kind: &str, point: (f64, f64)) -> Pending<Value> {
        let buttons = i32::from(kind != "mouseReleased");
        let more =
            json!({ "button": "left", "buttons": buttons, "clickCount": i32::from(kind != "mouseMoved") });
        mouse(self.work, kind, point, &more)
    }

    fn drag_event(&self, kind: &str) -> Pending<Value> {
        let (x, y) = self.at;
        self.work.tab.pointer.set(Some(self.at));
        self.work.cdp("Input.dispatchDragEvent", &json!({ "type": kind, "x": x, "y": y }))
    }

    fn state(&self, frame: FrameNumber, until: Option<&str>, is_last: bool) -> Pending<DragState> {
        let timeout_ms = DELIVERY_MS.min(self.work.page_timeout_ms());
        let mut args = json!({ "timeout_ms": timeout_ms });
        if is_last {
            args["is_last"] = json!(true);
        }
        if let Some(until) = until {
            args["until"] = json!(until);
        }
        self.work.page(frame, PageFunction::DragState, &args)
    }

    /// Moves on to a point; notices when the page begins a drag with data.
    async fn go(
        &mut self,
        point: (f64, f64),
        is_last: bool,
        events: &mut Receiver<TabEvent>,
    ) -> Result<(), Failure> {
        self.at = point;
        self.has_moved = true;
        if self.is_drag {
            self.drag_event("dragOver").await?;
            return Ok(());
        }
        let moved = self.held("mouseMoved", point);
        hurry(self.work, point, 1);
        let state = self.state(self.frame, None, is_last);
        moved.await?;
        let DragState { started, overdue, .. } = state.await?;
        if is_last && overdue {
            return Err(Failure::new(
                ErrorCode::CdpFailed,
                Reason::NoDrag,
                "what was pressed is draggable, but the browser began no drag of it, so it was let go where it was",
            )
            .hint("look at the page with `bsk observe`, then try again"));
        }
        if started {
            began(events, self.work.deadline).await?;
            self.is_drag = true;
            self.drag_event("dragEnter").await?;
            self.drag_event("dragOver").await?;
        }
        Ok(())
    }

    /// In steps to a point, and there once more, since some pages look where the pointer was.
    async fn walk(&mut self, to: (f64, f64), events: &mut Receiver<TabEvent>) -> Result<(), Failure> {
        let from = self.at;
        for step in 1..=STEPS {
            self.go(between(from, to, f64::from(step) / f64::from(STEPS)), false, events).await?;
        }
        self.go(to, true, events).await
    }

    /// Lets go where the pointer is, and makes sure that the page got it.
    async fn let_go(&mut self, onto: FrameNumber) -> Result<(), Failure> {
        if !self.is_drag {
            self.is_down = false;
            let released = self.held("mouseReleased", self.at);
            let state = self.state(self.frame, Some("release"), false);
            released.await?;
            return match state.await {
                Ok(state) if state.released => Ok(()),
                Ok(_) => Err(not_delivered("the page never got the release".to_owned())),
                // A page that was replaced in the act got it.
                Err(failure) if failure.reason == Some(Reason::PageNavigated) => Ok(()),
                Err(failure) => Err(failure),
            };
        }
        if onto != self.frame {
            // Another frame hears of a drag only by its entering.
            self.drag_event("dragEnter").await?;
            self.drag_event("dragOver").await?;
        }
        if !self.state(onto, None, false).await?.accepts {
            return Err(Failure::new(
                ErrorCode::CdpFailed,
                Reason::DropNotAccepted,
                "what is there does not take what is dragged, so it was not dropped",
            )
            .hint("run `bsk observe` to see where it can go, or drag to another element"));
        }
        let dropped = self.drag_event("drop");
        let state = self.state(onto, Some("drop"), false);
        dropped.await?;
        let arrived = match state.await {
            Ok(DragState { dropped: true, hit: None, .. }) => Ok(()),
            Ok(DragState { hit: Some(hit), .. }) => {
                Err(not_delivered(format!("the drop reached `{hit}` instead")))
            }
            Ok(_) => Err(not_delivered("the page never got the drop".to_owned())),
            Err(failure) if failure.reason == Some(Reason::PageNavigated) => Ok(()),
            Err(failure) => Err(failure),
        };
        self.is_drag = false;
        self.is_down = false;
        self.held("mouseReleased", self.at).await?;
        arrived
    }
}

impl Drop for Grip<'_> {
    fn drop(&mut self) {
        // What was sent is carried out although nobody waits for it.
        if self.is_down {
            if self.is_drag {
                // Where it began, since the frame under the pointer is the one that hears of the end.
                self.at = self.start;
                drop(self.drag_event("dragOver"));
                drop(self.drag_event("dragCancel"));
            } else if self.has_moved {
                for kind in ["rawKeyDown", "keyUp"] {
                    let escape = json!({ "type": kind, "key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27 });
                    drop(self.work.cdp::<Value>("Input.dispatchKeyEvent", &escape));
                }
                drop(self.held("mouseMoved", self.start));
            }
            drop(self.held("mouseReleased", if self.has_moved { self.start } else { self.at }));
        }
        drop(self.work.cdp::<Value>("Input.setInterceptDrags", &json!({ "enabled": false })));
        self.work.input_sent();
    }
}

fn not_delivered(message: String) -> Failure {
    Failure::new(ErrorCode::CdpFailed, Reason::NotDelivered, message)
        .hint("run `bsk observe` to see the page as it is now")
}

/// A part of the way between two points.
fn between(from: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

/// The first point of a drag: a little on the way, even where the way is short.
fn nudge(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let way = (to.0 - from.0).hypot(to.1 - from.1);
    if way < 1.0 { (from.0 + NUDGE, from.1) } else { between(from, to, NUDGE / way) }
}

/// Waits until the kernel holds what the page drags.
async fn began(events: &mut Receiver<TabEvent>, deadline: Instant) -> Result<(), Failure> {
    let until = (Instant::now() + Duration::from_millis(DELIVERY_MS)).min(deadline);
    loop {
        match timeout_at(until, events.recv()).await {
            Ok(Ok(TabEvent::DragBegan)) => return Ok(()),
            Ok(Ok(_) | Err(RecvError::Lagged(_))) => {}
            Ok(Err(RecvError::Closed)) | Err(_) => {
                return Err(not_delivered("the page began a drag that the browser never took up".to_owned()));
            }
        }
    }
}

/// `bsk drag`. A drag that the browser did not begin is tried once more: a window that has only just been drawn loses presses.
pub(crate) async fn drag(
    work: &Work,
    source: &Element,
    goal: &Goal,
    from: Option<Offset>,
) -> Result<Done, Failure> {
    match once(work, source, goal, from).await {
        Err(failure) if failure.reason == Some(Reason::NoDrag) && is_over(work).await => {
            once(work, source, goal, from).await
        }
        done => done,
    }
}

async fn once(work: &Work, source: &Element, goal: &Goal, from: Option<Offset>) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let drop_wish = Wish { arm: "drop", ..Wish::default() };
    // Before anything is pressed: is there such a place at all?
    let mut end = match goal {
        Goal::Element(element) => Some(aim(work, element, &drop_wish).await?),
        Goal::Offset(_) => None,
    };
    let start = aim(work, source, &Wish { arm: "drag", at: from, ..Wish::default() }).await?;
    let mut events = work.tab.watch();
    let effect_events = work.tab.watch();
    let intercepted = work.cdp::<Value>("Input.setInterceptDrags", &json!({ "enabled": true }));
    let point = (start.x, start.y);
    let mut grip = Grip {
        work,
        frame: start.frame,
        start: point,
        at: point,
        has_moved: false,
        is_drag: false,
        is_down: true,
    };
    let sent = [mouse(work, "mouseMoved", point, &json!({})), grip.held("mousePressed", point)];
    confirm(read_probe(work, start.frame).await, "press")?;
    intercepted.await?;
    for reply in sent {
        reply.await?;
    }
    let mut to = place(work, &start, goal, end.as_ref()).await?;
    grip.go(nudge(point, to), false, &mut events).await?;
    if let Goal::Element(element) = goal {
        // Pages make room, or scroll, once something is dragged.
        end = Some(aim(work, element, &drop_wish).await?);
        to = place(work, &start, goal, end.as_ref()).await?;
    }
    grip.walk(to, &mut events).await?;
    let kind = if grip.is_drag { "html5" } else { "pointer" };
    grip.let_go(end.as_ref().map_or(start.frame, |end| end.frame)).await?;
    drop(grip);
    let effects = effects(work, effect_events, flush(work)).await?;
    let mut result = used(work, source, &start.element);
    for (name, value) in [("x", start.x), ("y", start.y), ("to_x", to.0), ("to_y", to.1)] {
        result.insert(name.into(), json!(value));
    }
    result.insert("kind".into(), json!(kind));
    result.insert("effects".into(), json!(effects));
    Ok(Done::new(&result))
}

/// Where the drag ends, in the tab's viewport.
async fn place(work: &Work, start: &Aim, goal: &Goal, end: Option<&Aim>) -> Result<(f64, f64), Failure> {
    match (goal, end) {
        (Goal::Offset(Offset { x, y }), _) => {
            to_viewport(work, start.frame, start.area.x + x, start.area.y + y).await
        }
        (Goal::Element(_), Some(end)) => Ok((end.x, end.y)),
        (Goal::Element(_), None) => Ok((start.x, start.y)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_begins_with_a_small_move_on_the_way() {
        assert_eq!(nudge((0.0, 0.0), (100.0, 0.0)), (10.0, 0.0));
        assert_eq!(nudge((5.0, 5.0), (5.0, 5.0)), (15.0, 5.0));
        assert_eq!(between((0.0, 10.0), (10.0, 20.0), 0.5), (5.0, 15.0));
    }
}
