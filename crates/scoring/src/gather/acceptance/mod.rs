//! Walks the prompt's criteria in the browser, each in a context of its own unless it is chained to the one before it.

mod check;
mod errand;
mod perform;
mod reveal;
mod trouble;

use super::{Desk, StepError, listen, load};
use crate::evidence::Acceptance;
use crate::evidence::acceptance::{Failure, Step, VERSION, Visit, Walked};
use crate::prompt::Prompt;
use crate::request::{Access, Request, seconds};
use crate::scorers::address::{host, is_same_site};
use benchwright_browser::{Browser, Context, LoadLimits, Page, PageLog};
use errand::{Action, Errand};
use perform::Walk;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use trouble::Trouble;

/// How long the network must be silent before a criterion is walked, and how long that is waited for. Assertions wait by themselves, so
/// a page that never falls silent need not be waited out each time.
const IDLE_QUIET: Duration = Duration::from_millis(300);
const IDLE_CAP: Duration = Duration::from_secs(3);

/// One group of criteria, walked.
struct Outing {
    /// The group's place in the prompt.
    number: usize,
    walked: Vec<Walked>,
    visit: Visit,
}

/// Walks all criteria of a prompt, a few contexts at a time.
pub async fn walk(
    desk: &Desk<'_>,
    browser: &Browser,
    request: &Request,
    access: &Access,
    prompt: &Prompt,
) -> Result<Acceptance, StepError> {
    let tour = Tour { desk, browser, request, access };
    let queue: Mutex<VecDeque<(usize, Vec<Errand>)>> =
        Mutex::new(errand::groups(prompt)?.into_iter().enumerate().collect());
    let walker = async || {
        let mut outings = Vec::new();
        loop {
            let next = queue.lock().map_or(None, |mut queue| queue.pop_front());
            let Some((number, group)) = next else { return Ok::<_, StepError>(outings) };
            outings.push(Box::pin(tour.outing(number, &group)).await?);
        }
    };
    let (one, two, three, four) = tokio::join!(walker(), walker(), walker(), walker());
    let mut outings: Vec<Outing> = [one?, two?, three?, four?].into_iter().flatten().collect();
    outings.sort_by_key(|outing| outing.number);
    let mut acceptance = Acceptance { version: VERSION, ..Acceptance::default() };
    for outing in outings {
        acceptance.criteria.extend(outing.walked);
        acceptance.visits.push(outing.visit);
    }
    Ok(acceptance)
}

/// What every outing needs.
struct Tour<'a, 'd> {
    desk: &'a Desk<'d>,
    browser: &'a Browser,
    request: &'a Request,
    access: &'a Access,
}

impl Tour<'_, '_> {
    /// Walks one group. What goes wrong between us and the browser gets a second try, in a fresh context.
    async fn outing(&self, number: usize, group: &[Errand]) -> Result<Outing, StepError> {
        match self.attempt(number, group).await {
            Err(StepError::Browser(_)) if self.browser.is_connected() => self.attempt(number, group).await,
            other => other,
        }
    }

    async fn attempt(&self, number: usize, group: &[Errand]) -> Result<Outing, StepError> {
        let options = load::context_options(self.request, self.access, load::DESKTOP);
        let context = self.browser.new_context(options).await?;
        let outing = self.walk_in(&context, number, group).await;
        // A context that cannot be closed goes with the browser.
        let _ = context.close().await;
        outing
    }

    async fn walk_in(&self, context: &Context, number: usize, group: &[Errand]) -> Result<Outing, StepError> {
        let page = context.new_page().await?;
        let mut walk = Walk::new(context, &page, self.request, self.load_limits());
        let opened = self.open(&page).await;
        let mut walked = Vec::new();
        for errand in group {
            let outcome = match &opened {
                Ok(()) => within(self.limit_of(errand), &mut walk, errand).await,
                Err(trouble) => Err(trouble.clone()),
            };
            let failure = match outcome {
                Ok(()) => None,
                Err(Trouble::Ours(error)) => return Err(error.into()),
                Err(Trouble::Prompt(problem)) => {
                    return Err(StepError::Page(format!("the criterion `{}` cannot be walked: {problem}", errand.id)));
                }
                Err(Trouble::Page(reason)) => Some(self.failure(&walk, errand, reason).await?),
            };
            walked.push(Walked { id: errand.id.clone(), weight: errand.weight, failure });
        }
        let ids = group.iter().map(|errand| errand.id.clone()).collect();
        let tabs = self.heard(context, &page).await;
        Ok(Outing { number, walked, visit: listen::visit(&tabs, ids, &walk.probed) })
    }

    /// What the page said, and what the tabs said that it opened. What somebody else's site says there is not the app's.
    async fn heard(&self, context: &Context, page: &Page) -> Vec<PageLog> {
        let mut logs = vec![page.log()];
        let end = Instant::now() + IDLE_CAP;
        for tab in context.popups().await {
            settled(&tab, end).await;
            if host(&tab.url()).is_none() || is_same_site(&tab.url(), &self.request.url) {
                logs.push(tab.log());
            }
        }
        logs
    }

    /// Opens the page. It rendered a moment ago, so a load that fails is tried once more before the page is blamed.
    async fn open(&self, page: &Page) -> Result<(), Trouble> {
        let mut outcome = page.goto(&self.request.url, self.load_limits()).await?.outcome;
        if load::arrived(&outcome).is_err() {
            outcome = page.goto(&self.request.url, self.load_limits()).await?.outcome;
        }
        load::arrived(&outcome).map_err(Trouble::Page)
    }

    fn load_limits(&self) -> LoadLimits {
        let limits = load::load_limits(&self.request.limits);
        LoadLimits { idle_quiet: IDLE_QUIET.min(limits.idle_quiet), idle_cap: IDLE_CAP.min(limits.idle_cap), ..limits }
    }

    /// How long a criterion may take in all: what its steps may take one by one, and a little more.
    fn limit_of(&self, errand: &Errand) -> Duration {
        let limits = &self.request.limits;
        let loads = errand.setup.iter().filter(|action| matches!(action, Action::Reload)).count();
        let reveals = errand.setup.iter().filter(|action| matches!(action, Action::RevealLoginForm)).count();
        let acting = (errand.setup.len() + 2) as f64 * (limits.assertion_seconds + 30.0);
        seconds(acting + loads as f64 * limits.navigation_seconds + reveals as f64 * reveal::LIMIT.as_secs_f64() + 10.0)
    }

    async fn failure(&self, walk: &Walk<'_>, errand: &Errand, reason: String) -> Result<Failure, StepError> {
        let target = match &walk.step {
            Step::Open => None,
            Step::Setup { number, .. } => errand.setup.get(number - 1).and_then(Action::target),
            Step::Assertion | Step::Custom => Some(&errand.target),
        };
        let (matched, elements) = match target {
            Some(target) => walk.resolved(target).await,
            None => (0, Vec::new()),
        };
        let limit = seconds(self.request.limits.screenshot_seconds);
        let screenshot = match walk.page.screenshot(benchwright_browser::Shot::Viewport, limit).await {
            Ok(png) => load::keep_screenshot(self.desk, &format!("criterion-{}", errand.id), &png, 1.0)?,
            Err(_) => None,
        };
        Ok(Failure {
            step: walk.step.clone(),
            reason,
            locator: target.map(|target| target.text.clone()),
            matched,
            elements,
            url: walk.page.url(),
            screenshot,
        })
    }
}

/// Waits until a tab has arrived somewhere and fallen silent. One that has only just been opened is silent before it asks for anything.
async fn settled(tab: &Page, end: Instant) {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        tab.wait_for_network_idle(IDLE_QUIET, left).await;
        if left.is_zero() || !tab.is_open() || host(&tab.url()).is_some() {
            return;
        }
    }
}

async fn within(limit: Duration, walk: &mut Walk<'_>, errand: &Errand) -> Result<(), Trouble> {
    match tokio::time::timeout(limit, walk.criterion(errand)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Trouble::Page(format!("not done within {} s", limit.as_secs()))),
    }
}
