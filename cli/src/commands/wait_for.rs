//! `bsk wait-for`: waits until a text, an element, an address, a script's answer or rest is there.
//!
//! Exactly one condition. One that already holds is answered at once. A page that does not come to rest is no failure: the
//! answer says what kept it busy.

use std::time::Duration;

use bsk_protocol::failure::Failure;
use bsk_protocol::local::{Action, Condition, Waited};
use clap::Args;

use super::DONE;
use crate::context::{COMMAND_TIMEOUT, Context, TabPlace};
use crate::usage;

/// How long `--idle` waits unless told otherwise: some pages never come to rest.
const IDLE_CAP: Duration = Duration::from_secs(10);

/// Wait until a text, an element, an address or anything else is there
///
/// Goes on waiting when the page goes to another one. Texts are looked for in all frames, selectors in the main frame, and only
/// what can be seen counts. Fails with exit code 4 when the time is over; `--idle` does not: it says what kept the page busy.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bsk wait-for --text 'Order placed' --session quwe
  bsk wait-for --gone '.spinner' --timeout 1m --session quwe
  bsk wait-for --url '**/checkout*' --session quwe
  bsk wait-for --function '() => document.images.length > 3' --session quwe
  bsk wait-for --idle --timeout 5s --session quwe")]
pub(crate) struct WaitForArgs {
    #[command(flatten)]
    wish: Wish,
    #[command(flatten)]
    place: TabPlace,
}

/// What is to hold.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Wish {
    /// This text is visible; case and white space do not count
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// This text is visible nowhere
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    gone_text: Option<String>,
    /// A visible element matches
    #[arg(long, value_name = "CSS")]
    selector: Option<String>,
    /// No visible element matches
    #[arg(long, value_name = "CSS")]
    gone: Option<String>,
    /// The address fits: `*` is anything without `/`, `**` anything; without a star, a part of the address
    #[arg(long, value_name = "PATTERN")]
    url: Option<String>,
    /// This JavaScript gives something truthy; a function is called, a promise waited for
    #[arg(long, value_name = "JS", allow_hyphen_values = true)]
    function: Option<String>,
    /// No request and no change of the page for half a second, or the time is over [default: 10s]; requests that scripts of
    /// `evaluate` or timers began before, and that have not been answered yet, are not seen
    #[arg(long)]
    idle: bool,
}

impl Wish {
    fn condition(self) -> Result<Condition, Failure> {
        let Self { text, gone_text, selector, gone, url, function, idle } = self;
        let texts = [
            text.map(Condition::Text),
            gone_text.map(Condition::GoneText),
            selector.map(Condition::Selector),
            gone.map(Condition::Gone),
            url.map(Condition::Url),
            function.map(Condition::Function),
        ];
        let given = texts.into_iter().flatten().next().or(idle.then_some(Condition::Idle {}));
        match given {
            Some(
                Condition::Text(text)
                | Condition::GoneText(text)
                | Condition::Selector(text)
                | Condition::Gone(text)
                | Condition::Url(text)
                | Condition::Function(text),
            ) if text.trim().is_empty() => Err(usage::wrong(
                "what to wait for is empty",
                "give a text, a selector, an address or a script",
            )),
            Some(condition) => Ok(condition),
            None => Err(usage::wrong(
                "nothing to wait for was given",
                "pass `--text`, `--selector` or another condition",
            )),
        }
    }
}

pub(crate) fn run(args: WaitForArgs, context: &Context) -> Result<u8, Failure> {
    let default = if args.wish.idle { IDLE_CAP } else { COMMAND_TIMEOUT };
    let action = Action::WaitFor { condition: args.wish.condition()? };
    let reply = context.in_tab(&args.place, default, action)?;
    if context.output.is_json() {
        context.output.json(&reply.json)?;
    } else {
        context.output.note(&line(&reply.read()?))?;
    }
    Ok(DONE)
}

/// `text after 120 ms: @e7 paragraph "Order placed"`.
fn line(waited: &Waited) -> String {
    let Waited { matched, waited_ms, url, element, role, name, value, busy, tab_id: _ } = waited;
    let Some(matched) = matched else {
        let why = busy.as_deref().unwrap_or("it was busy");
        return format!("not idle after {waited_ms} ms: {why}");
    };
    let shown = element.map(|element| {
        let name = name.as_deref().filter(|name| !name.is_empty()).map(|name| format!(" {name:?}"));
        format!("{element} {}{}", role.as_deref().unwrap_or_default(), name.unwrap_or_default())
    });
    let told = shown.or_else(|| url.clone()).or_else(|| value.as_ref().map(ToString::to_string));
    format!("{matched} after {waited_ms} ms{}", told.map(|told| format!(": {told}")).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_matched_and_after_how_long_is_one_line() {
        let read = |value| serde_json::from_value::<Waited>(value).unwrap();
        let text = json!({ "tab_id": 3, "matched": "text", "waited_ms": 12, "ref": "@e7", "role": "status", "name": "Saved" });
        assert_eq!(line(&read(text)), "text after 12 ms: @e7 status \"Saved\"");
        let idle =
            json!({ "tab_id": 3, "matched": null, "waited_ms": 9000, "busy": "1 request is under way" });
        assert_eq!(line(&read(idle)), "not idle after 9000 ms: 1 request is under way");
        let gone = json!({ "tab_id": 3, "matched": "gone", "waited_ms": 0 });
        assert_eq!(line(&read(gone)), "gone after 0 ms");
    }
}
