//! Which element is meant: a positional target; `--ref` or `--selector`, which force one reading; or what people say of it,
//! such as `--role button --name Edit`.
//!
//! A positional text that parses as a ref is a ref, anything else a CSS selector; no selector begins with `@`, so a
//! malformed ref is told apart. Two ways of naming an element at once are refused. Whether it exists, the page decides.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::Ref;
use bsk_protocol::local::{Offset, Query, Target};
use clap::Args;

use crate::usage;

/// A target that may be positional.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    pub(crate) unlabelled: UnlabelledTargetArgs,
    /// Field by its label
    #[arg(long, value_name = "TEXT", help_heading = TARGETS)]
    pub(crate) label: Option<String>,
}

/// A target that may be positional, of a command that has another use for `--label`.
#[derive(Debug, Args)]
pub(crate) struct UnlabelledTargetArgs {
    /// Ref from `bsk observe` (`@e3`, `e3`, `@f2e3`) or CSS selector
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) forced: FlagArgs,
}

/// A target by flag only.
#[derive(Debug, Args)]
pub(crate) struct ForcedTargetArgs {
    #[command(flatten)]
    pub(crate) forced: FlagArgs,
    /// Field by its label
    #[arg(long, value_name = "TEXT", help_heading = TARGETS)]
    pub(crate) label: Option<String>,
}

/// What people say of the element that something is brought to; the same flags with `--to-` before them.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ToArgs {
    /// Element by ARIA role, such as `listitem`; all that is said of it must hold
    #[arg(id = "to_role", long = "to-role", value_name = "ROLE", help_heading = WHERE_TO)]
    role: Option<String>,
    /// Element by accessible name, in any case
    #[arg(id = "to_name", long = "to-name", value_name = "TEXT", help_heading = WHERE_TO)]
    name: Option<String>,
    /// Innermost element with this visible text
    #[arg(id = "to_text", long = "to-text", value_name = "TEXT", help_heading = WHERE_TO)]
    text: Option<String>,
    /// Field by its label
    #[arg(id = "to_label", long = "to-label", value_name = "TEXT", help_heading = WHERE_TO)]
    label: Option<String>,
    /// Field by its placeholder
    #[arg(id = "to_placeholder", long = "to-placeholder", value_name = "TEXT", help_heading = WHERE_TO)]
    placeholder: Option<String>,
    /// Element by `data-testid`
    #[arg(id = "to_test_id", long = "to-test-id", value_name = "ID", help_heading = WHERE_TO)]
    test_id: Option<String>,
    /// Which of several elements that are as said, from 0
    #[arg(id = "to_nth", long = "to-nth", value_name = "N", help_heading = WHERE_TO)]
    nth: Option<u32>,
}

/// The flags that name an element.
#[derive(Debug, Default, Args)]
pub(crate) struct FlagArgs {
    /// Element by ref
    #[arg(long = "ref", value_name = "REF", help_heading = TARGETS)]
    by_ref: Option<String>,
    /// Element by CSS selector
    #[arg(long, value_name = "CSS", help_heading = TARGETS)]
    selector: Option<String>,
    /// Element by ARIA role, such as `button`; all that is said of an element must hold
    #[arg(long, value_name = "ROLE", help_heading = TARGETS)]
    role: Option<String>,
    /// Element by accessible name, in any case
    #[arg(long, value_name = "TEXT", help_heading = TARGETS)]
    name: Option<String>,
    /// Innermost element with this visible text
    #[arg(long, value_name = "TEXT", help_heading = TARGETS)]
    text: Option<String>,
    /// Field by its placeholder
    #[arg(long, value_name = "TEXT", help_heading = TARGETS)]
    placeholder: Option<String>,
    /// Element by `data-testid`
    #[arg(long, value_name = "ID", help_heading = TARGETS)]
    test_id: Option<String>,
    /// Which of several elements that are as said, from 0
    #[arg(long, value_name = "N", help_heading = TARGETS)]
    nth: Option<u32>,
}

const TARGETS: &str = "Which element";

/// Heading of the flags that say where something is brought to.
pub(crate) const WHERE_TO: &str = "Where to";

impl TargetArgs {
    /// The one element, if one was named.
    ///
    /// # Errors
    /// Several were named, or the ref is malformed.
    pub(crate) fn optional(&self) -> Result<Option<Target>, Failure> {
        let named = self.unlabelled.target.is_some()
            || self.unlabelled.forced.named(self.label.as_deref())?.is_some();
        if named { self.required().map(Some) } else { Ok(None) }
    }

    /// The one element.
    ///
    /// # Errors
    /// None or several were named, or the ref is malformed.
    pub(crate) fn required(&self) -> Result<Target, Failure> {
        self.unlabelled.with_label(self.label.as_deref())
    }
}

impl UnlabelledTargetArgs {
    /// The one element.
    ///
    /// # Errors
    /// As [`TargetArgs::required`].
    pub(crate) fn required(&self) -> Result<Target, Failure> {
        self.with_label(None)
    }

    fn with_label(&self, label: Option<&str>) -> Result<Target, Failure> {
        match (&self.target, self.forced.named(label)?) {
            (Some(text), None) => read(text),
            (None, Some(target)) => Ok(target),
            (None, None) => Err(usage::wrong(
                "no element was named",
                "pass a ref such as `@e3` from `bsk observe`, a CSS selector, or flags such as `--role button --name Save`",
            )),
            (Some(_), Some(_)) => Err(several()),
        }
    }
}

impl ForcedTargetArgs {
    /// The element, if one was named.
    ///
    /// # Errors
    /// Several were named, or the ref is malformed.
    pub(crate) fn optional(&self) -> Result<Option<Target>, Failure> {
        self.forced.named(self.label.as_deref())
    }
}

impl FlagArgs {
    fn named(&self, label: Option<&str>) -> Result<Option<Target>, Failure> {
        let query = self.query(label)?;
        match (&self.by_ref, &self.selector, query) {
            (Some(text), None, None) => parse_ref(text).map(|found| Some(Target::Ref(found))),
            (None, Some(text), None) => selector(text).map(Some),
            (None, None, query) => Ok(query.map(|query| Target::Query(Box::new(query)))),
            (Some(_), Some(_), _) | (Some(_), None, Some(_)) | (None, Some(_), Some(_)) => Err(several()),
        }
    }

    /// What is said of the element, if anything is.
    fn query(&self, label: Option<&str>) -> Result<Option<Query>, Failure> {
        let Self { by_ref: _, selector: _, role, name, text, placeholder, test_id, nth } = self;
        let query = Query {
            role: role.clone(),
            name: name.clone(),
            text: text.clone(),
            label: label.map(str::to_owned),
            placeholder: placeholder.clone(),
            test_id: test_id.clone(),
            nth: *nth,
        };
        said(query, "--")
    }
}

impl ToArgs {
    /// What is said of the element, if anything is.
    ///
    /// # Errors
    /// Something is said that names none.
    pub(crate) fn query(&self) -> Result<Option<Query>, Failure> {
        let Self { role, name, text, label, placeholder, test_id, nth } = self.clone();
        said(Query { role, name, text, label, placeholder, test_id, nth }, "--to-")
    }

    /// The most telling thing that is said, to name the place by.
    pub(crate) fn shown(&self) -> Option<&str> {
        let Self { role, name, text, label, placeholder, test_id, nth: _ } = self;
        [name, text, label, placeholder, test_id, role].into_iter().flatten().map(String::as_str).next()
    }
}

/// A query that names elements; none when nothing is said.
fn said(query: Query, prefix: &str) -> Result<Option<Query>, Failure> {
    if query == Query::default() {
        return Ok(None);
    }
    if query == (Query { nth: query.nth, ..Query::default() }) {
        return Err(usage::wrong(
            format!("`{prefix}nth` alone names no element"),
            format!("say which elements are counted, such as `{prefix}role button {prefix}nth 1`"),
        ));
    }
    let texts = [&query.role, &query.name, &query.text, &query.label, &query.placeholder, &query.test_id];
    if texts.into_iter().flatten().any(|text| text.trim().is_empty()) {
        return Err(usage::wrong("what is said of the element is empty", "leave the empty flag out"));
    }
    Ok(Some(query))
}

/// A ref as a person typed it.
///
/// # Errors
/// It is malformed.
pub(crate) fn parse_ref(text: &str) -> Result<Ref, Failure> {
    text.parse().map_err(|error| {
        usage::wrong(format!("`{text}` is no ref: {error}"), "run `bsk observe` to see the refs of the page")
    })
}

/// CSS pixels as a person typed them: `150,25`.
///
/// # Errors
/// Not two numbers with a comma between them.
pub(crate) fn offset(text: &str) -> Result<Offset, String> {
    let number = |part: &str| part.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let parts = text.split_once(',').and_then(|(x, y)| Some(Offset { x: number(x)?, y: number(y)? }));
    parts.ok_or_else(|| "two numbers of CSS pixels such as `150,25` are needed".to_owned())
}

/// A positional text as a ref or a selector.
///
/// # Errors
/// A malformed ref, or nothing at all.
pub(crate) fn read(text: &str) -> Result<Target, Failure> {
    if text.starts_with('@') {
        return parse_ref(text).map(Target::Ref);
    }
    match text.parse() {
        Ok(found) => Ok(Target::Ref(found)),
        Err(_) => selector(text),
    }
}

fn selector(text: &str) -> Result<Target, Failure> {
    if text.trim().is_empty() {
        return Err(usage::wrong("the selector is empty", "pass a CSS selector such as `#submit`"));
    }
    Ok(Target::Selector(text.to_owned()))
}

fn several() -> Failure {
    usage::wrong(
        "an element was named in several ways",
        "use one of: a positional target, `--ref`, `--selector`, or flags such as `--role` and `--name`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(target: Option<&str>, by_ref: Option<&str>, selector: Option<&str>) -> TargetArgs {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let forced = FlagArgs { by_ref: owned(by_ref), selector: owned(selector), ..FlagArgs::default() };
        TargetArgs { unlabelled: UnlabelledTargetArgs { target: owned(target), forced }, label: None }
    }

    fn the_ref(text: &str) -> Target {
        Target::Ref(text.parse().unwrap())
    }

    #[test]
    fn a_positional_text_is_a_ref_where_it_reads_as_one_and_else_a_selector() {
        assert_eq!(args(Some("@e3"), None, None).required(), Ok(the_ref("@e3")));
        assert_eq!(args(Some("e3"), None, None).required(), Ok(the_ref("@e3")));
        assert_eq!(args(Some("@f2e3"), None, None).required(), Ok(the_ref("@f2e3")));
        assert_eq!(args(Some("em"), None, None).required(), Ok(Target::Selector("em".into())));
        assert_eq!(args(Some("#a > b"), None, None).required(), Ok(Target::Selector("#a > b".into())));
    }

    #[test]
    fn an_offset_is_two_numbers_and_nothing_else() {
        assert_eq!(offset("150, -2.5"), Ok(Offset { x: 150.0, y: -2.5 }));
        for wrong in ["", "5", "a,b", "1,2,3", "inf,0", "@e3", "ul, ol"] {
            assert!(offset(wrong).is_err(), "`{wrong}`");
        }
    }

    #[test]
    fn flags_force_one_reading() {
        assert_eq!(args(None, None, Some("e3")).required(), Ok(Target::Selector("e3".into())));
        assert_eq!(args(None, Some("e3"), None).required(), Ok(the_ref("@e3")));
    }

    #[test]
    fn malformed_refs_none_and_several_are_refused_as_the_request_s_fault() {
        for wrong in [
            args(None, Some("#a"), None),
            args(Some("@e0"), None, None),
            args(Some("@x"), None, None),
            args(Some(" "), None, None),
            args(None, None, None),
            args(Some("@e1"), Some("@e1"), None),
            args(None, Some("@e1"), Some("a")),
        ] {
            let failure = wrong.required().unwrap_err();
            assert_eq!(failure.exit_code(), 1, "{wrong:?}");
            assert!(failure.hint.is_some());
        }
    }

    #[test]
    fn what_is_said_of_an_element_is_a_query() {
        let mut said = args(None, None, None);
        said.unlabelled.forced.role = Some("button".into());
        said.unlabelled.forced.nth = Some(1);
        let query = Query { role: Some("button".into()), nth: Some(1), ..Query::default() };
        assert_eq!(said.required(), Ok(Target::Query(Box::new(query))));
        said.unlabelled.target = Some("@e1".into());
        assert_eq!(said.required().unwrap_err().exit_code(), 1);
        let mut count = args(None, None, None);
        count.unlabelled.forced.nth = Some(1);
        assert!(count.required().unwrap_err().message.contains("--nth"));
        let mut empty = args(None, None, None);
        empty.label = Some(" ".into());
        assert_eq!(empty.required().unwrap_err().exit_code(), 1);
    }
}
