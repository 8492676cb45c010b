//! One navigation as it is watched: the document it brings, the stages of that document, or why it brought none.
//!
//! A document counts by its loader id, not by time. The browser reports the requests for documents as long as an [`Arrival`] lives,
//! so each end of a navigation is an event: a document, an address in the same document, a download, an answer without content, a
//! network error, a page that wants to stay. A page that goes on to another one by itself is followed.

mod words;

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::{Call, DialogPolicy, DocumentStep};
use bsk_protocol::local::{AnsweredDialog, BegunDownload, Redirect, WaitUntil};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Duration, Instant, timeout, timeout_at};

use crate::kernel::Pending;
use crate::navigate;
use crate::run::{Work, tab_lost};
use crate::tabs::TabEvent;

pub(crate) use words::{failed, failed_before};

use words::{is_download, stayed};

/// How long the browser may take to tell of a download, or of the navigation that took the place of another one, once it has given
/// that up. Measured: 2 to 5 ms.
const DOWNLOAD: Duration = Duration::from_millis(300);
/// How long the browser's own page about an error may take. Measured: 10 to 20 ms.
const ERROR_PAGE: Duration = Duration::from_secs(1);
/// How long pages that go on to other ones by themselves are followed; what comes later is left to the next command.
const FOLLOWED: Duration = Duration::from_secs(10);
/// How long a page that says it is about to be replaced may take to begin with that: a second, as extension/page/html.js has it, and
/// half of one for the browser.
const REFRESH: Duration = Duration::from_millis(1500);
/// A page may send on without end; so many addresses are told.
const MOST_REDIRECTS: usize = 100;

/// A navigation under way.
#[derive(Debug)]
pub(crate) struct Arrival<'a> {
    work: &'a Work,
    events: Receiver<TabEvent>,
    /// Read once more before any other.
    returned: Option<TabEvent>,
    /// Held: requests are reported until it is dropped.
    _reports: Pending<Value>,
    /// The latest request for a document.
    asked: Option<Asked>,
    /// The address that the page itself asked for and that nothing came of yet.
    requested: Option<String>,
    /// The address of the latest request, once the browser has given it up.
    given_up: Option<String>,
    /// Whether the document that is there has asked to go on.
    has_requested: bool,
    /// Until when pages that go on by themselves are followed, once one did.
    follow_until: Option<Instant>,
    /// Every address that sent on, with the loader it did that for.
    redirects: Vec<(String, Redirect)>,
    /// The loaders that brought a document.
    committed: Vec<String>,
}

#[derive(Debug, Clone)]
struct Asked {
    loader_id: String,
    url: String,
    status: Option<u16>,
}

/// What `Arrival::commit` waits for.
#[derive(Debug)]
pub(crate) enum Came {
    /// Another document, by its loader.
    Document(String),
    /// Another address of the same document.
    Address,
}

impl<'a> Arrival<'a> {
    /// Watches from now on; to be called before the navigation begins.
    pub(crate) fn watch(work: &'a Work) -> Self {
        let call = Call::NetworkWatch { session_id: work.session_id.clone(), tab_id: work.tab_id };
        Self {
            work,
            events: work.tab.watch(),
            returned: None,
            _reports: work.host.kernel.send(call),
            asked: None,
            requested: work.tab.requested_url.borrow().clone(),
            given_up: None,
            has_requested: false,
            follow_until: None,
            redirects: Vec::new(),
            committed: Vec::new(),
        }
    }

    /// The addresses that sent on to documents that came, in order.
    pub(crate) fn redirects(self) -> Vec<Redirect> {
        let Self { redirects, committed, .. } = self;
        redirects.into_iter().filter(|(loader, _)| committed.contains(loader)).map(|(_, told)| told).collect()
    }

    /// The next event that matters, or the loss of the tab as a failure.
    async fn next(&mut self) -> Result<TabEvent, Failure> {
        if let Some(event) = self.returned.take() {
            return Ok(event);
        }
        loop {
            match self.events.recv().await {
                Ok(event) => {
                    self.note(&event)?;
                    return Ok(event);
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(crate::kernel::browser_gone()),
            }
        }
    }

    fn note(&mut self, event: &TabEvent) -> Result<(), Failure> {
        match event {
            TabEvent::Document { loader_id, step } => self.note_step(loader_id, step),
            TabEvent::Requested { url } => {
                self.has_requested = true;
                // The page and the browser tell of it each in their own time: its end may come before its beginning.
                let has_ended = self.given_up.take().is_some_and(|ended| is_same_but_fragment(&ended, url));
                self.requested = (!has_ended).then(|| url.clone());
            }
            TabEvent::Committed { loader_id, .. } => {
                self.requested = None;
                self.has_requested = false;
                self.committed.push(loader_id.clone());
            }
            TabEvent::SameDocument { .. } => self.requested = None,
            TabEvent::Lost(cause) => return Err(tab_lost(self.work.tab_id, *cause)),
            TabEvent::DialogAnswered => self.unless_kept()?,
            TabEvent::Lifecycle { .. }
            | TabEvent::StoppedLoading
            | TabEvent::DragBegan
            | TabEvent::DialogOpened
            | TabEvent::Opened(_)
            | TabEvent::Closed(_)
            | TabEvent::Download(_) => {}
        }
        Ok(())
    }

    fn note_step(&mut self, loader_id: &str, step: &DocumentStep) {
        match step {
            DocumentStep::Asked { url } => {
                self.given_up = None;
                self.asked = Some(Asked { loader_id: loader_id.to_owned(), url: url.clone(), status: None });
            }
            DocumentStep::SentOn { url, status } if self.redirects.len() < MOST_REDIRECTS => {
                let redirect = Redirect { url: url.clone(), status: *status };
                self.redirects.push((loader_id.to_owned(), redirect));
            }
            DocumentStep::Answered { status } => {
                if let Some(asked) = self.asked.as_mut().filter(|asked| asked.loader_id == loader_id) {
                    asked.status = Some(*status);
                }
            }
            DocumentStep::Failed { net_error } if net_error == ABORTED => {
                let asked = self.asked.as_ref().filter(|asked| asked.loader_id == loader_id);
                self.given_up = asked.map(|asked| asked.url.clone());
                let is_the_pages = |requested: &mut String| {
                    self.given_up.as_ref().is_some_and(|ended| is_same_but_fragment(ended, requested))
                };
                if self.requested.take_if(is_the_pages).is_some() {
                    self.given_up = None;
                }
            }
            DocumentStep::SentOn { .. } | DocumentStep::Failed { .. } => {}
        }
    }

    /// Takes in what has been told already.
    fn catch_up(&mut self) -> Result<(), Failure> {
        loop {
            match self.events.try_recv() {
                Ok(event) => self.note(&event)?,
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Ok(()),
            }
        }
    }

    /// Waits for another document or for another address in the same one.
    pub(crate) async fn commit(&mut self) -> Result<Came, Failure> {
        loop {
            match self.next().await? {
                TabEvent::Committed { loader_id, .. } => return Ok(Came::Document(loader_id)),
                TabEvent::SameDocument { .. } => return Ok(Came::Address),
                TabEvent::Document { loader_id, step: DocumentStep::Failed { net_error } } => {
                    self.unless_replaced(&loader_id, &net_error).await?;
                }
                // A navigation that began before its requests were reported.
                TabEvent::StoppedLoading if self.asked.is_none() && self.requested.is_some() => {
                    let url = self.requested.take().unwrap_or_default();
                    self.gave_up(&url, None).await?;
                }
                TabEvent::Document { .. }
                | TabEvent::Requested { .. }
                | TabEvent::Lifecycle { .. }
                | TabEvent::StoppedLoading
                | TabEvent::DragBegan
                | TabEvent::DialogOpened
                | TabEvent::DialogAnswered
                | TabEvent::Opened(_)
                | TabEvent::Closed(_)
                | TabEvent::Download(_)
                | TabEvent::Lost(_) => {}
            }
        }
    }

    /// Waits until the navigation with this loader (or the next one) committed and its document reached the stage.
    pub(crate) async fn reach(&mut self, loader: Option<String>, until: WaitUntil) -> Result<(), Failure> {
        self.work.stage("waiting for the new document");
        let committed = loop {
            match self.commit().await? {
                // An older navigation may still land; the one asked for comes after it.
                Came::Document(id) if loader.as_ref().is_none_or(|wanted| *wanted == id) => break id,
                Came::Document(_) | Came::Address => {}
            }
        };
        self.stage(Some(committed), until).await
    }

    /// Waits for a stage of this document (or of any), following a page that goes on to another one by itself.
    pub(crate) async fn stage(
        &mut self,
        mut loader: Option<String>,
        until: WaitUntil,
    ) -> Result<(), Failure> {
        let (wanted, stage) = match until {
            WaitUntil::Load => ("load", "waiting for the document's `load`"),
            WaitUntil::DomContentLoaded => {
                ("DOMContentLoaded", "waiting for the document's `DOMContentLoaded`")
            }
            WaitUntil::NetworkIdle => ("networkIdle", "waiting for the network to be idle"),
            WaitUntil::Commit => return Ok(()),
        };
        self.work.stage(stage);
        loop {
            match self.next().await? {
                TabEvent::Committed { loader_id, .. } => loader = Some(loader_id),
                TabEvent::Lifecycle { name, loader_id }
                    if name == wanted && loader.as_ref().is_none_or(|current| *current == loader_id) =>
                {
                    match self.followed().await? {
                        Some(next) => loader = Some(next),
                        None => return Ok(()),
                    }
                }
                TabEvent::Document { loader_id, step: DocumentStep::Failed { net_error } }
                    if net_error != ABORTED =>
                {
                    self.unless_replaced(&loader_id, &net_error).await?;
                }
                TabEvent::StoppedLoading => {
                    // Nothing came of where the page wanted to go. A document that went on while it was being read loads no further
                    // and tells no stage any more.
                    self.requested = None;
                    if until != WaitUntil::NetworkIdle && navigate::is_complete(self.work).await {
                        return Ok(());
                    }
                }
                TabEvent::Document { .. }
                | TabEvent::Lifecycle { .. }
                | TabEvent::SameDocument { .. }
                | TabEvent::Requested { .. }
                | TabEvent::DragBegan
                | TabEvent::DialogOpened
                | TabEvent::DialogAnswered
                | TabEvent::Opened(_)
                | TabEvent::Closed(_)
                | TabEvent::Download(_)
                | TabEvent::Lost(_) => {}
            }
        }
    }

    /// The document that the page has asked to go on to while it loaded, once it is there; none where it stays.
    async fn followed(&mut self) -> Result<Option<String>, Failure> {
        self.catch_up_to_commit()?;
        let deadline = self.follow_until();
        while self.requested.is_some() || self.returned.is_some() {
            let Ok(event) = timeout_at(deadline, self.next()).await else { return Ok(None) };
            match event? {
                TabEvent::Committed { loader_id, .. } => return Ok(Some(loader_id)),
                TabEvent::StoppedLoading => return Ok(None),
                TabEvent::Document { loader_id, step: DocumentStep::Failed { net_error } }
                    if net_error != ABORTED =>
                {
                    self.unless_replaced(&loader_id, &net_error).await?;
                }
                TabEvent::Document { .. }
                | TabEvent::Lifecycle { .. }
                | TabEvent::SameDocument { .. }
                | TabEvent::Requested { .. }
                | TabEvent::DragBegan
                | TabEvent::DialogOpened
                | TabEvent::DialogAnswered
                | TabEvent::Opened(_)
                | TabEvent::Closed(_)
                | TabEvent::Download(_)
                | TabEvent::Lost(_) => {}
            }
        }
        Ok(None)
    }

    /// Until when pages that go on by themselves are followed.
    fn follow_until(&mut self) -> Instant {
        let latest = (Instant::now() + FOLLOWED).min(self.work.deadline);
        *self.follow_until.get_or_insert(latest)
    }

    /// Waits for the next document where the page's markup says that it is about to be replaced; whether one came and reached the stage.
    pub(crate) async fn refreshed(&mut self, until: WaitUntil) -> Result<bool, Failure> {
        self.catch_up_to_commit()?;
        let begins = (Instant::now() + REFRESH).min(self.follow_until());
        while !self.has_requested && self.returned.is_none() {
            let Ok(event) = timeout_at(begins, self.next()).await else { return Ok(false) };
            let event = event?;
            if let TabEvent::Committed { .. } = event {
                self.returned = Some(event);
            }
        }
        match self.followed().await? {
            Some(loader) => self.stage(Some(loader), until).await.map(|()| true),
            None => Ok(false),
        }
    }

    /// As [`Self::catch_up`], but leaves a document that came to be read.
    fn catch_up_to_commit(&mut self) -> Result<(), Failure> {
        while self.returned.is_none() {
            match self.events.try_recv() {
                Ok(event) => {
                    self.note(&event)?;
                    match event {
                        TabEvent::Committed { .. } => self.returned = Some(event),
                        TabEvent::StoppedLoading => self.requested = None,
                        TabEvent::Document { .. }
                        | TabEvent::Requested { .. }
                        | TabEvent::SameDocument { .. }
                        | TabEvent::Lifecycle { .. }
                        | TabEvent::DragBegan
                        | TabEvent::DialogOpened
                        | TabEvent::DialogAnswered
                        | TabEvent::Opened(_)
                        | TabEvent::Closed(_)
                        | TabEvent::Download(_)
                        | TabEvent::Lost(_) => {}
                    }
                }
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        Ok(())
    }

    /// Fails for a request that brought no document, unless another navigation took its place.
    async fn unless_replaced(&mut self, loader_id: &str, net_error: &str) -> Result<(), Failure> {
        let Some(asked) = self.asked.clone().filter(|asked| asked.loader_id == loader_id) else {
            return Ok(());
        };
        if net_error == ABORTED {
            return self.gave_up(&asked.url, asked.status).await;
        }
        self.error_page().await;
        Err(failed(&asked.url, net_error))
    }

    /// Waits for the browser's own page about an error, so that the next command does not take it for its own.
    async fn error_page(&mut self) {
        let shown = async { while !matches!(self.next().await, Ok(TabEvent::Committed { .. }) | Err(_)) {} };
        // What the page says is known already.
        let _ = timeout(ERROR_PAGE, shown).await;
    }

    /// Says why the browser gave a navigation up; nothing where another one took its place.
    async fn gave_up(&mut self, url: &str, status: Option<u16>) -> Result<(), Failure> {
        self.unless_kept()?;
        if let Some(status @ (204 | 205)) = status {
            return Err(stayed(
                format!("`{url}` answered with no content (HTTP {status}); the page stayed as it was"),
                "look at the page with `bsk observe`; if it should have changed, try again",
            )
            .with("status", json!(status)));
        }
        let deadline = Instant::now() + DOWNLOAD;
        loop {
            let Ok(event) = timeout_at(deadline, self.next()).await else { break };
            match event? {
                TabEvent::Download(begun) => return Err(is_download(url, &begun)),
                event @ (TabEvent::Committed { .. } | TabEvent::SameDocument { .. }) => {
                    self.returned = Some(event);
                    return Ok(());
                }
                TabEvent::Document { step: DocumentStep::Asked { .. }, .. } => return Ok(()),
                TabEvent::Document { .. }
                | TabEvent::Requested { .. }
                | TabEvent::Lifecycle { .. }
                | TabEvent::StoppedLoading
                | TabEvent::DragBegan
                | TabEvent::DialogOpened
                | TabEvent::DialogAnswered
                | TabEvent::Opened(_)
                | TabEvent::Closed(_)
                | TabEvent::Lost(_) => {}
            }
        }
        Err(stayed(
            format!(
                "`{url}` brought no page: it answered with no content, or something stopped it; the page stayed as it was"
            ),
            "look at the page with `bsk observe`; if it should have changed, try again",
        ))
    }

    /// Fails when the page asked whether to leave it and the session's policy said no.
    fn unless_kept(&self) -> Result<(), Failure> {
        let is_refusal = |answered: &AnsweredDialog| {
            answered.dialog.kind == "beforeunload" && answered.action == DialogPolicy::Dismiss
        };
        if !self.work.tab.answered.borrow().iter().any(is_refusal) {
            return Ok(());
        }
        Err(stayed(
            "the page asked whether to leave it and that was dismissed, so it stayed".to_owned(),
            "the session dismisses dialogs; start one with `--dialogs ask` or `--dialogs accept` to leave such a page",
        ))
    }

    /// Why a navigation that was asked for did not happen, as the browser's reply names it.
    pub(crate) async fn why_not(mut self, url: &str, net_error: &str) -> Failure {
        if net_error == ABORTED {
            let begun = self.begun_download();
            let told = match begun {
                Ok(Some(begun)) => Err(is_download(url, &begun)),
                Ok(None) => {
                    let status = self.asked.as_ref().and_then(|asked| asked.status);
                    self.gave_up(url, status).await
                }
                Err(failure) => Err(failure),
            };
            let replaced = || {
                stayed(
                    format!("another navigation took the place of the one to `{url}`"),
                    "`bsk wait-for-navigation` waits for it; or try again",
                )
            };
            return told.err().unwrap_or_else(replaced);
        }
        if !matches!(self.catch_up_to_commit(), Ok(()) if self.returned.is_some()) {
            self.error_page().await;
        }
        failed(url, net_error)
    }

    /// A download among what has been told already.
    fn begun_download(&mut self) -> Result<Option<BegunDownload>, Failure> {
        loop {
            match self.events.try_recv() {
                Ok(TabEvent::Download(begun)) => return Ok(Some(begun)),
                Ok(event) => self.note(&event)?,
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Ok(None),
            }
        }
    }

    /// Takes in the rest of what is known: called when the page is there.
    pub(crate) fn finish(mut self) -> Result<Vec<Redirect>, Failure> {
        self.catch_up()?;
        Ok(self.redirects())
    }
}

/// Requests are told without the fragment of their address.
fn is_same_but_fragment(one: &str, other: &str) -> bool {
    one.split('#').next() == other.split('#').next()
}

/// The browser's word for a navigation that was given up, for whatever reason.
pub(crate) const ABORTED: &str = "net::ERR_ABORTED";

/// The download that an action or a navigation without a document turned out to be. The browser tells of it a moment later.
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
