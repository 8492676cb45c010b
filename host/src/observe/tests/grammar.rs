//! The grammar of docs/observation.md, as a small reader that fails on anything else.

/// Checks every line of an observation.
#[track_caller]
pub(super) fn check(text: &str) {
    for (number, line) in text.lines().enumerate() {
        let is_read = if number == 0 { header(line) } else { any(line) };
        assert!(is_read.is_some(), "line {} is not in the grammar: {line}\n{text}", number + 1);
    }
}

fn any(line: &str) -> Option<()> {
    let body = line.trim_start_matches(' ');
    if let Some(rest) = body.strip_prefix("… ") {
        return rest.starts_with(|c: char| c.is_ascii_digit()).then_some(());
    }
    if let Some(rest) = body.strip_prefix("--- ") {
        return ["above the view", "in view", "below the view", "beside the view"]
            .contains(&rest)
            .then_some(());
    }
    if line.starts_with('(') {
        return line.ends_with(')').then_some(());
    }
    node(body)
}

/// `page "title" url WxH [scrolled N of M] [flags]`
fn header(line: &str) -> Option<()> {
    let rest = quoted(line.strip_prefix("page ")?)?.strip_prefix(' ')?;
    let (_, mut rest) = rest.split_once(' ')?;
    if let Some((_, after)) = rest.strip_prefix("(+").and_then(|rest| rest.split_once(") ")) {
        rest = after;
    }
    let mut words = rest.split(' ').peekable();
    let (width, height) = words.next()?.split_once('x')?;
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    if !is_number(width) || !is_number(height) {
        return None;
    }
    if words.next_if_eq(&"scrolled").is_some() {
        let (at, of, most) = (words.next()?, words.next()?, words.next()?);
        (is_number(at) && of == "of" && is_number(most)).then_some(())?;
    }
    words.all(|word| word.starts_with('[') && word.ends_with(']')).then_some(())
}

/// `@ref role "name" value "…" [state] in "…" -> target — description`, or with `: text` at the end.
fn node(body: &str) -> Option<()> {
    let mut rest = body;
    if let Some(after) = rest.strip_prefix('@') {
        let (handle, after) = after.split_once(' ')?;
        handle.chars().all(|c| c.is_ascii_digit() || matches!(c, 'e' | 'f')).then_some(())?;
        rest = after;
    }
    let role = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
    rest = &rest[role..];
    (role > 0).then_some(())?;
    rest = optional(rest, " \"", |rest| quoted(&rest[1..]))?;
    rest = optional(rest, " value \"", |rest| quoted(&rest[" value ".len()..]))?;
    while rest.starts_with(" [") {
        rest = state(rest)?;
    }
    rest = optional(rest, " in \"", |rest| quoted(&rest[" in ".len()..]))?;
    rest = optional(rest, " -> ", |rest| {
        let target = &rest[" -> ".len()..];
        Some(&target[target.find(' ').unwrap_or(target.len())..])
    })?;
    let is_end = rest.is_empty() || rest.starts_with(" — ") || rest.starts_with(": ");
    is_end.then_some(())
}

fn optional<'a>(
    rest: &'a str,
    start: &str,
    read: impl FnOnce(&'a str) -> Option<&'a str>,
) -> Option<&'a str> {
    if rest.starts_with(start) { read(rest) } else { Some(rest) }
}

/// What follows a text in quotes.
fn quoted(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    for (at, character) in text.strip_prefix('"')?.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(&text[at + 2..]),
            _ => {}
        }
    }
    None
}

/// What follows a state in brackets.
fn state(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix(" [")?;
    if let Some(message) = rest.strip_prefix("invalid ") {
        rest = quoted(message)?;
    }
    let mut is_escaped = false;
    for (at, character) in rest.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ']' => return Some(&rest[at + 1..]),
            _ => {}
        }
    }
    None
}

#[test]
fn the_reader_refuses_what_is_not_in_the_grammar() {
    for line in [
        "@e1",
        "button \"a",
        "button \"a\"b",
        "button [checked",
        "--- beyond the view",
        "… more",
        "Button",
        "@x1 button",
    ] {
        assert_eq!(any(line), None, "{line}");
    }
}
