//! What the machine needs besides Rust: Chromium, and Node.js for the extension's tests.
//!
//! Installs with apt on Debian and Ubuntu and says so before it does; elsewhere it says what is missing.

use std::path::Path;
use std::process::Command;

use nix::unistd::geteuid;

use super::steps::step;
use crate::workspace;

/// Makes sure that a browser is there.
///
/// # Errors
/// When there is none and it cannot be installed.
pub(super) fn need_browser() -> Result<(), String> {
    if workspace::find_browser().is_some() {
        return Ok(());
    }
    println!("No Chromium or Chrome was found: installing Chromium with apt-get.");
    // On Ubuntu `chromium` is a snap, which cannot start a native messaging host; its absence is said clearly below.
    apt_install(&["chromium"])?;
    match workspace::find_browser() {
        Some(_) => Ok(()),
        None => {
            Err("apt-get installed no usable Chromium; install one and set `BSK_CHROMIUM` to its path"
                .to_owned())
        }
    }
}

/// Makes sure that Node.js 20 or newer and npm are there.
///
/// # Errors
/// When they are not and cannot be installed.
pub(super) fn need_node() -> Result<(), String> {
    if workspace::find_in_path("node").is_none() || workspace::find_in_path("npm").is_none() {
        println!("No Node.js was found: installing nodejs and npm with apt-get.");
        apt_install(&["nodejs", "npm"])?;
    }
    let output = Command::new("node").arg("--version").output();
    let output = output.map_err(|error| format!("`node` cannot be started: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|text| text.parse::<u32>().ok());
    match major {
        Some(20..) => Ok(()),
        _ => Err(format!(
            "Node.js 20 or newer is needed for the extension's tests; `node --version` says `{version}`"
        )),
    }
}

/// Makes sure that windows can be shown where nobody sees them; false on systems that have no such screen.
///
/// # Errors
/// When it is missing and cannot be installed.
pub(super) fn need_screen() -> Result<bool, String> {
    if !cfg!(target_os = "linux") {
        return Ok(false);
    }
    if workspace::find_in_path("xvfb-run").is_none() || workspace::find_in_path("openbox").is_none() {
        println!("No virtual screen was found: installing xvfb and a small window manager with apt-get.");
        apt_install(&["xvfb", "xauth", "openbox"])?;
    }
    Ok(true)
}

fn apt_install(packages: &[&str]) -> Result<(), String> {
    let names = packages.join(" ");
    if workspace::find_in_path("apt-get").is_none() {
        return Err(format!(
            "`{names}` is missing and there is no apt-get here; install it and run this again"
        ));
    }
    let root = Path::new("/");
    let apt = |name: &str, args: &[&str]| {
        if geteuid().is_root() {
            step(name, root, "env", &[&["DEBIAN_FRONTEND=noninteractive", "apt-get"], args].concat())
        } else if workspace::find_in_path("sudo").is_some() {
            step(name, root, "sudo", &[&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], args].concat())
        } else {
            Err(format!(
                "`{names}` is missing, and only root may install it; run `apt-get install {names}` as root"
            ))
        }
    };
    // Package lists may be missing or stale; an install that fails for that is worth one update.
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    apt("package lists", &["update", "-qq"])?;
    apt("packages", &install)
}
