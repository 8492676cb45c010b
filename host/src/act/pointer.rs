//! The pointer: click and hover.
//!
//! What stands in for a hidden checkbox is clicked in its place and counts only when the checkbox changed; an option of a select is
//! chosen rather than clicked. A click is two rounds: the page library prepares (and arms its probe), then move, press, release and the probe's
//! reading are sent in one go. The release is on its way before anything can cancel the command, so no button stays down.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, FrameQuad, PageFunction};
use bsk_protocol::local::{Effects, Modifier, MouseButton, Offset};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::{Duration, Instant};

use super::{
    DELIVERY_MS, Probe, UsedElement, confirm, effects, ended_by_itself, flush, flush_in, modifier_bits,
    read_probe, select, used,
};
use crate::kernel::Pending;
use crate::run::{Done, Work};
use crate::target::Element;

/// A triple click is the most that any browser knows.
const MOST_CLICKS: u8 = 3;

/// Outside of the view: where the pointer is before anything moved it.
const OUTSIDE: (f64, f64) = (-1.0, -1.0);

/// A reaction that changed nothing for this long is over.
const QUIET: Duration = Duration::from_millis(120);

/// A move that a frame did not get by then is sent again.
const MOVE_MS: u64 = 300;

/// How to click.
#[derive(Debug)]
pub(crate) struct Press {
    pub(crate) button: MouseButton,
    pub(crate) count: u8,
    pub(crate) modifiers: Vec<Modifier>,
    pub(crate) at: Option<Offset>,
    pub(crate) force: bool,
}

/// What a page is to prepare for.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    /// The event to watch for.
    pub(crate) arm: &'static str,
    pub(crate) at: Option<Offset>,
    pub(crate) force: bool,
    /// Whether the page's reaction is noted from the start.
    pub(crate) watch: bool,
}

#[derive(Deserialize)]
struct Prepared {
    #[serde(flatten)]
    element: UsedElement,
    x: f64,
    y: f64,
    #[serde(rename = "box")]
    area: Area,
    stand_in: Option<String>,
    #[serde(default)]
    checked: bool,
    #[serde(default)]
    is_option: bool,
}

/// An element's box in its frame's viewport.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// What is pointed at in place of a checkbox or radio, and the state of that one before.
struct StandIn {
    name: String,
    was_checked: bool,
}

/// A prepared target: where to point in the tab's viewport.
pub(crate) struct Aim {
    pub(crate) frame: FrameNumber,
    pub(crate) element: UsedElement,
    pub(crate) area: Area,
    pub(crate) x: f64,
    pub(crate) y: f64,
    stand_in: Option<StandIn>,
    is_option: bool,
}

pub(crate) async fn aim(work: &Work, target: &Element, wish: &Wish) -> Result<Aim, Failure> {
    let (frame, target) = target.in_page();
    let mut args = json!({ "target": target, "timeout_ms": work.page_timeout_ms(), "arm": wish.arm });
    if let Some(at) = wish.at {
        args["at"] = json!(at);
    }
    for (name, flag) in [("force", wish.force), ("watch", wish.watch)] {
        if flag {
            args[name] = json!(true);
        }
    }
    let prepared: Prepared = work.page(frame, PageFunction::Prepare, &args).await?;
    let Prepared { element, x, y, area, stand_in, checked, is_option } = prepared;
    let (x, y) = if is_option { (x, y) } else { to_viewport(work, frame, x, y).await? };
    let stand_in = stand_in.map(|name| StandIn { name, was_checked: checked });
    Ok(Aim { frame, element, area, x, y, stand_in, is_option })
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

/// Sends a mouse event at a point of the tab's viewport, where the pointer is from then on.
pub(super) fn mouse(work: &Work, kind: &str, (x, y): (f64, f64), more: &Value) -> Pending<Value> {
    work.tab.pointer.set(Some((x, y)));
    let mut event = json!({ "type": kind, "x": x, "y": y });
    if let (Some(event), Some(more)) = (event.as_object_mut(), more.as_object()) {
        event.extend(more.clone());
    }
    work.cdp("Input.dispatchMouseEvent", &event)
}

/// Has the page take moves and wheels at once: a tab that is not shown draws a frame a second, and they wait for one until something
/// else follows. The release of no button is such a thing, and the page gets nothing of it
/// (docs/decisions/0005-moves-in-the-background.md).
pub(super) fn hurry(work: &Work, (x, y): (f64, f64), buttons: i32) {
    let event = json!({ "type": "mouseReleased", "x": x, "y": y, "button": "none", "buttons": buttons });
    // What was sent is carried out although nobody waits for it.
    drop(work.cdp::<Value>("Input.dispatchMouseEvent", &event));
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
pub(crate) async fn click(work: &Work, target: &Element, press: &Press) -> Result<Done, Failure> {
    let Press { button, count, modifiers, at, force } = press;
    if !(1..=MOST_CLICKS).contains(count) {
        return Err(Failure::new(
            ErrorCode::InvalidParams,
            Reason::UsageInvalid,
            format!("`{count}` clicks at once are not possible"),
        )
        .hint(format!("use a click count of 1 to {MOST_CLICKS}")));
    }
    work.tab.has_fresh_document.set(false);
    let wish = Wish { arm: "mousedown", at: *at, force: *force, watch: false };
    let mut aim = self::aim(work, target, &wish).await?;
    if aim.is_option {
        return select::choose_option(work, target, modifiers).await;
    }
    if aim.frame != FrameNumber::MAIN && !*force {
        wake_frame(work, target, *at).await?;
        aim = self::aim(work, target, &wish).await?;
    }
    let events = work.tab.watch();
    let modifiers = modifier_bits(modifiers);
    let (button, held) = match button {
        MouseButton::Left => ("left", 1),
        MouseButton::Right => ("right", 2),
        MouseButton::Middle => ("middle", 4),
    };
    let point = (aim.x, aim.y);
    let mut sent = vec![mouse(work, "mouseMoved", point, &json!({ "modifiers": modifiers }))];
    for count in 1..=*count {
        for (kind, buttons) in [("mousePressed", held), ("mouseReleased", 0)] {
            let more =
                json!({ "button": button, "buttons": buttons, "clickCount": count, "modifiers": modifiers });
            sent.push(mouse(work, kind, point, &more));
        }
    }
    let (probe, flushed) = (read_probe(work, aim.frame), flush_in(work, aim.frame));
    let done = async {
        let reached = arrived(probe.await, "click", *force)?;
        for reply in sent {
            reply.await?;
        }
        Ok((reached, effects(work, events, flushed).await?))
    };
    let (reached, effects) = match done.await {
        Ok(done) => done,
        Err(failure) => (None, ended_by_itself(work, failure)?),
    };
    let mut result = pointed(work, target, &aim, &effects);
    note_force(&mut result, *force, reached);
    if let Some(stand_in) = &aim.stand_in {
        // A page may have gone elsewhere on the click; then there is nothing left to read.
        let has_gone = effects.navigated_to.is_some() || effects.closed_tab_ids.contains(&work.tab_id);
        if !has_gone {
            let is_radio = aim.element.role.ends_with("radio");
            let expected = is_radio || stand_in.was_checked != (count % 2 == 1);
            let checked = verify(work, target, stand_in, expected).await?;
            result.insert("checked".into(), json!(checked));
        }
        result.insert("stand_in".into(), json!(stand_in.name));
    }
    Ok(Done::new(&result))
}

/// Waits until a frame gets the pointer. The browser knows a frame of another process by what was drawn: in a window that is not
/// shown that takes a second or more after it was loaded, and what is sent before then is lost. A move may be sent again, a
/// press may not.
async fn wake_frame(work: &Work, target: &Element, at: Option<Offset>) -> Result<(), Failure> {
    let until = Instant::now() + Duration::from_millis(DELIVERY_MS);
    loop {
        let wish = Wish { arm: "mousemove", at, force: false, watch: false };
        let aim = aim(work, target, &wish).await?;
        let moved = mouse(work, "mouseMoved", (aim.x, aim.y), &json!({}));
        hurry(work, (aim.x, aim.y), 0);
        let probe = work.page(aim.frame, PageFunction::Probe, &json!({ "timeout_ms": MOVE_MS }));
        let probe: Result<Probe, Failure> = probe.await;
        moved.await?;
        // Something in the way is told by the press, which it does not reach.
        let is_lost = matches!(probe, Ok(Probe { delivered: false, hit: None }));
        if !is_lost {
            return Ok(());
        }
        if Instant::now() >= until {
            return confirm(probe, "pointer");
        }
    }
}

/// As [`confirm`]; forced input may also reach something else, which is given.
fn arrived(probe: Result<Probe, Failure>, what: &str, force: bool) -> Result<Option<String>, Failure> {
    match probe {
        Ok(Probe { delivered: false, hit: Some(hit) }) if force => Ok(Some(hit)),
        probe => confirm(probe, what).map(|()| None),
    }
}

/// Says in the result that the checks were skipped, and what got the input if that was something else.
fn note_force(result: &mut Map<String, Value>, force: bool, reached: Option<String>) {
    if force {
        result.insert("forced".into(), json!(true));
    }
    if let Some(reached) = reached {
        result.insert("reached".into(), json!(reached));
    }
}

#[derive(Deserialize)]
struct CheckedState {
    checked: bool,
}

/// Whether the checkbox or radio is as a click on it leaves it. A page that answers a moment later gets its reaction time.
async fn verify(work: &Work, target: &Element, stand_in: &StandIn, expected: bool) -> Result<bool, Failure> {
    let (frame, page_target) = target.in_page();
    let args = json!({ "target": page_target });
    for is_last in [false, true] {
        let state: CheckedState = work.page(frame, PageFunction::CheckedState, &args).await?;
        if state.checked == expected {
            return Ok(state.checked);
        }
        if !is_last {
            work.settle().await;
        }
    }
    Err(Failure::new(
        ErrorCode::CdpFailed,
        Reason::ValueMismatch,
        format!("`{}` was clicked in place of the element, which did not change", stand_in.name),
    )
    .hint("run `bsk observe` to see the page as it is now; a radio or checkbox may depend on another field"))
}

/// The answer of a command that pointed at something.
fn pointed(work: &Work, target: &Element, aim: &Aim, effects: &Effects) -> Map<String, Value> {
    let mut result = used(work, target, &aim.element);
    result.insert("x".into(), json!(aim.x));
    result.insert("y".into(), json!(aim.y));
    result.insert("effects".into(), json!(effects));
    result
}

/// `bsk hover`.
pub(crate) async fn hover(
    work: &Work,
    target: &Element,
    modifiers: &[Modifier],
    settle_ms: u64,
    force: bool,
) -> Result<Done, Failure> {
    work.tab.has_fresh_document.set(false);
    let wish = Wish { arm: "mousemove", at: None, force, watch: settle_ms > 0 };
    let aim = aim(work, target, &wish).await?;
    let events = work.tab.watch();
    let more = json!({ "modifiers": modifier_bits(modifiers) });
    let moved = mouse(work, "mouseMoved", (aim.x, aim.y), &more);
    hurry(work, (aim.x, aim.y), 0);
    let reached = arrived(read_probe(work, aim.frame).await, "pointer", force)?;
    moved.await?;
    if settle_ms > 0 {
        react(work, aim.frame, Duration::from_millis(settle_ms)).await?;
    }
    let effects = effects(work, events, flush(work)).await?;
    let mut result = pointed(work, target, &aim, &effects);
    note_force(&mut result, force, reached);
    if let Some(stand_in) = aim.stand_in {
        result.insert("stand_in".into(), json!(stand_in.name));
    }
    Ok(Done::new(&result))
}

/// Waits until the page has reacted, which it may do late, and its reaction has come to rest; no longer than `most`.
async fn react(work: &Work, frame: FrameNumber, most: Duration) -> Result<(), Failure> {
    let until = Instant::now() + most;
    let mut quiet = most;
    loop {
        let left = until.saturating_duration_since(Instant::now()).min(quiet);
        let asked = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let started = Instant::now();
        let args = json!({ "timeout_ms": asked, "until_change": true });
        let _: Value = work.page(frame, PageFunction::Settle, &args).await?;
        // Nothing changed for as long as it was waited for, or the time is over.
        if started.elapsed() >= left {
            return Ok(());
        }
        quiet = QUIET;
    }
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
