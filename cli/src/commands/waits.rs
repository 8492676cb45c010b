//! What navigating commands share: when they count as done, how long they wait, and their line for people.
//!
//! The line has the HTTP status first, since an agent has to see a 404; an error status is no failure of the command.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, Effects, Navigated, Redirect, WaitUntil};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::DONE;
use crate::context::{ActPlace, Context};
use crate::render;

/// How long `back`, `forward`, `reload` and `wait-for-navigation` wait unless told otherwise.
pub(crate) const SHORT_WAIT: Duration = Duration::from_secs(15);

/// When a navigation counts as done.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Until {
    /// The `load` event
    Load,
    /// The `DOMContentLoaded` event
    #[value(name = "domcontentloaded")]
    DomContentLoaded,
    /// No request for half a second
    #[value(name = "networkidle")]
    NetworkIdle,
    /// The new document is there
    Commit,
}

impl From<Until> for WaitUntil {
    fn from(until: Until) -> Self {
        match until {
            Until::Load => Self::Load,
            Until::DomContentLoaded => Self::DomContentLoaded,
            Until::NetworkIdle => Self::NetworkIdle,
            Until::Commit => Self::Commit,
        }
    }
}

/// Flags of navigating commands.
#[derive(Debug, Args)]
pub(crate) struct Waits {
    /// When the navigation counts as done
    #[arg(long, value_name = "EVENT", value_enum, default_value_t = Until::Load)]
    pub(crate) wait_until: Until,
    #[command(flatten)]
    pub(crate) place: ActPlace,
}

#[derive(Deserialize)]
struct Reached {
    #[serde(flatten)]
    navigated: Navigated,
    #[serde(default)]
    effects: Effects,
}

impl Waits {
    /// The event as the wire names it.
    pub(crate) fn until(&self) -> WaitUntil {
        self.wait_until.into()
    }

    /// Runs a navigating action and prints where it ended.
    pub(crate) fn run(&self, context: &Context, default: Duration, action: Action) -> Result<u8, Failure> {
        let reply = context.act(&self.place, default, action)?;
        context.acted(&reply, |reply| {
            let Reached { navigated, effects } = reply.read()?;
            Ok(line(&navigated) + &render::effects(&effects))
        })?;
        Ok(DONE)
    }
}

/// `200 https://example.com/`; without a status the address alone. Who sent on comes after it, in brackets.
fn line(navigated: &Navigated) -> String {
    let reached = match navigated.status {
        Some(status) => format!("{status} {}", navigated.final_url),
        None => navigated.final_url.clone(),
    };
    match navigated.redirects.as_slice() {
        [] => reached,
        [Redirect { url, status }] => format!("{reached} (sent on by {status} {url})"),
        [Redirect { url, status }, ..] => {
            format!("{reached} (sent on by {} addresses, from {status} {url})", navigated.redirects.len())
        }
    }
}
