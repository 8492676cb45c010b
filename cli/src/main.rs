//! `bsk`, the command line: reads arguments, finds the browser's host, sends one command, prints what came of it.
//!
//! This file is policy only. Exit codes come from the failure's code and reason (0 done, 1 request, 2 no host,
//! 3 browser or page, 4 timed out, 5 version skew, 6 dialog, 7 refused by a person or policy). A malformed command
//! line is a failure like any other, so `--json` gets one JSON value for it too. A reader that closes our standard
//! output is no error. Nothing here talks to the browser; nothing panics on what comes from outside.

mod choose;
mod cli;
mod commands;
mod connect;
mod context;
mod criteria;
mod default_browser;
mod download_file;
mod duration;
mod exchange;
mod fence;
mod greeting;
mod line;
mod no_host;
mod out_file;
mod output;
mod render;
mod source;
mod target;
mod usage;
mod value;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::context::Context;
use crate::output::Output;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(usage::answer(&error, &arguments)),
    };
    let output = Output::new(cli.global.json, cli.global.quiet, cli.global.verbose);
    let context = Context::new(output, cli.global.session);
    let exit_code = match commands::run(cli.command, &context) {
        Ok(exit_code) => exit_code,
        Err(failure) => context.output.failure(&failure),
    };
    ExitCode::from(exit_code)
}
