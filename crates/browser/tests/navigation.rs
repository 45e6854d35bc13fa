//! Every way an address can answer, or not, is told as an outcome.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{ContextOptions, LoadLimits, Navigation, NavigationOutcome};
use std::time::Duration;
use support::server::{Reply, Server, html, redirect, refused_port, status, with_headers};
use support::{Chromium, limits};

async fn visit(routes: impl Fn(&str) -> Reply + Send + Sync + 'static, path: &str) -> Navigation {
    let server = Server::start(routes).await;
    let chromium = Chromium::start().await;
    chromium.page().await.goto(&server.url(path), limits()).await.unwrap()
}

fn short() -> LoadLimits {
    LoadLimits { navigation: Duration::from_secs(3), ..limits() }
}

fn status_of(navigation: &Navigation) -> u16 {
    match &navigation.outcome {
        NavigationOutcome::Responded { status, .. } => *status,
        other => panic!("no response: {other:?}"),
    }
}

fn error_of(navigation: &Navigation) -> &str {
    match &navigation.outcome {
        NavigationOutcome::Failed { error } => error,
        other => panic!("did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn a_page_answers_with_its_headers_and_timings() {
    let navigation = visit(
        |_| {
            with_headers(
                200,
                &[("Content-Type", "text/html"), ("Set-Cookie", "a=1; HttpOnly"), ("X-Own", "yes")],
                b"<p>hi",
            )
        },
        "/#part",
    )
    .await;
    let NavigationOutcome::Responded { status, headers, mime_type, .. } = &navigation.outcome else {
        panic!("no response: {:?}", navigation.outcome)
    };
    assert_eq!((*status, mime_type.as_str()), (200, "text/html"));
    assert!(headers.contains(&("set-cookie".into(), "a=1; HttpOnly".into())), "{headers:?}");
    assert!(headers.contains(&("x-own".into(), "yes".into())), "{headers:?}");
    assert!(navigation.idle);
    assert!(navigation.final_url.ends_with("/#part"));
    let times = [
        navigation.seconds_to_commit,
        navigation.seconds_to_dom_content_loaded,
        navigation.seconds_to_load,
        navigation.seconds_to_idle,
    ];
    assert!(times.iter().all(Option::is_some), "{times:?}");
    assert!(times[0] <= times[1] && times[1] <= times[3], "{times:?}");
}

#[tokio::test]
async fn a_dead_host_and_a_refused_port_fail_by_name() {
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let dead = page.goto("http://no-such-host.invalid/", limits()).await.unwrap();
    assert!(error_of(&dead).starts_with("net::ERR_"), "{dead:?}");
    assert_eq!(dead.final_url, "http://no-such-host.invalid/");
    let refused = page.goto(&format!("http://127.0.0.1:{}/", refused_port().await), limits()).await.unwrap();
    assert_eq!(error_of(&refused), "net::ERR_CONNECTION_REFUSED");
    let nonsense = page.goto("http://[nonsense", limits()).await.unwrap();
    assert!(!error_of(&nonsense).is_empty());
}

#[tokio::test]
async fn a_server_that_never_answers_ends_in_a_time_out_and_the_page_lives_on() {
    let server = Server::start(|path| if path == "/" { Reply::Hang } else { html("<p>fine") }).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let hung = page.goto(&server.url("/"), short()).await.unwrap();
    assert_eq!(hung.outcome, NavigationOutcome::TimedOut { after_seconds: 3.0 });
    let next = page.goto(&server.url("/next"), limits()).await.unwrap();
    assert_eq!(status_of(&next), 200);
}

#[tokio::test]
async fn a_body_that_never_ends_is_a_time_out() {
    let server = Server::start(|_| Reply::Stall("text/html", b"<p>begin".to_vec())).await;
    let chromium = Chromium::start().await;
    let navigation = chromium.page().await.goto(&server.url("/"), short()).await.unwrap();
    assert_eq!(navigation.outcome, NavigationOutcome::TimedOut { after_seconds: 3.0 });
    assert!(navigation.seconds_to_commit.is_some());
}

#[tokio::test]
async fn an_endless_script_at_load_is_a_time_out() {
    let server = Server::start(|_| html("<script>while (true) {}</script>")).await;
    let chromium = Chromium::start().await;
    let navigation = chromium.page().await.goto(&server.url("/"), short()).await.unwrap();
    assert_eq!(navigation.outcome, NavigationOutcome::TimedOut { after_seconds: 3.0 });
}

#[tokio::test]
async fn redirects_are_listed_and_an_endless_chain_fails() {
    let server = Server::start(|path| match path {
        "/a" => redirect("/b"),
        "/b" => redirect("/c"),
        "/loop" => redirect("/loop"),
        "/script" => html("<script>location.replace('/c')</script>"),
        _ => html("<p>there"),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let chain = page.goto(&server.url("/a"), limits()).await.unwrap();
    assert_eq!(status_of(&chain), 200);
    assert_eq!(chain.redirects, [server.url("/a"), server.url("/b")]);
    assert_eq!(chain.final_url, server.url("/c"));
    let endless = page.goto(&server.url("/loop"), limits()).await.unwrap();
    assert_eq!(error_of(&endless), "net::ERR_TOO_MANY_REDIRECTS");
    let scripted = page.goto(&server.url("/script"), limits()).await.unwrap();
    assert_eq!((scripted.final_url.as_str(), status_of(&scripted)), (server.url("/c").as_str(), 200));
    assert_eq!(scripted.redirects, [server.url("/script")]);
}

#[tokio::test]
async fn error_statuses_and_empty_answers_are_responses() {
    let server = Server::start(|path| match path {
        "/500" => status(500, "<p>broken"),
        "/404" => status(404, ""),
        "/401" => {
            with_headers(401, &[("WWW-Authenticate", "Basic realm=x"), ("Content-Type", "text/html")], b"<p>log in")
        }
        _ => with_headers(204, &[("X-Empty", "yes")], b""),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    for code in [500, 404, 401, 204] {
        let navigation = page.goto(&server.url(&format!("/{code}")), limits()).await.unwrap();
        assert_eq!(status_of(&navigation), code);
    }
}

#[tokio::test]
async fn a_file_is_a_download_and_a_pdf_is_told_apart_from_a_page() {
    let server = Server::start(|path| match path {
        "/file" => with_headers(
            200,
            &[
                ("Content-Type", "application/octet-stream"),
                ("Content-Disposition", "attachment; filename=\"data.bin\""),
            ],
            b"12345",
        ),
        _ => with_headers(200, &[("Content-Type", "application/pdf")], b"%PDF-1.4\n%%EOF"),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let file = page.goto(&server.url("/file"), limits()).await.unwrap();
    assert_eq!(file.outcome, NavigationOutcome::Download { file_name: "data.bin".into() });
    assert_eq!(page.log().downloads, ["data.bin"]);
    let pdf = page.goto(&server.url("/paper.pdf"), limits()).await.unwrap();
    match pdf.outcome {
        NavigationOutcome::Responded { mime_type, .. } => assert_eq!(mime_type, "application/pdf"),
        NavigationOutcome::Download { file_name } => assert_eq!(file_name, "paper.pdf"),
        other => panic!("unexpected: {other:?}"),
    }
}

#[tokio::test]
async fn a_page_over_the_byte_limit_is_stopped() {
    let server = Server::start(|path| match path {
        "/" => Reply::Endless("text/html", b"<p>word word word</p>\n".repeat(2000)),
        _ => html("<p>small"),
    })
    .await;
    let chromium = Chromium::start().await;
    let options = ContextOptions { max_response_bytes: Some(5_000_000), ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await.unwrap();
    let navigation = page.goto(&server.url("/"), limits()).await.unwrap();
    let NavigationOutcome::TooLarge { bytes } = navigation.outcome else { panic!("{:?}", navigation.outcome) };
    assert!(bytes > 5_000_000, "{bytes}");
    let small = page.goto(&server.url("/small"), limits()).await.unwrap();
    assert_eq!(status_of(&small), 200);
}

#[tokio::test]
async fn a_script_that_loads_without_end_is_cut_off() {
    let server = Server::start(|path| match path {
        "/" => {
            html("<p>x<script>(async () => { for (;;) await fetch('/more').then(answer => answer.text()) })()</script>")
        }
        _ => with_headers(200, &[("Content-Type", "text/plain"), ("Cache-Control", "no-store")], &vec![b'x'; 500_000]),
    })
    .await;
    let chromium = Chromium::start().await;
    let options = ContextOptions { max_response_bytes: Some(3_000_000), ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await.unwrap();
    let navigation = page.goto(&server.url("/"), limits()).await.unwrap();
    assert!(matches!(navigation.outcome, NavigationOutcome::TooLarge { .. }), "{:?}", navigation.outcome);
    page.wait_for_network_idle(Duration::from_millis(500), Duration::from_secs(20)).await;
    let loaded: u64 = page.log().requests.iter().map(|request| request.decoded_bytes).sum();
    assert!(loaded < 6_000_000, "{loaded}");
}

#[tokio::test]
async fn a_reload_answers_again_and_tells_when_the_server_is_gone() {
    let server = Server::start(|_| html("<p>once")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let again = page.reload(limits()).await.unwrap();
    assert_eq!(status_of(&again), 200);
    assert_eq!(server.seen().iter().filter(|seen| seen.path == "/").count(), 2);
    drop(server);
    let gone = page.reload(limits()).await.unwrap();
    assert!(error_of(&gone).starts_with("net::ERR_"), "{gone:?}");
}

#[tokio::test]
async fn a_fragment_and_a_blank_page_are_reached_without_a_request() {
    let server = Server::start(|_| html("<p id=a>hi")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let part = page.goto(&server.url("/#a"), limits()).await.unwrap();
    assert_eq!(status_of(&part), 200);
    assert!(page.url().ends_with("#a"));
    let blank = page.goto("about:blank", limits()).await.unwrap();
    assert_eq!((status_of(&blank), blank.final_url.as_str()), (200, "about:blank"));
}

#[tokio::test]
async fn a_polling_page_is_not_idle_but_a_stream_or_a_socket_is() {
    let server = Server::start(|path| match path {
        "/polling" => html("<script>setInterval(() => fetch('/tick'), 50)</script>"),
        "/stream" => {
            html("<script>new EventSource('/events'); new WebSocket('ws://' + location.host + '/socket')</script>")
        }
        "/events" => Reply::Stall("text/event-stream", b"data: hi\n\n".to_vec()),
        "/socket" => Reply::Hang,
        _ => with_headers(200, &[("Content-Type", "text/plain")], b"ok"),
    })
    .await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let brief = LoadLimits { idle_cap: Duration::from_secs(2), ..limits() };
    let polling = page.goto(&server.url("/polling"), brief).await.unwrap();
    assert_eq!((status_of(&polling), polling.idle), (200, false));
    assert_eq!(polling.seconds_to_idle, None);
    let stream = page.goto(&server.url("/stream"), limits()).await.unwrap();
    assert!(stream.idle);
    let idle = page.wait_for_network_idle(Duration::from_millis(200), Duration::from_secs(20)).await;
    assert!(idle.reached, "{idle:?}");
}

#[tokio::test]
async fn a_crash_on_the_way_is_an_outcome() {
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let navigation = page.goto("chrome://crash", limits()).await.unwrap();
    assert_eq!(navigation.outcome, NavigationOutcome::Crashed);
    assert!(page.is_crashed() && page.log().crashed);
}
