//! One suite for both databases: what holds for SQLite holds for PostgreSQL.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod apps;
mod finished;
#[cfg(feature = "postgres")]
mod old;
mod rebuilding;
mod sample;
mod suite;

use benchwright_store::index::{Durability, Index, IndexError, RunFilter, SCHEMA_VERSION};
use benchwright_store::jobs::{JobState, Queue};
use std::path::Path;
use std::sync::Arc;

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

async fn sqlite(path: &Path) -> Index {
    Index::sqlite(path, Durability::Process).await.unwrap()
}

#[test]
fn sqlite_answers_like_the_suite_says() {
    for (_, case) in suite::CASES {
        let folder = tempfile::tempdir().unwrap();
        block_on(async { case(sqlite(&folder.path().join("index.sqlite")).await).await });
    }
}

#[test]
fn a_rebuilt_sqlite_index_answers_like_the_one_that_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    let data = rebuilding::data_folder();
    let before = block_on(rebuilding::answers_of_a_grown_index(&data, || sqlite(&path)));
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
    }
    let after = block_on(rebuilding::answers_of_a_rebuilt_index(&data, || sqlite(&path)));
    assert_eq!(before, after);
}

#[cfg(feature = "postgres")]
#[test]
fn postgresql_answers_like_the_suite_says() {
    let Some(server) = benchwright_fixtures::Postgres::start() else { return };
    for (name, case) in suite::CASES {
        let address = server.database(name);
        block_on(async { case(Index::postgres(&address).await.unwrap()).await });
    }
    let data = rebuilding::data_folder();
    let (grown, fresh) = (server.database("grown"), server.database("fresh"));
    let before = block_on(rebuilding::answers_of_a_grown_index(&data, async || Index::postgres(&grown).await.unwrap()));
    let after =
        block_on(rebuilding::answers_of_a_rebuilt_index(&data, async || Index::postgres(&fresh).await.unwrap()));
    assert_eq!(before, after);
    let folder = tempfile::tempdir().unwrap();
    let sqlite = block_on(rebuilding::answers_of_a_rebuilt_index(&data, async || {
        sqlite(&folder.path().join("index.sqlite")).await
    }));
    assert_eq!(sqlite, after, "both databases give the same answers, in the same order");
}

#[cfg(feature = "postgres")]
#[test]
fn readers_are_answered_while_many_writers_wait_for_another_process() {
    use futures_util::FutureExt as _;
    use futures_util::future::join_all;
    use sqlx::Connection as _;
    let Some(server) = benchwright_fixtures::Postgres::start() else { return };
    let address = server.database("crowded");
    block_on(async {
        let index = Index::postgres(&address).await.unwrap();
        let mut other = sqlx::PgConnection::connect(&address).await.unwrap();
        sqlx::query("SELECT pg_advisory_lock(7203961455107282435)").execute(&mut other).await.unwrap();
        // Twice as many as there are connections, and each has asked for one before the reader does.
        let mut writers = std::pin::pin!(join_all((0..16).map(|_| index.take_in(&[]))));
        assert!(writers.as_mut().now_or_never().is_none(), "they wait");
        assert_eq!(index.totals().await.unwrap().shown, 0);
        sqlx::query("SELECT pg_advisory_unlock_all()").execute(&mut other).await.unwrap();
        assert!(writers.await.iter().all(Result::is_ok));
    });
}

#[cfg(feature = "postgres")]
#[test]
fn an_address_that_leads_nowhere_does_not_show_its_password() {
    let port = benchwright_fixtures::refused_port().unwrap();
    for address in [format!("postgres://me:very-secret@127.0.0.1:{port}/x"), "postgres://me:very-secret@[/x".to_owned()]
    {
        let error = block_on(Index::postgres(&address)).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("very-secret"), "{error:?}");
    }
}

#[test]
fn an_index_of_a_newer_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    block_on(async { sqlite(&path).await.close().await.unwrap() });
    block_on(async {
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        sqlx::query("INSERT INTO benchwright_schema (version) VALUES (99)").execute(&pool).await.unwrap();
        pool.close().await;
    });
    let error = block_on(Index::sqlite(&path, Durability::Process)).unwrap_err();
    assert!(matches!(error, IndexError::NewerSchema { found: 99, known: SCHEMA_VERSION }), "{error:?}");
    assert!(error.to_string().ends_with("update Benchwright"));
}

/// Every file holds an index as a released schema has it. Never make one again; add a file for each new schema.
fn old_index(version: i64) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/schema-{version}.sqlite"))
}

async fn assert_answers_of_old(index: &Index, version: i64) {
    let run = index.run("20261116T080000Z-0001").await.unwrap().unwrap();
    assert_eq!((run.record.tool.as_str(), run.record.composite), ("kiln", Some(81.25)), "schema {version}");
    assert_eq!(index.totals().await.unwrap().ranked, 1, "schema {version}");
    let class = &index.classes(run.record.prompt.as_deref()).await.unwrap()[0].class;
    assert_eq!(index.standings(run.record.prompt.as_deref(), class).await.unwrap()[0].tool, "kiln", "schema {version}");
    assert_eq!(index.tokens().await.unwrap()[0].name, "ada", "schema {version}");
}

async fn assert_reviewing_of_old(index: &Index) {
    let tokens = index.tokens().await.unwrap();
    let ann = tokens.iter().find(|token| token.name == "ann").unwrap();
    assert_eq!(ann.calibration.as_ref().unwrap().marks["add-a-book"], [Some(true), None]);
}

async fn assert_jobs_of_old(index: Index, version: i64) {
    let queue = Queue::of(Arc::new(index));
    if version >= 5 {
        let shown = queue.last_review("9efff81bdf").await.unwrap().unwrap().order.review.unwrap();
        assert_eq!(shown.run.as_deref(), Some("20261117T080000Z-0002"));
    }
    let waiting = queue.jobs(Some(JobState::Queued), 9).await.unwrap();
    assert_eq!((waiting.len(), waiting[0].order.url.as_str()), (1, "https://app.example/"));
    assert_eq!(queue.events(&waiting[0].id, -1).await.unwrap()[0].text, "waiting for a worker");
    assert_eq!(queue.take("w").await.unwrap().unwrap().held.job, waiting[0].id);
}

#[test]
fn every_schema_is_read_for_ever() {
    for version in 1..=SCHEMA_VERSION {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        std::fs::copy(old_index(version), &path).unwrap();
        block_on(async {
            let index = sqlite(&path).await;
            assert_answers_of_old(&index, version).await;
            if version >= 4 {
                let app = index.app("20261117T080000Z-0002").await.unwrap().unwrap();
                assert_eq!((app.evaluation.passed(), app.reviews[0].marks.as_slice()), (1, &[Some(true), None][..]));
            } else {
                assert!(index.evaluations().await.unwrap().is_empty(), "schema {version}");
            }
            if version >= 5 {
                assert_reviewing_of_old(&index).await;
            }
            if version >= 2 {
                assert_jobs_of_old(index, version).await;
            }
        });
    }
}

#[test]
fn old_addresses_of_many_bytes_and_few_characters_stayed_longer_than_those_of_newer_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    std::fs::copy(old_index(7), &path).unwrap();
    let long = format!("https://app.example/{}", "é".repeat(1500));
    block_on(async {
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        sqlx::query("UPDATE runs SET url = ? WHERE run = '20261116T080000Z-0001'")
            .bind(&long)
            .execute(&pool)
            .await
            .unwrap();
        pool.close().await;
        let index = sqlite(&path).await;
        let kept = index.run("20261116T080000Z-0001").await.unwrap().unwrap().record.url;
        assert!(kept.len() == 2000 && long.starts_with(&kept), "{}", kept.len());
        let of_the_app = RunFilter { url: Some(long), ..RunFilter::default() };
        assert_eq!(index.runs(&of_the_app, None, 9).await.unwrap().len(), 1);
    });
}

/// What an old index in SQLite holds, in PostgreSQL as the same version of Benchwright left it there.
#[cfg(feature = "postgres")]
#[test]
fn an_old_index_in_postgresql_is_brought_up_to_date() {
    let Some(server) = benchwright_fixtures::Postgres::start() else { return };
    let address = server.database("old");
    block_on(async {
        old::copy_first_schema(&old_index(1), &address).await;
        let index = Index::postgres(&address).await.unwrap();
        assert_answers_of_old(&index, 1).await;
        assert!(Queue::of(Arc::new(index)).jobs(None, 9).await.unwrap().is_empty());
    });
}
