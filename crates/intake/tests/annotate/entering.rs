//! Who gets in, and what a stranger's page can do.

use crate::site::{Person, Site, block_on, items};
use benchwright_store::index::Scope;

#[test]
fn only_a_token_of_a_reviewer_opens_the_door() {
    block_on(async {
        let site = Site::new().await;
        let door = site.get("/annotate").await.expect(200);
        assert!(
            door.header("set-cookie").contains("HttpOnly; SameSite=Strict")
                && door.header("cache-control") == "no-store"
        );
        let person = site.at_the_door().await;
        let (_, submitter) = site.token("ada", Scope::Submit).await;
        let (_, moderator) = site.token("mod", Scope::Moderate).await;
        for token in ["", "bw_0_0", &submitter, &moderator, "<script>"] {
            let fields = [("form", person.form.as_str()), ("token", token)];
            let page = site.post("/annotate", &person.cookie, &fields, &[]).await.expect(401);
            assert!(page.body.contains("role=\"alert\"") && !page.body.contains("name=\"pass\""), "{}", page.body);
        }
        let (_, token) = site.token("ann", Scope::Review).await;
        let (person, list) = site.enter(&token).await;
        assert!(list.body.contains("ann") && !list.body.contains(&token), "the token itself is on no page");
        site.send(&person, "/annotate", &[]).await.expect(200);
    });
}

#[test]
fn nothing_rests_on_a_cookie_and_nothing_on_a_page_of_somebody_else() {
    block_on(async {
        let site = Site::new().await;
        let (person, list) = site.practised("ann").await;
        let item = items(&list).remove(0);
        let marks = [("item", item.as_str()), ("workflow", "0"), ("mark-0", "pass"), ("mark-1", "pass")];
        let told = |status, person: Person, headers: &'static [(&str, &str)]| {
            let (site, marks) = (&site, &marks);
            async move {
                for path in ["/annotate", "/annotate/open", "/annotate/app", "/annotate/save", "/annotate/close"] {
                    site.post(path, &person.cookie, &person.fields(marks), headers).await.expect(status);
                }
            }
        };
        told(401, Person { pass: String::new(), ..person.clone() }, &[]).await;
        told(401, Person { pass: format!("{}0", person.pass), ..person.clone() }, &[]).await;
        let (id, rest) = person.pass.split_once('.').unwrap();
        told(401, Person { pass: format!("{id}.9{rest}"), ..person.clone() }, &[]).await;
        told(403, Person { form: "0".repeat(64), ..person.clone() }, &[]).await;
        told(403, Person { cookie: String::new(), ..person.clone() }, &[]).await;
        told(403, person.clone(), &[("sec-fetch-site", "cross-site")]).await;
        told(403, person.clone(), &[("sec-fetch-site", "same-site"), ("origin", "http://w0x0-ab.bench.example")]).await;
        told(403, person.clone(), &[("origin", "https://evil.example")]).await;
        for run in ["run-shopping-kiln-2", "run-garden-drill-9"] {
            assert_eq!(site.said(run), [], "{run}");
        }
        assert_eq!(site.queue.open_reviews(id).await.unwrap(), []);
        site.send(&person, "/annotate/save", &marks).await.expect(200);
    });
}

#[test]
fn a_cookie_that_a_neighbour_planted_locks_nobody_out_and_opens_nothing() {
    block_on(async {
        let site = Site::new().await;
        let (person, list) = site.practised("ann").await;
        let item = items(&list).remove(0);
        // What a browser sends first is what was set for the longer path, so a neighbour can always be first.
        let own = site.at_the_door().await;
        for planted in [own.cookie.as_str(), "benchwright_form=", "benchwright_form=x", "benchwright_form"] {
            let beside = Person { cookie: format!("{planted}; {}", person.cookie), ..person.clone() };
            site.send(&beside, "/annotate/app", &[("item", &item)]).await.expect(200);
            let door = site.get_with("/annotate", &beside.cookie).await.expect(200);
            let form = door.fields("form").remove(0);
            site.send(&Person { form, ..beside }, "/annotate", &[]).await.expect(200);
        }
        let alone = Person { cookie: own.cookie.clone(), ..person.clone() };
        site.send(&alone, "/annotate/app", &[("item", &item)]).await.expect(403);
        let without_pass = Person { cookie: format!("{}; {}", own.cookie, person.cookie), ..own };
        site.send(&without_pass, "/annotate/app", &[("item", &item)]).await.expect(401);
    });
}

#[test]
fn a_token_that_was_revoked_ends_a_visit_at_once() {
    block_on(async {
        let site = Site::new().await;
        let (id, token) = site.token("ann", Scope::Review).await;
        let (person, _) = site.enter(&token).await;
        site.send(&person, "/annotate", &[]).await.expect(200);
        site.queue.index().revoke_token(&id, "2026-11-16T09:00:00Z").await.unwrap();
        site.send(&person, "/annotate", &[]).await.expect(401).shows(&["Enter your token again"]);
    });
}

#[test]
fn a_form_that_is_too_large_is_not_read() {
    block_on(async {
        let site = Site::new().await;
        let person = site.at_the_door().await;
        let large = "x".repeat(70_000);
        site.post("/annotate", &person.cookie, &[("token", &large)], &[]).await.expect(413);
    });
}

#[test]
fn why_the_door_failed_was_not_told_to_the_operator() {
    block_on(async {
        let site = Site::new().await;
        let person = site.at_the_door().await;
        site.queue.index().close().await.unwrap();
        let fields = [("form", person.form.as_str()), ("token", "bw_1_1")];
        let shown = site.post("/annotate", &person.cookie, &fields, &[]).await.shows(&["role=\"alert\""]);
        shown.expect_fault("closed");
    });
}
