//! Watching a page for facts, across its documents, until criteria are met.
//!
//! Each fact is followed by a task of its own, which tells every change as the page's own library sees it; facts about a document
//! end with it. A page that cannot be asked (it is being replaced, crashed, the browser's own) shows nothing.

use std::rc::Rc;

use bsk_protocol::failure::{Failure, Reason};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep, sleep_until, timeout};

use super::criteria::{Criteria, Fact, Judged};
use crate::run::Work;
use crate::wait::{self, Kind};

/// How long a page that cannot be asked is left alone.
const RETRY: Duration = Duration::from_millis(200);
/// How long a page may take to say its address, before the one it last told counts.
const ADDRESS: Duration = Duration::from_secs(1);

/// What a follower tells.
#[derive(Debug)]
enum Told {
    Holds(usize, bool),
    Failed(Failure),
}

/// Criteria under watch; dropping it ends the watch.
#[derive(Debug)]
pub(super) struct Watch {
    criteria: Criteria,
    /// By fact; none before it was first told.
    holding: Vec<Option<bool>>,
    told: UnboundedReceiver<Told>,
    _followers: JoinSet<()>,
}

impl Watch {
    pub(super) fn begin(work: &Rc<Work>, criteria: Criteria) -> Self {
        let (tell, told) = unbounded_channel();
        let mut followers = JoinSet::new();
        for (place, fact) in criteria.facts().iter().cloned().enumerate() {
            let (work, tell) = (Rc::clone(work), Teller { place, tell: tell.clone() });
            followers.spawn_local(async move {
                match fact {
                    Fact::Shown(kind, value) => follow_shown(&work, kind, &value, &tell).await,
                    Fact::UrlContains(_) | Fact::UrlMatches(_) => follow_url(&work, &fact, &tell).await,
                }
            });
        }
        Self { holding: vec![None; criteria.facts().len()], criteria, told, _followers: followers }
    }

    /// Waits until every fact is known, at most `longest`; says whether the criteria are met then.
    ///
    /// # Errors
    /// A selector is none.
    pub(super) async fn first_look(&mut self, longest: Duration) -> Result<bool, Failure> {
        let all = async {
            while self.holding.contains(&None) {
                self.hear().await?;
            }
            Ok::<(), Failure>(())
        };
        timeout(longest, all).await.unwrap_or(Ok(()))?;
        Ok(self.judge() == Judged::Met)
    }

    /// Resolves when the criteria are met.
    ///
    /// # Errors
    /// A selector is none.
    pub(super) async fn until_met(&mut self) -> Result<(), Failure> {
        loop {
            let Judged::Not(again) = self.judge() else { return Ok(()) };
            let time = async {
                match again {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                heard = self.hear() => heard?,
                () = time => {}
            }
        }
    }

    fn judge(&mut self) -> Judged {
        let holding: Vec<bool> = self.holding.iter().map(|holds| *holds == Some(true)).collect();
        self.criteria.judge(&holding, tokio::time::Instant::now())
    }

    async fn hear(&mut self) -> Result<(), Failure> {
        match self.told.recv().await {
            Some(Told::Holds(place, holds)) => {
                if let Some(known) = self.holding.get_mut(place) {
                    *known = Some(holds);
                }
                Ok(())
            }
            Some(Told::Failed(failure)) => Err(failure),
            // Without a follower nothing changes any more.
            None => std::future::pending().await,
        }
    }
}

/// A follower's way to tell.
struct Teller {
    place: usize,
    tell: UnboundedSender<Told>,
}

impl Teller {
    fn holds(&self, holds: bool) {
        // A watch that ended hears nothing.
        let _ = self.tell.send(Told::Holds(self.place, holds));
    }

    fn failed(&self, failure: Failure) {
        let _ = self.tell.send(Told::Failed(failure));
    }
}

/// Tells whether a text or an element is as `kind` says, and each change of that.
async fn follow_shown(work: &Work, kind: Kind, value: &str, tell: &Teller) {
    let mut holds = match wait::holds(work, kind, value).await {
        Ok(holds) => holds,
        Err(failure) if failure.reason == Some(Reason::SelectorInvalid) => return tell.failed(failure),
        Err(_) => false,
    };
    loop {
        tell.holds(holds);
        // What is waited for is always the next change.
        let next = if holds { kind.opposite() } else { kind };
        match wait::shown(work, next, value).await {
            Ok(()) => holds = !holds,
            Err(_) => {
                holds = false;
                tell.holds(false);
                sleep(RETRY).await;
            }
        }
    }
}

/// Tells whether the address is as it should be, and each change of that.
async fn follow_url(work: &Work, fact: &Fact, tell: &Teller) {
    let mut events = work.tab.watch();
    let mut url = address(work).await;
    loop {
        tell.holds(fact.holds_of(&url));
        url = loop {
            match events.recv().await {
                Ok(event) => {
                    if let Some(url) = event.into_url() {
                        break url;
                    }
                }
                Err(RecvError::Lagged(_)) => break address(work).await,
                Err(RecvError::Closed) => return,
            }
        };
    }
}

async fn address(work: &Work) -> String {
    // A page with a dialog says nothing before that is closed.
    match timeout(ADDRESS, wait::address(work)).await {
        Ok(url) => url,
        Err(_) => work.tab.url.borrow().clone().unwrap_or_default(),
    }
}
