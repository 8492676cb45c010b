//! The command line as clap knows it: the global flags and the list of commands, in the order that help shows them.
//!
//! Each command's own arguments are in its file under `commands/`. Global flags are taken before and after the command.

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// Use the browser that its user already has open
///
/// Every command on a page needs a session: `bsk session start` opens a window of its own in the user's browser and
/// prints the session's id. Pass it with `--session`, or set `BSK_SESSION` once.
#[derive(Debug, Parser)]
#[command(
    name = "bsk",
    version = bsk_protocol::BUILD_VERSION,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = false,
    max_term_width = 110,
    after_long_help = "\
Examples:
  bsk session start
  bsk navigate https://example.com --session quwe
  bsk observe --session quwe
  bsk click @e3 --session quwe

Exit codes:
  0 done
  1 the request: arguments, unknown session, tab or ref
  2 no host, or the connection to it
  3 the browser or the page failed
  4 timed out
  5 versions do not fit together
  6 a JavaScript dialog waits for a decision
  7 a person or a policy said no"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Print one JSON value on standard output, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but data and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Say on standard error what is done
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Session to use, on commands that need one [default: `BSK_SESSION`]
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Session(commands::session::SessionArgs),
    Tab(commands::tab::TabArgs),
    Window(commands::window::WindowArgs),
    Navigate(commands::navigate::NavigateArgs),
    NavigateBack(commands::navigate_back::NavigateBackArgs),
    NavigateForward(commands::navigate_forward::NavigateForwardArgs),
    Reload(commands::reload::ReloadArgs),
    WaitForNavigation(commands::wait_for_navigation::WaitForNavigationArgs),
    WaitFor(commands::wait_for::WaitForArgs),
    WaitMs(commands::wait_ms::WaitMsArgs),
    RequestHelp(commands::request_help::RequestHelpArgs),
    Observe(commands::observe::ObserveCommand),
    Snapshot(commands::snapshot::SnapshotCommand),
    Find(commands::find::FindCommand),
    GetHtml(commands::get_html::GetHtmlArgs),
    Screenshot(commands::screenshot::ScreenshotArgs),
    Click(commands::click::ClickArgs),
    Hover(commands::hover::HoverArgs),
    Drag(commands::drag::DragArgs),
    Scroll(commands::scroll::ScrollArgs),
    Fill(commands::fill::FillArgs),
    Type(commands::type_text::TypeArgs),
    Check(commands::check::CheckArgs),
    Uncheck(commands::uncheck::UncheckArgs),
    Focus(commands::focus::FocusArgs),
    Press(commands::press::PressArgs),
    Select(commands::select::SelectArgs),
    Upload(commands::upload::UploadArgs),
    Download(commands::download::DownloadArgs),
    Evaluate(commands::evaluate::EvaluateArgs),
    Dialog(commands::dialog::DialogArgs),
    Status(commands::status::StatusArgs),
    Browsers(commands::browsers::BrowsersArgs),
    Doctor(commands::doctor::DoctorArgs),
    Logs(commands::logs::LogsArgs),
    Install(commands::install::InstallArgs),
    Uninstall(commands::uninstall::UninstallArgs),
    Completions(commands::completions::CompletionsArgs),
    Daemon(commands::daemon::DaemonArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Splits a line as a shell would, as far as our examples need it.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars() {
            match (quote, c) {
                (None, ' ') => words.extend(word.take()),
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (Some(open), _) if open == c => quote = None,
                (None | Some(_), _) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    fn check(command: &clap::Command, path: &str) {
        let is_group = command.has_subcommands();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(!about.is_empty() && !about.ends_with('.'), "`{path}`: about is `{about}`");
        let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        let examples: Vec<&str> = help.lines().filter(|line| line.contains("bsk ")).collect();
        assert!(is_group || !examples.is_empty(), "`{path}` has no example");
        for example in examples {
            let start = example.find("bsk ").unwrap_or_default();
            let line = example[start..].split(" > ").next().unwrap_or_default().trim_end_matches(')');
            Cli::try_parse_from(words(line)).unwrap_or_else(|error| panic!("`{example}`: {error}"));
            assert!(is_group || example.contains(path), "`{example}` is no example of `{path}`");
        }
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            check(sub, &format!("{path} {}", sub.get_name()));
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does_and_has_an_example_that_parses() {
        check(&Cli::command(), "bsk");
    }

    #[test]
    fn global_flags_are_taken_before_and_after_the_command() {
        for line in ["bsk --json --session quwe observe", "bsk observe --session quwe --json"] {
            let cli = Cli::try_parse_from(words(line)).unwrap();
            assert!(cli.global.json);
            assert_eq!(cli.global.session.as_deref(), Some("quwe"));
        }
    }

    #[test]
    fn flags_that_contradict_each_other_are_refused() {
        for line in [
            "bsk observe --diff --ref @e1",
            "bsk observe --diff --after o1.2",
            "bsk observe --after o1.2 --ref @e1",
            "bsk observe --after o1.2 --interactive",
            "bsk observe --after 12",
            "bsk find",
            "bsk find a --regex b",
            "bsk snapshot --diff",
        ] {
            assert!(Cli::try_parse_from(words(line)).is_err(), "`{line}`");
        }
    }

    #[test]
    fn flags_of_older_skills_are_accepted() {
        for line in [
            "bsk observe --debug-surfaces --probe-hover --session quwe",
            "bsk evaluate 1+1 --await-promise --return-by-value=false",
            "bsk evaluate 1+1 --return-by-value",
            "bsk navigate back --session quwe",
            "bsk fill @e1 --value -5",
            "bsk daemon restart",
            "bsk snapshot --debug-surfaces --max-tokens 100",
        ] {
            Cli::try_parse_from(words(line)).unwrap_or_else(|error| panic!("`{line}`: {error}"));
        }
    }
}
