//! What the document says of itself and what a visitor can read of it. `gather/scripts/content.js` returns exactly this, without the two
//! well-known files, which are fetched apart.

use super::element::SeenElement;
use serde::{Deserialize, Serialize};

/// Format version of [`Content`].
pub const VERSION: u32 = 1;

/// The document's facts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Format version.
    pub version: u32,
    /// Title, white space folded.
    pub title: String,
    /// The `lang` attribute of `<html>`, trimmed; absent when the attribute is.
    pub lang: Option<String>,
    /// The first non-empty meta description.
    pub description: Option<String>,
    /// Canonical links, at most 5.
    pub canonical: Vec<Canonical>,
    /// Open Graph tags.
    pub open_graph: OpenGraph,
    /// The first non-empty `twitter:card`.
    pub twitter_card: Option<String>,
    /// `application/ld+json` scripts, at most 20.
    pub json_ld: Vec<JsonLd>,
    /// Headings in document order, at most 200.
    pub headings: Vec<Heading>,
    /// How many headings there are in all.
    pub headings_total: usize,
    /// Content security policies given by `<meta http-equiv>`, at most 5.
    pub meta_policies: Vec<String>,
    /// Content of the viewport meta tag.
    pub viewport_meta: Option<String>,
    /// Elements in the body, open shadow roots included.
    pub elements: usize,
    /// Whether a limit on time or nodes was reached before the end of the page.
    pub truncated: bool,
    /// Text a visitor can see, white space folded, at most 200,000 characters; absent in evidence gathered before it was kept.
    #[serde(default)]
    pub text: Option<String>,
    /// What `/robots.txt` answered, if it was asked for.
    #[serde(default)]
    pub robots_txt: Option<WellKnown>,
    /// What `/sitemap.xml` answered, if it was asked for.
    #[serde(default)]
    pub sitemap_xml: Option<WellKnown>,
}

/// A `<link rel=canonical>`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canonical {
    /// As written.
    pub href: String,
    /// Resolved against the document; absent when it is empty or cannot be.
    pub resolved: Option<String>,
}

/// The three Open Graph tags every shared page needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenGraph {
    /// `og:title`.
    pub title: Option<String>,
    /// `og:description`.
    pub description: Option<String>,
    /// `og:type`.
    pub kind: Option<String>,
}

/// A block of structured data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonLd {
    /// Whether it is a JSON object or array.
    pub parses: bool,
    /// The parser's complaint.
    pub error: Option<String>,
    /// The start of it.
    pub start: String,
}

/// A heading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6, or up to 9 by `aria-level`.
    pub level: u8,
    /// Its text, cut.
    pub text: String,
    /// Whether a visitor can see it.
    pub visible: bool,
    /// A CSS selector that finds it.
    pub selector: String,
    /// Its opening tag and first words.
    pub html: String,
    /// Where it is.
    pub rect: benchwright_domain::Rect,
}

impl Heading {
    /// The heading as an element.
    pub fn element(&self) -> SeenElement {
        SeenElement { selector: self.selector.clone(), html: self.html.clone(), rect: self.rect }
    }
}

/// The answer of a well-known address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WellKnown {
    /// HTTP status after redirects; absent when there was no answer.
    pub status: Option<u16>,
    /// The content-type header.
    pub content_type: Option<String>,
    /// Whether the body starts like an HTML document: a single-page app's fallback, not the file that was asked for.
    pub starts_like_html: bool,
    /// Bytes of the body, up to the limit of the fetch.
    pub bytes: u64,
}
