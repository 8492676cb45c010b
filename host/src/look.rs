//! Looking without changing: HTML, screenshots, JavaScript values, dialogs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, DialogPolicy, PageFunction};
use bsk_protocol::local::{AnsweredDialog, Dialog, Screenshot};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::act::{fetch_pointer, to_viewport};
use crate::kernel::in_ms;
use crate::run::{Done, Work};
use crate::target::Element;

/// `bsk get-html`.
pub(crate) async fn get_html(work: &Work, target: Option<&Element>, max_bytes: u64) -> Result<Done, Failure> {
    let mut args = json!({ "max_bytes": max_bytes });
    let mut frame = FrameNumber::MAIN;
    if let Some(target) = target {
        let (in_frame, target) = target.in_page();
        frame = in_frame;
        args["target"] = json!(target);
    }
    let mut html: serde_json::Map<String, Value> = work.page(frame, PageFunction::GetHtml, &args).await?;
    html.insert("tab_id".into(), json!(work.tab_id));
    Ok(Done::new(&html))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated<'a> {
    #[serde(borrow)]
    result: RemoteObject<'a>,
    exception_details: Option<ExceptionDetails>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteObject<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    unserializable_value: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExceptionDetails {
    text: String,
    line_number: u32,
    column_number: u32,
    exception: Option<ExceptionObject>,
}

#[derive(Deserialize)]
struct ExceptionObject {
    description: Option<String>,
    value: Option<Value>,
}

async fn run_script(
    work: &Work,
    frame: Option<FrameNumber>,
    expression: String,
    await_promise: bool,
    return_by_value: bool,
) -> Result<Box<RawValue>, Failure> {
    let call = Call::Evaluate {
        session_id: work.session_id.clone(),
        tab_id: work.tab_id,
        frame: frame.filter(|frame| *frame != FrameNumber::MAIN),
        expression,
        await_promise,
        return_by_value,
        timeout_ms: in_ms(work.page_timeout_ms()),
    };
    work.host.kernel.send(call).await
}

fn read(reply: &RawValue) -> Result<Evaluated<'_>, Failure> {
    serde_json::from_str(reply.get()).map_err(|_| {
        Failure::new(
            ErrorCode::CdpFailed,
            Reason::PageLibraryFailed,
            "the browser's answer has an unexpected form",
        )
        .hint("this browser may be newer than bsk; look for an update")
    })
}

/// What a script that is a condition gave.
#[derive(Debug, PartialEq)]
pub(crate) enum Given {
    /// A function, which is to be called.
    Function,
    /// Anything truthy, with its value where that is short: a string, a number, a boolean.
    Truthy(Option<Value>),
    /// Anything falsy, in words.
    Falsy(String),
    /// No JavaScript.
    Malformed(String),
    /// An exception.
    Thrown(String),
}

/// Runs a script that is a condition.
pub(crate) async fn truth(work: &Work, expression: String) -> Result<Given, Failure> {
    let reply = run_script(work, None, expression, true, false).await?;
    let Evaluated { result, exception_details } = read(&reply)?;
    if let Some(exception) = exception_details {
        let text = exception_text(&exception);
        let is_syntax = text.starts_with("SyntaxError");
        return Ok(if is_syntax { Given::Malformed(text) } else { Given::Thrown(text) });
    }
    let value: Option<Value> = result.value.and_then(|value| serde_json::from_str(value.get()).ok());
    let is_falsy_sign = |sign: &str| matches!(sign, "NaN" | "-0" | "0n");
    Ok(match (result.kind.as_str(), result.subtype.as_deref(), value) {
        ("function", _, _) => Given::Function,
        ("undefined", _, _) => Given::Falsy("undefined".to_owned()),
        ("object", Some("null"), _) => Given::Falsy("null".to_owned()),
        (_, _, Some(value)) if is_truthy(&value) => Given::Truthy(Some(value)),
        (_, _, Some(value)) => Given::Falsy(value.to_string()),
        (_, _, None) => match result.unserializable_value {
            Some(sign) if is_falsy_sign(&sign) => Given::Falsy(sign),
            Some(_) | None => Given::Truthy(None),
        },
    })
}

/// As JavaScript has it, of values that are no objects.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// `bsk evaluate`. An exception in the page is an answer, not a failure of ours.
pub(crate) async fn evaluate(
    work: &Work,
    frame: Option<FrameNumber>,
    expression: String,
    await_promise: bool,
    return_by_value: bool,
) -> Result<Done, Failure> {
    let reply = run_script(work, frame, expression, await_promise, return_by_value).await?;
    let evaluated = read(&reply)?;
    let tab_id = work.tab_id;
    if let Some(exception) = evaluated.exception_details {
        // Lines and columns count from 1 for people; the browser counts from 0.
        return Ok(Done::new(&json!({
            "ok": false,
            "tab_id": tab_id,
            "error": {
                "text": exception_text(&exception),
                "line": exception.line_number + 1,
                "column": exception.column_number + 1,
            },
        })));
    }
    let RemoteObject { value, unserializable_value, description, .. } = evaluated.result;
    let value = match (value, unserializable_value.or(description)) {
        (Some(value), _) => value.to_owned(),
        (None, Some(text)) => crate::kernel::raw(&text),
        (None, None) => crate::kernel::raw(&Value::Null),
    };
    #[derive(serde::Serialize)]
    struct Answer {
        ok: bool,
        tab_id: bsk_protocol::ids::TabId,
        value: Box<RawValue>,
    }
    Ok(Done::new(&Answer { ok: true, tab_id, value }))
}

/// The first line of an error's description (the rest is its stack), or the thrown value.
fn exception_text(details: &ExceptionDetails) -> String {
    let thrown = details.exception.as_ref().and_then(|exception| {
        let described =
            exception.description.as_deref().and_then(|text| text.lines().next()).map(str::to_owned);
        described.or_else(|| exception.value.as_ref().map(|value| format!("{}: {value}", details.text)))
    });
    thrown.unwrap_or_else(|| details.text.clone())
}

#[derive(Deserialize)]
struct BoxReply {
    #[serde(rename = "box")]
    place: BoxPlace,
}

#[derive(Deserialize)]
struct BoxPlace {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutMetrics {
    css_visual_viewport: VisualViewport,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VisualViewport {
    page_x: f64,
    page_y: f64,
}

#[derive(Deserialize)]
struct Captured {
    data: String,
}

/// `bsk screenshot`: the visible page, or one element.
pub(crate) async fn screenshot(work: &Work, target: Option<&Element>) -> Result<Done, Failure> {
    let mut params = json!({ "format": "png", "optimizeForSpeed": true });
    if let Some(target) = target {
        params["clip"] = clip_of(work, target).await?;
        params["captureBeyondViewport"] = json!(true);
    }
    let captured: Captured =
        work.cdp("Page.captureScreenshot", &params).await.map_err(|mut failure: Failure| {
            if failure.reason.is_none() {
                failure.reason = Some(Reason::ScreenshotCaptureFailed);
            }
            failure
        })?;
    let no_picture = || {
        Failure::new(ErrorCode::CdpFailed, Reason::ScreenshotCaptureFailed, "the browser gave no PNG")
            .hint("try again; `bsk tab list` shows whether the tab is still there")
    };
    let bytes = STANDARD.decode(captured.data).map_err(|_| no_picture())?;
    let (width, height) = png_size(&bytes).ok_or_else(no_picture)?;
    let shot = Screenshot {
        width,
        height,
        byte_size: bytes.len() as u64,
        format: "png".to_owned(),
        tab_id: work.tab_id,
    };
    let mut done = Done::new(&shot);
    done.bytes = bytes;
    Ok(done)
}

/// The element's place in page coordinates, which is what a clip is given in.
async fn clip_of(work: &Work, target: &Element) -> Result<Value, Failure> {
    let (frame, page_target) = target.in_page();
    let args = json!({ "target": page_target, "timeout_ms": work.page_timeout_ms() });
    let BoxReply { place } = work.page(frame, PageFunction::Box, &args).await?;
    let (left, top) = to_viewport(work, frame, place.x, place.y).await?;
    let (right, bottom) = to_viewport(work, frame, place.x + place.width, place.y + place.height).await?;
    let metrics: LayoutMetrics = work.cdp("Page.getLayoutMetrics", &json!({})).await?;
    let viewport = metrics.css_visual_viewport;
    Ok(json!({
        "x": left + viewport.page_x, "y": top + viewport.page_y,
        "width": right - left, "height": bottom - top, "scale": 1,
    }))
}

/// Width and height from a PNG's header (source: PNG specification, IHDR is always the first chunk).
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
    let (width, height) = header.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(height.try_into().ok()?)))
}

/// The arguments of `Page.handleJavaScriptDialog` for a dialog that is answered without asking.
pub(crate) fn dialog_answer(AnsweredDialog { dialog, action }: &AnsweredDialog) -> Value {
    answer_to(dialog, *action == DialogPolicy::Accept, None)
}

fn answer_to(dialog: &Dialog, accept: bool, text: Option<String>) -> Value {
    let mut params = json!({ "accept": accept });
    // Without a text of ours the browser would answer a prompt with nothing instead of its default.
    if let Some(text) =
        text.or_else(|| dialog.default_prompt.clone()).filter(|_| accept && dialog.kind == "prompt")
    {
        params["promptText"] = json!(text);
    }
    params
}

/// `bsk dialog list`.
pub(crate) fn dialog_list(work: &Work) -> Result<Done, Failure> {
    let dialogs: Vec<_> = work.tab.dialog.borrow().iter().cloned().collect();
    Ok(Done::new(&json!({ "tab_id": work.tab_id, "dialogs": dialogs })))
}

/// `bsk dialog accept` and `dismiss`.
pub(crate) async fn dialog_decide(work: &Work, accept: bool, text: Option<String>) -> Result<Done, Failure> {
    let open = work.tab.dialog.borrow().clone();
    let Some(dialog) = open else {
        return Err(Failure::new(
            ErrorCode::NotFound,
            Reason::NoDialog,
            format!("no JavaScript dialog is open in tab {}", work.tab_id),
        )
        .hint("run `bsk dialog list` with another `--tab-id`, or go on: nothing waits for a decision"));
    };
    let opened = work.tab.dialogs_opened.get();
    work.cdp::<Value>("Page.handleJavaScriptDialog", &answer_to(&dialog, accept, text)).await?;
    // A page may have opened the next one already.
    if work.tab.dialogs_opened.get() == opened {
        *work.tab.dialog.borrow_mut() = None;
        fetch_pointer(work);
    }
    Ok(Done::new(&json!({ "tab_id": work.tab_id, "type": dialog.kind, "message": dialog.message })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_tells_its_size_and_anything_else_none() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(800_u32.to_be_bytes());
        png.extend(600_u32.to_be_bytes());
        assert_eq!(png_size(&png), Some((800, 600)));
        assert_eq!(png_size(&png[..20]), None);
        assert_eq!(png_size(b"GIF89a"), None);
    }

    #[test]
    fn an_exception_reads_as_the_page_threw_it() {
        let details: ExceptionDetails = serde_json::from_str(
            r#"{"text":"Uncaught","lineNumber":0,"columnNumber":4,"exception":{"description":"TypeError: no\n    at x"}}"#,
        )
        .unwrap();
        assert_eq!(exception_text(&details), "TypeError: no");
        let thrown: ExceptionDetails = serde_json::from_str(
            r#"{"text":"Uncaught","lineNumber":0,"columnNumber":0,"exception":{"value":7}}"#,
        )
        .unwrap();
        assert_eq!(exception_text(&thrown), "Uncaught: 7");
    }
}
