//! Going somewhere and knowing when one is there.
//!
//! A navigation counts as done when the browser says so for the document it led to (arrival.rs). The answer names where it ended, with
//! which HTTP status, and which addresses sent on; the browser's own page about an error is a failure.

use bsk_protocol::failure::{Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, HistoryStep, PageFunction};
use bsk_protocol::local::{Navigated, Redirect, WaitUntil};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arrival::{self, Arrival, Came};
use crate::run::{Done, Work};

/// What the page library's `document_state` says.
#[derive(Debug, Deserialize)]
pub(crate) struct DocumentState {
    pub(crate) url: String,
    pub(crate) title: String,
    ready_state: String,
    status: u16,
    /// Whether its markup is about to have it replaced.
    goes_on: bool,
}

/// Where a navigation ended.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) final_url: String,
    pub(crate) title: String,
    status: Option<u16>,
    redirects: Vec<Redirect>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigateReply {
    frame_id: String,
    loader_id: Option<String>,
    error_text: Option<String>,
}

/// `bsk navigate URL`.
pub(crate) async fn to_url(work: &Work, url: String, until: WaitUntil) -> Result<Done, Failure> {
    let Landed { final_url, status, redirects, .. } = load(work, url.clone(), until).await?;
    Ok(Done::new(&Navigated {
        tab_id: work.tab_id,
        url: Some(url),
        previous_url: None,
        final_url,
        reached: until,
        status,
        redirects,
    }))
}

/// Loads a URL in the tab.
pub(crate) async fn load(work: &Work, url: String, until: WaitUntil) -> Result<Landed, Failure> {
    let mut arrival = Arrival::watch(work);
    work.stage("waiting for the server's answer");
    let reply: NavigateReply = work.cdp("Page.navigate", &json!({ "url": url })).await?;
    work.tab.set_main_frame(&reply.frame_id);
    tracing::debug!(loader = ?reply.loader_id, error = ?reply.error_text, "navigation under way");
    if let Some(error) = reply.error_text {
        return Err(arrival.why_not(&url, &error).await);
    }
    // Without a loader only the fragment changed: the document is the same and stays as loaded as it was.
    if reply.loader_id.is_some() {
        arrival.reach(reply.loader_id, until).await?;
    }
    land(work, arrival, &url, until).await
}

/// `bsk reload`.
pub(crate) async fn reload(work: &Work, hard: bool, until: WaitUntil) -> Result<Done, Failure> {
    let before = address(work).await;
    let mut arrival = Arrival::watch(work);
    work.cdp::<Value>("Page.reload", &json!({ "ignoreCache": hard })).await?;
    arrival.reach(None, until).await?;
    arrived(work, arrival, before, until).await
}

/// `bsk navigate back` and `forward`.
pub(crate) async fn history(work: &Work, delta: i32, until: WaitUntil) -> Result<Done, Failure> {
    let mut arrival = Arrival::watch(work);
    work.stage("waiting for the page to come back");
    let call = Call::HistoryStep { session_id: work.session_id.clone(), tab_id: work.tab_id, delta };
    let step: HistoryStep = work.host.kernel.send(call).await?;
    if let Came::Document(loader) = arrival.commit().await? {
        // A page that comes back whole from the browser's memory does not load again, so its stages are not told again.
        if until != WaitUntil::Commit && !is_complete(work).await {
            arrival.stage(Some(loader), until).await?;
        }
    }
    arrived(work, arrival, step.from_url, until).await
}

/// `bsk wait-for-navigation`: one under way, one that the last action caused, or the next one.
pub(crate) async fn wait(work: &Work, until: WaitUntil) -> Result<Done, Failure> {
    let mut arrival = Arrival::watch(work);
    let before = state(work).await;
    let is_here = work.tab.has_fresh_document.get();
    let previous = match (&before, is_here) {
        (_, true) => work.tab.previous_url.borrow().clone().unwrap_or_default(),
        (Some(state), false) => state.url.clone(),
        (None, false) => work.tab.url.borrow().clone().unwrap_or_default(),
    };
    let ready = before.map(|state| state.ready_state).unwrap_or_default();
    match (is_here, ready.as_str(), until) {
        (true, "complete", WaitUntil::Load | WaitUntil::DomContentLoaded | WaitUntil::Commit)
        | (true, "interactive", WaitUntil::DomContentLoaded | WaitUntil::Commit)
        | (true, _, WaitUntil::Commit) => {}
        // The browser's own page about an error has nothing to wait for.
        (true, _, _) if work.tab.is_error_page.get() => {}
        (true, _, _) | (false, "loading", _) => arrival.stage(None, until).await?,
        (false, _, _) => {
            work.stage("waiting for a navigation to begin");
            if let Came::Document(loader) = arrival.commit().await? {
                arrival.stage(Some(loader), until).await?;
            }
        }
    }
    arrived(work, arrival, previous, until).await
}

async fn arrived(
    work: &Work,
    arrival: Arrival<'_>,
    previous_url: String,
    until: WaitUntil,
) -> Result<Done, Failure> {
    let Landed { final_url, status, redirects, .. } = land(work, arrival, "", until).await?;
    Ok(Done::new(&Navigated {
        tab_id: work.tab_id,
        url: None,
        previous_url: Some(previous_url),
        final_url,
        reached: until,
        status,
        redirects,
    }))
}

/// The document as it is now; none where the library cannot run, such as in the browser's own error page.
pub(crate) async fn state(work: &Work) -> Option<DocumentState> {
    work.page(FrameNumber::MAIN, PageFunction::DocumentState, &json!({})).await.ok()
}

/// The same; a failure on a site that agents are kept off, since ending there is no success.
async fn open_state(work: &Work) -> Result<Option<DocumentState>, Failure> {
    match work.page(FrameNumber::MAIN, PageFunction::DocumentState, &json!({})).await {
        Ok(state) => Ok(Some(state)),
        Err(failure) if is_kept_off(&failure) => {
            work.tab.has_fresh_document.set(false);
            Err(failure)
        }
        Err(_) => Ok(None),
    }
}

/// Whether the kernel does not let an agent see the site that a tab shows.
fn is_kept_off(failure: &Failure) -> bool {
    matches!(
        failure.reason,
        Some(
            Reason::SiteBlocked | Reason::SiteNotAllowed | Reason::ConsentTimedOut | Reason::ConsentNotShown
        )
    )
}

/// Whether the main frame's document has loaded as far as it will.
pub(crate) async fn is_complete(work: &Work) -> bool {
    state(work).await.is_some_and(|state| state.ready_state == "complete")
}

/// The page's address. What the events told comes first: a page that a navigation is about to replace answers no questions.
async fn address(work: &Work) -> String {
    let told = work.tab.url.borrow().clone();
    match told {
        Some(url) => url,
        None => state(work).await.map(|state| state.url).unwrap_or_default(),
    }
}

/// Where a navigation ended; the browser's own page about an error is no place to end at, a page that refreshes at once neither.
async fn land(
    work: &Work,
    mut arrival: Arrival<'_>,
    asked: &str,
    until: WaitUntil,
) -> Result<Landed, Failure> {
    let mut state = open_state(work).await?;
    while until != WaitUntil::Commit
        && state.as_ref().is_some_and(|state| state.goes_on)
        && arrival.refreshed(until).await?
    {
        state = open_state(work).await?;
    }
    let redirects = arrival.finish()?;
    work.tab.has_fresh_document.set(false);
    let last = work.tab.url.borrow().clone();
    if work.tab.is_error_page.get() {
        return Err(arrival::failed_before(&last.unwrap_or_default()));
    }
    Ok(match state {
        Some(DocumentState { url, title, status, .. }) => {
            Landed { final_url: url, title, status: (status != 0).then_some(status), redirects }
        }
        None => {
            let final_url = last.unwrap_or_else(|| asked.to_owned());
            Landed { final_url, title: String::new(), status: None, redirects }
        }
    })
}
