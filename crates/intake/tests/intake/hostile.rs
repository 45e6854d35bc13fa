//! Tokens that are no good, bodies that are too large or make no sense.

use crate::site::{LARGEST, Site, ZIP, block_on, multipart};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use benchwright_intake::Terms;
use benchwright_store::index::Scope;
use futures_util::stream;
use std::convert::Infallible;
use std::time::Duration;

const JOB: &str = r#"{"url":"https://app.example/"}"#;

#[test]
fn forged_revoked_ended_and_too_weak_tokens_change_nothing() {
    block_on(async {
        let site = Site::new().await;
        let revoked = site.issue(&[Scope::Submit]).await;
        let id = revoked.split('_').nth(1).unwrap();
        assert!(site.queue.index().revoke_token(id, "2026-11-16T09:00:00Z").await.unwrap());
        let ended = site.issue_until("2026-11-16T08:30:00Z").await;
        let reader = site.issue(&[Scope::Read]).await;
        let mut forged = site.token.clone();
        forged.replace_range(forged.len() - 4.., "0000");
        let long = "x".repeat(10_000);
        for token in ["", "' OR 1=1 --", &forged, &site.token.to_uppercase(), &revoked, &ended, &reader, &long] {
            let answer = site.post_json("/api/v1/jobs", token, JOB).await.expect(401);
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            assert!(token.is_empty() || !answer.body.contains(token), "a token is not said again");
        }
        let bare = Request::post("/api/v1/jobs").header(HOST, "bench.example").header(CONTENT_TYPE, "application/json");
        site.ask(bare.body(Body::from(JOB)).unwrap()).await.expect(401);
        assert_eq!(site.queue.counts().await.unwrap().queued, 0);
    });
}

#[test]
fn bodies_that_make_no_sense_are_refused_with_a_reason() {
    block_on(async {
        let site = Site::new().await;
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        let large = format!(r#"{{"url":"https://app.example/","note":"{}"}}"#, "x".repeat(70_000));
        for body in [
            "",
            "null",
            "[]",
            "{",
            r#"{"url":1}"#,
            r#"{"url":"https://a.example","root":true}"#,
            "\u{0}",
            &deep,
            &large,
        ] {
            let answer = site.post_json("/api/v1/jobs", &site.token, body).await;
            assert!(matches!(answer.status.as_u16(), 400 | 413), "{}: {}", answer.status, answer.body);
            assert!(answer.json()["error"].as_str().unwrap().len() > 10);
        }
        let wrong =
            site.post_json("/api/v1/jobs", &site.token, r#"{"url":"javascript:1","tool":"<b>"}"#).await.expect(422);
        assert_eq!(wrong.json()["problems"][0]["field"], "url");
        assert_eq!(wrong.json()["problems"][1]["field"], "tool");
        let text = Request::post("/api/v1/jobs")
            .header(HOST, "bench.example")
            .header(AUTHORIZATION, format!("Bearer {}", site.token))
            .header(CONTENT_TYPE, "text/plain");
        site.ask(text.body(Body::from(JOB)).unwrap()).await.expect(400);
        assert_eq!(site.queue.counts().await.unwrap().queued, 0);
    });
}

#[test]
fn forms_that_are_too_large_broken_or_no_zip_leave_nothing_behind() {
    block_on(async {
        let site = Site::new().await;
        let url: (&str, &[u8]) = ("url", b"https://app.example/");
        let large = [ZIP, &vec![b'x'; LARGEST]].concat();
        let huge = vec![b'x'; 200_000];
        let many: Vec<(String, &[u8])> = (0..100).map(|number| (format!("f{number}"), &b"x"[..])).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let bodies = [
            (multipart(&[url, ("source", &large)]), 413),
            (multipart(&[url, ("source", &huge)]), 413),
            (multipart(&[url, ("note", &huge)]), 413),
            (multipart(&[url, ("source", b"not a zip")]), 422),
            (multipart(&[url, url]), 400),
            (multipart(&[url, ("note", b"\xff\xfe")]), 400),
            (multipart(&[url, ("cost_usd", b"a lot")]), 422),
            (multipart(&many), 400),
            (b"--XX\r\nContent-Disposition: form-da".to_vec(), 400),
            (b"nonsense".to_vec(), 400),
        ];
        for (number, (body, status)) in bodies.into_iter().enumerate() {
            let request = Request::post("/api/v1/jobs")
                .header(HOST, "bench.example")
                .header(AUTHORIZATION, format!("Bearer {}", site.token))
                .header(CONTENT_TYPE, "multipart/form-data; boundary=XX");
            let answer = site.ask(request.body(Body::from(body)).unwrap()).await;
            assert_eq!(answer.status.as_u16(), status, "body {number}: {}", answer.body);
        }
        assert_eq!(site.queue.counts().await.unwrap().queued, 0);
        for run in site.storage.runs().unwrap() {
            assert!(site.storage.blobs(&run).unwrap().is_empty(), "{run} keeps a source that was refused");
        }
    });
}

#[test]
fn names_that_are_no_ids_lead_nowhere() {
    block_on(async {
        let site = Site::new().await;
        for id in ["..%2f..%2fetc", "%00", "a'b", &"x".repeat(3000)] {
            site.get(&format!("/api/v1/jobs/{id}")).await.expect(404);
            site.get(&format!("/jobs/{id}")).await.expect(404);
            site.get(&format!("/api/v1/jobs/{id}/events")).await.expect(404);
        }
        site.get("/submit/other.js").await.expect(404);
        assert_eq!(site.get("/api/v1/jobs/x/events?after=x").await.status.as_u16(), 400);
    });
}

/// Forms that anybody can send: they are read before anything is known of who sends them.
const OPEN_FORMS: [&str; 7] = [
    "/sign-in",
    "/jobs/any/cancel",
    "/annotate",
    "/annotate/open",
    "/annotate/app",
    "/annotate/save",
    "/annotate/close",
];

fn form(path: &str, body: Body) -> Request<Body> {
    let request = Request::post(path).header(HOST, "bench.example");
    request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body).unwrap()
}

#[test]
fn a_form_of_a_stranger_that_dribbles_is_given_up() {
    block_on(async {
        let site = Site::with(Terms { patience: Duration::from_millis(100), ..Terms::default() }).await;
        for path in OPEN_FORMS {
            let byte_by_byte = stream::unfold((), |()| async {
                tokio::time::sleep(Duration::from_millis(5)).await;
                Some((Ok::<_, Infallible>("x"), ()))
            });
            let answer = site.ask(form(path, Body::from_stream(byte_by_byte))).await.expect(408);
            assert!(answer.body.contains("too long to arrive") && answer.body.contains("<html"), "{}", answer.body);
        }
    });
}

#[test]
fn a_form_of_a_stranger_is_not_kept_in_memory_beyond_its_limit() {
    block_on(async {
        let site = Site::new().await;
        for path in OPEN_FORMS {
            let token = |length| Body::from(format!("token={}", "x".repeat(length)));
            site.ask(form(path, token(65 * 1024))).await.expect(413);
            let small = site.ask(form(path, token(60 * 1024))).await;
            assert_ne!(small.status.as_u16(), 413, "{path}: {}", small.body);
        }
    });
}
