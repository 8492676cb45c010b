//! Why a navigation brought no page, in words.

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::local::BegunDownload;
use serde_json::json;

use super::ABORTED;

pub(super) fn stayed(message: String, hint: &str) -> Failure {
    Failure::new(ErrorCode::CdpFailed, Reason::NavigationFailed, message)
        .hint(hint)
        .with("net_error", ABORTED)
}

pub(super) fn is_download(
    url: &str,
    BegunDownload { url: source, suggested_filename }: &BegunDownload,
) -> Failure {
    stayed(
        format!("`{url}` is a download of `{suggested_filename}`, which began; the page stayed as it was"),
        "`bsk download` on a link or button puts such a file where you want it",
    )
    .with("download", json!({ "url": source, "suggested_filename": suggested_filename }))
}

/// The failure of a navigation that ended at the browser's page about an error.
pub(crate) fn failed(url: &str, net_error: &str) -> Failure {
    Failure::new(
        ErrorCode::CdpFailed,
        Reason::NavigationFailed,
        format!("`{url}` could not be loaded: `{net_error}`"),
    )
    .hint(what_helps(net_error))
    .with("net_error", net_error)
}

/// The same of a navigation whose requests nobody had reported: the browser does not say why afterwards.
pub(crate) fn failed_before(url: &str) -> Failure {
    Failure::new(
        ErrorCode::CdpFailed,
        Reason::NavigationFailed,
        format!("`{url}` could not be loaded; the browser shows its own page about that"),
    )
    .hint(format!("`bsk navigate {url}` tries again and names the error"))
}

/// What helps against a network error.
fn what_helps(net_error: &str) -> &'static str {
    match net_error {
        "net::ERR_NAME_NOT_RESOLVED" => "check the host name",
        "net::ERR_CONNECTION_REFUSED" => "nothing listens there; check the port, or start the server",
        "net::ERR_INTERNET_DISCONNECTED" => "the browser is offline",
        "net::ERR_TOO_MANY_REDIRECTS" => {
            "the server sends on in a circle; cookies of the site may be missing or refused"
        }
        "net::ERR_UNSAFE_PORT" => "the browser refuses this port for web pages; use another one",
        error if error.starts_with("net::ERR_CERT_") || error.starts_with("net::ERR_SSL_") => {
            "the browser does not trust the connection; the user can open the address by hand and decide"
        }
        error if error.starts_with("net::ERR_BLOCKED_BY_") => {
            "the browser, a policy or another extension blocks it"
        }
        _ => "the error is the browser's own; open the address by hand to see more",
    }
}
