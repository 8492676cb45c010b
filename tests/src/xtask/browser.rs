//! `cargo xtask browser`: a throwaway Chromium with the extension, kept open until enter or Ctrl-C.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};

use super::machine::need_browser;
use super::steps::build_release;
use crate::{Browser, Options, workspace};

/// Opens the browser and waits.
///
/// # Errors
/// When it cannot be built or started.
pub(super) fn run(is_headed: bool) -> Result<(), String> {
    need_browser()?;
    build_release()?;
    let (sender, ended) = channel();
    end_by_signal(sender.clone())?;
    let mut browser = Browser::launch(&Options { headed: is_headed, ..Options::default() });
    let bsk = workspace::bsk();
    println!("\nA Chromium with the extension runs. In another shell:\n");
    println!("  export BSK_RUNTIME_DIR={}", browser.runtime_dir().display());
    println!("  export BSK_HOME={}", browser.state_dir().display());
    println!("  export BSK_SESSION=$({} session start)", bsk.display());
    println!("  {} navigate https://example.com && {} observe\n", bsk.display(), bsk.display());
    println!("Press enter or Ctrl-C to close it.");
    end_by_enter(sender);
    while browser.is_running() {
        if ended.recv_timeout(Duration::from_millis(200)).is_ok() {
            break;
        }
    }
    Ok(())
}

/// Ctrl-C and SIGTERM close the browser and clean up instead of ending this process on the spot.
fn end_by_signal(sender: Sender<()>) -> Result<(), String> {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    signals.thread_block().map_err(|error| error.to_string())?;
    thread::spawn(move || {
        if signals.wait().is_ok() {
            let _ = sender.send(());
        }
    });
    Ok(())
}

fn end_by_enter(sender: Sender<()>) {
    thread::spawn(move || {
        let mut line = String::new();
        // Without a terminal the input ends at once, which is no wish to close the browser.
        if io::stdin().read_line(&mut line).is_ok_and(|count| count > 0) {
            let _ = sender.send(());
        }
    });
}
