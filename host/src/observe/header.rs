//! The first line: which page, how large its view is, how far it is scrolled, what it waits for.

use std::fmt::Write as _;

use bsk_protocol::local::Dialog;

use super::hidden;
use super::tree::Page;
use super::write::{self, LONGEST};

/// The line, with its break.
pub(super) fn line(page: &Page, is_partial: bool) -> String {
    let mut line = start(&page.title, &page.url);
    let _ = write!(line, " {:.0}x{:.0}", page.viewport.width, page.viewport.height);
    if page.scroll.max_y >= 1.0 {
        let _ = write!(line, " scrolled {:.0} of {:.0}", page.scroll.y, page.scroll.max_y);
    }
    if page.is_loading {
        line.push_str(" [loading]");
    }
    if is_partial {
        line.push_str(" [partial]");
    }
    line.push('\n');
    line
}

/// The line while a dialog is open: nothing in the page answers, so only what the host knows is said.
pub(super) fn beside_dialog(title: &str, url: &str, dialog: &Dialog) -> String {
    let mut line = start(title, url);
    let _ = write!(line, " [dialog {} ", dialog.kind);
    write::quoted(&mut line, &visible(&dialog.message), LONGEST);
    line.push_str("]\n");
    line
}

fn start(title: &str, url: &str) -> String {
    let mut line = String::from("page ");
    write::quoted(&mut line, title, LONGEST);
    line.push(' ');
    // One word, so that what follows it cannot be the page's.
    write::target(&mut line, url, LONGEST);
    line
}

/// Text that did not come through [`super::texts`], on one line.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    hidden::push_visible(&mut out, text);
    hidden::fold_breaks(&out).unwrap_or(out)
}
