//! # What it measures
//!
//! Whether the source holds secrets, and whether the deployed page sends the six response headers that tell browsers to be careful with it.
//!
//! # Why it matters
//!
//! Each header closes a door: to injected scripts, to plain-text connections, to guessed content types, to hostile frames, to leaked
//! addresses, to needless device access. They cost a few lines of server configuration. A key that was committed is known to everybody who
//! ever sees the repository, and bots look for them within minutes.
//!
//! # How it is scored
//!
//! The mean of the halves that ran. Source: 0 with any finding, 1 without. Headers: `passed / 6`. It passes without findings and from 4
//! headers. Without source only the headers count, without a page only the source; with neither there is no input.
//!
//! Secrets are found by our own patterns, always: key formats of some thirty services, Supabase tokens by their role claim (`anon` is
//! public), private keys, service accounts, database addresses with passwords of other machines, secrets that sign tokens, passwords, and
//! random-looking values of names that say secret or token. `.env` files count. Placeholders, `.env.example`, texts of the interface,
//! publishable keys, Firebase web configs and maps keys do not. Passwords and other values of seed, test and demo data are listed without
//! weight, except keys of a known service, which work wherever they stand. What is such data is told by names: of the file, of the variable, of
//! the list, object, call, function or class it stands in, of the account beside it; in settings by the variable and its value alone. Comments
//! and other settings tell nothing, and a script that an import leads to from a page or a server is deployed, so that its file's name excuses
//! nothing. Values are masked everywhere.
//!
//! Semgrep (`p/secrets`, `p/owasp-top-ten`) and trufflehog (without verification, which would send the secrets away) are asked too where they
//! are installed, and what they find is united by file and line. The report lists who looked; runs are comparable when the same scanners did.
//! The methodology unites what all of them find, and any match is 0: that includes what `p/owasp-top-ten` says about code that is no secret.
//! Such findings are shown as what they are, and those in tests and seed data have no weight.
//!
//! Judged are the headers of the final response of the first load, redirects followed, when its status is 2xx.
//!
//! | header | holds when |
//! |---|---|
//! | `Content-Security-Policy` | some policy holds scripts back |
//! | `Strict-Transport-Security` | `max-age` is above 0 |
//! | `X-Content-Type-Options` | `nosniff` |
//! | `X-Frame-Options` | `DENY` or `SAMEORIGIN`, or a policy with `frame-ancestors` that does not name everybody |
//! | `Referrer-Policy` | a known policy other than `unsafe-url`; the last known one of a list counts |
//! | `Permissions-Policy` | has content |
//!
//! A policy holds scripts back unless its script sources (`script-src`, or `default-src` in its absence) are missing, or allow any host (`*`,
//! `https:`, `http:`) without `'strict-dynamic'`, or contain both `'unsafe-inline'` (without nonce, hash or `'strict-dynamic'`) and
//! `'unsafe-eval'`. `Content-Security-Policy-Report-Only` protects nobody and does not count. A policy in a `<meta>` tag is mentioned but not
//! counted, since the methodology audits headers.
//!
//! Over plain http browsers ignore Strict-Transport-Security. The check still stands, as the methodology divides by six: a page that is to
//! be judged should be deployed with https.
//!
//! # Where we differ
//!
//! The peer harness never reads `.env`, misses today's key formats and service-role tokens, and takes class names, texts of the interface
//! and seed data for secrets. It shows the code findings of Semgrep as secrets. It audits error pages, finds a weak policy only when its words
//! stand in one certain order, accepts `max-age=0`, and takes the long-abandoned `Feature-Policy` for `Permissions-Policy`. It asks for the
//! page again without a browser; here the headers are those the visitor got.

use super::policy::{self, Policy};
use super::secrets_half;
use crate::evidence::load::{Header, Load, NavigationOutcome};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::cut;
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::S1,
    version: "2.1.0",
    since: "0.1.0",
    passed_title: "No secrets in the source, and most protective headers are sent",
    failed_title: "Secrets are in the source, or protective headers are missing",
    needs: &[EvidenceKind::Load, EvidenceKind::Content, EvidenceKind::Secrets],
    source: include_str!("s1_secrets_and_headers.rs"),
    score,
};

const HEADERS: usize = 6;
const PASS: usize = 4;

/// Policies a browser knows for the Referrer-Policy header.
const REFERRER_POLICIES: [&str; 8] = [
    "no-referrer",
    "no-referrer-when-downgrade",
    "origin",
    "origin-when-cross-origin",
    "same-origin",
    "strict-origin",
    "strict-origin-when-cross-origin",
    "unsafe-url",
];

/// What one half of the scorer says.
pub(super) struct Half {
    pub score: UnitScore,
    pub passed: bool,
    pub details: Details,
}

fn score(evidence: &Evidence) -> Assessment {
    match (headers_half(evidence), secrets_half::judge(evidence)) {
        // A half that failed through our fault is not left out in silence.
        (Err(outcome @ Outcome::Errored { .. }), _)
        | (_, Err(outcome @ Outcome::Errored { .. }))
        | (Err(outcome), Err(_)) => outcome.into(),
        (Ok(headers), Ok(secrets)) => {
            let mean = f64::midpoint(headers.score.value(), secrets.score.value());
            let details = joined(headers.details, secrets.details);
            Assessment::scored(UnitScore::new(mean), headers.passed && secrets.passed, details)
        }
        (Ok(headers), Err(outcome)) => {
            let details = headers.details.fact("secrets_scan", "not run").item(not_run(
                "secrets",
                "Secrets were not looked for",
                &outcome,
            ));
            Assessment::scored(headers.score, headers.passed, details)
        }
        (Err(outcome), Ok(secrets)) => {
            let details = secrets.details.item(not_run("headers", "Headers were not judged", &outcome));
            Assessment::scored(secrets.score, secrets.passed, details)
        }
    }
}

fn not_run(id: &str, title: &str, outcome: &Outcome) -> Item {
    Item::new(id, ItemStatus::NotApplicable, format!("{title}: {}", outcome.reason().unwrap_or("it was not asked for")))
}

fn joined(mut one: Details, other: Details) -> Details {
    one.facts.extend(other.facts);
    one.items.extend(other.items);
    one.notes.extend(other.notes);
    // Each half is half of the score, so mending an item brings half of what it brings there.
    for item in &mut one.items {
        item.gain = item.gain.map(|gain| gain / 2.0);
    }
    one
}

fn headers_half(evidence: &Evidence) -> Result<Half, Outcome> {
    let load = evidence.load.get()?;
    match &load.outcome {
        NavigationOutcome::Responded { status, headers, .. } if (200..300).contains(status) => {
            let meta_policies = evidence.content.value.as_ref().map_or(0, |content| content.meta_policies.len());
            Ok(assess(load, &Response { headers }, meta_policies))
        }
        NavigationOutcome::Responded { status, .. } => {
            let reason = format!("the page answered with status {status}, and headers of an error page say nothing");
            Err(Outcome::NoInput { reason })
        }
        _ => Err(Outcome::NoInput { reason: "no response whose headers could be judged".to_owned() }),
    }
}

fn assess(load: &Load, response: &Response<'_>, meta_policies: usize) -> Half {
    let plain_http = load.final_url.to_lowercase().starts_with("http://");
    let items = [
        content_security_policy(response),
        strict_transport_security(response, plain_http),
        content_type_options(response),
        frame_options(response),
        referrer_policy(response),
        permissions_policy(response),
    ];
    let passed = items.iter().filter(|item| item.status == ItemStatus::Passed).count();
    let gain = |item: Item| if item.status == ItemStatus::Failed { item.gain(1.0 / HEADERS as f64) } else { item };
    let mut details =
        Details::default().fact("headers_passed", passed).fact("headers_checked", HEADERS).items(items.map(gain));
    if meta_policies > 0 {
        details = details
            .note("The page has a Content-Security-Policy in a <meta> tag; it helps, but only headers are counted.");
    }
    Half { score: UnitScore::ratio(passed, HEADERS), passed: passed >= PASS, details }
}

struct Response<'a> {
    headers: &'a [Header],
}

impl Response<'_> {
    /// All values of a header, in order.
    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers
            .iter()
            .filter(move |header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value.trim())
    }

    /// The values joined as HTTP allows; nothing when the header is missing or empty.
    fn value(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.all(name).filter(|value| !value.is_empty()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    fn policies(&self) -> Vec<Policy> {
        self.all("content-security-policy").flat_map(policy::parse).collect()
    }

    fn place(&self, name: &str) -> Place {
        Place::Header { name: name.to_owned(), value: self.value(name).map(|value| cut(&value, 300)) }
    }

    fn check(&self, name: &str, holds: bool, titles: (&str, &str)) -> Item {
        let item = Item::check(&name.to_lowercase().replace('-', "_"), holds, titles.0, titles.1);
        let measured = self.value(name).map_or_else(|| "not sent".to_owned(), |value| cut(&value, 200));
        item.measured(measured).places([self.place(name)], 1)
    }
}

fn content_security_policy(response: &Response<'_>) -> Item {
    let policies = response.policies();
    let weaknesses: Vec<_> = policies.iter().map(Policy::weakness).collect();
    let holds = weaknesses.iter().any(Option::is_none);
    let mut item = response
        .check(
            "Content-Security-Policy",
            holds,
            ("A content security policy holds scripts back", "No content security policy holds scripts back"),
        )
        .expected("script sources without any-host wildcards, and not both 'unsafe-inline' and 'unsafe-eval'")
        .fix("Send `Content-Security-Policy: default-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'self'` and add the hosts you need.");
    if let (false, Some(Some(weakness))) = (holds, weaknesses.first()) {
        item.measured = item.measured.map(|measured| format!("{weakness}: {measured}"));
    } else if !holds && response.value("content-security-policy-report-only").is_some() {
        item.measured = Some("only a report-only policy, which protects nobody".to_owned());
    }
    item
}

fn strict_transport_security(response: &Response<'_>, plain_http: bool) -> Item {
    // Browsers follow the first header of this name.
    let max_age = response.all("strict-transport-security").next().and_then(max_age);
    let fix = if plain_http {
        "Deploy with https and send `Strict-Transport-Security: max-age=31536000; includeSubDomains`; over plain http browsers ignore it."
    } else {
        "Send `Strict-Transport-Security: max-age=31536000; includeSubDomains`."
    };
    response
        .check(
            "Strict-Transport-Security",
            max_age.is_some_and(|seconds| seconds > 0),
            ("Browsers are told to stay on https", "Browsers are not told to stay on https"),
        )
        .expected("max-age above 0")
        .fix(fix)
}

fn max_age(value: &str) -> Option<u64> {
    value.split(';').find_map(|directive| {
        let (name, seconds) = directive.split_once('=')?;
        let digits = seconds.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("max-age").then(|| digits.parse().ok()).flatten()
    })
}

fn content_type_options(response: &Response<'_>) -> Item {
    let value = response.value("x-content-type-options").unwrap_or_default();
    let first = value.split(',').next().unwrap_or_default().trim();
    response
        .check(
            "X-Content-Type-Options",
            first.eq_ignore_ascii_case("nosniff"),
            ("Content types are not guessed", "Content types may be guessed"),
        )
        .expected("nosniff")
        .fix("Send `X-Content-Type-Options: nosniff`.")
}

fn frame_options(response: &Response<'_>) -> Item {
    let value = response.value("x-frame-options").unwrap_or_default();
    let by_header = value.eq_ignore_ascii_case("deny") || value.eq_ignore_ascii_case("sameorigin");
    let by_policy = response.policies().iter().any(Policy::limits_framing);
    let mut item = response
        .check(
            "X-Frame-Options",
            by_header || by_policy,
            ("Other sites cannot frame the page", "Other sites can frame the page"),
        )
        .expected("DENY or SAMEORIGIN, or frame-ancestors in the content security policy")
        .fix("Send `X-Frame-Options: SAMEORIGIN`, or add `frame-ancestors 'self'` to the content security policy.");
    if by_policy && !by_header {
        item.measured = Some("frame-ancestors in the content security policy".to_owned());
    }
    item
}

fn referrer_policy(response: &Response<'_>) -> Item {
    let value = response.value("referrer-policy").unwrap_or_default().to_lowercase();
    let effective = value.split(',').map(str::trim).rfind(|policy| REFERRER_POLICIES.contains(policy));
    response
        .check(
            "Referrer-Policy",
            effective.is_some_and(|policy| policy != "unsafe-url"),
            ("Addresses are not leaked to other sites", "Addresses may be leaked to other sites"),
        )
        .expected("a policy other than unsafe-url")
        .fix("Send `Referrer-Policy: strict-origin-when-cross-origin`.")
}

fn permissions_policy(response: &Response<'_>) -> Item {
    response
        .check(
            "Permissions-Policy",
            response.value("permissions-policy").is_some(),
            ("Device features are limited", "Device features are not limited"),
        )
        .expected("a policy with content")
        .fix("Send `Permissions-Policy: camera=(), microphone=(), geolocation=()`, with what you do use allowed.")
}

#[cfg(test)]
mod tests {
    use super::super::secrets_half::tests::secret;
    use super::*;
    use crate::evidence::content::Content;
    use crate::evidence::sample::{load, load_with_headers, responded, with_load};
    use crate::evidence::secrets::{CodeFinding, Scanner};
    use crate::evidence::{Absence, Piece, Secrets};
    use benchwright_source::Class;

    const GOOD: [(&str, &str); 6] = [
        ("content-security-policy", "default-src 'self'"),
        ("strict-transport-security", "max-age=31536000"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("permissions-policy", "camera=()"),
    ];

    fn assessed(headers: &[(&str, &str)]) -> Assessment {
        score(&with_load(load_with_headers(headers)))
    }

    fn holds(id: &str, name: &str, value: &str) -> bool {
        let item = assessed(&[(name, value)]).details.items.into_iter().find(|item| item.id == id).unwrap();
        item.status == ItemStatus::Passed
    }

    #[test]
    fn six_good_headers_score_full_and_none_score_zero() {
        assert_eq!(assessed(&GOOD).outcome, Outcome::scored(UnitScore::ONE, true));
        assert_eq!(assessed(&[]).outcome, Outcome::scored(UnitScore::ZERO, false));
    }

    #[test]
    fn four_headers_pass_and_three_do_not() {
        assert_eq!(assessed(&GOOD[..4]).outcome, Outcome::scored(UnitScore::ratio(4, 6), true));
        assert_eq!(assessed(&GOOD[..3]).outcome, Outcome::scored(UnitScore::ratio(3, 6), false));
    }

    #[test]
    fn peer_defect_an_error_page_is_not_audited() {
        let evidence = with_load(Load { outcome: responded(500), ..load() });
        assert!(matches!(score(&evidence).outcome, Outcome::NoInput { reason } if reason.contains("500")));
        let dead = with_load(Load { outcome: NavigationOutcome::TimedOut { after_seconds: 30.0 }, ..load() });
        assert!(matches!(score(&dead).outcome, Outcome::NoInput { .. }));
    }

    #[test]
    fn peer_defect_a_weak_policy_is_weak_in_any_order() {
        let csp = |value| holds("content_security_policy", "content-security-policy", value);
        assert!(csp("script-src 'self'"));
        assert!(!csp("script-src 'unsafe-eval' 'unsafe-inline'") && !csp("script-src 'unsafe-inline' 'unsafe-eval'"));
        assert!(!holds("content_security_policy", "content-security-policy-report-only", "script-src 'self'"));
    }

    #[test]
    fn one_strong_policy_among_several_is_enough() {
        let headers = [("content-security-policy", "default-src *"), ("content-security-policy", "script-src 'self'")];
        assert_eq!(assessed(&headers).details.facts["headers_passed"], 1);
    }

    #[test]
    fn peer_defect_a_max_age_of_zero_does_not_count() {
        let hsts = |value| holds("strict_transport_security", "strict-transport-security", value);
        assert!(hsts("max-age=1") && hsts("includeSubDomains; Max-Age=\"600\""));
        assert!(!hsts("max-age=0") && !hsts("includeSubDomains") && !hsts("max-age=soon"));
    }

    #[test]
    fn the_missing_transport_header_on_plain_http_is_explained() {
        let insecure = Load { final_url: "http://app.test/".into(), ..load_with_headers(&[]) };
        let details = score(&with_load(insecure)).details;
        let item = details.items.iter().find(|item| item.id == "strict_transport_security").unwrap();
        assert!(item.fix.as_deref().unwrap().contains("https"));
    }

    #[test]
    fn framing_is_limited_by_either_header() {
        let frames = |name, value| holds("x_frame_options", name, value);
        assert!(frames("x-frame-options", "sameorigin"));
        assert!(frames("content-security-policy", "frame-ancestors 'self'"));
        assert!(!frames("x-frame-options", "ALLOW-FROM https://a.test"));
        assert!(!frames("content-security-policy", "frame-ancestors *"));
    }

    #[test]
    fn the_last_known_referrer_policy_counts() {
        let referrer = |value| holds("referrer_policy", "referrer-policy", value);
        assert!(referrer("unsafe-url, strict-origin") && referrer("origin, something-new"));
        assert!(!referrer("strict-origin, unsafe-url") && !referrer("something-new") && !referrer(""));
    }

    #[test]
    fn nosniff_and_permissions() {
        assert!(holds("x_content_type_options", "x-content-type-options", "NoSniff"));
        assert!(!holds("x_content_type_options", "x-content-type-options", "sniff"));
        assert!(!holds("permissions_policy", "permissions-policy", " "));
        assert!(!holds("permissions_policy", "feature-policy", "camera 'none'"));
    }

    #[test]
    fn a_meta_policy_is_mentioned_and_not_counted() {
        let mut evidence = with_load(load_with_headers(&[]));
        let content = Content { meta_policies: vec!["default-src 'self'".into()], ..Content::default() };
        evidence.content = Piece::present(content, 0.1);
        let assessment = score(&evidence);
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ZERO, false));
        assert!(assessment.details.notes[0].contains("<meta>"));
    }

    #[test]
    fn the_secrets_half_says_that_it_was_not_run() {
        assert_eq!(assessed(&GOOD).details.facts["secrets_scan"], "not run");
    }

    fn with_secrets(headers: &[(&str, &str)], classes: &[Class]) -> Evidence {
        let findings = classes.iter().map(|class| secret(*class)).collect();
        let secrets =
            Secrets { version: 1, files: 3, scanners: vec![Scanner::default()], findings, ..Secrets::default() };
        Evidence { secrets: Piece::present(secrets, 0.1), ..with_load(load_with_headers(headers)) }
    }

    #[test]
    fn the_score_is_the_mean_of_the_halves_that_ran() {
        assert_eq!(score(&with_secrets(&GOOD, &[])).outcome, Outcome::scored(UnitScore::ONE, true));
        assert_eq!(score(&with_secrets(&GOOD, &[Class::Live])).outcome, Outcome::scored(UnitScore::new(0.5), false));
        assert_eq!(score(&with_secrets(&[], &[])).outcome, Outcome::scored(UnitScore::new(0.5), false));
        let mut without_page = with_secrets(&[], &[]);
        without_page.load = Piece::present(Load { outcome: responded(500), ..load() }, 0.1);
        assert_eq!(score(&without_page).outcome, Outcome::scored(UnitScore::ONE, true));
    }

    #[test]
    fn seed_data_is_listed_and_takes_nothing() {
        let assessment = score(&with_secrets(&GOOD, &[Class::Fixture]));
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ONE, true));
        assert!(
            assessment
                .details
                .items
                .iter()
                .any(|item| item.status == ItemStatus::Info && item.id.contains("hardcoded_password"))
        );
    }

    #[test]
    fn a_code_finding_of_a_foreign_scanner_is_a_match_like_any_other_unless_it_is_in_a_test() {
        let with_code = |class| {
            let mut evidence = with_secrets(&GOOD, &[]);
            let code = CodeFinding {
                file: "src/a.ts".to_owned(),
                line: 7,
                rule: "detected-eval".to_owned(),
                scanner: "semgrep".to_owned(),
                class,
            };
            if let Ok(secrets) = &mut evidence.secrets.value {
                secrets.code.push(code);
            }
            score(&evidence)
        };
        let live = with_code(Class::Live);
        assert_eq!(live.outcome, Outcome::scored(UnitScore::new(0.5), false));
        assert_eq!(
            (&live.details.facts["secrets_found"], &live.details.facts["code_findings"]),
            (&0.into(), &1.into())
        );
        let item = live.details.items.iter().find(|item| item.id == "detected-eval").unwrap();
        assert_eq!((item.status, item.gain), (ItemStatus::Failed, Some(0.5)));
        assert!(item.title.contains("semgrep"));
        assert_eq!(with_code(Class::Fixture).outcome, Outcome::scored(UnitScore::ONE, true));
    }

    #[test]
    fn a_scan_that_failed_through_our_fault_is_not_left_out() {
        let mut evidence = with_load(load_with_headers(&GOOD));
        evidence.secrets = Piece::absent(Absence::Failed { reason: "broken".to_owned() });
        assert!(matches!(score(&evidence).outcome, Outcome::Errored { .. }));
    }
}
