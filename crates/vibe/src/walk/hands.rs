//! Hands: doing one action with real input, waiting until the page rests, and seeing what changed.

use super::error::WalkError;
use super::rest::come_to_rest;
use super::stage::Stage;
use super::target;
use crate::reading;
use benchwright_browser::{BrowserError, ClickOptions, Locator, Page};
use benchwright_domain::vibe::trace::{Action, ActionTrace, Effect, FactKind, Node, Sight, Target};
use serde_json::json;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long an element may take until it can be acted on.
const ACT_LIMIT: Duration = Duration::from_secs(12);
/// After this it is looked for again: the page may have drawn it anew. Each try takes twice as long as the one before, because on a busy
/// machine nothing may come of a short one.
const LOOK_AGAIN: Duration = Duration::from_millis(1_500);
/// Longest wait that a walker may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How long a download may take to begin, and a page to go back.
const FOLLOW_LIMIT: Duration = Duration::from_secs(10);

/// Where an action hit.
pub(super) type Hit = Option<(f64, f64)>;

/// Why an action was not done.
#[derive(Debug)]
pub(super) enum Miss {
    /// It could not be done; the page is at fault, or what was asked of it.
    Impossible(String),
    /// The element could not be acted on in time.
    NotYet(String),
    /// There is no such element.
    Gone(String),
    /// The walk cannot go on.
    Lost(WalkError),
}

impl From<BrowserError> for Miss {
    fn from(error: BrowserError) -> Self {
        match error {
            BrowserError::Disconnected | BrowserError::NoEngine => Self::Lost(error.into()),
            BrowserError::NotActionable { reason, .. } => Self::NotYet(reason),
            // On a busy machine a page may need longer than the first tries give it.
            BrowserError::TimedOut { .. } if !error.may_have_acted() => {
                Self::NotYet("the page did not answer".to_owned())
            }
            other => Self::Impossible(other.to_string()),
        }
    }
}

/// An action with its targets found on the page.
enum Deed {
    Click(Locator, u32, Duration),
    Fill(Locator, String),
    Press(Option<Locator>, Page, String),
    Select(Locator, Vec<String>),
    Nothing,
    Hover(Locator),
    Focus(Locator),
    Scroll(Option<Locator>, Page, (f64, f64), (i32, i32)),
    Drag(Locator, Locator, Page),
    Upload(Locator, Vec<PathBuf>),
    Download(Locator, Duration, Page),
    Travel(Page, &'static str),
}

impl Stage {
    /// Does an action and waits until the page rests. That it could not be done stands in the trace; an error ends the walk.
    pub async fn perform(&mut self, action: &Action) -> Result<ActionTrace, WalkError> {
        self.check_time()?;
        let before = self.sight().await?;
        let screenshot = match self.photograph().await {
            Some(png) => Some(self.keeper.keep(&png)?),
            None => None,
        };
        let (at_ms, began) = (self.milliseconds(), Instant::now());
        let requests = self.page().log().requests.len();
        let page = self.page().clone();
        let done = self.act(action, &before).await;
        let after = self.settle().await?;
        let caused = page.log().requests.len().saturating_sub(requests);
        let (point, failed) = match done {
            Ok(point) => (point, unchanged(action, &after)),
            Err(Miss::Impossible(reason) | Miss::Gone(reason)) => (None, Some(reason)),
            Err(Miss::NotYet(reason)) => (None, Some(format!("{reason} (waited {} s)", ACT_LIMIT.as_secs()))),
            Err(Miss::Lost(error)) => return Err(error),
        };
        self.actions += 1;
        Ok(ActionTrace {
            id: format!("a{}", self.actions),
            action: action.clone(),
            point,
            failed,
            effect: Effect {
                url: (after.url != before.url).then(|| after.url.clone()),
                tree: fingerprint(&after) != fingerprint(&before),
                held: holds(action, &after),
                requests: u32::try_from(caused).unwrap_or(u32::MAX),
            },
            at_ms,
            took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            screenshot,
        })
    }

    async fn act(&mut self, action: &Action, sight: &Sight) -> Result<Hit, Miss> {
        if let Action::Dialog { accept, text } = action {
            return self.answer(*accept, text.as_deref()).await;
        }
        if let Some(dialog) = self.page().open_dialog() {
            return Err(Miss::Impossible(format!("a dialog of the browser is open: {}", dialog.text)));
        }
        match action {
            Action::Navigate { url } => self.go(url).await,
            Action::Reload => self.reload().await,
            Action::Wait { milliseconds, text } => self.wait(*milliseconds, text.as_deref()).await,
            Action::SwitchTab { tab } => self.switch(*tab),
            Action::CloseTab { tab } => self.close_tab(*tab).await,
            Action::FindText { .. } | Action::Dialog { .. } => Ok(None),
            Action::Select { target, options } if is_custom(sight, target) => {
                self.choose_by_hand(sight, target, options).await
            }
            other => self.act_on_elements(other, sight).await,
        }
    }

    /// A page may draw an element anew between the look and the act, or cover it for a while. What cannot be acted on is looked for again.
    async fn act_on_elements(&mut self, action: &Action, sight: &Sight) -> Result<Hit, Miss> {
        let end = Instant::now() + ACT_LIMIT;
        let mut limit = LOOK_AGAIN;
        let mut deed = self.deed(action, sight, limit);
        while let Ok(found) = deed {
            match self.carry_out(found).await {
                Err(Miss::NotYet(_)) if Instant::now() < end => {}
                done => return done,
            }
            let left = end.saturating_duration_since(Instant::now());
            limit = (2 * limit).min(left).max(LOOK_AGAIN);
            deed = self.deed_again(action, limit, end).await;
        }
        deed.and(Ok(None))
    }

    /// The same action on the page as it is by now. What was there a moment ago may come back.
    async fn deed_again(&mut self, action: &Action, limit: Duration, end: Instant) -> Result<Deed, Miss> {
        loop {
            let sight = self.look().await.map_err(|error| Miss::Impossible(error.to_string()))?;
            match self.deed(action, &sight, limit) {
                Err(Miss::Gone(_)) if Instant::now() < end => tokio::time::sleep(Duration::from_millis(100)).await,
                deed => return deed,
            }
        }
    }

    /// Does it, unless a dialog of the browser comes in between: then the browser has got its input and answers later.
    async fn carry_out(&mut self, deed: Deed) -> Result<Hit, Miss> {
        let page = self.page().clone();
        tokio::select! {
            done = deed.done() => done,
            () = page.until_dialog() => Ok(None),
        }
    }

    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<Hit, Miss> {
        let page = self.page().clone();
        let Some(dialog) = page.open_dialog() else {
            return Err(Miss::Impossible("no dialog of the browser is open".to_owned()));
        };
        page.answer_dialog(accept, text).await?;
        let how = if accept { "accepted" } else { "dismissed" };
        self.note(FactKind::Dialog, format!("{} \"{}\" was {how}", dialog.kind, dialog.text));
        Ok(None)
    }

    async fn go(&mut self, url: &str) -> Result<Hit, Miss> {
        match self.visit(url).await {
            Ok(None) => Ok(None),
            Ok(Some(problem)) => Err(Miss::Impossible(problem)),
            Err(WalkError::Browser(error)) => Err(error.into()),
            Err(error) => Err(Miss::Lost(error)),
        }
    }

    async fn reload(&mut self) -> Result<Hit, Miss> {
        let limits = benchwright_browser::LoadLimits {
            idle_quiet: self.settings.patience.quiet,
            ..benchwright_browser::LoadLimits::default()
        };
        let (url, reloaded) = (self.page().url(), self.page().reload(limits).await?);
        // What else is wrong with the page can be seen on it.
        self.arrived(&url, reloaded.outcome).map_err(Miss::Lost)?;
        Ok(None)
    }

    async fn wait(&mut self, milliseconds: u32, text: Option<&str>) -> Result<Hit, Miss> {
        let end = Instant::now() + Duration::from_millis(u64::from(milliseconds)).min(LONGEST_WAIT);
        while Instant::now() < end {
            if let Some(text) = text
                && let Ok(sight) = self.look().await
                && reading::shows(&sight, text)
            {
                return Ok(None);
            }
            let left = end.saturating_duration_since(Instant::now());
            tokio::time::sleep(Duration::from_millis(250).min(left)).await;
        }
        match text {
            Some(text) => Err(Miss::Impossible(format!("\"{text}\" did not appear"))),
            None => Ok(None),
        }
    }

    fn switch(&mut self, tab: u32) -> Result<Hit, Miss> {
        let place = usize::try_from(tab).unwrap_or(usize::MAX);
        if place >= self.tabs.len() {
            return Err(Miss::Impossible(format!("there is no tab {tab}; {} are open", self.tabs.len())));
        }
        self.current = place;
        Ok(None)
    }

    async fn close_tab(&mut self, tab: u32) -> Result<Hit, Miss> {
        let place = usize::try_from(tab).unwrap_or(usize::MAX);
        if place >= self.tabs.len() || self.tabs.len() == 1 {
            return Err(Miss::Impossible(format!("tab {tab} cannot be closed; {} are open", self.tabs.len())));
        }
        self.tabs[place].page.close().await?;
        Ok(None)
    }

    /// Chooses in a list that is no native one, as a person does: open it, click what is wanted.
    async fn choose_by_hand(&mut self, sight: &Sight, target: &Target, options: &[String]) -> Result<Hit, Miss> {
        let mut hit = None;
        let mut sight = sight.clone();
        for wanted in options {
            let node = target::find(&sight, target).ok_or_else(|| gone(target))?;
            if node.expanded != Some(true) && reading::options_shown(&sight, wanted).is_empty() {
                let open = self.locator(node, ACT_LIMIT)?;
                self.carry_out(Deed::Click(open, 1, ACT_LIMIT)).await?;
                come_to_rest(self.page(), self.settings.patience).await;
                sight = self.look().await.map_err(|error| Miss::Impossible(error.to_string()))?;
            }
            let found = reading::options_shown(&sight, wanted);
            let [option] = found[..] else {
                return Err(Miss::Impossible(format!("{} of the list's options are \"{wanted}\"", found.len())));
            };
            let option = self.locator(option, ACT_LIMIT)?;
            hit = self.carry_out(Deed::Click(option, 1, ACT_LIMIT)).await?;
            come_to_rest(self.page(), self.settings.patience).await;
            sight = self.look().await.map_err(|error| Miss::Impossible(error.to_string()))?;
        }
        Ok(hit)
    }

    fn deed(&self, action: &Action, sight: &Sight, limit: Duration) -> Result<Deed, Miss> {
        let at = |target: &Target| {
            let node = target::find(sight, target).ok_or_else(|| gone(target))?;
            self.locator(node, limit)
        };
        let page = self.page().clone();
        Ok(match action {
            Action::DoubleClick { target } => Deed::Click(at(target)?, 2, limit),
            Action::Fill { target, text } => Deed::Fill(at(target)?, text.clone()),
            Action::Clear { target } => Deed::Fill(at(target)?, String::new()),
            Action::Press { target, keys } => Deed::Press(target.as_ref().map(at).transpose()?, page, keys.clone()),
            Action::Select { target, options } => Deed::Select(at(target)?, options.clone()),
            // A page may draw its boxes anew at every click, so that the one that was clicked is not there to be asked.
            Action::Check { target, checked } if is_already(sight, target, *checked) => Deed::Nothing,
            Action::Click { target } | Action::Check { target, .. } => Deed::Click(at(target)?, 1, limit),
            Action::Hover { target } => Deed::Hover(at(target)?),
            Action::Focus { target } => Deed::Focus(at(target)?),
            Action::Scroll { target, x, y } => {
                let (width, height) = self.viewport();
                let middle = (f64::from(width) / 2.0, f64::from(height) / 2.0);
                Deed::Scroll(target.as_ref().map(at).transpose()?, page, middle, (*x, *y))
            }
            Action::Drag { from, to } => Deed::Drag(at(from)?, at(to)?, page),
            Action::Upload { target, files } => Deed::Upload(at(target)?, self.made_up(files)?),
            Action::Download { target } => Deed::Download(at(target)?, limit, page),
            Action::Back => Deed::Travel(page, "() => history.back()"),
            Action::Forward => Deed::Travel(page, "() => history.forward()"),
            other => return Err(Miss::Impossible(format!("{other:?} needs no hands"))),
        })
    }

    /// The element of a node, found by the number it was given when it was seen.
    fn locator(&self, node: &Node, limit: Duration) -> Result<Locator, Miss> {
        let lost = || Miss::Impossible(format!("{} \"{}\" cannot be acted on", node.role, node.name));
        let reference = node.reference.as_deref().ok_or_else(lost)?;
        let frame = match reference.strip_prefix('f').and_then(|rest| rest.split_once('e')) {
            None => self.page().main_frame(),
            Some((sequence, _)) => {
                let sequence = sequence.parse().map_err(|_| lost())?;
                self.page().frame_by_sequence(sequence).ok_or_else(lost)?
            }
        };
        Ok(frame.locator(&format!("seen={reference}")).with_timeout(limit))
    }

    /// Files of these names with contents that fit them.
    fn made_up(&self, names: &[String]) -> Result<Vec<PathBuf>, Miss> {
        let folder = self.settings.files.as_ref();
        let folder = folder.ok_or_else(|| Miss::Impossible("there is no folder for files to upload".to_owned()))?;
        let make = |name: &String| {
            let path = folder.join(super::upload::plain_name(name));
            std::fs::write(&path, super::upload::content(name)).map(|()| path)
        };
        let made: Result<Vec<_>, _> = names.iter().map(make).collect();
        made.map_err(|error| Miss::Impossible(format!("a file to upload could not be made: {error}")))
    }
}

impl Deed {
    async fn done(self) -> Result<Hit, Miss> {
        match self {
            Self::Click(element, count, timeout) => {
                let options = ClickOptions { count, timeout, ..ClickOptions::default() };
                Ok(Some(element.click_where(options).await?))
            }
            Self::Fill(element, text) => fill(&element, &text).await,
            Self::Press(Some(element), _, keys) => element.press(&keys).await.map(|()| None).map_err(Miss::from),
            Self::Press(None, page, keys) => page.press(&keys).await.map(|()| None).map_err(Miss::from),
            Self::Select(element, options) => {
                let wanted: Vec<&str> = options.iter().map(String::as_str).collect();
                element.select_option(&wanted).await?;
                Ok(None)
            }
            Self::Nothing => Ok(None),
            Self::Hover(element) => Ok(Some(element.hover_where().await?)),
            Self::Focus(element) => element.focus().await.map(|()| None).map_err(Miss::from),
            Self::Scroll(element, page, middle, (x, y)) => scroll(element, &page, middle, (x, y)).await,
            Self::Drag(from, to, page) => drag(&from, &to, &page).await,
            Self::Upload(element, files) => {
                let files: Vec<&std::path::Path> = files.iter().map(PathBuf::as_path).collect();
                element.set_input_files(&files).await.map(|()| None).map_err(Miss::from)
            }
            Self::Download(element, limit, page) => download(&element, limit, &page).await,
            Self::Travel(page, script) => {
                // The document may be gone before it can answer.
                let _ = page.evaluate::<serde_json::Value>(script, &json!(null), FOLLOW_LIMIT).await;
                tokio::time::sleep(Duration::from_millis(200)).await;
                Ok(None)
            }
        }
    }
}

/// Fields that take only some characters refuse a text as a whole; typed key by key they take what they want of it.
async fn fill(element: &Locator, text: &str) -> Result<Hit, Miss> {
    match element.fill(text).await {
        Err(BrowserError::Script { .. } | BrowserError::Selector { .. }) => {
            element.focus().await?;
            element.press("Control+A").await?;
            element.press("Delete").await?;
            element.type_text(text).await?;
        }
        other => other?,
    }
    // A person's next move takes the focus away, which is when some pages take notice of what was typed.
    Ok(None)
}

async fn scroll(element: Option<Locator>, page: &Page, middle: (f64, f64), by: (i32, i32)) -> Result<Hit, Miss> {
    let point = match element {
        Some(element) => element.hover_where().await?,
        None => middle,
    };
    page.mouse_wheel(point.0, point.1, f64::from(by.0), f64::from(by.1)).await?;
    tokio::time::sleep(Duration::from_millis(150)).await;
    Ok(Some(point))
}

async fn drag(from: &Locator, to: &Locator, page: &Page) -> Result<Hit, Miss> {
    // The first look brings both into the window, the second tells where they are then.
    from.hover_where().await?;
    let end = to.hover_where().await?;
    let start = from.hover_where().await?;
    page.mouse_drag(start, end).await?;
    Ok(Some(end))
}

async fn download(element: &Locator, timeout: Duration, page: &Page) -> Result<Hit, Miss> {
    let before = page.log().downloads.len();
    let options = ClickOptions { timeout, ..ClickOptions::default() };
    let point = element.click_where(options).await?;
    let end = Instant::now() + FOLLOW_LIMIT;
    while page.log().downloads.len() == before {
        if Instant::now() >= end {
            return Err(Miss::Impossible("nothing was downloaded".to_owned()));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(Some(point))
}

fn gone(target: &Target) -> Miss {
    Miss::Gone(format!("{} \"{}\" is not there any more", target.role, target.name))
}

/// Whether a list is drawn by the page and not by the browser.
fn is_custom(sight: &Sight, target: &Target) -> bool {
    target::find(sight, target).is_some_and(|node| node.options.is_empty())
}

fn is_already(sight: &Sight, target: &Target, checked: bool) -> bool {
    target::find(sight, target).is_some_and(|node| node.checked == Some(checked))
}

/// Why a box was not ticked although it was clicked.
fn unchanged(action: &Action, after: &Sight) -> Option<String> {
    let Action::Check { target, checked } = action else { return None };
    is_already(after, target, !checked).then(|| "the click did not change its state".to_owned())
}

/// Whether a field holds what an action put into it.
fn holds(action: &Action, after: &Sight) -> bool {
    let (target, wanted) = match action {
        Action::Fill { target, text } => (target, text.clone()),
        Action::Clear { target } => (target, String::new()),
        Action::Select { target, options } => (target, options.join(", ")),
        Action::Check { target, checked } => {
            return target::find(after, target).is_some_and(|node| node.checked == Some(*checked));
        }
        _ => return false,
    };
    let Some(field) = target::find(after, target) else { return false };
    let value = field.value.clone().unwrap_or_default();
    let is_secret = field.input.as_deref() == Some("password");
    if is_secret {
        value.chars().count() == wanted.chars().count()
    } else {
        reading::normal(&value) == reading::normal(&wanted)
    }
}

/// What a page says, without where and how: two sights with the same one differ in nothing that a reader notices.
pub(super) fn fingerprint(sight: &Sight) -> u64 {
    fn add(node: &Node, hasher: &mut DefaultHasher) {
        (&node.role, &node.name, &node.value, node.checked, node.disabled, node.expanded).hash(hasher);
        node.options.len().hash(hasher);
        node.children.len().hash(hasher);
        for child in &node.children {
            add(child, hasher);
        }
    }
    let mut hasher = DefaultHasher::new();
    (&sight.url, &sight.dialog).hash(&mut hasher);
    add(&sight.root, &mut hasher);
    hasher.finish()
}
