//! `cargo xtask bench transfers`: what 80 MB up and down take, beside what the browser itself needs for them and a plain copy.
//!
//! The same page and the same bytes both times: once the browser's own DevTools give the file to the input or click the link, and the file
//! is copied with `cp` and brought to the disk; once `bsk` does it. Prints a table and writes it to `target/bench/transfers.md`. It judges nothing.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::machine::need_browser;
use super::steps::build_release;
use crate::{Browser, Options, Page, Response, peak_resident_kib, until, workspace};

const SIZE: usize = 80 * 1000 * 1000;
const LIMIT: Duration = Duration::from_mins(1);

/// Runs unless said otherwise; each moves 320 MB.
pub(super) const DEFAULT_RUNS: usize = 15;

/// Says how much it has read of a file, once it has all of it.
const READER: &str = "<input id=f type=file><p id=o></p><script>f.onchange=async()=>{o.textContent='';o.textContent=(await f.files[0].arrayBuffer()).byteLength}</script>";

/// Measures with this many runs of each.
///
/// # Errors
/// When it cannot be built, started or written.
pub(super) fn run(runs: usize) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let body: Vec<u8> = (0..SIZE).map(|place| (place % 251) as u8).collect();
    let source = browser.scratch().file("large.bin");
    let write = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes).map_err(|error| format!("`{}`: {error}", path.display()))
    };
    write(&source, &body)?;
    let file = browser.pages().answering(move |_| Response {
        body: body.clone(),
        ..Response::attachment("filename=large.bin", "")
    });
    let page = session.open_page(&format!("{READER}<a href='{file}'>D</a>"));
    let (copy, out) = (browser.scratch().file("copy.bin"), browser.scratch().file("out.bin"));
    let raw_download = browser.downloads().join("large.bin");
    let remove = |path: &Path| {
        // There on all runs but the first.
        let _ = fs::remove_file(path);
    };

    // Each run has a page of its own: what a session uploads in all is bounded, and a page that has read such a file before is quicker.
    // The first command in a page brings the page library along.
    let fresh = || {
        let session = browser.session();
        let page = session.open_page(READER);
        let _ = session.observe();
        (session, page)
    };
    let is_read = |page: &Page<'_>| {
        until("the page to have read it", LIMIT, || {
            (page.evaluate("Number(o.textContent)") == SIZE).then_some(())
        });
    };
    let raw_up = median(runs, || {
        let (_session, page) = fresh();
        remove(&copy);
        time(|| {
            copy_to_disk(&source, &copy);
            let document = page.attached().expect("the page is there");
            let root = document.call("DOM.getDocument", &json!({})).expect("it has a document");
            let input = json!({ "nodeId": root["root"]["nodeId"], "selector": "#f" });
            let input = document.call("DOM.querySelector", &input).expect("it has an input");
            let files = json!({ "nodeId": input["nodeId"], "files": [copy] });
            document.call("DOM.setFileInputFiles", &files).expect("the input takes it");
            is_read(&page);
        })
    });
    let up = median(runs, || {
        let (session, page) = fresh();
        time(|| {
            session.ok(&["upload", "#f", "--file", source.to_str().expect("our paths are text")]);
            is_read(&page);
        })
    });
    let raw_down = median(runs, || {
        remove(&raw_download);
        remove(&copy);
        time(|| {
            page.evaluate("document.querySelector('a').click()");
            until("the browser to have it", LIMIT, || {
                fs::metadata(&raw_download).is_ok_and(|found| found.len() == SIZE as u64).then_some(())
            });
            copy_to_disk(&raw_download, &copy);
        })
    });
    remove(&raw_download);
    let down = median(runs, || {
        remove(&out);
        time(|| {
            session.ok(&["download", "a", "--out", out.to_str().expect("our paths are text")]);
        })
    });
    let host = peak_resident_kib(browser.host_pid()).unwrap_or_default();
    let mut text = String::from(
        "| 80 MB | browser and a plain copy, ms | bsk, ms | ratio |\n| --- | ---: | ---: | ---: |\n",
    );
    for (name, raw, ours) in [("up", raw_up, up), ("down", raw_down, down)] {
        let _ = writeln!(text, "| {name} | {raw:.0} | {ours:.0} | {:.2} |", ours / raw);
    }
    let _ = writeln!(text, "\nHost at its most: {host} KiB.");
    println!("\n{text}");
    let place = workspace::root().join("target/bench/transfers.md");
    fs::create_dir_all(place.parent().expect("it is in a folder")).map_err(|error| error.to_string())?;
    write(&place, text.as_bytes())?;
    println!("written to {}", place.display());
    Ok(())
}

fn copy_to_disk(from: &Path, to: &Path) {
    let status = Command::new("cp").arg(from).arg(to).status();
    assert!(status.is_ok_and(|status| status.success()), "`cp` works");
    fs::File::open(to).and_then(|file| file.sync_all()).expect("a file can be brought to the disk");
}

fn time(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1000.0
}

/// The first run does not count.
fn median(runs: usize, mut work: impl FnMut() -> f64) -> f64 {
    let mut times: Vec<f64> = (0..=runs.max(1)).map(|_| work()).skip(1).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
