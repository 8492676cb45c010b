//! Acting on a page: resolve, wait until it can be acted on, trusted input, confirm, report.
//!
//! The page library finds the element, waits and watches for the input's arrival; the input itself is the browser's own
//! (`Input.*`). Success is said only after the page got it (invariant 15).

mod check;
mod drag;
mod fill;
mod focus;
mod key_names;
mod keys;
mod mac_editing;
mod pointer;
mod press;
mod scroll;
mod select;
mod type_text;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{FrameNumber, TabId};
use bsk_protocol::kernel::{Call, DocumentStep, PageFunction, TabList, TabScope};
use bsk_protocol::local::{Changed, Effects, Modifier, StateChange};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Duration, Instant, timeout_at};

pub(crate) use check::check;
pub(crate) use drag::{Goal, drag};
pub(crate) use fill::fill;
pub(crate) use focus::focus;
pub(crate) use pointer::{
    Press, Wish, aim, click, fetch_pointer, hover, move_for_now, move_home, to_viewport,
};
pub(crate) use press::press;
pub(crate) use scroll::{Way, scroll};
pub(crate) use select::select;
pub(crate) use type_text::type_text;

use crate::arrival;
use crate::kernel::{Pending, in_ms};
use crate::run::{Done, Work, tab_lost};
use crate::tabs::TabEvent;
use crate::target::Element;

/// How long a navigation that an action set off may take to bring its document, before the action answers all the same.
const LANDING: Duration = Duration::from_secs(10);

/// How long a server may take to answer what is to be downloaded, before the action answers all the same.
const ANSWERED: Duration = Duration::from_secs(3);

/// How long the page may take to get the input once the browser has it.
pub(crate) const DELIVERY_MS: u64 = 3000;

/// How long input may take to be over with once it is known not to have arrived.
const OVER: Duration = Duration::from_millis(500);

/// Points once more when the page got nothing of the first time: a press that was about to reach something else was stopped, and
/// what moved everything, such as a bar of the browser that slides in, has moved it by then; or the browser threw the press away,
/// as it does as long as a new page is held back undrawn (extension/page/painted.js), and in a tab behind another one that is until
/// somebody asks for a picture. Only once the browser is through with the first gesture, so that nothing of it can still arrive.
pub(crate) async fn again_if_lost<F>(work: &Work, act: impl Fn() -> F) -> Result<Done, Failure>
where
    F: Future<Output = Result<Done, Failure>>,
{
    let is_lost = |failure: &Failure| failure.reason == Some(Reason::NotDelivered);
    let first = act().await;
    if !first.as_ref().is_err_and(is_lost) || !is_over(work).await {
        return first;
    }
    let clip = json!({ "x": 0, "y": 0, "width": 1, "height": 1, "scale": 1 });
    let picture = work.cdp::<Value>("Page.captureScreenshot", &json!({ "format": "jpeg", "clip": clip }));
    // Whether there is one does not matter here.
    drop(timeout_at((Instant::now() + OVER).min(work.deadline), picture).await);
    let second = act().await;
    if second.as_ref().is_err_and(is_lost) {
        let _ = is_over(work).await;
    }
    second
}

/// Whether the browser is through with all input sent; frames that sleep keep it.
async fn is_over(work: &Work) -> bool {
    let until = Instant::now() + OVER;
    timeout_at(until.min(work.deadline), flush(work)).await.is_ok_and(|flushed| flushed.is_ok())
}

/// The element an action used, as `observe` names it.
#[derive(Debug, Deserialize)]
pub(crate) struct UsedElement {
    role: String,
    name: String,
    /// What it was when its ref was last told, if that is something else.
    was: Option<Was>,
}

#[derive(Debug, Deserialize)]
struct Was {
    role: String,
    name: String,
}

impl UsedElement {
    fn changed(&self) -> Option<Changed> {
        let Was { role, name } = self.was.as_ref()?;
        Some(Changed { was_role: role.clone(), was_name: name.clone() })
    }
}

/// What the page library's `probe` says.
#[derive(Debug, Deserialize)]
struct Probe {
    delivered: bool,
    hit: Option<String>,
}

/// The result fields that every acting command shares.
pub(crate) fn used(work: &Work, target: &Element, element: &UsedElement) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("tab_id".into(), json!(work.tab_id));
    match target {
        Element::Ref(r) => fields.insert("used_ref".into(), json!(r)),
        Element::Selector(selector) => fields.insert("used_selector".into(), json!(selector)),
    };
    fields.insert("role".into(), json!(element.role));
    fields.insert("name".into(), json!(element.name));
    if let Some(changed) = element.changed() {
        fields.insert("changed".into(), json!(changed));
    }
    fields
}

/// Fails unless the input arrived. A page that was replaced in the act took its probe along: it got the input.
fn confirm(probe: Result<Probe, Failure>, what: &str) -> Result<(), Failure> {
    match probe {
        Ok(Probe { delivered: true, .. }) => Ok(()),
        Ok(Probe { delivered: false, hit }) => {
            let message = match &hit {
                Some(hit) => format!("the {what} was about to reach `{hit}` instead and was stopped"),
                None => format!("the page never got the {what}"),
            };
            Err(Failure::new(ErrorCode::CdpFailed, Reason::NotDelivered, message)
                .hint("run `bsk observe` to see what is in front, or try again"))
        }
        Err(failure) if failure.reason == Some(Reason::PageNavigated) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Asks whether the armed probe of a frame saw the input; sent along with the input.
fn read_probe(work: &Work, frame: FrameNumber) -> Pending<Probe> {
    let timeout_ms = DELIVERY_MS.min(work.page_timeout_ms());
    work.page(frame, PageFunction::Probe, &json!({ "timeout_ms": timeout_ms }))
}

/// Asks for word when the page has handled the input sent before and all that came of it has been told. Sent along with the
/// input, since each message to the browser may cost it milliseconds (docs/decisions/0003-messages-to-chromium.md).
pub(crate) fn flush(work: &Work) -> Pending<Value> {
    work.input_sent();
    flush_and_ask(work, None)
}

/// As [`flush`], and the answer has what the frame's page library saw change.
fn flush_in(work: &Work, frame: FrameNumber) -> Pending<Value> {
    work.input_sent();
    flush_and_ask(work, Some(frame))
}

fn flush_and_ask(work: &Work, frame: Option<FrameNumber>) -> Pending<Value> {
    let (session_id, tab_id) = (work.session_id.clone(), work.tab_id);
    let opened_ms = Some(in_ms(work.page_timeout_ms()));
    work.host.kernel.send(Call::Flush { session_id, tab_id, frame, opened_ms })
}

/// The answer to a flush.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Flushed {
    outcome: Option<Outcome>,
    opened: Vec<Going>,
}

/// An opened tab and where it is going.
#[derive(Debug, Deserialize)]
struct Going {
    tab_id: TabId,
    url: String,
}

/// What the page library's `outcome` says.
#[derive(Debug, Default, Deserialize)]
struct Outcome {
    changed: Option<bool>,
    state: Option<StateChange>,
    /// A link was clicked whose address is to be downloaded.
    #[serde(default)]
    begins_download: bool,
}

/// What the action did besides its purpose, once `flushed`. A navigation that it set off is waited for until its document
/// is there (the next command should meet the new page) or until loading ends without one.
pub(crate) async fn effects(
    work: &Work,
    mut events: Receiver<TabEvent>,
    flushed: impl Future<Output = Result<Value, Failure>>,
) -> Result<Effects, Failure> {
    // Something newer than we are may say more or less; what it does not say is not told.
    let Flushed { outcome, opened } = serde_json::from_value(flushed.await?).unwrap_or_default();
    let mut effects = Effects::default();
    let (mut is_under_way, mut was_under_way) = (false, false);
    loop {
        match events.try_recv() {
            Ok(event) => {
                note(work, event, &mut effects, &mut is_under_way)?;
                was_under_way |= is_under_way;
            }
            Err(TryRecvError::Lagged(_)) => {}
            Err(TryRecvError::Empty | TryRecvError::Closed) => break,
        }
    }
    let deadline = (Instant::now() + LANDING).min(work.deadline);
    while is_under_way {
        match timeout_at(deadline, events.recv()).await {
            Ok(Ok(event)) => note(work, event, &mut effects, &mut is_under_way)?,
            Ok(Err(RecvError::Lagged(_))) => {}
            Ok(Err(RecvError::Closed)) | Err(_) => break,
        }
    }
    let Outcome { changed, state, begins_download } = outcome.unwrap_or_default();
    if begins_download && effects.downloads.is_empty() && !was_under_way {
        download_of_link(work, &mut events, &mut effects).await?;
    }
    let is_without_document = was_under_way && effects.navigated_to.is_none();
    if is_without_document && effects.downloads.is_empty() {
        effects.downloads.extend(arrival::download(&mut events).await);
    }
    for Going { tab_id, url } in opened {
        effects
            .opened_tabs
            .iter_mut()
            .filter(|tab| tab.tab_id == tab_id)
            .for_each(|tab| tab.url.clone_from(&url));
    }
    if effects.opened_tabs.iter().any(|tab| tab.url.is_empty()) {
        name_opened(work, &mut effects).await?;
    }
    effects.state = state;
    let is_calm = work.tab.answered.borrow().is_empty() && effects == Effects::default();
    effects.nothing_visible_changed = is_calm && changed == Some(false);
    Ok(effects)
}

/// Waits for the download of a clicked link: the browser tells of it once the server has answered. Where the address is another
/// site's the link leads there instead.
async fn download_of_link(
    work: &Work,
    events: &mut Receiver<TabEvent>,
    effects: &mut Effects,
) -> Result<(), Failure> {
    let deadline = (Instant::now() + ANSWERED).min(work.deadline);
    let mut is_under_way = false;
    while effects.downloads.is_empty() && (effects.navigated_to.is_none() || is_under_way) {
        match timeout_at(deadline, events.recv()).await {
            Ok(Ok(event)) => note(work, event, effects, &mut is_under_way)?,
            Ok(Err(RecvError::Lagged(_))) => {}
            Ok(Err(RecvError::Closed)) | Err(_) => break,
        }
    }
    Ok(())
}

/// Says where tabs are going that opened while the page changed: a tab has no address yet in the moment it opens.
async fn name_opened(work: &Work, effects: &mut Effects) -> Result<(), Failure> {
    let call = Call::TabList { session_id: work.session_id.clone(), scope: TabScope::Agent };
    let TabList { tabs } = work.host.kernel.send(call).await?;
    for opened in effects.opened_tabs.iter_mut().filter(|tab| tab.url.is_empty()) {
        if let Some(record) = tabs.iter().find(|record| record.tab_id == opened.tab_id) {
            opened.url.clone_from(&record.url);
        }
    }
    Ok(())
}

/// The effects of an action that ended its own tab: a page may close a tab that a page opened.
fn ended_by_itself(work: &Work, failure: Failure) -> Result<Effects, Failure> {
    if failure.reason == Some(Reason::TabClosed) {
        return Ok(Effects { closed_tab_ids: vec![work.tab_id], ..Effects::default() });
    }
    Err(failure)
}

fn note(work: &Work, event: TabEvent, effects: &mut Effects, is_under_way: &mut bool) -> Result<(), Failure> {
    match event {
        TabEvent::Requested { url } => {
            effects.navigated_to = Some(url);
            effects.net_error = None;
            *is_under_way = true;
        }
        TabEvent::Committed { url, .. } | TabEvent::SameDocument { url } => {
            effects.navigated_to = Some(url);
            *is_under_way = false;
        }
        TabEvent::StoppedLoading => {
            // No document came of it: a download, no content, or the page was stopped.
            if *is_under_way {
                effects.navigated_to = None;
            }
            *is_under_way = false;
        }
        TabEvent::Opened(tab) => {
            effects.opened_tab_ids.push(tab.tab_id);
            effects.opened_tabs.push(tab);
        }
        TabEvent::Closed(tab) => effects.closed_tab_ids.push(tab),
        TabEvent::Download(download) => effects.downloads.push(download),
        TabEvent::Lost(cause) => return Err(tab_lost(work.tab_id, cause)),
        TabEvent::Document { step: DocumentStep::Failed { net_error }, .. }
            if *is_under_way && net_error != arrival::ABORTED =>
        {
            effects.net_error = Some(net_error);
        }
        TabEvent::Document { .. }
        | TabEvent::Lifecycle { .. }
        | TabEvent::DialogOpened
        | TabEvent::DialogAnswered
        | TabEvent::DragBegan => {}
    }
    Ok(())
}

/// The `modifiers` bit field of `Input.*` (source: Chrome DevTools Protocol, domain Input).
fn modifier_bits(modifiers: &[Modifier]) -> u8 {
    modifiers.iter().fold(0, |bits, modifier| {
        bits | match modifier {
            Modifier::Alt => 1,
            Modifier::Control => 2,
            Modifier::Meta => 4,
            Modifier::Shift => 8,
            Modifier::ControlOrMeta if cfg!(target_os = "macos") => 4,
            Modifier::ControlOrMeta => 2,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_says_what_it_was_only_when_that_was_something_else() {
        let element: UsedElement = serde_json::from_str(
            r#"{"ref": 3, "role": "button", "name": "Delete", "was": {"role": "button", "name": "Save"}}"#,
        )
        .unwrap();
        let changed = Changed { was_role: "button".into(), was_name: "Save".into() };
        assert_eq!(element.changed(), Some(changed));
        let element: UsedElement =
            serde_json::from_str(r#"{"ref": 3, "role": "button", "name": "A"}"#).unwrap();
        assert_eq!(element.changed(), None);
    }
}
