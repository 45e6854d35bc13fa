//! Who may do what, and whether a form is ours.

use crate::refusal::Refused;
use crate::signed::{hex, mac, same};
use crate::state::Intake;
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, COOKIE, HOST, ORIGIN};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use benchwright_store::index::{Index, Scope, Token};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use url::form_urlencoded;

/// Opens a private site for reading. It is never taken for a token where something is changed.
const READING: &str = "benchwright_reading";
/// Half of what proves that a form is ours; the other half is in the form.
const FORM: &str = "benchwright_form";
/// Bytes of an address that somebody is brought back to; written into another address it may be three times as long.
const LONGEST_WAY: usize = 1000;
/// Bytes of a nonce.
const NONCE: usize = 16;

const NONE: &str = "This needs a token: send it as `Authorization: Bearer …`. The operator of this site makes them with `benchwright token create`.";
const NO_GOOD: &str = "This token is not known here, was revoked, has ended, or does not allow this.";

/// The token of a request's header, if it allows this.
pub async fn bearer(index: &Index, headers: &HeaderMap, scope: Scope) -> Result<Token, Refused> {
    let text = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let text = text.and_then(|value| value.strip_prefix("Bearer ")).ok_or(Refused::NotAllowed(NONE))?;
    token(index, text, scope).await
}

/// The token a text is, if it allows this.
pub async fn token(index: &Index, text: &str, scope: Scope) -> Result<Token, Refused> {
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let known = index.token(text.trim()).await?;
    known.filter(|token| token.allows(scope, &now)).ok_or(Refused::NotAllowed(NO_GOOD))
}

/// Refuses a body that says it is larger than `most`, before any of it is read.
pub fn announced(headers: &HeaderMap, most: usize) -> Result<(), Refused> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) { Err(Refused::TooLarge(most)) } else { Ok(()) }
}

/// Refuses what another site's page made a browser send. Programs send neither header.
pub fn own_page(headers: &HeaderMap) -> Result<(), Refused> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Err(Refused::Foreign);
    }
    match text(ORIGIN) {
        None => Ok(()),
        // Whoever sends no referrers hides the origin, too; what the browser says of the site is proof enough.
        Some("null") if site.is_some() => Ok(()),
        Some(origin) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            (host.is_some() && host == text(HOST)).then_some(()).ok_or(Refused::Foreign)
        }
    }
}

/// What goes into the cookie, and what goes into the form. A browser keeps its nonce, or a second tab would spoil the first.
pub fn sign_form(intake: &Intake, headers: &HeaderMap) -> Result<(String, String), Refused> {
    let is_nonce = |text: &&str| text.len() == 2 * NONCE && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let nonce = match cookies(headers, FORM).find(is_nonce) {
        Some(nonce) => nonce.to_owned(),
        None => fresh_nonce()?,
    };
    let proof = proof(intake, &nonce);
    Ok((nonce, proof))
}

fn fresh_nonce() -> Result<String, Refused> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|error| Refused::Failed(error.to_string()))?;
    Ok(hex(&nonce))
}

/// Refuses a form that was not made here for this browser.
pub fn check_form(intake: &Intake, headers: &HeaderMap, given: &str) -> Result<(), Refused> {
    own_page(headers)?;
    let is_ours = cookies(headers, FORM).any(|nonce| same(&proof(intake, nonce), given));
    is_ours.then_some(()).ok_or(Refused::Foreign)
}

/// The token of a form that is ours, if it may submit.
pub async fn form_token(
    intake: &Intake,
    headers: &HeaderMap,
    fields: &BTreeMap<String, String>,
) -> Result<Token, Refused> {
    let text = |name: &str| fields.get(name).map_or("", String::as_str);
    check_form(intake, headers, text("form"))?;
    token(intake.queue.index(), text("token"), Scope::Submit).await
}

fn proof(intake: &Intake, nonce: &str) -> String {
    mac(&intake.secret, "form", nonce)
}

/// The cookies of a request that have this name. Neighbours below one domain can set some for all of it, and browsers send those along;
/// whoever looked at the first alone could be locked out by them.
fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    lines
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(move |(key, value)| (key == name).then_some(value))
}

/// The cookie of a form, which other sites' pages cannot make a browser send.
pub fn form_cookie(intake: &Intake, nonce: &str) -> String {
    cookie(intake, FORM, nonce, "Strict")
}

/// The cookie that opens a private site. A browser sends it along with whoever follows a link from elsewhere, or links in mails would end at
/// the door; it changes nothing, so no more can be done with that.
pub fn reading_cookie(intake: &Intake, token: &str) -> String {
    cookie(intake, READING, token, "Lax")
}

/// A cookie that scripts do not see.
fn cookie(intake: &Intake, name: &str, value: &str, same_site: &str) -> String {
    let secure = if intake.terms.behind_tls { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite={same_site}{secure}")
}

/// Asks for a token everywhere: wrap the whole site in it.
pub async fn private(index: Arc<Index>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Reviewers show their own token, with every step they take.
    let is_door =
        matches!(path, "/sign-in" | "/annotate") || path.starts_with("/assets/") || path.starts_with("/annotate/");
    if is_door {
        return next.run(request).await;
    }
    if may_read(&index, request.headers()).await {
        let mut response = next.run(request).await;
        // Nothing between here and the reader may keep it for somebody else.
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        return response;
    }
    if path.starts_with("/api/") || request.method() != axum::http::Method::GET {
        return Refused::NotAllowed(NONE).into_response();
    }
    ([(CACHE_CONTROL, "no-store")], Redirect::to(&door_before(request.uri()))).into_response()
}

/// The door, with the way on behind it.
fn door_before(uri: &Uri) -> String {
    let way = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    if way == "/" || !leads_on(way) {
        return "/sign-in".to_owned();
    }
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("to", way).finish();
    format!("/sign-in?{query}")
}

/// Whether this is a place of this site, and nothing else to any browser: some take `//` and `\` for the beginning of a host, and drop
/// characters that cannot be seen.
pub fn leads_on(way: &str) -> bool {
    let is_plain = way.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    way.starts_with('/') && !way.starts_with("//") && is_plain && way.len() <= LONGEST_WAY
}

async fn may_read(index: &Index, headers: &HeaderMap) -> bool {
    if headers.get(AUTHORIZATION).is_some_and(|value| !removes_a_shared_run(value)) {
        let any = [Scope::Read, Scope::Submit, Scope::Moderate];
        for scope in any {
            if bearer(index, headers, scope).await.is_ok() {
                return true;
            }
        }
        return false;
    }
    for text in cookies(headers, READING) {
        if token(index, text, Scope::Read).await.is_ok() {
            return true;
        }
    }
    false
}

/// Whether it is the text that removes a shared run of the quiz. Whoever removes runs looks at it; it opens nothing.
fn removes_a_shared_run(value: &HeaderValue) -> bool {
    value.as_bytes().starts_with(b"Bearer bwq_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_place_of_this_site_leads_on() {
        for way in ["/", "/runs/20261116T101500Z-3f9a", "/apps?url=https%3A%2F%2Fapp.example%2F%2F", "/a//b"] {
            assert!(leads_on(way), "{way}");
        }
        let long = format!("/{}", "x".repeat(LONGEST_WAY));
        for way in [
            "",
            "runs",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example/",
            "/\t/evil.example",
            "/ /x",
            "/x\r\nset-cookie: a=b",
            "/\u{0}",
            "/é",
            "javascript:alert(1)",
            &long,
        ] {
            assert!(!leads_on(way), "{way}");
        }
    }
}
