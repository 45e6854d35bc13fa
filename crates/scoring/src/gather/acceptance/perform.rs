//! One criterion from its first setup step to its last check.

use super::errand::{Action, Errand, Target};
use super::trouble::Trouble;
use super::{check, reveal};
use crate::evidence::acceptance::{Resolved, Step};
use crate::gather::backend::Visitor;
use crate::gather::load::arrived;
use crate::gather::scripts;
use crate::request::{Request, seconds};
use benchwright_browser::{ClickOptions, Context, LoadLimits, Locator, Page};
use serde_json::json;
use std::time::{Duration, Instant};

/// The longest a script of a prompt may take, in seconds.
const SCRIPT_SECONDS: f64 = 10.0;
/// How long one look at the page may take, whatever the machine is busy with.
pub(super) const LOOK_LIMIT: Duration = Duration::from_secs(20);
/// What an action may take beyond the time its element has to show.
const ACTION_EXTRA: Duration = Duration::from_secs(10);
/// How many times the page is asked something on the way to one action.
const CALLS: u32 = 10;
/// The most that a busy machine adds to a limit.
const MOST_PATIENCE: Duration = Duration::from_secs(20);
/// How long the elements of a failure may take to be described.
const DESCRIBE_LIMIT: Duration = Duration::from_secs(5);

/// A page while criteria are walked in it.
pub(super) struct Walk<'a> {
    pub(super) page: &'a Page,
    visitor: Visitor,
    /// Where the current criterion is.
    pub(super) step: Step,
    /// Addresses that we asked for on our own.
    pub(super) probed: Vec<String>,
    loading: LoadLimits,
    limit: Duration,
    script_limit: Duration,
}

impl<'a> Walk<'a> {
    pub(super) fn new(context: &Context, page: &'a Page, request: &Request, loading: LoadLimits) -> Self {
        let limits = &request.limits;
        Self {
            page,
            visitor: Visitor::adopt(context.clone(), page.clone(), request),
            step: Step::Open,
            probed: Vec::new(),
            loading,
            limit: seconds(limits.assertion_seconds),
            script_limit: seconds(limits.script_seconds.min(SCRIPT_SECONDS)),
        }
    }

    /// Walks a criterion; [`Walk::step`] says where it ended.
    pub(super) async fn criterion(&mut self, errand: &Errand) -> Result<(), Trouble> {
        for (position, action) in errand.setup.iter().enumerate() {
            let number = position + 1;
            self.step = Step::Setup { number, action: action.name().to_owned() };
            let outcome = self.act(action, self.patience().await?).await;
            outcome.map_err(|trouble| match trouble {
                Trouble::Page(reason) => Trouble::Page(format!("setup step {number} ({}): {reason}", action.name())),
                other => other,
            })?;
        }
        self.step = Step::Assertion;
        check::assertion(self.page, &errand.target.selector, &errand.assertion, self.patience().await?).await?;
        if let Some(custom) = errand.custom {
            self.step = Step::Custom;
            check::custom(self.page, &errand.target.selector, custom, self.patience().await?).await?;
        }
        Ok(())
    }

    /// The limit of the next step: what the page is given, and what a machine that is busy with something else takes of it. Asking once
    /// also loads the engine, which is not the page's doing either.
    async fn patience(&self) -> Result<Duration, Trouble> {
        self.page.locator("html").with_timeout(LOOK_LIMIT).count().await?;
        let asked = Instant::now();
        self.page.locator("html").with_timeout(LOOK_LIMIT).count().await?;
        Ok(self.limit + (asked.elapsed() * CALLS).min(MOST_PATIENCE))
    }

    async fn act(&mut self, action: &Action, limit: Duration) -> Result<(), Trouble> {
        match action {
            Action::Evaluate { script } => self.page.run_script(script, self.script_limit).await?,
            Action::Fill { target, value } => self.usable(target, limit).await?.fill(value).await?,
            Action::Click { target } => {
                let click = ClickOptions { timeout: limit + ACTION_EXTRA, ..ClickOptions::default() };
                self.usable(target, limit).await?.click(click).await?;
            }
            Action::Press { target, key } => self.usable(target, limit).await?.press(key).await?,
            Action::Reload => arrived(&self.page.reload(self.loading).await?.outcome).map_err(Trouble::Page)?,
            Action::WaitFor { target } => self.usable(target, limit).await.map(drop)?,
            Action::RevealLoginForm => {
                let search = reveal::login_form(&self.visitor, &mut self.probed);
                // What was not found in time is not there; the criterion says so.
                tokio::time::timeout(reveal::LIMIT, search).await.unwrap_or(Ok(()))?;
            }
        }
        Ok(())
    }

    /// The first element of a target, once it shows: where several match, the first counts.
    async fn usable(&self, target: &Target, limit: Duration) -> Result<Locator, Trouble> {
        check::shows(self.page, &target.selector, limit).await?;
        Ok(self.page.locator(&target.selector).first().with_timeout(limit + ACTION_EXTRA))
    }

    /// How many elements a target has now, and the first of them.
    pub(super) async fn resolved(&self, target: &Target) -> (usize, Vec<Resolved>) {
        let all = self.page.locator(&target.selector).with_timeout(DESCRIBE_LIMIT);
        let matched = all.count().await.unwrap_or_default();
        let elements = all.evaluate_all(scripts::ELEMENTS, &json!({})).await.ok().flatten().unwrap_or_default();
        (matched, elements)
    }
}
