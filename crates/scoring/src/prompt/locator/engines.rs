//! What can be told of a selector before there is a page: its parts are joined by `>>`, and each is in the language of one engine.

use super::{css, roles, shortened, xpath};
use crate::prompt::syntax;

/// What may stand in the brackets of `role=`.
const ROLE_ATTRIBUTES: [&str; 9] =
    ["selected", "checked", "pressed", "expanded", "level", "disabled", "name", "description", "include-hidden"];

/// What is wrong with a selector, if anything.
pub(super) fn problem(selector: &str) -> Option<String> {
    if selector.trim().is_empty() {
        return Some("is empty; say what to look for".to_owned());
    }
    if selector.contains("internal:control") {
        return Some("goes into a frame; use frameLocator for that".to_owned());
    }
    let parts = parts(selector);
    let is_chain = parts.len() > 1;
    parts.into_iter().find_map(|part| {
        let problem = problem_of_part(part)?;
        Some(if is_chain { format!("has a part, `{}`, that {problem}", shortened(part)) } else { problem })
    })
}

/// The parts between `>>`, as Playwright finds them: not within quotes, but a text without quotes of its own may hold some.
fn parts(selector: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    let mut characters = selector.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            _ if quote == Some(character) => quote = None,
            '"' | '\'' | '`' if quote.is_none() && !is_plain_text(&selector[start..at]) => quote = Some(character),
            '>' if quote.is_none() && characters.next_if(|(_, next)| *next == '>').is_some() => {
                parts.push(selector[start..at].trim());
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(selector[start..].trim());
    parts
}

fn is_plain_text(begun: &str) -> bool {
    begun.split_once('=').is_some_and(|(engine, text)| engine.trim() == "text" && !text.is_empty())
}

fn problem_of_part(part: &str) -> Option<String> {
    let (engine, body) = engine_and_body(part);
    if body.trim().is_empty() {
        return Some("is empty; say what to look for".to_owned());
    }
    match engine {
        "css" => css::problem(body),
        "xpath" => xpath::problem(body),
        "role" => problem_of_role(body),
        "text" => problem_of_text(body),
        "nth" => body.trim().parse::<i64>().is_err().then(|| "needs a whole number after `nth=`".to_owned()),
        "visible" => {
            let known = ["true", "false"].contains(&body.trim());
            (!known).then(|| "needs true or false after `visible=`".to_owned())
        }
        "id" | "data-testid" | "data-test-id" | "data-test" => None,
        internal if internal.starts_with("internal:") => None,
        unknown => {
            let unknown = shortened(unknown);
            Some(format!("names an engine `{unknown}` that there is not; known are css, text, xpath, role, id and nth"))
        }
    }
}

/// The engine that a part names or that is plain from how it begins, and what it is given.
fn engine_and_body(part: &str) -> (&str, &str) {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | ':' | '*'))
    };
    if let Some((name, body)) = part.split_once('=').filter(|(name, _)| is_name(name.trim())) {
        let name = name.trim();
        return (name.strip_prefix('*').unwrap_or(name), body);
    }
    let quoted = |quote: char| part.len() > 1 && part.starts_with(quote) && part.ends_with(quote);
    if quoted('"') || quoted('\'') {
        return ("text", part);
    }
    let is_xpath = part.trim_start_matches('(').starts_with("//") || part.starts_with("..");
    (if is_xpath { "xpath" } else { "css" }, part)
}

/// A text stands there as it is, but between slashes it is a regular expression.
fn problem_of_text(body: &str) -> Option<String> {
    let (pattern, flags) = body.trim().strip_prefix('/')?.rsplit_once('/')?;
    syntax::check_pattern(pattern, flags).err().map(|problem| format!("looks for a text by a pattern: {problem}"))
}

/// `button[name="Go"i][pressed]`: a role, and what else is asked of it.
fn problem_of_role(body: &str) -> Option<String> {
    let body = body.trim();
    let (role, mut rest) = body.split_at(body.find('[').unwrap_or(body.len()));
    if let Some(problem) = roles::problem(role.trim()) {
        return Some(format!("asks for a role, but {problem}"));
    }
    while let Some(open) = rest.strip_prefix('[') {
        let name_end = open.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(open.len());
        let name = &open[..name_end];
        if !ROLE_ATTRIBUTES.contains(&name) {
            let known = ROLE_ATTRIBUTES.join(", ");
            return Some(format!("asks for `{}` of a role; known are {known}", shortened(name)));
        }
        let Some(end) = end_of_brackets(&open[name_end..]) else {
            return Some("does not end; a quote, `/` or `]` is missing".to_owned());
        };
        rest = open[name_end + end..].trim_start();
    }
    (!rest.is_empty()).then(|| format!("has `{}` after its brackets, where nothing can stand", shortened(rest)))
}

/// Where what follows `]` begins; a `]` in a string or in a regular expression closes nothing.
fn end_of_brackets(text: &str) -> Option<usize> {
    let mut closing = None;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            _ if closing == Some(character) => closing = None,
            '"' | '\'' | '/' if closing.is_none() => closing = Some(character),
            ']' if closing.is_none() => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_of_every_engine_are_fine() {
        for selector in [
            "ul >> li:has-text('a >> b') >> nth=-1",
            "css=main > p >> visible=true",
            "text=It's free >> ..",
            "text=\"quoted >> text\" >> xpath=ancestor::li",
            "\"Say it\"",
            "text=/^say (it|so)$/i",
            "//a[@title=\"it's (here\"]",
            "(//li)[2] >> xpath=./a[contains(., ')')]",
            "role=button[name=/a\\/]b/i][pressed=true] >> css=svg",
            "role=heading[level=2][name=\"A ] b\"i]",
            "*css=article >> text=News",
            "id=main >> data-testid=row >> internal:has-text=\"a\"i",
            "input[name=a] >> ..",
        ] {
            assert_eq!(problem(selector), None, "{selector}");
        }
    }

    #[test]
    fn mistakes_in_every_engine_are_named() {
        for (selector, words) in [
            ("ul >> li[", "`]` is missing"),
            ("ul >> >> li", "is empty"),
            ("ul >> foo=bar", "names an engine `foo`"),
            ("ul >> nth=first", "whole number"),
            ("ul >> li:nth-child(banana)", "a part, `li:nth-child(banana)`, that"),
            ("ul >> visible=yes", "true or false"),
            ("css=a:nonsense", "no pseudo-class"),
            ("text=", "is empty"),
            ("text=/[b-a]/", "cannot be read"),
            ("xpath=", "is empty"),
            ("xpath=//a[1", "`]` is missing"),
            ("//a[text()='x]", "`'` is missing"),
            ("//a)", "was not opened"),
            ("role=buton", "no ARIA role; did you mean 'button'?"),
            ("role=[name=a]", "no ARIA role"),
            ("role=button[nme='a']", "`nme` of a role"),
            ("role=button[name='a]", "is missing"),
            ("role=button[name='a'] x", "`x` after its brackets"),
            ("iframe >> internal:control=enter-frame >> a", "use frameLocator"),
        ] {
            let said = problem(selector).unwrap_or_else(|| panic!("{selector} passes"));
            assert!(said.contains(words), "{selector}: {said}");
        }
    }
}
