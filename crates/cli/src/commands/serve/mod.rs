//! `benchwright serve`.

mod faults;
mod news;
mod open_files;
mod quiz;

use crate::args::ServeArguments;
use crate::commands::{block_on, report_of};
use crate::config::read_prompt;
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::{corpus, data_place, methodology, reviewing, run_folder};
use axum::{Router, middleware};
use benchwright_intake::{Intake, PromptChoice, Reviews, Terms};
use benchwright_server::{Front, Limits, Quiz, Scored, Section, Settings, Site};
use benchwright_store::Storage;
use benchwright_store::index::Index;
use benchwright_store::jobs::Queue;
use news::News;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;

pub fn run(arguments: &ServeArguments) -> Result<ExitCode, Failure> {
    block_on(serve(arguments))??;
    Ok(ExitCode::SUCCESS)
}

async fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let address = arguments.address.as_deref().map(checked).transpose()?;
    let terms =
        Terms { prompts: prompts(arguments.prompts.as_deref())?, behind_tls: arguments.behind_tls, ..Terms::default() };
    data_place::make(&arguments.place)?;
    let storage = data_place::storage(&arguments.place.data, false)?;
    let index = Arc::new(data_place::index_or_new(&arguments.place, arguments.syncing).await?);
    let library = data_place::library(&arguments.place.data)?;
    let news = News::of(&storage, &index);
    let taken = news.take_in_all().await?;
    if taken > 0 && !arguments.quiet {
        println!("{taken} runs taken into the index");
    }
    quiz::catch_up(&storage, &index, &library, arguments.quiet).await?;
    let mut paths = benchwright_intake::paths();
    paths.extend(benchwright_intake::quiz::paths());
    let settings = Settings { address, behind_tls: arguments.behind_tls, jobs: Some(paths) };
    let (site_part, desk) = quiz::parts(&storage, &index, library, arguments).await?;
    let joined = benchwright_intake::quiz::router(Arc::new(desk));
    let reviews = reviews(&storage, &arguments.review_seed)?;
    let front = front(&storage, &index, settings, (terms, reviews), site_part, joined, arguments.private).await?;
    let limits = Limits::default();
    open_files::make_room_for(limits.connections);
    let listener = listen(arguments).await?;
    let mut interruption = Interruption::listen();
    let until = async move { interruption.arrives().await };
    let served = tokio::select! {
        served = benchwright_server::serve(listener, front, limits, until) => served,
        () = news.keep_up() => Ok(()),
    };
    index.close().await?;
    served.map_err(|error| Failure::Environment(format!("cannot go on serving: {error}")))
}

/// The pages that read, the parts that take something in, and the door before all of them where there is one.
async fn front(
    storage: &Arc<dyn Storage>,
    index: &Arc<Index>,
    settings: Settings,
    (terms, reviews): (Terms, Reviews),
    quiz: Quiz,
    joined: Router,
    is_private: bool,
) -> Result<Front, Failure> {
    let methodology = methodology::for_the_site();
    let site = Site::new(Arc::clone(storage), Arc::clone(index), settings, methodology, scored(storage), quiz);
    let site = Arc::new(site);
    let frame = |section| {
        let site = Arc::clone(&site);
        Arc::new(move |title: &str, body: &str| site.framed(section, title, body))
    };
    let queue = Queue::of(Arc::clone(index));
    let intake = Intake::open(queue, Arc::clone(storage), terms, frame(Section::Submit))
        .await?
        .with_reviews(reviews.framed(frame(Section::Vibe)));
    let behind_tls = site.settings.behind_tls;
    let router = benchwright_server::router(Arc::clone(&site), benchwright_intake::router(intake).merge(joined));
    let router = router.layer(middleware::from_fn(faults::tell));
    if !is_private {
        return Ok(Front::remembering(router, site));
    }
    let index = Arc::clone(index);
    let door = move |request, next| benchwright_intake::private(Arc::clone(&index), request, next);
    let headers = move |request, next| benchwright_server::headers(behind_tls, request, next);
    // The door answers before the site does, and with the same headers.
    Ok(Front::guarded(router.layer(middleware::from_fn(door)).layer(middleware::from_fn(headers))))
}

/// What people who review apps read, made from the runs.
fn reviews(storage: &Arc<dyn Storage>, seed: &str) -> Result<Reviews, Failure> {
    let storage = Arc::clone(storage);
    let sheet = move |run: &str, seed: &str, day: &str| {
        reviewing::sheet(&*storage, run, seed, day).map_err(|failure| failure.to_string())
    };
    Ok(Reviews::new(seed, Arc::new(sheet), reviewing::calibration()?))
}

async fn listen(arguments: &ServeArguments) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(arguments.listen).await.map_err(|error| {
        Failure::Environment(format!("cannot listen on {}: {error}; choose another --listen", arguments.listen))
    })?;
    if !arguments.quiet {
        let at = listener.local_addr().map_or(arguments.listen, |at| at);
        println!("serving {} on http://{at}/", arguments.place.data);
    }
    Ok(listener)
}

/// An address that links can be made from.
fn checked(address: &str) -> Result<String, Failure> {
    let bad = || Failure::BadInput(format!("--address {address} is no web address; say https://bench.example"));
    let url = url::Url::parse(address).map_err(|_| bad())?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    (is_plain && url.has_host()).then(|| url.as_str().trim_end_matches('/').to_owned()).ok_or_else(bad)
}

/// The prompts that an app may be submitted for: the operator's own and the corpus.
fn prompts(own: Option<&Path>) -> Result<Vec<PromptChoice>, Failure> {
    let files = own.map(super::prompts::files_in).transpose()?.unwrap_or_default();
    let named = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let own = files.iter().map(|path| Ok((named(path), read_prompt(&path.display().to_string())?)));
    let own = own.collect::<Result<Vec<_>, Failure>>()?;
    if let Some((name, prompt)) = own.iter().find(|(name, prompt)| name.as_deref() != Some(&prompt.id)) {
        let name = name.as_deref().unwrap_or_default();
        return Err(Failure::BadInput(format!(
            "the prompt in {name}.yaml calls itself {}; workers look for {0}.yaml",
            prompt.id
        )));
    }
    let ids =
        own.into_iter().map(|(_, prompt)| prompt.id).chain(corpus::PROMPTS.iter().map(|(id, _)| (*id).to_owned()));
    let mut choices: Vec<_> = ids.map(|id| PromptChoice { title: id.clone(), id }).collect();
    choices.sort_by(|left, right| left.id.cmp(&right.id));
    choices.dedup();
    Ok(choices)
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
