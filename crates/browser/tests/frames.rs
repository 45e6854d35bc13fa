//! Frames of the same and of another site, read and acted on alike.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{ClickOptions, Frame, Page};
use serde_json::Value;
use std::time::{Duration, Instant};
use support::server::{Reply, Server, html};
use support::{Chromium, LIMIT, limits};

const INNER: &str = "<title>inner</title><body style='margin:0'><div style='height:60px'></div>\
    <label>Name <input id=name></label><button onclick=\"document.title = 'pressed'; console.log('inside')\">Press</button>\
    <script>window.own = location.hostname</script>";

async fn server() -> Server {
    Server::start(|path| match path.split('?').next().unwrap_or_default() {
        "/inner" => html(INNER),
        "/middle" => html("<p>middle</p><iframe id=deep src='/inner?deep' width=400 height=200></iframe>"),
        "/outer" => html(
            "<div style='height:1500px'></div><iframe id=same src='/inner?same' style='border:7px solid;padding:5px'></iframe>\
             <iframe id=other width=500 height=300></iframe>\
             <script>document.getElementById('other').src = 'http://localhost:' + location.port + '/middle?other'</script>",
        ),
        "/covered" => html(
            "<iframe src='/inner' style='position:absolute;top:0;left:0'></iframe>\
             <div id=lid style='position:absolute;top:0;left:0;width:900px;height:900px;background:teal'></div>",
        ),
        _ => Reply::Full(404, Vec::new(), Vec::new()),
    })
    .await
}

async fn frames_of(page: &Page, count: usize) -> Vec<Frame> {
    let end = Instant::now() + LIMIT;
    loop {
        let frames = page.frames().await;
        let settled = frames.len() == count && frames.iter().all(|frame| !frame.url().is_empty());
        if settled || Instant::now() > end {
            return frames;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn frames_are_listed_and_evaluated_across_processes() {
    let server = server().await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/outer"), limits()).await.unwrap();
    let frames = frames_of(&page, 4).await;
    let urls: Vec<String> = frames.iter().map(|frame| frame.url().to_owned()).collect();
    assert_eq!(
        urls,
        [
            server.url("/outer"),
            server.url("/inner?same"),
            server.other_site("/middle?other"),
            server.other_site("/inner?deep")
        ]
    );
    assert!(frames[0].parent().is_none());
    assert_eq!(frames[3].parent().unwrap().id(), frames[2].id());
    for (frame, host) in frames[1..].iter().zip(["127.0.0.1", "localhost", "localhost"]) {
        let seen: String = frame.evaluate("() => location.hostname", &Value::Null, LIMIT).await.unwrap();
        assert_eq!(seen, host);
    }
    let own: String = frames[3].evaluate_in_page("() => window.own", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(own, "localhost");
    let child = frames[0].child_frame_at("#other").await.unwrap().unwrap();
    assert_eq!(child.id(), frames[2].id());
    let deep = child.child_frame_at("#deep").await.unwrap().unwrap();
    assert_eq!(deep.id(), frames[3].id());
    assert!(frames[0].child_frame_at("div").await.unwrap().is_none());
    assert!(frames[0].child_frame_at("#nothing").await.unwrap().is_none());
    let requests = page.log().requests;
    assert!(requests.iter().filter(|request| request.url.contains("/inner?")).all(|request| request.seconds.is_some()));
    page.goto(&server.url("/inner"), limits()).await.unwrap();
    assert_eq!(frames_of(&page, 1).await.len(), 1);
}

#[tokio::test]
async fn input_reaches_elements_in_frames_of_both_kinds() {
    let server = server().await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/outer"), limits()).await.unwrap();
    let frames = frames_of(&page, 4).await;
    for frame in [&frames[1], &frames[3]] {
        frame.locator("css=button").click(ClickOptions::default()).await.unwrap();
        let title: String = frame.evaluate("() => document.title", &Value::Null, LIMIT).await.unwrap();
        assert_eq!(title, "pressed", "{}", frame.url());
        let name = frame.locator("internal:label=\"Name\"i");
        name.fill("Ada").await.unwrap();
        name.press("End").await.unwrap();
        page.type_text(" L.").await.unwrap();
        assert_eq!(name.input_value().await.unwrap(), "Ada L.", "{}", frame.url());
    }
    assert_eq!(page.log().console.iter().filter(|record| record.text == "inside").count(), 2);
    let chained = page.locator("css=#other").inside_frame("css=#deep").inside_frame("css=#name");
    assert_eq!(chained.input_value().await.unwrap(), "Ada L.");
    assert_eq!(chained.count().await.unwrap(), 1);
    let area = chained.bounding_box().await.unwrap().unwrap();
    assert!(area.y > 1500.0, "{area:?}");
}

#[tokio::test]
async fn a_frame_under_a_lid_is_not_clicked() {
    let server = server().await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/covered"), limits()).await.unwrap();
    let button = page.locator("css=iframe").inside_frame("css=button");
    let options = ClickOptions { timeout: Duration::from_secs(3), ..ClickOptions::default() };
    let error = button.click(options).await.unwrap_err().to_string();
    assert!(error.contains("id=\"lid\""), "{error}");
}

#[tokio::test]
async fn a_snapshot_shows_frames_and_its_references_resolve() {
    let server = server().await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/outer"), limits()).await.unwrap();
    frames_of(&page, 4).await;
    let snapshot = page.aria_snapshot(LIMIT).await.unwrap();
    let lines: Vec<&str> = snapshot.lines().filter(|line| line.contains("button \"Press\"")).collect();
    assert_eq!(lines.len(), 2, "{snapshot}");
    let references: Vec<&str> =
        lines.iter().map(|line| line.split("[ref=").nth(1).unwrap().split(']').next().unwrap()).collect();
    assert_ne!(references[0], references[1]);
    for reference in references {
        let button = page.locator(&format!("aria-ref={reference}"));
        assert_eq!(button.text_content().await.unwrap(), "Press");
        button.click(ClickOptions::default()).await.unwrap();
    }
    let stale = page.locator("aria-ref=e999");
    assert_eq!(stale.count().await.unwrap(), 0);
}
