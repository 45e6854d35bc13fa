//! What models used tools for, and when.

use super::distribution::Share;
use super::scores::{average, first_evaluations, median};
use crate::vibe::app::AppResult;
use crate::vibe::trajectory::{Category, CategoryCounts, CategoryShares, PHASES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How many tools make up "the most used".
const MOST_USED: usize = 5;

/// The use of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolUse {
    /// The models with trajectories, in the order of the standings.
    pub models: Vec<ModelTools>,
    /// Every tool that was called, the most used first.
    pub tools: Vec<ToolRow>,
    /// Percent of all calls that went to the five most used tools.
    pub five_most_used_percent: f64,
}

/// One model's use of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelTools {
    /// The model.
    pub model: String,
    /// Apps with a trajectory.
    pub apps: usize,
    /// All calls by category.
    pub calls: CategoryCounts,
    /// In percent.
    pub shares: CategoryShares,
    /// Calls per app.
    pub calls_per_app: f64,
    /// Browser calls per app.
    pub browser_calls_per_app: f64,
    /// The median of browser calls over apps.
    pub browser_calls_median: f64,
    /// Edit calls per app.
    pub edit_calls_per_app: f64,
    /// In ten equal slices of time, the percentage of calls by category, apps weighing the same; absent where no app has a call.
    pub phases: [Option<CategoryShares>; PHASES],
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRow {
    /// Its name.
    pub tool: String,
    /// What it is for.
    pub category: Category,
    /// Calls, of all calls.
    pub calls: Share,
    /// Models that called it, of all models with trajectories.
    pub models: Share,
}

impl ToolUse {
    /// Of the apps with trajectories; absent when there are none.
    pub fn of(models: &[&str], apps: &[&AppResult]) -> Option<Self> {
        let apps = first_evaluations(apps);
        let of_model = |model: &&str| {
            let own: Vec<&AppResult> = apps.iter().filter(|app| app.model == *model).copied().collect();
            ModelTools::of(model, &own)
        };
        let rows: Vec<ModelTools> = models.iter().filter_map(of_model).collect();
        if rows.is_empty() {
            return None;
        }
        let tools = tools(&apps, rows.len() as u64);
        let five_most_used_percent = tools.iter().take(MOST_USED).filter_map(|tool| tool.calls.percent).sum();
        Some(Self { models: rows, tools, five_most_used_percent })
    }
}

fn tools(apps: &[&AppResult], models: u64) -> Vec<ToolRow> {
    let mut found: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for (app, calls) in apps.iter().filter_map(|app| Some((app, app.generation.as_ref()?.calls.as_ref()?))) {
        for (tool, count) in calls.iter().filter(|(_, count)| **count > 0) {
            let (sum, users) = found.entry(tool).or_default();
            *sum = sum.saturating_add(*count);
            users.insert(&app.model);
        }
    }
    let all = found.values().fold(0_u64, |sum, (count, _)| sum.saturating_add(*count));
    let row = |(tool, (count, users)): (&str, (u64, BTreeSet<&str>))| ToolRow {
        tool: tool.to_owned(),
        category: Category::of(tool),
        calls: Share::new(count, all),
        models: Share::new(users.len() as u64, models),
    };
    let mut rows: Vec<ToolRow> = found.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.calls.count.cmp(&a.calls.count).then_with(|| a.tool.cmp(&b.tool)));
    rows
}

impl ModelTools {
    fn of(model: &str, apps: &[&AppResult]) -> Option<Self> {
        let told: Vec<_> = apps.iter().filter_map(|app| app.generation.as_ref()).collect();
        let counts: Vec<CategoryCounts> = told.iter().filter_map(|it| Some(by_category(it.calls.as_ref()?))).collect();
        let per_app = |count: fn(&CategoryCounts) -> u64| counts.iter().map(|it| count(it) as f64).collect::<Vec<_>>();
        let browser = per_app(|counts| counts.browser);
        let mut calls = CategoryCounts::default();
        for more in &counts {
            calls += *more;
        }
        let phases: Vec<&[CategoryCounts; PHASES]> = told.iter().filter_map(|it| it.phases.as_ref()).collect();
        Some(Self {
            model: model.to_owned(),
            apps: counts.len(),
            calls,
            shares: calls.shares()?,
            calls_per_app: average(&per_app(CategoryCounts::total))?,
            browser_calls_per_app: average(&browser)?,
            browser_calls_median: median(&browser)?,
            edit_calls_per_app: average(&per_app(|counts| counts.edit))?,
            phases: std::array::from_fn(|slice| mean_shares(phases.iter().map(|app| app[slice]))),
        })
    }
}

fn by_category(calls: &BTreeMap<String, u64>) -> CategoryCounts {
    let mut counts = CategoryCounts::default();
    for (tool, count) in calls {
        counts.add(Category::of(tool), *count);
    }
    counts
}

fn mean_shares(slices: impl Iterator<Item = CategoryCounts>) -> Option<CategoryShares> {
    let shares: Vec<CategoryShares> = slices.filter_map(|slice| slice.shares()).collect();
    let mean = |pick: fn(&CategoryShares) -> f64| average(&shares.iter().map(pick).collect::<Vec<_>>());
    Some(CategoryShares {
        bash: mean(|it| it.bash)?,
        edit: mean(|it| it.edit)?,
        browser: mean(|it| it.browser)?,
        sql: mean(|it| it.sql)?,
        migrate: mean(|it| it.migrate)?,
        other: mean(|it| it.other)?,
    })
}
