//! `bsk get-html`: the page's or an element's HTML, printed or written to a file.
//!
//! With `--out` the JSON result has `path` in place of `html`.

use std::path::PathBuf;

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::TabId;
use bsk_protocol::local::Action;
use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::out_file;
use crate::target::ForcedTargetArgs;

/// Most bytes of HTML that are printed unless told otherwise.
const PRINTED_BYTES: u64 = 1024 * 1024;

/// Most bytes of HTML that are written to a file unless told otherwise.
const WRITTEN_BYTES: u64 = 16 * 1024 * 1024;

/// Print the HTML of the page or of one element
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk get-html --ref @e12 --session quwe
  bsk get-html --out page.html --session quwe")]
pub(crate) struct GetHtmlArgs {
    #[command(flatten)]
    target: ForcedTargetArgs,
    /// Cut after this many bytes [default: 1 MiB, with `--out` 16 MiB]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    place: TabPlace,
}

#[derive(Deserialize)]
struct Html {
    html: String,
    truncated: bool,
    byte_size: u64,
    tab_id: TabId,
}

pub(crate) fn run(args: &GetHtmlArgs, context: &Context) -> Result<u8, Failure> {
    let target = args.target.optional()?;
    let out = args.out.as_ref().filter(|path| path.as_os_str() != "-");
    let max_bytes = args.max_bytes.unwrap_or(if out.is_some() { WRITTEN_BYTES } else { PRINTED_BYTES });
    let reply = context.in_tab(&args.place, COMMAND_TIMEOUT, Action::GetHtml { target, max_bytes })?;
    let output = &context.output;
    let Some(out) = out else {
        if output.is_json() {
            output.json(&reply.json)?;
        } else {
            let found: Html = reply.read()?;
            output.data(&found.html)?;
            warn_if_cut(context, &found);
        }
        return Ok(DONE);
    };
    let found: Html = reply.read()?;
    let path = out_file::write_named(out, found.html.as_bytes())?;
    if output.is_json() {
        output.json(&json!({
            "path": path, "truncated": found.truncated, "byte_size": found.byte_size, "tab_id": found.tab_id,
        }))?;
    } else {
        output.data(&path.to_string_lossy())?;
        warn_if_cut(context, &found);
    }
    Ok(DONE)
}

fn warn_if_cut(context: &Context, found: &Html) {
    if found.truncated {
        context
            .output
            .hint(&format!("the HTML has {} bytes and was cut; pass `--max-bytes`", found.byte_size));
    }
}
