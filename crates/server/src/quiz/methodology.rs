//! How the quiz works, with the numbers that the code works with.

use super::view;
use crate::encoding::Encoded;
use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_quiz::board::{MIN_DAYS, MIN_QUESTIONS};
use benchwright_quiz::{
    Difficulty, EXTRACTOR_VERSION, Group, MAX_TOKENS, Protocol, QUICK_COUNTS, RULE_OF_DRAWS, RULE_OF_SEEDS, ReasonCode,
    SYSTEM_TEXT, Source, State as Standing, TEMPERATURE, TOP_P, mmlu, needs, predicted_half_width, rule_of_sets,
};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "quiz/methodology.html")]
struct Page {
    shell: Shell,
    style: String,
    system_text: &'static str,
    temperature: f64,
    top_p: f64,
    max_tokens: u32,
    protocols: Vec<(&'static str, &'static str)>,
    tiers: Vec<(u8, &'static str, String)>,
    extractor: u32,
    groups: String,
    difficulties: String,
    sources: Vec<SourceLine>,
    sets: Vec<(String, usize, String)>,
    rule_of_sets: String,
    draws: String,
    rule_of_draws: &'static str,
    rule_of_seeds: &'static str,
    rule_of_rows: String,
    has_mmlu: bool,
    mmlu: Vec<(&'static str, &'static str, &'static str)>,
    widths: Vec<(u64, String)>,
    min_questions: usize,
    min_days: usize,
    reasons: Vec<(&'static str, Vec<&'static str>)>,
    chance: u32,
}

struct SourceLine {
    name: &'static str,
    questions: usize,
    examples: usize,
}

pub async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/quiz/methodology".to_owned(), async { make(&site) }).await
}

/// What each tier looks for, in the order they are tried.
const TIERS: [(u8, &str); 5] = [
    (1, "A line such as ANSWER: C, a bold or boxed letter, or an output that is a letter and nothing else."),
    (2, "A sentence that commits itself: “the answer is C”, “I choose C”, “therefore C”."),
    (3, "The text of one choice, distinctly more than that of the others."),
    (4, "Every letter that is mentioned, late ones weighing more; it needs a clear margin."),
    (5, "Nothing was found. It counts as wrong."),
];

fn sentence(tier: u8, about: &str) -> String {
    needs(tier).map_or_else(|| about.to_owned(), |needs| format!("{about} {needs}"))
}

/// A file of MMLU, the group it is asked in, and how hard it counts.
fn mmlu_line(
    (name, group, difficulty): (&'static str, Group, Option<Difficulty>),
) -> (&'static str, &'static str, &'static str) {
    (name, group.as_str(), difficulty.map_or(mmlu::RULE_OF_THIRDS, Difficulty::as_str))
}

/// By what comes of it.
fn reasons() -> Vec<(&'static str, Vec<&'static str>)> {
    use ReasonCode as Code;
    let texts = |codes: &[Code]| codes.iter().map(|code| code.text()).collect();
    vec![
        (
            view::standing_name(Standing::Rejected),
            texts(&[
                Code::UnknownFormat,
                Code::BadText,
                Code::OutputTooLong,
                Code::NotTheTicket,
                Code::WrongQuestions,
                Code::WrongPrompt,
                Code::WrongTokens,
                Code::WrongTimes,
            ]),
        ),
        (
            view::standing_name(Standing::Flagged),
            texts(&[
                Code::UnlikelyTokens,
                Code::UnlikelyTimes,
                Code::ReadingMismatch,
                Code::SelfTestFailed,
                Code::UnlikeOtherRuns,
                Code::UnlikeReference,
            ]),
        ),
        (
            view::standing_name(Standing::Unconfirmed),
            texts(&[Code::Outlier, Code::Duplicate, Code::ChosenSeed, Code::NoSelfTest]),
        ),
    ]
}

fn make(site: &Site) -> Result<Encoded, Problem> {
    let library = &site.quiz.library;
    let joined = |words: Vec<&str>| words.join(" · ");
    let width = |n: u64| (n, predicted_half_width(n).map_or_else(String::new, |half| format!("{:.0}", 100.0 * half)));
    html(&Page {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        system_text: SYSTEM_TEXT,
        temperature: TEMPERATURE,
        top_p: TOP_P,
        max_tokens: MAX_TOKENS,
        protocols: Protocol::ALL.map(|protocol| (protocol.as_str(), view::protocol_name(protocol))).into(),
        tiers: TIERS.map(|(tier, about)| (tier, view::tier_name(tier), sentence(tier, about))).into(),
        extractor: EXTRACTOR_VERSION,
        groups: joined(Group::ALL.map(Group::as_str).into()),
        difficulties: joined(Difficulty::ALL.map(Difficulty::as_str).into()),
        sources: library
            .banks()
            .iter()
            .map(|bank| SourceLine {
                name: view::source_name(bank.source),
                questions: bank.questions.len(),
                examples: bank.examples.values().map(Vec::len).max().unwrap_or_default(),
            })
            .collect(),
        sets: library.sets().iter().map(|set| (set.id.clone(), set.question_ids.len(), set.sha256.clone())).collect(),
        rule_of_sets: rule_of_sets(),
        rule_of_draws: RULE_OF_DRAWS,
        rule_of_seeds: RULE_OF_SEEDS,
        rule_of_rows: mmlu::rule_of_rows(),
        has_mmlu: library.bank(Source::Mmlu).is_some(),
        mmlu: mmlu::SUBJECTS.map(mmlu_line).into(),
        draws: QUICK_COUNTS.map(|count| count.to_string()).join(", "),
        widths: [3, 10, 20, 40, 120].map(width).into(),
        min_questions: MIN_QUESTIONS,
        min_days: MIN_DAYS,
        reasons: reasons(),
        chance: view::CHANCE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tier_is_explained_once() {
        let tiers: Vec<u8> = TIERS.iter().map(|(tier, _)| *tier).collect();
        assert_eq!(tiers, [1, 2, 3, 4, 5]);
    }
}
