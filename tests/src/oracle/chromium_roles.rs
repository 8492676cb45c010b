//! Chromium's words for roles, in ours.
//!
//! Most are the same. The rest are ARIA roles that Chromium spells otherwise, and roles of its own for elements that
//! HTML-AAM leaves without an ARIA role; for those the page library has the nearest word (see its `role.js`).

/// Chromium's word and ours.
const WORDS: [(&str, &str); 34] = [
    // ARIA roles that are spelt otherwise.
    ("image", "img"),
    ("MathMLMath", "math"),
    ("SvgRoot", "img"),
    ("DescriptionListTerm", "term"),
    ("DescriptionListDetail", "definition"),
    ("Details", "group"),
    ("MenuListOption", "option"),
    ("MenuListPopup", "listbox"),
    ("PopUpButton", "combobox"),
    // Fields that HTML-AAM gives no role.
    ("Date", "textbox"),
    ("DateTime", "textbox"),
    ("InputTime", "textbox"),
    ("ColorWell", "button"),
    ("DisclosureTriangle", "button"),
    ("DisclosureTriangleGrouped", "button"),
    // Elements that keep their tag's name.
    ("Canvas", "canvas"),
    ("Video", "video"),
    ("Audio", "audio"),
    ("Iframe", "iframe"),
    ("IframePresentational", "iframe"),
    ("SectionHeader", "sectionheader"),
    ("SectionFooter", "sectionfooter"),
    // Elements that mean nothing by themselves.
    ("Abbr", "generic"),
    ("Details", "group"),
    ("DescriptionList", "generic"),
    ("EmbeddedObject", "generic"),
    ("Figcaption", "generic"),
    ("LabelText", "generic"),
    ("Legend", "generic"),
    ("PluginObject", "generic"),
    ("Pre", "generic"),
    ("Ruby", "generic"),
    ("RubyAnnotation", "generic"),
    ("Section", "generic"),
];

/// Chromium's words for text, which is no element's role.
const TEXT: [&str; 4] = ["InlineTextBox", "LineBreak", "ListMarker", "StaticText"];

/// Our word for a role of Chromium's; none when it stands for text.
pub(super) fn our_word(role: &str) -> Option<&str> {
    if TEXT.contains(&role) {
        return None;
    }
    Some(WORDS.iter().find(|(theirs, _)| *theirs == role).map_or(role, |(_, ours)| ours))
}
