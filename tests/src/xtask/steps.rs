//! One step after another, each with its name, its command and how long it took.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::workspace;

/// Runs a program in a folder of the checkout, its output shown as it comes.
///
/// # Errors
/// A line that names the step when the program is missing or fails.
pub(super) fn step(name: &str, folder: &Path, program: &str, args: &[&str]) -> Result<(), String> {
    println!("\n=== {name}: {program} {}", args.join(" "));
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    forget_xtask_variables(&mut command);
    let status =
        command.status().map_err(|error| format!("{name}: `{program}` cannot be started: {error}"))?;
    let took = started.elapsed().as_secs_f64();
    if status.success() {
        println!("=== {name}: done in {took:.1} s");
        Ok(())
    } else {
        Err(format!("{name} failed after {took:.1} s ({status}): {program} {}", args.join(" ")))
    }
}

/// Cargo describes this package to the programs it runs; a cargo below must not take that for its own.
fn forget_xtask_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO_BIN_NAME" {
            command.env_remove(name);
        }
    }
}

/// Runs cargo in the checkout.
///
/// # Errors
/// As [`step`].
pub(super) fn cargo(name: &str, args: &[&str]) -> Result<(), String> {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    step(name, &workspace::root(), &program, args)
}

/// Builds the two programs that everything else drives.
///
/// # Errors
/// As [`step`].
pub(super) fn build_release() -> Result<(), String> {
    cargo("release build", &["build", "--release", "-p", "bsk-cli", "-p", "bsk-host"])
}
