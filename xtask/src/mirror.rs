//! `cargo xtask mirror`: the site scores itself, and publishes the report on itself.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::site_process::SiteProcess;
use crate::{demo, project, setup};
use benchwright_fixtures::{Server, Site};
use std::path::PathBuf;

const SAMPLE: &str = "harbor-coffee";
/// What the site has to reach, judges left out.
const LEAST: &str = "95";

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    setup::install_missing()?;
    demo::build_release()?;
    let data = project::root().join("target/mirror");
    let _ = std::fs::remove_dir_all(&data);
    let app = Server::start(Site::app(SAMPLE)).naming("serve the sample app")?;
    println!("mirror: scoring the sample app, so that there is something to show");
    score(&app.url(), &data).words("--prompt corpus/prompts/harbor-coffee-landing.yaml --tool sample --quiet").run()?;
    let run = only_run(&data)?;
    let site = SiteProcess::start(&data, &["--behind-tls"])?;
    println!("mirror: scoring the site itself at {}", site.address);
    let routes = format!("/board,/runs/{run}");
    let scored = score(&site.address, &data)
        .words("--source site --prompt site/benchwright-site.yaml --tool benchwright --routes")
        .arg(&routes)
        .words("--fail-under")
        .arg(LEAST)
        .run();
    println!("mirror: see it with `benchwright serve --data {}`", data.display());
    scored.map_err(|failure| Failure { message: format!("the site is below {LEAST}"), ..failure })
}

fn score(url: &str, data: &PathBuf) -> Call {
    Call::new(project::release_binary()).arg("score").arg(url).arg("--out").arg(data)
}

fn only_run(data: &std::path::Path) -> Result<String, Failure> {
    let mut runs = std::fs::read_dir(data.join("runs")).naming("list the runs")?.flatten();
    let run = runs.next().ok_or_else(|| Failure::check("the sample app left no run"))?;
    Ok(run.file_name().to_string_lossy().into_owned())
}
