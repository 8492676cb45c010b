//! Keys: from the names of the UI Events standard to what `Input.dispatchKeyEvent` takes.
//!
//! Named keys follow the standard's `key` values, printable ones a US keyboard; any other single character is sent as
//! text without a physical key. The tables are in `key_names`. Sources: UI Events KeyboardEvent key and code values; the Windows virtual key codes that
//! `keyCode` repeats in every browser.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::Modifier;

use super::key_names::{ALIASES, CYRILLIC, NAMED, PRINTABLE, near};

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
    let near = near(chord.rsplit('+').find(|part| !part.is_empty()).unwrap_or(chord));
    let listed = near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let hint = if chord.chars().count() > 1 && near.is_empty() {
        "use names such as `Enter`, `Tab`, `ArrowDown`, `F5`, a character, or a chord such as `Control+A`; enter text with `bsk type` or `bsk fill`".to_owned()
    } else if near.is_empty() {
        "use names such as `Enter`, `Tab`, `Escape`, `ArrowDown`, `F5`, a character, or a chord such as `Control+A`".to_owned()
    } else {
        format!("near to it: {listed}; a character or a chord such as `Control+A` is taken, too")
    };
    Failure::new(ErrorCode::InvalidParams, Reason::UnknownKey, format!("there is no key `{chord}`"))
        .hint(hint)
        .with("near", near)
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

/// `KeyboardEvent.location` of the numeric keypad.
pub(super) const NUMPAD: u8 = 3;

/// Whether a key is itself a modifier, which never repeats.
pub(super) fn is_modifier(key: &Key) -> bool {
    modifier(&key.key).is_some()
}

/// The key that types a character, and whether Shift is held for it.
///
/// # Errors
/// A control character that no key types.
pub(super) fn of_character(character: char) -> Result<(Key, bool), Failure> {
    let key = match character {
        '\n' => named("Enter"),
        '\t' => named("Tab"),
        _ => printable(character.encode_utf8(&mut [0; 4]), false),
    };
    let is_shifted = character.is_ascii_uppercase()
        || PRINTABLE.iter().any(|&(plain, shifted, ..)| plain != shifted && shifted == character)
        || !character.is_ascii() && character.is_uppercase();
    key.map(|key| (key, is_shifted)).ok_or_else(|| {
        let message = format!("no key types the character U+{:04X}", u32::from(character));
        Failure::new(ErrorCode::InvalidParams, Reason::UnknownKey, message)
            .hint("leave control characters out, or enter the text with `bsk fill`")
    })
}

fn named(name: &str) -> Option<Key> {
    let wanted =
        ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, key)| key);
    if wanted.eq_ignore_ascii_case("space") {
        return printable(" ", false);
    }
    let Some(&(_, key, code, key_code, text, location)) =
        NAMED.iter().find(|(name, ..)| name.eq_ignore_ascii_case(wanted))
    else {
        return by_code(wanted);
    };
    Some(Key {
        key: key.to_owned(),
        code: code.to_owned(),
        key_code,
        text: (!text.is_empty()).then(|| text.to_owned()),
        location,
    })
}

/// A printable key by its place on the keyboard, such as `KeyA` or `Digit1`.
fn by_code(name: &str) -> Option<Key> {
    if let Some(letter) = name.strip_prefix("Key") {
        let is_letter = letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_uppercase());
        return if is_letter { printable(&letter.to_ascii_lowercase(), false) } else { None };
    }
    let (plain, ..) = PRINTABLE.iter().find(|(_, _, code, _)| *code == name)?;
    printable(plain.encode_utf8(&mut [0; 4]), false)
}

fn printable(name: &str, is_shifted: bool) -> Option<Key> {
    let mut characters = name.chars();
    let character = characters.next()?;
    let made = |typed: &str, code: String, key_code: u32| Key {
        key: typed.to_owned(),
        code,
        key_code,
        text: Some(typed.to_owned()),
        location: 0,
    };
    let marks = characters.as_str();
    if !marks.is_empty() {
        // A letter with its accents apart is one character to people, and still one key's text.
        let is_one = character.is_alphabetic()
            && marks.chars().all(is_combining)
            && name.encode_utf16().count() <= MOST_UNITS;
        return is_one.then(|| made(name, String::new(), 0));
    }
    if character.is_ascii_alphabetic() {
        let upper = character.to_ascii_uppercase();
        let typed = if is_shifted { upper } else { character };
        return Some(made(typed.encode_utf8(&mut [0; 4]), format!("Key{upper}"), u32::from(upper)));
    }
    for &(plain, shifted, code, key_code) in PRINTABLE {
        if character == plain || character == shifted {
            let typed = if is_shifted { shifted } else { character };
            return Some(made(typed.encode_utf8(&mut [0; 4]), code.to_owned(), key_code));
        }
    }
    if character.is_control() {
        return None;
    }
    let typed = if is_shifted { character.to_uppercase().collect::<String>() } else { character.to_string() };
    let lower = character.to_lowercase().next().unwrap_or(character);
    if let Some(&(_, code, key_code)) = CYRILLIC.iter().find(|(letter, ..)| *letter == lower) {
        return Some(made(&typed, code.to_owned(), key_code));
    }
    Some(made(&typed, String::new(), 0))
}

/// Most UTF-16 units of text that the browser takes with one key event.
const MOST_UNITS: usize = 4;

fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
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
        assert_eq!(parse("Shift+é").unwrap().1.text.as_deref(), Some("É"));
        assert_eq!(parse("e\u{301}").unwrap().1.text.as_deref(), Some("e\u{301}"));
        let cyrillic = parse("я").unwrap().1;
        assert_eq!((cyrillic.code.as_str(), cyrillic.text.as_deref()), ("KeyZ", Some("я")));
        assert_eq!(parse("中").unwrap().1.text.as_deref(), Some("中"));
        let accented = parse("é").unwrap().1;
        assert_eq!((accented.code.as_str(), accented.text.as_deref()), ("", Some("é")));
    }

    #[test]
    fn keys_go_by_their_place_too_and_the_numpad_has_its_own() {
        assert_eq!(parse("KeyA").unwrap().1.text.as_deref(), Some("a"));
        assert_eq!(parse("Digit1").unwrap().1.key, "1");
        let numpad = parse("Numpad7").unwrap().1;
        assert_eq!((numpad.key.as_str(), numpad.key_code, numpad.location), ("7", 103, 3));
        assert_eq!(parse("NumpadEnter").unwrap().1.text.as_deref(), Some("\r"));
        assert_eq!(parse("F24").unwrap().1.key_code, 135);
        assert_eq!(parse("ShiftRight").unwrap().1.location, 2);
        assert_eq!(parse("Dead").unwrap().1.text, None);
    }

    #[test]
    fn characters_are_typed_with_the_shift_that_they_need() {
        let shifts = |text: &str| text.chars().map(|c| of_character(c).unwrap().1).collect::<Vec<_>>();
        assert_eq!(shifts("aA1!é中 \n"), [false, true, false, true, false, false, false, false]);
        assert_eq!(of_character('\n').unwrap().0.key, "Enter");
        assert_eq!(of_character('\t').unwrap().0.key, "Tab");
        assert_eq!(of_character('\u{7}').unwrap_err().reason, Some(Reason::UnknownKey));
    }

    #[test]
    fn an_unknown_key_is_told_with_those_near_to_it() {
        let failure = parse("Control+Entr").unwrap_err();
        assert!(failure.hint.unwrap().contains("`Enter`"));
        assert!(parse("ArowDown").unwrap_err().hint.unwrap().contains("`ArrowDown`"));
        assert!(parse("hello").unwrap_err().hint.unwrap().contains("bsk type"));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for name in ["", "Foo", "Hyper+A", "Control+", "ab", "\u{7}"] {
            assert_eq!(parse(name).unwrap_err().reason, Some(Reason::UnknownKey), "{name:?}");
        }
    }
}
