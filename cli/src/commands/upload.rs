//! `bsk upload`: gives files to a page, by a file input, by what opens its chooser, or by a drop.
//!
//! The files are looked at before anything else is done, sent once the host says that nothing is in the way, and never changed. A file
//! that changes while it is read takes the whole upload back before the page hears of it.

use std::path::PathBuf;
use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Action;
use clap::Args;
use serde::Deserialize;

use super::DONE;
use crate::context::{ActPlace, Context};
use crate::exchange::{Reply, not_begun};
use crate::render::Acted;
use crate::source;
use crate::target::TargetArgs;

/// How long an upload may take.
const UPLOAD_TIMEOUT: Duration = Duration::from_mins(2);

/// Give files to the page
///
/// The target is a file input, hidden or not, its label, or what opens its chooser when it is clicked. The chooser itself is never shown.
/// With `--drop` the files are dropped on the target instead. At most 20 files and 512 MiB, in one session in all. The page gets
/// copies, which are kept until the session ends, since it may read them later; your files are only read.
///
/// An error says in `effect_state` whether the page got the files: `none`, `committed` or `unknown`. After `unknown` look at the page
/// before you try again.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk upload @e3 --file report.pdf --session quwe
  bsk upload 'input[type=file]' --file a.png --file b.png --session quwe
  bsk upload --role button --name Attach --file report.pdf --session quwe
  bsk upload '#dropzone' --drop --file photo.jpg --session quwe")]
pub(crate) struct UploadArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// File to give to the page; may be repeated, up to 20 times
    #[arg(long = "file", value_name = "PATH", required = true, allow_hyphen_values = true)]
    files: Vec<PathBuf>,
    /// Drop the files on the target
    #[arg(long)]
    drop: bool,
    #[command(flatten)]
    place: ActPlace,
}

/// An upload's result.
#[derive(Deserialize)]
struct Uploaded {
    #[serde(flatten)]
    acted: Acted,
    file_names: Vec<String>,
    #[serde(default)]
    not_accepted: Vec<String>,
}

pub(crate) fn run(args: &UploadArgs, context: &Context) -> Result<u8, Failure> {
    let reply = upload(args, context).map_err(not_begun)?;
    context.acted(&reply, |reply| Ok(line(&reply.read()?)))?;
    Ok(DONE)
}

fn upload(args: &UploadArgs, context: &Context) -> Result<Reply, Failure> {
    let target = args.target.required()?;
    let mut sources = source::open_all(&args.files)?;
    let files = sources.iter().map(|source| source.told.clone()).collect();
    let action = Action::Upload { target, files, drop: args.drop };
    context.upload(&args.place, UPLOAD_TIMEOUT, action, &mut sources)
}

fn line(Uploaded { acted, file_names, not_accepted }: &Uploaded) -> String {
    let mut line = acted.line_with("uploaded to", &format!(": {}", file_names.join(", ")));
    if !not_accepted.is_empty() {
        line.push_str(&format!("; the input does not ask for files such as {}", not_accepted.join(", ")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_files_and_those_that_were_not_asked_for() {
        let uploaded = |not_accepted: Vec<String>| Uploaded {
            acted: Acted { used_ref: Some("@e3".to_owned()), ..Acted::default() },
            file_names: vec!["a.txt".to_owned(), "b c.txt".to_owned()],
            not_accepted,
        };
        assert_eq!(line(&uploaded(Vec::new())), "uploaded to @e3: a.txt, b c.txt");
        assert_eq!(
            line(&uploaded(vec!["a.txt".to_owned()])),
            "uploaded to @e3: a.txt, b c.txt; the input does not ask for files such as a.txt"
        );
    }
}
