//! The analysis of a study: one HTML file with every table and figure, and CSV and JSON of each table.

mod apps;
mod figures;
mod groups;
mod habits;
mod repeats;
mod sheet;
mod standings;

pub use sheet::{Cell, Sheet};

use super::OWN_STYLE;
use crate::{Body, page, style, text};
use askama::Template;
use benchwright_domain::vibe::analysis::frontier::Axis;
use benchwright_domain::vibe::analysis::{Analysis, SplitAnalysis};
use benchwright_domain::vibe::task::Split;

/// The analysis as one HTML file that works offline and without script.
pub fn html(analysis: &Analysis) -> String {
    let Body { title, html } = content(analysis, false);
    let description = "what models can build, how sure that is, and what it takes.";
    page::alone("vibe analysis", description, &title, &style::with(OWN_STYLE), &html)
}

/// The analysis as part of a site: the same, without head and style.
pub fn body(analysis: &Analysis) -> Body {
    content(analysis, true)
}

/// CSV and JSON of every table: the names of the files and what is in them.
pub fn files(analysis: &Analysis) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for part in parts(analysis) {
        for sheet in part.sections.into_iter().flat_map(|section| section.sheets) {
            let name = format!("{}{}", part.prefix, sheet.name);
            files.extend([(format!("{name}.csv"), sheet.csv()), (format!("{name}.json"), sheet.json())]);
        }
    }
    files
}

#[derive(Template)]
#[template(path = "vibe/analysis-body.html")]
struct Content {
    is_hosted: bool,
    evaluator: String,
    headline: String,
    sizes: Vec<(&'static str, String)>,
    parts: Vec<Part>,
}

/// A split, or what is said of all of them.
struct Part {
    anchor: &'static str,
    title: &'static str,
    about: &'static str,
    /// Before the names of its files.
    prefix: &'static str,
    sections: Vec<Section>,
}

/// Tables that belong together, and the figure over them.
struct Section {
    anchor: String,
    title: &'static str,
    figures: Vec<String>,
    sheets: Vec<Sheet>,
}

fn content(analysis: &Analysis, is_hosted: bool) -> Body {
    let content = Content {
        is_hosted,
        evaluator: text::line_within(&analysis.evaluator, 120),
        headline: headline(analysis),
        sizes: analysis
            .sizes
            .iter()
            .map(|(split, size)| {
                let many = |count: u64, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
                let told = [many(size.tasks, "task"), many(size.workflows, "workflow"), many(size.substeps, "substep")];
                (split_name(*split), told.join(", "))
            })
            .collect(),
        parts: parts(analysis),
    };
    Body { title: content.headline.clone(), html: content.render().expect("writing to a string does not fail") }
}

fn headline(analysis: &Analysis) -> String {
    let scored = analysis.splits.get(&Split::Test).or_else(|| analysis.splits.get(&Split::Validation));
    let Some(best) = scored.and_then(|split| split.models.first()) else {
        return "There are no results yet.".to_owned();
    };
    let models = scored.map_or(0, |split| split.models.len());
    let among = if models == 1 { "one model".to_owned() } else { format!("{models} models") };
    format!("{} leads {among} with {:.1} % of workflows", text::line_within(&best.name, 80), best.accuracy.mean)
}

fn split_name(split: Split) -> &'static str {
    match split {
        Split::Test => "Test split",
        Split::Validation => "Validation split",
    }
}

fn parts(analysis: &Analysis) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(split) = analysis.splits.get(&Split::Test) {
        let about = "Held back from everybody who builds models: what models are scored on.";
        parts.push(Part {
            anchor: "test",
            title: "Test split",
            about,
            prefix: "",
            sections: sections("test", analysis, split),
        });
    }
    if let Some(split) = analysis.splits.get(&Split::Validation) {
        let about = "In the open, for developing. No part of any score.";
        let sections = sections("validation", analysis, split);
        parts.push(Part { anchor: "validation", title: "Validation split", about, prefix: "validation-", sections });
    }
    if let Some(matrix) = &analysis.agreement {
        let about = "Whether somebody else would have said the same.";
        let sheets = repeats::agreement(matrix);
        let section = Section { anchor: "raters".to_owned(), title: "Raters", figures: Vec::new(), sheets };
        parts.push(Part { anchor: "agreement", title: "Agreement", about, prefix: "", sections: vec![section] });
    }
    parts
}

/// The sections of a split that have something to say.
fn sections(anchor: &str, analysis: &Analysis, split: &SplitAnalysis) -> Vec<Section> {
    let section = |name: &str, title, figures: Vec<String>, sheets: Vec<Sheet>| Section {
        anchor: format!("{anchor}-{name}"),
        title,
        figures,
        sheets: sheets.into_iter().filter(|sheet| !sheet.rows.is_empty()).collect(),
    };
    let drawn = split.frontiers.iter().filter(|it| matches!(it.axis, Axis::CostUsd | Axis::Seconds));
    let tools = split.tools.as_ref();
    let all = [
        section("standings", "Who leads", vec![figures::ladder(split)], vec![standings::standings(split)]),
        section(
            "frontier",
            "What it takes",
            drawn.filter_map(figures::scatter).collect(),
            split.frontiers.iter().map(standings::frontier).collect(),
        ),
        section("groups", "Kinds of tasks", Vec::new(), groups::sheets(split)),
        section("spread", "App by app", vec![figures::histograms(split)], vec![apps::distribution(split)]),
        section("failures", "What goes wrong", Vec::new(), apps::failures(split)),
        section(
            "tools",
            "How models work",
            tools.map(figures::strips).into_iter().collect(),
            tools.map(habits::tools).unwrap_or_default(),
        ),
        section("correlations", "What goes along with accuracy", Vec::new(), vec![habits::associations(split)]),
        section("ablations", "Settings", Vec::new(), vec![repeats::ablations(split)]),
        section("variance", "Chance", Vec::new(), vec![repeats::variance(split), repeats::repetition(split)]),
        section(
            "comparisons",
            "Who is really better",
            Vec::new(),
            vec![standings::comparisons(split, analysis.settings.plan)],
        ),
    ];
    all.into_iter().filter(|section| !section.sheets.is_empty()).collect()
}
