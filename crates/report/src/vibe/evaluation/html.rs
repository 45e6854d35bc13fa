//! The evaluation as one HTML file that works offline and without script, and as part of a site.

use super::{Tally, cautions, facts, generation, headline, provenance, title};
use crate::html::summary::minutes;
use crate::vibe::OWN_STYLE;
use crate::vibe::film::{Film, Picture};
use crate::vibe::walk::{self, Walk};
use crate::{Blobs, Body, number, page, style, text};
use askama::Template;
use benchwright_domain::vibe::Evaluation;

/// The end of an app's log that is shown.
const LOG: usize = 16 * 1024;

/// The evaluation as one HTML file. Traces, pictures and logs that `blobs` does not have are left out.
pub fn render(evaluation: &Evaluation, blobs: &dyn Blobs) -> String {
    let Body { title, html } = content(evaluation, blobs, None);
    let description = "which workflows of a task an app passes, substep by substep.";
    page::alone("vibe report", description, &title, &style::with(OWN_STYLE), &html)
}

/// The evaluation as part of a site: without head, style and film. `base` is the address of its page; each workflow leads to
/// `<base>/workflows/<place>`.
pub fn body(evaluation: &Evaluation, blobs: &dyn Blobs, base: &str) -> Body {
    content(evaluation, blobs, Some(base))
}

fn content(evaluation: &Evaluation, blobs: &dyn Blobs, base: Option<&str>) -> Body {
    let content = Content::of(evaluation, blobs, base);
    let title = format!("{} · {}", content.share, content.title);
    Body { title, html: content.render().expect("writing to a string does not fail") }
}

#[derive(Template)]
#[template(path = "vibe/evaluation-body.html")]
struct Content {
    is_hosted: bool,
    title: String,
    maker: String,
    started_at: String,
    facts: Vec<(&'static str, String)>,
    share: String,
    counted: String,
    headline: String,
    started: bool,
    strict: Option<String>,
    cautions: Vec<String>,
    composite: Option<Composite>,
    generation: Vec<(&'static str, String)>,
    walks: Vec<Walk>,
    log: Option<String>,
    provenance: Vec<(String, String)>,
    pictures: Vec<Picture>,
    left_out: usize,
}

/// What the scorers of the other track say.
struct Composite {
    score: String,
    run: String,
    href: Option<String>,
}

impl Content {
    fn of(evaluation: &Evaluation, blobs: &dyn Blobs, base: Option<&str>) -> Self {
        let tally = Tally::of(evaluation);
        let mut film = Film::new(blobs);
        let walks = walks(evaluation, blobs, base, &mut film);
        Self {
            is_hosted: base.is_some(),
            title: title(evaluation),
            maker: text::line_within(&evaluation.app.model, 120),
            started_at: minutes(&evaluation.started_at),
            facts: facts(evaluation),
            share: tally.share(tally.passed),
            counted: format!("{} of {}", tally.passed, tally.all),
            headline: headline(evaluation, &tally),
            started: evaluation.started,
            strict: tally.has_critical.then(|| tally.share(tally.strict)),
            cautions: cautions(evaluation, &tally),
            composite: evaluation.scored.as_ref().map(|scored| Composite {
                score: number::score(scored.composite),
                run: text::line_within(&scored.run, 80),
                href: base.and_then(|_| run_address(&scored.run)),
            }),
            generation: generation(evaluation),
            log: (tally.passed < tally.all || !evaluation.started).then(|| log(evaluation, blobs)).flatten(),
            provenance: provenance(evaluation),
            left_out: film.left_out,
            pictures: film.into_embedded(),
            walks,
        }
    }
}

/// Where the site shows a run, if its id is one.
fn run_address(run: &str) -> Option<String> {
    let is_plain = !run.is_empty() && run.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_plain.then(|| format!("/runs/{run}"))
}

/// Workflows that failed get their pictures first: those are the ones somebody will look at.
fn walks(evaluation: &Evaluation, blobs: &dyn Blobs, base: Option<&str>, film: &mut Film) -> Vec<Walk> {
    let mut order: Vec<usize> = (0..evaluation.workflows.len()).collect();
    order.sort_by_key(|place| (evaluation.workflows[*place].verdict.passes(), *place));
    let mut walks: Vec<Walk> = order
        .into_iter()
        .map(|place| {
            let (judged, number) = (&evaluation.workflows[place], place + 1);
            let trace = walk::trace(judged, blobs);
            let mut walk = Walk::of(number, &format!("w{number}-"), judged, trace.as_ref(), film);
            if let Some(base) = base.filter(|_| trace.is_some()) {
                walk.leads_to(format!("{base}/workflows/{number}"), &format!("#w{number}-"));
            }
            walk
        })
        .collect();
    walks.sort_by_key(|walk| walk.number);
    walks
}

/// The end of what the app wrote.
fn log(evaluation: &Evaluation, blobs: &dyn Blobs) -> Option<String> {
    let bytes = blobs.bytes(evaluation.log.as_ref()?)?;
    let end = &bytes[bytes.len().saturating_sub(LOG)..];
    let words = text::whole(&String::from_utf8_lossy(end));
    (!words.trim().is_empty()).then_some(words)
}
