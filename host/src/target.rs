//! From a target to an element that the page library can find: a query becomes the ref of the one element that it means.
//!
//! A query is asked in the main frame first, then in all others. What is not there yet is waited for; what is there more than
//! once is never chosen from.

use std::fmt::Write as _;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{FrameNumber, Ref};
use bsk_protocol::kernel::{Call, Frames, PageFunction, PageTarget};
use bsk_protocol::local::{Query, Target};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, timeout_at};

use crate::run::Work;

/// How long an element that is not there is waited for, unless the command has less time.
const APPEARANCE: Duration = Duration::from_secs(10);
/// How long a page watches for it before all frames are asked again.
const ROUND: Duration = Duration::from_millis(400);
/// What is left of the command's time for saying what came near.
const ANSWER: Duration = Duration::from_millis(300);
/// How long a child frame may take to say that it does not have it.
const FRAME: Duration = Duration::from_secs(1);

/// An element as the page library takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Element {
    Ref(Ref),
    /// The first match in the main frame.
    Selector(String),
}

impl Element {
    /// The frame it is in, and the page library's target.
    pub(crate) fn in_page(&self) -> (FrameNumber, PageTarget) {
        match self {
            Self::Ref(r) => (r.frame, PageTarget::Ref(r.number)),
            Self::Selector(selector) => (FrameNumber::MAIN, PageTarget::Selector(selector.clone())),
        }
    }
}

/// One frame's answer to a query.
#[derive(Debug, Default, Deserialize)]
struct Answer {
    total: u32,
    matches: Vec<Match>,
    nearest: Vec<Match>,
}

#[derive(Debug, Deserialize)]
struct Match {
    #[serde(rename = "ref")]
    number: u32,
    role: String,
    name: String,
    context: String,
}

/// A match with its frame, as errors tell it.
#[derive(Debug, Serialize)]
struct Candidate {
    #[serde(rename = "ref")]
    handle: Ref,
    role: String,
    name: String,
    context: String,
}

/// The answers of all frames as one.
#[derive(Debug, Default)]
struct Found {
    total: u32,
    matches: Vec<Candidate>,
    nearest: Vec<Candidate>,
}

impl Found {
    fn add(&mut self, frame: FrameNumber, answer: Answer) {
        let candidate = |Match { number, role, name, context }| Candidate {
            handle: Ref { frame, number },
            role,
            name,
            context,
        };
        self.total = self.total.saturating_add(answer.total);
        self.matches.extend(answer.matches.into_iter().map(candidate));
        self.nearest.extend(answer.nearest.into_iter().map(candidate));
    }
}

/// The element that a target means.
///
/// # Errors
/// No element, or more than one, is as a query says.
pub(crate) async fn locate(work: &Work, target: Target) -> Result<Element, Failure> {
    match target {
        Target::Ref(handle) => Ok(Element::Ref(handle)),
        Target::Selector(selector) => Ok(Element::Selector(selector)),
        Target::Query(query) => find(work, &query).await.map(Element::Ref),
    }
}

/// As [`locate`], where a target may be left out.
///
/// # Errors
/// As [`locate`].
pub(crate) async fn locate_some(work: &Work, target: Option<Target>) -> Result<Option<Element>, Failure> {
    match target {
        Some(target) => locate(work, target).await.map(Some),
        None => Ok(None),
    }
}

async fn find(work: &Work, query: &Query) -> Result<Ref, Failure> {
    let mut asked = json!(query);
    if let Some(fields) = asked.as_object_mut() {
        fields.remove("nth");
    }
    let until = (Instant::now() + APPEARANCE).min(work.deadline - ANSWER);
    let mut wait = Duration::ZERO;
    work.stage("looking for the element");
    loop {
        let found = in_all_frames(work, &asked, wait).await?;
        if found.total > 0 {
            work.stage("at work in the page");
            return choose(query, found);
        }
        if Instant::now() + ROUND >= until {
            return Err(not_found(query, &found));
        }
        wait = ROUND;
    }
}

/// Asks the main frame and, where it does not have it, all others. Only the main frame is watched for `wait`.
async fn in_all_frames(work: &Work, query: &Value, wait: Duration) -> Result<Found, Failure> {
    let ask = |frame, wait: Duration| {
        let timeout_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let args = json!({ "query": query, "timeout_ms": timeout_ms });
        work.page::<Answer>(frame, PageFunction::Query, &args)
    };
    let mut found = Found::default();
    found.add(FrameNumber::MAIN, ask(FrameNumber::MAIN, wait).await?);
    if found.total > 0 {
        return Ok(found);
    }
    let call = Call::Frames { session_id: work.session_id.clone(), tab_id: work.tab_id };
    let Frames { frames } = work.host.kernel.send(call).await?;
    let inner = frames.iter().filter(|record| record.parent.is_some() && record.obstacle.is_none());
    let asked: Vec<_> = inner.map(|record| (record.frame, ask(record.frame, Duration::ZERO))).collect();
    let deadline = Instant::now() + FRAME;
    for (frame, pending) in asked {
        // A frame that went away or does not answer has nothing to act on.
        if let Ok(Ok(answer)) = timeout_at(deadline, pending).await {
            found.add(frame, answer);
        }
    }
    Ok(found)
}

fn choose(query: &Query, mut found: Found) -> Result<Ref, Failure> {
    let nth = match query.nth {
        None if found.total == 1 => 0,
        None => return Err(ambiguous(query, &found)),
        Some(nth) => nth as usize,
    };
    if nth < found.matches.len() {
        return Ok(found.matches.swap_remove(nth).handle);
    }
    Err(Failure::new(
        ErrorCode::NotFound,
        Reason::ElementNotFound,
        format!("only {} elements are {}, so there is no number {nth}", found.total, described(query)),
    )
    .hint("`--nth` counts from 0")
    .with("candidates", json!(found.matches)))
}

fn ambiguous(query: &Query, found: &Found) -> Failure {
    let message = format!("{} elements are {}: {}", found.total, described(query), listed(&found.matches));
    Failure::new(ErrorCode::InvalidParams, Reason::ElementAmbiguous, message)
        .hint("use one of these refs, say more about the element, or add `--nth N`, from 0")
        .with("candidates", json!(found.matches))
}

fn not_found(query: &Query, found: &Found) -> Failure {
    let mut message = format!("no element is {}", described(query));
    if !found.nearest.is_empty() {
        let _ = write!(message, "; near to it: {}", listed(&found.nearest));
    }
    Failure::new(ErrorCode::NotFound, Reason::ElementNotFound, message)
        .hint("run `bsk observe`, or `bsk find TEXT`, to see what the page has")
        .with("candidates", json!(found.nearest))
}

/// The candidates in a line: `@e4` button "Edit" in "Ann".
fn listed(candidates: &[Candidate]) -> String {
    let one = |candidate: &Candidate| {
        let Candidate { handle, role, name, context } = candidate;
        let around = if context.is_empty() { String::new() } else { format!(" in {context:?}") };
        format!("`{handle}` {role} {name:?}{around}")
    };
    candidates.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A query in words.
fn described(query: &Query) -> String {
    let Query { role, name, text, label, placeholder, test_id, nth: _ } = query;
    let mut words = match role {
        Some(role) => format!("a `{role}`"),
        None => "one".to_owned(),
    };
    let parts = [
        ("named", name),
        ("with the text", text),
        ("labelled", label),
        ("with the placeholder", placeholder),
        ("with the test id", test_id),
    ];
    for (word, value) in parts {
        if let Some(value) = value {
            let _ = write!(words, " {word} `{value}`");
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(count: u32) -> Found {
        let mut found = Found::default();
        let matches = (1..=count)
            .map(|number| Match {
                number,
                role: "button".into(),
                name: "Edit".into(),
                context: format!("Row {number}"),
            })
            .collect();
        found.add(FrameNumber(2), Answer { total: count, matches, nearest: Vec::new() });
        found
    }

    fn edit(nth: Option<u32>) -> Query {
        Query { role: Some("button".into()), name: Some("Edit".into()), nth, ..Query::default() }
    }

    #[test]
    fn one_match_is_taken_and_several_are_listed() {
        assert_eq!(choose(&edit(None), found(1)).unwrap().to_string(), "@f2e1");
        assert_eq!(choose(&edit(Some(1)), found(3)).unwrap().to_string(), "@f2e2");
        let failure = choose(&edit(None), found(2)).unwrap_err();
        assert_eq!(failure.reason, Some(Reason::ElementAmbiguous));
        assert_eq!(
            failure.message,
            "2 elements are a `button` named `Edit`: `@f2e1` button \"Edit\" in \"Row 1\", `@f2e2` button \"Edit\" in \"Row 2\""
        );
        let failure = choose(&edit(Some(2)), found(2)).unwrap_err();
        assert_eq!(failure.reason, Some(Reason::ElementNotFound));
    }

    #[test]
    fn what_is_missing_is_said_with_what_comes_near() {
        let near = Found { nearest: found(1).matches, ..Found::default() };
        let failure = not_found(&Query { text: Some("Edt".into()), ..Query::default() }, &near);
        assert_eq!(
            failure.message,
            "no element is one with the text `Edt`; near to it: `@f2e1` button \"Edit\" in \"Row 1\""
        );
    }
}
