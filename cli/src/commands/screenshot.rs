//! `bsk screenshot`: a picture of the visible page or of one element, as a file.
//!
//! What came is checked before anything is written. Without `--out` the file gets a name that is free.

use std::path::{Path, PathBuf};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::{Action, Screenshot};
use clap::Args;
use serde_json::json;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::out_file;
use crate::target::ForcedTargetArgs;

/// First bytes of every PNG file (PNG specification, 5.2).
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Save a picture of the visible page or of one element
///
/// Prints the path of the PNG file. Without `--out` that is `screenshot-<session>-<n>.png` in the current directory,
/// with a number that is free.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk screenshot --out page.png --session quwe
  bsk screenshot --ref @e12 --session quwe
  bsk screenshot --out - --session quwe > page.png")]
pub(crate) struct ScreenshotArgs {
    #[command(flatten)]
    target: ForcedTargetArgs,
    /// File to write, replaced if it exists; `-` for standard output
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    place: TabPlace,
}

pub(crate) fn run(args: &ScreenshotArgs, context: &Context) -> Result<u8, Failure> {
    let output = &context.output;
    let target = args.target.optional()?;
    let is_to_stdout = args.out.as_deref() == Some(Path::new("-"));
    if is_to_stdout && output.is_json() {
        return Err(crate::usage::wrong(
            "`--out -` and `--json` both want standard output",
            "leave out `--json`, or name a file",
        ));
    }
    let session = context.session_id()?;
    let reply = context.in_tab(&args.place, COMMAND_TIMEOUT, Action::Screenshot { target })?;
    let picture: Screenshot = reply.read()?;
    check(&picture, &reply.raw)?;
    if is_to_stdout {
        output.bytes(&reply.raw)?;
        return Ok(DONE);
    }
    let path = match &args.out {
        Some(path) => out_file::write_named(path, &reply.raw)?,
        None => out_file::write_numbered(&format!("screenshot-{session}"), "png", &reply.raw)?,
    };
    if output.is_json() {
        output.json(&json!({
            "path": path,
            "width": picture.width,
            "height": picture.height,
            "byte_size": picture.byte_size,
            "format": picture.format,
            "tab_id": picture.tab_id,
        }))?;
    } else {
        output.data(&path.to_string_lossy())?;
    }
    Ok(DONE)
}

fn check(picture: &Screenshot, bytes: &[u8]) -> Result<(), Failure> {
    let detail = if bytes.len() as u64 != picture.byte_size {
        format!("{} bytes came in place of {}", bytes.len(), picture.byte_size)
    } else if !bytes.starts_with(PNG_SIGNATURE) {
        "what came is no PNG".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure::new(
        ErrorCode::ProtocolError,
        Reason::ScreenshotCaptureFailed,
        format!("the picture is damaged: {detail}"),
    )
    .hint("no file was written; run the command again"))
}
