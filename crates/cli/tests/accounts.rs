//! Two test accounts: read from a file, used, and found nowhere afterwards.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::NodeServer;
use support::{Corner, Said, outcome, score, signal, wait_until};

const ACCOUNTS: &str = "user_a: { email: ada@crm.test, password: ada-Secret-1 }\n\
                        user_b: { email: bob@crm.test, password: bob-Secret-2 }\n";

#[test]
fn accounts_are_used_and_never_written_down() {
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), ACCOUNTS).unwrap();
    let arguments = ["score", &app.url(), "--only", "f1,f7,f8,s4", "--accounts", "accounts.yaml"];
    let said = corner.run(&arguments).expect_code(0);
    let report = corner.report();
    for id in ["f7", "f8", "s4"] {
        assert_eq!(score(&report, id), 1.0, "{id}: {}", report["scorers"][id]);
    }
    assert_eq!(report["scorers"]["s4"]["details"]["facts"]["crossTenantLeak"], false);
    for secret in ["ada@crm.test", "ada-Secret-1", "bob@crm.test", "bob-Secret-2"] {
        assert_eq!(corner.output_contains(secret), None, "{secret}");
        assert!(!said.stdout.contains(secret) && !said.stderr.contains(secret), "{secret}");
    }
    corner.assert_left_clean();
}

#[test]
fn accounts_named_in_the_settings_file_are_used() {
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), ACCOUNTS).unwrap();
    std::fs::write(corner.path("work/benchwright.toml"), "accounts = \"accounts.yaml\"\n").unwrap();
    corner.run(&["score", &app.url(), "--only", "f1,f7", "--quiet"]).expect_code(0);
    assert_eq!(score(&corner.report(), "f7"), 1.0);
    std::fs::write(corner.path("work/benchwright.toml"), "accounts = \"gone.yaml\"\n").unwrap();
    corner.run(&["score", &app.url(), "--only", "f1,f7"]).expect_code(2).expect_error(&["gone.yaml"]);
}

#[test]
fn a_run_with_accounts_is_resumed_with_accounts_and_not_without() {
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), ACCOUNTS).unwrap();
    let child = corner.start(&["score", &app.url(), "--only", "f1,f7,f8", "--accounts", "accounts.yaml"]);
    wait_until("the page is there", || corner.gathered().contains(&"load".into()));
    signal(child.id(), "INT");
    Said::of(&child.wait_with_output().unwrap()).expect_code(130);
    corner.assert_left_clean();
    assert!(!corner.gathered().contains(&"backend".to_owned()), "the run was interrupted too late to say anything");
    let resume = |more: &[&str]| corner.run(&[&["resume", "benchwright-report", "--quiet"], more].concat());
    resume(&[]).expect_code(2).expect_error(&["two test accounts", "--accounts"]);
    resume(&["--accounts", "gone.yaml"]).expect_code(2).expect_error(&["gone.yaml"]);
    resume(&["--accounts", "accounts.yaml"]).expect_code(0);
    let report = corner.report();
    assert_eq!((score(&report, "f7"), score(&report, "f8")), (1.0, 1.0));
    for secret in ["ada@crm.test", "ada-Secret-1", "bob@crm.test", "bob-Secret-2"] {
        assert_eq!(corner.output_contains(secret), None, "{secret}");
    }
    corner.assert_left_clean();
}

#[test]
fn a_run_without_accounts_cannot_be_given_some_half_way() {
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), ACCOUNTS).unwrap();
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let child = corner.start(&["score", &app.url(), "--only", "f1,c3,v4"]);
    wait_until("the page is there", || corner.gathered().contains(&"load".into()));
    signal(child.id(), "INT");
    Said::of(&child.wait_with_output().unwrap()).expect_code(130);
    let said = corner.run(&["resume", "benchwright-report", "--accounts", "accounts.yaml"]).expect_code(2);
    said.expect_error(&["without test accounts", "score again"]);
}

#[test]
fn without_accounts_the_backend_is_no_input() {
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let corner = Corner::new();
    corner.run(&["score", &app.url(), "--only", "f1,f7,s4", "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(outcome(&report, "f7"), "no_input");
    assert!(report["scorers"]["s4"]["reason"].as_str().unwrap().contains("--accounts"));
}

#[test]
fn a_broken_file_of_accounts_is_an_error_with_its_place_and_without_its_secrets() {
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), "user_a: { email: ada@crm.test, pasword: s3cret }\n").unwrap();
    let said = corner.run(&["score", "http://127.0.0.1:9/", "--accounts", "accounts.yaml"]).expect_code(2);
    let said = said.expect_error(&["accounts.yaml:1:", "user_a and user_b"]);
    assert!(!said.stderr.contains("s3cret"), "{}", said.stderr);
    corner
        .run(&["score", "http://127.0.0.1:9/", "--accounts", "missing.yaml"])
        .expect_code(2)
        .expect_error(&["missing.yaml"]);
}
