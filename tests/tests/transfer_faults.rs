//! Whatever is killed at whatever step of a transfer: the user's files are as they were, no part of a file is where the download was to
//! go, what the failure says of the effect is true, and once everything runs again nothing is left of it.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs::{self, File};
use std::time::Duration;

use bsk_tests::{Browser, Consent, Options, Ran, Response, Running, signal, until};
use nix::sys::signal::Signal;
use serde_json::json;

const SOON: Duration = Duration::from_secs(10);
/// How long a killed host or browser may take to be back and to have swept.
const BACK: Duration = Duration::from_secs(20);

/// Bytes that take a good part of a second.
const LARGE: u64 = 500_000_000;

/// Who is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Cli,
    Host,
    Worker,
    Browser,
}

const VICTIMS: [Victim; 4] = [Victim::Cli, Victim::Host, Victim::Worker, Victim::Browser];

/// Where a transfer is held when the victim is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// The user is asked.
    Asking,
    /// The page or the server keeps it waiting.
    Waiting,
    /// The bytes are between host and CLI, and the CLI takes no more.
    Copying,
}

/// A browser with a session in it, which outlive what is done to them.
struct Stage {
    browser: Browser,
    session: String,
}

impl Stage {
    fn new(html: &str) -> Self {
        let browser = Browser::launch(&Options::default());
        let started = browser.bsk_ok(&["session", "start", "--no-focus"]);
        let session = started["session_id"].as_str().unwrap().to_owned();
        let url = browser.pages().html(html);
        browser.bsk_ok(&["navigate", &url, "--session", &session]);
        Self { browser, session }
    }

    fn start(&self, args: &[&str]) -> Running {
        let args: Vec<&str> = args.iter().copied().chain(["--session", &self.session, "--json"]).collect();
        self.browser.scratch().start_bsk(&args)
    }

    /// Kills it and has everything run again; what the CLI said, if it lived to say something.
    fn kill(&mut self, victim: Victim, running: Running) -> Option<Ran> {
        let host = self.browser.host_pid();
        match victim {
            Victim::Cli => running.kill(),
            Victim::Host => signal(host, Signal::SIGKILL),
            Victim::Worker => self.browser.devtools().worker().close(),
            Victim::Browser => self.browser.kill(),
        }
        signal(running.pid(), Signal::SIGCONT);
        let ran = running.finish();
        let told = (victim != Victim::Cli).then_some(ran);
        match victim {
            Victim::Cli => {}
            Victim::Browser => self.browser.start_again(&Options::default()),
            Victim::Host | Victim::Worker => {
                self.browser.wake_worker();
                until("another host", BACK, || self.browser.find_host().filter(|pid| *pid != host));
            }
        }
        told
    }
}

#[test]
fn a_caller_that_takes_no_more_bytes_holds_its_session_no_longer_than_its_time() {
    let stage = Stage::new("<a href='/held'>D</a>");
    let (held, gate) =
        stage.browser.pages().gated(Response::attachment("filename=held.bin", &"x".repeat(20_000_000)));
    let on = ["--session", &stage.session];
    let set = format!("void(document.querySelector('a').href='{held}')");
    stage.browser.bsk_ok(&["evaluate", &set, on[0], on[1]]);
    let out = stage.browser.scratch().file("never.bin");
    let running = stage.start(&["download", "a", "--out", out.to_str().unwrap(), "--timeout", "8s"]);
    until("the click", SOON, || (!stage.browser.pages().seen(path_of(&held)).is_empty()).then_some(()));
    signal(running.pid(), Signal::SIGSTOP);
    gate.wait();
    let evaluated = stage.browser.bsk_ok(&["evaluate", "1 + 1", on[0], on[1], "--timeout", "30s"]);
    assert_eq!(evaluated["value"], 2, "the session goes on while that caller still sleeps");
    signal(running.pid(), Signal::SIGCONT);
    // It may still get the rest of the bytes; then it has the file and says so, else neither.
    let ran = running.finish();
    if ran.exit_code() == Some(0) {
        assert_eq!(fs::metadata(&out).unwrap().len(), 20_000_000, "{}", ran.report());
    } else {
        assert_eq!(ran.failure()["data"]["effect_state"], "unknown", "{}", ran.report());
        assert!(!out.exists());
    }
}

#[test]
fn uploads() {
    for at in [At::Asking, At::Waiting, At::Copying] {
        for victim in VICTIMS {
            let mut stage = Stage::new(
                "<input id=f type=file><button onclick=\"document.title='pressed'\">Nothing opens here</button>",
            );
            let file = stage.browser.scratch().file("mine.txt");
            fs::write(&file, "MINE").unwrap();
            let path = file.to_str().unwrap();
            let running = match at {
                At::Asking => {
                    stage.browser.set("uploads", &json!("ask"));
                    let running = stage.start(&["upload", "#f", "--file", path]);
                    let _consent = Consent::asked(&stage.browser);
                    running
                }
                At::Waiting => {
                    let running = stage.start(&["upload", "button", "--file", path]);
                    until("the copy to be staged", SOON, || {
                        (stage.browser.staged().len() == 1).then_some(())
                    });
                    running
                }
                At::Copying => {
                    // So much that it is stopped in the middle of it.
                    File::options().write(true).open(&file).unwrap().set_len(LARGE).unwrap();
                    let running = stage.start(&["upload", "#f", "--file", path]);
                    until("the copy to be begun", SOON, || (stage.browser.staged().len() == 1).then_some(()));
                    signal(running.pid(), Signal::SIGSTOP);
                    running
                }
            };
            let failure = stage.kill(victim, running).map(|ran| ran.failure());
            let case = format!("{at:?} {victim:?}: {failure:?}");
            if let Some(failure) = failure {
                let expected: &[&str] = if at == At::Waiting { &["none", "unknown"] } else { &["none"] };
                let told = failure["data"]["effect_state"].as_str().unwrap();
                assert!(expected.contains(&told), "{case}");
            }
            let kept = fs::read(&file).unwrap();
            assert!(kept.starts_with(b"MINE") && kept[4..].iter().all(|byte| *byte == 0), "{case}");
            until(&format!("nothing to be staged: {case}"), BACK, || {
                stage.browser.staged().is_empty().then_some(())
            });
        }
    }
}

#[test]
fn downloads() {
    for at in [At::Asking, At::Waiting, At::Copying] {
        for victim in VICTIMS {
            let mut stage = Stage::new("<a href='/held'>D</a>");
            let (held, gate) = stage
                .browser
                .pages()
                .gated(Response::attachment("filename=held.bin", &"x".repeat(20_000_000)));
            let stalled = stage
                .browser
                .pages()
                .answering(|_| Response::attachment("filename=held.bin", "first bytes").stalling());
            let href = if at == At::Waiting { stalled } else { held };
            let session = stage.session.clone();
            stage.browser.bsk_ok(&[
                "evaluate",
                &format!("void(document.querySelector('a').href='{href}')"),
                "--session",
                &session,
            ]);
            let folder = stage.browser.scratch().file("wanted");
            fs::create_dir(&folder).unwrap();
            let out = folder.join("out.bin");
            let args = ["download", "a", "--out", out.to_str().unwrap()];
            if at == At::Asking {
                stage.browser.set("downloads", &json!("ask"));
            }
            let running = stage.start(&args);
            match at {
                At::Waiting => {
                    until("the download to be under way", SOON, || {
                        stage.browser.download_states().contains(&"in_progress".to_owned()).then_some(())
                    });
                }
                At::Asking => {
                    gate.wait();
                    let _consent = Consent::asked(&stage.browser);
                }
                At::Copying => {
                    until("the click", SOON, || {
                        (!stage.browser.pages().seen(path_of(&href)).is_empty()).then_some(())
                    });
                    signal(running.pid(), Signal::SIGSTOP);
                    gate.wait();
                    until("the browser's own end", SOON, || {
                        stage.browser.download_states().contains(&"complete".to_owned()).then_some(())
                    });
                }
            }
            let ran = stage.kill(victim, running);
            // All bytes were on their way when the browser went: a file that is whole and in its place is a success.
            let is_done = at == At::Copying && ran.as_ref().is_some_and(|ran| ran.exit_code() == Some(0));
            let failure = ran.filter(|_| !is_done).map(|ran| ran.failure());
            let case = format!("{at:?} {victim:?}: {failure:?}");
            if let Some(failure) = failure {
                assert_eq!(failure["data"]["effect_state"], "unknown", "{case}");
                assert!(failure["hint"].as_str().unwrap().contains("again blindly"), "{case}");
            }
            // A CLI that is killed while it writes leaves what it has written, under a name of its own.
            if (victim, at) != (Victim::Cli, At::Copying) {
                assert_eq!(fs::read_dir(&folder).unwrap().count(), usize::from(is_done), "{case}");
            }
            let whole = fs::metadata(&out).ok().map(|found| found.len());
            assert_eq!(whole, is_done.then_some(20_000_000), "{case}");
            if victim == Victim::Cli {
                // Its folder, emptied, goes with the next host.
                signal(stage.browser.host_pid(), Signal::SIGTERM);
            }
            until(&format!("nothing to be left: {case}"), BACK, || {
                stage.browser.downloaded().is_empty().then_some(())
            });
            assert!(!stage.browser.download_states().contains(&"in_progress".to_owned()), "{case}");
        }
    }
}

fn path_of(url: &str) -> &str {
    &url[url.rfind('/').unwrap()..]
}
