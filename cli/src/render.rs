//! Values as text for people, and failures as JSON for programs. Pure: nothing here prints.
//!
//! Text that a page chose can hold control characters; [`printable`] takes their power over a terminal away. Lines here
//! are built for people only: programs use `--json`, where the host's result goes out as it came.

use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::DialogPolicy;
use bsk_protocol::local::{AnsweredDialog, Changed, Effects, StateChange};
use serde::Deserialize;
use serde_json::{Value, json};

/// Replaces control characters other than newline and tab.
pub(crate) fn printable(text: &str) -> String {
    let is_harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    text.chars().map(|c| if is_harmless(c) { c } else { '\u{fffd}' }).collect()
}

/// A failure as its JSON: `{code, message, hint, exit_code, data: {reason, …}}`.
pub(crate) fn failure_json(failure: &Failure) -> Value {
    let mut data = failure.data.clone();
    if let Some(reason) = failure.reason {
        data.insert("reason".to_owned(), reason.as_str().into());
    }
    json!({
        "code": failure.code,
        "message": failure.message,
        "hint": failure.hint,
        "exit_code": failure.exit_code(),
        "data": data,
    })
}

/// A failure as lines: `error: …`, `hint: …`.
pub(crate) fn failure_text(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("error: {}\nhint: {hint}", failure.message),
        None => format!("error: {}", failure.message),
    }
}

/// What acting commands have in common in their results.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Acted {
    pub(crate) used_ref: Option<String>,
    pub(crate) used_selector: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) changed: Option<Changed>,
    pub(crate) forced: bool,
    pub(crate) reached: Option<String>,
    pub(crate) stand_in: Option<String>,
    pub(crate) checked: Option<bool>,
    pub(crate) effects: Effects,
}

impl Acted {
    /// The element as it was named, if one was.
    pub(crate) fn named(&self) -> Option<&str> {
        self.used_ref.as_deref().or(self.used_selector.as_deref())
    }

    /// The element as it was named, with its role and name where they are known: `@e3 button "Go"`.
    fn target(&self) -> String {
        let named = self.named().unwrap_or("the element");
        let role = self.role.as_ref().map(|role| format!(" {role}")).unwrap_or_default();
        format!("{named}{role}{}", quoted_name(self.name.as_deref().unwrap_or_default()))
    }

    /// One line: what was done to which element, and what came of it.
    pub(crate) fn line(&self, verb: &str) -> String {
        self.line_with(verb, "")
    }

    /// The same with more to say of the deed, before what the element was.
    pub(crate) fn line_with(&self, verb: &str, more: &str) -> String {
        let how = self.how();
        let (effects, changed) = (effects(&self.effects), changed(self.changed.as_ref()));
        format!("{verb} {}{how}{effects}{more}{changed}", self.target())
    }

    /// What was not done as usual.
    fn how(&self) -> String {
        let mut text = String::new();
        if let Some(stand_in) = &self.stand_in {
            text.push_str(&format!(" by its {stand_in}"));
        }
        if let Some(checked) = self.checked {
            text.push_str(if checked { ", now checked" } else { ", now not checked" });
        }
        if self.forced {
            text.push_str(", forced: nothing was checked before");
        }
        if let Some(reached) = &self.reached {
            text.push_str(&format!("; {reached} got it"));
        }
        text
    }
}

/// A name in quotes after a role; nothing where there is none.
fn quoted_name(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" {name:?}") }
}

/// What an element was when its ref was last told, if that is something else.
pub(crate) fn changed(changed: Option<&Changed>) -> String {
    let was = |Changed { was_role, was_name }: &Changed| {
        format!(" (it was {was_role}{} when last seen)", quoted_name(was_name))
    };
    changed.map(was).unwrap_or_default()
}

/// Effects to follow a sentence; empty where there are none.
pub(crate) fn effects(effects: &Effects) -> String {
    let mut text = String::new();
    if let Some(url) = &effects.navigated_to {
        text.push_str(&format!("; the page goes to {url}"));
    }
    if let Some(net_error) = &effects.net_error {
        text.push_str(&format!(", which could not be loaded: {net_error}"));
    }
    for tab_id in &effects.opened_tab_ids {
        let tab = effects.opened_tabs.iter().find(|tab| tab.tab_id == *tab_id && !tab.url.is_empty());
        let url = tab.map(|tab| format!(" ({})", tab.url)).unwrap_or_default();
        text.push_str(&format!("; opened tab {tab_id}{url}"));
    }
    for tab_id in &effects.closed_tab_ids {
        text.push_str(&format!("; closed tab {tab_id}"));
    }
    for AnsweredDialog { dialog, action } in &effects.dialogs {
        let done = if *action == DialogPolicy::Dismiss { "dismissed" } else { "accepted" };
        text.push_str(&format!("; {done} the {} {:?}", dialog.kind, dialog.message));
    }
    for download in &effects.downloads {
        text.push_str(&format!("; download of {:?} began", download.suggested_filename));
    }
    if let Some(StateChange { before, after }) = &effects.state {
        let missing = |from: &[String], other: &[String]| {
            let states: Vec<_> = from.iter().filter(|state| !other.contains(state)).cloned().collect();
            states.join(", ")
        };
        let (lost, gained) = (missing(before, after), missing(after, before));
        match (gained.is_empty(), lost.is_empty()) {
            (false, _) => text.push_str(&format!("; now {gained}")),
            (true, false) => text.push_str(&format!("; no longer {lost}")),
            (true, true) => {}
        }
    }
    if effects.nothing_visible_changed {
        text.push_str("; nothing visible changed yet");
    }
    text
}

/// A JavaScript value: strings as they are, anything else as JSON.
pub(crate) fn script_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use bsk_protocol::failure::{ErrorCode, Reason};
    use bsk_protocol::ids::TabId;

    use super::*;

    #[test]
    fn a_failure_has_its_reason_and_facts_under_data() {
        let failure = Failure::new(ErrorCode::NotFound, Reason::RefStale, "ref `@e3` is gone")
            .hint("run `bsk observe`")
            .with("ref", "@e3");
        let expected = json!({
            "code": "not_found", "message": "ref `@e3` is gone", "hint": "run `bsk observe`", "exit_code": 1,
            "data": { "reason": "ref_stale", "ref": "@e3" },
        });
        assert_eq!(failure_json(&failure), expected);
        assert_eq!(failure_text(&failure), "error: ref `@e3` is gone\nhint: run `bsk observe`");
    }

    #[test]
    fn a_failure_without_a_hint_has_a_null_hint_and_one_line() {
        let failure = Failure::new(ErrorCode::CdpFailed, Reason::PageCrashed, "the page crashed");
        assert_eq!(failure_json(&failure)["hint"], Value::Null);
        assert_eq!(failure_text(&failure), "error: the page crashed");
    }

    #[test]
    fn effects_follow_the_sentence() {
        let effects = Effects {
            navigated_to: Some("https://a.example/".into()),
            opened_tab_ids: vec![TabId(7)],
            closed_tab_ids: vec![TabId(8)],
            state: Some(StateChange {
                before: vec!["required".into()],
                after: vec!["checked".into(), "required".into()],
            }),
            ..Effects::default()
        };
        let acted = Acted {
            used_ref: Some("@e3".into()),
            role: Some("button".into()),
            name: Some("Go".into()),
            effects,
            ..Acted::default()
        };
        assert_eq!(
            acted.line("clicked"),
            "clicked @e3 button \"Go\"; the page goes to https://a.example/; opened tab 7; closed tab 8; now checked"
        );
        assert_eq!(Acted::default().line("clicked"), "clicked the element");
    }

    #[test]
    fn an_element_that_became_another_is_said_at_the_end() {
        let changed = Some(Changed { was_role: "button".into(), was_name: "Save".into() });
        let acted = Acted { used_ref: Some("@e3".into()), changed, ..Acted::default() };
        assert_eq!(acted.line("clicked"), "clicked @e3 (it was button \"Save\" when last seen)");
        assert_eq!(
            acted.line_with("filled", ", 3 characters"),
            "filled @e3, 3 characters (it was button \"Save\" when last seen)"
        );
    }

    #[test]
    fn what_was_not_done_as_usual_is_said() {
        let acted = Acted { forced: true, reached: Some("div#veil".into()), ..Acted::default() };
        assert_eq!(
            acted.line("clicked"),
            "clicked the element, forced: nothing was checked before; div#veil got it"
        );
        let acted =
            Acted { stand_in: Some("label \"Agree\"".into()), checked: Some(true), ..Acted::default() };
        assert_eq!(acted.line("clicked"), "clicked the element by its label \"Agree\", now checked");
    }

    #[test]
    fn escape_sequences_lose_their_power() {
        assert_eq!(printable("a\u{1b}[31mb\n\tc\u{7}\u{9b}"), "a\u{fffd}[31mb\n\tc\u{fffd}\u{fffd}");
    }

    #[test]
    fn strings_are_raw_and_other_values_json() {
        assert_eq!(script_value(&json!("a\"b")), "a\"b");
        assert_eq!(script_value(&json!({"a": [1, null]})), r#"{"a":[1,null]}"#);
    }
}
