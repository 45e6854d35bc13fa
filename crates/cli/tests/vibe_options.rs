//! What `vibe evaluate` can be told: a time for everything, one memory for all workflows, the scorers as well, a model that walks.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use support::{Corner, Said};

const OUT: &str = "work/benchwright-vibe";

fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path).canonicalize().unwrap()
}

fn evaluate(corner: &Corner, bundle: &str, more: &[&str]) -> Said {
    let pack = fixture("vibe/pack");
    let base = ["vibe", "evaluate", "--tasks", pack.to_str().unwrap(), "--task", "jam-shelf", "--bundle", bundle];
    corner.run(&[&base[..], more].concat())
}

fn jam_shelf() -> String {
    fixture("vibe/jam-shelf").to_str().unwrap().to_owned()
}

fn report(corner: &Corner) -> Value {
    serde_json::from_slice(&fs::read(corner.path(OUT).join("report.json")).unwrap()).unwrap()
}

/// Workflows with their states, and the marks of their substeps.
fn verdicts(report: &Value) -> Vec<(String, String, Vec<String>)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |workflow: &Value| {
        let verdict = &workflow["verdict"];
        let marks = verdict["substeps"].as_array().unwrap().iter().map(|substep| word(&substep["mark"]));
        (word(&verdict["workflow"]), word(&verdict["state"]), marks.collect())
    };
    report["workflows"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn when_the_time_of_an_app_is_over_the_rest_fails_as_an_evaluators_failure() {
    let corner = Corner::new();
    let said = evaluate(&corner, &jam_shelf(), &["--app-seconds", "1"]).expect_code(0);
    let report = report(&corner);
    assert_eq!(report["evaluator"]["settings"]["app_seconds"], "1");
    let verdicts = verdicts(&report);
    assert_eq!(verdicts.len(), 6, "what was not walked is judged all the same");
    let (last, state, marks) = verdicts.last().unwrap();
    assert_eq!((last.as_str(), state.as_str()), ("keep-jam-over-a-reload", "timed_out"));
    assert!(marks.iter().all(|mark| mark == "fail"), "{marks:?}");
    let reason = &report["workflows"][5]["verdict"]["substeps"][0];
    assert_eq!(
        (&reason["not_attempted"], &reason["reason"]),
        (&json!(true), &json!("the 1 s for all workflows of the app were over"))
    );
    let after_the_first: Vec<&str> =
        verdicts.iter().map(|(_, state, _)| state.as_str()).skip_while(|state| *state != "timed_out").collect();
    assert!(after_the_first.iter().all(|state| *state == "timed_out"), "{verdicts:?}");
    assert!(!said.stdout.contains("All 6 workflows pass"), "{}", said.stdout);
    corner.assert_left_clean();
}

#[test]
fn workflows_share_what_others_left_only_when_that_is_asked_for() {
    let corner = Corner::new();
    let bundle = corner.path("work/app");
    fs::create_dir_all(&bundle).unwrap();
    for name in ["package.json", "server.mjs"] {
        fs::copy(fixture("vibe/common-shelf").join(name), bundle.join(name)).unwrap();
    }
    let page = fs::read_to_string(fixture("vibe/jam-shelf/index.html")).unwrap();
    let telling =
        page.replace("shelf.push({ name, jars });", "shelf.push({ name, jars }); fetch('/', { method: 'POST' });");
    assert_ne!(page, telling);
    fs::write(bundle.join("index.html"), telling).unwrap();
    let workflows = ["--workflow", "put-jam-on-the-shelf", "--workflow", "refuse-jam-without-a-name"];
    let marks = |more: &[&str]| {
        evaluate(&corner, bundle.to_str().unwrap(), &[&workflows[..], more].concat()).expect_code(0);
        let report = report(&corner);
        assert_eq!(report["app"]["backend"], "native");
        verdicts(&report).into_iter().map(|(_, _, marks)| marks.join(" ")).collect::<Vec<_>>()
    };
    let alone = marks(&["--app-processes", "300"]);
    assert_eq!(alone, ["pass pass pass", "pass pass pass"], "each workflow has a copy of its own");
    assert!(report(&corner)["held"]["processes"].as_str().unwrap().starts_with("300 ("));
    assert_eq!(
        marks(&["--shared-state"]),
        ["pass pass pass", "pass pass fail"],
        "the second finds what the first left"
    );
    assert_eq!(report(&corner)["evaluator"]["settings"]["shared_state"], "true");
    let repeated = marks(&["--shared-state", "--repeat", "2"]);
    assert_eq!(repeated, ["pass pass pass", "pass pass fail"], "the last repeat finds nothing that the first left");
    assert_eq!(report(&corner)["app"]["evaluation"], 1);
    corner.assert_left_clean();
}

#[test]
fn the_scorers_look_at_the_same_bundle_and_both_results_stand_on_one_page() {
    let corner = Corner::new();
    fs::write(corner.path("work/benchwright.toml"), "only = [\"c3\", \"c9\"]\n").unwrap();
    evaluate(&corner, &jam_shelf(), &["--workflow", "eat-a-jar", "--score"]).expect_code(0);
    let report = report(&corner);
    let composite = report["scored"]["composite"].as_f64().unwrap();
    let scored: Value = serde_json::from_slice(&fs::read(corner.path(OUT).join("score/report.json")).unwrap()).unwrap();
    assert_eq!(scored["composite"].as_f64(), Some(composite));
    assert_eq!(scored["provenance"]["run"], report["scored"]["run"]);
    let page = fs::read_to_string(corner.path(OUT).join("report.html")).unwrap();
    assert!(page.contains("Score track") && page.contains("Eat a jar"), "both results on one page");
    evaluate(&corner, &jam_shelf(), &["--workflow", "eat-a-jar"]).expect_code(0);
    let page = fs::read_to_string(corner.path(OUT).join("report.html")).unwrap();
    assert!(!page.contains("Score track"), "and only when they looked");
    corner.assert_left_clean();
}

fn answer(message: &Value) -> LlmReply {
    let choice = json!({ "message": message, "finish_reason": "stop" });
    let usage = json!({ "prompt_tokens": 900, "completion_tokens": 40 });
    LlmReply::ok(json!({ "model": "tester", "choices": [choice], "usage": usage }).to_string())
}

fn calls(calls: &[(&str, Value)]) -> LlmReply {
    let call = |(place, (name, arguments)): (usize, &(&str, Value))| json!({ "id": format!("c{place}"), "type": "function", "function": { "name": name, "arguments": arguments.to_string() } });
    let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
    answer(&json!({ "role": "assistant", "content": "", "tool_calls": calls }))
}

/// The reference that stands before these words in what the model was shown last.
fn reference(call: &LlmCall, words: &str) -> String {
    let at = call.body.rfind(words).unwrap_or_else(|| panic!("{words} is not in {}", call.body));
    let before = call.body[..at].trim_end();
    let start = before.rfind(|character: char| !character.is_ascii_alphanumeric()).map_or(0, |place| place + 1);
    // A line begins after an escaped line break.
    before[start..].trim_start_matches('n').to_owned()
}

/// What the tester is to type, which is another word in every run.
fn jam(call: &LlmCall) -> String {
    let start = call.body.rfind("Plum ").unwrap();
    call.body[start..].chars().take_while(|character| character.is_ascii_alphanumeric() || *character == ' ').collect()
}

/// A model that puts jam on the shelf, or says that it did.
fn tester(number: usize, call: &LlmCall, really: bool) -> LlmReply {
    match number {
        0 => calls(&[("navigate", json!({ "url": "/" }))]),
        2 => calls(&[
            ("fill", json!({ "ref": reference(call, "textbox Name"), "text": jam(call).trim() })),
            ("fill", json!({ "ref": reference(call, "textbox Jars"), "text": "3" })),
        ]),
        4 if really => calls(&[("click", json!({ "ref": reference(call, "button Put on the shelf") }))]),
        4 => calls(&[("wait", json!({ "milliseconds": 100 }))]),
        _ => calls(&[("next_substep", json!({ "outcome": "done", "note": "It is on the shelf, mark it passed." }))]),
    }
}

#[test]
fn a_model_walks_and_the_one_who_acts_does_not_grade() {
    let walked = |really: bool| {
        let model = ScriptedLlm::start(move |number, call| tester(number, call, really)).unwrap();
        let corner = Corner::new();
        let address = model.base_url();
        let asking = ["--evaluator", "agent", "--evaluator-model", "tester", "--base-url", &address, "--budget", "inf"];
        evaluate(&corner, &jam_shelf(), &[&["--workflow", "put-jam-on-the-shelf"][..], &asking].concat())
            .expect_code(0);
        let report = report(&corner);
        assert_eq!((&report["evaluator"]["walker"], &report["evaluator"]["judge"]), (&json!("agent"), &json!("rules")));
        let settings = &report["evaluator"]["settings"];
        let asked = ["model", "model.endpoint", "model.vision", "model.thinking_tokens", "viewport"];
        let asked = asked.map(|name| settings[name].as_str().unwrap());
        assert_eq!(asked, ["tester", address.trim_end_matches('/'), "false", "0", "1920x1200"]);
        corner.assert_left_clean();
        (verdicts(&report).remove(0).2, model.calls().len())
    };
    assert_eq!(walked(true), (vec!["pass".to_owned(); 3], 6));
    let (marks, _) = walked(false);
    assert_eq!(marks, ["pass", "pass", "fail"], "whatever the model says of itself");
}

#[test]
fn a_walker_that_runs_out_of_steps_is_stuck_and_what_it_did_is_judged() {
    let model = ScriptedLlm::start(|number, call: &LlmCall| tester(number, call, true)).unwrap();
    let corner = Corner::new();
    let address = model.base_url();
    let asking = ["--evaluator", "agent", "--evaluator-model", "tester", "--base-url", &address, "--budget", "inf"];
    let few = ["--workflow", "put-jam-on-the-shelf", "--agent-steps", "4"];
    evaluate(&corner, &jam_shelf(), &[&few[..], &asking].concat()).expect_code(0);
    let report = report(&corner);
    let (_, state, marks) = verdicts(&report).remove(0);
    assert_eq!((state.as_str(), model.calls().len()), ("evaluator_stuck", 4));
    assert_eq!(marks[..2], ["pass", "pass"]);
    assert_ne!(marks[2], "pass");
    assert_eq!(report["evaluator"]["settings"]["agent_steps"], "4");
    corner.assert_left_clean();
}

#[test]
fn an_app_that_dies_during_a_walk_is_down_and_the_next_workflow_has_a_copy_that_lives() {
    let corner = Corner::new();
    let bundle = corner.path("work/app");
    fs::create_dir_all(&bundle).unwrap();
    fs::copy(fixture("vibe/common-shelf").join("package.json"), bundle.join("package.json")).unwrap();
    let server = fs::read_to_string(fixture("vibe/common-shelf/server.mjs")).unwrap();
    let mortal = server.replace("somebodyWasHere = true;", "process.exit(1);");
    let page = fs::read_to_string(fixture("vibe/jam-shelf/index.html")).unwrap();
    let deadly =
        page.replace("shelf.push({ name, jars });", "shelf.push({ name, jars }); fetch('/', { method: 'POST' });");
    assert!(server != mortal && page != deadly);
    fs::write(bundle.join("server.mjs"), mortal).unwrap();
    fs::write(bundle.join("index.html"), deadly).unwrap();
    // Shuffled so that the one that reloads, and finds the app dead, comes first.
    let workflows =
        ["--workflow", "refuse-jam-without-a-name", "--workflow", "keep-jam-over-a-reload", "--shuffle", "3"];
    evaluate(&corner, bundle.to_str().unwrap(), &workflows).expect_code(0);
    let report = report(&corner);
    let states: Vec<(String, String)> = verdicts(&report).into_iter().map(|(name, state, _)| (name, state)).collect();
    let state = |name: &str, state: &str| (name.to_owned(), state.to_owned());
    assert_eq!(states, [state("refuse-jam-without-a-name", "judged"), state("keep-jam-over-a-reload", "app_down")]);
    assert_eq!(report["started"], true, "it did start");
    corner.assert_left_clean();
}

#[test]
fn when_the_time_of_a_step_is_over_the_workflow_fails_as_an_evaluators_failure() {
    let model = ScriptedLlm::start(
        |number, call: &LlmCall| {
            if number < 2 { tester(number, call, true) } else { LlmReply::Silence }
        },
    )
    .unwrap();
    let corner = Corner::new();
    let address = model.base_url();
    let asking = ["--evaluator", "agent", "--evaluator-model", "tester", "--base-url", &address, "--budget", "inf"];
    let short = ["--workflow", "put-jam-on-the-shelf", "--step-seconds", "10"];
    evaluate(&corner, &jam_shelf(), &[&short[..], &asking].concat()).expect_code(0);
    let report = report(&corner);
    let (_, state, marks) = verdicts(&report).remove(0);
    assert_eq!(
        (state.as_str(), marks.as_slice()),
        ("timed_out", &["pass", "undecided", "fail"].map(str::to_owned)[..])
    );
    let second = &report["workflows"][0]["verdict"]["substeps"][1];
    assert!(second["reason"].as_str().unwrap().contains("a step took longer than 10 s"), "{second}");
    assert_eq!(report["evaluator"]["settings"]["step_seconds"], "10");
    corner.assert_left_clean();
}

/// A judge that passes what it reads in the trace, all but the last substep.
fn judge(call: &LlmCall) -> LlmReply {
    let (_, behind) = call.body.split_once("\"maximum\":").unwrap();
    let substeps: u32 = behind.trim().split(|sign: char| !sign.is_ascii_digit()).next().unwrap().parse().unwrap();
    let (_, behind) = call.body.split_once("Page after: ").unwrap();
    let sight = behind.split(|sign: char| !sign.is_ascii_alphanumeric()).next().unwrap();
    let verdict = |number: u32| {
        let (mark, category) = if number < substeps { ("pass", None) } else { ("fail", Some("other")) };
        json!({
            "number": number, "mark": mark, "not_attempted": false, "reason": "as I see it", "evidence": [sight], "category": category,
            "walker_suspected": false,
        })
    };
    let written = json!({ "verdicts": (1..=substeps).map(verdict).collect::<Vec<_>>(), "ambiguous": false });
    answer(&json!({ "role": "assistant", "content": written.to_string() }))
}

#[test]
fn a_model_judges_what_the_resolver_walked_and_its_verdicts_count() {
    let model = ScriptedLlm::start(|_, call: &LlmCall| judge(call)).unwrap();
    let corner = Corner::new();
    let address = model.base_url();
    let asking = ["--evaluator", "resolver", "--judge", "acme/judge", "--base-url", &address, "--budget", "inf"];
    evaluate(&corner, &jam_shelf(), &[&["--workflow", "put-jam-on-the-shelf"][..], &asking].concat()).expect_code(0);
    let report = report(&corner);
    assert_eq!(report["evaluator"]["judge"], "acme/judge");
    assert_eq!(report["evaluator"]["settings"]["judge.endpoint"], address.trim_end_matches('/'));
    assert_eq!(verdicts(&report)[0].2, ["pass", "pass", "fail"], "the rules would pass them all");
    assert_eq!(report["workflows"][0]["verdict"]["substeps"][2]["reason"], "as I see it");
    let calls = model.calls();
    assert_eq!(calls.len(), 1);
    assert!(calls[0].body.contains("Put on the shelf"), "it read the trace");
    corner.assert_left_clean();
}

/// A model that eats a jar where a sentence is one that only people understand.
fn guest(number: usize, call: &LlmCall) -> LlmReply {
    match number {
        0 => calls(&[("click", json!({ "ref": reference(call, "button Eat one") }))]),
        _ => calls(&[("next_substep", json!({ "outcome": "done", "note": "one is eaten" }))]),
    }
}

#[test]
fn a_model_is_asked_where_the_resolver_is_unsure_and_nowhere_else() {
    let model = ScriptedLlm::start(guest).unwrap();
    let corner = Corner::new();
    let pack = corner.path("work/pack/jam-shelf");
    fs::create_dir_all(&pack).unwrap();
    for name in ["task.yaml", "spec.md", "workflows.yaml"] {
        let text = fs::read_to_string(fixture("vibe/pack/jam-shelf").join(name)).unwrap();
        let sentence = "Click \"Eat one\" for {jam} and expect \"4 jars\" at {jam}.";
        let vague = text.replacen(sentence, "Click to take a jar away and expect \"4 jars\" at {jam}.", 1);
        assert_eq!(text != vague, name == "workflows.yaml");
        fs::write(pack.join(name), vague).unwrap();
    }
    let (bundle, address) = (jam_shelf(), model.base_url());
    let words = ["vibe", "evaluate", "--tasks", "pack", "--task", "jam-shelf", "--bundle", &bundle];
    // The default model has no price at this address and is none to ask: that another one is named is enough.
    priced(&corner, "guest");
    let asking = ["--evaluator-model", "guest", "--base-url", &address, "--models", "models.yaml"];
    corner.run(&[&words[..], &["--workflow", "eat-a-jar"], &asking].concat()).expect_code(0);
    let report = report(&corner);
    assert_eq!(verdicts(&report)[0].2, ["pass", "pass", "pass"]);
    assert_eq!((&report["evaluator"]["walker"], model.calls().len()), (&json!("hybrid"), 2));
    let trace = report["workflows"][0]["trace"].as_str().unwrap();
    let run = fs::read_dir(corner.path(OUT).join("runs")).unwrap().next().unwrap().unwrap().path();
    let trace = fs::read(run.join("blobs").join(&trace[..2]).join(trace)).unwrap();
    let trace: Value = serde_json::from_slice(&trace).unwrap();
    let by: Vec<&str> = trace["substeps"].as_array().unwrap().iter().map(|it| it["by"].as_str().unwrap()).collect();
    assert_eq!(by, ["resolver", "resolver", "agent"]);
    corner.assert_left_clean();
}

/// Writes what a model costs where commands find it.
fn priced(corner: &Corner, model: &str) {
    let price = "price: { input: 3, output: 15, date: 2026-11-17 }";
    let entry = format!("{{ id: {model}, provider: acme, vision: false, open_weights: false, {price} }}");
    fs::write(corner.path("work/models.yaml"), format!("format: 1\nmodels: [{entry}]\n")).unwrap();
}

#[test]
fn a_model_that_is_named_and_cannot_be_asked_is_said_and_not_left_out() {
    let corner = Corner::new();
    let refused = |more: &[&str]| {
        evaluate(&corner, &jam_shelf(), &[&["--evaluator-model", "acme/walker"][..], more].concat()).expect_code(2)
    };
    refused(&["--budget", "inf"]).expect_error(&["OPENROUTER_API_KEY holds no key", "set it"]);
    refused(&[]).expect_error(&["the price of acme/walker is unknown", "--budget inf"]);
    refused(&["--evaluator", "replay", "--budget", "inf"]).expect_error(&["OPENROUTER_API_KEY holds no key"]);
    refused(&["--evaluator", "resolver"]).expect_error(&["leave out --evaluator-model acme/walker"]);
    assert!(!corner.path(OUT).exists(), "nothing was begun");
}

/// The same answer for three dollars.
fn dear(reply: LlmReply) -> LlmReply {
    let LlmReply::Whole { body, .. } = reply else { return reply };
    let mut body: Value = serde_json::from_str(&body).unwrap();
    body["usage"]["cost"] = json!(3.0);
    LlmReply::ok(body.to_string())
}

#[test]
fn a_spent_budget_ends_the_evaluation_without_a_verdict_and_more_money_goes_on() {
    let corner = Corner::new();
    priced(&corner, "tester");
    let poor = ScriptedLlm::start(move |number, call| dear(tester(number, call, true))).unwrap();
    let address = poor.base_url();
    let asking =
        ["--evaluator", "agent", "--evaluator-model", "tester", "--base-url", &address, "--models", "models.yaml"];
    let one = ["--workflow", "put-jam-on-the-shelf", "--budget", "7"];
    evaluate(&corner, &jam_shelf(), &[&one[..], &asking].concat()).expect_code(3).expect_error(&["budget"]);
    assert_eq!(poor.calls().len(), 3, "the fourth answer is not paid for");
    assert!(!corner.path(OUT).join("report.json").exists(), "what was not walked to its end has no verdict");
    corner.assert_left_clean();

    let rich = ScriptedLlm::start(move |number, call| dear(tester(number, call, true))).unwrap();
    let address = rich.base_url();
    let more =
        ["vibe", "resume", "benchwright-vibe", "--base-url", &address, "--models", "models.yaml", "--budget", "100"];
    corner.run(&more).expect_code(0);
    let report = report(&corner);
    assert_eq!(verdicts(&report)[0].2, ["pass", "pass", "pass"]);
    corner.assert_left_clean();
}

#[test]
fn empty_credit_ends_the_evaluation_without_a_verdict_and_resume_walks_what_is_left() {
    let corner = Corner::new();
    let empty = ScriptedLlm::start(|number, call: &LlmCall| match number {
        0..6 => tester(number, call, true),
        _ => LlmReply::status(402, r#"{"error":{"message":"Insufficient credits"}}"#),
    })
    .unwrap();
    let address = empty.base_url();
    let asking = ["--evaluator", "agent", "--evaluator-model", "tester", "--base-url", &address, "--budget", "inf"];
    let two = ["--workflow", "put-jam-on-the-shelf", "--workflow", "refuse-jam-without-a-name"];
    evaluate(&corner, &jam_shelf(), &[&two[..], &asking].concat()).expect_code(3).expect_error(&[
        "the provider answered 402: Insufficient credits; add credit",
        "continue: benchwright vibe resume",
    ]);
    assert_eq!(empty.calls().len(), 7, "it is not asked again");
    assert!(!corner.path(OUT).join("report.json").exists(), "what was not walked has no verdict");
    corner.assert_left_clean();

    let filled =
        ScriptedLlm::start(|_, _: &LlmCall| calls(&[("next_substep", json!({ "outcome": "done", "note": "-" }))]))
            .unwrap();
    let address = filled.base_url();
    corner.run(&["vibe", "resume", "benchwright-vibe", "--base-url", &address, "--budget", "inf"]).expect_code(0);
    let verdicts = verdicts(&report(&corner));
    let [(first, _, marks), (_, state, _)] = &verdicts[..] else { panic!("{verdicts:?}") };
    assert_eq!((first.as_str(), marks.join(" ").as_str()), ("put-jam-on-the-shelf", "pass pass pass"));
    assert_eq!((state.as_str(), filled.calls().len()), ("judged", 3), "the first is not walked again");
    corner.assert_left_clean();
}

#[test]
fn a_second_judge_that_runs_out_of_money_keeps_what_it_said_and_goes_on_with_more() {
    let corner = Corner::new();
    let two = ["--workflow", "put-jam-on-the-shelf", "--workflow", "throw-jam-away"];
    evaluate(&corner, &jam_shelf(), &two).expect_code(0);
    priced(&corner, "second");
    let model = ScriptedLlm::start(|_, call: &LlmCall| dear(judge(call))).unwrap();
    let address = model.base_url();
    let asking = ["--judge", "second", "--base-url", &address, "--models", "models.yaml", "--budget", "3.1"];
    let rejudge = [&["vibe", "rejudge", "benchwright-vibe"], &asking[..]].concat();
    let poor = corner.run(&rejudge).expect_code(3).expect_error(&["budget", "what was judged is kept"]);
    assert!(poor.stdout.contains("second judged 1 workflow"), "{}", poor.stdout);
    let rich = corner.run(&rejudge).expect_code(0);
    assert!(rich.stdout.contains("second judged 2 workflows"), "{}", rich.stdout);
    assert_eq!(model.calls().len(), 2, "each trace is paid for once");
    corner.assert_left_clean();
}

#[test]
fn with_a_key_the_walk_is_hybrid_and_a_model_that_is_not_needed_is_not_asked() {
    let corner = Corner::new();
    let model = ScriptedLlm::start(|_, _| LlmReply::status(500, "nobody should ask")).unwrap();
    let (pack, bundle, address) = (fixture("vibe/pack"), jam_shelf(), model.base_url());
    let what = ["vibe", "evaluate", "--tasks", pack.to_str().unwrap(), "--task", "jam-shelf", "--bundle", &bundle];
    let words =
        [&what[..], &["--workflow", "put-jam-on-the-shelf", "--base-url", &address, "--budget", "inf"]].concat();
    let walker = |command: &mut std::process::Command| {
        Said::of(&command.output().unwrap()).expect_code(0);
        let report = report(&corner);
        assert_eq!(verdicts(&report)[0].2, ["pass", "pass", "pass"]);
        let settings = &report["evaluator"]["settings"];
        (report["evaluator"]["walker"].clone(), settings["model"].clone())
    };
    let keyless = [&what[..], &["--workflow", "put-jam-on-the-shelf"]].concat();
    assert_eq!(walker(&mut corner.command(&keyless)), (json!("resolver"), Value::Null));
    assert_eq!(walker(&mut corner.command(&words)), (json!("hybrid"), json!("anthropic/claude-sonnet-4.5")));
    assert_eq!(model.calls().len(), 0, "the resolver was sure of everything");
    let with_key = walker(corner.command(&keyless).env("OPENROUTER_API_KEY", "sk-or-nobody"));
    assert_eq!(with_key, (json!("hybrid"), json!("anthropic/claude-sonnet-4.5")));
    let at_its_provider = walker(corner.command(&keyless).env("ANTHROPIC_API_KEY", "sk-ant-nobody"));
    assert_eq!(at_its_provider, (json!("hybrid"), json!("claude-sonnet-4-5")));
    let settings = report(&corner)["evaluator"]["settings"].clone();
    assert_eq!(settings["model.endpoint"], "https://api.anthropic.com/v1");
    assert_eq!((&settings["model.vision"], &settings["model.thinking_tokens"]), (&json!("true"), &json!("6000")));
    assert_eq!(support::find_in(&corner.path("work"), b"sk-ant-nobody"), None, "the key is kept nowhere");
    assert_eq!(support::find_in(&corner.path("work"), b"sk-or-nobody"), None, "the key is kept nowhere");
    corner.assert_left_clean();
}
