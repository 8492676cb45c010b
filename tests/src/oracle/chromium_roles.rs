//! Chromium's words for roles, in ours.
//!
//! Most are the same. The rest are ARIA roles that Chromium spells otherwise, and roles of its own for elements that
//! HTML-AAM leaves without an ARIA role; for those the page library has the nearest word (see its `role.js`).

/// Chromium's word and ours.
const WORDS: [(&str, &str); 35] = [
    // ARIA roles that are spelt otherwise.
    ("image", "img"),
    ("MathMLMath", "math"),
    ("SvgRoot", "img"),
    ("DescriptionListTerm", "term"),
    ("DescriptionListDetail", "definition"),
    ("Details", "group"),
    ("MenuListOption", "option"),
    ("MenuListPopup", "listbox"),
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
    // Tables that Chromium takes for layout by their looks; the standards know no such guess.
    ("LayoutTable", "table"),
    ("LayoutTableRow", "row"),
    ("LayoutTableCell", "cell"),
    // Elements that mean nothing by themselves, as all parts of MathML do.
    ("Abbr", "generic"),
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

/// Our word for a role that was taken away and for one that was never there: Chromium makes no difference.
const NOTHING: [&str; 2] = ["none", "generic"];

/// Whether our role and one of Chromium's, in our words, say the same.
pub(super) fn is_same_role(ours: &str, theirs: &str) -> bool {
    ours == theirs || (NOTHING.contains(&ours) && NOTHING.contains(&theirs))
}

/// Our word for a role of Chromium's; none when it stands for text.
pub(super) fn our_word(role: &str) -> Option<&str> {
    if TEXT.contains(&role) {
        return None;
    }
    let word = WORDS.iter().find(|(theirs, _)| *theirs == role).map(|(_, ours)| *ours);
    Some(word.unwrap_or(if role.starts_with("MathML") { "generic" } else { role }))
}
