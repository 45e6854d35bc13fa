//! A data folder or a bucket as a user names it, and the index that goes with it.

use crate::args::{DataPlace, Syncing};
use crate::commands::report_of;
use crate::environment;
use crate::exit::Failure;
use crate::quiz::banks::Banks;
use crate::run_folder;
use benchwright_domain::RunRecord;
use benchwright_quiz::Library;
use benchwright_store::index::{Durability, Index, Recorded};
use benchwright_store::{Folder, ReadRun, Storage};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const INDEX_FILE: &str = "index.sqlite";
/// What a data folder has at least one of: runs, or shared runs of the quiz.
const ROOMS: [&str; 2] = ["runs", "quiz"];

/// Where runs are kept. A folder must be there unless it is about to be written to.
pub fn storage(place: &str, must_exist: bool) -> Result<Arc<dyn Storage>, Failure> {
    if let Some(address) = place.strip_prefix("s3://") {
        return bucket(address);
    }
    let path = Path::new(place);
    if must_exist && !ROOMS.iter().any(|room| path.join(room).is_dir()) {
        let text = format!(
            "{place} is no data folder: it has no runs/; name a folder that `benchwright score --out` wrote to or that `benchwright serve` made"
        );
        return Err(Failure::BadInput(text));
    }
    Ok(Arc::new(Folder::at(path)))
}

/// Makes the data folder of a place, if it is to be one.
pub fn make(place: &DataPlace) -> Result<(), Failure> {
    if place.data.starts_with("s3://") {
        return Ok(());
    }
    std::fs::create_dir_all(Path::new(&place.data).join(ROOMS[0]))
        .map_err(|error| Failure::Environment(format!("cannot make the folder {}: {error}", place.data)))
}

#[cfg(feature = "bucket")]
fn bucket(address: &str) -> Result<Arc<dyn Storage>, Failure> {
    let (bucket, prefix) = address.split_once('/').unwrap_or((address, ""));
    let settings = environment::bucket(bucket, prefix)?;
    Ok(Arc::new(benchwright_store::Bucket::connect(&settings)?))
}

#[cfg(not(feature = "bucket"))]
fn bucket(_: &str) -> Result<Arc<dyn Storage>, Failure> {
    Err(Failure::Environment(without("buckets", "bucket")))
}

/// Opens the index of a place. One that was never made would answer as if there were no runs, so that is said.
pub async fn index(place: &DataPlace) -> Result<Index, Failure> {
    let named = place.database.clone().or_else(environment::database);
    let file = named.map_or_else(|| Path::new(&place.data).join(INDEX_FILE), PathBuf::from);
    let is_missing = !file.to_string_lossy().contains("://") && !file.is_file();
    if is_missing && !place.data.starts_with("s3://") {
        let data = &place.data;
        let text = format!("there is no index {} yet; run `benchwright index rebuild --data {data}`", file.display());
        return Err(Failure::BadInput(text));
    }
    index_or_new(place, ONE_COMMIT).await
}

/// The index of a place that has one: a folder that was never served has none, and beside a bucket there is only what was named.
pub async fn index_if_any(place: &DataPlace) -> Result<Option<Index>, Failure> {
    let is_named = place.database.is_some() || environment::database().is_some();
    if !is_named && !Path::new(&place.data).join(INDEX_FILE).is_file() {
        return Ok(None);
    }
    index(place).await.map(Some)
}

/// A command that commits once can wait for the disk.
pub const ONE_COMMIT: Syncing = Syncing { fsync: true };

/// Opens the index of a place; makes it if there is none.
pub async fn index_or_new(place: &DataPlace, syncing: Syncing) -> Result<Index, Failure> {
    let durability = if syncing.fsync { Durability::Power } else { Durability::Process };
    match place.database.clone().or_else(environment::database) {
        Some(address) if address.contains("://") => postgres(&address).await,
        Some(file) => Ok(Index::sqlite(Path::new(&file), durability).await?),
        None if place.data.starts_with("s3://") => Err(Failure::BadInput(
            "a bucket cannot hold an index; name one with --database (postgres://… or a SQLite file)".to_owned(),
        )),
        None => Ok(Index::sqlite(&PathBuf::from(&place.data).join(INDEX_FILE), durability).await?),
    }
}

#[cfg(feature = "postgres")]
async fn postgres(address: &str) -> Result<Index, Failure> {
    Ok(Index::postgres(address).await?)
}

#[cfg(not(feature = "postgres"))]
#[allow(clippy::unused_async, reason = "the other one is asynchronous")]
async fn postgres(_: &str) -> Result<Index, Failure> {
    Err(Failure::Environment(without("PostgreSQL", "postgres")))
}

/// What this build lacks, and how to get it.
#[cfg_attr(all(feature = "bucket", feature = "postgres", feature = "parquet"), allow(dead_code))]
pub fn without(what: &str, feature: &str) -> String {
    format!("this build knows nothing of {what}; build it with `cargo build --release --features {feature}`")
}

/// The questions of the quiz: our own, and what was imported into the data folder.
pub fn library(place: &str) -> Result<Arc<Library>, Failure> {
    let folder = (!place.starts_with("s3://")).then(|| Path::new(place));
    Ok(Arc::new(Banks::open(folder)?.library()))
}

/// Scores a run again to make the record that its `run.json` lacks.
pub fn recorded(storage: &Arc<dyn Storage>) -> Arc<Recorded> {
    let storage = Arc::clone(storage);
    Arc::new(move |run: &str, read: &ReadRun| {
        let blobs = |id: &_| storage.blob(run, id);
        let replayed =
            run_folder::replay(Path::new(run), &read.events, true, &blobs).map_err(|failure| failure.to_string())?;
        let tier = replayed.tier();
        Ok(RunRecord { tier, ..RunRecord::of(&report_of(replayed)) })
    })
}
