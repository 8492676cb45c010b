//! The economy of `bsk observe`: its tokens for the ten realistic pages beside those of a plain aria snapshot, and whether every
//! control of the accessibility tree is in it.
//!
//! Two snapshots are compared with: the plain one, which cannot be acted on, and the one with a ref on every line.
//! A token is counted as four bytes of UTF-8 on both sides. A control is there when the observation has a line with a ref
//! and its name; the options of a choice have none of their own and only need their name in the text.

use std::fmt::{self, Display, Formatter};

use super::corpus::{CorpusPage, sites};
use super::snapshot::{self, Control};
use crate::{Browser, Response};

/// Bytes that count as one token.
const BYTES_PER_TOKEN: usize = 4;

/// How much of a long name has to be found; the observation may shorten the rest.
const COMPARED_NAME: usize = 120;

/// One page's numbers.
#[derive(Debug, Clone)]
pub struct PageEconomy {
    /// The page's name in the corpus.
    pub page: String,
    /// The observation.
    pub observed: String,
    /// The plain aria snapshot.
    pub snapshot: String,
    /// The aria snapshot with a ref on every line.
    pub snapshot_with_refs: String,
    /// Controls of the accessibility tree.
    pub controls: usize,
    /// Those that the observation lacks, as `role "name"`.
    pub missing: Vec<String>,
}

#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn ratio(length: usize, other: usize) -> f64 {
    length as f64 / other.max(1) as f64
}

/// The ten pages' numbers.
#[derive(Debug)]
pub struct Economy {
    /// In the order of the pages.
    pub pages: Vec<PageEconomy>,
}

impl Economy {
    /// Tokens of all observations per token of all snapshots with refs.
    #[must_use]
    pub fn total_ratio(&self) -> f64 {
        ratio(self.total(|page| &page.observed), self.total(|page| &page.snapshot_with_refs))
    }

    /// Bytes of one text over all pages.
    fn total(&self, text: impl Fn(&PageEconomy) -> &String) -> usize {
        self.pages.iter().map(|page| text(page).len()).sum()
    }
}

/// Observes every realistic page as an agent would, and takes the plain snapshot of the same page.
///
/// # Panics
/// When a page cannot be opened or observed.
#[must_use]
pub fn measure_economy(browser: &Browser) -> Economy {
    let session = browser.session();
    let measure = |page: CorpusPage| {
        let html = page.html;
        let url = browser.pages().answering(move |_| Response::html(&html));
        session.ok(&["navigate", &url]);
        let observed = session.ok(&["observe", "--max-tokens", "1000000"]);
        let observed = observed["text"].as_str().unwrap_or_default();
        let tab = browser.devtools().page(&url);
        let tab = tab.attached().expect("the page is open");
        let snapshot = snapshot::take(&tab, &url);
        PageEconomy {
            page: page.name,
            controls: snapshot.controls.len(),
            missing: missing(&snapshot.controls, observed),
            observed: observed.to_owned(),
            snapshot: snapshot.plain,
            snapshot_with_refs: snapshot.with_refs,
        }
    };
    Economy { pages: sites().into_iter().map(measure).collect() }
}

/// The controls that have no line of their own in the observation.
fn missing(controls: &[Control], observed: &str) -> Vec<String> {
    let mut lines: Vec<&str> = observed.lines().filter(|line| line.trim_start().starts_with('@')).collect();
    let mut missing = Vec::new();
    for control in controls {
        if control.role == "option" {
            if !observed.contains(&control.name) {
                missing.push(format!("option \"{}\"", control.name));
            }
            continue;
        }
        let found = lines.iter().position(|line| is_line_of(line, control));
        match found {
            // Each line stands for one control only.
            Some(at) => drop(lines.remove(at)),
            None => missing.push(format!("{} \"{}\"", control.role, control.name)),
        }
    }
    missing
}

fn is_line_of(line: &str, control: &Control) -> bool {
    if control.name.is_empty() {
        let words = line.trim_start().split_once(' ').map_or("", |(_, rest)| rest);
        return words.strip_prefix(&control.role).is_some_and(|rest| !rest.starts_with(" \""));
    }
    without_spaces(line).contains(&quoted(&control.name))
}

/// A name as a line shows it: in quotes, the rest of a long one left open. White space does not count: how much there is
/// between the parts of a name is the oracle's question.
fn quoted(name: &str) -> String {
    let escaped = without_spaces(&name.replace('\\', "\\\\").replace('"', "\\\""));
    match escaped.char_indices().nth(COMPARED_NAME) {
        Some((end, _)) => format!("\"{}", &escaped[..end]),
        None => format!("\"{escaped}\""),
    }
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

impl Display for Economy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Tokens (bytes / {BYTES_PER_TOKEN}) of whole observations and of aria snapshots of the same pages.\n"
        )?;
        writeln!(
            f,
            "| page | observe | plain snapshot | ratio | with refs | ratio | controls | of them observed |"
        )?;
        writeln!(f, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
        let mut row = |name: &str, texts: [usize; 3], controls: usize, there: usize| {
            let [observed, plain, with_refs] = texts.map(|length| length / BYTES_PER_TOKEN);
            let (first, second) = (ratio(texts[0], texts[1]), ratio(texts[0], texts[2]));
            write!(f, "| {name} | {observed} | {plain} | {first:.2} | {with_refs} | {second:.2} ")?;
            writeln!(f, "| {controls} | {there} |")
        };
        let there = |page: &PageEconomy| page.controls - page.missing.len();
        for one in &self.pages {
            let texts = [&one.observed, &one.snapshot, &one.snapshot_with_refs].map(String::len);
            row(&one.page, texts, one.controls, there(one))?;
        }
        let totals = [
            self.total(|page| &page.observed),
            self.total(|page| &page.snapshot),
            self.total(|page| &page.snapshot_with_refs),
        ];
        let controls = self.pages.iter().map(|page| page.controls).sum();
        row("all", totals, controls, self.pages.iter().map(there).sum())?;
        for one in self.pages.iter().filter(|one| !one.missing.is_empty()) {
            writeln!(f, "{} lacks: {}", one.page, one.missing.join(", "))?;
        }
        Ok(())
    }
}
