//! The rows of a board and the orders they may stand in.

use super::Choice;
use crate::address::with_query;
use crate::view;
use askama::Template;
use benchwright_domain::Dimension;
use benchwright_report::board::{Amount, BUILD_TIME, COST, Column, Line, Link, Measure, Order};
use benchwright_report::{number, text};
use benchwright_store::index::Standing;
use std::cmp::Ordering;

/// One tool: how it is shown, and what it is sorted by.
pub struct Row {
    pub line: Line,
    pub values: Values,
}

#[derive(Template)]
#[template(path = "verified.html")]
struct Mark {
    all: bool,
    count: i64,
}

/// What rows are sorted by.
#[derive(Debug, Clone, Default)]
pub struct Values {
    pub dimensions: [Option<f64>; 4],
    pub usd: Option<f64>,
    pub build: Option<f64>,
    pub runs: i64,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Rank,
    Tool,
    Dimension(usize),
    Build,
    Usd,
    Runs,
}

impl Row {
    pub fn of(prompt: Option<&str>, standing: &Standing) -> Self {
        let (tally, newest) = (&standing.tally, &standing.newest);
        let runs_href =
            with_query("/runs", [("tool", Some(standing.tool.as_str())), ("prompt", Some(prompt.unwrap_or_default()))]);
        let measure = Measure::of(standing.rank, &standing.composite, tally.runs, |key| tally.dimension(key));
        let line = Line {
            version: newest.tool_version.as_deref().map(|version| text::line_within(version, 40)).unwrap_or_default(),
            href: Some(view::run_address(&newest.run)),
            usd: tally.usd().map(|usd| Amount::of(usd, number::dollars)),
            build: tally.working_build_seconds().map(|seconds| Amount::of(seconds, number::seconds)),
            ..Line::new(&standing.tool, measure, tally.runs)
        };
        let values = Values {
            dimensions: Dimension::ALL.map(|key| tally.dimension(key)),
            usd: tally.usd(),
            build: tally.working_build_seconds(),
            runs: tally.runs,
        };
        Self::new(line, runs_href, tally.verified, values)
    }

    pub fn new(line: Line, runs_href: String, verified: i64, values: Values) -> Self {
        let mark = Mark { all: verified == line.runs, count: verified };
        let mark = if verified > 0 { mark.render().unwrap_or_default() } else { String::new() };
        let runs = Link {
            href: runs_href,
            text: view::thousands(line.runs),
            unseen: format!(" runs of {}", line.tool),
            title: String::new(),
        };
        Self { line: Line { mark, links: vec![runs], ..line }, values }
    }

    /// Whether the name has all words of a search, in any case.
    pub fn matches(&self, search: &str) -> bool {
        let name = format!("{} {}", self.line.tool, self.line.version).to_lowercase();
        search.to_lowercase().split_whitespace().all(|word| name.contains(word))
    }
}

impl Sort {
    const ALL: [Self; 9] = [
        Self::Rank,
        Self::Tool,
        Self::Dimension(0),
        Self::Dimension(1),
        Self::Dimension(2),
        Self::Dimension(3),
        Self::Build,
        Self::Usd,
        Self::Runs,
    ];

    /// What the address says; anything else is the order of the ranking.
    pub fn of(key: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|sort| Some(sort.key()) == key).unwrap_or(Self::Rank)
    }

    pub fn key(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Tool => "tool",
            Self::Dimension(place) => Dimension::ALL[place].key(),
            Self::Build => "time",
            Self::Usd => "cost",
            Self::Runs => "runs",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Rank => "Composite",
            Self::Tool => "Tool",
            Self::Dimension(place) => Dimension::ALL[place].title(),
            Self::Build => BUILD_TIME,
            Self::Usd => COST,
            Self::Runs => "Runs",
        }
    }

    /// Time and cost are known for the runs of one prompt only.
    fn is_shown(self, is_prompt: bool) -> bool {
        is_prompt || !matches!(self, Self::Build | Self::Usd)
    }

    fn direction(self) -> &'static str {
        if matches!(self, Self::Tool | Self::Build | Self::Usd) { "ascending" } else { "descending" }
    }
}

/// Sorts rows; what has no value comes last, and equals stay in the order of the ranking.
pub fn sort(rows: &mut [Row], sort: Sort) {
    let largest = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    };
    let smallest = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    };
    rows.sort_by(|a, b| {
        let (x, y) = (&a.values, &b.values);
        match sort {
            Sort::Rank => Ordering::Equal,
            Sort::Tool => a.line.tool.to_lowercase().cmp(&b.line.tool.to_lowercase()),
            Sort::Dimension(place) => largest(x.dimensions[place], y.dimensions[place]),
            Sort::Build => smallest(x.build, y.build),
            Sort::Usd => smallest(x.usd, y.usd),
            Sort::Runs => y.runs.cmp(&x.runs),
        }
    });
}

/// The column heads, each of which sorts the table.
pub fn columns(sorted: Sort, is_prompt: bool, address: impl Fn(Sort) -> String) -> Vec<Column> {
    let rank = Column { text: "Rank", order: Order::Fixed };
    let order = [
        Sort::Tool,
        Sort::Rank,
        Sort::Dimension(0),
        Sort::Dimension(1),
        Sort::Dimension(2),
        Sort::Dimension(3),
        Sort::Build,
        Sort::Usd,
        Sort::Runs,
    ];
    let column = |sort: Sort| Column {
        text: sort.text(),
        order: Order::Address { href: address(sort), sorted: (sort == sorted).then(|| sort.direction()) },
    };
    std::iter::once(rank).chain(order.into_iter().filter(|sort| sort.is_shown(is_prompt)).map(column)).collect()
}

/// The same as a list to choose from, for narrow screens.
pub fn sorts(sorted: Sort, is_prompt: bool) -> Vec<Choice> {
    let choice = |sort: Sort| Choice {
        value: sort.key().to_owned(),
        text: sort.text().to_owned(),
        href: String::new(),
        is_chosen: sort == sorted,
    };
    Sort::ALL.into_iter().filter(|sort| sort.is_shown(is_prompt)).map(choice).collect()
}
