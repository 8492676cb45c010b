//! The golden files against the Rust types: `golden/` holds one message per variant, `golden/bad/` what must be refused.
//!
//! The extension's tests read the same folder, so neither side can move alone. A good file is, byte for byte, what
//! pretty-printing the decoded message gives: fields in the order of the types, absent ones left out, one final newline.
//! A file is named `<wire>.<variant>[.<inner variant>][.<anything>].json`, a bad one `<wire>.<what is wrong>.json`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bsk_protocol::codec::{Frame, Kind};
use bsk_protocol::failure::Failure;
use bsk_protocol::kernel::{self, Call, Event, FromKernel, ToKernel};
use bsk_protocol::local::{self, Action, FromCli, FromHost};
use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use serde_json::{Value, json};

/// The four directions, as file names begin.
const WIRES: [&str; 4] = ["to_kernel", "from_kernel", "from_cli", "from_host"];

/// Mistakes that must be tried on every wire.
const COMMON_MISTAKES: [&str; 16] = [
    "array_instead_of_object",
    "deep_nesting",
    "empty_object",
    "float_id",
    "id_over_u32",
    "missing_field",
    "negative_id",
    "not_json",
    "null_as_message",
    "number_as_message",
    "session_id_upper_case",
    "text_as_message",
    "two_variants",
    "unknown_field",
    "unknown_variant",
    "wrong_type",
];

/// Fields whose value is another layer's: the wire carries it and does not look inside.
const OPAQUE_FIELDS: [&str; 4] = ["args", "data", "ok", "params"];

/// One golden file.
struct Golden {
    /// The file's name without `.json`.
    name: String,
    text: String,
}

impl Golden {
    fn wire(&self) -> &str {
        self.name.split('.').next().expect("a split text has a first piece")
    }

    fn value(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{}.json is no JSON: {error}", self.name))
    }
}

/// Every file of `golden/` or of a folder in it, by name.
fn golden_files(folder: &str) -> Vec<Golden> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(path).expect("the folder is part of the crate") {
        let entry = entry.expect("a readable folder");
        if entry.path().is_dir() {
            continue;
        }
        let file_name = entry.file_name().into_string().expect("a name in UTF-8");
        let Some(name) = file_name.strip_suffix(".json") else { panic!("{file_name} is not a .json file") };
        let text = fs::read_to_string(entry.path()).unwrap_or_else(|error| panic!("{file_name}: {error}"));
        files.push(Golden { name: name.to_owned(), text });
    }
    assert!(!files.is_empty(), "there are golden files");
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// Decodes one message of a wire as its receiver does and gives it back pretty-printed, or says why it is refused.
fn decode_and_print(wire: &str, text: &str) -> Result<String, String> {
    fn round_trip<T: DeserializeOwned + Serialize>(text: &str) -> Result<String, String> {
        let message: T = Frame::new(Kind::Json, text.into()).decode().map_err(|error| error.to_string())?;
        Ok(serde_json::to_string_pretty(&message).expect("a message prints") + "\n")
    }
    match wire {
        "to_kernel" => round_trip::<ToKernel>(text),
        "from_kernel" => round_trip::<FromKernel>(text),
        "from_cli" => round_trip::<FromCli>(text),
        "from_host" => round_trip::<FromHost>(text),
        other => panic!("`{other}` is no wire; a file's name begins with one of {WIRES:?}"),
    }
}

/// Names of an enum's variants as they are on the wire, taken from its `Deserialize`.
fn variants_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    struct Recorder<'a>(&'a mut Option<&'static [&'static str]>);

    impl<'de> Deserializer<'de> for Recorder<'_> {
        type Error = ValueError;

        fn deserialize_enum<V: Visitor<'de>>(
            self,
            _name: &'static str,
            variants: &'static [&'static str],
            _visitor: V,
        ) -> Result<V::Value, ValueError> {
            *self.0 = Some(variants);
            Err(ValueError::custom("the variants are all that was wanted"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, ValueError> {
            Err(ValueError::custom("not an enum"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
        }
    }

    let mut variants = None;
    let outcome = T::deserialize(Recorder(&mut variants));
    assert!(outcome.is_err(), "nothing is decoded here");
    variants.expect("the type is an enum")
}

/// A spot in the messages of one wire where an enum's value stands.
struct Spot {
    wire: &'static str,
    /// JSON pointer from the message.
    pointer: &'static str,
    variants: &'static [&'static str],
    /// How a file that shows a variant is best named, before the variant.
    file_stem: &'static str,
}

fn spots() -> Vec<Spot> {
    fn spot<'de, T: Deserialize<'de>>(
        wire: &'static str,
        pointer: &'static str,
        file_stem: &'static str,
    ) -> Spot {
        Spot { wire, pointer, variants: variants_of::<T>(), file_stem }
    }
    vec![
        spot::<ToKernel>("to_kernel", "", "to_kernel"),
        spot::<Call>("to_kernel", "/request/call", "to_kernel.request"),
        spot::<kernel::TabScope>("to_kernel", "/request/call/tab_list/scope", "to_kernel.request.tab_list"),
        spot::<kernel::PageFunction>("to_kernel", "/request/call/page/function", "to_kernel.request.page"),
        spot::<kernel::CdpEventName>(
            "to_kernel",
            "/request/call/subscribe/events",
            "to_kernel.request.subscribe",
        ),
        spot::<kernel::DragStep>(
            "to_kernel",
            "/request/call/upload_drag/step",
            "to_kernel.request.upload_drag",
        ),
        spot::<FromKernel>("from_kernel", "", "from_kernel"),
        spot::<kernel::Outcome>("from_kernel", "/reply/outcome", "from_kernel.reply"),
        spot::<Event>("from_kernel", "/event", "from_kernel.event"),
        spot::<kernel::CdpEventName>("from_kernel", "/event/cdp/method", "from_kernel.event.cdp"),
        spot::<kernel::DocumentStep>(
            "from_kernel",
            "/event/document_request/step",
            "from_kernel.event.document_request",
        ),
        spot::<kernel::EndCause>(
            "from_kernel",
            "/event/session_ended/cause",
            "from_kernel.event.session_ended",
        ),
        spot::<kernel::LossCause>("from_kernel", "/event/tab_lost/cause", "from_kernel.event.tab_lost"),
        spot::<FromCli>("from_cli", "", "from_cli"),
        spot::<Action>("from_cli", "/command/action", "from_cli.command"),
        spot::<kernel::TabScope>("from_cli", "/command/action/tab_list/scope", "from_cli.command.tab_list"),
        spot::<local::WaitUntil>(
            "from_cli",
            "/command/action/navigate/wait_until",
            "from_cli.command.navigate",
        ),
        spot::<local::Condition>(
            "from_cli",
            "/command/action/wait_for/condition",
            "from_cli.command.wait_for",
        ),
        spot::<local::Criterion>(
            "from_cli",
            "/command/action/request_help/criteria",
            "from_cli.command.request_help",
        ),
        spot::<local::Target>("from_cli", "/command/action/click/target", "from_cli.command.click"),
        spot::<local::MouseButton>("from_cli", "/command/action/click/button", "from_cli.command.click"),
        spot::<local::Modifier>("from_cli", "/command/action/click/modifiers", "from_cli.command.click"),
        spot::<local::DragEnd>("from_cli", "/command/action/drag/to", "from_cli.command.drag"),
        spot::<local::ScrollEdge>("from_cli", "/command/action/scroll/to", "from_cli.command.scroll"),
        spot::<FromHost>("from_host", "", "from_host"),
        spot::<local::Outcome>("from_host", "/reply/outcome", "from_host.reply"),
    ]
}

/// Variants that stand in a value: the text itself, the one key of an object, or those of a list's members.
fn variants_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Object(fields) => fields.keys().cloned().collect(),
        Value::Array(members) => members.iter().flat_map(variants_in).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The beginning of the name that a file with this message must have.
fn stem_of(wire: &str, message: &Value) -> String {
    let (variant, body) = message.as_object().and_then(|fields| fields.iter().next()).expect("one variant");
    let inner = match (wire, variant.as_str()) {
        ("to_kernel", "request") => Some(&body["call"]),
        ("from_kernel", "reply") | ("from_host", "reply") => Some(&body["outcome"]),
        ("from_kernel", "event") => Some(body),
        ("from_cli", "command") => Some(&body["action"]),
        (_, _) => None,
    };
    match inner.and_then(Value::as_object).and_then(|fields| fields.keys().next()) {
        Some(inner) => format!("{wire}.{variant}.{inner}"),
        None => format!("{wire}.{variant}"),
    }
}

/// Pointers to every object of a message that the wire itself decodes.
fn typed_objects(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.push(pointer.to_owned());
                for (key, field) in fields.iter().filter(|(key, _)| !OPAQUE_FIELDS.contains(&key.as_str())) {
                    walk(field, &format!("{pointer}/{key}"), found);
                }
            }
            Value::Array(members) => {
                for (index, member) in members.iter().enumerate() {
                    walk(member, &format!("{pointer}/{index}"), found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

#[test]
fn every_golden_file_decodes_and_prints_as_the_same_bytes() {
    for file in golden_files("") {
        let printed = decode_and_print(file.wire(), &file.text)
            .unwrap_or_else(|error| panic!("{}.json is refused: {error}", file.name));
        assert_eq!(printed, file.text, "{}.json", file.name);
    }
}

#[test]
fn every_golden_file_is_named_after_its_message() {
    for file in golden_files("") {
        let stem = stem_of(file.wire(), &file.value());
        let is_named_after_it = file.name == stem || file.name.starts_with(&format!("{stem}."));
        assert!(
            is_named_after_it,
            "{}.json should be named {stem}.json or {stem}.<anything>.json",
            file.name
        );
    }
}

#[test]
fn every_bad_file_is_refused() {
    for file in golden_files("bad") {
        if let Ok(message) = decode_and_print(file.wire(), &file.text) {
            panic!("bad/{}.json must be refused and reads as {message}", file.name);
        }
    }
}

#[test]
fn every_variant_has_a_golden_file() {
    let files = golden_files("");
    let mut missing = Vec::new();
    for spot in spots() {
        let shown: BTreeSet<String> = files
            .iter()
            .filter(|file| file.wire() == spot.wire)
            .filter_map(|file| file.value().pointer(spot.pointer).map(variants_in))
            .flatten()
            .collect();
        for variant in spot.variants.iter().filter(|variant| !shown.contains(**variant)) {
            let Spot { wire, pointer, file_stem, .. } = spot;
            missing.push(format!(
                "no `{wire}` message has `{variant}` at `{pointer}/`: add golden/{file_stem}.{variant}.json"
            ));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_wire_is_tried_with_every_common_mistake() {
    let names: BTreeSet<String> = golden_files("bad").into_iter().map(|file| file.name).collect();
    for wire in WIRES {
        for mistake in COMMON_MISTAKES {
            assert!(names.contains(&format!("{wire}.{mistake}")), "add golden/bad/{wire}.{mistake}.json");
        }
    }
}

#[test]
fn a_field_too_many_is_refused_in_every_object_of_every_message() {
    for file in golden_files("") {
        let message = file.value();
        for pointer in typed_objects(&message) {
            let mut changed = message.clone();
            let object =
                changed.pointer_mut(&pointer).and_then(Value::as_object_mut).expect("an object is there");
            object.insert("surprise".to_owned(), json!(true));
            let outcome = decode_and_print(file.wire(), &changed.to_string());
            assert!(outcome.is_err(), "{}.json with `surprise` at `{pointer}/` must be refused", file.name);
        }
    }
}

#[test]
fn every_message_may_carry_a_failure_with_and_without_its_optional_fields() {
    for wire in ["to_kernel.refuse", "from_kernel.reply.failed", "from_host.reply.failed"] {
        let failures: Vec<Failure> = golden_files("")
            .iter()
            .filter(|file| file.name.starts_with(wire))
            .map(|file| {
                let message = file.value();
                let failure =
                    ["/refuse/failure", "/reply/outcome/failed"].iter().find_map(|at| message.pointer(at));
                serde_json::from_value(failure.expect("a failure is in it").clone()).expect("a failure")
            })
            .collect();
        assert!(failures.iter().any(|failure| failure.hint.is_some()), "{wire} with a hint");
        assert!(failures.iter().any(|failure| failure.reason.is_none()), "{wire} without a reason");
    }
}
