//! What pages ask. Every answer costs the same with a thousand runs and with a million.

use super::Index;
use super::database::{Cell, Row};
use super::entry::{State, address};
use super::error::IndexError;
use super::row::{self, IndexedRun};
use super::write;
use crate::event::Decision;
use benchwright_domain::BlobId;
use benchwright_domain::board::{Counted, CoverageClass, RankRange, Tally, ranges};
use benchwright_domain::repeats::Spread;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The most rows one answer has.
pub const MOST_ROWS: u32 = 1000;
/// Runs named in one statement.
const ASKED_AT_ONCE: usize = 500;

/// Which runs a list is narrowed to. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// What may be shown of them.
    pub state: State,
    /// Of one prompt.
    pub prompt: Option<String>,
    /// Of one tool.
    pub tool: Option<String>,
    /// Of one address: the history of an app.
    pub url: Option<String>,
    /// Only those that count on a board, or only those that do not.
    pub ranked: Option<bool>,
}

/// The place of a run in a list, newest first. A page begins after the last run of the page before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlace {
    /// When it began.
    pub started_at: String,
    /// Its id.
    pub run: String,
}

impl From<&IndexedRun> for RunPlace {
    fn from(run: &IndexedRun) -> Self {
        Self { started_at: run.record.started_at.clone(), run: run.record.run.clone() }
    }
}

/// A prompt that has a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSummary {
    /// Its id; absent for runs without one.
    pub prompt: Option<String>,
    /// How hard it is, 1 to 3.
    pub tier: Option<u8>,
    /// The class with most tools, whose ranking is shown first.
    pub main_class: String,
    /// The tools in it.
    pub tools: i64,
    /// Ranked runs in all classes.
    pub runs: i64,
}

/// A class that has a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassSummary {
    /// Its name.
    pub class: String,
    /// What its runs have in common.
    pub definition: CoverageClass,
    /// The tools in it.
    pub tools: i64,
    /// The runs in it.
    pub runs: i64,
}

/// One row of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The tool.
    pub tool: String,
    /// The ranks it may have.
    pub rank: RankRange,
    /// The composite over its runs.
    pub composite: Spread,
    /// Everything else that is summed over its runs.
    pub tally: Tally,
    /// The newest of its runs.
    pub newest: Newest,
}

/// What a board shows of the newest run of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// Id of the run.
    pub run: String,
    /// When it began.
    pub started_at: String,
    /// The address.
    pub url: String,
    /// Version of the tool.
    pub tool_version: Option<String>,
    /// How hard the prompt is.
    pub tier: Option<u8>,
    /// The picture that stands for it.
    pub thumbnail: Option<BlobId>,
}

/// How often a scorer gave a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Version of the scorer's definition.
    pub version: String,
    /// Scores from `bucket` / 20 to below (`bucket` + 1) / 20; 20 is exactly 1.
    pub bucket: i64,
    /// The runs with such a score.
    pub runs: i64,
}

/// How many runs there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Runs that are shown.
    pub shown: i64,
    /// Shown runs that count on a board.
    pub ranked: i64,
    /// Runs that wait for somebody to look at them.
    pub quarantined: i64,
    /// Runs that were taken down.
    pub taken_down: i64,
}

/// A line of the public moderation log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModerationEntry {
    /// When.
    pub at: String,
    /// About which run.
    pub run: String,
    /// Number of the event in the run's log.
    pub sequence: i64,
    /// What was decided.
    pub decision: Decision,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub by: String,
}

/// The place of a line in the moderation log, newest first. A page begins after the last line of the page before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActPlace {
    /// When.
    pub at: String,
    /// About which run.
    pub run: String,
    /// Number of the event in the run's log.
    pub sequence: i64,
}

impl From<&ModerationEntry> for ActPlace {
    fn from(entry: &ModerationEntry) -> Self {
        Self { at: entry.at.clone(), run: entry.run.clone(), sequence: entry.sequence }
    }
}

impl Index {
    /// A run by its id, whatever its state.
    pub async fn run(&self, run: &str) -> Result<Option<IndexedRun>, IndexError> {
        let sql = format!("{} WHERE runs.run = $1", row::SELECT);
        self.database.query(&sql, vec![run.into()]).await?.into_iter().next().map(row::read).transpose()
    }

    /// Those of these runs that the index does not know.
    pub async fn unknown(&self, runs: &[String]) -> Result<Vec<String>, IndexError> {
        let mut unknown = Vec::new();
        for some in runs.chunks(ASKED_AT_ONCE) {
            let places = (1..=some.len()).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
            let sql = format!(
                "SELECT run FROM runs WHERE run IN ({places}) UNION SELECT run FROM vibe_runs WHERE run IN ({places})"
            );
            let known = self.database.query(&sql, some.iter().map(|run| run.as_str().into()).collect()).await?;
            let known = known.into_iter().map(|mut row| row.text()).collect::<Result<BTreeSet<_>, _>>()?;
            unknown.extend(some.iter().filter(|run| !known.contains(*run)).cloned());
        }
        Ok(unknown)
    }

    /// Runs, newest first.
    pub async fn runs(
        &self,
        filter: &RunFilter,
        after: Option<&RunPlace>,
        limit: u32,
    ) -> Result<Vec<IndexedRun>, IndexError> {
        let (sql, cells) = list(filter, after, limit);
        self.database.query(&sql, cells).await?.into_iter().map(row::read).collect()
    }

    /// All runs in the order of their ids, a page at a time: what an export reads.
    pub async fn runs_by_id(&self, after: &str, limit: u32) -> Result<Vec<IndexedRun>, IndexError> {
        let sql = format!("{} WHERE runs.run > $1 ORDER BY runs.run LIMIT {}", row::SELECT, limit.min(MOST_ROWS));
        self.database.query(&sql, vec![after.into()]).await?.into_iter().map(row::read).collect()
    }

    /// The prompts that have a board, in the order of their ids; runs without a prompt come last.
    pub async fn prompts(&self) -> Result<Vec<PromptSummary>, IndexError> {
        // All runs of a prompt are of one tier. One of them is asked, because there may be many.
        let sql = "SELECT board.prompt, board.class, tools, board.runs, tier FROM \
                   (SELECT prompt, class, COUNT(*) AS tools, CAST(SUM(runs) AS BIGINT) AS runs, MAX(newest) AS newest \
                   FROM standings GROUP BY prompt, class) AS board JOIN runs ON runs.run = board.newest \
                   ORDER BY board.prompt, tools DESC, board.runs DESC, board.class";
        let mut found: Vec<PromptSummary> = Vec::new();
        for mut row in self.database.query(sql, Vec::new()).await? {
            let prompt = Some(row.text()?).filter(|prompt| !prompt.is_empty());
            let (main_class, tools, runs) = (row.text()?, row.integer()?, row.integer()?);
            let tier = row.optional_integer()?.map(|tier| tier as u8);
            match found.last_mut().filter(|last| last.prompt == prompt) {
                Some(last) => last.runs += runs,
                None => found.push(PromptSummary { prompt, tier, main_class, tools, runs }),
            }
        }
        found.sort_by(|a, b| (a.prompt.is_none(), &a.prompt).cmp(&(b.prompt.is_none(), &b.prompt)));
        Ok(found)
    }

    /// The prompts with shown runs that count on no board, in the order of their ids; nothing for runs without a prompt, which come last.
    pub async fn prompts_apart(&self) -> Result<Vec<Option<String>>, IndexError> {
        let rows = self.database.query(&prompts_apart(), vec![State::Shown.key().into()]).await?;
        let prompts = rows.into_iter().map(|mut row| Ok(Some(row.text()?).filter(|prompt| !prompt.is_empty())));
        let mut prompts = prompts.collect::<Result<Vec<_>, IndexError>>()?;
        prompts.sort_by_key(Option::is_none);
        Ok(prompts)
    }

    /// The classes of a prompt, the one with most tools first.
    pub async fn classes(&self, prompt: Option<&str>) -> Result<Vec<ClassSummary>, IndexError> {
        let sql = "SELECT standings.class, MIN(definition), COUNT(*), CAST(SUM(runs) AS BIGINT) \
                   FROM standings JOIN classes ON classes.class = standings.class \
                   WHERE prompt = $1 GROUP BY standings.class ORDER BY 3 DESC, 4 DESC, standings.class";
        let rows = self.database.query(sql, vec![prompt.unwrap_or_default().into()]).await?;
        let class = |mut row: Row| {
            Ok(ClassSummary {
                class: row.text()?,
                definition: row::parse(&row.text()?, "class")?,
                tools: row.integer()?,
                runs: row.integer()?,
            })
        };
        rows.into_iter().map(class).collect()
    }

    /// The ranking of a prompt in a class, best mean first.
    pub async fn standings(&self, prompt: Option<&str>, class: &str) -> Result<Vec<Standing>, IndexError> {
        let sql = "SELECT standings.tool, standings.runs, standings.verified, points, squares, \
                   standings.functional, functional_runs, standings.code_quality, code_quality_runs, \
                   standings.visual, visual_runs, standings.security, security_runs, usd, usd_runs, build, build_runs, \
                   runs.run, started_at, url, tool_version, tier, thumbnail \
                   FROM standings JOIN runs ON runs.run = newest WHERE standings.prompt = $1 AND standings.class = $2";
        let rows = self.database.query(sql, vec![prompt.unwrap_or_default().into(), class.into()]).await?;
        let mut standings: Vec<Standing> = rows.into_iter().map(standing).collect::<Result<_, _>>()?;
        let mean = |standing: &Standing| standing.composite.mean.unwrap_or_default();
        standings.sort_by(|a, b| mean(b).total_cmp(&mean(a)).then_with(|| a.tool.cmp(&b.tool)));
        let ranks = ranges(&standings.iter().map(|standing| &standing.composite).collect::<Vec<_>>());
        for (standing, rank) in standings.iter_mut().zip(ranks) {
            standing.rank = rank;
        }
        Ok(standings)
    }

    /// How a scorer's scores are distributed over all runs that are shown.
    pub async fn distribution(&self, scorer: &str) -> Result<Vec<Bucket>, IndexError> {
        let sql =
            "SELECT version, bucket, runs FROM distribution WHERE scorer = $1 AND runs > 0 ORDER BY version, bucket";
        let rows = self.database.query(sql, vec![scorer.into()]).await?;
        let bucket = |mut row: Row| Ok(Bucket { version: row.text()?, bucket: row.integer()?, runs: row.integer()? });
        rows.into_iter().map(bucket).collect()
    }

    /// A number that is another one after every change: what was made from an answer is good as long as it stays.
    pub async fn generation(&self) -> Result<i64, IndexError> {
        let sql = "SELECT runs FROM totals WHERE name = $1";
        let row = self.database.query(sql, vec![write::GENERATION.into()]).await?.into_iter().next();
        row.map_or(Ok(0), |mut row| row.integer())
    }

    /// How many runs there are.
    pub async fn totals(&self) -> Result<Totals, IndexError> {
        let mut totals = Totals::default();
        for mut row in self.database.query("SELECT name, runs FROM totals", Vec::new()).await? {
            let (name, runs) = (row.text()?, row.integer()?);
            match name.as_str() {
                "shown" => totals.shown = runs,
                "ranked" => totals.ranked = runs,
                "quarantined" => totals.quarantined = runs,
                "taken_down" => totals.taken_down = runs,
                _ => {}
            }
        }
        Ok(totals)
    }

    /// The public moderation log, newest first; `after` is the last line of the page before.
    pub async fn moderation(&self, after: Option<&ActPlace>, limit: u32) -> Result<Vec<ModerationEntry>, IndexError> {
        let mut sql = "SELECT at, run, sequence, decision, reason, actor FROM moderation".to_owned();
        let mut cells = Vec::new();
        if let Some(after) = after {
            sql.push_str(" WHERE (at, run, sequence) < ($1, $2, $3)");
            cells.extend([Cell::from(&after.at), Cell::from(&after.run), Cell::from(after.sequence)]);
        }
        let _ = write!(sql, " ORDER BY at DESC, run DESC, sequence DESC LIMIT {}", limit.min(MOST_ROWS));
        self.database.query(&sql, cells).await?.into_iter().map(moderation_entry).collect()
    }
}

/// The statement of a list of runs, and its values.
fn list(filter: &RunFilter, after: Option<&RunPlace>, limit: u32) -> (String, Vec<Cell>) {
    let mut sql = format!("{} WHERE state = $1", row::SELECT);
    let mut cells = vec![Cell::from(filter.state.key())];
    let url = filter.url.as_deref().map(address);
    let wanted = [("prompt", &filter.prompt), ("tool", &filter.tool), ("url", &url)];
    for (column, value) in wanted.into_iter().filter_map(|(column, value)| Some((column, value.as_ref()?))) {
        cells.push(value.into());
        // Writing to a string cannot fail.
        let _ = write!(sql, " AND {column} = ${}", cells.len());
    }
    if let Some(ranked) = filter.ranked {
        // Written out, because the indexes of runs apart are of use only where this is known beforehand.
        let _ = write!(sql, " AND ranked = {}", i64::from(ranked));
    }
    if let Some(after) = after {
        cells.extend([Cell::from(&after.started_at), Cell::from(&after.run)]);
        let _ = write!(sql, " AND (started_at, runs.run) < (${}, ${})", cells.len() - 1, cells.len());
    }
    let _ = write!(sql, " ORDER BY started_at DESC, runs.run DESC LIMIT {}", limit.min(MOST_ROWS));
    (sql, cells)
}

/// From each prompt to the next one: there may be many more runs than prompts, and none of them is looked at twice.
fn prompts_apart() -> String {
    let next = "SELECT MIN(runs.prompt) FROM runs WHERE state = $1 AND ranked = 0";
    format!(
        "WITH RECURSIVE apart(prompt) AS ({next} UNION ALL \
         SELECT ({next} AND runs.prompt > apart.prompt) FROM apart WHERE apart.prompt IS NOT NULL) \
         SELECT prompt FROM apart WHERE prompt IS NOT NULL LIMIT {MOST_ROWS}"
    )
}

fn standing(mut row: Row) -> Result<Standing, IndexError> {
    let tool = row.text()?;
    let mut tally = Tally {
        runs: row.integer()?,
        verified: row.integer()?,
        points: row.integer()?,
        squares: row.integer()?,
        ..Tally::default()
    };
    for counted in tally.dimensions.iter_mut().chain([&mut tally.usd, &mut tally.build]) {
        *counted = Counted { sum: row.integer()?, runs: row.integer()? };
    }
    let newest = Newest {
        run: row.text()?,
        started_at: row.text()?,
        url: row.text()?,
        tool_version: row.optional_text()?,
        tier: row.optional_integer()?.map(|tier| tier as u8),
        thumbnail: row.optional_text()?.map(BlobId),
    };
    Ok(Standing { tool, rank: RankRange { best: 1, worst: 1 }, composite: tally.composite(), tally, newest })
}

fn moderation_entry(mut row: Row) -> Result<ModerationEntry, IndexError> {
    let (at, run, sequence, decision) = (row.text()?, row.text()?, row.integer()?, row.text()?);
    let decision = Decision::ALL.into_iter().find(|known| known.key() == decision);
    let unknown = || IndexError::Failed { doing: "read the index", reason: "an unknown decision".to_owned() };
    Ok(ModerationEntry {
        at,
        run,
        sequence,
        decision: decision.ok_or_else(unknown)?,
        reason: row.text()?,
        by: row.text()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Durability;

    /// How SQLite goes about a list, from its beginning or from a place within.
    async fn plan(index: &Index, filter: &RunFilter, after: Option<&RunPlace>) -> String {
        let (sql, cells) = list(filter, after, 20);
        plan_of(index, &sql, cells).await
    }

    async fn plan_of(index: &Index, sql: &str, cells: Vec<Cell>) -> String {
        let steps = index.database.query(&format!("EXPLAIN QUERY PLAN {sql}"), cells).await.unwrap();
        let detail = |mut row: Row| {
            // The step, the step it is part of, and a number that means nothing.
            for _ in 0..3 {
                row.integer().unwrap();
            }
            row.text().unwrap()
        };
        steps.into_iter().map(detail).collect::<Vec<_>>().join("\n")
    }

    #[tokio::test]
    async fn a_list_of_a_prompt_that_nobody_has_looks_at_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap();
        let some = || Some("x".to_owned());
        let all = RunFilter::default();
        let (of_prompt, of_tool) =
            (RunFilter { prompt: some(), ..all.clone() }, RunFilter { tool: some(), ..all.clone() });
        let of_both = RunFilter { tool: some(), ..of_prompt.clone() };
        let apart = |filter: &RunFilter| RunFilter { ranked: Some(false), ..filter.clone() };
        let ranked = |filter: &RunFilter| RunFilter { ranked: Some(true), ..filter.clone() };
        let expected = [
            (all.clone(), "runs_by_time (state=?"),
            (apart(&all), "runs_apart (state=?"),
            (RunFilter { url: some(), ..all }, "runs_by_url (state=? AND url=?"),
            (of_prompt.clone(), "runs_by_prompt (state=? AND prompt=?"),
            (ranked(&of_prompt), "runs_by_prompt (state=? AND prompt=?"),
            (apart(&of_prompt), "runs_apart_by_prompt (state=? AND prompt=?"),
            (of_tool.clone(), "runs_by_tool (state=? AND tool=?"),
            (ranked(&of_tool), "runs_by_tool (state=? AND tool=?"),
            (apart(&of_tool), "runs_apart_by_tool (state=? AND tool=?"),
            (of_both, "runs_by_standing (state=? AND prompt=? AND tool=?"),
        ];
        let place = RunPlace { started_at: "2026-11-16T00:00:00Z".to_owned(), run: "r".to_owned() };
        for (filter, wanted) in expected {
            let (first, next) = (plan(&index, &filter, None).await, plan(&index, &filter, Some(&place)).await);
            assert!(first.contains(&format!("{wanted})")), "{filter:?}: {first}");
            assert!(next.contains(&format!("{wanted} AND (started_at,run)<(?,?))")), "{filter:?}: {next}");
            assert!(!first.contains("TEMP") && !next.contains("TEMP"), "{filter:?}: sorted after it was read");
        }
    }

    #[tokio::test]
    async fn the_prompts_of_runs_apart_are_found_without_looking_at_every_run() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap();
        let plan = plan_of(&index, &prompts_apart(), vec![State::Shown.key().into()]).await;
        assert!(plan.contains("runs_apart_by_prompt (state=? AND prompt>?)"), "{plan}");
        assert!(!plan.contains("SCAN runs"), "{plan}");
    }
}
