//! What a command's answer says beyond its own result: dialogs that were answered meanwhile, that the user pressed something in
//! the tab, and with `--observe` what the page looks like now, in the same call.
//!
//! What happened by itself is told once, by the next answer of a command in its tab, be it a failure.

use std::collections::BTreeMap;

use bsk_protocol::failure::{Failure, Reason};
use bsk_protocol::local::{Effects, ObserveArgs};
use serde_json::value::RawValue;

use crate::kernel::raw;
use crate::observe;
use crate::run::{Done, Work};

/// The field that says that the user pressed something.
const USER_ACTED: &str = "user_acted";

/// Adds to a result what there is to add.
///
/// # Errors
/// The page could not be observed.
pub(crate) async fn tell(work: &Work, done: Done, observe: bool) -> Result<Done, Failure> {
    let observation = if observe { Some(look(work).await?) } else { None };
    let answered = work.tab.answered.take();
    if answered.is_empty() && observation.is_none() {
        return Ok(done);
    }
    let Ok(mut fields) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(done.value.get()) else {
        return Ok(done);
    };
    if !answered.is_empty() {
        let known = fields.get("effects").and_then(|effects| serde_json::from_str(effects.get()).ok());
        let effects = Effects { dialogs: answered, ..known.unwrap_or_default() };
        fields.insert("effects".to_owned(), raw(&effects));
    }
    if let Some(observation) = observation {
        fields.insert("observation".to_owned(), observation.value);
    }
    Ok(Done { value: raw(&fields), bytes: done.bytes })
}

/// Adds that the user pressed something in the tab since the last answer.
pub(crate) fn tell_user_acted(work: &Work, done: Result<Done, Failure>) -> Result<Done, Failure> {
    if !work.tab.has_user_acted.take() {
        return done;
    }
    let done = done.map_err(|failure| failure.with(USER_ACTED, true))?;
    let Ok(mut fields) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(done.value.get()) else {
        return Ok(done);
    };
    fields.insert(USER_ACTED.to_owned(), raw(&true));
    Ok(Done { value: raw(&fields), bytes: done.bytes })
}

/// What changed since the last observation.
async fn look(work: &Work) -> Result<Done, Failure> {
    let args = ObserveArgs { diff: true, ..ObserveArgs::default() };
    let seen = work
        .unless_dialog(async {
            work.settle().await;
            observe::observe(work, &args).await
        })
        .await;
    match seen {
        Err(failure) if failure.reason == Some(Reason::DialogPending) => {
            let open = work.tab.dialog.borrow().clone();
            open.map(|dialog| observe::beside_dialog(work, &dialog)).ok_or(failure)
        }
        Ok(_) | Err(_) => seen,
    }
}
