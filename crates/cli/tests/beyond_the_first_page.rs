//! More than what a visitor sees first: further routes, and the page of somebody who is signed in.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{NodeServer, Server, Site};
use support::{Corner, outcome, score};

const HTML: &str = "text/html; charset=utf-8";
const ACCOUNTS: &str = "user_a: { email: ada@crm.test, password: ada-Secret-1 }\n\
                        user_b: { email: bob@crm.test, password: bob-Secret-2 }\n";
const STRANGERS: &str = "user_a: { email: eve@crm.test, password: not-this-one }\n\
                         user_b: { email: bob@crm.test, password: bob-Secret-2 }\n";

fn page(body: &str) -> String {
    format!("<!doctype html><html lang=en><title>Prices</title><main><h1>A page with some words</h1>{body}</main>")
}

fn site() -> Server {
    let faulty = page("<input type=text><script src=/lost.js></script><script>throw new Error('on prices')</script>");
    let site = Site::html(page("<p>Nothing is wrong here, and this is long enough to be a page.</p>"))
        .page("/prices", HTML, faulty)
        .page("/about", HTML, page("<p>Who we are.</p>"));
    Server::start(site).unwrap()
}

#[test]
fn further_routes_are_heard_and_scanned() {
    let server = site();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", "f1,f5,c3,c5"]).expect_code(0);
    let first_page = corner.report();
    assert_eq!((score(&first_page, "f5"), score(&first_page, "c3")), (1.0, 1.0));
    let arguments = ["score", &server.url(), "--only", "f1,f5,c3,c5", "--routes", "/prices,/about,/nowhere"];
    corner.run(&arguments).expect_code(0);
    let report = corner.report();
    let f5 = &report["scorers"]["f5"];
    assert_eq!(f5["details"]["facts"]["routes"], 3);
    assert_eq!(f5["details"]["facts"]["exceptions"], 1, "{f5}");
    // The script that is missing, and the route that is.
    assert_eq!(f5["details"]["facts"]["failed_requests"], 2, "{f5}");
    assert!(f5["details"]["notes"].to_string().contains("/nowhere could not be looked at"), "{f5}");
    let c3 = &report["scorers"]["c3"];
    assert_eq!(c3["details"]["facts"]["routes"], 2, "{c3}");
    assert!(score(&report, "c3") < 1.0);
    let place = &c3["details"]["items"][0]["places"][0];
    assert!(place["note"].as_str().unwrap().starts_with("On /prices."), "{place}");
    assert_eq!(place["shot"], "route /prices");
    assert!(report["screenshots"].to_string().contains("route /about"));
    assert_eq!(report["provenance"]["settings"]["routes"], "/prices, /about, /nowhere");
    corner.assert_left_clean();
}

#[test]
fn a_signed_in_look_sees_what_the_user_sees_at_every_viewport() {
    let app = NodeServer::backend("crm.mjs", r#"{"login":"link"}"#).unwrap();
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), ACCOUNTS).unwrap();
    let only = "f1,c3,c5,v2,v4,f7";
    corner.run(&["score", &app.url(), "--only", only, "--accounts", "accounts.yaml"]).expect_code(0);
    assert_eq!(corner.output_contains("Log out"), None);
    let arguments = ["score", &app.url(), "--only", only, "--accounts", "accounts.yaml", "--signed-in"];
    corner.run(&arguments).expect_code(0);
    let report = corner.report();
    assert!(corner.output_contains("Log out").is_some());
    for id in ["f1", "c3", "c5", "v2", "v4"] {
        assert_eq!(outcome(&report, id), "scored", "{}", report["scorers"][id]);
    }
    assert_eq!(score(&report, "f7"), 1.0, "the look must not be in the way of the backend track");
    assert_eq!(report["provenance"]["settings"]["signed_in"], true);
    assert_eq!(corner.output_contains("ada-Secret-1"), None);
    corner.assert_left_clean();
}

#[test]
fn who_cannot_sign_in_gets_no_input_with_the_reason_and_not_the_visitors_numbers() {
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let corner = Corner::new();
    std::fs::write(corner.path("work/accounts.yaml"), STRANGERS).unwrap();
    let arguments = ["score", &app.url(), "--only", "f1,c3,v4", "--accounts", "accounts.yaml", "--signed-in"];
    corner.run(&arguments).expect_code(0);
    let report = corner.report();
    assert_eq!(outcome(&report, "f1"), "scored");
    for id in ["c3", "v4"] {
        assert_eq!(outcome(&report, id), "no_input");
        let reason = report["scorers"][id]["reason"].as_str().unwrap();
        assert!(reason.contains("user_a could not sign in"), "{reason}");
    }
    corner.assert_left_clean();
}
