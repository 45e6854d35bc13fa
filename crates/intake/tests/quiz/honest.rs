//! Runs as they should be.

use crate::site::{Site, block_on, half_right, run_of};
use benchwright_quiz::{ReasonCode, State as Standing};
use benchwright_store::Decision;
use benchwright_store::index::State;
use benchwright_store::quiz::read_shared;
use serde_json::json;

#[test]
fn a_run_is_kept_derived_again_and_counted() {
    block_on(async {
        let site = Site::new().await;
        let answer = site.share(&site.honest("own-36", half_right).await).await.expect(201);
        let said = answer.json();
        assert_eq!((said["state"].as_str(), said["reasons"].as_array().unwrap().len()), (Some("confirmed"), 0));
        let id = said["id"].as_str().unwrap();
        assert_eq!(said["address"], json!(format!("/quiz/runs/{id}")));
        assert_eq!(answer.headers["location"].to_str().unwrap(), format!("/quiz/runs/{id}"));
        assert!(!answer.headers.contains_key("set-cookie"));
        let share = site.index.shared_run(id).await.unwrap().unwrap();
        assert_eq!((share.questions.len(), share.standing), (36, Standing::Confirmed));
        assert!(share.correct() > 0 && share.correct() < 36);
        let pools = site.index.pools().await.unwrap();
        assert_eq!((pools.len(), pools[0].runs, pools[0].questions), (1, 1, 36));
    });
}

#[test]
fn nothing_that_is_kept_leads_to_whoever_shared_it() {
    block_on(async {
        let site = Site::new().await;
        let run = site.honest("own-12", half_right).await;
        let said = site.share(&run).await.expect(201).json();
        let kept = read_shared(&*site.storage, said["id"].as_str().unwrap()).unwrap().unwrap().run.unwrap();
        let text = String::from_utf8(kept.bytes()).unwrap();
        for secret in [run["ticket"].as_str().unwrap(), said["delete_token"].as_str().unwrap(), "192.0.2.1"] {
            assert!(!text.contains(secret), "{secret} is kept");
        }
        assert_eq!(kept.submission.ticket, "");
        assert_eq!(kept.day.len(), "2026-11-16".len(), "the day, and nothing finer");
    });
}

#[test]
fn a_bucket_keeps_runs_and_removes_them() {
    block_on(async {
        let site = Site::with_bucket().await;
        let said = site.share(&site.honest("own-12", half_right).await).await.expect(201).json();
        let (id, token) = (said["id"].as_str().unwrap(), said["delete_token"].as_str().unwrap());
        assert!(read_shared(&*site.storage, id).unwrap().unwrap().run.is_some());
        site.remove(id, token).await.expect(200);
        assert!(read_shared(&*site.storage, id).unwrap().unwrap().run.is_none());
    });
}

#[test]
fn whoever_shared_a_run_removes_it_and_a_line_stays() {
    block_on(async {
        let site = Site::new().await;
        let said = site.share(&site.honest("own-12", half_right).await).await.expect(201).json();
        let (id, token) = (said["id"].as_str().unwrap(), said["delete_token"].as_str().unwrap());
        for wrong in ["", "bwq_0", &token.to_uppercase(), &format!("{token}0"), &"x".repeat(5000)] {
            assert_eq!(site.remove(id, wrong).await.expect(401).json()["code"], "not_yours", "{wrong}");
        }
        site.remove("20261116-ffffffffffffffff", token).await.expect(404);
        site.remove("..%2f..%2fetc", token).await.expect(404);
        assert!(site.index.shared_run(id).await.unwrap().unwrap().is_counted(), "nothing was removed so far");
        site.remove(id, token).await.expect(200);
        assert_eq!(site.index.shared_run(id).await.unwrap().unwrap().state, State::TakenDown);
        assert_eq!(site.index.pools().await.unwrap(), []);
        let lines = site.index.moderation(None, 10).await.unwrap();
        assert_eq!((lines.len(), lines[0].decision, lines[0].run.as_str()), (1, Decision::TakeDown, id));
        site.remove(id, token).await.expect(410);
    });
}

#[test]
fn whoever_did_not_hear_the_answer_hears_it_again() {
    block_on(async {
        let site = Site::new().await;
        let run = site.honest("own-12", half_right).await;
        let first = site.share(&run).await.expect(201).json();
        let again = site.share(&run).await.expect(200).json();
        assert_eq!(first, again);
        assert_eq!(site.index.pools().await.unwrap()[0].runs, 1);
    });
}

#[test]
fn many_who_share_at_once_are_all_kept() {
    block_on(async {
        let site = Site::new().await;
        let mut runs = Vec::new();
        for number in 0..40 {
            let ticket = site.ticket(json!({ "quick": { "source": "own", "count": 20 } })).await;
            runs.push(run_of(&ticket, |question| format!("Run {number}.\nANSWER: {}", question.answer)));
        }
        let asked = runs.iter().map(|run| site.share(run));
        let answers = futures_util::future::join_all(asked).await;
        let ids: std::collections::BTreeSet<String> =
            answers.into_iter().map(|answer| answer.expect(201).json()["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids.len(), 40);
        let pools = site.index.pools().await.unwrap();
        assert_eq!((pools[0].runs + pools[0].others, pools[0].asked / 20), (40, pools[0].runs));
    });
}

#[test]
fn exact_repeats_are_merged() {
    block_on(async {
        let site = Site::new().await;
        site.share(&site.honest("own-12", half_right).await).await.expect(201);
        let second = site.share(&site.honest("own-12", half_right).await).await.expect(201);
        let (first, second) = {
            let runs = site
                .index
                .shared_runs(&benchwright_store::index::quiz::ShareFilter::default(), None, 10)
                .await
                .unwrap();
            let (counted, merged): (Vec<_>, Vec<_>) =
                runs.into_iter().partition(benchwright_store::index::quiz::IndexedShare::is_counted);
            assert!(second.codes().is_empty() || second.codes() == ["duplicate"]);
            (counted, merged)
        };
        assert_eq!((first.len(), second.len()), (1, 1));
        assert_eq!(second[0].reasons, [ReasonCode::Duplicate]);
        assert_eq!(second[0].merged_into.as_ref(), Some(&first[0].run));
        assert_eq!(site.index.pools().await.unwrap()[0].asked, 12, "they count once");
    });
}

#[test]
fn a_ticket_carries_the_questions_and_their_examples() {
    block_on(async {
        let site = Site::new().await;
        let ticket = site.ticket(json!({ "set": "own-12" })).await;
        assert_eq!(ticket["order"].as_array().unwrap().len(), 12);
        assert_eq!(ticket["questions"].as_array().unwrap().len(), 12);
        assert!(ticket["examples"].as_object().unwrap().values().all(|five| five.as_array().unwrap().len() == 5));
        assert_eq!(ticket["expires_in_seconds"], 86_400);
        let one = site.ticket(json!({ "quick": { "source": "own", "count": 10 } })).await;
        let other = site.ticket(json!({ "quick": { "source": "own", "count": 10 } })).await;
        assert_ne!(one["quick"]["seed"], other["quick"]["seed"], "the site draws the seed");
        let chosen = site.ticket(json!({ "quick": { "source": "own", "count": 10, "seed": 7 } })).await;
        assert_eq!(chosen["quick"]["seed"], 7);
    });
}
