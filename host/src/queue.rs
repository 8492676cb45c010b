//! One command in flight per session, a few in line, the rest refused (invariant 11).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::SessionId;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Commands of one session that may wait behind the one in flight.
const LONGEST_LINE: usize = 8;

/// The line of one session's commands, first come first served.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    turn: Arc<Mutex<()>>,
    waiting: Rc<Cell<usize>>,
}

/// Counts one waiting command, for as long as it lives.
struct Waiting(Rc<Cell<usize>>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// The right to run: the next command starts when the last clone is dropped, so a gesture that has to be finished after
/// its command was cancelled keeps a clone.
pub(crate) type Turn = Rc<OwnedMutexGuard<()>>;

impl Queue {
    /// Whether a command would have to wait.
    pub(crate) fn is_busy(&self) -> bool {
        self.turn.try_lock().is_err()
    }

    /// Waits for this session's turn; giving up is dropping.
    pub(crate) async fn enter(&self, session: &SessionId) -> Result<Turn, Failure> {
        if let Ok(turn) = Arc::clone(&self.turn).try_lock_owned() {
            return Ok(Rc::new(turn));
        }
        if self.waiting.get() >= LONGEST_LINE {
            return Err(Failure::new(
                ErrorCode::PermissionDenied,
                Reason::SessionBusy,
                format!("session `{session}` already has {LONGEST_LINE} commands waiting"),
            )
            .hint("wait for them, or start another session with `bsk session start`"));
        }
        self.waiting.set(self.waiting.get() + 1);
        let _waiting = Waiting(Rc::clone(&self.waiting));
        Ok(Rc::new(Arc::clone(&self.turn).lock_owned().await))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn session() -> SessionId {
        "quwe".parse().unwrap()
    }

    #[tokio::test]
    async fn commands_of_a_session_run_one_after_the_other() {
        let queue = Queue::default();
        let first = queue.enter(&session()).await.unwrap();
        let id = session();
        let second = queue.enter(&id);
        tokio::pin!(second);
        assert!(
            tokio::time::timeout(Duration::from_millis(20), &mut second).await.is_err(),
            "it has to wait"
        );
        drop(first);
        assert!(second.await.is_ok());
    }

    #[tokio::test]
    async fn the_ninth_waiting_command_is_refused_and_leaving_makes_room() {
        let queue = Queue::default();
        let _running = queue.enter(&session()).await.unwrap();
        let id = session();
        let mut line: Vec<_> = (0..LONGEST_LINE).map(|_| Box::pin(queue.enter(&id))).collect();
        for waiting in &mut line {
            assert!(tokio::time::timeout(Duration::from_millis(1), waiting).await.is_err());
        }
        let failure = queue.enter(&id).await.unwrap_err();
        assert_eq!(failure.reason, Some(Reason::SessionBusy));
        line.pop();
        assert!(
            tokio::time::timeout(Duration::from_millis(1), queue.enter(&id)).await.is_err(),
            "it waits again"
        );
    }
}
