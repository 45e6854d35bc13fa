//! What strangers and the other user can read of a record that is not theirs.

use super::discretion::Discretion;
use super::hands::Visitor;
use super::login::{self, Login};
use super::record::{self, Trail};
use super::replay::{self, Answer, Replay};
use super::walk::Walk;
use crate::evidence::backend::{Endpoint, Probe, ProbeRequest, ProbeVerdict, ProbeVisitor};
use crate::gather::{StepError, load};
use crate::prompt::BackendProbe;
use benchwright_browser::Exchange;
use serde_json::Value;
use std::time::Duration;

/// Endpoints that are probed.
const MAX_ENDPOINTS: usize = 3;
/// The limit of reading one answer.
const READ_LIMIT: Duration = Duration::from_secs(5);
/// How long a page may take to show its user's own data.
const OWN_DATA_LIMIT: Duration = Duration::from_secs(4);

/// A request whose answer held the record.
pub struct Found {
    pub exchange: Exchange,
    pub endpoint: Endpoint,
}

/// Loads the page again as the owner and finds the requests that bring the record. Only what loading sends to read is taken, so
/// that sending it again writes nothing.
pub async fn discover(
    visitor: &Visitor,
    trail: &Trail,
    marker: &str,
    discretion: &Discretion,
) -> Result<Vec<Found>, StepError> {
    visitor.page.clear_log();
    let address = if trail.address.is_empty() { visitor.start() } else { &trail.address };
    visitor.open(address).await?;
    record::find(visitor, trail, marker).await?;
    visitor.settle(OWN_DATA_LIMIT).await;
    let mut found = Vec::new();
    let asks = |exchange: &Exchange| reads(&exchange.method, exchange.request_body.as_deref(), marker);
    for exchange in answered(visitor).into_iter().filter(asks) {
        let Some(text) = visitor.page.response_text(&exchange, READ_LIMIT).await? else { continue };
        if holds(&text, marker) {
            let endpoint = endpoint(&exchange, &text, discretion);
            found.push(Found { exchange, endpoint });
        }
    }
    found.sort_by_key(|found| {
        let rank = ["json", "rsc", "html"].iter().position(|kind| *kind == found.endpoint.kind).unwrap_or(3);
        (rank, std::cmp::Reverse(found.endpoint.records))
    });
    found.dedup_by(|a, b| a.exchange.method == b.exchange.method && a.exchange.url == b.exchange.url);
    found.truncate(MAX_ENDPOINTS);
    Ok(found)
}

fn answered(visitor: &Visitor) -> Vec<Exchange> {
    let success =
        |exchange: &Exchange| exchange.complete && exchange.status.is_some_and(|status| (200..300).contains(&status));
    visitor.page.exchanges().into_iter().filter(success).collect()
}

/// Whether a request asks and does not write. Some backends are asked by POST; an app that saves while it loads does so by PUT or
/// PATCH, or by a POST that holds the record, and sent again with another session that would write into what that user has.
fn reads(method: &str, body: Option<&str>, marker: &str) -> bool {
    match method {
        "GET" => true,
        "POST" => !body.is_some_and(|body| holds(body, marker)),
        _ => false,
    }
}

fn holds(text: &str, marker: &str) -> bool {
    text.to_lowercase().contains(&marker.to_lowercase())
}

fn endpoint(exchange: &Exchange, text: &str, discretion: &Discretion) -> Endpoint {
    let kind = match exchange.mime_type.as_str() {
        mime if mime.contains("json") => "json",
        "text/x-component" => "rsc",
        "text/html" => "html",
        _ => "text",
    };
    let records = (kind == "json").then(|| serde_json::from_str(text).map_or(0, |value| largest_list(&value, 0)));
    Endpoint { method: exchange.method.clone(), url: discretion.address(&exchange.url), kind: kind.to_owned(), records }
}

fn largest_list(value: &Value, depth: usize) -> usize {
    let inner = |value: &Value| largest_list(value, depth + 1);
    match value {
        _ if depth > 12 => 0,
        Value::Array(list) => list.len().max(list.iter().take(50).map(inner).max().unwrap_or(0)),
        Value::Object(map) => map.values().take(200).map(inner).max().unwrap_or(0),
        _ => 0,
    }
}

/// What a probe looks for, and where.
pub struct Target<'a> {
    pub marker: &'a str,
    pub trail: &'a Trail,
    pub found: &'a [Found],
}

/// The stranger's probes: the owner's requests without a session, then what the prompt asks for.
pub async fn as_stranger(walk: &Walk<'_>, target: &Target<'_>) -> Result<Vec<Probe>, StepError> {
    let visitor = walk.visitor().await?;
    visitor.page.clear_log();
    visitor.open(visitor.start()).await?;
    visitor.settle(OWN_DATA_LIMIT).await;
    let mut requests = own_leaks(&visitor, target.marker, &walk.discretion).await?;
    for found in target.found {
        requests.push(match replay::as_stranger(&found.exchange) {
            Some(replay) => ask(walk, &visitor, &replay, target.marker).await?,
            None => unsent(&found.endpoint, "its body holds a session that cannot be taken out"),
        });
    }
    let mut probes = vec![verdict("unauth_read", ProbeVisitor::Stranger, requests)];
    for probe in walk.prompt_probes().iter().filter(|probe| matches!(probe, BackendProbe::UnauthGet { .. })) {
        probes.push(prompted(walk, &visitor, probe, target).await?);
    }
    visitor.leave().await;
    Ok(probes)
}

/// The other user's probes: what their own page gets, the owner's requests with their session, what the prompt asks for.
pub async fn as_other_user(
    walk: &Walk<'_>,
    target: &Target<'_>,
    signed_in: Option<Visitor>,
) -> Result<Vec<Probe>, StepError> {
    let visitor = match log_in(walk, signed_in).await? {
        Ok(visitor) => visitor,
        Err(login) => return Ok(not_made(walk, &login.note())),
    };
    visitor.page.clear_log();
    let mut requests = Vec::new();
    let mut own = Vec::new();
    for address in addresses(visitor.start(), target.trail) {
        visitor.open(&address).await?;
        visitor.look_until(OWN_DATA_LIMIT / 2, |seen| !seen.controls.is_empty()).await?;
        visitor.settle(OWN_DATA_LIMIT).await;
        own.extend(visitor.page.exchanges());
        requests.extend(own_leaks(&visitor, target.marker, &walk.discretion).await?);
        visitor.page.clear_log();
    }
    for found in target.found {
        requests.push(match replay::as_other_user(&found.exchange, &own) {
            Some(replay) => ask(walk, &visitor, &replay, target.marker).await?,
            None => {
                unsent(&found.endpoint, "the other user's own page sent no session there that it could be sent with")
            }
        });
    }
    let mut probes = vec![verdict("cross_user_read", ProbeVisitor::OtherUser, requests)];
    for probe in walk.prompt_probes().iter().filter(|probe| matches!(probe, BackendProbe::CrossUserGet { .. })) {
        probes.push(prompted(walk, &visitor, probe, target).await?);
    }
    visitor.leave().await;
    Ok(probes)
}

/// The other user, logged in for certain: a session that has ended meanwhile would make a stranger of them.
async fn log_in(walk: &Walk<'_>, signed_in: Option<Visitor>) -> Result<Result<Visitor, Login>, StepError> {
    if let Some(visitor) = signed_in {
        visitor.open(visitor.start()).await?;
        visitor.settle(OWN_DATA_LIMIT).await;
        let survey = visitor.look().await?;
        if survey.log_out().is_some() || !survey.offers_login() {
            return Ok(Ok(visitor));
        }
        visitor.leave().await;
    }
    let visitor = walk.visitor().await?;
    let login = login::sign_in(&visitor, &walk.accounts.user_a, &walk.discretion).await?;
    if login.is_in() {
        return Ok(Ok(visitor));
    }
    visitor.leave().await;
    Ok(Err(login))
}

/// The app's own first page, and the address that showed the record to its owner.
fn addresses(start: &str, trail: &Trail) -> Vec<String> {
    let mut addresses = vec![start.to_owned()];
    if !trail.address.is_empty() && trail.address != start {
        addresses.push(trail.address.clone());
    }
    addresses
}

fn not_made(walk: &Walk<'_>, why: &str) -> Vec<Probe> {
    let probe = |id: &str| Probe {
        id: id.to_owned(),
        visitor: ProbeVisitor::OtherUser,
        verdict: ProbeVerdict::NotMade,
        note: format!("the other user could not log in: {why}"),
        requests: Vec::new(),
    };
    let of_prompt = walk.prompt_probes().iter().filter(|probe| matches!(probe, BackendProbe::CrossUserGet { .. }));
    std::iter::once(probe("cross_user_read")).chain(of_prompt.map(|of_prompt| probe(of_prompt.id()))).collect()
}

/// Answers to the visitor's own page that hold the record.
async fn own_leaks(visitor: &Visitor, marker: &str, discretion: &Discretion) -> Result<Vec<ProbeRequest>, StepError> {
    let mut leaks = Vec::new();
    // What a visitor sent themselves may come back to them.
    for exchange in answered(visitor).into_iter().filter(|exchange| !sends(exchange, marker)) {
        let text = visitor.page.response_text(&exchange, READ_LIMIT).await?;
        if text.is_some_and(|text| holds(&text, marker)) && leaks.len() < MAX_ENDPOINTS {
            leaks.push(ProbeRequest {
                method: exchange.method.clone(),
                url: discretion.address(&exchange.url),
                status: exchange.status,
                leaked: true,
                error: None,
            });
        }
    }
    Ok(leaks)
}

async fn ask(walk: &Walk<'_>, visitor: &Visitor, replay: &Replay, marker: &str) -> Result<ProbeRequest, StepError> {
    let answer = replay::send(visitor, replay, &[marker]).await?;
    let leaked = answer.serves() && !echoes(visitor, replay, marker).await?;
    Ok(asked(walk, replay, answer, leaked))
}

/// Whether the answer holds the marker only because the address does, as a login does that says where it leads: asked for a record that
/// nobody has, such a page names that one.
async fn echoes(visitor: &Visitor, replay: &Replay, marker: &str) -> Result<bool, StepError> {
    let nobodys: String = marker.chars().rev().collect();
    // Addresses often hold names in small letters.
    let url = replay.url.replace(marker, &nobodys).replace(&marker.to_lowercase(), &nobodys);
    if url == replay.url {
        return Ok(false);
    }
    let answer = replay::send(visitor, &Replay { url, ..replay.clone() }, &[&nobodys]).await?;
    Ok(answer.serves())
}

fn sends(exchange: &Exchange, marker: &str) -> bool {
    holds(&exchange.url, marker) || exchange.request_body.as_deref().is_some_and(|body| holds(body, marker))
}

/// A request that would have been somebody else's: how it is answered says nothing about the visitor.
fn unsent(endpoint: &Endpoint, why: &str) -> ProbeRequest {
    ProbeRequest {
        method: endpoint.method.clone(),
        url: endpoint.url.clone(),
        status: None,
        leaked: false,
        error: Some(why.to_owned()),
    }
}

fn asked(walk: &Walk<'_>, replay: &Replay, answer: Answer, leaked: bool) -> ProbeRequest {
    ProbeRequest {
        method: replay.method.clone(),
        url: walk.discretion.address(&replay.url),
        status: answer.status,
        leaked,
        error: answer.error.map(|error| walk.discretion.quote(&error)),
    }
}

fn verdict(id: &str, visitor: ProbeVisitor, requests: Vec<ProbeRequest>) -> Probe {
    let verdict = if requests.iter().any(|request| request.leaked) {
        ProbeVerdict::Leaked
    } else if requests.iter().any(|request| request.status.is_some_and(decides)) {
        ProbeVerdict::Held
    } else {
        ProbeVerdict::NotMade
    };
    let note = match verdict {
        ProbeVerdict::NotMade => "no request could be sent again, or none was answered".to_owned(),
        _ => String::new(),
    };
    Probe { id: id.to_owned(), visitor, verdict, note, requests }
}

/// A server that is out of order or wants to be left alone for a while has not refused anything.
fn decides(status: u16) -> bool {
    status < 500 && status != 429
}

/// A probe of the prompt.
async fn prompted(
    walk: &Walk<'_>,
    visitor: &Visitor,
    probe: &BackendProbe,
    target: &Target<'_>,
) -> Result<Probe, StepError> {
    let (id, path, expected, forbidden, who) = match probe {
        BackendProbe::UnauthGet { id, path, expect_status } => (id, path, expect_status, None, ProbeVisitor::Stranger),
        BackendProbe::CrossUserGet { id, path, expect_status, forbid_body_contains } => {
            (id, path, expect_status, Some(forbid_body_contains), ProbeVisitor::OtherUser)
        }
    };
    let Some(url) = address_of(path, visitor.start(), target.marker) else {
        let note = "its path leads to another origin than the app's".to_owned();
        return Ok(Probe { id: id.clone(), visitor: who, verdict: ProbeVerdict::NotMade, note, requests: Vec::new() });
    };
    let forbidden = forbidden.map(|text| text.replace("{marker}", target.marker));
    let texts: Vec<&str> = forbidden.iter().map(String::as_str).collect();
    visitor.page.clear_log();
    let replay = replay::get(url);
    let answer = replay::send(visitor, &replay, &texts).await?;
    // A redirect to the login is an answer of its own, before the page it leads to.
    let hop = visitor.page.log().requests.into_iter().find(|sent| sent.url == replay.url).and_then(|sent| sent.status);
    let tells = answer.status.is_some() && answer.found.first() == Some(&true);
    let verdict = verdict_of_prompt([hop, answer.status], expected, tells);
    let status = hop.or(answer.status);
    let request = ProbeRequest { status, ..asked(walk, &replay, answer, tells) };
    let note = note_of_prompt(verdict, expected);
    Ok(Probe { id: id.clone(), visitor: who, verdict, note, requests: vec![request] })
}

/// How a probe of the prompt came out. The statuses are those of the first answer and of the one its redirects ended with.
fn verdict_of_prompt(statuses: [Option<u16>; 2], expected: &[u16], tells: bool) -> ProbeVerdict {
    let [_, last] = statuses;
    if tells {
        ProbeVerdict::Leaked
    } else if last.is_some() && statuses.into_iter().flatten().any(|status| expected.contains(&status)) {
        ProbeVerdict::Held
    } else if last.is_some_and(decides) {
        ProbeVerdict::Unexpected
    } else {
        ProbeVerdict::NotMade
    }
}

fn note_of_prompt(verdict: ProbeVerdict, expected: &[u16]) -> String {
    match verdict {
        ProbeVerdict::Held => String::new(),
        ProbeVerdict::Leaked => "the answer holds what the prompt forbids".to_owned(),
        ProbeVerdict::Unexpected => {
            format!("expected the status {}", expected.iter().map(u16::to_string).collect::<Vec<_>>().join(" or "))
        }
        ProbeVerdict::NotMade => {
            "the server gave no answer, an error of its own, or wanted to be left alone".to_owned()
        }
    }
}

/// The address of a path of the app; none for another origin.
fn address_of(path: &str, start: &str, marker: &str) -> Option<String> {
    let origin = load::origin(start)?;
    let path = path.replace("{marker}", marker);
    if path.contains("://") {
        return (load::origin(&path)? == origin).then_some(path);
    }
    if path.starts_with("//") {
        return None;
    }
    Some(format!("{origin}/{}", path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(leaked: bool, status: Option<u16>) -> ProbeRequest {
        ProbeRequest { method: "GET".into(), url: "http://h/".into(), status, leaked, error: None }
    }

    #[test]
    fn peer_defect_a_probe_without_an_answer_is_neither_held_nor_leaked() {
        let of = |requests| verdict("x", ProbeVisitor::Stranger, requests).verdict;
        assert_eq!(of(vec![]), ProbeVerdict::NotMade);
        assert_eq!(of(vec![request(false, None), request(false, Some(503))]), ProbeVerdict::NotMade);
        assert_eq!(of(vec![request(false, Some(401)), request(false, None)]), ProbeVerdict::Held);
        assert_eq!(of(vec![request(false, Some(401)), request(true, Some(200))]), ProbeVerdict::Leaked);
    }

    #[test]
    fn a_status_the_prompt_does_not_expect_is_no_leak_and_a_server_error_no_answer() {
        let of = |first, last, tells| verdict_of_prompt([first, last], &[401, 403], tells);
        assert_eq!(of(Some(403), Some(403), false), ProbeVerdict::Held);
        assert_eq!(of(Some(401), Some(200), false), ProbeVerdict::Held);
        assert_eq!(of(Some(404), Some(404), false), ProbeVerdict::Unexpected);
        assert_eq!(of(Some(500), Some(500), false), ProbeVerdict::NotMade);
        assert_eq!(of(Some(302), Some(502), false), ProbeVerdict::NotMade);
        assert_eq!(of(None, Some(429), false), ProbeVerdict::NotMade);
        assert_eq!(of(Some(403), None, false), ProbeVerdict::NotMade);
        assert_eq!(of(Some(403), Some(403), true), ProbeVerdict::Leaked);
        assert_eq!(verdict_of_prompt([None, Some(503)], &[503], false), ProbeVerdict::Held);
    }

    #[test]
    fn probes_of_a_prompt_stay_on_the_apps_origin() {
        let of = |path| address_of(path, "http://app.test:80/x", "M");
        assert_eq!(of("/api/{marker}").as_deref(), Some("http://app.test:80/api/M"));
        assert_eq!(of("api").as_deref(), Some("http://app.test:80/api"));
        assert_eq!(of("https://elsewhere.test/api"), None);
        assert_eq!(of("//elsewhere.test/api"), None);
    }

    #[test]
    fn a_request_that_writes_is_not_sent_again() {
        let again = |body: Option<&str>| {
            let methods = ["GET", "PUT", "POST", "PATCH", "DELETE"].into_iter();
            methods.filter(|method| reads(method, body, "Bwf8x")).collect::<Vec<_>>()
        };
        assert_eq!(again(None), ["GET", "POST"]);
        assert_eq!(again(Some("{\"page\": 1}")), ["GET", "POST"]);
        assert_eq!(again(Some("{\"name\": \"bwf8X\"}")), ["GET"]);
    }

    #[test]
    fn the_largest_list_is_found_at_any_depth() {
        assert_eq!(largest_list(&serde_json::json!({ "data": { "rows": [1, 2, 3], "page": [1] } }), 0), 3);
        assert_eq!(largest_list(&serde_json::json!("x"), 0), 0);
    }
}
