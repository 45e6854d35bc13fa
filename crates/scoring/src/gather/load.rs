//! Loads the page once, in a clean context, and writes down everything that happened on the way.

use super::backend::{Door, sign_in};
use super::{Desk, StepError, scripts};
use crate::evidence::load::{
    ConsoleLine, Exception, Header, LOCAL_ADDRESS, Load, NavigationOutcome, Request as RequestFacts,
};
use crate::request::{Access, Limits, Request, seconds};
use benchwright_browser as cdp;
use benchwright_browser::{Browser, BrowserError, Context, ContextOptions, Cookie, LoadLimits, Page, Shot, Viewport};
use benchwright_domain::report::Screenshot;
use benchwright_sandbox::egress::{Egress, Failure, Unreached};
use serde::Deserialize;
use std::time::Duration;

/// The viewport every desktop measurement is made at.
pub const DESKTOP: Viewport =
    Viewport { width: 1440, height: 900, device_scale_factor: 1.0, mobile: false, touch: false };

/// Taller pages are cut: crops far below are worth less than a report that opens at once.
pub const FULL_SHOT_MAX_HEIGHT: u32 = 8_000;

/// Context options for one viewport of a request.
pub fn context_options(request: &Request, access: &Access, viewport: Viewport) -> ContextOptions {
    ContextOptions {
        viewport,
        extra_headers: access.headers.clone(),
        credentials_origin: origin(&request.url),
        basic_auth: access.basic_auth.clone(),
        cookies: access
            .cookies
            .iter()
            .map(|(name, value)| Cookie {
                name: name.clone(),
                value: value.clone(),
                url: Some(request.url.clone()),
                ..Cookie::default()
            })
            .collect(),
        accept_invalid_certificates: request.accept_invalid_certificates,
        max_response_bytes: Some(request.limits.page_bytes),
        ..ContextOptions::default()
    }
}

/// Scheme, host and port of an address.
pub fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    Some(format!("{scheme}://{host}").to_lowercase())
}

/// The limits of one navigation.
pub fn load_limits(limits: &Limits) -> LoadLimits {
    LoadLimits {
        navigation: seconds(limits.navigation_seconds),
        idle_quiet: Duration::from_millis(500),
        idle_cap: seconds(limits.idle_seconds),
    }
}

/// A page that was navigated, still open, with how that ended.
pub struct Opened {
    /// Keeps the page alive.
    pub context: Context,
    /// The page.
    pub page: Page,
    /// How navigation ended.
    pub navigation: cdp::Navigation,
    /// Why the page is seen as a visitor sees it, although it should be seen as a user who is signed in.
    pub turned_away: Option<String>,
}

/// An empty page in a context of its own, before anything is loaded.
pub struct Entered {
    /// Keeps the page alive.
    pub context: Context,
    /// The page.
    pub page: Page,
    /// Why nobody is signed in, although somebody should be.
    pub turned_away: Option<String>,
}

/// Opens the page in a fresh context.
pub async fn open(
    browser: &Browser,
    request: &Request,
    access: &Access,
    viewport: Viewport,
) -> Result<Opened, StepError> {
    let Entered { context, page, turned_away } = enter(browser, request, access, viewport).await?;
    let navigation = page.goto(&request.url, load_limits(&request.limits)).await?;
    Ok(Opened { context, page, navigation, turned_away })
}

/// Makes a fresh context, as a visitor has it or, where the user wants that, with somebody signed in.
pub async fn enter(
    browser: &Browser,
    request: &Request,
    access: &Access,
    viewport: Viewport,
) -> Result<Entered, StepError> {
    let door = if request.signed_in { Some(sign_in(browser, request, access).await?) } else { None };
    if let Some(Door::Open { context, page }) = door {
        page.set_viewport(viewport).await?;
        return Ok(Entered { context, page, turned_away: None });
    }
    let context = browser.new_context(context_options(request, access, viewport)).await?;
    let page = context.new_page().await?;
    Ok(Entered { context, page, turned_away: door.and_then(Door::why_shut) })
}

/// Whether a load brought a page; if not, why.
pub fn arrived(outcome: &cdp::NavigationOutcome) -> Result<(), String> {
    use cdp::NavigationOutcome::{Crashed, Download, Failed, Responded, TimedOut, TooLarge};
    match outcome {
        Responded { status, .. } if *status < 400 => Ok(()),
        Responded { status, .. } => Err(format!("the page answered with status {status}")),
        Failed { error } => Err(format!("the page did not load: {error}")),
        TimedOut { after_seconds } => Err(format!("the page did not load within {after_seconds} s")),
        Download { .. } => Err("the address is a download, not a page".to_owned()),
        TooLarge { .. } => Err("the page is too large to load".to_owned()),
        Crashed => Err("the tab crashed while the page loaded".to_owned()),
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentFacts {
    visible_text_length: usize,
    visible_text_sample: String,
    inline_script_bytes: u64,
    inline_style_bytes: u64,
    title: String,
}

/// Writes down the load of an opened page and takes its screenshots.
pub async fn describe(
    desk: &Desk<'_>,
    request: &Request,
    opened: &Opened,
    browser_version: &str,
    egress: Option<&Egress>,
) -> Result<Load, StepError> {
    let unreached = egress.map(Egress::unreached).unwrap_or_default();
    let mut outcome = match failure_behind_the_proxy(&opened.navigation, &unreached) {
        Some(error) => NavigationOutcome::Failed { error: error.to_owned() },
        None => navigation_outcome(&opened.navigation.outcome),
    };
    let mut facts = DocumentFacts::default();
    if matches!(outcome, NavigationOutcome::Responded { .. }) {
        let limit = seconds(request.limits.script_seconds);
        match opened.page.evaluate(scripts::RENDERED, &serde_json::json!({}), limit).await {
            Ok(found) => facts = found,
            Err(BrowserError::TimedOut { .. }) => {
                outcome = NavigationOutcome::Unresponsive { after_seconds: request.limits.script_seconds };
            }
            Err(_) if opened.page.is_crashed() => outcome = NavigationOutcome::Crashed,
            Err(error) => return Err(error.into()),
        }
    }
    let mut load = from_log(&opened.page.log(), &opened.navigation, outcome);
    load.visible_text_length = facts.visible_text_length;
    load.visible_text_sample = facts.visible_text_sample;
    load.inline_script_bytes = facts.inline_script_bytes;
    load.inline_style_bytes = facts.inline_style_bytes;
    load.title = facts.title;
    browser_version.clone_into(&mut load.browser);
    let local = unreached.into_iter().filter(|unreached| unreached.failure == Failure::Local);
    load.refused_local = local.map(|unreached| unreached.host).take(20).collect();
    if matches!(load.outcome, NavigationOutcome::Responded { .. }) {
        load.screenshots = screenshots(desk, request, &opened.page).await?;
    }
    Ok(load)
}

async fn screenshots(desk: &Desk<'_>, request: &Request, page: &Page) -> Result<Vec<Screenshot>, StepError> {
    let mut taken = Vec::new();
    for (name, shot) in [("desktop", Shot::Viewport), ("full", Shot::Full { max_height: FULL_SHOT_MAX_HEIGHT })] {
        // A screenshot that fails is a picture less in the report, not a lost run.
        if let Ok(png) = page.screenshot(shot, seconds(request.limits.screenshot_seconds)).await {
            taken.extend(keep_screenshot(desk, name, &png, 1.0)?);
        }
    }
    Ok(taken)
}

/// Keeps a PNG as a blob; `scale` is how many of its pixels make one CSS pixel.
pub fn keep_screenshot(desk: &Desk<'_>, name: &str, png: &[u8], scale: f64) -> Result<Option<Screenshot>, StepError> {
    let Some((width, height)) = super::pixels::png_size(png) else { return Ok(None) };
    let css = |pixels: u32| (f64::from(pixels) / scale).round() as u32;
    let blob = desk.blob(png)?;
    Ok(Some(Screenshot { name: name.to_owned(), width: css(width), height: css(height), blob }))
}

/// The error a navigation really ended with, where the browser only knows that the proxy did not get through.
fn failure_behind_the_proxy(navigation: &cdp::Navigation, unreached: &[Unreached]) -> Option<&'static str> {
    let by_the_proxy = match &navigation.outcome {
        cdp::NavigationOutcome::Responded { status, .. } => matches!(status, 403 | 502),
        cdp::NavigationOutcome::Failed { error } => error.contains("TUNNEL_CONNECTION") || error.contains("PROXY"),
        _ => false,
    };
    let visited = navigation.redirects.iter().chain([&navigation.final_url, &navigation.requested_url]);
    let hosts: Vec<String> = visited.filter_map(|url| host_and_port(url)).collect();
    let found = unreached.iter().find(|unreached| by_the_proxy && hosts.contains(&unreached.host))?;
    Some(match found.failure {
        Failure::Local => LOCAL_ADDRESS,
        Failure::NoSuchName => "net::ERR_NAME_NOT_RESOLVED",
        Failure::Refused => "net::ERR_CONNECTION_REFUSED",
        Failure::TimedOut => "net::ERR_CONNECTION_TIMED_OUT",
        Failure::Unreachable => "net::ERR_ADDRESS_UNREACHABLE",
    })
}

fn host_and_port(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    Some(format!("{}:{}", url.host_str()?.trim_end_matches('.'), url.port_or_known_default()?))
}

fn navigation_outcome(outcome: &cdp::NavigationOutcome) -> NavigationOutcome {
    match outcome.clone() {
        cdp::NavigationOutcome::Responded { status, headers, mime_type, .. } => NavigationOutcome::Responded {
            status,
            headers: headers.into_iter().map(|(name, value)| masked_header(name, value)).collect(),
            mime_type,
        },
        cdp::NavigationOutcome::Failed { error } => NavigationOutcome::Failed { error },
        cdp::NavigationOutcome::TimedOut { after_seconds } => NavigationOutcome::TimedOut { after_seconds },
        cdp::NavigationOutcome::Download { file_name } => NavigationOutcome::Download { file_name },
        cdp::NavigationOutcome::TooLarge { bytes } => NavigationOutcome::TooLarge { bytes },
        cdp::NavigationOutcome::Crashed => NavigationOutcome::Crashed,
    }
}

/// Session cookies must not end up in a report that people share.
fn masked_header(name: String, value: String) -> Header {
    let value = if name == "set-cookie" {
        let (cookie, attributes) = value.split_once(';').unwrap_or((&value, ""));
        let cookie_name = cookie.split('=').next().unwrap_or_default();
        format!("{cookie_name}=…;{attributes}")
    } else {
        value
    };
    Header { name, value: value.chars().take(4_000).collect() }
}

fn from_log(log: &cdp::PageLog, navigation: &cdp::Navigation, outcome: NavigationOutcome) -> Load {
    Load {
        requested_url: navigation.requested_url.clone(),
        final_url: navigation.final_url.clone(),
        redirects: navigation.redirects.clone(),
        outcome,
        idle: navigation.idle,
        dom_content_loaded_seconds: navigation.seconds_to_dom_content_loaded,
        load_seconds: navigation.seconds_to_load,
        console: log.console.iter().map(console_line).collect(),
        exceptions: log.exceptions.iter().map(exception).collect(),
        requests: log.requests.iter().map(request_facts).collect(),
        dialogs: log.dialogs.len(),
        popups: log.popups as usize,
        downloads: log.downloads.clone(),
        dropped_records: log.dropped,
        ..Load::default()
    }
}

pub(super) fn console_line(record: &cdp::ConsoleRecord) -> ConsoleLine {
    ConsoleLine {
        level: record.level.clone(),
        text: record.text.clone(),
        url: record.url.clone(),
        line: record.line,
        source: record.source.clone(),
    }
}

pub(super) fn exception(record: &cdp::ExceptionRecord) -> Exception {
    Exception { text: record.text.clone(), url: record.url.clone(), line: record.line }
}

pub(super) fn request_facts(record: &cdp::RequestRecord) -> RequestFacts {
    let header = |wanted: &str| record.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    RequestFacts {
        url: record.url.clone(),
        method: record.method.clone(),
        resource_type: record.resource_type.to_lowercase(),
        status: record.status,
        mime_type: record.mime_type.clone(),
        content_encoding: header("content-encoding"),
        encoded_bytes: record.encoded_bytes,
        decoded_bytes: record.decoded_bytes,
        from_cache: record.from_cache,
        failed: record.failed.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_cookie_never_reaches_the_evidence() {
        let header = masked_header("set-cookie".into(), "session=s3cret; Path=/; HttpOnly".into());
        assert_eq!(header.value, "session=…; Path=/; HttpOnly");
    }

    #[test]
    fn the_origin_of_an_address_leaves_path_and_query_out() {
        assert_eq!(origin("https://Example.org:8443/a?b#c").as_deref(), Some("https://example.org:8443"));
        assert_eq!(origin("not an address"), None);
    }
}
