//! Shared runs of the quiz: one suite for both databases, and one for every place that keeps documents.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod documents;
mod rebuilding;
mod sample;
mod suite;

use benchwright_store::index::{Durability, Index};
use std::path::Path;

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

async fn sqlite(path: &Path) -> Index {
    Index::sqlite(path, Durability::Process).await.unwrap()
}

#[test]
fn sqlite_keeps_shared_runs_like_the_suite_says() {
    for (_, case) in suite::CASES {
        let folder = tempfile::tempdir().unwrap();
        block_on(async { case(sqlite(&folder.path().join("index.sqlite")).await).await });
    }
}

#[test]
fn a_rebuilt_sqlite_index_answers_like_the_one_that_grew() {
    let (grown, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = rebuilding::data_folder();
    let before = block_on(rebuilding::grown(&data, async || sqlite(&grown.path().join("index.sqlite")).await));
    let after = block_on(rebuilding::rebuilt(&data, async || sqlite(&fresh.path().join("index.sqlite")).await));
    assert_eq!(before, after);
}

/// Up to schema 5 nobody counted on how many days a question was answered, and up to schema 6 models that think although they were told not to
/// stood among the others; sums of that kind would be wrong for ever.
#[test]
fn shared_runs_of_an_older_index_are_taken_in_again() {
    for version in [5, 6] {
        taken_in_again(version);
    }
}

fn taken_in_again(version: u32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    let old = format!("tests/fixtures/schema-{version}.sqlite");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(old), &path).unwrap();
    block_on(async {
        let old = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        let sql = "INSERT INTO quiz_runs (run, state, day, standing, reasons, verdict, verdict_reasons, outlier, pool, selection, outputs, \
             marks, extractor, first_extractor, first_correct, first_strict, engine, seconds) \
             VALUES ('20261116-0123456789abcdef', 'shown', '2026-11-16', 'confirmed', '[]', 'confirmed', '[]', 0, 'p', 'own-12', '', '', 1, 1, 0, 0, '', 0)";
        sqlx::query(sql).execute(&old).await.unwrap();
        old.close().await;
        let index = sqlite(&path).await;
        let shared = ["20261116-0123456789abcdef".to_owned()];
        assert_eq!(index.unknown_shared(&shared).await.unwrap(), shared, "schema {version}");
    });
}

#[cfg(feature = "postgres")]
#[test]
fn postgresql_keeps_shared_runs_like_the_suite_says() {
    let Some(server) = benchwright_fixtures::Postgres::start() else { return };
    for (name, case) in suite::CASES {
        let address = server.database(name);
        block_on(async { case(Index::postgres(&address).await.unwrap()).await });
    }
    let data = rebuilding::data_folder();
    let (grown, fresh) = (server.database("grown"), server.database("fresh"));
    let before = block_on(rebuilding::grown(&data, async || Index::postgres(&grown).await.unwrap()));
    let after = block_on(rebuilding::rebuilt(&data, async || Index::postgres(&fresh).await.unwrap()));
    assert_eq!(before, after);
    let folder = tempfile::tempdir().unwrap();
    let sqlite = block_on(rebuilding::rebuilt(&data, async || sqlite(&folder.path().join("index.sqlite")).await));
    assert_eq!(sqlite, after, "both databases give the same answers, in the same order");
}
