//! The way through a soak: one action after the other, each compared with its page's own record, at an even pace.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Browser, Page, Session};

/// How long a message from a frame or another tab may take to the page that keeps the record.
const MESSAGE_LIMIT: Duration = Duration::from_secs(2);

/// What was done so far.
pub(super) struct Course<'a> {
    pub(super) browser: &'a Browser,
    pub(super) session: &'a Session<'a>,
    started: Instant,
    /// Time from one action to the next.
    rest: Duration,
    tally: BTreeMap<String, usize>,
}

impl<'a> Course<'a> {
    pub(super) fn new(browser: &'a Browser, session: &'a Session<'a>, rest: Duration) -> Self {
        Self { browser, session, started: Instant::now(), rest, tally: BTreeMap::new() }
    }

    /// How many actions were done.
    pub(super) fn done(&self) -> usize {
        self.tally.values().sum()
    }

    /// How often each command was run.
    pub(super) fn tally(&self) -> String {
        let each: Vec<String> = self.tally.iter().map(|(name, count)| format!("{name} {count}")).collect();
        format!(
            "{} actions in {:.0} s: {}",
            self.done(),
            self.started.elapsed().as_secs_f64(),
            each.join(", ")
        )
    }

    /// Runs one action, which must end with this exit code.
    pub(super) fn run(&mut self, args: &[&str], exit_code: i32) -> Result<Value, String> {
        let due = self.rest * u32::try_from(self.done()).unwrap_or(u32::MAX);
        // The pace of the run, not a wait for anything.
        thread::sleep(due.saturating_sub(self.started.elapsed()));
        let name =
            if args[0] == "dialog" || args[0] == "tab" { args[..2].join(" ") } else { args[0].to_owned() };
        *self.tally.entry(name).or_default() += 1;
        let ran = self.session.bsk(args);
        if ran.exit_code() != Some(exit_code) {
            return Err(format!("action {} was to exit with {exit_code}: {}", self.done(), ran.report()));
        }
        Ok(ran.json())
    }

    /// Runs an action whose effect the page's record must show as soon as it is reported done: a script that is then true.
    pub(super) fn act(&mut self, page: &Page<'_>, args: &[&str], record: &str) -> Result<Value, String> {
        let reply = self.run(args, 0)?;
        if page.evaluate(record) == true {
            return Ok(reply);
        }
        Err(self.untrue(page, args, record, &reply))
    }

    /// The same for an effect whose news has a way of its own to the record: from a frame or another tab.
    pub(super) fn act_afar(&mut self, page: &Page<'_>, args: &[&str], record: &str) -> Result<Value, String> {
        let reply = self.run(args, 0)?;
        let since = Instant::now();
        while page.evaluate(record) != true {
            if since.elapsed() > MESSAGE_LIMIT {
                return Err(self.untrue(page, args, record, &reply));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(reply)
    }

    fn untrue(&self, page: &Page<'_>, args: &[&str], record: &str, reply: &Value) -> String {
        let log = page.evaluate("JSON.stringify(window.log ?? null)");
        format!(
            "action {} {args:?} was reported done, but `{record}` is not so; the page's record: {log}; the reply: {reply}",
            self.done()
        )
    }
}
