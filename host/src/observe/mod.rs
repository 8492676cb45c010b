//! What the page looks like now, as text for a model: `observe`, `snapshot` and `find`. docs/observation.md has the format.
//!
//! The page library computes roles, names, states and boxes; here its answers are put together ([`collect`], [`tree`]),
//! folded into lines ([`fold`], [`snapshot`]) and shown within a budget ([`rank`], [`budget`]), as changes ([`diff`]) or as
//! matches ([`find`]). Everything but [`collect`] and [`hover`] is pure: the same columns give the same text.

mod assemble;
mod budget;
mod collect;
mod columns;
mod context;
mod diff;
mod find;
mod fold;
mod header;
mod hidden;
mod hover;
mod json;
mod kept;
mod kind;
mod lines;
mod rank;
mod snapshot;
#[cfg(test)]
mod tests;
mod texts;
mod tree;
mod walk;
mod write;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::Cursor;
use bsk_protocol::local::{Dialog, FindResult, ObserveArgs, ObserveResult};

use crate::run::{Done, Work};
use budget::{Shown, Wish, bytes_of};
use collect::Request;
use find::Pattern;
pub(crate) use kept::Kept;
use kept::Observation;
use lines::Lines;
use tree::Tree;
use write::{LONGEST, Style};

/// Tokens that an observation takes at most unless asked otherwise: what a model reads in one go.
const DEFAULT_TOKENS: u32 = 6000;

/// How a tree becomes lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct View {
    style: Style,
    is_snapshot: bool,
    is_interactive: bool,
    is_viewport: bool,
    is_invisible: bool,
    max_depth: Option<u32>,
}

impl View {
    fn observe(args: &ObserveArgs) -> Self {
        let is_unbounded = args.full_text || args.target.is_some();
        Self {
            style: Style {
                longest: if is_unbounded { usize::MAX } else { LONGEST },
                links: args.links,
                // In a flat list, or without what is out of view, nothing else tells twins apart.
                contexts: args.interactive || args.viewport,
            },
            is_snapshot: false,
            is_interactive: args.interactive,
            is_viewport: args.viewport,
            is_invisible: args.invisible,
            max_depth: args.max_depth,
        }
    }

    fn snapshot(args: &ObserveArgs) -> Self {
        Self {
            style: Style { longest: usize::MAX, links: true, contexts: false },
            is_snapshot: true,
            is_interactive: false,
            is_viewport: false,
            is_invisible: args.invisible,
            max_depth: args.max_depth,
        }
    }

    /// Everything there is, for a search.
    fn find() -> Self {
        Self::observe(&ObserveArgs { full_text: true, ..ObserveArgs::default() }).with_contexts()
    }

    /// As this, and every repeated control says what it is in: for answers that show lines without those around them.
    fn with_contexts(mut self) -> Self {
        self.style.contexts = true;
        self
    }

    /// The lines, and how many were too deep.
    fn lines(self, tree: &Tree) -> (Lines, usize) {
        let mut lines = if self.is_snapshot { snapshot::strict(tree) } else { fold::fold(tree, self.style) };
        if self.is_viewport {
            lines.keep_view();
        }
        let too_deep = self.max_depth.map_or(0, |deepest| lines.cut_below(deepest));
        if self.is_interactive {
            lines.flatten();
        }
        (lines, too_deep)
    }

    fn request(self, args: &ObserveArgs) -> Request {
        Request {
            root: args.target,
            is_full: self.is_snapshot,
            links: self.style.links,
            invisible: self.is_invisible,
            boxes: args.tree || args.probe_hover,
        }
    }

    /// Whether an observation with that view has all that a comparison under this one needs.
    fn is_covered_by(self, other: Self) -> bool {
        self.is_invisible == other.is_invisible && (other.style.links || !self.style.links)
    }
}

/// `bsk observe`.
pub(crate) async fn observe(work: &Work, args: &ObserveArgs) -> Result<Done, Failure> {
    if let Some(cursor) = args.after {
        return go_on(work, args, cursor);
    }
    let view = View::observe(args);
    let request = view.request(args);
    let tree = collect::collect(work, request).await?;
    let mut observation = note(work, tree, view);
    let hover_probe = match args.probe_hover {
        true => Some(hover::probe(work, &mut observation, request).await),
        false => None,
    };
    let seen =
        if args.diff { changes(work, args, &observation) } else { whole(work, args, &observation, None) };
    let seen = ObserveResult { hover_probe, ..seen };
    work.tab.observations.keep(observation, args.target.is_none(), seen.cursor.is_some());
    Ok(Done::new(&seen))
}

/// `bsk snapshot`: everything, unless a budget is given.
pub(crate) async fn snapshot(work: &Work, args: &ObserveArgs) -> Result<Done, Failure> {
    let view = View::snapshot(args);
    let tree = collect::collect(work, view.request(args)).await?;
    let observation = Observation { number: 0, tree, view, document: work.tab.documents.get() };
    Ok(Done::new(&whole(work, args, &observation, None)))
}

/// `bsk find`.
pub(crate) async fn find(work: &Work, pattern: &str, is_regex: bool, max: u32) -> Result<Done, Failure> {
    let pattern = Pattern::new(pattern, is_regex)?;
    let view = View::find();
    let tree = collect::collect(work, view.request(&ObserveArgs::default())).await?;
    let observation = note(work, tree, view);
    let tree = &observation.tree;
    let (lines, _) = view.lines(tree);
    let found = find::find(tree, &lines, &header::line(&tree.page, tree.is_partial), &pattern, max);
    let result = FindResult {
        text: found.text,
        match_count: found.match_count,
        truncated: found.match_count as usize > found.matches.len(),
        matches: found.matches,
        tab_id: work.tab_id,
        url: tree.page.url.clone(),
        partial: tree.is_partial,
    };
    work.tab.observations.keep(observation, true, false);
    Ok(Done::new(&result))
}

/// What `observe` and `snapshot` say while a dialog is open: nothing in the page answers, but they do.
pub(crate) fn beside_dialog(work: &Work, dialog: &Dialog) -> Done {
    let url = work.tab.url.borrow().clone();
    let last = work.tab.observations.whole();
    let last = last.filter(|last| url.as_ref().is_none_or(|url| *url == last.tree.page.url));
    let title = last.as_ref().map(|last| last.tree.page.title.clone()).unwrap_or_default();
    let url = url.or_else(|| last.map(|last| last.tree.page.url.clone())).unwrap_or_default();
    let url = header::visible(&url);
    Done::new(&ObserveResult {
        text: header::beside_dialog(&title, &url, dialog),
        ref_count: 0,
        tab_id: work.tab_id,
        url,
        truncated: false,
        partial: true,
        cursor: None,
        dialogs: vec![dialog.clone()],
        tree: None,
        hover_probe: None,
    })
}

/// What was seen, with the names that pointing told a while ago.
fn note(work: &Work, mut tree: Tree, view: View) -> Observation {
    let (kept, document) = (&work.tab.observations, work.tab.documents.get());
    kept.hovered.recall(&mut tree, document);
    Observation { number: kept.next_number(), tree, view, document }
}

/// The next lines of an observation that was cut.
fn go_on(work: &Work, args: &ObserveArgs, cursor: Cursor) -> Result<Done, Failure> {
    let observation = work.tab.observations.by_cursor(cursor).ok_or_else(|| {
        Failure::new(
            ErrorCode::NotFound,
            Reason::CursorStale,
            format!("the observation of `{cursor}` is no longer kept for tab {}", work.tab_id),
        )
        .hint("run `bsk observe` again and use the cursor in its last line")
    })?;
    let header = header::line(&observation.tree.page, observation.tree.is_partial);
    Ok(Done::new(&part(work, args, &observation, &header, cursor.shown as usize)))
}

/// The whole observation, as far as it fits, after a remark.
fn whole(work: &Work, args: &ObserveArgs, observation: &Observation, remark: Option<&str>) -> ObserveResult {
    let mut header = header::line(&observation.tree.page, observation.tree.is_partial);
    if let Some(remark) = remark {
        header.push_str(remark);
        header.push('\n');
    }
    part(work, args, observation, &header, 0)
}

fn part(
    work: &Work,
    args: &ObserveArgs,
    observation: &Observation,
    header: &str,
    from: usize,
) -> ObserveResult {
    let Observation { number, tree, view, .. } = observation;
    let room = room(args, view.is_snapshot);
    let (mut lines, mut too_deep) = view.lines(tree);
    if from > 0 || header.len() + lines.size() > room {
        (lines, too_deep) = view.with_contexts().lines(tree);
    }
    let shown = budget::show(&Wish {
        tree,
        lines: &lines,
        header,
        room,
        from,
        observation: (!view.is_snapshot).then_some(*number),
        too_deep,
        has_dividers: !view.is_snapshot && !view.is_viewport,
    });
    let json = args.tree.then(|| json::nested(tree, &lines, &shown.lines, view.style)).flatten();
    let Shown { text, ref_count, is_truncated, cursor, .. } = shown;
    ObserveResult { text, ref_count, truncated: is_truncated, cursor, tree: json, ..empty(work, tree) }
}

/// What changed since the last observation of the whole page.
fn changes(work: &Work, args: &ObserveArgs, observation: &Observation) -> ObserveResult {
    let tree = &observation.tree;
    let whole = |remark| whole(work, args, observation, Some(remark));
    let base = work.tab.observations.whole();
    let Some(base) = base.filter(|base| observation.view.is_covered_by(base.view)) else {
        return whole("(no earlier observation of this tab to compare with)");
    };
    if base.document != observation.document {
        return whole("(another page since the last observation)");
    }
    let view = observation.view.with_contexts();
    let (old, _) = view.lines(&base.tree);
    let (new, _) = view.lines(tree);
    let header = header::line(&tree.page, tree.is_partial);
    let (old, new) = (diff::Side { tree: &base.tree, lines: &old }, diff::Side { tree, lines: &new });
    match diff::compare(old, new, &header, room(args, false)) {
        diff::Outcome::Same => {
            let mut text = header + "no change since the last observation\n";
            budget::truncate(&mut text, room(args, false));
            ObserveResult { text, ..empty(work, tree) }
        }
        diff::Outcome::TooMany => whole("(changed so much that this is the whole page)"),
        diff::Outcome::Changes(changes) => ObserveResult {
            text: changes.text,
            ref_count: changes.ref_count,
            truncated: changes.is_truncated,
            ..empty(work, tree)
        },
    }
}

/// A result that shows nothing yet.
fn empty(work: &Work, tree: &Tree) -> ObserveResult {
    ObserveResult {
        text: String::new(),
        ref_count: 0,
        tab_id: work.tab_id,
        url: tree.page.url.clone(),
        truncated: false,
        partial: tree.is_partial,
        cursor: None,
        dialogs: Vec::new(),
        tree: None,
        hover_probe: None,
    }
}

/// Most bytes of text.
fn room(args: &ObserveArgs, is_snapshot: bool) -> usize {
    match args.max_tokens {
        Some(tokens) => bytes_of(tokens),
        None if is_snapshot => usize::MAX,
        None => bytes_of(DEFAULT_TOKENS),
    }
}
