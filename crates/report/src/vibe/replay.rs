//! One workflow to watch: film strip on top, actions on the left, the window with a mark where each action hit, and beside each substep
//! what the judge said. It works without script; every moment has an address of its own.

use super::evaluation::title;
use super::film::Film;
use super::walk::{self, Walk};
use crate::{Blobs, Body, text};
use askama::Template;
use benchwright_domain::vibe::Evaluation;

#[derive(Template)]
#[template(path = "vibe/replay-body.html")]
struct Content {
    base: String,
    task: String,
    maker: String,
    evaluator: String,
    walk: Walk,
    moments: usize,
    earlier: Option<(String, String)>,
    later: Option<(String, String)>,
}

/// The workflow at a place, from 1 on, as part of a site; none when there is no such workflow or its trace is not at hand. `base` is the
/// address of the evaluation's page.
pub fn body(evaluation: &Evaluation, number: usize, blobs: &dyn Blobs, base: &str) -> Option<Body> {
    let judged = evaluation.workflows.get(number.checked_sub(1)?)?;
    let trace = walk::trace(judged, blobs)?;
    let walk = Walk::of(number, "", judged, Some(&trace), &mut Film::new(blobs));
    let neighbour = |place: Option<usize>| {
        let place = place?;
        let other = evaluation.workflows.get(place.checked_sub(1)?)?;
        other.trace.as_ref()?;
        Some((format!("{base}/workflows/{place}"), text::line_within(&other.title, 120)))
    };
    let content = Content {
        base: base.to_owned(),
        task: title(evaluation),
        maker: text::line_within(&evaluation.app.model, 120),
        evaluator: text::line_within(&evaluation.evaluator.name(), 120),
        moments: walk.steps.iter().map(|step| step.frames.len()).sum(),
        earlier: neighbour(number.checked_sub(1)),
        later: neighbour(number.checked_add(1)),
        walk,
    };
    let title = format!("{} · {}", content.walk.title, content.task);
    Some(Body { title, html: content.render().expect("writing to a string does not fail") })
}
