//! What the host remembers of a tab: whether its events flow, its open dialog, and what just happened in it.
//!
//! A cache only: losing it loses nothing, since the kernel owns tabs and the page library owns refs (invariant 8).

use std::cell::{Cell, RefCell};
use std::time::Instant;

use bsk_protocol::ids::TabId;
use bsk_protocol::kernel::{CdpEventName, DialogPolicy, DocumentStep, LossCause};
use bsk_protocol::local::{AnsweredDialog, BegunDownload, Dialog, OpenedTab};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, watch};

use crate::observe::Kept;

/// So many dialogs in a row are answered for a command; a page that goes on then waits for a decision.
const MOST_ANSWERED: usize = 50;

/// Events kept for a command that is slow to look at them.
const REMEMBERED: usize = 1024;

/// The CDP events that the host wants of every tab it works in.
pub(crate) const WANTED: [CdpEventName; 9] = [
    CdpEventName::FrameNavigated,
    CdpEventName::NavigatedWithinDocument,
    CdpEventName::FrameRequestedNavigation,
    CdpEventName::LifecycleEvent,
    CdpEventName::FrameStoppedLoading,
    CdpEventName::DialogOpening,
    CdpEventName::DialogClosed,
    CdpEventName::DragIntercepted,
    CdpEventName::DownloadWillBegin,
];

/// Something that happened in a tab's main frame, or to the tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TabEvent {
    /// A step of the request for a document, while those are reported.
    Document { loader_id: String, step: DocumentStep },
    /// The page asked to go somewhere else.
    Requested { url: String },
    /// Another document is there.
    Committed { url: String, loader_id: String },
    /// The address changed, the document did not.
    SameDocument { url: String },
    /// A document reached a stage, such as `load`.
    Lifecycle { name: String, loader_id: String },
    /// Loading ended, perhaps without a document: a download, no content, a cancelled navigation.
    StoppedLoading,
    /// A dialog opened.
    DialogOpened,
    /// A dialog was answered as the session wants it.
    DialogAnswered,
    /// The page began a drag of its own.
    DragBegan,
    /// The page opened a tab.
    Opened(OpenedTab),
    /// Another tab of the session is gone.
    Closed(TabId),
    /// A download began.
    Download(BegunDownload),
    /// The tab is lost.
    Lost(LossCause),
}

impl TabEvent {
    /// The page's new address, where the event tells of one.
    pub(crate) fn into_url(self) -> Option<String> {
        match self {
            Self::Committed { url, .. } | Self::SameDocument { url } => Some(url),
            Self::Document { .. }
            | Self::Requested { .. }
            | Self::Lifecycle { .. }
            | Self::StoppedLoading
            | Self::DialogOpened
            | Self::DialogAnswered
            | Self::DragBegan
            | Self::Opened(_)
            | Self::Closed(_)
            | Self::Download(_)
            | Self::Lost(_) => None,
        }
    }
}

/// One tab.
#[derive(Debug)]
pub(crate) struct Tab {
    /// Whether the kernel forwards [`WANTED`].
    pub(crate) is_subscribed: Cell<bool>,
    /// The dialog that waits for a decision.
    pub(crate) dialog: RefCell<Option<Dialog>>,
    /// How many dialogs have opened, answered ones included.
    pub(crate) dialogs_opened: Cell<u32>,
    /// Dialogs that were answered as the session wants it and that no command has told yet.
    pub(crate) answered: RefCell<Vec<AnsweredDialog>>,
    /// The address last shown.
    pub(crate) url: RefCell<Option<String>>,
    /// The address shown before that.
    pub(crate) previous_url: RefCell<Option<String>>,
    /// Whether it shows the browser's own page about an error, in place of the page at `url`.
    pub(crate) is_error_page: Cell<bool>,
    /// Where the page itself asked to go, as long as nothing came of it.
    pub(crate) requested_url: RefCell<Option<String>>,
    /// When the last input was sent, until a command has let the page react to it.
    pub(crate) unsettled_input: Cell<Option<Instant>>,
    /// Where an action last left the pointer, in the tab's viewport; none before the first.
    pub(crate) pointer: Cell<Option<(f64, f64)>>,
    /// Whether the pointer is elsewhere and is to go back there once no dialog is open.
    pub(crate) is_pointer_astray: Cell<bool>,
    /// Whether the last action brought a document that no command has waited for yet.
    pub(crate) has_fresh_document: Cell<bool>,
    /// Whether the user pressed something in it and no command has told yet.
    pub(crate) has_user_acted: Cell<bool>,
    /// How many documents the tab has shown since its events flow.
    pub(crate) documents: Cell<u32>,
    /// What was seen in it.
    pub(crate) observations: Kept,
    /// Counts the new documents of all frames.
    pub(crate) frame_documents: watch::Sender<u32>,
    main_frame_id: RefCell<Option<String>>,
    events: broadcast::Sender<TabEvent>,
}

impl Default for Tab {
    fn default() -> Self {
        Self {
            is_subscribed: Cell::new(false),
            dialog: RefCell::default(),
            dialogs_opened: Cell::new(0),
            answered: RefCell::default(),
            url: RefCell::default(),
            previous_url: RefCell::default(),
            is_error_page: Cell::new(false),
            requested_url: RefCell::default(),
            unsettled_input: Cell::new(None),
            has_user_acted: Cell::new(false),
            pointer: Cell::new(None),
            is_pointer_astray: Cell::new(false),
            has_fresh_document: Cell::new(false),
            documents: Cell::new(0),
            observations: Kept::default(),
            frame_documents: watch::Sender::new(0),
            main_frame_id: RefCell::default(),
            events: broadcast::Sender::new(REMEMBERED),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameNavigated {
    frame: FrameParams,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameParams {
    id: String,
    parent_id: Option<String>,
    loader_id: String,
    url: String,
    #[serde(default)]
    url_fragment: String,
    /// The page that could not be loaded, of the browser's own page about an error.
    unreachable_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameUrl {
    frame_id: String,
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestedNavigation {
    frame_id: String,
    url: String,
    disposition: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameOnly {
    frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    loader_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogOpening {
    message: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    default_prompt: Option<String>,
}

impl From<DialogOpening> for Dialog {
    fn from(DialogOpening { message, kind, default_prompt }: DialogOpening) -> Self {
        let default_prompt = default_prompt.filter(|_| kind == "prompt");
        Self { kind, message, default_prompt }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DownloadWillBegin {
    url: String,
    suggested_filename: String,
}

impl Tab {
    /// Events from now on.
    pub(crate) fn watch(&self) -> broadcast::Receiver<TabEvent> {
        self.events.subscribe()
    }

    /// Notes which frame is the main one, as a navigation's reply names it.
    pub(crate) fn set_main_frame(&self, frame_id: &str) {
        *self.main_frame_id.borrow_mut() = Some(frame_id.to_owned());
    }

    /// Tells whoever watches.
    pub(crate) fn tell(&self, event: TabEvent) {
        // Nobody watching is the usual case.
        let _ = self.events.send(event);
    }

    /// Takes the tab as lost: its dialog is gone, its events no longer flow and what was seen in it is past.
    pub(crate) fn lose(&self, cause: LossCause) {
        self.observations.forget();
        self.is_subscribed.set(false);
        *self.dialog.borrow_mut() = None;
        self.tell(TabEvent::Lost(cause));
    }

    /// The answer to a dialog that opens, where it needs no decision; it does not count as open then.
    pub(crate) fn answer(&self, params: &str, policy: DialogPolicy) -> Option<AnsweredDialog> {
        let mut answered = self.answered.borrow_mut();
        if policy == DialogPolicy::Ask || answered.len() >= MOST_ANSWERED {
            return None;
        }
        let opening: DialogOpening = serde_json::from_str(params).ok()?;
        self.dialogs_opened.update(|count| count.wrapping_add(1));
        let answer = AnsweredDialog { dialog: opening.into(), action: policy };
        answered.push(answer.clone());
        drop(answered);
        self.tell(TabEvent::DialogAnswered);
        Some(answer)
    }

    /// Takes a step of the request that brings a frame's document.
    pub(crate) fn take_document_step(&self, frame_id: &str, loader_id: String, step: DocumentStep) {
        if self.is_main(frame_id) {
            self.tell(TabEvent::Document { loader_id, step });
        }
    }

    /// Takes a CDP event. One of an unexpected form is dropped: the browser may be newer than we are.
    pub(crate) fn take(&self, method: CdpEventName, params: &RawValue) {
        let read = self.read(method, params.get());
        tracing::debug!(?method, is_known = read.is_ok(), counts = matches!(read, Ok(Some(_))), "page event");
        if let Ok(Some(event)) = read {
            self.tell(event);
        }
    }

    /// What an event means for the main frame; none for events of other frames.
    fn read(&self, method: CdpEventName, params: &str) -> serde_json::Result<Option<TabEvent>> {
        Ok(match method {
            CdpEventName::FrameNavigated => {
                let FrameNavigated { frame } = serde_json::from_str(params)?;
                self.frame_documents.send_modify(|count| *count = count.wrapping_add(1));
                if frame.parent_id.is_some() {
                    return Ok(None);
                }
                self.set_main_frame(&frame.id);
                self.is_error_page.set(frame.unreachable_url.is_some());
                self.requested_url.take();
                let url = frame.unreachable_url.unwrap_or(frame.url + &frame.url_fragment);
                *self.previous_url.borrow_mut() = self.url.replace(Some(url.clone()));
                self.has_fresh_document.set(true);
                self.documents.update(|count| count.wrapping_add(1));
                Some(TabEvent::Committed { url, loader_id: frame.loader_id })
            }
            CdpEventName::NavigatedWithinDocument => {
                let event: FrameUrl = serde_json::from_str(params)?;
                self.is_main(&event.frame_id).then(|| {
                    self.requested_url.take();
                    *self.url.borrow_mut() = Some(event.url.clone());
                    TabEvent::SameDocument { url: event.url }
                })
            }
            CdpEventName::FrameRequestedNavigation => {
                let RequestedNavigation { frame_id, url, disposition } = serde_json::from_str(params)?;
                (self.is_main(&frame_id) && disposition == "currentTab").then(|| {
                    *self.requested_url.borrow_mut() = Some(url.clone());
                    TabEvent::Requested { url }
                })
            }
            CdpEventName::LifecycleEvent => {
                let event: Lifecycle = serde_json::from_str(params)?;
                let Lifecycle { name, loader_id, .. } = event;
                self.is_main(&event.frame_id).then_some(TabEvent::Lifecycle { name, loader_id })
            }
            CdpEventName::FrameStoppedLoading => {
                let event: FrameOnly = serde_json::from_str(params)?;
                self.is_main(&event.frame_id).then(|| {
                    self.requested_url.take();
                    TabEvent::StoppedLoading
                })
            }
            CdpEventName::DialogOpening => {
                let opening: DialogOpening = serde_json::from_str(params)?;
                self.dialogs_opened.update(|count| count.wrapping_add(1));
                *self.dialog.borrow_mut() = Some(opening.into());
                Some(TabEvent::DialogOpened)
            }
            CdpEventName::DownloadWillBegin => {
                let DownloadWillBegin { url, suggested_filename } = serde_json::from_str(params)?;
                Some(TabEvent::Download(BegunDownload { url, suggested_filename }))
            }
            CdpEventName::DialogClosed => {
                *self.dialog.borrow_mut() = None;
                None
            }
            CdpEventName::DragIntercepted => Some(TabEvent::DragBegan),
        })
    }

    /// Whether events of this frame are the page's own. Before any is known every frame counts: better a wait that
    /// ends early with the page's real state in the reply than one that never ends.
    fn is_main(&self, frame_id: &str) -> bool {
        self.main_frame_id.borrow().as_deref().is_none_or(|main| main == frame_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn only_the_main_frame_counts_once_it_is_known() {
        let tab = Tab::default();
        let mut events = tab.watch();
        tab.take(
            CdpEventName::FrameNavigated,
            &raw(r##"{"frame":{"id":"M","loaderId":"L","url":"http://a/","urlFragment":"#x"}}"##),
        );
        assert_eq!(
            events.try_recv(),
            Ok(TabEvent::Committed { url: "http://a/#x".into(), loader_id: "L".into() })
        );
        tab.take(
            CdpEventName::FrameNavigated,
            &raw(r#"{"frame":{"id":"C","parentId":"M","loaderId":"K","url":"http://b/"}}"#),
        );
        tab.take(
            CdpEventName::LifecycleEvent,
            &raw(r#"{"frameId":"C","loaderId":"K","name":"load","timestamp":1}"#),
        );
        assert!(events.try_recv().is_err());
        tab.take(
            CdpEventName::LifecycleEvent,
            &raw(r#"{"frameId":"M","loaderId":"L","name":"load","timestamp":1}"#),
        );
        assert_eq!(events.try_recv(), Ok(TabEvent::Lifecycle { name: "load".into(), loader_id: "L".into() }));
    }

    #[test]
    fn a_dialog_is_known_until_it_is_closed_and_malformed_events_change_nothing() {
        let tab = Tab::default();
        tab.take(
            CdpEventName::DialogOpening,
            &raw(r#"{"message":"n","type":"prompt","defaultPrompt":"def"}"#),
        );
        assert_eq!(tab.dialog.borrow().as_ref().unwrap().default_prompt.as_deref(), Some("def"));
        tab.take(CdpEventName::DialogOpening, &raw("[]"));
        assert!(tab.dialog.borrow().is_some());
        tab.take(CdpEventName::DialogClosed, &raw("{}"));
        assert!(tab.dialog.borrow().is_none());
    }

    #[test]
    fn dialogs_are_answered_as_the_session_wants_it_until_there_are_too_many() {
        let tab = Tab::default();
        let opening = r#"{"message":"m","type":"confirm","defaultPrompt":""}"#;
        assert_eq!(tab.answer(opening, DialogPolicy::Ask), None);
        for _ in 0..MOST_ANSWERED {
            let answered = tab.answer(opening, DialogPolicy::Dismiss).unwrap();
            assert_eq!((answered.dialog.kind.as_str(), answered.action), ("confirm", DialogPolicy::Dismiss));
        }
        assert_eq!(tab.answer(opening, DialogPolicy::Dismiss), None, "a page may ask without end");
        tab.answered.take();
        assert!(tab.answer(opening, DialogPolicy::Dismiss).is_some());
    }
}
