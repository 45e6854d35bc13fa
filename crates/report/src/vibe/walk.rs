//! One workflow as pages show it: its substeps with verdict, reason and evidence, and the film of what was done.

use super::film::{Film, Shot};
use super::words::{self, Look};
use crate::{Blobs, number, text};
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use benchwright_domain::vibe::trace::{ActionTrace, SightRef, SubstepTrace, TRACE_FORMAT, Trace};
use benchwright_domain::vibe::verdict::{SubstepVerdict, WorkflowVerdict};
use std::collections::BTreeMap;

/// Actions and facts of one substep that are shown.
const MOST_ACTIONS: usize = 120;
const MOST_FACTS: usize = 40;
/// Longest sentence of a judge or a walker.
const REASON: usize = 1200;

/// One walk, ready for a template.
pub struct Walk {
    pub anchor: String,
    pub number: usize,
    pub id: String,
    pub title: String,
    pub kind: &'static str,
    pub purpose: String,
    pub outcome: Look,
    pub counted: String,
    /// Why the outcome is not simply what the substeps say.
    pub remarks: Vec<String>,
    pub steps: Vec<Step>,
    /// Who walked, how it ended, what it took.
    pub facts: Vec<(&'static str, String)>,
    pub others: Vec<Opinion>,
    /// Where it can be watched.
    pub replay: Option<String>,
}

/// What another judge says of the same walk.
pub struct Opinion {
    pub judge: String,
    pub outcome: Look,
    pub counted: String,
    /// Substeps on which it differs.
    pub differs: String,
}

/// One substep.
pub struct Step {
    pub anchor: String,
    pub number: u32,
    pub text: String,
    pub look: Look,
    /// Everything about it in a line, for the square.
    pub square: String,
    pub is_critical: bool,
    pub is_suspect: bool,
    pub by: Option<&'static str>,
    pub category: Option<&'static str>,
    pub reason: String,
    pub attempt: Option<String>,
    pub expects: Vec<String>,
    pub evidence: Vec<Evidence>,
    pub facts: Vec<FactLine>,
    pub note: String,
    pub frames: Vec<Frame>,
    pub left_out: usize,
}

/// Something a verdict rests on.
pub struct Evidence {
    pub id: String,
    pub words: String,
    pub href: Option<String>,
}

/// A fact of a substep.
pub struct FactLine {
    pub id: String,
    pub anchor: String,
    pub kind: &'static str,
    pub is_trouble: bool,
    pub text: String,
}

/// One moment of the film: an action, or what could be seen after the last one.
pub struct Frame {
    pub id: String,
    pub anchor: String,
    pub words: String,
    pub at: Option<String>,
    pub effect: String,
    pub failed: Option<String>,
    pub is_result: bool,
    pub shot: Option<Shot>,
}

/// The trace of a workflow, if it is at hand and of a known format.
pub fn trace(workflow: &JudgedWorkflow, blobs: &dyn Blobs) -> Option<Trace> {
    let trace: Trace = serde_json::from_slice(&blobs.bytes(workflow.trace.as_ref()?)?).ok()?;
    (trace.format == TRACE_FORMAT).then_some(trace)
}

/// How a workflow ended.
pub fn outcome(verdict: &WorkflowVerdict) -> Look {
    match (verdict.passes(), verdict.passes_strictly()) {
        (true, true) => Look { class: "pass", sign: "✓", words: "passed" },
        (true, false) => Look { class: "pass loosely", sign: "✓", words: "passed, but a critical substep failed" },
        _ if verdict.state.is_evaluator_failure() => {
            Look { class: "undecided", sign: "?", words: "failed by the evaluator" }
        }
        _ => Look { class: "fail", sign: "✗", words: "failed" },
    }
}

/// "11 of 12".
pub fn counted(verdict: &WorkflowVerdict) -> String {
    let passed = verdict.substeps.iter().filter(|substep| substep.passed()).count();
    format!("{passed} of {}", verdict.substeps.len())
}

impl Walk {
    /// `prefix` keeps anchors of several walks on one page apart.
    pub fn of(number: usize, prefix: &str, judged: &JudgedWorkflow, trace: Option<&Trace>, film: &mut Film) -> Self {
        let verdict = &judged.verdict;
        let steps = verdict.substeps.iter().map(|substep| {
            let walked = trace.and_then(|trace| trace.substeps.iter().find(|step| step.number == substep.number));
            Step::of(prefix, substep, walked, trace.map_or((0, 0), |trace| trace.viewport), film)
        });
        let mut walk = Self {
            anchor: format!("w{number}"),
            number,
            id: text::line_within(&verdict.workflow, 80),
            title: text::line_within(&judged.title, 160),
            kind: words::kind(verdict.kind),
            purpose: trace.map(|trace| text::line(&trace.purpose)).unwrap_or_default(),
            outcome: outcome(verdict),
            counted: counted(verdict),
            remarks: remarks(verdict, trace),
            steps: steps.collect(),
            facts: facts(judged, trace),
            others: judged.others.iter().map(|other| opinion(&other.judge, &other.verdict, verdict)).collect(),
            replay: None,
        };
        walk.find_evidence();
        walk
    }

    /// Where the film is not shown, evidence leads to the page where it can be watched; there, anchors have no prefix.
    pub fn leads_to(&mut self, replay: String, prefix: &str) {
        for evidence in self.steps.iter_mut().flat_map(|step| &mut step.evidence) {
            let anchor = evidence.href.as_deref().and_then(|href| href.strip_prefix(prefix));
            if let Some(there) = anchor.map(|anchor| format!("{replay}#{anchor}")) {
                evidence.href = Some(there);
            }
        }
        self.replay = Some(replay);
    }

    /// Whether there is a picture to show.
    pub fn has_film(&self) -> bool {
        self.steps.iter().flat_map(|step| &step.frames).any(|frame| frame.shot.is_some())
    }

    /// A verdict may rest on something that belongs to another substep. Equal sights share an id; the first of them is shown.
    fn find_evidence(&mut self) {
        let mut known: BTreeMap<String, (String, String)> = BTreeMap::new();
        for step in &self.steps {
            for frame in &step.frames {
                known.entry(frame.id.clone()).or_insert_with(|| (frame.words.clone(), frame.anchor.clone()));
            }
            for fact in &step.facts {
                let words = || format!("{}: {}", fact.kind, fact.text);
                known.entry(fact.id.clone()).or_insert_with(|| (words(), fact.anchor.clone()));
            }
        }
        for evidence in self.steps.iter_mut().flat_map(|step| &mut step.evidence) {
            if let Some((words, anchor)) = known.get(&evidence.id) {
                evidence.words.clone_from(words);
                evidence.href = Some(format!("#{anchor}"));
            }
        }
    }
}

fn remarks(verdict: &WorkflowVerdict, trace: Option<&Trace>) -> Vec<String> {
    use benchwright_domain::vibe::trace::Ending;
    let mut remarks = Vec::new();
    if verdict.state != benchwright_domain::vibe::WorkflowState::Judged {
        remarks.push(words::state(verdict.state).to_owned());
    }
    remarks.extend(trace.filter(|trace| trace.ending != Ending::Walked).map(|trace| words::ending(&trace.ending)));
    remarks.extend(verdict.failure().map(|category| format!("failure: {}", words::category(category))));
    remarks
}

fn opinion(judge: &str, other: &WorkflowVerdict, verdict: &WorkflowVerdict) -> Opinion {
    let differing = other.substeps.iter().zip(&verdict.substeps).filter(|(a, b)| a.passed() != b.passed());
    let numbers: Vec<String> = differing.map(|(a, _)| a.number.to_string()).collect();
    Opinion {
        judge: text::line_within(judge, 80),
        outcome: outcome(other),
        counted: counted(other),
        differs: match numbers.len() {
            0 => "agrees on every substep".to_owned(),
            1 => format!("differs on substep {}", numbers[0]),
            _ => format!("differs on substeps {}", numbers.join(", ")),
        },
    }
}

fn facts(judged: &JudgedWorkflow, trace: Option<&Trace>) -> Vec<(&'static str, String)> {
    let usage = trace.and_then(|trace| trace.usage.as_ref());
    let walker = trace.map(|trace| {
        let model = trace.walker.model.as_deref().map(|model| format!(" ({})", text::line_within(model, 60)));
        format!("{} {}{}", words::walker(trace.walker.kind), trace.walker.version, model.unwrap_or_default())
    });
    [
        ("Walker", walker),
        ("Day", trace.and_then(|trace| trace.day.as_deref()).map(|day| text::line_within(day, 20))),
        ("Ended", trace.map(|trace| words::ending(&trace.ending))),
        ("Time", Some(number::seconds(judged.seconds))),
        ("Model calls", usage.map(|usage| usage.calls.to_string())),
        ("Tokens", usage.map(|usage| usage.input_tokens.saturating_add(usage.output_tokens).to_string())),
        ("Cost", judged.verdict.evaluation_usd.map(number::dollars)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

impl Step {
    fn of(
        prefix: &str,
        verdict: &SubstepVerdict,
        walked: Option<&SubstepTrace>,
        window: (u32, u32),
        film: &mut Film,
    ) -> Self {
        let number = verdict.number;
        let look = words::look(verdict);
        let sentence = walked.map_or_else(|| format!("Substep {number}"), |walked| text::line(&walked.text));
        Self {
            anchor: format!("{prefix}step-{number}"),
            number,
            square: square(verdict, look, &sentence),
            text: sentence,
            look,
            is_critical: verdict.critical,
            is_suspect: verdict.walker_suspected,
            by: walked.map(|walked| words::walker(walked.by)),
            category: verdict.category.map(words::category),
            reason: text::line_within(&verdict.reason, REASON),
            attempt: walked.and_then(|walked| words::attempt(&walked.attempt)),
            expects: walked.map(|walked| walked.expect.iter().map(words::expectation).collect()).unwrap_or_default(),
            evidence: verdict.evidence.iter().take(MOST_FACTS).map(|id| Evidence::new(id)).collect(),
            facts: walked.map(|walked| fact_lines(prefix, walked)).unwrap_or_default(),
            note: walked.map(|walked| text::line_within(&walked.note, REASON)).unwrap_or_default(),
            frames: walked.map(|walked| frames(prefix, walked, window, film)).unwrap_or_default(),
            left_out: walked.map_or(0, |walked| walked.actions.len().saturating_sub(MOST_ACTIONS)),
        }
    }
}

impl Step {
    /// What was done, and moments without a picture: what the film does not show.
    pub fn listed(&self) -> Vec<&Frame> {
        self.frames.iter().filter(|frame| !frame.is_result || frame.shot.is_none()).collect()
    }

    /// "3 actions".
    pub fn done(&self) -> String {
        match self.frames.iter().filter(|frame| !frame.is_result).count() {
            0 => "No action".to_owned(),
            1 => "1 action".to_owned(),
            more => format!("{more} actions"),
        }
    }
}

fn square(verdict: &SubstepVerdict, look: Look, sentence: &str) -> String {
    let critical = if verdict.critical { ", critical" } else { "" };
    let suspect = if verdict.walker_suspected { ", perhaps the walker’s fault" } else { "" };
    format!("{}: {}{critical}{suspect}. {}", verdict.number, look.words, text::line_within(sentence, 160))
}

impl Evidence {
    fn new(id: &str) -> Self {
        let id = text::line_within(id, 40);
        Self { words: id.clone(), id, href: None }
    }
}

fn fact_lines(prefix: &str, walked: &SubstepTrace) -> Vec<FactLine> {
    use benchwright_domain::vibe::trace::FactKind;
    let line = |fact: &benchwright_domain::vibe::trace::Fact| FactLine {
        id: text::line_within(&fact.id, 40),
        anchor: anchor(prefix, &fact.id),
        kind: words::fact(fact.kind),
        is_trouble: matches!(fact.kind, FactKind::FailedRequest | FactKind::ConsoleError),
        text: text::line_within(&fact.text, 400),
    };
    walked.facts.iter().take(MOST_FACTS).map(line).collect()
}

fn frames(prefix: &str, walked: &SubstepTrace, window: (u32, u32), film: &mut Film) -> Vec<Frame> {
    let mut frames: Vec<Frame> =
        walked.actions.iter().take(MOST_ACTIONS).map(|done| Frame::acted(prefix, done, window, film)).collect();
    frames.extend(walked.after.as_ref().map(|sight| Frame::seen(prefix, walked.number, sight, window, film)));
    frames
}

impl Frame {
    fn acted(prefix: &str, done: &ActionTrace, window: (u32, u32), film: &mut Film) -> Self {
        let said = words::action(&done.action);
        let caption = format!("Before: {said}");
        Self {
            id: text::line_within(&done.id, 40),
            anchor: anchor(prefix, &done.id),
            at: Some(number::seconds(done.at_ms as f64 / 1000.0)),
            effect: format!("{}, after {}", words::effect(&done.effect), number::seconds(done.took_ms as f64 / 1000.0)),
            failed: done.failed.as_deref().map(text::line),
            is_result: false,
            shot: done.screenshot.as_ref().and_then(|id| film.shot(id, window, done.point, &caption)),
            words: said,
        }
    }

    fn seen(prefix: &str, number: u32, sight: &SightRef, window: (u32, u32), film: &mut Film) -> Self {
        let said = format!("After substep {number}");
        Self {
            id: text::line_within(&sight.id, 40),
            // Equal sights share an id, so the number of the substep keeps anchors apart.
            anchor: format!("{prefix}after-{number}"),
            at: None,
            effect: String::new(),
            failed: None,
            is_result: true,
            shot: sight.screenshot.as_ref().and_then(|id| film.shot(id, window, None, &said)),
            words: said,
        }
    }
}

/// Ids come from a file; what is none of ours becomes an anchor that nothing leads to.
fn anchor(prefix: &str, id: &str) -> String {
    let clean: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect();
    format!("{prefix}{clean}")
}
