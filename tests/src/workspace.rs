//! Where things are in the checkout: the release binaries, the extension, the test pages, and the browser outside it.
//!
//! `BSK_BIN_DIR` and `BSK_CHROMIUM` point elsewhere. Nothing is built from here; what is missing is named with the command
//! that makes it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Names under which Linux distributions install Chromium and Chrome.
const BROWSER_NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The checkout.
#[must_use]
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the crate is a folder of the checkout").to_owned()
}

/// The unpacked extension.
#[must_use]
pub fn extension_dir() -> PathBuf {
    root().join("extension")
}

/// A test extension that puts frames of its own into pages.
#[must_use]
pub fn framer_dir() -> PathBuf {
    root().join("tests/extensions/framer")
}

/// A test extension that has its own mind about downloads.
#[must_use]
pub fn rival_dir() -> PathBuf {
    root().join("tests/extensions/rival")
}

/// The pages that belong to tests and the demo.
#[must_use]
pub fn pages_dir() -> PathBuf {
    root().join("tests/pages")
}

/// Where the release binaries are: `BSK_BIN_DIR`, else the release folder of the target directory.
#[must_use]
pub fn binaries_dir() -> PathBuf {
    if let Some(dir) = env::var_os("BSK_BIN_DIR") {
        return PathBuf::from(dir);
    }
    target_dir().join("release")
}

/// Cargo's target directory.
#[must_use]
pub fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The release binary `bsk`.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn bsk() -> PathBuf {
    binary("bsk")
}

/// The release binary `bsk-host`.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn bsk_host() -> PathBuf {
    binary("bsk-host")
}

fn binary(name: &str) -> PathBuf {
    let path = binaries_dir().join(name);
    assert!(
        path.is_file(),
        "`{}` is not built; run `cargo build --release -p bsk-cli -p bsk-host` (or `cargo xtask test`)",
        path.display()
    );
    path
}

/// The browser to test with: `BSK_CHROMIUM`, else the first Chromium or Chrome in `PATH`.
#[must_use]
pub fn find_browser() -> Option<PathBuf> {
    if let Some(path) = env::var_os("BSK_CHROMIUM") {
        return Some(PathBuf::from(path));
    }
    BROWSER_NAMES.iter().find_map(|name| find_in_path(name))
}

/// The first file of this name in `PATH`.
#[must_use]
pub fn find_in_path(name: &str) -> Option<PathBuf> {
    let path: OsString = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|candidate| candidate.is_file())
}

/// The id that the key in the extension's manifest gives it.
///
/// # Panics
/// When `manifests/extension_ids.json` is not as expected.
#[must_use]
pub fn extension_id() -> String {
    let table = read_json(&root().join("manifests/extension_ids.json"));
    table["extensions"][0]["id"].as_str().expect("the table has an id").to_owned()
}

/// The name under which the host is registered.
///
/// # Panics
/// When `manifests/host.json` is not as expected.
#[must_use]
pub fn host_name() -> String {
    read_json(&root().join("manifests/host.json"))["name"].as_str().expect("the host has a name").to_owned()
}

/// A JSON file of the checkout.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn read_json(path: &Path) -> Value {
    let text = read(path);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

/// A text file of the checkout.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

/// All files below a folder whose name ends so, sorted; `node_modules` and hidden folders are left out.
///
/// # Panics
/// When a folder cannot be read.
#[must_use]
pub fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("`{}`: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("an entry of a folder that can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_left_out = name == "node_modules" || name == "target" || name.starts_with('.');
            if path.is_dir() && !is_left_out {
                folders.push(path);
            } else if path.is_file() && name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The page library as it is shipped, in its order, as one expression: the value of `ending`, which stands behind its files
/// in the same function body and ends with `return`.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn page_library(ending: &str) -> String {
    let folder = extension_dir();
    let calls = read(&folder.join("kernel/page_calls.js"));
    let list = calls.split_once("PAGE_FILES = Object.freeze([").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.expect("page_calls.js lists the page library's files");
    let files = list.split('\'').skip(1).step_by(2).map(|name| read(&folder.join("page").join(name)));
    let files: Vec<String> = files.collect();
    format!("(() => {{ 'use strict';\n{}\n{ending}\n}})()", files.join("\n"))
}
