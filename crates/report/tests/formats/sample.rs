//! Hand-made reports: one as a real run would give it, and the odd ones.

use benchwright_domain::report::{OutcomeKind, Provenance, REPORT_FORMAT, ScorerReport, Screenshot, Subject};
use benchwright_domain::{
    BlobId, Composite, Details, Gate, Item, ItemStatus, METHODOLOGY_VERSION, Outcome, Place, Rect, Report, ScorerId,
    UnitScore,
};
use serde_json::json;
use std::collections::BTreeMap;

const NO_SOURCE: &str = "no source folder was given";
const NO_PROMPT: &str = "no prompt was given";
const NO_BACKEND: &str = "the prompt does not ask for a backend";

/// The smallest PNG: one transparent pixel.
pub const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

/// A report as a run of a decent page gives it.
pub fn decent() -> Report {
    let mut outcomes: BTreeMap<ScorerId, (Outcome, Details)> =
        ScorerId::ALL.into_iter().map(|id| (id, (missing(id), Details::default()))).collect();
    outcomes.insert(ScorerId::F1, scored(1.0, true, render_success()));
    outcomes.insert(ScorerId::F5, scored(0.6, false, runtime_errors()));
    outcomes.insert(ScorerId::C3, scored(0.46, false, accessibility()));
    outcomes.insert(ScorerId::C4, scored(0.81, true, performance()));
    outcomes.insert(ScorerId::C5, scored(1.0, true, payload()));
    outcomes.insert(ScorerId::C9, scored(0.75, true, seo()));
    outcomes.insert(ScorerId::V2, scored(0.714, true, design()));
    outcomes.insert(ScorerId::V4, scored(0.667, false, responsive()));
    outcomes.insert(ScorerId::S1, scored(0.375, false, headers()));
    let slow = "the package registry did not answer within 60 s, three times in a row";
    outcomes.insert(ScorerId::C8, (Outcome::Errored { reason: slow.into() }, Details::default()));
    let mut report = assemble(outcomes);
    report.scorers.insert("house_colours".into(), added());
    report.rankable = false;
    report.headline =
        "75.5 of 100 on 35.4% of the weight; one scorer could not be measured, so the run is not ranked".into();
    report.not_rankable_because = vec!["C8 could not be measured.".into()];
    report
}

/// The page never came up.
pub fn unrendered() -> Report {
    let mut outcomes: BTreeMap<ScorerId, (Outcome, Details)> = ScorerId::ALL
        .into_iter()
        .map(|id| (id, (if id.is_gated() { no_input("page did not render") } else { missing(id) }, Details::default())))
        .collect();
    let log = "Uncaught TypeError: Cannot read properties of undefined (reading 'map')";
    let blank = Item::check("text", false, "The page shows text.", "The page stays blank.")
        .measured("0 characters of text after 10 s")
        .expected("at least 20 characters")
        .fix("Open the page with the console open and mend the first exception.")
        .places(
            [Place::Log { channel: "exception".into(), text: log.into(), url: Some(long_url()), line: Some(1) }],
            5,
        );
    outcomes.insert(ScorerId::F1, scored(0.0, false, Details::default().item(blank)));
    let mut report = assemble(outcomes);
    report.headline = "did not render".into();
    report.coverage = 0.0705;
    report.rankable = false;
    report.not_rankable_because = vec!["The page did not render.".into()];
    report.subject.title = None;
    report.subject.url = long_url();
    report.subject.final_url = Some(format!("{}&after=redirect", long_url()));
    report.screenshots.clear();
    report
}

/// Everything was measured and nothing lost.
pub fn flawless() -> Report {
    let outcomes = ScorerId::ALL.into_iter().map(|id| (id, scored(1.0, true, Details::default()))).collect();
    let mut report = assemble(outcomes);
    report.headline = "100.0 of 100 on all of the weight".into();
    report.coverage = 1.0;
    report
}

/// Nothing at all.
pub fn empty() -> Report {
    Report {
        format: REPORT_FORMAT,
        methodology: String::new(),
        headline: String::new(),
        composite: None,
        rankable: false,
        not_rankable_because: Vec::new(),
        coverage: 0.0,
        gate: Gate::Null,
        subject: Subject { url: String::new(), final_url: None, title: None, prompt: None, source: None },
        dimensions: BTreeMap::new(),
        scorers: BTreeMap::new(),
        screenshots: Vec::new(),
        provenance: Provenance::default(),
    }
}

fn long_url() -> String {
    format!("https://preview-{}.apps.example.com/a/b?token={}", "f3a9c1".repeat(8), "0123456789abcdef".repeat(20))
}

fn assemble(outcomes: BTreeMap<ScorerId, (Outcome, Details)>) -> Report {
    let composite = Composite::of(outcomes.iter().map(|(id, (outcome, _))| (*id, outcome)));
    let scorers = outcomes.iter().map(|(id, (outcome, details))| {
        let share = composite.share(*id);
        (id.key().to_owned(), scorer(*id, outcome, details, share))
    });
    Report {
        methodology: METHODOLOGY_VERSION.into(),
        headline: String::new(),
        composite: composite.value,
        rankable: true,
        coverage: 0.354,
        subject: Subject {
            url: "https://fernwood.example/".into(),
            final_url: Some("https://fernwood.example/en/".into()),
            title: Some("Fernwood: plan the week together".into()),
            prompt: Some("team-planner".into()),
            source: None,
        },
        scorers: scorers.collect(),
        dimensions: composite.dimensions,
        screenshots: screenshots(),
        provenance: provenance(),
        ..empty()
    }
}

fn scorer(id: ScorerId, outcome: &Outcome, details: &Details, share: f64) -> ScorerReport {
    let (kind, passed) = match outcome {
        Outcome::Scored { passed, .. } => (OutcomeKind::Scored, Some(*passed)),
        Outcome::NotApplicable { .. } => (OutcomeKind::NotApplicable, None),
        Outcome::NoInput { .. } => (OutcomeKind::NoInput, None),
        Outcome::Errored { .. } => (OutcomeKind::Errored, None),
    };
    let score = outcome.score().map(UnitScore::value);
    ScorerReport {
        outcome: kind,
        score,
        passed,
        reason: outcome.reason().map(str::to_owned),
        name: id.name().into(),
        title: title(id, passed).into(),
        share,
        points_lost: score.map_or(0.0, |score| share * (1.0 - score)),
        details: details.clone(),
        seconds: if kind == OutcomeKind::Scored { 0.4 + 2.0 * id as u8 as f64 } else { 0.0 },
        version: "1".into(),
        id: Some(id),
    }
}

fn title(id: ScorerId, passed: Option<bool>) -> &'static str {
    match (id, passed) {
        (_, None) => "There is no verdict",
        (ScorerId::F1, Some(true)) => "The page renders",
        (ScorerId::F1, Some(false)) => "The page does not render",
        (ScorerId::F5, Some(false)) => "The page throws while it runs",
        (ScorerId::C3, Some(false)) => "Some people cannot use this page",
        (ScorerId::C4, Some(true)) => "The page is fast enough on a phone",
        (ScorerId::C5, Some(true)) => "The page sends little",
        (ScorerId::C9, Some(true)) => "Search engines can read the page",
        (ScorerId::V2, Some(true)) => "The design holds together",
        (ScorerId::V4, Some(false)) => "The page breaks on small screens",
        (ScorerId::S1, Some(false)) => "The server leaves protections switched off",
        (_, Some(true)) => "It holds",
        (_, Some(false)) => "It does not hold",
    }
}

fn missing(id: ScorerId) -> Outcome {
    use ScorerId::{F2, F4, F6, F7, F8, S4, V1};
    match id {
        F7 | F8 | S4 => Outcome::NotApplicable { reason: NO_BACKEND.into() },
        F2 | F6 => no_input(NO_PROMPT),
        F4 | V1 => no_input("no key for a judge was given"),
        _ => no_input(NO_SOURCE),
    }
}

fn no_input(reason: &str) -> Outcome {
    Outcome::NoInput { reason: reason.into() }
}

fn scored(score: f64, passed: bool, details: Details) -> (Outcome, Details) {
    (Outcome::scored(UnitScore::new(score), passed), details)
}

fn element(selector: &str, html: &str, note: Option<&str>, shot: &str, [x, y, width, height]: [f64; 4]) -> Place {
    Place::Element {
        selector: selector.into(),
        html: html.into(),
        note: note.map(str::to_owned),
        shot: Some(shot.into()),
        rect: Some(Rect { x, y, width, height }),
    }
}

fn render_success() -> Details {
    Details::default()
        .fact("first_text_ms", 412.0)
        .fact("text_characters", 486)
        .item(Item::new("status", ItemStatus::Passed, "The server answers with 200."))
        .item(Item::new("text", ItemStatus::Passed, "The page shows text."))
}

fn runtime_errors() -> Details {
    let thrown = Item::new("exception", ItemStatus::Failed, "An exception is thrown while the page loads.")
        .fix("Guard the empty list in `renderWeek` before calling `map`.")
        .gain(0.2)
        .places(
            [Place::Log {
                channel: "exception".into(),
                text: "TypeError: Cannot read properties of undefined (reading 'map')\n    at renderWeek (app.js:214:19)\n    at boot (app.js:12:3)".into(),
                url: Some("https://fernwood.example/assets/app.js".into()),
                line: Some(214),
            }],
            5,
        );
    let not_found = Item::new("request", ItemStatus::Failed, "A file the page asks for is not there.")
        .fix("Put `tour.webm` into the build, or take the preload out.")
        .gain(0.2)
        .places(
            [Place::Request {
                method: "GET".into(),
                url: "https://fernwood.example/media/tour.webm".into(),
                status: Some(404),
                bytes: Some(1834),
                error: None,
            }],
            5,
        );
    Details::default().fact("error_count", 2).item(thrown).item(not_found)
}

fn accessibility() -> Details {
    let links = (0..4).map(|n| {
        let x = [1154.0, 1219.0, 1279.0, 1328.0][n];
        let name = ["Product", "Pricing", "Docs", "Sign in"][n];
        element(
            &format!("nav > div > a:nth-child({})", n + 1),
            &format!("<a href=\"/{}\">{name}</a>", name.to_lowercase().replace(' ', "-")),
            Some("contrast 2.16 of 4.5: #9fb3a8 on #ffffff, 13 px"),
            "full",
            [x, 29.0, 40.0, 15.0],
        )
    });
    let ghost = element(
        ".hero button.ghost",
        "<button class=\"ghost\">Watch the tour</button>",
        Some("contrast 1.35 of 4.5: #b9cbbf on #dfe8e2, 16 px"),
        "full",
        [190.0, 313.0, 151.0, 52.0],
    );
    let contrast = Item::new("color-contrast", ItemStatus::Failed, "Text is too faint to read against its background.")
        .severity("serious")
        .measured("9 elements below the ratio")
        .expected("4.5 to 1, or 3 to 1 for large text")
        .fix("Darken the link colour to at least #5d7468 and the quiet button's text to #3f5a4b.")
        .gain(0.34)
        .places(std::iter::once(ghost).chain(links).chain((0..4).map(|_| Place::Text { text: "…".into() })), 5);
    let button = Item::new("button-name", ItemStatus::Failed, "A button has no name that a screen reader could say.")
        .severity("critical")
        .fix("Give the menu button an `aria-label`.")
        .gain(0.2)
        .places(
            [element(
                "#menu",
                "<button id=\"menu\"><svg viewBox=\"0 0 24 24\"></svg></button>",
                None,
                "mobile",
                [315.0, 16.0, 40.0, 40.0],
            )],
            5,
        );
    Details::default()
        .fact("violations", 2)
        .fact("affected_elements", 10)
        .fact("rules_checked", 61)
        .item(button)
        .item(contrast)
        .item(Item::new("image-alt", ItemStatus::Passed, "Every picture has a text alternative."))
        .item(Item::new("document-title", ItemStatus::Passed, "The document has a title."))
        .item(Item::new("video-caption", ItemStatus::NotApplicable, "There is no video."))
}

fn performance() -> Details {
    Details::default()
        .fact("lcp_ms", 2840.3)
        .fact("fcp_ms", 1210.0)
        .fact("tbt_ms", 86.0)
        .fact("cls", 0.043)
        .fact("runs", 3)
        .item(
            Item::new("image-delivery", ItemStatus::Failed, "Pictures are larger than they are shown.")
                .measured("412 KiB that nobody sees")
                .fix("Serve the hero picture at 720 px as AVIF or WebP, with `srcset`.")
                .gain(0.12)
                .places(
                    [Place::Request {
                        method: "GET".into(),
                        url: "https://fernwood.example/media/hero@4x.png".into(),
                        status: Some(200),
                        bytes: Some(612_340),
                        error: None,
                    }],
                    5,
                ),
        )
        .note("Median of 3 runs; the machine was quiet during all of them.")
}

fn payload() -> Details {
    Details::default().fact("script_bytes", 148_230).fact("style_bytes", 18_022).fact("is_fallback", false)
}

fn seo() -> Details {
    Details::default()
        .item(
            Item::check("meta_description", false, "The page has a description.", "The page has no description.")
                .measured("none")
                .expected("50 to 160 characters")
                .fix("Add `<meta name=\"description\" content=\"…\">` with one sentence on what Fernwood does.")
                .gain(0.25),
        )
        .items(
            ["title", "lang", "heading_hierarchy"]
                .map(|id| Item::new(id, ItemStatus::Passed, format!("The {id} is right."))),
        )
}

fn design() -> Details {
    Details::default()
        .fact("font_family_count", 2)
        .fact("whitespace_share", 0.463)
        .item(
            Item::new("spacing_grid", ItemStatus::Failed, "Spacing does not follow a common step.")
                .measured("61% of distances on a 4 px grid")
                .expected("at least 80%")
                .fix("Round paddings and gaps to multiples of 4 px.")
                .gain(0.143),
        )
        .item(Item::new("palette", ItemStatus::Info, "11 colours are in use, 4 of them once."))
}

fn responsive() -> Details {
    let footer = element(
        "footer",
        "<footer>© 2026 Fernwood. Terms · Privacy</footer>",
        None,
        "full",
        [0.0, 1024.0, 1440.0, 88.0],
    );
    Details::default().fact("small_target_share", 0.38).item(
        Item::new("touch_targets", ItemStatus::Failed, "Many targets are too small for a thumb.")
            .measured("38% below 44 px")
            .expected("at most 20%")
            .fix("Give the navigation links 12 px of padding on phones.")
            .places([footer], 5),
    )
}

fn headers() -> Details {
    let absent = |name: &str, fix: &str| {
        Item::new(name.to_lowercase(), ItemStatus::Failed, format!("`{name}` is not sent."))
            .fix(fix)
            .gain(0.125)
            .places([Place::Header { name: name.into(), value: None }], 1)
    };
    let weak = Item::new("strict-transport-security", ItemStatus::Failed, "HTTPS is enforced for too short a time.")
        .measured("1 hour")
        .expected("at least 180 days")
        .fix("Send `Strict-Transport-Security: max-age=31536000; includeSubDomains`.")
        .gain(0.125)
        .places([Place::Header { name: "Strict-Transport-Security".into(), value: Some("max-age=3600".into()) }], 1);
    let secret = Item::new("secret", ItemStatus::Failed, "A key stands in the shipped script.")
        .severity("critical")
        .fix("Revoke the key, and call the mail service from the server.")
        .gain(0.25)
        .places(
            [Place::Code {
                file: "assets/app.js".into(),
                line: 31,
                column: Some(14),
                text: "const key = \"sk_live_51H••••••••\";".into(),
            }],
            3,
        );
    Details::default()
        .item(absent("Content-Security-Policy", "Start with `default-src 'self'` and allow what the console names."))
        .item(weak)
        .item(secret)
        .item(Item::new("x-content-type-options", ItemStatus::Passed, "Types are not guessed."))
        .note("The half on secrets in source needs the source folder.")
}

fn added() -> ScorerReport {
    ScorerReport {
        outcome: OutcomeKind::Scored,
        score: Some(0.5),
        passed: Some(false),
        reason: None,
        name: "House colours".into(),
        title: "Half of the colours are not ours".into(),
        share: 0.0,
        points_lost: 0.0,
        details: Details::default().fact("foreign_colours", 4),
        seconds: 0.03,
        version: "2026-10".into(),
        id: None,
    }
}

fn screenshots() -> Vec<Screenshot> {
    [("desktop", 1440, 900), ("tablet", 768, 1024), ("mobile", 375, 812), ("full", 1440, 1180)]
        .map(|(name, width, height)| Screenshot {
            name: name.into(),
            width,
            height,
            blob: BlobId(format!("{name:0<64}")),
        })
        .into()
}

fn provenance() -> Provenance {
    let words =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Provenance {
        benchwright: "0.1.0".into(),
        run: "01KA5W8Z6P3N8Q2R7T4V9X1Y0B".into(),
        started_at: "2026-11-16T09:24:31Z".into(),
        seconds: 38.42,
        versions: words(&[
            ("axe-core", "4.11.0"),
            ("chromium", "156.0.7420.12"),
            ("lighthouse", "13.0.1"),
            ("node", "22.19.0"),
        ]),
        hashes: words(&[
            ("evidence", "9aca34d3368184468f1c0b5f9d6b7e1d5a0c2f4b8e7d6c5b4a39281706f5e4d3"),
            ("prompt", "1f0c3e5a7b9d2f4e6a8c0b1d3f5e7a9c2b4d6f8e0a1c3e5b7d9f1a3c5e7b9d1f"),
        ]),
        fonts: vec!["Liberation Sans".into(), "Noto Color Emoji".into()],
        machine: BTreeMap::from([
            ("benchmark_index".into(), json!(1391.5)),
            ("cores".into(), json!(2)),
            ("load_before".into(), json!(0.42)),
            ("memory_bytes".into(), json!(8_233_017_344_u64)),
            ("steal_share".into(), json!(0.004)),
        ]),
        settings: BTreeMap::from([("header".into(), json!({"authorization": "•••"})), ("only".into(), json!(null))]),
    }
}
