//! A forged submission of each kind: refused, or shown and not ranked, with its reason.

use crate::site::{Answer, Site, block_on, half_right, reference_of, run_of};
use benchwright_quiz::{Question, State as Standing};
use serde_json::{Value, json};

/// Shares an honest run of a set after somebody has changed it.
async fn forged(site: &Site, change: impl FnOnce(&mut Value)) -> Answer {
    let mut run = site.honest("own-12", half_right).await;
    change(&mut run);
    site.share(&run).await
}

/// Refused, with this code, and nothing is kept.
fn refused(code: &str, change: impl FnOnce(&mut Value)) {
    block_on(async {
        let site = Site::new().await;
        let answer = forged(&site, change).await;
        assert!(matches!(answer.status.as_u16(), 400 | 413 | 422), "{}: {}", answer.status, answer.body);
        assert_eq!(answer.json()["code"], code, "{}", answer.body);
        assert!(answer.json()["error"].as_str().unwrap().len() > 10);
        assert_eq!(site.index.pools().await.unwrap(), []);
        assert_eq!(benchwright_store::quiz::shared_days(&*site.storage).unwrap(), Vec::<String>::new());
    });
}

/// Kept and shown, but not ranked, for this reason.
fn unranked(state: &str, code: &str, change: impl FnOnce(&mut Value)) {
    block_on(async {
        let site = Site::new().await;
        let answer = forged(&site, change).await.expect(201);
        assert_eq!((answer.json()["state"].as_str().unwrap(), answer.codes()), (state, vec![code.to_owned()]));
        let pools = site.index.pools().await.unwrap();
        assert_eq!((pools[0].runs, pools[0].others, pools[0].asked), (0, 1, 0));
        let id = answer.json()["id"].as_str().unwrap().to_owned();
        assert!(!site.index.shared_run(&id).await.unwrap().unwrap().is_counted());
    });
}

#[test]
fn a_body_that_is_no_run_is_refused() {
    block_on(async {
        let site = Site::new().await;
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        for body in ["", "null", "[]", "{", "{}", r#"{"format":1}"#, "\u{0}", &deep] {
            let answer = site.post_from([192, 0, 2, 1], "/api/v1/quiz/runs", body.to_owned()).await.expect(400);
            assert_eq!(answer.json()["code"], "unreadable", "{body}");
        }
    });
}

#[test]
fn a_letter_that_is_none_is_refused() {
    refused("unreadable", |run| run["answers"][0]["client"]["letter"] = json!("E"));
}

#[test]
fn a_format_of_tomorrow_is_refused() {
    refused("unknown_format", |run| run["format"] = json!(2));
}

#[test]
fn a_run_without_a_ticket_is_refused() {
    refused("ticket_forged", |run| run["ticket"] = json!(""));
}

#[test]
fn a_ticket_that_was_changed_is_refused() {
    refused("ticket_forged", |run| {
        let ticket = run["ticket"].as_str().unwrap();
        let (said, proof) = ticket.split_once('.').unwrap();
        let last = if said.ends_with('A') { "B" } else { "A" };
        run["ticket"] = json!(format!("{}{last}.{proof}", &said[..said.len() - 1]));
    });
}

#[test]
fn a_ticket_of_another_site_is_refused() {
    block_on(async {
        let (ours, theirs) = (Site::new().await, Site::new().await);
        let run = theirs.honest("own-12", half_right).await;
        assert_eq!(ours.share(&run).await.expect(422).json()["code"], "ticket_forged");
    });
}

#[test]
fn a_ticket_is_good_for_one_run() {
    block_on(async {
        let site = Site::new().await;
        let ticket = site.ticket(json!({ "set": "own-12" })).await;
        site.share(&run_of(&ticket, half_right)).await.expect(201);
        let right = |question: &Question| format!("ANSWER: {}", question.answer);
        let again = site.share(&run_of(&ticket, right)).await.expect(409);
        assert_eq!(again.json()["code"], "ticket_used");
        assert_eq!(site.index.pools().await.unwrap()[0].runs, 1);
    });
}

#[test]
fn a_ticket_whose_run_was_removed_is_used_up() {
    block_on(async {
        let site = Site::new().await;
        let run = site.honest("own-12", half_right).await;
        let said = site.share(&run).await.expect(201).json();
        site.remove(said["id"].as_str().unwrap(), said["delete_token"].as_str().unwrap()).await.expect(200);
        let again = site.share(&run).await.expect(409);
        assert_eq!(again.json()["code"], "ticket_used", "what was removed does not come back");
    });
}

#[test]
fn a_ticket_of_another_model_is_refused() {
    refused("not_the_ticket", |run| run["model"]["catalogue_id"] = json!("Qwen3-8B-q4f16_1-MLC"));
}

#[test]
fn a_model_that_the_catalogue_does_not_have_stands_with_visitors_own() {
    block_on(async {
        let site = Site::new().await;
        let body = json!({ "set": "own-12", "model": "Better-9000", "protocol": "one-message-1" });
        let ticket = site.post("/api/v1/quiz/tickets", &body).await.expect(201).json();
        let mut run = run_of(&ticket, half_right);
        run["model"] =
            json!({ "catalogue_id": "Better-9000", "custom_name": null, "quantisation": "q4_1", "file_sha256": null });
        assert_eq!(site.share(&run).await.expect(422).json()["code"], "not_the_ticket");
        run["model"] = json!({ "catalogue_id": null, "custom_name": "Better-9000", "quantisation": "q4_1", "file_sha256": "a".repeat(64) });
        site.share(&run).await.expect(201);
        let pools = site.index.pools().await.unwrap();
        assert!(pools[0].key.custom && pools[0].key.file_sha256 == Some("a".repeat(64)));
    });
}

#[test]
fn weights_that_are_not_the_catalogues_are_refused() {
    refused("not_the_ticket", |run| run["model"]["quantisation"] = json!("q8_0"));
    refused("not_the_ticket", |run| run["model"]["file_sha256"] = json!("0".repeat(64)));
    refused("not_the_ticket", |run| run["model"]["file_sha256"] = json!(null));
}

#[test]
fn an_output_that_is_too_long_is_refused_with_all_else_that_is_wrong_with_the_form() {
    refused("output_too_long", |run| run["answers"][0]["output"] = json!("选A".repeat(5000)));
    block_on(async {
        let site = Site::new().await;
        let answer = forged(&site, |run| {
            run["answers"][0]["output"] = json!("选A".repeat(5000));
            run["app"] = json!("no version!");
        });
        assert_eq!(answer.await.codes(), ["bad_text", "output_too_long"]);
    });
}

#[test]
fn a_ticket_of_another_protocol_is_refused() {
    refused("not_the_ticket", |run| run["protocol"] = json!("chat-turns-1"));
}

#[test]
fn a_ticket_of_another_set_is_refused() {
    refused("not_the_ticket", |run| run["set"] = json!("own-36"));
}

#[test]
fn a_day_that_is_not_the_tickets_is_refused() {
    refused("not_the_ticket", |run| run["day"] = json!("2024-02-29"));
}

#[test]
fn a_question_that_was_left_out_is_noticed() {
    refused("wrong_questions", |run| drop(run["answers"].as_array_mut().unwrap().remove(3)));
}

#[test]
fn questions_in_another_order_are_refused() {
    refused("wrong_questions", |run| run["answers"].as_array_mut().unwrap().swap(0, 5));
}

#[test]
fn a_question_that_nobody_asked_is_refused() {
    refused("wrong_questions", |run| run["answers"][0]["question_id"] = json!("own_cs/0/000000000000"));
}

#[test]
fn the_same_question_twice_is_refused() {
    refused("wrong_questions", |run| run["answers"][1] = run["answers"][0].clone());
}

#[test]
fn a_prompt_that_was_changed_is_refused() {
    refused("wrong_prompt", |run| run["answers"][2]["prompt_sha256"] = json!("0".repeat(64)));
}

#[test]
fn an_output_that_is_too_long_is_refused() {
    refused("output_too_long", |run| run["answers"][0]["output"] = json!("x".repeat(17_000)));
}

#[test]
fn more_than_the_largest_run_is_refused_before_it_is_read() {
    refused("too_large", |run| run["answers"][0]["output"] = json!("x".repeat(4_000_000)));
}

#[test]
fn names_that_are_too_long_are_refused() {
    refused("bad_text", |run| run["engine"]["version"] = json!("x".repeat(10_000)));
}

#[test]
fn more_tokens_than_the_protocol_allows_are_refused() {
    refused("wrong_tokens", |run| run["answers"][0]["output_tokens"] = json!(401));
}

#[test]
fn an_end_at_the_limit_with_few_tokens_is_refused() {
    refused("wrong_tokens", |run| run["answers"][0]["finish"] = json!("length"));
}

#[test]
fn a_first_token_after_the_last_is_refused() {
    refused("wrong_times", |run| run["answers"][0]["first_token_ms"] = json!(1e6));
}

#[test]
fn answers_that_took_longer_than_the_ticket_is_old_are_refused() {
    refused("wrong_times", |run| run["answers"][0]["total_ms"] = json!(3_600_000.0));
}

#[test]
fn texts_that_do_not_fit_their_tokens_are_flagged() {
    unranked("flagged", "unlikely_tokens", |run| {
        for answer in run["answers"].as_array_mut().unwrap() {
            answer["output_tokens"] = json!(60);
            answer["total_ms"] = json!(answer["total_ms"].as_f64().unwrap() + 200.0);
        }
    });
}

#[test]
fn answers_faster_than_the_backend_can_be_are_flagged() {
    unranked("flagged", "unlikely_times", |run| {
        for answer in run["answers"].as_array_mut().unwrap() {
            answer["output"] = json!(format!("{}{}", "word ".repeat(30), answer["output"].as_str().unwrap()));
            answer["output_tokens"] = json!(40);
            answer["client"] = json!(null);
        }
    });
}

#[test]
fn answers_are_no_slower_for_leaving_out_when_they_began() {
    unranked("flagged", "unlikely_times", |run| {
        for answer in run["answers"].as_array_mut().unwrap() {
            answer["output"] = json!(format!("{}{}", "word ".repeat(240), answer["output"].as_str().unwrap()));
            answer["output_tokens"] = json!(250);
            answer["first_token_ms"] = json!(null);
            answer["client"] = json!(null);
        }
    });
}

#[test]
fn a_model_of_the_catalogue_is_run_by_its_engine() {
    for (name, backend) in [("openai-compatible", "endpoint"), ("llama.cpp", "endpoint"), ("wllama", "native")] {
        refused("not_the_ticket", |run| {
            run["engine"] = json!({ "name": name, "version": "1", "backend": backend, "threads": null });
        });
    }
}

#[test]
fn the_same_time_for_every_question_is_flagged() {
    unranked("flagged", "unlikely_times", |run| {
        for answer in run["answers"].as_array_mut().unwrap() {
            answer["total_ms"] = json!(100.0);
        }
    });
}

#[test]
fn letters_that_the_client_made_up_are_flagged_and_never_shown() {
    block_on(async {
        let site = Site::new().await;
        let wrong = |question: &Question| {
            let letter = benchwright_quiz::Letter::ALL.into_iter().find(|letter| *letter != question.answer).unwrap();
            format!("ANSWER: {letter}")
        };
        let mut run = site.honest("own-12", wrong).await;
        for answer in run["answers"].as_array_mut().unwrap() {
            answer["client"] = json!({ "letter": "A", "tier": 1 });
        }
        let answer = site.share(&run).await.expect(201);
        assert_eq!(
            (answer.json()["state"].as_str(), answer.codes()),
            (Some("flagged"), vec!["reading_mismatch".to_owned()])
        );
        let share = site.index.shared_run(answer.json()["id"].as_str().unwrap()).await.unwrap().unwrap();
        assert_eq!(share.correct(), 0, "what counts is what the outputs say");
    });
}

#[test]
fn a_device_that_failed_its_self_test_is_flagged() {
    unranked("flagged", "self_test_failed", |run| run["self_test"] = json!("failed"));
}

#[test]
fn a_seed_that_was_chosen_is_not_ranked() {
    block_on(async {
        let site = Site::new().await;
        let ticket = site.ticket(json!({ "quick": { "source": "own", "count": 10, "seed": 7 } })).await;
        let answer = site.share(&run_of(&ticket, half_right)).await.expect(201);
        assert_eq!(
            (answer.json()["state"].as_str(), answer.codes()),
            (Some("unconfirmed"), vec!["chosen_seed".to_owned()])
        );
        assert_eq!(site.index.pools().await.unwrap()[0].runs, 0);
    });
}

/// Several runs of different days would be needed for a board; for the checks, earlier ones are enough.
async fn some_history(site: &Site, runs: u32) {
    for number in 0..runs {
        let write =
            |question: &Question| format!("The usual words of this model, number {number}.\n{}", half_right(question));
        let run = site.honest("own-36", write).await;
        assert_eq!(site.share(&run).await.expect(201).json()["state"], "confirmed");
    }
}

#[test]
fn a_run_that_is_too_good_waits_until_others_agree() {
    block_on(async {
        let site = Site::new().await;
        some_history(&site, 4).await;
        let right =
            |question: &Question| format!("The usual words of this model, number 9.\nANSWER: {}", question.answer);
        let answer = site.share(&site.honest("own-36", right).await).await.expect(201);
        assert_eq!(
            (answer.json()["state"].as_str(), answer.codes()),
            (Some("unconfirmed"), vec!["outlier".to_owned()])
        );
        assert_eq!(site.index.pools().await.unwrap()[0].runs, 4);
    });
}

#[test]
fn a_run_that_is_unlike_all_others_of_its_model_is_flagged() {
    block_on(async {
        let site = Site::new().await;
        some_history(&site, 3).await;
        let strange = |question: &Question| {
            let row: usize = question.id.split('/').nth(1).unwrap().parse().unwrap();
            let wrong = benchwright_quiz::Letter::ALL.into_iter().find(|letter| *letter != question.answer).unwrap();
            let letter = if row.is_multiple_of(2) { question.answer } else { wrong };
            format!(
                "Completely different prose, written elsewhere by somebody else entirely, concerning \"{letter}\" only: ({letter})"
            )
        };
        let mut run = site.honest("own-36", strange).await;
        for answer in run["answers"].as_array_mut().unwrap() {
            answer["client"] = json!(null);
        }
        let answer = site.share(&run).await.expect(201);
        assert_eq!(answer.json()["state"], "flagged");
        assert!(answer.codes().contains(&"unlike_other_runs".to_owned()), "{}", answer.body);
        let share = site.index.shared_run(answer.json()["id"].as_str().unwrap()).await.unwrap().unwrap();
        assert_eq!(share.standing, Standing::Flagged);
    });
}

#[test]
fn a_page_of_another_site_can_send_nothing() {
    block_on(async {
        let site = Site::new().await;
        for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
            let request = axum::http::Request::post("/api/v1/quiz/tickets")
                .header("host", "bench.example")
                .header("content-type", "application/json")
                .header(name, value)
                .body(axum::body::Body::from(r#"{"set":"own-12","model":"x","protocol":"one-message-1"}"#));
            assert_eq!(site.ask(request.unwrap()).await.expect(403).json()["code"], "foreign", "{name}");
        }
    });
}

#[test]
fn other_answers_than_those_of_the_reference_runs_are_flagged() {
    block_on(async {
        let site = Site::new().await;
        let in_other_words =
            |question: &Question| format!("So be it.\nANSWER: {}", benchwright_fixtures::half_right(question));
        let another = |question: &Question| {
            let known = benchwright_fixtures::half_right(question);
            let other = ["A", "B", "C", "D"].into_iter().find(|letter| *letter != known.to_string()).unwrap();
            format!("So be it.\nANSWER: {other}")
        };
        let reference = site.honest("own-12", half_right).await;
        site.reference(reference.clone()).await;
        // One engine with one seed proves nothing yet.
        let early = site.honest("own-12", another).await;
        assert_eq!(site.share(&early).await.expect(201).json()["state"], "confirmed");
        let mut natively = reference;
        natively["engine"] = json!({ "name": "llama.cpp", "version": "1", "backend": "native", "threads": 1 });
        site.reference(natively).await;
        let honest = site.honest("own-12", in_other_words).await;
        assert_eq!(site.share(&honest).await.expect(201).json()["state"], "confirmed");
        let forged = site.honest("own-12", |question| another(question).replace("So", "Now")).await;
        let answer = site.share(&forged).await.expect(201);
        assert_eq!(
            (answer.json()["state"].as_str(), answer.codes()),
            (Some("flagged"), vec!["unlike_reference".to_owned()])
        );
        let pools = site.index.pools().await.unwrap();
        assert_eq!((pools[0].runs, pools[0].others), (4, 1));
    });
}

#[test]
fn a_reference_run_must_pass_the_checks() {
    block_on(async {
        let site = Site::new().await;
        let mut run = site.honest("own-12", half_right).await;
        run["answers"][3]["prompt_sha256"] = json!("0".repeat(64));
        let refused = reference_of(run).unwrap_err();
        assert!(refused.to_string().contains("is not the one of this protocol"), "{refused}");
        let mut run = site.honest("own-12", half_right).await;
        run["answers"].as_array_mut().unwrap().pop();
        assert!(reference_of(run).unwrap_err().to_string().contains("11 answers"));
    });
}
