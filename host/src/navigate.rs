//! Going somewhere and knowing when one is there.
//!
//! A navigation counts as done when the browser says so for the document it led to: by that document's loader id, not
//! by time. Network errors are named; a page that redirects itself is followed; a tab that is lost ends the wait.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, DialogPolicy, HistoryStep, PageFunction};
use bsk_protocol::local::{AnsweredDialog, BegunDownload, Navigated, WaitUntil};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Duration, timeout};

use crate::run::{Done, Work, tab_lost};
use crate::tabs::TabEvent;

/// How long the browser may take to tell of a download once it has given up the navigation.
const DOWNLOAD: Duration = Duration::from_millis(300);

/// What the page library's `document_state` says.
#[derive(Debug, Deserialize)]
pub(crate) struct DocumentState {
    pub(crate) url: String,
    pub(crate) title: String,
    ready_state: String,
    status: u16,
}

/// Where a navigation ended.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) final_url: String,
    pub(crate) title: String,
    status: Option<u16>,
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
    let landed = load(work, url.clone(), until).await?;
    let Landed { final_url, status, .. } = landed;
    Ok(Done::new(&Navigated {
        tab_id: work.tab_id,
        url: Some(url),
        previous_url: None,
        final_url,
        reached: until,
        status,
    }))
}

/// Loads a URL in the tab.
pub(crate) async fn load(work: &Work, url: String, until: WaitUntil) -> Result<Landed, Failure> {
    let mut events = work.tab.watch();
    work.stage("waiting for the server's answer");
    let reply: NavigateReply = work.cdp("Page.navigate", &json!({ "url": url })).await?;
    work.tab.set_main_frame(&reply.frame_id);
    tracing::debug!(loader = ?reply.loader_id, error = ?reply.error_text, "navigation under way");
    if let Some(error) = reply.error_text {
        return Err(why_not(work, &mut events, &url, &error).await);
    }
    // Without a loader only the fragment changed: the document is the same and stays as loaded as it was.
    if reply.loader_id.is_some() {
        reach(work, &mut events, reply.loader_id, until).await?;
    }
    let landed = land(work, &url).await;
    work.tab.has_fresh_document.set(false);
    Ok(landed)
}

/// Why a navigation did not happen: the page asked to stay, the answer was a download or empty, or the network failed.
async fn why_not(work: &Work, events: &mut Receiver<TabEvent>, url: &str, error: &str) -> Failure {
    if error != "net::ERR_ABORTED" {
        return navigation_failed(url, error);
    }
    let stayed = |message: String, hint: &str| {
        Failure::new(ErrorCode::CdpFailed, Reason::NavigationFailed, message)
            .hint(hint)
            .with("net_error", error)
    };
    let is_refusal = |answered: &AnsweredDialog| {
        answered.dialog.kind == "beforeunload" && answered.action == DialogPolicy::Dismiss
    };
    if work.tab.answered.borrow().iter().any(is_refusal) {
        return stayed(
            format!("the page asked whether to leave it and that was dismissed, so `{url}` was not loaded"),
            "the session dismisses dialogs; start one with `--dialogs ask` or `--dialogs accept` to leave such a page",
        );
    }
    if let Some(BegunDownload { url: source, suggested_filename }) = download(events).await {
        return stayed(
            format!(
                "`{url}` is a download of `{suggested_filename}`, which began; the page stayed as it was"
            ),
            "`bsk download` on a link or button puts such a file where you want it",
        )
        .with("download", json!({ "url": source, "suggested_filename": suggested_filename }));
    }
    stayed(
        format!("`{url}` answered with no content, or something else stopped it; the page stayed as it was"),
        "look at the page with `bsk observe`; if it should have changed, try again",
    )
}

/// The download that a navigation without a document turned out to be. The browser tells of it a moment later.
pub(crate) async fn download(events: &mut Receiver<TabEvent>) -> Option<BegunDownload> {
    let told = async {
        loop {
            match events.recv().await {
                Ok(TabEvent::Download(download)) => return Some(download),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    };
    timeout(DOWNLOAD, told).await.ok().flatten()
}

fn navigation_failed(url: &str, error: &str) -> Failure {
    let hint = match error {
        "net::ERR_NAME_NOT_RESOLVED" => "check the host name",
        "net::ERR_CONNECTION_REFUSED" => "nothing listens there; check the port, or start the server",
        "net::ERR_INTERNET_DISCONNECTED" => "the browser is offline",
        _ => "the error is the browser's own; open the address by hand to see more",
    };
    Failure::new(
        ErrorCode::CdpFailed,
        Reason::NavigationFailed,
        format!("`{url}` could not be loaded: `{error}`"),
    )
    .hint(hint)
    .with("net_error", error)
}

/// `bsk reload`.
pub(crate) async fn reload(work: &Work, hard: bool, until: WaitUntil) -> Result<Done, Failure> {
    let before = state(work).await.map(|state| state.url).unwrap_or_default();
    let mut events = work.tab.watch();
    work.cdp::<Value>("Page.reload", &json!({ "ignoreCache": hard })).await?;
    reach(work, &mut events, None, until).await?;
    arrived(work, before, until).await
}

/// `bsk navigate back` and `forward`.
pub(crate) async fn history(work: &Work, delta: i32, until: WaitUntil) -> Result<Done, Failure> {
    let mut events = work.tab.watch();
    work.stage("waiting for the page to come back");
    let call = Call::HistoryStep { session_id: work.session_id.clone(), tab_id: work.tab_id, delta };
    let step: HistoryStep = work.host.kernel.send(call).await?;
    let is_same_document = commit(work, &mut events).await?.is_none();
    // A page that comes back whole from the browser's memory does not load again, so its stages are not told again.
    let is_complete = async { state(work).await.is_some_and(|state| state.ready_state == "complete") };
    if until != WaitUntil::Commit && !is_same_document && !is_complete.await {
        stage(work, &mut events, None, until).await?;
    }
    arrived(work, step.from_url, until).await
}

/// `bsk wait-for-navigation`: one under way, one that the last action caused, or the next one.
pub(crate) async fn wait(work: &Work, until: WaitUntil) -> Result<Done, Failure> {
    let mut events = work.tab.watch();
    let before = state(work).await;
    let is_here = work.tab.has_fresh_document.get();
    let previous = match (&before, is_here) {
        (_, true) => work.tab.previous_url.borrow().clone().unwrap_or_default(),
        (Some(state), false) => state.url.clone(),
        (None, false) => String::new(),
    };
    let ready = before.map(|state| state.ready_state).unwrap_or_default();
    match (is_here, ready.as_str(), until) {
        (true, "complete", WaitUntil::Load | WaitUntil::DomContentLoaded | WaitUntil::Commit)
        | (true, "interactive", WaitUntil::DomContentLoaded | WaitUntil::Commit)
        | (true, _, WaitUntil::Commit) => {}
        (true, _, _) | (false, "loading", _) => stage(work, &mut events, None, until).await?,
        (false, _, _) => {
            work.stage("waiting for a navigation to begin");
            if commit(work, &mut events).await?.is_some() {
                stage(work, &mut events, None, until).await?;
            }
        }
    }
    arrived(work, previous, until).await
}

async fn arrived(work: &Work, previous_url: String, until: WaitUntil) -> Result<Done, Failure> {
    let Landed { final_url, status, .. } = land(work, "").await;
    work.tab.has_fresh_document.set(false);
    Ok(Done::new(&Navigated {
        tab_id: work.tab_id,
        url: None,
        previous_url: Some(previous_url),
        final_url,
        reached: until,
        status,
    }))
}

/// The document as it is now; none where the library cannot run, such as in the browser's own error page.
pub(crate) async fn state(work: &Work) -> Option<DocumentState> {
    work.page(FrameNumber::MAIN, PageFunction::DocumentState, &json!({})).await.ok()
}

async fn land(work: &Work, asked: &str) -> Landed {
    match state(work).await {
        Some(DocumentState { url, title, status, .. }) => {
            Landed { final_url: url, title, status: (status != 0).then_some(status) }
        }
        None => {
            let last = work.tab.url.borrow().clone();
            Landed { final_url: last.unwrap_or_else(|| asked.to_owned()), title: String::new(), status: None }
        }
    }
}

/// The next event that matters, or the loss of the tab as a failure.
async fn next(work: &Work, events: &mut Receiver<TabEvent>) -> Result<TabEvent, Failure> {
    loop {
        match events.recv().await {
            Ok(TabEvent::Lost(cause)) => return Err(tab_lost(work.tab_id, cause)),
            Ok(event) => return Ok(event),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return Err(crate::kernel::browser_gone()),
        }
    }
}

/// Waits for another document (its loader id) or for a new address in the same document (none).
async fn commit(work: &Work, events: &mut Receiver<TabEvent>) -> Result<Option<String>, Failure> {
    loop {
        match next(work, events).await? {
            TabEvent::Committed { loader_id, .. } => return Ok(Some(loader_id)),
            TabEvent::SameDocument { .. } => return Ok(None),
            TabEvent::Requested { .. }
            | TabEvent::Lifecycle { .. }
            | TabEvent::StoppedLoading
            | TabEvent::DragBegan
            | TabEvent::DialogOpened
            | TabEvent::Opened(_)
            | TabEvent::Closed(_)
            | TabEvent::Download(_)
            | TabEvent::Lost(_) => {}
        }
    }
}

/// Waits until the navigation with this loader (or the next one) committed and its document reached the stage.
async fn reach(
    work: &Work,
    events: &mut Receiver<TabEvent>,
    loader: Option<String>,
    until: WaitUntil,
) -> Result<(), Failure> {
    work.stage("waiting for the new document");
    let committed = loop {
        let seen = commit(work, events).await?;
        tracing::debug!(?seen, wanted = ?loader, "document there");
        match seen {
            // An older navigation may still land; the one asked for comes after it.
            Some(id) if loader.as_ref().is_none_or(|wanted| *wanted == id) => break id,
            Some(_) | None => {}
        }
    };
    if until == WaitUntil::Commit {
        return Ok(());
    }
    stage(work, events, Some(committed), until).await
}

/// Waits for a stage of this document (or of any), following a page that goes on to another one by itself.
async fn stage(
    work: &Work,
    events: &mut Receiver<TabEvent>,
    mut loader: Option<String>,
    until: WaitUntil,
) -> Result<(), Failure> {
    let (wanted, stage) = match until {
        WaitUntil::Load => ("load", "waiting for the document's `load`"),
        WaitUntil::DomContentLoaded => ("DOMContentLoaded", "waiting for the document's `DOMContentLoaded`"),
        WaitUntil::NetworkIdle => ("networkIdle", "waiting for the network to be idle"),
        WaitUntil::Commit => ("commit", "waiting for the new document"),
    };
    work.stage(stage);
    loop {
        match next(work, events).await? {
            TabEvent::Committed { loader_id, .. } => loader = Some(loader_id),
            TabEvent::Lifecycle { name, loader_id }
                if name == wanted && loader.as_ref().is_none_or(|current| *current == loader_id) =>
            {
                return Ok(());
            }
            TabEvent::Lifecycle { .. }
            | TabEvent::SameDocument { .. }
            | TabEvent::Requested { .. }
            | TabEvent::StoppedLoading
            | TabEvent::DragBegan
            | TabEvent::DialogOpened
            | TabEvent::Opened(_)
            | TabEvent::Closed(_)
            | TabEvent::Download(_)
            | TabEvent::Lost(_) => {}
        }
    }
}
