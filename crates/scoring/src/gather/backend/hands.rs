//! Eyes and hands of one visitor: looks at the page, clicks, writes, waits. Every wait has a limit.

use super::survey::{Control, Field, Survey};
use crate::gather::{StepError, load, scripts};
use crate::request::{Access, Request, seconds};
use benchwright_browser::{Browser, BrowserError, Context, LoadLimits, NavigationOutcome, Page};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How often the page is looked at while waiting.
const GLANCE: Duration = Duration::from_millis(60);
/// The limit of one script in the page.
const SCRIPT_LIMIT: Duration = Duration::from_secs(10);
/// How long the network must be quiet for a page to count as settled.
const QUIET: Duration = Duration::from_millis(350);

/// How long a row may take to show its controls once the mouse rests on it.
const HOVER_LIMIT: Duration = Duration::from_millis(600);

/// How long a quiet page is watched before what it does not show counts as absent.
const SETTLED: Duration = Duration::from_millis(1_500);

/// How long to wait: to the end at most, and not much longer than the network has fallen silent.
pub struct Patience {
    end: Instant,
    silence: Duration,
    silent_since: Option<Instant>,
}

impl Patience {
    /// Waits for `limit` at most, or until the network was silent for `silence`.
    pub fn new(limit: Duration, silence: Duration) -> Self {
        Self { end: Instant::now() + limit, silence, silent_since: None }
    }

    fn note(&mut self, idle: bool, now: Instant) {
        self.silent_since = if idle { self.silent_since.or(Some(now)) } else { None };
    }

    /// Whether nothing is under way right now.
    pub fn is_silent(&self) -> bool {
        self.silent_since.is_some()
    }

    fn is_over(&self, now: Instant) -> bool {
        now >= self.end || self.silent_since.is_some_and(|since| now.duration_since(since) >= self.silence)
    }
}

/// Somebody with a browser context of their own.
pub struct Visitor {
    pub context: Context,
    pub page: Page,
    limits: LoadLimits,
    start: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Acted {
    gone: bool,
    x: f64,
    y: f64,
    clear: bool,
    value: String,
}

#[derive(Default, Deserialize)]
struct Sighting {
    shown: bool,
    place: Option<usize>,
    control: Option<usize>,
}

impl Visitor {
    /// A visitor that shares nothing with any other.
    pub async fn new(browser: &Browser, request: &Request, access: &Access) -> Result<Self, StepError> {
        let mut options = load::context_options(request, access, load::DESKTOP);
        options.keep_exchanges = true;
        let context = browser.new_context(options).await?;
        let page = context.new_page().await?;
        Ok(Self::adopt(context, page, request))
    }

    /// A visitor of a page that is open already.
    pub fn adopt(context: Context, page: Page, request: &Request) -> Self {
        let limits = LoadLimits {
            navigation: seconds(request.limits.navigation_seconds),
            idle_quiet: Duration::ZERO,
            idle_cap: seconds(request.limits.idle_seconds),
        };
        Self { context, page, limits, start: request.url.clone() }
    }

    /// Where the app begins.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Opens an address in a document of its own; whether something answered.
    pub async fn open(&self, address: &str) -> Result<bool, StepError> {
        // An address that differs in its fragment alone would not be loaded again.
        if self.page.url().split('#').next() == address.split('#').next() {
            self.page.goto("about:blank", self.limits).await?;
        }
        let navigation = self.page.goto(address, self.limits).await?;
        Ok(matches!(navigation.outcome, NavigationOutcome::Responded { .. }))
    }

    /// Leaves the app for an empty page that remembers no response and no request, and stays signed in.
    pub async fn rest(&self) -> Result<(), StepError> {
        self.page.goto("about:blank", self.limits).await?;
        self.page.bypass_cache().await?;
        self.page.clear_log();
        Ok(())
    }

    /// Forgets cookies and storage of the app and begins with a new tab, whose session storage is empty.
    pub async fn forget_everything(&mut self) -> Result<(), StepError> {
        let origins = [load::origin(&self.start), load::origin(&self.page.url())];
        let page = self.context.new_page().await?;
        // The old tab goes first: what it writes on its way out must not survive.
        self.page.close().await?;
        self.page = page;
        for origin in origins.into_iter().flatten() {
            match self.page.clear_origin(&origin, SCRIPT_LIMIT).await {
                Ok(()) | Err(BrowserError::Refused { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.context.reset_cookies().await?)
    }

    /// What the page offers now. A page between two documents offers nothing.
    pub async fn look(&self) -> Result<Survey, StepError> {
        let survey = self.run::<Survey>(scripts::BACKEND_SURVEY, &json!({})).await?;
        Ok(survey.unwrap_or_default())
    }

    /// Looks until `found` says so, at most for `limit`; the last look if it never did.
    pub async fn look_until(
        &self,
        limit: Duration,
        mut found: impl FnMut(&Survey) -> bool,
    ) -> Result<(Survey, bool), StepError> {
        let end = Instant::now() + limit;
        loop {
            let survey = self.look().await?;
            let done = found(&survey);
            if done || Instant::now() >= end {
                return Ok((survey, done));
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Looks until `found` says so, at most for `limit`, and not longer than `silence` at a page that asks for nothing more.
    pub async fn look_while_busy(
        &self,
        limit: Duration,
        silence: Duration,
        found: impl Fn(&Survey) -> bool,
    ) -> Result<(Survey, bool), StepError> {
        let mut patience = Patience::new(limit, silence);
        loop {
            let survey = self.look().await?;
            let done = found(&survey);
            if done || self.waits_no_longer(&mut patience).await {
                return Ok((survey, done));
            }
        }
    }

    /// Waits until the network is quiet, at most for `limit`.
    pub async fn settle(&self, limit: Duration) {
        self.page.wait_for_network_idle(QUIET, limit).await;
    }

    /// Waits until the marker can be read. A page that has settled without it is given one more moment.
    pub async fn sees(&self, marker: &str, values: bool, limit: Duration) -> Result<bool, StepError> {
        let mut patience = Patience::new(limit, SETTLED);
        loop {
            if self.reads(marker, values).await? {
                return Ok(true);
            }
            if self.waits_no_longer(&mut patience).await {
                return Ok(false);
            }
        }
    }

    /// Lets a moment pass; whether patience has run out since.
    pub async fn waits_no_longer(&self, patience: &mut Patience) -> bool {
        tokio::time::sleep(GLANCE).await;
        let idle = self.page.wait_for_network_idle(Duration::ZERO, Duration::from_millis(1)).await;
        patience.note(idle.reached, Instant::now());
        patience.is_over(Instant::now())
    }

    /// Whether the marker can be read now.
    pub async fn reads(&self, marker: &str, values: bool) -> Result<bool, StepError> {
        Ok(self.sighting(marker, values, false).await?.shown)
    }

    /// The one control that deletes the marked record, if it is beyond doubt. Some rows show theirs only while the mouse rests on them.
    pub async fn delete_control(&self, marker: &str) -> Result<Option<usize>, StepError> {
        let sighting = self.sighting(marker, false, true).await?;
        let (None, Some(place)) = (sighting.control, sighting.place) else { return Ok(sighting.control) };
        self.hover(place).await?;
        let end = Instant::now() + HOVER_LIMIT;
        loop {
            let control = self.sighting(marker, false, true).await?.control;
            if control.is_some() || Instant::now() >= end {
                return Ok(control);
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    async fn hover(&self, number: usize) -> Result<(), StepError> {
        let point = self.act(number, "point", "").await?;
        if point.clear { quietly(self.page.mouse_move(point.x, point.y).await) } else { Ok(()) }
    }

    async fn sighting(&self, marker: &str, values: bool, row: bool) -> Result<Sighting, StepError> {
        let argument = json!({ "marker": marker, "values": values, "row": row });
        Ok(self.run(scripts::BACKEND_MARKER, &argument).await?.unwrap_or_default())
    }

    /// A digest of cookies and storage, to see whether they change.
    pub async fn traces(&self) -> Result<(Vec<(String, String)>, String), StepError> {
        let cookies = self.context.cookies().await?;
        let mut cookies: Vec<_> = cookies.into_iter().map(|cookie| (cookie.name, cookie.value)).collect();
        cookies.sort();
        Ok((cookies, self.run(scripts::BACKEND_STORAGE, &json!({})).await?.unwrap_or_default()))
    }

    /// Clicks a control with the mouse, or through a script where something else lies over it.
    pub async fn click(&self, control: &Control) -> Result<(), StepError> {
        self.click_number(control.number).await
    }

    pub async fn click_number(&self, number: usize) -> Result<(), StepError> {
        let point = self.act(number, "point", "").await?;
        if point.gone {
            return Ok(());
        }
        if point.clear {
            quietly(self.page.mouse_click(point.x, point.y).await)?;
        } else {
            self.act(number, "click", "").await?;
        }
        Ok(())
    }

    /// Replaces what a field holds, and makes sure that it stays.
    pub async fn write(&self, field: &Field, text: &str) -> Result<(), StepError> {
        if !matches!(
            field.kind.as_str(),
            "text" | "email" | "password" | "tel" | "url" | "textarea" | "editable" | "number" | "search" | ""
        ) {
            self.act(field.number, "set", text).await?;
            return Ok(());
        }
        self.act(field.number, "focus", "").await?;
        quietly(self.page.enter_text(text).await)?;
        if self.act(field.number, "read", "").await?.value.contains(text) {
            return Ok(());
        }
        // Fields that format as one types want to see every key.
        self.act(field.number, "focus", "").await?;
        quietly(self.page.type_text(text).await)
    }

    pub async fn tick(&self, field: &Field) -> Result<(), StepError> {
        self.act(field.number, "check", "").await.map(drop)
    }

    /// Presses Enter in a field.
    pub async fn enter(&self, field: &Field) -> Result<(), StepError> {
        self.act(field.number, "focus", "").await?;
        quietly(self.page.press("Enter").await)
    }

    pub async fn escape(&self) -> Result<(), StepError> {
        quietly(self.page.press("Escape").await)
    }

    async fn act(&self, number: usize, act: &str, value: &str) -> Result<Acted, StepError> {
        let argument = json!({ "number": number, "act": act, "value": value });
        Ok(self.run(scripts::BACKEND_ACT, &argument).await?.unwrap_or(Acted { gone: true, ..Acted::default() }))
    }

    /// Runs a script in our world of the page; none where the page was on its way to another document or did not answer.
    pub async fn run<T: serde::de::DeserializeOwned>(
        &self,
        script: &str,
        argument: &Value,
    ) -> Result<Option<T>, StepError> {
        match self.page.evaluate(script, argument, SCRIPT_LIMIT).await {
            Ok(value) => Ok(Some(value)),
            Err(error) => quietly(Err(error)).map(|()| None),
        }
    }

    /// Ends the visit.
    pub async fn leave(self) {
        let _ = self.context.close().await;
    }
}

/// What a page in motion or without an answer refuses is no fault; a browser that is gone, or a script of ours that breaks, is.
fn quietly(result: Result<(), BrowserError>) -> Result<(), StepError> {
    match result {
        Ok(()) | Err(BrowserError::TimedOut { .. } | BrowserError::Navigated | BrowserError::Refused { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_asks_for_nothing_more_is_not_waited_for_to_the_end() {
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        let mut patience = Patience::new(Duration::from_mins(1), Duration::from_secs(3));
        patience.note(false, after(1));
        assert!(!patience.is_over(after(20)), "it is still loading");
        patience.note(true, after(20));
        patience.note(true, after(22));
        assert!(patience.is_silent() && !patience.is_over(after(22)));
        assert!(patience.is_over(after(23)), "silent for three seconds");
        patience.note(false, after(23));
        assert!(!patience.is_over(after(24)), "it moves again");
        assert!(patience.is_over(after(61)), "the end is the end");
    }
}
