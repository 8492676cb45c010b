//! Sessions, tabs and windows: passed on to the kernel, which owns them.

use std::rc::Rc;

use crate::host::Host;
use crate::run::{Bounds, Done, Work};
use crate::{agent, navigate};
use bsk_protocol::failure::{ErrorCode, Failure, Reason};
use bsk_protocol::ids::{SessionId, TabId};
use bsk_protocol::kernel::{
    Agent, Call, Profile, SessionOptions, SessionRecord, SessionStopped, TabList, TabRecord, TabReturned,
    TabScope, WindowSize,
};
use bsk_protocol::local::{SessionStarted, WaitUntil};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

pub(crate) async fn start(
    host: &Host,
    options: SessionOptions,
    caller: Option<u32>,
) -> Result<Done, Failure> {
    let options = SessionOptions { agent: agent_of(caller).await, ..options };
    let record: SessionRecord = host.kernel.send(Call::SessionStart(options)).await?;
    let started = SessionStarted {
        session_id: record.session_id.clone(),
        browser_instance_id: host.instance_id().clone(),
        agent_window_id: record.agent_window_id,
    };
    host.note_session(record);
    Ok(Done::new(&started))
}

/// What a person knows the profile by.
pub(crate) async fn profile(host: &Host) -> Result<Done, Failure> {
    let profile: Profile = host.kernel.send(Call::Profile {}).await?;
    Ok(Done::new(&profile))
}

/// The program that a command comes from, as far as the system tells.
pub(crate) async fn agent_of(caller: Option<u32>) -> Option<Agent> {
    let caller = caller?;
    spawn_blocking(move || agent::above(caller)).await.ok().flatten()
}

pub(crate) async fn stop(host: &Host, session_id: &SessionId) -> Result<Done, Failure> {
    let stopped: SessionStopped =
        host.kernel.send(Call::SessionStop { session_id: session_id.clone() }).await?;
    Ok(Done::new(&stopped))
}

pub(crate) async fn tab_list(host: &Host, session_id: SessionId, scope: TabScope) -> Result<Done, Failure> {
    let list: TabList = host.kernel.send(Call::TabList { session_id, scope }).await?;
    Ok(Done::new(&list))
}

/// Opens a tab; with a URL also loads it, so that the next command finds the page.
pub(crate) async fn tab_create(
    host: &Rc<Host>,
    session_id: SessionId,
    url: Option<String>,
    active: bool,
    index: Option<u32>,
    bounds: Bounds,
) -> Result<Done, Failure> {
    let call = Call::TabCreate { session_id: session_id.clone(), url: None, active, index };
    let mut tab: TabRecord = host.kernel.send(call).await?;
    if let Some(url) = url {
        let work = Work::on(host, session_id, Some(tab.tab_id), bounds)?;
        let landed = async {
            work.listen().await?;
            navigate::load(&work, url, WaitUntil::Load).await
        };
        match landed.await {
            Ok(landed) => {
                tab.url = landed.final_url;
                tab.title = landed.title;
            }
            Err(failure) if failure.code == ErrorCode::PermissionDenied => {
                // What may not be opened leaves no empty tab behind.
                let call = Call::TabClose { session_id: work.session_id.clone(), tab_id: tab.tab_id };
                host.kernel.send::<Value>(call).await?;
                return Err(failure);
            }
            Err(failure) => return Err(failure.with("tab_id", tab.tab_id.0)),
        }
    }
    Ok(Done::new(&tab))
}

pub(crate) async fn tab_close(work: &Work) -> Result<Done, Failure> {
    let call = Call::TabClose { session_id: work.session_id.clone(), tab_id: work.tab_id };
    work.host.kernel.send::<Value>(call).await?;
    Ok(Done::new(&json!({ "tab_id": work.tab_id })))
}

pub(crate) async fn tab_select(work: &Work) -> Result<Done, Failure> {
    let call = Call::TabSelect { session_id: work.session_id.clone(), tab_id: work.tab_id };
    work.host.kernel.send::<Value>(call).await?;
    Ok(Done::new(&json!({ "tab_id": work.tab_id })))
}

/// Asks the user for a tab. The kernel's question has its own end, so no shorter one of ours is set.
pub(crate) async fn tab_borrow(
    host: &Host,
    session_id: SessionId,
    tab_id: Option<TabId>,
    bounds: &Bounds,
) -> Result<Done, Failure> {
    let tab_id = tab_id.ok_or_else(|| {
        Failure::new(ErrorCode::InvalidParams, Reason::UsageInvalid, "the command names no tab")
            .hint("pass the tab's id from `bsk tab list`")
    })?;
    bounds.stage("waiting for the user's answer in the browser");
    let call = Call::TabBorrow { session_id, tab_id, agent: agent_of(bounds.caller).await };
    let tab: TabRecord = host.kernel.send(call).await?;
    Ok(Done::new(&tab))
}

pub(crate) async fn tab_return(work: &Work) -> Result<Done, Failure> {
    let call = Call::TabReturn { session_id: work.session_id.clone(), tab_id: work.tab_id };
    let returned: TabReturned = work.host.kernel.send(call).await?;
    Ok(Done::new(&returned))
}

pub(crate) async fn window_resize(
    host: &Host,
    session_id: SessionId,
    width: u32,
    height: u32,
) -> Result<Done, Failure> {
    let reached: WindowSize = host.kernel.send(Call::WindowResize { session_id, width, height }).await?;
    Ok(Done::new(&reached))
}
