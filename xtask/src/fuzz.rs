//! `cargo xtask fuzz`: texts at random for the extraction, steered by which of its code they reach.
//!
//! The stable compiler does it: only sanitizers need another one, and code without `unsafe` has little use for them.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::project;
use std::fs;
use std::path::Path;

/// How libFuzzer wants to be told what was reached.
const WATCHED: &str = "--cfg fuzzing -Cdebug-assertions -Ccodegen-units=1 -Cpasses=sancov-module \
     -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
     -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";
const GOLDEN: &str = "crates/quiz/tests/golden/extraction.jsonl";
const USUAL_MINUTES: usize = 2;

pub fn run(mut arguments: Arguments) -> Done {
    let minutes = arguments.number("--minutes", USUAL_MINUTES)?;
    arguments.finish()?;
    let folder = project::root().join("fuzz");
    let target = host()?;
    // A target that is named keeps the flags away from build scripts, which nobody watches.
    Call::cargo("build --quiet --release --locked --target-dir target --target")
        .arg(&target)
        .dir(&folder)
        .env("RUSTFLAGS", WATCHED)
        .run()?;
    let found = folder.join("corpus/extraction");
    fs::create_dir_all(&found).naming("make the fuzzer's folder")?;
    fs::create_dir_all(folder.join("artifacts")).naming("make the fuzzer's folder")?;
    write_seeds(&folder.join("corpus/golden"))?;
    Call::new(folder.join("target").join(target).join("release/extraction"))
        .words("corpus/extraction corpus/golden -artifact_prefix=artifacts/ -max_len=8192 -timeout=10 -print_final_stats=1")
        .arg(format!("-max_total_time={}", 60 * minutes))
        .dir(&folder)
        .run()
}

/// The platform this compiler compiles for unless told otherwise.
fn host() -> Result<String, Failure> {
    let told = Call::new("rustc").arg("-vV").text()?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::environment("rustc does not say for which platform it compiles"))
}

/// Every case of the golden file as the target reads it: a choice a line, then the output.
fn write_seeds(folder: &Path) -> Done {
    fs::create_dir_all(folder).naming("make the fuzzer's folder")?;
    let golden = fs::read_to_string(project::root().join(GOLDEN)).naming("read the golden file")?;
    for (number, line) in golden.lines().enumerate() {
        let seed = seed(&Json::parse(line).naming("read the golden file")?);
        fs::write(folder.join(number.to_string()), seed).naming("write a case for the fuzzer")?;
    }
    Ok(())
}

fn seed(case: &Json) -> String {
    let text = |choice: &Json| if let Json::Text(text) = choice { text.clone() } else { String::new() };
    let mut choices: Vec<String> = case.list("choices").iter().map(text).collect();
    if choices.is_empty() {
        choices = ["Paris", "Rome", "B cells", "14"].map(str::to_owned).into();
    }
    format!("{}\n{}", choices.join("\n"), case.text("output").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_becomes_four_lines_of_choices_and_the_output() {
        let case = Json::parse(r#"{"output": "ANSWER: B\n", "choices": ["1", "2", "3", "4"]}"#).unwrap();
        assert_eq!(seed(&case), "1\n2\n3\n4\nANSWER: B\n");
        let plain = Json::parse(r#"{"output": "C"}"#).unwrap();
        assert_eq!(seed(&plain), "Paris\nRome\nB cells\n14\nC");
    }
}
