//! Commands about several reports, without a browser: the frozen run gives them.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::Corner;

fn frozen_run() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/harbor-coffee-format-1");
    path.canonicalize().unwrap().display().to_string()
}

/// The frozen run's report with changes of ours, in a folder of its own.
fn changed(corner: &Corner, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let folder = corner.path(&format!("work/{name}"));
    corner.run(&["rescore", &frozen_run(), "--out", name, "--format", "json", "--quiet"]).expect_code(0);
    let file = folder.join("report.json");
    let mut report: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    report["provenance"]["run"] = format!("run-{name}").into();
    change(&mut report);
    fs::write(&file, report.to_string()).unwrap();
    file
}

fn lower(report: &mut Value, id: &str, by: f64) {
    let score = report["scorers"][id]["score"].as_f64().unwrap();
    report["scorers"][id]["score"] = (score - by).into();
}

#[test]
fn every_format_is_written_where_it_was_asked_for() {
    let corner = Corner::new();
    let formats = ["--format", "html,json,md,junit,sarif,csv"];
    corner.run(&[&["rescore", &frozen_run(), "--out", "all", "--quiet"], &formats[..]].concat()).expect_code(0);
    for name in ["report.html", "report.json", "report.md", "junit.xml", "report.sarif", "report.csv"] {
        assert!(corner.path("work/all").join(name).metadata().unwrap().len() > 500, "{name}");
    }
    let sarif: Value = serde_json::from_slice(&fs::read(corner.path("work/all/report.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    corner.run(&["rescore", &frozen_run(), "--out", "few", "--format", "csv", "--quiet"]).expect_code(0);
    assert_eq!(fs::read_dir(corner.path("work/few")).unwrap().count(), 1);
    let said = corner.run(&["rescore", &frozen_run(), "--format", "pdf"]).expect_code(2);
    said.expect_error(&["pdf", "junit"]);
}

#[test]
fn two_reports_are_compared() {
    let corner = Corner::new();
    let file = changed(&corner, "after", |report| {
        lower(report, "c3", 0.1);
        lower(report, "c4", 0.02);
        report["scorers"]["f5"]["score"] = 1.0.into();
        report["scorers"]["f5"]["details"]["items"] = Value::Array(Vec::new());
    });
    let said = corner.run(&["compare", &frozen_run(), file.to_str().unwrap()]).expect_code(0);
    assert!(said.stdout.contains("1 worse, 1 better, 1 within noise"), "{}", said.stdout);
    let read = |name: &str| fs::read_to_string(corner.path("work/benchwright-compare").join(name)).unwrap();
    let comparison: Value = serde_json::from_str(&read("compare.json")).unwrap();
    let of = |id: &str| comparison["scorers"].as_array().unwrap().iter().find(|s| s["key"] == id).unwrap().clone();
    assert_eq!((&of("c3")["change"], &of("c4")["change"]), (&"worse".into(), &"within_noise".into()));
    assert_eq!(of("f5")["fixed"][0]["id"], "failed_requests");
    assert!(read("compare.html").contains("<figure>"), "the frozen run has its screenshots");
    assert!(read("compare.md").contains("### What was fixed"));
    let said = corner.run(&["compare", &frozen_run(), file.to_str().unwrap(), "--json"]).expect_code(0);
    assert_eq!(serde_json::from_str::<Value>(&said.stdout).unwrap(), comparison);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let corner = Corner::new();
    fs::write(corner.path("work/not.json"), "{\"format\": 1}").unwrap();
    let newer = changed(&corner, "newer", |report| report["format"] = 99.into());
    for (other, words) in
        [("nowhere", &["nowhere"][..]), ("not.json", &["not.json"]), (newer.to_str().unwrap(), &["newer Benchwright"])]
    {
        corner.run(&["compare", &frozen_run(), other]).expect_code(2).expect_error(words);
    }
    assert!(!corner.path("work/benchwright-compare").exists());
}

#[test]
fn falling_behind_a_baseline_ends_with_one() {
    let corner = Corner::new();
    let rescore = |baseline: &Path| {
        corner.run(&["rescore", &frozen_run(), "--out", "now", "--quiet", "--baseline", baseline.to_str().unwrap()])
    };
    rescore(Path::new(&frozen_run())).expect_code(0);
    let better = changed(&corner, "better", |report| lower(report, "c3", -0.1));
    rescore(&better).expect_code(1).expect_error(&["C3 Accessibility fell from", "since the baseline"]);
    let noisy = changed(&corner, "noisy", |report| lower(report, "c4", 0.05));
    rescore(&noisy).expect_code(0);
    let worse = changed(&corner, "worse", |report| lower(report, "c3", 0.1));
    rescore(&worse).expect_code(0);
    let instrument = changed(&corner, "instrument", |report| {
        lower(report, "c3", -0.1);
        report["provenance"]["versions"]["axe-core"] = "4.0.0".into();
    });
    rescore(&instrument).expect_code(0);
    rescore(Path::new("nowhere")).expect_code(2);
}

#[test]
fn a_board_is_made_of_all_reports_below_a_folder() {
    let corner = Corner::new();
    for (name, tool, composite) in [("kiln-0", "kiln", 90.0), ("kiln-1", "kiln", 91.0), ("forge-0", "forge", 40.0)] {
        changed(&corner, &format!("in/{name}"), |report| {
            report["provenance"]["run"] = name.into();
            report["composite"] = composite.into();
            report["subject"]["tool"] = tool.into();
        });
    }
    fs::write(corner.path("work/in/report.json"), "not a report").unwrap();
    let said = corner.run(&["leaderboard", "--runs", "in", "--out", "board"]).expect_code(0);
    assert!(said.stdout.contains("3 ranked runs on 1 prompt, 0 not ranked"), "{}", said.stdout);
    assert!(said.stderr.contains("left out"), "{}", said.stderr);
    let board: Value = serde_json::from_slice(&fs::read(corner.path("work/board/board.json")).unwrap()).unwrap();
    let rows = board["prompts"][0]["rankings"][0]["rows"].as_array().unwrap();
    assert_eq!((&rows[0]["tool"], &rows[1]["tool"]), (&"kiln".into(), &"forge".into()));
    for run in rows.iter().flat_map(|row| row["runs"].as_array().unwrap()) {
        let link = run["link"].as_str().unwrap();
        assert!(corner.path("work/board").join(link).is_file(), "{link}");
    }
    let csv = fs::read_to_string(corner.path("work/board/board.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(fs::read_to_string(corner.path("work/board/index.html")).unwrap().contains("forge"));
    corner.run(&["leaderboard", "--runs", "nowhere"]).expect_code(2).expect_error(&["nowhere"]);
    corner.run(&["leaderboard"]).expect_code(2).expect_error(&["--runs DIR"]);
}

#[derive(serde::Deserialize)]
struct Action {
    inputs: std::collections::BTreeMap<String, Input>,
    runs: Runs,
}
#[derive(serde::Deserialize)]
struct Input {
    description: String,
}
#[derive(serde::Deserialize)]
struct Runs {
    using: String,
    steps: Vec<Step>,
}
#[derive(serde::Deserialize)]
struct Step {
    name: String,
    #[serde(default)]
    run: String,
    #[serde(default)]
    shell: String,
    #[serde(default)]
    uses: String,
}

impl Action {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
        serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    fn script(&self, step: &str) -> &str {
        &self.runs.steps.iter().find(|one| one.name == step).unwrap().run
    }
}

/// The inputs of the GitHub Action that are options of `score` under the same name.
#[test]
fn the_github_action_asks_for_what_the_command_line_knows() {
    let action = Action::read();
    let help = Corner::new().run(&["score", "--help"]).expect_code(0).stdout;
    let own = ["url", "comment", "version", "token"];
    for (name, input) in &action.inputs {
        assert!(!input.description.is_empty(), "{name}");
        assert!(own.contains(&name.as_str()) || help.contains(&format!("--{name} ")), "--{name} is no option of score");
    }
    for needed in ["url", "source", "prompt", "fail-under", "baseline", "comment"] {
        assert!(action.inputs.contains_key(needed), "{needed}");
    }
    assert_eq!(action.runs.using, "composite");
    for step in &action.runs.steps {
        assert!(step.run.is_empty() != step.uses.is_empty(), "{}", step.name);
        assert!(step.run.is_empty() || step.shell == "bash", "{} needs a shell", step.name);
        // What a pull request may write must reach a script through its environment, never through its text.
        assert!(!step.run.contains("${{"), "{} puts an expression into a script", step.name);
    }
}

/// Puts a program beside the steps of the action, which find it first.
fn stand_in(corner: &Corner, name: &str, script: &str) {
    let path = corner.path("work").join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Runs a step of the action as GitHub does, whose `shell: bash` ends at the first command that fails.
fn runs_through(corner: &Corner, step: &str, inputs: &[(&str, &str)]) {
    let folder = corner.path("work");
    let ended = std::process::Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", Action::read().script(step)])
        .current_dir(&folder)
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()))
        .env("RUNNER_TEMP", &folder)
        .envs(inputs.iter().copied())
        .status()
        .unwrap();
    assert!(ended.success(), "{step}: {ended}");
}

#[test]
fn the_github_action_tells_a_score_below_its_limit_before_it_fails() {
    let corner = Corner::new();
    let score = "mkdir out\necho '{\"composite\":41.5}' > out/report.json\necho '# 41.5' > out/report.md\nexit 1\n";
    stand_in(&corner, "benchwright", score);
    stand_in(&corner, "jq", "echo 41.5\n");
    let mut inputs = ["SOURCE", "PROMPT", "ONLY", "BASELINE"].map(|name| (name, "")).to_vec();
    inputs.extend([("URL", "http://app.example/"), ("RUNS", "1"), ("FAIL_UNDER", "50"), ("FORMAT", "json,md")]);
    inputs.extend([("OUT", "out"), ("GITHUB_OUTPUT", "outputs"), ("GITHUB_STEP_SUMMARY", "summary")]);
    runs_through(&corner, "Score", &inputs);
    let read = |name: &str| fs::read_to_string(corner.path("work").join(name)).unwrap();
    assert_eq!(read("outputs"), "code=1\nreport=out\ncomposite=41.5\n");
    assert_eq!(read("summary"), "# 41.5\n");
}

/// Runs the step that comments, with a `gh` that writes down what it is asked and knows of one earlier comment, or of none.
fn commented(report: Option<&str>, earlier: &str) -> (Vec<String>, String) {
    let corner = Corner::new();
    let refusal = r#"{"message":"Resource not accessible by integration","status":"403"}"#;
    let gh = format!(
        "echo \"$*\" >> asked\ncase \"$*\" in\n'api user'*) echo '{refusal}'; exit 1;;\n*--paginate*) printf '%s' \"$EARLIER\";;\nesac\n"
    );
    stand_in(&corner, "gh", &gh);
    if let Some(report) = report {
        fs::create_dir(corner.path("work/out")).unwrap();
        fs::write(corner.path("work/out/report.md"), report).unwrap();
    }
    let inputs = [("EARLIER", earlier), ("REPOSITORY", "acme/app"), ("NUMBER", "7"), ("OUT", "out")];
    runs_through(&corner, "Comment on the pull request", &inputs);
    let read = |name: &str| fs::read_to_string(corner.path("work").join(name)).unwrap_or_default();
    (read("asked").lines().map(str::to_owned).collect(), read("benchwright-comment.md"))
}

#[test]
fn the_github_action_comments_once_and_then_mends_its_comment() {
    let (asked, comment) = commented(Some("# 91.5"), "");
    assert_eq!(comment, "<!-- benchwright -->\n# 91.5");
    assert!(asked[1].contains("select(.user.login == \"github-actions[bot]\")"), "{asked:?}");
    assert!(asked[2].starts_with("api --method POST repos/acme/app/issues/7/comments"), "{asked:?}");
    let (asked, _) = commented(Some("# 92"), "42\n");
    assert!(asked[2].starts_with("api --method PATCH repos/acme/app/issues/comments/42"), "{asked:?}");
    let (asked, _) = commented(None, "");
    assert!(asked.is_empty(), "without a report nothing is said: {asked:?}");
}
