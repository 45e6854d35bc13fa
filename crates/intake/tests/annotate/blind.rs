//! What a reviewer must not see.

use crate::site::{Answer, Site, block_on, evaluation, items};
use benchwright_store::index::Scope;

const SECRETS: [&str; 8] = ["kiln-2", "drill-9", "resolver", "rules", "run-shopping", "run-garden", "hash-of", "bob"];

fn assert_blind(page: &Answer) {
    for secret in SECRETS {
        assert!(!page.body.contains(secret), "`{secret}` is on the page: {}", page.body);
    }
}

#[test]
fn no_page_tells_whose_app_it_is_or_who_else_reviews_it() {
    block_on(async {
        let site = Site::new().await;
        site.token("bob", Scope::Review).await;
        let (ann, list) = site.practised("ann").await;
        list.expect(200).shows(&["Task shopping", "Task garden", "App A", "App B", "0 of 2 workflows marked"]);
        let list = site.send(&ann, "/annotate", &[]).await.expect(200);
        assert_blind(&list);
        assert_eq!(items(&list).len(), 4, "two people share everything");
        for item in items(&list) {
            let page = site.send(&ann, "/annotate/open", &[("item", &item)]).await.expect(200);
            assert_blind(&page);
            assert!(page.header("content-security-policy").is_empty(), "no frame, no policy of its own");
        }
    });
}

#[test]
fn what_others_say_changes_not_one_byte() {
    block_on(async {
        let site = Site::new().await;
        let (ann, list) = site.practised("ann").await;
        let (bob, bobs) = site.practised("bob").await;
        let list = site.send(&ann, "/annotate", &[]).await.expect(list.status);
        assert_ne!(items(&list), items(&bobs), "names of items are another for everybody");
        let item = items(&list).remove(0);
        let before = site.send(&ann, "/annotate/app", &[("item", &item), ("workflow", "0")]).await.expect(200);
        for item in items(&bobs) {
            for workflow in ["0", "1"] {
                let marks = [("item", item.as_str()), ("workflow", workflow), ("mark-0", "fail"), ("mark-1", "none")];
                site.send(&bob, "/annotate/save", &marks).await.expect(200);
            }
        }
        let after = site.send(&ann, "/annotate/app", &[("item", &item), ("workflow", "0")]).await.expect(200);
        assert_eq!(before.body, after.body);
        assert_eq!(site.send(&ann, "/annotate", &[]).await.body, list.body);
        assert_eq!(site.said("run-garden-kiln-2").len(), 2, "bob was heard");
    });
}

#[test]
fn nobody_reviews_what_is_not_theirs() {
    block_on(async {
        let site = Site::new().await;
        let mut everything = Vec::new();
        let names = ["ann", "bob", "cleo", "dan"];
        for name in names {
            site.token(name, Scope::Review).await;
        }
        for name in names {
            let (person, list) = site.practised(name).await;
            assert_eq!(items(&list).len(), 2, "four people share two tasks of two apps, two to each");
            everything.push((person, items(&list)));
        }
        let (ann, _) = &everything[0];
        for item in everything[1..].iter().flat_map(|(_, items)| items).map(String::as_str).chain([
            "",
            "run-garden-kiln-2",
            "'--",
        ]) {
            let marks = [("item", item), ("workflow", "0"), ("mark-0", "pass"), ("mark-1", "pass")];
            for path in ["/annotate/open", "/annotate/app", "/annotate/save"] {
                site.send(ann, path, &marks).await.expect(422).shows(&["not yours"]);
            }
        }
    });
}

#[test]
fn apps_that_count_nowhere_are_nobodys_to_review() {
    block_on(async {
        let site = Site::new().await;
        let mut down = evaluation("shopping", "down");
        down.started = false;
        site.keep("run-down", &down).await;
        let mut elsewhere = evaluation("shopping", "elsewhere");
        elsewhere.app.bundle = None;
        site.keep("run-elsewhere", &elsewhere).await;
        let mut again = evaluation("shopping", "again");
        again.app.evaluation = 1;
        site.keep("run-again", &again).await;
        let mut other_judge = evaluation("shopping", "kiln-2");
        other_judge.evaluator.judge = "another".to_owned();
        site.keep("run-other-judge", &other_judge).await;
        site.token("bob", Scope::Review).await;
        let (_, list) = site.practised("ann").await;
        assert_eq!(items(&list).len(), 4, "an app that two judged is one app");
    });
}
