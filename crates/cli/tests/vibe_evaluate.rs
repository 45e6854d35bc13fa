//! Whole evaluations in a real browser: a tiny app, a tiny task, the resolver and the rules.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use benchwright_sandbox::archive::{ArchiveLimits, unpack};
use benchwright_store::{Folder, Review};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use support::{Corner, Said, signal, wait_until};

const OUT: &str = "work/benchwright-vibe";

fn fixture(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path);
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

/// The tiny app, with one thing changed.
fn app(corner: &Corner, find: &str, replace: &str) -> String {
    let text = fs::read_to_string(fixture("vibe/jam-shelf/index.html")).unwrap();
    assert!(text.contains(find), "{find}");
    let folder = corner.path("work/app");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("index.html"), text.replacen(find, replace, 1)).unwrap();
    folder.to_str().unwrap().to_owned()
}

fn evaluate(corner: &Corner, bundle: &str, more: &[&str]) -> Said {
    let pack = fixture("vibe/pack");
    let base = ["vibe", "evaluate", "--tasks", &pack, "--task", "jam-shelf", "--bundle", bundle];
    corner.run(&[&base[..], more].concat())
}

fn runs(corner: &Corner) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(corner.path(OUT).join("runs")) else { return Vec::new() };
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    runs.sort();
    runs
}

fn events(run: &Path) -> Vec<Value> {
    let log = fs::read_to_string(run.join("log")).unwrap_or_default();
    log.lines().filter_map(|line| serde_json::from_str::<Value>(line.splitn(3, ' ').nth(2)?).ok()).collect()
}

/// Kinds of evidence in the log of a run, in order.
fn kinds(run: &Path) -> Vec<String> {
    events(run).iter().filter_map(|event| event["body"]["kind"].as_str().map(str::to_owned)).collect()
}

/// The file that holds the evidence of a kind.
fn evidence(run: &Path, kind: &str) -> PathBuf {
    let event = events(run).into_iter().find(|event| event["body"]["kind"] == kind).unwrap();
    let blob = event["body"]["blob"].as_str().unwrap();
    run.join("blobs").join(&blob[..2]).join(blob)
}

fn walked(run: &Path) -> Vec<String> {
    kinds(run).iter().filter_map(|kind| kind.strip_prefix("workflow/").map(str::to_owned)).collect()
}

fn report(corner: &Corner) -> Value {
    serde_json::from_slice(&fs::read(corner.path(OUT).join("report.json")).unwrap()).unwrap()
}

/// Whether each workflow passes, by the rule.
fn passing(report: &Value) -> Vec<(String, bool)> {
    let workflows = report["workflows"].as_array().unwrap();
    let passes = |workflow: &Value| {
        let substeps = workflow["verdict"]["substeps"].as_array().unwrap();
        let passed = substeps.iter().filter(|substep| substep["mark"] == "pass").count();
        workflow["verdict"]["state"] == "judged" && 10 * passed >= 9 * substeps.len()
    };
    workflows.iter().map(|it| (it["verdict"]["workflow"].as_str().unwrap().to_owned(), passes(it))).collect()
}

#[test]
fn a_good_app_passes_every_workflow_and_everything_behind_that_is_kept() {
    let corner = Corner::new();
    let said = evaluate(&corner, &fixture("vibe/jam-shelf"), &["--model", "acme/one", "--fail-under", "100"]);
    let said = said.expect_code(0);
    assert!(said.stdout.contains("All 6 workflows pass."), "{}", said.stdout);
    let report = report(&corner);
    assert_eq!(report["app"]["model"], "acme/one");
    assert_eq!(report["app"]["backend"], "native");
    assert_eq!(report["evaluator"]["walker"], "resolver");
    assert_eq!(report["evaluator"]["settings"]["app_seconds"], "7200");
    assert!(passing(&report).iter().all(|(_, passes)| *passes), "{:?}", passing(&report));
    let run = runs(&corner).pop().unwrap();
    let kinds = kinds(&run);
    assert!(["task", "bundle", "start"].iter().all(|kind| kinds.iter().any(|it| it == kind)), "{kinds:?}");
    let run_json: Value = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
    assert_eq!((&run_json["track"], &run_json["evaluation"]), (&Value::from("vibe"), &report));
    for name in ["report.html", "report.md"] {
        let text = fs::read_to_string(corner.path(OUT).join(name)).unwrap();
        assert!(text.contains("Eat the last jar"), "{name}");
    }
    corner.assert_left_clean();
    let again = corner.run(&["vibe", "resume", "benchwright-vibe"]).expect_code(0);
    assert!(again.stderr.contains("nothing was left to walk"), "{}", again.stderr);
    corner.run(&["resume", run.to_str().unwrap()]).expect_code(2).expect_error(&["benchwright vibe resume"]);
}

#[test]
fn a_broken_feature_fails_the_workflows_of_that_feature_alone() {
    let corner = Corner::new();
    let bundle = app(&corner, "--jam.jars || shelf.splice(place, 1)", "jam.jars");
    let said =
        evaluate(&corner, &bundle, &["--fail-under", "90", "--concurrency", "3", "--shuffle", "5"]).expect_code(1);
    assert!(said.stderr.contains("below the threshold of 90"), "{}", said.stderr);
    let failed: Vec<String> =
        passing(&report(&corner)).into_iter().filter(|(_, passes)| !passes).map(|it| it.0).collect();
    assert_eq!(failed, ["eat-a-jar", "eat-the-last-jar"]);
    corner.assert_left_clean();
}

#[test]
fn one_workflow_can_be_tried_and_only_what_the_task_has() {
    let corner = Corner::new();
    let bundle = fixture("vibe/jam-shelf");
    evaluate(&corner, &bundle, &["--workflow", "throw-jam-away", "--seed", "x"]).expect_code(0);
    assert_eq!(passing(&report(&corner)), [("throw-jam-away".to_owned(), true)]);
    corner
        .run(&["vibe", "analyse", "benchwright-vibe"])
        .expect_code(2)
        .expect_error(&["no app was evaluated as a whole"]);
    evaluate(&corner, &bundle, &["--workflow", "fly"]).expect_code(2).expect_error(&["no workflow `fly`", "eat-a-jar"]);
    evaluate(&corner, &bundle, &["--concurrency", "2", "--shared-state"])
        .expect_code(2)
        .expect_error(&["share the state"]);
    for (option, value) in [("--app-cpus", "0"), ("--app-memory", "1"), ("--app-log", "0"), ("--agent-steps", "0")] {
        evaluate(&corner, &bundle, &[option, value]).expect_code(2).expect_error(&[option, "is not between"]);
    }
    evaluate(&corner, "nowhere", &[]).expect_code(2).expect_error(&["nowhere"]);
    let arguments = ["vibe", "evaluate", "--tasks", &fixture("vibe/pack"), "--task", "none", "--bundle", &bundle];
    corner.run(&arguments).expect_code(2).expect_error(&["no task `none`", "jam-shelf"]);
    corner.assert_left_clean();
}

#[test]
fn after_a_kill_finished_workflows_are_not_walked_again() {
    let corner = Corner::new();
    let (pack, bundle) = (fixture("vibe/pack"), fixture("vibe/jam-shelf"));
    let mut child = corner.start(&["vibe", "evaluate", "--tasks", &pack, "--task", "jam-shelf", "--bundle", &bundle]);
    wait_until("two workflows are walked", || runs(&corner).first().is_some_and(|run| walked(run).len() >= 2));
    signal(child.id(), "KILL");
    child.wait().unwrap();
    let run = runs(&corner).pop().unwrap();
    let before = walked(&run);
    assert!(before.len() < 6 && !run.join("run.json").exists(), "{before:?}");
    wait_until("all processes of the killed run are gone", || corner.processes().is_empty());
    corner.run(&["vibe", "resume", "benchwright-vibe"]).expect_code(0);
    let after = walked(&run);
    assert_eq!(after[..before.len()], before[..]);
    let mut once = after.clone();
    once.sort();
    once.dedup();
    assert_eq!((after.len(), once.len()), (6, 6), "{after:?}");
    assert!(passing(&report(&corner)).iter().all(|(_, passes)| *passes));
    assert_eq!(runs(&corner).len(), 1);
    corner.run(&["doctor", "--clean"]);
    corner.assert_left_clean();
}

#[test]
fn ctrl_c_keeps_what_was_walked_and_leaves_nothing_running() {
    let corner = Corner::new();
    let (pack, bundle) = (fixture("vibe/pack"), fixture("vibe/jam-shelf"));
    let child = corner.start(&["vibe", "evaluate", "--tasks", &pack, "--task", "jam-shelf", "--bundle", &bundle]);
    wait_until("a workflow is walked", || runs(&corner).first().is_some_and(|run| !walked(run).is_empty()));
    signal(child.id(), "INT");
    let said = Said::of(&child.wait_with_output().unwrap()).expect_code(130);
    assert!(said.stderr.contains("benchwright vibe resume"), "{}", said.stderr);
    corner.assert_left_clean();
    assert!(!runs(&corner)[0].join("run.json").exists());
}

#[test]
fn an_app_that_never_starts_fails_everything_and_its_words_are_kept() {
    let corner = Corner::new();
    let said = evaluate(&corner, &fixture("deploy/crashes-at-start"), &[]).expect_code(0);
    assert!(said.stdout.contains("could not be reached"), "{}", said.stdout);
    let report = report(&corner);
    assert_eq!(report["started"], false);
    assert!(passing(&report).iter().all(|(_, passes)| !passes));
    assert_eq!(report["workflows"][0]["verdict"]["state"], "app_down");
    let log = report["log"].as_str().unwrap().to_owned();
    let run = runs(&corner).pop().unwrap();
    let log = fs::read_to_string(run.join("blobs").join(&log[..2]).join(&log)).unwrap();
    assert!(!log.trim().is_empty());
    corner.assert_left_clean();
}

#[test]
fn what_is_no_bundle_is_an_app_that_does_not_start() {
    let corner = Corner::new();
    let place = |name: &str| corner.path("work").join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(place("empty")).unwrap();
    fs::write(place("torn.zip"), "no archive").unwrap();
    for (bundle, why) in [("empty", "neither an index.html nor a package.json"), ("torn.zip", "as a ZIP archive")] {
        let said = evaluate(&corner, &place(bundle), &["--model", "acme/one"]).expect_code(0);
        assert!(said.stdout.contains("could not be reached"), "{}", said.stdout);
        let report = report(&corner);
        assert_eq!((&report["started"], &report["app"]["backend"]), (&Value::from(false), &Value::from("none")));
        assert_eq!(report["workflows"].as_array().unwrap().len(), 6);
        for workflow in report["workflows"].as_array().unwrap() {
            assert_eq!(workflow["verdict"]["state"], "app_down");
            let reason = workflow["verdict"]["substeps"][0]["reason"].as_str().unwrap();
            assert!(reason.contains(why), "{reason}");
        }
        let note = report["start_note"].as_str().unwrap();
        assert!(note.contains(why) && !note.contains(corner.path("work").to_str().unwrap()), "{note}");
        assert_eq!(report["app"]["bundle"].as_str().unwrap().len(), 64);
    }
    evaluate(&corner, &place("nowhere"), &[]).expect_code(2).expect_error(&["nowhere"]);
    assert_eq!(runs(&corner).len(), 2);
    corner.assert_left_clean();
}

/// A judge to whom nothing is good enough. How many substeps there are stands in the shape of its answer.
fn strict(call: &LlmCall) -> LlmReply {
    let (_, behind) = call.body.split_once("\"maximum\":").unwrap();
    let substeps: u32 = behind.trim().split(|sign: char| !sign.is_ascii_digit()).next().unwrap().parse().unwrap();
    let verdict = |number| json!({ "number": number, "mark": "fail", "not_attempted": false, "reason": "not good enough", "evidence": [], "category": "other", "walker_suspected": false });
    let written = json!({ "verdicts": (1..=substeps).map(verdict).collect::<Vec<_>>(), "ambiguous": false });
    let choice = json!({ "message": { "role": "assistant", "content": written.to_string() }, "finish_reason": "stop" });
    LlmReply::ok(json!({ "model": "strict", "choices": [choice] }).to_string())
}

/// What a second judge and a person say of the first evaluation, written into its run.
fn opinions(corner: &Corner) {
    let judge = ScriptedLlm::start(|_, call: &LlmCall| strict(call)).unwrap();
    let address = judge.base_url();
    let asking = ["--judge", "strict", "--base-url", &address, "--budget", "inf", "--quiet"];
    corner.run(&[&["vibe", "rejudge", "benchwright-vibe"][..], &asking].concat()).expect_code(0);
    let run = runs(corner).pop().unwrap();
    let marks = vec![Some(true), Some(false), None];
    let (by, workflow, at) = ("ann".to_owned(), "eat-a-jar".to_owned(), "2026-11-17T12:00:00Z".to_owned());
    let id = run.file_name().unwrap().to_str().unwrap();
    benchwright_store::review(&Folder::at(&corner.path(OUT)), id, &Review { by, workflow, marks, at }).unwrap();
}

#[test]
fn verdicts_are_made_again_from_traces_alone_and_an_archive_reproduces_every_number() {
    let corner = Corner::new();
    let secret = ["sk_", "live_51Nq8ZtLkR3mXvB7wYcHdPsEgJf"].concat();
    let bundle = app(&corner, "<h1>Jam shelf</h1>", &format!("<h1>Jam shelf</h1><!-- {secret} --><p>{secret}</p>"));
    let password = "Vq7xK2mTz9RwL4";
    let saw = json!([{
        "timestamp": "2026-03-01T10:00:00", "source": "agent", "observation": "run",
        "content": format!("$ cat .env\nPOSTGRES_PASSWORD={password}\n"),
    }]);
    fs::write(corner.path("work/saw.json"), saw.to_string()).unwrap();
    evaluate(&corner, &bundle, &["--model", "acme/one", "--trajectory", "saw.json", "--quiet"]).expect_code(0);
    // Without a browser on the way, nothing can have been walked.
    let mut rejudge = corner.command(&["vibe", "rejudge", "benchwright-vibe", "--json"]);
    let told = Said::of(&rejudge.env("PATH", "/nowhere").output().unwrap()).expect_code(0).stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["runs"][0]["workflows"], 6);
    assert_eq!(told["runs"][0]["changed"], Value::Array(Vec::new()));
    assert_eq!(told["runs"][0]["agreed"], told["runs"][0]["shared"]);
    opinions(&corner);
    let said = corner.run(&["vibe", "export", "benchwright-vibe", "-o", "study.zip"]).expect_code(0);
    assert!(!said.stdout.contains(" 0 secrets"), "{}", said.stdout);
    let unpacked = corner.path("work/unpacked");
    fs::create_dir(&unpacked).unwrap();
    unpack(&corner.path("work/study.zip"), &unpacked, ArchiveLimits::default()).unwrap();
    for (prompt, words) in [("walker-", "You test a web app"), ("judge-", "You judge how a web app behaved")] {
        let files = fs::read_dir(unpacked.join("prompts")).unwrap().map(|file| file.unwrap().path());
        let of_it: Vec<_> = files.filter(|file| file.to_str().unwrap().contains(prompt)).collect();
        let [file] = of_it.as_slice() else { panic!("{of_it:?}") };
        assert!(fs::read_to_string(file).unwrap().contains(words), "{}", file.display());
    }
    corner.run(&["vibe", "import", "study.zip", "--out", "copy"]).expect_code(0);
    let (run, id) = (runs(&corner).remove(0), runs(&corner).remove(0).file_name().unwrap().to_owned());
    let copy = corner.path("work/copy/runs").join(id);
    assert_eq!(kinds(&copy), kinds(&run), "nothing is left out");
    assert!(fs::read_to_string(evidence(&copy, "trajectory")).unwrap().contains("cat .env"));
    let bundle = corner.path("work/bundle");
    fs::create_dir(&bundle).unwrap();
    unpack(&evidence(&copy, "bundle"), &bundle, ArchiveLimits::default()).unwrap();
    assert!(fs::read_to_string(bundle.join("index.html")).unwrap().contains("<h1>Jam shelf</h1>"));
    for secret in [secret.as_str(), password] {
        assert!(support::find_in(&corner.path("work/benchwright-vibe/runs"), secret.as_bytes()).is_some());
        assert_eq!(support::find_in(&corner.path("work/copy"), secret.as_bytes()), None);
    }
    let analysed = |from: &str, to: &str| {
        corner.run(&["vibe", "analyse", from, "--out", to, "--quiet"]).expect_code(0);
        fs::read_to_string(corner.path("work").join(to).join("analysis.json")).unwrap()
    };
    let (before, after) = (analysed("benchwright-vibe", "one"), analysed("copy", "two"));
    assert_eq!(before, after);
    assert!(before.contains("acme/one"), "{before}");
    let analysis: Value = serde_json::from_str(&before).unwrap();
    let raters: Vec<(&str, bool)> = analysis["agreement"]["raters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["rater"].as_str().unwrap(), it["human"].as_bool().unwrap()))
        .collect();
    for rater in [("resolver/rules", false), ("resolver/strict", false), ("ann", true)] {
        assert!(raters.contains(&rater), "{raters:?}");
    }
    assert_eq!(analysis["agreement"]["humans"]["substeps"], 0, "one person agrees with nobody");
    assert!(fs::read_to_string(corner.path("work/one/analysis.html")).unwrap().contains("acme/one"));
    assert!(corner.path("work/one/tables").read_dir().unwrap().count() > 10);
    corner.run(&["vibe", "rejudge", "copy"]).expect_code(0);
    let again = corner.run(&["vibe", "import", "study.zip", "--out", "copy"]).expect_code(0);
    assert!(again.stdout.contains("0 evaluations taken in, 1 were there before"), "{}", again.stdout);
    corner.assert_left_clean();
}

#[test]
fn repeats_are_evaluations_of_the_same_app() {
    let corner = Corner::new();
    let bundle = fixture("vibe/jam-shelf");
    let said = evaluate(&corner, &bundle, &["--repeat", "2", "--workflow", "eat-a-jar"]).expect_code(0);
    assert!(said.stdout.contains("2 evaluations: 100.0 %, 100.0 %; every verdict is the same"), "{}", said.stdout);
    let numbers: Vec<Value> = runs(&corner)
        .iter()
        .map(|run| serde_json::from_slice::<Value>(&fs::read(run.join("run.json")).unwrap()).unwrap())
        .map(|document| document["evaluation"]["app"]["evaluation"].clone())
        .collect();
    assert_eq!(numbers, [0, 1]);
}

#[test]
fn a_recorded_walk_is_walked_again_with_other_values() {
    let corner = Corner::new();
    let bundle = fixture("vibe/jam-shelf");
    evaluate(&corner, &bundle, &["--workflow", "eat-a-jar", "--quiet"]).expect_code(0);
    assert_eq!(report(&corner)["evaluator"]["walker"], "resolver");
    let again = ["--workflow", "eat-a-jar", "--evaluator", "replay", "--repeat", "2", "--quiet"];
    evaluate(&corner, &bundle, &again).expect_code(0);
    let report = report(&corner);
    assert_eq!((&report["evaluator"]["walker"], passing(&report)[0].1), (&Value::from("replay"), true));
    let begun = runs(&corner);
    let [_, first, second] = &begun[..] else { panic!("{begun:?}") };
    assert_eq!(walkers(first), ["replay"; 3]);
    assert_eq!(walkers(second), ["resolver"; 3], "another repeat has nothing to play yet");
    evaluate(&corner, &bundle, &again).expect_code(0);
    let played = runs(&corner)[3..].iter().map(|run| walkers(run)).collect::<Vec<_>>();
    assert_eq!(played, [["replay"; 3]; 2], "each plays its own");
}

/// Who walked each substep of a run of one workflow.
fn walkers(run: &Path) -> Vec<String> {
    let judged: Value = serde_json::from_slice(&fs::read(evidence(run, "workflow/eat-a-jar")).unwrap()).unwrap();
    let blob = judged["trace"].as_str().unwrap();
    let trace: Value =
        serde_json::from_slice(&fs::read(run.join("blobs").join(&blob[..2]).join(blob)).unwrap()).unwrap();
    assert!(trace["day"].as_str().is_some_and(|day| day.len() == 10), "{trace}");
    trace["substeps"].as_array().unwrap().iter().map(|substep| substep["by"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_address_is_walked_as_it_is_and_nothing_there_is_said_at_once() {
    let corner = Corner::new();
    let jam_shelf = fs::read_to_string(fixture("vibe/jam-shelf/index.html")).unwrap();
    let site = benchwright_fixtures::Site::html("<h1>Another app</h1>").page("/jam/", "text/html", jam_shelf);
    let server = benchwright_fixtures::Server::start(site).unwrap();
    let pack = fixture("vibe/pack");
    let at = |url: &str| {
        corner.run(&[
            "vibe",
            "evaluate",
            "--tasks",
            &pack,
            "--task",
            "jam-shelf",
            "--url",
            url,
            "--workflow",
            "eat-a-jar",
        ])
    };
    let address = server.url_of("/jam");
    at(&format!("{address}/")).expect_code(0);
    let report = report(&corner);
    assert_eq!((&report["app"]["backend"], passing(&report)[0].1), (&Value::from("none"), true));
    assert_eq!(
        (&report["app"]["url"], &report["evaluator"]["settings"]["shared_state"]),
        (&Value::from(address), &Value::from("true"))
    );
    let nobody = format!("http://127.0.0.1:{}/", benchwright_fixtures::refused_port().unwrap());
    at(&nobody).expect_code(2).expect_error(&["nothing answers"]);
    let url = ["vibe", "evaluate", "--tasks", &pack, "--task", "jam-shelf", "--url", &nobody, "--concurrency", "4"];
    corner.run(&url).expect_code(2).expect_error(&["cannot be copied", "leave out --concurrency"]);
    at("http://me:pw@127.0.0.1/").expect_code(2).expect_error(&["password"]);
    at("ftp://x/").expect_code(2).expect_error(&["http"]);
    at(&server.url_of("/jam/index.html")).expect_code(2).expect_error(&["name the folder"]);
}
