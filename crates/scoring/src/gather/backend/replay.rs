//! The same request as somebody else: what is public stays, what belongs to a user goes or is replaced by another user's.

use super::belongings::{Body, is_private_header, name, private_pairs, with_parameters_of};
use super::hands::Visitor;
use crate::gather::{StepError, load, scripts};
use benchwright_browser::Exchange;
use serde::Deserialize;
use serde_json::json;
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
/// None if what is the user's cannot be taken out of its body: sent as it is, the user would be asking.
pub fn as_stranger(exchange: &Exchange) -> Option<Replay> {
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
    let body = match Body::of(exchange) {
        Some(body) => Some(body.exchanged(None)?),
        None => None,
    };
    Some(Replay { method: exchange.method.clone(), url: with_parameters_of("", &exchange.url), headers, body })
}

/// The owner's request with the session of another user, who sent `own` to the same origin. Cookies are the browser's business.
/// None if the owner's session travels in what this user never sent there, or in a body it cannot be taken out of: without one of their
/// own, the request would be a stranger's.
pub fn as_other_user(exchange: &Exchange, own: &[Exchange]) -> Option<Replay> {
    let mut replay = as_stranger(exchange)?;
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
    if let Some(body) = Body::of(exchange) {
        replay.body = body.exchanged(Body::of(source).as_ref());
    }
    Some(replay)
}

/// Where a request carries what belongs to its user: in which headers, parameters and keys of the body.
fn private_names(exchange: &Exchange) -> BTreeSet<(&'static str, String)> {
    let headers = sendable(exchange).filter(|(name, value)| is_private_header(name, value));
    let headers = headers.map(|(name, _)| ("header", name.clone()));
    let pairs = private_pairs(&exchange.url).map(|pair| ("parameter", name(pair).to_owned()));
    let in_body = Body::of(exchange).map(|body| body.private_names()).unwrap_or_default();
    headers.chain(pairs).chain(in_body).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use serde_json::Value;

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
        let replay =
            as_stranger(&at("https://db.test/rest/v1/notes?select=*&auth=abc", exchange(&headers, body))).unwrap();
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
        let stranger = as_stranger(&owners).unwrap();
        assert_eq!((stranger.url.as_str(), stranger.body.as_deref()), (firestore, body));
        assert!(!stranger.headers.contains_key("authorization"));
        let other = as_other_user(&owners, &[at(firestore, exchange(&[("authorization", &ada)], body))]).unwrap();
        assert_eq!((other.url.as_str(), other.headers.get("authorization")), (firestore, Some(&ada)));
        // The Realtime Database takes the token in the address.
        let list =
            |token: &str| at(&format!("https://p.test/notes.json?auth={token}&print=silent"), exchange(&[], None));
        assert_eq!(as_stranger(&list("bob")).unwrap().url, "https://p.test/notes.json?print=silent");
        let record = at("https://p.test/notes/7.json?auth=bob", exchange(&[], None));
        assert_eq!(as_other_user(&record, &[list("ada")]).unwrap().url, "https://p.test/notes/7.json?auth=ada");
    }

    #[test]
    fn a_session_in_a_form_goes_for_a_stranger_and_is_exchanged_for_another_user() {
        let form = ("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
        let list = |body: &str| at("https://old.test/api.php", exchange(&[form], Some(body)));
        let (bob, ada) = (list("token=BOB&action=list"), list("action=load&token=A%2BDA"));
        assert_eq!(as_stranger(&bob).unwrap().body.as_deref(), Some("action=list"));
        let replay = as_other_user(&bob, &[ada]).unwrap();
        assert_eq!((replay.body.as_deref(), replay.method.as_str()), (Some("token=A%2BDA&action=list"), "POST"));
        let as_json = at(&bob.url, exchange(&[], Some(r#"{"token":"ADA"}"#)));
        assert!(as_other_user(&bob, &[list("action=load"), as_json]).is_none(), "the session is not theirs there");
        let unlabelled = exchange(&[], Some("user%5Btoken%5D=BOB&page=2"));
        assert_eq!(as_stranger(&unlabelled).unwrap().body.as_deref(), Some("page=2"));
    }

    #[test]
    fn a_session_by_any_of_its_names_is_no_strangers() {
        for name in ["api_token", "apiToken", "userToken", "user_token", "session", "sessionKey", "session_key"] {
            let sent = at(&format!("https://db.test/notes?page=2&{name}=BOB"), exchange(&[], None));
            assert_eq!(as_stranger(&sent).unwrap().url, "https://db.test/notes?page=2", "{name}");
            let sent = exchange(&[], Some(&format!(r#"{{"page":2,"{name}":"BOB"}}"#)));
            assert_eq!(as_stranger(&sent).unwrap().body.as_deref(), Some(r#"{"page":2}"#), "{name}");
        }
    }

    #[test]
    fn a_session_in_parts_is_neither_sent_by_a_stranger_nor_by_another_user() {
        let part = |name: &str, value: &str| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let kind = ("content-type", "multipart/form-data; boundary=x");
        let sent = |name: &str, value: &str| {
            exchange(&[kind], Some(&(part(name, value) + &part("action", "list") + "--x--\r\n")))
        };
        let user = token(&json!({ "role": "authenticated", "sub": "bob" }));
        for (name, value) in [("user_token", "BOB"), ("t", user.as_str())] {
            assert!(as_stranger(&sent(name, value)).is_none(), "{name}");
            assert!(as_other_user(&sent(name, value), &[sent(name, "ADA")]).is_none(), "{name}");
        }
        let public = sent("page", "2");
        assert_eq!(as_stranger(&public).unwrap().body, public.request_body);
        assert!(as_other_user(&public, &[]).is_some(), "its session travels in cookies");
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
