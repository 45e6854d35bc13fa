//! Locators: what they are read into, what is refused and where, and that nothing breaks the reader.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_scoring::prompt::{Assertion, CustomCheck, Locator, MAX_CHARS};
use proptest::prelude::*;
use std::fmt::Write as _;

fn selector(text: &str) -> String {
    Locator::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}")).selector
}

#[test]
fn expressions_become_selectors_of_the_engine() {
    for (text, expected) in [
        ("getByRole('button')", "internal:role=button"),
        ("page.getByRole(\"button\", { name: 'Go' })", "internal:role=button[name=\"Go\"i]"),
        ("getByRole('button', { exact: true, name: 'Go', })", "internal:role=button[name=\"Go\"s]"),
        ("getByRole('heading', { level: 1, name: /a \"b\"/i })", "internal:role=heading[level=1][name=/a \\\"b\\\"/i]"),
        (
            "getByRole('checkbox', { checked: true, disabled: false })",
            "internal:role=checkbox[checked=true][disabled=false]",
        ),
        ("getByText('Say \"hi\"')", "internal:text=\"Say \\\"hi\\\"\"i"),
        ("getByText(`a\\u00e4\\x41\\u{1F600}\\uD83D\\uDE00`)", "internal:text=\"aäA😀😀\"i"),
        ("getByLabel('E-mail', { exact: true })", "internal:label=\"E-mail\"s"),
        ("getByTestId('x')", "internal:testid=[data-testid=\"x\"s]"),
        ("getByTestId(/x/)", "internal:testid=[data-testid=/x/]"),
        ("locator('h2, h3')", "h2, h3"),
        ("locator('ul >> role=link[name=\"a\"]')", "ul >> role=link[name=\"a\"]"),
        ("locator('li', { hasText: 'a' })", "li >> internal:has-text=\"a\"i"),
        ("locator('li').filter({ hasNotText: /a/ })", "li >> internal:has-not-text=/a/"),
        ("locator('li').filter({ has: getByRole('link') })", "li >> internal:has=\"internal:role=link\""),
        ("locator('li').filter({ hasNot: page.locator('a') })", "li >> internal:has-not=\"a\""),
        ("locator('li').filter({ visible: true })", "li >> visible=true"),
        ("locator('ul').locator('li').nth(2)", "ul >> li >> nth=2"),
        ("locator('ul').locator(getByText('a'))", "ul >> internal:chain=\"internal:text=\\\"a\\\"i\""),
        ("locator('a').and(getByTitle('t'))", "a >> internal:and=\"internal:attr=[title=\\\"t\\\"i]\""),
        ("locator('a').or(locator('b')).first()", "a >> internal:or=\"b\" >> nth=0"),
        ("locator('a').last()", "a >> nth=-1"),
        ("frameLocator('iframe').getByText('a')", "iframe >> internal:control=enter-frame >> internal:text=\"a\"i"),
        ("locator('iframe').contentFrame().locator('a')", "iframe >> internal:control=enter-frame >> a"),
    ] {
        assert_eq!(selector(text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_where_it_is_wrong() {
    for (text, at, words) in [
        ("", 0, "expected a locator"),
        ("page", 4, "`.` and a locator"),
        ("page.click('a')", 5, "`click` cannot stand here"),
        ("getByRole", 9, "`(` after `getByRole`"),
        ("getByRole()", 0, "needs a role"),
        ("getByRole('buton')", 10, "no ARIA role; did you mean 'button'?"),
        ("getByRole('button', { nme: 'a' })", 22, "no option `nme`"),
        ("getByRole('button', { name: 'a', name: 'b' })", 33, "stands twice"),
        ("getByRole('button', 'a')", 20, "takes options in braces"),
        ("getByRole('heading', { level: 'one' })", 30, "`level` must be"),
        ("getByText('a)", 10, "does not end"),
        ("getByText('')", 10, "is empty"),
        ("getByText(/a)", 10, "does not end; close it with /"),
        ("getByText(/a/z)", 13, "`z` is no flag"),
        ("getByText(/[b-a]/)", 10, "cannot be read"),
        ("getByText(`a${b}`)", 12, "nothing in a prompt is computed"),
        ("getByText('\\uD83D')", 17, "half a character"),
        ("getByText('a', { exact: 'yes' })", 24, "must be true or false"),
        ("getByText('a').nth(1.5)", 19, "whole number"),
        ("getByText('a').filter('b')", 22, "takes options in braces"),
        ("getByText('a').filter({ has: 'b' })", 29, "must be a locator"),
        ("getByText('a').or('b')", 18, "needs a locator"),
        ("getByText('a').first(1)", 21, "no further argument"),
        ("getByText('a').click()", 15, "`click` cannot stand here"),
        ("getByText('a'); fetch('x')", 14, "expected the end"),
        ("getByText('a') + 1", 15, "expected the end"),
        ("locator('')", 8, "is empty"),
        ("locator('a[href')", 8, "`]` is missing"),
        ("locator('a)')", 8, "was not opened"),
        ("locator('foo=bar')", 8, "names an engine `foo`"),
        ("locator('li:nth-child(banana)')", 8, "`:nth-child(banana)`"),
        ("locator('ul >> li[')", 8, "`]` is missing"),
        ("locator('role=buton')", 8, "did you mean 'button'?"),
        ("locator('//a[1')", 8, "`]` is missing"),
        ("locator('ul').locator('xpath=')", 22, "is empty"),
        ("frameLocator('text=').locator('a')", 13, "is empty"),
        ("frameLocator('iframe')", 22, "a frame is no element"),
        ("locator('a').and(frameLocator('i').locator('b'))", 17, "cannot go into a frame"),
        ("(() => process.exit())()", 0, "expected a locator"),
        ("constructor.constructor('x')()", 11, "`(` after `constructor`"),
    ] {
        let error = Locator::parse(text).expect_err(text);
        assert!(error.problem.contains(words), "{text}: {}", error.problem);
        assert_eq!(error.at, at, "{text}: {}", error.problem);
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let nested = |depth: usize| format!("{}getByText('\"'){}", "locator('a').or(".repeat(depth), ")".repeat(depth));
    assert!(Locator::parse(&nested(5)).is_ok());
    assert!(Locator::parse(&nested(6)).unwrap_err().problem.contains("at most 6 deep"));
    assert!(Locator::parse(&nested(100_000)).unwrap_err().problem.contains("longer than"));
    let chain = format!("locator('a'){}", ".first()".repeat((MAX_CHARS - 20) / 8));
    assert!(Locator::parse(&chain).is_ok());
    let quotes =
        format!("locator('a').or(locator('a').or(locator('a').or(getByText('{}'))))", "\"".repeat(MAX_CHARS - 80));
    assert!(selector(&quotes).len() < 40_000, "escaping may not explode");
}

/// Pieces that expressions are made of, in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "page.",
            "getByRole(",
            "getByText(",
            "locator(",
            "filter({",
            "has:",
            "hasText:",
            "first()",
            "nth(",
            ")",
            "}",
            ",",
            ".",
            "'button'",
            "\"a\"",
            "`",
            "/a/i",
            "/",
            "\\",
            "true",
            "1",
            "-",
            "and(",
            "or(",
            "frameLocator(",
            "${",
            "\u{202e}",
            "[",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,4}",
        any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #[test]
    fn arbitrary_texts_never_panic_and_faults_are_inside_of_them(text in "(?s).{0,200}") {
        for error in [
            Locator::parse(&text).err(),
            Assertion::parse(&text).err(),
            CustomCheck::parse(&text).err(),
        ].into_iter().flatten() {
            prop_assert!(error.at <= text.chars().count(), "{text:?}: {error:?}");
            prop_assert!(!error.problem.is_empty());
        }
    }

    #[test]
    fn jumbled_expressions_never_panic(pieces in prop::collection::vec(piece(), 0..60)) {
        let text = pieces.concat();
        if let Err(error) = Locator::parse(&text) {
            prop_assert!(error.at <= text.chars().count());
        }
    }

    #[test]
    fn every_string_can_be_written_in_every_kind_of_quotes(text in "[^\\s\\u{0}-\\u{1f}]{1,40}") {
        for quote in ['\'', '"', '`'] {
            let mut written = String::new();
            for character in text.chars() {
                match character {
                    '\\' | '$' | '\'' | '"' | '`' => write!(written, "\\{character}").unwrap(),
                    other => written.push(other),
                }
            }
            let found = selector(&format!("getByText({quote}{written}{quote}, {{ exact: true }})"));
            let expected = format!("internal:text={}s", serde_json::to_string(&text).unwrap());
            prop_assert_eq!(found, expected);
        }
    }
}
