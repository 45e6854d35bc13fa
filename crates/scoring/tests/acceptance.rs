//! Criteria walked in a real browser, on pages that meet them and on pages that do not.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "../../browser/tests/support/mod.rs"]
mod support;

use benchwright_domain::BlobId;
use benchwright_scoring::evidence::acceptance::{Acceptance, Failure, Step};
use benchwright_scoring::evidence::{Absence, EvidenceKind};
use benchwright_scoring::gather::{Desk, StepError, acceptance};
use benchwright_scoring::prompt::{self, Prompt};
use benchwright_scoring::record::{RecordError, Recorder};
use benchwright_scoring::request::{Access, Request};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use support::server::{Reply, Server, html, status, with_headers};
use support::{Chromium, instruments, node};

/// Keeps blobs in memory.
#[derive(Default)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl Recorder for Memory {
    fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, RecordError> {
        let id = benchwright_scoring::gather::source::sha256(bytes);
        self.0.insert(id.clone(), bytes.to_vec());
        Ok(BlobId(id))
    }

    fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError> {
        self.0.get(&id.0).cloned().ok_or_else(|| RecordError("no such blob".to_owned()))
    }

    fn evidence(&mut self, _: &str, _: u32, _: &[u8], _: f64) -> Result<(), RecordError> {
        Ok(())
    }

    fn absent(&mut self, _: EvidenceKind, _: &Absence, _: f64) -> Result<(), RecordError> {
        Ok(())
    }
}

/// A prompt with these criteria, one line each in YAML's short form.
fn criteria(lines: &str) -> Prompt {
    let text = format!("id: a-page\ntier: 2\nprompt: Build a page about lighthouses.\nmust_have:\n{lines}\n");
    prompt::load(&text, "a-page.yaml").unwrap_or_else(|error| panic!("{error}"))
}

async fn walk(url: &str, prompt: &Prompt, patience: f64) -> Result<(Acceptance, Memory), StepError> {
    let chromium = Chromium::start().await;
    let mut memory = Memory::default();
    let mut request = Request::new(url);
    request.limits.assertion_seconds = patience;
    let desk = Desk::new(&mut memory, &|_| {});
    let walked = acceptance::walk(&desk, chromium.browser(), &request, &Access::default(), prompt).await?;
    Ok((walked, memory))
}

fn failures(acceptance: &Acceptance) -> BTreeMap<&str, &Failure> {
    let failed = acceptance.criteria.iter().filter_map(|walked| Some((walked.id.as_str(), walked.failure.as_ref()?)));
    failed.collect()
}

const DIARY: &str = include_str!("diary.html");

async fn diary() -> Server {
    Server::start(|path| match path {
        "/" => {
            // No page may keep a prompt's script from running by its policy.
            let policy = ("Content-Security-Policy", "script-src 'self' 'unsafe-inline'");
            with_headers(200, &[("Content-Type", "text/html; charset=utf-8"), policy], DIARY.as_bytes())
        }
        "/login" => html("<title>Login</title><form><label>E-mail <input type=email></label><label>Password <input type=password></label></form>"),
        _ => status(404, "nothing here"),
    })
    .await
}

#[tokio::test]
async fn every_assertion_action_and_check_holds_where_it_should() {
    let server = diary().await;
    let prompt = criteria(
        r#"  - { id: visible, locator: "getByRole('heading', { level: 1 })", assert: toBeVisible }
  - { id: hidden, locator: "getByText('Secret note')", assert: toBeHidden }
  - { id: not-visible, locator: "getByText('Secret note')", assert: not.toBeVisible() }
  - { id: absent, locator: "getByText('Never written')", assert: toHaveCount(0) }
  - { id: text, locator: "getByRole('heading', { level: 1 })", assert: "toHaveText('Ship diary')" }
  - { id: text-regex, locator: "getByRole('heading', { level: 1 })", assert: "toHaveText(/^ship\\s+diary$/i)" }
  - { id: count, locator: "getByRole('listitem')", assert: toHaveCount(2) }
  - { id: count-at-least, locator: "getByRole('listitem')", assert: toHaveCountAtLeast(2) }
  - { id: value, locator: "getByLabel('Weather')", assert: "toHaveValue('calm')" }
  - { id: attribute, locator: "getByRole('link', { name: 'Harbour' })", assert: "toHaveAttribute('href', /harbour/)" }
  - { id: attribute-alone, locator: "getByRole('link', { name: 'Harbour' })", assert: "toHaveAttribute('href')" }
  - { id: checked, locator: "getByLabel('At sea')", assert: toBeChecked }
  - { id: not-checked, locator: "getByLabel('In dock')", assert: not.toBeChecked }
  - { id: focused, locator: "getByPlaceholder('New entry')", assert: toBeFocused, setup: [{ kind: click, locator: "getByPlaceholder('New entry')" }] }
  - { id: late, locator: "getByText('Written late')", assert: toBeVisible }
  - { id: in-view, locator: "getByRole('heading', { level: 1 })", assert: toBeVisible, custom: boundingBox.y < 800 }
  - { id: sticky, locator: "getByRole('navigation')", assert: toBeVisible, custom: stickyAfterScroll }
  - id: added
    locator: "getByText('Fog at dawn', { exact: true })"
    assert: toBeVisible
    setup:
      - { kind: fill, locator: "getByPlaceholder('New entry')", value: Fog at dawn }
      - { kind: press, locator: "getByPlaceholder('New entry')", key: Enter }
  - id: kept-over-a-reload
    locator: getByText('Rain at noon')
    assert: toBeVisible
    setup:
      - { kind: evaluate, expr: "() => localStorage.clear()" }
      - { kind: reload }
      - { kind: fill, locator: "getByPlaceholder('New entry')", value: Rain at noon }
      - { kind: click, locator: "getByRole('button', { name: 'Add' })" }
      - { kind: waitFor, locator: "getByText('Rain at noon')" }
      - { kind: reload }
  - { id: script, locator: "getByText('said by a script')", assert: toBeVisible, setup: [{ kind: evaluate, expr: "document.body.append('said by a script')" }] }
  - { id: login, locator: "locator('input[type=\"password\"]')", assert: toBeVisible, setup: [{ kind: revealLoginForm }] }"#,
    );
    let (acceptance, memory) = walk(&server.url("/"), &prompt, 2.0).await.unwrap();
    let failed: Vec<_> = failures(&acceptance).into_iter().map(|(id, failure)| (id, &failure.reason)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(acceptance.criteria.len(), 21);
    assert_eq!(acceptance.visits.len(), 21, "every criterion has a context of its own");
    let ids: Vec<_> = acceptance.criteria.iter().map(|walked| walked.id.as_str()).collect();
    assert_eq!(ids[0], "visible", "in the order of the file: {ids:?}");
    assert!(memory.0.is_empty(), "nothing failed, so nothing was photographed");
    let tried = |visit: &benchwright_scoring::evidence::acceptance::Visit| {
        visit.requests.iter().any(|request| request.url.ends_with("/login") || request.url.ends_with("/signin"))
    };
    assert!(!acceptance.visits.iter().any(tried), "what we tried ourselves is not the page's");
}

#[tokio::test]
async fn what_a_tab_says_that_a_criterion_opens_is_heard_unless_the_tab_is_somebody_elses() {
    let server = Server::start(|path| match path {
        "/" => html(
            "<h1>Log book</h1><a href=/chart target=_blank>Chart</a><script src=/shared.js></script>\
             <a target=_blank id=away>Weather</a>\
             <script>away.href = location.href.replace('127.0.0.1', 'localhost') + 'weather'</script>",
        ),
        "/chart" => html(
            "<h1>Chart</h1><script src=/shared.js></script><script src=/gone.js></script>\
             <script>throw new Error('no depth here')</script>",
        ),
        "/weather" => html("<h1>Weather</h1><script src=/lost.js></script><script>throw new Error('fog')</script>"),
        "/shared.js" => with_headers(200, &[("Content-Type", "text/javascript")], b"window.shared = 1"),
        _ => status(404, "nothing here"),
    })
    .await;
    let prompt = criteria(
        r#"  - { id: chart, locator: "getByRole('heading', { name: 'Log book' })", assert: toBeVisible, setup: [{ kind: click, locator: "getByText('Chart')" }] }
  - { id: weather, locator: "getByRole('heading', { name: 'Log book' })", assert: toBeVisible, setup: [{ kind: click, locator: "getByText('Weather')" }] }"#,
    );
    let (acceptance, _) = walk(&server.url("/"), &prompt, 5.0).await.unwrap();
    assert!(failures(&acceptance).is_empty());
    let [chart, weather] = acceptance.visits.as_slice() else { panic!("{:?}", acceptance.visits) };
    assert_eq!(chart.exceptions.len(), 1, "{chart:?}");
    assert!(chart.exceptions[0].text.contains("no depth here"));
    let gone = chart.requests.iter().find(|request| request.url.ends_with("/gone.js")).unwrap();
    assert_eq!(gone.status, Some(404));
    let lost = weather.requests.iter().any(|request| request.url.ends_with("/lost.js"));
    assert!(weather.exceptions.is_empty() && !lost, "{weather:?}");
}

#[tokio::test]
async fn a_failure_keeps_its_step_reason_elements_and_picture() {
    let server = diary().await;
    let prompt = criteria(
        r#"  - { id: nothing, locator: "getByRole('button', { name: 'Publish' })", assert: toBeVisible }
  - { id: too-many, locator: "getByRole('listitem')", assert: toHaveCount(1) }
  - { id: too-few, locator: "getByRole('listitem')", assert: toHaveCountAtLeast(9) }
  - { id: unseen, locator: "getByText('Secret note')", assert: toBeVisible }
  - { id: seen, locator: "getByRole('heading', { level: 1 })", assert: toBeHidden }
  - { id: other-text, locator: "getByRole('heading', { level: 1 })", assert: "toHaveText('Log book')" }
  - { id: setup, locator: "getByText('x')", assert: toBeVisible, setup: [{ kind: reload }, { kind: click, locator: "getByText('Secret note')" }] }
  - { id: script, locator: "getByText('x')", assert: toBeVisible, setup: [{ kind: evaluate, expr: "() => { throw new Error('no wind') }" }] }
  - { id: too-low, locator: "getByText('The end of the page')", assert: toBeVisible, custom: boundingBox.y < 800 }
  - { id: scrolls-away, locator: "getByRole('heading', { level: 1 })", assert: toBeVisible, custom: stickyAfterScroll }
  - { id: short-lived, locator: "getByText('Soon more')", assert: toHaveCount(0) }
  - { id: unticked, locator: "getByLabel('In dock')", assert: toBeChecked }
  - { id: other-value, locator: "getByLabel('Weather')", assert: "toHaveValue('gale')" }
  - { id: other-attribute, locator: "getByRole('link', { name: 'Harbour' })", assert: "toHaveAttribute('href', '/pier')" }
  - { id: no-attribute, locator: "getByRole('link', { name: 'Harbour' })", assert: "toHaveAttribute('download')" }
  - { id: unfocused, locator: "getByPlaceholder('New entry')", assert: toBeFocused, setup: [{ kind: click, locator: "getByLabel('In dock')" }] }
  - { id: holds, locator: "getByRole('heading', { level: 1 })", assert: toBeVisible }"#,
    );
    let (acceptance, memory) = walk(&server.url("/"), &prompt, 2.0).await.unwrap();
    let failed = failures(&acceptance);
    let reason = |id: &str| failed.get(id).unwrap_or_else(|| panic!("{id} holds")).reason.as_str();
    assert!(!failed.contains_key("holds"), "{:?}", failed.get("holds"));
    for (id, words) in [
        ("nothing", "no element matched within"),
        ("too-many", "2 elements matched, expected 1"),
        ("too-few", "2 elements matched, expected at least 9"),
        ("unseen", "the element that matched did not become visible"),
        ("seen", "did not go away"),
        ("other-text", "the text was \"Ship diary\" and did not become the text \"Log book\""),
        ("setup", "setup step 2 (click): the element that matched did not become visible within"),
        ("script", "setup step 1 (evaluate): the script failed: Error: no wind"),
        ("too-low", "expected that y of its box is less than 800 px"),
        ("scrolls-away", "so it does not stick"),
        ("short-lived", "1 element matched, expected 0"),
        ("unticked", "it was unchecked and did not become checked"),
        ("other-value", "the value was \"calm\" and did not become a field that holds the text \"gale\""),
        (
            "other-attribute",
            "the attribute href was \"/harbour\" and did not become the attribute href with the text \"/pier\"",
        ),
        ("no-attribute", "the attribute download did not appear"),
        ("unfocused", "it did not get the focus"),
    ] {
        assert!(reason(id).contains(words), "{id}: {}", reason(id));
    }
    assert_eq!(failed["setup"].step, Step::Setup { number: 2, action: "click".to_owned() });
    assert_eq!(failed["too-low"].step, Step::Custom);
    let many = failed["too-many"];
    assert_eq!((many.matched, many.elements.len(), many.step.clone()), (2, 2, Step::Assertion));
    assert!(many.elements[0].visible && many.elements[0].html.starts_with("<li"), "{:?}", many.elements);
    assert!(many.elements[0].rect.width > 0.0);
    assert!(!failed["unseen"].elements[0].visible);
    assert_eq!(many.locator.as_deref(), Some("getByRole('listitem')"));
    for (id, failure) in &failed {
        let shot = failure.screenshot.as_ref().unwrap_or_else(|| panic!("{id} has no picture"));
        assert_eq!(shot.name, format!("criterion-{id}"));
        assert_eq!((shot.width, shot.height), (1440, 900));
        assert!(memory.0[&shot.blob.0].starts_with(b"\x89PNG"));
    }
}

#[tokio::test]
async fn state_is_shared_by_chained_criteria_only() {
    let server = diary().await;
    let add = r#"setup: [{ kind: fill, locator: "getByPlaceholder('New entry')", value: Squall }, { kind: press, locator: "getByPlaceholder('New entry')", key: Enter }]"#;
    let prompt = criteria(&format!(
        r#"  - {{ id: added, locator: "getByText('Squall')", assert: toBeVisible, {add} }}
  - {{ id: still-there, locator: "getByText('Squall')", assert: toBeVisible, chain: true, setup: [{{ kind: reload }}] }}
  - {{ id: fresh, locator: "getByText('Squall')", assert: toHaveCount(0) }}
  - {{ id: dialog, locator: "getByText('answered false')", assert: toBeVisible, setup: [{{ kind: click, locator: "getByRole('button', {{ name: 'Ask' }})" }}] }}"#
    ));
    let (acceptance, _) = walk(&server.url("/"), &prompt, 2.0).await.unwrap();
    assert!(failures(&acceptance).is_empty(), "{:#?}", failures(&acceptance));
    let contexts: Vec<_> = acceptance.visits.iter().map(|visit| visit.criteria.join(" ")).collect();
    assert_eq!(contexts, ["added still-there", "fresh", "dialog"]);
    assert_eq!(acceptance.visits[2].dialogs, 1);
    assert_eq!(acceptance.visits[2].popups, 0);
}

#[tokio::test]
async fn what_a_page_says_is_heard_in_every_context_and_a_crash_loses_only_its_own_criterion() {
    let page = "<title>Noisy</title><h1>A noisy page</h1><script src=/app.js></script>\
                <script>fetch('/gone'); setTimeout(() => { throw new Error('lost at sea') })</script>";
    let server = Server::start(move |path| match path {
        "/" => html(page),
        "/app.js" => with_headers(200, &[("Content-Type", "text/javascript")], b"var loaded = true;"),
        _ => Reply::Full(404, Vec::new(), Vec::new()),
    })
    .await;
    let heading = r#"locator: "getByRole('heading')", assert: toBeVisible"#;
    let prompt = criteria(&format!(
        "  - {{ id: one, {heading} }}\n  - {{ id: crash, {heading}, setup: [{{ kind: evaluate, expr: \"location = 'chrome://crash'\" }}, {{ kind: evaluate, expr: \"() => {{ for (;;) {{}} }}\" }}] }}\n  - {{ id: two, {heading} }}"
    ));
    let (acceptance, _) = walk(&server.url("/"), &prompt, 2.0).await.unwrap();
    let failed = failures(&acceptance);
    assert_eq!(failed.keys().copied().collect::<Vec<_>>(), ["crash"], "{failed:#?}");
    assert_eq!(failed["crash"].reason, "setup step 2 (evaluate): the page did not answer in time");
    for visit in &acceptance.visits {
        let urls: Vec<_> =
            visit.requests.iter().filter_map(|request| request.url.rsplit_once('/')).map(|(_, name)| name).collect();
        assert!(urls.contains(&"app.js") && urls.contains(&"gone"), "{urls:?}");
        assert!(visit.exceptions.iter().any(|thrown| thrown.text.contains("lost at sea")), "{:?}", visit.exceptions);
    }
}

#[tokio::test]
async fn a_locator_the_engine_refuses_is_an_error_and_never_a_low_score() {
    let server = diary().await;
    // Words of browsers' own are taken on trust: whether this browser knows one is not told by any grammar.
    let prompt = criteria("  - { id: odd, locator: \"locator('a:-webkit-nowhere')\", assert: toBeVisible }");
    let error = walk(&server.url("/"), &prompt, 2.0).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("the criterion `odd` cannot be walked: its locator is not understood"), "{error}");
}

/// Prompts of the peer's package, unpacked into a folder; none when there is no registry.
fn peer_prompts(folder: &Path) -> Option<Vec<(String, String)>> {
    let npm = instruments().join("node_modules/npm/bin/npm-cli.js");
    std::fs::write(folder.join("package.json"), "{\"private\":true}").unwrap();
    let output = std::process::Command::new(node())
        .arg(npm)
        .args([
            "install",
            "webappbench@0.3.0",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--omit=dev",
            "--omit=optional",
        ])
        .args(["--install-strategy=shallow", "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000"])
        .current_dir(folder)
        .env("npm_config_cache", folder.join("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if !output.status.success() {
        return None;
    }
    let root = folder.join("node_modules/webappbench/prompts");
    let mut found = Vec::new();
    for list in std::fs::read_dir(root).unwrap().flatten() {
        for file in std::fs::read_dir(list.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                found.push((file.file_name().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    Some(found)
}

#[tokio::test]
async fn the_peers_eight_prompts_load_and_run_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = peer_prompts(folder.path()) else {
        benchwright_fixtures::skip("the package registry cannot be reached, so the peer's prompts were not tried");
        return;
    };
    assert_eq!(files.len(), 8, "{:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>());
    let server = diary().await;
    let mut all = 0;
    let mut merged: Option<Prompt> = None;
    for (name, text) in &files {
        let prompt = prompt::load(text, name).unwrap_or_else(|error| panic!("{error}"));
        assert!(prompt::lint(text, name).is_empty(), "{name}: {:#?}", prompt::lint(text, name));
        all += prompt.must_have.len() + prompt.should_have.len();
        let merged =
            merged.get_or_insert_with(|| Prompt { must_have: Vec::new(), should_have: Vec::new(), ..prompt.clone() });
        let stem = name.trim_end_matches(".yaml");
        let named =
            |criterion: prompt::Criterion| prompt::Criterion { id: format!("{stem}/{}", criterion.id), ..criterion };
        merged.must_have.extend(prompt.must_have.into_iter().map(named));
        merged.should_have.extend(prompt.should_have.into_iter().map(named));
    }
    let (acceptance, _) = walk(&server.url("/"), &merged.unwrap(), 0.3).await.unwrap();
    assert_eq!(acceptance.criteria.len(), all);
    assert!(all >= 30, "{all}");
    let failed = failures(&acceptance);
    for id in [
        "todo-localstorage/add_task_appears",
        "todo-localstorage/persists_across_reload",
        "crm-contacts/password_field_present",
    ] {
        assert!(!failed.contains_key(id), "{id}: {:?}", failed[id]);
    }
    assert!(failed.contains_key("todo-localstorage/empty_state_copy"), "the diary is no task list");
}

#[tokio::test]
async fn a_prompt_in_the_peers_manner_runs() {
    let text = r#"
id: ship-diary
tier: 2
prompt: |
  Build a ship's diary that keeps its entries in localStorage.
must_have:
  - id: entry_appears
    setup:
      - kind: evaluate
        expr: "() => localStorage.clear()"
      - kind: reload
      - kind: fill
        locator: "getByRole('textbox', { name: /entry/i })"
        value: "North wind"
      - kind: press
        locator: "getByRole('textbox', { name: /entry/i })"
        key: "Enter"
    locator: "getByText('North wind', { exact: true })"
    assert: "toBeVisible"
  - id: password_field
    setup:
      - kind: revealLoginForm
    locator: "locator('input[type=\"password\"]')"
    assert: "toHaveCountAtLeast(1)"
should_have:
  - id: actions
    locator: "getByRole('button').or(getByRole('link')).filter({ hasText: /harbour|sail/i })"
    assert: "toHaveCountAtLeast(1)"
  - id: bar_sticks
    locator: "getByRole('navigation')"
    assert: "toBeVisible"
    custom: "stickyAfterScroll"
"#;
    let prompt = prompt::load(text, "ship-diary.yaml").unwrap();
    let server = diary().await;
    let (acceptance, _) = walk(&server.url("/"), &prompt, 2.0).await.unwrap();
    assert!(failures(&acceptance).is_empty(), "{:#?}", failures(&acceptance));
}
