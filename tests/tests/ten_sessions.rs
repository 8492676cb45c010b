//! Ten sessions at once in one browser, fifty commands each: no session sees or touches another's tabs, the commands of one take
//! effect in the order they were given, and sessions that ask for no focus get none.
//!
//! What is focused is told by `chrome.windows.onFocusChanged`: several headless windows call themselves focused at the same time, but
//! the event comes with every change, as the control at the end shows. It says what the browser asks of a window manager.
//! Presses, keys and new tabs do bring an Agent Window to the front in Chromium; it goes back at once (decision 7).

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use bsk_tests::{Browser, Options, until};
use serde_json::{Value, json};

const SESSIONS: u64 = 10;
/// Five commands each.
const ROUNDS: u64 = 10;
const SOON: Duration = Duration::from_secs(10);

/// Writes down what is done to it, in order; `said` is its session's own.
fn page(session: u64) -> String {
    format!(
        "<title>Session {session}</title><script>window.done = []</script>\
         <input aria-label=Field oninput=\"done.push('fill ' + value)\">\
         <button onclick=\"done.push('click')\">Go</button><p>Only of session {session}.</p>"
    )
}

struct Agent<'a> {
    browser: &'a Browser,
    id: String,
    number: u64,
    url: String,
    commands: u64,
}

impl Agent<'_> {
    fn run(&mut self, args: &[&str]) -> Value {
        self.commands += 1;
        let all: Vec<&str> = args.iter().copied().chain(["--session", &self.id]).collect();
        self.browser.bsk_ok(&all)
    }

    /// Five commands; all that the page noted is checked by what it noted before.
    fn round(&mut self, round: u64, done: &mut Vec<String>) -> Option<u64> {
        let number = self.number;
        let value = format!("{number}-{round}");
        match round % 5 {
            0 => {
                let url = self.url.clone();
                self.run(&["navigate", &url]);
                done.clear();
                self.run(&["fill", "input", "--value", &value]);
                done.push(format!("fill {value}"));
                let seen = self.run(&["observe"])["text"].as_str().unwrap().to_owned();
                assert!(
                    seen.contains(&format!("Only of session {number}.")) && seen.contains(&value),
                    "{seen}"
                );
                self.click(done);
                self.expect(done);
                None
            }
            3 => {
                let opened = self.run(&["tab", "create"])["tab_id"].as_u64().unwrap();
                let own: BTreeSet<u64> = ids(&self.run(&["tab", "list", "--scope", "agent"]));
                assert!(own.len() == 2 && own.contains(&opened), "{own:?}");
                self.run(&["tab", "close", &opened.to_string()]);
                self.click(done);
                self.expect(done);
                Some(opened)
            }
            _ => {
                self.run(&["fill", "input", "--value", &value]);
                done.push(format!("fill {value}"));
                self.click(done);
                self.run(&["evaluate", &format!("done.push('evaluate {round}')")]);
                done.push(format!("evaluate {round}"));
                self.click(done);
                self.expect(done);
                None
            }
        }
    }

    fn click(&mut self, done: &mut Vec<String>) {
        self.run(&["click", "button"]);
        done.push("click".to_owned());
    }

    fn expect(&mut self, done: &[String]) {
        let noted = self.run(&["evaluate", "done"]);
        assert_eq!(noted["value"], json!(done), "in session {}", self.number);
    }

    /// All commands of this session; the tabs it ever had.
    fn work(&mut self) -> BTreeSet<u64> {
        let mut tabs = BTreeSet::new();
        let mut done = Vec::new();
        for round in 0..ROUNDS {
            tabs.extend(self.round(round, &mut done));
        }
        tabs.extend(ids(&self.run(&["tab", "list", "--scope", "agent"])));
        tabs
    }
}

fn ids(list: &Value) -> BTreeSet<u64> {
    list["tabs"].as_array().unwrap().iter().map(|tab| tab["tab_id"].as_u64().unwrap()).collect()
}

/// Notes every change of the focused window from now on, and gives the window in front now.
fn watch_focus(browser: &Browser) -> Value {
    browser.in_worker(
        "globalThis.focused ??= (chrome.windows.onFocusChanged.addListener((id) => focused.push(id)), []);
         focused.length = 0; chrome.windows.getLastFocused().then(({ id }) => id)",
    )
}

#[test]
fn ten_sessions_with_fifty_commands_each_keep_apart_and_in_order() {
    let browser = Browser::launch(&Options::default());
    let mut agents: Vec<Agent<'_>> = (0..SESSIONS)
        .map(|number| {
            let id = start_session(&browser);
            Agent { browser: &browser, id, number, url: browser.pages().html(&page(number)), commands: 0 }
        })
        .collect();
    let tabs: Vec<BTreeSet<u64>> = thread::scope(|scope| {
        let working: Vec<_> = agents.iter_mut().map(|agent| scope.spawn(|| agent.work())).collect();
        working.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for agent in &agents {
        assert!(agent.commands >= 50, "session {} did {} commands", agent.number, agent.commands);
    }
    let all: BTreeSet<u64> = tabs.iter().flatten().copied().collect();
    assert_eq!(
        all.len(),
        tabs.iter().map(BTreeSet::len).sum::<usize>(),
        "no tab was in two sessions: {tabs:?}"
    );
    for (number, agent) in agents.iter().enumerate() {
        let strange = tabs[(number + 1) % tabs.len()].first().unwrap().to_string();
        let error = browser.bsk_err(&["evaluate", "1", "--tab-id", &strange, "--session", &agent.id]);
        assert_eq!(error["data"]["reason"], "tab_not_owned", "{error}");
    }
    browser.bsk_ok(&["session", "stop", "--all"]);
}

fn start_session(browser: &Browser) -> String {
    let started = browser.bsk_ok(&["session", "start", "--no-focus", "--idle", "10m"]);
    started["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn ten_sessions_leave_the_user_s_window_in_front() {
    let headed = std::env::var_os("BSK_TEST_HEADED").is_some();
    let browser = Browser::launch(&Options { headed, ..Options::default() });
    let user = browser.pages().html("<title>User</title>");
    let create = format!("chrome.windows.create({{ url: '{user}', focused: true }}).then(({{ id }}) => id)");
    let window = browser.in_worker(&create);
    until("the user's window in front", SOON, || (watch_focus(&browser) == window).then_some(()));
    thread::scope(|scope| {
        for number in 0..SESSIONS {
            let browser = &browser;
            scope.spawn(move || {
                let session = start_session(browser);
                let url = browser.pages().html(&page(number));
                for args in [
                    &["navigate", &url][..],
                    &["fill", "input", "--value", "x"],
                    &["observe"],
                    &["evaluate", "document.title"],
                    &["hover", "button"],
                    &["screenshot"],
                ] {
                    let all: Vec<&str> = args.iter().copied().chain(["--session", &session]).collect();
                    browser.bsk_ok(&all);
                }
            });
        }
    });
    assert_eq!(browser.in_worker("focused"), json!([]), "no window came in front of the user's ({window})");
    let session = start_session(&browser);
    let url = browser.pages().html(&page(0));
    for args in [
        &["navigate", &url][..],
        &["click", "button"],
        &["press", "a"],
        &["tab", "create"],
        &["tab", "create", "--url", &url],
    ] {
        let all: Vec<&str> = args.iter().copied().chain(["--session", &session]).collect();
        browser.bsk_ok(&all);
        // A change comes a moment after the command, and so does its end.
        browser.bsk_ok(&["wait-ms", "500"]);
        let last = browser.in_worker("chrome.windows.getLastFocused().then(({ id }) => id)");
        assert_eq!(
            last,
            window,
            "`{args:?}` leaves the user's window in front: {}",
            browser.in_worker("focused")
        );
    }
    let started = browser.bsk_ok(&["session", "start"]);
    until("the control: a window that takes the focus is seen", SOON, || {
        let seen = browser.in_worker("focused");
        seen.as_array()?.contains(&started["agent_window_id"]).then_some(())
    });
    browser.bsk_ok(&["session", "stop", "--all"]);
}
