//! Programs: submit, look, watch, call off.

use crate::site::{Site, ZIP, block_on};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use benchwright_intake::Terms;
use benchwright_store::index::Scope;
use benchwright_store::jobs::JobState;

const JOB: &str = r#"{"url":"https://app.example/","prompt":"todo","tool":"kiln"}"#;

#[test]
fn a_job_is_taken_in_looked_at_and_called_off() {
    block_on(async {
        let site = Site::new().await;
        let answer = site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(201);
        let job = answer.json();
        let id = job["id"].as_str().unwrap().to_owned();
        assert_eq!(answer.header("location"), format!("/api/v1/jobs/{id}"));
        assert_eq!((job["state"].as_str(), job["tool"].as_str()), (Some("queued"), Some("kiln")));
        assert_eq!(site.get(&format!("/api/v1/jobs/{id}")).await.expect(200).json(), job);
        let queue = site.get("/api/v1/queue").await.expect(200).json();
        assert_eq!((queue["jobs"]["queued"].as_i64(), &queue["newest"][0]["id"]), (Some(1), &job["id"]));
        let cancelled = site.post_json(&format!("/api/v1/jobs/{id}/cancel"), &site.token, "").await.expect(200).json();
        assert_eq!(cancelled["state"], "cancelled");
        site.get("/api/v1/jobs/no-such-job").await.expect(404);
    });
}

#[test]
fn a_source_is_kept_beside_the_run_until_nobody_needs_it() {
    block_on(async {
        let site = Site::new().await;
        let job = site.post_source(ZIP).await.expect(201).json();
        assert_eq!(job["has_source"], true);
        let id = job["id"].as_str().unwrap();
        let blob = site.queue.job(id).await.unwrap().unwrap().order.source.unwrap();
        assert_eq!(site.storage.blob(id, &blob).unwrap(), ZIP);
        site.post_json(&format!("/api/v1/jobs/{id}/cancel"), &site.token, "").await.expect(200);
        assert!(site.storage.blob(id, &blob).is_err(), "what was submitted is theirs");
        assert_eq!(site.storage.runs().unwrap(), Vec::<String>::new(), "no folder stays for a job that was called off");
    });
}

#[test]
fn nothing_is_written_for_a_submission_that_is_refused() {
    block_on(async {
        let site = Site::with(Terms { waiting: 0, ..Terms::default() }).await;
        // Whoever tries to keep something fails here, and does not come as far as the queue.
        std::fs::write(site.folder.path().join("runs"), "no folder").unwrap();
        site.post_source(ZIP).await.expect(503);
    });
}

#[test]
fn the_same_key_is_the_same_job() {
    block_on(async {
        let site = Site::new().await;
        let ask = |key: &'static str| {
            let request = Request::post("/api/v1/jobs")
                .header(HOST, "bench.example")
                .header(AUTHORIZATION, format!("Bearer {}", site.token))
                .header("idempotency-key", key)
                .header(CONTENT_TYPE, "application/json");
            site.ask(request.body(Body::from(JOB)).unwrap())
        };
        let first = ask("a").await.expect(201).json();
        assert_eq!(ask("a").await.expect(201).json()["id"], first["id"]);
        assert_ne!(ask("b").await.expect(201).json()["id"], first["id"]);
    });
}

#[test]
fn limits_are_said_with_what_to_do() {
    block_on(async {
        let site = Site::with(Terms { jobs_per_hour: 1, ..Terms::default() }).await;
        site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(201);
        let refused = site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(429);
        assert!(refused.json()["error"].as_str().unwrap().contains("Try again later"));
        assert_eq!(refused.header("retry-after"), "600");
        let site = Site::with(Terms { waiting: 0, ..Terms::default() }).await;
        site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(503);
    });
}

#[test]
fn a_job_is_called_off_by_its_own_token_or_a_moderator() {
    block_on(async {
        let site = Site::new().await;
        let job = site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(201).json();
        let path = format!("/api/v1/jobs/{}/cancel", job["id"].as_str().unwrap());
        let stranger = site.issue(&[Scope::Submit]).await;
        site.post_json(&path, &stranger, "").await.expect(401);
        let reader = site.issue(&[Scope::Read]).await;
        site.post_json(&path, &reader, "").await.expect(401);
        let moderator = site.issue(&[Scope::Moderate]).await;
        assert_eq!(site.post_json(&path, &moderator, "").await.expect(200).json()["state"], "cancelled");
        let urgent = r#"{"url":"https://app.example/","priority":"high"}"#;
        site.post_json("/api/v1/jobs", &site.token, urgent).await.expect(422);
        let both = site.issue(&[Scope::Submit, Scope::Moderate]).await;
        site.post_json("/api/v1/jobs", &both, urgent).await.expect(201);
    });
}

#[test]
fn events_come_as_a_stream_and_by_asking() {
    block_on(async {
        let site = Site::new().await;
        let job = site.post_json("/api/v1/jobs", &site.token, JOB).await.expect(201).json();
        let path = job["events"].as_str().unwrap().to_owned();
        let asked = site.get(&path).await.expect(200).json();
        assert_eq!(asked["events"][0]["text"], "waiting for a worker");
        assert_eq!(site.get(&format!("{path}?after=0")).await.json()["events"].as_array().unwrap().len(), 0);
        site.queue.cancel(job["id"].as_str().unwrap()).await.unwrap();
        let stream = |last: &'static str| {
            let request = Request::get(&path).header(HOST, "bench.example").header(ACCEPT, "text/event-stream");
            site.ask(request.header("last-event-id", last).body(Body::empty()).unwrap())
        };
        let all = stream("-1").await.expect(200);
        assert!(all.header("content-type").starts_with("text/event-stream"));
        assert!(all.body.contains("event: end") && all.body.contains("id: 1"), "{}", all.body);
        assert!(all.body.contains("waiting for a worker"), "{}", all.body);
        let rest = stream("0").await.expect(200);
        assert!(!rest.body.contains("waiting for a worker") && rest.body.contains("cancelled"), "{}", rest.body);
        let state = site.queue.job(job["id"].as_str().unwrap()).await.unwrap().unwrap().state;
        assert_eq!(state, JobState::Cancelled);
    });
}
