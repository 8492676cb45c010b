//! How long the pure parts take on a page of a hundred thousand nodes. Nothing is asserted: `cargo test --release -p bsk-host
//! large_page -- --nocapture` tells the numbers.

use std::fmt::Write as _;
use std::time::Instant;

use bsk_protocol::ids::FrameNumber;

use super::super::View;
use super::super::assemble::{Mapping, Seen};
use super::super::columns::Columns;
use super::super::tree::Tree;
use super::{columns, default, show};

/// Rows of what remains of a page of a hundred thousand elements.
const ROWS: usize = 66_000;

#[test]
fn a_large_page_becomes_lines_in_milliseconds() {
    let mut outline = String::from("main\n");
    for number in 1..=ROWS / 2 {
        let place = if number < 30 { 0 } else { 2 };
        let _ = writeln!(outline, "  text r{number} {{place={place}}}\n  @{number} link x {{place={place}}}");
    }
    let mut page = columns(&outline);
    page["nodes"]["box"] = serde_json::json!([]);
    let text = page.to_string();
    drop(page);
    for _ in 0..5 {
        let started = Instant::now();
        let columns = Columns::read(&text).unwrap();
        let read = started.elapsed();
        let seen = Seen { frame: FrameNumber::MAIN, columns, children: Default::default() };
        let tree = Tree::assemble(seen, Mapping::IDENTITY, false);
        let assembled = started.elapsed();
        let view = View::observe(&default());
        let (lines, _) = view.lines(&tree);
        let folded = started.elapsed();
        let _ = super::super::rank::Ranking::of(&lines);
        let ranked = started.elapsed();
        let (shown, _) = show(&tree, view, Some(6000), 0);
        let total = started.elapsed();
        assert!(shown.is_truncated && lines.all.len() > ROWS - 2);
        eprintln!(
            "{} bytes of columns: read {read:?}, tree {:?}, lines {:?}, ranking {:?}, lines and text {:?}",
            text.len(),
            assembled - read,
            folded - assembled,
            ranked - folded,
            total - ranked,
        );
    }
}
