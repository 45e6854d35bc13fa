//! A shared run: every question with every word the model wrote.

use super::board::NEWEST;
use super::view::{self, RunLine};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::pages::{blocking, html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_quiz::{Backend, FORMAT, Letter, Question, Selection, State as Standing, Submission, derive};
use benchwright_report::quiz::{QuizReport, QuizRun};
use benchwright_report::text;
use benchwright_store::index::State as Shown;
use benchwright_store::index::quiz::{IndexedShare, pool_id};
use benchwright_store::quiz::{FirstReading, SharedRun, read_shared};
use std::sync::Arc;

/// A shared run that may be shown, and what it comes to.
pub struct Opened {
    pub share: IndexedShare,
    pub first_reading: FirstReading,
    pub report: QuizReport,
}

/// What the index says of a run, if it may be shown.
pub async fn shown(site: &Site, id: &str) -> Result<IndexedShare, Problem> {
    let none = || Problem::NotFound("There is no such run.".to_owned());
    let share = site.index.shared_run(id).await?.ok_or_else(none)?;
    let reason = share.state_reason.as_deref().map(|reason| text::line_within(reason, 300)).unwrap_or_default();
    match share.state {
        Shown::Shown => Ok(share),
        Shown::Quarantined => Err(Problem::Gone(format!("This run is in quarantine: {reason}"))),
        Shown::TakenDown => Err(Problem::Gone(format!("This run was taken down: {reason}"))),
    }
}

/// Whether the class of device of a run may be told: enough of the newest runs of its row share it, or whoever keeps the board ran it.
async fn is_common(site: &Site, share: &IndexedShare) -> Result<bool, Problem> {
    let (Some(key), Some(speed)) = (&share.key, &share.speed) else { return Ok(false) };
    let newest = site.index.counted_runs(&pool_id(key), NEWEST).await?;
    let speeds = newest.iter().filter_map(|run| run.speed.as_ref());
    Ok(share.standing == Standing::Reference || speed.is_common_among(speeds))
}

/// The document of a run, with its device as it may be told.
pub async fn document(site: &Arc<Site>, share: &IndexedShare) -> Result<SharedRun, Problem> {
    let is_common = is_common(site, share).await?;
    let (site, id) = (Arc::clone(site), share.run.clone());
    blocking(move || {
        let gone = || Problem::NotFound("There is no such run.".to_owned());
        let run = read_shared(&*site.storage, &id)?.and_then(|kept| kept.run).ok_or_else(gone)?;
        Ok(if is_common { run } else { SharedRun { submission: run.submission.with_family_only(), ..run } })
    })
    .await
}

/// A run with its raw outputs, read again by the present extractor.
pub async fn opened(site: &Arc<Site>, id: &str) -> Result<Opened, Problem> {
    let share = shown(site, id).await?;
    let run = document(site, &share).await?;
    let site = Arc::clone(site);
    blocking(move || {
        let library = &site.quiz.library;
        let lost = |error| Problem::Failed(format!("failed to {error} of run {}", share.run));
        let derived = derive(&run.submission.answers, |id| library.question(id)).map_err(lost)?;
        let questions: Vec<Question> =
            run.submission.answers.iter().filter_map(|answer| library.question(&answer.question_id)).cloned().collect();
        let set = match run.submission.selection() {
            Some(Selection::Set(id)) => library.set(&id),
            _ => None,
        };
        let source = share.key.as_ref().map_or(benchwright_quiz::Source::Own, |key| key.source);
        let report = QuizReport {
            format: FORMAT,
            run: QuizRun {
                id: share.run.clone(),
                started_at: share.day.clone(),
                benchwright: run.submission.app.clone(),
                source,
                set_sha256: set.map(|set| set.sha256.clone()),
                failed: Vec::new(),
                address: None,
            },
            submission: run.submission,
            derived,
            questions,
        };
        Ok(Opened { share, first_reading: run.first_reading, report })
    })
    .await
}

#[derive(Template)]
#[template(path = "quiz/shared.html")]
struct Page {
    shell: Shell,
    style: String,
    title: String,
    body: String,
    line: RunLine,
    base: String,
    api: String,
    compare: String,
    pool: Option<String>,
    merged_into: Option<(String, String)>,
    /// How a reference run is made again.
    again: Option<String>,
    other_reading: Option<OtherReading>,
    mismatches: usize,
}

/// The command that makes a run of the command line again.
fn command(submission: &Submission) -> String {
    let Submission { engine, model, .. } = submission;
    let name = model.catalogue_id.as_ref().or(model.custom_name.as_ref()).map_or("NAME", String::as_str);
    let mut words = vec!["benchwright quiz".to_owned()];
    words.push(match engine.backend {
        Backend::Endpoint => format!("--model '{}' --base-url URL", text::line_within(&name.replace('\'', ""), 100)),
        _ => "--gguf FILE".to_owned(),
    });
    words.extend(engine.threads.map(|threads| format!("--threads {threads}")));
    words.push(match submission.selection() {
        Some(Selection::Quick(quick)) => {
            format!("--questions {} --seed {} --source {}", quick.count, quick.seed, quick.source.as_str())
        }
        Some(Selection::Set(id)) => format!("--set {id}"),
        None => String::new(),
    });
    words.push(format!("--protocol {}", submission.protocol.as_str()));
    words.extend(submission.template.thinking.then(|| "--thinking".to_owned()));
    words.join(" ")
}

/// What an older extractor read.
struct OtherReading {
    then: u32,
    now: u32,
    then_counted: String,
    now_counted: String,
    /// Number of the question, the letter then, the letter now.
    changed: Vec<(usize, char, char)>,
}

impl OtherReading {
    fn of(opened: &Opened) -> Option<Self> {
        let (first, derived) = (&opened.first_reading, &opened.report.derived);
        if first.extractor == derived.extractor {
            return None;
        }
        let now = derived.questions.iter().map(|question| question.extraction.letter.map_or('-', Letter::as_char));
        let both = first.letters.chars().zip(now).zip(1..);
        let n = derived.accuracy.n;
        Some(Self {
            then: first.extractor,
            now: derived.extractor,
            then_counted: format!("{} of {n}", first.correct),
            now_counted: format!("{} of {n}", derived.accuracy.correct),
            changed: both
                .filter(|((then, now), _)| then != now)
                .map(|((then, now), number)| (number, then, now))
                .collect(),
        })
    }
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, view::run_address(&id), make(&site, &id)).await
}

async fn make(site: &Arc<Site>, id: &str) -> Result<Encoded, Problem> {
    let opened = opened(site, id).await?;
    let share = &opened.share;
    let base = view::run_address(&share.run);
    let mut report = opened.report.clone();
    if let Some(key) = &share.key {
        report.submission.model.catalogue_id = Some(view::model_name(&site.quiz.catalogue, key));
    }
    let body = benchwright_report::quiz::html::body(&report, &base);
    html(&Page {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        title: body.title,
        body: body.html,
        again: (share.standing == Standing::Reference && report.submission.engine.name != "wllama")
            .then(|| command(&report.submission)),
        line: RunLine::of(&site.quiz.catalogue, share),
        api: format!("/api/v1{base}"),
        compare: with_query("/quiz/compare", [("a", Some(share.run.as_str()))]),
        pool: share.key.as_ref().map(|key| view::pool_address(&pool_id(key))),
        merged_into: share.merged_into.as_ref().map(|run| (view::run_address(run), run.clone())),
        other_reading: OtherReading::of(&opened),
        mismatches: opened.report.derived.mismatches.len(),
        base,
    })
}
