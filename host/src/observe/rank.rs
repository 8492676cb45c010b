//! Which lines matter most, for when not all of them fit.
//!
//! | tier | lines |
//! | --- | --- |
//! | 0 | in an open modal dialog, in an alert or status, focused |
//! | 1 | in view and can be acted on, neither inert nor covered |
//! | 2 | in view: headings, landmarks, words |
//! | 3 | other controls that are no links, the nearest to the view first |
//! | 4 | other headings and landmarks |
//! | 5 | other links, the nearest first |
//! | 6 | everything else, what is inert last |
//!
//! What a line is in comes right before it, so that the first so many lines of the ranking are always a tree.

use super::lines::{KindOfLine, Line, Lines};
use super::tree::NOBODY;

/// The lines by how much they matter.
#[derive(Debug)]
pub(super) struct Ranking {
    pub(super) order: Vec<u32>,
    /// For every line its place in the order.
    pub(super) position: Vec<u32>,
    /// How many of the first so many lines can be acted on.
    refs_before: Vec<u32>,
    /// Places in the order of lines with a ref and with lines in them, smallest first.
    parts: Vec<u32>,
    /// Places in the order of lines with a ref.
    handles: Vec<u32>,
}

impl Ranking {
    pub(super) fn of(lines: &Lines) -> Self {
        let keys = sorted_keys(&lines.all);
        let count = lines.all.len();
        let mut order: Vec<u32> = Vec::with_capacity(count);
        let mut position = vec![NOBODY; count];
        let mut chain: Vec<u32> = Vec::new();
        for key in keys {
            let mut next = line_of(key);
            while next != NOBODY && position[next as usize] == NOBODY {
                chain.push(next);
                // Taken as soon as it is seen: a line is in one chain only.
                position[next as usize] = 0;
                next = lines.all[next as usize].parent;
            }
            while let Some(line) = chain.pop() {
                position[line as usize] = number(order.len());
                order.push(line);
            }
        }
        let mut ranking =
            Self { order, position, refs_before: vec![0], parts: Vec::new(), handles: Vec::new() };
        ranking.note_refs(lines);
        ranking
    }

    fn note_refs(&mut self, lines: &Lines) {
        let mut refs = 0;
        for (place, &line) in self.order.iter().enumerate() {
            if lines.all[line as usize].traits.has_ref {
                refs += 1;
                self.handles.push(number(place));
                let has_lines = lines.all.get(line as usize + 1).is_some_and(|next| next.parent == line);
                if has_lines {
                    self.parts.push(number(place));
                }
            }
            self.refs_before.push(refs);
        }
    }

    /// How many lines can be acted on, from this place of the order on.
    pub(super) fn refs_from(&self, place: usize) -> u32 {
        let all = self.refs_before.last().copied().unwrap_or_default();
        all - self.refs_before.get(place).copied().unwrap_or(all)
    }

    /// A line from this place on whose ref names a part of the page, else one that has a ref at all.
    pub(super) fn part_from(&self, place: usize) -> Option<u32> {
        let first = |places: &[u32]| {
            let at = places.partition_point(|&one| (one as usize) < place);
            places.get(at).map(|&place| self.order[place as usize])
        };
        first(&self.parts).or_else(|| first(&self.handles))
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NOBODY)
}

/// Tier, distance and line as one number, so that sorting is cheap.
fn sorted_keys(lines: &[Line]) -> Vec<u64> {
    let distances = distances(lines);
    let mut keys: Vec<u64> = (0_u64..)
        .zip(lines.iter().zip(distances))
        .map(|(index, (line, distance))| {
            let (tier, distance) = tier(line, distance);
            tier << 60 | u64::from(distance.min((1 << 28) - 1)) << 32 | index
        })
        .collect();
    keys.sort_unstable();
    keys
}

/// The line of a key: its lower half.
fn line_of(key: u64) -> u32 {
    u32::try_from(key & u64::from(u32::MAX)).unwrap_or(NOBODY)
}

/// A line's tier, and where within it.
fn tier(line: &Line, distance: u32) -> (u64, u32) {
    let traits = &line.traits;
    if traits.is_urgent {
        return (0, 0);
    }
    if traits.is_inert {
        return (6, 1);
    }
    let is_at_hand = traits.is_in_view && !traits.is_covered && !traits.is_folded_away;
    match traits.kind {
        KindOfLine::Link | KindOfLine::Control if is_at_hand => (1, 0),
        KindOfLine::Landmark | KindOfLine::Words if traits.is_in_view => (2, 0),
        KindOfLine::Control => (3, distance),
        KindOfLine::Landmark => (4, 0),
        KindOfLine::Link => (5, distance),
        KindOfLine::Words | KindOfLine::Rest => (6, 0),
    }
}

/// For every line how many lines away the nearest one in view is.
fn distances(lines: &[Line]) -> Vec<u32> {
    let mut distances = vec![u32::MAX; lines.len()];
    let mut away = u32::MAX;
    for (line, distance) in lines.iter().zip(&mut distances) {
        away = if line.traits.is_in_view { 0 } else { away.saturating_add(1) };
        *distance = away;
    }
    away = u32::MAX;
    for (line, distance) in lines.iter().zip(&mut distances).rev() {
        away = if line.traits.is_in_view { 0 } else { away.saturating_add(1) };
        *distance = away.min(*distance);
    }
    distances
}
