//! How far a transfer is, for whoever has to say how it failed: a deadline, a session's end, a host's end.

use std::cell::{Cell, RefCell};

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::transfer::UPLOAD_IN_DOUBT;

/// Whether the page got something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Effect {
    #[default]
    None,
    Committed,
    Unknown,
}

impl Effect {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Committed => "committed",
            Self::Unknown => "unknown",
        }
    }
}

/// Shared between a transfer and the command that runs it.
#[derive(Debug, Default)]
pub(crate) struct TransferState {
    /// None until a transfer begins.
    phase: Cell<Option<&'static str>>,
    effect: Cell<Effect>,
    /// What became of the staged files.
    cleanup: Cell<Option<&'static str>>,
    /// What is to be removed, where that could not be.
    left: RefCell<Option<String>>,
    /// What to do when nobody knows the outcome.
    doubt: Cell<Option<&'static str>>,
}

impl TransferState {
    /// The transfer is at this step from now on.
    pub(crate) fn enter(&self, phase: &'static str) {
        self.phase.set(Some(phase));
    }

    pub(crate) fn set_effect(&self, effect: Effect) {
        self.effect.set(effect);
    }

    pub(crate) fn effect(&self) -> Effect {
        self.effect.get()
    }

    /// The staged files stay until the session ends.
    pub(crate) fn keep(&self) {
        self.cleanup.set(Some("kept"));
    }

    /// What is said when nobody knows the outcome.
    pub(crate) fn in_doubt(&self, hint: &'static str) {
        self.doubt.set(Some(hint));
    }

    /// The file is there and stays.
    pub(crate) fn left_at(&self, path: &str) {
        self.left.replace(Some(path.to_owned()));
    }

    /// They could not be removed.
    pub(crate) fn left(&self, path: String) {
        self.cleanup.set(Some("failed"));
        self.left.replace(Some(path));
    }

    /// Adds to a transfer's failure what is known of its effect.
    pub(crate) fn tell(&self, mut failure: Failure) -> Failure {
        let Some(phase) = self.phase.get() else { return failure };
        let told = failure.data.get("effect_state").and_then(|told| told.as_str());
        let effect = match told {
            Some("none") => Effect::None,
            Some("committed") => Effect::Committed,
            Some(_) => Effect::Unknown,
            None => self.effect.get(),
        };
        let is_late = failure.code == ErrorCode::Timeout && failure.reason.is_none();
        if is_late {
            failure.reason = Some(Reason::TransferTimeout);
        }
        if effect == Effect::Unknown {
            if is_late || failure.reason == Some(Reason::PageNavigated) {
                failure.reason = Some(Reason::TransferOutcomeUnknown);
            }
            failure.hint = Some(self.doubt.get().unwrap_or(UPLOAD_IN_DOUBT).to_owned());
        }
        failure = failure
            .with("effect_state", effect.as_str())
            .with("phase", phase)
            .with("cleanup_state", self.cleanup.get().unwrap_or("done"));
        match self.left.take() {
            Some(path) => failure.with("left_path", path),
            None => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late() -> Failure {
        Failure::without_reason(ErrorCode::Timeout, "late")
    }

    #[test]
    fn a_failure_says_what_became_of_the_page() {
        let state = TransferState::default();
        assert_eq!(state.tell(late()), late(), "no transfer has begun");
        state.enter("staging");
        let told = state.tell(late());
        assert_eq!(told.reason, Some(Reason::TransferTimeout));
        assert_eq!(told.data["effect_state"], "none");
        assert_eq!((&told.data["phase"], &told.data["cleanup_state"]), (&"staging".into(), &"done".into()));
        state.enter("assigning");
        state.set_effect(Effect::Unknown);
        state.keep();
        let told = state.tell(late());
        assert_eq!(told.reason, Some(Reason::TransferOutcomeUnknown));
        assert_eq!(
            (&told.data["effect_state"], &told.data["cleanup_state"]),
            (&"unknown".into(), &"kept".into())
        );
        assert!(told.hint.unwrap_or_default().contains("do not run"));
        let known = late().with("effect_state", "none");
        assert_eq!(state.tell(known).data["effect_state"], "none", "the kernel knows better");
    }
}
