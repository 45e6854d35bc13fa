//! Two test accounts: read from a file, used, and found nowhere afterwards.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::NodeServer;
use support::{Corner, outcome, score};

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
