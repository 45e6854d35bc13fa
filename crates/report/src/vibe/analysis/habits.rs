//! What models do while they build, and what goes along with accuracy.

use super::sheet::{Cell, Sheet};
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::association::{Association, Feature, Without};
use benchwright_domain::vibe::analysis::tools::ToolUse;
use benchwright_domain::vibe::trajectory::Category;

pub const CATEGORIES: [(Category, &str); 6] = [
    (Category::Edit, "edit"),
    (Category::Bash, "shell"),
    (Category::Browser, "browser"),
    (Category::Sql, "SQL"),
    (Category::Migrate, "migrate"),
    (Category::Other, "other"),
];

pub fn tools(tools: &ToolUse) -> Vec<Sheet> {
    vec![shares(tools), phases(tools), single(tools)]
}

fn shares(tools: &ToolUse) -> Sheet {
    let about = "Percent of all calls of a model, and calls of an app. From trajectories.";
    let mut sheet =
        Sheet::new("tool-shares", "What tools were used for", about, &[("model", "Model"), ("apps", "Apps")]);
    for (_, name) in CATEGORIES {
        sheet.column(&format!("{name}_percent"), name);
    }
    for (key, label) in [
        ("calls_per_app", "Calls an app"),
        ("browser_calls_per_app", "Browser calls an app"),
        ("browser_calls_median", "median"),
        ("edit_calls_per_app", "Edit calls an app"),
    ] {
        sheet.column(key, label);
    }
    for model in &tools.models {
        let mut row = vec![Cell::words(&model.model), Cell::size(model.apps)];
        row.extend(CATEGORIES.map(|(category, _)| Cell::percent(model.shares.get(category))));
        let per_app =
            [model.calls_per_app, model.browser_calls_per_app, model.browser_calls_median, model.edit_calls_per_app];
        row.extend(per_app.map(Cell::about));
        sheet.row(row);
    }
    sheet
}

fn phases(tools: &ToolUse) -> Sheet {
    let about = "Percent of calls in ten equal slices of the time from the first turn to the submission, apps weighing the same.";
    let mut sheet = Sheet::new("phases", "When tools were used", about, &[("model", "Model"), ("slice", "Slice")]);
    for (_, name) in CATEGORIES {
        sheet.column(&format!("{name}_percent"), name);
    }
    for model in &tools.models {
        for (slice, shares) in model.phases.iter().enumerate() {
            let mut row = vec![Cell::words(&model.model), Cell::size(slice + 1)];
            row.extend(CATEGORIES.map(|(category, _)| Cell::percent(shares.map(|shares| shares.get(category)))));
            sheet.row(row);
        }
    }
    sheet
}

fn single(tools: &ToolUse) -> Sheet {
    let about = format!(
        "The five most used tools have {:.1} % of all calls.",
        crate::number::finite(tools.five_most_used_percent)
    );
    let columns = [
        ("tool", "Tool"),
        ("category", "For"),
        ("calls", "Calls"),
        ("calls_percent", "% of calls"),
        ("models", "Models"),
        ("models_percent", "% of models"),
    ];
    let mut sheet = Sheet::new("tools", "Every tool", about, &columns);
    for tool in &tools.tools {
        let name = CATEGORIES.iter().find(|(category, _)| *category == tool.category).map_or("other", |(_, name)| name);
        sheet.row(vec![
            Cell::words(&tool.tool),
            Cell::words(name),
            Cell::count(tool.calls.count),
            Cell::percent(tool.calls.percent),
            Cell::count(tool.models.count),
            Cell::percent(tool.models.percent),
        ]);
    }
    sheet
}

pub fn associations(split: &SplitAnalysis) -> Sheet {
    let about = "Pearson’s r between accuracy and a feature over models (with the score track: over apps), with Fisher’s 95 % interval. The last columns \
                 show how fragile it is: the least and the most it becomes when one model is left out.";
    let columns = [
        ("with", "Accuracy with"),
        ("given", "held fixed"),
        ("r", "r"),
        ("interval_low", "95 % from"),
        ("interval_high", "to"),
        ("pairs", "Pairs"),
        ("least", "Least"),
        ("least_without", "without"),
        ("most", "Most"),
        ("most_without", "without"),
    ];
    let mut sheet = Sheet::new("correlations", "What goes along with accuracy", about, &columns);
    split.associations.iter().for_each(|it| sheet.row(association(it)));
    sheet
}

fn association(it: &Association) -> Vec<Cell> {
    let r = |without: &Option<Without>| Cell::coefficient(without.as_ref().map(|it| it.r));
    let model = |without: &Option<Without>| without.as_ref().map_or(Cell::Unknown, |it| Cell::words(&it.model));
    vec![
        Cell::words(feature(it.with)),
        it.given.map_or_else(|| Cell::words("nothing"), |given| Cell::words(feature(given))),
        Cell::coefficient(it.correlation.r),
        Cell::coefficient(it.interval.map(|it| it.low)),
        Cell::coefficient(it.interval.map(|it| it.high)),
        Cell::size(it.correlation.pairs),
        r(&it.least_without),
        model(&it.least_without),
        r(&it.most_without),
        model(&it.most_without),
    ]
}

fn feature(feature: Feature) -> &'static str {
    match feature {
        Feature::BrowserCalls => "browser calls an app",
        Feature::BrowserCallsMedian => "median of browser calls",
        Feature::BrowserShare => "share of browser calls",
        Feature::EditCalls => "edit calls an app",
        Feature::CostUsd => "cost an app",
        Feature::Seconds => "time an app",
        Feature::Composite => "composite of the score track",
    }
}
