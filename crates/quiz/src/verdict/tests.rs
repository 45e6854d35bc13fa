//! An honest run is confirmed; every kind of forgery is refused or left out of the ranking, with its reason.

use super::*;
use crate::board::{RowKey, RunSummary};
use crate::prompt::render;
use crate::question::{Difficulty, Example, Group, Letter, Question, Source, question_id};
use crate::submission::{Answer, Backend, Browser, ClientReading, Device, Engine, Finish, ModelUnderTest, SelfTest};
use crate::{derive, extract};
use std::collections::BTreeMap;

const SET: &str = "own-12";

fn bank() -> Bank {
    let choices = ["red", "green", "blue", "black"].map(str::to_owned);
    let question = |row: usize| Question {
        id: question_id("own_cs", row, &format!("Which colour is number {row}?"), &choices, Letter::B),
        subject: "own_cs".to_owned(),
        group: Group::Cs,
        difficulty: Difficulty::Easy,
        question: format!("Which colour is number {row}?"),
        choices: choices.clone(),
        answer: Letter::B,
    };
    let example = Example { question: "Which?".to_owned(), choices: choices.clone(), answer: Letter::A };
    let examples = BTreeMap::from([("own_cs".to_owned(), vec![example; 5])]);
    Bank { source: Source::Own, questions: (0..12).map(question).collect(), examples }
}

/// Half of the answers are right.
fn answer(bank: &Bank, row: usize) -> Answer {
    let question = &bank.questions[row];
    let letter = if row.is_multiple_of(2) { 'B' } else { 'C' };
    let output = format!("The colour of number {row} is what it is, for reasons of nature.\nANSWER: {letter}");
    let read = extract(&output, &question.choices);
    let examples = bank.examples_for(question);
    Answer {
        question_id: question.id.clone(),
        prompt_sha256: render(Protocol::OneMessage1, Template::default(), examples, question, 0).sha256,
        finish: Finish::Stop,
        prompt_tokens: 600,
        cached_tokens: Some(500),
        output_tokens: output.len() as u32 / 4,
        first_token_ms: Some(900.0 + row as f64),
        total_ms: 2_000.0 + row as f64,
        hidden: false,
        client: Some(ClientReading { letter: read.letter, tier: read.tier }),
        output,
    }
}

fn honest(bank: &Bank) -> Submission {
    Submission {
        format: FORMAT,
        ticket: "ticket".to_owned(),
        protocol: Protocol::OneMessage1,
        template: Template::default(),
        set: Some(SET.to_owned()),
        quick: None,
        model: ModelUnderTest {
            catalogue_id: Some("smollm2".to_owned()),
            custom_name: None,
            quantisation: "q8_0".to_owned(),
            file_sha256: None,
        },
        engine: Engine { name: "wllama".to_owned(), version: "3".to_owned(), backend: Backend::Wasm, threads: Some(2) },
        extractor: crate::EXTRACTOR_VERSION,
        app: "test".to_owned(),
        self_test: SelfTest::Passed,
        device: None,
        day: "2026-11-17".to_owned(),
        answers: (0..bank.questions.len()).map(|row| answer(bank, row)).collect(),
    }
}

/// What the server knows, apart from the parts that a test changes.
struct Known {
    pooled: Option<(u64, u64)>,
    earlier: Vec<Vec<(String, String)>>,
    hashes: Vec<String>,
    since_ticket_ms: f64,
}

impl Default for Known {
    fn default() -> Self {
        Self { pooled: None, earlier: Vec::new(), hashes: Vec::new(), since_ticket_ms: 60_000.0 }
    }
}

fn judged(submission: &Submission, known: &Known) -> Verdict {
    let bank = bank();
    let selection = Selection::Set(SET.to_owned());
    let order: Vec<String> = bank.questions.iter().map(|question| question.id.clone()).collect();
    let earlier: Vec<Vec<(&str, &str)>> =
        known.earlier.iter().map(|run| run.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect()).collect();
    let hashes: Vec<&str> = known.hashes.iter().map(String::as_str).collect();
    let derived =
        derive(&submission.answers, |id| bank.question(id)).unwrap_or_else(|_| derive(&[], |_| None).unwrap());
    let expected = Expected {
        selection: &selection,
        protocol: Protocol::OneMessage1,
        model: "smollm2",
        template: Some(Template::default()),
        order: &order,
        bank: &bank,
        since_ticket_ms: known.since_ticket_ms,
        pooled: known.pooled,
        earlier: &earlier,
        canaries: &[],
        known_outputs: &hashes,
    };
    check(submission, &derived, &expected)
}

fn codes(verdict: &Verdict) -> Vec<ReasonCode> {
    verdict.reasons.iter().map(|reason| reason.code).collect()
}

/// The verdict on an honest run that was changed in one way.
fn forged(change: impl FnOnce(&mut Submission)) -> (State, Vec<ReasonCode>) {
    let mut submission = honest(&bank());
    change(&mut submission);
    let verdict = judged(&submission, &Known::default());
    (verdict.state, codes(&verdict))
}

#[test]
fn an_honest_run_is_confirmed() {
    let verdict = judged(&honest(&bank()), &Known::default());
    assert_eq!((verdict.state, verdict.reasons), (State::Confirmed, vec![]));
    assert_eq!(verdict.outputs_sha256.len(), 64);
}

#[test]
fn what_cannot_be_is_rejected() {
    type Forgery = (ReasonCode, fn(&mut Submission));
    let forgeries: [Forgery; 24] = [
        (ReasonCode::UnknownFormat, |s| s.format = 2),
        (ReasonCode::BadText, |s| s.engine.name = "x".repeat(101)),
        (ReasonCode::BadText, |s| s.app = "a\u{7}b".to_owned()),
        (ReasonCode::BadText, |s| s.app = " ".to_owned()),
        (ReasonCode::BadText, |s| s.day = "yesterday".to_owned()),
        (ReasonCode::BadText, |s| s.answers[3].prompt_sha256 = "abc".to_owned()),
        (ReasonCode::BadText, |s| s.model.custom_name = Some("mine".to_owned())),
        (ReasonCode::BadText, |s| s.model.file_sha256 = Some("x".repeat(64))),
        (ReasonCode::OutputTooLong, |s| s.answers[0].output = "x".repeat(16 * 1024 + 1)),
        (ReasonCode::NotTheTicket, |s| s.set = Some("own-36".to_owned())),
        (ReasonCode::NotTheTicket, |s| s.set = None),
        (ReasonCode::NotTheTicket, |s| s.model.catalogue_id = Some("other".to_owned())),
        (ReasonCode::WrongQuestions, |s| s.answers.swap(0, 1)),
        (ReasonCode::WrongQuestions, |s| drop(s.answers.pop())),
        (ReasonCode::WrongQuestions, |s| s.answers[5] = s.answers[4].clone()),
        (ReasonCode::WrongPrompt, |s| s.answers[2].prompt_sha256 = "0".repeat(64)),
        (ReasonCode::WrongPrompt, |s| s.template.thinking = true),
        (ReasonCode::WrongTokens, |s| s.answers[1].output_tokens = 401),
        (ReasonCode::WrongTokens, |s| s.answers[1].finish = Finish::Length),
        (ReasonCode::WrongTokens, |s| s.answers[1].cached_tokens = Some(601)),
        (ReasonCode::WrongTokens, |s| s.answers[1].output_tokens = 0),
        (ReasonCode::WrongTimes, |s| s.answers[1].first_token_ms = Some(9_000.0)),
        (ReasonCode::WrongTimes, |s| s.answers[1].total_ms = f64::INFINITY),
        (ReasonCode::WrongTimes, |s| s.answers[1].total_ms = 100_000.0),
    ];
    for (number, (code, change)) in forgeries.into_iter().enumerate() {
        let (state, codes) = forged(change);
        assert_eq!(state, State::Rejected, "{number}: {code:?}");
        assert!(codes.contains(&code), "{number}: {codes:?} lacks {code:?}");
    }
}

fn device() -> Device {
    let some = |text: &str| Some(text.to_owned());
    Device {
        gpu_vendor: some("nvidia"),
        gpu_architecture: some("gen-12lp"),
        f16: Some(true),
        browser: Some(Browser { family: "chromium".to_owned(), major: 156 }),
        os: some("linux"),
        cores_bucket: some("17+"),
        memory_bucket: some("8 GB or more"),
    }
}

#[test]
fn nobody_writes_texts_of_their_own_into_the_facts_about_a_device() {
    type Forgery = fn(&mut Device, String);
    let forgeries: [Forgery; 6] = [
        |device, text| device.gpu_vendor = Some(text),
        |device, text| device.gpu_architecture = Some(text),
        |device, text| device.browser = Some(Browser { family: text, major: 1 }),
        |device, text| device.os = Some(text),
        |device, text| device.cores_bucket = Some(text),
        |device, text| device.memory_bucket = Some(text),
    ];
    assert_eq!(forged(|submission| submission.device = Some(device())), (State::Confirmed, vec![]));
    for (number, forge) in forgeries.into_iter().enumerate() {
        for text in ["Call me at home", "example.org", "", &"x".repeat(33)] {
            let with_text = |submission: &mut Submission| {
                forge(submission.device.insert(device()), text.to_owned());
            };
            assert_eq!(forged(with_text), (State::Rejected, vec![ReasonCode::BadText]), "{number}: {text}");
        }
    }
}

#[test]
fn versions_had_room_for_a_message() {
    for text in ["0.2.85", "v0.4.0", "unknown", "1.0.0-rc.1+b42", "benchwright 0.1.0"] {
        let real = |submission: &mut Submission| {
            submission.engine.version = text.to_owned();
            submission.app = text.to_owned();
        };
        assert_eq!(forged(real), (State::Confirmed, vec![]), "{text}");
    }
    for text in ["https://example.org", "buy <b>now</b>", "größer", "", " ", &"1".repeat(41)] {
        let refused = (State::Rejected, vec![ReasonCode::BadText]);
        assert_eq!(forged(|submission| submission.engine.version = text.to_owned()), refused, "engine: {text}");
        assert_eq!(forged(|submission| submission.app = text.to_owned()), refused, "build: {text}");
    }
}

#[test]
fn prompts_could_have_any_number_of_tokens() {
    let with = |tokens: u32| forged(|submission| submission.answers[4].prompt_tokens = tokens);
    let bank = bank();
    let prompt = render(
        Protocol::OneMessage1,
        Template::default(),
        bank.examples_for(&bank.questions[4]),
        &bank.questions[4],
        0,
    );
    let bytes: usize = prompt.messages.iter().map(|message| message.content.len()).sum();
    // A token for each byte, and a template with a preamble.
    let bytes = bytes as u32;
    assert_eq!(with(bytes + 900), (State::Confirmed, vec![]));
    for tokens in [bytes + 1_500, u32::MAX] {
        let (state, codes) = with(tokens);
        assert_eq!(state, State::Rejected, "{tokens}");
        assert!(codes.contains(&ReasonCode::WrongTokens), "{tokens}: {codes:?}");
    }
}

#[test]
fn prompts_could_be_read_at_any_speed() {
    let read = |backend, first_token_ms| {
        forged(|submission| {
            submission.engine.backend = backend;
            // A hundred tokens had to be read.
            submission.answers[4].first_token_ms = Some(first_token_ms);
        })
    };
    let fast = (State::Flagged, vec![ReasonCode::UnlikelyTimes]);
    for (backend, most) in
        [(Backend::Wasm, 4e3), (Backend::Webgpu, 5e4), (Backend::Native, 2e5), (Backend::Endpoint, 1e6)]
    {
        let at_most = 100.0 * 1000.0 / most;
        assert_eq!(read(backend, 1.01 * at_most), (State::Confirmed, vec![]), "{backend:?}");
        assert_eq!(read(backend, 0.99 * at_most), fast, "{backend:?}");
    }
    assert_eq!(read(Backend::Wasm, 0.0), (State::Confirmed, vec![]), "clocks that are kept coarse tell no speed");
}

#[test]
fn a_browser_that_skipped_its_self_test_was_confirmed() {
    let skipped = |backend| {
        forged(|submission| {
            submission.engine.backend = backend;
            submission.self_test = SelfTest::NotRun;
        })
    };
    for backend in [Backend::Wasm, Backend::Webgpu] {
        assert_eq!(skipped(backend), (State::Unconfirmed, vec![ReasonCode::NoSelfTest]), "{backend:?}");
    }
    for backend in [Backend::Native, Backend::Endpoint] {
        assert_eq!(skipped(backend), (State::Confirmed, vec![]), "{backend:?} has no self-test");
    }
}

#[test]
fn another_protocol_than_the_tickets_is_rejected_for_both_reasons() {
    let (state, codes) = forged(|submission| submission.protocol = Protocol::ChatTurns1);
    assert_eq!((state, codes), (State::Rejected, vec![ReasonCode::NotTheTicket, ReasonCode::WrongPrompt]));
}

#[test]
fn what_is_not_likely_is_flagged() {
    type Forgery = (ReasonCode, fn(&mut Submission));
    let forgeries: [Forgery; 6] = [
        (ReasonCode::UnlikelyTokens, |s| s.answers.iter_mut().for_each(|answer| answer.output_tokens = 1)),
        (ReasonCode::UnlikelyTokens, |s| s.answers.iter_mut().for_each(|answer| answer.output_tokens = 300)),
        (ReasonCode::UnlikelyTimes, |s| s.answers.iter_mut().for_each(|answer| answer.total_ms = 2_000.0)),
        (ReasonCode::UnlikelyTimes, |s| {
            s.answers[0].output_tokens = 30;
            s.answers[0].total_ms = 901.0;
        }),
        (ReasonCode::ReadingMismatch, |s| {
            s.answers[1].client = Some(ClientReading { letter: Some(Letter::B), tier: 1 });
        }),
        (ReasonCode::SelfTestFailed, |s| s.self_test = SelfTest::Failed),
    ];
    for (number, (code, change)) in forgeries.into_iter().enumerate() {
        assert_eq!(forged(change), (State::Flagged, vec![code]), "{number}");
    }
}

#[test]
fn an_older_extractor_may_have_read_otherwise() {
    let (state, codes) = forged(|submission| {
        submission.extractor = 0;
        submission.answers[1].client = Some(ClientReading { letter: Some(Letter::B), tier: 1 });
    });
    assert_eq!((state, codes), (State::Confirmed, vec![]));
}

#[test]
fn one_row_of_dashes_is_no_forgery() {
    let (state, codes) = forged(|submission| {
        let answer = &mut submission.answers[0];
        answer.output = format!("{}\nANSWER: B", "-".repeat(600));
        answer.output_tokens = 20;
    });
    assert_eq!((state, codes), (State::Confirmed, vec![]));
}

#[test]
fn thinking_left_on_is_told_by_the_prompts_and_allowed() {
    let bank = bank();
    let mut submission = honest(&bank);
    submission.template.thinking = true;
    for (answer, question) in submission.answers.iter_mut().zip(&bank.questions) {
        answer.prompt_sha256 =
            render(Protocol::OneMessage1, submission.template, bank.examples_for(question), question, 0).sha256;
    }
    assert_eq!(judged(&submission, &Known::default()).state, State::Confirmed);
}

#[test]
fn a_model_that_thinks_although_it_was_told_not_to_stands_apart() {
    let bank = bank();
    let key = |begin: &str| {
        let mut submission = honest(&bank);
        submission.answers[3].output.insert_str(0, begin);
        let derived = derive(&submission.answers, |id| bank.question(id)).unwrap();
        RunSummary::of("r", Source::Own, &submission, &derived, State::Confirmed).key
    };
    assert_eq!(key("<think>\n\n</think>\n\n"), key(""), "an empty block is what a template without thinking writes");
    assert_eq!(key("<think>Or is it C?</think>\n"), RowKey { thinking: true, ..key("") });
    assert_eq!(key("it may be C.</think>\n"), RowKey { thinking: true, ..key("") }, "its template opened the block");
}

#[test]
fn a_run_that_is_too_good_waits_for_others() {
    let mut submission = honest(&bank());
    for answer in &mut submission.answers {
        answer.output = answer.output.replace("ANSWER: C", "ANSWER: B");
        answer.client = None;
    }
    let at = |pooled| codes(&judged(&submission, &Known { pooled, ..Known::default() }));
    assert_eq!(at(Some((300, 1200))), [ReasonCode::Outlier]);
    assert_eq!(at(Some((1000, 1200))), []);
    assert_eq!(at(Some((3, 12))), [], "twelve questions of others say too little");
    assert_eq!(at(None), []);
}

#[test]
fn an_exact_repeat_is_merged() {
    let submission = honest(&bank());
    let hash = judged(&submission, &Known::default()).outputs_sha256;
    let verdict = judged(&submission, &Known { hashes: vec![hash], ..Known::default() });
    assert_eq!((verdict.state, codes(&verdict)), (State::Unconfirmed, vec![ReasonCode::Duplicate]));
}

#[test]
fn a_run_unlike_all_others_is_flagged() {
    let submission = honest(&bank());
    let run = |text: &str| {
        submission.answers.iter().map(|answer| (answer.question_id.clone(), text.to_owned())).collect::<Vec<_>>()
    };
    let alike: Vec<(String, String)> =
        submission.answers.iter().map(|answer| (answer.question_id.clone(), answer.output.clone())).collect();
    let at = |earlier| codes(&judged(&submission, &Known { earlier, ..Known::default() }));
    let strange = || run("Lorem ipsum dolor sit amet");
    assert_eq!(at(vec![strange(), strange(), strange()]), [ReasonCode::UnlikeOtherRuns]);
    // It is the mean over all answers that counts, wherever among them those that are alike stand.
    let alike_at = |places: std::ops::Range<usize>| {
        let mut mixed = strange();
        mixed[places.clone()].clone_from_slice(&alike[places]);
        at(vec![strange(), strange(), mixed])
    };
    let (n, enough) = (alike.len(), (0.15 * alike.len() as f64).ceil() as usize);
    for first in [0, n - enough] {
        assert_eq!(alike_at(first..first + enough), [], "{enough} of {n} from {first}");
        assert_eq!(alike_at(first..first + enough - 1), [ReasonCode::UnlikeOtherRuns], "fewer from {first}");
    }
    assert_eq!(at(vec![strange(), strange(), alike]), []);
    assert_eq!(at(vec![strange(), strange()]), [], "two runs are no cluster");
}

fn reference(engine: &str, seed: u32, letters: &[(usize, Option<Letter>)]) -> ReferenceAnswers {
    let bank = bank();
    let answers = letters.iter().map(|(row, letter)| (bank.questions[*row].id.clone(), *letter, 1)).collect();
    ReferenceAnswers { way: (engine.to_owned(), seed), answers }
}

#[test]
fn a_canary_is_what_references_made_in_different_ways_agree_on() {
    let (b, c) = (Some(Letter::B), Some(Letter::C));
    let native = reference("llama.cpp", 0, &[(0, b), (1, c), (2, b), (3, None)]);
    // The same again proves nothing.
    assert_eq!(canaries(&[native.clone(), native.clone()]), []);
    let browser = reference("wllama", 0, &[(0, b), (1, b), (3, None), (4, b)]);
    let ids =
        |canaries: &[Canary]| canaries.iter().map(|one| (one.question_id.clone(), one.letter)).collect::<Vec<_>>();
    let bank = bank();
    let mut agreed = vec![(bank.questions[0].id.clone(), b), (bank.questions[3].id.clone(), None)];
    agreed.sort();
    assert_eq!(ids(&canaries(&[native.clone(), browser])), agreed);
    let other_seed = reference("llama.cpp", 7, &[(2, b)]);
    assert_eq!(ids(&canaries(&[native, other_seed])), [(bank.questions[2].id.clone(), b)]);
}

#[test]
fn who_answers_otherwise_than_the_references_is_flagged() {
    let bank = bank();
    let run = honest(&bank);
    let derived = derive(&run.answers, |id| bank.question(id)).unwrap();
    let canary =
        |row: usize, letter| Canary { question_id: bank.questions[row].id.clone(), letter: Some(letter), tier: 1 };
    // Rows are answered B and C in turn.
    let alike = [canary(0, Letter::B), canary(1, Letter::C), canary(2, Letter::D)];
    assert_eq!(canary::problem(&derived, &alike), None);
    let otherwise = [canary(0, Letter::A), canary(1, Letter::A), canary(2, Letter::B)];
    let reason = canary::problem(&derived, &otherwise).unwrap();
    assert_eq!((reason.code, reason.code.state()), (ReasonCode::UnlikeReference, State::Flagged));
    assert!(reason.text.contains("1 of 3"), "{}", reason.text);
    // Two questions are too few to say it.
    assert_eq!(canary::problem(&derived, &otherwise[..2]), None);
}
