//! Durations as people type them: `500ms`, `30s`, `1.5s`, `2m`; a bare number is milliseconds.
//!
//! Refuses signs, exponents, other units and more than a day, so that every duration fits the wire's milliseconds.

use std::fmt;
use std::time::Duration;

/// Longest duration that is taken.
const LONGEST: Duration = Duration::from_hours(24);

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DurationError {
    /// Neither a number nor a number with a unit.
    Malformed,
    /// More than a day.
    TooLong,
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => {
                f.write_str("a duration is a number with `ms`, `s` or `m`, such as `500ms` or `30s`")
            }
            Self::TooLong => f.write_str("a duration is at most a day"),
        }
    }
}

impl std::error::Error for DurationError {}

/// Reads a duration.
///
/// # Errors
/// [`DurationError`].
pub(crate) fn parse(text: &str) -> Result<Duration, DurationError> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit_ms = match unit {
        "" | "ms" => 1.0,
        "s" => 1_000.0,
        "m" => 60_000.0,
        _ => return Err(DurationError::Malformed),
    };
    if number.is_empty() || number.starts_with('.') || number.ends_with('.') {
        return Err(DurationError::Malformed);
    }
    let number: f64 = number.parse().map_err(|_| DurationError::Malformed)?;
    let seconds = number * unit_ms / 1_000.0;
    if seconds > LONGEST.as_secs_f64() {
        return Err(DurationError::TooLong);
    }
    let exact = Duration::try_from_secs_f64(seconds).map_err(|_| DurationError::TooLong)?;
    Ok(Duration::from_millis(millis(exact + Duration::from_micros(500))))
}

/// Whole milliseconds, as the wire counts.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_bare_milliseconds_are_read() {
        let cases = [
            ("500ms", 500),
            ("30s", 30_000),
            ("2m", 120_000),
            ("250", 250),
            ("0", 0),
            ("1.5s", 1_500),
            ("0.1s", 100),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).map(millis), Ok(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "s", "-1s", "+1s", "1e3", "1h", "1 s", ".5s", "5.s", "1.2.3s", "inf", "NaN", "1S", "é"]
        {
            assert_eq!(parse(text), Err(DurationError::Malformed), "{text}");
        }
        for text in ["1441m", "99999999999999999999"] {
            assert_eq!(parse(text), Err(DurationError::TooLong), "{text}");
        }
    }
}
