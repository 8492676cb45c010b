//! Ids as types, so that a tab is never passed where a window is meant.
//!
//! All are opaque to the host and the CLI: the kernel gives them out. Parsing checks the form only.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

number_id! {
    /// A browser tab, as `chrome.tabs` numbers it.
    TabId(u32)
}
number_id! {
    /// A browser window, as `chrome.windows` numbers it.
    WindowId(u32)
}
number_id! {
    /// A request to the kernel; unique while the host process lives.
    RequestId(u32)
}
number_id! {
    /// A frame of one tab: 0 is the main frame, others are counted as they are first seen and never reused.
    FrameNumber(u32)
}

impl FrameNumber {
    /// The tab's main frame.
    pub const MAIN: Self = Self(0);
}

/// A session: a short lower-case word that the kernel made up, such as `quwe`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct SessionId(String);

/// Why a text is no session id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionIdError;

impl fmt::Display for SessionIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a session id is 1 to 32 lower-case letters, digits or `-`")
    }
}

impl std::error::Error for SessionIdError {}

impl SessionId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = SessionIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_well_formed = (1..=32).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if is_well_formed { Ok(Self(text.to_owned())) } else { Err(SessionIdError) }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One installed extension in one browser profile; the extension keeps it across restarts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(pub String);

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An element's handle as people write it: `@e12` in the main frame, `@f2e5` in frame 2; the `@` may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ref {
    /// The frame the element is in.
    pub frame: FrameNumber,
    /// The element's number in that frame, from 1.
    pub number: u32,
}

/// Why a text is no ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefError;

impl fmt::Display for RefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ref is `@e` and a number, such as `@e12`, or `@f2e5` for frame 2")
    }
}

impl std::error::Error for RefError {}

impl FromStr for Ref {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let body = text.strip_prefix('@').unwrap_or(text);
        let (frame, number) = match body.strip_prefix('f') {
            Some(rest) => rest.split_once('e').ok_or(RefError)?,
            None => ("0", body.strip_prefix('e').ok_or(RefError)?),
        };
        let number = digits(number).filter(|&number| number != 0).ok_or(RefError)?;
        Ok(Self { frame: FrameNumber(digits(frame).ok_or(RefError)?), number })
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.frame == FrameNumber::MAIN {
            write!(f, "@e{}", self.number)
        } else {
            write!(f, "@f{}e{}", self.frame, self.number)
        }
    }
}

/// A place in an observation that was cut: `o3.412` is what follows the 412 lines shown so far of the tab's third one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// The observation, counted per tab while the host lives, from 1.
    pub observation: u32,
    /// Lines of it that were shown so far, in the order of their importance.
    pub shown: u32,
}

/// Why a text is no cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorError;

impl fmt::Display for CursorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cursor is `o`, a number, a dot and a number, such as `o3.412`")
    }
}

impl std::error::Error for CursorError {}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (observation, shown) =
            text.strip_prefix('o').and_then(|rest| rest.split_once('.')).ok_or(CursorError)?;
        let (observation, shown) = (digits(observation), digits(shown));
        Ok(Self { observation: observation.ok_or(CursorError)?, shown: shown.ok_or(CursorError)? })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}.{}", self.observation, self.shown)
    }
}

/// A number written in digits and nothing else.
fn digits(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

macro_rules! as_text {
    ($($name:ident)+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

as_text! { Ref Cursor }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_reads_with_and_without_its_sign_and_frame() {
        let main = Ref { frame: FrameNumber::MAIN, number: 12 };
        assert_eq!("@e12".parse(), Ok(main));
        assert_eq!("e12".parse(), Ok(main));
        assert_eq!("@f2e5".parse(), Ok(Ref { frame: FrameNumber(2), number: 5 }));
        assert_eq!(main.to_string(), "@e12");
    }

    #[test]
    fn what_only_looks_like_a_ref_is_refused() {
        for text in
            ["", "@", "e", "@e", "e0", "@e-1", "e+1", "@f2", "@fe5", "e1x", "@e99999999999", "em", "é1"]
        {
            assert_eq!(text.parse::<Ref>(), Err(RefError), "{text}");
        }
    }

    #[test]
    fn a_cursor_reads_as_it_is_written_and_nothing_else_does() {
        let cursor = Cursor { observation: 3, shown: 412 };
        assert_eq!("o3.412".parse(), Ok(cursor));
        assert_eq!(cursor.to_string(), "o3.412");
        for text in
            ["", "o", "o3", "3.412", "o3.", "o.4", "o3.4.5", "o-3.4", "o3.99999999999", "O3.4", "o3,4"]
        {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
        }
    }

    #[test]
    fn a_session_id_is_a_short_lower_case_word() {
        assert!("quwe".parse::<SessionId>().is_ok());
        for text in ["", "Quwe", "a b", "../x", "é", &"a".repeat(33)] {
            assert_eq!(text.parse::<SessionId>(), Err(SessionIdError), "{text}");
        }
    }
}
