//! The user in front of a consent window: reads the question and presses a button of it.

use crate::own_window::{OwnWindow, SOON};
use crate::waiting::until;
use crate::{Browser, Page};

const URL: &str = "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/consent.html";

/// An open question.
#[derive(Debug)]
pub struct Consent<'a>(OwnWindow<'a>);

impl<'a> Consent<'a> {
    /// Waits until a question is shown.
    ///
    /// # Panics
    /// When none comes.
    #[must_use]
    pub fn asked(browser: &'a Browser) -> Self {
        Self(OwnWindow::shown(browser, URL, "a question"))
    }

    /// Whether a question is open now.
    #[must_use]
    pub fn is_asked(browser: &Browser) -> bool {
        browser.devtools().has_page(URL)
    }

    /// The window's page.
    #[must_use]
    pub const fn page(&self) -> &Page<'a> {
        &self.0.page
    }

    /// All that it says.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.text()
    }

    /// Chooses for how long the answer counts: `once`, `session` or `site`.
    pub fn lasting(&self, lasting: &str) {
        self.page().evaluate(&format!("document.querySelector('input[value={lasting}]').click()"));
    }

    /// Presses Allow, as soon as it takes a press.
    pub fn allow(self) {
        until("a button that takes a press", SOON, || {
            (self.page().evaluate("document.querySelector('#allow').getAttribute('aria-disabled')")
                == "false")
                .then_some(())
        });
        self.press("#allow");
    }

    /// Presses Deny.
    pub fn deny(self) {
        self.press("#deny");
    }

    /// Presses a button and waits until this window is gone; another question may be open then.
    fn press(self, button: &str) {
        self.0.press(button);
        let OwnWindow { browser, page } = self.0;
        until("the question is gone", SOON, || {
            let targets = browser.devtools().targets();
            let is_there = targets.iter().any(|target| target["targetId"] == page.target_id.as_str());
            (!is_there).then_some(())
        });
    }
}
