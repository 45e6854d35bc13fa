//! A finished run as the first version with records left it: record and report of format 1. Never make it again; add a folder for each
//! new format.

use super::{block_on, sqlite};
use benchwright_domain::Report;
use benchwright_store::index::{RunFilter, entry_of};
use benchwright_store::{Folder, ReadRun, Storage as _};
use std::fs;
use std::path::Path;

const RUN: &str = "20261116T020553Z-03f5";

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

fn never(_: &str, _: &ReadRun) -> Result<benchwright_domain::RunRecord, String> {
    Err("the run has a record; nothing is scored again".to_owned())
}

#[test]
fn a_finished_run_of_the_first_format_is_read_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/finished-1");
    copy_folder(&fixture, &folder.path().join("runs").join(RUN));
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
