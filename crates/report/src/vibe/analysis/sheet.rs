//! One table of the analysis, from which its HTML, CSV and JSON are made: what readers see and what programs read cannot differ.

use crate::csv::{Table, number as csv_number, words as csv_words};
use crate::{number, text};
use serde_json::{Map, Value, json};

/// Longer tables are folded away on a page.
const UNFOLDED: usize = 20;

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Name of its files.
    pub name: String,
    /// What readers see over it.
    pub title: &'static str,
    /// What stands under the title.
    pub about: String,
    /// Key for programs, words for readers.
    pub columns: Vec<(String, String)>,
    /// As many cells in each row as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell. What nobody knows is never 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Words(String),
    Number {
        value: f64,
        shown: String,
    },
    /// Nobody knows.
    Unknown,
}

impl Sheet {
    pub fn new(name: &str, title: &'static str, about: impl Into<String>, columns: &[(&str, &str)]) -> Self {
        let owned = |(key, label): &(&str, &str)| ((*key).to_owned(), (*label).to_owned());
        let columns = columns.iter().map(owned).collect();
        Self { name: name.to_owned(), title, about: about.into(), columns, rows: Vec::new() }
    }

    /// A further column with a name that came with the data.
    pub fn column(&mut self, key: &str, label: &str) {
        self.columns.push((text::line_within(key, 80), text::line_within(label, 80)));
    }

    /// Takes a column out again.
    pub fn drop_column(&mut self, key: &str) {
        if let Some(place) = self.columns.iter().position(|(known, _)| known == key) {
            self.columns.remove(place);
            self.rows.iter_mut().for_each(|row| drop(row.remove(place)));
        }
    }

    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "{}", self.name);
        self.rows.push(cells);
    }

    /// Whether it is folded away on a page.
    pub fn is_long(&self) -> bool {
        self.rows.len() > UNFOLDED
    }

    pub fn csv(&self) -> String {
        // Keys of columns may have come with the data, so they are cleaned like words.
        let keys: Vec<String> = self.columns.iter().map(|(key, _)| csv_words(key)).collect();
        let mut table = Table::new(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        for row in &self.rows {
            table.row(&row.iter().map(Cell::csv).collect::<Vec<_>>());
        }
        table.into_text()
    }

    /// Rows as objects, in order.
    pub fn json(&self) -> String {
        let row = |cells: &Vec<Cell>| {
            let pairs = self.columns.iter().zip(cells).map(|((key, _), cell)| (key.clone(), cell.json()));
            Value::Object(pairs.collect::<Map<_, _>>())
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        let sheet = json!({ "name": self.name, "title": self.title, "rows": rows });
        format!("{sheet:#}\n")
    }
}

impl Cell {
    pub fn words(words: impl AsRef<str>) -> Self {
        Self::Words(text::line_within(words.as_ref(), 200))
    }

    pub fn count(count: u64) -> Self {
        Self::Number { value: count as f64, shown: count.to_string() }
    }

    pub fn size(count: usize) -> Self {
        Self::count(count as u64)
    }

    /// Percent or percentage points.
    pub fn percent(value: impl Into<Option<f64>>) -> Self {
        Self::shown(value, |value| format!("{value:.1}"))
    }

    pub fn dollars(value: impl Into<Option<f64>>) -> Self {
        Self::shown(value, number::dollars)
    }

    pub fn seconds(value: impl Into<Option<f64>>) -> Self {
        Self::shown(value, number::seconds)
    }

    /// A probability.
    pub fn chance(value: impl Into<Option<f64>>) -> Self {
        Self::shown(value, |p| if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") })
    }

    /// A correlation or a coefficient.
    pub fn coefficient(value: impl Into<Option<f64>>) -> Self {
        Self::shown(value, |value| format!("{value:.2}"))
    }

    /// A number without a unit, rounded for readers.
    pub fn about(value: impl Into<Option<f64>>) -> Self {
        Self::shown(value, |value| if value.abs() < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") })
    }

    fn shown(value: impl Into<Option<f64>>, words: impl Fn(f64) -> String) -> Self {
        let known = value.into().filter(|value| value.is_finite());
        known.map_or(Self::Unknown, |value| Self::Number { value, shown: words(value) })
    }

    fn csv(&self) -> String {
        match self {
            Self::Words(words) => csv_words(words),
            Self::Number { value, .. } => csv_number(Some(*value)),
            Self::Unknown => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Words(words) => json!(words),
            Self::Number { value, .. } if value.fract() == 0.0 && value.abs() < 9e15 => json!(*value as i64),
            Self::Number { value, .. } => json!(value),
            Self::Unknown => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_empty_and_null_and_never_zero() {
        let mut sheet = Sheet::new("costs", "Costs", "", &[("model", "Model"), ("cost_usd", "Cost"), ("apps", "Apps")]);
        sheet.row(vec![Cell::words("=a"), Cell::dollars(None), Cell::size(3)]);
        sheet.row(vec![Cell::words("b"), Cell::dollars(f64::NAN), Cell::percent(0.5)]);
        assert_eq!(sheet.csv(), "\"model\",\"cost_usd\",\"apps\"\r\n\"'=a\",,3\r\n\"b\",,0.5\r\n");
        let json: Value = serde_json::from_str(&sheet.json()).unwrap();
        assert_eq!(json["rows"][0], json!({ "model": "=a", "cost_usd": null, "apps": 3 }));
    }
}
