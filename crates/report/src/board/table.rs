//! A ranking as a table. The static page and the site show the same one.

use crate::{number, text};
use askama::Template;
use benchwright_domain::Dimension;
use benchwright_domain::board::RankRange;
use benchwright_domain::repeats::Spread;

/// A ranking, ready to be shown. What it shows of cost and time stands in its columns.
#[derive(Debug, Template)]
#[template(path = "board-table.html")]
pub struct Table<'a> {
    columns: &'a [Column],
    lines: Vec<&'a Line>,
    has_costs: bool,
    /// Whether cells say what a script sorts them by.
    has_values: bool,
}

/// A column head.
#[derive(Debug)]
pub struct Column {
    /// What it says.
    pub text: &'static str,
    /// How the table is sorted by it.
    pub order: Order,
}

/// How a table is sorted by a column.
#[derive(Debug)]
pub enum Order {
    /// Not at all.
    Fixed,
    /// There is an address that shows it so; `sorted` is what `aria-sort` says if this is that address.
    Address { href: String, sorted: Option<&'static str> },
    /// The page's script does it: `up`, `down` or `text`.
    Script(&'static str),
}

/// One tool.
#[derive(Debug)]
pub struct Line {
    /// Its name.
    pub tool: String,
    /// Where it leads.
    pub href: Option<String>,
    /// Markup beside the name.
    pub mark: String,
    /// Its versions.
    pub version: String,
    /// Rank, composite and dimensions.
    pub measure: Measure,
    /// How long building took.
    pub build: Option<Amount>,
    /// What it cost.
    pub usd: Option<Amount>,
    /// How many runs there are.
    pub runs: i64,
    /// What leads to them; without any, only their number is shown.
    pub links: Vec<Link>,
}

/// A number in words, and to sort by.
#[derive(Debug)]
pub struct Amount {
    pub(super) text: String,
    value: f64,
}

impl Amount {
    /// An amount; `words` says it.
    pub fn of(value: f64, words: fn(f64) -> String) -> Self {
        Self { text: words(value), value: number::finite(value) }
    }
}

/// A link to one run, or to all.
#[derive(Debug)]
pub struct Link {
    /// Where it leads.
    pub href: String,
    /// What it says.
    pub text: String,
    /// What it says to those who do not see what stands around it.
    pub unseen: String,
    /// What it says when pointed at; empty for nothing.
    pub title: String,
}

/// A composite over runs, in words and on a scale of 100.
#[derive(Debug)]
pub struct Measure {
    /// "1–3".
    pub rank: String,
    best: usize,
    /// The mean.
    pub composite: String,
    /// Ends of the interval in words, or why there is none.
    pub interval: String,
    /// Position of the mean on the scale.
    pub mean: String,
    /// Where the interval begins on the scale.
    pub low: Option<String>,
    /// How wide it is there.
    pub width: String,
    /// The dimensions.
    pub bars: Vec<Bar>,
}

/// A dimension as a bar.
#[derive(Debug)]
pub struct Bar {
    /// The class that gives it its colour.
    pub accent: &'static str,
    /// The dimension.
    pub title: &'static str,
    /// Its score on the scale of 100; none where nothing was measured.
    pub score: Option<String>,
}

/// The table as markup.
pub fn table<'a>(columns: &'a [Column], lines: impl IntoIterator<Item = &'a Line>) -> String {
    let table = Table {
        columns,
        lines: lines.into_iter().collect(),
        has_costs: columns.iter().any(|column| column.text == COST),
        has_values: columns.iter().any(|column| matches!(column.order, Order::Script(_))),
    };
    table.render().expect("writing to a string does not fail")
}

/// The head over what a tool cost.
pub const COST: &str = "Cost";
/// The head over how long building took.
pub const BUILD_TIME: &str = "Build time";

impl Measure {
    /// Of so many runs.
    pub fn of(rank: RankRange, composite: &Spread, runs: i64, dimension: impl Fn(Dimension) -> Option<f64>) -> Self {
        let on_scale = |value: f64| number::finite(value).clamp(0.0, 100.0);
        let interval = composite.interval;
        let none = if runs == 1 { "one run, no interval" } else { "single runs, no interval" };
        Self {
            rank: rank_words(rank),
            best: rank.best,
            composite: composite.mean.map_or_else(|| "–".to_owned(), number::score),
            interval: interval.map_or_else(
                || none.to_owned(),
                |interval| format!("{} to {}", number::score(interval.low), number::score(interval.high)),
            ),
            mean: number::points(on_scale(composite.mean.unwrap_or_default())),
            low: interval.map(|interval| number::points(on_scale(interval.low))),
            width: interval
                .map(|interval| number::points(on_scale(interval.high) - on_scale(interval.low)))
                .unwrap_or_default(),
            bars: Dimension::ALL.map(|key| Bar::of(key, dimension(key))).into(),
        }
    }
}

impl Bar {
    /// Of a score from 0 to 1.
    pub fn of(dimension: Dimension, score: Option<f64>) -> Self {
        let shown = |score: f64| number::score(100.0 * number::finite(score).clamp(0.0, 1.0));
        Self { accent: dimension.key(), title: dimension.title(), score: score.map(shown) }
    }
}

impl Line {
    /// A tool of which nothing but its score is known.
    pub fn new(tool: &str, measure: Measure, runs: i64) -> Self {
        Self {
            tool: text::line_within(tool, 80),
            href: None,
            mark: String::new(),
            version: String::new(),
            measure,
            build: None,
            usd: None,
            runs,
            links: Vec::new(),
        }
    }
}

fn rank_words(rank: RankRange) -> String {
    if rank.best == rank.worst { rank.best.to_string() } else { format!("{}–{}", rank.best, rank.worst) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_is_not_certain_is_a_range() {
        assert_eq!(rank_words(RankRange { best: 1, worst: 3 }), "1–3");
        assert_eq!(rank_words(RankRange { best: 2, worst: 2 }), "2");
    }

    #[test]
    fn cells_say_what_they_are_sorted_by_only_where_a_script_sorts() {
        let measure = Measure::of(RankRange { best: 2, worst: 4 }, &Spread::of([50.0], 100.0), 1, |_| None);
        let line = Line { usd: Some(Amount::of(1.5, number::dollars)), ..Line::new("a <b>", measure, 1) };
        let columns =
            |order: fn() -> Order| [Column { text: "Rank", order: order() }, Column { text: COST, order: order() }];
        let scripted = table(&columns(|| Order::Script("up")), [&line]);
        assert!(scripted.contains("data-sort=\"up\"") && scripted.contains("data-value=\"2\">2–4<"), "{scripted}");
        assert!(scripted.contains("data-value=\"1.5\"") && scripted.contains("a &#60;b&#62;"), "{scripted}");
        let plain = table(&columns(|| Order::Address { href: "/x".to_owned(), sorted: None })[..1], [&line]);
        assert!(
            !plain.contains("data-value") && !plain.contains("Cost") && plain.contains("<a href=\"/x\">"),
            "{plain}"
        );
    }
}
