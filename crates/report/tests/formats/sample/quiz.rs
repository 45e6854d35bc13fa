//! Hand-made runs of the quiz.

use benchwright_quiz::{
    Answer, Backend, Difficulty, Engine, FORMAT, Finish, Group, Letter, ModelUnderTest, Protocol, Question, SelfTest,
    Source, Submission, Template, derive, question_id,
};
use benchwright_report::quiz::{FailedQuestion, QuizReport, QuizRun};

type Written = (&'static str, Difficulty, &'static str, [&'static str; 4], Letter, &'static str);

const WRITTEN: [Written; 6] = [
    (
        "own_science",
        Difficulty::Easy,
        "Which planet is nearest to the sun?",
        ["Venus", "Mercury", "Mars", "Jupiter"],
        Letter::B,
        "Mercury circles the sun in 88 days, closer than any other planet.\n\nANSWER: B",
    ),
    (
        "own_science",
        Difficulty::Medium,
        "Which gas makes up most of the air?",
        ["Oxygen", "Argon", "Nitrogen", "Carbon dioxide"],
        Letter::C,
        "We breathe oxygen, so the answer is A because oxygen keeps us alive.",
    ),
    ("own_math", Difficulty::Easy, "What is 7 × 8?", ["54", "56", "63", "48"], Letter::B, "Seven eights are 56."),
    (
        "own_math",
        Difficulty::Hard,
        "How many ways are there to put three books on a shelf?\nTheir order matters.",
        ["3", "9", "27", "6"],
        Letter::D,
        "",
    ),
    (
        "own_cs",
        Difficulty::Medium,
        "Which of these sorts in place?",
        ["Heapsort", "Merge sort with a buffer", "Counting sort", "Radix sort with buckets"],
        Letter::A,
        "It could be A or B. It could be B or A. It could be A or B.",
    ),
    (
        "own_engineering",
        Difficulty::Easy,
        "What does a fuse protect?",
        ["A lamp from dust", "A wire from too much current", "A motor from noise", "A battery from light"],
        Letter::B,
        "A\n\nWhat does a fuse protect?\nA. A lamp from dust\nB. A wire from too much current\nC. A motor from noise\nD. A battery from light",
    ),
];

fn questions() -> Vec<Question> {
    let question = |(row, (subject, difficulty, question, choices, answer, _)): (usize, &Written)| {
        let choices = choices.map(str::to_owned);
        let group = match *subject {
            "own_science" => Group::Science,
            "own_math" => Group::Math,
            "own_cs" => Group::Cs,
            _ => Group::Engineering,
        };
        Question {
            id: question_id(subject, row, question, &choices, *answer),
            subject: (*subject).to_owned(),
            group,
            difficulty: *difficulty,
            question: (*question).to_owned(),
            choices,
            answer: *answer,
        }
    };
    WRITTEN.iter().enumerate().map(question).collect()
}

fn answers(questions: &[Question]) -> Vec<Answer> {
    let answer = |(at, (question, written)): (usize, (&Question, &Written))| Answer {
        question_id: question.id.clone(),
        prompt_sha256: format!("{at:064}"),
        output: written.5.to_owned(),
        finish: if at == 5 { Finish::Length } else { Finish::Stop },
        prompt_tokens: 500,
        cached_tokens: Some(if at == 0 { 0 } else { 400 }),
        output_tokens: if at == 5 { 400 } else { 8 * at as u32 },
        first_token_ms: (at != 3).then_some(120.0 + 10.0 * at as f64),
        total_ms: 900.0 + 250.0 * at as f64,
        hidden: at == 4,
        client: None,
    };
    questions.iter().zip(&WRITTEN).enumerate().map(answer).collect()
}

/// A run with an answer of every kind.
pub fn mixed() -> QuizReport {
    let questions = questions();
    let submission = Submission {
        format: FORMAT,
        ticket: String::new(),
        protocol: Protocol::OneMessage1,
        template: Template::default(),
        set: Some("own-6".to_owned()),
        quick: None,
        model: ModelUnderTest {
            catalogue_id: None,
            custom_name: Some("Tiny-1B-Instruct".to_owned()),
            quantisation: "q4_k_m".to_owned(),
            file_sha256: Some("ab".repeat(32)),
        },
        engine: Engine {
            name: "llama.cpp".to_owned(),
            version: "v0.4.0".to_owned(),
            backend: Backend::Native,
            threads: Some(3),
        },
        extractor: benchwright_quiz::EXTRACTOR_VERSION,
        app: "benchwright 0.1.0".to_owned(),
        self_test: SelfTest::NotRun,
        device: None,
        day: "2026-11-16".to_owned(),
        answers: answers(&questions),
    };
    let run = QuizRun {
        id: "20261116T101500Z-3f9a".to_owned(),
        started_at: "2026-11-16T10:15:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        source: Source::Own,
        set_sha256: Some("cd".repeat(32)),
        failed: Vec::new(),
        address: Some("https://board.example/quiz/runs/q-1".to_owned()),
    };
    report(run, submission, questions)
}

/// The same, but the engine failed on one question and two were not asked.
pub fn interrupted() -> QuizReport {
    let QuizReport { mut run, mut submission, questions, .. } = mixed();
    submission.answers.truncate(3);
    submission.template.thinking = true;
    run.address = None;
    run.failed.push(FailedQuestion {
        question_id: questions[3].id.clone(),
        reason: "failed to keep the instrument running: it ended: out of memory".to_owned(),
    });
    report(run, submission, questions)
}

/// Nothing was answered.
pub fn empty() -> QuizReport {
    let QuizReport { run, mut submission, questions, .. } = mixed();
    submission.answers.clear();
    report(run, submission, questions)
}

fn report(run: QuizRun, submission: Submission, questions: Vec<Question>) -> QuizReport {
    let find = |id: &str| questions.iter().find(|question| question.id == id);
    let derived = derive(&submission.answers, find).expect("a run made by hand can be derived");
    QuizReport { format: FORMAT, run, submission, derived, questions }
}
