//! What reviewers say, and where it goes.

use crate::site::{HOSTILE, Site, block_on, items};
use benchwright_store::index::Scope;

#[test]
fn the_practice_app_comes_first_and_its_agreement_is_kept_with_the_token() {
    block_on(async {
        let site = Site::new().await;
        let (id, token) = site.token("ann", Scope::Review).await;
        let (ann, list) = site.enter(&token).await;
        assert!(items(&list).is_empty() && list.body.contains("opens after the practice app"), "{}", list.body);
        let (_, others) = site.practised("bob").await;
        assert!(!items(&others).is_empty());
        let marks = [("item", "calibration"), ("workflow", "0"), ("mark-0", "pass"), ("mark-1", "pass")];
        site.send(&ann, "/annotate/save", &marks)
            .await
            .expect(200)
            .shows(&["Saved: Title of add-a-thing", "1 of 2 workflows marked"]);
        assert!(items(&site.send(&ann, "/annotate", &[]).await).is_empty());
        let marks = [("item", "calibration"), ("workflow", "1"), ("mark-0", "none"), ("mark-1", "fail")];
        site.send(&ann, "/annotate/save", &marks).await.expect(200);
        assert_eq!(items(&site.send(&ann, "/annotate", &[]).await).len(), 4);
        let tokens = site.queue.index().reviewers().await.unwrap();
        let said = tokens.into_iter().find(|token| token.id == id).unwrap().calibration.unwrap();
        assert_eq!(said.marks["add-a-thing"], [Some(true), Some(true)]);
        assert_eq!(said.marks["remove-a-thing"], [None, Some(false)]);
    });
}

#[test]
fn marks_become_a_review_of_the_run_and_the_last_ones_count() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        for item in items(&list) {
            let marks = [("item", item.as_str()), ("workflow", "1"), ("mark-0", "fail"), ("mark-1", "none")];
            site.send(&ann, "/annotate/save", &marks).await.expect(200);
        }
        let said = site.said("run-shopping-kiln-2");
        assert_eq!(said.len(), 1);
        assert_eq!((said[0].by.as_str(), said[0].workflow.as_str()), ("ann", "remove-a-thing"));
        assert_eq!(said[0].marks, [Some(false), None]);
        let indexed = site.queue.index().app("run-shopping-kiln-2").await.unwrap().unwrap();
        assert_eq!(indexed.reviews, said, "the index follows at once");
        let list = site.send(&ann, "/annotate", &[]).await.shows(&["1 of 2 workflows marked"]);
        let item = items(&list).remove(0);
        let shown = site.send(&ann, "/annotate/app", &[("item", &item), ("workflow", "1")]).await.expect(200);
        assert!(
            shown.body.contains("value=\"fail\" checked") && shown.body.contains("value=\"none\" checked"),
            "{}",
            shown.body
        );
        let marks = [("item", item.as_str()), ("workflow", "1"), ("mark-0", "pass"), ("mark-1", "pass")];
        site.send(&ann, "/annotate/save", &marks).await.expect(200);
        let all: Vec<_> = ["shopping-kiln-2", "shopping-drill-9", "garden-kiln-2", "garden-drill-9"]
            .into_iter()
            .flat_map(|run| site.said(&format!("run-{run}")))
            .map(|review| review.marks)
            .collect();
        assert_eq!(all.len(), 4);
        assert_eq!(all.iter().filter(|marks| **marks == [Some(true), Some(true)]).count(), 1);
    });
}

#[test]
fn what_makes_no_sense_is_refused_and_what_was_marked_stays() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        let item = items(&list).remove(0);
        let marks = [("item", item.as_str()), ("workflow", "0"), ("mark-1", "fail")];
        let page = site.send(&ann, "/annotate/save", &marks).await.expect(422).shows(&["Mark every substep"]);
        assert_eq!(page.body.matches(" checked").count(), 1);
        for (field, value) in [("mark-0", HOSTILE), ("mark-0", "PASS"), ("mark-0", "")] {
            let marks = [("item", item.as_str()), ("workflow", "0"), (field, value), ("mark-1", "fail")];
            let page = site.send(&ann, "/annotate/save", &marks).await.expect(422);
            assert!(!page.body.contains("<img src=x"), "{}", page.body);
        }
        for workflow in ["2", "-1", "99999999999999999999", HOSTILE, ""] {
            let marks = [("item", item.as_str()), ("workflow", workflow), ("mark-0", "pass"), ("mark-1", "fail")];
            site.send(&ann, "/annotate/save", &marks).await.expect(400);
        }
        for run in ["run-shopping-kiln-2", "run-shopping-drill-9", "run-garden-kiln-2", "run-garden-drill-9"] {
            assert_eq!(site.said(run), []);
        }
    });
}

#[test]
fn sentences_of_a_task_are_only_ever_text() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        let item = items(&list).remove(0);
        let page = site.send(&ann, "/annotate/open", &[("item", &item)]).await.expect(200);
        assert!(
            page.body.contains("&#60;img src=x onerror=alert(1)&#62;") && !page.body.contains("<img"),
            "{}",
            page.body
        );
        let name = "<b>ann</b>";
        let (_, list) = site.practised(name).await;
        assert!(list.body.contains("&#60;b&#62;ann") && !list.body.contains(name), "{}", list.body);
    });
}
