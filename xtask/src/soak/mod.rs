//! `cargo xtask soak`: what takes too long for every commit. The same apps many times, many kills, the noise of C4, every mutant, a thousand jobs, every app of every task, both backends, evaluations that are repeated.

mod backends;
mod c4;
mod diary;
mod evaluations;
mod jobs;
mod kills;
mod mutants;
mod repeats;
mod subject;
mod tasks;

use crate::arguments::Arguments;
use crate::failure::{Done, Failure};
use crate::json::Json;
use crate::project::Scratch;
use crate::results::Outcome;
use crate::{demo, machine, setup};

struct Part {
    name: &'static str,
    /// Whether it runs the program itself; what is a test of the project builds its own.
    needs_program: bool,
    run: fn(&Soak) -> Result<Outcome, Failure>,
}

const PARTS: [Part; 8] = [
    Part { name: "repeats", needs_program: true, run: repeats::run },
    Part { name: "kills", needs_program: true, run: kills::run },
    Part { name: "c4", needs_program: true, run: c4::run },
    Part { name: "mutants", needs_program: false, run: mutants::run },
    Part { name: "jobs", needs_program: false, run: jobs::run },
    Part { name: "tasks", needs_program: false, run: tasks::run },
    Part { name: "evaluations", needs_program: true, run: evaluations::run },
    Part { name: "backends", needs_program: false, run: backends::run },
];

struct Soak {
    scratch: Scratch,
    repeats: usize,
    kills: usize,
    /// Of the parts about tasks, only these; all when there are none.
    tasks: Vec<String>,
}

pub fn run(mut arguments: Arguments) -> Done {
    let repeats = arguments.number("--repeats", 20)?.max(2);
    let kills = arguments.number("--kills", 20)?;
    let tasks = arguments.names("--task")?;
    let chosen = arguments.choice("--only", &PARTS.map(|part| part.name))?;
    arguments.finish()?;
    if !cfg!(target_os = "linux") {
        return Err(Failure::environment("the soak reads /proc and runs on Linux only"));
    }
    let machine = machine::describe();
    setup::install_missing()?;
    let chosen: Vec<&Part> = PARTS.iter().filter(|part| chosen.contains(&part.name)).collect();
    if chosen.iter().any(|part| part.needs_program) {
        demo::build_release()?;
    }
    let soak = Soak { scratch: Scratch::new("soak")?, repeats, kills, tasks };
    let mut missed = 0;
    for part in chosen {
        println!("soak: {}", part.name);
        let outcome = (part.run)(&soak)?;
        missed += outcome.missed();
        outcome.keep(&machine)?;
    }
    if missed == 0 { Ok(()) } else { Err(Failure::check(format!("{missed} targets missed; see the results"))) }
}

/// The tasks in words.
fn named(tasks: &[String]) -> String {
    if tasks.is_empty() { "every task".to_owned() } else { tasks.join(", ") }
}

/// What must be equal in every report of the same app: everything a scorer says, but not how long it took.
fn verdicts(report: &Json, scorers: &str) -> Result<Json, Failure> {
    let members = scorers.split(',').map(|id| {
        let at = |field: &str| report.at(&format!("scorers.{id}.{field}")).cloned().unwrap_or(Json::Null);
        let said = ["outcome", "score", "passed", "reason", "title", "details"].map(|field| (field, at(field)));
        (id.to_owned(), without_marker(&Json::object(said)))
    });
    if report.at("scorers").is_none() {
        return Err(Failure::check("a report without scorers"));
    }
    Ok(Json::Object(members.collect()))
}

/// The text that marks a record is drawn anew for every run, or finding it again would prove nothing. Notes quote it.
fn without_marker(said: &Json) -> Json {
    said.text("details.facts.marker").map_or_else(|| said.clone(), |marker| without(said, marker))
}

fn without(said: &Json, marker: &str) -> Json {
    match said {
        Json::Text(text) => Json::Text(text.replace(marker, "")),
        Json::List(entries) => Json::List(entries.iter().map(|entry| without(entry, marker)).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), without(value, marker))).collect())
        }
        other => other.clone(),
    }
}

/// Where two values differ first, as a path.
fn difference(one: &Json, other: &Json, at: &str) -> Option<String> {
    match (one, other) {
        (Json::Object(one), Json::Object(other)) if one.keys().eq(other.keys()) => {
            one.iter().find_map(|(key, value)| difference(value, other.get(key)?, &format!("{at}.{key}")))
        }
        (Json::List(one), Json::List(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(index, (one, other))| difference(one, other, &format!("{at}[{index}]")))
        }
        _ => (one != other).then(|| at.trim_start_matches('.').to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let one = Json::parse(r#"{"c3": {"items": [{"n": 1}, {"n": 2}], "score": 0.5}}"#).unwrap();
        let other = Json::parse(r#"{"c3": {"items": [{"n": 1}, {"n": 3}], "score": 0.5}}"#).unwrap();
        assert_eq!(difference(&one, &one.clone(), ""), None);
        assert_eq!(difference(&one, &other, "").as_deref(), Some("c3.items[1].n"));
    }

    #[test]
    fn a_note_that_quotes_the_marker_of_its_run_is_no_difference() {
        let of = |marker: &str| {
            let text = r#"{"details": {"facts": {"marker": "MARK"}, "notes": ["`MARK` is still there"]}}"#;
            without_marker(&Json::parse(&text.replace("MARK", marker)).unwrap())
        };
        assert_eq!(difference(&of("a1"), &of("b22"), ""), None);
        assert_eq!(of("a1").list("details.notes").len(), 1);
    }

    #[test]
    fn seconds_do_not_count_but_details_do() {
        let report = |seconds: &str, fact: &str| {
            let text = format!(r#"{{"scorers": {{"c3": {{"seconds": {seconds}, "details": {fact}}}}}}}"#);
            verdicts(&Json::parse(&text).unwrap(), "c3").unwrap()
        };
        assert_eq!(report("1", "1"), report("2", "1"));
        assert_ne!(report("1", "1"), report("1", "2"));
        let facts = |marker: u32, probes: u32| {
            report("1", &format!(r#"{{"facts": {{"marker": "Bw{marker}", "probes": {probes}}}}}"#))
        };
        assert_eq!(facts(1, 2), facts(3, 2));
        assert_ne!(facts(1, 2), facts(1, 3));
        assert!(verdicts(&Json::Null, "c3").is_err());
    }
}
