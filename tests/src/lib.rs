//! What the end-to-end tests, the demo and the benchmark are made of.
//!
//! A [`Scratch`] is a test's own directories and environment, a [`Browser`] a real Chromium with the extension in a
//! profile of its own, [`Pages`] a small web server for it, and [`DevTools`] a second, independent way into that browser:
//! the oracle. [`FakeExtension`] and [`hostile_host`] stand at either end of the native messaging wire.
//! Nothing here touches the user's home, another process than those it started, or the network beyond 127.0.0.1.
//! Everything waits on conditions; the only sleeps are the pauses between two looks.

mod browser;
mod consent;
mod devtools;
mod dice;
mod face;
mod fake_cli;
pub mod fake_extension;
mod help;
pub mod hostile_host;
pub mod oracle;
mod own_window;
mod pages;
mod picture;
mod processes;
mod round_trips;
mod scratch;
mod session;
mod stage;
mod waiting;
pub mod workspace;
pub mod xtask;

pub use browser::{Browser, NativeHost, Options, Shared};
pub use consent::Consent;
pub use devtools::{Attached, DevTools, Page};
pub use dice::Dice;
pub use face::{Face, Faces, NOW_MS, View};
pub use fake_cli::FakeCli;
pub use fake_extension::{Answer, FakeExtension, ordinary};
pub use help::Help;
pub use pages::{Pages, Request, Response};
pub use picture::Picture;
pub use processes::{
    cpu_seconds, descendants, executable, is_alive, kill_group, listening_inet_sockets, peak_resident_kib,
    resident_kib, signal,
};
pub use round_trips::{Traffic, WITH_LOG};
pub use scratch::{Ran, Running, Scratch};
pub use session::{Session, outline};
pub use stage::{PLACES, PLAIN, Place, Scenario, Stage, ZOOMED, Zoom, everywhere, play};
pub use waiting::until;
