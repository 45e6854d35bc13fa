//! People: the forms, without script.

use crate::site::{LARGEST, Site, ZIP, block_on};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST};
use benchwright_store::jobs::{Ending, Held, News};

/// Bytes that a body may have besides its ZIP.
const BESIDE_THE_SOURCE: usize = 64 * 1024;
const URL: (&str, &[u8]) = ("url", b"https://app.example/");

#[test]
fn a_form_with_a_zip_becomes_a_job_with_a_page() {
    block_on(async {
        let site = Site::new().await;
        let (cookie, proof) = site.open_form("/submit").await;
        let fields =
            [("form", proof.as_bytes()), ("token", site.token.as_bytes()), URL, ("prompt", b"todo"), ("source", ZIP)];
        let answer = site.send_form(&cookie, &fields, &[("sec-fetch-site", "same-origin")]).await.expect(303);
        let page = site.get(answer.header("location")).await.expect(200);
        assert!(
            page.body.contains("https://app.example/") && page.body.contains("waiting for a worker"),
            "{}",
            page.body
        );
        let job = &site.queue.jobs(None, 10).await.unwrap()[0];
        assert!(job.order.source.is_some() && job.order.prompt.as_deref() == Some("todo"));
    });
}

#[test]
fn what_is_wrong_is_said_on_the_form_and_what_was_typed_stays_but_for_the_token() {
    block_on(async {
        let site = Site::new().await;
        let (cookie, proof) = site.open_form("/submit").await;
        let hostile = b"\"><script>alert(1)</script>";
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), ("url", &hostile[..])];
        let answer = site.send_form(&cookie, &fields, &[]).await.expect(422);
        assert!(answer.body.contains("role=\"alert\"") && answer.body.contains("aria-invalid"), "{}", answer.body);
        assert!(!answer.body.contains("<script>alert") && answer.body.contains("script&#62;alert"), "{}", answer.body);
        assert!(!answer.body.contains(&site.token));
    });
}

#[test]
fn a_form_that_was_announced_too_large_was_refused_without_a_reason() {
    block_on(async {
        let site = Site::new().await;
        let (cookie, proof) = site.open_form("/submit").await;
        let announced = (BESIDE_THE_SOURCE + LARGEST + 1).to_string();
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), URL];
        let answer = site.send_form(&cookie, &fields, &[("content-length", &announced)]).await.expect(413);
        assert!(answer.body.contains("role=\"alert\"") && answer.body.contains("too large"), "{}", answer.body);
        assert!(answer.body.contains(&format!("data-most=\"{LARGEST}\"")), "the script knows before it sends");
        assert!(answer.body.contains("name=\"form\"") && answer.header("set-cookie").contains("benchwright_form"));
        // What was not announced is read as far as it may be, and stays.
        let large = vec![b'x'; LARGEST + 1];
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), URL, ("source", &large)];
        let answer = site.send_form(&cookie, &fields, &[]).await.expect(413);
        assert!(answer.body.contains("role=\"alert\"") && answer.body.contains("https://app.example/"));
        assert!(!answer.body.contains(&site.token));
    });
}

#[test]
fn a_form_from_elsewhere_is_refused_whatever_token_it_has() {
    block_on(async {
        let site = Site::new().await;
        let (cookie, proof) = site.open_form("/submit").await;
        let (other_cookie, _) = site.open_form("/submit").await;
        let token = site.token.clone();
        let fields = |proof: &'static str| [("form", proof.as_bytes()), ("token", &b""[..]), URL];
        let good = [("form", proof.as_bytes()), ("token", token.as_bytes()), URL];
        for headers in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site")],
            &[("origin", "https://evil.example")],
            &[("origin", "null")],
            &[("origin", "bench.example")],
        ] {
            site.send_form(&cookie, &good, headers).await.expect(403);
        }
        site.send_form("", &good, &[]).await.expect(403);
        site.send_form(&other_cookie, &good, &[]).await.expect(403);
        site.send_form(&cookie, &fields("forged"), &[]).await.expect(403);
        site.send_form(&cookie, &fields(""), &[]).await.expect(403);
        assert_eq!(site.queue.counts().await.unwrap().queued, 0);
        site.send_form(&cookie, &good, &[("origin", "https://bench.example"), ("sec-fetch-site", "same-origin")])
            .await
            .expect(303);
    });
}

#[test]
fn a_form_may_be_sent_to_another_process_of_the_site_than_it_came_from() {
    block_on(async {
        let mut site = Site::new().await;
        let (cookie, proof) = site.open_form("/submit").await;
        site.restart().await;
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), URL];
        site.send_form(&cookie, &fields, &[("sec-fetch-site", "same-origin")]).await.expect(303);
    });
}

#[test]
fn a_bearer_token_in_a_foreign_page_is_refused_too() {
    block_on(async {
        let site = Site::new().await;
        let request = Request::post("/api/v1/jobs")
            .header(HOST, "bench.example")
            .header("origin", "https://evil.example")
            .header("authorization", format!("Bearer {}", site.token))
            .header(CONTENT_TYPE, "application/json");
        site.ask(request.body(Body::from(r#"{"url":"https://app.example/"}"#)).unwrap()).await.expect(403);
    });
}

#[test]
fn the_page_of_a_job_shows_what_happens_and_calls_it_off() {
    block_on(async {
        let site = Site::new().await;
        let job =
            site.post_json("/api/v1/jobs", &site.token, r#"{"url":"https://app.example/?<b>"}"#).await.expect(201);
        let id = job.json()["id"].as_str().unwrap().to_owned();
        let held: Held = site.queue.take("w").await.unwrap().unwrap().held;
        let events = vec![("page".to_owned(), "loading <img src=x onerror=alert(1)>".to_owned())];
        let news = News { held: held.clone(), events, cost_micros: 120_000 };
        site.queue.beat("w", &[news]).await.unwrap();
        let path = format!("/jobs/{id}");
        let queue = site.get("/queue").await.expect(200);
        assert!(queue.body.contains(&path) && queue.body.contains("Nobody works just now"), "{}", queue.body);
        let page = site.get(&path).await.expect(200);
        assert!(page.body.contains("<span data-cost>0.12</span>") && page.body.contains("running"), "{}", page.body);
        assert!(!page.body.contains("<img") && !page.body.contains("?<b>"), "{}", page.body);
        assert!(page.body.contains(&format!("href=\"{path}/cancel\"")), "{}", page.body);
        let (cookie, proof) = site.open_form(&format!("{path}/cancel")).await;
        let cancel = |body: String| {
            let request = Request::post(format!("{path}/cancel"))
                .header(HOST, "bench.example")
                .header(COOKIE, &cookie)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            site.ask(request.body(Body::from(body)).unwrap())
        };
        cancel(format!("token={}", site.token)).await.expect(403);
        let refused = cancel(format!("form={proof}&token=wrong")).await.expect(401);
        assert!(refused.body.contains("role=\"alert\""));
        cancel(format!("form={proof}&token={}", site.token)).await.expect(303);
        assert!(site.queue.job(&id).await.unwrap().unwrap().cancel_asked);
        let last = News { held, events: Vec::new(), cost_micros: 0 };
        assert!(site.queue.end(&last, &Ending::Cancelled, 3).await.unwrap());
        let over = site.get(&path).await.expect(200);
        assert!(over.body.contains("data-over=\"true\"") && !over.body.contains("Cancel this job"), "{}", over.body);
        assert_eq!(site.get(&format!("{path}/cancel")).await.expect(303).header("location"), path);
    });
}

/// Without script the page of a job is loaded every five seconds.
#[test]
fn a_token_that_somebody_types_to_cancel_is_not_lost_to_a_page_that_loads_itself_again() {
    block_on(async {
        let site = Site::new().await;
        let job = site.post_json("/api/v1/jobs", &site.token, r#"{"url":"https://app.example/"}"#).await.expect(201);
        let path = job.json()["page"].as_str().unwrap().to_owned();
        for (path, is_loaded_again) in [(path.clone(), true), (format!("{path}/cancel"), false)] {
            let page = site.get(&path).await.expect(200);
            assert_eq!(page.body.contains("http-equiv=\"refresh\""), is_loaded_again, "{}", page.body);
            assert_eq!(page.body.contains("name=\"token\""), !is_loaded_again, "{}", page.body);
        }
    });
}

#[test]
fn why_a_form_failed_was_not_told_to_the_operator() {
    block_on(async {
        let site = Site::new().await;
        let (cookie, proof) = site.open_form("/submit").await;
        site.queue.index().close().await.unwrap();
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), URL];
        let shown = site.send_form(&cookie, &fields, &[]).await;
        assert!(shown.body.contains("https://app.example/"), "what was typed stays: {}", shown.body);
        shown.expect_fault("closed");
        let door = Request::post("/sign-in").header(HOST, "bench.example");
        let door = door.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        site.ask(door.body(Body::from("token=bw_1_1")).unwrap()).await.expect_fault("closed");
        site.get("/queue").await.expect_fault("closed");
        site.get("/api/v1/queue").await.expect_fault("closed");
        assert_eq!(site.get("/submit").await.expect(200).fault, None);
    });
}
