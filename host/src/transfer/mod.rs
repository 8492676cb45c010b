//! Files on their way into a page and out of the browser.
//!
//! Into a page: taken from the CLI, staged, handed to the kernel, which gives them to the page.
//!
//! The host reads no file of the user's; the CLI sends their bytes. What it writes is below its own state directory and is gone
//! with the session. Every failure says whether the page got anything.

mod download;
mod drop;
mod line;
mod staging;
mod state;
mod upload;

pub(crate) use download::{download, sweep as sweep_downloads};
pub(crate) use line::{Line, LineEnd, Sent};
pub(crate) use staging::{Staged, Staging, sweep as sweep_staging};
pub(crate) use state::{Effect, TransferState};
pub(crate) use upload::upload;
