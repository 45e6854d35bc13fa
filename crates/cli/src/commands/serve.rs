//! `benchwright serve`.

use crate::args::ServeArguments;
use crate::commands::{block_on, report_of};
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::{data_place, methodology, run_folder};
use benchwright_server::{Limits, Scored, Settings, Site, router};
use benchwright_store::Storage;
use benchwright_store::index::{Index, Recorded, entry_of};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Runs taken in by one transaction.
const AT_ONCE: usize = 250;

pub fn run(arguments: &ServeArguments) -> Result<ExitCode, Failure> {
    block_on(serve(arguments))??;
    Ok(ExitCode::SUCCESS)
}

async fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let address = arguments.address.as_deref().map(checked).transpose()?;
    let storage = data_place::storage(&arguments.place.data, true)?;
    let index = Arc::new(data_place::index(&arguments.place).await?);
    take_in_new(&storage, &index, data_place::recorded(&storage), arguments.quiet).await?;
    let settings = Settings { address, behind_tls: arguments.behind_tls };
    let site =
        Site::new(Arc::clone(&storage), Arc::clone(&index), settings, methodology::for_the_site(), scored(&storage));
    let listener = TcpListener::bind(arguments.listen).await.map_err(|error| {
        Failure::Environment(format!("cannot listen on {}: {error}; choose another --listen", arguments.listen))
    })?;
    if !arguments.quiet {
        let at = listener.local_addr().map_or(arguments.listen, |at| at);
        println!("serving {} on http://{at}/", arguments.place.data);
    }
    let mut interruption = Interruption::listen();
    let until = async move { interruption.arrives().await };
    let served = benchwright_server::serve(listener, router(site), Limits::default(), until).await;
    index.close().await?;
    served.map_err(|error| Failure::Environment(format!("cannot go on serving: {error}")))
}

/// An address that links can be made from.
fn checked(address: &str) -> Result<String, Failure> {
    let bad = || Failure::BadInput(format!("--address {address} is no web address; say https://bench.example"));
    let url = url::Url::parse(address).map_err(|_| bad())?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    (is_plain && url.has_host()).then(|| url.as_str().trim_end_matches('/').to_owned()).ok_or_else(bad)
}

/// Takes in the runs that are not in the index yet. A run that cannot be read is named and left out.
async fn take_in_new(
    storage: &Arc<dyn Storage>,
    index: &Index,
    recorded: Arc<Recorded>,
    quiet: bool,
) -> Result<(), Failure> {
    let mut fresh = Vec::new();
    for run in storage.runs()? {
        if index.run(&run).await?.is_none() {
            fresh.push(run);
        }
    }
    let mut taken = 0;
    for some in fresh.chunks(AT_ONCE) {
        let mut entries = Vec::new();
        for run in some {
            match entry_of(&**storage, run, &*recorded) {
                Ok(entry) => entries.extend(entry),
                Err(error) => eprintln!("benchwright: left out run {run}: {error}"),
            }
        }
        index.take_in(&entries).await?;
        taken += entries.len();
    }
    if taken > 0 && !quiet {
        println!("{taken} runs taken into the index");
    }
    Ok(())
}

/// Scores a run from its evidence, for those that keep no report.
fn scored(storage: &Arc<dyn Storage>) -> Arc<Scored> {
    let storage = Arc::clone(storage);
    Arc::new(move |run: &str| {
        let read = storage.read(run).map_err(|error| error.to_string())?;
        let blobs = |id: &_| storage.blob(run, id);
        let replayed = run_folder::replay(Path::new(run), &read.events, true, &blobs);
        replayed.map(report_of).map_err(|failure| failure.to_string())
    })
}
