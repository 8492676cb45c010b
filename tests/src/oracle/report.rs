//! The comparison as text: percentages by page and by rule, totals, and every difference with its reason.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::compare::{Comparison, Difference, Tallies, What};

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        table(f, "rule", &self.by_rule)?;
        table(f, "page", &self.by_page)?;
        let all = BTreeMap::from([("all pages".to_owned(), self.total.clone())]);
        table(f, "total", &all)?;
        counts(
            f,
            "only the page library knows (hidden from assistive technology, inert, inside an image)",
            &self.only_ours,
        )?;
        counts(f, "only Chromium knows", &self.only_chromium)?;
        self.explained(f)?;
        for difference in self.unknown() {
            writeln!(f, "UNKNOWN {difference}")?;
        }
        for entry in &self.outdated {
            writeln!(f, "OUTDATED {entry}")?;
        }
        Ok(())
    }
}

impl Comparison {
    fn explained(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut by_reason: BTreeMap<&str, Vec<&Difference>> = BTreeMap::new();
        for difference in &self.differences {
            if let Some(why) = &difference.why {
                by_reason.entry(why).or_default().push(difference);
            }
        }
        for (why, differences) in by_reason {
            writeln!(f, "{why} ({})", differences.len())?;
            for difference in differences {
                writeln!(f, "  {difference}")?;
            }
        }
        Ok(())
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { page, element, what, ours, chromium, why: _ } = self;
        let other = if *what == What::Expected { "the standard's test" } else { "Chromium" };
        write!(f, "{page} {what}: ours {ours:?}, {other} {chromium:?}  {element}")
    }
}

fn table(f: &mut Formatter<'_>, head: &str, rows: &BTreeMap<String, Tallies>) -> fmt::Result {
    writeln!(f, "{head:<40} elements    role    name  description  expected")?;
    for (name, tallies) in rows {
        let percent = |what: What| match tallies.get(&what) {
            Some(tally) if tally.all == tally.same => "100".to_owned(),
            Some(tally) => format!("{:.2}", tally.percent()),
            None => "-".to_owned(),
        };
        let elements = tallies.get(&What::Role).map_or(0, |tally| tally.all);
        let [role, name_, description, expected] = What::ALL.map(percent);
        writeln!(f, "{name:<40} {elements:>8} {role:>7} {name_:>7} {description:>12} {expected:>9}")?;
    }
    writeln!(f)
}

fn counts(f: &mut Formatter<'_>, head: &str, counts: &BTreeMap<String, usize>) -> fmt::Result {
    let list: Vec<String> = counts.iter().map(|(role, count)| format!("{role} {count}")).collect();
    writeln!(f, "{head}: {}\n", if list.is_empty() { "none".to_owned() } else { list.join(", ") })
}
