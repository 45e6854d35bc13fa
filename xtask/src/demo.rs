//! `cargo xtask demo`: from nothing to a report of the sample app.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::{project, setup};
use benchwright_fixtures::{Server, Site};

const SAMPLE: &str = "harbor-coffee";

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    setup::install_missing()?;
    build_release()?;
    let server = Server::start(Site::app(SAMPLE)).naming("serve the sample app")?;
    println!("demo: scoring the sample app at {}", server.url());
    let scored = score(&server.url());
    for name in ["report.html", "report.json"] {
        let file = project::root().join("report").join(name);
        if scored.is_ok() && file.is_file() {
            println!("demo: wrote {}", file.display());
        }
    }
    scored
}

/// Builds the program as users get it.
pub fn build_release() -> Done {
    println!("building benchwright in release mode");
    Call::cargo("build --release --package benchwright").run()
}

fn score(url: &str) -> Done {
    let call = Call::new(project::release_binary())
        .arg("score")
        .arg(url)
        .words("--prompt corpus/prompts/harbor-coffee-landing.yaml --source fixtures/apps/harbor-coffee --out report");
    // The program has said what is wrong; its exit code is all there is to add.
    call.run().map_err(|failure| Failure { message: String::new(), ..failure })
}
