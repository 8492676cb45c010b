//! `bsk wait-for`: waits until something holds, across navigations.
//!
//! Texts and elements are watched for by the page library itself, addresses by the tab's events; nothing is asked again before
//! something changed or a round is over. What holds already is answered in one round trip. A page that is replaced meanwhile is
//! waited in again; a wait that comes to nothing says what stood in its way.

mod elements;
mod function;
mod idle;
mod url;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::{Condition, Waited};
use tokio::time::{Duration, Instant, timeout};

pub(crate) use self::elements::Kind;
use crate::run::{Done, Work};

/// How long a page library waits before it is asked again: what nobody waits for any more ends with its round.
const ROUND: Duration = Duration::from_secs(5);
/// How long a page that is being replaced may take until it is looked at again without word of a new document.
const REPLACING: Duration = Duration::from_millis(100);

/// `bsk wait-for`.
///
/// # Errors
/// The time is over, or the page cannot be asked.
pub(crate) async fn wait_for(work: &Work, condition: Condition) -> Result<Done, Failure> {
    let started = Instant::now();
    work.stage("waiting for the condition");
    let waited = match &condition {
        Condition::Text(text) => elements::wait(work, elements::Kind::Text, text).await?,
        Condition::GoneText(text) => elements::wait(work, elements::Kind::GoneText, text).await?,
        Condition::Selector(selector) => elements::wait(work, elements::Kind::Selector, selector).await?,
        Condition::Gone(selector) => elements::wait(work, elements::Kind::Gone, selector).await?,
        Condition::Url(pattern) => url::wait(work, pattern).await?,
        Condition::Function(source) => function::wait(work, source).await?,
        Condition::Idle {} => idle::wait(work).await?,
    };
    let waited_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Done::new(&Waited { waited_ms, ..waited }))
}

/// Whether a text or an element is as `kind` says.
///
/// # Errors
/// The page cannot be asked.
pub(crate) async fn holds(work: &Work, kind: Kind, value: &str) -> Result<bool, Failure> {
    elements::holds(work, kind, value).await
}

/// Waits until a text or an element is as `kind` says.
///
/// # Errors
/// The time is over, or the page cannot be asked.
pub(crate) async fn shown(work: &Work, kind: Kind, value: &str) -> Result<(), Failure> {
    elements::wait(work, kind, value).await.map(drop)
}

/// The main frame's address, as the page itself has it.
pub(crate) async fn address(work: &Work) -> String {
    url::current(work).await
}

/// An answer that says nothing more than what holds.
fn matched(work: &Work, name: &str) -> Waited {
    Waited {
        tab_id: work.tab_id,
        matched: Some(name.to_owned()),
        waited_ms: 0,
        url: None,
        element: None,
        role: None,
        name: None,
        value: None,
        busy: None,
    }
}

/// The time that is left, and nothing when it is over.
fn time_left(work: &Work) -> Option<Duration> {
    let left = Duration::from_millis(work.page_timeout_ms());
    (!left.is_zero()).then_some(left)
}

/// The failure of a wait that came to nothing: what did not happen, and what there was instead.
fn in_vain(what: &str, instead: &str) -> Failure {
    Failure::without_reason(ErrorCode::Timeout, format!("{what} in time{instead}"))
        .hint("run `bsk observe` to see the page as it is now, or wait longer with `--timeout`")
}

/// Whether a failure only says that the document is being replaced.
fn is_replacing(failure: &Failure) -> bool {
    matches!(failure.reason, Some(Reason::PageNavigated | Reason::FrameNotFound | Reason::TabDetached))
}

/// Waits for a new document in any frame, at most `longest`.
async fn next_document(work: &Work, longest: Duration) {
    let mut documents = work.tab.frame_documents.subscribe();
    // Over or not, the page is looked at again.
    let _ = timeout(longest, documents.changed()).await;
}
