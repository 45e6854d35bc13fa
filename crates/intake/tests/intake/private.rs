//! A site that asks for a token everywhere.

use crate::site::{Answer, Site, block_on};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST};
use benchwright_store::index::Scope;
use url::form_urlencoded;

async fn sign_in(site: &Site, token: &str, to: &str) -> Answer {
    let form =
        form_urlencoded::Serializer::new(String::new()).append_pair("token", token).append_pair("to", to).finish();
    let request = Request::post("/sign-in").header(HOST, "bench.example").header("origin", "https://bench.example");
    site.ask(request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(Body::from(form)).unwrap()).await
}

#[test]
fn whoever_signed_in_was_not_brought_to_where_a_link_had_led() {
    block_on(async {
        let site = Site::new().await.behind_a_door();
        let reader = site.issue(&[Scope::Read]).await;
        let way = "/jobs/1?a=%2F%2Fb&c=\"d";
        let door = site.get("/jobs/1?a=%2F%2Fb&c=%22d").await.expect(303);
        let page = site.get(door.header("location")).await.expect(200);
        assert!(page.body.contains("name=\"to\" value=\"/jobs/1?a=%2F%2Fb&#38;c=%22d\""), "{}", page.body);
        let refused = sign_in(&site, "wrong", way).await.expect(401);
        assert!(refused.body.contains("value=\"/jobs/1?a=%2F%2Fb&#38;c=&#34;d\""), "a second try leads there too");
        assert_eq!(sign_in(&site, &reader, way).await.expect(303).header("location"), way);
        let form = site.get("/sign-in").await.expect(200);
        assert!(!form.body.contains("name=\"to\""), "{}", form.body);
        for elsewhere in ["", "//evil.example/", "/\\evil.example", "https://evil.example/", "/x\r\nset-cookie: a=b"] {
            let signed_in = sign_in(&site, &reader, elsewhere).await.expect(303);
            assert_eq!(signed_in.header("location"), "/", "{elsewhere}");
        }
        let home = site.get("/").await.expect(303);
        assert_eq!(home.header("location"), "/sign-in");
        let long = site.get(&format!("/jobs/{}", "x".repeat(1000))).await.expect(303);
        assert_eq!(long.header("location"), "/sign-in");
    });
}

#[test]
fn nothing_is_read_without_a_token_and_the_cookie_opens_reading_only() {
    block_on(async {
        let site = Site::new().await.behind_a_door();
        let reader = site.issue(&[Scope::Read]).await;
        site.get("/api/v1/queue").await.expect(401);
        let door = site.get("/submit").await.expect(303);
        assert_eq!(door.header("location"), "/sign-in?to=%2Fsubmit");
        site.get("/sign-in").await.expect(200);
        let sign_in = |token: &str, origin: &'static str| {
            let request = Request::post("/sign-in")
                .header(HOST, "bench.example")
                .header("origin", origin)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            site.ask(request.body(Body::from(format!("token={token}"))).unwrap())
        };
        sign_in("wrong", "https://bench.example").await.expect(401);
        sign_in(&reader, "https://evil.example").await.expect(403);
        let opened = sign_in(&reader, "https://bench.example").await.expect(303);
        let cookie = opened.header("set-cookie").to_owned();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let with = |method: &'static str, path: &'static str| {
            let request = Request::builder().method(method).uri(path).header(HOST, "bench.example");
            site.ask(request.header(COOKIE, &cookie).body(Body::empty()).unwrap())
        };
        with("GET", "/api/v1/queue").await.expect(200);
        with("GET", "/submit").await.expect(200);
        // The cookie is no token where something is changed.
        with("POST", "/api/v1/jobs").await.expect(401);
        let program = Request::get("/api/v1/queue").header(AUTHORIZATION, format!("Bearer {}", site.token));
        site.ask(program.body(Body::empty()).unwrap()).await.expect(200);
        let id = reader.split('_').nth(1).unwrap();
        assert!(site.queue.index().revoke_token(id, "2026-11-16T09:00:00Z").await.unwrap());
        with("GET", "/api/v1/queue").await.expect(401);
    });
}
