//! Criteria: what has to hold for a help to be over, judged from facts about the page.
//!
//! Pure: it is told what holds now and says whether all of it is as wished, or when to ask again. What is to hold for a while
//! begins anew with every break that it is told of, so whoever asks tells each change, in order.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::Criterion;
use regex::{Regex, RegexBuilder};
use tokio::time::{Duration, Instant};

use crate::wait::Kind;

/// Bytes that a compiled expression may take, so that one cannot use up the host's memory.
const EXPRESSION_BYTES: usize = 2 * 1024 * 1024;

/// One thing to know about the page.
#[derive(Debug, Clone)]
pub(super) enum Fact {
    /// The address has this in it.
    UrlContains(String),
    /// The address fits.
    UrlMatches(Regex),
    /// A text or an element is there, or is not.
    Shown(Kind, String),
}

impl Fact {
    /// Whether it is one about the address, and so of this one.
    pub(super) fn holds_of(&self, url: &str) -> bool {
        match self {
            Self::UrlContains(part) => url.contains(part.as_str()),
            Self::UrlMatches(pattern) => pattern.is_match(url),
            Self::Shown(..) => false,
        }
    }
}

/// What was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    Met,
    /// Not met; without any change it is at this time, if at all.
    Not(Option<Instant>),
}

/// Criteria with what they remember.
#[derive(Debug)]
pub(super) struct Criteria {
    root: Node,
    facts: Vec<Fact>,
}

#[derive(Debug)]
enum Node {
    /// By its place among the facts.
    Fact(usize),
    Any(Vec<Node>),
    All(Vec<Node>),
    Stable {
        node: Box<Node>,
        span: Duration,
        since: Option<Instant>,
    },
}

impl Criteria {
    /// # Errors
    /// A regular expression is none.
    pub(super) fn new(wish: Criterion) -> Result<Self, Failure> {
        let mut facts = Vec::new();
        let root = node(wish, &mut facts)?;
        Ok(Self { root, facts })
    }

    /// What has to be known.
    pub(super) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Judges what holds at a moment; `holding` has an entry for each of [`Criteria::facts`].
    pub(super) fn judge(&mut self, holding: &[bool], now: Instant) -> Judged {
        self.root.judge(holding, now)
    }
}

fn node(wish: Criterion, facts: &mut Vec<Fact>) -> Result<Node, Failure> {
    let fact = match wish {
        Criterion::UrlContains(part) => Fact::UrlContains(part),
        Criterion::UrlMatches(source) => Fact::UrlMatches(expression(&source)?),
        Criterion::SelectorExists(selector) => Fact::Shown(Kind::Selector, selector),
        Criterion::SelectorMissing(selector) => Fact::Shown(Kind::Gone, selector),
        Criterion::TextExists(text) => Fact::Shown(Kind::Text, text),
        Criterion::TextMissing(text) => Fact::Shown(Kind::GoneText, text),
        Criterion::Any(members) => return Ok(Node::Any(nodes(members, facts)?)),
        Criterion::All(members) => return Ok(Node::All(nodes(members, facts)?)),
        Criterion::Stable { criterion, for_ms } => {
            let node = Box::new(node(*criterion, facts)?);
            return Ok(Node::Stable { node, span: Duration::from_millis(for_ms), since: None });
        }
    };
    facts.push(fact);
    Ok(Node::Fact(facts.len() - 1))
}

fn nodes(wishes: Vec<Criterion>, facts: &mut Vec<Fact>) -> Result<Vec<Node>, Failure> {
    wishes.into_iter().map(|wish| node(wish, facts)).collect()
}

fn expression(source: &str) -> Result<Regex, Failure> {
    RegexBuilder::new(source).size_limit(EXPRESSION_BYTES).build().map_err(|error| {
        // The last line says what is wrong, those before show where.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::new(
            ErrorCode::InvalidParams,
            Reason::PatternInvalid,
            format!("`{source}` in `url_matches` is no regular expression: {why}"),
        )
        .hint("escape signs such as `?` with a backslash, which JSON writes as two, or use `url_contains`")
    })
}

impl Node {
    /// Judges every part, also where the others decide already: each remembers since when it holds.
    fn judge(&mut self, holding: &[bool], now: Instant) -> Judged {
        match self {
            Self::Fact(place) if holding.get(*place) == Some(&true) => Judged::Met,
            Self::Fact(_) => Judged::Not(None),
            Self::Any(members) => {
                let judged = each(members, holding, now);
                if judged.contains(&Judged::Met) { Judged::Met } else { Judged::Not(times(&judged).min()) }
            }
            Self::All(members) => {
                let judged = each(members, holding, now);
                let is_met = judged.iter().all(|judged| *judged == Judged::Met);
                if is_met { Judged::Met } else { Judged::Not(times(&judged).min()) }
            }
            Self::Stable { node, span, since } => match node.judge(holding, now) {
                Judged::Met => {
                    let met = *since.get_or_insert(now) + *span;
                    if met <= now { Judged::Met } else { Judged::Not(Some(met)) }
                }
                Judged::Not(again) => {
                    *since = None;
                    Judged::Not(again)
                }
            },
        }
    }
}

fn each(members: &mut [Node], holding: &[bool], now: Instant) -> Vec<Judged> {
    members.iter_mut().map(|member| member.judge(holding, now)).collect()
}

fn times(judged: &[Judged]) -> impl Iterator<Item = Instant> + '_ {
    judged.iter().filter_map(|judged| match judged {
        Judged::Met => None,
        Judged::Not(again) => *again,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Criterion {
        Criterion::TextExists(text.to_owned())
    }

    fn stable(criterion: Criterion, for_ms: u64) -> Criterion {
        Criterion::Stable { criterion: Box::new(criterion), for_ms }
    }

    /// Tells facts at times, in milliseconds, and says at which of them the criteria were met.
    fn met_at(wish: Criterion, told: &[(u64, &[bool])]) -> Vec<u64> {
        let mut criteria = Criteria::new(wish).unwrap();
        let start = Instant::now();
        let met = told.iter().filter(|(at, holding)| {
            criteria.judge(holding, start + Duration::from_millis(*at)) == Judged::Met
        });
        met.map(|(at, _)| *at).collect()
    }

    #[test]
    fn any_and_all_are_met_as_their_names_say() {
        let both = || vec![text("a"), text("b")];
        let table: [(Criterion, &[bool], bool); 9] = [
            (text("a"), &[true], true),
            (text("a"), &[false], false),
            (Criterion::Any(both()), &[false, true], true),
            (Criterion::Any(both()), &[false, false], false),
            (Criterion::All(both()), &[true, true], true),
            (Criterion::All(both()), &[true, false], false),
            (Criterion::All(vec![Criterion::Any(both()), text("c")]), &[false, true, true], true),
            (Criterion::All(vec![Criterion::Any(both()), text("c")]), &[true, true, false], false),
            (Criterion::Any(Vec::new()), &[], false),
        ];
        for (wish, holding, is_met) in table {
            let shown = format!("{wish:?} {holding:?}");
            assert_eq!(!met_at(wish, &[(0, holding)]).is_empty(), is_met, "{shown}");
        }
    }

    #[test]
    fn a_break_begins_the_time_anew() {
        let told: [(u64, &[bool]); 6] =
            [(0, &[true]), (400, &[true]), (450, &[false]), (460, &[true]), (900, &[true]), (960, &[true])];
        assert_eq!(met_at(stable(text("a"), 500), &told), [960]);
    }

    #[test]
    fn one_that_holds_in_place_of_another_is_no_break_of_any() {
        let any = Criterion::Any(vec![text("a"), text("b")]);
        assert_eq!(
            met_at(stable(any, 500), &[(0, &[true, false]), (300, &[false, true]), (500, &[false, true])]),
            [500]
        );
        let apart = Criterion::Any(vec![stable(text("a"), 500), stable(text("b"), 500)]);
        assert_eq!(
            met_at(
                apart,
                &[(0, &[true, false]), (300, &[false, true]), (500, &[false, true]), (800, &[false, true])]
            ),
            [800]
        );
    }

    #[test]
    fn the_next_time_is_that_of_the_first_that_could_be_met() {
        let wish =
            Criterion::Any(vec![stable(text("a"), 700), stable(text("b"), 300), stable(text("c"), 10)]);
        let mut criteria = Criteria::new(wish).unwrap();
        let now = Instant::now();
        let next = Judged::Not(Some(now + Duration::from_millis(300)));
        assert_eq!(criteria.judge(&[true, true, false], now), next);
    }

    #[test]
    fn addresses_are_compared_as_they_are() {
        let holds = |wish, url| Criteria::new(wish).unwrap().facts()[0].holds_of(url);
        let url = "https://shop.test/orders/17?done=1";
        assert!(holds(Criterion::UrlContains("/orders/".into()), url));
        assert!(!holds(Criterion::UrlContains("/Orders/".into()), url));
        assert!(holds(Criterion::UrlMatches(r"/orders/\d+".into()), url));
        assert!(!holds(Criterion::UrlMatches(r"/orders/\d+$".into()), url));
        let failure = Criteria::new(Criterion::UrlMatches("(".into())).unwrap_err();
        assert_eq!((failure.reason, failure.exit_code()), (Some(Reason::PatternInvalid), 1));
    }
}
