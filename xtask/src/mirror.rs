//! `cargo xtask mirror`: the site scores itself, and publishes the report on itself.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::running::Running;
use crate::verdict::Verdict;
use crate::{demo, machine, project, setup};
use benchwright_fixtures::{Server, Site};
use std::path::PathBuf;

const SAMPLE: &str = "harbor-coffee";
/// What the site has to reach.
const LEAST: f64 = 95.0;

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    // Before anything is built, so that the load is the machine's own.
    let machine = machine::describe();
    setup::install_missing()?;
    demo::build_release()?;
    let data = project::root().join("target/mirror");
    let _ = std::fs::remove_dir_all(&data);
    let app = Server::start(Site::app(SAMPLE)).naming("serve the sample app")?;
    println!("mirror: scoring the sample app, so that there is something to show");
    score(&app.url(), &data).words("--prompt corpus/prompts/harbor-coffee-landing.yaml --tool sample --quiet").run()?;
    let run = only_run(&data)?;
    let site = Running::start(&data, "--behind-tls")?;
    println!("mirror: scoring the site itself at {}", site.address);
    score(&site.address, &data)
        .words("--source site --prompt site/benchwright-site.yaml --tool benchwright --routes")
        .arg(format!("/board,/runs/{run}"))
        .run()?;
    println!("mirror: see it with `benchwright serve --data {}`", data.display());
    let outcome = outcome(&Json::read(&data.join("report.json"))?);
    outcome.keep(&machine)?;
    if outcome.missed() == 0 { Ok(()) } else { Err(Failure::check(format!("the site is below {LEAST}"))) }
}

/// A composite that leaves something out because it failed is none.
fn outcome(report: &Json) -> Outcome {
    let errored = match report.at("scorers") {
        Some(Json::Object(scorers)) => {
            scorers.values().filter(|scorer| scorer.text("outcome") == Some("errored")).count()
        }
        _ => 0,
    };
    let composite = report.number("composite");
    let mut table = Table::new(["dimension", "score"]);
    for name in ["functional", "code_quality", "visual", "security"] {
        let score = report.number(&format!("dimensions.{name}.score")).map(|score| 100.0 * score);
        table.row([name.replace('_', " ").into(), score.map_or(Json::Null, Json::from)]);
    }
    Outcome {
        kind: "mirror",
        title: "the site, scored by itself".to_owned(),
        about: "`cargo xtask mirror`: home, a board and a report page as `benchwright serve` shows them, `site/` as the source, a prompt of its own; \
                without judges."
            .to_owned(),
        table,
        verdicts: vec![
            Verdict::at_least("composite without judges", LEAST, composite),
            Verdict::none("scorers that could not be measured", errored),
        ],
        raw: Json::object([
            ("composite", composite.map_or(Json::Null, Json::from)),
            ("coverage", report.at("coverage").cloned().unwrap_or(Json::Null)),
            ("headline", report.at("headline").cloned().unwrap_or(Json::Null)),
        ]),
    }
}

fn score(url: &str, data: &PathBuf) -> Call {
    Call::new(project::release_binary()).arg("score").arg(url).arg("--no-judges").arg("--out").arg(data)
}

fn only_run(data: &std::path::Path) -> Result<String, Failure> {
    let mut runs = std::fs::read_dir(data.join("runs")).naming("list the runs")?.flatten();
    let run = runs.next().ok_or_else(|| Failure::check("the sample app left no run"))?;
    Ok(run.file_name().to_string_lossy().into_owned())
}
