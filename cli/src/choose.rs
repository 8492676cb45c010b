//! Which of the connected hosts a command is for. Pure: decides by the hellos alone.
//!
//! A session chooses the host that lists it; `--browser` chooses by instance id, the id's start, label, or a browser name
//! that only one has; with neither there has to be exactly one. Never guesses: what is ambiguous is an error that lists
//! the candidates.

use bsk_protocol::BUILD_VERSION;
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::SessionId;
use bsk_protocol::local::HostHello;
use serde_json::{Value, json};

/// Fewest characters of an instance id that may stand for it.
const SHORTEST_PREFIX: usize = 4;

/// What a command needs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    /// The session it runs in.
    pub(crate) session: Option<&'a SessionId>,
    /// What `--browser` says.
    pub(crate) browser: Option<&'a str>,
}

/// The index of the one host; `hellos` is not empty.
///
/// # Errors
/// No host fits, or several do.
pub(crate) fn choose(hellos: &[&HostHello], wanted: &Wanted<'_>) -> Result<usize, Failure> {
    let mut candidates: Vec<usize> = match wanted.browser {
        Some(browser) => by_browser(hellos, browser)?,
        None => (0..hellos.len()).collect(),
    };
    if let Some(session) = wanted.session {
        candidates.retain(|&index| lists(hellos[index], session));
        if candidates.is_empty() {
            return Err(no_session(session, hellos.iter().copied()));
        }
    }
    match candidates.as_slice() {
        [index] => Ok(*index),
        several => Err(several_browsers(&several.iter().map(|&index| hellos[index]).collect::<Vec<_>>())),
    }
}

/// Whether a host serves a session.
pub(crate) fn lists(hello: &HostHello, session: &SessionId) -> bool {
    hello.sessions.iter().any(|record| record.session_id == *session)
}

/// A host as `bsk browsers` shows it.
pub(crate) fn browser_json(hello: &HostHello) -> Value {
    json!({
        "instance_id": hello.instance_id,
        "browser_name": hello.browser_name,
        "browser_version": hello.browser_version,
        "extension_version": hello.extension_version,
        "label": hello.label,
        "session_count": hello.sessions.len(),
        "connected_at_ms": hello.connected_at_ms,
        "version_skew": hello.host_version != BUILD_VERSION || hello.extension_version != BUILD_VERSION,
    })
}

/// A host as one short phrase.
pub(crate) fn browser_line(hello: &HostHello) -> String {
    let label = hello.label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
    format!("{} {} {}{label}", hello.instance_id, hello.browser_name, hello.browser_version)
}

/// The failure for a session that none of these hosts lists; one that ended lately is told as ended.
pub(crate) fn no_session<'a>(session: &SessionId, hellos: impl Iterator<Item = &'a HostHello>) -> Failure {
    let ended = hellos.flat_map(|hello| &hello.ended).filter(|ended| ended.session_id == *session).last();
    if let Some(ended) = ended {
        return ended.failure();
    }
    let message = format!("no connected browser has a session `{session}`");
    Failure::new(ErrorCode::NotFound, Reason::SessionNotFound, message)
        .hint("run `bsk session list`, or `bsk session start` for a new one")
}

/// All hosts that fit `--browser`; more than one only where a name is shared.
fn by_browser(hellos: &[&HostHello], text: &str) -> Result<Vec<usize>, Failure> {
    let all = |fits: &dyn Fn(&HostHello) -> bool| -> Vec<usize> {
        (0..hellos.len()).filter(|&index| fits(hellos[index])).collect()
    };
    let rules: [&dyn Fn(&HostHello) -> bool; 4] = [
        &|hello| hello.instance_id.0 == text,
        &|hello| hello.label.as_deref() == Some(text),
        &|hello| text.len() >= SHORTEST_PREFIX && hello.instance_id.0.starts_with(text),
        &|hello| hello.browser_name.eq_ignore_ascii_case(text),
    ];
    for rule in rules {
        let found = all(rule);
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let message = format!("no connected browser has the id or label `{text}`; connected: {}", names(hellos));
    Err(Failure::new(ErrorCode::NotFound, Reason::BrowserNotFound, message)
        .hint("run `bsk browsers`")
        .with("browsers", hellos.iter().map(|hello| browser_json(hello)).collect::<Vec<_>>()))
}

fn several_browsers(hellos: &[&HostHello]) -> Failure {
    let message = format!("several browsers are connected and none was chosen: {}", names(hellos));
    Failure::new(ErrorCode::MultipleBrowsersOnline, Reason::SeveralBrowsers, message)
        .hint("pass `--browser` with an id or a label from `bsk browsers`")
        .with("browsers", hellos.iter().map(|hello| browser_json(hello)).collect::<Vec<_>>())
}

fn names(hellos: &[&HostHello]) -> String {
    hellos.iter().map(|hello| format!("`{}`", browser_line(hello))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use bsk_protocol::ids::{InstanceId, WindowId};
    use bsk_protocol::kernel::SessionRecord;

    use bsk_protocol::kernel::{EndCause, EndedSession};

    use super::*;

    fn hello(instance: &str, name: &str, label: Option<&str>, sessions: &[&str]) -> HostHello {
        let record = |session: &&str| SessionRecord {
            session_id: session.parse().unwrap(),
            name: None,
            agent_window_id: WindowId(1),
            created_at_ms: 0,
            active_tab_id: None,
            tab_ids: vec![],
            dialogs: bsk_protocol::kernel::DialogPolicy::Ask,
        };
        HostHello {
            protocol: 1,
            host_version: BUILD_VERSION.into(),
            instance_id: InstanceId(instance.into()),
            browser_name: name.into(),
            browser_version: "156".into(),
            extension_version: BUILD_VERSION.into(),
            label: label.map(str::to_owned),
            connected_at_ms: 0,
            sessions: sessions.iter().map(record).collect(),
            ended: vec![EndedSession { session_id: "gone".parse().unwrap(), cause: EndCause::User }],
        }
    }

    fn hosts() -> [HostHello; 3] {
        [
            hello("aaaa1111", "Chrome", Some("work"), &["quwe"]),
            hello("aaaa2222", "Chrome", None, &[]),
            hello("bbbb3333", "Edge", Some("aaaa1111x"), &["zuzu", "dupe"]),
        ]
    }

    fn check(session: Option<&str>, browser: Option<&str>) -> Result<usize, Reason> {
        let hosts = hosts();
        let session: Option<SessionId> = session.map(|text| text.parse().unwrap());
        let wanted = Wanted { session: session.as_ref(), browser };
        choose(&hosts.iter().collect::<Vec<_>>(), &wanted)
            .map_err(|failure| failure.reason.unwrap_or(Reason::CheckFailed))
    }

    #[test]
    fn a_session_finds_its_host() {
        assert_eq!(check(Some("quwe"), None), Ok(0));
        assert_eq!(check(Some("zuzu"), Some("Edge")), Ok(2));
        assert_eq!(check(Some("nope"), None), Err(Reason::SessionNotFound));
        assert_eq!(check(Some("quwe"), Some("Edge")), Err(Reason::SessionNotFound));
    }

    #[test]
    fn a_session_that_the_user_stopped_is_told_as_that() {
        let hosts = hosts();
        let session = "gone".parse().unwrap();
        let failure =
            choose(&hosts.iter().collect::<Vec<_>>(), &Wanted { session: Some(&session), browser: None });
        let failure = failure.unwrap_err();
        assert_eq!((failure.code, failure.reason), (ErrorCode::UserAborted, Some(Reason::SessionEnded)));
        assert_eq!(failure.exit_code(), 7);
    }

    #[test]
    fn a_browser_is_found_by_id_label_start_of_id_and_lone_name() {
        assert_eq!(check(None, Some("aaaa2222")), Ok(1));
        assert_eq!(check(None, Some("work")), Ok(0));
        assert_eq!(check(None, Some("bbbb")), Ok(2));
        assert_eq!(check(None, Some("edge")), Ok(2));
        assert_eq!(check(None, Some("bbb")), Err(Reason::BrowserNotFound));
        assert_eq!(check(None, Some("")), Err(Reason::BrowserNotFound));
    }

    #[test]
    fn what_is_ambiguous_is_an_error_that_lists_the_candidates() {
        let hosts = hosts();
        let hellos: Vec<&HostHello> = hosts.iter().collect();
        for (browser, count) in [(None, 3), (Some("aaaa"), 2), (Some("chrome"), 2)] {
            let failure = choose(&hellos, &Wanted { session: None, browser }).unwrap_err();
            assert_eq!(failure.code, ErrorCode::MultipleBrowsersOnline);
            assert_eq!(failure.exit_code(), 1);
            assert_eq!(failure.data["browsers"].as_array().map(Vec::len), Some(count));
        }
    }

    #[test]
    fn a_lone_host_needs_no_choice() {
        let one = hello("cccc", "Chrome", None, &[]);
        assert_eq!(choose(&[&one], &Wanted::default()).ok(), Some(0));
    }

    #[test]
    fn skew_is_seen_in_the_host_and_in_the_extension() {
        let mut one = hello("cccc", "Chrome", None, &[]);
        assert_eq!(browser_json(&one)["version_skew"], false);
        one.extension_version = "0.0.9".into();
        assert_eq!(browser_json(&one)["version_skew"], true);
    }
}
