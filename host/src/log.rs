//! The log: one file a day under the state directory, a week of them, in a folder that only the user may enter.
//!
//! What is logged: starts, ends, connections, each command's name, session, duration and outcome by code and reason.
//! Never what a page contains, a person typed, a URL or a message that could quote them (invariant 12).

use std::fs::{self, DirBuilder};

use bsk_protocol::place::state_dir;
use tracing_appender::rolling::{RollingFileAppender, Rotation};

/// Files kept, one a day.
const KEPT_DAYS: usize = 7;

/// Starts logging to `logs/host.<date>.log` in the state directory. A host that cannot log works all the same.
pub(crate) fn start() {
    let Ok(state) = state_dir() else { return };
    let folder = state.join("logs");
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if builder.create(&folder).is_err() || !fs::metadata(&folder).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("host")
        .filename_suffix("log")
        .max_log_files(KEPT_DAYS)
        .build(&folder);
    let Ok(appender) = appender else { return };
    let is_debug = std::env::var_os("BSK_LOG").is_some_and(|level| level == "debug");
    let level = if is_debug { tracing::Level::DEBUG } else { tracing::Level::INFO };
    // Fails only where a subscriber is set already, which nobody else does.
    let _ = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_target(false)
        .with_max_level(level)
        .with_writer(std::sync::Mutex::new(appender))
        .try_init();
}
