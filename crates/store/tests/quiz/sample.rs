//! Shared runs, small and varied.

use benchwright_quiz::board::{QuestionResult, RowKey, RunSpeed, RunSummary};
use benchwright_quiz::{Backend, Letter, Protocol, ReasonCode, Source, State};
use benchwright_store::index::quiz::{QuizEntry, QuizRecord};
use benchwright_store::quiz::shared_id;

pub fn key(model: &str) -> RowKey {
    RowKey {
        source: Source::Own,
        protocol: Protocol::OneMessage1,
        thinking: false,
        custom: false,
        model: model.to_owned(),
        quantisation: "q8_0".to_owned(),
        file_sha256: None,
    }
}

/// What the model chose on each question; the right letter is always B. A capital letter was found by tier 1, a small one by tier 3.
pub fn questions(chosen: &str) -> Vec<QuestionResult> {
    let question = |(row, chosen): (usize, char)| {
        let letter = Letter::from_ascii(chosen as u8);
        QuestionResult {
            question_id: format!("own_cs/{row}/0123456789ab"),
            correct: letter == Some(Letter::B),
            tier: match letter {
                None => 5,
                Some(_) if chosen.is_ascii_uppercase() => 1,
                Some(_) => 3,
            },
            chosen: letter,
            gold: Letter::B,
        }
    };
    chosen.chars().enumerate().map(question).collect()
}

/// A run of a day in November that counts. Its outputs are told apart by `number`.
pub fn record(model: &str, day: u32, number: u32, chosen: &str) -> QuizRecord {
    let day = format!("2026-11-{day:02}");
    QuizRecord {
        summary: RunSummary {
            format: 1,
            run: shared_id(&day, &format!("{number:016x}")),
            key: key(model),
            state: State::Confirmed,
            day,
            questions: questions(chosen),
            speed: Some(RunSpeed {
                backend: Backend::Wasm,
                device_class: "linux, 1-2 cores".to_owned(),
                device_family: "linux".to_owned(),
                first_token_ms: Some(120.5),
                prefill_rate: None,
                decode_rate: Some(18.25),
            }),
        },
        reasons: Vec::new(),
        selection: "own-12".to_owned(),
        outputs_sha256: format!("{number:064x}"),
        extractor: 1,
        first_extractor: 1,
        first_correct: 3,
        first_strict: 2,
        engine: "wllama 3.8.1".to_owned(),
        seconds: 12.5,
    }
}

/// The same, with another verdict.
pub fn judged(record: QuizRecord, state: State, reasons: &[ReasonCode]) -> QuizRecord {
    let summary = RunSummary { state, ..record.summary };
    QuizRecord { summary, reasons: reasons.to_vec(), ..record }
}

pub fn entry(record: &QuizRecord) -> QuizEntry {
    QuizEntry::fresh(record.clone())
}

/// The run number `number` of many: models, days, letters and verdicts in a fixed, uneven pattern; some repeat the outputs of others.
pub fn nth(number: u32) -> QuizRecord {
    let model = ["small", "smaller", "smallest"][number as usize * 7 % 3];
    let letters: String =
        (0..4 + number % 9).map(|row| ['B', 'b', 'A', '-', 'c'][(number * 31 + row * 7) as usize % 5]).collect();
    let plain = record(model, 1 + number * 13 % 28, number, &letters);
    match number % 10 {
        3 => judged(plain, State::Flagged, &[ReasonCode::UnlikelyTimes]),
        6 => judged(plain, State::Unconfirmed, &[ReasonCode::Outlier]),
        // The same outputs as the run before of this kind.
        8 => QuizRecord {
            outputs_sha256: format!("{:064x}", 8),
            selection: "own-36".to_owned(),
            summary: RunSummary { key: key("small"), questions: questions("BBAB"), ..plain.summary },
            ..plain
        },
        _ => plain,
    }
}
