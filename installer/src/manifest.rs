//! The host manifest: the small JSON file that tells a browser which program to start for which extension.
//!
//! Built from `manifests/host.json` and `manifests/extension_ids.json`; same input, same bytes. Refuses
//! paths that JSON cannot carry and ids that are no extension ids. Reads foreign manifests leniently:
//! unknown fields are ignored.

use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::InstallError;

/// The native messaging host's name, as the extension asks for it.
pub const HOST_NAME: &str = "com.bsk.host";

/// File name of the manifest in a browser's `NativeMessagingHosts` folder.
pub(crate) const MANIFEST_FILE: &str = "com.bsk.host.json";

/// A native messaging host manifest, as Chromium defines it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostManifest {
    /// The host's name; must equal the file's stem.
    pub name: String,
    /// Free text.
    #[serde(default)]
    pub description: String,
    /// Absolute path of the host program.
    pub path: String,
    /// Always `stdio`.
    #[serde(rename = "type")]
    pub transport: String,
    /// `chrome-extension://<id>/` for each extension that may start the host.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
}

#[derive(Deserialize)]
struct ExtensionTable {
    extensions: Vec<ExtensionRow>,
}

#[derive(Deserialize)]
struct ExtensionRow {
    id: String,
    key: String,
}

static EXTENSIONS: LazyLock<Vec<ExtensionRow>> = LazyLock::new(|| {
    serde_json::from_str::<ExtensionTable>(include_str!("../../manifests/extension_ids.json"))
        .expect("the table is part of the build and a test reads it")
        .extensions
});

static TEMPLATE: LazyLock<HostManifest> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../manifests/host.json"))
        .expect("the template is part of the build and a test reads it")
});

/// Ids of bsk's own extension, from `manifests/extension_ids.json`.
pub fn extension_ids() -> Vec<&'static str> {
    EXTENSIONS.iter().map(|row| row.id.as_str()).collect()
}

/// Whether `key` (a manifest's `key` field) pins one of our ids.
pub(crate) fn is_our_key(key: &str) -> bool {
    EXTENSIONS.iter().any(|row| row.key == key)
}

/// Whether `id` has an extension id's form: 32 letters from a to p.
pub fn is_extension_id(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| (b'a'..=b'p').contains(&byte))
}

/// The manifest's text for a host program and our extension plus `extra_ids`.
pub(crate) fn render(host_binary: &Path, extra_ids: &[String]) -> Result<String, InstallError> {
    let path = host_binary
        .to_str()
        .ok_or_else(|| InstallError::PathNotUnicode { path: host_binary.to_path_buf() })?
        .to_owned();
    let mut allowed_origins: Vec<String> = Vec::new();
    for id in extension_ids().into_iter().chain(extra_ids.iter().map(String::as_str)) {
        if !is_extension_id(id) {
            return Err(InstallError::BadExtensionId { id: id.to_owned() });
        }
        let origin = origin(id);
        if !allowed_origins.contains(&origin) {
            allowed_origins.push(origin);
        }
    }
    let manifest = HostManifest { path, allowed_origins, ..TEMPLATE.clone() };
    let mut text = serde_json::to_string_pretty(&manifest).expect("strings always serialise");
    text.push('\n');
    Ok(text)
}

/// The origin of an extension, as `allowed_origins` wants it.
pub(crate) fn origin(id: &str) -> String {
    format!("chrome-extension://{id}/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_tables_are_read_and_hold_our_id() {
        assert_eq!(TEMPLATE.name, HOST_NAME);
        assert_eq!(TEMPLATE.transport, "stdio");
        assert_eq!(MANIFEST_FILE, format!("{HOST_NAME}.json"));
        assert!(extension_ids().contains(&"mkanjamcijbnmjcfflodkihinjackdpc"));
        assert!(extension_ids().into_iter().all(is_extension_id));
    }

    #[test]
    fn the_same_input_gives_the_same_text_and_ids_are_not_repeated() {
        let extra = ["a".repeat(32), "a".repeat(32), extension_ids()[0].to_owned()];
        let text = render(Path::new("/opt/a b/bsk-host"), &extra).unwrap();
        assert_eq!(text, render(Path::new("/opt/a b/bsk-host"), &extra).unwrap());
        let parsed: HostManifest = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed.path, "/opt/a b/bsk-host");
        assert_eq!(parsed.allowed_origins.len(), 2);
    }

    #[test]
    fn an_id_with_other_letters_is_refused() {
        let error = render(Path::new("/x"), &["z".repeat(32)]).unwrap_err();
        assert!(matches!(error, InstallError::BadExtensionId { .. }));
    }
}
