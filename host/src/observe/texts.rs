//! All texts of an observation in one piece of memory, each known by a number.
//!
//! A page has tens of thousands of texts; one allocation for each would cost more than everything else. What is in here
//! is visible already ([`super::hidden`]): whoever writes it out needs to mind quotes only.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::hidden;

/// A text of [`Texts`]; the first is the empty one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Text(u32);

impl Text {
    /// The empty text.
    pub(super) const NONE: Self = Self(0);

    /// Whether there is no text.
    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Its place in a list with an entry for every text.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The texts.
#[derive(Debug, Default)]
pub(super) struct Texts {
    buffer: String,
    /// Where each text ends; it begins where the one before ends.
    ends: Vec<u32>,
}

impl Texts {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A text, empty where there is none.
    pub(super) fn get(&self, text: Text) -> &str {
        let index = text.index();
        let start =
            index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        let end = self.ends.get(index).map_or(start, |&end| end as usize);
        self.buffer.get(start..end).unwrap_or_default()
    }

    /// Adds a text as a page sent it.
    pub(super) fn push(&mut self, text: &str) -> Text {
        let before = self.buffer.len();
        hidden::push_visible(&mut self.buffer, text);
        let Ok(end) = u32::try_from(self.buffer.len()) else {
            // Far beyond what the wire carries; the page is a hostile one.
            self.buffer.truncate(before);
            return Text::NONE;
        };
        self.ends.push(end);
        Text(u32::try_from(self.ends.len() - 1).unwrap_or_default())
    }

    /// The text by its number in the page's list, if there is such a text.
    pub(super) fn nth(&self, index: u32) -> Option<Text> {
        ((index as usize) < self.ends.len()).then_some(Text(index))
    }

    /// The same text without line breaks.
    pub(super) fn folded(&mut self, text: Text) -> Text {
        match hidden::fold_breaks(self.get(text)) {
            Some(folded) => self.push(&folded),
            None => text,
        }
    }

    /// Adds all texts of `other` and tells by how much their numbers grew; none when there is no room for them.
    pub(super) fn append(&mut self, other: &Self) -> Option<Shift> {
        let bytes = u32::try_from(self.buffer.len()).ok()?;
        let shift = u32::try_from(self.ends.len()).ok()?;
        u32::try_from(self.buffer.len() + other.buffer.len()).ok()?;
        u32::try_from(self.ends.len() + other.ends.len()).ok()?;
        self.buffer.push_str(&other.buffer);
        self.ends.extend(other.ends.iter().map(|end| end + bytes));
        Some(Shift(shift))
    }
}

/// By how much the numbers of added texts grew.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shift(u32);

impl Shift {
    /// The number of an added text.
    pub(super) fn of(self, text: Text) -> Text {
        if text.is_none() { text } else { Text(text.0 + self.0) }
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts that begins with the empty one")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
                let mut texts = Texts::default();
                while list.next_element_seed(Next(&mut texts))?.is_some() {}
                if texts.ends.first() == Some(&0) {
                    Ok(texts)
                } else {
                    Err(A::Error::custom("no empty text"))
                }
            }
        }

        struct Next<'a>(&'a mut Texts);

        impl<'de> DeserializeSeed<'de> for Next<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_str(self)
            }
        }

        impl Visitor<'_> for Next<'_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
                self.0.push(text);
                Ok(())
            }
        }

        deserializer.deserialize_seq(List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_number() {
        let mut texts: Texts = serde_json::from_str(r#"["", "a", "b\u202e", "c\n d"]"#).unwrap();
        let all: Vec<_> = (0..4).map(|n| texts.get(texts.nth(n).unwrap()).to_owned()).collect();
        assert_eq!(all, ["", "a", "b⟨U+202E⟩", "c\n d"]);
        assert_eq!(texts.nth(4), None);
        let folded = texts.folded(Text(3));
        assert_eq!(texts.get(folded), "c d");
        assert_eq!(texts.folded(Text(1)), Text(1));
    }

    #[test]
    fn added_texts_keep_their_order() {
        let mut texts: Texts = serde_json::from_str(r#"["", "a"]"#).unwrap();
        let others: Texts = serde_json::from_str(r#"["", "b", "c"]"#).unwrap();
        let shift = texts.append(&others).unwrap();
        assert_eq!(texts.get(shift.of(Text(2))), "c");
        assert_eq!(texts.get(shift.of(Text::NONE)), "");
        assert_eq!(texts.get(Text(1)), "a");
    }

    #[test]
    fn a_list_without_the_empty_text_is_refused() {
        assert!(serde_json::from_str::<Texts>("[]").is_err());
        assert!(serde_json::from_str::<Texts>(r#"["a"]"#).is_err());
        assert!(serde_json::from_str::<Texts>(r#"["", 1]"#).is_err());
    }
}
