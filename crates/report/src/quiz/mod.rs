//! A run of the quiz: every question with every word the model wrote, and what that comes to.

pub mod csv;
pub mod html;
pub mod markdown;
pub mod terminal;

use crate::{json, number, text};
use benchwright_quiz::{Accuracy, AnswerState, Derived, Extraction, Question, Source, Submission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Right answers of somebody who guesses.
const CHANCE: f64 = 0.25;
/// From this share of answers on, the letter vote is worth a word.
const MANY_VOTES: f64 = 1.0 / 3.0;
/// From this share of answers on, one letter is a habit.
const HABIT: f64 = 0.75;
/// Fewer answers than this show no habit.
const ENOUGH_FOR_HABIT: u64 = 8;

/// What is written as `report.json`: the run as it would be shared, what is derived from it, and the questions to read it with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuizReport {
    /// Format version.
    pub format: u32,
    /// The run itself.
    pub run: QuizRun,
    /// The raw outputs, and how they came about.
    pub submission: Submission,
    /// What they come to.
    pub derived: Derived,
    /// All questions of the run in the order they are asked, answered or not.
    pub questions: Vec<Question>,
}

/// A run, apart from what is shared of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuizRun {
    /// Its id.
    pub id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Version of Benchwright that began it.
    pub benchwright: String,
    /// Where the questions come from.
    pub source: Source,
    /// The hash of the frozen set; absent for a quick run.
    pub set_sha256: Option<String>,
    /// Questions on which the engine failed, with the reason. They are no wrong answers: the run is incomplete without them.
    pub failed: Vec<FailedQuestion>,
    /// Where it was shared.
    pub address: Option<String>,
}

/// A question on which the engine failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedQuestion {
    /// The question.
    pub question_id: String,
    /// What happened.
    pub reason: String,
}

impl QuizReport {
    /// Whether every question has an answer.
    pub fn is_complete(&self) -> bool {
        self.submission.answers.len() == self.questions.len()
    }

    /// The JSON form.
    pub fn json(&self) -> String {
        json::pretty(self)
    }
}

/// What the model is called.
fn model(report: &QuizReport) -> String {
    let model = &report.submission.model;
    let name = model.catalogue_id.as_deref().or(model.custom_name.as_deref()).unwrap_or_default();
    let name = text::line_within(name, 120);
    if name.is_empty() { "A model without a name".to_owned() } else { name }
}

/// The questions that were asked, in words.
fn selection(report: &QuizReport) -> String {
    let source = match report.run.source {
        Source::Own => "Benchwright's own questions",
        Source::Mmlu => "MMLU",
    };
    match (&report.submission.set, report.submission.quick) {
        (Some(set), _) => format!("{} ({source})", text::line_within(set, 40)),
        (None, Some(quick)) => format!("{} drawn with seed {} ({source})", quick.count, quick.seed),
        (None, None) => source.to_owned(),
    }
}

/// How the run was made: name and value.
fn facts(report: &QuizReport) -> Vec<(&'static str, String)> {
    let submission = &report.submission;
    let engine = &submission.engine;
    let version = Some(engine.version.as_str()).filter(|version| *version != "unknown").unwrap_or_default();
    let threads = match engine.threads {
        Some(1) => ", 1 thread".to_owned(),
        Some(threads) => format!(", {threads} threads"),
        None => String::new(),
    };
    let thinking = if submission.thinks() { ", thinking on" } else { "" };
    let quantisation = Some(&submission.model.quantisation).filter(|name| *name != "unknown");
    [
        ("Questions", Some(selection(report))),
        ("Protocol", Some(format!("{}{thinking}", submission.protocol.as_str()))),
        ("Engine", Some(text::line_within(&format!("{} {version}", engine.name), 80) + &threads)),
        ("Weights", quantisation.map(|name| text::line_within(name, 40))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// The share with its interval, in a sentence.
fn headline(report: &QuizReport) -> String {
    let accuracy = &report.derived.accuracy;
    let Some(interval) = accuracy.interval else { return "No question has an answer yet.".to_owned() };
    let against_chance = if interval.low > CHANCE {
        "better than guessing"
    } else if interval.high < CHANCE {
        "worse than guessing"
    } else {
        "which guessing alone would explain"
    };
    format!(
        "{} of {} right: {}, with 95 % confidence between {} and {}, {against_chance}.",
        accuracy.correct,
        accuracy.n,
        share(accuracy),
        number::percent(interval.low),
        number::percent(interval.high),
    )
}

fn share(accuracy: &Accuracy) -> String {
    accuracy.share.map_or_else(|| "–".to_owned(), number::percent)
}

/// What a reader should know before believing the number.
fn cautions(report: &QuizReport) -> Vec<String> {
    let derived = &report.derived;
    let n = derived.accuracy.n;
    let mut cautions = Vec::new();
    if !report.is_complete() {
        let (asked, all) = (report.submission.answers.len(), report.questions.len());
        let failed = match report.run.failed.len() {
            0 => String::new(),
            1 => "; the engine failed on 1 question".to_owned(),
            many => format!("; the engine failed on {many} questions"),
        };
        cautions.push(format!(
            "Incomplete: {asked} of {all} questions have an answer{failed}. Nothing missing was scored."
        ));
    }
    let votes = derived.tiers.iter().find(|count| count.tier == 4).map_or(0, |count| count.answers);
    if n > 0 && votes as f64 / n as f64 >= MANY_VOTES {
        cautions
            .push(format!("{votes} of {n} letters come from the letter vote (tier 4), the weakest reading there is."));
    }
    if let Some((letter, count)) = habit(report) {
        cautions
            .push(format!("It chose {letter} in {count} of {n} answers: close to somebody who always says {letter}."));
    }
    if report.submission.template.thinking {
        cautions.push(
            "Thinking was left on, which the official protocol does not allow: such runs stand apart.".to_owned(),
        );
    } else if report.submission.thinks() {
        cautions.push(
            "It thought before it answered although its template was told not to: such runs stand apart.".to_owned(),
        );
    }
    cautions
}

fn habit(report: &QuizReport) -> Option<(char, u64)> {
    let derived = &report.derived;
    let (letter, count) =
        letters(report).into_iter().map(|row| (row.letter, row.chosen)).max_by_key(|(_, count)| *count)?;
    let is_habit = derived.accuracy.n >= ENOUGH_FOR_HABIT && count as f64 / derived.accuracy.n as f64 >= HABIT;
    is_habit.then_some((letter, count))
}

/// How often a letter was chosen, and how often it is right.
#[derive(Debug, Clone, Copy)]
struct LetterRow {
    letter: char,
    chosen: u64,
    gold: u64,
}

fn letters(report: &QuizReport) -> [LetterRow; 4] {
    let (chosen, gold) = (&report.derived.chosen, &report.derived.gold);
    [('A', chosen.a, gold.a), ('B', chosen.b, gold.b), ('C', chosen.c, gold.c), ('D', chosen.d, gold.d)]
        .map(|(letter, chosen, gold)| LetterRow { letter, chosen, gold })
}

/// What a tier is called.
fn tier_name(tier: u8) -> &'static str {
    match tier {
        1 => "explicit format",
        2 => "phrased commitment",
        3 => "quoted the choice",
        4 => "weighted letter vote",
        _ => "no answer found",
    }
}

/// A name in JSON as words: `answer_line` as "answer line".
fn key_words(value: &impl Serialize) -> String {
    let key = serde_json::to_value(value).ok();
    key.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().replace('_', " ")
}

fn rule(extraction: &Extraction) -> String {
    key_words(&extraction.rule)
}

fn flags(extraction: &Extraction) -> Vec<String> {
    extraction.flags.iter().map(key_words).collect()
}

fn state(state: AnswerState) -> &'static str {
    match state {
        AnswerState::Answered => "answered",
        AnswerState::Empty => "empty output",
        AnswerState::Refused => "declined",
        AnswerState::Hedged => "several letters",
        AnswerState::CutOff => "cut off before an answer",
        AnswerState::NoAnswerFound => "no answer found",
    }
}

/// How fast it was: medians over the answers that tell.
struct Speed {
    first_token_seconds: Option<f64>,
    tokens_per_second: Option<f64>,
    seconds: f64,
    output_tokens: u64,
    /// Of the tokens of all prompts, those that were still there from the question before.
    reused: Option<f64>,
}

impl Speed {
    fn of(report: &QuizReport) -> Self {
        let answers = &report.submission.answers;
        let decoding = answers.iter().filter_map(|answer| {
            let seconds = (answer.total_ms - answer.first_token_ms?) / 1000.0;
            (answer.output_tokens > 1 && seconds > 0.0).then(|| f64::from(answer.output_tokens - 1) / seconds)
        });
        let shown: u64 = answers
            .iter()
            .filter(|answer| answer.cached_tokens.is_some())
            .map(|answer| u64::from(answer.prompt_tokens))
            .sum();
        let cached: u64 = answers.iter().filter_map(|answer| answer.cached_tokens).map(u64::from).sum();
        Self {
            first_token_seconds: median(
                answers.iter().filter_map(|answer| answer.first_token_ms).map(|ms| ms / 1000.0),
            ),
            tokens_per_second: median(decoding),
            seconds: answers.iter().map(|answer| number::finite(answer.total_ms)).sum::<f64>() / 1000.0,
            output_tokens: answers.iter().map(|answer| u64::from(answer.output_tokens)).sum(),
            reused: (shown > 0).then(|| cached as f64 / shown as f64),
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        [
            ("Time to the first token", self.first_token_seconds.map(number::seconds)),
            ("Tokens a second", self.tokens_per_second.map(|rate| format!("{rate:.1}"))),
            ("Prompt reused", self.reused.map(number::percent)),
            ("Tokens written", Some(self.output_tokens.to_string())),
            ("All answers together", Some(number::seconds(self.seconds))),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}
