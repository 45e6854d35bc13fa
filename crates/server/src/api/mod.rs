//! The same as JSON: everything a page shows can be had without the page.

mod example;
mod openapi;

pub use openapi::{Operation, Parameter, document, examples, of};

use crate::encoding::{Effort, Encoded};
use crate::methodology::Input;
use crate::pages::board::overall::{self, Incomplete, Overall};
use crate::pages::run::{report, shown};
use crate::pages::runs::{Asked, BETWEEN};
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use crate::view;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use benchwright_domain::board::{CoverageClass, RankRange};
use benchwright_domain::comparison::{Comparison, Side};
use benchwright_domain::statistics::Interval;
use benchwright_domain::{Dimension, METHODOLOGY_VERSION, RunRecord, ScorerId};
use benchwright_store::index::{ActPlace, MOST_ROWS, ModerationEntry, RunPlace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

const JSON: &str = "application/json";
const USUAL_ROWS: u32 = 50;

pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/api/openapi.json", get(openapi))
        .route("/api/v1/runs", get(runs))
        .route("/api/v1/runs/{run}", get(run))
        .route("/api/v1/runs/{run}/report", get(run_report))
        .route("/api/v1/boards", get(boards))
        .route("/api/v1/board", get(board))
        .route("/api/v1/board/overall", get(overall_board))
        .route("/api/v1/compare", get(compare))
        .route("/api/v1/scorers", get(scorers))
        .route("/api/v1/scorers/{id}", get(scorer))
        .route("/api/v1/moderation", get(moderation))
        .route("/api/v1/status", get(status))
}

/// A page of runs, newest first.
#[derive(Serialize, JsonSchema)]
pub struct RunList {
    /// The runs.
    runs: Vec<RunRecord>,
    /// The address of the next page; absent on the last one.
    next: Option<String>,
}

/// A prompt that has a board.
#[derive(Serialize, JsonSchema)]
pub struct BoardSummary {
    /// Id of the prompt; absent for runs without one.
    prompt: Option<String>,
    /// How hard it is, 1 to 3.
    tier: Option<u8>,
    /// The coverage class with most tools.
    main_class: String,
    /// The tools in it.
    tools: i64,
    /// Ranked runs in all classes.
    runs: i64,
}

/// A ranking of one prompt in one coverage class.
#[derive(Serialize, JsonSchema)]
pub struct Board {
    /// Id of the prompt.
    prompt: Option<String>,
    /// Name of the class.
    class: String,
    /// What its runs have in common.
    definition: CoverageClass,
    /// The tools, best mean first.
    rows: Vec<BoardRow>,
}

/// One tool of a ranking.
#[derive(Serialize, JsonSchema)]
pub struct BoardRow {
    /// The tool.
    tool: String,
    /// The ranks it may have.
    rank: RankRange,
    /// Mean composite over its runs.
    composite: Option<f64>,
    /// Where that lies with 95 % confidence; absent for one run.
    interval: Option<Interval>,
    /// Mean of each dimension, 0 to 1.
    dimensions: BTreeMap<Dimension, Option<f64>>,
    /// Its runs.
    runs: i64,
    /// Those that this site's workers made.
    verified: i64,
    /// Mean dollars, as submitters say. Never ranked.
    usd: Option<f64>,
    /// Mean seconds to a working build, as submitters say. Never ranked.
    working_build_seconds: Option<f64>,
    /// Id of the newest run.
    newest: String,
}

/// The mean over prompts, each weighing the same.
#[derive(Serialize, JsonSchema)]
pub struct OverallBoard {
    /// Ids of the prompts, at most 200.
    prompts: Vec<String>,
    /// The tools with ranked runs on all of them, best mean first.
    rows: Vec<OverallRow>,
    /// The tools that lack some of them.
    incomplete: Vec<IncompleteTool>,
}

/// One tool over all prompts.
#[derive(Serialize, JsonSchema)]
pub struct OverallRow {
    /// The tool.
    tool: String,
    /// The ranks it may have.
    rank: RankRange,
    /// Mean composite over the prompts.
    composite: Option<f64>,
    /// Where that lies with 95 % confidence; absent where a prompt has one run.
    interval: Option<Interval>,
    /// Mean of each dimension, 0 to 1.
    dimensions: BTreeMap<Dimension, Option<f64>>,
    /// Its runs.
    runs: i64,
    /// Those that this site's workers made.
    verified: i64,
}

/// A tool without ranked runs on some prompts.
#[derive(Serialize, JsonSchema)]
pub struct IncompleteTool {
    /// The tool.
    tool: String,
    /// Ids of the prompts it lacks.
    missing: Vec<String>,
}

/// What a scorer is.
#[derive(Serialize, JsonSchema)]
pub struct Scorer {
    /// Published id.
    id: ScorerId,
    /// The plain phrase that goes with it.
    name: &'static str,
    /// The dimension it counts towards.
    dimension: Dimension,
    /// Version of its definition.
    version: String,
    /// Weight within the dimension.
    weight: f64,
    /// Share of the composite when everything is measured, in percent.
    share: f64,
    /// What must be given.
    inputs: Vec<Input>,
    /// What it is computed from.
    evidence: Vec<String>,
}

/// A scorer with its documentation and its scores on this site.
#[derive(Serialize, JsonSchema)]
pub struct ScorerDetails {
    /// What it is.
    scorer: Scorer,
    /// Its documentation, as Markdown.
    documentation: String,
    /// How often which score was given.
    distribution: Vec<Bucket>,
}

/// How often a score was given.
#[derive(Serialize, JsonSchema)]
pub struct Bucket {
    /// Version of the definition.
    version: String,
    /// From this score on, 0 to 1; the bucket is 0.05 wide, the last is exactly 1.
    from: f64,
    /// The runs.
    runs: i64,
}

/// A decision about a run.
#[derive(Serialize, JsonSchema)]
pub struct Act {
    /// Where it stands in the log: as `after` it asks for what was decided before.
    place: String,
    /// When.
    at: String,
    /// About which run.
    run: String,
    /// `quarantine`, `release` or `take_down`.
    decision: &'static str,
    /// Why.
    reason: String,
    /// Who decided.
    by: String,
}

/// How the site is doing.
#[derive(Serialize, JsonSchema)]
pub struct Status {
    /// Version of Benchwright.
    benchwright: &'static str,
    /// Version of the methodology.
    methodology: &'static str,
    /// Runs that are shown.
    shown: i64,
    /// Those of them that count on a board.
    ranked: i64,
    /// Runs in quarantine.
    quarantined: i64,
    /// Runs that were taken down.
    taken_down: i64,
}

/// An answer that is asked for again each time.
pub fn json(value: &impl Serialize) -> Result<Encoded, Problem> {
    let bytes = serde_json::to_vec(value).map_err(|error| Problem::Failed(error.to_string()))?;
    Ok(Encoded::new(JSON, "no-cache", Effort::Page, bytes))
}

async fn openapi(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/openapi.json".to_owned(), async { json(&document(&site)) }).await
}

/// How many rows.
#[derive(Debug, Deserialize)]
struct Paging {
    limit: Option<u32>,
}

async fn runs(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    Query(paging): Query<Paging>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let limit = paging.limit.unwrap_or(USUAL_ROWS);
    if !(1..MOST_ROWS).contains(&limit) {
        return Err(Problem::BadRequest(format!("`limit` is a number from 1 to {}.", MOST_ROWS - 1)));
    }
    let path = "/api/v1/runs";
    let key = format!("{}#{limit}", asked.address(path));
    kept(&site, &headers, key, async {
        let mut runs = site.index.runs(&asked.filter(), asked.place()?.as_ref(), limit + 1).await?;
        let more = runs.len() > limit as usize;
        runs.truncate(limit as usize);
        let paged = |last| format!("{}&limit={limit}", asked.next(path, &RunPlace::from(last)));
        let next = runs.last().filter(|_| more).map(paged);
        json(&RunList { runs: runs.into_iter().map(|run| run.record).collect(), next })
    })
    .await
}

async fn run(State(site): State<Arc<Site>>, Path(run): Path<String>) -> Result<axum::Json<RunRecord>, Problem> {
    Ok(axum::Json(shown(&site, &run).await?.record))
}

async fn run_report(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = format!("/api/v1{}/report", view::run_address(&run));
    kept(&site, &headers, path, async {
        let record = shown(&site, &run).await?.record;
        json(&report(&site, &record).await?)
    })
    .await
}

async fn boards(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/v1/boards".to_owned(), async {
        let boards = site.index.prompts().await?.into_iter().map(|prompt| BoardSummary {
            prompt: prompt.prompt,
            tier: prompt.tier,
            main_class: prompt.main_class,
            tools: prompt.tools,
            runs: prompt.runs,
        });
        json(&boards.collect::<Vec<_>>())
    })
    .await
}

/// Which board.
#[derive(Debug, Deserialize)]
struct BoardAsked {
    prompt: Option<String>,
    class: Option<String>,
}

async fn board(
    State(site): State<Arc<Site>>,
    Query(asked): Query<BoardAsked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let parts = [("prompt", asked.prompt.as_deref()), ("class", asked.class.as_deref())];
    let path = crate::address::with_query("/api/v1/board", parts);
    kept(&site, &headers, path, async {
        let prompt = asked.prompt.as_deref().filter(|prompt| !prompt.is_empty());
        let classes = site.index.classes(prompt).await?;
        let wanted = |class: &str| asked.class.as_deref().is_none_or(|wanted| wanted.is_empty() || wanted == class);
        let found = classes.into_iter().find(|class| wanted(&class.class));
        let class = found.ok_or_else(|| Problem::NotFound("There is no such board.".to_owned()))?;
        let standings = site.index.standings(prompt, &class.class).await?;
        json(&Board {
            prompt: prompt.map(str::to_owned),
            class: class.class,
            definition: class.definition,
            rows: standings.into_iter().map(BoardRow::from).collect(),
        })
    })
    .await
}

impl From<benchwright_store::index::Standing> for BoardRow {
    fn from(standing: benchwright_store::index::Standing) -> Self {
        let tally = &standing.tally;
        Self {
            rank: standing.rank,
            composite: standing.composite.mean,
            interval: standing.composite.interval,
            dimensions: Dimension::ALL.into_iter().map(|key| (key, tally.dimension(key))).collect(),
            runs: tally.runs,
            verified: tally.verified,
            usd: tally.usd(),
            working_build_seconds: tally.working_build_seconds(),
            newest: standing.newest.run,
            tool: standing.tool,
        }
    }
}

/// Over which prompts.
#[derive(Debug, Deserialize)]
struct OverallAsked {
    tier: Option<u8>,
}

async fn overall_board(
    State(site): State<Arc<Site>>,
    Query(OverallAsked { tier }): Query<OverallAsked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let tier_text = tier.map(|tier| tier.to_string());
    let path = crate::address::with_query("/api/v1/board/overall", [("tier", tier_text.as_deref())]);
    kept(&site, &headers, path, async {
        let prompts = site.index.prompts().await?;
        let averaged = overall::averaged(&prompts, tier);
        let ranked = overall::rank(&site, &averaged).await?;
        let lacking = |tool: Incomplete| IncompleteTool { tool: tool.tool, missing: tool.missing };
        json(&OverallBoard {
            prompts: averaged.iter().filter_map(|prompt| prompt.prompt.clone()).collect(),
            rows: ranked.tools.into_iter().map(OverallRow::from).collect(),
            incomplete: ranked.incomplete.into_iter().map(lacking).collect(),
        })
    })
    .await
}

impl From<Overall> for OverallRow {
    fn from(row: Overall) -> Self {
        Self {
            rank: row.rank,
            composite: row.composite.mean,
            interval: row.composite.interval,
            dimensions: Dimension::ALL.into_iter().map(|key| (key, row.dimension(key))).collect(),
            runs: row.runs,
            verified: row.verified,
            tool: row.tool,
        }
    }
}

/// Which two runs.
#[derive(Debug, Deserialize)]
struct Pair {
    before: String,
    after: String,
}

async fn compare(
    State(site): State<Arc<Site>>,
    Query(pair): Query<Pair>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let parts = [("before", Some(pair.before.as_str())), ("after", Some(pair.after.as_str()))];
    let path = crate::address::with_query("/api/v1/compare", parts);
    let compared = async {
        let (before, after) = (shown(&site, &pair.before).await?.record, shown(&site, &pair.after).await?.record);
        let (old, new) = (report(&site, &before).await?, report(&site, &after).await?);
        let comparison = blocking(move || Ok(Comparison::of(Side::of(&old), Side::of(&new)))).await?;
        json(&comparison)
    };
    kept(&site, &headers, path, Box::pin(compared)).await
}

impl From<&crate::methodology::ScorerDocument> for Scorer {
    fn from(scorer: &crate::methodology::ScorerDocument) -> Self {
        Self {
            id: scorer.id,
            name: scorer.id.name(),
            dimension: scorer.dimension(),
            version: scorer.version.clone(),
            weight: scorer.weight,
            share: scorer.share,
            inputs: scorer.inputs.clone(),
            evidence: scorer.evidence.clone(),
        }
    }
}

async fn scorers(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/v1/scorers".to_owned(), async {
        json(&site.methodology.scorers.iter().map(Scorer::from).collect::<Vec<_>>())
    })
    .await
}

async fn scorer(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let none = || Problem::NotFound("There is no scorer with this id.".to_owned());
    let id: ScorerId = id.parse().map_err(|_| none())?;
    kept(&site, &headers, format!("/api/v1/scorers/{}", id.key()), async {
        let found = site.methodology.scorers.iter().find(|scorer| scorer.id == id).ok_or_else(none)?;
        let buckets = site.index.distribution(id.key()).await?.into_iter().map(|bucket| Bucket {
            version: bucket.version,
            from: bucket.bucket as f64 / 20.0,
            runs: bucket.runs,
        });
        json(&ScorerDetails {
            scorer: found.into(),
            documentation: found.text.clone(),
            distribution: buckets.collect(),
        })
    })
    .await
}

/// Where a page of the moderation log begins.
#[derive(Debug, Deserialize)]
struct Since {
    after: Option<String>,
}

async fn moderation(
    State(site): State<Arc<Site>>,
    Query(Since { after }): Query<Since>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = crate::address::with_query("/api/v1/moderation", [("after", after.as_deref())]);
    kept(&site, &headers, path, async {
        let after = after.as_deref().filter(|after| !after.is_empty()).map(act_place).transpose()?;
        let acts = site.index.moderation(after.as_ref(), MOST_ROWS).await?;
        json(&acts.into_iter().map(Act::from).collect::<Vec<_>>())
    })
    .await
}

/// The place that an [`Act`] names.
fn act_place(text: &str) -> Result<ActPlace, Problem> {
    let place = text.rsplit_once(BETWEEN).and_then(|(before, sequence)| {
        let (at, run) = before.rsplit_once(BETWEEN)?;
        Some(ActPlace { at: at.to_owned(), run: run.to_owned(), sequence: sequence.parse().ok()? })
    });
    place.ok_or_else(|| Problem::BadRequest("`after` is no place in the log.".to_owned()))
}

impl From<ModerationEntry> for Act {
    fn from(act: ModerationEntry) -> Self {
        Self {
            place: format!("{}{BETWEEN}{}{BETWEEN}{}", act.at, act.run, act.sequence),
            at: act.at,
            run: act.run,
            decision: act.decision.key(),
            reason: act.reason,
            by: act.by,
        }
    }
}

async fn status(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/v1/status".to_owned(), async {
        let totals = site.index.totals().await?;
        json(&Status {
            benchwright: env!("CARGO_PKG_VERSION"),
            methodology: METHODOLOGY_VERSION,
            shown: totals.shown,
            ranked: totals.ranked,
            quarantined: totals.quarantined,
            taken_down: totals.taken_down,
        })
    })
    .await
}
