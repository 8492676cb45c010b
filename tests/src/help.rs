//! The user in front of a help window: reads what is asked, writes a note and presses a button.

use serde_json::json;

use crate::own_window::{OwnWindow, SOON};
use crate::waiting::until;
use crate::{Browser, Page};

const URL: &str = "chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/help.html";

/// An open help.
#[derive(Debug)]
pub struct Help<'a>(OwnWindow<'a>);

impl<'a> Help<'a> {
    /// Waits until help is asked for.
    ///
    /// # Panics
    /// When nobody asks.
    #[must_use]
    pub fn asked(browser: &'a Browser) -> Self {
        Self(OwnWindow::shown(browser, URL, "a help window"))
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
        &self.0.page
    }

    /// All that it says.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.text()
    }

    /// Writes a note.
    pub fn note(&self, text: &str) {
        self.page().evaluate(&format!("document.querySelector('#note').value = {}", json!(text)));
    }

    /// Presses Done.
    pub fn done(self) {
        self.press("#done");
    }

    /// Presses Cancel.
    pub fn cancel(self) {
        self.press("#cancel");
    }

    /// Presses a button and waits until no help is asked for.
    fn press(self, button: &str) {
        self.0.press(button);
        Self::gone(self.0.browser);
    }
}
