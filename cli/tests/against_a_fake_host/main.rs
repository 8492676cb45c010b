//! The real `bsk` against hosts that speak the local wire and have no browser.
//!
//! `fake_host` is the other end; `connection` is about finding and losing hosts, `commands` about what is sent, printed
//! and written. Every test has its own runtime directory, state and home, and waits for conditions only.
#![cfg(unix)]

mod commands;
mod connection;
mod fake_host;
mod uploads;
