//! Where a scenario plays: the session's tab in front, behind another tab, behind another window or minimised, at 100 % or zoomed.
//!
//! The one place that knows the variants. A [`Stage`] is one session whose window is put everywhere in turn by what its user does:
//! tabs and windows of the user are in front, and are closed again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::waiting::until;
use crate::{Browser, Page, Session};

/// What a user's zoom of "one step larger" is.
const LARGER: f64 = 1.25;
/// How long a zoom may take to a page that draws once a second.
const ZOOM_LIMIT: Duration = Duration::from_secs(8);

/// What is in front of the session's tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nothing: its window is the active one.
    Front,
    /// Another tab of the same window.
    BehindTab,
    /// Another window, which covers it.
    BehindWindow,
    /// It is minimised.
    Minimised,
}

/// All places.
pub const PLACES: [Place; 4] = [Place::Front, Place::BehindTab, Place::BehindWindow, Place::Minimised];

/// How large a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zoom {
    /// At 100 %.
    Plain,
    /// At 125 %.
    Larger,
}

/// At 100 % only: nothing depends on where things are.
pub const PLAIN: &[Zoom] = &[Zoom::Plain];
/// At 100 % and at 125 %.
pub const ZOOMED: &[Zoom] = &[Zoom::Plain, Zoom::Larger];

/// A session in one of its places.
#[derive(Debug)]
pub struct Stage<'a> {
    /// The browser.
    pub browser: &'a Browser,
    /// The session, with its window in this place.
    pub session: &'a Session<'a>,
    /// Where it is.
    pub place: Place,
    /// How large its pages are shown.
    pub zoom: Zoom,
}

/// A scenario of a table: its number, its zooms, and what it does.
pub type Scenario = (u32, &'static [Zoom], fn(&Stage<'_>));

/// Plays a table of scenarios in one place and one session. One that fails is told, and the rest is played in another session;
/// `BSK_SCENARIO` plays only the one of that number.
///
/// # Panics
/// When any of them failed; what was printed before says how.
pub fn play(browser: &Browser, place: Place, scenarios: &[Scenario]) {
    let only = std::env::var("BSK_SCENARIO").ok().and_then(|number| number.parse::<u32>().ok());
    let mut failed = Vec::new();
    let mut left = scenarios.iter().filter(|(number, ..)| only.is_none_or(|only| only == *number)).peekable();
    while left.peek().is_some() {
        let session = browser.session();
        let put_back = put(browser, &session, place);
        let failures = failed.len();
        for (number, zooms, scenario) in left.by_ref() {
            for zoom in *zooms {
                println!("scenario {number}, {place:?}, {zoom:?}");
                let stage = Stage { browser, session: &session, place, zoom: *zoom };
                let started = Instant::now();
                if catch_unwind(AssertUnwindSafe(|| scenario(&stage))).is_err() {
                    failed.push(format!("{number} ({zoom:?})"));
                    break;
                }
                println!("scenario {number}, {place:?}, {zoom:?} took {:?}", started.elapsed());
            }
            if failed.len() > failures {
                break;
            }
        }
        browser.in_worker(&put_back);
    }
    assert!(failed.is_empty(), "{place:?}: the scenarios {} failed", failed.join(", "));
}

/// Plays one scenario in every place and at each of these zooms, in one session.
///
/// # Panics
/// When the scenario does; what was printed before says where.
#[track_caller]
pub fn everywhere(browser: &Browser, zooms: &[Zoom], scenario: impl Fn(&Stage<'_>)) {
    let session = browser.session();
    for place in PLACES {
        let put_back = put(browser, &session, place);
        for zoom in zooms {
            println!("{place:?}, {zoom:?}");
            scenario(&Stage { browser, session: &session, place, zoom: *zoom });
        }
        browser.in_worker(&put_back);
    }
}

/// Puts the session's window there; gives the script that takes it back to the front.
fn put(browser: &Browser, session: &Session<'_>, place: Place) -> String {
    let window = session.window_id;
    match place {
        Place::Front => "null".to_owned(),
        Place::BehindTab => {
            let made =
                format!("chrome.tabs.create({{ windowId: {window}, active: true }}).then(tab => tab.id)");
            format!("chrome.tabs.remove({}).then(() => null)", browser.in_worker(&made))
        }
        Place::BehindWindow => {
            let made = "chrome.windows.create({ focused: true, state: 'maximized' }).then(one => one.id)";
            format!("chrome.windows.remove({}).then(() => null)", browser.in_worker(made))
        }
        Place::Minimised => {
            let state = |state: &str| {
                format!("chrome.windows.update({window}, {{ state: '{state}' }}).then(() => null)")
            };
            browser.in_worker(&state("minimized"));
            until("the window to be minimised", Duration::from_secs(5), || {
                let now = browser.in_worker(&format!("chrome.windows.get({window}).then(one => one.state)"));
                (now == "minimized").then_some(())
            });
            state("normal")
        }
    }
}

impl<'a> Stage<'a> {
    /// Serves a page, goes there, and shows it at this stage's zoom.
    ///
    /// # Panics
    /// When it cannot be opened.
    #[track_caller]
    #[must_use]
    pub fn page(&self, html: &str) -> Page<'a> {
        let page = self.session.open_page(html);
        if self.zoom == Zoom::Larger {
            self.zoom_to(&page, LARGER);
        }
        page
    }

    /// Zooms the session's tab as its user would.
    ///
    /// # Panics
    /// When the page does not get it.
    #[track_caller]
    pub fn zoom_to(&self, page: &Page<'_>, factor: f64) {
        let tab = self.session.tab_id();
        self.browser.in_worker(&format!(
            "chrome.tabs.setZoomSettings({tab}, {{ scope: 'per-tab' }}).then(() => chrome.tabs.setZoom({tab}, {factor})).then(() => null)"
        ));
        until("the page to be zoomed", ZOOM_LIMIT, || {
            page.evaluate("devicePixelRatio")
                .as_f64()
                .is_some_and(|ratio| (ratio - factor).abs() < 0.01)
                .then_some(())
        });
    }

    /// Waits a moment for what comes to the page by a message of its own: from a frame, or from a timer.
    ///
    /// # Panics
    /// When it does not come.
    #[track_caller]
    pub fn comes(&self, page: &Page<'_>, expression: &str, expected: &str) {
        until(&format!("`{expression}` to be {expected:?}"), Duration::from_secs(3), || {
            (page.evaluate(expression) == expected).then_some(())
        });
    }

    /// Runs a command that must succeed.
    ///
    /// # Panics
    /// When it fails.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> Value {
        self.session.ok(args)
    }

    /// Runs a command that must fail; gives its error.
    ///
    /// # Panics
    /// When it succeeds.
    #[track_caller]
    pub fn err(&self, args: &[&str]) -> Value {
        self.session.err(args)
    }
}
