//! `cargo xtask bench`: how long whole commands take, process start included, and what the parts weigh.
//!
//! Prints a table and writes it to `target/bench/results.md`. It judges nothing: no time is asserted anywhere.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use super::machine::need_browser;
use super::steps::build_release;
use crate::{Browser, Options, Session, processes, until, workspace};

/// Runs per command unless said otherwise.
pub(super) const DEFAULT_RUNS: usize = 50;

/// How long an idle session is watched for its CPU time.
const IDLE: Duration = Duration::from_secs(20);

/// Measures everything with this many runs per command.
///
/// # Errors
/// When it cannot be built, started or written.
pub(super) fn run(runs: usize) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let browser = Browser::launch(&Options { without_devtools: true, ..Options::default() });
    let mut table = Table::new(runs.max(1));
    times(&browser, &mut table);
    idle(&browser, &mut table);
    weights(&browser, &mut table)?;
    let text = table.text();
    println!("\n{text}");
    let file = workspace::root().join("target/bench/results.md");
    let written =
        fs::create_dir_all(file.parent().expect("it is in a folder")).and_then(|()| fs::write(&file, &text));
    written.map_err(|error| format!("`{}`: {error}", file.display()))?;
    println!("written to {}", file.display());
    Ok(())
}

struct Table {
    runs: usize,
    times: String,
    weights: String,
}

impl Table {
    fn new(runs: usize) -> Self {
        Self { runs, times: String::new(), weights: String::new() }
    }

    /// Measures a command and adds a row.
    fn time(&mut self, name: &str, make: impl FnMut(usize) -> Command) {
        let Times { median, p95, best } = time(name, self.runs, make);
        let _ = writeln!(self.times, "| {name} | {median:.1} | {p95:.1} | {best:.1} |");
    }

    fn weight(&mut self, name: &str, value: &str) {
        println!("{name}: {value}");
        let _ = writeln!(self.weights, "| {name} | {value} |");
    }

    fn text(&self) -> String {
        format!(
            "Whole-process wall time of {} runs each, in milliseconds; shared {}-core machine, headless Chromium.\n\n\
             | command | median | p95 | best |\n| --- | ---: | ---: | ---: |\n{}\n| what | value |\n| --- | ---: |\n{}",
            self.runs,
            thread::available_parallelism().map_or(0, std::num::NonZero::get),
            self.times,
            self.weights
        )
    }
}

/// What many runs of one command took, in milliseconds.
pub(super) struct Times {
    pub(super) median: f64,
    pub(super) p95: f64,
    best: f64,
}

/// Runs a command as often as asked for, and prints and gives what it took.
pub(super) fn time(name: &str, runs: usize, mut make: impl FnMut(usize) -> Command) -> Times {
    let mut millis = Vec::new();
    for run in 0..=runs {
        let mut command = make(run);
        // Nothing is read meanwhile, so that only the command is measured; what it complains about is shown.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let started = Instant::now();
        let status = command.status().expect("the command can be started");
        let took = started.elapsed().as_secs_f64() * 1000.0;
        assert!(status.success(), "{name} ended with {status}");
        // The first run warms the file cache and the page; it does not count.
        if run > 0 {
            millis.push(took);
        }
    }
    millis.sort_by(f64::total_cmp);
    let times = Times {
        median: millis[millis.len() / 2],
        p95: millis[(millis.len() * 95 / 100).min(millis.len() - 1)],
        best: millis[0],
    };
    println!("{name}: {:.1} ms, p95 {:.1} ms, best {:.1} ms", times.median, times.p95, times.best);
    times
}

pub(super) fn controls(count: usize) -> String {
    format!(
        "<main id=m></main><script>m.innerHTML = Array.from({{length: {count}}}, (_, i) => '<button>Control '+i+'</button>').join('')</script>"
    )
}

/// Three nodes each: a div, a span and a link.
pub(super) fn nodes(count: usize) -> String {
    let rows = count / 3;
    format!(
        "<button id=b>Go</button><main id=m></main><script>m.innerHTML = Array.from({{length: {rows}}}, (_, i) => '<div><span>row '+i+'</span><a href=#x>link '+i+'</a></div>').join('')</script>"
    )
}

fn times(browser: &Browser, table: &mut Table) {
    const SMALL: &str =
        "<h1>Small</h1><label>Name <input id=i></label><button id=b>Go</button><a href=#x>A link</a>";
    let plain = |args: &[&str]| {
        let mut command = browser.command(workspace::bsk());
        command.args(args);
        command
    };
    table.time("spawn of `true` (reference)", |_| browser.command("true"));
    table.time("bsk --version", |_| plain(&["--version"]));
    table.time("status", |_| plain(&["status"]));
    let session = browser.session();
    let within = |args: &[&str]| {
        let mut command = browser.command(workspace::bsk());
        command.args(args).args(["--session", &session.id]);
        command
    };
    session.open(SMALL);
    settle(browser);
    table.time("evaluate 1+1", |_| within(&["evaluate", "1+1"]));
    table.time("observe, small page", |_| within(&["observe"]));
    table.time("click, small page", |_| within(&["click", "#b"]));
    table.time("fill, small page", |run| within(&["fill", "#i", "--value", &format!("text {run}")]));
    table.time("press a key", |_| within(&["press", "Shift"]));
    let picture = browser.scratch().file("shot.png");
    table.time("screenshot, small page", |_| {
        // Our own picture of the run before.
        let _ = fs::remove_file(&picture);
        within(&["screenshot", "--out", &picture.display().to_string()])
    });
    let url = browser.pages().html(SMALL);
    table.time("navigate, small page", |_| within(&["navigate", &url]));
    session.open(&controls(1000));
    settle(browser);
    table.time("observe, 1,000 controls", |_| within(&["observe"]));
    table.time("click, 1,000 controls", |_| within(&["click", "button"]));
    session.open(&nodes(10_000));
    settle(browser);
    table.time("observe, 10,000 nodes", |_| within(&["observe"]));
    table.time("click, 10,000 nodes", |_| within(&["click", "#b"]));
    session.open(&nodes(50_000));
    settle(browser);
    table.time("click, 50,000 nodes", |_| within(&["click", "#b"]));
    beside_a_busy_session(browser, &session, table);
    drop(session);
    starts(browser, table);
}

/// What a session pays for another one that looks at a very large page all the time.
fn beside_a_busy_session(browser: &Browser, busy: &Session<'_>, table: &mut Table) {
    let other = browser.session();
    other.open("<h1>Small</h1>");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let _ = busy.bsk(&["observe"]);
            }
        });
        let within = |args: &[&str]| {
            let mut command = browser.command(workspace::bsk());
            command.args(args).args(["--session", &other.id]);
            command
        };
        table.time("evaluate 1+1, while another session observes 50,000 nodes", |_| {
            within(&["evaluate", "1+1"])
        });
        is_done.store(true, Ordering::Relaxed);
    });
}

/// Sessions are stopped outside the measured time.
fn starts(browser: &Browser, table: &mut Table) {
    table.time("session start", |_| {
        browser.bsk(&["session", "stop", "--all"]);
        let mut command = browser.command(workspace::bsk());
        command.args(["session", "start"]);
        command
    });
    browser.bsk(&["session", "stop", "--all"]);
}

/// CPU time that the browser and everything below it have used, in milliseconds.
fn cpu_of_family(browser: &Browser) -> f64 {
    let family = [vec![browser.pid()], processes::descendants(browser.pid())].concat();
    family.into_iter().map(processes::cpu_seconds).sum::<f64>() * 1000.0
}

/// Waits until the browser has nothing left to do: what it does after a start or for a large page is not ours to measure.
pub(super) fn settle(browser: &Browser) {
    until("a browser that has settled", Duration::from_secs(60), || {
        let before = cpu_of_family(browser);
        thread::sleep(Duration::from_secs(1));
        (cpu_of_family(browser) - before < 20.0).then_some(())
    });
}

/// CPU time of the host and of everything over [`IDLE`], in milliseconds, once what came before has died down.
fn cpu_of_idleness(browser: &Browser) -> (f64, f64) {
    settle(browser);
    let host = browser.host_pid();
    let (host_before, all_before) = (processes::cpu_seconds(host), cpu_of_family(browser));
    // Not a wait for something to happen: this time is what is measured.
    thread::sleep(IDLE);
    ((processes::cpu_seconds(host) - host_before) * 1000.0, cpu_of_family(browser) - all_before)
}

fn idle(browser: &Browser, table: &mut Table) {
    let seconds = IDLE.as_secs();
    let (_, without) = cpu_of_idleness(browser);
    table.weight(&format!("CPU of Chromium and host, no session, {seconds} s"), &format!("{without:.0} ms"));
    let session: Session<'_> = browser.session();
    session.open("<h1>Idle</h1>");
    let (host, all) = cpu_of_idleness(browser);
    table.weight(&format!("CPU of Chromium and host, idle session, {seconds} s"), &format!("{all:.0} ms"));
    table.weight(&format!("CPU of bsk-host alone, idle session, {seconds} s"), &format!("{host:.0} ms"));
    let resident = processes::resident_kib(browser.host_pid()).unwrap_or(0);
    table.weight("bsk-host resident, idle", &mebibytes(resident * 1024));
}

fn weights(browser: &Browser, table: &mut Table) -> Result<(), String> {
    let myself = std::env::current_exe().map_err(|error| error.to_string())?;
    for (name, args) in [("status", &["status"][..]), ("doctor", &["doctor"][..])] {
        let mut command = browser.command(&myself);
        let output = command.arg("peak-rss").arg(workspace::bsk()).args(args).output();
        let output = output.map_err(|error| error.to_string())?;
        let kib: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(0);
        table.weight(&format!("bsk {name}, peak resident"), &mebibytes(kib * 1024));
    }
    for binary in [workspace::bsk(), workspace::bsk_host()] {
        let size = fs::metadata(&binary).map_err(|error| error.to_string())?.len();
        let name = binary.file_name().unwrap_or_default().to_string_lossy().into_owned();
        table.weight(&format!("{name}, size"), &mebibytes(size));
    }
    let files = workspace::files_below(&workspace::extension_dir(), "");
    let is_shipped = |path: &&std::path::PathBuf| {
        let relative = path.strip_prefix(workspace::extension_dir()).unwrap_or(path);
        !relative.starts_with("tests") && relative.extension() != Some(OsStr::new("ts"))
    };
    let size: u64 =
        files.iter().filter(is_shipped).filter_map(|path| fs::metadata(path).ok()).map(|it| it.len()).sum();
    table.weight("extension, unpacked size", &format!("{} KiB", size / 1024));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a size for a table")]
fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0))
}

/// Runs one program and prints the most memory that it had, in KiB. A process of its own, so that no other child counts.
///
/// # Errors
/// When the program cannot be started.
pub(super) fn print_peak_rss(program: &str, args: &[&str]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map_err(|error| error.to_string())?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    println!("{}", usage.max_rss());
    Ok(())
}
