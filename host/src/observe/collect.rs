//! Asking the page: one call for each frame, all child frames at once, put together into one tree.
//!
//! A frame that does not answer, is being loaded or is not ours to look into keeps its line and gets a state that says so:
//! one bad frame never takes the observation with it. The main frame may take the command's own time.

use std::collections::{HashMap, HashSet};

use bsk_protocol::failure::{Failure, Reason};
use bsk_protocol::ids::{FrameNumber, Ref};
use bsk_protocol::kernel::{Call, FrameQuad, FrameRecord, Frames, PageFunction};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, timeout_at};

use super::columns::Columns;
use super::tree::{Child, Mapping, Seen, Tree};
use crate::kernel::Pending;
use crate::run::Work;

/// Longest time that a walk through a page takes, unless half of the command's time is less.
const LONGEST_WALK: Duration = Duration::from_secs(10);
/// Longest time that a child frame is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// What to ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Request {
    /// One element's subtree instead of the page.
    pub(super) root: Option<Ref>,
    /// Everything that has a role, for a snapshot.
    pub(super) is_full: bool,
    pub(super) links: bool,
    pub(super) invisible: bool,
    pub(super) boxes: bool,
}

impl Request {
    /// The arguments of the page library's `observe`.
    fn args(self, budget: Duration, is_outermost: bool) -> Value {
        let budget_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        let mut args = json!({ "budget_ms": budget_ms });
        if let Some(root) = self.root.filter(|_| is_outermost) {
            args["root_ref"] = json!(root.number);
        }
        if self.is_full {
            args["form"] = json!("full");
        }
        // What of a child frame is in the tab's view only its boxes tell.
        let boxes = self.boxes || !is_outermost;
        for (name, is_wanted) in [("links", self.links), ("boxes", boxes), ("invisible", self.invisible)] {
            if is_wanted {
                args[name] = json!(true);
            }
        }
        args
    }
}

/// Looks at the page and all frames in it.
///
/// # Errors
/// The main frame, or the one that the root is in, cannot be looked at.
pub(super) async fn collect(work: &Work, request: Request) -> Result<Tree, Failure> {
    let frame = request.root.map_or(FrameNumber::MAIN, |root| root.frame);
    let budget = LONGEST_WALK.min(left(work) / 2);
    let asked = ask(work, frame, &request.args(budget, true));
    let columns = Columns::read(&asked.await?)?;
    let mut seen = Seen { frame, columns, children: HashMap::new() };
    if seen.columns.frames().next().is_some() {
        add_frames(work, &mut seen, request).await;
    }
    let mapping = if request.boxes { mapping_of(work, frame).await? } else { Mapping::IDENTITY };
    Ok(Tree::assemble(seen, mapping, request.boxes))
}

fn left(work: &Work) -> Duration {
    work.deadline.saturating_duration_since(Instant::now())
}

fn ask(work: &Work, frame: FrameNumber, args: &Value) -> Pending<String> {
    work.page(frame, PageFunction::Observe, args)
}

/// Where a frame's viewport is in the tab's.
async fn mapping_of(work: &Work, frame: FrameNumber) -> Result<Mapping, Failure> {
    if frame == FrameNumber::MAIN {
        return Ok(Mapping::IDENTITY);
    }
    let call = Call::FrameQuad { session_id: work.session_id.clone(), tab_id: work.tab_id, frame };
    let place: FrameQuad = work.host.kernel.send(call).await?;
    Ok(Mapping::of_quad(&place))
}

/// Looks at every frame below the one seen.
async fn add_frames(work: &Work, seen: &mut Seen, request: Request) {
    let wait = LONGEST_WAIT.min(left(work) / 2);
    let deadline = Instant::now() + wait;
    let call = Call::Frames { session_id: work.session_id.clone(), tab_id: work.tab_id };
    let frames = timeout_at(deadline, work.host.kernel.send::<Frames>(call)).await;
    let unseen = match frames {
        Ok(Ok(Frames { frames })) => {
            let records = below(seen, frames);
            // A walk that ends before the wait does tells what it has seen until then.
            let args = request.args(wait * 3 / 4, false);
            let asked: Vec<_> =
                records.into_iter().map(|record| (ask(work, record.frame, &args), record)).collect();
            let mut answers = Vec::new();
            for (pending, record) in asked {
                let answer = timeout_at(deadline, pending).await;
                let answer = answer.map(|answer| answer.and_then(|text| Columns::read(&text)));
                answers.push((child_of(record.frame, &record.url, answer), record));
            }
            attach(seen, answers);
            // It is in the document, and the browser does not know it yet.
            Child::Unseen { state: "loading", is_partial: false }
        }
        Ok(Err(_)) | Err(_) => NOT_ANSWERING,
    };
    let rows: Vec<u32> = seen.columns.frames().map(|(row, _)| seen.columns.nodes.refs[row]).collect();
    for number in rows.into_iter().filter(|&number| number != 0) {
        seen.children.entry(number).or_insert_with(|| unseen.unseen());
    }
}

const NOT_ANSWERING: Child = Child::Unseen { state: "not answering", is_partial: true };

/// The frames below the one seen, parents before children.
fn below(seen: &Seen, frames: Vec<FrameRecord>) -> Vec<FrameRecord> {
    let elements: HashSet<u32> = seen.columns.frames().map(|(row, _)| seen.columns.nodes.refs[row]).collect();
    let mut inside: HashSet<FrameNumber> = HashSet::new();
    let mut records = Vec::new();
    for record in frames {
        let (Some(parent), Some(owner)) = (record.parent, record.owner_ref) else { continue };
        if inside.contains(&parent) || parent == seen.frame && elements.contains(&owner) {
            inside.insert(record.frame);
            records.push(record);
        }
    }
    records
}

/// What becomes of a frame that was asked.
fn child_of<E>(frame: FrameNumber, url: &str, answer: Result<Result<Columns, Failure>, E>) -> Child {
    match answer {
        Ok(Ok(columns)) => Child::Seen(Box::new(Seen { frame, columns, children: HashMap::new() })),
        Ok(Err(failure)) => Child::Unseen { state: state_of(&failure, url), is_partial: false },
        Err(_) => NOT_ANSWERING,
    }
}

/// What the line of a frame says that could not be looked into.
fn state_of(failure: &Failure, url: &str) -> &'static str {
    if url.starts_with("chrome-extension:") {
        return "of another extension";
    }
    match failure.reason {
        // Its document is on its way.
        Some(Reason::FrameNotFound | Reason::PageNavigated) => "loading",
        Some(Reason::PageCrashed) => "crashed",
        _ => "not accessible",
    }
}

/// Hangs frames below their elements, the deepest first.
fn attach(seen: &mut Seen, answers: Vec<(Child, FrameRecord)>) {
    let mut children: HashMap<FrameNumber, HashMap<u32, Child>> = HashMap::new();
    for (mut child, record) in answers.into_iter().rev() {
        if let Child::Seen(inner) = &mut child {
            inner.children = children.remove(&record.frame).unwrap_or_default();
        }
        if let (Some(parent), Some(owner)) = (record.parent, record.owner_ref) {
            children.entry(parent).or_default().insert(owner, child);
        }
    }
    seen.children = children.remove(&seen.frame).unwrap_or_default();
}
