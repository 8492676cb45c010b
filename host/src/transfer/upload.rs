//! `bsk upload`: from the CLI's bytes to files that a page has.
//!
//! The kernel allows it first; then the bytes are staged; then the page gets them: by the input that the target is, by the one whose
//! chooser a click on the target opens, or by a drop. Whatever ends the command, the kernel's upload is closed, and copies that no
//! page can have got are removed.

use std::rc::Rc;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::{Call, PageFunction, UploadInput, UploadTaken};
use bsk_protocol::local::{MouseButton, Target, UploadFile};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::staging::receive;
use super::{Effect, Staged, TransferState, drop as dropping};
use crate::act::{self, Press, UsedElement};
use crate::kernel::in_ms;
use crate::run::{Done, Work};
use crate::session::agent_of;
use crate::target::{self, Element};

/// How long after the click a page may open its chooser: the browser lets it no longer.
const CHOOSER_MS: u32 = 5000;
/// How long an element that is not there is waited for.
const APPEARANCE_MS: u64 = 10_000;

/// What the page library's `file_input` says.
#[derive(Debug, Deserialize)]
struct Found {
    #[serde(flatten)]
    element: UsedElement,
    input: Option<u32>,
}

/// The kernel's upload, closed when it is dropped.
struct Open<'a>(&'a Work);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let (session_id, tab_id) = (self.0.session_id.clone(), self.0.tab_id);
        // What was sent is carried out although nobody waits for it.
        drop(self.0.host.kernel.send::<Value>(Call::UploadClose { session_id, tab_id }));
    }
}

/// The copies of this upload: kept with the session once a page may have them, else removed.
struct Copies<'a> {
    work: &'a Work,
    staged: Option<Staged>,
    transfer: &'a Rc<TransferState>,
}

impl Drop for Copies<'_> {
    fn drop(&mut self) {
        let Some(staged) = self.staged.take() else { return };
        let session = self.work.host.session(&self.work.session_id).ok();
        match (self.transfer.effect(), session) {
            (Effect::Committed | Effect::Unknown, Some(session)) => {
                session.staged.borrow_mut().push(staged);
                self.transfer.keep();
            }
            (Effect::None, _) | (_, None) => {
                if let Err(path) = staged.remove() {
                    self.transfer.left(path.display().to_string());
                }
            }
        }
    }
}

/// # Errors
/// What keeps the page from getting the files; whether it has them all the same is in the failure.
pub(crate) async fn upload(
    work: &Work,
    target: Target,
    files: &[UploadFile],
    is_drop: bool,
) -> Result<Done, Failure> {
    let transfer = &work.transfer;
    transfer.enter("finding");
    let target = target::locate(work, target).await?;
    let (frame, page_target) = target.in_page();
    let args = json!({ "target": page_target, "timeout_ms": APPEARANCE_MS.min(work.page_timeout_ms()) });
    let found: Found = work.page(frame, PageFunction::FileInput, &args).await?;
    let held = work.host.session(&work.session_id)?.staged.borrow().iter().map(Staged::size).sum();
    transfer.enter("staging");
    let staged = work.host.staging.plan(files, held)?;
    let mut copies = Copies { work, staged: None, transfer };
    let _open = Open(work);
    open(work, frame, &staged).await?;
    copies.staged = Some(stage(work, staged).await?);
    let events = work.tab.watch();
    work.tab.has_fresh_document.set(false);
    let taken = if is_drop {
        dropping::drop_files(work, &target, files).await?;
        Taken { how: "drop", not_accepted: Vec::new(), is_verified: true }
    } else if let Some(number) = found.input {
        take(work, "input", Some(UploadInput { frame, number })).await?
    } else {
        activate(work, &target).await?
    };
    transfer.set_effect(Effect::Committed);
    transfer.enter("following");
    let effects = act::effects(work, events, act::flush(work)).await?;
    let mut result = act::used(work, &target, &found.element);
    taken.tell(&mut result, files);
    result.insert("effects".into(), json!(effects));
    Ok(Done::new(&result))
}

/// How the page got them.
struct Taken {
    how: &'static str,
    not_accepted: Vec<String>,
    is_verified: bool,
}

impl Taken {
    fn tell(&self, result: &mut Map<String, Value>, files: &[UploadFile]) {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        result.insert("file_names".into(), json!(names));
        result.insert("not_accepted".into(), json!(self.not_accepted));
        result.insert("how".into(), json!(self.how));
        result.insert("is_verified".into(), json!(self.is_verified));
        result.insert("effect_state".into(), json!(Effect::Committed.as_str()));
    }
}

/// Has the kernel allow it, which may ask the user.
async fn open(work: &Work, frame: FrameNumber, staged: &Staged) -> Result<(), Failure> {
    work.transfer.enter("opening");
    work.stage("waiting for the extension to allow the upload; it may ask the user");
    let call = Call::UploadOpen {
        session_id: work.session_id.clone(),
        tab_id: work.tab_id,
        frame,
        files: staged.files.clone(),
        agent: agent_of(work.caller).await,
        timeout_ms: in_ms(work.page_timeout_ms()),
    };
    work.host.kernel.send::<Value>(call).await.map(drop)
}

/// Takes the bytes. A command that is given up drops the caller's line, which ends the writing thread: it owns the copies meanwhile,
/// so that nothing is written after they were removed.
async fn stage(work: &Work, staged: Staged) -> Result<Staged, Failure> {
    work.transfer.enter("staging");
    work.stage("taking the files in");
    let line = work.take_line().ok_or_else(|| {
        Failure::new(ErrorCode::ProtocolError, Reason::ConnectionLost, "there is nobody to take files from")
    })?;
    let mut incoming = line.ask_for_files();
    let written = spawn_blocking(move || {
        let received = receive(&staged.files, &mut incoming);
        (staged, received)
    })
    .await;
    match written {
        Ok((staged, Ok(()))) => Ok(staged),
        Ok((staged, Err(failure))) => {
            if let Err(path) = staged.remove() {
                work.transfer.left(path.display().to_string());
            }
            Err(failure)
        }
        Err(_) => Err(Failure::new(
            ErrorCode::ProtocolError,
            Reason::FileNotWritable,
            "the files could not be taken in",
        )),
    }
}

/// Clicks what opens the chooser, and answers that.
async fn activate(work: &Work, target: &Element) -> Result<Taken, Failure> {
    work.transfer.enter("activating");
    work.stage("clicking what opens the file chooser");
    let (session_id, tab_id) = (work.session_id.clone(), work.tab_id);
    work.host.kernel.send::<Value>(Call::UploadArm { session_id, tab_id }).await?;
    let press = Press { button: MouseButton::Left, count: 1, modifiers: Vec::new(), at: None, force: false };
    act::again_if_lost(work, || act::click(work, target, &press)).await?;
    work.stage("waiting for the page to open a file chooser");
    let (session_id, tab_id) = (work.session_id.clone(), work.tab_id);
    let timeout_ms = CHOOSER_MS;
    work.host.kernel.send::<Value>(Call::UploadChooser { session_id, tab_id, timeout_ms }).await?;
    take(work, "chooser", None).await
}

/// Has the kernel give the files to the input, and says what became of that.
async fn take(work: &Work, how: &'static str, input: Option<UploadInput>) -> Result<Taken, Failure> {
    work.transfer.enter("assigning");
    work.stage("giving the files to the page");
    let (session_id, tab_id) = (work.session_id.clone(), work.tab_id);
    let taken = work.host.kernel.send::<UploadTaken>(Call::UploadTake { session_id, tab_id, input });
    // From here on only the kernel knows whether the page got them.
    work.transfer.set_effect(Effect::Unknown);
    match taken.await {
        Ok(UploadTaken { not_accepted, is_verified }) => Ok(Taken { how, not_accepted, is_verified }),
        Err(failure) => {
            if failure.data.get("effect_state").is_none_or(|state| state == "none") && is_refusal(&failure) {
                work.transfer.set_effect(Effect::None);
            }
            Err(failure)
        }
    }
}

/// Whether the kernel said so before it gave anything to the page: what comes after that says so itself.
pub(super) fn is_refusal(failure: &Failure) -> bool {
    !matches!(
        failure.reason,
        Some(Reason::BrowserGone | Reason::TabClosed | Reason::PageCrashed | Reason::TabDetached)
    ) && failure.code != ErrorCode::ProtocolError
}
