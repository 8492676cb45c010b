//! Page text made safe to read: nothing in it moves the cursor, turns the reading direction or hides.
//!
//! Control characters, bidi controls, line separators, tag characters and characters without width are written as
//! `⟨U+202E⟩`, long runs of them as a count. Joiners stay, since scripts and emoji need them; soft hyphens are dropped.
//! Source of the lists: Unicode Standard, Bidi_Control and Default_Ignorable_Code_Point; UTR #36 on deceptive text.

use std::fmt::Write as _;

/// Longest run of hidden characters that is written one by one.
const LONGEST_RUN: usize = 8;
/// The base of flags that are written with tag characters (source: UTS #51, emoji tag sequences).
const FLAG_BASE: char = '\u{1F3F4}';
const FLAG_END: char = '\u{E007F}';
const SOFT_HYPHEN: char = '\u{AD}';

/// Adds a text to `out`. Line breaks stay, since lists of states are joined by them; [`fold_breaks`] takes them away.
pub(super) fn push_visible(out: &mut String, text: &str) {
    // Printable ASCII, the most of what pages hold, needs no second look.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        out.push_str(text);
        return;
    }
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if is_hidden(character) {
            let run: usize = rest.chars().take_while(|&c| is_hidden(c)).map(char::len_utf8).sum();
            push_run(out, &rest[..run]);
            rest = &rest[run..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match character {
            SOFT_HYPHEN => {}
            '\t' | '\r' | '\u{b}' | '\u{c}' => out.push(' '),
            FLAG_BASE => {
                let tags = flag_tags(rest);
                out.push(character);
                out.push_str(&rest[..tags]);
                rest = &rest[tags..];
            }
            _ if is_selector(character) => {
                out.push(character);
                // One selects a character's form; a row of them carries a message that nobody sees.
                let run: usize = rest.chars().take_while(|&c| is_selector(c)).map(char::len_utf8).sum();
                push_run(out, &rest[..run]);
                rest = &rest[run..];
            }
            _ => out.push(character),
        }
    }
}

/// The text without line breaks, if it has any.
pub(super) fn fold_breaks(text: &str) -> Option<String> {
    text.contains('\n').then(|| {
        text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    })
}

fn push_run(out: &mut String, run: &str) {
    let count = run.chars().count();
    if count > LONGEST_RUN {
        // A String takes whatever is written to it.
        let _ = write!(out, "⟨{count} hidden characters⟩");
        return;
    }
    for character in run.chars() {
        let _ = write!(out, "⟨U+{:04X}⟩", u32::from(character));
    }
}

fn is_hidden(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => false,
        '\u{61C}'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}'
        | '\u{E0000}'..='\u{E007F}' => true,
        _ => character.is_control(),
    }
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Bytes of the tags that make a flag of the base before them; 0 where they do not: 3 to 6 letters or digits and an end.
fn flag_tags(rest: &str) -> usize {
    let tags =
        rest.chars().take_while(|c| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}'));
    let count = tags.count();
    let is_flag = (3..=6).contains(&count) && rest.chars().nth(count) == Some(FLAG_END);
    if is_flag { (count + 1) * FLAG_END.len_utf8() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut out = String::new();
        push_visible(&mut out, text);
        assert_eq!(out, expected, "{text:?}");
    }

    #[test]
    fn what_a_reader_would_not_see_is_written_out() {
        check("plain ASCII, ünïcödé and 中文", "plain ASCII, ünïcödé and 中文");
        check("a\u{202E}b", "a⟨U+202E⟩b");
        check("a\u{1b}[31mb\u{9b}\u{7f}", "a⟨U+001B⟩[31mb⟨U+009B⟩⟨U+007F⟩");
        check("a\u{2028}b\u{2029}c\u{200B}\u{FEFF}", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+200B⟩⟨U+FEFF⟩");
        check("a\tb\rc", "a b c");
    }

    #[test]
    fn a_long_run_is_counted() {
        check(&"\u{E0041}".repeat(8), &"⟨U+E0041⟩".repeat(8));
        check(&format!("x{}y", "\u{E0041}".repeat(900)), "x⟨900 hidden characters⟩y");
    }

    #[test]
    fn scripts_and_emoji_keep_what_they_need() {
        check("می\u{200C}خواهم", "می\u{200C}خواهم");
        check("👩\u{200D}💻 ❤\u{FE0F}", "👩\u{200D}💻 ❤\u{FE0F}");
        check("co\u{AD}operate", "cooperate");
        let wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}";
        check(wales, wales);
        check("\u{1F3F4}\u{E0067}x", "\u{1F3F4}⟨U+E0067⟩x");
        check("a\u{FE0F}\u{FE01}\u{FE02}", "a\u{FE0F}⟨U+FE01⟩⟨U+FE02⟩");
    }

    #[test]
    fn breaks_become_spaces() {
        assert_eq!(fold_breaks("a \n\n b").as_deref(), Some("a b"));
        assert_eq!(fold_breaks("a b"), None);
    }
}
