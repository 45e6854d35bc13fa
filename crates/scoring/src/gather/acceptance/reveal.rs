//! Brings up the login form, wherever it hides.

use super::check;
use super::trouble::Trouble;
use crate::gather::load::origin;
use benchwright_browser::selectors::{RoleOptions, by_role, either, with_visibility};
use benchwright_browser::{BrowserError, ClickOptions, LoadLimits, Page, TextMatch};
use std::time::Duration;

/// How long the whole search may take.
pub(super) const LIMIT: Duration = Duration::from_mins(1);
/// How long a form may take to appear where one is likely.
const LIKELY: Duration = Duration::from_secs(5);
/// How long it may take at an address that was guessed; the network is silent by then.
const GUESSED: Duration = Duration::from_secs(2);
/// How long an address that was guessed may take to answer.
const NAVIGATION: Duration = Duration::from_secs(15);
/// Where login forms usually are.
const ADDRESSES: [&str; 5] = ["/login", "/signin", "/sign-in", "/auth/login", "/auth"];
/// What the way to a login form is usually called.
const NAMES: &str = r"^\s*(sign|log)[\s-]?in\b";

/// Does nothing when a password field shows; else follows what is named "sign in" or "log in"; else tries the usual addresses. Which
/// addresses we asked for on our own is added to `probed`. Not finding a form is no failure of this step: the criterion says what must
/// be there.
pub(super) async fn login_form(page: &Page, limits: LoadLimits, probed: &mut Vec<String>) -> Result<(), Trouble> {
    let password = with_visibility("input[type=password]", true);
    if page.locator(&password).count().await? > 0 {
        return Ok(());
    }
    let start = page.url();
    let field = either("input[type=password]", "input[type=email], input[autocomplete=username]");
    if follow_link(page).await? && appears(page, &with_visibility(&field, true), LIKELY).await? {
        return Ok(());
    }
    let Some(home) = origin(&start) else { return Ok(()) };
    let quick = LoadLimits { navigation: NAVIGATION.min(limits.navigation), ..limits };
    for address in ADDRESSES {
        let url = format!("{home}{address}");
        probed.push(url.clone());
        page.goto(&url, quick).await?;
        if appears(page, &password, GUESSED).await? {
            return Ok(());
        }
    }
    page.goto(&start, limits).await?;
    Ok(())
}

/// Clicks the first thing that leads to a login form, if there is one.
async fn follow_link(page: &Page) -> Result<bool, Trouble> {
    let name = TextMatch::Regex { pattern: NAMES.to_owned(), flags: "i".to_owned() };
    let named = RoleOptions { name: Some(name), ..RoleOptions::default() };
    let way =
        page.locator(&with_visibility(&either(&by_role("button", &named), &by_role("link", &named)), true)).first();
    if way.count().await? == 0 {
        return Ok(false);
    }
    match way.click(ClickOptions { timeout: LIKELY, ..ClickOptions::default() }).await {
        Ok(()) => Ok(true),
        Err(BrowserError::NotActionable { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn appears(page: &Page, field: &str, limit: Duration) -> Result<bool, Trouble> {
    match check::shows(page, field, limit).await {
        Ok(()) => Ok(true),
        Err(Trouble::Page(_)) => Ok(false),
        Err(other) => Err(other),
    }
}
