//! Which element is meant: a positional target, or `--ref` or `--selector`, which force one reading.
//!
//! A positional text that parses as a ref is a ref, anything else a CSS selector; no selector begins with `@`, so a
//! malformed ref is told apart. Two ways of naming an element at once are refused. Whether it exists, the page decides.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::Ref;
use bsk_protocol::local::Target;
use clap::Args;

use crate::usage;

/// A target that may be positional.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Ref from `bsk observe` (`@e3`, `e3`, `@f2e3`) or CSS selector
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) forced: ForcedTargetArgs,
}

/// A target by flag only.
#[derive(Debug, Args)]
pub(crate) struct ForcedTargetArgs {
    /// Element by ref
    #[arg(long = "ref", value_name = "REF")]
    pub(crate) by_ref: Option<String>,
    /// Element by CSS selector
    #[arg(long, value_name = "CSS")]
    pub(crate) selector: Option<String>,
}

impl TargetArgs {
    /// The one element.
    ///
    /// # Errors
    /// None or several were named, or the ref is malformed.
    pub(crate) fn required(&self) -> Result<Target, Failure> {
        match (&self.target, self.forced.optional()?) {
            (Some(text), None) => read(text),
            (None, Some(target)) => Ok(target),
            (None, None) => Err(usage::wrong(
                "no element was named",
                "pass a ref such as `@e3` from `bsk observe`, or a CSS selector",
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
        match (&self.by_ref, &self.selector) {
            (Some(text), None) => parse_ref(text).map(|found| Some(Target::Ref(found))),
            (None, Some(text)) => selector(text).map(Some),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(several()),
        }
    }
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

fn read(text: &str) -> Result<Target, Failure> {
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
        "use one of: a positional target, `--ref`, `--selector`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(target: Option<&str>, by_ref: Option<&str>, selector: Option<&str>) -> TargetArgs {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let forced = ForcedTargetArgs { by_ref: owned(by_ref), selector: owned(selector) };
        TargetArgs { target: owned(target), forced }
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
}
