//! Editing keys on macOS, where the system and not the page's engine turns them into editing commands.
//!
//! Elsewhere the engine reads the keys itself. Source: the standard key bindings of AppKit. Commands for the clipboard are
//! none of ours (docs/decisions/0001-clipboard-chords.md).

use bsk_protocol::local::Modifier;

use super::keys::Key;
use super::modifier_bits;

const ALT: u8 = 1;
const META: u8 = 4;
const SHIFT: u8 = 8;

/// The editing command of a key, if it has one.
pub(super) fn mac_command(key: &Key, modifiers: &[Modifier]) -> Option<&'static str> {
    let bits = modifier_bits(modifiers);
    let moves = |plain, selecting| Some(if bits & SHIFT == 0 { plain } else { selecting });
    match (key.code.as_str(), bits & !SHIFT) {
        ("KeyA", META) => Some("selectAll"),
        ("KeyZ", META) => moves("undo", "redo"),
        ("Backspace", 0) => Some("deleteBackward"),
        ("Backspace", ALT) => Some("deleteWordBackward"),
        ("Backspace", META) => Some("deleteToBeginningOfLine"),
        ("Delete", 0) => Some("deleteForward"),
        ("Delete", ALT) => Some("deleteWordForward"),
        ("ArrowLeft", 0) => moves("moveLeft", "moveLeftAndModifySelection"),
        ("ArrowRight", 0) => moves("moveRight", "moveRightAndModifySelection"),
        ("ArrowUp", 0) => moves("moveUp", "moveUpAndModifySelection"),
        ("ArrowDown", 0) => moves("moveDown", "moveDownAndModifySelection"),
        ("ArrowLeft", ALT) => moves("moveWordLeft", "moveWordLeftAndModifySelection"),
        ("ArrowRight", ALT) => moves("moveWordRight", "moveWordRightAndModifySelection"),
        ("ArrowLeft", META) => moves("moveToBeginningOfLine", "moveToBeginningOfLineAndModifySelection"),
        ("ArrowRight", META) => moves("moveToEndOfLine", "moveToEndOfLineAndModifySelection"),
        ("ArrowUp", META) => {
            moves("moveToBeginningOfDocument", "moveToBeginningOfDocumentAndModifySelection")
        }
        ("ArrowDown", META) => moves("moveToEndOfDocument", "moveToEndOfDocumentAndModifySelection"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::parse;
    use super::*;

    #[test]
    fn editing_chords_have_the_commands_of_the_system() {
        for (chord, command) in [
            ("Meta+A", Some("selectAll")),
            ("Meta+Shift+Z", Some("redo")),
            ("Alt+ArrowLeft", Some("moveWordLeft")),
            ("Alt+Shift+ArrowRight", Some("moveWordRightAndModifySelection")),
            ("Alt+Backspace", Some("deleteWordBackward")),
            ("Meta+V", None),
            ("Meta+C", None),
            ("Control+A", None),
            ("a", None),
        ] {
            let (modifiers, key) = parse(chord).unwrap();
            assert_eq!(mac_command(&key, &modifiers), command, "{chord}");
        }
    }
}
