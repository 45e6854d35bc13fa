//! What a model did while it built an app: calls by what they are for, in order and in sum, and what it took.

use super::view::{self, app_address};
use crate::encoding::Encoded;
use crate::pages::{blocking, html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::vibe::trajectory::{Category, Facts, METHOD, Segment, Trajectory};
use benchwright_report::{number, text};
use std::sync::Arc;

/// Segments of the strip that are drawn; a longer strip would be thinner than a pixel each.
const MOST_SEGMENTS: usize = 2000;
const CATEGORIES: [(Category, &str); 6] = [
    (Category::Edit, "edit"),
    (Category::Bash, "shell"),
    (Category::Browser, "browser"),
    (Category::Sql, "SQL"),
    (Category::Migrate, "migrate"),
    (Category::Other, "other"),
];

#[derive(Template)]
#[template(path = "vibe/trajectory.html")]
struct Page {
    shell: Shell,
    style: String,
    base: String,
    task: String,
    model: String,
    facts: Vec<(&'static str, String)>,
    names: Vec<(usize, &'static str)>,
    strip: Vec<Band>,
    strip_words: String,
    left_out: usize,
    /// Category, calls, percent.
    shares: Vec<(usize, &'static str, u64, String)>,
    /// Slice, calls of each category.
    phases: Vec<(usize, Vec<u64>)>,
    tools: Vec<(String, u64)>,
    method: &'static str,
}

/// A stretch of the strip on a scale of 1000.
struct Band {
    x: String,
    width: String,
    category: usize,
    words: String,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, format!("{}/trajectory", app_address(&run)), Box::pin(make(&site, &run))).await
}

async fn make(site: &Arc<Site>, run: &str) -> Result<Encoded, Problem> {
    let (app, evaluation) = view::opened(site, run).await?;
    let none = || Problem::NotFound("Nothing is known of how this app was built.".to_owned());
    let blob = evaluation.trajectory.clone().ok_or_else(none)?;
    let (storage, id) = (Arc::clone(&site.storage), app.run.clone());
    let trajectory = blocking(move || {
        let unreadable = |error| Problem::Failed(format!("failed to {error} of run {id}"));
        Trajectory::read(&storage.blob(&id, &blob)?).map_err(unreadable)
    })
    .await?;
    let facts = trajectory.facts();
    let strip = trajectory.strip();
    html(&Page {
        shell: site.shell(Section::Vibe),
        style: site.assets.vibe_style.path.clone(),
        base: app_address(&app.run),
        task: text::line_within(&evaluation.task_title, 120),
        model: text::line_within(&evaluation.app.model, 80),
        facts: told(&trajectory, &facts),
        names: CATEGORIES.iter().enumerate().map(|(place, (_, name))| (place, *name)).collect(),
        strip: strip.iter().take(MOST_SEGMENTS).map(Band::of).collect(),
        strip_words: format!("{} calls in {} stretches of one kind", facts.tool_calls, strip.len()),
        left_out: strip.len().saturating_sub(MOST_SEGMENTS),
        shares: shares(&facts),
        phases: phases(&facts),
        tools: by_use(&facts),
        method: METHOD,
    })
}

fn place(category: Category) -> usize {
    CATEGORIES.iter().position(|(known, _)| *known == category).unwrap_or(CATEGORIES.len() - 1)
}

impl Band {
    fn of(segment: &Segment) -> Self {
        let (from, to) = (number::finite(segment.from).clamp(0.0, 1.0), number::finite(segment.to).clamp(0.0, 1.0));
        let category = place(segment.category);
        Self {
            x: format!("{:.2}", 1000.0 * from),
            // The last call ends the strip; it must still be seen.
            width: format!("{:.2}", (1000.0 * (to - from)).max(1.0)),
            category,
            words: format!("{}: {} calls", CATEGORIES[category].1, segment.calls),
        }
    }
}

fn told(trajectory: &Trajectory, facts: &Facts) -> Vec<(&'static str, String)> {
    vec![
        ("Cost", trajectory.cost_usd().map_or_else(|| "not known".to_owned(), number::dollars)),
        ("Time", number::seconds(facts.duration_s)),
        ("Tool calls", facts.tool_calls.to_string()),
        ("Answers of the model", facts.llm_responses.to_string()),
        ("Calls refused", facts.invalid_tool_calls.to_string()),
        ("Shell commands that failed", facts.bash_nonzero_exits.to_string()),
        ("Edits that only looked", facts.edit_views.to_string()),
        ("Edits that wrote", facts.edit_writes.to_string()),
        ("Browser calls", facts.browser_calls.to_string()),
        (
            "First browser call",
            facts
                .first_browser_call_at_fraction_of_time
                .map_or_else(|| "never".to_owned(), |share| format!("after {} of the time", number::percent(share))),
        ),
        ("Said that it is done", if facts.finished { "yes" } else { "no" }.to_owned()),
    ]
}

fn shares(facts: &Facts) -> Vec<(usize, &'static str, u64, String)> {
    let share = |(at, (category, name)): (usize, &(Category, &'static str))| {
        let percent = facts.category_share_pct.as_ref().map(|shares| shares.get(*category));
        let shown = percent.map_or_else(|| "–".to_owned(), |percent| format!("{percent:.1} %"));
        (at, *name, facts.category_counts.get(*category), shown)
    };
    CATEGORIES.iter().enumerate().map(share).collect()
}

fn phases(facts: &Facts) -> Vec<(usize, Vec<u64>)> {
    let slices = facts.phase_time_deciles.iter().zip(1..);
    slices.map(|(slice, number)| (number, CATEGORIES.map(|(category, _)| slice.get(category)).to_vec())).collect()
}

fn by_use(facts: &Facts) -> Vec<(String, u64)> {
    let mut tools: Vec<(String, u64)> =
        facts.tool_call_counts.iter().map(|(tool, calls)| (text::line_within(tool, 80), *calls)).collect();
    tools.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    tools.truncate(100);
    tools
}
