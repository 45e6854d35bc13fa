//! The backend track against a small app that is right, or wrong in one way. Real Chromium, a real server.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail at once, and shows what it saw when it does"
)]

use benchwright_browser::Browser;
use benchwright_domain::{Assessment, BlobId, Outcome, ScorerId};
use benchwright_fixtures::NodeServer;
use benchwright_sandbox::{Scratch, chromium, process};
use benchwright_scoring::evidence::backend::{ProbeVerdict, StepName, WallKind};
use benchwright_scoring::evidence::{Absence, Backend, Evidence, EvidenceKind, Piece};
use benchwright_scoring::gather::{Desk, backend};
use benchwright_scoring::prompt::{self, Prompt};
use benchwright_scoring::record::{RecordError, Recorder};
use benchwright_scoring::request::{Access, Account, Accounts, Request};
use benchwright_scoring::scorers;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Keeps nothing: the track returns its evidence.
struct Nowhere;

impl Recorder for Nowhere {
    fn blob(&mut self, _: &[u8]) -> Result<BlobId, RecordError> {
        Ok(BlobId(String::new()))
    }

    fn read(&self, _: &BlobId) -> Result<Vec<u8>, RecordError> {
        Err(RecordError("nothing is kept".into()))
    }

    fn evidence(&mut self, _: &str, _: u32, _: &[u8], _: f64) -> Result<(), RecordError> {
        Ok(())
    }

    fn absent(&mut self, _: EvidenceKind, _: &Absence, _: f64) -> Result<(), RecordError> {
        Ok(())
    }
}

/// What the track found, and what the scorers make of it.
struct Seen {
    backend: Backend,
    f7: Assessment,
    f8: Assessment,
    s4: Assessment,
    /// Records in the app before and after.
    rows: (String, String),
    /// Records in the app afterwards that were there before.
    seeded: String,
}

fn accounts(password_of_ada: &str) -> Accounts {
    let account = |email: &str, password: &str| Account { email: email.into(), password: password.into() };
    Accounts { user_a: account("ada@crm.test", password_of_ada), user_b: account("bob@crm.test", "bob-Secret-2") }
}

fn rows(app: &NodeServer) -> String {
    told(app, "/rows")
}

fn told(app: &NodeServer, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", app.port())).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.rsplit("\r\n").next().unwrap().to_owned()
}

async fn exercise(options: &Value) -> Seen {
    exercise_with(options, &accounts("ada-Secret-1"), None).await
}

async fn exercise_with(options: &Value, accounts: &Accounts, prompt: Option<Prompt>) -> Seen {
    let app = NodeServer::backend("crm.mjs", &options.to_string()).unwrap();
    let before = rows(&app);
    let folder = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(folder.path(), "backend").unwrap();
    let launch = chromium::Launch {
        program: &chromium::find(None, std::env::var_os("PATH").as_deref()).unwrap(),
        scratch: &scratch,
        debugging_port: false,
        as_root: process::is_root(),
        extra_args: Vec::new(),
        start_limit: Duration::from_mins(1),
    };
    let mut running = chromium::launch(launch).await.unwrap();
    let (reader, writer) = running.take_pipe().unwrap();
    let browser = Browser::connect(reader, writer, None).await.unwrap();
    let request = Request { accounts: true, prompt, ..Request::new(app.url()) };
    let mut recorder = Nowhere;
    let result =
        backend::exercise(&Desk::new(&mut recorder, &|_| {}), &browser, &request, &Access::default(), accounts).await;
    running.close().await;
    let backend = result.unwrap();
    let json = serde_json::to_string_pretty(&backend).unwrap();
    eprintln!("{options}: {json}");
    for secret in ["ada@crm.test", "bob@crm.test", "ada-Secret-1", "bob-Secret-2", &accounts.user_a.password] {
        assert!(!json.contains(secret), "{secret} is in the evidence");
    }
    let evidence = Evidence { backend: Piece::present(backend.clone(), 1.0), ..Evidence::default() };
    let score = |id: ScorerId| (scorers::of(id).score)(&evidence);
    Seen {
        backend,
        f7: score(ScorerId::F7),
        f8: score(ScorerId::F8),
        s4: score(ScorerId::S4),
        rows: (before, rows(&app)),
        seeded: told(&app, "/seeded"),
    }
}

#[track_caller]
fn expect(assessment: &Assessment, value: f64, pass: bool) {
    match &assessment.outcome {
        Outcome::Scored { score, passed } => {
            assert!((score.value() - value).abs() < 1e-9 && *passed == pass, "{:?}", assessment.outcome);
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn expect_no_input(assessment: &Assessment, word: &str) {
    let is = matches!(&assessment.outcome, Outcome::NoInput { reason } if reason.contains(word));
    assert!(is, "{:?}", assessment.outcome);
}

impl Seen {
    #[track_caller]
    fn expect_all(&self, f7: f64, f8: f64, s4: f64) {
        expect(&self.f7, f7, f7 == 1.0);
        expect(&self.f8, f8, f8 == 1.0);
        expect(&self.s4, s4, s4 == 1.0);
    }

    /// Everything the run created is gone and nothing else is.
    #[track_caller]
    fn expect_clean(&self) {
        assert_eq!(self.rows.0, self.rows.1);
        assert_eq!(self.backend.left_behind, Vec::<String>::new());
    }

    /// Both records of the run are named as left behind, and those that were there before still are.
    #[track_caller]
    fn expect_left(&self, words: &str) {
        assert_eq!(self.seeded, "2", "somebody else's record was deleted");
        let markers = [&self.backend.round_trip.marker, &self.backend.cross_session.marker];
        assert_eq!(self.backend.left_behind.iter().collect::<Vec<_>>(), markers);
        for (assessment, marker) in [&self.f7, &self.f8].into_iter().zip(markers) {
            let note = &assessment.details.notes[0];
            assert!(note.contains(&format!("`{marker}` {words}")), "{note}");
        }
    }

    fn step(&self, step: StepName) -> bool {
        let steps = self.backend.round_trip.steps.iter().chain(&self.backend.cross_session.steps);
        steps.into_iter().any(|taken| taken.step == step && taken.ok)
    }

    fn verdict(&self, id: &str) -> ProbeVerdict {
        self.backend.probes.probes.iter().find(|probe| probe.id == id).unwrap().verdict
    }
}

#[tokio::test]
async fn a_correct_app_scores_full_and_is_left_as_it_was() {
    let seen = exercise(&json!({})).await;
    seen.expect_all(1.0, 1.0, 1.0);
    seen.expect_clean();
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], false);
    assert_eq!(seen.backend.probes.endpoints[0].kind, "json");
}

#[tokio::test]
async fn a_record_without_a_delete_of_its_own_is_left_and_no_other_is_deleted_instead() {
    for remove in ["seeded", "pane"] {
        let seen = exercise(&json!({ "rows": "boxes", "remove": remove })).await;
        seen.expect_all(1.0, 1.0, 1.0);
        seen.expect_left("could not be deleted again");
    }
}

#[tokio::test]
async fn a_delete_that_shows_while_the_mouse_rests_on_its_row_is_found() {
    for rows in ["items", "boxes"] {
        exercise(&json!({ "rows": rows, "remove": "hover" })).await.expect_clean();
    }
}

#[tokio::test]
async fn a_record_that_a_list_does_not_show_again_is_named_as_one_that_may_be_left() {
    let seen = exercise(&json!({ "shown": "first" })).await;
    assert!(seen.step(StepName::CreateRecord) && !seen.step(StepName::PersistsAfterRelogin));
    seen.expect_left("was not deleted again and may still be in the app");
}

#[tokio::test]
async fn an_app_that_saves_while_it_loads_is_not_made_to_overwrite_the_other_users_records() {
    for method in ["put", "post"] {
        let seen = exercise(&json!({ "sync": method })).await;
        seen.expect_all(1.0, 1.0, 1.0);
        seen.expect_clean();
        assert!(seen.backend.probes.endpoints.iter().all(|endpoint| endpoint.method == "GET"), "{method}");
    }
}

#[tokio::test]
async fn an_answer_that_only_repeats_the_address_is_no_leak() {
    let seen = exercise(&json!({ "echo": "address" })).await;
    assert!(seen.backend.probes.endpoints.iter().any(|endpoint| endpoint.url.contains("/named/")));
    seen.expect_all(1.0, 1.0, 1.0);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], false);
    let seen = exercise(&json!({ "echo": "address", "leak": "tenants" })).await;
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], true, "what everybody sees is one, whatever its address");
}

#[tokio::test]
async fn a_list_that_anybody_can_read_costs_half() {
    let seen = exercise(&json!({ "leak": "unauth", "login": "link" })).await;
    seen.expect_all(1.0, 1.0, 0.5);
    assert_eq!(seen.verdict("unauth_read"), ProbeVerdict::Leaked);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], false);
}

#[tokio::test]
async fn rows_that_every_user_sees_are_a_leak_between_tenants() {
    let seen = exercise(&json!({ "leak": "tenants", "noun": "note" })).await;
    seen.expect_all(1.0, 1.0, 0.5);
    assert_eq!(seen.verdict("cross_user_read"), ProbeVerdict::Leaked);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], true);
    seen.expect_clean();
}

#[tokio::test]
async fn a_single_record_that_anybody_can_read_by_its_id_is_found() {
    let seen = exercise(&json!({ "leak": "record" })).await;
    seen.expect_all(1.0, 1.0, 0.0);
    assert!(seen.backend.probes.endpoints.iter().any(|endpoint| endpoint.records == Some(0)));
}

#[tokio::test]
async fn peer_defect_a_backend_in_local_storage_passes_neither_walk() {
    let seen = exercise(&json!({ "style": "fake" })).await;
    expect(&seen.f7, 5.0 / 6.0, false);
    expect(&seen.f8, 0.75, false);
    expect_no_input(&seen.s4, "no request brought the record");
}

#[tokio::test]
async fn records_that_a_cookie_carries_do_not_cross_sessions() {
    let seen = exercise(&json!({ "style": "cookie" })).await;
    assert!(seen.step(StepName::ContextACreate) && seen.step(StepName::ContextBLogin));
    assert!(!seen.step(StepName::RecordVisibleInContextB));
    expect(&seen.f8, 0.75, false);
}

#[tokio::test]
async fn writes_that_the_server_forgets_do_not_pass() {
    let seen = exercise(&json!({ "style": "spa", "writes": "lost" })).await;
    assert!(!seen.step(StepName::PersistsAfterRelogin) && !seen.step(StepName::RecordVisibleInContextB));
    expect_no_input(&seen.s4, "");
}

#[tokio::test]
async fn peer_defect_wrong_credentials_beside_a_create_account_button_score_zero() {
    let options = json!({ "login": "signup" });
    let mut wrong = accounts("not-the-password");
    wrong.user_b.password = "neither-is-this".into();
    let seen = exercise_with(&options, &wrong, None).await;
    expect(&seen.f7, 0.0, false);
    expect(&seen.f8, 0.0, false);
    expect_no_input(&seen.s4, "could not log in");
    assert!(seen.backend.round_trip.steps[0].note.contains("Wrong e-mail or password"));
    seen.expect_clean();
}

#[tokio::test]
async fn when_only_the_first_user_is_wrong_the_other_user_cannot_be_asked() {
    let seen = exercise_with(&json!({ "login": "signup" }), &accounts("not-the-password"), None).await;
    expect(&seen.f7, 0.0, false);
    expect(&seen.f8, 1.0, true);
    expect(&seen.s4, 1.0, true);
    assert_eq!(seen.verdict("cross_user_read"), ProbeVerdict::NotMade);
    assert!(!seen.s4.details.facts.contains_key("crossTenantLeak"));
}

#[tokio::test]
async fn a_captcha_is_a_wall_and_not_a_bad_app() {
    let seen = exercise(&json!({ "login": "captcha" })).await;
    for assessment in [&seen.f7, &seen.f8, &seen.s4] {
        expect_no_input(assessment, "Turnstile");
    }
    assert_eq!(seen.backend.round_trip.wall.as_ref().unwrap().kind, WallKind::Captcha);
}

#[tokio::test]
async fn a_one_time_code_is_a_wall_too() {
    let seen = exercise(&json!({ "login": "code" })).await;
    for assessment in [&seen.f7, &seen.f8, &seen.s4] {
        expect_no_input(assessment, "one-time code");
    }
}

#[tokio::test]
async fn the_way_out_is_found_in_an_avatar_menu_and_the_login_in_two_stages() {
    let seen = exercise(&json!({ "logout": "menu", "login": "staged", "create": "dialog", "noun": "order" })).await;
    seen.expect_all(1.0, 1.0, 1.0);
    assert!(seen.step(StepName::Logout));
    seen.expect_clean();
}

#[tokio::test]
async fn an_app_without_a_way_out_fails_that_step_and_goes_on() {
    let seen = exercise(&json!({ "logout": "none" })).await;
    expect(&seen.f7, 1.0, true);
    assert!(!seen.step(StepName::Logout) && seen.step(StepName::PersistsAfterRelogin));
    assert_eq!(seen.seeded, "2");
}

#[tokio::test]
async fn the_search_for_the_way_out_takes_no_record_of_the_user_away() {
    let seen = exercise(&json!({ "logout": "none", "rows": "boxes", "remove": "icon" })).await;
    seen.expect_all(1.0, 1.0, 1.0);
    assert!(!seen.step(StepName::Logout));
    assert_eq!(seen.seeded, "2");
    seen.expect_clean();
}

#[tokio::test]
async fn a_log_out_that_ends_no_session_is_noticed() {
    let seen = exercise(&json!({ "logout": "broken" })).await;
    assert!(!seen.step(StepName::Logout) && seen.step(StepName::Relogin));
    expect(&seen.f7, 1.0, true);
}

#[tokio::test]
async fn a_log_out_that_asks_first_is_confirmed() {
    let seen = exercise(&json!({ "logout": "confirm" })).await;
    assert!(seen.step(StepName::Logout));
    seen.expect_clean();
}

#[tokio::test]
async fn forms_and_redirects_work_like_scripts() {
    let seen = exercise(&json!({ "style": "pages", "create": "page", "noun": "order" })).await;
    seen.expect_all(1.0, 1.0, 1.0);
    assert_eq!(seen.backend.probes.endpoints[0].kind, "html");
    seen.expect_clean();
}

#[tokio::test]
async fn a_session_among_the_fields_of_a_form_is_not_the_strangers() {
    let seen = exercise(&json!({ "style": "form" })).await;
    seen.expect_all(1.0, 1.0, 1.0);
    let probes = ["unauth_read", "cross_user_read"].map(|id| seen.verdict(id));
    assert_eq!(probes, [ProbeVerdict::Held, ProbeVerdict::Held]);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], false);
    seen.expect_clean();
    let seen = exercise(&json!({ "style": "form", "leak": "unauth" })).await;
    assert_eq!(seen.verdict("unauth_read"), ProbeVerdict::Leaked);
}

#[tokio::test]
async fn a_session_that_cannot_be_taken_out_of_a_body_is_not_sent_for_anybody_else() {
    let seen = exercise(&json!({ "style": "parts" })).await;
    let probes = ["unauth_read", "cross_user_read"].map(|id| seen.verdict(id));
    assert_eq!(probes, [ProbeVerdict::NotMade, ProbeVerdict::NotMade]);
    let unsent = seen.backend.probes.probes.iter().flat_map(|probe| &probe.requests);
    assert_eq!(unsent.filter(|request| request.error.is_some()).count(), 2);
    expect_no_input(&seen.s4, "");
    seen.expect_clean();
}

#[tokio::test]
async fn peer_defect_a_table_open_to_the_public_key_is_found() {
    let seen = exercise(&json!({ "style": "supabase", "leak": "tenants" })).await;
    seen.expect_all(1.0, 1.0, 0.0);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], true);
}

#[tokio::test]
async fn a_table_with_row_level_security_holds_against_the_public_key() {
    let seen = exercise(&json!({ "style": "supabase" })).await;
    seen.expect_all(1.0, 1.0, 1.0);
    seen.expect_clean();
}

#[tokio::test]
async fn a_firestore_in_test_mode_is_open_to_whoever_has_its_public_key() {
    let seen = exercise(&json!({ "style": "firebase", "leak": "unauth" })).await;
    seen.expect_all(1.0, 1.0, 0.0);
    assert_eq!(seen.verdict("unauth_read"), ProbeVerdict::Leaked);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], true);
    let endpoint = &seen.backend.probes.endpoints[0];
    assert!(endpoint.method == "POST" && endpoint.url.ends_with("/documents:runQuery?key=…"), "{}", endpoint.url);
}

#[tokio::test]
async fn a_firestore_that_only_asks_for_a_login_leaks_between_tenants() {
    let seen = exercise(&json!({ "style": "firebase", "leak": "tenants" })).await;
    seen.expect_all(1.0, 1.0, 0.5);
    assert_eq!(seen.verdict("unauth_read"), ProbeVerdict::Held);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], true);
}

#[tokio::test]
async fn a_firestore_whose_rules_know_the_owner_holds() {
    let seen = exercise(&json!({ "style": "firebase" })).await;
    seen.expect_all(1.0, 1.0, 1.0);
    assert_eq!(seen.verdict("cross_user_read"), ProbeVerdict::Held);
    seen.expect_clean();
}

#[tokio::test]
async fn peer_defect_probes_of_the_prompt_are_made() {
    let text = "id: crm\ntier: 3\nprompt: A small app for contacts with accounts.\nbackend_probes:\n\
        \x20 - { id: list, kind: unauth_get, path: /api/contacts, expect_status: [401] }\n\
        \x20 - { id: teapot, kind: unauth_get, path: /api/contacts, expect_status: [418] }\n\
        \x20 - { id: own, kind: cross_user_get, path: /api/contacts, expect_status: [200], forbid_body_contains: '{marker}' }\n\
        \x20 - { id: seed, kind: cross_user_get, path: /api/contacts, expect_status: [200], forbid_body_contains: u-ada }\n";
    let prompt = prompt::load(text, "crm.yaml").unwrap();
    let seen = exercise_with(&json!({}), &accounts("ada-Secret-1"), Some(prompt)).await;
    let verdicts: Vec<_> = ["list", "teapot", "own", "seed"].iter().map(|id| seen.verdict(id)).collect();
    let (held, leaked) = (ProbeVerdict::Held, ProbeVerdict::Leaked);
    assert_eq!(verdicts, [held, ProbeVerdict::Unexpected, held, leaked]);
    expect(&seen.s4, 0.0, false);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], true);
}

#[tokio::test]
async fn a_wrong_status_or_a_server_error_is_no_leak_between_tenants() {
    let text = "id: crm\ntier: 3\nprompt: A small app for contacts with accounts.\nbackend_probes:\n\
        \x20 - { id: missing, kind: cross_user_get, path: /api/contacts/none, expect_status: [403], forbid_body_contains: '{marker}' }\n\
        \x20 - { id: broken, kind: cross_user_get, path: /api/broken, expect_status: [403], forbid_body_contains: '{marker}' }\n";
    let prompt = prompt::load(text, "crm.yaml").unwrap();
    let seen = exercise_with(&json!({}), &accounts("ada-Secret-1"), Some(prompt)).await;
    assert_eq!(seen.verdict("missing"), ProbeVerdict::Unexpected);
    assert_eq!(seen.verdict("broken"), ProbeVerdict::NotMade);
    expect(&seen.s4, 0.5, false);
    assert_eq!(seen.s4.details.facts["crossTenantLeak"], false);
}
