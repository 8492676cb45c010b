//! A session of `bsk` in a test's browser, stopped in the end.

use std::ffi::OsStr;

use serde_json::Value;

use crate::{Browser, Page, Ran, Running};

/// A session.
#[derive(Debug)]
pub struct Session<'a> {
    browser: &'a Browser,
    /// Its id.
    pub id: String,
    /// Its window.
    pub window_id: u64,
}

impl<'a> Session<'a> {
    /// Opens one in exactly this browser.
    ///
    /// # Panics
    /// When it cannot be opened.
    #[track_caller]
    #[must_use]
    pub fn start(browser: &'a Browser) -> Self {
        let started = browser.bsk_ok(&["session", "start", "--browser", &browser.instance_id]);
        Self {
            browser,
            id: started["session_id"].as_str().expect("a session has an id").to_owned(),
            window_id: started["agent_window_id"].as_u64().expect("a session has a window"),
        }
    }

    fn args<'b>(&'b self, args: &'b [&'b str]) -> Vec<&'b str> {
        args.iter().copied().chain(["--session", &self.id, "--json"]).collect()
    }

    /// Runs a command in this session.
    ///
    /// # Panics
    /// When it hangs.
    #[track_caller]
    #[must_use]
    pub fn bsk(&self, args: &[&str]) -> Ran {
        self.browser.bsk(&self.args(args))
    }

    /// Starts a command in this session and does not wait.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    #[must_use]
    pub fn start_bsk(&self, args: &[&str]) -> Running {
        self.browser.start_bsk(&self.args(args))
    }

    /// Runs a command in this session, which must succeed.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> Value {
        self.bsk(args).success()
    }

    /// Runs a command in this session, which must fail; gives its error.
    ///
    /// # Panics
    /// When it succeeds.
    #[track_caller]
    pub fn err(&self, args: &[&str]) -> Value {
        self.bsk(args).failure()
    }

    /// Serves a page and goes there; gives its address.
    ///
    /// # Panics
    /// When it cannot be opened.
    #[track_caller]
    pub fn open(&self, html: &str) -> String {
        let url = self.browser.pages().html(html);
        self.ok(&["navigate", &url]);
        url
    }

    /// As [`Session::open`], and gives the oracle's view of it.
    ///
    /// # Panics
    /// When it cannot be opened.
    #[track_caller]
    #[must_use]
    pub fn open_page(&self, html: &str) -> Page<'a> {
        let url = self.open(html);
        self.browser.devtools().page(&url)
    }

    /// The page's text as `bsk observe` shows it.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    #[must_use]
    pub fn observe(&self) -> String {
        self.ok(&["observe"])["text"].as_str().expect("an observation has a text").to_owned()
    }

    /// The lines of `observe` below its header, each ref as a mere `@`.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    #[must_use]
    pub fn outline(&self) -> Vec<String> {
        outline(&self.observe())
    }

    /// Serves a page, goes there and compares its [`Session::outline`].
    ///
    /// # Panics
    /// When it differs.
    #[track_caller]
    pub fn check_outline(&self, html: &str, expected: &[&str]) {
        self.open(html);
        let text = self.observe();
        assert_eq!(outline(&text), expected, "{text}");
    }

    /// The ref in the line of `observe` that holds this text, such as `@e3`.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    #[must_use]
    pub fn ref_of(&self, needle: &str) -> String {
        let text = self.observe();
        ref_in(&text, needle).unwrap_or_else(|| panic!("no ref beside `{needle}` in:\n{text}"))
    }

    /// Starts a command that ends only by its deadline or by force, and waits until the page runs it.
    ///
    /// # Panics
    /// When it does not come to run.
    #[track_caller]
    #[must_use]
    pub fn start_endless(&self, page: &Page<'_>) -> Running {
        let script = "document.documentElement.dataset.endless = 'yes'; new Promise(() => {})";
        let running = self.start_bsk(&["evaluate", script, "--await-promise", "--timeout", "50s"]);
        crate::until("the endless command runs", std::time::Duration::from_secs(10), || {
            (page.evaluate("document.documentElement.dataset.endless || ''") == "yes").then_some(())
        });
        running
    }

    /// The session's active tab.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    #[must_use]
    pub fn tab_id(&self) -> u64 {
        let tabs = self.ok(&["tab", "list", "--scope", "agent"]);
        let active = tabs["tabs"].as_array().and_then(|tabs| tabs.iter().find(|tab| tab["active"] == true));
        active.and_then(|tab| tab["tab_id"].as_u64()).unwrap_or_else(|| panic!("no active tab in {tabs}"))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // A session that is over already, or whose browser is gone, is not stopped a second time.
        let mut command = self.browser.command(crate::workspace::bsk());
        command.args([OsStr::new("session"), OsStr::new("stop"), OsStr::new(&self.id)]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let _ = command.status();
    }
}

/// The ref in the line that holds `needle`.
pub(crate) fn ref_in(text: &str, needle: &str) -> Option<String> {
    let line = text.lines().find(|line| line.contains('@') && line.contains(needle))?;
    let start = line.find('@')?;
    let end = line[start..].find(char::is_whitespace).map_or(line.len(), |length| start + length);
    Some(line[start..end].to_owned())
}

/// The lines of an observation below its header, each ref as a mere `@`.
#[must_use]
pub fn outline(text: &str) -> Vec<String> {
    let without_ref = |line: &str| {
        let bare = line.trim_start_matches(' ');
        let indent = &line[..line.len() - bare.len()];
        match bare.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((_, node)) => format!("{indent}@ {node}"),
            None => line.to_owned(),
        }
    };
    text.lines().skip(1).map(without_ref).collect()
}
