//! docs/protocol.md shows every code and reason as the enums have them, and docs/troubleshooting.md only ones that exist. The expected tables are printed on a difference,
//! ready to be pasted; set `BSK_UPDATE_DOCS=1` to write them into the page.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bsk_protocol::failure::{ErrorCode, Reason};

fn code_table() -> String {
    let mut table = String::from("| code | exit | meaning |\n| --- | --- | --- |\n");
    for code in ErrorCode::ALL {
        writeln!(table, "| `{code}` | {} | {} |", code.exit_code(None), code.meaning())
            .expect("a String takes it");
    }
    table
}

fn reason_table() -> String {
    let mut table = String::from("| reason | meaning |\n| --- | --- |\n");
    for reason in Reason::ALL {
        writeln!(table, "| `{reason}` | {} |", reason.meaning()).expect("a String takes it");
    }
    table
}

/// Checks what stands between `<!-- NAME -->` and `<!-- /NAME -->`.
fn check(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol.md");
    let page = fs::read_to_string(&path).expect("docs/protocol.md can be read");
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = page.find(&start).unwrap_or_else(|| panic!("docs/protocol.md has no `{}`", start.trim()))
        + start.len();
    let to = page[from..].find(&end).unwrap_or_else(|| panic!("docs/protocol.md has no `{end}`")) + from;
    if page[from..to] == *expected {
        return;
    }
    if std::env::var_os("BSK_UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{}{expected}{}", &page[..from], &page[to..]))
            .expect("docs/protocol.md can be written");
        return;
    }
    panic!("docs/protocol.md differs from the enums; between `<!-- {name} -->` it should have:\n{expected}");
}

#[test]
fn every_code_and_reason_stands_in_the_protocol_page() {
    check("codes", &code_table());
    check("reasons", &reason_table());
}

#[test]
fn the_troubleshooting_page_names_only_reasons_that_exist() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/troubleshooting.md");
    let page = fs::read_to_string(&path).expect("docs/troubleshooting.md can be read");
    let first_cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let named: Vec<&str> =
        first_cells.flat_map(|cell| cell.split('`')).filter(|part| part.len() > 2).collect();
    assert!(named.len() > 10, "the table has rows: {named:?}");
    for name in named {
        assert!(Reason::ALL.iter().any(|reason| reason.as_str() == name), "`{name}` is no reason");
    }
}
