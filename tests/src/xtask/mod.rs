//! The subcommands of `cargo xtask`: one file each.
//!
//! A step that fails ends the run with a non-zero exit and one line that names it; nothing is retried.

mod bench;
mod bench_act;
mod bench_observe;
mod bench_transfers;
mod browser;
mod demo;
mod economy;
mod machine;
mod oracle;
mod soak;
mod steps;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test [--fast | --long]  check, build and test everything (--fast: nothing that needs a browser; --long: more)
cargo xtask demo                a real task on a small local shop page, from nothing
cargo xtask browser [--headed]  a throwaway Chromium with the extension, to try things by hand
cargo xtask bench [observe | act | transfers] [--runs N]
                                measure, and write target/bench/results.md, observe.md, act.md or transfers.md
cargo xtask soak [--minutes N]  2,000 mixed actions over many pages, against what the pages say; what it weighs
cargo xtask economy             tokens of observations beside plain aria snapshots of the same pages
cargo xtask oracle [PART]       roles and names beside Chromium's, over the corpus or the pages named so
";

/// Runs one subcommand.
#[must_use]
pub fn run(args: &[String]) -> ExitCode {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["test"] => test::run(test::Lane::Whole),
        ["test", "--fast"] => test::run(test::Lane::Fast),
        ["test", "--long"] => test::run(test::Lane::Long),
        ["demo"] => demo::run(),
        ["browser"] => browser::run(false),
        ["browser", "--headed"] => browser::run(true),
        ["bench"] => bench::run(bench::DEFAULT_RUNS),
        ["bench", "--runs", runs] => number_of_runs(runs).and_then(bench::run),
        ["bench", "observe"] => bench_observe::run(bench::DEFAULT_RUNS),
        ["bench", "observe", "--runs", runs] => number_of_runs(runs).and_then(bench_observe::run),
        ["bench", "transfers"] => bench_transfers::run(bench_transfers::DEFAULT_RUNS),
        ["bench", "transfers", "--runs", runs] => number_of_runs(runs).and_then(bench_transfers::run),
        ["bench", "act"] => bench_act::run(bench::DEFAULT_RUNS),
        ["bench", "act", "--runs", runs] => number_of_runs(runs).and_then(bench_act::run),
        ["oracle"] => oracle::run(""),
        ["oracle", part] => oracle::run(part),
        ["soak"] => soak::run(0),
        ["soak", "--minutes", minutes] => match minutes.parse() {
            Ok(minutes) => soak::run(minutes),
            Err(_) => Err(format!("`{minutes}` is not a number of minutes")),
        },
        ["economy"] => economy::run(),
        ["peak-rss", program, ref args @ ..] => bench::print_peak_rss(program, args),
        _ => Err(format!("usage:\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn number_of_runs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|runs| *runs > 0).ok_or_else(|| format!("`{text}` is not a number of runs"))
}
