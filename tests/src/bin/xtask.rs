//! `cargo xtask …`: the commands of whoever works on bsk. What each does is in `src/xtask/`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    bsk_tests::xtask::run(&args)
}
