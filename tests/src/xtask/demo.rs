//! `cargo xtask demo`: buys nothing in a small local shop, with every command and its answer shown.
//!
//! It drives `bsk` as an agent would: refs come from the text of `observe`, nothing is known beforehand. The profile is
//! thrown away afterwards; the picture stays in `target/demo/`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::machine::need_browser;
use super::steps::build_release;
use crate::session::ref_in;
use crate::{Browser, Options, workspace};

/// Longest part of an answer that is shown, in lines.
const SHOWN_LINES: usize = 24;

/// Builds, starts the browser and does the task.
///
/// # Errors
/// A line that names the step that failed.
pub(super) fn run() -> Result<(), String> {
    need_browser()?;
    build_release()?;
    println!("\nStarting Chromium with a throwaway profile and the extension …");
    // Starting reports by panicking, as in tests; its message has been printed then.
    let browser = catch_unwind(AssertUnwindSafe(|| Browser::launch(&Options::default())));
    let browser = browser.map_err(|_| "the browser did not come up".to_owned())?;
    browser.pages().folder("/shop/", &workspace::pages_dir().join("shop"));
    let picture = workspace::root().join("target/demo/cart.png");
    fs::create_dir_all(picture.parent().expect("it is in a folder")).map_err(|error| error.to_string())?;
    if picture.exists() {
        // Our own picture of an earlier run.
        fs::remove_file(&picture).map_err(|error| error.to_string())?;
    }
    shop(&browser, &picture.display().to_string())?;
    println!("\nDone: the picture of the cart is {}", picture.display());
    Ok(())
}

fn shop(browser: &Browser, picture: &str) -> Result<(), String> {
    let session = say(browser, &["session", "start"])?.trim().to_owned();
    let say = |args: &[&str]| say(browser, &[args, &["--session", &session]].concat());
    say(&["navigate", &browser.pages().url("/shop/")])?;
    let page = say(&["observe"])?;
    say(&["fill", &find(&page, "Search the shop")?, "--value", "mug"])?;
    let page = say(&["observe"])?;
    expect(&page, "Harbour mug")?;
    say(&["click", &find(&page, "Harbour mug")?])?;
    let page = say(&["observe"])?;
    say(&["click", &find(&page, "Add to cart")?])?;
    let page = say(&["observe"])?;
    say(&["click", &find(&page, "Cart")?])?;
    let page = say(&["observe"])?;
    expect(&page, "Harbour mug")?;
    expect(&page, "1 item")?;
    say(&["screenshot", "--out", picture])?;
    if !fs::read(picture).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG")) {
        return Err(format!("`{picture}` is no PNG"));
    }
    self::say(browser, &["session", "stop", &session])?;
    Ok(())
}

/// Runs one command, shows it and its answer, and gives the answer.
fn say(browser: &Browser, args: &[&str]) -> Result<String, String> {
    println!("\n$ bsk {}", args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(" "));
    let ran = browser.bsk(args);
    let text = ran.text();
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(SHOWN_LINES) {
        println!("{line}");
    }
    if lines.len() > SHOWN_LINES {
        println!("… {} more lines", lines.len() - SHOWN_LINES);
    }
    print!("{}", ran.complaint());
    if ran.status.success() {
        Ok(text)
    } else {
        Err(format!("`bsk {}` ended with {}", args.join(" "), ran.status))
    }
}

fn quoted(arg: &str) -> String {
    let is_plain = arg.chars().all(|sign| sign.is_ascii_alphanumeric() || "@-_./:=,".contains(sign));
    if is_plain { arg.to_owned() } else { format!("'{arg}'") }
}

fn find(page: &str, name: &str) -> Result<String, String> {
    ref_in(page, &format!("\"{name}")).ok_or_else(|| format!("`observe` shows no `{name}` with a ref"))
}

fn expect(page: &str, text: &str) -> Result<(), String> {
    if page.contains(text) { Ok(()) } else { Err(format!("`observe` shows no `{text}`")) }
}
