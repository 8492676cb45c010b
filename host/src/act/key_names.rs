//! Names of keys: the tables that `keys` reads, and the names near to one that is none.
//!
//! Media and application keys are left out: a page cannot do anything by them that matters to an agent.

/// A named key: name, `key`, `code`, virtual key code, text, location.
type Named = (&'static str, &'static str, &'static str, u32, &'static str, u8);

/// Keys that go by a name.
pub(super) const NAMED: &[Named] = &[
    ("Enter", "Enter", "Enter", 13, "\r", 0),
    ("Tab", "Tab", "Tab", 9, "", 0),
    ("Escape", "Escape", "Escape", 27, "", 0),
    ("Backspace", "Backspace", "Backspace", 8, "", 0),
    ("Delete", "Delete", "Delete", 46, "", 0),
    ("Insert", "Insert", "Insert", 45, "", 0),
    ("ArrowUp", "ArrowUp", "ArrowUp", 38, "", 0),
    ("ArrowDown", "ArrowDown", "ArrowDown", 40, "", 0),
    ("ArrowLeft", "ArrowLeft", "ArrowLeft", 37, "", 0),
    ("ArrowRight", "ArrowRight", "ArrowRight", 39, "", 0),
    ("Home", "Home", "Home", 36, "", 0),
    ("End", "End", "End", 35, "", 0),
    ("PageUp", "PageUp", "PageUp", 33, "", 0),
    ("PageDown", "PageDown", "PageDown", 34, "", 0),
    ("Shift", "Shift", "ShiftLeft", 16, "", 1),
    ("Control", "Control", "ControlLeft", 17, "", 1),
    ("Alt", "Alt", "AltLeft", 18, "", 1),
    ("Meta", "Meta", "MetaLeft", 91, "", 1),
    ("ShiftLeft", "Shift", "ShiftLeft", 16, "", 1),
    ("ShiftRight", "Shift", "ShiftRight", 16, "", 2),
    ("ControlLeft", "Control", "ControlLeft", 17, "", 1),
    ("ControlRight", "Control", "ControlRight", 17, "", 2),
    ("AltLeft", "Alt", "AltLeft", 18, "", 1),
    ("AltRight", "Alt", "AltRight", 18, "", 2),
    ("MetaLeft", "Meta", "MetaLeft", 91, "", 1),
    ("MetaRight", "Meta", "MetaRight", 92, "", 2),
    ("AltGraph", "AltGraph", "AltRight", 225, "", 2),
    ("CapsLock", "CapsLock", "CapsLock", 20, "", 0),
    ("NumLock", "NumLock", "NumLock", 144, "", 0),
    ("ScrollLock", "ScrollLock", "ScrollLock", 145, "", 0),
    ("Pause", "Pause", "Pause", 19, "", 0),
    ("PrintScreen", "PrintScreen", "PrintScreen", 44, "", 0),
    ("ContextMenu", "ContextMenu", "ContextMenu", 93, "", 0),
    ("F1", "F1", "F1", 112, "", 0),
    ("F2", "F2", "F2", 113, "", 0),
    ("F3", "F3", "F3", 114, "", 0),
    ("F4", "F4", "F4", 115, "", 0),
    ("F5", "F5", "F5", 116, "", 0),
    ("F6", "F6", "F6", 117, "", 0),
    ("F7", "F7", "F7", 118, "", 0),
    ("F8", "F8", "F8", 119, "", 0),
    ("F9", "F9", "F9", 120, "", 0),
    ("F10", "F10", "F10", 121, "", 0),
    ("F11", "F11", "F11", 122, "", 0),
    ("F12", "F12", "F12", 123, "", 0),
    ("F13", "F13", "F13", 124, "", 0),
    ("F14", "F14", "F14", 125, "", 0),
    ("F15", "F15", "F15", 126, "", 0),
    ("F16", "F16", "F16", 127, "", 0),
    ("F17", "F17", "F17", 128, "", 0),
    ("F18", "F18", "F18", 129, "", 0),
    ("F19", "F19", "F19", 130, "", 0),
    ("F20", "F20", "F20", 131, "", 0),
    ("F21", "F21", "F21", 132, "", 0),
    ("F22", "F22", "F22", 133, "", 0),
    ("F23", "F23", "F23", 134, "", 0),
    ("F24", "F24", "F24", 135, "", 0),
    ("Numpad0", "0", "Numpad0", 96, "0", 3),
    ("Numpad1", "1", "Numpad1", 97, "1", 3),
    ("Numpad2", "2", "Numpad2", 98, "2", 3),
    ("Numpad3", "3", "Numpad3", 99, "3", 3),
    ("Numpad4", "4", "Numpad4", 100, "4", 3),
    ("Numpad5", "5", "Numpad5", 101, "5", 3),
    ("Numpad6", "6", "Numpad6", 102, "6", 3),
    ("Numpad7", "7", "Numpad7", 103, "7", 3),
    ("Numpad8", "8", "Numpad8", 104, "8", 3),
    ("Numpad9", "9", "Numpad9", 105, "9", 3),
    ("NumpadMultiply", "*", "NumpadMultiply", 106, "*", 3),
    ("NumpadAdd", "+", "NumpadAdd", 107, "+", 3),
    ("NumpadComma", ",", "NumpadComma", 194, ",", 3),
    ("NumpadSubtract", "-", "NumpadSubtract", 109, "-", 3),
    ("NumpadDecimal", ".", "NumpadDecimal", 110, ".", 3),
    ("NumpadDivide", "/", "NumpadDivide", 111, "/", 3),
    ("NumpadEqual", "=", "NumpadEqual", 187, "=", 3),
    ("NumpadEnter", "Enter", "NumpadEnter", 13, "\r", 3),
    ("Clear", "Clear", "NumLock", 12, "", 0),
    ("Help", "Help", "Help", 47, "", 0),
    ("Select", "Select", "Select", 41, "", 0),
    ("Execute", "Execute", "", 43, "", 0),
    ("Undo", "Undo", "Undo", 0, "", 0),
    ("Redo", "Redo", "", 0, "", 0),
    ("Again", "Again", "Again", 0, "", 0),
    ("Find", "Find", "Find", 0, "", 0),
    ("Open", "Open", "Open", 0, "", 0),
    ("Props", "Props", "Props", 0, "", 0),
    ("Accept", "Accept", "", 30, "", 0),
    ("Cancel", "Cancel", "", 3, "", 0),
    ("Copy", "Copy", "Copy", 0, "", 0),
    ("Cut", "Cut", "Cut", 0, "", 0),
    ("Paste", "Paste", "Paste", 0, "", 0),
    ("Convert", "Convert", "Convert", 28, "", 0),
    ("NonConvert", "NonConvert", "NonConvert", 29, "", 0),
    ("ModeChange", "ModeChange", "", 31, "", 0),
    ("KanaMode", "KanaMode", "KanaMode", 21, "", 0),
    ("HangulMode", "HangulMode", "Lang1", 21, "", 0),
    ("HanjaMode", "HanjaMode", "Lang2", 25, "", 0),
    ("JunjaMode", "JunjaMode", "", 23, "", 0),
    ("FinalMode", "FinalMode", "", 24, "", 0),
    ("Process", "Process", "", 229, "", 0),
    ("Compose", "Compose", "", 0, "", 0),
    ("Dead", "Dead", "", 0, "", 0),
    ("BrowserBack", "BrowserBack", "BrowserBack", 166, "", 0),
    ("BrowserForward", "BrowserForward", "BrowserForward", 167, "", 0),
];

/// Other names that people use.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("ins", "Insert"),
    ("option", "Alt"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("win", "Meta"),
    ("super", "Meta"),
    ("menu", "ContextMenu"),
];

/// Printable keys of a US keyboard: plain, with Shift, code, virtual key code.
pub(super) const PRINTABLE: &[(char, char, &str, u32)] = &[
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

/// Letters of the Russian keyboard, which have keys of their own: letter, code, virtual key code.
pub(super) const CYRILLIC: &[(char, &str, u32)] = &[
    ('й', "KeyQ", 81),
    ('ц', "KeyW", 87),
    ('у', "KeyE", 69),
    ('к', "KeyR", 82),
    ('е', "KeyT", 84),
    ('н', "KeyY", 89),
    ('г', "KeyU", 85),
    ('ш', "KeyI", 73),
    ('щ', "KeyO", 79),
    ('з', "KeyP", 80),
    ('х', "BracketLeft", 219),
    ('ъ', "BracketRight", 221),
    ('ф', "KeyA", 65),
    ('ы', "KeyS", 83),
    ('в', "KeyD", 68),
    ('а', "KeyF", 70),
    ('п', "KeyG", 71),
    ('р', "KeyH", 72),
    ('о', "KeyJ", 74),
    ('л', "KeyK", 75),
    ('д', "KeyL", 76),
    ('ж', "Semicolon", 186),
    ('э', "Quote", 222),
    ('я', "KeyZ", 90),
    ('ч', "KeyX", 88),
    ('с', "KeyC", 67),
    ('м', "KeyV", 86),
    ('и', "KeyB", 66),
    ('т', "KeyN", 78),
    ('ь', "KeyM", 77),
    ('б', "Comma", 188),
    ('ю', "Period", 190),
    ('ё', "Backquote", 192),
];

/// How many near names are listed.
const MOST_NEAR: usize = 4;

/// The names of keys that a mistyped one may mean, the nearest first.
pub(super) fn near(name: &str) -> Vec<&'static str> {
    let wanted = name.to_lowercase();
    let most = (wanted.chars().count() / 3).clamp(1, 3);
    let mut found: Vec<(usize, &'static str)> = NAMED
        .iter()
        .map(|(name, ..)| (distance(&wanted, &name.to_lowercase()), *name))
        .filter(|(distance, name)| {
            *distance <= most || wanted.len() > 2 && name.to_lowercase().contains(&wanted)
        })
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().map(|(_, name)| name).take(MOST_NEAR).collect()
}

/// How many letters have to be added, dropped or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_nearest_first_and_far_ones_not_at_all() {
        assert_eq!(near("Entr").first(), Some(&"Enter"));
        assert!(near("arrow").contains(&"ArrowUp"));
        assert!(near("hello world").is_empty());
    }
}
