//! A web server on 127.0.0.1 for the pages of a test.
//!
//! Every page gets a path of its own, so that tests which share the server cannot meet. Each request is answered on its own
//! thread, so a slow answer delays nobody, and is remembered.

#![allow(
    clippy::disallowed_types,
    reason = "tests serve pages on 127.0.0.1; nothing of this is in the product"
)]

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tiny_http::{Header, Server};

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Request {
    /// Such as `GET`.
    pub method: String,
    /// Path and query.
    pub url: String,
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
}

impl Response {
    /// A page.
    #[must_use]
    pub fn html(text: &str) -> Self {
        let content_type = "text/html; charset=utf-8".to_owned();
        Self { status: 200, headers: Vec::new(), content_type, body: text.as_bytes().to_vec() }
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
    server: Arc<Server>,
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
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on 127.0.0.1"));
        let port = server.server_addr().to_ip().expect("an inet address").port();
        let state: Arc<Mutex<State>> = Arc::default();
        let (its_server, its_state) = (Arc::clone(&server), Arc::clone(&state));
        thread::spawn(move || {
            for request in its_server.incoming_requests() {
                let state = Arc::clone(&its_state);
                thread::spawn(move || answer(request, &state));
            }
        });
        Self { server, port, state }
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
            let response = Response { status: 200, headers: Vec::new(), content_type, body };
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

impl Drop for Pages {
    fn drop(&mut self) {
        self.server.unblock();
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

fn answer(request: tiny_http::Request, state: &Mutex<State>) {
    let asked = Request { method: request.method().to_string(), url: request.url().to_owned() };
    let path = asked.url.split(['?', '#']).next().unwrap_or_default().to_owned();
    let route = {
        let mut state = lock(state);
        state.seen.push(asked.clone());
        state.routes.get(&path).cloned()
    };
    let response = match route {
        Some(route) => route(&asked),
        None => Response::html("<title>Not found</title><h1>Not found</h1>").status(404),
    };
    let mut reply = tiny_http::Response::from_data(response.body).with_status_code(response.status);
    let content_type = ("Content-Type".to_owned(), response.content_type);
    for (name, value) in response.headers.into_iter().chain([content_type]) {
        let header = Header::from_bytes(name.as_bytes(), value.as_bytes()).expect("a header of a test");
        reply.add_header(header);
    }
    // A browser that went away is no concern of the server.
    let _ = request.respond(reply);
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
