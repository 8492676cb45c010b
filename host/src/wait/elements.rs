//! Texts and elements: each frame's page library watches its own document; the first that sees what is wanted ends the wait, and
//! what is to be gone has to be gone from all of them at once.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::{FrameNumber, Ref};
use bsk_protocol::kernel::{Call, Frames, PageFunction};
use bsk_protocol::local::Waited;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Duration, timeout};

use super::{REPLACING, ROUND, in_vain, is_replacing, matched, next_document, time_left};
use crate::kernel::Pending;
use crate::run::Work;

/// How long a child frame may take to say what it shows now.
const FRAME: Duration = Duration::from_secs(1);

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    GoneText,
    Selector,
    Gone,
}

impl Kind {
    /// As the page library and the command's answer name it.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::GoneText => "gone_text",
            Self::Selector => "selector",
            Self::Gone => "gone",
        }
    }

    /// What holds when this does not.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Text => Self::GoneText,
            Self::GoneText => Self::Text,
            Self::Selector => Self::Gone,
            Self::Gone => Self::Selector,
        }
    }

    fn is_for_absence(self) -> bool {
        matches!(self, Self::GoneText | Self::Gone)
    }

    /// Selectors mean the main frame, as those of every other command do.
    fn is_in_all_frames(self) -> bool {
        matches!(self, Self::Text | Self::GoneText)
    }
}

/// What the page library's `wait` says.
#[derive(Debug, Default, Deserialize)]
struct Answer {
    holds: bool,
    element: Option<Shown>,
    obstacle: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Shown {
    #[serde(rename = "ref")]
    number: u32,
    role: String,
    name: String,
}

/// A question that is under way in one frame.
struct Asked {
    frame: FrameNumber,
    answer: Pin<Box<Pending<Answer>>>,
}

pub(super) async fn wait(work: &Work, kind: Kind, value: &str) -> Result<Waited, Failure> {
    let mut obstacle = None;
    loop {
        let mut documents = work.tab.frame_documents.subscribe();
        match look(work, kind, value).await {
            Ok(Looked { holding: Some((frame, answer)), .. }) => {
                return Ok(waited(work, kind, frame, answer));
            }
            Ok(Looked { frames, obstacle: seen, .. }) => {
                obstacle = seen;
                let Some(left) = time_left(work) else { return Err(vain(kind, value, obstacle.as_deref())) };
                let watching: Vec<_> =
                    frames.iter().map(|frame| ask(work, kind, value, *frame, left.min(ROUND))).collect();
                let watched = async {
                    tokio::select! {
                        answer = first(watching) => answer,
                        // A frame came or was replaced: all are asked anew.
                        _ = documents.changed() => None,
                    }
                };
                let seen = timeout(left, watched).await.ok().flatten();
                if let (Some((frame, answer)), false) = (seen, kind.is_for_absence()) {
                    return Ok(waited(work, kind, frame, answer));
                }
            }
            Err(failure) if is_replacing(&failure) => {
                let Some(left) = time_left(work) else { return Err(vain(kind, value, obstacle.as_deref())) };
                next_document(work, left.min(REPLACING)).await;
            }
            Err(failure) => return Err(failure),
        }
        if time_left(work).is_none() {
            return Err(vain(kind, value, obstacle.as_deref()));
        }
    }
}

/// Whether it is so now.
pub(super) async fn holds(work: &Work, kind: Kind, value: &str) -> Result<bool, Failure> {
    Ok(look(work, kind, value).await?.holding.is_some())
}

/// What one look at all frames shows.
struct Looked {
    /// Where it holds; of absence the main frame, when it holds everywhere.
    holding: Option<(FrameNumber, Answer)>,
    /// The frames to watch: for absence those that are in its way.
    frames: Vec<FrameNumber>,
    obstacle: Option<String>,
}

async fn look(work: &Work, kind: Kind, value: &str) -> Result<Looked, Failure> {
    let main = ask(work, kind, value, FrameNumber::MAIN, Duration::ZERO).answer.await?;
    if main.holds && !(kind.is_for_absence() && kind.is_in_all_frames()) {
        return Ok(Looked { holding: Some((FrameNumber::MAIN, main)), frames: Vec::new(), obstacle: None });
    }
    let mut looked =
        Looked { holding: None, frames: vec![FrameNumber::MAIN], obstacle: main.obstacle.clone() };
    if !kind.is_in_all_frames() {
        return Ok(looked);
    }
    let call = Call::Frames { session_id: work.session_id.clone(), tab_id: work.tab_id };
    let Frames { frames } = work.host.kernel.send(call).await?;
    let inner = frames.iter().filter(|record| record.parent.is_some() && record.obstacle.is_none());
    let asked: Vec<_> = inner.map(|record| ask(work, kind, value, record.frame, Duration::ZERO)).collect();
    if kind.is_for_absence() && main.holds {
        looked.frames.clear();
    }
    for Asked { frame, answer } in asked {
        // A frame that went away or does not answer shows nothing.
        let Ok(Ok(answer)) = timeout(FRAME, answer).await else { continue };
        if answer.holds && !kind.is_for_absence() {
            looked.holding = Some((frame, answer));
            return Ok(looked);
        }
        if !(answer.holds && kind.is_for_absence()) {
            looked.frames.push(frame);
            looked.obstacle = looked.obstacle.or(answer.obstacle);
        }
    }
    if kind.is_for_absence() && looked.frames.is_empty() {
        looked.holding = Some((FrameNumber::MAIN, main));
    }
    Ok(looked)
}

fn ask(work: &Work, kind: Kind, value: &str, frame: FrameNumber, longest: Duration) -> Asked {
    let timeout_ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    let args = json!({ "condition": kind.name(), "value": value, "timeout_ms": timeout_ms });
    Asked { frame, answer: Box::pin(work.page(frame, PageFunction::Wait, &args)) }
}

/// The first answer that says yes; none once all have said no, or as soon as one document is gone.
async fn first(mut asked: Vec<Asked>) -> Option<(FrameNumber, Answer)> {
    poll_fn(move |context| {
        let mut index = 0;
        while let Some(Asked { frame, answer }) = asked.get_mut(index) {
            match answer.as_mut().poll(context) {
                Poll::Ready(Ok(answer)) if answer.holds => return Poll::Ready(Some((*frame, answer))),
                Poll::Ready(Ok(_)) => drop(asked.swap_remove(index)),
                Poll::Ready(Err(_)) => return Poll::Ready(None),
                Poll::Pending => index += 1,
            }
        }
        if asked.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    })
    .await
}

fn waited(work: &Work, kind: Kind, frame: FrameNumber, answer: Answer) -> Waited {
    let waited = matched(work, kind.name());
    match answer.element {
        Some(Shown { number, role, name }) => {
            Waited { element: Some(Ref { frame, number }), role: Some(role), name: Some(name), ..waited }
        }
        None => waited,
    }
}

fn vain(kind: Kind, value: &str, obstacle: Option<&str>) -> Failure {
    let what = match kind {
        Kind::Text => format!("the text `{value}` did not appear"),
        Kind::GoneText => format!("the text `{value}` did not go away"),
        Kind::Selector => format!("no visible element matched `{value}`"),
        Kind::Gone => format!("what matches `{value}` did not go away"),
    };
    let instead = match (obstacle, kind.is_for_absence()) {
        (Some(element), true) => format!("; `{element}` is still there"),
        (Some(element), false) => format!("; `{element}` is there but cannot be seen"),
        (None, _) => String::new(),
    };
    in_vain(&what, &instead)
}
