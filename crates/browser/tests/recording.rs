//! What a page says, asks for and breaks is written down.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{BrowserError, ClickOptions, ContextOptions, Downloads, Page, PageLog};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::server::{Reply, Server, file, html, redirect, status, with_headers};
use support::{Chromium, LIMIT, limits};

/// Waits until the log shows what is looked for.
async fn log_with(page: &Page, wanted: impl Fn(&PageLog) -> bool) -> PageLog {
    let end = Instant::now() + LIMIT;
    loop {
        let log = page.log();
        if wanted(&log) || Instant::now() > end {
            return log;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn console_lines_exceptions_and_failed_loads_are_told_apart() {
    let server = Server::start(|path| match path {
        "/" => file("noisy.html"),
        "/missing.png" => status(404, ""),
        _ => status(200, ""),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let log = log_with(&page, |log| log.exceptions.len() >= 2).await;
    let line = |text: &str| log.console.iter().find(|record| record.text.contains(text));
    let spoken = line("a warning 7").expect("the console line");
    assert_eq!((spoken.level.as_str(), spoken.source.as_str()), ("warning", "console-api"));
    assert_eq!(spoken.url.as_deref(), Some(server.url("/").as_str()));
    let network = log.console.iter().find(|record| record.source == "network").expect("Chromium's line on the 404");
    assert_eq!(network.level, "error");
    assert!(network.url.as_deref().unwrap().ends_with("/missing.png"));
    let texts: Vec<&str> = log.exceptions.iter().map(|record| record.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.starts_with("Error: thrown on purpose")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("rejected on purpose")), "{texts:?}");
    let missing = log.requests.iter().find(|request| request.url.ends_with("/missing.png")).unwrap();
    assert_eq!((missing.status, missing.resource_type.as_str()), (Some(404), "Image"));
    page.clear_log();
    assert_eq!(page.log(), PageLog::default());
}

#[tokio::test]
async fn requests_have_sizes_types_and_failures() {
    let server = Server::start(|path| match path {
        "/" => html(
            "<link rel=stylesheet href=/style.css><script src=/old.js></script><img src='http://127.0.0.1:1/x.png'>",
        ),
        "/style.css" => with_headers(
            200,
            &[("Content-Type", "text/css"), ("Cache-Control", "max-age=60"), ("X-Padding", &"p".repeat(500))],
            &b"p { color: red } ".repeat(1000),
        ),
        "/old.js" => redirect("/new.js"),
        _ => with_headers(200, &[("Content-Type", "text/javascript")], b"let x = 1;"),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let log = page.log();
    let find = |end: &str| log.requests.iter().find(|request| request.url.ends_with(end)).unwrap();
    let style = find("/style.css");
    assert_eq!((style.encoded_bytes, style.decoded_bytes), (17_000, 17_000));
    assert_eq!((style.status, style.mime_type.as_str()), (Some(200), "text/css"));
    assert!(style.headers.contains(&("cache-control".into(), "max-age=60".into())));
    assert!(style.headers.iter().all(|(name, _)| name != "x-padding"));
    assert!(style.seconds.is_some() && style.started_seconds > 0.0);
    assert_eq!(style.initiator_url.as_deref(), Some(server.url("/").as_str()));
    assert_eq!((find("/old.js").status, find("/new.js").status), (Some(302), Some(200)));
    assert_eq!(find("/old.js").id, find("/new.js").id);
    let image = find("/x.png");
    assert!(image.failed.as_deref().unwrap().starts_with("net::ERR_"), "{image:?}");
    assert_eq!(find(&server.url("/")).resource_type, "Document");
}

#[tokio::test]
async fn compressed_bodies_count_as_they_came() {
    // A hundred thousand letters, packed by gzip in advance.
    let packed = std::fs::read(support::page_path("letters.gz")).unwrap();
    let wire_bytes = packed.len() as u64;
    let server = Server::start(move |_| {
        with_headers(200, &[("Content-Type", "text/html"), ("Content-Encoding", "gzip")], &packed)
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let document = page.log().requests[0].clone();
    assert_eq!((document.encoded_bytes, document.decoded_bytes), (wire_bytes, 100_000));
}

#[tokio::test]
async fn dialogs_are_dismissed_for_ever_and_recorded_up_to_a_cap() {
    let server = Server::start(|_| {
        html("<p>x<script>for (let i = 0; i < 60; i++) alert('no ' + i); window.answer = confirm('sure?')</script>")
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let navigation = page.goto(&server.url("/"), limits()).await.unwrap();
    assert!(navigation.idle);
    let log = page.log();
    assert_eq!((log.dialogs.len(), log.dropped), (20, 41));
    assert_eq!((log.dialogs[0].kind.as_str(), log.dialogs[0].text.as_str()), ("alert", "no 0"));
    let answer: bool = page.evaluate_in_page("() => window.answer", &Value::Null, LIMIT).await.unwrap();
    assert!(!answer);
}

#[tokio::test]
async fn a_page_that_does_not_want_to_leave_is_left() {
    let server = Server::start(|_| html("<button>b</button><script>onbeforeunload = () => 'stay'</script>")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    page.locator("css=button").click(ClickOptions::default()).await.unwrap();
    let navigation = page.goto(&server.url("/next"), limits()).await.unwrap();
    assert!(navigation.final_url.ends_with("/next"), "{navigation:?}");
    page.close().await.unwrap();
}

#[tokio::test]
async fn popups_are_attached_counted_and_usable() {
    let server = Server::start(|path| match path {
        "/" => html("<a href=/popup target=_blank>open</a> <a href=/popup target=_blank rel=noopener>apart</a>"),
        _ => html("<title>popup</title><p>I am new<script>console.log('from the popup')</script>"),
    })
    .await;
    let chromium = Chromium::start().await;
    let context = chromium.context(ContextOptions::default()).await;
    let page = context.new_page().await.unwrap();
    page.goto(&server.url("/"), limits()).await.unwrap();
    page.get_by_text(&"open".into()).click(ClickOptions::default()).await.unwrap();
    let log = log_with(&page, |log| log.popups == 1).await;
    assert_eq!(log.popups, 1);
    let popups = context.popups().await;
    assert_eq!(popups.len(), 1);
    let popup_log = log_with(&popups[0], |log| !log.console.is_empty()).await;
    assert_eq!(popup_log.console[0].text, "from the popup");
    assert_eq!(popups[0].url(), server.url("/popup"));
    // The opener still paints and can still be used.
    page.get_by_text(&"apart".into()).click(ClickOptions::default()).await.unwrap();
    assert_eq!(log_with(&page, |log| log.popups == 2).await.popups, 2);
    popups[0].close().await.unwrap();
    assert_eq!(context.popups().await.len(), 1);
    context.close().await.unwrap();
}

#[tokio::test]
async fn downloads_are_refused_unless_asked_for() {
    let reply = |path: &str| match path {
        "/" => html("<a href=/file>get</a>"),
        _ => with_headers(200, &[("Content-Disposition", "attachment; filename=\"kept.txt\"")], b"content"),
    };
    let server = Server::start(reply).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    page.locator("text=get").click(ClickOptions::default()).await.unwrap();
    assert_eq!(log_with(&page, |log| !log.downloads.is_empty()).await.downloads, ["kept.txt"]);

    let folder = tempfile::tempdir().unwrap();
    let options = ContextOptions { downloads: Downloads::Keep(folder.path().into()), ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await.unwrap();
    page.goto(&server.url("/"), limits()).await.unwrap();
    page.locator("text=get").click(ClickOptions::default()).await.unwrap();
    let path = folder.path().join("kept.txt");
    let end = Instant::now() + LIMIT;
    while std::fs::read(&path).unwrap_or_default() != b"content" && Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"content");
}

#[tokio::test]
async fn a_crashed_tab_fails_its_pending_calls_at_once_and_others_live() {
    let server = Server::start(|_| html("<p>fine")).await;
    let chromium = Chromium::start().await;
    let (page, other) = (chromium.page().await, chromium.page().await);
    page.goto(&server.url("/"), limits()).await.unwrap();
    let waiting = page.clone();
    let pending = tokio::spawn(async move {
        let limit = Duration::from_mins(10);
        waiting.evaluate::<Value>("() => new Promise(() => {})", &Value::Null, limit).await
    });
    // The other call must be under way before the crash.
    tokio::time::sleep(Duration::from_millis(300)).await;
    page.goto("chrome://crash", limits()).await.unwrap();
    assert_eq!(pending.await.unwrap(), Err(BrowserError::Crashed));
    let later = page.evaluate::<Value>("() => 1", &Value::Null, LIMIT).await;
    assert_eq!(later, Err(BrowserError::Crashed));
    other.goto(&server.url("/"), limits()).await.unwrap();
    let sum: u32 = other.evaluate("(n) => n + 1", &json!(41), LIMIT).await.unwrap();
    assert_eq!(sum, 42);
    page.close().await.unwrap();
}

#[tokio::test]
async fn an_endless_loop_ends_in_a_time_out_and_other_pages_live() {
    let server = Server::start(|_| html("<p>x<script>setTimeout(() => { while (true) {} }, 300)</script>")).await;
    let chromium = Chromium::start().await;
    let context = chromium.context(ContextOptions::default()).await;
    let page = context.new_page().await.unwrap();
    page.goto(&server.url("/"), limits()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let limit = Duration::from_secs(2);
    let answer = page.evaluate::<Value>("() => 1", &Value::Null, limit).await;
    assert!(matches!(answer, Err(BrowserError::TimedOut { seconds, .. }) if seconds == 2.0), "{answer:?}");
    let click = page.locator("css=p").click(ClickOptions { timeout: limit, ..ClickOptions::default() }).await;
    assert!(matches!(click, Err(BrowserError::TimedOut { .. } | BrowserError::NotActionable { .. })), "{click:?}");
    context.close().await.unwrap();
    assert_eq!(page.evaluate::<Value>("() => 1", &Value::Null, LIMIT).await, Err(BrowserError::Closed));
    let other = chromium.page().await;
    assert_eq!(other.evaluate::<u32>("async () => 7", &Value::Null, LIMIT).await, Ok(7));
}

#[tokio::test]
async fn evaluation_is_isolated_from_the_page_and_reports_exceptions() {
    let server = Server::start(|_| {
        html("<p id=x>text<script>window.secret = 5; Array.prototype.map = () => 'broken'; JSON.stringify = null</script>")
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let isolated: Value = page
        .evaluate("(n) => ({ secret: typeof secret, list: [1, n].map(x => x * 2) })", &json!(2), LIMIT)
        .await
        .unwrap();
    assert_eq!(isolated, json!({ "secret": "undefined", "list": [2, 4] }));
    let own: u32 = page.evaluate_in_page("() => secret", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(own, 5);
    let thrown = page.evaluate::<Value>("() => { throw new TypeError('no') }", &Value::Null, LIMIT).await;
    assert!(
        matches!(&thrown, Err(BrowserError::Script { message }) if message.starts_with("TypeError: no")),
        "{thrown:?}"
    );
    let shape = page.evaluate::<u32>("() => 'text'", &Value::Null, LIMIT).await;
    assert!(matches!(shape, Err(BrowserError::BadAnswer { .. })), "{shape:?}");
    page.evaluate::<Value>("() => console.log('ours')", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(page.log().console, []);
}

#[tokio::test]
async fn a_lost_browser_fails_every_call() {
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    assert!(chromium.browser().version().await.unwrap().starts_with("Chrome/"));
    assert!(chromium.browser().is_connected());
    chromium.browser().close().await.unwrap();
    let answer = page.evaluate::<Value>("() => 1", &Value::Null, LIMIT).await;
    assert!(answer == Err(BrowserError::Disconnected), "{answer:?}");
    assert!(chromium.browser().new_context(ContextOptions::default()).await.is_err());
    assert!(!chromium.browser().is_connected());
}

#[tokio::test]
async fn requests_of_workers_are_seen() {
    let server = Server::start(|path| match path {
        "/" => html("<script>new Worker('/worker.js')</script>"),
        "/worker.js" => with_headers(200, &[("Content-Type", "text/javascript")], b"fetch('/from-worker')"),
        _ => Reply::Full(200, vec![("Content-Type".into(), "text/plain".into())], b"ok".to_vec()),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let done = |log: &PageLog| {
        log.requests.iter().any(|request| request.url.ends_with("/from-worker") && request.seconds.is_some())
    };
    assert!(done(&log_with(&page, done).await));
}
