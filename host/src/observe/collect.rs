//! Asking the page: one call for each frame, all child frames at once, put together into one tree.
//!
//! A frame that does not answer, is being loaded or is not ours to look into keeps its line and gets a state that says so:
//! one bad frame never takes the observation with it. The main frame may take the command's own time.

use std::collections::{HashMap, HashSet};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{FrameNumber, Ref};
use bsk_protocol::kernel::{Call, FrameObstacle, FrameQuad, FrameRecord, Frames, PageFunction, ShadowRoots};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, timeout_at};

use super::assemble::{Child, Mapping, Seen};
use super::columns::Columns;
use super::tree::Tree;
use crate::run::Work;

/// Longest time that a walk through a page takes, unless half of the command's time is less.
const LONGEST_WALK: Duration = Duration::from_secs(10);
/// Longest time that a child frame is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// How many levels of closed shadow roots in each other are followed.
const MOST_LEVELS: usize = 4;

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
    // Boxes are read after the walk, which takes as long again.
    let share = if request.boxes { 4 } else { 2 };
    let budget = LONGEST_WALK.min(left(work) / share);
    let args = request.args(budget, true);
    let mut answers = look_into(work, &[frame], &args, work.deadline).await;
    let columns = answers.pop().flatten().unwrap_or_else(|| Err(out_of_time()))?;
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

/// The deadline of a command is kept where commands are run; this is said only if that comes later.
fn out_of_time() -> Failure {
    Failure::without_reason(ErrorCode::Timeout, "the page did not answer in time")
        .hint("try again with a longer `--timeout`")
}

/// One frame's answer; none when it did not come in time.
type Looked = Option<Result<Columns, Failure>>;

/// Asks all these frames at once. Where there may be closed shadow roots they are looked for, and the frame is asked again once
/// for each level of them.
async fn look_into(work: &Work, frames: &[FrameNumber], args: &Value, deadline: Instant) -> Vec<Looked> {
    let mut looked: Vec<Looked> = frames.iter().map(|_| None).collect();
    let mut again: Vec<usize> = (0..frames.len()).collect();
    for level in 0..=MOST_LEVELS {
        let ask = |&at: &usize| (at, work.page::<String>(frames[at], PageFunction::Observe, args));
        let asked: Vec<_> = again.iter().map(ask).collect();
        for (at, pending) in asked {
            // An earlier answer, less complete, is better than none.
            if let Ok(answer) = timeout_at(deadline, pending).await {
                looked[at] = Some(answer.and_then(|text| Columns::read(&text)));
            }
        }
        let is_unexplored = |&at: &usize| matches!(&looked[at], Some(Ok(columns)) if columns.unexplored > 0);
        again.retain(is_unexplored);
        if again.is_empty() || level == MOST_LEVELS {
            break;
        }
        again = explore_shadow_roots(work, frames, &again, deadline).await;
    }
    looked
}

/// Has closed shadow roots looked for in some of the frames and tells in which there were any.
async fn explore_shadow_roots(
    work: &Work,
    frames: &[FrameNumber],
    unexplored: &[usize],
    deadline: Instant,
) -> Vec<usize> {
    let explore = |&at: &usize| {
        let (session_id, tab_id, frame) = (work.session_id.clone(), work.tab_id, frames[at]);
        (at, work.host.kernel.send::<ShadowRoots>(Call::ShadowRoots { session_id, tab_id, frame }))
    };
    let asked: Vec<_> = unexplored.iter().map(explore).collect();
    let mut found = Vec::new();
    for (at, pending) in asked {
        // A frame that went away in the meantime has nothing more to show.
        if let Ok(Ok(ShadowRoots { found: 1.. })) = timeout_at(deadline, pending).await {
            found.push(at);
        }
    }
    found
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
            let (closed, open): (Vec<_>, Vec<_>) =
                records.into_iter().partition(|record| record.obstacle.is_some());
            let numbers: Vec<FrameNumber> = open.iter().map(|record| record.frame).collect();
            let looked = look_into(work, &numbers, &args, deadline).await;
            let child = |(looked, record): (Looked, FrameRecord)| (child_of(&record, looked), record);
            let obstructed = closed.into_iter().filter_map(|record| Some((behind(record.obstacle?), record)));
            // Parents come before their children in both, and what cannot be asked holds none.
            attach(seen, looked.into_iter().zip(open).map(child).chain(obstructed).collect());
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

/// What becomes of a frame that there is nothing to ask in.
fn behind(obstacle: FrameObstacle) -> Child {
    match obstacle {
        FrameObstacle::Loading => Child::Unseen { state: "loading", is_partial: false },
        FrameObstacle::Busy => NOT_ANSWERING,
        FrameObstacle::Foreign => Child::Unseen { state: "of another extension", is_partial: false },
        FrameObstacle::Blocked => Child::Unseen { state: "blocked by a site rule", is_partial: false },
        FrameObstacle::Unasked => {
            Child::Unseen { state: "closed until the user is asked", is_partial: false }
        }
    }
}

/// What becomes of a frame that was asked.
fn child_of(record: &FrameRecord, looked: Looked) -> Child {
    match looked {
        Some(Ok(columns)) => {
            Child::Seen(Box::new(Seen { frame: record.frame, columns, children: HashMap::new() }))
        }
        Some(Err(failure)) => Child::Unseen { state: state_of(&failure), is_partial: false },
        None => NOT_ANSWERING,
    }
}

/// What the line of a frame says that could not be looked into.
fn state_of(failure: &Failure) -> &'static str {
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
