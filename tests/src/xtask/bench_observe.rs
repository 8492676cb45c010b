//! `cargo xtask bench observe`: what looking at a page costs, from 30 to 100,000 nodes.
//!
//! Whole `bsk observe` processes against a browser as people run it; then, in a second browser with a debugging pipe, the
//! page library's own walk and Chromium's full accessibility tree of the same page. Prints a table and writes it to
//! `target/bench/observe.md`. It judges nothing.

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bench::{Times, controls, nodes, settle, time};
use super::machine::need_browser;
use super::steps::build_release;
use crate::{Attached, Browser, Options, peak_resident_kib, workspace};

/// Most runs on a page of this many nodes and more: the largest take long.
const FEW: (usize, usize) = (50_000, 20);
/// How often the page library's walk is measured, and the accessibility tree of small pages.
const INSIDE_RUNS: usize = 5;
/// How long the accessibility tree of a large page may take.
const TREE_LIMIT: Duration = Duration::from_secs(120);

/// Measures with this many runs per page.
///
/// # Errors
/// When it cannot be built, started or written.
pub(super) fn run(runs: usize) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let small = "<h1>Small</h1><form><label>Name <input id=i></label><button>Go</button></form><ul>"
        .to_owned()
        + &"<li><a href=#x>A link</a> and <b>text</b>".repeat(7)
        + "</ul>";
    let pages = [
        ("30 nodes", 30, small),
        ("1,000 controls", 1000, controls(1000)),
        ("10,000 nodes", 10_000, nodes(10_000)),
        ("50,000 nodes", 50_000, nodes(50_000)),
        ("100,000 nodes", 100_000, nodes(100_000)),
    ];
    let plain = Browser::launch(&Options { without_devtools: true, ..Options::default() });
    let outside: Vec<Outside> = pages
        .iter()
        .map(|(name, count, html)| {
            let runs = if *count >= FEW.0 { runs.min(FEW.1) } else { runs };
            Outside::measure(&plain, name, html, runs)
        })
        .collect();
    let peak = peak_resident_kib(plain.host_pid()).unwrap_or(0);
    drop(plain);
    let piped = Browser::launch(&Options::default());
    let mut text = String::from(
        "| page | median | p95 | bytes | tokens | tokens, whole | walk in the page | accessibility tree | ratio |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for ((name, count, html), seen) in pages.iter().zip(&outside) {
        let inside = Inside::measure(&piped, html, if *count >= FEW.0 { 1 } else { INSIDE_RUNS });
        let Outside { times: Times { median, p95, .. }, bytes, whole } = seen;
        let Inside { walk, tree } = inside;
        let ratio = tree / median;
        let (tokens, whole) = (bytes / 4, whole / 4);
        let row = format!(
            "| {name} | {median:.1} | {p95:.1} | {bytes} | {tokens} | {whole} | {walk:.1} | {tree:.0} | {ratio:.0} |"
        );
        println!("{row}");
        let _ = writeln!(text, "{row}");
    }
    let _ = writeln!(
        text,
        "\nbsk-host, peak resident after all of it: {:.1} MiB",
        f64::from(u32::try_from(peak).unwrap_or(0)) / 1024.0
    );
    println!("\n{text}");
    let file = workspace::root().join("target/bench/observe.md");
    fs::create_dir_all(file.parent().expect("it is in a folder"))
        .and_then(|()| fs::write(&file, &text))
        .map_err(|error| format!("`{}`: {error}", file.display()))?;
    println!("written to {}", file.display());
    Ok(())
}

/// What a caller of `bsk` sees.
struct Outside {
    times: Times,
    /// Of the default answer.
    bytes: usize,
    /// Bytes without a budget.
    whole: usize,
}

impl Outside {
    fn measure(browser: &Browser, name: &str, html: &str, runs: usize) -> Self {
        let session = browser.session();
        session.open(html);
        settle(browser);
        let times = time(&format!("observe, {name}"), runs, |_| {
            let mut command = browser.command(workspace::bsk());
            command.args(["observe", "--session", &session.id]);
            command
        });
        let length = |args: &[&str]| session.ok(args)["text"].as_str().map_or(0, str::len);
        Self { times, bytes: length(&["observe"]), whole: length(&["observe", "--max-tokens", "100000000"]) }
    }
}

/// What happens in the renderer, medians in milliseconds.
struct Inside {
    walk: f64,
    tree: f64,
}

impl Inside {
    fn measure(browser: &Browser, html: &str, tree_runs: usize) -> Self {
        let session = browser.session();
        let page = session.open_page(html);
        let tab = page.attached().expect("the page is there");
        let library = workspace::page_library(
            "return { walk() { const started = performance.now(); observePage({ budget_ms: 60000 }); return performance.now() - started; } };",
        );
        let tree = call(&tab, "Page.getFrameTree", &json!({}));
        let world =
            call(&tab, "Page.createIsolatedWorld", &json!({ "frameId": tree["frameTree"]["frame"]["id"] }));
        let evaluate = |expression: &str| {
            let params = json!({ "expression": expression, "returnByValue": true, "contextId": world["executionContextId"] });
            call(&tab, "Runtime.evaluate", &params)["result"]["value"].as_f64().unwrap_or(f64::NAN)
        };
        evaluate(&format!("globalThis.bench = {library}; 0"));
        evaluate("bench.walk()");
        let walk = median((0..INSIDE_RUNS).map(|_| evaluate("bench.walk()")).collect());
        // Enabled and disabled each time, so that nothing is kept from the time before.
        let whole_tree = || {
            let started = Instant::now();
            call(&tab, "Accessibility.enable", &json!({}));
            let tree = tab.call_within(TREE_LIMIT, "Accessibility.getFullAXTree", &json!({}));
            tree.expect("the tree comes in time");
            let took = started.elapsed().as_secs_f64() * 1000.0;
            call(&tab, "Accessibility.disable", &json!({}));
            took
        };
        Self { walk, tree: median((0..tree_runs).map(|_| whole_tree()).collect()) }
    }
}

fn call(tab: &Attached<'_>, method: &str, params: &Value) -> Value {
    tab.call(method, params).unwrap_or_else(|error| panic!("`{method}`: {error}"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
