//! The user in front of a consent window: reads the question and presses a button of the extension's own page.
//!
//! Presses go through the page's DOM, as a person's would; there is no other way to answer, in tests as in life.

use std::time::Duration;

use serde_json::Value;

use crate::waiting::until;
use crate::{Browser, Page};

const URL: &str = "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/consent.html";
const SOON: Duration = Duration::from_secs(10);

/// An open question.
#[derive(Debug)]
pub struct Consent<'a> {
    browser: &'a Browser,
    page: Page<'a>,
}

impl<'a> Consent<'a> {
    /// Waits until a question is shown.
    ///
    /// # Panics
    /// When none comes.
    #[must_use]
    pub fn asked(browser: &'a Browser) -> Self {
        let page = browser.devtools().page(URL);
        until("a question", SOON, || {
            (page.evaluate("document.querySelector('main')?.hidden === false") == true).then_some(())
        });
        Self { browser, page }
    }

    /// Whether a question is open now.
    #[must_use]
    pub fn is_asked(browser: &Browser) -> bool {
        browser.devtools().has_page(URL)
    }

    /// The window's page.
    #[must_use]
    pub const fn page(&self) -> &Page<'a> {
        &self.page
    }

    /// All that it says.
    #[must_use]
    pub fn text(&self) -> String {
        self.page.evaluate("document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Chooses for how long the answer counts: `once`, `session` or `site`.
    pub fn lasting(&self, lasting: &str) {
        self.page.evaluate(&format!("document.querySelector('input[value={lasting}]').click()"));
    }

    /// Presses Allow, as soon as it takes a press.
    pub fn allow(self) {
        until("a button that takes a press", SOON, || {
            (self.page.evaluate("document.querySelector('#allow').getAttribute('aria-disabled')") == "false")
                .then_some(())
        });
        self.press("#allow");
    }

    /// Presses Deny.
    pub fn deny(self) {
        self.press("#deny");
    }

    /// Presses a button and waits until the window is gone. The press may take its own page along.
    fn press(self, button: &str) {
        let _: Value = self
            .page
            .evaluate(&format!("setTimeout(() => document.querySelector('{button}').click()); true"));
        until("the question is gone", SOON, || {
            let is_there = self
                .browser
                .devtools()
                .targets()
                .iter()
                .any(|target| target["targetId"] == self.page.target_id.as_str());
            (!is_there).then_some(())
        });
    }
}
