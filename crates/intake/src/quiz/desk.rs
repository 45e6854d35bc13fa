//! What every handler of the quiz knows.

use super::memory::{Memory, Written};
use super::rate::{Door, Rate};
use super::readers::Readers;
use super::refusal::Refused;
use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, HeaderName};
use benchwright_quiz::{Canary, Catalogue, Library, ReferenceAnswers, Submission, canaries};
use benchwright_store::Storage;
use benchwright_store::index::quiz::{IndexedShare, ShareCommit, ShareFilter};
use benchwright_store::index::{Index, IndexError};
use benchwright_store::quiz::read_shared;
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Semaphore};

/// Runs that may be on their way in at once; together they hold at most so many times the largest.
const MOST_AT_ONCE: usize = 64;
/// Runs that are read after a start to know what a model writes.
const REMEMBERED: u32 = 6;
/// Reference runs that are held against others, and how long what they say is known without asking again.
const REFERENCES: u32 = 20;
const REFERENCES_FOR: Duration = Duration::from_mins(1);
const KEY_NAME: &str = "quiz tickets";

/// What the operator allows.
#[derive(Debug, Clone, Copy)]
pub struct QuizTerms {
    /// Tickets for one address.
    pub tickets: Rate,
    /// Shared runs from one address.
    pub shares: Rate,
    /// Tickets and shared runs of all together.
    pub overall: Rate,
    /// How old what is known of other runs may be.
    pub known_for: Duration,
    /// Whether a proxy in front says in `X-Forwarded-For` who asks.
    pub behind_proxy: bool,
}

impl Default for QuizTerms {
    fn default() -> Self {
        Self {
            tickets: Rate::per_hour(240),
            shares: Rate::per_hour(120),
            overall: Rate { burst: 2000.0, per_hour: 3600.0 * 1000.0 },
            known_for: Duration::from_secs(2),
            behind_proxy: false,
        }
    }
}

/// Right answers and answers of the runs that count, by pool.
pub type Pooled = HashMap<String, (u64, u64)>;

/// What the reference runs of a model agreed on, and when they were asked.
type Remembered = (Instant, Arc<Vec<Canary>>);

/// Issues tickets and takes shared runs in.
pub struct QuizDesk {
    pub(super) library: Arc<Library>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) storage: Arc<dyn Storage>,
    pub(super) index: Arc<Index>,
    pub(super) commit: ShareCommit,
    /// Tickets are signed with it.
    pub(super) key: [u8; 32],
    /// Bodies are read and looked at in here.
    pub(super) places: Arc<Semaphore>,
    /// Outputs are read by so many threads that pages have a processor left.
    pub(super) readers: Readers,
    terms: QuizTerms,
    tickets: Door,
    shares: Door,
    overall: Door,
    pooled: Mutex<Option<(Instant, Arc<Pooled>)>>,
    references: Mutex<HashMap<String, Remembered>>,
    memory: Memory,
}

impl fmt::Debug for QuizDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuizDesk").field("terms", &self.terms).finish_non_exhaustive()
    }
}

impl QuizDesk {
    /// A desk for the questions and models that are here. It starts what keeps runs on the present runtime.
    pub async fn open(
        library: Arc<Library>,
        catalogue: Arc<Catalogue>,
        storage: Arc<dyn Storage>,
        index: Arc<Index>,
        terms: QuizTerms,
    ) -> Result<Self, IndexError> {
        let key = index.secret(KEY_NAME).await?;
        let commit = ShareCommit::start(Arc::clone(&storage), Arc::clone(&index));
        let now = Instant::now();
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let readers = Readers::start((cores - 1).max(1))
            .map_err(|error| IndexError::Failed { doing: "start reading shared runs", reason: error.to_string() })?;
        Ok(Self {
            library,
            catalogue,
            storage,
            index,
            commit,
            key,
            places: Arc::new(Semaphore::new(MOST_AT_ONCE)),
            readers,
            terms,
            tickets: Door::new(terms.tickets, now),
            shares: Door::new(terms.shares, now),
            overall: Door::new(terms.overall, now),
            pooled: Mutex::new(None),
            references: Mutex::new(HashMap::new()),
            memory: Memory::default(),
        })
    }

    /// Refuses who asks for tickets too often.
    pub(super) fn may_have_ticket(&self, asked: &Asker) -> Result<(), Refused> {
        self.may(&self.tickets, asked)
    }

    /// Refuses who shares or removes too often.
    pub(super) fn may_share(&self, asked: &Asker) -> Result<(), Refused> {
        self.may(&self.shares, asked)
    }

    fn may(&self, door: &Door, asked: &Asker) -> Result<(), Refused> {
        let now = Instant::now();
        if !door.passes(asked.address(self.terms.behind_proxy), now) {
            return Err(Refused::TooOften);
        }
        // Everybody together is one address here.
        let everybody = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        if self.overall.passes(everybody, now) { Ok(()) } else { Err(Refused::Busy) }
    }

    /// What other runs of a pool wrote lately, for some of these questions. It blocks: after a start, it reads the newest of them.
    pub(super) fn earlier(&self, pool: &str, engine: &str, questions: &[String], turn: usize) -> Vec<Vec<Written>> {
        let model = remembered_as(pool, engine);
        if let Some(earlier) = self.memory.recall(&model, questions, turn) {
            return earlier;
        }
        // Nothing is lost when they cannot be read: the next run is compared with this one.
        for run in self.newest_outputs(pool, engine).unwrap_or_default() {
            self.memory.remember(&model, &run);
        }
        self.memory.remember(&model, &[]);
        self.memory.recall(&model, questions, turn).unwrap_or_default()
    }

    /// Remembers what a run that counts wrote.
    pub(super) fn remember(&self, pool: &str, engine: &str, run: &[Written]) {
        self.memory.remember(&remembered_as(pool, engine), run);
    }

    fn newest_outputs(&self, pool: &str, engine: &str) -> Result<Vec<Vec<Written>>, IndexError> {
        let newest = Handle::current().block_on(self.index.counted_runs(pool, REMEMBERED))?;
        let mut runs = Vec::new();
        for share in newest.iter().rev() {
            let run = read_shared(&*self.storage, &share.run)?.and_then(|kept| kept.run);
            runs.extend(run.filter(|run| run.submission.engine.name == engine).map(|run| written(&run.submission)));
        }
        Ok(runs)
    }

    /// What the reference runs of a pool agree on. It blocks.
    pub(super) fn canaries(&self, pool: &str) -> Result<Arc<Vec<Canary>>, IndexError> {
        let mut known = self.references.blocking_lock();
        if let Some((at, canaries)) = known.get(pool)
            && at.elapsed() < REFERENCES_FOR.min(self.terms.known_for * 30)
        {
            return Ok(Arc::clone(canaries));
        }
        let filter = ShareFilter {
            pool: Some(pool.to_owned()),
            standing: Some("reference".to_owned()),
            ..ShareFilter::default()
        };
        let runs = Handle::current().block_on(self.index.shared_runs(&filter, None, REFERENCES))?;
        let found = Arc::new(canaries(&runs.iter().map(answers).collect::<Vec<_>>()));
        known.retain(|_, (at, _)| at.elapsed() < REFERENCES_FOR);
        known.insert(pool.to_owned(), (Instant::now(), Arc::clone(&found)));
        Ok(found)
    }

    /// What the pools come to, not much older than now.
    pub(super) async fn pooled(&self) -> Result<Arc<Pooled>, IndexError> {
        let mut kept = self.pooled.lock().await;
        if let Some((at, pooled)) = &*kept
            && at.elapsed() < self.terms.known_for
        {
            return Ok(Arc::clone(pooled));
        }
        let pools = self.index.pools().await?;
        let pooled: Arc<Pooled> =
            Arc::new(pools.into_iter().map(|pool| (pool.pool, (pool.correct, pool.asked))).collect());
        *kept = Some((Instant::now(), Arc::clone(&pooled)));
        Ok(pooled)
    }
}

fn answers(run: &IndexedShare) -> ReferenceAnswers {
    // Every set is asked with the same seed; a draw has its own, which ends its name.
    let seed = run.selection.strip_prefix("quick ").and_then(|draw| draw.rsplit(' ').next()?.parse().ok());
    ReferenceAnswers {
        way: (run.engine.clone(), seed.unwrap_or_default()),
        answers: run.questions.iter().map(|one| (one.question_id.clone(), one.chosen, one.tier)).collect(),
    }
}

fn remembered_as(pool: &str, engine: &str) -> String {
    format!("{pool} {engine}")
}

/// The outputs of a run.
pub fn written(submission: &Submission) -> Vec<Written> {
    submission.answers.iter().map(|answer| (answer.question_id.clone(), Arc::from(answer.output.as_str()))).collect()
}

/// Who asks, for as long as a request takes.
pub struct Asker {
    peer: Option<IpAddr>,
    forwarded: Option<IpAddr>,
}

impl Asker {
    /// From what the connection and the proxy say.
    pub fn of(extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let lines = headers.get_all(HeaderName::from_static("x-forwarded-for"));
        // A proxy appends whom it heard; what stands before that anybody may have written.
        let last = lines.iter().next_back().and_then(|line| line.to_str().ok()?.rsplit(',').next());
        Self { peer, forwarded: last.and_then(|text| text.trim().parse().ok()) }
    }

    fn address(&self, behind_proxy: bool) -> IpAddr {
        let named = if behind_proxy { self.forwarded.or(self.peer) } else { self.peer };
        named.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_counts_only_behind_a_proxy_and_only_its_end() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "10.0.0.1, 192.0.2.7".parse().unwrap());
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 5))));
        let asker = Asker::of(&extensions, &headers);
        assert_eq!(asker.address(false), IpAddr::from([127, 0, 0, 1]));
        assert_eq!(asker.address(true), IpAddr::from([192, 0, 2, 7]));
    }
}
