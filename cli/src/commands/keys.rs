//! Modifier keys as people type them: any case, several with commas.
//!
//! Names that are none are refused before anything is sent. What `ControlOrMeta` means, the host knows from its system.

use bsk_protocol::local::Modifier;
use clap::Args;

/// The flag of commands that hold keys.
#[derive(Debug, Args)]
pub(crate) struct Modifiers {
    /// Keys to hold, with commas: Alt, Control, Meta, Shift, ControlOrMeta
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = modifier)]
    pub(crate) modifiers: Vec<Modifier>,
}

fn modifier(text: &str) -> Result<Modifier, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "alt" | "option" => Ok(Modifier::Alt),
        "control" | "ctrl" => Ok(Modifier::Control),
        "meta" | "cmd" | "command" => Ok(Modifier::Meta),
        "shift" => Ok(Modifier::Shift),
        "controlormeta" => Ok(Modifier::ControlOrMeta),
        _ => Err("a modifier is Alt, Control, Meta, Shift or ControlOrMeta".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_are_read_in_any_case_and_by_their_other_names() {
        for (text, expected) in [
            ("ALT", Modifier::Alt),
            ("ctrl", Modifier::Control),
            ("Cmd", Modifier::Meta),
            ("shift", Modifier::Shift),
        ] {
            assert_eq!(modifier(text), Ok(expected));
        }
        assert!(modifier("hyper").is_err());
    }
}
