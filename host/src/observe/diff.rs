//! What changed between two observations of a tab, line by line.
//!
//! `+ ` is new, `- ` is gone, `~ ` is the same ref with a changed line and what it was; lines that those are in stand between
//! them, after two spaces. Indentation does not count, so that a new container around things does not make them new.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use bsk_protocol::ids::Ref;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::budget::truncate;
use super::lines::Lines;
use super::tree::{NOBODY, Tree};
use super::write;

/// After this long a comparison of pages that have little in common gives up being exact.
const EXACT: Duration = Duration::from_millis(300);
/// Longest part of the old line that is repeated, in characters.
const LONGEST_PART: usize = 80;

/// An observation to compare.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) tree: &'a Tree,
    pub(super) lines: &'a Lines,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Outcome {
    Same,
    Changes(Changes),
    /// Telling the changes takes more than telling the page.
    TooMany,
}

/// The changes as text, after the header.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) text: String,
    pub(super) ref_count: u32,
    pub(super) is_truncated: bool,
}

/// One line of the comparison.
#[derive(Debug, Clone, Copy)]
enum Entry {
    Same { new: u32 },
    New { new: u32 },
    Gone { old: u32 },
    Changed { old: u32, new: u32 },
}

/// Compares and writes the changes into `room` bytes, the header's included.
pub(super) fn compare(old: Side<'_>, new: Side<'_>, header: &str, room: usize) -> Outcome {
    let (entries, same) = entries(old, new);
    if entries.iter().all(|entry| matches!(entry, Entry::Same { .. })) {
        return Outcome::Same;
    }
    let is_context = contexts(old, new, &entries, &same);
    let mut text = header.to_owned();
    // Where each change ends, and how many refs are shown up to there.
    let mut ends: Vec<(usize, u32)> = vec![(text.len(), 0)];
    let mut ref_count = 0;
    for entry in &entries {
        let is_change = !matches!(entry, Entry::Same { .. });
        if let Entry::Same { new } = entry
            && !is_context[*new as usize]
        {
            continue;
        }
        ref_count += u32::from(push(&mut text, old, new, *entry));
        if is_change {
            ends.push((text.len(), ref_count));
        }
    }
    if text.len() > header.len() + new.lines.size() {
        return Outcome::TooMany;
    }
    Outcome::Changes(cut(text, &ends, room))
}

/// Keeps as many changes as fit and says how many do not.
fn cut(mut text: String, ends: &[(usize, u32)], room: usize) -> Changes {
    let all = ends.len() - 1;
    if let Some(&(end, ref_count)) = ends.last()
        && end <= room
    {
        return Changes { text, ref_count, is_truncated: false };
    }
    for kept in (0..all).rev() {
        let (end, ref_count) = ends[kept];
        let notice = format!("… {} more changes\n", all - kept);
        if end + notice.len() <= room || kept == 0 {
            text.truncate(end);
            text.push_str(&notice);
            truncate(&mut text, room);
            return Changes { text, ref_count, is_truncated: true };
        }
    }
    Changes { text, ref_count: 0, is_truncated: true }
}

/// The comparison in reading order, and for every old line the new one that is the same.
fn entries(old: Side<'_>, new: Side<'_>) -> (Vec<Entry>, Vec<u32>) {
    let texts = |lines: &'_ Lines| -> Vec<u32> { (0..number(lines.all.len())).collect() };
    let (old_numbers, new_numbers) = (texts(old.lines), texts(new.lines));
    let old_texts: Vec<&str> = old_numbers.iter().map(|&line| old.lines.text(line)).collect();
    let new_texts: Vec<&str> = new_numbers.iter().map(|&line| new.lines.text(line)).collect();
    let deadline = Some(Instant::now() + EXACT);
    let mut ops = capture_diff_slices_deadline(Algorithm::Myers, &old_texts, &new_texts, deadline);
    slide(&mut ops, (old, &old_texts), (new, &new_texts));
    let mut entries = Vec::new();
    let mut same = vec![NOBODY; old_texts.len()];
    for op in ops {
        let (olds, news) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            for (old, new) in olds.zip(news) {
                same[old] = number(new);
                entries.push(Entry::Same { new: number(new) });
            }
        } else {
            entries.extend(olds.map(|old| Entry::Gone { old: number(old) }));
            entries.extend(news.map(|new| Entry::New { new: number(new) }));
        }
    }
    (paired(old, new, entries), same)
}

/// Of equal places for a run of lines that are gone or new, takes the one that begins outermost: a whole item of a list, not
/// the end of one and the beginning of the next.
fn slide(ops: &mut Vec<DiffOp>, old: (Side<'_>, &[&str]), new: (Side<'_>, &[&str])) {
    for at in 1..ops.len() {
        let DiffOp::Equal { old_index, new_index, len } = ops[at - 1] else { continue };
        let ((side, texts), run) = match ops[at] {
            DiffOp::Delete { .. } => (old, ops[at].old_range()),
            DiffOp::Insert { .. } => (new, ops[at].new_range()),
            DiffOp::Equal { .. } | DiffOp::Replace { .. } => continue,
        };
        if !matches!(ops.get(at + 1), None | Some(DiffOp::Equal { .. })) {
            continue;
        }
        let furthest = (0..len).take_while(|by| texts[run.start - 1 - by] == texts[run.end - 1 - by]).count();
        let depth = |by: &usize| side.lines.all[run.start - by].depth;
        let by = (0..=furthest).min_by_key(depth).unwrap_or_default();
        ops[at - 1] = DiffOp::Equal { old_index, new_index, len: len - by };
        match &mut ops[at] {
            DiffOp::Delete { old_index, new_index, .. } | DiffOp::Insert { old_index, new_index, .. } => {
                *old_index -= by;
                *new_index -= by;
            }
            DiffOp::Equal { .. } | DiffOp::Replace { .. } => {}
        }
        let (old_index, new_index) = (ops[at].old_range().end, ops[at].new_range().end);
        match ops.get_mut(at + 1) {
            Some(after) => *after = DiffOp::Equal { old_index, new_index, len: after.new_range().len() + by },
            None => ops.push(DiffOp::Equal { old_index, new_index, len: by }),
        }
    }
}

/// What is gone and new with the same ref is a change of one thing.
fn paired(old: Side<'_>, new: Side<'_>, entries: Vec<Entry>) -> Vec<Entry> {
    let mut gone: HashMap<Ref, u32> = HashMap::new();
    for entry in &entries {
        if let Entry::Gone { old: line } = entry
            && let Some(handle) = handle(old, *line)
        {
            gone.insert(handle, *line);
        }
    }
    let mut changed = vec![false; old.lines.all.len()];
    let mut pair = |entry: Entry| match entry {
        Entry::New { new: line } => match handle(new, line).and_then(|handle| gone.remove(&handle)) {
            Some(old) => {
                changed[old as usize] = true;
                Entry::Changed { old, new: line }
            }
            None => entry,
        },
        Entry::Same { .. } | Entry::Gone { .. } | Entry::Changed { .. } => entry,
    };
    let mut entries: Vec<Entry> = entries.into_iter().map(&mut pair).collect();
    entries.retain(|entry| !matches!(entry, Entry::Gone { old } if changed[*old as usize]));
    entries
}

fn handle(side: Side<'_>, line: u32) -> Option<Ref> {
    let line = &side.lines.all[line as usize];
    side.tree.node(line.node).handle().filter(|_| line.traits.has_ref)
}

/// Which unchanged lines of the new observation are around a change.
fn contexts(old: Side<'_>, new: Side<'_>, entries: &[Entry], same: &[u32]) -> Vec<bool> {
    let mut is_context = vec![false; new.lines.all.len()];
    for entry in entries {
        match *entry {
            Entry::New { new: line } | Entry::Changed { new: line, .. } => {
                new.lines.ancestors(line).for_each(|line| is_context[line as usize] = true);
            }
            Entry::Gone { old: line } => {
                let kept = old.lines.ancestors(line).map(|line| same[line as usize]);
                kept.filter(|&line| line != NOBODY).for_each(|line| is_context[line as usize] = true);
            }
            Entry::Same { .. } => {}
        }
    }
    is_context
}

/// Writes one entry and tells whether it shows a ref that can be used.
fn push(text: &mut String, old: Side<'_>, new: Side<'_>, entry: Entry) -> bool {
    let (gutter, side, line) = match entry {
        Entry::Same { new: line } => ("  ", new, line),
        Entry::New { new: line } => ("+ ", new, line),
        Entry::Gone { old: line } => ("- ", old, line),
        Entry::Changed { new: line, .. } => ("~ ", new, line),
    };
    text.push_str(gutter);
    side.lines.indent(text, line);
    text.push_str(side.lines.text(line));
    if let Entry::Changed { old: was, .. } = entry {
        push_was(text, old.lines.text(was), new.lines.text(line));
    }
    text.push('\n');
    side.lines.all[line as usize].traits.has_ref && !matches!(entry, Entry::Gone { .. })
}

/// Says what the old line had in place of what is new.
fn push_was(text: &mut String, old: &str, new: &str) {
    let (old_parts, new_parts) = (parts(old), parts(new));
    let alike = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let before = alike(&mut old_parts.iter().zip(&new_parts));
    let shorter = old_parts.len().min(new_parts.len());
    let after = alike(&mut old_parts.iter().rev().zip(new_parts.iter().rev())).min(shorter - before);
    let was = old_parts[before..old_parts.len() - after].join(" ");
    let is = new_parts[before..new_parts.len() - after].join(" ");
    let (word, part) = match (was.is_empty(), is.is_empty()) {
        (false, _) => ("was ", was),
        (true, false) => ("was without ", is),
        (true, true) => {
            text.push_str(" (moved)");
            return;
        }
    };
    let (kept, left_out) = write::shortened(&part, LONGEST_PART);
    let _ = write!(text, " ({word}{kept}{})", if left_out > 0 { "…" } else { "" });
}

/// A line's words, with what stands in quotes or brackets in one piece.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped, mut brackets) = (0, false, false, 0_u32);
    for (at, character) in line.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '[' if !is_quoted => brackets += 1,
            ']' if !is_quoted => brackets = brackets.saturating_sub(1),
            ' ' if !is_quoted && brackets == 0 => {
                parts.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NOBODY)
}
