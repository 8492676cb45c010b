//! A second way into the browser: CDP over the debugging pipe, null-delimited JSON on file descriptors 3 and 4.
//!
//! It is the oracle, which sees what a page really shows, and the mischief-maker, which crashes tabs and stops workers.
//! The product never sees it. An attachment lasts for one question, so that it keeps no worker alive.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::waiting::until;

const LIMIT: Duration = Duration::from_secs(15);

type Waiting = Arc<Mutex<HashMap<u64, Sender<Value>>>>;

/// The debugging pipe of one browser.
#[derive(Debug)]
pub struct DevTools {
    writer: Mutex<(PipeWriter, u64)>,
    waiting: Waiting,
}

/// A target of the browser: a page or the extension's worker.
#[derive(Debug)]
pub struct Page<'a> {
    devtools: &'a DevTools,
    /// Its target id.
    pub target_id: String,
}

impl DevTools {
    /// Speaks through the two pipes that the browser got.
    ///
    /// # Panics
    /// When a thread cannot be started.
    #[must_use]
    pub fn new(to_browser: PipeWriter, from_browser: PipeReader) -> Self {
        let waiting: Waiting = Arc::default();
        let listeners = Arc::clone(&waiting);
        thread::spawn(move || {
            for message in BufReader::new(from_browser).split(0) {
                let Ok(bytes) = message else { break };
                let Ok(message) = serde_json::from_slice::<Value>(&bytes) else { continue };
                let Some(id) = message["id"].as_u64() else { continue };
                if let Some(listener) = lock(&listeners).remove(&id) {
                    let _ = listener.send(message);
                }
            }
            // Whoever still waits learns that nothing comes.
            lock(&listeners).clear();
        });
        Self { writer: Mutex::new((to_browser, 0)), waiting }
    }

    fn send(
        &self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> (u64, std::sync::mpsc::Receiver<Value>) {
        let (sender, receiver) = channel();
        let mut writer = lock(&self.writer);
        writer.1 += 1;
        let id = writer.1;
        lock(&self.waiting).insert(id, sender);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // A browser that is gone shows as an answer that never comes.
        let _ = writer.0.write_all(&bytes);
        (id, receiver)
    }

    /// Calls a method; gives the result or the error's message.
    ///
    /// # Errors
    /// What the browser said, or that it said nothing.
    pub fn call(&self, session: Option<&str>, method: &str, params: &Value) -> Result<Value, String> {
        self.call_within(LIMIT, session, method, params)
    }

    fn call_within(
        &self,
        limit: Duration,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Value, String> {
        let (_, receiver) = self.send(session, method, params);
        let answer = receiver.recv_timeout(limit).map_err(|_| format!("`{method}` got no answer"))?;
        match answer["error"]["message"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["result"].clone()),
        }
    }

    /// All targets, as `Target.getTargets` lists them.
    ///
    /// # Panics
    /// When the browser does not answer.
    #[must_use]
    pub fn targets(&self) -> Vec<Value> {
        let answer = self.call(None, "Target.getTargets", &json!({})).expect("the browser lists its targets");
        answer["targetInfos"].as_array().cloned().unwrap_or_default()
    }

    fn find(&self, kind: &str, url_start: &str) -> Option<Page<'_>> {
        self.find_all(kind, url_start).into_iter().next()
    }

    fn find_all(&self, kind: &str, url_start: &str) -> Vec<Page<'_>> {
        let is_it = |target: &Value| {
            target["type"] == kind && target["url"].as_str().is_some_and(|url| url.starts_with(url_start))
        };
        let found = self.targets().into_iter().filter(is_it);
        let id_of = |target: Value| target["targetId"].as_str().map(str::to_owned);
        found.filter_map(id_of).map(|target_id| Page { devtools: self, target_id }).collect()
    }

    /// The page whose address starts so, once there is one.
    ///
    /// # Panics
    /// When there is none for a long time.
    #[track_caller]
    #[must_use]
    pub fn page(&self, url_start: &str) -> Page<'_> {
        let started = Instant::now();
        loop {
            if let Some(page) = self.find("page", url_start) {
                return page;
            }
            let open: Vec<Value> = self.targets().into_iter().map(|target| target["url"].clone()).collect();
            assert!(started.elapsed() < LIMIT, "no page at `{url_start}` but {open:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Opens a tab of its own, with nothing in it. The browser's first tab may still be on its way to its first address.
    ///
    /// # Panics
    /// When the browser refuses.
    #[must_use]
    pub fn open_tab(&self) -> Page<'_> {
        let answer = self.call(None, "Target.createTarget", &json!({ "url": "about:blank" }));
        let answer = answer.expect("the browser opens a tab");
        Page { devtools: self, target_id: answer["targetId"].as_str().unwrap_or_default().to_owned() }
    }

    /// Whether a page with such an address is open.
    #[must_use]
    pub fn has_page(&self, url_start: &str) -> bool {
        self.find("page", url_start).is_some()
    }

    /// Pages that another one shows inside of itself, such as an extension's settings among the browser's own pages.
    #[must_use]
    pub fn embedded(&self, url_start: &str) -> Vec<Page<'_>> {
        // The browser tells of the same kind of page as the one or the other.
        ["webview", "other"].iter().flat_map(|kind| self.find_all(kind, url_start)).collect()
    }

    /// The extension's service worker, once it runs.
    ///
    /// # Panics
    /// When it does not run for a long time.
    #[track_caller]
    #[must_use]
    pub fn worker(&self) -> Page<'_> {
        let start = format!("chrome-extension://{}/", crate::workspace::extension_id());
        until("the extension's service worker", LIMIT, || self.find("service_worker", &start))
    }
}

/// A target that stays attached, for questions whose answers belong together.
#[derive(Debug)]
pub struct Attached<'a> {
    devtools: &'a DevTools,
    session: String,
}

impl Attached<'_> {
    /// Calls one method on the target.
    ///
    /// # Errors
    /// What the browser said.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, String> {
        self.devtools.call(Some(&self.session), method, params)
    }

    /// Calls one method on the target and waits no longer than this.
    ///
    /// # Errors
    /// As [`Attached::call`].
    pub fn call_within(&self, limit: Duration, method: &str, params: &Value) -> Result<Value, String> {
        self.devtools.call_within(limit, Some(&self.session), method, params)
    }
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        let params = json!({ "sessionId": self.session });
        // A target that is gone is detached already.
        let _ = self.devtools.call(None, "Target.detachFromTarget", &params);
    }
}

impl<'a> Page<'a> {
    /// Attaches until the answer is dropped.
    ///
    /// # Errors
    /// What the browser said.
    pub fn attached(&self) -> Result<Attached<'a>, String> {
        Ok(Attached { devtools: self.devtools, session: self.attach()? })
    }

    fn attach(&self) -> Result<String, String> {
        let params = json!({ "targetId": self.target_id, "flatten": true });
        let answer = self.devtools.call(None, "Target.attachToTarget", &params)?;
        Ok(answer["sessionId"].as_str().unwrap_or_default().to_owned())
    }

    /// Calls one method on this target, attached just for it.
    ///
    /// # Errors
    /// What the browser said.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, String> {
        let session = self.attach()?;
        let result = self.devtools.call(Some(&session), method, params);
        let _ = self.devtools.call(None, "Target.detachFromTarget", &json!({ "sessionId": session }));
        result
    }

    /// The value of an expression; promises are waited for.
    ///
    /// # Panics
    /// When it throws, or the target is gone.
    #[track_caller]
    pub fn evaluate(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &params);
        let result = result.unwrap_or_else(|error| panic!("`{expression}`: {error}"));
        assert!(result["exceptionDetails"].is_null(), "`{expression}` threw: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Runs an expression a moment after this returns; for what takes its own ground away.
    ///
    /// # Panics
    /// When the target is gone before.
    pub fn run_soon(&self, expression: &str) {
        self.evaluate(&format!("setTimeout(() => {{ {expression} }}, 20); null"));
    }

    /// Closes the target; for a worker: stops it.
    ///
    /// # Panics
    /// When the browser refuses.
    pub fn close(&self) {
        let closed = self.devtools.call(None, "Target.closeTarget", &json!({ "targetId": self.target_id }));
        closed.expect("a target can be closed");
    }

    /// Ends the renderer's process as a fault would.
    ///
    /// # Panics
    /// When the target is gone before.
    pub fn crash(&self) {
        let session = self.attach().expect("the target is there");
        self.devtools.send(Some(&session), "Page.crash", &json!({}));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
