//! The rows of a board and the orders they may stand in.

use super::Choice;
use crate::address::with_query;
use crate::view::{self, Measure};
use benchwright_domain::Dimension;
use benchwright_report::{number, text};
use benchwright_store::index::Standing;
use std::cmp::Ordering;

/// One tool.
pub struct Row {
    pub tool: String,
    pub version: String,
    pub measure: Measure,
    pub runs: String,
    pub runs_href: String,
    pub href: Option<String>,
    pub verified: i64,
    pub all_verified: bool,
    pub usd: Option<String>,
    pub build: Option<String>,
    pub values: Values,
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

/// A column head.
pub struct Column {
    pub text: &'static str,
    pub href: Option<String>,
    /// What `aria-sort` says, for the column the table is sorted by.
    pub sorted: Option<&'static str>,
}

impl Row {
    pub fn of(prompt: Option<&str>, standing: &Standing) -> Self {
        let (tally, newest) = (&standing.tally, &standing.newest);
        let runs_href =
            with_query("/runs", [("tool", Some(standing.tool.as_str())), ("prompt", Some(prompt.unwrap_or_default()))]);
        Self {
            tool: text::line_within(&standing.tool, 80),
            version: newest.tool_version.as_deref().map(|version| text::line_within(version, 40)).unwrap_or_default(),
            measure: Measure::of(standing.rank, &standing.composite, tally.runs, |key| tally.dimension(key)),
            runs: view::thousands(tally.runs),
            runs_href,
            href: Some(view::run_address(&newest.run)),
            verified: tally.verified,
            all_verified: tally.verified == tally.runs,
            usd: tally.usd().map(number::dollars),
            build: tally.working_build_seconds().map(number::seconds),
            values: Values {
                dimensions: Dimension::ALL.map(|key| tally.dimension(key)),
                usd: tally.usd(),
                build: tally.working_build_seconds(),
                runs: tally.runs,
            },
        }
    }

    /// Whether the name has all words of a search, in any case.
    pub fn matches(&self, search: &str) -> bool {
        let name = format!("{} {}", self.tool, self.version).to_lowercase();
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
            Self::Build => "Build time",
            Self::Usd => "Cost",
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
            Sort::Tool => a.tool.to_lowercase().cmp(&b.tool.to_lowercase()),
            Sort::Dimension(place) => largest(x.dimensions[place], y.dimensions[place]),
            Sort::Build => smallest(x.build, y.build),
            Sort::Usd => smallest(x.usd, y.usd),
            Sort::Runs => y.runs.cmp(&x.runs),
        }
    });
}

/// The column heads, each of which sorts the table.
pub fn columns(sorted: Sort, is_prompt: bool, address: impl Fn(Sort) -> String) -> Vec<Column> {
    let rank = Column { text: "Rank", href: None, sorted: None };
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
        href: Some(address(sort)),
        sorted: (sort == sorted).then(|| sort.direction()),
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
