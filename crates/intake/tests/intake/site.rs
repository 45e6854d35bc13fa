//! A small site with tokens, and a way to ask it.

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::middleware;
use benchwright_intake::{Intake, PromptChoice, Terms, plain_frame, private, router};
use benchwright_store::index::{Durability, Index, Scope, TokenTerms};
use benchwright_store::jobs::Queue;
use benchwright_store::{Folder, Storage};
use serde_json::Value;
use std::sync::Arc;
use tower::ServiceExt as _;

pub const LARGEST: usize = 2000;
pub const ZIP: &[u8] = b"PK\x03\x04 what is in it is for the worker to find out";
const NOW: &str = "2026-11-16T08:00:00Z";

pub struct Site {
    pub folder: tempfile::TempDir,
    pub queue: Queue,
    pub storage: Arc<dyn Storage>,
    pub router: Router,
    pub token: String,
}

/// What came back.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
    /// What the operator is told.
    pub fault: Option<String>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}: {}", self.status, self.body))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// It is our fault, and only the operator reads why.
    #[track_caller]
    pub fn expect_fault(self, why: &str) {
        let Self { fault, body, .. } = self.expect(500);
        assert!(fault.is_some_and(|fault| fault.contains(why)) && !body.contains(why), "{body}");
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }
}

pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

impl Site {
    pub async fn new() -> Self {
        Self::with(Terms::default()).await
    }

    pub async fn with(terms: Terms) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap();
        let queue = Queue::of(Arc::new(index));
        let storage: Arc<dyn Storage> = Arc::new(Folder::at(folder.path()));
        let token = issue(&queue, &[Scope::Submit], None).await;
        let router = serving(&queue, &storage, terms).await;
        Self { folder, queue, storage, router, token }
    }

    /// Another process takes over that serves the same site.
    pub async fn restart(&mut self) {
        self.router = serving(&self.queue, &self.storage, Terms::default()).await;
    }

    /// The same site, behind a door.
    pub fn behind_a_door(mut self) -> Self {
        let index = Arc::clone(self.queue.index());
        let gate = middleware::from_fn(move |request, next| private(Arc::clone(&index), request, next));
        self.router = self.router.layer(gate);
        self
    }

    pub async fn issue(&self, scopes: &[Scope]) -> String {
        issue(&self.queue, scopes, None).await
    }

    pub async fn issue_until(&self, end: &str) -> String {
        issue(&self.queue, &[Scope::Submit], Some(end.to_owned())).await
    }

    pub async fn ask(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let fault = benchwright_intake::fault(&response).map(str::to_owned);
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        Answer { status: parts.status, headers: parts.headers, body: String::from_utf8(bytes.to_vec()).unwrap(), fault }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(Request::get(path).header(HOST, "bench.example").body(Body::empty()).unwrap()).await
    }

    /// Submits an app with its source, as a program does.
    pub async fn post_source(&self, source: &[u8]) -> Answer {
        self.post_source_of(&self.token, source).await
    }

    pub async fn post_source_of(&self, token: &str, source: &[u8]) -> Answer {
        let body = multipart(&[("url", b"https://app.example/"), ("source", source)]);
        self.ask(program_form_of(token, Body::from(body))).await
    }

    /// A form as a program sends it.
    pub fn program_form(&self, body: Body) -> Request<Body> {
        program_form_of(&self.token, body)
    }

    pub async fn post_json(&self, path: &str, token: &str, body: &str) -> Answer {
        let request = Request::post(path)
            .header(HOST, "bench.example")
            .header(AUTHORIZATION, format!("Bearer {token}"))
            .header(CONTENT_TYPE, "application/json");
        self.ask(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    /// Opens the form and returns its cookie and its proof.
    pub async fn open_form(&self, path: &str) -> (String, String) {
        let page = self.get(path).await.expect(200);
        let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
        let proof = page.body.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        (cookie, proof)
    }

    pub async fn send_form(&self, cookie: &str, fields: &[(&str, &[u8])], headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::post("/submit").header(HOST, "bench.example").header(COOKIE, cookie);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=XX");
        self.ask(request.body(Body::from(multipart(fields))).unwrap()).await
    }
}

async fn serving(queue: &Queue, storage: &Arc<dyn Storage>, terms: Terms) -> Router {
    let prompts = vec![PromptChoice { id: "todo".to_owned(), title: "A <todo> list".to_owned() }];
    let terms = Terms { prompts, largest_source: LARGEST, ..terms };
    router(Intake::open(queue.clone(), Arc::clone(storage), terms, Arc::new(plain_frame)).await.unwrap())
}

async fn issue(queue: &Queue, scopes: &[Scope], expires_at: Option<String>) -> String {
    let terms = TokenTerms { name: "ada".to_owned(), scopes: scopes.to_vec(), expires_at, jobs_per_hour: None };
    queue.index().issue_token(&terms, NOW).await.unwrap().1
}

/// A form as a program with this token sends it.
pub fn program_form_of(token: &str, body: Body) -> Request<Body> {
    let request = Request::post("/api/v1/jobs")
        .header(HOST, "bench.example")
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header(CONTENT_TYPE, "multipart/form-data; boundary=XX");
    request.body(body).unwrap()
}

/// A form with the boundary `XX`; the field `source` is a file.
pub fn multipart(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let file = if *name == "source" { "; filename=\"app.zip\"\r\nContent-Type: application/zip" } else { "" };
        body.extend(format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").into_bytes());
        body.extend(*value);
        body.extend(b"\r\n");
    }
    body.extend(b"--XX--\r\n");
    body
}
