//! `cargo xtask soak`: what takes too long for every commit. The same page many times, many kills, every mutant, a thousand jobs.

mod kills;
mod repeats;

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::project::{self, Scratch};
use crate::{calendar, check, demo, machine, results, services, setup};
use benchwright_fixtures::{Server, Site};
use std::path::Path;

/// Everything but Lighthouse, whose numbers are measurements of time.
const DETERMINISTIC: &str = "f1,f5,c3,c5,c9,v2,v4,s1";
const SAMPLE: &str = "harbor-coffee";

pub fn run(mut arguments: Arguments) -> Done {
    let repeats = arguments.number("--repeats", 20)?.max(2);
    let kills = arguments.number("--kills", 20)?;
    arguments.finish()?;
    if !cfg!(target_os = "linux") {
        return Err(Failure::environment("the soak reads /proc and runs on Linux only"));
    }
    let machine = machine::describe();
    setup::install_missing()?;
    demo::build_release()?;
    let scratch = Scratch::new("soak")?;
    let server = Server::start(Site::app(SAMPLE)).naming("serve the sample app")?;
    let repeated = repeats::run(repeats, &server.url(), scratch.path())?;
    let killed = kills::run(kills, &server.url(), scratch.path(), &repeated)?;
    let mutants = check::every_mutant()?.run().is_err();
    services::install_missing()?;
    let jobs = check::many_jobs()?.run().is_err();
    let targets = [
        ("repeats that differ from the first", repeated.differing.len()),
        ("killed runs that could not be finished", killed.unfinished.len()),
        ("finished runs that differ from an undisturbed one", killed.differing.len()),
        ("processes left by killed runs", killed.processes_left),
        ("temporary folders left by killed runs", killed.folders_left),
        ("sweeps over all mutants of the corpus that found a wrong one", usize::from(mutants)),
        ("queues of a thousand jobs that lost or repeated one, or could not be finished", usize::from(jobs)),
    ];
    let failed: usize = targets.iter().map(|(_, count)| count).sum();
    for (what, count) in targets {
        println!("soak: {}: {what}: {count}", if count == 0 { "reached" } else { "MISSED" });
    }
    results::keep(
        "soak",
        &Json::object([
            ("kind", "soak".into()),
            ("date", calendar::today().into()),
            ("benchwright", project::version()?.into()),
            ("page", SAMPLE.into()),
            ("scorers", DETERMINISTIC.into()),
            ("machine", machine),
            ("repeats", repeated.to_json()),
            ("kills", killed.to_json()),
            ("targets", Json::List(targets.iter().map(|(what, count)| target(what, *count)).collect())),
        ]),
    )?;
    if failed == 0 { Ok(()) } else { Err(Failure::check(format!("{failed} faults; see the result"))) }
}

fn target(what: &str, count: usize) -> Json {
    Json::object([
        ("what", what.into()),
        ("at_most", 0_usize.into()),
        ("measured", count.into()),
        ("reached", (count == 0).into()),
    ])
}

/// The call that scores the page into a folder, with temporary files kept where they can be counted.
fn score(url: &str, out: &Path, temporary: &Path) -> Call {
    Call::new(project::release_binary())
        .arg("score")
        .arg(url)
        .words("--quiet --only")
        .arg(DETERMINISTIC)
        .arg("--out")
        .arg(out)
        .env("TMPDIR", temporary)
}

/// What must be equal in every report of the same page: everything a scorer says, but not how long it took.
fn verdicts(report: &Json) -> Result<Json, Failure> {
    let members = DETERMINISTIC.split(',').map(|id| {
        let at = |field: &str| report.at(&format!("scorers.{id}.{field}")).cloned().unwrap_or(Json::Null);
        let said = ["outcome", "score", "passed", "reason", "title", "details"].map(|field| (field, at(field)));
        (id.to_owned(), Json::object(said))
    });
    if report.at("scorers").is_none() {
        return Err(Failure::check("a report without scorers"));
    }
    Ok(Json::Object(members.collect()))
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
    fn seconds_do_not_count_but_details_do() {
        let report = |seconds: &str, fact: &str| {
            verdicts(
                &Json::parse(&format!(r#"{{"scorers": {{"c3": {{"seconds": {seconds}, "details": {fact}}}}}}}"#))
                    .unwrap(),
            )
            .unwrap()
        };
        assert_eq!(report("1", "1"), report("2", "1"));
        assert_ne!(report("1", "1"), report("1", "2"));
        assert!(verdicts(&Json::Null).is_err());
    }
}
