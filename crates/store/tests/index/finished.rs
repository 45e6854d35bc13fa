//! Runs as the first versions left them: one that is finished, with record and report of format 1, and one that was decided about. Never
//! make them again; add a folder for each new format.

use super::{block_on, sqlite};
use benchwright_domain::Report;
use benchwright_store::index::{RunFilter, State, entry_of};
use benchwright_store::{Act, Decision, EventBody, Folder, ReadRun, Storage as _};
use std::fs;
use std::path::Path;

const RUN: &str = "20261116T020553Z-03f5";
const TAKEN_DOWN: &str = "20261116T080000Z-4d0d";

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder with a fixture as its only run.
fn data_with(fixture: &str, run: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture);
    copy_folder(&fixture, &folder.path().join("runs").join(run));
    folder
}

fn never(_: &str, _: &ReadRun) -> Result<benchwright_domain::RunRecord, String> {
    Err("the run has a record; nothing is scored again".to_owned())
}

#[test]
fn a_finished_run_of_the_first_format_is_read_for_ever() {
    let folder = data_with("finished-1", RUN);
    let storage = Folder::at(folder.path());
    let entry = entry_of(&storage, RUN, &never).unwrap().unwrap();
    block_on(async {
        let index = sqlite(&folder.path().join("index.sqlite")).await;
        index.take_in(&[entry]).await.unwrap();
        let record = index.run(RUN).await.unwrap().unwrap().record;
        assert_eq!((record.format, record.tool.as_str(), record.tier), (1, "kiln", Some(2)));
        assert_eq!((record.composite, record.rankable, record.verified), (Some(83.425), true, true));
        assert_eq!((record.prompt.as_deref(), record.scores["c3"].score), (Some("harbor-coffee-landing"), 2.0 / 3.0));
        assert_eq!(record.class.scored.len(), 2);
        assert_eq!(index.runs(&RunFilter::default(), None, 9).await.unwrap().len(), 1);
        let report: Report = serde_json::from_slice(&storage.blob(RUN, &record.report.unwrap()).unwrap()).unwrap();
        assert_eq!((report.format, report.composite, report.scorers.len()), (1, Some(83.425), 2));
        assert_eq!(report.scorers["c3"].details.items[0].id, "color-contrast");
        assert_eq!(report.provenance.run, RUN);
    });
}

#[test]
fn decisions_of_the_first_format_are_read_for_ever() {
    let folder = data_with("moderated-1", TAKEN_DOWN);
    let storage = Folder::at(folder.path());
    let act = |decision, reason: &str, at: &str| {
        let (reason, by, at) = (reason.to_owned(), "ada".to_owned(), at.to_owned());
        Act { decision, reason, by, at }
    };
    let acts = [
        act(Decision::Quarantine, "looks copied", "2026-11-17T08:00:00Z"),
        act(Decision::Release, "it was not: “kiln” built both", "2026-11-17T09:00:00Z"),
        act(Decision::TakeDown, "asked for by its owner", "2026-11-18T08:00:00Z"),
    ];
    let read = storage.read(TAKEN_DOWN).unwrap();
    assert!(!read.torn && read.damage.is_none());
    let moderated = |act: &Act| EventBody::Moderated { act: act.clone() };
    let bodies: Vec<_> = read.events[3..].iter().map(|event| event.body.clone()).collect();
    assert_eq!(bodies, acts.each_ref().map(moderated));
    let entry = entry_of(&storage, TAKEN_DOWN, &never).unwrap().unwrap();
    block_on(async {
        let index = sqlite(&folder.path().join("index.sqlite")).await;
        index.take_in(&[entry]).await.unwrap();
        let run = index.run(TAKEN_DOWN).await.unwrap().unwrap();
        assert_eq!((run.state, run.state_reason.as_deref()), (State::TakenDown, Some("asked for by its owner")));
        let log = index.moderation(None, 9).await.unwrap();
        let oldest_first = log.into_iter().rev().map(|said| act(said.decision, &said.reason, &said.at));
        assert_eq!(oldest_first.collect::<Vec<_>>(), acts);
    });
}
