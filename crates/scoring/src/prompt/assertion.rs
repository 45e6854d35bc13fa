//! Assertions: what must hold of the elements a locator finds.

use super::syntax::{Cursor, SyntaxError, Token};
use benchwright_browser::TextMatch;
use std::fmt;

const KNOWN: &str = "toBeVisible, toBeHidden, toHaveText('…'), toHaveCount(N), toHaveCountAtLeast(N), toHaveValue('…'), \
                     toHaveAttribute('name', '…'), toBeChecked and toBeFocused";

/// An assertion that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// Whether it must not hold.
    pub negated: bool,
    /// What must hold.
    pub check: Check,
}

/// What must hold. All but the counts and [`Check::Hidden`] are about the first element that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// It shows.
    Visible,
    /// None of them shows.
    Hidden,
    /// Its text.
    Text(TextMatch),
    /// How many there are.
    Count(usize),
    /// How many there are at least.
    CountAtLeast(usize),
    /// What the field holds.
    Value(TextMatch),
    /// It has an attribute, with this value if one is given.
    Attribute {
        /// The attribute.
        name: String,
        /// Its value.
        value: Option<TextMatch>,
    },
    /// It is ticked.
    Checked,
    /// It has the focus.
    Focused,
}

impl Assertion {
    /// Reads an assertion such as `toBeVisible`, `toHaveCount(3)` or `not.toBeChecked()`.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut cursor = Cursor::new(text)?;
        let negated = *cursor.peek() == Token::Name("not".to_owned());
        if negated {
            cursor.take()?;
            cursor.expect('.', "`.` and an assertion after `not`")?;
        }
        let at = cursor.at();
        let Token::Name(name) = cursor.peek().clone() else {
            return Err(cursor.unexpected(&format!("an assertion: {KNOWN}")));
        };
        cursor.take()?;
        let mut arguments = Arguments { name: name.clone(), at, left: arguments(&mut cursor)?.into() };
        let check = match name.as_str() {
            "toBeVisible" => Check::Visible,
            "toBeHidden" => Check::Hidden,
            "toBeChecked" => Check::Checked,
            "toBeFocused" => Check::Focused,
            "toHaveCount" => Check::Count(arguments.count()?),
            "toHaveCountAtLeast" => Check::CountAtLeast(arguments.count()?),
            "toHaveText" => Check::Text(arguments.text()?),
            "toHaveValue" => Check::Value(arguments.text()?),
            "toHaveAttribute" => Check::Attribute { name: arguments.attribute()?, value: arguments.optional_text()? },
            _ => {
                let name = crate::scorers::words::cut(&name, 40);
                return Err(SyntaxError::new(at, format!("there is no assertion `{name}`; known are {KNOWN}")));
            }
        };
        arguments.expect_none()?;
        cursor.expect_end()?;
        Ok(Self { negated, check }.simplified())
    }

    /// An element that is not visible is hidden, and the other way round.
    fn simplified(self) -> Self {
        match self {
            Self { negated: true, check: Check::Visible } => Self { negated: false, check: Check::Hidden },
            Self { negated: true, check: Check::Hidden } => Self { negated: false, check: Check::Visible },
            other => other,
        }
    }

    /// Whether it could hold for a moment only because the page is not done yet.
    pub fn may_hold_too_early(&self) -> bool {
        self.negated || matches!(self.check, Check::Hidden | Check::Count(_))
    }
}

/// What stands in the brackets, if there are any.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<(usize, Token)>, SyntaxError> {
    let mut found = Vec::new();
    if !cursor.takes('(')? {
        return Ok(found);
    }
    while !cursor.takes(')')? {
        if !matches!(cursor.peek(), Token::Text(_) | Token::Regex { .. } | Token::Number(_)) {
            return Err(cursor.unexpected("a string, a regular expression, a number or `)`"));
        }
        found.push((cursor.at(), cursor.take()?));
        if !cursor.takes(',')? {
            cursor.expect(')', "`,` or `)`")?;
            break;
        }
    }
    Ok(found)
}

struct Arguments {
    name: String,
    at: usize,
    left: std::collections::VecDeque<(usize, Token)>,
}

impl Arguments {
    fn next(&mut self, wanted: &str) -> Result<(usize, Token), SyntaxError> {
        let missing = || SyntaxError::new(self.at, format!("`{}` needs {wanted} in brackets", self.name));
        self.left.pop_front().ok_or_else(missing)
    }

    fn count(&mut self) -> Result<usize, SyntaxError> {
        match self.next("a number")? {
            (_, Token::Number(number)) if (0.0..=100_000.0).contains(&number) && number.fract() == 0.0 => {
                Ok(number as usize)
            }
            (at, token) => {
                Err(SyntaxError::new(at, format!("expected a whole number from 0, found {}", token.words())))
            }
        }
    }

    fn text(&mut self) -> Result<TextMatch, SyntaxError> {
        match self.next("a string or a regular expression")? {
            (_, Token::Text(text)) => Ok(TextMatch::Exact(text)),
            (_, Token::Regex { pattern, flags }) => Ok(TextMatch::Regex { pattern, flags }),
            (at, token) => {
                Err(SyntaxError::new(at, format!("expected a string or a regular expression, found {}", token.words())))
            }
        }
    }

    fn optional_text(&mut self) -> Result<Option<TextMatch>, SyntaxError> {
        if self.left.is_empty() { Ok(None) } else { self.text().map(Some) }
    }

    fn attribute(&mut self) -> Result<String, SyntaxError> {
        match self.next("the name of an attribute")? {
            (_, Token::Text(name)) if !name.is_empty() && !name.contains(char::is_whitespace) => Ok(name),
            (at, _) => Err(SyntaxError::new(at, "expected the name of an attribute as a string, such as 'href'")),
        }
    }

    fn expect_none(&self) -> Result<(), SyntaxError> {
        match self.left.front() {
            None => Ok(()),
            Some((at, _)) => Err(SyntaxError::new(*at, format!("`{}` takes no further argument", self.name))),
        }
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |text: &TextMatch| match text {
            TextMatch::Exact(text) => format!("the text \"{text}\""),
            TextMatch::Substring(text) => format!("a text with \"{text}\""),
            TextMatch::Regex { pattern, flags } => format!("a text that matches /{pattern}/{flags}"),
        };
        if self.negated {
            f.write_str("not: ")?;
        }
        match &self.check {
            Check::Visible => f.write_str("a visible element"),
            Check::Hidden => f.write_str("no visible element"),
            Check::Text(expected) => f.write_str(&text(expected)),
            Check::Count(1) => f.write_str("exactly 1 element"),
            Check::Count(number) => write!(f, "exactly {number} elements"),
            Check::CountAtLeast(1) => f.write_str("at least 1 element"),
            Check::CountAtLeast(number) => write!(f, "at least {number} elements"),
            Check::Value(expected) => write!(f, "a field that holds {}", text(expected)),
            Check::Attribute { name, value: None } => write!(f, "the attribute {name}"),
            Check::Attribute { name, value: Some(value) } => write!(f, "the attribute {name} with {}", text(value)),
            Check::Checked => f.write_str("a ticked element"),
            Check::Focused => f.write_str("an element that has the focus"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Check {
        Assertion::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}")).check
    }

    #[test]
    fn every_assertion_is_read_with_and_without_brackets() {
        assert_eq!(check("toBeVisible"), Check::Visible);
        assert_eq!(check(" toBeVisible ( ) "), Check::Visible);
        assert_eq!(check("not.toBeVisible"), Check::Hidden);
        assert_eq!(check("toBeHidden()"), Check::Hidden);
        assert_eq!(check("toBeChecked()"), Check::Checked);
        assert_eq!(check("toBeFocused"), Check::Focused);
        assert_eq!(check("toHaveCount(0)"), Check::Count(0));
        assert_eq!(check("toHaveCountAtLeast(3)"), Check::CountAtLeast(3));
        assert_eq!(check("toHaveText('a \\'b\\'')"), Check::Text(TextMatch::Exact("a 'b'".into())));
        assert_eq!(check("toHaveValue(\"\")"), Check::Value(TextMatch::Exact(String::new())));
        let regex = TextMatch::Regex { pattern: "^a\\/b$".into(), flags: "i".into() };
        assert_eq!(check("toHaveText(/^a\\/b$/i)"), Check::Text(regex.clone()));
        assert_eq!(check("toHaveAttribute('href')"), Check::Attribute { name: "href".into(), value: None });
        let with_value = Check::Attribute { name: "href".into(), value: Some(regex) };
        assert_eq!(check("toHaveAttribute('href', /^a\\/b$/i)"), with_value);
        assert!(Assertion::parse("not.toBeChecked").unwrap().negated);
    }

    #[test]
    fn a_wrong_assertion_is_refused_where_it_is_wrong() {
        let refused = |text: &str| Assertion::parse(text).unwrap_err();
        for (text, at, words) in [
            ("toBeVisble", 0, "there is no assertion `toBeVisble`; known are toBeVisible"),
            ("not.toBeOnFire", 4, "there is no assertion `toBeOnFire`"),
            ("toHaveCount", 0, "needs a number in brackets"),
            ("toHaveCount(-1)", 12, "whole number from 0"),
            ("toHaveCount(1.5)", 12, "whole number from 0"),
            ("toHaveCount('3')", 12, "found a string"),
            ("toHaveCount(3", 13, "expected `,` or `)`, found the end"),
            ("toHaveCount(3) && x", 15, "expected the end"),
            ("toHaveText()", 0, "needs a string or a regular expression"),
            ("toHaveText('a", 11, "does not end"),
            ("toHaveText(/a/ix)", 15, "`x` is no flag"),
            ("toHaveText(/a/ii)", 14, "stands twice"),
            ("toHaveText(/(/)", 11, "cannot be read"),
            ("toHaveText('a', 'b')", 16, "no further argument"),
            ("toBeVisible(3)", 12, "no further argument"),
            ("toHaveAttribute(/x/)", 16, "name of an attribute"),
            ("42", 0, "expected an assertion"),
            ("", 0, "found the end"),
        ] {
            let error = refused(text);
            assert!(error.problem.contains(words), "{text}: {}", error.problem);
            assert!(error.at.abs_diff(at) <= usize::from(text.contains("/i")), "{text}: {} instead of {at}", error.at);
        }
    }

    #[test]
    fn only_what_may_hold_too_early_is_looked_at_twice() {
        for (text, twice) in
            [("toBeHidden", true), ("toHaveCount(0)", true), ("not.toBeChecked", true), ("toBeVisible", false)]
        {
            assert_eq!(Assertion::parse(text).unwrap().may_hold_too_early(), twice, "{text}");
        }
    }
}
