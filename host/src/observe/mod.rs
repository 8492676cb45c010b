//! What the page looks like now: one call per frame, put together into one tree, rendered as text for a model.
//!
//! The page library computes roles, names, states and boxes; here they are only arranged ([`tree`]) and written
//! ([`render`]), both pure.

mod render;
mod tree;

use std::collections::HashMap;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, FrameRecord, Frames, PageFunction, ShadowRoots};
use bsk_protocol::local::{ObserveArgs, ObserveResult};
use serde_json::{Value, json};

use crate::run::{Done, Work};
use render::Style;
use tree::{Columns, Tree};

/// Tokens that an observation takes at most unless asked otherwise: what a model reads in one go.
const DEFAULT_TOKENS: u32 = 6000;

/// How deep closed shadow roots are followed in one observation: each level costs a look at the frame.
const SHADOW_ROUNDS: u32 = 4;

/// `bsk observe`.
pub(crate) async fn observe(work: &Work, args: &ObserveArgs) -> Result<Done, Failure> {
    let style =
        Style { max_tokens: Some(args.max_tokens.unwrap_or(DEFAULT_TOKENS)), max_depth: args.max_depth };
    look(work, args, style).await
}

/// `bsk snapshot`: everything, unless a budget is given.
pub(crate) async fn snapshot(work: &Work, args: &ObserveArgs) -> Result<Done, Failure> {
    look(work, args, Style { max_tokens: args.max_tokens, max_depth: args.max_depth }).await
}

async fn look(work: &Work, args: &ObserveArgs, style: Style) -> Result<Done, Failure> {
    let tree = collect(work, args).await?;
    let text = render::render(&tree, style);
    Ok(Done::new(&ObserveResult {
        text: text.text,
        ref_count: text.ref_count,
        tab_id: work.tab_id,
        truncated: text.is_truncated,
        dialogs: Vec::new(),
    }))
}

async fn collect(work: &Work, args: &ObserveArgs) -> Result<Tree, Failure> {
    let (frame, page_args) = match args.target {
        Some(root) => (root.frame, json!({ "root_ref": root.number })),
        None => (FrameNumber::MAIN, json!({})),
    };
    let root: Columns = work.page(frame, PageFunction::Observe, &page_args).await?;
    check(&root)?;
    let root = explore_shadow_roots(work, frame, &page_args, root).await?;
    let mut tree = Tree::new(root, frame);
    if tree.has_frames() {
        let frames: Frames = work
            .host
            .kernel
            .send(Call::Frames { session_id: work.session_id.clone(), tab_id: work.tab_id })
            .await?;
        graft(work, &mut tree, &frames.frames).await?;
    }
    Ok(tree)
}

/// Observes every frame below the tree's and hangs it under its element. Frames are asked at once, since each answers in
/// its own time; one that is gone by now or cannot be looked into stays an `iframe` line without contents.
async fn graft(work: &Work, tree: &mut Tree, frames: &[FrameRecord]) -> Result<(), Failure> {
    let mut asked = Vec::new();
    for record in frames {
        let (Some(parent), Some(owner_ref), None) = (record.parent, record.owner_ref, record.obstacle) else {
            continue;
        };
        asked.push((
            record.frame,
            parent,
            owner_ref,
            work.page(record.frame, PageFunction::Observe, &json!({})),
        ));
    }
    let mut seen = HashMap::new();
    for (frame, parent, owner_ref, pending) in asked {
        let Ok::<Columns, _>(columns) = pending.await else { continue };
        check(&columns)?;
        let columns = explore_shadow_roots(work, frame, &json!({}), columns).await?;
        seen.insert((parent, owner_ref), Tree::new(columns, frame));
    }
    tree.graft(&mut seen);
    Ok(())
}

/// Has closed shadow roots opened to the page library and looks again, as long as that finds something.
async fn explore_shadow_roots(
    work: &Work,
    frame: FrameNumber,
    page_args: &Value,
    mut columns: Columns,
) -> Result<Columns, Failure> {
    for _ in 0..SHADOW_ROUNDS {
        if columns.unexplored() == 0 {
            break;
        }
        let (session_id, tab_id) = (work.session_id.clone(), work.tab_id);
        let call = Call::ShadowRoots { session_id, tab_id, frame };
        // A frame that goes away meanwhile was seen all the same.
        let Ok(ShadowRoots { found: 1.. }) = work.host.kernel.send(call).await else { break };
        let Ok(deeper) = work.page(frame, PageFunction::Observe, page_args).await else { break };
        columns = deeper;
        check(&columns)?;
    }
    Ok(columns)
}

fn check(columns: &Columns) -> Result<(), Failure> {
    if columns.is_consistent() {
        return Ok(());
    }
    Err(Failure::new(
        ErrorCode::ProtocolError,
        Reason::PageLibraryFailed,
        "the page library's observation has columns of different lengths",
    )
    .hint("reload the extension so that it fits this host"))
}
