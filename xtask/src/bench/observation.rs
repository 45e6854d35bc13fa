//! How many tokens a page takes that a model is shown, beside browser-use's own text of the same pages.

use super::Bench;
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use crate::{project, setup};
use benchwright_fixtures::{Server, Site};
use std::fs;
use std::path::{Path, PathBuf};

const PEER: &str = "browser-use==0.13.14";
/// Its vocabularies are inside the package.
const TOKENIZER: &str = "rs_bpe==0.1.0";
const DRIVER: &str = include_str!("observation/peer.py");
const PAGES: [&str; 10] =
    ["form", "table", "modal", "shadow", "frames", "dashboard", "list", "menus", "article", "widgets"];
/// How far, in pixels, the middles of one element may be apart in two trees.
const NEAR: f64 = 4.0;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let python = peer()?;
    let server = Server::start(Site::folder(project::root().join("fixtures/observation"))).naming("serve the pages")?;
    let urls: Vec<String> = PAGES.iter().map(|page| server.url_of(&format!("/{page}.html"))).collect();
    let ours = ours(&urls)?;
    let asked = bench.file("pages.json", &asked(&urls, &ours).pretty())?;
    let measured = measured(bench.scratch.path(), &python, &asked)?;
    let mut table =
        Table::new(["page", "ours", "browser-use", "ratio", "step: ours", "step: browser-use", "controls missing"]);
    let mut sums = Sums::default();
    let mut missing = Vec::new();
    for ((page, ours), peer) in PAGES.iter().zip(ours.list("pages")).zip(measured.list("pages")) {
        let lost = lost(peer.list("controls"), ours.list("shown"));
        let count = |name: &str| peer.number(name).unwrap_or(f64::NAN);
        let counts =
            [count("our_tokens"), count("peer_tokens"), count("our_changed_tokens"), count("peer_changed_tokens")];
        sums.add(counts);
        let [told, peers, step, peers_step] = counts;
        table.row([
            (*page).into(),
            told.into(),
            peers.into(),
            (told / peers).into(),
            step.into(),
            peers_step.into(),
            lost.len().into(),
        ]);
        missing.extend(lost.into_iter().map(|name| format!("{page}: {name}")));
    }
    table.row([
        "all".into(),
        sums.told.into(),
        sums.peers.into(),
        (sums.told / sums.peers).into(),
        sums.step.into(),
        sums.peers_step.into(),
        missing.len().into(),
    ]);
    Ok(Outcome {
        kind: "observation",
        title: "what a model is shown of a page".to_owned(),
        about: format!(
            "Ten pages of our own (`fixtures/observation/`) in a window of 1920×1200, each before and after a step that changes little. \
             browser-use: {PEER} from PyPI, its own `<browser_state>` text, Debian's Chromium. Tokens: o200k of {TOKENIZER}, \
             whose vocabulary is in the package. A control is missing when browser-use numbers a native control whose middle is in the window and \
             ours has no reference within {NEAR} pixels of it."
        ),
        table,
        verdicts: vec![
            Verdict::new("tokens of ten pages, ours / browser-use", 0.8, Some(sums.told / sums.peers)),
            Verdict::new(
                "tokens of a step that changes little, ours / browser-use",
                0.3,
                Some(sums.step / sums.peers_step),
            ),
            Verdict::none("native controls in the window that only browser-use lists", missing.len()),
        ],
        raw: Json::object([("measured", measured), ("ours", ours), ("missing", missing.into())]),
    })
}

#[derive(Default)]
struct Sums {
    told: f64,
    peers: f64,
    step: f64,
    peers_step: f64,
}

impl Sums {
    fn add(&mut self, [told, peers, step, peers_step]: [f64; 4]) {
        self.told += told;
        self.peers += peers;
        self.step += step;
        self.peers_step += peers_step;
    }
}

/// A Python with the peer in it, made once under `target/`.
fn peer() -> Result<PathBuf, Failure> {
    let folder = project::root().join("target/browser-use");
    let python = folder.join("bin/python");
    let stamp = folder.join("installed");
    let wanted = format!("{PEER} {TOKENIZER}");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    println!("bench: installing {wanted} into target/browser-use");
    let system = find_program(&["python3"]).ok_or_else(|| Failure::environment("python3 is missing"))?;
    Call::new(system).words("-m venv --clear").arg(&folder).run()?;
    Call::new(&python).words("-m pip install --quiet --disable-pip-version-check").words(&wanted).run()?;
    fs::write(stamp, wanted).naming("note what was installed")?;
    Ok(python)
}

/// Our texts and references, `{pages: […]}`.
fn ours(urls: &[String]) -> Result<Json, Failure> {
    Call::cargo("build --quiet --package benchwright-vibe --example observe").run()?;
    let program = project::root().join("target/debug/examples/observe");
    let call = urls.iter().fold(Call::new(program), Call::arg);
    listed(&call.text()?, urls.len())
}

fn listed(text: &str, pages: usize) -> Result<Json, Failure> {
    let list = Json::parse(text).naming("read what was said of the pages")?;
    let told = Json::object([("pages", list)]);
    if told.list("pages").len() != pages {
        return Err(Failure::check(format!("{} of {pages} pages were measured", told.list("pages").len())));
    }
    Ok(told)
}

fn asked(urls: &[String], ours: &Json) -> Json {
    let pages = PAGES.iter().zip(urls).zip(ours.list("pages")).map(|((page, url), told)| {
        let text = |name: &str| told.text(name).unwrap_or_default().into();
        Json::object([
            ("page", (*page).into()),
            ("url", url.as_str().into()),
            ("text", text("text")),
            ("changed", text("changed")),
        ])
    });
    Json::List(pages.collect())
}

fn measured(scratch: &Path, python: &Path, asked: &Path) -> Result<Json, Failure> {
    let folder = scratch.join("browser-use");
    let driver = scratch.join("peer.py");
    fs::create_dir_all(&folder).naming("make a folder for the peer")?;
    write(&driver, DRIVER)?;
    let chromium = setup::chromium().ok_or_else(|| Failure::environment("no Chromium"))?;
    let call = Call::new(python).arg(driver).arg(&folder).arg(chromium).arg(asked).env("HOME", &folder);
    listed(&call.text()?, PAGES.len())
}

fn write(file: &Path, text: &str) -> Done {
    fs::write(file, text).naming("write the peer's driver")
}

/// Names of the controls that have no element of ours where they are.
fn lost(controls: &[Json], shown: &[Json]) -> Vec<String> {
    let middle = |element: &Json| {
        let at = |name: &str| element.number(name).unwrap_or(f64::NAN);
        (at("x") + at("width") / 2.0, at("y") + at("height") / 2.0)
    };
    let is_near = |control: &Json, element: &Json| {
        let (x, y) = middle(element);
        let near = |one: Option<f64>, other: f64| one.is_some_and(|one| (one - other).abs() <= NEAR);
        near(control.number("x"), x) && near(control.number("y"), y)
    };
    let missing = controls.iter().filter(|control| !shown.iter().any(|element| is_near(control, element)));
    missing
        .map(|control| format!("{} {}", control.text("tag").unwrap_or("?"), control.text("name").unwrap_or("?")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_found_by_its_middle() {
        let parse = |text: &str| Json::parse(text).unwrap();
        let controls = [
            parse(r#"{"tag": "a", "name": "here", "x": 55, "y": 20}"#),
            parse(r#"{"tag": "a", "name": "lost", "x": 500, "y": 20}"#),
        ];
        let shown = [parse(r#"{"x": 10, "y": 10, "width": 91, "height": 20}"#)];
        assert_eq!(lost(&controls, &shown), ["a lost"]);
    }
}
