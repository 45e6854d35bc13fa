//! What of a request belongs to its user, and the request's parts without it or with what is another user's in its place.

use base64::Engine as _;
use benchwright_browser::Exchange;
use serde_json::Value;
use std::collections::BTreeMap;

/// Names under which a session travels in bodies and addresses.
const PRIVATE_KEYS: [&str; 15] = [
    "accesstoken",
    "apitoken",
    "auth",
    "authtoken",
    "bearer",
    "idtoken",
    "jwt",
    "refreshtoken",
    "session",
    "sessionid",
    "sessionkey",
    "sessiontoken",
    "sid",
    "token",
    "usertoken",
];

/// Whether a header tells who the user is. Keys that every visitor gets do not: an `apikey`, a token whose role is `anon`.
pub fn is_private_header(name: &str, value: &str) -> bool {
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
pub fn with_parameters_of(theirs: &str, url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let kept = exchanged_pairs(query, query_of(theirs));
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{kept}") }
}

/// What is private in the query of an address.
pub fn private_pairs(url: &str) -> impl Iterator<Item = &str> {
    private_of(query_of(url))
}

fn query_of(url: &str) -> &str {
    url.split('#').next().and_then(|url| url.split_once('?')).map_or("", |(_, query)| query)
}

fn private_of(pairs: &str) -> impl Iterator<Item = &str> {
    pairs.split('&').filter(|pair| is_private_pair(pair))
}

fn exchanged_pairs(pairs: &str, theirs: &str) -> String {
    let sent = |pair| {
        if is_private_pair(pair) { private_of(theirs).find(|own| name(own) == name(pair)) } else { Some(pair) }
    };
    pairs.split('&').filter_map(sent).collect::<Vec<_>>().join("&")
}

fn is_private_pair(pair: &str) -> bool {
    let Some((name, value)) = url::form_urlencoded::parse(pair.as_bytes()).next() else { return false };
    is_private_key(&name) || jwt_is_public(&value) == Some(false)
}

/// The name of a pair, as it is written.
pub fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

fn is_private_key(name: &str) -> bool {
    let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    PRIVATE_KEYS.contains(&plain.as_str())
}

/// The body of a request, by how values stand in it.
pub enum Body<'a> {
    Json(Value),
    /// Pairs, as in an address.
    Form(&'a str),
    /// Parts, or of another kind: nothing can be taken out of it.
    Opaque(&'a str),
}

impl<'a> Body<'a> {
    pub fn of(exchange: &'a Exchange) -> Option<Self> {
        let text = exchange.request_body.as_deref()?;
        if let Ok(value) = serde_json::from_str(text) {
            return Some(Self::Json(value));
        }
        let says_form = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("content-type") && value.to_lowercase().contains("x-www-form-urlencoded")
        };
        let is_form = exchange.request_headers.iter().any(says_form) || looks_like_form(text);
        Some(if is_form { Self::Form(text) } else { Self::Opaque(text) })
    }

    /// Under which names it carries what belongs to its user, with the kind of body: a session in a form does not travel in JSON.
    pub fn private_names(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Json(value) => private_values(value).into_keys().map(|key| ("body", key.to_owned())).collect(),
            Self::Form(pairs) => private_of(pairs).map(|pair| ("form", name(pair).to_owned())).collect(),
            Self::Opaque(_) => Vec::new(),
        }
    }

    /// The body with what another user sent in the place of what is private in it, and without what they did not send. None if that
    /// cannot be done.
    pub fn exchanged(self, theirs: Option<&Body<'_>>) -> Option<String> {
        match self {
            Self::Json(mut value) => {
                let theirs =
                    if let Some(Body::Json(theirs)) = theirs { private_values(theirs) } else { BTreeMap::new() };
                strip(&mut value, &theirs, 0);
                Some(value.to_string())
            }
            Self::Form(pairs) => {
                let theirs = if let Some(Body::Form(theirs)) = theirs { theirs } else { "" };
                Some(exchanged_pairs(pairs, theirs))
            }
            Self::Opaque(text) => (!speaks_for_a_user(text)).then(|| text.to_owned()),
        }
    }
}

/// Scripts often send a form without saying that it is one.
fn looks_like_form(text: &str) -> bool {
    let may_stand = |c: char| c.is_ascii_graphic() && !"<>{}\"".contains(c);
    text.chars().all(may_stand) && text.split('&').all(|pair| pair.contains('='))
}

/// Whether a name of a session, or a user's token, stands anywhere in a text.
fn speaks_for_a_user(text: &str) -> bool {
    let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    text.split(is_edge).any(|word| is_private_key(word) || jwt_is_public(word) == Some(false))
}

fn strip(value: &mut Value, replacements: &BTreeMap<&str, &Value>, depth: usize) {
    match value {
        Value::Object(map) if depth < 20 => {
            map.retain(|key, _| !is_private_key(key) || replacements.contains_key(key.as_str()));
            for (key, inner) in map.iter_mut() {
                match replacements.get(key.as_str()).filter(|_| is_private_key(key)) {
                    Some(other) => (*other).clone_into(inner),
                    None => strip(inner, replacements, depth + 1),
                }
            }
        }
        Value::Array(list) if depth < 20 => list.iter_mut().for_each(|inner| strip(inner, replacements, depth + 1)),
        _ => {}
    }
}

/// What is private in a JSON body, as deep as it is stripped.
fn private_values(value: &Value) -> BTreeMap<&str, &Value> {
    let mut found = BTreeMap::new();
    collect_private(value, &mut found, 0);
    found
}

fn collect_private<'a>(value: &'a Value, found: &mut BTreeMap<&'a str, &'a Value>, depth: usize) {
    match value {
        Value::Object(map) if depth < 20 => {
            for (key, inner) in map {
                if is_private_key(key) {
                    found.insert(key, inner);
                } else {
                    collect_private(inner, found, depth + 1);
                }
            }
        }
        Value::Array(list) if depth < 20 => list.iter().for_each(|inner| collect_private(inner, found, depth + 1)),
        _ => {}
    }
}
