//! What the document says of itself, and the two well-known files beside it, where the prompt asks for them.

use super::load::{load_limits, origin};
use super::{StepError, scripts};
use crate::evidence::Content;
use crate::evidence::content::WellKnown;
use crate::prompt::SeoCheck;
use crate::request::{Request, seconds};
use benchwright_browser::{Context, NavigationOutcome, Page};
use serde_json::{Value, json};

/// Reads the document.
pub async fn read(context: &Context, page: &Page, request: &Request) -> Result<Content, StepError> {
    let limit = seconds(request.limits.script_seconds);
    let mut content: Content = page.evaluate(scripts::CONTENT, &json!({}), limit).await?;
    let asked = |check| request.prompt.as_ref().is_some_and(|prompt| prompt.seo_applicable.contains(&check));
    if let Some(origin) = origin(&page.url()) {
        if asked(SeoCheck::RobotsTxt) {
            content.robots_txt = Some(well_known(context, &format!("{origin}/robots.txt"), request).await?);
        }
        if asked(SeoCheck::SitemapXml) {
            content.sitemap_xml = Some(well_known(context, &format!("{origin}/sitemap.xml"), request).await?);
        }
    }
    Ok(content)
}

/// Asks for a file as any visitor would, in a page of its own so that the page under test stays as it is.
async fn well_known(context: &Context, url: &str, request: &Request) -> Result<WellKnown, StepError> {
    let page = context.new_page().await?;
    let navigation = page.goto(url, load_limits(&request.limits)).await?;
    let mut found = WellKnown::default();
    if let NavigationOutcome::Responded { status, mime_type, .. } = navigation.outcome {
        let limit = seconds(request.limits.script_seconds);
        let start =
            "() => document.documentElement ? document.documentElement.textContent.trimStart().slice(0, 200) : ''";
        let text: String = page.evaluate(start, &Value::Null, limit).await.unwrap_or_default();
        found.status = Some(status);
        found.starts_like_html = mime_type.contains("html") || text.to_lowercase().starts_with("<!doctype html");
        found.content_type = Some(mime_type);
        found.bytes = page.log().requests.first().map_or(text.len() as u64, |request| request.decoded_bytes);
    }
    page.close().await?;
    Ok(found)
}
