//! What a soak weighs: memory and handles of the host, the extension's worker and the pages, and what they hold on to.
//!
//! Heaps and objects are counted after a garbage collection, with the session's tab on one and the same small page. Bounds are
//! what a healthy run may add in a thousand actions; resident memory of the browser's own processes has the widest.

use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};

use super::super::bench::settle;
use crate::{Browser, Page, Session, descendants, resident_kib};

/// One thing that is weighed.
struct Weight {
    name: &'static str,
    value: u64,
    /// What the second half of a run may add.
    may_grow: u64,
}

/// Everything at one moment.
pub(super) struct Weights(Vec<Weight>);

impl Weights {
    pub(super) fn of(browser: &Browser, session: &Session<'_>, lasting: &Page<'_>) -> Self {
        let _ = session.open_page("<title>Scales</title><p>Nothing here");
        let worker = browser.devtools().worker();
        for page in [&worker, lasting] {
            page.call("HeapProfiler.collectGarbage", &json!({})).expect("the target collects its garbage");
        }
        settle(browser);
        let host = browser.host_pid();
        let host_entries = |folder: &str| {
            fs::read_dir(format!("/proc/{host}/{folder}")).map_or(0, |entries| entries.count() as u64)
        };
        let (mut extension, mut renderers) = (0, 0);
        for pid in descendants(browser.pid()) {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            if line.contains("--extension-process") {
                extension += resident_kib(pid).unwrap_or(0);
            } else if line.contains("--type=renderer") {
                renderers += resident_kib(pid).unwrap_or(0);
            }
        }
        let dom = lasting.call("Memory.getDOMCounters", &json!({})).expect("the page counts its nodes");
        let count = |script: &str| worker.evaluate(script).as_u64().unwrap_or(u64::MAX);
        let weight = |name, value, may_grow| Weight { name, value, may_grow };
        Self(vec![
            weight("host, resident KiB", resident_kib(host).unwrap_or(0), 2048),
            weight("host, open files", host_entries("fd"), 2),
            weight("host, threads", host_entries("task"), 2),
            weight("extension's process, resident KiB", extension, 12 * 1024),
            weight("kernel, heap KiB", heap_kib(&worker), 384),
            weight("kernel, promises", objects(&worker, "Promise"), 40),
            weight("kernel, maps and sets", objects(&worker, "Map") + objects(&worker, "Set"), 20),
            weight("kernel, arrays", objects(&worker, "Array"), 400),
            weight(
                "kernel, attached targets",
                count("chrome.debugger.getTargets().then(all => all.filter(one => one.attached).length)"),
                0,
            ),
            weight("tabs", count("chrome.tabs.query({}).then(all => all.length)"), 0),
            weight("pages' processes, resident KiB", renderers, 48 * 1024),
            weight("lasting page, heap KiB", heap_kib(lasting), 512),
            weight("lasting page, nodes", dom["nodes"].as_u64().unwrap_or(u64::MAX), 200),
            weight("lasting page, listeners", dom["jsEventListeners"].as_u64().unwrap_or(u64::MAX), 10),
            weight("lasting page, documents", dom["documents"].as_u64().unwrap_or(u64::MAX), 2),
        ])
    }
}

fn heap_kib(page: &Page<'_>) -> u64 {
    let usage = page.call("Runtime.getHeapUsage", &json!({})).expect("the target tells its heap");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a heap's size is a whole number"
    )]
    let bytes = usage["usedSize"].as_f64().unwrap_or(f64::MAX) as u64;
    bytes / 1024
}

/// How many objects of a class the target holds; counting collects its garbage first.
fn objects(page: &Page<'_>, class: &str) -> u64 {
    let attached = page.attached().expect("the target is there");
    let call =
        |method: &str, params: &Value| attached.call(method, params).expect("the target counts its objects");
    let prototype = call("Runtime.evaluate", &json!({ "expression": format!("{class}.prototype") }));
    let prototype_id = &prototype["result"]["objectId"];
    let found =
        call("Runtime.queryObjects", &json!({ "prototypeObjectId": prototype_id, "objectGroup": "soak" }));
    let asked = json!({
        "objectId": found["objects"]["objectId"], "returnByValue": true, "functionDeclaration": "function () { return this.length }",
    });
    let length = call("Runtime.callFunctionOn", &asked);
    call("Runtime.releaseObjectGroup", &json!({ "objectGroup": "soak" }));
    length["result"]["value"].as_u64().unwrap_or(u64::MAX)
}

/// The weighings side by side.
pub(super) fn table(weighings: &[Weights]) -> String {
    let mut text = String::from(
        "| what | start | middle | end | may grow in the second half |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (at, weight) in weighings[0].0.iter().enumerate() {
        let values: Vec<String> = weighings.iter().map(|one| one.0[at].value.to_string()).collect();
        let _ = writeln!(text, "| {} | {} | {} |", weight.name, values.join(" | "), weight.may_grow);
    }
    text
}

/// What grew more than it may.
pub(super) fn leaks(middle: &Weights, end: &Weights) -> Vec<String> {
    let both = middle.0.iter().zip(&end.0);
    let grown = both.filter(|(before, after)| after.value > before.value + after.may_grow);
    grown.map(|(before, after)| format!("{} from {} to {}", after.name, before.value, after.value)).collect()
}
