//! How much and how often.

use crate::site::{Site, block_on, generous, half_right};
use axum::body::Body;
use axum::http::Request;
use benchwright_intake::quiz::{QuizTerms, Rate};
use serde_json::json;

const ASKED: &str = r#"{"set":"own-12","model":"m","protocol":"one-message-1"}"#;

#[test]
fn tickets_are_limited_by_address_and_others_are_not_held_up() {
    block_on(async {
        let rate = Rate { burst: 3.0, per_hour: 1.0 };
        let site = Site::with(QuizTerms { tickets: rate, ..generous() }).await;
        let ask = |address| site.post_from(address, "/api/v1/quiz/tickets", ASKED.to_owned());
        for _ in 0..3 {
            ask([192, 0, 2, 1]).await.expect(201);
        }
        let held_up = ask([192, 0, 2, 1]).await.expect(429);
        assert_eq!(
            (held_up.json()["code"].as_str(), held_up.headers["retry-after"].to_str().unwrap()),
            (Some("too_often"), "300")
        );
        ask([192, 0, 2, 2]).await.expect(201);
    });
}

#[test]
fn shares_are_limited_by_address_before_anything_is_read() {
    block_on(async {
        let rate = Rate { burst: 2.0, per_hour: 1.0 };
        let site = Site::with(QuizTerms { shares: rate, ..generous() }).await;
        for _ in 0..2 {
            site.share(&site.honest("own-12", half_right).await).await.expect(201);
        }
        let held_up = site.share(&json!({ "nonsense": true })).await.expect(429);
        assert_eq!(held_up.json()["code"], "too_often");
    });
}

#[test]
fn all_together_are_limited_too() {
    block_on(async {
        let rate = Rate { burst: 5.0, per_hour: 1.0 };
        let site = Site::with(QuizTerms { overall: rate, ..generous() }).await;
        let mut statuses = Vec::new();
        for number in 0..8 {
            statuses.push(
                site.post_from([192, 0, 2, number], "/api/v1/quiz/tickets", ASKED.to_owned()).await.status.as_u16(),
            );
        }
        assert_eq!(statuses, [201, 201, 201, 201, 201, 503, 503, 503]);
    });
}

#[test]
fn behind_a_proxy_it_is_the_proxy_that_says_who_asks() {
    block_on(async {
        let rate = Rate { burst: 1.0, per_hour: 1.0 };
        let site = Site::with(QuizTerms { tickets: rate, behind_proxy: true, ..generous() }).await;
        let ask = async |forwarded: &str| {
            let request = Request::post("/api/v1/quiz/tickets")
                .header("host", "bench.example")
                .header("content-type", "application/json")
                .header("x-forwarded-for", forwarded);
            site.ask(request.body(Body::from(ASKED)).unwrap()).await.status.as_u16()
        };
        assert_eq!(ask("198.51.100.1, 192.0.2.1").await, 201);
        assert_eq!(ask("198.51.100.99, 192.0.2.1").await, 429, "what a client writes itself changes nothing");
        assert_eq!(ask("192.0.2.2").await, 201);
    });
}

#[test]
fn tickets_that_make_no_sense_are_refused_with_a_reason() {
    block_on(async {
        let site = Site::new().await;
        for (body, status) in [
            (json!({ "set": "own-13", "model": "m", "protocol": "one-message-1" }), 422),
            (json!({ "set": "mmlu-12", "model": "m", "protocol": "one-message-1" }), 422),
            (json!({ "quick": { "source": "own", "count": 11 }, "model": "m", "protocol": "one-message-1" }), 422),
            (json!({ "quick": { "source": "mmlu", "count": 10 }, "model": "m", "protocol": "one-message-1" }), 422),
            (json!({ "set": "own-12", "model": "", "protocol": "one-message-1" }), 422),
            (json!({ "set": "own-12", "model": "x".repeat(101), "protocol": "one-message-1" }), 422),
            (json!({ "set": "own-12", "model": "a\u{0}b", "protocol": "one-message-1" }), 422),
            (json!({ "model": "m", "protocol": "one-message-1" }), 400),
            (
                json!({ "set": "own-12", "quick": { "source": "own", "count": 3 }, "model": "m", "protocol": "one-message-1" }),
                400,
            ),
            (json!({ "set": "own-12", "model": "m", "protocol": "two-messages" }), 400),
            (json!({ "set": "own-12", "model": "m", "protocol": "one-message-1", "root": true }), 400),
        ] {
            let answer = site.post("/api/v1/quiz/tickets", &body).await.expect(status);
            assert!(answer.json()["error"].as_str().unwrap().len() > 10, "{body}");
        }
        let text = Request::post("/api/v1/quiz/tickets").header("host", "x").header("content-type", "text/plain");
        site.ask(text.body(Body::from(ASKED)).unwrap()).await.expect(400);
    });
}

#[test]
fn why_sharing_failed_was_not_told_to_the_operator() {
    block_on(async {
        let site = Site::new().await;
        let run = site.honest("own-12", half_right).await;
        site.index.close().await.unwrap();
        site.share(&run).await.expect_fault("closed");
    });
}
