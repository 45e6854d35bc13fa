//! A run of the quiz as one HTML file that works offline and without script. Everything a model wrote is shown as plain text.

use super::{
    CHANCE, QuizReport, Speed, cautions, facts, flags, headline, letters, model, rule, share, state, tier_name,
};
use crate::html::summary::minutes;
use crate::{Body, number, style, text};
use askama::Template;
use benchwright_quiz::{AnswerState, DerivedQuestion, Finish, Question};

const OWN_STYLE: &str = include_str!("../../templates/quiz.css");

/// The run as one HTML file.
pub fn render(report: &QuizReport) -> String {
    let Body { title, html } = content(report, None);
    let style = style::with(OWN_STYLE);
    let page = Page { style_hash: style::hash(&style), style, title, body: html };
    page.render().expect("writing to a string does not fail")
}

/// The run as part of a site: the same, without head and style. `base` is the address of its page.
pub fn body(report: &QuizReport, base: &str) -> Body {
    content(report, Some(base))
}

/// What a run looks like, beside the sheet that all pages share.
pub fn own_style() -> &'static str {
    OWN_STYLE
}

fn content(report: &QuizReport, base: Option<&str>) -> Body {
    let content = Content::of(report, base);
    let title = format!("{} · {}", content.share, content.model);
    Body { title, html: content.render().expect("writing to a string does not fail") }
}

#[derive(Template)]
#[template(path = "quiz.html")]
struct Page {
    style: String,
    style_hash: String,
    title: String,
    body: String,
}

#[derive(Template)]
#[template(path = "quiz-body.html")]
struct Content {
    is_hosted: bool,
    /// Address of the page on a site.
    base: Option<String>,
    model: String,
    facts: Vec<(&'static str, String)>,
    started_at: String,
    share: String,
    counted: String,
    headline: String,
    strict: String,
    is_complete: bool,
    interval: Option<Interval>,
    chance: f64,
    cautions: Vec<String>,
    tiers: Vec<TierRow>,
    letters: Vec<LetterBars>,
    none_chosen: u64,
    speed: Vec<(&'static str, String)>,
    cells: Vec<Cell>,
    questions: Vec<Asked>,
    failed: Vec<(String, String)>,
    provenance: Vec<(&'static str, String)>,
}

/// The interval on a scale of 100.
struct Interval {
    low: f64,
    width: f64,
    point: f64,
    words: String,
}

struct TierRow {
    tier: u8,
    name: &'static str,
    answers: u64,
    correct: u64,
    answers_width: f64,
    correct_width: f64,
}

struct LetterBars {
    letter: char,
    chosen: u64,
    gold: u64,
    chosen_width: f64,
    gold_width: f64,
}

/// A question in the overview: green, red or missing.
struct Cell {
    anchor: String,
    number: usize,
    kind: &'static str,
    mark: &'static str,
    words: String,
}

struct Asked {
    anchor: String,
    number: usize,
    subject: String,
    question: String,
    choices: Vec<Choice>,
    correct: bool,
    verdict: String,
    tier: u8,
    tier_name: &'static str,
    rule: Option<String>,
    flags: Vec<String>,
    timing: Vec<String>,
    output: Option<Output>,
    is_cut: bool,
}

struct Choice {
    letter: char,
    text: String,
    is_gold: bool,
    is_chosen: bool,
}

/// What the model wrote, around what decided.
struct Output {
    before: String,
    decisive: String,
    after: String,
}

impl Content {
    fn of(report: &QuizReport, base: Option<&str>) -> Self {
        let derived = &report.derived;
        let asked: Vec<Asked> =
            report.questions.iter().enumerate().filter_map(|(at, question)| Asked::of(report, at, question)).collect();
        let most = derived.tiers.iter().map(|count| count.answers).max().unwrap_or_default();
        Self {
            is_hosted: base.is_some(),
            base: base.map(str::to_owned),
            model: model(report),
            facts: facts(report),
            started_at: minutes(&report.run.started_at),
            share: share(&derived.accuracy),
            counted: format!("{} of {}", derived.accuracy.correct, derived.accuracy.n),
            headline: headline(report),
            strict: share(&derived.strict),
            is_complete: report.is_complete(),
            interval: interval(report),
            chance: 100.0 * CHANCE,
            cautions: cautions(report),
            tiers: derived
                .tiers
                .iter()
                .map(|count| TierRow {
                    tier: count.tier,
                    name: tier_name(count.tier),
                    answers: count.answers,
                    correct: count.correct,
                    answers_width: part(count.answers, most),
                    correct_width: part(count.correct, most),
                })
                .collect(),
            letters: letter_bars(report),
            none_chosen: derived.chosen.none,
            speed: Speed::of(report).rows(),
            cells: report.questions.iter().enumerate().map(|(at, question)| Cell::of(report, at, question)).collect(),
            questions: asked,
            failed: report
                .run
                .failed
                .iter()
                .map(|one| (text::line(&one.question_id), text::line(&one.reason)))
                .collect(),
            provenance: provenance(report),
        }
    }
}

fn interval(report: &QuizReport) -> Option<Interval> {
    let accuracy = &report.derived.accuracy;
    let (interval, share) = accuracy.interval.zip(accuracy.share)?;
    let (low, high) = (number::finite(interval.low).clamp(0.0, 1.0), number::finite(interval.high).clamp(0.0, 1.0));
    Some(Interval {
        low: rounded(100.0 * low),
        width: rounded(100.0 * (high - low).max(0.0)),
        point: rounded(100.0 * number::finite(share).clamp(0.0, 1.0)),
        words: format!("{} to {}", number::percent(low), number::percent(high)),
    })
}

fn letter_bars(report: &QuizReport) -> Vec<LetterBars> {
    let rows = letters(report);
    let most =
        rows.iter().map(|row| row.chosen.max(row.gold)).max().unwrap_or_default().max(report.derived.chosen.none);
    rows.iter()
        .map(|row| LetterBars {
            letter: row.letter,
            chosen: row.chosen,
            gold: row.gold,
            chosen_width: part(row.chosen, most),
            gold_width: part(row.gold, most),
        })
        .collect()
}

/// Of 100.
fn part(count: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { rounded(100.0 * count as f64 / of as f64) }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn answered<'a>(
    report: &'a QuizReport,
    question: &Question,
) -> Option<(&'a benchwright_quiz::Answer, &'a DerivedQuestion)> {
    let mut both = report.submission.answers.iter().zip(&report.derived.questions);
    both.find(|(answer, _)| answer.question_id == question.id)
}

impl Cell {
    fn of(report: &QuizReport, at: usize, question: &Question) -> Self {
        let (kind, mark, words) = match answered(report, question) {
            Some((_, derived)) if derived.correct => ("right", "✓", "right"),
            Some((_, derived)) if derived.extraction.letter.is_none() => ("wrong", "–", "no answer found"),
            Some(_) => ("wrong", "✗", "wrong"),
            None => ("missing", "", "not answered"),
        };
        Self { anchor: anchor(at), number: at + 1, kind, mark, words: format!("Question {}: {words}", at + 1) }
    }
}

fn anchor(at: usize) -> String {
    format!("q{}", at + 1)
}

impl Asked {
    fn of(report: &QuizReport, at: usize, question: &Question) -> Option<Self> {
        let (answer, derived) = answered(report, question)?;
        let extraction = &derived.extraction;
        let choices = question.choices.iter().zip(benchwright_quiz::Letter::ALL).map(|(choice, letter)| Choice {
            letter: letter.as_char(),
            text: text::whole(choice),
            is_gold: letter == derived.gold,
            is_chosen: extraction.letter == Some(letter),
        });
        let mut timing = vec![number::seconds(answer.total_ms / 1000.0)];
        timing.push(format!("{} tokens", answer.output_tokens));
        timing.extend(answer.first_token_ms.map(|ms| format!("first token after {}", number::seconds(ms / 1000.0))));
        if answer.hidden {
            timing.push("page hidden, times unreliable".to_owned());
        }
        Some(Self {
            anchor: anchor(at),
            number: at + 1,
            subject: subject(question),
            question: text::whole(&question.question),
            choices: choices.collect(),
            correct: derived.correct,
            verdict: verdict(derived),
            tier: extraction.tier,
            tier_name: tier_name(extraction.tier),
            rule: extraction.letter.map(|_| rule(extraction)),
            flags: flags(extraction),
            timing,
            output: Output::of(&answer.output, extraction.span),
            is_cut: answer.finish == Finish::Length,
        })
    }
}

/// Our own subjects are the groups themselves; those of MMLU are finer.
fn subject(question: &Question) -> String {
    let subject = question.subject.strip_prefix("own_").unwrap_or(&question.subject);
    format!("{} · {}", text::line_within(&subject.replace('_', " "), 80), question.difficulty.as_str())
}

fn verdict(derived: &DerivedQuestion) -> String {
    match (derived.extraction.letter, derived.correct) {
        (Some(letter), true) => format!("{letter} is right"),
        (Some(letter), false) => format!("{letter} is wrong, {} is right", derived.gold),
        (None, _) if derived.state == AnswerState::NoAnswerFound => {
            format!("no answer found, {} is right", derived.gold)
        }
        (None, _) => format!("no answer found ({}), {} is right", state(derived.state), derived.gold),
    }
}

impl Output {
    /// Nothing for an empty output. A span that does not fit marks nothing.
    fn of(output: &str, span: Option<[usize; 2]>) -> Option<Self> {
        let [start, end] = span.unwrap_or([output.len(); 2]);
        let pieces = output.get(..start).zip(output.get(start..end)).zip(output.get(end..));
        let ((before, decisive), after) = pieces.unwrap_or(((output, ""), ""));
        let [before, decisive, after] = [before, decisive, after].map(text::whole);
        (!output.is_empty()).then_some(Self { before, decisive, after })
    }
}

fn provenance(report: &QuizReport) -> Vec<(&'static str, String)> {
    let (run, submission) = (&report.run, &report.submission);
    let line = |words: &str| text::line_within(words, 120);
    [
        ("Run", Some(line(&run.id))),
        ("Begun", Some(minutes(&run.started_at))),
        ("Benchwright", Some(line(&run.benchwright))),
        ("Extractor", Some(format!("version {}", report.derived.extractor))),
        ("SHA-256 of the set", run.set_sha256.as_deref().map(line)),
        ("SHA-256 of the model's file", submission.model.file_sha256.as_deref().map(line)),
        ("Temperature", Some(benchwright_quiz::TEMPERATURE.to_string())),
        ("Most tokens", Some(benchwright_quiz::MAX_TOKENS.to_string())),
        ("Shared", run.address.as_deref().map(line)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}
