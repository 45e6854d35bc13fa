//! The quiz page beside its engine alone: how fast a model writes in it, and how much of a prompt it need not read again.

use super::Bench;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::running::Running;
use crate::verdict::{Verdict, median};
use crate::{project, setup};

/// Two questions of the same subject at least: the questions of a set stand together by subject.
const QUESTIONS: usize = 4;
/// Shorter answers are over before a rate can be told.
const TELLING_TOKENS: f64 = 20.0;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let site = Running::start(&bench.scratch.path().join("quiz-page"), "")?;
    let root = project::root();
    let told = Call::new(setup::pinned_node()?)
        .arg(root.join("xtask/src/bench/quiz_page.mjs"))
        .arg(root.join("instruments"))
        .arg(root.join("site"))
        .arg(site.address.trim_end_matches('/'))
        .arg(QUESTIONS.to_string())
        .text()?;
    let told = Json::parse(&told).naming("read what the page says")?;
    let mut table =
        Table::new(["subject", "tokens written", "ours, tokens a second", "alone", "prompt tokens", "read anew"]);
    let columns = ["output_tokens", "ours_per_second", "alone_per_second", "prompt_tokens", "computed_tokens"];
    for one in told.list("questions") {
        let [written, ours, alone, prompt, anew] =
            columns.map(|name| one.number(name).map_or(Json::Null, Json::Number));
        table.row([one.text("subject").unwrap_or_default().into(), written, ours, alone, prompt, anew]);
    }
    Ok(Outcome {
        kind: "quiz-page",
        title: "a model in the quiz page and its engine alone".to_owned(),
        about: format!(
            "SmolLM2-135M-Instruct (Q4_1) in headless Chromium, {} threads: the quiz page answers a question of own-12 and pauses, then wllama \
             alone in an empty page answers the same prompt with the same settings, and so on. Both keep what two prompts share. Writing is timed \
             from the first word to the end, in answers of {TELLING_TOKENS} tokens and more.",
            told.number("threads").unwrap_or_default()
        ),
        table,
        verdicts: vec![
            Verdict::at_least("tokens a second in our page / alone (median)", 0.9, median(decode_ratios(&told))),
            Verdict::new("tokens of the second question of a subject read anew / of its first", 0.4, read_anew(&told)),
        ],
        raw: told,
    })
}

fn decode_ratios(told: &Json) -> Vec<f64> {
    let telling =
        |one: &&Json| ["output_tokens", "alone_tokens"].iter().all(|name| one.number(name) >= Some(TELLING_TOKENS));
    let ratio = |one: &Json| Some(one.number("ours_per_second")? / one.number("alone_per_second")?);
    told.list("questions").iter().filter(telling).filter_map(ratio).collect()
}

/// The worst of all second questions of a subject.
fn read_anew(told: &Json) -> Option<f64> {
    let pairs = told.list("questions").windows(2).filter(|pair| pair[0].text("subject") == pair[1].text("subject"));
    let share = |pair: &[Json]| Some(pair[1].number("computed_tokens")? / pair[0].number("prompt_tokens")?);
    pairs.filter_map(share).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_telling_answers_and_second_questions_count() {
        let told = Json::parse(
            r#"{"questions": [
            {"subject": "a", "output_tokens": 30, "alone_tokens": 30, "ours_per_second": 9, "alone_per_second": 10, "prompt_tokens": 500, "computed_tokens": 500},
            {"subject": "a", "output_tokens": 2, "alone_tokens": 30, "ours_per_second": 1, "alone_per_second": 10, "prompt_tokens": 510, "computed_tokens": 50},
            {"subject": "b", "output_tokens": 40, "alone_tokens": 40, "ours_per_second": 10, "alone_per_second": 10, "prompt_tokens": 400, "computed_tokens": 400}]}"#,
        )
        .unwrap();
        assert_eq!(decode_ratios(&told), [0.9, 1.0]);
        assert_eq!(read_anew(&told), Some(0.1));
    }
}
