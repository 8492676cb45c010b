//! The commands, one file each: its arguments, and `run`, which gives the exit code or the failure.
//!
//! A group such as `session` is a folder with one file per command. What several commands share beyond the crate's own
//! modules is in `waits` (navigations) and `keys` (modifiers).

pub(crate) mod browsers;
pub(crate) mod check;
pub(crate) mod click;
pub(crate) mod completions;
pub(crate) mod daemon;
pub(crate) mod dialog;
pub(crate) mod doctor;
pub(crate) mod download;
pub(crate) mod drag;
pub(crate) mod evaluate;
pub(crate) mod fill;
pub(crate) mod find;
pub(crate) mod focus;
pub(crate) mod get_html;
pub(crate) mod hover;
pub(crate) mod install;
mod keys;
pub(crate) mod logs;
pub(crate) mod navigate;
pub(crate) mod navigate_back;
pub(crate) mod navigate_forward;
pub(crate) mod observe;
pub(crate) mod press;
pub(crate) mod reload;
pub(crate) mod request_help;
pub(crate) mod screenshot;
pub(crate) mod scroll;
pub(crate) mod select;
pub(crate) mod session;
pub(crate) mod snapshot;
pub(crate) mod status;
pub(crate) mod tab;
mod text;
pub(crate) mod type_text;
pub(crate) mod uncheck;
pub(crate) mod uninstall;
pub(crate) mod upload;
pub(crate) mod wait_for;
pub(crate) mod wait_for_navigation;
pub(crate) mod wait_ms;
mod waits;
pub(crate) mod window;

use bsk_protocol::failure::Failure;

use crate::cli::Command;
use crate::context::Context;

/// Exit code of a command that did what it was asked.
const DONE: u8 = 0;

/// Runs a command and gives the process's exit code.
///
/// # Errors
/// Whatever went wrong, to be shown by the caller.
pub(crate) fn run(command: Command, context: &Context) -> Result<u8, Failure> {
    match command {
        Command::Session(args) => session::run(args, context),
        Command::Tab(args) => tab::run(args, context),
        Command::Window(args) => window::run(args, context),
        Command::Navigate(args) => navigate::run(args, context),
        Command::NavigateBack(args) => navigate_back::run(&args, context),
        Command::NavigateForward(args) => navigate_forward::run(&args, context),
        Command::Reload(args) => reload::run(&args, context),
        Command::WaitForNavigation(args) => wait_for_navigation::run(&args, context),
        Command::WaitFor(args) => wait_for::run(args, context),
        Command::WaitMs(args) => wait_ms::run(&args, context),
        Command::RequestHelp(args) => request_help::run(args, context),
        Command::Observe(args) => observe::run(&args, context),
        Command::Snapshot(args) => snapshot::run(&args, context),
        Command::Find(args) => find::run(args, context),
        Command::GetHtml(args) => get_html::run(&args, context),
        Command::Screenshot(args) => screenshot::run(&args, context),
        Command::Click(args) => click::run(args, context),
        Command::Hover(args) => hover::run(args, context),
        Command::Drag(args) => drag::run(&args, context),
        Command::Scroll(args) => scroll::run(args, context),
        Command::Fill(args) => fill::run(args, context),
        Command::Type(args) => type_text::run(args, context),
        Command::Check(args) => check::run(&args, context),
        Command::Uncheck(args) => uncheck::run(&args, context),
        Command::Focus(args) => focus::run(&args, context),
        Command::Press(args) => press::run(args, context),
        Command::Select(args) => select::run(args, context),
        Command::Download(args) => download::run(&args, context),
        Command::Upload(args) => upload::run(&args, context),
        Command::Evaluate(args) => evaluate::run(args, context),
        Command::Dialog(args) => dialog::run(args, context),
        Command::Status(args) => status::run(&args, context),
        Command::Browsers(args) => browsers::run(&args, context),
        Command::Doctor(args) => doctor::run(&args, context),
        Command::Logs(args) => logs::run(&args, context),
        Command::Install(args) => install::run(args, context),
        Command::Uninstall(args) => uninstall::run(args, context),
        Command::Completions(args) => completions::run(&args, context),
        Command::Daemon(args) => daemon::run(&args, context),
    }
}
