//! A worker: takes jobs, has them executed side by side, gives signs of life for them, and watches over other workers' jobs.

use super::hold::{Ending, Held, News, Taken, Word};
use super::queue::{Queue, fresh_id};
use super::watch::Watch;
use crate::index::{Entry, IndexError};
use benchwright_domain::JobKind;
use jiff::Timestamp;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

/// How often in a row the database may refuse before the worker gives up.
const MOST_REFUSALS: usize = 30;

/// How a worker works.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Jobs at once.
    pub parallel: usize,
    /// Apps that are shown to reviewers at once, besides; none takes no such job.
    pub reviews: usize,
    /// How often it gives a sign of life and looks for work.
    pub beat: Duration,
    /// Who is silent for this long is given up. Many beats.
    pub lease: Duration,
    /// How long an attempt may take.
    pub job_limit: Duration,
    /// How long an app may be shown.
    pub review_limit: Duration,
    /// How long an attempt may go on without anything happening.
    pub stall_limit: Duration,
    /// How long an attempt may take to stop once it was told to.
    pub grace: Duration,
    /// How often a job may go wrong.
    pub tries: i64,
    /// Ends when no job waits or runs, rather than waiting for more.
    pub until_empty: bool,
}

impl WorkerSettings {
    /// How long a job may take. An app that is shown is closed by whoever shows it; what does not hear that is told so after a while.
    fn limit(&self, kind: JobKind) -> Duration {
        match kind {
            JobKind::Score => self.job_limit,
            JobKind::Review => self.review_limit + self.grace,
        }
    }
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            parallel: 1,
            reviews: 0,
            beat: Duration::from_secs(2),
            lease: Duration::from_mins(1),
            job_limit: Duration::from_hours(2),
            review_limit: Duration::from_hours(2),
            // Waiting for a quiet machine may take half an hour.
            stall_limit: Duration::from_mins(40),
            grace: Duration::from_secs(30),
            tries: 3,
            until_empty: false,
        }
    }
}

/// Does what a job asks for. It is called on a thread of its own and may block.
pub trait Executor: Send + Sync {
    /// Does it, or goes on with it from what its run has, until it is done or [`JobDesk::stop`] says to stop.
    fn execute(&self, job: &Taken, desk: &JobDesk) -> Executed;
}

/// How an execution ended.
#[derive(Debug)]
pub enum Executed {
    /// The run is finished; this is what the index says of it.
    Done(Box<Entry>),
    /// The app that was shown is gone again, and nothing is left of it.
    Closed,
    /// It cannot be done, whoever tries.
    Failed(String),
    /// Something went wrong that may go right the next time.
    Again(String),
    /// It was told to stop and did.
    Stopped,
}

/// Why an attempt has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The worker ends.
    WorkerEnds,
    /// Somebody called the job off.
    Cancelled,
    /// Somebody else has the job.
    Lost,
    /// It takes too long.
    TooLong,
    /// Nothing happens any more.
    Stalled,
}

/// Connects an execution with its worker.
#[derive(Debug, Clone)]
pub struct JobDesk {
    inbox: Arc<Mutex<Inbox>>,
    stop: watch::Receiver<Option<Stop>>,
}

#[derive(Debug)]
struct Inbox {
    events: Vec<(String, String)>,
    cost_micros: i64,
    place: Option<String>,
    last: Instant,
}

impl JobDesk {
    /// Something happened. Who says nothing for too long is taken to be stuck.
    pub fn tell(&self, lane: &str, text: &str) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.events.push((lane.to_owned(), text.to_owned()));
        inbox.last = Instant::now();
    }

    /// Nothing new happened, but all is well: somebody looks at an app.
    pub fn is_well(&self) {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).last = Instant::now();
    }

    /// An app can be reached there from now on.
    pub fn show_at(&self, place: &str) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        (inbox.place, inbox.last) = (Some(place.to_owned()), Instant::now());
    }

    /// Money was spent.
    pub fn spent(&self, usd: f64) {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).cost_micros += (usd * 1e6).round() as i64;
    }

    /// Whether to stop, and why.
    pub fn stop(&self) -> Option<Stop> {
        *self.stop.borrow()
    }

    /// Waits until it is time to stop.
    pub async fn stopped(&self) -> Stop {
        let mut stop = self.stop.clone();
        match stop.wait_for(Option::is_some).await {
            Ok(reason) => reason.unwrap_or(Stop::WorkerEnds),
            Err(_) => Stop::WorkerEnds,
        }
    }
}

/// What a worker did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worked {
    /// Jobs it finished.
    pub done: usize,
    /// Jobs that failed for good, or once more.
    pub failed: usize,
    /// Jobs it handed back.
    pub given_back: usize,
}

struct Attempt {
    inbox: Arc<Mutex<Inbox>>,
    stop: watch::Sender<Option<Stop>>,
    told_at: Option<Instant>,
    begun: Instant,
    kind: JobKind,
}

impl Attempt {
    fn tell_to_stop(&mut self, why: Stop) {
        if self.told_at.is_none() {
            self.told_at = Some(Instant::now());
            self.stop.send_replace(Some(why));
        }
    }

    fn news(&self, held: &Held) -> News {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let (events, cost_micros) = (std::mem::take(&mut inbox.events), std::mem::take(&mut inbox.cost_micros));
        News { held: held.clone(), events, cost_micros }
    }

    /// Keeps news that nobody heard for the next time, before what happened since. Should the database have kept them and only its answer
    /// be lost, they are told twice, which is better than never.
    fn keep(&self, news: News) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let since = std::mem::replace(&mut inbox.events, news.events);
        inbox.events.extend(since);
        inbox.cost_micros += news.cost_micros;
    }

    /// Where an app can be reached, if that was not told yet.
    fn new_place(&self) -> Option<String> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).place.clone()
    }

    fn place_was_told(&self, place: &str) {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).place.take_if(|told| told == place);
    }

    fn quiet_for(&self) -> Duration {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).last.elapsed()
    }
}

/// A job, and what came of an attempt at it.
type Ended = (Held, Executed);

/// A worker. Its id is fresh, because a job is the process's that took it and not the name's.
pub struct Worker {
    queue: Queue,
    id: String,
    settings: WorkerSettings,
    executor: Arc<dyn Executor>,
    attempts: HashMap<Held, Attempt>,
    ended: (mpsc::UnboundedSender<Ended>, mpsc::UnboundedReceiver<Ended>),
    worked: Worked,
}

impl Worker {
    /// A worker that has not begun.
    pub fn new(queue: Queue, settings: WorkerSettings, executor: Arc<dyn Executor>) -> Result<Self, IndexError> {
        let id = fresh_id(Timestamp::now())?;
        let (attempts, ended, worked) = (HashMap::new(), mpsc::unbounded_channel(), Worked::default());
        Ok(Self { queue, id, settings, executor, attempts, ended, worked })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Works until `end` comes, then stops what it is doing and hands it back.
    pub async fn work(mut self, end: impl Future<Output = ()>) -> Result<Worked, IndexError> {
        self.queue.greet(&self.id, env!("CARGO_PKG_VERSION"), self.settings.parallel).await?;
        let mut others = Watch::new(self.settings.lease);
        let mut ticks = tokio::time::interval(self.settings.beat);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut end = std::pin::pin!(end);
        let (mut ending, mut refusals) = (false, 0);
        loop {
            tokio::select! {
                () = &mut end, if !ending => {
                    ending = true;
                    self.attempts.values_mut().for_each(|attempt| attempt.tell_to_stop(Stop::WorkerEnds));
                }
                Some((held, executed)) = self.ended.1.recv() => self.settle(&held, executed).await?,
                _ = ticks.tick() => {}
            }
            let done = async {
                self.beat().await?;
                self.abandon_the_deaf().await?;
                self.queue.put_back_orphans(&mut others, self.settings.tries).await?;
                if !ending {
                    self.fill().await?;
                }
                self.has_nothing_left(ending).await
            };
            match done.await {
                Ok(false) => refusals = 0,
                Ok(true) => break,
                // A database that restarts is no reason to throw work away.
                Err(error) if refusals + 1 >= MOST_REFUSALS => return Err(error),
                Err(_) => refusals += 1,
            }
        }
        self.queue.leave(&self.id).await?;
        Ok(self.worked)
    }

    async fn has_nothing_left(&self, ending: bool) -> Result<bool, IndexError> {
        if !self.attempts.is_empty() {
            return Ok(false);
        }
        if ending || !self.settings.until_empty {
            return Ok(ending);
        }
        let kinds = [Some(JobKind::Score), (self.settings.reviews > 0).then_some(JobKind::Review)];
        for kind in kinds.into_iter().flatten() {
            let counts = self.queue.counts_of(kind).await?;
            if counts.queued + counts.running > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes jobs until its hands are full.
    async fn fill(&mut self) -> Result<(), IndexError> {
        for (kind, most) in [(JobKind::Score, self.settings.parallel), (JobKind::Review, self.settings.reviews)] {
            while self.attempts.values().filter(|attempt| attempt.kind == kind).count() < most {
                let Some(taken) = self.queue.take_of(&self.id, kind).await? else { break };
                self.begin(taken);
            }
        }
        Ok(())
    }

    fn begin(&mut self, taken: Taken) {
        let inbox = Inbox { events: Vec::new(), cost_micros: 0, place: None, last: Instant::now() };
        let inbox = Arc::new(Mutex::new(inbox));
        let (stop, told) = watch::channel(None);
        let desk = JobDesk { inbox: Arc::clone(&inbox), stop: told };
        let attempt = Attempt { inbox, stop, told_at: None, begun: Instant::now(), kind: taken.order.kind() };
        self.attempts.insert(taken.held.clone(), attempt);
        let (executor, ended) = (Arc::clone(&self.executor), self.ended.0.clone());
        std::thread::spawn(move || {
            let executed = catch_unwind(AssertUnwindSafe(|| executor.execute(&taken, &desk)));
            let executed = executed.unwrap_or_else(|_| Executed::Again("the worker met a bug of its own".to_owned()));
            // Nobody waits for it when the worker has given up on this attempt.
            let _ = ended.send((taken.held, executed));
        });
    }

    /// Gives a sign of life for everything in hand, and hears what is to become of it.
    async fn beat(&mut self) -> Result<(), IndexError> {
        let news: Vec<News> = self.attempts.iter().map(|(held, attempt)| attempt.news(held)).collect();
        let words = match self.queue.beat(&self.id, &news).await {
            Ok(words) => words,
            Err(error) => {
                self.keep(news);
                return Err(error);
            }
        };
        for (News { held, .. }, word) in news.into_iter().zip(words) {
            let Some(attempt) = self.attempts.get_mut(&held) else { continue };
            if let Some(place) = attempt.new_place() {
                self.queue.show_at(&held, &place).await?;
                attempt.place_was_told(&place);
            }
            match word {
                Word::Cancel => attempt.tell_to_stop(Stop::Cancelled),
                Word::Lost => attempt.tell_to_stop(Stop::Lost),
                Word::GoOn if attempt.begun.elapsed() > self.settings.limit(attempt.kind) => {
                    attempt.tell_to_stop(Stop::TooLong);
                }
                Word::GoOn if attempt.quiet_for() > self.settings.stall_limit => attempt.tell_to_stop(Stop::Stalled),
                Word::GoOn => {}
            }
        }
        Ok(())
    }

    fn keep(&self, news: Vec<News>) {
        for news in news {
            if let Some(attempt) = self.attempts.get(&news.held) {
                attempt.keep(news);
            }
        }
    }

    /// Lets go of attempts that were told to stop and did not.
    async fn abandon_the_deaf(&mut self) -> Result<(), IndexError> {
        let grace = self.settings.grace;
        let deaf = |attempt: &Attempt| attempt.told_at.is_some_and(|at| at.elapsed() > grace);
        let held: Vec<Held> =
            self.attempts.iter().filter(|(_, attempt)| deaf(attempt)).map(|(held, _)| held.clone()).collect();
        for held in held {
            self.settle(&held, Executed::Stopped).await?;
        }
        Ok(())
    }

    /// Tells the queue how an attempt ended.
    async fn settle(&mut self, held: &Held, executed: Executed) -> Result<(), IndexError> {
        let Some(attempt) = self.attempts.get(held) else { return Ok(()) };
        let told = *attempt.stop.borrow();
        let Some(ending) = self.ending(executed, told) else {
            self.attempts.remove(held);
            return Ok(());
        };
        let news = attempt.news(held);
        let mut refusals = 0;
        let ours = loop {
            match self.queue.end(&news, &ending, self.settings.tries).await {
                Ok(ours) => break ours,
                Err(error) if refusals + 1 >= MOST_REFUSALS => return Err(error),
                Err(_) => {
                    refusals += 1;
                    tokio::time::sleep(self.settings.beat).await;
                }
            }
        };
        self.attempts.remove(held);
        if ours {
            match ending {
                Ending::Done(_) | Ending::Closed => self.worked.done += 1,
                Ending::GivenBack(_) => self.worked.given_back += 1,
                Ending::Failed(_) | Ending::Cancelled | Ending::Again(_) => self.worked.failed += 1,
            }
        }
        Ok(())
    }

    /// What is told to the queue; nothing when the job is somebody else's.
    fn ending(&self, executed: Executed, told: Option<Stop>) -> Option<Ending> {
        Some(match (executed, told) {
            (Executed::Done(entry), _) => Ending::Done(entry),
            (_, Some(Stop::Lost)) => return None,
            (Executed::Closed, _) => Ending::Closed,
            (_, Some(Stop::Cancelled)) => Ending::Cancelled,
            (Executed::Failed(why), _) => Ending::Failed(why),
            (Executed::Again(why), _) => Ending::Again(why),
            (Executed::Stopped, Some(Stop::TooLong)) => {
                Ending::Failed(format!("it took longer than {}", spoken(self.settings.job_limit)))
            }
            (Executed::Stopped, Some(Stop::Stalled)) => {
                Ending::Again(format!("nothing happened for {}", spoken(self.settings.stall_limit)))
            }
            (Executed::Stopped, Some(Stop::WorkerEnds) | None) => {
                Ending::GivenBack("its worker was stopped".to_owned())
            }
        })
    }
}

fn spoken(limit: Duration) -> String {
    let seconds = limit.as_secs();
    if seconds >= 120 { format!("{} minutes", seconds / 60) } else { format!("{seconds} seconds") }
}

#[cfg(test)]
mod tests;
