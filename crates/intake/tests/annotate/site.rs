//! A small site with evaluated apps and people who review them.

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST};
use axum::http::{HeaderMap, Request};
use benchwright_domain::vibe::evaluation::{AppUnderTest, EVALUATION_FORMAT, Evaluator, JudgedWorkflow};
use benchwright_domain::vibe::review::{Key, Sheet, SheetWorkflow};
use benchwright_domain::vibe::verdict::WorkflowKind;
use benchwright_domain::vibe::{
    AppDomain, Evaluation, Integration, Mark, Split, SubstepVerdict, TaskFacts, WorkflowState, WorkflowVerdict, Written,
};
use benchwright_intake::{Intake, Reviews, Terms, plain_frame, router};
use benchwright_store::index::{Durability, Index, Scope, TokenTerms, entry_of};
use benchwright_store::jobs::Queue;
use benchwright_store::{EventBody, Folder, RUN_FORMAT, Review, RunHeader, Storage, reviews};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use tower::ServiceExt as _;

pub const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&{{7*7}}";
pub const WORKFLOWS: [&str; 2] = ["add-a-thing", "remove-a-thing"];
const NOW: &str = "2026-11-16T08:00:00Z";

pub struct Site {
    _folder: tempfile::TempDir,
    pub queue: Queue,
    pub storage: Arc<dyn Storage>,
    router: Router,
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    /// What the operator is told.
    pub fault: Option<String>,
}

impl Answer {
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
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    #[track_caller]
    pub fn shows(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.body.contains(text), "`{text}` is not in {}", self.body);
        }
        self
    }

    /// The values of all hidden fields of a name, in order.
    pub fn fields(&self, name: &str) -> Vec<String> {
        let mark = format!("name=\"{name}\" value=\"");
        self.body.split(&mark).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    }
}

pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

/// Somebody at a browser: a cookie, the proof of a form, and a pass.
#[derive(Clone)]
pub struct Person {
    pub cookie: String,
    pub form: String,
    pub pass: String,
}

impl Person {
    pub fn fields<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let mut fields = vec![("form", self.form.as_str()), ("pass", self.pass.as_str())];
        fields.extend(more);
        fields
    }
}

impl Site {
    /// Two tasks, each with the apps of two models.
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap();
        let queue = Queue::of(Arc::new(index));
        let storage: Arc<dyn Storage> = Arc::new(Folder::at(folder.path()));
        let sheet = |_: &str, seed: &str, day: &str| Ok(sheet(&format!("{seed} {day} {HOSTILE}")));
        let marks = WORKFLOWS.map(|id| (id.to_owned(), vec![true, false])).into();
        let key = Key { item: "practice/1".to_owned(), marks };
        let reviews = Reviews::new("seed-of-the-test", Arc::new(sheet), (self::sheet("practice"), key));
        let intake =
            Intake::open(queue.clone(), Arc::clone(&storage), Terms::default(), Arc::new(plain_frame)).await.unwrap();
        let site = Self { _folder: folder, queue, storage, router: router(intake.with_reviews(reviews)) };
        for (task, model) in
            [("shopping", "kiln-2"), ("shopping", "drill-9"), ("garden", "kiln-2"), ("garden", "drill-9")]
        {
            site.keep(&format!("run-{task}-{model}"), &evaluation(task, model)).await;
        }
        site
    }

    pub async fn keep(&self, id: &str, evaluation: &Evaluation) {
        let header = RunHeader {
            format: RUN_FORMAT,
            id: id.to_owned(),
            started_at: evaluation.started_at.clone(),
            benchwright: "0.1.0".to_owned(),
            request: serde_json::Value::Null,
        };
        let mut run = self.storage.create(&header).unwrap();
        run.append(EventBody::Finished {}, 9).unwrap();
        let document = serde_json::json!({ "format": RUN_FORMAT, "track": "vibe", "id": id, "evaluation": evaluation });
        run.finish(&document).unwrap();
        drop(run);
        let entry = entry_of(&*self.storage, id, &|_, _| Err("no".to_owned())).unwrap();
        self.queue.index().take_in(entry.as_slice()).await.unwrap();
    }

    /// What people said of a run, as its log has it.
    pub fn said(&self, run: &str) -> Vec<Review> {
        reviews(&self.storage.read(run).unwrap().events)
    }

    /// A token with its id.
    pub async fn token(&self, name: &str, scope: Scope) -> (String, String) {
        let terms = TokenTerms { name: name.to_owned(), scopes: vec![scope], ..TokenTerms::default() };
        let (token, text) = self.queue.index().issue_token(&terms, NOW).await.unwrap();
        (token.id, text)
    }

    pub async fn ask(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let fault = benchwright_intake::fault(&response).map(str::to_owned);
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        let body = String::from_utf8(bytes.to_vec()).unwrap();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body, fault }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(Request::get(path).header(HOST, "bench.example").body(Body::empty()).unwrap()).await
    }

    pub async fn get_with(&self, path: &str, cookie: &str) -> Answer {
        let request = Request::get(path).header(HOST, "bench.example").header(COOKIE, cookie);
        self.ask(request.body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, cookie: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::post(path).header(HOST, "bench.example").header(COOKIE, cookie);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.ask(request.body(Body::from(encoded(fields))).unwrap()).await
    }

    /// Sends a form of somebody who is in.
    pub async fn send(&self, person: &Person, path: &str, more: &[(&str, &str)]) -> Answer {
        self.post(path, &person.cookie, &person.fields(more), &[]).await
    }

    /// The cookie and the proof of the form at the door.
    pub async fn at_the_door(&self) -> Person {
        let page = self.get("/annotate").await.expect(200);
        let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
        Person { cookie, form: page.fields("form").remove(0), pass: String::new() }
    }

    /// Lets somebody in with a token.
    pub async fn enter(&self, token: &str) -> (Person, Answer) {
        let at_the_door = self.at_the_door().await;
        let fields = [("form", at_the_door.form.as_str()), ("token", token)];
        let list = self.post("/annotate", &at_the_door.cookie, &fields, &[]).await.expect(200);
        (Person { pass: list.fields("pass").remove(0), ..at_the_door }, list)
    }

    /// A reviewer of this name who has done the practice app, and the list they see.
    pub async fn practised(&self, name: &str) -> (Person, Answer) {
        let (_, token) = self.token(name, Scope::Review).await;
        let (person, _) = self.enter(&token).await;
        for workflow in ["0", "1"] {
            let marks = [("item", "calibration"), ("workflow", workflow), ("mark-0", "pass"), ("mark-1", "fail")];
            self.send(&person, "/annotate/save", &marks).await.expect(200);
        }
        let list = self.send(&person, "/annotate", &[]).await.expect(200);
        (person, list)
    }
}

/// Items of a list, without the practice app.
pub fn items(list: &Answer) -> Vec<String> {
    list.fields("item").into_iter().filter(|item| item != "calibration").collect()
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        text.push_str(if text.is_empty() { "" } else { "&" });
        for (part, end) in [(name, "="), (value, "")] {
            for byte in part.bytes() {
                write!(text, "%{byte:02x}").unwrap();
            }
            text.push_str(end);
        }
    }
    text
}

pub fn sheet(value: &str) -> Sheet {
    let workflow = |id: &str| SheetWorkflow {
        id: id.to_owned(),
        title: format!("Title of {id}"),
        purpose: "Whether it works.".to_owned(),
        substeps: vec![format!("Type {value} into the field."), "Expect it on the list.".to_owned()],
    };
    Sheet {
        title: "Shopping list".to_owned(),
        spec: format!("A list. {HOSTILE}"),
        workflows: WORKFLOWS.map(workflow).to_vec(),
    }
}

pub fn evaluation(task: &str, model: &str) -> Evaluation {
    let judged = |id: &str| JudgedWorkflow {
        title: format!("Title of {id}"),
        verdict: WorkflowVerdict {
            workflow: id.to_owned(),
            kind: WorkflowKind::Core,
            state: WorkflowState::Judged,
            substeps: vec![SubstepVerdict::new(1, Mark::Pass), SubstepVerdict::new(2, Mark::Fail)],
            evaluation_usd: None,
        },
        trace: None,
        others: Vec::new(),
        seconds: 1.0,
    };
    Evaluation {
        format: EVALUATION_FORMAT,
        started_at: NOW.to_owned(),
        benchwright: "0.1.0".to_owned(),
        task: TaskFacts {
            id: task.to_owned(),
            domain: AppDomain::Individual,
            integration: Integration::None,
            judged_difficulty: None,
            split: Split::Validation,
            written: Written::Before,
            workflow_substeps: vec![2, 2],
        },
        task_title: format!("Task {task}"),
        task_hash: "abc".to_owned(),
        app: AppUnderTest {
            model: model.to_owned(),
            described: None,
            run: 0,
            evaluation: 0,
            variant: BTreeMap::new(),
            bundle: Some(format!("hash-of-{model}")),
            url: None,
            backend: "native".to_owned(),
        },
        evaluator: Evaluator { walker: "resolver".to_owned(), judge: "rules".to_owned(), settings: BTreeMap::new() },
        started: true,
        start_note: String::new(),
        held: BTreeMap::new(),
        log: None,
        workflows: WORKFLOWS.map(judged).to_vec(),
        generation: None,
        trajectory: None,
        scored: None,
        seconds: 2.0,
    }
}
