//! The user in front of a window of the extension's own: reads what it says and presses its buttons.
//!
//! Presses go through the page's DOM, as a person's would; there is no other way to answer, in tests as in life.

use std::time::Duration;

use serde_json::Value;

use crate::waiting::until;
use crate::{Browser, Page};

pub(crate) const SOON: Duration = Duration::from_secs(10);

/// A window that shows what it has to say.
#[derive(Debug)]
pub(crate) struct OwnWindow<'a> {
    pub(crate) browser: &'a Browser,
    pub(crate) page: Page<'a>,
}

impl<'a> OwnWindow<'a> {
    /// Waits until the page with this address shows `what`.
    ///
    /// # Panics
    /// When it does not.
    pub(crate) fn shown(browser: &'a Browser, url: &str, what: &str) -> Self {
        let page = browser.devtools().page(url);
        until(what, SOON, || {
            (page.evaluate("document.querySelector('main')?.hidden === false") == true).then_some(())
        });
        Self { browser, page }
    }

    /// All that it says.
    pub(crate) fn text(&self) -> String {
        self.page.evaluate("document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Presses a button. The press may take its own page along, so nothing is waited for.
    pub(crate) fn press(&self, button: &str) {
        let _: Value = self
            .page
            .evaluate(&format!("setTimeout(() => document.querySelector('{button}').click()); true"));
    }
}
