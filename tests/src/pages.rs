//! A web server on 127.0.0.1 for the pages of a test.
//!
//! Every page gets a path of its own, so that tests which share the server cannot meet. Each request is answered on a thread
//! of its own, so a slow answer delays nobody, and is remembered.

#![allow(
    clippy::disallowed_types,
    reason = "tests serve pages on 127.0.0.1; nothing of this is in the product"
)]

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;

use http_body_util::{BodyExt as _, Collected};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Request {
    /// Such as `GET`.
    pub method: String,
    /// Path and query.
    pub url: String,
    /// What was sent along.
    pub body: Bytes,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers besides the content type.
    pub headers: Vec<(String, String)>,
    /// Such as `text/html; charset=utf-8`.
    pub content_type: String,
    /// What it says.
    pub body: Vec<u8>,
    /// Whether it stays open behind that, without an end.
    pub stalls: bool,
}

impl Response {
    /// A page.
    #[must_use]
    pub fn html(text: &str) -> Self {
        let content_type = "text/html; charset=utf-8".to_owned();
        Self { status: 200, headers: Vec::new(), content_type, body: text.as_bytes().to_vec(), stalls: false }
    }

    /// A file that browsers download.
    #[must_use]
    pub fn attachment(disposition: &str, body: &str) -> Self {
        let content_type = "application/octet-stream".to_owned();
        Self { content_type, ..Self::html(body) }
            .header("content-disposition", &format!("attachment; {disposition}"))
    }

    /// The same without an end.
    #[must_use]
    pub fn stalling(mut self) -> Self {
        self.stalls = true;
        self
    }

    /// The same with another status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Route = Arc<dyn Fn(&Request) -> Response + Send + Sync>;

#[derive(Default)]
struct State {
    routes: HashMap<String, Route>,
    seen: Vec<Request>,
    count: u32,
}

/// The server; ends when it is dropped.
pub struct Pages {
    /// Ends the server when it is dropped.
    _life: oneshot::Sender<()>,
    port: u16,
    state: Arc<Mutex<State>>,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Pages {
    /// Starts the server on a free port.
    ///
    /// # Panics
    /// When 127.0.0.1 has none.
    #[must_use]
    pub fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on 127.0.0.1");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let state: Arc<Mutex<State>> = Arc::default();
        let (life, end) = oneshot::channel();
        let its_state = Arc::clone(&state);
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, its_state) => {}
                    _ = end => {}
                }
            });
            // A route that still sleeps is not waited for.
            runtime.shutdown_background();
        });
        Self { _life: life, port, state }
    }

    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Serves a page at a new path; gives its address.
    #[must_use]
    pub fn html(&self, text: &str) -> String {
        let text = format!("<!doctype html><meta charset=utf-8>{text}");
        self.answering(move |_| Response::html(&text))
    }

    /// Answers each request to a new path once the gate is waited at; gives the address and the gate.
    #[must_use]
    pub fn gated(&self, response: Response) -> (String, Arc<Barrier>) {
        let gate = Arc::new(Barrier::new(2));
        let its_gate = Arc::clone(&gate);
        let url = self.answering(move |_| {
            its_gate.wait();
            response.clone()
        });
        (url, gate)
    }

    /// Answers a new path with a closure; gives its address.
    #[must_use]
    pub fn answering(&self, route: impl Fn(&Request) -> Response + Send + Sync + 'static) -> String {
        let path = {
            let mut state = lock(&self.state);
            state.count += 1;
            format!("/page-{}", state.count)
        };
        self.answering_at(&path, route)
    }

    /// Answers this path with a closure; gives its address.
    pub fn answering_at(
        &self,
        path: &str,
        route: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> String {
        lock(&self.state).routes.insert(path.to_owned(), Arc::new(route));
        self.url(path)
    }

    /// Serves the files of a folder below a path.
    ///
    /// # Panics
    /// When a file cannot be read.
    pub fn folder(&self, path: &str, folder: &Path) {
        for entry in fs::read_dir(folder).expect("the folder is part of the checkout") {
            let file = entry.expect("an entry of a folder that can be read").path();
            let body = fs::read(&file).expect("a file of the checkout");
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let content_type = content_type(&name).to_owned();
            let response = Response { status: 200, headers: Vec::new(), content_type, body, stalls: false };
            let serve = move |_: &Request| response.clone();
            if name == "index.html" {
                self.answering_at(path, serve.clone());
            }
            self.answering_at(&format!("{path}{name}"), serve);
        }
    }

    /// All requests so far whose path starts so.
    #[must_use]
    pub fn seen(&self, path: &str) -> Vec<Request> {
        lock(&self.state).seen.iter().filter(|request| request.url.starts_with(path)).cloned().collect()
    }

    /// An address on a port where nobody listens.
    ///
    /// # Panics
    /// When 127.0.0.1 has no free port.
    #[must_use]
    pub fn refusing_url() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on 127.0.0.1");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        format!("http://127.0.0.1:{port}/")
    }
}

fn content_type(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

async fn accept(listener: TcpListener, state: Arc<Mutex<State>>) {
    listener.set_nonblocking(true).expect("a socket can be asked not to block");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a runtime with sockets");
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, Arc::clone(&state)));
            // A browser that went away is no concern of the server.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// A body on its way: its bytes, and then its end, if it has one.
struct Sent {
    bytes: Option<Bytes>,
    stalls: bool,
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            // Nobody wakes it: the connection ends with the browser's wish.
            None if self.stalls => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

async fn answer(
    request: hyper::Request<Incoming>,
    state: Arc<Mutex<State>>,
) -> Result<hyper::Response<Sent>, Infallible> {
    let url = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let method = request.method().to_string();
    // A browser that gave up in the middle is answered to nobody.
    let body = request.into_body().collect().await.map(Collected::to_bytes).unwrap_or_default();
    let asked = Request { method, url, body };
    let path = asked.url.split(['?', '#']).next().unwrap_or_default().to_owned();
    let route = {
        let mut state = lock(&state);
        state.seen.push(asked.clone());
        state.routes.get(&path).cloned()
    };
    let response = match route {
        Some(route) => {
            tokio::task::spawn_blocking(move || route(&asked)).await.expect("a route that does not panic")
        }
        None => Response::html("<title>Not found</title><h1>Not found</h1>").status(404),
    };
    let mut reply = hyper::Response::builder().status(response.status);
    let content_type = ("Content-Type".to_owned(), response.content_type);
    for (name, value) in response.headers.into_iter().chain([content_type]) {
        reply = reply.header(name, value.as_bytes());
    }
    let body = Sent { bytes: Some(Bytes::from(response.body)), stalls: response.stalls };
    Ok(reply.body(body).expect("a status and headers of a test"))
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
