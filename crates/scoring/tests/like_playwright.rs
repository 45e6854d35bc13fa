//! The contract with Playwright: an expression that we read finds what it finds when Playwright runs it.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "../../browser/tests/support/mod.rs"]
mod support;

use benchwright_scoring::prompt::Locator;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use support::server::{Server, html};
use support::{Chromium, LIMIT, chromium_path, instruments, limits, node};
use tokio::io::AsyncWriteExt;

const STAMP: &str =
    "() => { let n = 0; for (const element of document.querySelectorAll('*')) element.dataset.n = n++; }";

const EXPRESSIONS: &[&str] = &[
    "getByRole('button')",
    "getByRole('button', { name: 'book' })",
    "getByRole('button', { name: 'Book', exact: true })",
    "getByRole('button', { name: /^book$/i })",
    "getByRole('button', { name: /get started/i }).first()",
    "getByRole('button', { name: /get started/i }).or(getByRole('link', { name: /get started/i }))",
    "getByRole('button', { disabled: true })",
    "getByRole('button', { disabled: false }).nth(1)",
    "getByRole('button', { includeHidden: true, name: 'Book' })",
    "getByRole('button', { pressed: true })",
    "getByRole('button', { expanded: false })",
    "getByRole('tab', { selected: true })",
    "getByRole('checkbox', { checked: true })",
    "getByRole('checkbox', { checked: false, name: 'Towed' })",
    "getByRole('heading', { level: 1 })",
    "getByRole('heading', { level: 2, name: \"Berths\" })",
    "getByRole('textbox', { description: 'painted' })",
    "getByRole('textbox', { name: /email|e-mail/i }).or(getByLabel(/email/i))",
    "getByRole('region', { name: `Berths` }).getByRole('listitem')",
    "page.getByRole('navigation').getByRole('link')",
    "getByRole('navigation').getByRole('link').last()",
    "getByRole('contentinfo')",
    "getByText('free')",
    "getByText('free', { exact: true })",
    "getByText(/FREE/i)",
    "getByText(/\\$89/)",
    "getByText(/\\$89 \\/ month$/)",
    "getByText(/[$]89 [/] month/)",
    "getByText('Say \"hello\" >> it\\'s free')",
    "getByText(/\"hello\" >> it's/)",
    "getByText(/harbour\\s+office/i)",
    "getByText('harbour office')",
    "getByText('Pricesper night')",
    "getByText('\\u00a9 Harbour')",
    "getByText(/^\\p{Lu}\\w+ pier/u)",
    "getByLabel('E-mail address')",
    "getByLabel(/boat$/)",
    "getByLabel('Length').locator('option')",
    "getByPlaceholder('YOU@')",
    "getByPlaceholder(/^you@.*com$/)",
    "getByAltText('red buoy')",
    "getByTitle('Write to us', { exact: true })",
    "getByTestId('berth-2')",
    "getByTestId(/^berth-/)",
    "locator('h2, h3')",
    "locator('h2, h3').filter({ hasText: /ask|faq/i })",
    "locator('li', { hasText: 'pier' })",
    "locator('li', { hasNotText: /north|south/i })",
    "locator('li', { has: page.getByRole('img') })",
    "locator('li').filter({ hasNot: locator('img') }).filter({ visible: true })",
    "locator('li').filter({ visible: false })",
    "locator('li').filter({ hasText: 'pier' }).filter({ has: getByRole('button', { name: 'Book', exact: true }) })",
    "locator('[class*=\"DONE\" i], [style*=\"line-through\"], s, del').filter({ hasText: /south/i })",
    "locator('button').and(getByRole('button', { name: 'Send' }))",
    "locator('a').and(getByTitle('Write to us')).or(locator('h1'))",
    "locator('ul').locator(getByText('free'))",
    "locator('ul >> li >> nth=1')",
    "locator('text=Tide')",
    "locator('xpath=//form//button')",
    "locator('//h3')",
    "frameLocator('iframe').getByRole('button', { name: 'Close' })",
    "locator('iframe').contentFrame().locator('button').first()",
];

async fn playwright(url: &str) -> Vec<Vec<String>> {
    let library = instruments().join("node_modules/playwright-core");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.mjs");
    let mut node = tokio::process::Command::new(node())
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let order = json!({
        "playwright": library, "chromium": chromium_path(), "url": url, "stamp": STAMP, "expressions": EXPRESSIONS,
    });
    node.stdin.take().unwrap().write_all(order.to_string().as_bytes()).await.unwrap();
    let answer = node.wait_with_output().await.unwrap();
    assert!(answer.status.success(), "the oracle failed");
    serde_json::from_slice(&answer.stdout).unwrap()
}

#[tokio::test]
async fn an_expression_finds_what_it_finds_when_playwright_runs_it() {
    let server = Server::start(|_| html(include_str!("expressions.html"))).await;
    let theirs = playwright(&server.url("/")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    for frame in page.frames().await {
        frame.evaluate::<Value>(STAMP, &Value::Null, LIMIT).await.unwrap();
    }
    for (expression, expected) in EXPRESSIONS.iter().zip(theirs) {
        let selector = Locator::parse(expression).unwrap_or_else(|error| panic!("{expression}: {error:?}")).selector;
        let numbers = "elements => elements.map(element => element.dataset.n)";
        let found: Option<Vec<String>> = page.locator(&selector).evaluate_all(numbers, &Value::Null).await.unwrap();
        assert_eq!(found, Some(expected.clone()), "{expression}");
        assert!(!expected.is_empty(), "{expression} finds nothing, which proves little");
    }
}

/// Half of them are right. What is read before a run must be what the browser reads in it.
const XPATHS: &[&str] = &[
    "//a",
    "/",
    "/html/body//li[2]",
    "//li[position() mod 2 = 1 and not(@hidden)]",
    "//a[@href and contains(concat(' ', normalize-space(@class), ' '), \" done \")]",
    "(//li)[last()]",
    "(//ul | //ol)[1]/li",
    "id('main')/p | //h1",
    "ancestor::li[1]/following-sibling::*",
    ".//button[. = 'Book']",
    "../..",
    "@href/..",
    "//text()[normalize-space()]",
    "//comment() | //processing-instruction('x') | //node()",
    "//*[name()='svg']//*[local-name() = 'path']",
    "//div[div div div]",
    "//or[or or or]",
    "//a[- 1 < -.5 + 2. * 3 div 4]",
    "//a[substring(@x, 2) != substring(@x, 2, 1)]",
    "// li [ 1 ] / @ title",
    "//données[@größe > 3]",
    "//a-b.c[1.5]",
    "//a[$unknown]",
    "child::a/descendant-or-self :: node ( )",
    "//a[@href=]",
    "//a[",
    "//a[1",
    "//a]",
    "(//a",
    "//a)",
    "//",
    "//a/",
    "//a//",
    "///a",
    "//a b",
    "//a[]",
    "//a[@]",
    "//a['x]",
    "//a[ends-with(@href, 'x')]",
    "//a[contains(@href)]",
    "//a[last(1)]",
    "//a/contains(., 'x')",
    "//a/siblings::b",
    "//svg:rect",
    "//a | 'b'",
    "'a'[1]",
    "count(//a)",
    "//a = //b",
    "-//a",
    "1 + 1",
    ".[1]",
    "//a[text('x')]",
    "//a[1 2]",
    "//a[, 1]",
    "//a and",
    "//a[1.2.3]",
];

#[tokio::test]
async fn an_xpath_is_refused_exactly_where_the_browser_refuses_it() {
    let server = Server::start(|_| html(include_str!("expressions.html"))).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.goto(&server.url("/"), limits()).await.unwrap();
    let evaluate = "list => list.map(one => { try { document.evaluate(one, document, null, \
        XPathResult.ORDERED_NODE_ITERATOR_TYPE); return true; } catch { return false; } })";
    let theirs: Vec<bool> = page.evaluate(evaluate, &json!(XPATHS), LIMIT).await.unwrap();
    for (expression, theirs) in XPATHS.iter().zip(theirs) {
        let ours = Locator::parse(&format!("locator({})", json!(format!("xpath={expression}"))));
        assert_eq!(ours.is_ok(), theirs, "{expression}: {ours:?}");
    }
}
