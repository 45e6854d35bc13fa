//! Contexts share nothing, look the same on every machine, and keep credentials to their origin.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{ColorScheme, ContextOptions, Cookie, NavigationOutcome, SameSite, Viewport};
use serde_json::{Value, json};
use std::process::Stdio;
use support::server::{Server, html, redirect, with_headers};
use support::{Chromium, LIMIT, limits, node, page_path};
use tokio::io::{AsyncBufReadExt, BufReader};

#[tokio::test]
async fn storage_and_cookies_are_not_shared() {
    let server = Server::start(|_| html("<p>x")).await;
    let chromium = Chromium::start().await;
    let cookie = Cookie {
        name: "session".into(),
        value: "s3".into(),
        url: Some(server.url("/")),
        http_only: true,
        same_site: Some(SameSite::Strict),
        ..Cookie::default()
    };
    let first = chromium.context(ContextOptions { cookies: vec![cookie], ..ContextOptions::default() }).await;
    let second = chromium.context(ContextOptions::default()).await;
    let (one, two) = (first.new_page().await.unwrap(), second.new_page().await.unwrap());
    one.goto(&server.url("/one"), limits()).await.unwrap();
    one.evaluate::<Value>("() => { localStorage.kept = 'here'; document.cookie = 'own=1' }", &Value::Null, LIMIT)
        .await
        .unwrap();
    two.goto(&server.url("/two"), limits()).await.unwrap();
    let kept: Option<String> = two.evaluate("() => localStorage.kept ?? null", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(kept, None);
    let sent =
        |path: &str| server.seen().into_iter().find(|seen| seen.path == path).unwrap().headers.get("cookie").cloned();
    assert_eq!((sent("/one").as_deref(), sent("/two")), (Some("session=s3"), None));
    let cookies = first.cookies().await.unwrap();
    assert_eq!(cookies.len(), 2);
    let session = cookies.iter().find(|cookie| cookie.name == "session").unwrap();
    assert!(session.http_only && session.same_site == Some(SameSite::Strict));
    assert_eq!(second.cookies().await.unwrap(), []);
}

#[tokio::test]
async fn surroundings_are_as_asked_from_the_first_script_on() {
    let server = Server::start(|_| {
        html(
            "<meta name=viewport content='width=device-width'><script>window.first = { width: innerWidth, \
              ratio: devicePixelRatio, zone: Intl.DateTimeFormat().resolvedOptions().timeZone, \
              language: navigator.language, number: (1234.5).toLocaleString(), touch: navigator.maxTouchPoints, \
              dark: matchMedia('(prefers-color-scheme: dark)').matches, agent: navigator.userAgent, \
              still: matchMedia('(prefers-reduced-motion: reduce)').matches }</script>",
        )
    })
    .await;
    let chromium = Chromium::start().await;
    let options = ContextOptions {
        viewport: Viewport { width: 390, height: 844, device_scale_factor: 3.0, mobile: true, touch: true },
        locale: "de-DE".into(),
        timezone: "Asia/Tokyo".into(),
        color_scheme: ColorScheme::Dark,
        reduced_motion: true,
        user_agent: Some("Probe/1".into()),
        ..ContextOptions::default()
    };
    let page = chromium.context(options).await.new_page().await.unwrap();
    page.goto(&server.url("/"), limits()).await.unwrap();
    let first: Value = page.evaluate_in_page("() => first", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(
        first,
        json!({ "width": 390, "ratio": 3, "zone": "Asia/Tokyo", "language": "de-DE", "number": "1.234,5", "touch": 5,
                "dark": true, "still": true, "agent": "Probe/1" })
    );
    assert!(server.seen()[0].headers["accept-language"].starts_with("de-DE"));

    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let first: Value = page.evaluate_in_page("() => first", &Value::Null, LIMIT).await.unwrap();
    assert_eq!((&first["width"], &first["zone"], &first["language"]), (&json!(1440), &json!("UTC"), &json!("en-US")));
    assert!(first["agent"].as_str().unwrap().contains("Chrome/"), "{first}");
    page.set_viewport(Viewport::desktop(768, 1024)).await.unwrap();
    let width: u32 = page.evaluate("() => innerWidth", &Value::Null, LIMIT).await.unwrap();
    assert_eq!(width, 768);
}

#[tokio::test]
async fn a_second_page_of_a_context_has_the_same_surroundings_and_paints() {
    let server = Server::start(|_| html("<p>x")).await;
    let chromium = Chromium::start().await;
    let context = chromium.context(ContextOptions { locale: "fr-FR".into(), ..ContextOptions::default() }).await;
    let (one, two) = (context.new_page().await.unwrap(), context.new_page().await.unwrap());
    for page in [&one, &two, &one] {
        page.goto(&server.url("/"), limits()).await.unwrap();
        let painted = "() => new Promise(done => requestAnimationFrame(() => done([navigator.language, document.visibilityState])))";
        let seen: Value = page.evaluate(painted, &Value::Null, LIMIT).await.unwrap();
        assert_eq!(seen, json!(["fr-FR", "visible"]));
    }
    assert_eq!(context.popups().await.len(), 0);
}

#[tokio::test]
async fn credentials_are_sent_to_their_origin_only() {
    let stranger = Server::start(|_| html("<p>stranger")).await;
    let away = stranger.url("/away");
    let image = stranger.url("/image.png");
    let home = Server::start(move |path| match path {
        "/leave" => redirect(&away),
        _ => html(&format!("<p>home<img src='{image}'><script>fetch('/api')</script>")),
    })
    .await;
    let chromium = Chromium::start().await;
    let options = ContextOptions {
        credentials_origin: Some(home.url("/")),
        extra_headers: vec![("X-Bypass".into(), "token".into())],
        basic_auth: Some(("user".into(), "pass".into())),
        ..ContextOptions::default()
    };
    let page = chromium.context(options).await.new_page().await.unwrap();
    page.goto(&home.url("/"), limits()).await.unwrap();
    page.goto(&home.url("/leave"), limits()).await.unwrap();
    let at_home = home.seen();
    assert!(at_home.iter().any(|seen| seen.path == "/api") && at_home.iter().any(|seen| seen.path == "/leave"));
    for seen in at_home.iter().filter(|seen| seen.path != "/favicon.ico") {
        assert_eq!(seen.headers.get("x-bypass").map(String::as_str), Some("token"), "{seen:?}");
        assert_eq!(seen.headers.get("authorization").map(String::as_str), Some("Basic dXNlcjpwYXNz"), "{seen:?}");
    }
    let abroad = stranger.seen();
    assert!(abroad.iter().any(|seen| seen.path == "/away") && abroad.iter().any(|seen| seen.path == "/image.png"));
    for seen in abroad {
        assert!(!seen.headers.contains_key("x-bypass") && !seen.headers.contains_key("authorization"), "{seen:?}");
    }
}

#[tokio::test]
async fn a_wall_that_refuses_the_password_is_a_401() {
    let server = Server::start(|_| {
        with_headers(401, &[("WWW-Authenticate", "Basic realm=wall"), ("Content-Type", "text/html")], b"<p>wall")
    })
    .await;
    let chromium = Chromium::start().await;
    let options = ContextOptions {
        credentials_origin: Some(server.url("")),
        basic_auth: Some(("user".into(), "wrong".into())),
        ..ContextOptions::default()
    };
    let page = chromium.context(options).await.new_page().await.unwrap();
    let navigation = page.goto(&server.url("/"), limits()).await.unwrap();
    assert!(matches!(navigation.outcome, NavigationOutcome::Responded { status: 401, .. }), "{navigation:?}");
    assert!(server.seen()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn permissions_are_denied_without_asking() {
    let server = Server::start(|_| html("<p>x")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let ask = "async () => [await Notification.requestPermission(), \
        await new Promise(done => navigator.geolocation.getCurrentPosition(() => done('found'), error => done(error.code)))]";
    let answer: Value = page.evaluate_in_page(ask, &Value::Null, LIMIT).await.unwrap();
    assert_eq!(answer, json!(["denied", 1]));
}

#[tokio::test]
async fn a_self_signed_certificate_is_refused_unless_accepted() {
    let script = "const fs = require('fs'); const pem = fs.readFileSync(process.argv[1]); \
        require('https').createServer({ key: pem, cert: pem }, (_, answer) => answer.end('<p>sealed')) \
        .listen(0, '127.0.0.1', function () { console.log(this.address().port); })";
    let mut node = tokio::process::Command::new(node())
        .args(["-e", script])
        .arg(page_path("self-signed.pem"))
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the pinned Node starts");
    let mut lines = BufReader::new(node.stdout.take().unwrap()).lines();
    let url = format!("https://127.0.0.1:{}/", lines.next_line().await.unwrap().unwrap());
    let chromium = Chromium::start().await;
    let refused = chromium.page().await.goto(&url, limits()).await.unwrap();
    assert!(
        matches!(&refused.outcome, NavigationOutcome::Failed { error } if error.starts_with("net::ERR_CERT_")),
        "{refused:?}"
    );
    let options = ContextOptions { accept_invalid_certificates: true, ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await.unwrap();
    let accepted = page.goto(&url, limits()).await.unwrap();
    assert!(matches!(accepted.outcome, NavigationOutcome::Responded { status: 200, .. }), "{accepted:?}");
    node.kill().await.unwrap();
}

#[tokio::test]
async fn a_strange_time_zone_is_our_error_and_not_a_silent_default() {
    let chromium = Chromium::start().await;
    let options = ContextOptions { timezone: "Mars/Olympus".into(), ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await;
    assert!(page.is_err());
}
