//! The contract with Playwright: the same selector finds the same elements, in the same order.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{Page, TextMatch};
use serde_json::{Value, json};
use std::process::Stdio;
use support::server::{Server, file};
use support::{Chromium, LIMIT, chromium_path, instruments, limits, node};
use tokio::io::AsyncWriteExt;

/// Numbers every element in document order, shadow trees included.
const STAMP: &str = "() => { let n = 0; const visit = root => { for (const element of root.querySelectorAll('*')) { \
    element.dataset.n = n++; if (element.shadowRoot) visit(element.shadowRoot); } }; visit(document); }";

const SHOP: [&str; 34] = [
    "internal:role=button",
    "internal:role=button[name=\"Add to cart\"i]",
    "internal:role=button[name=\"add TO\"i]",
    "internal:role=button[name=\"Add to cart\"s]",
    "internal:role=button[name=\"add to cart\"s]",
    "internal:role=button[disabled=true]",
    "internal:role=button[include-hidden=true]",
    "internal:role=button[name=\"Buy everything\"s]",
    "internal:role=button[pressed=true]",
    "internal:role=button[expanded=false]",
    "internal:role=link",
    "internal:role=link[name=/cart/i]",
    "internal:role=heading[level=2]",
    "internal:role=heading[name=\"Today's offers\"s]",
    "internal:role=navigation",
    "internal:role=search",
    "internal:role=img",
    "internal:role=row",
    "internal:role=rowheader[name=\"Monday\"i]",
    "internal:role=table[name=\"Opening hours\"s]",
    "internal:role=contentinfo",
    "internal:label=\"Search the shop\"i",
    "internal:attr=[placeholder=\"search\"i]",
    "internal:attr=[alt=\"Red apples\"s]",
    "internal:attr=[title=\"fruit\"i]",
    "internal:testid=[data-testid=\"menu\"s]",
    "internal:text=\"hello\"i",
    "internal:text=\"hello world\"s",
    "internal:text=/^hello$/i",
    "text=Price",
    "text=\"HELLO\"",
    "css=li >> internal:has-text=\"Pears\"i >> css=button",
    "css=button:visible",
    "css=li:has(h2:text(\"Apples\")) >> nth=0 >> internal:role=button",
];

const FORM: [&str; 14] = [
    "internal:role=textbox",
    "internal:role=textbox[name=\"Story\"i]",
    "internal:role=checkbox[checked=false]",
    "internal:role=radio[checked=true]",
    "internal:role=radio[name=\"plan\"i]",
    "internal:role=combobox[name=\"Country\"i]",
    "internal:role=option",
    "internal:label=\"Email\"i",
    "internal:label=\"Email address\"s",
    "internal:label=/name$/",
    "internal:attr=[placeholder=\"Anything else?\"s]",
    "internal:role=button >> visible=true",
    "css=form >> css=input >> nth=-1",
    "xpath=//label[contains(., 'plan')]",
];

const SHADOW: [&str; 18] = [
    "internal:role=heading",
    "internal:role=heading[name=\"Slotted title\"i]",
    "internal:label=\"Inside\"i",
    "internal:attr=[placeholder=\"shade\"i]",
    "internal:attr=[title=\"Shadow button\"s]",
    "internal:testid=[data-testid=\"shady\"s]",
    "css=fancy-card button",
    "internal:role=tab[selected=true]",
    "internal:role=tabpanel[name=\"First\"s]",
    "internal:role=region",
    "internal:role=dialog >> internal:role=button",
    "internal:role=checkbox[checked=mixed]",
    "internal:role=slider[name=\"Volume\"i]",
    "internal:role=progressbar",
    "internal:role=listitem",
    "internal:role=img[name=\"Logo\"s]",
    "internal:text=\"Folded away\"i",
    "internal:text=\"two\"i",
];

async fn ours(page: &Page, selector: &str) -> Vec<String> {
    let all = page.locator(selector);
    let count = all.count().await.unwrap_or_else(|error| panic!("{selector}: {error}"));
    let mut numbers = Vec::new();
    for index in 0..count {
        numbers.push(all.nth(index).get_attribute("data-n").await.unwrap().unwrap());
    }
    numbers
}

async fn playwright(jobs: &Value) -> Value {
    let library = instruments().join("node_modules/playwright-core");
    assert!(library.exists(), "{} is missing: run `cargo xtask setup`", library.display());
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.mjs");
    let mut node = tokio::process::Command::new(node())
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the pinned Node starts");
    let order = json!({ "playwright": library, "chromium": chromium_path(), "stamp": STAMP, "jobs": jobs });
    node.stdin.take().unwrap().write_all(order.to_string().as_bytes()).await.unwrap();
    let answer = node.wait_with_output().await.unwrap();
    assert!(answer.status.success(), "the oracle failed");
    serde_json::from_slice(&answer.stdout).unwrap()
}

#[tokio::test]
async fn selectors_and_snapshots_mean_what_they_mean_to_playwright() {
    let server = Server::start(|path| file(path.trim_start_matches('/'))).await;
    let pages: [(&str, &[&str]); 3] = [("/shop.html", &SHOP), ("/form.html", &FORM), ("/shadow.html", &SHADOW)];
    let jobs: Vec<Value> =
        pages.iter().map(|(path, selectors)| json!({ "url": server.url(path), "selectors": selectors })).collect();
    let theirs = playwright(&json!(jobs)).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    let mut found_something = 0;
    for (number, (path, selectors)) in pages.iter().enumerate() {
        page.goto(&server.url(path), limits()).await.unwrap();
        page.evaluate::<Value>(STAMP, &Value::Null, LIMIT).await.unwrap();
        for (index, selector) in selectors.iter().enumerate() {
            let expected = &theirs[number]["found"][index];
            assert_eq!(&json!(ours(&page, selector).await), expected, "{path}: {selector}");
            found_something += usize::from(expected.as_array().is_some_and(|found| !found.is_empty()));
        }
        let snapshot = page.aria_snapshot(LIMIT).await.unwrap();
        assert_eq!(json!(snapshot), theirs[number]["snapshot"], "{path}");
    }
    // Equal emptiness proves little.
    assert!(found_something >= 55, "only {found_something} selectors found anything");
}

#[tokio::test]
async fn builders_escape_what_they_are_given() {
    let server = Server::start(|_| file("shop.html")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let text = |text: &str| TextMatch::Substring(text.to_owned());
    let regex = |pattern: &str| TextMatch::Regex { pattern: pattern.to_owned(), flags: "i".to_owned() };
    let counts = [
        (page.get_by_text(&text("Say \"hello\" to our")), 1),
        (page.get_by_text(&text("it's free >> really")), 1),
        (page.get_by_text(&regex("say \"hello\".*free >> really")), 1),
        (page.get_by_text(&TextMatch::Exact("hello world".into())), 1),
        (page.get_by_role("heading", Some(text("Pears & plums"))), 1),
        (page.get_by_role("heading", Some(regex("apples|plums$"))), 2),
        (page.get_by_role("button", Some(TextMatch::Exact("Add to cart".into()))), 2),
        (page.get_by_alt_text(&text("apples")), 1),
        (page.get_by_title(&text("Fruit")), 1),
        (page.get_by_placeholder(&text("Search…")), 1),
        (page.get_by_test_id("favourite"), 1),
        (page.get_by_test_id("favour"), 0),
        (page.get_by_label(&text("search the")), 1),
    ];
    for (locator, expected) in counts {
        assert_eq!(locator.count().await.unwrap(), expected, "{}", locator.selector());
    }
}
