//! `bsk navigate URL`, and the words `back` and `forward` in place of a URL.
//!
//! Which URLs may be opened, the kernel decides. The words are no URLs, so nothing is hidden by them.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;

use super::waits::{SHORT_WAIT, Waits};
use crate::context::{COMMAND_TIMEOUT, Context};

/// Open a URL in the session's tab
///
/// Prints the HTTP status, the address that was reached and, if others sent on to it, how many and from where. A page that goes
/// on at once is followed. What turns out to be a download or to have no content is an error, and the page stays. `back` and `forward` in place of a URL go through the
/// tab's history, as `bsk navigate-back` and `bsk navigate-forward` do.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk navigate https://example.com --session quwe
  bsk navigate https://example.com --wait-until networkidle --timeout 1m --session quwe")]
pub(crate) struct NavigateArgs {
    /// Address to open: http, https or about:blank; or `back` or `forward`
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    waits: Waits,
}

pub(crate) fn run(args: NavigateArgs, context: &Context) -> Result<u8, Failure> {
    let wait_until = args.waits.until();
    let (time, action) = match args.url.as_str() {
        "back" => (SHORT_WAIT, Action::NavigateBack { wait_until }),
        "forward" => (SHORT_WAIT, Action::NavigateForward { wait_until }),
        _ => (COMMAND_TIMEOUT, Action::Navigate { url: args.url, wait_until }),
    };
    args.waits.run(context, time, action)
}
