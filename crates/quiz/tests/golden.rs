//! Every output of the golden file means what it says there.
//!
//! One JSON object a line: where the case comes from (`reference`, `own`, or the model that wrote it), the output, the choices (those of
//! the reference where there are none), the letter and the tier. Rule, flags and the quoted span are compared where they are given.
//! Outputs of real models are added as further lines, with what a person says they mean.

use benchwright_quiz::{Extraction, Flag, Letter, Rule, extract};
use serde::Deserialize;

const GOLDEN: &str = include_str!("golden/extraction.jsonl");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    from: String,
    output: String,
    choices: Option<[String; 4]>,
    letter: Option<Letter>,
    tier: u8,
    rule: Option<Rule>,
    flags: Option<Vec<Flag>>,
    quote: Option<String>,
    #[serde(default, rename = "why")]
    _why: String,
}

fn cases() -> Vec<Case> {
    GOLDEN.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn choices_of(case: &Case) -> [String; 4] {
    case.choices.clone().unwrap_or_else(|| ["Paris", "Rome", "B cells", "14"].map(str::to_owned))
}

/// What differs from the file.
fn difference(case: &Case, found: &Extraction) -> Option<String> {
    let quote = found.span.map(|[start, end]| &case.output[start..end]);
    let same = found.letter == case.letter
        && found.tier == case.tier
        && case.rule.is_none_or(|rule| rule == found.rule)
        && case.flags.as_ref().is_none_or(|flags| *flags == found.flags)
        && case.quote.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == quote);
    (!same).then(|| {
        let wanted = (case.letter, case.tier, case.rule, &case.flags, &case.quote);
        let got = (found.letter, found.tier, found.rule, &found.flags, quote);
        format!("{:?}\n  wanted {wanted:?}\n  found  {got:?}", case.output)
    })
}

#[test]
fn outputs_mean_what_the_golden_file_says() {
    let wrong: Vec<_> =
        cases().iter().filter_map(|case| difference(case, &extract(&case.output, &choices_of(case)))).collect();
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_golden_file_is_large_and_of_all_tiers() {
    let cases = cases();
    let count = |keep: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| keep(case)).count();
    assert!(count(&|case| case.from == "reference") >= 34);
    assert!(count(&|case| case.from == "own") >= 300);
    assert!(
        count(&|case| case.from == "smollm2-135m-instruct-q4_1") >= 50,
        "what a real model wrote to our own questions"
    );
    for tier in 1..=5 {
        assert!(count(&|case| case.tier == tier) >= 20, "tier {tier}");
    }
    let mut outputs: Vec<_> = cases.iter().map(|case| (&case.output, &case.choices)).collect();
    outputs.sort();
    outputs.dedup();
    assert_eq!(outputs.len(), cases.len(), "a case stands there twice");
}
