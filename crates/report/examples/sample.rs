//! Writes the sample reports of the tests into a folder, to look at them: `cargo run -p benchwright-report --example sample OUT [SHOTS]`.
//! SHOTS is a folder with `desktop.png`, `tablet.png`, `mobile.png` and `full.png`; without it there are no pictures.

#[path = "../tests/formats/sample/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod sample;

use benchwright_domain::BlobId;
use benchwright_report::{html, json, markdown, quiz, terminal, vibe};
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let out = Path::new(arguments.first().map_or("report", String::as_str));
    fs::create_dir_all(out)?;
    let blobs =
        |id: &BlobId| fs::read(Path::new(arguments.get(1)?).join(format!("{}.png", id.0.trim_end_matches('0')))).ok();
    let reports = [
        ("decent", sample::decent()),
        ("unrendered", sample::unrendered()),
        ("flawless", sample::flawless()),
        ("empty", sample::empty()),
    ];
    for (name, report) in reports {
        fs::write(out.join(format!("{name}.html")), html::render(&report, &blobs))?;
        fs::write(out.join(format!("{name}.json")), json::render(&report))?;
        fs::write(out.join(format!("{name}.md")), markdown::render(&report))?;
        fs::write(
            out.join(format!("{name}.txt")),
            terminal::render(&report, terminal::Style { color: true, width: 100 }),
        )?;
    }
    let quizzes = [("quiz", sample::quiz::mixed()), ("quiz-interrupted", sample::quiz::interrupted())];
    for (name, report) in quizzes {
        fs::write(out.join(format!("{name}.html")), quiz::html::render(&report))?;
    }
    let shots: Vec<Vec<u8>> = (0..7)
        .map_while(|place| fs::read(Path::new(arguments.get(1)?).join(format!("walk-{place}.png"))).ok())
        .collect();
    let (evaluation, kept) = sample::vibe::mixed(&shots);
    fs::write(out.join("vibe.html"), vibe::evaluation_html(&evaluation, &|id: &BlobId| kept.bytes(id)))?;
    fs::write(out.join("vibe-analysis.html"), vibe::analysis_html(&sample::vibe::analysis()))?;
    Ok(())
}
