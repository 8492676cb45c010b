//! Whatever dies at whatever moment of a session's start, a tab's borrowing and return, and a session's stop: afterwards every
//! tab of the user is there once, no window of ours is left without its session, and `bsk session list` is true.
//!
//! Prints its seed; `BSK_CHAOS_SEED` plays the same choices again and `BSK_CHAOS_ROUNDS` more or fewer rounds. The pauses before
//! a blow are no waits for something to happen: they are the random moments.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use bsk_tests::{Browser, Consent, Dice, Options, Pages, Running, signal, until, workspace};
use nix::sys::signal::Signal;
use serde_json::Value;

const ROUNDS: u64 = 100;
/// Ordinary rounds between two that kill the browser.
const CALM: u64 = 12;
const LIMIT: Duration = Duration::from_secs(20);
/// The longest pause between the start of a command and the blow: longer than any of these commands takes.
const WITHIN: Duration = Duration::from_millis(250);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Start,
    Borrow,
    BorrowAsked,
    Return,
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Blow {
    Caller,
    Host,
    Worker,
    Reload,
    Browser,
    BrowserRestored,
}

/// What has to be there of the user's tabs.
enum UserTabs {
    Once,
    /// The user let the browser restore nothing.
    Gone,
    /// Each as often as the browser restores it without us; these are the addresses that it restores.
    AsRestored(Vec<String>),
}

struct Chaos {
    browser: Browser,
    dice: Dice,
    /// Addresses of the user's tabs; the agent may borrow those of the first site without being asked.
    trusted: Vec<String>,
    asked: Vec<String>,
    /// What the browser that was killed last restores without us.
    restored: Vec<String>,
    /// A second site.
    _elsewhere: Pages,
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Tabs, short.
fn shown(tabs: &[Value]) -> String {
    let short = |tab: &Value| format!("{}/{} {}", tab["windowId"], tab["id"], tab["url"]);
    tabs.iter().map(short).collect::<Vec<_>>().join(", ")
}

impl Chaos {
    fn begin(seed: u64) -> Self {
        let browser = Browser::launch(&Options::default());
        let elsewhere = Pages::serve();
        let page = |pages: &Pages, number: u64| pages.html(&format!("<title>User {number}</title>"));
        let trusted = (0..3).map(|number| page(browser.pages(), number)).collect();
        let asked = (3..5).map(|number| page(&elsewhere, number)).collect();
        let chaos = Self {
            browser,
            dice: Dice::of(seed),
            trusted,
            asked,
            restored: Vec::new(),
            _elsewhere: elsewhere,
        };
        chaos.open_user_windows();
        // The user's lasting yes for the first site.
        let session = chaos.start_session();
        let asking =
            chaos.command(&["tab", "borrow", &chaos.tab_of(&chaos.trusted[0]), "--session", &session]);
        let consent = Consent::asked(&chaos.browser);
        consent.lasting("site");
        consent.allow();
        let _ = asking.finish().success();
        chaos.browser.bsk_ok(&["session", "stop", &session]);
        chaos
    }

    fn urls(&self) -> impl Iterator<Item = &String> {
        self.trusted.iter().chain(&self.asked)
    }

    fn open_user_windows(&self) {
        let urls: Vec<&String> = self.urls().collect();
        for window in [&urls[..2], &urls[2..]] {
            self.browser.in_worker(&format!(
                "chrome.windows.create({{ url: {} }}).then(() => true)",
                serde_json::json!(window)
            ));
        }
        until("the user's pages", LIMIT, || {
            let tabs = self.tabs();
            let is_loaded = |url: &&String| {
                tabs.iter().any(|tab| tab["url"] == url.as_str() && tab["status"] == "complete")
            };
            self.urls().all(|url| is_loaded(&url)).then_some(())
        });
    }

    /// What the worker says; nothing when it went away meanwhile.
    fn ask(&self, expression: &str) -> Option<Value> {
        let params =
            serde_json::json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let worker = self.browser.devtools().worker().attached().ok()?;
        let answer = worker.call_within(Duration::from_secs(2), "Runtime.evaluate", &params).ok()?;
        answer["result"].get("value").cloned()
    }

    fn tabs(&self) -> Vec<Value> {
        let answer = until("the worker's answer", LIMIT, || self.ask("chrome.tabs.query({})"));
        answer.as_array().unwrap().clone()
    }

    fn tab_of(&self, url: &str) -> String {
        let tabs = self.tabs();
        let tab = tabs.iter().find(|tab| tab["url"] == url);
        tab.unwrap_or_else(|| panic!("no tab at {url} in {tabs:?}"))["id"].to_string()
    }

    fn command(&self, args: &[&str]) -> Running {
        let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        self.browser.start_bsk(&all)
    }

    fn start_session(&self) -> String {
        let started = self.browser.bsk_ok(&["session", "start", "--no-focus"]);
        started["session_id"].as_str().unwrap().to_owned()
    }

    fn borrow(&self, session: &str, url: &str) {
        self.browser.bsk_ok(&["tab", "borrow", &self.tab_of(url), "--session", session]);
    }

    /// The command that something happens to, under way.
    fn act(&mut self, act: Act) -> Running {
        let starting = ["session", "start", "--no-focus"];
        let session = if act == Act::Start { String::new() } else { self.start_session() };
        let url = self.trusted[usize::try_from(self.dice.below(3)).unwrap()].clone();
        match act {
            Act::Start => self.command(&starting),
            Act::Borrow => self.command(&["tab", "borrow", &self.tab_of(&url), "--session", &session]),
            Act::BorrowAsked => {
                let url = self.dice.one_of(&[0, 1]);
                let running =
                    self.command(&["tab", "borrow", &self.tab_of(&self.asked[url]), "--session", &session]);
                let started = Instant::now();
                while !Consent::is_asked(&self.browser) {
                    if started.elapsed() > LIMIT {
                        running.kill();
                        panic!("no question, and the command: {}", running.finish().report());
                    }
                    thread::sleep(Duration::from_millis(10));
                }
                let consent = Consent::asked(&self.browser);
                if self.dice.below(2) == 0 {
                    consent.allow();
                }
                running
            }
            Act::Return => {
                self.borrow(&session, &url);
                self.command(&["tab", "return", &self.tab_of(&url), "--session", &session])
            }
            Act::Stop => {
                self.browser.bsk_ok(&["tab", "create", "--session", &session]);
                for url in &self.trusted {
                    if self.dice.below(2) == 0 {
                        let tab = self.tab_of(url);
                        self.browser.bsk_ok(&["tab", "borrow", &tab, "--session", &session]);
                    }
                }
                self.command(&["session", "stop", &session])
            }
        }
    }

    fn strike(&mut self, blow: Blow, running: &Running) {
        match blow {
            Blow::Caller => running.kill(),
            Blow::Host => {
                if let Some(host) = self.browser.find_host() {
                    signal(host, Signal::SIGKILL);
                }
            }
            Blow::Worker => {
                self.browser.devtools().worker().close();
                let opened = self.browser.wake_worker();
                let target = serde_json::json!({ "targetId": opened["targetId"] });
                let _ = self.browser.devtools().call(None, "Target.closeTarget", &target);
            }
            Blow::Reload => {
                let worker = self.browser.devtools().worker();
                worker.run_soon("chrome.runtime.reload()");
                until("the extension is unloaded", LIMIT, || {
                    let targets = self.browser.devtools().targets();
                    let is_there = targets.iter().any(|one| one["targetId"] == worker.target_id.as_str());
                    (!is_there).then_some(())
                });
            }
            Blow::Browser | Blow::BrowserRestored => {
                self.browser.kill();
                let restores = blow == Blow::BrowserRestored;
                if restores {
                    self.restored = self.browser.restored_without_us();
                }
                self.browser.start_again(&Options { restores, ..Options::default() });
            }
        }
    }

    /// A reload switches the extension off and on again, and the browser writes both down some seconds late: killed in between
    /// it starts with the extension switched off, which only the user can change.
    fn wait_until_switched_on(&self) {
        until("the browser has written down that the extension is on", LIMIT, || {
            ["Preferences", "Secure Preferences"]
                .iter()
                .all(|name| !self.is_switched_off_in(name))
                .then_some(())
        });
    }

    fn is_switched_off_in(&self, name: &str) -> bool {
        let text = fs::read_to_string(self.browser.profile().join("Default").join(name)).unwrap_or_default();
        let preferences: Value = serde_json::from_str(&text).unwrap_or_default();
        let reasons = &preferences["extensions"]["settings"][workspace::extension_id()]["disable_reasons"];
        reasons.as_array().map_or(reasons.as_u64().unwrap_or(0) != 0, |reasons| !reasons.is_empty())
    }

    /// What is wrong with what there is now.
    fn wrong(&self, user_tabs: &UserTabs) -> Option<String> {
        let listed = self.browser.bsk(&["session", "list", "--json"]);
        if listed.exit_code() != Some(0) {
            return Some(listed.report());
        }
        let sessions = listed.json();
        let sessions = sessions.as_array()?;
        let status = self.browser.bsk(&["status", "--json"]);
        if !status.text().contains(&self.browser.instance_id) {
            return Some(format!("not connected: {}", status.text()));
        }
        let windows: BTreeSet<u64> =
            sessions.iter().filter_map(|one| one["agent_window_id"].as_u64()).collect();
        let Some(open) = self.ask("chrome.windows.getAll().then(all => all.map(one => one.id))") else {
            return Some("the worker does not answer".to_owned());
        };
        let open: BTreeSet<u64> = open.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        if !windows.is_subset(&open) {
            return Some(format!("sessions {windows:?} without their windows: {open:?}"));
        }
        // Two witnesses: what the extension's interface says of windows, and what the debugging pipe says of pages.
        let tabs = self.tabs();
        for tab in &tabs {
            let url = tab["url"].as_str().unwrap_or_default();
            let is_in_session = tab["windowId"].as_u64().is_some_and(|window| windows.contains(&window));
            let is_of_user =
                url == "about:blank" || url.starts_with("chrome://") || self.urls().any(|own| own == url);
            if !is_in_session && !is_of_user {
                return Some(format!("`{url}` is left: {}", shown(&tabs)));
            }
        }
        let pages: Vec<Value> =
            self.browser.devtools().targets().into_iter().filter(|target| target["type"] == "page").collect();
        for url in self.urls() {
            let times = pages.iter().filter(|page| page["url"] == url.as_str()).count();
            let is_right = match user_tabs {
                UserTabs::Once => times == 1,
                UserTabs::Gone => times == 0,
                UserTabs::AsRestored(restored) => times == restored.iter().filter(|one| *one == url).count(),
            };
            if !is_right {
                return Some(format!("`{url}` is there {times} times: {}", shown(&tabs)));
            }
        }
        None
    }

    /// Nothing may be wrong, soon and after all sessions were stopped.
    fn check(&self, what: &str, user_tabs: &UserTabs) {
        let mut last = String::new();
        let look = |last: &mut String| match self.wrong(user_tabs) {
            None => Some(()),
            Some(wrong) => {
                *last = wrong;
                None
            }
        };
        let settle = |last: &mut String| {
            let started = Instant::now();
            while look(last).is_none() {
                assert!(started.elapsed() < LIMIT, "{what}: {last}");
                thread::sleep(Duration::from_millis(20));
            }
        };
        settle(&mut last);
        until("all sessions are stopped", LIMIT, || {
            // The connection may be one that is just ending.
            (self.browser.bsk(&["session", "stop", "--all"]).exit_code() == Some(0)).then_some(())
        });
        settle(&mut last);
        let sessions = self.browser.bsk_ok(&["session", "list"]);
        assert_eq!(sessions, serde_json::json!([]), "{what}");
        let groups = until("the worker's answer", LIMIT, || self.ask("chrome.tabGroups.query({})"));
        assert_eq!(groups, serde_json::json!([]), "{what}: a group of ours is left");
    }

    fn round(&mut self, round: u64) {
        let blow = if round % CALM == CALM - 1 {
            if self.dice.below(3) > 0 { Blow::BrowserRestored } else { Blow::Browser }
        } else {
            self.dice.one_of(&[Blow::Caller, Blow::Host, Blow::Worker, Blow::Reload])
        };
        let act = self.dice.one_of(&[Act::Start, Act::Borrow, Act::BorrowAsked, Act::Return, Act::Stop]);
        if matches!(blow, Blow::Browser | Blow::BrowserRestored) {
            self.wait_until_switched_on();
        }
        let pause = self.dice.time_below(WITHIN);
        let what = format!("round {round}: {blow:?} {pause:?} into {act:?}");
        println!("{what}");
        let running = self.act(act);
        thread::sleep(pause);
        self.strike(blow, &running);
        drop(running.finish());
        match blow {
            Blow::Caller | Blow::Host | Blow::Worker | Blow::Reload => self.check(&what, &UserTabs::Once),
            Blow::Browser => {
                self.check(&what, &UserTabs::Gone);
                self.open_user_windows();
            }
            Blow::BrowserRestored => {
                let restored = std::mem::take(&mut self.restored);
                self.check(&what, &UserTabs::AsRestored(restored));
                self.begin_anew();
            }
        }
    }

    /// The user closes what was restored and opens the pages anew.
    fn begin_anew(&self) {
        let urls: Vec<&String> = self.urls().collect();
        self.browser.in_worker(&format!(
            "chrome.windows.create({{}}).then(() => chrome.tabs.query({{}})).then((tabs) =>
                chrome.tabs.remove(tabs.filter((tab) => {}.includes(tab.url)).map((tab) => tab.id))).then(() => true)",
            serde_json::json!(urls)
        ));
        self.open_user_windows();
    }
}

#[test]
fn after_any_death_at_any_moment_the_user_s_tabs_are_there_once_and_no_window_of_ours_is_left() {
    let seed = number("BSK_CHAOS_SEED", Dice::any_seed());
    println!("BSK_CHAOS_SEED={seed}");
    let mut chaos = Chaos::begin(seed);
    for round in 0..number("BSK_CHAOS_ROUNDS", ROUNDS) {
        chaos.round(round);
    }
}
