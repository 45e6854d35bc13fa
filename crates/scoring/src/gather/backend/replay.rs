//! The same request as somebody else: what is public stays, what belongs to a user goes or is replaced by another user's.

use super::hands::Visitor;
use crate::gather::{StepError, load, scripts};
use base64::Engine as _;
use benchwright_browser::Exchange;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How long an endpoint may take to answer.
const ANSWER_MILLISECONDS: u64 = 10_000;

/// Headers that browsers set themselves and scripts may not.
const BROWSER_HEADERS: [&str; 14] = [
    "host",
    "connection",
    "content-length",
    "origin",
    "referer",
    "user-agent",
    "accept-encoding",
    "accept-language",
    "cookie",
    "dnt",
    "te",
    "upgrade-insecure-requests",
    "pragma",
    "cache-control",
];

/// A request that can be sent again.
#[derive(Clone)]
pub struct Replay {
    pub method: String,
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
}

/// What came back.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub status: Option<u16>,
    /// For each text that was looked for, whether the answer holds it.
    pub found: Vec<bool>,
    pub error: Option<String>,
}

impl Answer {
    /// Whether data was served that holds the first text.
    pub fn serves(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status)) && self.found.first() == Some(&true)
    }
}

/// The request as a stranger would send it: with the keys every visitor's browser gets, without anything of the user's.
pub fn as_stranger(exchange: &Exchange) -> Replay {
    let mut headers: BTreeMap<String, String> = sendable(exchange)
        .filter(|(name, value)| !is_private_header(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    // With such a key alone, the client library sends it as the bearer too.
    if let Some(key) = headers.get("apikey").cloned()
        && exchange.request_headers.iter().any(|(name, _)| name == "authorization")
    {
        headers.entry("authorization".to_owned()).or_insert_with(|| format!("Bearer {key}"));
    }
    Replay {
        method: exchange.method.clone(),
        url: with_parameters_of("", &exchange.url),
        headers,
        body: exchange.request_body.as_deref().map(|body| strip_body(body, &BTreeMap::new())),
    }
}

/// The owner's request with the session of another user, who sent `own` to the same origin. Cookies are the browser's business.
/// None if the owner's session travels in what this user never sent there: without it, the request would be a stranger's.
pub fn as_other_user(exchange: &Exchange, own: &[Exchange]) -> Option<Replay> {
    let mut replay = as_stranger(exchange);
    let wanted = private_names(exchange);
    if wanted.is_empty() {
        return Some(replay);
    }
    let origin = load::origin(&exchange.url);
    let speaks = |sent: &&Exchange| load::origin(&sent.url) == origin && wanted.is_subset(&private_names(sent));
    let path = |url: &str| url.split(['?', '#']).next().unwrap_or_default().to_owned();
    let is_same = |sent: &&Exchange| sent.method == exchange.method && path(&sent.url) == path(&exchange.url);
    let source = own.iter().filter(speaks).max_by_key(is_same)?;
    replay.url = with_parameters_of(&source.url, &exchange.url);
    for (name, value) in sendable(source).filter(|(name, value)| is_private_header(name, value)) {
        replay.headers.insert(name.clone(), value.clone());
    }
    if let (Some(body), Some(theirs)) = (&exchange.request_body, &source.request_body) {
        replay.body = Some(strip_body(body, &private_values(theirs)));
    }
    Some(replay)
}

/// Where a request carries what belongs to its user: in which headers, parameters and keys of the body.
fn private_names(exchange: &Exchange) -> BTreeSet<(&'static str, String)> {
    let headers = sendable(exchange).filter(|(name, value)| is_private_header(name, value));
    let headers = headers.map(|(name, _)| ("header", name.clone()));
    let pairs = private_pairs(&exchange.url).map(|pair| ("parameter", name(pair).to_owned()));
    let keys = exchange.request_body.as_deref().map(private_values).unwrap_or_default();
    headers.chain(pairs).chain(keys.into_keys().map(|key| ("body", key))).collect()
}

/// A plain request for an address.
pub fn get(url: String) -> Replay {
    Replay { method: "GET".to_owned(), url, headers: BTreeMap::new(), body: None }
}

/// Sends a request from the visitor's page and looks for texts in the answer.
pub async fn send(visitor: &Visitor, replay: &Replay, texts: &[&str]) -> Result<Answer, StepError> {
    let body = replay.body.as_ref().filter(|_| !matches!(replay.method.as_str(), "GET" | "HEAD"));
    let argument = json!({
        "url": replay.url, "method": replay.method, "headers": replay.headers, "body": body,
        "texts": texts, "milliseconds": ANSWER_MILLISECONDS,
    });
    let silent = || Answer { error: Some("the page went away".to_owned()), ..Answer::default() };
    Ok(visitor.run(scripts::BACKEND_REPLAY, &argument).await?.unwrap_or_else(silent))
}

/// Whether a request speaks for a user.
pub fn carries_a_user(exchange: &Exchange) -> bool {
    exchange.request_headers.iter().any(|(name, value)| name == "authorization" && is_private_header(name, value))
}

fn sendable(exchange: &Exchange) -> impl Iterator<Item = &(String, String)> {
    exchange.request_headers.iter().filter(|(name, _)| {
        !BROWSER_HEADERS.contains(&name.as_str())
            && !name.starts_with("sec-")
            && !name.starts_with("proxy-")
            && !name.starts_with(':')
    })
}

/// Whether a header tells who the user is. Keys that every visitor gets do not: an `apikey`, a token whose role is `anon`.
fn is_private_header(name: &str, value: &str) -> bool {
    let token = value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")).unwrap_or(value).trim();
    if let Some(public) = jwt_is_public(token) {
        return !public;
    }
    if name.contains("api-key") || name == "apikey" {
        return false;
    }
    let telling = ["auth", "token", "session", "jwt", "csrf", "xsrf", "user", "account", "tenant", "bearer"];
    telling.iter().any(|word| name.contains(word))
}

/// For a JSON web token, whether it speaks for everybody: its role is `anon` and it names no subject.
fn jwt_is_public(token: &str) -> Option<bool> {
    let mut parts = token.split('.');
    let (Some(_), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims: Value = serde_json::from_slice(&bytes).ok()?;
    Some(claims["role"].as_str() == Some("anon") && claims["sub"].is_null())
}

/// An address with what `theirs` has in the place of what is private in it, and without what that has not.
fn with_parameters_of(theirs: &str, url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let sent = |pair| {
        if is_private_pair(pair) { private_pairs(theirs).find(|own| name(own) == name(pair)) } else { Some(pair) }
    };
    let kept: Vec<&str> = query.split('&').filter_map(sent).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

fn private_pairs(url: &str) -> impl Iterator<Item = &str> {
    let query = url.split('#').next().and_then(|url| url.split_once('?')).map_or("", |(_, query)| query);
    query.split('&').filter(|pair| is_private_pair(pair))
}

fn is_private_pair(pair: &str) -> bool {
    let value = pair.split_once('=').map_or("", |(_, value)| value);
    is_private_key(name(pair)) || jwt_is_public(value) == Some(false)
}

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

/// Names under which a session travels in bodies and addresses.
fn is_private_key(name: &str) -> bool {
    let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    [
        "auth",
        "token",
        "accesstoken",
        "authtoken",
        "idtoken",
        "refreshtoken",
        "jwt",
        "sessionid",
        "sessiontoken",
        "bearer",
        "sid",
    ]
    .contains(&plain.as_str())
}

/// A JSON body without the user's tokens, or with those of another user in their place.
fn strip_body(body: &str, replacements: &BTreeMap<String, Value>) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    strip(&mut value, replacements, 0);
    value.to_string()
}

fn strip(value: &mut Value, replacements: &BTreeMap<String, Value>, depth: usize) {
    match value {
        Value::Object(map) if depth < 20 => {
            map.retain(|key, _| !is_private_key(key) || replacements.contains_key(key));
            for (key, inner) in map.iter_mut() {
                match replacements.get(key).filter(|_| is_private_key(key)) {
                    Some(other) => other.clone_into(inner),
                    None => strip(inner, replacements, depth + 1),
                }
            }
        }
        Value::Array(list) if depth < 20 => list.iter_mut().for_each(|inner| strip(inner, replacements, depth + 1)),
        _ => {}
    }
}

/// What is private in a JSON body, as deep as it is stripped.
fn private_values(body: &str) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    if let Ok(value) = serde_json::from_str(body) {
        collect_private(value, &mut found, 0);
    }
    found
}

fn collect_private(value: Value, found: &mut BTreeMap<String, Value>, depth: usize) {
    match value {
        Value::Object(map) if depth < 20 => {
            for (key, inner) in map {
                if is_private_key(&key) {
                    found.insert(key, inner);
                } else {
                    collect_private(inner, found, depth + 1);
                }
            }
        }
        Value::Array(list) if depth < 20 => {
            for inner in list {
                collect_private(inner, found, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &Value) -> String {
        let part = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(claims.to_string());
        format!("e30.{part}.x")
    }

    fn exchange(headers: &[(&str, &str)], body: Option<&str>) -> Exchange {
        Exchange {
            id: "1".into(),
            url: "https://db.test/rest/v1/notes?select=*".into(),
            method: "POST".into(),
            resource_type: "Fetch".into(),
            request_headers: headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            request_body: body.map(str::to_owned),
            status: Some(200),
            mime_type: "application/json".into(),
            complete: true,
        }
    }

    fn at(url: &str, exchange: Exchange) -> Exchange {
        Exchange { url: url.into(), ..exchange }
    }

    #[test]
    fn peer_defect_a_stranger_sends_the_public_key_and_nothing_of_the_user() {
        let (anon, user) = (token(&json!({ "role": "anon" })), token(&json!({ "role": "authenticated", "sub": "u1" })));
        let bearer = format!("Bearer {user}");
        let headers = [
            ("apikey", anon.as_str()),
            ("authorization", &bearer),
            ("x-session-id", "s"),
            ("accept", "*/*"),
            ("origin", "o"),
        ];
        let body = Some(r#"{"q":1,"accessToken":"t","vars":{"sessionId":"s","a":2}}"#);
        let replay = as_stranger(&at("https://db.test/rest/v1/notes?select=*&auth=abc", exchange(&headers, body)));
        assert_eq!(replay.headers.get("apikey"), Some(&anon));
        assert_eq!(replay.headers.get("authorization"), Some(&format!("Bearer {anon}")));
        assert_eq!(replay.headers.keys().collect::<Vec<_>>(), ["accept", "apikey", "authorization"]);
        assert_eq!(replay.body.as_deref(), Some(r#"{"q":1,"vars":{"a":2}}"#));
        assert_eq!(replay.url, "https://db.test/rest/v1/notes?select=*");
    }

    #[test]
    fn another_user_sends_their_own_token_and_only_where_they_sent_it_before() {
        let user = |name: &str| format!("Bearer {}", token(&json!({ "sub": name })));
        let (bob, ada) = (user("bob"), user("ada"));
        let owners = exchange(&[("authorization", &bob)], Some(r#"{"token":"bob","id":7}"#));
        let own = exchange(&[("authorization", &ada)], Some(r#"{"token":"ada","id":1}"#));
        let replay = as_other_user(&owners, std::slice::from_ref(&own)).unwrap();
        assert_eq!(replay.headers.get("authorization"), Some(&ada));
        assert_eq!(replay.body.as_deref(), Some(r#"{"id":7,"token":"ada"}"#));
        let elsewhere = Exchange { url: "https://other.test/x".into(), ..own };
        assert!(as_other_user(&owners, &[elsewhere]).is_none());
    }

    #[test]
    fn a_request_without_the_other_users_session_is_not_theirs() {
        let nested = |token: &str| exchange(&[], Some(&format!(r#"{{"variables":{{"id":7,"sessionId":"{token}"}}}}"#)));
        let public = exchange(&[("accept", "*/*")], Some(r#"{"variables":{"id":1}}"#));
        assert!(as_other_user(&nested("bob"), std::slice::from_ref(&public)).is_none());
        let replay = as_other_user(&nested("bob"), &[nested("ada"), public.clone()]).unwrap();
        assert_eq!(replay.body.as_deref(), Some(r#"{"variables":{"id":7,"sessionId":"ada"}}"#));
        let (bob, ada) = (("authorization", "Bearer bob"), ("authorization", "Bearer ada"));
        let both = exchange(&[bob, ("x-tenant-id", "t1")], None);
        assert!(as_other_user(&both, &[exchange(&[("x-tenant-id", "t2")], None)]).is_none());
        let elsewhere = at("https://db.test/rest/v1/me", exchange(&[ada, ("x-tenant-id", "t2")], None));
        let replay = as_other_user(&both, &[elsewhere, public.clone()]).unwrap();
        assert_eq!(replay.headers["authorization"], "Bearer ada");
        // With a session in cookies the browser sends it, and nothing has to be found.
        assert!(as_other_user(&public, &[]).is_some());
    }

    #[test]
    fn firebase_is_asked_with_its_public_key_and_with_the_token_of_whoever_asks() {
        let user = |name: &str| format!("Bearer {}", token(&json!({ "sub": name, "firebase": {} })));
        let firestore = "https://firestore.test/v1/projects/p/databases/(default)/documents:runQuery?key=AIzaPublic";
        let body = Some(r#"{"structuredQuery":{"from":[{"collectionId":"notes"}]}}"#);
        let (bob, ada) = (user("bob"), user("ada"));
        let owners = at(firestore, exchange(&[("authorization", &bob)], body));
        let stranger = as_stranger(&owners);
        assert_eq!((stranger.url.as_str(), stranger.body.as_deref()), (firestore, body));
        assert!(!stranger.headers.contains_key("authorization"));
        let other = as_other_user(&owners, &[at(firestore, exchange(&[("authorization", &ada)], body))]).unwrap();
        assert_eq!((other.url.as_str(), other.headers.get("authorization")), (firestore, Some(&ada)));
        // The Realtime Database takes the token in the address.
        let list =
            |token: &str| at(&format!("https://p.test/notes.json?auth={token}&print=silent"), exchange(&[], None));
        assert_eq!(as_stranger(&list("bob")).url, "https://p.test/notes.json?print=silent");
        let record = at("https://p.test/notes/7.json?auth=bob", exchange(&[], None));
        assert_eq!(as_other_user(&record, &[list("ada")]).unwrap().url, "https://p.test/notes/7.json?auth=ada");
    }

    #[test]
    fn only_tokens_of_users_speak_for_a_user() {
        let anon = format!("Bearer {}", token(&json!({ "role": "anon" })));
        assert!(!carries_a_user(&exchange(&[("authorization", &anon)], None)));
        assert!(carries_a_user(&exchange(&[("authorization", "Bearer opaque")], None)));
        assert!(!carries_a_user(&exchange(&[("x-api-key", "AIza")], None)));
    }

    #[test]
    fn data_is_served_only_by_a_success_that_holds_the_text() {
        let answer = |status, found| Answer { status: Some(status), found: vec![found], error: None };
        assert!(answer(200, true).serves());
        assert!(!answer(403, true).serves() && !answer(200, false).serves());
    }
}
