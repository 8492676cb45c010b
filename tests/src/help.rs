//! The user in front of a help window: reads what is asked and presses a button of the extension's own page.
//!
//! Presses go through the page's DOM, as a person's would; there is no other way to answer, in tests as in life.

use std::time::Duration;

use serde_json::{Value, json};

use crate::waiting::until;
use crate::{Browser, Page};

const URL: &str = "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/help.html";
const SOON: Duration = Duration::from_secs(10);

/// An open help.
#[derive(Debug)]
pub struct Help<'a> {
    browser: &'a Browser,
    page: Page<'a>,
}

impl<'a> Help<'a> {
    /// Waits until help is asked for.
    ///
    /// # Panics
    /// When nobody asks.
    #[must_use]
    pub fn asked(browser: &'a Browser) -> Self {
        let page = browser.devtools().page(URL);
        until("a help window", SOON, || {
            (page.evaluate("document.querySelector('main')?.hidden === false") == true).then_some(())
        });
        Self { browser, page }
    }

    /// Whether help is asked for now.
    #[must_use]
    pub fn is_asked(browser: &Browser) -> bool {
        browser.devtools().has_page(URL)
    }

    /// Waits until no help is asked for.
    ///
    /// # Panics
    /// When a window stays.
    pub fn gone(browser: &Browser) {
        until("no help window", SOON, || (!Self::is_asked(browser)).then_some(()));
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

    /// Writes a note.
    pub fn note(&self, text: &str) {
        self.page.evaluate(&format!("document.querySelector('#note').value = {}", json!(text)));
    }

    /// Presses Done.
    pub fn done(self) {
        self.press("#done");
    }

    /// Presses Cancel.
    pub fn cancel(self) {
        self.press("#cancel");
    }

    /// Presses a button and waits until the window is gone. The press may take its own page along.
    fn press(self, button: &str) {
        let _: Value = self
            .page
            .evaluate(&format!("setTimeout(() => document.querySelector('{button}').click()); true"));
        Self::gone(self.browser);
    }
}
