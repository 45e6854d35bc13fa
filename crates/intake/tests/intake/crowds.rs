//! Many ZIPs at once, and tokens that have asked for enough.

use crate::site::{Answer, Site, ZIP, block_on, multipart, program_form_of};
use axum::body::Body;
use axum::http::header::HeaderValue;
use benchwright_intake::Terms;
use benchwright_store::index::Scope;
use futures_util::{StreamExt as _, stream};
use std::convert::Infallible;
use std::time::Duration;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

const JOB: &str = r#"{"url":"https://app.example/"}"#;
/// As many as may arrive at once, in all and of one token.
const PLACES: usize = 8;
const OWN_PLACES: usize = 2;

/// A form whose ZIP begins and never ends.
fn endless() -> Body {
    let mut start = multipart(&[("url", b"https://app.example/"), ("source", ZIP)]);
    start.truncate(start.len() - b"\r\n--XX--\r\n".len());
    Body::from_stream(stream::iter([Ok::<_, Infallible>(start)]).chain(stream::pending()))
}

fn dribble(site: &Site, token: &str) -> JoinHandle<()> {
    let (router, request) = (site.router.clone(), program_form_of(token, endless()));
    tokio::spawn(async move {
        router.oneshot(request).await.unwrap();
    })
}

/// A site where many may submit, and nobody waits for long.
async fn hurried() -> Site {
    Site::with(Terms { jobs_per_hour: 10_000, turn: Duration::from_millis(500), ..Terms::default() }).await
}

/// What is said once all places are taken. They are taken one after another; until then there is one for us.
async fn crowded(site: &Site) -> Answer {
    for _ in 0..500 {
        let answer = site.post_source(ZIP).await;
        if answer.status.as_u16() != 201 {
            return answer;
        }
    }
    panic!("nobody is ever refused");
}

#[test]
fn any_number_of_zips_was_held_in_memory_at_once() {
    block_on(async {
        let site = hurried().await;
        let mut dribblers = Vec::new();
        for _ in 0..PLACES / OWN_PLACES {
            let token = site.issue(&[Scope::Submit]).await;
            dribblers.extend((0..OWN_PLACES).map(|_| dribble(&site, &token)));
        }
        let refused = crowded(&site).await.expect(503);
        assert!(refused.json()["error"].as_str().unwrap().contains("Try again in a moment"), "{}", refused.body);
        assert_eq!(refused.header("retry-after"), "5");

        let (cookie, proof) = site.open_form("/submit").await;
        let form = |source: &'static [u8]| {
            let (site, cookie, proof) = (&site, &cookie, &proof);
            let url = &b"https://app.example/"[..];
            async move {
                let fields =
                    [("form", proof.as_bytes()), ("token", site.token.as_bytes()), ("url", url), ("source", source)];
                site.send_form(cookie, &fields, &[]).await
            }
        };
        let refused = form(ZIP).await.expect(503);
        assert!(refused.body.contains("Try again in a moment") && !refused.body.contains(&site.token));
        form(b"").await.expect(303);
        site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(201);

        let gone = dribblers.pop().unwrap();
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        form(ZIP).await.expect(303);
        site.post_source(ZIP).await.expect(201);
        dribblers.iter().for_each(JoinHandle::abort);
    });
}

#[test]
fn one_token_held_all_places_for_zips() {
    block_on(async {
        let site = hurried().await;
        let dribblers: Vec<_> = (0..PLACES).map(|_| dribble(&site, &site.token)).collect();
        let refused = crowded(&site).await.expect(429);
        assert!(refused.json()["error"].as_str().unwrap().contains("as many ZIPs at once"), "{}", refused.body);
        assert_eq!(refused.header("retry-after"), "5");
        let (cookie, proof) = site.open_form("/submit").await;
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), ("source", ZIP)];
        site.send_form(&cookie, &fields, &[]).await.expect(429);
        let other = site.issue(&[Scope::Submit]).await;
        site.post_source_of(&other, ZIP).await.expect(201);
        site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(201);

        for gone in dribblers {
            gone.abort();
            let _ = gone.await;
        }
        site.post_source(ZIP).await.expect(201);
    });
}

#[test]
fn a_whole_zip_was_read_from_a_token_that_had_asked_for_enough() {
    block_on(async {
        let site = Site::with(Terms { jobs_per_hour: 1, ..Terms::default() }).await;
        let form = |body: Body| {
            let mut request = site.program_form(body);
            request.headers_mut().insert("idempotency-key", HeaderValue::from_static("a"));
            request
        };
        // What is no job does not count, however much of it was read.
        site.post_source(b"no zip").await.expect(422);
        let zip = || Body::from(multipart(&[("url", b"https://app.example/"), ("source", ZIP)]));
        let first = site.ask(form(zip())).await.expect(201).json();
        let refused = site.ask(site.program_form(endless())).await.expect(429);
        assert_eq!(refused.header("retry-after"), "600");
        assert_eq!(
            site.ask(form(zip())).await.expect(201).json()["id"],
            first["id"],
            "asking again is not asking more"
        );

        let (cookie, proof) = site.open_form("/submit").await;
        let fields = [("form", proof.as_bytes()), ("token", site.token.as_bytes()), ("source", ZIP)];
        site.send_form(&cookie, &fields, &[]).await.expect(429);
        assert_eq!(site.queue.counts().await.unwrap().queued, 1);
    });
}

#[test]
fn json_was_read_up_to_the_size_of_a_zip_before_it_was_too_large() {
    block_on(async {
        let site = Site::new().await;
        let large = format!(r#"{{"url":"https://app.example/","note":"{}"}}"#, "x".repeat(64 * 1024));
        let refused = site.post_json("/api/v1/jobs", &site.token, &large).await.expect(413);
        assert!(refused.body.contains("at most 64 KB"), "{}", refused.body);
    });
}
