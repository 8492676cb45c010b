//! Searching the lines of an observation and showing the matches with what they are in.

use std::fmt::Write as _;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::Match;
use regex::{Regex, RegexBuilder};

use super::header::visible;
use super::lines::Lines;
use super::tree::Tree;

/// Bytes that a compiled expression may take, so that one cannot use up the host's memory.
const EXPRESSION_BYTES: usize = 2 * 1024 * 1024;

/// What is searched for.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    shown: String,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) text: String,
    pub(super) match_count: u32,
    pub(super) matches: Vec<Match>,
}

impl Pattern {
    /// A text whose case does not matter, or a regular expression as it is.
    ///
    /// # Errors
    /// It is empty or no regular expression.
    pub(super) fn new(pattern: &str, is_regex: bool) -> Result<Self, Failure> {
        let wrong = |why: &str| {
            Failure::new(ErrorCode::InvalidParams, Reason::PatternInvalid, format!("`{pattern}` {why}"))
        };
        if pattern.trim().is_empty() {
            return Err(wrong("is nothing to look for").hint("pass a text, such as `bsk find Total`"));
        }
        let source = if is_regex { pattern.to_owned() } else { text_source(pattern) };
        let regex = RegexBuilder::new(&source)
            .case_insensitive(!is_regex)
            .size_limit(EXPRESSION_BYTES)
            .build()
            .map_err(|error| {
                // The last line says what is wrong, those before show where.
                let error = error.to_string();
                let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                wrong(&format!("is no regular expression: {why}"))
                    .hint("escape signs such as `(` with a backslash, or leave `--regex` out")
            })?;
        Ok(Self { regex, shown: visible(pattern) })
    }
}

/// A text as an expression; where it stands in quotes, brackets or a row, lines have a backslash before some signs.
fn text_source(text: &str) -> String {
    let mut source = String::new();
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            source.push(' ');
        }
        for sign in word.chars() {
            if matches!(sign, '"' | '|' | '[' | ']' | '\\') {
                source.push_str(r"\\?");
            }
            source.push_str(&regex::escape(sign.encode_utf8(&mut [0; 4])));
        }
    }
    source
}

/// Searches all lines and lists the first `max` matches.
pub(super) fn find(tree: &Tree, lines: &Lines, header: &str, pattern: &Pattern, max: u32) -> Found {
    let every = 0..u32::try_from(lines.all.len()).unwrap_or(u32::MAX);
    let mut hits = every.filter(|&line| pattern.regex.is_match(lines.text(line)));
    let listed: Vec<u32> = hits.by_ref().take(max as usize).collect();
    let match_count = listed.len() + hits.count();
    let mut text = header.to_owned();
    if match_count == 0 {
        let _ = writeln!(text, "no match for `{}`", pattern.shown);
    }
    print(&mut text, lines, &listed);
    if match_count > listed.len() {
        let _ =
            writeln!(text, "… {} more matches: --max {match_count} shows all", match_count - listed.len());
    }
    let matches = listed.iter().map(|&line| found(tree, lines, line)).collect();
    Found { text, match_count: u32::try_from(match_count).unwrap_or(u32::MAX), matches }
}

fn print(text: &mut String, lines: &Lines, listed: &[u32]) {
    let mut shown: Vec<u32> =
        listed.iter().flat_map(|&line| std::iter::once(line).chain(lines.ancestors(line))).collect();
    shown.sort_unstable();
    shown.dedup();
    for line in shown {
        lines.print(text, line);
    }
}

fn found(tree: &Tree, lines: &Lines, line: u32) -> Match {
    let node = tree.node(lines.all[line as usize].node);
    let mut ancestors: Vec<String> = lines.ancestors(line).map(|line| lines.text(line).to_owned()).collect();
    ancestors.reverse();
    Match {
        line: lines.text(line).to_owned(),
        element: node.handle(),
        role: tree.texts.get(node.role).to_owned(),
        name: (!node.name.is_none()).then(|| tree.texts.get(node.name).to_owned()),
        ancestors,
    }
}
