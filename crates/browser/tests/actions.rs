//! Acting as a person would: not on what is hidden, disabled, moving or covered.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{BrowserError, ClickOptions, ElementState, MouseButton, Page, TextMatch};
use serde_json::{Value, json};
use std::time::Duration;
use support::server::{Server, file, html};
use support::{Chromium, LIMIT, limits};

async fn open(page_file: &'static str) -> (Chromium, Server, Page) {
    let server =
        Server::start(move |path| if path == "/" { file(page_file) } else { html("<title>next</title>") }).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    (chromium, server, page)
}

fn within(seconds: u64) -> ClickOptions {
    ClickOptions { timeout: Duration::from_secs(seconds), ..ClickOptions::default() }
}

async fn clicked(page: &Page) -> Vec<String> {
    page.evaluate_in_page("() => window.clicked", &Value::Null, LIMIT).await.unwrap()
}

async fn refusal(page: &Page, id: &str) -> String {
    match page.locator(&format!("css=#{id}")).click(within(2)).await {
        Err(BrowserError::NotActionable { reason, seconds, .. }) => {
            assert_eq!(seconds, 2.0);
            reason
        }
        other => panic!("{id}: {other:?}"),
    }
}

#[tokio::test]
async fn what_cannot_be_clicked_is_refused_with_the_reason() {
    let (_chromium, _server, page) = open("obstacles.html").await;
    assert!(refusal(&page, "hidden").await.contains("not visible"));
    assert!(refusal(&page, "disabled").await.contains("not enabled"));
    let covered = refusal(&page, "covered").await;
    assert!(covered.contains("id=\"cover\"") && covered.contains("intercepts pointer events"), "{covered}");
    assert!(refusal(&page, "restless").await.contains("not stable"));
    assert!(refusal(&page, "absent").await.contains("no element"));
    assert_eq!(clicked(&page).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_becomes_ready_is_waited_for() {
    let (_chromium, _server, page) = open("obstacles.html").await;
    for id in ["arriving", "enabled-later", "uncovered-later", "far", "under-bar"] {
        page.evaluate_in_page::<Value>("() => startTimers()", &Value::Null, LIMIT).await.unwrap();
        page.locator(&format!("css=#{id}")).click(ClickOptions::default()).await.unwrap();
    }
    assert_eq!(clicked(&page).await, ["arriving", "enabled-later", "uncovered-later", "far", "under-bar"]);
}

#[tokio::test]
async fn several_matches_and_bad_selectors_are_refused_at_once() {
    let (_chromium, _server, page) = open("obstacles.html").await;
    let several = page.locator("css=button").click(ClickOptions::default()).await.unwrap_err();
    assert!(
        matches!(&several, BrowserError::Selector { message } if message.contains("strict mode violation")),
        "{several}"
    );
    let bad = page.locator("css=[[").count().await.unwrap_err();
    assert!(matches!(bad, BrowserError::Selector { .. }), "{bad}");
    let unknown = page.locator("no-such-engine=x").count().await.unwrap_err();
    assert!(matches!(unknown, BrowserError::Selector { .. }), "{unknown}");
    assert_eq!(page.locator("css=button").count().await.unwrap(), 8);
    assert_eq!(page.locator("css=button").nth(2).get_attribute("id").await.unwrap().as_deref(), Some("covered"));
}

#[tokio::test]
async fn forms_are_filled_typed_chosen_and_sent() {
    let (_chromium, server, page) = open("form.html").await;
    let label = |text: &str| page.get_by_label(&TextMatch::from(text));
    label("Full name").fill("Grace Hopper").await.unwrap();
    label("Full name").fill("Ada Lovelace").await.unwrap();
    assert_eq!(label("Full name").input_value().await.unwrap(), "Ada Lovelace");
    label("Email").type_text("ada@example.test, é?").await.unwrap();
    assert_eq!(label("Email").input_value().await.unwrap(), "ada@example.test, é?");
    label("Email").press("Control+A").await.unwrap();
    page.press("Backspace").await.unwrap();
    assert_eq!(label("Email").input_value().await.unwrap(), "");
    label("Birthday").fill("1815-12-10").await.unwrap();
    assert_eq!(label("Birthday").input_value().await.unwrap(), "1815-12-10");
    label("Notes").fill("one\ntwo").await.unwrap();
    assert_eq!(label("Notes").input_value().await.unwrap(), "one\ntwo");
    page.locator("css=#rich").fill("rich text").await.unwrap();
    assert_eq!(page.locator("css=#rich").text_content().await.unwrap(), "rich text");
    assert_eq!(label("Country").select_option(&["France"]).await.unwrap(), ["fr"]);
    assert_eq!(label("Country").input_value().await.unwrap(), "fr");
    let terms = page.get_by_role("checkbox", Some(TextMatch::from("terms")));
    assert!(!terms.is_checked().await.unwrap());
    terms.set_checked(true).await.unwrap();
    terms.set_checked(true).await.unwrap();
    assert!(terms.is_checked().await.unwrap());
    label("Full name").focus().await.unwrap();
    assert!(label("Full name").is_focused().await.unwrap());
    page.press("Tab").await.unwrap();
    assert!(label("Email").is_focused().await.unwrap());
    let error = page.locator("css=h1").with_timeout(Duration::from_secs(2)).fill("x").await.unwrap_err();
    assert!(matches!(error, BrowserError::Script { .. }), "{error}");
    label("Full name").press("Enter").await.unwrap();
    // The submission has arrived when the call comes back.
    assert!(page.url().starts_with(&server.url("/sent?name=Ada")), "{}", page.url());
}

#[tokio::test]
async fn clicks_of_every_kind_reach_the_page_as_real_events() {
    let (_chromium, _server, page) = open("form.html").await;
    let pad = page.get_by_test_id("pad");
    pad.click(ClickOptions { count: 2, ..ClickOptions::default() }).await.unwrap();
    pad.click(ClickOptions { button: MouseButton::Right, ..ClickOptions::default() }).await.unwrap();
    pad.hover().await.unwrap();
    let events: Vec<String> = page.evaluate_in_page("() => window.events", &Value::Null, LIMIT).await.unwrap();
    for expected in ["mouseover true", "click true", "dblclick true", "contextmenu true"] {
        assert!(events.iter().any(|event| event == expected), "{expected} in {events:?}");
    }
    let area = pad.bounding_box().await.unwrap().unwrap();
    page.evaluate_in_page::<Value>("() => { window.events = [] }", &Value::Null, LIMIT).await.unwrap();
    page.mouse_move(1.0, 1.0).await.unwrap();
    page.mouse_click(area.x + 5.0, area.y + 5.0).await.unwrap();
    page.mouse_wheel(area.x + 5.0, area.y + 5.0, 0.0, 100.0).await.unwrap();
    let wheel = "() => new Promise(done => { const look = () => events.includes('wheel true') ? done(events) : setTimeout(look, 20); look(); })";
    let events: Vec<String> = page.evaluate_in_page(wheel, &Value::Null, LIMIT).await.unwrap();
    assert!(events.contains(&"click true".to_owned()), "{events:?}");
}

#[tokio::test]
async fn a_click_that_has_begun_is_brought_to_its_end() {
    let (_chromium, _server, page) = open("form.html").await;
    // The mouse arrives, and the page is busy for longer than the element had to become ready.
    let busy = "() => document.addEventListener('mousemove', () => { \
                const end = Date.now() + 3500; while (Date.now() < end); }, { once: true })";
    page.evaluate_in_page::<Value>(busy, &Value::Null, LIMIT).await.unwrap();
    page.get_by_test_id("pad").click(within(3)).await.unwrap();
    let events: Vec<String> = page.evaluate_in_page("() => window.events", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(events.iter().filter(|event| *event == "click true").count(), 1, "{events:?}");
}

#[tokio::test]
async fn a_fill_a_choice_and_an_upload_that_have_begun_are_brought_to_their_end() {
    let (_chromium, _server, page) = open("form.html").await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("note.txt");
    std::fs::write(&path, "from a file").unwrap();
    // The page takes notice of each for longer than the elements had to become ready.
    let busy = "() => { window.changes = []; document.addEventListener('change', event => { \
                changes.push(event.target.type); const end = Date.now() + 3500; while (Date.now() < end); }); }";
    page.evaluate_in_page::<Value>(busy, &Value::Null, LIMIT).await.unwrap();
    let label = |text: &str| page.get_by_label(&TextMatch::from(text)).with_timeout(Duration::from_secs(3));
    label("Birthday").fill("1815-12-10").await.unwrap();
    assert_eq!(label("Country").select_option(&["France"]).await.unwrap(), ["fr"]);
    label("Attachment").set_input_files(&[&path]).await.unwrap();
    let changes: Vec<String> = page.evaluate_in_page("() => window.changes", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(changes, ["date", "select-one", "file"]);
}

#[tokio::test]
async fn a_click_that_navigates_comes_back_in_the_new_document() {
    let (_chromium, server, page) = open("form.html").await;
    page.get_by_role("link", Some(TextMatch::Exact("Elsewhere".into()))).click(ClickOptions::default()).await.unwrap();
    assert_eq!(page.url(), server.url("/elsewhere"));
    let title: String = page.evaluate("() => document.title", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(title, "next");
}

#[tokio::test]
async fn a_click_that_opens_an_alert_comes_back() {
    let (_chromium, _server, page) = open("form.html").await;
    page.get_by_role("button", Some("Alert".into())).click(ClickOptions::default()).await.unwrap();
    assert_eq!(page.log().dialogs[0].text, "boo");
}

#[tokio::test]
async fn files_are_given_to_a_file_field() {
    let (_chromium, _server, page) = open("form.html").await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("note.txt");
    std::fs::write(&path, "from a file").unwrap();
    page.get_by_label(&"Attachment".into()).set_input_files(&[&path]).await.unwrap();
    let read = "async () => { const [file] = document.querySelector('#file').files; return [file.name, await file.text(), window.chosen]; }";
    let seen: Value = page.evaluate_in_page(read, &Value::Null, LIMIT).await.unwrap();
    assert_eq!(seen, json!(["note.txt", "from a file", 1]));
    let error = page.locator("css=h1").set_input_files(&[&path]).await.unwrap_err();
    assert!(matches!(error, BrowserError::Refused { .. }), "{error}");
}

#[tokio::test]
async fn elements_are_read_and_waited_for() {
    let (_chromium, _server, page) = open("form.html").await;
    let heading = page.get_by_role("heading", None);
    assert_eq!(heading.count().await.unwrap(), 2);
    assert_eq!(heading.first().text_content().await.unwrap(), "Sign up");
    assert_eq!(heading.last().get_attribute("id").await.unwrap().as_deref(), Some("more"));
    assert_eq!(heading.last().get_attribute("title").await.unwrap(), None);
    let length: usize =
        heading.first().evaluate("(element, n) => element.textContent.length + n", &json!(1)).await.unwrap();
    assert_eq!(length, 8);
    assert!(!page.locator("css=#secret").is_visible().await.unwrap());
    assert!(!page.locator("css=#nothing").is_visible().await.unwrap());
    assert!(!page.locator("css=#off").is_enabled().await.unwrap());
    page.evaluate_in_page::<Value>("() => { setTimeout(() => secret.hidden = false, 200) }", &Value::Null, LIMIT)
        .await
        .unwrap();
    page.locator("css=#secret").wait_for(ElementState::Visible, LIMIT).await.unwrap();
    page.evaluate_in_page::<Value>("() => { setTimeout(() => secret.remove(), 200) }", &Value::Null, LIMIT)
        .await
        .unwrap();
    page.locator("css=#secret").wait_for(ElementState::Detached, LIMIT).await.unwrap();
    page.locator("css=#secret").wait_for(ElementState::Hidden, LIMIT).await.unwrap();
    let error =
        page.locator("css=#secret").wait_for(ElementState::Attached, Duration::from_millis(300)).await.unwrap_err();
    assert!(matches!(error, BrowserError::NotActionable { .. }), "{error}");
    assert!(matches!(page.press("NoSuchKey").await, Err(BrowserError::UnknownKey { .. })));
}
