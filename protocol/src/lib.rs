//! The two wires of bsk and the place where their ends meet.
//!
//! Host ↔ extension is native messaging ([`kernel`]); CLI ↔ host is a per-user local socket ([`local`]). Both carry
//! frames of a 4-byte length and UTF-8 JSON ([`codec`]). The Rust enums here are the source of both; the files in
//! `golden/` hold one message per variant, and the Rust and JavaScript tests read them all, so neither side moves alone.
//! This crate knows no runtime and no command line: it decides what is a well-formed message, never what is allowed.

pub mod codec;
pub mod failure;
pub mod ids;
pub mod kernel;
pub mod local;
pub mod place;
pub mod transfer;

/// Version of both wires. Raised when a message changes so that an older end would misread it.
pub const PROTOCOL_VERSION: u32 = 1;

/// Version of this build, the same for CLI, host and extension of one release.
pub const BUILD_VERSION: &str = env!("CARGO_PKG_VERSION");
