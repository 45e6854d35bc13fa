//! Dated results under `benchmarks/`, and the page that sums them up.

use crate::failure::{Done, Naming};
use crate::json::Json;
use crate::project;
use std::fmt::Write;
use std::fs;

/// Writes `benchmarks/<date>-<kind>.json` and renews `benchmarks/README.md`.
pub fn keep(kind: &str, result: &Json) -> Done {
    let folder = project::root().join("benchmarks");
    fs::create_dir_all(&folder).naming("make benchmarks/")?;
    let name = format!("{}-{kind}.json", result.text("date").unwrap_or("undated"));
    fs::write(folder.join(&name), result.pretty()).naming("write the result")?;
    renew_summary()?;
    println!("wrote benchmarks/{name} and benchmarks/README.md");
    Ok(())
}

/// Writes `benchmarks/README.md` from the dated results that are there.
pub fn renew_summary() -> Done {
    let folder = project::root().join("benchmarks");
    let mut results = Vec::new();
    for entry in fs::read_dir(&folder).naming("list benchmarks/")?.flatten() {
        let file = entry.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            results.push((entry.file_name().to_string_lossy().into_owned(), Json::read(&file)?));
        }
    }
    results.sort_by(|one, other| other.0.cmp(&one.0));
    fs::write(folder.join("README.md"), summary(&results)).naming("write benchmarks/README.md")
}

fn summary(results: &[(String, Json)]) -> String {
    let mut page = String::from(
        "# Benchmarks\n\nDated results with the machine they were taken on, newest first. Written by `cargo xtask bench` and \
         `cargo xtask soak`; do not edit by hand. A target that was missed says so.\n",
    );
    for (name, result) in results {
        // Writing to a string cannot fail.
        let _ = match result.text("kind") {
            Some("score") => write_score(&mut page, name, result),
            Some("soak") => write_soak(&mut page, name, result),
            _ => Ok(()),
        };
    }
    page
}

fn write_score(page: &mut String, name: &str, result: &Json) -> std::fmt::Result {
    let pairs = result.list("pairs");
    writeln!(page, "\n## {}: scoring a page, beside {}\n", date(result), result.text("peer").unwrap_or("the peer"))?;
    writeln!(
        page,
        "{} interleaved pairs on the sample page `{}`, scorers {}, three Lighthouse runs each, on the same Node and Chromium, after \
         one uncounted run of each. Our Lighthouse runs compute the performance category only and take no full-page screenshot; the \
         peer's compute four categories. {}. Raw: [{name}]({name}).\n",
        pairs.len(),
        result.text("page").unwrap_or("?"),
        result.text("scorers").unwrap_or("?"),
        machine_line(result),
    )?;
    writeln!(
        page,
        "| pair | ours, wall s | peer, wall s | ours outside Lighthouse s | peer outside Lighthouse s | ours, own MB | ours with Node MB | peer's Node MB |"
    )?;
    writeln!(page, "|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for (number, pair) in (1..).zip(pairs) {
        write!(page, "| {number} |")?;
        for path in [
            "ours.wall_seconds",
            "peer.wall_seconds",
            "ours.outside_lighthouse_seconds",
            "peer.outside_lighthouse_seconds",
            "ours.own_peak_mb",
            "ours.with_node_peak_mb",
            "peer.own_peak_mb",
        ] {
            write!(page, " {} |", decimals(pair.number(path), 1))?;
        }
        writeln!(page)?;
    }
    write_targets(page, result)
}

fn write_soak(page: &mut String, name: &str, result: &Json) -> std::fmt::Result {
    writeln!(page, "\n## {}: soak\n", date(result))?;
    writeln!(
        page,
        "{} repeats and {} kills ({} more runs ended before theirs) on the sample page `{}`, scorers {}. {}. Raw: [{name}]({name}).",
        decimals(result.number("repeats.count"), 0),
        decimals(killed(result), 0),
        decimals(result.number("kills.ended_before_the_kill"), 0),
        result.text("page").unwrap_or("?"),
        result.text("scorers").unwrap_or("?"),
        machine_line(result),
    )?;
    write_targets(page, result)
}

fn write_targets(page: &mut String, result: &Json) -> std::fmt::Result {
    writeln!(page, "\n| target | at most | measured | |\n|---|--:|--:|---|")?;
    for target in result.list("targets") {
        let reached = target.at("reached") == Some(&Json::Bool(true));
        writeln!(
            page,
            "| {} | {} | {} | {} |",
            target.text("what").unwrap_or("?"),
            decimals(target.number("at_most"), 2),
            decimals(target.number("measured"), 3),
            if reached { "reached" } else { "**missed**" },
        )?;
    }
    Ok(())
}

/// Runs that were really killed: a run that ended before its turn was not.
fn killed(result: &Json) -> Option<f64> {
    Some(result.number("kills.count")? - result.number("kills.ended_before_the_kill")?)
}

fn date(result: &Json) -> &str {
    result.text("date").unwrap_or("undated")
}

fn machine_line(result: &Json) -> String {
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
    fn the_page_says_what_was_missed() {
        let target = |reached: bool| {
            Json::object([
                ("what", "wall".into()),
                ("at_most", 0.6.into()),
                ("measured", 0.7.into()),
                ("reached", reached.into()),
            ])
        };
        let result = Json::object([
            ("kind", "score".into()),
            ("date", "2026-01-02".into()),
            ("pairs", Json::List(vec![Json::object([("ours", Json::object([("wall_seconds", 20.25.into())]))])])),
            ("targets", Json::List(vec![target(false), target(true)])),
        ]);
        let page = summary(&[("2026-01-02-score.json".to_owned(), result)]);
        assert!(page.contains("| wall | 0.6 | 0.7 | **missed** |"), "{page}");
        assert!(page.contains("| wall | 0.6 | 0.7 | reached |"), "{page}");
        assert!(page.contains("| 1 | 20.2 | – |"), "{page}");
    }

    #[test]
    fn numbers_have_no_needless_zeros() {
        assert_eq!(decimals(Some(20.0), 2), "20");
        assert_eq!(decimals(Some(0.350), 3), "0.35");
        assert_eq!(decimals(Some(100.0), 0), "100");
    }
}
