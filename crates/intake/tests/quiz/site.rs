//! A small site with questions of our own, and a run that an honest client would share.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, Request, StatusCode};
use benchwright_intake::quiz::{QuizDesk, QuizTerms, Rate, router};
use benchwright_quiz::{Catalogue, Library, Question, read_corpus};
use benchwright_store::index::quiz::quiz_entry_of;
use benchwright_store::index::{Durability, Index};
use benchwright_store::quiz::{NotAReference, SharedRun, put_shared, reference_run};
use benchwright_store::{Folder, Storage};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tower::ServiceExt as _;

const FILES: [(&str, &str); 4] = [
    ("cs.yaml", include_str!("../../../../corpus/questions/cs.yaml")),
    ("engineering.yaml", include_str!("../../../../corpus/questions/engineering.yaml")),
    ("math.yaml", include_str!("../../../../corpus/questions/math.yaml")),
    ("science.yaml", include_str!("../../../../corpus/questions/science.yaml")),
];

pub struct Site {
    _folder: tempfile::TempDir,
    pub storage: Arc<dyn Storage>,
    pub index: Arc<Index>,
    pub router: Router,
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

    /// The codes of all reasons.
    pub fn codes(&self) -> Vec<String> {
        let reasons = self.json()["reasons"].as_array().cloned().unwrap_or_default();
        reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()).collect()
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

/// Nobody is held up.
pub fn generous() -> QuizTerms {
    let rate = Rate { burst: 1e6, per_hour: 1e6 };
    QuizTerms { tickets: rate, shares: rate, overall: rate, known_for: std::time::Duration::ZERO, behind_proxy: false }
}

impl Site {
    pub async fn new() -> Self {
        Self::with(generous()).await
    }

    pub async fn with(terms: QuizTerms) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(Folder::at(folder.path()));
        Self::over(folder, storage, terms).await
    }

    /// Everything that is kept goes into a bucket.
    pub async fn with_bucket() -> Self {
        let storage: Arc<dyn Storage> = Arc::new(benchwright_store::Bucket::in_memory().unwrap());
        Self::over(tempfile::tempdir().unwrap(), storage, generous()).await
    }

    async fn over(folder: tempfile::TempDir, storage: Arc<dyn Storage>, terms: QuizTerms) -> Self {
        let index = Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap();
        let index = Arc::new(index);
        let library = Arc::new(Library::of(vec![read_corpus(FILES).unwrap()]));
        let catalogue = Arc::new(Catalogue::shipped().unwrap());
        let desk = QuizDesk::open(library, catalogue, Arc::clone(&storage), Arc::clone(&index), terms).await.unwrap();
        Self { _folder: folder, storage, index, router: router(Arc::new(desk)) }
    }

    pub async fn ask(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let fault = benchwright_intake::fault(&response).map(str::to_owned);
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 22).await.unwrap();
        Answer { status: parts.status, headers: parts.headers, body: String::from_utf8(bytes.to_vec()).unwrap(), fault }
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_from([192, 0, 2, 1], path, body.to_string()).await
    }

    pub async fn post_from(&self, address: [u8; 4], path: &str, body: String) -> Answer {
        let request = Request::post(path).header(HOST, "bench.example").header(CONTENT_TYPE, "application/json");
        let mut request = request.body(Body::from(body)).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from((address, 4711))));
        self.ask(request).await
    }

    pub async fn remove(&self, id: &str, token: &str) -> Answer {
        let request = Request::delete(format!("/api/v1/quiz/runs/{id}"))
            .header(HOST, "bench.example")
            .header(AUTHORIZATION, format!("Bearer {token}"));
        self.ask(request.body(Body::empty()).unwrap()).await
    }

    pub async fn ticket(&self, selection: Value) -> Value {
        let body = benchwright_fixtures::quiz_ticket_body(&selection);
        self.post("/api/v1/quiz/tickets", &body).await.expect(201).json()
    }

    /// Puts a run onto the board as whoever keeps it would.
    pub async fn reference(&self, run: Value) {
        let library = Library::of(vec![read_corpus(FILES).unwrap()]);
        let run = reference_of(run).unwrap();
        put_shared(&*self.storage, vec![(run.id.clone(), run.bytes())]).unwrap();
        let entry = quiz_entry_of(&*self.storage, &run.id, &library).unwrap();
        self.index.take_in_shared(entry.as_slice()).await.unwrap();
    }

    pub async fn share(&self, run: &Value) -> Answer {
        self.post("/api/v1/quiz/runs", run).await
    }

    /// A run of a set that was just begun, as an honest client would share it.
    pub async fn honest(&self, set: &str, write: impl Fn(&Question) -> String) -> Value {
        let ticket = self.ticket(json!({ "set": set })).await;
        run_of(&ticket, write)
    }
}

/// A run as a reference, if it may be one.
pub fn reference_of(run: Value) -> Result<SharedRun, NotAReference> {
    let library = Library::of(vec![read_corpus(FILES).unwrap()]);
    reference_run(serde_json::from_value(run).unwrap(), &library, &Catalogue::shipped().unwrap())
}

/// What an honest client makes of a ticket.
pub fn run_of(ticket: &Value, write: impl Fn(&Question) -> String) -> Value {
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    benchwright_fixtures::quiz_run(ticket, &day, 3.0, write)
}

/// Answers right when the number of the row is even.
pub fn half_right(question: &Question) -> String {
    format!("Let me think about it.\nANSWER: {}", benchwright_fixtures::half_right(question))
}
