//! The stage of one workflow: a fresh browser context with its tabs, its clock and its limits.

use super::course::unwalked;
use super::error::{Limit, WalkError};
use super::facts::{Heard, written};
use super::keeper::Keeper;
use super::rest::{Patience, come_to_rest, come_to_rest_while};
use super::sight::Eyes;
use crate::judge::expectation::all_hold;
use crate::task::{Expectation, Limits, Substep};
use benchwright_browser::{
    Browser, BrowserError, Context, ContextOptions, Downloads, LoadLimits, NavigationOutcome, Page, Viewport,
};
use benchwright_domain::BlobId;
use benchwright_domain::vibe::trace::{Attempt, Fact, FactKind, Sight, SightRef, SubstepTrace, WalkerKind};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often a page is looked at while something is waited for.
const GLANCE: Duration = Duration::from_millis(100);
/// How long a screenshot may take.
const SHOT_LIMIT: Duration = Duration::from_secs(20);
/// Bytes one page may load; a page that streams for ever is stopped.
const MOST_BYTES: u64 = 200 * 1024 * 1024;

/// What surrounds a walk. All of it ends up in the result.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Width and height of the window.
    pub viewport: (u32, u32),
    /// Language of the browser.
    pub locale: String,
    /// Time zone of the browser.
    pub timezone: String,
    /// What walking may take.
    pub limits: Limits,
    /// When the time of the app is over; none is never.
    pub app_end: Option<Instant>,
    /// Whether the window is photographed before every action and after every substep.
    pub screenshots: bool,
    /// When a page counts as having come to rest.
    pub patience: Patience,
    /// How long to wait for something that should be there.
    pub look_for: Duration,
    /// An empty folder for files that are uploaded and downloaded; without one neither works.
    pub files: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            viewport: (1_920, 1_200),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            limits: Limits::default(),
            app_end: None,
            screenshots: true,
            patience: Patience::default(),
            look_for: Duration::from_secs(4),
            files: None,
        }
    }
}

/// A tab and how far its log was read.
pub(super) struct Tab {
    pub(super) page: Page,
    heard: Heard,
}

/// The window as a picture.
struct Photograph {
    png: Vec<u8>,
    /// When the page was last known to look like that.
    as_of: Instant,
}

/// The stage of one workflow.
pub struct Stage {
    context: Context,
    pub(super) tabs: Vec<Tab>,
    pub(super) current: usize,
    origin: String,
    pub(super) settings: Settings,
    pub(super) keeper: Box<dyn Keeper>,
    eyes: Eyes,
    /// The page as it was seen last, after it came to rest.
    pub(super) latest: Option<Sight>,
    /// Of that sight.
    photograph: Option<Photograph>,
    started: Instant,
    step_began: Instant,
    steps: u32,
    pub(super) actions: u32,
    facts: u32,
    news: Vec<(FactKind, String)>,
    kept: HashMap<BlobId, SightRef>,
}

impl Stage {
    /// A fresh context with one blank tab. `origin` is where the app answers, such as `http://127.0.0.1:4100`.
    pub async fn open(
        browser: &Browser,
        origin: &str,
        settings: Settings,
        keeper: Box<dyn Keeper>,
    ) -> Result<Self, WalkError> {
        let (width, height) = settings.viewport;
        let options = ContextOptions {
            viewport: Viewport::desktop(width, height),
            locale: settings.locale.clone(),
            timezone: settings.timezone.clone(),
            reduced_motion: true,
            downloads: settings.files.clone().map_or(Downloads::Refuse, Downloads::Keep),
            max_response_bytes: Some(MOST_BYTES),
            ..ContextOptions::default()
        };
        let context = browser.new_context(options).await?;
        let page = context.new_page().await?;
        page.hold_dialogs();
        let now = Instant::now();
        Ok(Self {
            context,
            tabs: vec![Tab { page, heard: Heard::default() }],
            current: 0,
            origin: origin.trim_end_matches('/').to_owned(),
            settings,
            keeper,
            eyes: Eyes::default(),
            latest: None,
            photograph: None,
            started: now,
            step_began: now,
            steps: 0,
            actions: 0,
            facts: 0,
            news: Vec::new(),
            kept: HashMap::new(),
        })
    }

    /// Where the app answers.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Width and height of the window.
    pub fn viewport(&self) -> (u32, u32) {
        self.settings.viewport
    }

    /// What surrounds the walk.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Seconds since the stage was opened.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Milliseconds since the stage was opened.
    pub(super) fn milliseconds(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Steps that were taken.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The tab that is looked at.
    pub fn page(&self) -> &Page {
        &self.tabs[self.current].page
    }

    /// Addresses of the tabs, the one that is looked at first.
    pub fn tabs(&self) -> Vec<String> {
        let others = self.tabs.iter().enumerate().filter(|(index, _)| *index != self.current);
        std::iter::once(self.page().url()).chain(others.map(|(_, tab)| tab.page.url())).collect()
    }

    /// Begins a step of the walker, which has a time of its own. An error when there are no more steps or no more time.
    pub fn begin_step(&mut self) -> Result<(), WalkError> {
        let limits = self.settings.limits;
        if self.steps >= limits.agent_steps {
            return Err(WalkError::LimitReached(Limit::Steps(limits.agent_steps)));
        }
        self.steps += 1;
        self.step_began = Instant::now();
        self.check_time()
    }

    /// An error when the time of the step or of the app is over.
    pub fn check_time(&self) -> Result<(), WalkError> {
        let limits = self.settings.limits;
        if self.settings.app_end.is_some_and(|end| Instant::now() >= end) {
            return Err(WalkError::LimitReached(Limit::AppSeconds(u64::from(limits.app_seconds))));
        }
        if self.step_began.elapsed() >= Duration::from_secs(u64::from(limits.step_seconds)) {
            return Err(WalkError::LimitReached(Limit::StepSeconds(u64::from(limits.step_seconds))));
        }
        Ok(())
    }

    /// The page as it is now.
    pub async fn look(&mut self) -> Result<Sight, WalkError> {
        let tabs = self.tabs();
        let page = self.page().clone();
        let sight = self.eyes.look(&page, &tabs).await?;
        self.latest = Some(sight.clone());
        self.photograph = None;
        Ok(sight)
    }

    /// The page as it was seen last, or now if it never was.
    pub async fn sight(&mut self) -> Result<Sight, WalkError> {
        match &self.latest {
            Some(sight) => Ok(sight.clone()),
            None => self.look().await,
        }
    }

    /// Looks until something is found, as long as that may take. A page that a dialog of the browser has stopped will not change.
    pub(super) async fn look_until<T>(
        &mut self,
        end: Instant,
        find: impl Fn(&Sight) -> Option<T>,
    ) -> Result<Option<T>, WalkError> {
        let mut found = find(&self.sight().await?);
        while found.is_none() && Instant::now() < end && self.page().open_dialog().is_none() {
            tokio::time::sleep(GLANCE).await;
            found = find(&self.look().await?);
        }
        Ok(found)
    }

    /// Looks until everything that is expected can be seen, as long as that may take. Whether it can.
    pub(super) async fn look_until_all_holds(
        &mut self,
        expected: &[Expectation],
        end: Instant,
    ) -> Result<bool, WalkError> {
        let seen = self.look_until(end, |sight| all_hold(expected, sight).then_some(())).await?;
        Ok(seen.is_some())
    }

    /// Waits until the page at rest has something, as long as that may take. Whether it has. A dialog of the browser ends the wait.
    pub(super) async fn settle_until(
        &mut self,
        end: Instant,
        is_there: impl Fn(&Sight) -> bool,
    ) -> Result<bool, WalkError> {
        let mut sight = self.sight().await?;
        while !is_there(&sight) && sight.dialog.is_none() && Instant::now() < end {
            sight = self.settle().await?;
        }
        Ok(is_there(&sight))
    }

    /// Until when something that should be there is looked for.
    pub(super) fn end_of_search(&self) -> Instant {
        Instant::now() + self.settings.look_for
    }

    /// Waits until the page rests and looks at it.
    pub async fn look_at_rest(&mut self) -> Result<Sight, WalkError> {
        come_to_rest(self.page(), self.settings.patience).await;
        self.look().await
    }

    /// Waits until the page rests, follows its tabs and looks. A photograph is taken before the wait is over, and is one of that sight if
    /// the sight was the same then.
    pub(super) async fn settle(&mut self) -> Result<Sight, WalkError> {
        let (page, patience) = (self.page().clone(), self.settings.patience);
        let early = come_to_rest_while(&page, patience, async || self.glimpse().await).await.flatten();
        self.follow_tabs().await?;
        let sight = self.look().await?;
        let unchanged = early.filter(|(seen, _)| *seen == sight);
        self.photograph = unchanged.map(|(_, png)| Photograph { png, as_of: Instant::now() });
        Ok(sight)
    }

    async fn glimpse(&mut self) -> Option<(Sight, Vec<u8>)> {
        if !self.settings.screenshots {
            return None;
        }
        let sight = self.look().await.ok()?;
        Some((sight, self.photograph().await?))
    }

    /// A photograph of the window; none when there is none to be had. One that is no older than a page must be quiet to be at rest is not
    /// taken again.
    pub async fn photograph(&mut self) -> Option<Vec<u8>> {
        if !self.settings.screenshots || self.page().open_dialog().is_some() {
            return None;
        }
        let is_fresh = |known: &&Photograph| known.as_of.elapsed() < self.settings.patience.quiet;
        if let Some(known) = self.photograph.as_ref().filter(is_fresh) {
            return Some(known.png.clone());
        }
        let png = self.page().snapshot(SHOT_LIMIT).await.ok()?;
        self.photograph = Some(Photograph { png: png.clone(), as_of: Instant::now() });
        Some(png)
    }

    /// Keeps the sight, with a photograph if those are wanted. Equal sights share a reference.
    pub async fn keep(&mut self, sight: &Sight) -> Result<SightRef, WalkError> {
        let blob = self.keeper.keep(&serde_json::to_vec(sight)?)?;
        if let Some(known) = self.kept.get(&blob) {
            return Ok(known.clone());
        }
        let screenshot = match self.photograph().await {
            Some(png) => Some(self.keeper.keep(&png)?),
            None => None,
        };
        let reference = SightRef { id: format!("s{}", self.kept.len() + 1), blob: blob.clone(), screenshot };
        self.kept.insert(blob, reference.clone());
        Ok(reference)
    }

    /// Begins a substep: what could be seen before it.
    pub async fn begin(&mut self, number: u32, substep: &Substep, by: WalkerKind) -> Result<SubstepTrace, WalkError> {
        let sight = self.sight().await?;
        let mut trace = unwalked(number, substep, by, Attempt::Done);
        trace.before = Some(self.keep(&sight).await?);
        Ok(trace)
    }

    /// Ends a substep: what can be seen after it, and what became known meanwhile.
    pub async fn conclude(&mut self, mut trace: SubstepTrace) -> Result<SubstepTrace, WalkError> {
        let sight = self.sight().await?;
        trace.after = Some(self.keep(&sight).await?);
        trace.facts.extend(self.take_facts());
        Ok(trace)
    }

    /// Notes a fact of the walk itself, such as an answered dialog.
    pub(super) fn note(&mut self, kind: FactKind, text: impl Into<String>) {
        self.news.push((kind, text.into()));
    }

    /// What became known since the last call.
    pub fn take_facts(&mut self) -> Vec<Fact> {
        let mut news = std::mem::take(&mut self.news);
        for tab in &mut self.tabs {
            news.extend(tab.heard.news(&tab.page.log()));
        }
        written(news, &mut self.facts)
    }

    /// Opens an address; one without a host is the app's, whatever stands behind its path.
    pub(super) async fn visit(&mut self, address: &str) -> Result<Option<String>, WalkError> {
        let url = if address.contains("://") && !address.starts_with('/') {
            address.to_owned()
        } else {
            format!("{}/{}", self.origin, address.trim_start_matches('/'))
        };
        let limits = LoadLimits { idle_quiet: self.settings.patience.quiet, ..LoadLimits::default() };
        let navigation = match self.page().goto(&url, limits).await {
            Err(error @ (BrowserError::Disconnected | BrowserError::Closed)) => return Err(error.into()),
            Err(error) => return Ok(Some(error.to_string())),
            Ok(navigation) => navigation,
        };
        self.arrived(&url, navigation.outcome)
    }

    /// What is wrong with a page that was opened, if anything. An error when nobody answers any more where the app should.
    pub(super) fn arrived(&self, url: &str, outcome: NavigationOutcome) -> Result<Option<String>, WalkError> {
        let is_silence = |error: &str| error.contains("CONNECTION") || error.contains("EMPTY_RESPONSE");
        Ok(match outcome {
            NavigationOutcome::Failed { error } if is_silence(&error) && url.starts_with(&self.origin) => {
                return Err(WalkError::AppDown { reason: format!("{url} gave {error}") });
            }
            NavigationOutcome::Failed { error } => Some(format!("{url} gave {error}")),
            NavigationOutcome::TimedOut { after_seconds } => {
                Some(format!("{url} did not load within {after_seconds} s"))
            }
            NavigationOutcome::Crashed => Some(format!("{url} made the tab crash")),
            _ => None,
        })
    }

    /// Takes in tabs that opened and lets go of those that closed. What opened last is looked at.
    async fn follow_tabs(&mut self) -> Result<(), WalkError> {
        let watched = self.page().clone();
        for popup in self.context.popups().await {
            let known = self.tabs.iter().any(|tab| tab.page.main_frame().id() == popup.main_frame().id());
            if !known {
                popup.hold_dialogs();
                come_to_rest(&popup, self.settings.patience).await;
                self.note(FactKind::Tab, format!("a tab opened: {}", popup.url()));
                self.tabs.push(Tab { page: popup, heard: Heard::default() });
                self.current = self.tabs.len() - 1;
            }
        }
        let open: Vec<bool> = self.tabs.iter().map(|tab| tab.page.is_open()).collect();
        if open.iter().all(|open| *open) {
            return Ok(());
        }
        if !open.contains(&true) {
            return Err(BrowserError::Closed.into());
        }
        let stays = self.tabs[self.current].page.main_frame().id().to_owned();
        let mut open = open.into_iter();
        self.tabs.retain(|_| open.next().unwrap_or(true));
        self.note(FactKind::Tab, format!("a tab closed: {}", watched.url()));
        let place = self.tabs.iter().position(|tab| tab.page.main_frame().id() == stays);
        self.current = place.unwrap_or(self.tabs.len() - 1);
        Ok(())
    }

    /// Ends the context with everything in it.
    pub async fn close(self) -> Result<(), WalkError> {
        for tab in &self.tabs {
            let _ = tab.page.answer_dialog(false, None).await;
        }
        Ok(self.context.close().await?)
    }
}
