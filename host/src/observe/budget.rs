//! What is shown when there is a bound: the first so many lines of the ranking, printed in reading order.
//!
//! The bound is hard: header, notices, gaps and dividers are in it, whatever it is, and nothing is cut inside a character.
//! What is left out is said in the last line with the ways to see it; where even that does not fit it is said more briefly.

use std::fmt::Write as _;

use bsk_protocol::ids::Cursor;

use super::lines::Lines;
use super::rank::Ranking;
use super::tree::{Place, Tree};

/// Bytes that count as one token: what English text and markup average for the models in use.
const TOKEN_BYTES: usize = 4;

/// Bytes of a number of tokens.
pub(super) fn bytes_of(tokens: u32) -> usize {
    (tokens as usize).saturating_mul(TOKEN_BYTES)
}

/// What is to be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    pub(super) tree: &'a Tree,
    pub(super) lines: &'a Lines,
    /// The first line, and remarks on the whole; ends with a line break.
    pub(super) header: &'a str,
    /// Most bytes.
    pub(super) room: usize,
    /// Lines of the ranking that were shown earlier.
    pub(super) from: usize,
    /// The number of the observation, if it can be paged through.
    pub(super) observation: Option<u32>,
    /// Lines that were too deep.
    pub(super) too_deep: usize,
    pub(super) has_dividers: bool,
}

/// What is shown.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    /// The lines, in reading order.
    pub(super) lines: Vec<u32>,
    pub(super) ref_count: u32,
    pub(super) is_truncated: bool,
    pub(super) cursor: Option<Cursor>,
}

/// How much is said of what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notice {
    Full,
    Brief,
    Ellipsis,
    Silent,
}

/// Shows what fits.
pub(super) fn show(wish: &Wish<'_>) -> Shown {
    if wish.from == 0 {
        let every: Vec<u32> = (0..u32::try_from(wish.lines.all.len()).unwrap_or(u32::MAX)).collect();
        let smallest = wish.header.len().saturating_add(wish.lines.all.len() * 2);
        if smallest <= wish.room {
            let mut text = wish.header.to_owned();
            print(&mut text, wish, &every, None);
            push_too_deep(&mut text, wish);
            if text.len() <= wish.room {
                return shown(wish, text, every, None);
            }
        }
    }
    let header = short_header(wish);
    let wish = &Wish { header: &header, ..*wish };
    let ranking = Ranking::of(wish.lines);
    let mut attempt = Attempt::new(wish, &ranking);
    for notice in [Notice::Full, Notice::Brief, Notice::Ellipsis, Notice::Silent] {
        let count = attempt.largest(notice);
        if count > 0 {
            attempt.build(count, notice);
            break;
        }
        if notice == Notice::Silent {
            attempt.build_cut();
        }
    }
    let Attempt { mut text, chosen, count, .. } = attempt;
    truncate(&mut text, wish.room);
    let cursor = wish.observation.filter(|_| wish.from + count < ranking.order.len());
    let shown_so_far = u32::try_from(wish.from + count).unwrap_or(u32::MAX);
    let cursor = cursor.map(|observation| Cursor { observation, shown: shown_so_far });
    let mut shown = shown(wish, text, chosen, cursor);
    shown.is_truncated |= wish.from + count < ranking.order.len();
    shown
}

/// The header, cut to half of the room, so that the most important lines have the other half.
fn short_header(wish: &Wish<'_>) -> String {
    let mut header = wish.header.to_owned();
    if header.len() > wish.room / 2 {
        let end = "…\n";
        truncate(&mut header, (wish.room / 2).saturating_sub(end.len()));
        header.push_str(end);
    }
    header
}

fn shown(wish: &Wish<'_>, text: String, lines: Vec<u32>, cursor: Option<Cursor>) -> Shown {
    let refs = lines.iter().filter(|&&line| wish.lines.all[line as usize].traits.has_ref).count();
    Shown {
        text,
        ref_count: u32::try_from(refs).unwrap_or(u32::MAX),
        is_truncated: cursor.is_some() || wish.too_deep > 0,
        lines,
        cursor,
    }
}

/// Cuts a text to a number of bytes, before the character that would be cut.
pub(super) fn truncate(text: &mut String, room: usize) {
    text.truncate(text.floor_char_boundary(room));
}

/// One try at showing so many lines.
struct Attempt<'a> {
    wish: &'a Wish<'a>,
    ranking: &'a Ranking,
    text: String,
    chosen: Vec<u32>,
    count: usize,
    /// For every line the try it was last chosen in.
    chosen_in: Vec<u32>,
    tries: u32,
}

impl<'a> Attempt<'a> {
    fn new(wish: &'a Wish<'a>, ranking: &'a Ranking) -> Self {
        let chosen_in = vec![0; wish.lines.all.len()];
        Self { wish, ranking, text: String::new(), chosen: Vec::new(), count: 0, chosen_in, tries: 0 }
    }

    /// The largest number of lines that fits with this notice; 0 where none does.
    fn largest(&mut self, notice: Notice) -> usize {
        let left = self.ranking.order.len() - self.wish.from.min(self.ranking.order.len());
        // No more lines than would fit if nothing but their text were printed.
        let mut bytes = self.wish.header.len();
        let most = self.ranking.order[self.wish.from.min(self.ranking.order.len())..]
            .iter()
            .take_while(|&&line| {
                bytes += self.wish.lines.text(line).len() + 1;
                bytes <= self.wish.room
            })
            .count();
        let (mut fits, mut too_many) = (0, most.min(left) + 1);
        while too_many - fits > 1 {
            let middle = fits + (too_many - fits) / 2;
            self.build(middle, notice);
            if self.text.len() <= self.wish.room {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        fits
    }

    /// Prints the next `count` lines of the ranking.
    fn build(&mut self, count: usize, notice: Notice) {
        let Self { wish, ranking, .. } = *self;
        self.tries += 1;
        self.count = count;
        self.chosen.clear();
        let from = wish.from.min(ranking.order.len());
        for &line in &ranking.order[from..(from + count).min(ranking.order.len())] {
            self.choose(line);
        }
        self.chosen.sort_unstable();
        self.text.clear();
        self.text.push_str(wish.header);
        print(&mut self.text, wish, &self.chosen, Some((ranking, from + count)));
        push_notice(&mut self.text, wish, ranking, from + count, notice);
    }

    /// As much as fits of the next line alone, so that going on always comes to an end. Half a ref would be another one.
    fn build_cut(&mut self) {
        self.build(0, Notice::Silent);
        let Some(&line) = self.ranking.order.get(self.wish.from) else { return };
        self.count = 1;
        if self.wish.from > 0 {
            self.text.clear();
        }
        let mut cut = format!("{}\n", self.wish.lines.text(line));
        truncate(&mut cut, self.wish.room.saturating_sub(self.text.len()));
        if !cut.starts_with('@') || cut.contains(' ') {
            self.text.push_str(&cut);
            self.chosen.push(line);
        }
    }

    /// Takes a line and, where it was shown on an earlier page only, what it is in.
    fn choose(&mut self, line: u32) {
        let lines = self.wish.lines;
        for line in std::iter::once(line).chain(lines.ancestors(line)) {
            if self.chosen_in[line as usize] == self.tries {
                break;
            }
            self.chosen_in[line as usize] = self.tries;
            self.chosen.push(line);
        }
    }
}

/// Prints lines in reading order. With a ranking, gaps tell how many of its lines from a place on are missing there.
fn print(text: &mut String, wish: &Wish<'_>, chosen: &[u32], missing: Option<(&Ranking, usize)>) {
    let lines = wish.lines;
    let mut place = Place::InView;
    let mut next = 0;
    for &index in chosen {
        let line = &lines.all[index as usize];
        if let Some((ranking, from)) = missing {
            let gap = &ranking.position[next as usize..index as usize];
            let count = gap.iter().filter(|&&position| position as usize >= from).count();
            if count > 0 {
                lines.indent(text, index);
                let _ = writeln!(text, "… {count} more");
            }
        }
        next = index + 1;
        if wish.has_dividers && line.place != Place::Nowhere && line.place != place {
            place = line.place;
            lines.indent(text, index);
            text.push_str(divider(place));
        }
        lines.print(text, index);
    }
}

fn divider(place: Place) -> &'static str {
    match place {
        Place::InView | Place::Nowhere => "--- in view\n",
        Place::Above => "--- above the view\n",
        Place::Below => "--- below the view\n",
        Place::Beside => "--- beside the view\n",
    }
}

/// The last line: what is left out, and how to see it.
fn push_notice(text: &mut String, wish: &Wish<'_>, ranking: &Ranking, shown: usize, notice: Notice) {
    let left = ranking.order.len().saturating_sub(shown);
    if left == 0 || notice == Notice::Silent {
        if notice != Notice::Silent {
            push_too_deep(text, wish);
        }
        return;
    }
    if notice == Notice::Ellipsis {
        text.push_str("…\n");
        return;
    }
    let _ = write!(text, "… {left} lines left out");
    if notice == Notice::Full {
        let _ = write!(text, ", {} with refs", ranking.refs_from(shown));
    }
    text.push(':');
    if let Some(observation) = wish.observation {
        let shown = u32::try_from(shown).unwrap_or(u32::MAX);
        let _ = write!(text, " --after {}", Cursor { observation, shown });
        text.push_str(if notice == Notice::Full { " shows the next," } else { " for the next" });
    }
    if notice == Notice::Full {
        let part = ranking.part_from(shown).map(|line| wish.lines.all[line as usize].node);
        if let Some(handle) = part.and_then(|node| wish.tree.node(node).handle()) {
            let _ = write!(text, " --ref {handle} one part,");
        }
        if wish.observation.is_some() {
            text.push_str(" --viewport what is in view,");
        }
        text.push_str(" --max-tokens more");
    } else if wish.observation.is_none() {
        text.push_str(" --max-tokens");
    }
    text.push('\n');
    if notice == Notice::Full {
        push_too_deep(text, wish);
    }
}

fn push_too_deep(text: &mut String, wish: &Wish<'_>) {
    if wish.too_deep > 0 {
        let _ = writeln!(text, "… {} deeper lines left out: --max-depth shows more", wish.too_deep);
    }
}
