//! Asks: one request, repeated while that may help, within limits on time, bytes and money.

use crate::budget::Budget;
use crate::cache::{self, Cache};
use crate::chat::{Chat, Said};
use crate::dialogue::{Dialogue, Utterance};
use crate::endpoint::Endpoint;
use crate::error::LlmError;
use crate::key::ApiKey;
use crate::pace::Pace;
use crate::question::{Answer, Attempt, Question, Schema};
use crate::retry::{self, Retry};
use crate::wire::{self, Demand, Reply};
use reqwest::Url;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// What a client may spend: money, time, patience.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Dollars for everything this client asks; no limit when absent.
    pub budget_usd: Option<f64>,
    /// Dollars of it that were spent before.
    pub spent_usd: f64,
    /// Where answers are kept; nowhere when absent.
    pub cache: Option<PathBuf>,
    /// When to try again.
    pub retry: Retry,
    /// Limits of each question.
    pub limits: Limits,
}

/// Limits of one question.
#[derive(Debug, Clone)]
pub struct Limits {
    /// For one attempt. Models that think take their time.
    pub attempt: Duration,
    /// For all attempts and the waits between them.
    pub whole: Duration,
    /// Bytes of an answer.
    pub answer_bytes: usize,
}

impl Limits {
    /// Of a model that walks: so long for one answer, and so long for all attempts at it.
    pub fn of_walks(attempt: Duration, whole: Duration) -> Self {
        Self { attempt, whole, ..Self::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { attempt: Duration::from_secs(150), whole: Duration::from_mins(5), answer_bytes: 2 * 1024 * 1024 }
    }
}

/// Asks language models on behalf of one run.
#[derive(Debug)]
pub struct Client {
    settings: Settings,
    budget: Arc<Budget>,
    cache: Option<Cache>,
    paces: Arc<Mutex<HashMap<String, Arc<Pace>>>>,
    /// For this machine, past any proxy and without TLS; and for everywhere else.
    near: OnceLock<Result<reqwest::Client, String>>,
    far: OnceLock<Result<reqwest::Client, String>>,
}

/// One question on its way.
struct Errand<'a> {
    endpoint: &'a Endpoint,
    /// A model on this machine may need none.
    key: Option<&'a ApiKey>,
    /// The most it can cost, if anybody knows.
    worst: Option<f64>,
    url: Url,
    body: Vec<u8>,
    http: reqwest::Client,
}

/// What an answer is to look like, for whoever has to be told in words.
#[derive(Clone, Copy)]
struct Shape<'a> {
    system: &'a str,
    schema: Option<&'a Schema>,
}

/// Why an attempt failed.
enum Fault {
    /// It would fail again.
    Final(LlmError),
    /// It may not fail again. `seen` says whether the provider can have seen the question, and so may bill it.
    Passing { what: String, asked: Option<Duration>, seen: bool },
}

/// What came over the wire, and when.
#[derive(Debug, Default)]
pub(crate) struct Arrived {
    status: u16,
    retry_after: Option<Duration>,
    pub(crate) bytes: Vec<u8>,
    /// How many bytes had come at which time, in milliseconds since the request was sent.
    times: Vec<(usize, f64)>,
    pub(crate) total_ms: f64,
}

impl Arrived {
    pub(crate) fn push(&mut self, bytes: &[u8], at_ms: f64) {
        self.bytes.extend_from_slice(bytes);
        self.times.push((self.bytes.len(), at_ms));
    }

    /// When the first `count` bytes were there.
    pub(crate) fn time_of(&self, count: usize) -> f64 {
        let piece = self.times.partition_point(|(length, _)| *length < count);
        self.times.get(piece).map_or(self.total_ms, |(_, at_ms)| *at_ms)
    }
}

impl Client {
    /// A client that has spent nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            budget: Arc::new(Budget::with_spent(settings.budget_usd, settings.spent_usd)),
            cache: settings.cache.clone().map(Cache::new),
            settings,
            paces: Arc::default(),
            near: OnceLock::new(),
            far: OnceLock::new(),
        }
    }

    /// A client with other limits for each question that spends the same budget, at the same pace.
    pub fn within(&self, limits: Limits) -> Self {
        Self {
            settings: Settings { limits, ..self.settings.clone() },
            budget: Arc::clone(&self.budget),
            cache: self.cache.clone(),
            paces: Arc::clone(&self.paces),
            near: self.near.clone(),
            far: self.far.clone(),
        }
    }

    /// Limits of each question.
    pub fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// What was spent so far.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Asks, from the cache if the answer was kept.
    pub async fn ask(&self, endpoint: &Endpoint, key: &ApiKey, question: &Question) -> Result<Answer, LlmError> {
        let url = endpoint.address()?;
        let body = wire::body(endpoint, question);
        let name = cache::name_of(endpoint, question.repeat, &body);
        if let Some(answer) = self.cache.as_ref().and_then(|cache| cache.read(&name)) {
            return Ok(Answer { name, ..answer });
        }
        let http = self.http(endpoint, &url)?;
        let worst = endpoint.price.map(|price| price.worst(question, endpoint.tokens_per_image()));
        let mut errand = Errand { endpoint, key: Some(key), worst, url, body, http };
        let read = |arrived: &Arrived| wire::reply(endpoint, &arrived.bytes);
        let cost = |answer: &Answer| answer.cost_usd;
        let shape = Shape { system: &question.system, schema: Some(&question.schema) };
        let (answer, failed_attempts, left_out) = self.until_eased(&mut errand, shape, read, cost).await?;
        Ok(Answer {
            own_temperature: left_out.contains(&Demand::Temperature),
            without_seed: left_out.contains(&Demand::Seed),
            schema_in_words: left_out.contains(&Demand::Schema),
            name,
            failed_attempts,
            ..answer
        })
    }

    /// Lets a model under test say what it likes, over chat completions. Nothing is kept: every run asks anew.
    pub async fn chat(&self, endpoint: &Endpoint, key: Option<&ApiKey>, chat: &Chat) -> Result<Said, LlmError> {
        let url = endpoint.address_for(key.is_some())?;
        let body = wire::chat::body(endpoint, chat);
        let http = self.http(endpoint, &url)?;
        let errand = Errand { endpoint, key, worst: None, url, body, http };
        let (said, failed_attempts) = self.until_answered(&errand, wire::chat::reply, |_| None).await?;
        Ok(Said { failed_attempts, ..said })
    }

    /// Lets a model that acts go on with a dialogue. Nothing is kept: what it does next depends on a world that moves.
    pub async fn converse(
        &self,
        endpoint: &Endpoint,
        key: Option<&ApiKey>,
        dialogue: &Dialogue,
    ) -> Result<Utterance, LlmError> {
        let url = endpoint.address()?;
        let body = wire::dialogue::body(endpoint, dialogue);
        let http = self.http(endpoint, &url)?;
        let worst = endpoint.price.map(|price| price.worst_next(dialogue, endpoint.tokens_per_image()));
        let mut errand = Errand { endpoint, key, worst, url, body, http };
        let read = |arrived: &Arrived| wire::dialogue::reply(endpoint, arrived);
        let cost = |answer: &Utterance| answer.cost_usd;
        let shape = Shape { system: &dialogue.system, schema: dialogue.schema.as_ref() };
        let (utterance, failed_attempts, _) = self.until_eased(&mut errand, shape, read, cost).await?;
        Ok(Utterance { failed_attempts, ..utterance })
    }

    /// Keeps answers that were of use, so that they need not be asked for again. A cache that cannot be written costs money, not the run.
    pub fn keep(&self, answers: &[Answer]) {
        let Some(cache) = &self.cache else { return };
        for answer in answers.iter().filter(|answer| !answer.cached) {
            let _ = cache.write(&answer.name, answer);
        }
    }

    /// Makes attempts, once more without whatever the provider refuses to be asked for. Returns what that was as well.
    async fn until_eased<T>(
        &self,
        errand: &mut Errand<'_>,
        shape: Shape<'_>,
        read: impl Fn(&Arrived) -> Reply<T>,
        cost: impl Fn(&T) -> Option<f64>,
    ) -> Result<(T, Vec<Attempt>, Vec<Demand>), LlmError> {
        let mut left_out = Vec::new();
        let mut asked = self.until_answered(errand, &read, &cost).await;
        // Each round leaves something out, so there are few.
        while let Some((demand, body)) = asked.as_ref().err().and_then(|error| errand.eased(shape, error)) {
            left_out.push(demand);
            errand.body = body;
            asked = self.until_answered(errand, &read, &cost).await;
        }
        asked.map(|(answer, failed)| (answer, failed, left_out))
    }

    /// Makes attempts until one succeeds, and returns those that failed besides. `read` finds an answer in what came, `cost` what it cost.
    async fn until_answered<T>(
        &self,
        errand: &Errand<'_>,
        read: impl Fn(&Arrived) -> Reply<T>,
        cost: impl Fn(&T) -> Option<f64>,
    ) -> Result<(T, Vec<Attempt>), LlmError> {
        let deadline = Instant::now() + self.settings.limits.whole;
        let pace = self.pace_of(&errand.url);
        let mut failed: Vec<Attempt> = Vec::new();
        let mut reached = false;
        loop {
            let (what, asked, seen) = match self.attempt(errand, &read, &cost, &pace, deadline).await {
                Ok(answer) => return Ok((answer, failed)),
                Err(Fault::Final(error)) => return Err(error),
                Err(Fault::Passing { what, asked, seen }) => (what, asked, seen),
            };
            reached |= seen;
            let model = errand.endpoint.model.clone();
            let made = failed.len() as u32 + 1;
            let longest = self.settings.retry.longest_asked;
            if let Some(wait) = asked.filter(|wait| *wait > longest) {
                return Err(LlmError::AskedToWait { model, wait });
            }
            let own = self.settings.retry.wait(made - 1, errand.body.len() as u64);
            let wait = asked.map_or(own, |asked| asked.max(own.min(self.settings.retry.first_wait)));
            if made >= self.settings.retry.attempts || Instant::now() + wait >= deadline {
                return Err(LlmError::GaveUp { model, attempts: made, last: what, reached });
            }
            failed.push(Attempt { what, waited_ms: wait.as_millis() as u64 });
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt<T>(
        &self,
        errand: &Errand<'_>,
        read: impl Fn(&Arrived) -> Reply<T>,
        cost: impl Fn(&T) -> Option<f64>,
        pace: &Pace,
        deadline: Instant,
    ) -> Result<T, Fault> {
        let model = &errand.endpoint.model;
        let place = pace.enter().await;
        let mut reservation = self.budget.reserve(model, errand.worst).await.map_err(Fault::Final)?;
        let limit = self.settings.limits.attempt.min(deadline.saturating_duration_since(Instant::now()));
        reservation.may_be_billed();
        let arrived = match tokio::time::timeout(limit, self.exchange(errand)).await {
            Ok(Ok(arrived)) => arrived,
            Ok(Err(fault)) => {
                if matches!(&fault, Fault::Passing { seen: false, .. }) {
                    reservation.not_billed();
                }
                return Err(fault);
            }
            Err(_) => return Err(passing(format!("no answer within {} s", limit.as_secs_f64()))),
        };
        let complaint = |status: u16, message: &str| {
            let is_used_up = status == 429 && wire::says_quota_is_used_up(&arrived.bytes);
            let passes = retry::is_worth_repeating(status) && !is_used_up;
            if passes && retry::is_overload(status) {
                place.overloaded();
            }
            let message = errand.scrub(message);
            if passes {
                let what = format!("status {status}: {message}");
                return Fault::Passing { what, asked: arrived.retry_after, seen: true };
            }
            Fault::Final(LlmError::Refused { model: model.clone(), status, message })
        };
        if arrived.status != 200 {
            reservation.not_billed();
            return Err(complaint(arrived.status, &wire::complaint(&arrived.bytes)));
        }
        match read(&arrived) {
            Reply::Answer(answer) => {
                reservation.settle(cost(&answer));
                place.answered();
                Ok(answer)
            }
            Reply::Error { status, message } => {
                reservation.not_billed();
                Err(complaint(status, &message))
            }
            Reply::Nonsense(what) => Err(passing(what)),
        }
    }

    async fn exchange(&self, errand: &Errand<'_>) -> Result<Arrived, Fault> {
        let mut request = errand.http.post(errand.url.clone()).header("content-type", "application/json");
        for (name, value) in errand.key.iter().flat_map(|key| wire::headers(errand.endpoint.dialect, key)) {
            request = request.header(name, value);
        }
        let begun = Instant::now();
        let elapsed_ms = || begun.elapsed().as_secs_f64() * 1000.0;
        let mut response = request.body(errand.body.clone()).send().await.map_err(|error| transport(errand, error))?;
        let retry_after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry::asked_wait(value, SystemTime::now()));
        let status = response.status().as_u16();
        let mut arrived = Arrived { status, retry_after, ..Arrived::default() };
        while let Some(chunk) = response.chunk().await.map_err(|error| transport(errand, error))? {
            if arrived.bytes.len() + chunk.len() > self.settings.limits.answer_bytes {
                let (model, limit) = (errand.endpoint.model.clone(), self.settings.limits.answer_bytes);
                return Err(Fault::Final(LlmError::TooLarge { model, limit }));
            }
            arrived.push(&chunk, elapsed_ms());
        }
        arrived.total_ms = elapsed_ms();
        Ok(arrived)
    }

    fn pace_of(&self, url: &Url) -> Arc<Pace> {
        let origin = url.origin().ascii_serialization();
        let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(paces.entry(origin).or_insert_with(|| Arc::new(Pace::new())))
    }

    fn http(&self, endpoint: &Endpoint, url: &Url) -> Result<reqwest::Client, LlmError> {
        let plain = url.scheme() == "http";
        let built = if plain { &self.near } else { &self.far };
        built
            .get_or_init(|| http_client(plain))
            .clone()
            .map_err(|why| LlmError::Unprepared { model: endpoint.model.clone(), why })
    }
}

impl Errand<'_> {
    /// A text from outside without the key in it.
    fn scrub(&self, text: &str) -> String {
        self.key.map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    /// The body to ask with once more, where a provider refuses something that it need not be asked for.
    fn eased(&self, shape: Shape<'_>, error: &LlmError) -> Option<(Demand, Vec<u8>)> {
        match error {
            LlmError::Refused { status: 400 | 422, message, .. } => {
                wire::without_refused(&self.body, shape.system, shape.schema, message)
            }
            _ => None,
        }
    }
}

fn http_client(plain: bool) -> Result<reqwest::Client, String> {
    // Whoever installed a provider first wins; it is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        // A redirect would carry the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(15))
        .user_agent(concat!("benchwright/", env!("CARGO_PKG_VERSION")));
    let builder = if plain { builder.no_proxy().tls_certs_only(Vec::new()) } else { builder };
    builder.build().map_err(|error| full_text(&error))
}

fn passing(what: String) -> Fault {
    Fault::Passing { what, asked: None, seen: true }
}

fn transport(errand: &Errand<'_>, error: reqwest::Error) -> Fault {
    let seen = !error.is_connect();
    let start = if seen { "the connection broke" } else { "no connection" };
    let text = full_text(&error.without_url());
    Fault::Passing { what: errand.scrub(&format!("{start}: {text}")), asked: None, seen }
}

/// An error with its causes, which is where the reason is.
fn full_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text.chars().take(300).collect()
}
