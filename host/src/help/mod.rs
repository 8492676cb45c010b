//! `bsk request-help`: asks the user to do something in a tab and waits until they have.
//!
//! However it ends, it is an answer: the user's press, criteria that are met, the end of the time. While it waits the session's
//! turn is free: other commands may look, and the kernel refuses what would act (extension/kernel/help.js). A page that is
//! replaced ends nothing. Who gives the command up takes the question away.

mod criteria;
mod watch;

use std::cell::Cell;
use std::rc::Rc;

use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::Ref;
use bsk_protocol::kernel::{Call, HelpAnswer, HelpEnd, HelpTarget, PageFunction};
use bsk_protocol::local::{HelpGiven, HelpOutcome, HelpShown, HelpWish, Target};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Duration, Instant, sleep_until};

use self::criteria::Criteria;
use self::watch::Watch;
use crate::kernel::Pending;
use crate::run::{Done, Work};
use crate::session::agent_of;
use crate::tabs::Tab;
use crate::target;

/// The most that the kernel takes (extension/kernel/wire.js).
const MOST_TARGETS: usize = 20;
const LONGEST_NAME: usize = 200;
const LONGEST_MS: u64 = 86_400_000;
/// How long a target that is not there is waited for.
const APPEARANCE: Duration = Duration::from_secs(10);
/// How long a page may take to say whether the criteria are met already, before the user is asked.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// # Errors
/// A target or a criterion is no good, the browser shows no window, or the tab or session is gone.
pub(crate) async fn request(mut work: Work, wish: HelpWish, caller: Option<u32>) -> Result<Done, Failure> {
    let HelpWish { title, prompt, targets, criteria, timeout_ms } = wish;
    let criteria = criteria.map(Criteria::new).transpose()?;
    let shown = resolve(&work, targets).await?;
    let agent = agent_of(caller).await;
    let timeout_ms = timeout_ms.min(LONGEST_MS);
    let ends = Instant::now() + Duration::from_millis(timeout_ms);
    let call = Call::HelpRequest {
        session_id: work.session_id.clone(),
        tab_id: work.tab_id,
        title,
        prompt,
        targets: shown.iter().map(told).collect(),
        agent,
        timeout_ms: u32::try_from(timeout_ms).unwrap_or(u32::MAX),
    };
    let given = |outcome, note| Done::new(&HelpGiven { outcome, note, resolved_targets: shown.clone() });
    work.stage("waiting for the user's help");
    let turn = work.take_turn();
    let work = Rc::new(work);
    let mut watch = criteria.map(|criteria| Watch::begin(&work, criteria));
    if let Some(watch) = &mut watch
        && watch.first_look(FIRST_LOOK).await?
    {
        return Ok(given(HelpOutcome::Completed, None));
    }
    let _control = Control::begin(&work)?;
    let answered: Pending<HelpAnswer> = work.host.kernel.send(call);
    // What comes now reaches the kernel after the question, which then refuses what is not the agent's to do.
    drop(turn);
    let met = async {
        match &mut watch {
            Some(watch) => watch.until_met().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        answered = answered => {
            let HelpAnswer { outcome, note } = answered?;
            let outcome = match outcome {
                HelpEnd::Continued => HelpOutcome::Continued,
                HelpEnd::Cancelled => HelpOutcome::Cancelled,
            };
            Ok(given(outcome, note))
        }
        met = met => met.map(|()| given(HelpOutcome::Completed, None)),
        () = sleep_until(ends) => Ok(given(HelpOutcome::TimedOut, None)),
    }
}

/// Notes that the session is the user's, as long as it lives: dialogs are theirs to decide then.
struct Control {
    helps: Rc<Cell<u32>>,
    tabs: Vec<Rc<Tab>>,
}

impl Control {
    fn begin(work: &Work) -> Result<Self, Failure> {
        let session = work.host.session(&work.session_id)?;
        session.helps.update(|count| count + 1);
        let tabs = session.record.tab_ids.iter().map(|tab_id| work.host.tab(*tab_id)).collect();
        Ok(Self { helps: Rc::clone(&session.helps), tabs })
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.helps.update(|count| count - 1);
        // The user was asked to act: that they did is no news.
        for tab in &self.tabs {
            tab.has_user_acted.set(false);
        }
    }
}

/// What the page library's `box` says of an element.
#[derive(Deserialize)]
struct Found {
    #[serde(rename = "ref")]
    number: u32,
    role: String,
    name: String,
}

/// The elements that the targets mean; the page is scrolled to the last of them, and by the kernel then to the first.
async fn resolve(work: &Work, targets: Vec<Target>) -> Result<Vec<HelpShown>, Failure> {
    if targets.len() > MOST_TARGETS {
        return Err(Failure::new(
            ErrorCode::InvalidParams,
            Reason::UsageInvalid,
            format!("{} targets are too many", targets.len()),
        )
        .hint(format!("show the user at most {MOST_TARGETS} elements")));
    }
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    work.stage("looking for the targets");
    work.unless_dialog(async {
        let mut shown = Vec::new();
        for target in targets {
            let (frame, target) = target::locate(work, target).await?.in_page();
            let longest =
                work.page_timeout_ms().min(u64::try_from(APPEARANCE.as_millis()).unwrap_or(u64::MAX));
            let args = json!({ "target": target, "timeout_ms": longest });
            let Found { number, role, name } = work.page(frame, PageFunction::Box, &args).await?;
            shown.push(HelpShown { handle: Ref { frame, number }, role, name });
        }
        Ok(shown)
    })
    .await
}

fn told(shown: &HelpShown) -> HelpTarget {
    HelpTarget {
        frame: shown.handle.frame,
        number: shown.handle.number,
        role: clipped(&shown.role),
        name: clipped(&shown.name),
    }
}

/// As much of a text as the wire takes, which counts UTF-16 units.
fn clipped(text: &str) -> String {
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units <= LONGEST_NAME
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_the_wire_ends() {
        assert_eq!(clipped("Code"), "Code");
        assert_eq!(clipped(&"é".repeat(300)).chars().count(), LONGEST_NAME);
        assert_eq!(clipped(&"😀".repeat(150)).chars().count(), LONGEST_NAME / 2);
    }
}
