//! Keys: from the names of the UI Events standard to what `Input.dispatchKeyEvent` takes.
//!
//! Named keys follow the standard's `key` values, printable ones a US keyboard; any other single character is sent as
//! text without a physical key. Sources: UI Events KeyboardEvent key and code values; the Windows virtual key codes that
//! `keyCode` repeats in every browser.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::Modifier;

/// One key as the browser takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// `KeyboardEvent.key`.
    pub(super) key: String,
    /// `KeyboardEvent.code`; empty for a character that has no key of its own.
    pub(super) code: String,
    /// Windows virtual key code, 0 for none.
    pub(super) key_code: u32,
    /// What the key types; none for keys that type nothing.
    pub(super) text: Option<String>,
    /// `KeyboardEvent.location`.
    pub(super) location: u8,
}

/// Named keys: name, code, virtual key code, text, location.
const NAMED: &[(&str, &str, u32, &str, u8)] = &[
    ("Enter", "Enter", 13, "\r", 0),
    ("Tab", "Tab", 9, "", 0),
    ("Escape", "Escape", 27, "", 0),
    ("Backspace", "Backspace", 8, "", 0),
    ("Delete", "Delete", 46, "", 0),
    ("Insert", "Insert", 45, "", 0),
    ("ArrowUp", "ArrowUp", 38, "", 0),
    ("ArrowDown", "ArrowDown", 40, "", 0),
    ("ArrowLeft", "ArrowLeft", 37, "", 0),
    ("ArrowRight", "ArrowRight", 39, "", 0),
    ("Home", "Home", 36, "", 0),
    ("End", "End", 35, "", 0),
    ("PageUp", "PageUp", 33, "", 0),
    ("PageDown", "PageDown", 34, "", 0),
    ("Shift", "ShiftLeft", 16, "", 1),
    ("Control", "ControlLeft", 17, "", 1),
    ("Alt", "AltLeft", 18, "", 1),
    ("Meta", "MetaLeft", 91, "", 1),
    ("CapsLock", "CapsLock", 20, "", 0),
    ("NumLock", "NumLock", 144, "", 0),
    ("ScrollLock", "ScrollLock", 145, "", 0),
    ("Pause", "Pause", 19, "", 0),
    ("PrintScreen", "PrintScreen", 44, "", 0),
    ("ContextMenu", "ContextMenu", 93, "", 0),
    ("F1", "F1", 112, "", 0),
    ("F2", "F2", 113, "", 0),
    ("F3", "F3", 114, "", 0),
    ("F4", "F4", 115, "", 0),
    ("F5", "F5", 116, "", 0),
    ("F6", "F6", 117, "", 0),
    ("F7", "F7", 118, "", 0),
    ("F8", "F8", 119, "", 0),
    ("F9", "F9", 120, "", 0),
    ("F10", "F10", 121, "", 0),
    ("F11", "F11", 122, "", 0),
    ("F12", "F12", 123, "", 0),
];

/// Other names that people use.
const ALIASES: &[(&str, &str)] = &[
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
];

/// Printable keys of a US keyboard: plain, with Shift, code, virtual key code.
const PRINTABLE: &[(char, char, &str, u32)] = &[
    (' ', ' ', "Space", 32),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    ('`', '~', "Backquote", 192),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
];

/// A key or a chord such as `Control+Shift+A`, split into its modifiers and its key.
pub(super) fn parse(chord: &str) -> Result<(Vec<Modifier>, Key), Failure> {
    // A plus sign at the end is the key itself.
    let (held, name) = match chord.strip_suffix('+') {
        Some("") => ("", "+"),
        Some(rest) if rest.ends_with('+') => (&rest[..rest.len() - 1], "+"),
        Some(_) => return Err(unknown(chord)),
        None => chord.rsplit_once('+').unwrap_or(("", chord)),
    };
    let mut modifiers = Vec::new();
    for part in held.split('+').filter(|part| !part.is_empty()) {
        modifiers.push(modifier(part).ok_or_else(|| unknown(chord))?);
    }
    let is_shifted = modifiers.contains(&Modifier::Shift);
    let key = named(name).or_else(|| printable(name, is_shifted)).ok_or_else(|| unknown(chord))?;
    Ok((modifiers, key))
}

fn unknown(chord: &str) -> Failure {
    Failure::new(ErrorCode::InvalidParams, Reason::UnknownKey, format!("there is no key `{chord}`")).hint(
        "use names such as `Enter`, `Tab`, `Escape`, `ArrowDown`, `F5`, a character, or a chord such as `Control+A`",
    )
}

/// A modifier by one of its names, in any case.
fn modifier(name: &str) -> Option<Modifier> {
    Some(match name.to_ascii_lowercase().as_str() {
        "alt" | "option" => Modifier::Alt,
        "control" | "ctrl" => Modifier::Control,
        "meta" | "cmd" | "command" => Modifier::Meta,
        "shift" => Modifier::Shift,
        "controlormeta" => Modifier::ControlOrMeta,
        _ => return None,
    })
}

fn named(name: &str) -> Option<Key> {
    let wanted =
        ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, key)| key);
    if wanted.eq_ignore_ascii_case("space") {
        return printable(" ", false);
    }
    let (key, code, key_code, text, location) = NAMED
        .iter()
        .find(|(key, ..)| key.eq_ignore_ascii_case(wanted) && (key.len() > 1 || *key == wanted))?;
    Some(Key {
        key: (*key).to_owned(),
        code: (*code).to_owned(),
        key_code: *key_code,
        text: (!text.is_empty()).then(|| (*text).to_owned()),
        location: *location,
    })
}

fn printable(name: &str, is_shifted: bool) -> Option<Key> {
    let mut characters = name.chars();
    let (character, None) = (characters.next()?, characters.next()) else { return None };
    let made = |character: char, code: String, key_code: u32| Key {
        key: character.to_string(),
        code,
        key_code,
        text: Some(character.to_string()),
        location: 0,
    };
    if character.is_ascii_alphabetic() {
        let upper = character.to_ascii_uppercase();
        let typed = if is_shifted { upper } else { character };
        return Some(made(typed, format!("Key{upper}"), u32::from(upper)));
    }
    for &(plain, shifted, code, key_code) in PRINTABLE {
        if character == plain || character == shifted {
            let typed = if is_shifted { shifted } else { character };
            return Some(made(typed, code.to_owned(), key_code));
        }
    }
    (!character.is_control()).then(|| made(character, String::new(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_split_and_the_plus_key_is_a_key() {
        let (modifiers, key) = parse("ControlOrMeta+A").unwrap();
        assert_eq!((modifiers, key.code.as_str(), key.key_code), (vec![Modifier::ControlOrMeta], "KeyA", 65));
        let (modifiers, key) = parse("Control++").unwrap();
        assert_eq!((modifiers, key.key.as_str(), key.code.as_str()), (vec![Modifier::Control], "+", "Equal"));
        assert_eq!(parse("+").unwrap().1.key, "+");
    }

    #[test]
    fn named_keys_go_by_any_case_and_alias() {
        for name in ["Enter", "enter", "Return"] {
            assert_eq!(parse(name).unwrap().1.text.as_deref(), Some("\r"), "{name}");
        }
        assert_eq!(parse("esc").unwrap().1.key_code, 27);
        assert_eq!(parse("Space").unwrap().1.key, " ");
        assert_eq!(parse("f5").unwrap().1.code, "F5");
    }

    #[test]
    fn characters_type_themselves_also_without_a_key_of_their_own() {
        assert_eq!(parse("a").unwrap().1.text.as_deref(), Some("a"));
        assert_eq!(parse("Shift+a").unwrap().1.text.as_deref(), Some("A"));
        assert_eq!(parse("!").unwrap().1.code, "Digit1");
        let accented = parse("é").unwrap().1;
        assert_eq!((accented.code.as_str(), accented.text.as_deref()), ("", Some("é")));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for name in ["", "Foo", "Hyper+A", "Control+", "ab", "\u{7}"] {
            assert_eq!(parse(name).unwrap_err().reason, Some(Reason::UnknownKey), "{name:?}");
        }
    }
}
