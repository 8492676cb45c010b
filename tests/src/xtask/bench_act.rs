//! `cargo xtask bench act`: what acting costs, on pages of 30 to 50,000 nodes.
//!
//! Whole processes against a browser as people run it; then, in a second browser whose host logs its requests, how often each
//! command goes to the browser and back. Prints a table and writes it to `target/bench/act.md`. It judges nothing.

use std::fmt::Write;
use std::fs;

use super::bench::{Times, settle, time};
use super::machine::need_browser;
use super::steps::build_release;
use crate::{Browser, Options, Traffic, WITH_LOG, workspace};

/// The commands, in the order of the table; `{run}` is another text each time.
const COMMANDS: [&[&str]; 8] = [
    &["click", "#b"],
    &["hover", "#b"],
    &["fill", "#i", "--value", "text {run}"],
    &["type", "#i", "--value", "{run}"],
    &["{check}", "#c"],
    &["press", "Shift"],
    &["select", "#s", "--index", "{parity}"],
    &["wait-for", "--selector", "#b"],
];

/// Three nodes a row.
fn page(nodes: usize) -> String {
    let rows = nodes / 3;
    format!(
        "<button id=b>Go</button><label>Name <input id=i></label><select id=s><option>a<option>b</select><label><input id=c type=checkbox>Yes</label><main id=m></main>\
         <script>m.innerHTML = Array.from({{length: {rows}}}, (_, i) => '<div><span>row '+i+'</span><a href=#x>link '+i+'</a></div>').join('')</script>"
    )
}

/// Measures with this many runs per command and page.
///
/// # Errors
/// When it cannot be built, started or written.
pub(super) fn run(runs: usize) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let plain = Browser::launch(&Options { without_devtools: true, ..Options::default() });
    let variables = vec![(WITH_LOG.0.to_owned(), WITH_LOG.1.to_owned())];
    let logging = Browser::launch(&Options { without_devtools: true, variables, ..Options::default() });
    let (session, logged) = (plain.session(), logging.session());
    let mut text = String::from(
        "| command | nodes | median ms | p95 ms | round trips | requests |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for nodes in [30, 1000, 10_000, 50_000] {
        session.open(&page(nodes));
        logged.open(&page(nodes));
        settle(&plain);
        for args in COMMANDS {
            let filled = |run: usize| -> Vec<String> {
                let parity = (run % 2).to_string();
                let check = if run.is_multiple_of(2) { "check" } else { "uncheck" };
                args.iter()
                    .map(|arg| arg.replace("{run}", &run.to_string()).replace("{parity}", &parity))
                    .map(|arg| arg.replace("{check}", check))
                    .collect()
            };
            let name = args[0].trim_matches(['{', '}']);
            let Times { median, p95, .. } = time(&format!("{name}, {nodes} nodes"), runs, |run| {
                let mut command = plain.command(workspace::bsk());
                command.args(filled(run)).args(["--session", &session.id]);
                command
            });
            let act = |run| {
                let filled = filled(run);
                logged.ok(&filled.iter().map(String::as_str).collect::<Vec<_>>());
            };
            act(0);
            logged.ok(&["wait-for", "--selector", "#b"]);
            let Traffic { round_trips, requests } = Traffic::of(&logging, || act(1));
            let _ =
                writeln!(text, "| {name} | {nodes} | {median:.1} | {p95:.1} | {round_trips} | {requests} |");
        }
    }
    println!("\n{text}");
    let file = workspace::root().join("target/bench/act.md");
    fs::create_dir_all(file.parent().expect("it is in a folder"))
        .and_then(|()| fs::write(&file, &text))
        .map_err(|error| format!("`{}`: {error}", file.display()))?;
    println!("written to {}", file.display());
    Ok(())
}
