//! `bsk-host`: the native messaging host. The browser starts it, one per profile, and it lives as long as the port.
//!
//! It carries out commands that the CLI sends over the local socket by asking the kernel in the extension. It grants
//! itself nothing, opens no network socket (invariant 1), writes nothing but frames to standard output (invariant 5) and
//! reads or writes no file of the user's outside its own state directory. When its standard input ends, it ends.

#![deny(clippy::print_stdout)]

mod act;
mod agent;
mod arrival;
mod help;
mod host;
mod kernel;
mod log;
mod look;
mod more;
mod navigate;
mod observe;
mod queue;
mod run;
mod serve;
mod session;
mod stdio;
mod tabs;
mod target;
mod transfer;
mod wait;

use std::process::ExitCode;

use bsk_protocol::BUILD_VERSION;

/// Ids of the extensions that may start the host: data shared with the installer.
const EXTENSION_IDS: &str = include_str!("../../manifests/extension_ids.json");

fn main() -> ExitCode {
    let first = std::env::args_os().nth(1);
    let first = first.as_ref().map(|argument| argument.to_string_lossy());
    match first.as_deref() {
        Some("--version") => {
            eprintln!("bsk-host {BUILD_VERSION}");
            ExitCode::SUCCESS
        }
        Some(origin) if is_allowed_origin(origin) => host::run(),
        Some(origin) => {
            eprintln!("error: bsk-host was started by `{origin}`, which is not the bsk extension");
            eprintln!(
                "hint: the browser starts it; run `bsk install` and load the extension that `bsk install` names"
            );
            ExitCode::FAILURE
        }
        None => {
            eprintln!("error: bsk-host is started by the browser, not by hand");
            eprintln!("hint: run `bsk install`, then `bsk status`");
            ExitCode::FAILURE
        }
    }
}

/// Whether the caller that the browser names in the first argument (`chrome-extension://<id>/`) is our extension.
fn is_allowed_origin(origin: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Allowed {
        extensions: Vec<Extension>,
    }
    #[derive(serde::Deserialize)]
    struct Extension {
        id: String,
    }
    let allowed: Allowed =
        serde_json::from_str(EXTENSION_IDS).expect("manifests/extension_ids.json lists extensions");
    let id = origin.strip_prefix("chrome-extension://").and_then(|rest| rest.strip_suffix('/'));
    allowed.extensions.iter().any(|extension| id == Some(&extension.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_extension_may_start_the_host() {
        assert!(is_allowed_origin("chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/"));
        for origin in [
            "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc",
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop/",
            "https://mkanjamcijbnmjcfflodkihinjackdpc/",
            "mkanjamcijbnmjcfflodkihinjackdpc",
            "",
        ] {
            assert!(!is_allowed_origin(origin), "{origin}");
        }
    }
}
