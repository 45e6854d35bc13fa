//! What a caller chooses: the shape of a context, the limits of a load, what to photograph.

use benchwright_domain::Rect;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Text of Playwright's injected engine (a script that assigns `module.exports`); read from disk by the caller.
#[derive(Clone, Debug)]
pub struct EngineSource(pub String);

/// The window a page believes to have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viewport {
    pub width: u32,
    pub height: u32,
    pub device_scale_factor: f64,
    pub mobile: bool,
    pub touch: bool,
}

impl Viewport {
    /// A desktop window of this size, at scale 1.
    pub const fn desktop(width: u32, height: u32) -> Self {
        Self { width, height, device_scale_factor: 1.0, mobile: false, touch: false }
    }
}

impl Default for Viewport {
    fn default() -> Self {
        Self::desktop(1440, 900)
    }
}

/// The value of `prefers-color-scheme`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColorScheme {
    #[default]
    Light,
    Dark,
}

impl ColorScheme {
    pub(crate) fn css(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What happens to a file the page offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Downloads {
    /// It is recorded and not fetched.
    #[default]
    Refuse,
    /// It is written into this folder under the name the server suggests.
    Keep(PathBuf),
}

/// One cookie. Give `url` or `domain`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cookie {
    pub name: String,
    pub value: String,
    pub url: Option<String>,
    pub domain: Option<String>,
    pub path: Option<String>,
    pub secure: bool,
    pub http_only: bool,
    pub same_site: Option<SameSite>,
}

/// The `SameSite` attribute of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SameSite {
    Strict,
    Lax,
    None,
}

/// The fixed surroundings of an isolated context.
#[derive(Clone, Debug)]
pub struct ContextOptions {
    pub viewport: Viewport,
    pub locale: String,
    pub timezone: String,
    pub color_scheme: ColorScheme,
    pub reduced_motion: bool,
    /// Sent to `credentials_origin` and to no other.
    pub extra_headers: Vec<(String, String)>,
    /// The origin (`https://host:port`) that `extra_headers` and `basic_auth` belong to. Without it they go nowhere.
    pub credentials_origin: Option<String>,
    /// User and password, sent to `credentials_origin` and to no other.
    pub basic_auth: Option<(String, String)>,
    pub cookies: Vec<Cookie>,
    pub downloads: Downloads,
    pub accept_invalid_certificates: bool,
    /// How many bytes, decoded, one page may load in all; over it the load is stopped and recorded.
    pub max_response_bytes: Option<u64>,
    pub user_agent: Option<String>,
    /// Whether pages remember what they sent and got back, secrets included; see [`Page::exchanges`](crate::Page::exchanges).
    pub keep_exchanges: bool,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            viewport: Viewport::default(),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            color_scheme: ColorScheme::Light,
            reduced_motion: false,
            extra_headers: Vec::new(),
            credentials_origin: None,
            basic_auth: None,
            cookies: Vec::new(),
            downloads: Downloads::Refuse,
            accept_invalid_certificates: false,
            max_response_bytes: None,
            user_agent: None,
            keep_exchanges: false,
        }
    }
}

/// How long a load may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadLimits {
    /// From the start to DOMContentLoaded.
    pub navigation: Duration,
    /// How long the network must be quiet to count as idle.
    pub idle_quiet: Duration,
    /// How long to wait for the load event and an idle network after DOMContentLoaded.
    pub idle_cap: Duration,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self {
            navigation: Duration::from_secs(30),
            idle_quiet: Duration::from_millis(500),
            idle_cap: Duration::from_secs(8),
        }
    }
}

/// What to photograph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shot {
    /// What the window shows.
    Viewport,
    /// The whole page from its top, cut at this height in CSS pixels.
    Full {
        /// The largest height; the browser's own texture limit may cut earlier.
        max_height: u32,
    },
    /// A rectangle in CSS pixels of the page.
    Clip(Rect),
}

/// How a text is compared with a name or label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextMatch {
    /// Contained, case ignored.
    Substring(String),
    /// The whole text, case included.
    Exact(String),
    /// A regular expression of JavaScript.
    Regex {
        /// Its source, without slashes.
        pattern: String,
        /// Its flags.
        flags: String,
    },
}

impl From<&str> for TextMatch {
    fn from(text: &str) -> Self {
        Self::Substring(text.to_owned())
    }
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseButton {
    #[default]
    Left,
    Middle,
    Right,
}

/// How to click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClickOptions {
    pub button: MouseButton,
    /// 2 for a double click.
    pub count: u32,
    pub timeout: Duration,
}

impl Default for ClickOptions {
    fn default() -> Self {
        Self { button: MouseButton::Left, count: 1, timeout: crate::locator::ACTION_LIMIT }
    }
}

/// What [`Locator::wait_for`](crate::Locator::wait_for) waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementState {
    Attached,
    Detached,
    Visible,
    Hidden,
}

/// What [`Locator::expect`](crate::Locator::expect) asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The first element shows.
    Visible,
    /// No element shows.
    Hidden,
    /// The first element's text, white space folded unless it is compared with a regular expression.
    Text(TextMatch),
    /// What the first field holds.
    Value(TextMatch),
    /// The first element has the attribute, with this value if one is given.
    Attribute {
        /// The attribute.
        name: String,
        /// What it must be.
        value: Option<TextMatch>,
    },
    /// The first element is ticked.
    Checked,
    /// The first element has the focus.
    Focused,
}
