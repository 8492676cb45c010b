//! Scrolling: the page library finds the box and where a wheel reaches it; the wheel is the browser's own.
//!
//! Where the wheel moves nothing the page library scrolls the box itself and the result says `how`. Looking for a text goes on step by
//! step until it is there, the box ends or the time is over.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::{Offset, ScrollEdge};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::pointer::{hurry, to_viewport};
use super::{UsedElement, used};
use crate::run::{Done, Work};
use crate::target::Element;

/// How long the box may take to come to rest, in milliseconds.
const REST_MS: u64 = 6000;
/// Least time that one more step is begun with, in milliseconds.
const STEP_MS: u64 = 300;

/// How to scroll.
#[derive(Debug)]
pub(crate) enum Way {
    By(Offset),
    To(ScrollEdge),
    UntilText(String),
    /// The target itself comes into view.
    IntoView,
}

impl Way {
    /// From what a command says.
    ///
    /// # Errors
    /// It says two things at once.
    pub(crate) fn new(
        by: Option<Offset>,
        to: Option<ScrollEdge>,
        until_text: Option<String>,
    ) -> Result<Self, Failure> {
        match (by, to, until_text) {
            (Some(by), None, None) => Ok(Self::By(by)),
            (None, Some(to), None) => Ok(Self::To(to)),
            (None, None, Some(text)) if !text.trim().is_empty() => Ok(Self::UntilText(text)),
            (None, None, None) => Ok(Self::IntoView),
            (Some(_), _, _) | (_, Some(_), _) | (None, None, Some(_)) => Err(Failure::new(
                ErrorCode::InvalidParams,
                Reason::UsageInvalid,
                "scrolling goes one way at a time, and until a text that is not empty",
            )
            .hint("use one of `--by`, `--to` and `--until-text`")),
        }
    }
}

/// Where the box is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Position {
    scroll_x: f64,
    scroll_y: f64,
    above: f64,
    below: f64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Deserialize)]
struct Start {
    #[serde(flatten)]
    element: Option<UsedElement>,
    #[serde(flatten)]
    position: Position,
    step: Point,
    point: Option<Point>,
}

#[derive(Deserialize)]
struct Turned {
    #[serde(flatten)]
    position: Position,
    how: How,
    moved: Point,
}

/// What moved the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Wheel,
    /// The page took the wheel for itself.
    Page,
    Script,
}

#[derive(Deserialize)]
struct Looked {
    #[serde(flatten)]
    position: Position,
    found: Option<Value>,
    is_at_end: bool,
}

/// `bsk scroll`.
pub(crate) async fn scroll(work: &Work, target: Option<&Element>, way: &Way) -> Result<Done, Failure> {
    let (frame, page_target) = match target {
        Some(target) => {
            let (frame, page_target) = target.in_page();
            (frame, Some(page_target))
        }
        None if matches!(way, Way::IntoView) => {
            return Err(Failure::new(
                ErrorCode::InvalidParams,
                Reason::UsageInvalid,
                "nothing says where to scroll",
            )
            .hint("name an element to bring into view, or use `--by`, `--to` or `--until-text`"));
        }
        None => (FrameNumber::MAIN, None),
    };
    let mut args = json!({ "timeout_ms": work.page_timeout_ms() });
    if let Some(page_target) = page_target {
        args["target"] = json!(page_target);
    }
    match way {
        Way::By(by) => args["by"] = json!(by),
        Way::To(to) => args["to"] = json!(to),
        Way::UntilText(_) => args["to"] = json!("on"),
        Way::IntoView => {}
    }
    let start: Start = work.page(frame, PageFunction::ScrollPlace, &args).await?;
    work.input_sent();
    let mut result = match (target, &start.element) {
        (Some(target), Some(element)) => used(work, target, element),
        (Some(_) | None, _) => Map::from_iter([("tab_id".to_owned(), json!(work.tab_id))]),
    };
    let (position, how) = match way {
        Way::IntoView => (start.position, None),
        Way::By(_) | Way::To(_) => {
            let turned = turn(work, frame, start.point, start.step).await?;
            result.insert("moved".into(), json!({ "x": turned.moved.x, "y": turned.moved.y }));
            (turned.position, Some(turned.how))
        }
        Way::UntilText(text) => {
            let (looked, how) = until_text(work, frame, &start, text).await?;
            result.insert("found".into(), looked.found.unwrap_or_default());
            (looked.position, how)
        }
    };
    for (name, value) in [
        ("scroll_x", position.scroll_x),
        ("scroll_y", position.scroll_y),
        ("above", position.above),
        ("below", position.below),
    ] {
        result.insert(name.into(), json!(value));
    }
    if let Some(how) = how {
        result.insert("how".into(), json!(how));
    }
    work.input_sent();
    Ok(Done::new(&result))
}

/// Turns the wheel and waits until the box has come to rest.
async fn turn(work: &Work, frame: FrameNumber, point: Option<Point>, by: Point) -> Result<Turned, Failure> {
    let wheel = match point {
        Some(point) if by.x != 0.0 || by.y != 0.0 => {
            let (x, y) = to_viewport(work, frame, point.x, point.y).await?;
            let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": by.x, "deltaY": by.y });
            let wheel = work.cdp::<Value>("Input.dispatchMouseEvent", &event);
            hurry(work, (x, y), 0);
            Some(wheel)
        }
        Some(_) | None => None,
    };
    let args = json!({
        "timeout_ms": REST_MS.min(work.page_timeout_ms()), "by": { "x": by.x, "y": by.y }, "is_wheel": wheel.is_some(),
    });
    // Only the box tells what the wheel did; a page in the background may keep the browser's own answer back.
    work.page(frame, PageFunction::ScrollEnd, &args).await
}

async fn until_text(
    work: &Work,
    frame: FrameNumber,
    start: &Start,
    text: &str,
) -> Result<(Looked, Option<How>), Failure> {
    work.stage("scrolling until the text is there");
    let mut how = None;
    loop {
        let timeout_ms = work.page_timeout_ms();
        let args = json!({ "text": text, "timeout_ms": timeout_ms });
        let looked: Looked = work.page(frame, PageFunction::ScrollText, &args).await?;
        if looked.found.is_some() {
            return Ok((looked, how));
        }
        let Position { scroll_y, .. } = looked.position;
        if looked.is_at_end {
            return Err(Failure::new(
                ErrorCode::NotFound,
                Reason::ScrollEndReached,
                format!("scrolling came to its end at {scroll_y} px without the text `{text}`"),
            )
            .hint("run `bsk find TEXT` to see what the page has, or name another element to scroll")
            .with("position", json!(looked.position)));
        }
        if timeout_ms < STEP_MS {
            return Err(Failure::without_reason(
                ErrorCode::Timeout,
                format!("the text `{text}` did not show within the time; scrolled to {scroll_y} px, {} px are left", looked.position.below),
            )
            .hint("go on with the same command, or give it a longer `--timeout`")
            .with("position", json!(looked.position)));
        }
        let step = Point { x: 0.0, y: start.step.y };
        // A wheel that did nothing once is not tried again.
        let point = start.point.filter(|_| how != Some(How::Script));
        let turned = turn(work, frame, point, step).await?;
        how = if how == Some(How::Script) { how } else { Some(turned.how) };
        if turned.how == How::Page {
            return Err(Failure::new(
                ErrorCode::CdpFailed,
                Reason::NotScrollable,
                "the page takes the wheel for itself and does not scroll",
            )
            .hint("use the page's own controls, or `bsk press PageDown`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_goes_one_way_at_a_time() {
        let by = Some(Offset { x: 0.0, y: 5.0 });
        assert!(matches!(Way::new(by, None, None), Ok(Way::By(_))));
        assert!(matches!(Way::new(None, None, None), Ok(Way::IntoView)));
        assert!(Way::new(by, Some(ScrollEdge::Top), None).is_err());
        assert!(Way::new(None, None, Some(" ".into())).is_err());
    }
}
