//! # What it measures
//!
//! Whether the address leads to a page at all: the server answers with a 2xx status within 30 seconds, and the page then shows at least
//! 10 characters of text that a visitor can see.
//!
//! # Why it matters
//!
//! Nothing else can be said of a page that does not come up. F1 is the gate: when it fails, every scorer that needs the rendered page
//! (F2, F4, F5, C3, C4, C9, V1, V2, V4) has no input, the report says "did not render" and is not ranked.
//!
//! # How it is scored
//!
//! 1 or 0. Both must hold:
//!
//! - the final response, redirects followed, has a status from 200 to 299, and came within the 30 second limit;
//! - after the network has fallen silent (or 8 seconds later, whichever is first) the page shows 10 or more characters, white space
//!   folded. Text counts when it is rendered: the content of scripts, styles, `noscript` and templates does not, nor does text that is
//!   hidden, fully transparent, clipped to nothing or moved off the page. Text in open shadow roots does.
//!
//! A page that only paints, such as a canvas game without a single word, fails: the methodology asks for text, and text is what assistive
//! technology and search engines can read. A caption of ten characters is enough. Text inside frames is not counted.
//!
//! # Where we differ
//!
//! The peer harness counts the text content of the body, so a blank page with an inline script passes there; here only visible text
//! counts. The methodology's glossary says that a failing site scores 0 downstream, its closing paragraph says null; null is what
//! we do, and `--gate zero` gives the other reading.

use crate::evidence::load::{LOCAL_ADDRESS, Load, NavigationOutcome};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F1,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The page renders",
    failed_title: "The page does not render",
    needs: &[EvidenceKind::Load],
    source: include_str!("f1_render_success.rs"),
    score,
};

/// Fewest characters of visible text, from the methodology.
const MIN_TEXT: usize = 10;

/// Whether the page rendered. The gate asks this.
pub fn rendered(load: &Load) -> bool {
    answered(load) && load.visible_text_length >= MIN_TEXT
}

/// Why the page did not render, as a sentence without a full stop that says what to do.
pub fn why_not_rendered(load: &Load) -> Option<String> {
    if rendered(load) {
        return None;
    }
    Some(match &load.outcome {
        NavigationOutcome::Responded { status, mime_type, .. } if answered(load) => {
            too_little(load, *status, mime_type)
        }
        NavigationOutcome::Responded { status, .. } => refused(*status),
        NavigationOutcome::Failed { error } => format!("{} ({})", network_failure(error), cut(error, 80)),
        NavigationOutcome::TimedOut { after_seconds } => format!(
            "the server did not deliver the page within {after_seconds:.0} s; check that it is running and answers quickly"
        ),
        NavigationOutcome::Download { file_name } => {
            format!("the address is a download (`{}`), not a page; give the address of the page", cut(file_name, 80))
        }
        NavigationOutcome::TooLarge { bytes } => format!(
            "the page was stopped after {} MB; make it smaller, or check that a stream is not served as a page",
            bytes / (1024 * 1024)
        ),
        NavigationOutcome::Crashed => {
            "the browser tab crashed while it loaded the page; look for endless memory growth in the page's scripts"
                .to_owned()
        }
        NavigationOutcome::Unresponsive { after_seconds } if load.dialogs > 0 => format!(
            "the page opened dialog after dialog for {after_seconds:.0} s, so nothing could be read from it; \
             remove the endless `alert`, `confirm` or `prompt`"
        ),
        NavigationOutcome::Unresponsive { after_seconds } => format!(
            "a script kept the page busy for {after_seconds:.0} s, so nothing could be read from it; look for an endless loop"
        ),
    })
}

fn answered(load: &Load) -> bool {
    matches!(load.outcome, NavigationOutcome::Responded { status, .. } if (200..300).contains(&status))
}

fn too_little(load: &Load, status: u16, mime_type: &str) -> String {
    if status == 204 || status == 205 {
        return format!("the server answered {status}, which means no content; serve the page with status 200");
    }
    let is_page = mime_type.is_empty() || mime_type.contains("html") || mime_type.contains("xml");
    if !is_page && load.visible_text_length == 0 {
        return format!(
            "the address answers with `{}`, not with a web page; give the address of the page",
            cut(mime_type, 60)
        );
    }
    format!(
        "the page answered {status} but shows only {} of visible text, and {MIN_TEXT} are needed; check the console for errors that keep it blank",
        count(load.visible_text_length, "character")
    )
}

fn refused(status: u16) -> String {
    let advice = match status {
        401 => {
            "the server asks for a login (401); if this is a deployment-protection wall, switch it off for this address or pass --header, --cookie or --basic-auth"
        }
        403 => "the server refuses access (403); allow this machine, or pass --header, --cookie or --basic-auth",
        404 | 410 => "the server has no page at this address; check the path and that the app is deployed",
        407 => "a proxy asks for a login (407); use a network without it",
        429 => "the server turns away too many requests (429); try again later or raise its limit",
        500..=599 => "the server failed; look into its log and mend the error",
        300..=399 => "the server redirects without saying where to; mend its Location header",
        _ => "the server did not answer with a 2xx status; check the address and the server's log",
    };
    if advice.contains(&status.to_string()) { advice.to_owned() } else { format!("{advice} (status {status})") }
}

/// What the browser's error code means, in plain words, with what to do.
fn network_failure(error: &str) -> &'static str {
    let code = error.trim_start_matches("net::");
    match code {
        "ERR_NAME_NOT_RESOLVED" | "ERR_NAME_RESOLUTION_FAILED" | "ERR_DNS_TIMED_OUT" => {
            "the host name cannot be found; check its spelling and that the deployment still exists"
        }
        LOCAL_ADDRESS => {
            "the page leads to a local address you did not type, which is refused; if you trust it, add --allow-local"
        }
        "ERR_CONNECTION_REFUSED" => "nothing listens at that host and port; start the app or check the port",
        "ERR_CONNECTION_RESET" | "ERR_CONNECTION_CLOSED" | "ERR_EMPTY_RESPONSE" | "ERR_SOCKET_NOT_CONNECTED" => {
            "the server closed the connection without an answer; look into its log"
        }
        "ERR_CONNECTION_TIMED_OUT" | "ERR_TIMED_OUT" | "ERR_CONNECTION_FAILED" => {
            "the server cannot be reached; check the address, the firewall and that the server is up"
        }
        "ERR_ADDRESS_UNREACHABLE"
        | "ERR_INTERNET_DISCONNECTED"
        | "ERR_NETWORK_CHANGED"
        | "ERR_NETWORK_ACCESS_DENIED" => "this machine has no way to that host; check the network",
        "ERR_TOO_MANY_REDIRECTS" => "the server redirects in a circle; mend its redirect rules",
        "ERR_ABORTED" => "the server answered without a page (no content or a download); serve HTML with status 200",
        "ERR_INVALID_URL" | "ERR_UNKNOWN_URL_SCHEME" | "ERR_DISALLOWED_URL_SCHEME" => {
            "this is no address of a web page; give one that starts with http:// or https://"
        }
        "ERR_UNSAFE_PORT" => "browsers refuse this port; serve the app on another one",
        "ERR_INVALID_RESPONSE"
        | "ERR_INVALID_HTTP_RESPONSE"
        | "ERR_HTTP2_PROTOCOL_ERROR"
        | "ERR_RESPONSE_HEADERS_TRUNCATED" => "the server's answer is not valid HTTP; look into its log",
        "ERR_INCOMPLETE_CHUNKED_ENCODING" | "ERR_CONTENT_LENGTH_MISMATCH" => {
            "the server broke off in the middle of the page; look into its log"
        }
        "ERR_HTTP_RESPONSE_CODE_FAILURE" => {
            "the server answered with an error status and an empty page; look into its log"
        }
        _ if code.starts_with("ERR_CERT") || code.starts_with("ERR_SSL") || code.contains("SSL") => {
            "the server's certificate is not trusted; mend it, or pass `--accept-invalid-certificates` if it is meant to be self-signed"
        }
        _ if code.starts_with("ERR_BLOCKED") => "the browser refused to load the page",
        _ => "the browser could not load the page; check the address and the server",
    }
}

fn score(evidence: &Evidence) -> Assessment {
    match evidence.load.get() {
        Ok(load) => assess(load),
        Err(outcome) => outcome.into(),
    }
}

fn assess(load: &Load) -> Assessment {
    let passed = rendered(load);
    let status = match &load.outcome {
        NavigationOutcome::Responded { status, .. } => Some(*status),
        _ => None,
    };
    let mut details = Details::default()
        .fact("visible_text_characters", load.visible_text_length)
        .item(answer_item(load, status))
        .item(text_item(load));
    if let Some(status) = status {
        details = details.fact("http_status", status);
    }
    if !load.refused_local.is_empty() {
        details = details.note(format!(
            "The page tried to reach local addresses and was kept from it: {}. If you trust it, add --allow-local.",
            cut(&load.refused_local.join(", "), 300)
        ));
    }
    Assessment::scored(if passed { UnitScore::ONE } else { UnitScore::ZERO }, passed, details)
}

fn answer_item(load: &Load, status: Option<u16>) -> Item {
    let holds = answered(load);
    let measured = status.map_or_else(|| "no answer".to_owned(), |status| format!("status {status}"));
    let place = Place::Request {
        method: "GET".to_owned(),
        url: cut(if load.final_url.is_empty() { &load.requested_url } else { &load.final_url }, 300),
        status,
        bytes: None,
        error: match &load.outcome {
            NavigationOutcome::Failed { error } => Some(cut(error, 80)),
            _ => None,
        },
    };
    let item =
        Item::check("http_2xx", holds, "The server answers with success", "The server does not answer with success")
            .measured(measured)
            .expected("a status from 200 to 299 within 30 s");
    if holds { item } else { with_fix(item, load).places([place], 1).gain(1.0) }
}

fn text_item(load: &Load) -> Item {
    if !answered(load) {
        return Item::new("visible_text", ItemStatus::NotApplicable, "There was no page to look for text on");
    }
    let holds = load.visible_text_length >= MIN_TEXT;
    let item = Item::check("visible_text", holds, "The page shows text", "The page shows no text to speak of")
        .measured(count(load.visible_text_length, "visible character"))
        .expected(format!("{MIN_TEXT} or more"));
    if holds { item } else { with_fix(item, load).gain(1.0) }
}

fn with_fix(item: Item, load: &Load) -> Item {
    match why_not_rendered(load) {
        Some(why) => item.fix(sentence(&why)),
        None => item,
    }
}

fn sentence(fragment: &str) -> String {
    let mut letters = fragment.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample::{load, responded, with_load};
    use benchwright_domain::{ItemStatus, Outcome};

    fn outcome(load: Load) -> Outcome {
        score(&with_load(load)).outcome
    }

    fn passes(load: Load) -> bool {
        outcome(load) == Outcome::scored(UnitScore::ONE, true)
    }

    #[test]
    fn ten_visible_characters_are_enough_and_nine_are_not() {
        assert!(passes(Load { visible_text_length: 10, ..load() }));
        assert!(!passes(Load { visible_text_length: 9, ..load() }));
    }

    #[test]
    fn every_2xx_status_passes_and_its_neighbours_do_not() {
        for (status, expected) in [(199, false), (200, true), (299, true), (304, false), (404, false), (500, false)] {
            assert_eq!(passes(Load { outcome: responded(status), ..load() }), expected, "{status}");
        }
    }

    #[test]
    fn peer_defect_a_blank_page_with_an_inline_script_does_not_render() {
        let blank = Load { visible_text_length: 0, inline_script_bytes: 48, ..load() };
        assert!(!rendered(&blank));
        assert!(why_not_rendered(&blank).unwrap().contains("only 0 characters"));
    }

    #[test]
    fn a_failed_page_scores_zero_and_is_never_null() {
        let failed =
            Load { outcome: NavigationOutcome::Failed { error: "net::ERR_CONNECTION_REFUSED".into() }, ..load() };
        assert_eq!(outcome(failed), Outcome::scored(UnitScore::ZERO, false));
    }

    #[test]
    fn every_way_of_not_rendering_says_what_happened_and_what_to_do() {
        let cases: [(NavigationOutcome, &[&str]); 13] = [
            (
                NavigationOutcome::Failed { error: "net::ERR_NAME_NOT_RESOLVED".into() },
                &["cannot be found", "spelling"],
            ),
            (
                NavigationOutcome::Failed { error: "net::ERR_CONNECTION_REFUSED".into() },
                &["nothing listens", "start the app"],
            ),
            (NavigationOutcome::Failed { error: "net::ERR_TOO_MANY_REDIRECTS".into() }, &["in a circle"]),
            (
                NavigationOutcome::Failed { error: "net::ERR_CERT_AUTHORITY_INVALID".into() },
                &["certificate", "self-signed"],
            ),
            (NavigationOutcome::Failed { error: "net::ERR_SOMETHING_NEW".into() }, &["ERR_SOMETHING_NEW"]),
            (NavigationOutcome::TimedOut { after_seconds: 30.0 }, &["within 30 s"]),
            (NavigationOutcome::Download { file_name: "a.pdf".into() }, &["a.pdf", "give the address"]),
            (NavigationOutcome::TooLarge { bytes: 100 << 20 }, &["100 MB"]),
            (NavigationOutcome::Crashed, &["crashed"]),
            (NavigationOutcome::Unresponsive { after_seconds: 20.0 }, &["20 s", "endless loop"]),
            (responded(401), &["asks for a login", "--basic-auth"]),
            (responded(500), &["server failed", "500"]),
            (responded(404), &["no page", "404"]),
        ];
        for (outcome, words) in cases {
            let why = why_not_rendered(&Load { outcome: outcome.clone(), visible_text_length: 0, ..load() }).unwrap();
            for word in words {
                assert!(why.contains(word), "{outcome:?}: {why}");
            }
        }
    }

    #[test]
    fn no_content_and_other_media_are_named() {
        let empty = Load { outcome: responded(204), visible_text_length: 0, ..load() };
        assert!(why_not_rendered(&empty).unwrap().contains("no content"));
        let pdf = NavigationOutcome::Responded { status: 200, headers: vec![], mime_type: "application/pdf".into() };
        let pdf = Load { outcome: pdf, visible_text_length: 0, ..load() };
        assert!(why_not_rendered(&pdf).unwrap().contains("application/pdf"));
    }

    #[test]
    fn the_failed_item_carries_the_fix_and_all_of_the_gain() {
        let details = score(&with_load(Load { outcome: responded(503), visible_text_length: 300, ..load() })).details;
        let failed: Vec<_> = details.items.iter().filter(|item| item.status == ItemStatus::Failed).collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].gain, Some(1.0));
        assert!(failed[0].fix.as_deref().unwrap().contains("log"));
        assert_eq!(details.facts["http_status"], 503);
    }

    #[test]
    fn a_rendered_page_needs_no_reason() {
        assert_eq!(why_not_rendered(&load()), None);
    }
}
