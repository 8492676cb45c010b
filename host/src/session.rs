//! Sessions, tabs and windows: passed on to the kernel, which owns them.

use std::rc::Rc;

use crate::host::Host;
use crate::navigate;
use crate::run::{Bounds, Done, Work};
use bsk_protocol::failure::Failure;
use bsk_protocol::ids::SessionId;
use bsk_protocol::kernel::{
    Call, SessionOptions, SessionRecord, SessionStopped, TabList, TabRecord, TabScope, WindowSize,
};
use bsk_protocol::local::{SessionStarted, WaitUntil};
use serde_json::{Value, json};

pub(crate) async fn start(host: &Host, options: SessionOptions) -> Result<Done, Failure> {
    let record: SessionRecord = host.kernel.send(Call::SessionStart(options)).await?;
    let started = SessionStarted {
        session_id: record.session_id.clone(),
        browser_instance_id: host.instance_id().clone(),
        agent_window_id: record.agent_window_id,
    };
    host.note_session(record);
    Ok(Done::new(&started))
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

pub(crate) async fn window_resize(
    host: &Host,
    session_id: SessionId,
    width: u32,
    height: u32,
) -> Result<Done, Failure> {
    let reached: WindowSize = host.kernel.send(Call::WindowResize { session_id, width, height }).await?;
    Ok(Done::new(&reached))
}
