//! One row per answer, for spreadsheets. The outputs themselves are in the JSON, where no letter of them is changed.

use super::{QuizReport, flags, key_words, model};
use crate::csv::{Table, number, words};

/// The answers as CSV.
pub fn render(report: &QuizReport) -> String {
    let mut table = Table::new(&[
        "run",
        "model",
        "quantisation",
        "protocol",
        "set",
        "question",
        "subject",
        "group",
        "difficulty",
        "right_letter",
        "letter",
        "tier",
        "rule",
        "state",
        "correct",
        "flags",
        "finish",
        "prompt_tokens",
        "cached_tokens",
        "output_tokens",
        "first_token_ms",
        "total_ms",
    ]);
    let submission = &report.submission;
    for (answer, derived) in submission.answers.iter().zip(&report.derived.questions) {
        let question = report.questions.iter().find(|question| question.id == answer.question_id);
        let extraction = &derived.extraction;
        table.row(&[
            words(&report.run.id),
            words(&model(report)),
            words(&submission.model.quantisation),
            words(submission.protocol.as_str()),
            words(submission.set.as_deref().unwrap_or("quick")),
            words(&answer.question_id),
            words(question.map_or("", |question| &question.subject)),
            words(question.map_or("", |question| question.group.as_str())),
            words(question.map_or("", |question| question.difficulty.as_str())),
            words(&derived.gold.to_string()),
            words(&extraction.letter.map(|letter| letter.to_string()).unwrap_or_default()),
            extraction.tier.to_string(),
            words(&key_words(&extraction.rule)),
            words(&key_words(&derived.state)),
            derived.correct.to_string(),
            words(&flags(extraction).join("; ")),
            words(&key_words(&answer.finish)),
            answer.prompt_tokens.to_string(),
            number(answer.cached_tokens.map(f64::from)),
            answer.output_tokens.to_string(),
            number(answer.first_token_ms),
            number(Some(answer.total_ms)),
        ]);
    }
    table.into_text()
}
