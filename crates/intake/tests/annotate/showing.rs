//! Opening an app, and closing it again. The test is the worker, so that it knows what happens when.

use crate::site::{Person, Site, block_on, items};
use benchwright_domain::JobKind;
use benchwright_store::jobs::{Ending, JobState, News, Taken, Word};

fn id(person: &Person) -> String {
    person.pass.split_once('.').unwrap().0.to_owned()
}

async fn taken(site: &Site) -> Taken {
    site.queue.take_of("w", JobKind::Review).await.unwrap().expect("a job waits")
}

fn news(taken: &Taken) -> News {
    News { held: taken.held.clone(), events: Vec::new(), cost_micros: 0 }
}

#[test]
fn an_app_is_opened_shown_in_a_frame_of_its_own_origin_and_closed() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        let item = items(&list).remove(0);
        let opening = site.send(&ann, "/annotate/open", &[("item", &item)]).await.expect(200);
        assert!(
            opening.body.contains("data-opening=\"true\"") && !opening.body.contains("<iframe"),
            "{}",
            opening.body
        );
        assert_eq!(site.queue.take("scorer").await.unwrap(), None, "who scores gets no such job");
        let job = taken(&site).await;
        site.queue.show_at(&job.held, "http://{copy}-0123.localhost:4000").await.unwrap();
        let shown =
            site.send(&ann, "/annotate/app", &[("item", &item), ("workflow", "1"), ("copy", "3")]).await.expect(200);
        assert!(
            shown.body.contains("src=\"http://w1x3-0123.localhost:4000/\" sandbox=\"allow-scripts"),
            "{}",
            shown.body
        );
        assert!(!shown.body.contains("allow-top-navigation") && !shown.body.contains("escape-sandbox"));
        let policy = shown.header("content-security-policy");
        assert!(
            policy.ends_with("frame-src http://w1x3-0123.localhost:4000") && policy.starts_with("default-src 'none'"),
            "{policy}"
        );
        assert!(shown.body.contains(&job.held.job), "values are this occasion's");
        assert_eq!(site.queue.beat("w", &[news(&job)]).await.unwrap(), [Word::GoOn]);
        site.send(&ann, "/annotate/close", &[]).await.expect(200).shows(&["What is yours to review"]);
        assert_eq!(site.queue.beat("w", &[news(&job)]).await.unwrap(), [Word::Cancel]);
        assert!(site.queue.end(&news(&job), &Ending::Closed, 3).await.unwrap());
        let last = site.queue.last_review(&id(&ann)).await.unwrap().unwrap();
        assert_eq!((last.state, last.place), (JobState::Done, None));
        site.send(&ann, "/annotate/app", &[("item", &item)])
            .await
            .expect(200)
            .shows(&["The app is closed.</p>", "Open it"]);
    });
}

#[test]
fn nobody_has_two_apps_open() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        let all = items(&list);
        site.send(&ann, "/annotate/open", &[("item", &all[0])]).await.expect(200);
        site.send(&ann, "/annotate/open", &[("item", &all[0])]).await.expect(200);
        assert_eq!(site.queue.open_reviews(&id(&ann)).await.unwrap().len(), 1, "asking twice is asking once");
        let first = taken(&site).await;
        site.send(&ann, "/annotate/open", &[("item", &all[1])]).await.expect(200);
        let open = site.queue.open_reviews(&id(&ann)).await.unwrap();
        assert_eq!(open.len(), 1);
        assert_ne!(open[0].id, first.held.job);
        assert_eq!(site.queue.beat("w", &[news(&first)]).await.unwrap(), [Word::Cancel]);
    });
}

#[test]
fn an_app_that_cannot_be_shown_says_so_without_what_its_console_says() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        let item = items(&list).remove(0);
        site.send(&ann, "/annotate/open", &[("item", &item)]).await.expect(200);
        let job = taken(&site).await;
        let why = Ending::Failed("failed to start the app: SyntaxError in server.js of kiln-2".to_owned());
        assert!(site.queue.end(&news(&job), &why, 3).await.unwrap());
        let page =
            site.send(&ann, "/annotate/app", &[("item", &item)]).await.expect(200).shows(&["could not be opened"]);
        assert!(!page.body.contains("SyntaxError") && !page.body.contains("kiln-2"), "{}", page.body);
        site.send(&ann, "/annotate/open", &[("item", &item)]).await.expect(200).shows(&["is being opened"]);
    });
}

#[test]
fn what_a_reviewer_has_open_is_no_business_of_anybody_else() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        site.send(&ann, "/annotate/open", &[("item", &items(&list)[0])]).await.expect(200);
        let job = taken(&site).await;
        site.queue.show_at(&job.held, "http://{copy}-0123.localhost:4000").await.unwrap();
        let id = &job.held.job;
        for path in [format!("/api/v1/jobs/{id}"), format!("/api/v1/jobs/{id}/events"), format!("/jobs/{id}")] {
            site.get(&path).await.expect(404);
        }
        for path in ["/queue", "/api/v1/queue"] {
            let page = site.get(path).await.expect(200);
            assert!(!page.body.contains(id) && !page.body.contains("0123.localhost"), "{}", page.body);
        }
    });
}
