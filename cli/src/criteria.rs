//! Completion criteria as people and programs write them in JSON.
//!
//! `{"url_contains": "/account"}`, `{"type": "url_contains", "value": "/account"}`, `{"any": […]}`, `{"all": […]}`; several in one
//! object must all hold, and `stable_for_ms` beside them says for how long without a break. Anything else is refused with what is
//! wrong where, so that a typing error never makes a help that cannot end. Whether a selector or an expression is one, the host says.

use bsk_protocol::failure::Failure;
use bsk_protocol::local::Criterion;
use serde_json::{Map, Value};

use crate::usage;

/// How deep `any` and `all` may be nested, and how many conditions there may be: each is watched for in the page.
const DEEPEST: usize = 8;
const MOST: usize = 50;
/// A day, as of every wait.
const LONGEST_MS: u64 = 86_400_000;

const EXAMPLE: &str = r##"such as `{"any": [{"url_contains": "/account"}, {"selector_exists": "#welcome"}], "stable_for_ms": 500}`"##;

/// Reads criteria.
///
/// # Errors
/// No JSON, or no criteria.
pub(crate) fn read(text: &str) -> Result<Criterion, Failure> {
    let value: Value = serde_json::from_str(text).map_err(|error| wrong(&format!("is no JSON: {error}")))?;
    let mut left = MOST;
    let read = criterion(&value, "the top", DEEPEST, &mut left)
        .map_err(|what| wrong(&format!("cannot be used: {what}")))?;
    Ok(read)
}

fn wrong(what: &str) -> Failure {
    usage::wrong(format!("`--completion-criteria` {what}"), format!("give one JSON value {EXAMPLE}"))
}

fn criterion(value: &Value, place: &str, depth: usize, left: &mut usize) -> Result<Criterion, String> {
    let Value::Object(fields) = value else {
        return Err(format!("{place} is no object with a condition"));
    };
    let depth =
        depth.checked_sub(1).ok_or_else(|| format!("more than {DEEPEST} levels of `any` and `all`"))?;
    let mut fields = untyped(fields, place)?;
    let stable = fields.remove("stable_for_ms").map(|value| span(&value, place)).transpose()?;
    let mut parts = Vec::new();
    for (key, value) in &fields {
        parts.push(condition(key, value, place, depth, left)?);
    }
    let whole = match parts.pop() {
        None => return Err(format!("{place} has no condition")),
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            Criterion::All(parts)
        }
    };
    Ok(match stable {
        None | Some(0) => whole,
        Some(for_ms) => Criterion::Stable { criterion: Box::new(whole), for_ms },
    })
}

/// The fields with `{"type": "url_contains", "value": …}` written as `{"url_contains": …}`.
fn untyped(fields: &Map<String, Value>, place: &str) -> Result<Map<String, Value>, String> {
    let mut fields = fields.clone();
    let Some(kind) = fields.remove("type") else { return Ok(fields) };
    let Value::String(kind) = kind else { return Err(format!("`type` of {place} is no text")) };
    let value = fields.remove("value").ok_or_else(|| format!("{place} has a `type` and no `value`"))?;
    fields.insert(kind, value);
    Ok(fields)
}

fn condition(
    key: &str,
    value: &Value,
    place: &str,
    depth: usize,
    left: &mut usize,
) -> Result<Criterion, String> {
    let one = match key {
        "url_contains" => Criterion::UrlContains,
        "url_matches" => Criterion::UrlMatches,
        "selector_exists" => Criterion::SelectorExists,
        "selector_missing" => Criterion::SelectorMissing,
        "text_exists" => Criterion::TextExists,
        "text_missing" => Criterion::TextMissing,
        "any" => return members(key, value, place, depth, left).map(Criterion::Any),
        "all" => return members(key, value, place, depth, left).map(Criterion::All),
        _ => {
            return Err(format!(
                "{place} has an unknown condition `{key}`; there are `url_contains`, `url_matches`, `selector_exists`, \
                 `selector_missing`, `text_exists`, `text_missing`, `any`, `all`"
            ));
        }
    };
    *left = left.checked_sub(1).ok_or_else(|| format!("more than {MOST} conditions"))?;
    match value {
        Value::String(text) if !text.trim().is_empty() => Ok(one(text.clone())),
        Value::String(_) => Err(format!("`{key}` of {place} is empty")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(format!("`{key}` of {place} is no text"))
        }
    }
}

fn members(
    key: &str,
    value: &Value,
    place: &str,
    depth: usize,
    left: &mut usize,
) -> Result<Vec<Criterion>, String> {
    let Value::Array(members) = value else { return Err(format!("`{key}` of {place} is no list")) };
    if members.is_empty() {
        return Err(format!("`{key}` of {place} is empty"));
    }
    let within = if place == "the top" { String::new() } else { format!("{place}.") };
    let member = |(index, value)| criterion(value, &format!("{within}{key}[{index}]"), depth, left);
    members.iter().enumerate().map(member).collect()
}

fn span(value: &Value, place: &str) -> Result<u64, String> {
    value
        .as_u64()
        .filter(|ms| *ms <= LONGEST_MS)
        .ok_or_else(|| format!("`stable_for_ms` of {place} is no whole number of milliseconds up to a day"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(part: &str) -> Criterion {
        Criterion::UrlContains(part.to_owned())
    }

    fn stable(criterion: Criterion, for_ms: u64) -> Criterion {
        Criterion::Stable { criterion: Box::new(criterion), for_ms }
    }

    #[test]
    fn both_ways_of_writing_a_condition_are_read() {
        let table = [
            (r#"{"url_contains": "x"}"#, url("x")),
            (r#"{"type": "url_contains", "value": "x"}"#, url("x")),
            (r#"{"any": [{"url_contains": "x"}]}"#, Criterion::Any(vec![url("x")])),
            (r#"{"url_contains": "x", "stable_for_ms": 500}"#, stable(url("x"), 500)),
            (r#"{"url_contains": "x", "stable_for_ms": 0}"#, url("x")),
            (
                r##"{"all": [{"any": [{"text_exists": "Hi"}]}, {"selector_missing": "#a", "stable_for_ms": 9}]}"##,
                Criterion::All(vec![
                    Criterion::Any(vec![Criterion::TextExists("Hi".into())]),
                    stable(Criterion::SelectorMissing("#a".into()), 9),
                ]),
            ),
            (
                r#"{"url_matches": "x$", "text_missing": "y"}"#,
                Criterion::All(vec![Criterion::TextMissing("y".into()), Criterion::UrlMatches("x$".into())]),
            ),
        ];
        for (text, expected) in table {
            assert_eq!(read(text).as_ref(), Ok(&expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_criterion_is_refused_with_its_place() {
        let deep = format!("{}{}{}", r#"{"any":["#.repeat(9), r#"{"url_contains":"x"}"#, "]}".repeat(9));
        let many = format!(r#"{{"any":[{}]}}"#, vec![r#"{"url_contains":"x"}"#; 51].join(","));
        let table = [
            ("{", "is no JSON"),
            ("[]", "the top is no object"),
            ("{}", "the top has no condition"),
            (r#"{"stable_for_ms": 5}"#, "the top has no condition"),
            (r#"{"url": "x"}"#, "unknown condition `url`"),
            (r#"{"url_contains": ""}"#, "`url_contains` of the top is empty"),
            (r#"{"url_contains": 5}"#, "`url_contains` of the top is no text"),
            (r#"{"any": []}"#, "`any` of the top is empty"),
            (r#"{"any": {"url_contains": "x"}}"#, "`any` of the top is no list"),
            (r#"{"all": [{"any": ["x"]}]}"#, "all[0].any[0] is no object"),
            (r#"{"url_contains": "x", "stable_for_ms": -1}"#, "`stable_for_ms` of the top"),
            (r#"{"type": "url_contains"}"#, "no `value`"),
            (&deep, "more than 8 levels"),
            (&many, "more than 50 conditions"),
        ];
        for (text, said) in table {
            let failure = read(text).unwrap_err();
            assert!(failure.message.contains(said), "{text}: {failure}");
            assert_eq!(failure.exit_code(), 1);
            assert!(failure.hint.is_some_and(|hint| hint.contains("url_contains")), "an example");
        }
    }
}
