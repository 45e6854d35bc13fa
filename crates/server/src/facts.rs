//! Any JSON as facts and tables. Evidence has many shapes, and newer versions have newer ones; none of them needs a page of its own.

use benchwright_report::{number, text};
use serde_json::{Map, Value};

const MOST_ROWS: usize = 200;
/// More than any table of ours has; of others the rest is said to be left out.
const MOST_COLUMNS: usize = 12;
const MOST_BLOCKS: usize = 400;
const DEEPEST: usize = 4;
const LONGEST_CELL: usize = 400;

/// What a reader looks for first, in this order; everything else follows.
const FIRST: [&str; 24] = [
    "id",
    "rule",
    "name",
    "criterion",
    "title",
    "level",
    "severity",
    "kind",
    "status",
    "method",
    "url",
    "file",
    "line",
    "column",
    "message",
    "text",
    "reason",
    "selector",
    "target",
    "html",
    "value",
    "score",
    "weight",
    "passed",
];
/// A list of short words is said in one line.
const ONE_LINE: usize = 200;

/// A part of the page.
pub struct Block {
    pub title: String,
    /// How many things are in it.
    pub count: Option<usize>,
    pub facts: Vec<(String, String)>,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub left_out: usize,
    pub columns_left_out: usize,
    /// How deep it lies, from 2: the level of its heading.
    pub level: usize,
}

/// Whether a cell of a table needs room: it is long, or has a word that cannot be broken well.
pub fn is_long(cell: &str) -> bool {
    cell.len() > 60 || cell.split_whitespace().any(|word| word.len() > 20)
}

/// The parts of a value, the plain facts first.
pub fn blocks(value: &Value) -> Vec<Block> {
    let mut blocks = Vec::new();
    match value {
        Value::Object(fields) => object("Facts", None, fields, 2, &mut blocks),
        other => named("Facts", other, 2, &mut blocks),
    }
    blocks.truncate(MOST_BLOCKS);
    close_ranks(&mut blocks);
    blocks
}

/// Whoever goes by headings must not miss a level: a list of parts has no heading of its own, so its parts move up.
fn close_ranks(blocks: &mut [Block]) {
    let mut above: Vec<usize> = Vec::new();
    for block in blocks {
        above.retain(|level| *level < block.level);
        above.push(block.level);
        block.level = above.len() + 1;
    }
}

fn object(title: &str, count: Option<usize>, fields: &Map<String, Value>, level: usize, blocks: &mut Vec<Block>) {
    let said = |(name, value): (&String, &Value)| match in_one_line(value) {
        Some(words) => Some((label(name), words)),
        None if is_plain(value) => Some(fact(name, value)),
        None => None,
    };
    let facts: Vec<_> = fields.iter().filter_map(said).collect();
    if !facts.is_empty() {
        blocks.push(Block { facts, ..Block::new(title, count, level) });
    }
    for (name, value) in fields.iter().filter(|(_, value)| !is_plain(value) && in_one_line(value).is_none()) {
        named(&label(name), value, level, blocks);
    }
}

fn named(title: &str, value: &Value, level: usize, blocks: &mut Vec<Block>) {
    if blocks.len() >= MOST_BLOCKS {
        return;
    }
    match value {
        Value::Object(fields) if level - 2 < DEEPEST => object(title, None, fields, level, blocks),
        Value::Array(items) if items.iter().any(has_lists) && level - 2 < DEEPEST => {
            for (place, item) in items.iter().take(MOST_ROWS).enumerate() {
                let name =
                    name_of(item).map_or_else(|| format!("{title} {}", place + 1), |name| format!("{title}: {name}"));
                named(&name, item, level + 1, blocks);
            }
        }
        Value::Array(items) => blocks.push(table(title, items, level)),
        other => blocks.push(Block { facts: vec![(title.to_owned(), cell(other))], ..Block::new(title, None, level) }),
    }
}

fn table(title: &str, items: &[Value], level: usize) -> Block {
    let all = columns(items);
    let columns = &all[..all.len().min(MOST_COLUMNS)];
    let row = |item: &Value| match item {
        Value::Object(fields) => columns.iter().map(|key| fields.get(*key).map(cell).unwrap_or_default()).collect(),
        other => vec![cell(other)],
    };
    let rows = items.iter().take(MOST_ROWS).map(row).collect();
    Block {
        columns: if columns.is_empty() {
            vec!["Value".to_owned()]
        } else {
            columns.iter().map(|key| label(key)).collect()
        },
        rows,
        left_out: items.len().saturating_sub(MOST_ROWS),
        columns_left_out: all.len() - columns.len(),
        ..Block::new(title, Some(items.len()), level)
    }
}

/// The keys that some row has something to say for, those first that readers look for.
fn columns(items: &[Value]) -> Vec<&str> {
    let rows = items.iter().take(MOST_ROWS).filter_map(Value::as_object);
    let mut columns: Vec<&str> = Vec::new();
    for (key, value) in rows.flatten() {
        if !columns.contains(&key.as_str()) && !cell(value).is_empty() {
            columns.push(key);
        }
    }
    columns.sort_by_key(|key| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
    columns
}

/// A list of nothing, or of a few short words.
fn in_one_line(value: &Value) -> Option<String> {
    let items = value.as_array()?;
    if !items.iter().all(is_plain) {
        return None;
    }
    let words = items.iter().map(cell).collect::<Vec<_>>().join(", ");
    if words.chars().count() > ONE_LINE {
        return None;
    }
    Some(if items.is_empty() { "none".to_owned() } else { words })
}

impl Block {
    fn new(title: &str, count: Option<usize>, level: usize) -> Self {
        let title = text::line_within(title, 160);
        let (facts, columns, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { title, count, facts, columns, rows, left_out: 0, columns_left_out: 0, level: level.min(4) }
    }
}

fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Whether a row would hide a table.
fn has_lists(value: &Value) -> bool {
    let is_list = |value: &Value| matches!(value, Value::Array(items) if items.iter().any(Value::is_object));
    value.as_object().is_some_and(|fields| fields.values().any(is_list))
}

fn name_of(value: &Value) -> Option<String> {
    ["id", "rule", "name", "criterion", "title", "file", "url"]
        .iter()
        .find_map(|key| value.get(*key)?.as_str().map(|name| text::line_within(name, 100)))
}

fn fact(name: &str, value: &Value) -> (String, String) {
    number::fact(name, value)
}

fn label(name: &str) -> String {
    number::fact(name, &Value::Null).0
}

fn cell(value: &Value) -> String {
    let words = match value {
        Value::Null => String::new(),
        Value::String(words) => words.clone(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        other => other.to_string(),
    };
    text::line_within(&words, LONGEST_CELL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_become_tables_and_lists_of_lists_become_parts() {
        let value = json!({
            "load_seconds": 1.5,
            "console": [{ "level": "error", "text": "boom" }, { "level": "log", "line": 3 }],
            "violations": [{ "id": "color-contrast", "nodes": [{ "target": "p" }] }],
        });
        let blocks = blocks(&value);
        let titles: Vec<_> = blocks.iter().map(|block| block.title.as_str()).collect();
        assert_eq!(titles, ["Facts", "Console", "Violations: color-contrast", "Nodes"]);
        assert_eq!(blocks.iter().map(|block| block.level).collect::<Vec<_>>(), [2, 2, 3, 3]);
        assert_eq!(blocks[0].facts, [("Load".to_owned(), "1.5 s".to_owned())]);
        assert_eq!(blocks[1].columns, ["Level", "Line", "Text"]);
        assert_eq!(blocks[1].rows[1], ["log", "3", ""]);
    }

    #[test]
    fn what_readers_look_for_comes_first_and_what_nobody_says_is_left_out() {
        let request = json!({
            "a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10, "k": 11, "failed": null,
            "status": 200, "url": "https://app.example/",
        });
        let value = json!({ "requests": [request], "dialogs": [], "criteria": ["headline", "form"] });
        let blocks = blocks(&value);
        assert_eq!(
            blocks[0].facts,
            [("Criteria".to_owned(), "headline, form".to_owned()), ("Dialogs".to_owned(), "none".to_owned())]
        );
        assert_eq!(blocks[1].columns[..3], ["Status", "URL", "A"]);
        assert_eq!((blocks[1].columns.len(), blocks[1].columns_left_out), (MOST_COLUMNS, 1));
        let visits = super::blocks(&json!({ "visits": [{ "requests": [{ "url": "x" }] }] }));
        assert_eq!((visits[0].title.as_str(), visits[0].level), ("Requests", 2));
    }

    #[test]
    fn a_request_is_shown_with_everything_that_is_known_of_it() {
        let request = json!({
            "url": "https://app.example/", "method": "GET", "resource_type": "document", "status": 200,
            "mime_type": "text/html", "content_encoding": "br", "encoded_bytes": 6954, "decoded_bytes": 20_000,
            "from_cache": false, "failed": "net::ERR_ABORTED",
        });
        let blocks = blocks(&json!({ "requests": [request] }));
        assert_eq!(blocks[0].rows[0].len(), 10);
        assert_eq!(blocks[0].columns_left_out, 0);
        for told in ["br", "20000", "no", "net::ERR_ABORTED"] {
            assert!(blocks[0].rows[0].iter().any(|cell| cell == told), "{told}: {:?}", blocks[0].rows);
        }
    }

    #[test]
    fn a_value_of_any_shape_stays_within_limits() {
        let mut deep = json!(1);
        for _ in 0..60 {
            deep = json!({ "a": [deep.clone(), { "b": [{ "c": deep }] }] });
            if deep.to_string().len() > 1_000_000 {
                break;
            }
        }
        assert!(blocks(&deep).len() <= MOST_BLOCKS);
        let long = blocks(&json!(vec!["x".repeat(10_000); 1000]));
        assert_eq!((long[0].rows.len(), long[0].left_out), (MOST_ROWS, 800));
        assert!(long[0].rows[0][0].chars().count() <= LONGEST_CELL);
    }
}
