//! Reading a judge's answer, and refusing one that cannot be right.

use benchwright_domain::vibe::trace::{Attempt, Trace};
use benchwright_domain::vibe::verdict::{FailureCategory, Mark, SubstepVerdict};
use benchwright_llm::Schema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

const LONGEST_REASON: usize = 1_000;
const MOST_EVIDENCE: usize = 20;

/// An answer that can be used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) verdicts: Vec<SubstepVerdict>,
    pub(super) is_ambiguous: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    verdicts: Vec<WrittenVerdict>,
    ambiguous: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenVerdict {
    number: u32,
    mark: WrittenMark,
    not_attempted: bool,
    reason: String,
    evidence: Vec<String>,
    category: Option<FailureCategory>,
    walker_suspected: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenMark {
    Pass,
    Fail,
}

/// The shape of an answer about so many substeps.
pub(super) fn schema(substeps: usize) -> Schema {
    let categories: Vec<serde_json::Value> =
        FailureCategory::ALL.iter().map(|category| json!(category)).chain([serde_json::Value::Null]).collect();
    let verdict = json!({
        "type": "object",
        "properties": {
            "number": { "type": "integer", "minimum": 1, "maximum": substeps },
            "reason": { "type": "string" },
            "evidence": { "type": "array", "items": { "type": "string" } },
            "mark": { "type": "string", "enum": ["pass", "fail"] },
            "not_attempted": { "type": "boolean" },
            "category": { "type": ["string", "null"], "enum": categories },
            "walker_suspected": { "type": "boolean" },
        },
        "required": ["number", "reason", "evidence", "mark", "not_attempted", "category", "walker_suspected"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": { "verdicts": { "type": "array", "items": verdict }, "ambiguous": { "type": "boolean" } },
        "required": ["verdicts", "ambiguous"],
        "additionalProperties": false,
    });
    Schema { name: "verdicts".to_owned(), schema }
}

/// The verdicts in a text, or what is wrong with it in words for the judge.
pub(super) fn read(text: &str, trace: &Trace) -> Result<Answer, String> {
    // Models like to put a fence around what they were asked for.
    let object = text.find('{').zip(text.rfind('}')).filter(|(start, end)| start < end);
    let (start, end) = object.ok_or("there is no JSON object in it")?;
    let written: Written = serde_json::from_str(&text[start..=end]).map_err(|error| format!("it does not fit the schema: {error}"))?;
    if written.verdicts.len() != trace.substeps.len() {
        return Err(format!("there are {} substeps and {} verdicts", trace.substeps.len(), written.verdicts.len()));
    }
    let known = evidence_ids(trace);
    let verdicts: Result<Vec<SubstepVerdict>, String> = written
        .verdicts
        .into_iter()
        .zip(&trace.substeps)
        .map(|(verdict, substep)| {
            if verdict.number != substep.number {
                return Err(format!("the verdict on substep {} stands where {} belongs", verdict.number, substep.number));
            }
            let never = matches!(substep.attempt, Attempt::NotAttempted { .. });
            checked(verdict, substep.critical, never, &known)
        })
        .collect();
    Ok(Answer { verdicts: verdicts?, is_ambiguous: written.ambiguous })
}

fn checked(verdict: WrittenVerdict, critical: bool, never: bool, known: &BTreeSet<&str>) -> Result<SubstepVerdict, String> {
    let wrong = |what: &str| Err(format!("substep {}: {what}", verdict.number));
    let passes = verdict.mark == WrittenMark::Pass;
    if let Some(unknown) = verdict.evidence.iter().find(|id| !known.contains(id.as_str())) {
        return wrong(&format!("the record has no evidence {unknown:?}"));
    }
    if verdict.reason.trim().is_empty() {
        return wrong("a reason is missing");
    }
    if passes && (never || verdict.not_attempted) {
        return wrong("what was never tried cannot pass");
    }
    if passes && verdict.evidence.is_empty() {
        return wrong("a pass needs evidence");
    }
    if passes != verdict.category.is_none() {
        return wrong("a failure has one category and a pass has none");
    }
    Ok(SubstepVerdict {
        number: verdict.number,
        mark: if passes { Mark::Pass } else { Mark::Fail },
        critical,
        not_attempted: verdict.not_attempted || never,
        reason: verdict.reason.chars().take(LONGEST_REASON).collect(),
        evidence: verdict.evidence.into_iter().take(MOST_EVIDENCE).collect(),
        category: verdict.category,
        walker_suspected: verdict.walker_suspected && !passes,
    })
}

/// Everything a verdict may rest on.
fn evidence_ids(trace: &Trace) -> BTreeSet<&str> {
    let of_substep = trace.substeps.iter().flat_map(|substep| {
        let sights = [&substep.before, &substep.after].into_iter().flatten().map(|sight| sight.id.as_str());
        let actions = substep.actions.iter().map(|action| action.id.as_str());
        sights.chain(actions).chain(substep.facts.iter().map(|fact| fact.id.as_str()))
    });
    of_substep.collect()
}
