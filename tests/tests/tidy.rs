//! The layout's arrows and the written rules, read from the sources: what no compiler checks.
//!
//! Needs no build of the product and no browser.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use bsk_protocol::failure::{ErrorCode, Reason};
use bsk_tests::workspace::{extension_dir, files_below, read, read_json, root};
use serde_json::Value;

/// Which crate may use which, design §8. The test crate sees the others through their programs and the protocol only.
const ARROWS: [(&str, &[&str]); 5] = [
    ("bsk-protocol", &[]),
    ("bsk-installer", &[]),
    ("bsk-host", &["bsk-protocol"]),
    ("bsk-cli", &["bsk-installer", "bsk-protocol"]),
    ("bsk-tests", &["bsk-protocol"]),
];

const CRATES: [&str; 5] = ["protocol", "host", "cli", "installer", "tests"];

fn metadata() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version=1", "--offline"]).current_dir(root());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn rust_files() -> Vec<PathBuf> {
    CRATES.iter().flat_map(|name| files_below(&root().join(name), ".rs")).collect()
}

fn script_files() -> Vec<PathBuf> {
    [".js", ".ts"].iter().flat_map(|ending| files_below(&extension_dir(), ending)).collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn crates_use_each_other_only_along_the_arrows() {
    let metadata = metadata();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let uses = package["dependencies"].as_array().unwrap().iter().filter(|one| one["path"].is_string());
        let names = uses.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        found.insert(package["name"].as_str().unwrap().to_owned(), names);
    }
    let expected: BTreeMap<String, BTreeSet<String>> = ARROWS
        .iter()
        .map(|(name, uses)| ((*name).to_owned(), uses.iter().map(|one| (*one).to_owned()).collect()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_protocol_knows_no_runtime_and_no_command_line() {
    let manifest = read(&root().join("protocol/Cargo.toml"));
    for name in ["tokio", "clap"] {
        assert!(!manifest.contains(name), "`{name}` in protocol/Cargo.toml");
    }
}

#[test]
fn the_host_prints_nothing() {
    for file in files_below(&root().join("host"), ".rs") {
        let text = read(&file);
        for word in ["println!", "print!(", "dbg!"] {
            for (number, line) in text.lines().enumerate() {
                let is_stderr = line.contains("eprintln!") || line.contains("eprint!(");
                let is_code = !line.trim_start().starts_with("//");
                assert!(
                    !(line.contains(word) && is_code && !is_stderr),
                    "{}:{}: the host's output carries frames and nothing else: {line}",
                    shown(&file),
                    number + 1
                );
            }
        }
    }
}

#[test]
fn every_source_file_opens_with_what_it_is() {
    for file in rust_files() {
        let text = read(&file);
        assert!(text.starts_with("//! "), "{} does not open with `//!`", shown(&file));
    }
    for file in script_files() {
        let text = read(&file);
        assert!(
            text.starts_with("// ") || text.starts_with("/**"),
            "{} does not open with a comment",
            shown(&file)
        );
    }
    for folder in [extension_dir(), root().join("tests/pages")] {
        for file in [files_below(&folder, ".html"), files_below(&folder, ".css")].concat() {
            let start: String = read(&file).lines().take(2).collect();
            assert!(
                start.contains("<!--") || start.contains("/*"),
                "{} does not say what it is",
                shown(&file)
            );
        }
    }
}

#[test]
fn no_unsafe_code_outside_the_one_named_module() {
    let word = ["un", "safe"].concat();
    for file in rust_files() {
        for (number, line) in read(&file).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_used = [" {", " fn", " impl", "(no_mangle"]
                .iter()
                .any(|after| code.contains(&format!("{word}{after}")));
            assert!(!is_used, "{}:{}: {line}", shown(&file), number + 1);
        }
    }
}

#[test]
fn network_sockets_are_named_in_the_page_server_only() {
    let allowed = root().join("tests/src/pages.rs");
    for file in
        rust_files().into_iter().filter(|file| *file != allowed && !file.ends_with("tests/tests/tidy.rs"))
    {
        let text = read(&file);
        for word in ["TcpListener", "TcpStream", "UdpSocket", "disallowed_types"] {
            assert!(!text.contains(word), "`{word}` in {}", shown(&file));
        }
    }
    let clippy = read(&root().join("clippy.toml"));
    for word in
        ["std::net::TcpListener", "std::net::TcpStream", "std::net::UdpSocket", "tokio::net::TcpListener"]
    {
        assert!(clippy.contains(word), "clippy.toml forbids `{word}`");
    }
}

#[test]
fn the_protocol_s_document_lists_every_code_and_reason_with_its_meaning() {
    let text = read(&root().join("docs/protocol.md"));
    let codes = ErrorCode::ALL.iter().map(|code| (code.as_str(), code.meaning()));
    let reasons = Reason::ALL.iter().map(|reason| (reason.as_str(), reason.meaning()));
    for (name, meaning) in codes.chain(reasons) {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/protocol.md has no row for `{name}`"));
        assert!(row.contains(meaning), "docs/protocol.md says of `{name}`: {row}\nbut it means: {meaning}");
    }
}

#[test]
fn the_protocol_s_document_lists_nothing_that_does_not_exist() {
    let text = read(&root().join("docs/protocol.md"));
    let known: BTreeSet<&str> = ErrorCode::ALL
        .iter()
        .map(|code| code.as_str())
        .chain(Reason::ALL.iter().map(|reason| reason.as_str()))
        .collect();
    let mut in_table = false;
    for line in text.lines() {
        // The tables of codes and reasons are those whose head says so.
        if line.starts_with("| code") || line.starts_with("| reason") {
            in_table = true;
        } else if !line.starts_with('|') {
            in_table = false;
        } else if in_table
            && let Some(name) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next())
        {
            assert!(known.contains(name), "docs/protocol.md lists `{name}`, which does not exist");
        }
    }
}

/// The text between the next pair of single quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once('\'')?;
    rest.split_once('\'')
}

#[test]
fn every_code_and_reason_of_the_extension_is_in_the_closed_lists() {
    let codes: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let reasons: BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    let mut count = 0;
    for folder in ["kernel", "page"] {
        for file in files_below(&extension_dir().join(folder), ".js") {
            let text = read(&file);
            for opening in ["fail(", "Refusal("] {
                for (at, _) in text.match_indices(opening) {
                    let rest = text[at + opening.len()..].trim_start();
                    let Some((code, rest)) = rest.starts_with('\'').then(|| quoted(rest)).flatten() else {
                        continue;
                    };
                    assert!(codes.contains(code), "{}: `{code}` is no error code", shown(&file));
                    count += 1;
                    let rest = rest.trim_start_matches(',').trim_start();
                    let Some((reason, _)) = rest.starts_with('\'').then(|| quoted(rest)).flatten() else {
                        continue;
                    };
                    assert!(reasons.contains(reason), "{}: `{reason}` is no reason", shown(&file));
                }
            }
        }
    }
    assert!(count > 20, "only {count} failures were found: does this test still read the sources right?");
}

#[test]
fn the_extension_s_lists_of_codes_and_reasons_are_the_protocol_s() {
    let text = read(&extension_dir().join("kernel/codes.js"));
    let all = ErrorCode::ALL.iter().map(|code| code.as_str());
    for name in all {
        assert!(text.contains(&format!("'{name}'")), "`{name}` is missing in kernel/codes.js");
    }
}

#[test]
fn the_extension_asks_for_no_site_and_injects_nothing() {
    let manifest = read_json(&extension_dir().join("manifest.json"));
    for key in [
        "content_scripts",
        "host_permissions",
        "optional_host_permissions",
        "externally_connectable",
        "web_accessible_resources",
        "content_security_policy",
        "update_url",
    ] {
        assert!(manifest[key].is_null(), "`{key}` in the extension's manifest");
    }
    let asked: Vec<&str> =
        manifest["permissions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for permission in &asked {
        assert!(!permission.contains("://") && !permission.contains('<'), "`{permission}` is a site");
        let is_broad =
            ["scripting", "cookies", "webRequest", "history", "management", "proxy"].contains(permission);
        assert!(!is_broad, "`{permission}` is more than the kernel needs");
    }
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_extension_loads_no_code_from_elsewhere() {
    for folder in ["kernel", "page", "ui"] {
        for file in
            [".js", ".html"].iter().flat_map(|ending| files_below(&extension_dir().join(folder), ending))
        {
            let text = read(&file);
            for word in [
                "new Function",
                "eval(",
                "innerHTML",
                "http://",
                "https://",
                "importScripts",
                "XMLHttpRequest",
            ] {
                for (number, line) in text.lines().enumerate() {
                    let is_words = line.trim_start().starts_with("//") || line.trim_start().starts_with('*');
                    let is_example = line.contains("example.com") || line.contains("w3.org");
                    assert!(
                        is_words || is_example || !line.contains(word),
                        "{}:{}: {line}",
                        shown(&file),
                        number + 1
                    );
                }
            }
        }
    }
    let package = read_json(&extension_dir().join("package.json"));
    assert!(package["dependencies"].is_null(), "the extension has no runtime dependency");
}

#[test]
fn page_files_are_exactly_the_page_library() {
    let text = read(&extension_dir().join("kernel/page_calls.js"));
    let start = text.find("PAGE_FILES").unwrap_or_else(|| panic!("page_calls.js has no PAGE_FILES"));
    let list = text[start..].split_once('[').and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
    let listed: BTreeSet<String> = list
        .split(',')
        .map(|one| one.trim().trim_matches('\'').rsplit('/').next().unwrap_or_default().to_owned())
        .map(|one| if one.is_empty() || one.ends_with(".js") { one } else { format!("{one}.js") })
        .filter(|one| !one.is_empty())
        .collect();
    let files = files_below(&extension_dir().join("page"), ".js");
    let there: BTreeSet<String> =
        files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(listed, there);
}

#[test]
fn messages_exist_in_both_languages() {
    let keys = |language: &str| -> BTreeSet<String> {
        let file = extension_dir().join("_locales").join(language).join("messages.json");
        read_json(&file).as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys("en"), keys("zh_CN"));
}

#[test]
fn golden_messages_cover_both_wires() {
    let folder = root().join("protocol/golden");
    assert!(files_below(&folder, ".json").len() > 10, "one message per variant");
    assert!(files_below(&folder.join("bad"), ".json").len() > 3, "hostile ones, too");
}

#[test]
fn no_registry_but_the_default_ones_is_named() {
    let lock = read(&root().join("Cargo.lock"));
    for line in lock.lines().filter(|line| line.starts_with("source = ")) {
        assert!(line.contains("registry+https://github.com/rust-lang/crates.io-index"), "Cargo.lock: {line}");
    }
    let npm = read_json(&extension_dir().join("package-lock.json"));
    for (name, package) in npm["packages"].as_object().unwrap() {
        if let Some(place) = package["resolved"].as_str() {
            assert!(place.starts_with("https://registry.npmjs.org/"), "package-lock.json, `{name}`: {place}");
        }
    }
    for name in [".cargo/config.toml", "extension/.npmrc", ".npmrc"] {
        let file = root().join(name);
        if file.exists() {
            let text = read(&file);
            assert!(!text.contains("registry") && !text.contains("://"), "{name} names a registry");
        }
    }
}

#[test]
fn continuous_integration_runs_the_documented_command_and_no_other() {
    let script = read(&root().join(".ci/run"));
    let commands: Vec<&str> =
        script.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
    assert_eq!(commands, ["set -euo pipefail", "cd \"$(dirname \"$0\")/..\"", "cargo xtask test"]);
    assert!(
        read(&root().join("README.md")).contains("cargo xtask test"),
        "the README names the test command"
    );
}
