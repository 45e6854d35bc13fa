//! The queue: one suite for both databases, and workers that are killed while they work.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]
#![expect(clippy::cast_possible_wrap, reason = "a test counts to a thousand")]

mod crowd;
mod light;
#[path = "../index/sample.rs"]
#[allow(dead_code, reason = "the tests of the index use the rest")]
mod sample;
mod suite;
mod workers;

use benchwright_store::index::{Durability, Index};
use benchwright_store::jobs::Queue;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use tokio::runtime::{Builder, Runtime};

/// Connections live as long as the runtime they were made in, so there is one for all.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

fn block_on<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}

/// A queue in PostgreSQL or in a SQLite file.
async fn queue(address: &str) -> Queue {
    let index = match address.contains("://") {
        #[cfg(feature = "postgres")]
        true => Index::postgres(address).await,
        _ => Index::sqlite(Path::new(address), Durability::Process).await,
    };
    Queue::of(Arc::new(index.unwrap()))
}

fn in_sqlite(case: impl AsyncFn(Queue)) {
    let folder = tempfile::tempdir().unwrap();
    let address = folder.path().join("index.sqlite");
    block_on(async { case(queue(address.to_str().unwrap()).await).await });
}

#[test]
fn sqlite_keeps_jobs_like_the_suite_says() {
    for (_, case) in suite::CASES {
        in_sqlite(async |queue| case(queue).await);
    }
}

#[cfg(feature = "postgres")]
#[test]
fn postgresql_keeps_jobs_like_the_suite_says() {
    let Some(server) = benchwright_fixtures::Postgres::start() else { return };
    for (name, case) in suite::CASES {
        let address = server.database(name);
        block_on(async { case(queue(&address).await).await });
    }
    let address = server.database("crowd");
    crowd::nothing_is_lost_or_recorded_twice(&address);
}
