//! Reading letters out of what a model wrote: natively, in the page's module, and when somebody wants it to be slow.

use super::Bench;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use crate::{project, setup, wasm};

const ROUNDS: usize = 200;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    Call::cargo("build --release --quiet --package benchwright-quiz --example extraction").run()?;
    let program = project::release_binary().with_file_name("examples").join("extraction");
    let requests = bench.scratch.path().join("requests");
    let native = Json::parse(&Call::new(program).arg(&requests).text()?).naming("read what the extraction says")?;
    let module = in_the_module(bench, &requests)?;
    let megabytes = native.number("bytes").map(|bytes| bytes / 1e6);
    let of_module = megabytes.zip(module.number("seconds")).map(|(megabytes, seconds)| megabytes / seconds);
    let of_crate = native.number("mb_per_second");
    let mut table = Table::new(["", "MB a second", "1 MB / 50 KB", "60 KB / 3 KB"]);
    let plain = |value: Option<f64>| value.map_or(Json::Null, Json::Number);
    table.row(["natively".into(), plain(of_crate), Json::Null, Json::Null]);
    table.row(["in the page's module, from text to JSON".into(), plain(of_module), Json::Null, Json::Null]);
    let hostile = native.list("hostile");
    let worst = |ratio: &str| hostile.iter().filter_map(|one| one.number(ratio)).reduce(f64::max);
    for one in hostile {
        table.row([
            one.text("text").unwrap_or_default().escape_debug().to_string().into(),
            Json::Null,
            plain(one.number("ratio")),
            plain(one.number("read_ratio")),
        ]);
    }
    Ok(Outcome {
        kind: "quiz-extraction",
        title: "reading letters out of what a model wrote".to_owned(),
        about: format!(
            "The {:.0} outputs of SmolLM2-135M-Instruct in the golden file, {:.0} kB, on one core, best of many rounds. The module is asked as the \
             page asks it, in the pinned Node: its time includes copying the output in and writing the answer as JSON. Hostile outputs repeat one text.",
            native.number("outputs").unwrap_or_default(),
            native.number("bytes").unwrap_or_default() / 1000.0
        ),
        table,
        verdicts: vec![
            Verdict::at_least("MB a second, natively", 100.0, of_crate),
            Verdict::at_least(
                "the page's module / natively",
                1.0 / 3.0,
                of_module.zip(of_crate).map(|(module, native)| module / native),
            ),
            Verdict::new("time of 1 MB / time of 50 KB, the worst hostile output", 20.0, worst("ratio")),
            // Of 1 MB the middle is not read, so that the line above holds whatever the rules do.
            Verdict::new("time of 60 KB / time of 3 KB, the worst hostile output", 30.0, worst("read_ratio")),
        ],
        raw: Json::object([("native", native), ("module", module)]),
    })
}

fn in_the_module(bench: &Bench, requests: &std::path::Path) -> Result<Json, Failure> {
    let script = project::root().join("crates/cli/tests/support/quiz/module.mjs");
    let told = Call::new(setup::pinned_node()?)
        .arg(script)
        .arg(wasm::module())
        .arg(requests)
        .arg(bench.scratch.path().join("answers"))
        .arg(ROUNDS.to_string())
        .text()?;
    Json::parse(&told).naming("read what the module says")
}
