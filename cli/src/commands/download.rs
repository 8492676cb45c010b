//! `bsk download`: click what downloads a file, and put that file where it is wanted.
//!
//! Whether it can be put there is looked at before anything is clicked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;
use serde_json::{Map, Value, json};

use super::DONE;
use crate::context::{Context, TabPlace};
use crate::download_file::{DownloadFile, Written};
use crate::exchange::{Reply, not_begun};
use crate::target::TargetArgs;
use crate::usage;

/// How long a download may take.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_mins(2);

/// Click what downloads a file, and save that file
///
/// Prints the path of the file. It is there whole or not at all, and what was there before is only replaced with `--overwrite`.
/// The click may begin one download: of two neither is taken, and they go on in the browser.
///
/// An error says in `effect_state` what became of it: `none`, `committed` (the browser has the file: `left_path`) or `unknown`. After
/// `unknown` look at the page and the browser's download list before you try again.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk download @e7 --out report.pdf --session quwe
  bsk download --role link --name 'Export CSV' --out export.csv --session quwe
  bsk download 'a.invoice' --out invoice.pdf --overwrite --timeout 5m --session quwe")]
pub(crate) struct DownloadArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Where the file goes
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    out: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    place: TabPlace,
}

pub(crate) fn run(args: &DownloadArgs, context: &Context) -> Result<u8, Failure> {
    let (reply, written) = download(args, context).map_err(not_begun)?;
    let Written { path, byte_size, sha256 } = written;
    let mut result: Map<String, Value> = reply.read()?;
    result.insert("path".into(), json!(path));
    result.insert("byte_size".into(), json!(byte_size));
    result.insert("sha256".into(), json!(sha256));
    if context.output.is_json() {
        context.output.json(&result)?;
        return Ok(DONE);
    }
    context.output.data(&path.to_string_lossy())?;
    if let Some(left) = result.get("left_path").and_then(Value::as_str) {
        context
            .output
            .aside(&format!("note: the browser put its own file elsewhere and it was left there: {left}"));
    }
    Ok(DONE)
}

fn download(args: &DownloadArgs, context: &Context) -> Result<(Reply, Written), Failure> {
    if args.out == Path::new("-") {
        return Err(usage::wrong(
            "a download is written to a file, not to standard output",
            "name a file: `--out report.pdf`; a file of that name is `--out ./-`",
        ));
    }
    let target = args.target.required()?;
    let file = DownloadFile::new(&args.out, args.overwrite)?;
    context.download(&args.place, DOWNLOAD_TIMEOUT, Action::Download { target }, &file)
}
