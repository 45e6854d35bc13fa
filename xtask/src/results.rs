//! Dated results under `benchmarks/`, and the page that sums them up.

use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::verdict::Verdict;
use crate::{calendar, project};
use std::fmt::Write;
use std::fs;

/// What one scenario of the bench or one part of the soak found, in words and in numbers.
pub struct Outcome {
    /// The last part of the file's name.
    pub kind: &'static str,
    pub title: String,
    /// What was done, with what, as a reader of the page needs it to judge the numbers.
    pub about: String,
    pub table: Table,
    pub verdicts: Vec<Verdict>,
    /// Every number as it was measured.
    pub raw: Json,
}

/// The numbers worth a place on the page.
#[derive(Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Json>>,
}

impl Table {
    pub fn new<const N: usize>(columns: [&str; N]) -> Self {
        Self { columns: columns.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    pub fn row<const N: usize>(&mut self, cells: [Json; N]) {
        self.rows.push(cells.into_iter().collect());
    }

    fn to_json(&self) -> Json {
        Json::object([
            ("columns", self.columns.clone().into()),
            ("rows", Json::List(self.rows.iter().cloned().map(Json::List).collect())),
        ])
    }
}

impl Outcome {
    pub fn missed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.is_reached()).count()
    }

    /// Prints the verdicts, writes `benchmarks/<date>-<kind>.json`, or `…-2.json` and so on where that is there already, and renews
    /// `benchmarks/README.md`.
    pub fn keep(&self, machine: &Json) -> Done {
        for verdict in &self.verdicts {
            println!("{}: {verdict}", self.kind);
        }
        let folder = project::root().join("benchmarks");
        fs::create_dir_all(&folder).naming("make benchmarks/")?;
        let result = self.to_json(machine)?;
        let name = free_name(&stem(&result), |name| folder.join(name).exists());
        fs::write(folder.join(&name), result.pretty()).naming("write the result")?;
        renew_summary()?;
        println!("{}: wrote benchmarks/{name} and benchmarks/README.md", self.kind);
        Ok(())
    }

    fn to_json(&self, machine: &Json) -> Result<Json, Failure> {
        Ok(Json::object([
            ("kind", self.kind.into()),
            ("title", self.title.as_str().into()),
            ("about", self.about.as_str().into()),
            ("date", calendar::today().into()),
            ("benchwright", project::version()?.into()),
            ("machine", machine.clone()),
            ("table", self.table.to_json()),
            ("raw", self.raw.clone()),
            ("targets", Json::List(self.verdicts.iter().map(Verdict::to_json).collect())),
        ]))
    }
}

/// The first name that is free: what was measured stays, whatever the same day brings.
fn free_name(stem: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = format!("{stem}.json");
    let mut number = 1;
    while is_taken(&name) {
        number += 1;
        name = format!("{stem}-{number}.json");
    }
    name
}

/// What the name of a result's file begins with.
fn stem(result: &Json) -> String {
    format!("{}-{}", date(result), result.text("kind").unwrap_or_default())
}

/// Which result of its kind and day it is, as the name of its file says.
fn number((name, result): &(String, Json)) -> usize {
    let rest = name.strip_prefix(&stem(result)).and_then(|rest| rest.strip_suffix(".json")?.strip_prefix('-'));
    rest.and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// The newest dated result of a kind.
pub fn newest(kind: &str) -> Result<Option<Json>, Failure> {
    Ok(all()?.into_iter().map(|(_, result)| result).find(|result| result.text("kind") == Some(kind)))
}

/// Writes `benchmarks/README.md` from the dated results that are there.
pub fn renew_summary() -> Done {
    let file = project::root().join("benchmarks/README.md");
    fs::write(file, summary(&all()?)).naming("write benchmarks/README.md")
}

/// All dated results with the names of their files, newest first.
fn all() -> Result<Vec<(String, Json)>, Failure> {
    let mut results = Vec::new();
    for entry in fs::read_dir(project::root().join("benchmarks")).naming("list benchmarks/")?.flatten() {
        let file = entry.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            results.push((entry.file_name().to_string_lossy().into_owned(), Json::read(&file)?));
        }
    }
    newest_first(&mut results);
    Ok(results)
}

/// By date, within a day by kind, and of a kind the last one first.
fn newest_first(results: &mut [(String, Json)]) {
    results.sort_by(|one, other| {
        let by_kind = || one.1.text("kind").cmp(&other.1.text("kind"));
        date(&other.1).cmp(date(&one.1)).then_with(by_kind).then_with(|| number(other).cmp(&number(one)))
    });
}

fn summary(results: &[(String, Json)]) -> String {
    let mut page = String::from(
        "# Benchmarks\n\nDated results with the machine they were taken on, newest first. Written by `cargo xtask bench` and \
         `cargo xtask soak`; do not edit by hand. A target that was missed says so.\n",
    );
    for result in results {
        // Writing to a string cannot fail.
        let _ = write_result(&mut page, result);
    }
    page
}

fn write_result(page: &mut String, kept: &(String, Json)) -> std::fmt::Result {
    let (name, result) = kept;
    let again = if number(kept) > 1 { format!(" ({})", number(kept)) } else { String::new() };
    writeln!(page, "\n## {}{again}: {}\n", date(result), result.text("title").unwrap_or(name))?;
    let about = result.text("about").map(|about| format!("{about} ")).unwrap_or_default();
    writeln!(page, "{about}{}. Raw: [{name}]({name}).", machine_line(result))?;
    page.push_str(&table(result));
    write_targets(page, result)
}

/// The table of a result as Markdown, an empty line before it; nothing when it has none.
pub fn table(result: &Json) -> String {
    let row = |cells: &[Json]| format!("| {} |\n", cells.iter().map(shown).collect::<Vec<_>>().join(" | "));
    let columns = result.list("table.columns");
    if columns.is_empty() {
        return String::new();
    }
    let rows = result
        .list("table.rows")
        .iter()
        .map(|cells| if let Json::List(cells) = cells { row(cells) } else { String::new() });
    format!("\n{}|{}\n{}", row(columns), "--:|".repeat(columns.len()), rows.collect::<String>())
}

fn write_targets(page: &mut String, result: &Json) -> std::fmt::Result {
    if result.list("targets").is_empty() {
        return Ok(());
    }
    writeln!(page, "\n| target | | measured | |\n|---|--:|--:|---|")?;
    for target in result.list("targets") {
        let reached = target.at("reached") == Some(&Json::Bool(true));
        writeln!(
            page,
            "| {} | {} | {} | {} |",
            target.text("what").unwrap_or("?"),
            bound(target),
            decimals(target.number("measured"), 3),
            if reached { "reached" } else { "**missed**" },
        )?;
    }
    Ok(())
}

fn bound(target: &Json) -> String {
    match target.number("at_least") {
        Some(least) => format!("≥ {}", decimals(Some(least), 2)),
        None => format!("≤ {}", decimals(target.number("at_most"), 2)),
    }
}

fn shown(cell: &Json) -> String {
    match cell {
        Json::Number(number) => decimals(Some(*number), 2),
        Json::Text(text) => text.clone(),
        _ => "–".to_owned(),
    }
}

fn date(result: &Json) -> &str {
    result.text("date").unwrap_or("undated")
}

/// The machine of a result, for a sentence.
pub fn machine_line(result: &Json) -> String {
    format!(
        "Machine: {} cores ({}), {} GB, {}, load {} before the start",
        decimals(result.number("machine.cores"), 0),
        result.text("machine.cpu").unwrap_or("unknown"),
        decimals(result.number("machine.memory_gb"), 0),
        result.text("machine.os").unwrap_or("unknown"),
        decimals(result.number("machine.load_average"), 1),
    )
}

fn decimals(value: Option<f64>, digits: usize) -> String {
    let Some(value) = value else { return "–".to_owned() };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_was_done_and_what_was_missed() {
        let mut table = Table::new(["pair", "ours, s"]);
        table.row([1_usize.into(), 20.25.into()]);
        table.row([2_usize.into(), Json::Null]);
        let outcome = Outcome {
            kind: "page",
            title: "scoring a page".to_owned(),
            about: "Two pairs.".to_owned(),
            table,
            verdicts: vec![Verdict::new("wall", 0.6, Some(0.7)), Verdict::new("wall", 0.6, Some(0.5))],
            raw: Json::Null,
        };
        assert_eq!(outcome.missed(), 1);
        let page = summary(&[("2026-01-02-page.json".to_owned(), outcome.to_json(&Json::Null).unwrap())]);
        assert!(page.contains(": scoring a page\n\nTwo pairs. Machine:"), "{page}");
        assert!(page.contains("| pair | ours, s |\n|--:|--:|\n| 1 | 20.25 |\n| 2 | – |"), "{page}");
        assert!(page.contains("| wall | ≤ 0.6 | 0.7 | **missed** |"), "{page}");
        assert!(page.contains("| wall | ≤ 0.6 | 0.5 | reached |"), "{page}");
    }

    fn kept(date: &str, kind: &str, name: &str) -> (String, Json) {
        (name.to_owned(), Json::object([("date", date.into()), ("kind", kind.into()), ("title", "a title".into())]))
    }

    #[test]
    fn a_second_measurement_of_a_day_replaced_the_first_one_a_miss_included() {
        let mut there = Vec::new();
        for name in ["2026-01-02-site.json", "2026-01-02-site-2.json", "2026-01-02-site-3.json"] {
            let free = free_name("2026-01-02-site", |name| there.iter().any(|taken| taken == name));
            assert_eq!(free, name);
            there.push(free);
        }
    }

    #[test]
    fn the_last_measurement_of_a_day_is_the_newest() {
        let day = "2026-01-02";
        let mut results: Vec<_> =
            (2..=11).map(|again| kept(day, "site", &format!("{day}-site-{again}.json"))).collect();
        results.extend([
            kept(day, "site", "2026-01-02-site.json"),
            kept(day, "quiz-page", "2026-01-02-quiz-page.json"),
            kept("2026-01-03", "zip", "2026-01-03-zip.json"),
        ]);
        newest_first(&mut results);
        let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names[..4],
            ["2026-01-03-zip.json", "2026-01-02-quiz-page.json", "2026-01-02-site-11.json", "2026-01-02-site-10.json"]
        );
        assert_eq!(names.last(), Some(&"2026-01-02-site.json"));
        let page = summary(&results);
        assert!(page.contains("## 2026-01-02 (11): a title\n"), "{page}");
        assert_eq!(page.matches("## 2026-01-02: a title\n").count(), 2, "{page}");
    }

    #[test]
    fn numbers_have_no_needless_zeros() {
        assert_eq!(decimals(Some(20.0), 2), "20");
        assert_eq!(decimals(Some(0.350), 3), "0.35");
        assert_eq!(decimals(Some(100.0), 0), "100");
    }
}
