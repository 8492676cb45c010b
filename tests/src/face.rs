//! Pages of the extension as people see them: in a real browser, in a language, light or dark, with given contents.
//!
//! The kernel does not answer them: a stub in the page does, so that a picture is the same every time.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::waiting::until;
use crate::{Attached, Browser, NativeHost, Options, Page, workspace};

/// A moment that all faces are at, in milliseconds since 1970.
pub const NOW_MS: u64 = 1_767_258_000_000;

const STUB: &str = include_str!("../tests/faces/stub.js");
const CHECKS: &str = include_str!("../tests/faces/checks.js");
const TABBING: &str = include_str!("../tests/faces/tabbing.js");
const SOON: std::time::Duration = std::time::Duration::from_secs(10);

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// Whether the browser is dark.
    pub is_dark: bool,
    /// Whether the system replaces all colours.
    pub is_forced: bool,
}

/// A browser whose extension speaks one language.
#[derive(Debug)]
pub struct Faces {
    browser: Browser,
}

impl Faces {
    /// Starts a browser in a language, such as `zh-CN`. The flag is enough for an extension's texts; the variable `LANGUAGE` would
    /// need the browser's own translation, which Debian has in a package of its own.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn in_language(language: &str) -> Self {
        let arguments = vec![format!("--lang={language}")];
        Self {
            browser: Browser::launch(&Options { host: NativeHost::None, arguments, ..Options::default() }),
        }
    }

    /// Shows a page of `ui/` with what the kernel answers there.
    ///
    /// # Panics
    /// When it does not come up.
    #[must_use]
    pub fn show(&self, file: &str, answers: &Value, view: View) -> Face<'_> {
        let page = self.browser.devtools().open_tab();
        let attached = page.attached().expect("the tab is there");
        let face = Face { page, attached, file: file.to_owned() };
        let content = json!({ "now": NOW_MS, "answers": answers });
        face.call("Page.enable", &json!({}));
        let source = format!("globalThis.FACE = {content};\n{STUB}");
        face.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source }));
        face.call("Emulation.setTimezoneOverride", &json!({ "timezoneId": "UTC" }));
        face.call("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
        face.view(view);
        let url = format!("chrome-extension://{}/ui/{file}", workspace::extension_id());
        until("the extension", SOON, || {
            face.call("Page.navigate", &json!({ "url": url }))["errorText"].is_null().then_some(())
        });
        let is_there = "document.readyState === 'complete' && globalThis.asked?.length > 0 \
                        && document.querySelector('main')?.hidden === false && document.title !== ''";
        until("a page that is drawn", SOON, || (face.value(is_there) == true).then_some(()));
        face
    }
}

/// An open page.
#[derive(Debug)]
pub struct Face<'a> {
    page: Page<'a>,
    attached: Attached<'a>,
    file: String,
}

impl Face<'_> {
    fn call(&self, method: &str, params: &Value) -> Value {
        self.attached
            .call(method, params)
            .unwrap_or_else(|error| panic!("{}: `{method}`: {error}", self.file))
    }

    /// Changes how it is looked at.
    pub fn view(&self, View { width, height, is_dark, is_forced }: View) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let features = json!([
            { "name": "prefers-color-scheme", "value": if is_dark { "dark" } else { "light" } },
            { "name": "forced-colors", "value": if is_forced { "active" } else { "none" } },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.call("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// The value of an expression in the page.
    ///
    /// # Panics
    /// When it throws.
    #[must_use]
    pub fn value(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &params);
        assert!(answer["exceptionDetails"].is_null(), "`{expression}` threw: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// What is wrong with it; `in_sight` selects what must be visible without scrolling, `in_scroll` what may scroll.
    #[must_use]
    pub fn complaints(&self, in_sight: &str, in_scroll: &str) -> Vec<String> {
        let with =
            format!("scrollTo(0, 0); IN_SIGHT = {}; IN_SCROLL = {};", json!(in_sight), json!(in_scroll));
        let _ = self.value(&format!("globalThis.IN_SIGHT = ''; globalThis.IN_SCROLL = ''; {with}"));
        let found = self.value(CHECKS);
        let found = found.as_array().expect("a list").iter();
        found.map(|one| one.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Roles of what can be used and has no name, as the browser's accessibility tree has it.
    #[must_use]
    pub fn nameless(&self) -> Vec<String> {
        let tree = self.call("Accessibility.getFullAXTree", &json!({}));
        let nodes = tree["nodes"].as_array().expect("a list").iter();
        let is_nameless = |node: &&Value| {
            let properties = node["properties"].as_array().into_iter().flatten();
            let is_focusable = properties
                .filter(|property| property["name"] == "focusable")
                .any(|property| property["value"]["value"] == true);
            is_focusable
                && node["ignored"] != true
                && node["name"]["value"].as_str().is_none_or(str::is_empty)
        };
        nodes.filter(is_nameless).map(|node| node["role"]["value"].to_string()).collect()
    }

    /// A key of the keyboard: `kind` is `keyDown` or `keyUp`.
    pub fn key(&self, kind: &str, key: &str) {
        let text = match (kind, key) {
            ("keyDown", "Enter") => "\r",
            ("keyDown", " ") => " ",
            _ => "",
        };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            _ => 32,
        };
        let event = json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", &event);
    }

    /// What the Tab key does not reach, or not in the order of the page, or without a visible focus.
    #[must_use]
    pub fn unreached(&self) -> Vec<String> {
        let stops = self.value(TABBING).as_u64().expect("a number");
        let _ =
            self.value("document.activeElement?.blur(); window.getSelection()?.collapse(document.body, 0)");
        let mut wrong = Vec::new();
        for stop in 0..stops {
            self.key("keyDown", "Tab");
            self.key("keyUp", "Tab");
            let at = self.value(&format!(
                "(() => {{ const [want, is] = [stops[{stop}], document.activeElement]; \
                 const outlined = is.closest('.choices label') ?? is; \
                 const {{ outlineStyle, outlineWidth }} = getComputedStyle(outlined); \
                 return [want === is, outlineStyle !== 'none' && outlineWidth !== '0px', `${{want.outerHTML}} / ${{is.outerHTML}}`.slice(0, 300)]; }})()"
            ));
            if at[0] != true || at[1] != true {
                wrong.push(at.to_string());
            }
        }
        wrong
    }

    /// A picture of what is in view, as a PNG that is as small as it gets without loss.
    ///
    /// # Panics
    /// When the browser gives none.
    #[must_use]
    pub fn picture(&self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let bytes = STANDARD.decode(answer["data"].as_str().unwrap_or_default());
        packed(&bytes.expect("the browser writes base64"))
    }

    /// How high its content is, in CSS pixels.
    #[must_use]
    pub fn content_height(&self) -> u32 {
        let height = self.value("Math.ceil(document.body.getBoundingClientRect().height)");
        u32::try_from(height.as_u64().expect("a number")).expect("a page's height")
    }
}

impl Drop for Face<'_> {
    fn drop(&mut self) {
        self.page.close();
    }
}

/// The same picture with more work put into its compression than the browser takes time for.
fn packed(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().expect("the browser writes PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a picture of a page fits memory")];
    let frame = reader.next_frame(&mut pixels).expect("the browser writes PNG");
    let mut small = Vec::new();
    let mut encoder = png::Encoder::new(&mut small, frame.width, frame.height);
    encoder.set_color(frame.color_type);
    encoder.set_depth(frame.bit_depth);
    encoder.set_compression(png::Compression::High);
    // Flat colours repeat byte for byte; filters for photographs hide that.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().expect("memory takes it");
    writer.write_image_data(&pixels[..frame.buffer_size()]).expect("memory takes it");
    writer.finish().expect("memory takes it");
    small
}
