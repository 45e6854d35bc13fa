//! Isolated contexts: each has its own cookies, storage, cache and fixed surroundings.

use crate::browser::Browser;
use crate::connection::CALL_LIMIT;
use crate::error::BrowserError;
use crate::options::{ContextOptions, Cookie, Downloads, SameSite};
use crate::page::Page;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a context's pages share.
pub(crate) struct ContextState {
    pub(crate) id: String,
    pub(crate) options: ContextOptions,
    /// Headers for the credentials' origin, basic authentication included.
    pub(crate) credentials: Option<Credentials>,
}

/// Headers that belong to one origin.
pub(crate) struct Credentials {
    pub(crate) origin: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// An isolated context. Clones are handles of the same one.
#[derive(Clone)]
pub struct Context {
    browser: Browser,
    state: Arc<ContextState>,
}

impl Context {
    pub(crate) async fn create(browser: Browser, options: ContextOptions) -> Result<Self, BrowserError> {
        let answer = browser.call("Target.createBrowserContext", json!({ "disposeOnDetach": true })).await?;
        let id = answer["browserContextId"].as_str().unwrap_or_default().to_owned();
        let credentials = Credentials::of(&options);
        let state = Arc::new(ContextState { id, options, credentials });
        browser.core().add_context(&state);
        let context = Self { browser, state };
        if let Err(error) = context.prepare().await {
            let _ = context.close().await;
            return Err(error);
        }
        Ok(context)
    }

    async fn prepare(&self) -> Result<(), BrowserError> {
        let id = &self.state.id;
        let mut downloads = json!({ "behavior": "deny", "browserContextId": id, "eventsEnabled": true });
        if let Downloads::Keep(folder) = &self.state.options.downloads {
            downloads["behavior"] = json!("allow");
            downloads["downloadPath"] = json!(folder.to_string_lossy());
        }
        self.browser.call("Browser.setDownloadBehavior", downloads).await?;
        // Granting nothing makes Chromium deny everything instead of asking.
        let nothing = json!({ "permissions": [], "browserContextId": id });
        self.browser.call("Browser.grantPermissions", nothing).await?;
        self.set_first_cookies().await
    }

    async fn set_first_cookies(&self) -> Result<(), BrowserError> {
        if self.state.options.cookies.is_empty() {
            return Ok(());
        }
        let cookies: Vec<Value> = self.state.options.cookies.iter().map(cookie_to_json).collect();
        let params = json!({ "cookies": cookies, "browserContextId": self.state.id });
        self.browser.call("Storage.setCookies", params).await.map(drop)
    }

    /// Forgets every cookie but those the context was made with.
    pub async fn reset_cookies(&self) -> Result<(), BrowserError> {
        self.browser.call("Storage.clearCookies", json!({ "browserContextId": self.state.id })).await?;
        self.set_first_cookies().await
    }

    /// A new, blank page.
    pub async fn new_page(&self) -> Result<Page, BrowserError> {
        // A window of its own keeps every page in the foreground: a hidden tab paints no frames.
        let params = json!({ "url": "about:blank", "browserContextId": self.state.id, "newWindow": true });
        let answer = self.browser.call("Target.createTarget", params).await?;
        let target = answer["targetId"].as_str().unwrap_or_default();
        let state = self.browser.page_of(target).await?;
        state.claim();
        Ok(Page::new(self.browser.clone(), state))
    }

    /// The pages that pages of this context opened and that are still open.
    pub async fn popups(&self) -> Vec<Page> {
        let mut popups = Vec::new();
        for state in self.browser.core().pages_of_context(&self.state.id) {
            if !state.is_claimed() && state.until_ready(CALL_LIMIT).await.is_ok() {
                popups.push(Page::new(self.browser.clone(), state));
            }
        }
        popups
    }

    pub async fn cookies(&self) -> Result<Vec<Cookie>, BrowserError> {
        let answer = self.browser.call("Storage.getCookies", json!({ "browserContextId": self.state.id })).await?;
        Ok(answer["cookies"].as_array().into_iter().flatten().map(cookie_from_json).collect())
    }

    /// Closes every page and forgets all storage.
    pub async fn close(self) -> Result<(), BrowserError> {
        let params = json!({ "browserContextId": self.state.id });
        let answer = self.browser.call("Target.disposeBrowserContext", params).await;
        self.browser.core().remove_context(&self.state.id);
        answer.map(drop)
    }
}

impl Credentials {
    fn of(options: &ContextOptions) -> Option<Self> {
        use base64::Engine as _;
        let origin = options.credentials_origin.as_deref().and_then(origin_of)?;
        let mut headers = options.extra_headers.clone();
        if let Some((user, password)) = &options.basic_auth {
            let token = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
            headers.push(("Authorization".to_owned(), format!("Basic {token}")));
        }
        (!headers.is_empty()).then_some(Self { origin, headers })
    }

    /// The headers a request to `url` must carry: ours for our origin, and none of ours elsewhere, because Chromium
    /// keeps changed headers across a redirect.
    pub(crate) fn apply(&self, url: &str, sent: &serde_json::Map<String, Value>) -> Option<Vec<Value>> {
        let ours = |name: &str| self.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let at_home = origin_of(url).as_deref() == Some(self.origin.as_str());
        if !at_home && !sent.keys().any(|name| ours(name)) {
            return None;
        }
        let kept = sent
            .iter()
            .filter(|(name, _)| !ours(name))
            .map(|(name, value)| json!({ "name": name, "value": value.as_str().unwrap_or_default() }));
        let added = self.headers.iter().map(|(name, value)| json!({ "name": name, "value": value }));
        Some(if at_home { kept.chain(added).collect() } else { kept.collect() })
    }
}

/// `scheme://host:port` in lower case, without a default port.
fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    (!host.is_empty()).then(|| format!("{scheme}://{host}"))
}

fn cookie_to_json(cookie: &Cookie) -> Value {
    let mut value = json!({
        "name": cookie.name, "value": cookie.value, "secure": cookie.secure, "httpOnly": cookie.http_only,
    });
    for (key, text) in [("url", &cookie.url), ("domain", &cookie.domain), ("path", &cookie.path)] {
        if let Some(text) = text {
            value[key] = json!(text);
        }
    }
    if let Some(same_site) = cookie.same_site {
        value["sameSite"] = json!(match same_site {
            SameSite::Strict => "Strict",
            SameSite::Lax => "Lax",
            SameSite::None => "None",
        });
    }
    value
}

fn cookie_from_json(value: &Value) -> Cookie {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    Cookie {
        name: text("name").unwrap_or_default(),
        value: text("value").unwrap_or_default(),
        url: None,
        domain: text("domain"),
        path: text("path"),
        secure: value["secure"].as_bool().unwrap_or(false),
        http_only: value["httpOnly"].as_bool().unwrap_or(false),
        same_site: match value["sameSite"].as_str() {
            Some("Strict") => Some(SameSite::Strict),
            Some("Lax") => Some(SameSite::Lax),
            Some("None") => Some(SameSite::None),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials() -> Credentials {
        let options = ContextOptions {
            credentials_origin: Some("HTTPS://App.test:443/path".into()),
            extra_headers: vec![("X-Token".into(), "t".into())],
            basic_auth: Some(("u".into(), "p".into())),
            ..ContextOptions::default()
        };
        Credentials::of(&options).unwrap()
    }

    #[test]
    fn origins_are_compared_without_default_ports_users_and_case() {
        assert_eq!(origin_of("https://u:p@Host:443/x").as_deref(), Some("https://host"));
        assert_eq!(origin_of("http://host:8080?x").as_deref(), Some("http://host:8080"));
        assert_eq!(origin_of("https://good.test\\@evil.test").as_deref(), Some("https://good.test"));
        assert_eq!(origin_of("data:text/html,x"), None);
    }

    #[test]
    fn credentials_go_home_and_nowhere_else() {
        let credentials = credentials();
        let sent = json!({ "Accept": "*/*" });
        let sent = sent.as_object().unwrap();
        let home = credentials.apply("https://app.test/page", sent).unwrap();
        assert!(home.contains(&json!({ "name": "Authorization", "value": "Basic dTpw" })));
        assert!(home.contains(&json!({ "name": "X-Token", "value": "t" })));
        assert!(home.contains(&json!({ "name": "Accept", "value": "*/*" })));
        assert_eq!(credentials.apply("https://app.test.evil.test/", sent), None);
        assert_eq!(credentials.apply("http://app.test/", sent), None);
    }

    #[test]
    fn credentials_carried_along_by_a_redirect_are_taken_off() {
        let sent = json!({ "x-token": "t", "Accept": "*/*" });
        let headers = credentials().apply("https://other.test/", sent.as_object().unwrap()).unwrap();
        assert_eq!(headers, [json!({ "name": "Accept", "value": "*/*" })]);
    }

    #[test]
    fn without_an_origin_credentials_go_nowhere() {
        let options = ContextOptions { basic_auth: Some(("u".into(), "p".into())), ..ContextOptions::default() };
        assert!(Credentials::of(&options).is_none());
    }
}
