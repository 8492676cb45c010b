//! The economy of `bsk observe`: its tokens for the ten realistic pages beside those of a plain aria snapshot, and whether every
//! control of the accessibility tree is in it.
//!
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
    /// Controls of the accessibility tree.
    pub controls: usize,
    /// Those that the observation lacks, as `role "name"`.
    pub missing: Vec<String>,
}

impl PageEconomy {
    /// Tokens of the observation per token of the snapshot.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn ratio(&self) -> f64 {
        self.observed.len() as f64 / self.snapshot.len().max(1) as f64
    }
}

/// The ten pages' numbers.
#[derive(Debug)]
pub struct Economy {
    /// In the order of the pages.
    pub pages: Vec<PageEconomy>,
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
            snapshot: snapshot.text,
        }
    };
    Economy { pages: sites().into_iter().map(measure).collect() }
}

/// The controls that have no line of their own in the observation.
fn missing(controls: &[Control], observed: &str) -> Vec<String> {
    let mut lines: Vec<&str> = observed.lines().filter(|line| line.trim_start().starts_with('@')).collect();
    let mut missing = Vec::new();
    for control in controls {
        let found = lines.iter().position(|line| is_line_of(line, control));
        match found {
            // Each line stands for one control only.
            Some(at) => drop(lines.remove(at)),
            None if control.role == "option" && observed.contains(&control.name) => {}
            None => missing.push(format!("{} \"{}\"", control.role, control.name)),
        }
    }
    missing
}

fn is_line_of(line: &str, control: &Control) -> bool {
    let name = quoted(&control.name);
    if name.is_empty() {
        return line.split_whitespace().nth(1) == Some(control.role.as_str())
            && !line.contains(&format!("{} \"", control.role));
    }
    line.contains(&format!(" \"{name}"))
}

/// The beginning of a name as a line shows it: private-use symbols left out, quotes escaped.
fn quoted(name: &str) -> String {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
    escaped.chars().take(COMPARED_NAME).collect()
}

impl Display for Economy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Tokens (bytes / {BYTES_PER_TOKEN}) of `bsk observe --max-tokens 1000000` beside a plain aria snapshot of the same page.\n"
        )?;
        writeln!(
            f,
            "| page | observe | aria snapshot | ratio | controls | with their name in the observation |"
        )?;
        writeln!(f, "| --- | ---: | ---: | ---: | ---: | ---: |")?;
        for one in &self.pages {
            let there = one.controls - one.missing.len();
            let PageEconomy { page, controls, .. } = one;
            let [observed, snapshot] =
                [&one.observed, &one.snapshot].map(|text| text.len() / BYTES_PER_TOKEN);
            writeln!(f, "| {page} | {observed} | {snapshot} | {:.2} | {controls} | {there} |", one.ratio())?;
        }
        for one in self.pages.iter().filter(|one| !one.missing.is_empty()) {
            writeln!(f, "{} lacks: {}", one.page, one.missing.join(", "))?;
        }
        Ok(())
    }
}
