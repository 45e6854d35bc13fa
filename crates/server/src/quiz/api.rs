//! The quiz as JSON: everything its pages show can be had without them.

use super::board::{self, Pooled};
use super::compare::{Asked as Pair, compared};
use super::page::{is_here, runs_of_models};
use super::run::{document, opened, shown};
use super::runs::Asked;
use super::view;
use crate::api::{Operation, Parameter, json, of};
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use benchwright_domain::board::RankRange;
use benchwright_domain::repeats::Spread;
use benchwright_quiz::board::{DeviceSpeed, PooledAccuracy, RowKey};
use benchwright_quiz::{
    Comparison, Derived, FORMAT, LetterCounts, Protocol, Question, QuestionSet, Reason, Source, State as Standing,
    Submission, TierCount,
};
use benchwright_store::index::quiz::{IndexedShare, SharePlace, pool_id};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

const ROWS: u32 = 100;

pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/api/v1/quiz/catalogue", get(catalogue))
        .route("/api/v1/quiz/sets/{id}", get(set))
        .route("/api/v1/quiz/board", get(board))
        .route("/api/v1/quiz/runs", get(runs))
        .route("/api/v1/quiz/runs/{id}", get(run))
        .route("/api/v1/quiz/runs/{id}/submission", get(submission))
        .route("/api/v1/quiz/compare", get(compare))
}

/// What can be run here.
#[derive(Serialize, JsonSchema)]
struct CatalogueAnswer {
    /// Format version.
    format: u32,
    /// The models.
    models: Vec<ModelAnswer>,
    /// The frozen sets.
    sets: Vec<SetAnswer>,
    /// The set that is asked unless somebody wants another; absent where there are no questions.
    default_set: Option<String>,
    /// The protocols, the official one first.
    protocols: Vec<Protocol>,
    /// Where a browser may have to connect to for weights that this site does not serve.
    hosts: Vec<String>,
}

/// A model that can be run.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that the page asks for")]
struct ModelAnswer {
    /// What it is called in submissions.
    id: String,
    /// What people call it.
    name: String,
    /// `webllm` or `wllama`.
    engine: &'static str,
    /// How its weights are stored.
    quantisation: String,
    /// Bytes of its file, where it is one file.
    bytes: Option<u64>,
    /// What its download weighs, estimated from its parameters; absent where not even that is known.
    estimated_bytes: Option<u64>,
    /// The memory it needs.
    memory_mb: u32,
    /// Whether it runs on graphics adapters that allow only small buffers.
    small_buffers: bool,
    /// Its licence.
    licence: Option<String>,
    /// Where its weights come from, if not from this site.
    source_url: Option<String>,
    /// The name of its file under `/quiz/weights/`.
    file: Option<String>,
    /// Whether this site has that file.
    local: bool,
    /// The hash of that file.
    sha256: Option<String>,
    /// Whether it thinks unless it is told not to.
    thinking: bool,
    /// Whether its template knows no system turn.
    system_in_user: bool,
    /// What else to know.
    note: Option<String>,
    /// How many runs were shared of it. Nobody has run a model with none.
    runs: u64,
}

/// A frozen set.
#[derive(Serialize, JsonSchema)]
struct SetAnswer {
    /// Its id.
    id: String,
    /// Where its questions come from.
    source: Source,
    /// How many there are.
    count: usize,
    /// The hash that stands for them.
    sha256: String,
}

/// A frozen set with its questions.
#[derive(Serialize, JsonSchema)]
struct SetDetails {
    /// The set.
    set: QuestionSet,
    /// Its questions, in order.
    questions: Vec<Question>,
}

/// The board.
#[derive(Serialize, JsonSchema)]
struct BoardAnswer {
    /// Format version.
    format: u32,
    /// One for each source, protocol and kind of model.
    tables: Vec<TableAnswer>,
}

/// Rows that may be ranked against each other.
#[derive(Serialize, JsonSchema)]
struct TableAnswer {
    /// Where the questions come from.
    source: Source,
    /// The protocol.
    protocol: Protocol,
    /// Whether the models thought before they answered, or were let.
    thinking: bool,
    /// Whether visitors brought the models.
    custom: bool,
    /// Ranked rows by the lower end of their interval, then the others.
    rows: Vec<RowAnswer>,
}

/// One row.
#[derive(Serialize, JsonSchema)]
struct RowAnswer {
    /// Its name.
    pool: String,
    /// Its page.
    address: String,
    /// What its runs have in common.
    key: RowKey,
    /// What people call the model.
    name: String,
    /// The ranks it may have; absent for a row that is not ranked.
    rank: Option<RankRange>,
    /// Why it is not ranked.
    not_ranked_because: Vec<String>,
    /// The one number; absent when no run counts.
    accuracy: Option<PooledAccuracy>,
    /// The same if only tier 1 counted.
    strict: Option<PooledAccuracy>,
    /// Accuracy from run to run, in per cent, of the newest runs.
    between_runs: Spread,
    /// One for each tier.
    tiers: Vec<TierCount>,
    /// The letters that were chosen.
    chosen: LetterCounts,
    /// The letters that are right.
    gold: LetterCounts,
    /// By class of device, of the newest runs.
    speeds: Vec<DeviceSpeed>,
    /// The runs that count.
    runs: u64,
    /// The runs that do not.
    others: u64,
    /// Different days on which it was confirmed.
    days: u64,
    /// The newest runs that count.
    newest: Vec<String>,
}

impl RowAnswer {
    fn of(site: &Site, row: Pooled) -> Self {
        let sums = row.sums;
        Self {
            address: view::pool_address(&sums.pool),
            name: view::model_name(&site.quiz.catalogue, &sums.key),
            pool: sums.pool,
            key: sums.key,
            rank: row.rank,
            not_ranked_because: row.not_ranked_because,
            accuracy: row.accuracy,
            strict: row.strict,
            between_runs: row.between_runs,
            tiers: sums.tiers,
            chosen: sums.chosen,
            gold: sums.gold,
            speeds: row.speeds,
            runs: sums.runs,
            others: sums.others,
            days: sums.days,
            newest: row.newest,
        }
    }
}

/// A shared run in short.
#[derive(Serialize, JsonSchema)]
struct RunAnswer {
    /// Its id.
    id: String,
    /// Its page.
    address: String,
    /// The day it began.
    day: String,
    /// Whether it counts.
    state: Standing,
    /// Why it does not.
    reasons: Vec<Reason>,
    /// The run with the same outputs that counts instead.
    merged_into: Option<String>,
    /// The row it belongs to.
    pool: Option<String>,
    /// What the runs of that row have in common.
    key: Option<RowKey>,
    /// What it asked: a set, or a draw.
    selection: String,
    /// Right answers.
    correct: u64,
    /// Those of them that came from tier 1.
    strict: u64,
    /// Questions.
    questions: usize,
    /// Version of the extractor that read it.
    extractor: u32,
    /// Version of the one that read it when it arrived.
    first_extractor: u32,
    /// What that one found to be right.
    first_correct: u64,
}

impl RunAnswer {
    fn of(share: &IndexedShare) -> Self {
        Self {
            id: share.run.clone(),
            address: view::run_address(&share.run),
            day: share.day.clone(),
            state: share.standing,
            reasons: share.reasons.iter().map(|code| Reason { code: *code, text: code.text().to_owned() }).collect(),
            merged_into: share.merged_into.clone(),
            pool: share.key.as_ref().map(pool_id),
            key: share.key.clone(),
            selection: share.selection.clone(),
            correct: share.correct(),
            strict: share.strict(),
            questions: share.questions.len(),
            extractor: share.extractor,
            first_extractor: share.first_extractor,
            first_correct: share.first_correct,
        }
    }
}

/// A page of shared runs, newest day first.
#[derive(Serialize, JsonSchema)]
struct RunsAnswer {
    /// The runs.
    runs: Vec<RunAnswer>,
    /// The address of the next page; absent on the last one.
    next: Option<String>,
}

/// A shared run with everything that is derived from its raw outputs.
#[derive(Serialize, JsonSchema)]
struct RunDetails {
    /// Format version.
    format: u32,
    /// In short.
    run: RunAnswer,
    /// What its outputs come to.
    derived: Derived,
    /// Where the raw outputs are.
    submission: String,
}

async fn catalogue(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/v1/quiz/catalogue".to_owned(), async {
        let runs = runs_of_models(&site).await?;
        let model = |model: &benchwright_quiz::CatalogueModel| ModelAnswer {
            id: model.id.clone(),
            name: model.name.clone(),
            engine: model.engine.as_str(),
            quantisation: model.quantisation.clone(),
            bytes: model.bytes,
            estimated_bytes: model.estimated_bytes(),
            memory_mb: model.memory_mb,
            small_buffers: model.small_buffers,
            licence: model.licence.clone(),
            source_url: model.source_url.clone(),
            file: model.file.clone(),
            local: is_here(&site, model),
            sha256: model.sha256.clone(),
            thinking: model.thinking,
            system_in_user: model.system_in_user,
            note: model.note.clone(),
            runs: runs.get(&model.id).copied().unwrap_or_default(),
        };
        let library = &site.quiz.library;
        let set = |set: &QuestionSet| SetAnswer {
            id: set.id.clone(),
            source: set.source,
            count: set.question_ids.len(),
            sha256: set.sha256.clone(),
        };
        json(&CatalogueAnswer {
            format: FORMAT,
            models: site.quiz.catalogue.models.iter().map(model).collect(),
            sets: library.sets().iter().map(set).collect(),
            default_set: library.default_set().map(|set| set.id.clone()),
            protocols: Protocol::ALL.into(),
            hosts: site.quiz.catalogue.hosts.clone(),
        })
    })
    .await
}

async fn set(State(site): State<Arc<Site>>, Path(id): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let library = &site.quiz.library;
    let set = library.set(&id).ok_or_else(|| Problem::NotFound("There is no such set.".to_owned()))?;
    kept(&site, &headers, format!("/api/v1/quiz/sets/{}", set.id), async {
        let questions = set.question_ids.iter().filter_map(|id| library.question(id)).cloned().collect();
        json(&SetDetails { set: set.clone(), questions })
    })
    .await
}

async fn board(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/v1/quiz/board".to_owned(), async {
        let tables = board::tables(&site).await?.into_iter().map(|table| TableAnswer {
            source: table.source,
            protocol: table.protocol,
            thinking: table.thinking,
            custom: table.custom,
            rows: table.rows.into_iter().map(|row| RowAnswer::of(&site, row)).collect(),
        });
        json(&BoardAnswer { format: FORMAT, tables: tables.collect() })
    })
    .await
}

async fn runs(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = "/api/v1/quiz/runs";
    kept(&site, &headers, asked.address(path), async {
        let mut runs = asked.runs(&site, ROWS + 1).await?;
        let more = runs.len() > ROWS as usize;
        runs.truncate(ROWS as usize);
        let next = runs.last().filter(|_| more).map(|last| asked.next(path, &SharePlace::from(last)));
        json(&RunsAnswer { runs: runs.iter().map(RunAnswer::of).collect(), next })
    })
    .await
}

async fn run(State(site): State<Arc<Site>>, Path(id): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let path = format!("/api/v1{}", view::run_address(&id));
    kept(&site, &headers, path.clone(), async {
        let opened = opened(&site, &id).await?;
        json(&RunDetails {
            format: FORMAT,
            run: RunAnswer::of(&opened.share),
            derived: opened.report.derived,
            submission: format!("{path}/submission"),
        })
    })
    .await
}

async fn submission(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let share = shown(&site, &id).await?;
    let run = document(&site, &share).await?;
    Ok(blocking(move || json(&run.submission)).await?.answer(&headers))
}

async fn compare(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Pair>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let missing = || Problem::BadRequest("Name two runs: `a` and `b`.".to_owned());
    let (a, b) = asked.a.clone().zip(asked.b.clone()).ok_or_else(missing)?;
    let made = async {
        let (_, _, comparison) = compared(&site, &a, &b).await?;
        json(&comparison)
    };
    Box::pin(kept(&site, &headers, asked.address("/api/v1/quiz/compare"), made)).await
}

const ID: Parameter = ("id", "path", true, "20261116-0123456789abcdef", "Id of a shared run.");

/// What OpenAPI says of these addresses.
pub(crate) const OPERATIONS: [Operation; 7] = [
    Operation {
        path: "/api/v1/quiz/catalogue",
        id: "getQuizCatalogue",
        summary: "The quiz: models, sets and protocols.",
        parameters: &[],
        schema: of::<CatalogueAnswer>,
    },
    Operation {
        path: "/api/v1/quiz/sets/{id}",
        id: "getQuizSet",
        summary: "A frozen set of the quiz with its questions.",
        parameters: &[("id", "path", true, "own-12", "Id of a frozen set.")],
        schema: of::<SetDetails>,
    },
    Operation {
        path: "/api/v1/quiz/board",
        id: "getQuizBoard",
        summary: "The board of the quiz.",
        parameters: &[],
        schema: of::<BoardAnswer>,
    },
    Operation {
        path: "/api/v1/quiz/runs",
        id: "listQuizRuns",
        summary: "Shared runs of the quiz, newest day first.",
        parameters: &[
            ("pool", "query", false, "0123456789abcdef", "Name of a row of the board."),
            ("state", "query", false, "confirmed", "`reference`, `confirmed`, `unconfirmed` or `flagged`."),
            (
                "question",
                "query",
                false,
                "own_cs/0/0123456789ab",
                "Id of a question: the runs of `pool` that count and asked it.",
            ),
            ("after", "query", false, "2026-11-16~20261116-0123456789abcdef", "Where the page begins; `next` has it."),
        ],
        schema: of::<RunsAnswer>,
    },
    Operation {
        path: "/api/v1/quiz/runs/{id}",
        id: "getQuizRun",
        summary: "A shared run with everything that is derived from its raw outputs.",
        parameters: &[ID],
        schema: of::<RunDetails>,
    },
    Operation {
        path: "/api/v1/quiz/runs/{id}/submission",
        id: "getQuizSubmission",
        summary: "A run as it was shared, with its raw outputs. A class of devices that fewer than three runs share is told by its family.",
        parameters: &[ID],
        schema: of::<Submission>,
    },
    Operation {
        path: "/api/v1/quiz/compare",
        id: "compareQuizRuns",
        summary: "Two runs of the same questions: agreement and McNemar's exact test.",
        parameters: &[
            ("a", "query", true, "20261116-0123456789abcdef", "Id of the first run."),
            ("b", "query", true, "20261117-0123456789abcdef", "Id of the second run."),
        ],
        schema: of::<Comparison>,
    },
];
