//! `observe --probe-hover`: what only shows under the pointer, found by really moving it. The page is looked at first; then the
//! pointer goes over a few likely triggers and controls without a name, and the page is looked at again each time.
//!
//! It is never pressed, and is put back whatever happens. Every wait is for a condition and has an end; whatever goes wrong
//! ends the probing and not the observation. What to point at and what came of it are decided in pure parts
//! ([`choose`], [`compare`]).

mod choose;
mod compare;
mod memory;

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::HoverProbe;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, timeout_at};

use super::collect::{self, Request};
use super::kept::Observation;
use super::tree::Tree;
use crate::act;
use crate::kernel::Pending;
use crate::run::Work;
use choose::{Candidate, Key};
use compare::{Before, Earlier, Told};
pub(crate) use memory::Memory;

/// How long triggers may take together.
const TRIGGERS_TIME: Duration = Duration::from_millis(2600);
/// How long controls without a name may take together.
const UNNAMED_TIME: Duration = Duration::from_millis(2400);
/// How long a page may take to react to the pointer, as to any input.
const REACTION_MS: u64 = 100;
/// How long something may take to show: many tooltips wait a moment.
const LATE: Duration = Duration::from_millis(250);
/// How long the page may take to hear that the pointer is back.
const PUTTING_BACK: Duration = Duration::from_millis(500);

/// What the pointer is on, seen from the document: a text has no ref until it turns out to be worth one.
const POINTED_AT: &str = ":hover:not(:has(:hover))";

/// Points at what may show more and writes what it told into the observation.
pub(super) async fn probe(work: &Work, observation: &mut Observation, request: Request) -> HoverProbe {
    let (performed, found) = search(work, observation, request).await;
    let revealed_content = !found.is_empty();
    for finding in found {
        write(&mut observation.tree, finding);
    }
    HoverProbe { performed, revealed_content }
}

/// Whether anything was pointed at, and what that told.
async fn search(work: &Work, observation: &Observation, request: Request) -> (bool, Vec<Finding>) {
    let Observation { tree, document, .. } = observation;
    let memory = &work.tab.observations.hovered;
    let plan = choose::plan(tree, |key| memory.is_miss(key));
    // Where the page did not answer in full, nothing can be called new.
    if plan.is_empty() || tree.is_partial {
        return (false, Vec::new());
    }
    // What shows may be anywhere on the page.
    let whole = Request { root: None, ..request };
    let around = match request.root {
        Some(_) => match within(end_of(work, TRIGGERS_TIME), collect::collect(work, whole)).await {
            Ok(around) => Some(around),
            Err(Ended) => return (false, Vec::new()),
        },
        None => None,
    };
    let mut probing = Probing {
        work,
        request: whole,
        document: *document,
        before: Before::of(around.as_ref().unwrap_or(tree)),
        earlier: Earlier::default(),
        latest: None,
        pointer: Pointer { work, is_away: false },
        found: Vec::new(),
    };
    // What is known when it ends is worth telling.
    let _ = probing.run(&plan).await;
    let Probing { found, pointer, .. } = probing;
    let has_pointed = pointer.is_away;
    pointer.put_back().await;
    (has_pointed, found)
}

/// Something that pointing told.
#[derive(Debug)]
struct Finding {
    node: u32,
    told: Told,
    /// What a text can be pointed at by.
    number: Option<u32>,
}

fn write(tree: &mut Tree, Finding { node, told, number }: Finding) {
    if let Some(number) = number {
        tree.set_ref_number(node, number);
    }
    match told {
        Told::Name(name) => tree.set_name(node, &name),
        Told::Items(items) => {
            const STATE: &str = "hover first: ";
            tree.drop_states(node, STATE);
            tree.add_state(node, &[STATE, &items].concat());
        }
    }
}

/// When something ends that may take so long, unless half of the command's time is less.
fn end_of(work: &Work, limit: Duration) -> Instant {
    let now = Instant::now();
    now + limit.min(work.deadline.saturating_duration_since(now) / 2)
}

/// Probing ended early: the page is gone, or was too slow.
#[derive(Debug)]
struct Ended;

/// What is done in time.
async fn within<T, E>(end: Instant, step: impl Future<Output = Result<T, E>>) -> Result<T, Ended> {
    timeout_at(end, step).await.map_err(|_| Ended)?.map_err(|_| Ended)
}

/// The pointer, away from where an action left it. Goes back there when it is dropped, too: the command may be cancelled.
#[derive(Debug)]
struct Pointer<'a> {
    work: &'a Work,
    is_away: bool,
}

impl Pointer<'_> {
    fn go_to(&mut self, point: (f64, f64)) -> Pending<Value> {
        self.is_away = true;
        act::move_for_now(self.work, point)
    }

    async fn put_back(mut self) {
        if self.is_away {
            // The browser has it then; a page that does not take it is slow or gone.
            let _ = within(Instant::now() + PUTTING_BACK, act::move_home(self.work)).await;
            self.work.input_sent();
            self.is_away = false;
        }
    }
}

impl Drop for Pointer<'_> {
    fn drop(&mut self) {
        if self.is_away {
            let tab = &self.work.tab;
            tab.is_pointer_astray.set(true);
            if tab.dialog.borrow().is_none() {
                act::fetch_pointer(self.work);
            }
        }
    }
}

/// Pointing at one thing after the other.
struct Probing<'a> {
    work: &'a Work,
    request: Request,
    /// Which of the tab's documents is probed.
    document: u32,
    before: Before<'a>,
    earlier: Earlier,
    /// The page as it was last seen, once it was looked at again.
    latest: Option<Tree>,
    pointer: Pointer<'a>,
    found: Vec<Finding>,
}

impl Probing<'_> {
    async fn run(&mut self, plan: &choose::Plan) -> Result<(), Ended> {
        self.round(&plan.triggers, TRIGGERS_TIME).await?;
        self.round(&plan.unnamed, UNNAMED_TIME).await
    }

    /// Points at all of these, or as many as there is time for.
    async fn round(&mut self, candidates: &[Candidate], limit: Duration) -> Result<(), Ended> {
        let end = end_of(self.work, limit);
        let mut longest = Duration::ZERO;
        for (index, candidate) in candidates.iter().enumerate() {
            let begun = Instant::now();
            // What would hardly come to an end is not begun.
            if begun + longest > end {
                break;
            }
            let others = u32::try_from(candidates.len() - index).unwrap_or(u32::MAX);
            let share = end.saturating_duration_since(begun) / others;
            self.point_at(candidate, LATE.min(share), end).await?;
            longest = longest.max(begun.elapsed());
        }
        Ok(())
    }

    /// Points at one and looks until it told something or had its time, at least once.
    async fn point_at(&mut self, candidate: &Candidate, time: Duration, end: Instant) -> Result<(), Ended> {
        let Some(point) = self.reach(candidate, end).await? else { return Ok(()) };
        within(end, self.pointer.go_to(point)).await?;
        let late = Instant::now() + time;
        self.settle(candidate.frame, REACTION_MS, false, end).await?;
        let memory = &self.work.tab.observations.hovered;
        loop {
            let now = self.look(end).await?;
            if let Some(told) = self.before.tell(&mut self.earlier, candidate, &now) {
                self.latest = Some(now);
                return self.note(candidate, told, end).await;
            }
            self.latest = Some(now);
            let rest = late.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                memory.missed(candidate.key.clone(), std::time::Instant::now());
                return Ok(());
            }
            let rest_ms = u64::try_from(rest.as_millis()).unwrap_or_default().max(1);
            self.settle(candidate.frame, rest_ms, true, end).await?;
        }
    }

    /// Where to point. What an earlier trigger showed may be in the way: it gets the time to go.
    async fn reach(&mut self, candidate: &Candidate, end: Instant) -> Result<Option<(f64, f64)>, Ended> {
        let point = self.locate(&candidate.key);
        if point.is_some() || !self.pointer.is_away {
            return Ok(point);
        }
        within(end, act::move_home(self.work)).await?;
        self.settle(candidate.frame, REACTION_MS, false, end).await?;
        self.latest = Some(self.look(end).await?);
        Ok(self.locate(&candidate.key))
    }

    fn locate(&self, key: &Key) -> Option<(f64, f64)> {
        let tree = self.latest.as_ref().unwrap_or(self.before.tree);
        choose::point(tree, key.find(tree)?)
    }

    async fn look(&self, end: Instant) -> Result<Tree, Ended> {
        let now = within(end, collect::collect(self.work, self.request)).await?;
        if self.work.tab.documents.get() == self.document { Ok(now) } else { Err(Ended) }
    }

    /// Lets a frame react, or waits for its next change.
    async fn settle(
        &self,
        frame: FrameNumber,
        ms: u64,
        is_until_change: bool,
        end: Instant,
    ) -> Result<(), Ended> {
        let args = json!({ "timeout_ms": ms, "until_change": is_until_change });
        within(end, self.work.page::<Value>(frame, PageFunction::Settle, &args)).await.map(drop)
    }

    /// Notes what was told.
    async fn note(&mut self, candidate: &Candidate, told: Told, end: Instant) -> Result<(), Ended> {
        let mut number = None;
        match (&candidate.key, &told) {
            (Key::Ref(handle), Told::Name(name)) => {
                let memory = &self.work.tab.observations.hovered;
                memory.named(*handle, name.clone(), std::time::Instant::now());
            }
            (Key::Text(frame, _), Told::Items(_) | Told::Name(_)) => {
                number = within(end, self.number_of_text(*frame)).await.unwrap_or_default();
            }
            (Key::Ref(_), Told::Items(_)) => {}
        }
        self.found.push(Finding { node: candidate.node, told, number });
        Ok(())
    }

    /// The ref number of the element that the pointer is on, unless that is the bar itself.
    async fn number_of_text(&self, frame: FrameNumber) -> Result<Option<u32>, Failure> {
        let args = json!({ "target": { "selector": POINTED_AT }, "timeout_ms": REACTION_MS });
        let element: Pointed = self.work.page(frame, PageFunction::Prepare, &args).await?;
        Ok((!choose::is_bar_role(&element.role)).then_some(element.number))
    }
}

/// What of the page library's `prepare` is needed.
#[derive(Debug, Deserialize)]
struct Pointed {
    #[serde(rename = "ref")]
    number: u32,
    role: String,
}
