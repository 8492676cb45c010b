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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_status_comes_first_and_who_sent_on_last() {
        let read = |redirects: serde_json::Value| {
            let navigated = json!({
                "tab_id": 3, "url": "https://a.test/", "final_url": "https://b.test/", "reached": "load", "status": 200,
                "redirects": redirects,
            });
            line(&serde_json::from_value(navigated).unwrap())
        };
        let (one, two) = (
            json!({ "url": "https://a.test/", "status": 302 }),
            json!({ "url": "https://c.test/", "status": 301 }),
        );
        assert_eq!(read(json!([])), "200 https://b.test/");
        assert_eq!(read(json!([one])), "200 https://b.test/ (sent on by 302 https://a.test/)");
        assert_eq!(
            read(json!([one, two])),
            "200 https://b.test/ (sent on by 2 addresses, from 302 https://a.test/)"
        );
    }
}
