//! `cargo xtask soak`: thousands of mixed actions over many pages, against what the pages themselves say.
//!
//! Each page logs what it got. An action that is reported done and is not in that log fails the run at once. Prints the memory
//! and the open files of the host, and the memory of the extension's process and of the pages', before and after.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::machine::need_browser;
use super::steps::build_release;
use crate::{Browser, Options, Page, Session, descendants, resident_kib, until};

/// Actions of a run, unless it is to last longer.
const ACTIONS: usize = 2000;
/// Actions before the first measurement: caches fill and libraries load.
const WARM_UP: usize = 100;
/// Actions on one page.
const PER_PAGE: usize = 20;

/// What a page needs besides its controls: its log. Only what a user could have done counts.
const LOG: &str = "<script>window.log=[];const note=(type,tell)=>addEventListener(type,e=>{if(e.isTrusted||type==='change'||type==='input')log.push(tell(e))},true);\
    note('click',e=>'click '+e.target.id);note('input',e=>'input '+e.target.value);note('change',e=>'change '+e.target.value);\
    note('keydown',e=>'key '+e.key);note('mouseover',e=>'over '+e.target.id)</script>";

/// The kinds of pages, in turn.
const PAGES: [&str; 4] = [
    "<button id=b>Go</button><input id=i><select id=s><option>a<option>b<option>c</select><p id=h>Rest here</p>",
    "<style>header{position:sticky;top:0;height:90px;background:#eee}main{height:4000px}</style><header>H</header><main></main>\
     <button id=b>Go</button><input id=i><select id=s><option>a<option>b<option>c</select><p id=h>Rest here</p>",
    "<button id=b>Go</button><input id=i><select id=s><option>a<option>b<option>c</select><p id=h>Rest here</p><ul id=l></ul>\
     <script>b.onclick=()=>{l.innerHTML='<li>row '.repeat(500)};setInterval(()=>l.textContent=Date.now(),40)</script>",
    "<main id=m></main><button id=b>Go</button><input id=i><select id=s><option>a<option>b<option>c</select><p id=h>Rest here</p>\
     <script>m.innerHTML='<div><span>row</span><a href=#x>link</a></div>'.repeat(2000)</script>",
];

/// Runs until all actions are done and the time is over.
///
/// # Errors
/// When it cannot be built or started, or an action was reported done that was not.
pub(super) fn run(minutes: u64) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let until = Instant::now() + Duration::from_secs(minutes * 60);
    let (mut done, mut before) = (0, None);
    while done < ACTIONS || Instant::now() < until {
        let page = session.open_page(&format!("{}{LOG}", PAGES[(done / PER_PAGE) % PAGES.len()]));
        for _ in 0..PER_PAGE {
            act(&session, &page, done)?;
            done += 1;
        }
        if done == WARM_UP {
            before = Some(Weights::of(&browser));
        }
        if done % 500 == 0 {
            println!("{done} actions, {}", Weights::of(&browser).line());
        }
    }
    println!("before: {}", before.map_or_else(String::new, |weights| weights.line()));
    println!("after {done} actions: {}", Weights::of(&browser).line());
    println!("every action that was reported done is in its page's log");
    Ok(())
}

/// One action, and whether the page got it.
fn act(session: &Session<'_>, page: &Page<'_>, number: usize) -> Result<(), String> {
    let text = format!("text {number}");
    let option = ["a", "b", "c"][(number / 5) % 3];
    let (args, wanted): (Vec<&str>, String) = match number % 5 {
        0 => (vec!["click", "#b"], "click b".to_owned()),
        1 => (vec!["fill", "#i", "--value", &text], format!("input {text}")),
        2 => (vec!["select", "#s", "--label", option], format!("change {option}")),
        3 => (vec!["press", "x", "--selector", "#i"], "key x".to_owned()),
        _ => (vec!["hover", "#h"], "over h".to_owned()),
    };
    let is_chosen = page.evaluate("s.value") == option;
    page.evaluate("log.length = 0");
    let ran = session.bsk(&args);
    if ran.exit_code() != Some(0) {
        return Err(format!("action {number} failed: {}", ran.report()));
    }
    let log = page.evaluate("log");
    let has = log.as_array().is_some_and(|log| log.iter().any(|line| line == &Value::from(wanted.as_str())));
    // What is chosen already gives no event, and a pointer that rests there already does not come.
    let needs_none =
        (number % 5 == 2 && is_chosen) || (number % 5 == 4 && page.evaluate("h.matches(':hover')") == true);
    if has || needs_none {
        return Ok(());
    }
    Err(format!("action {number} ({args:?}) was reported done and the page got {log}"))
}

/// Memory in KiB, and open files.
struct Weights {
    host: u64,
    host_files: usize,
    extension: u64,
    pages: u64,
}

impl Weights {
    fn of(browser: &Browser) -> Self {
        // A page that was just left takes a moment to go.
        let host = until("the host", Duration::from_secs(5), || browser.find_host());
        let (mut extension, mut pages) = (0, 0);
        for pid in descendants(browser.pid()) {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            if line.contains("--extension-process") {
                extension += resident_kib(pid).unwrap_or(0);
            } else if line.contains("--type=renderer") {
                pages += resident_kib(pid).unwrap_or(0);
            }
        }
        let host_files = fs::read_dir(format!("/proc/{host}/fd")).map_or(0, Iterator::count);
        Self { host: resident_kib(host).unwrap_or(0), host_files, extension, pages }
    }

    fn line(&self) -> String {
        let mib = |kib: u64| format!("{}.{} MiB", kib / 1024, kib % 1024 * 10 / 1024);
        let (host, extension, pages) = (mib(self.host), mib(self.extension), mib(self.pages));
        format!("host {host} and {} files, extension {extension}, pages {pages}", self.host_files)
    }
}
