//! What stands in the brackets of a locator's calls.

use super::{Call, Locator, Parser, STARTS, STEPS};
use crate::prompt::syntax::{SyntaxError, Token};
use benchwright_browser::TextMatch;

/// An argument or the value of an option.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Regex { pattern: String, flags: String },
    Number(f64),
    Flag(bool),
    Locator(Locator),
    Options(Options),
}

/// Options in braces. What was used is taken out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Options(Vec<Entry>);

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    name: String,
    name_at: usize,
    value: Value,
    value_at: usize,
}

impl Parser<'_> {
    pub(super) fn value(&mut self) -> Result<Value, SyntaxError> {
        let wanted = "a string, a regular expression, a number, true, false, a locator or options in braces";
        let value = match self.cursor.peek().clone() {
            Token::Text(text) => Value::Text(text),
            Token::Regex { pattern, flags } => Value::Regex { pattern, flags },
            Token::Number(number) => Value::Number(number),
            Token::Name(name) if name == "true" || name == "false" => Value::Flag(name == "true"),
            Token::Name(_) => return self.inner_locator(),
            Token::Sign('{') => return self.options(),
            _ => return Err(self.cursor.unexpected(wanted)),
        };
        self.cursor.take()?;
        Ok(value)
    }

    fn inner_locator(&mut self) -> Result<Value, SyntaxError> {
        let at = self.cursor.at();
        let inner = self.expression()?;
        if inner.enters_frame {
            return Err(SyntaxError::new(at, "a locator inside of another cannot go into a frame"));
        }
        Ok(Value::Locator(inner))
    }

    fn options(&mut self) -> Result<Value, SyntaxError> {
        self.cursor.expect('{', "`{`")?;
        let mut options = Options::default();
        while !self.cursor.takes('}')? {
            let name_at = self.cursor.at();
            let (Token::Name(name) | Token::Text(name)) = self.cursor.peek().clone() else {
                return Err(self.cursor.unexpected("the name of an option or `}`"));
            };
            if options.0.iter().any(|entry| entry.name == name) {
                return Err(SyntaxError::new(name_at, format!("the option `{name}` stands twice; remove one")));
            }
            self.cursor.take()?;
            self.cursor.expect(':', &format!("`:` after the option `{name}`"))?;
            let value_at = self.cursor.at();
            let value = match self.value()? {
                Value::Options(_) => return Err(SyntaxError::new(value_at, "options cannot stand in options")),
                value => value,
            };
            options.0.push(Entry { name, name_at, value, value_at });
            if !self.cursor.takes(',')? {
                self.cursor.expect('}', "`,` or `}`")?;
                break;
            }
        }
        Ok(Value::Options(options))
    }
}

impl Options {
    fn take(&mut self, name: &str) -> Option<(usize, Value)> {
        let position = self.0.iter().position(|entry| entry.name == name)?;
        let entry = self.0.remove(position);
        Some((entry.value_at, entry.value))
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<Option<bool>, SyntaxError> {
        match self.take(name) {
            None => Ok(None),
            Some((_, Value::Flag(flag))) => Ok(Some(flag)),
            Some((at, _)) => Err(SyntaxError::new(at, format!("`{name}` must be true or false"))),
        }
    }

    pub(super) fn level(&mut self) -> Result<Option<u32>, SyntaxError> {
        match self.take("level") {
            None => Ok(None),
            Some((_, Value::Number(level))) if (1.0..=1000.0).contains(&level) && level.fract() == 0.0 => {
                Ok(Some(level as u32))
            }
            Some((at, _)) => Err(SyntaxError::new(at, "`level` must be a whole number from 1")),
        }
    }

    pub(super) fn text(&mut self, name: &str, exact: bool) -> Result<Option<TextMatch>, SyntaxError> {
        self.take(name).map(|(at, value)| value.into_text(at, exact, name)).transpose()
    }

    pub(super) fn locator(&mut self, name: &str) -> Result<Option<String>, SyntaxError> {
        match self.take(name) {
            None => Ok(None),
            Some((_, Value::Locator(inner))) => Ok(Some(inner.selector)),
            Some((at, _)) => Err(SyntaxError::new(at, format!("`{name}` must be a locator"))),
        }
    }

    pub(super) fn expect_no_other(&self, known: &str) -> Result<(), SyntaxError> {
        match self.0.first() {
            None => Ok(()),
            Some(entry) => {
                let name = super::shortened(&entry.name);
                Err(SyntaxError::new(entry.name_at, format!("there is no option `{name}` here; known are {known}")))
            }
        }
    }
}

impl Value {
    fn into_text(self, at: usize, exact: bool, what: &str) -> Result<TextMatch, SyntaxError> {
        match self {
            Self::Text(text) if text.trim().is_empty() => {
                Err(SyntaxError::new(at, format!("{what} is empty, which matches everything; say what to look for")))
            }
            Self::Text(text) if exact => Ok(TextMatch::Exact(text)),
            Self::Text(text) => Ok(TextMatch::Substring(text)),
            Self::Regex { pattern, flags } => Ok(TextMatch::Regex { pattern, flags }),
            _ => Err(SyntaxError::new(at, format!("{what} must be a string or a regular expression"))),
        }
    }
}

impl Call {
    /// Takes the first argument.
    pub(super) fn first(&mut self, wanted: &str) -> Result<(usize, Value), SyntaxError> {
        let first = self
            .arguments
            .first_mut()
            .ok_or_else(|| SyntaxError::new(self.at, format!("`{}` needs {wanted}", self.name)))?;
        Ok((first.0, std::mem::replace(&mut first.1, Value::Flag(false))))
    }

    pub(super) fn first_text(&mut self, exact: bool) -> Result<TextMatch, SyntaxError> {
        let (at, value) = self.first("a string or a regular expression")?;
        value.into_text(at, exact, "the text")
    }

    /// A text, and whether the options want it exact.
    pub(super) fn text_and_exact(&mut self) -> Result<TextMatch, SyntaxError> {
        let mut options = self.take_options(1)?;
        let exact = options.flag("exact")?.unwrap_or(false);
        options.expect_no_other("exact")?;
        self.expect_no_more(2)?;
        self.first_text(exact)
    }

    /// The options at a position; none when nothing stands there.
    pub(super) fn take_options(&mut self, position: usize) -> Result<Options, SyntaxError> {
        let Some((at, value)) = self.arguments.get_mut(position) else { return Ok(Options::default()) };
        match std::mem::replace(value, Value::Flag(false)) {
            Value::Options(options) => Ok(options),
            _ => Err(SyntaxError::new(*at, format!("`{}` takes options in braces here", self.name))),
        }
    }

    /// The options of `locator`; other calls have used theirs.
    pub(super) fn options_after_selector(&mut self) -> Result<Options, SyntaxError> {
        if self.name != "locator" {
            return Ok(Options::default());
        }
        let options = self.take_options(1)?;
        self.expect_no_more(2)?;
        Ok(options)
    }

    pub(super) fn expect_no_more(&self, most: usize) -> Result<(), SyntaxError> {
        match self.arguments.get(most) {
            None => Ok(()),
            Some((at, _)) => Err(SyntaxError::new(*at, format!("`{}` takes no further argument", self.name))),
        }
    }

    pub(super) fn without_arguments<T>(&self, value: T) -> Result<T, SyntaxError> {
        self.expect_no_more(0).map(|()| value)
    }

    pub(super) fn only_index(&mut self) -> Result<i64, SyntaxError> {
        self.expect_no_more(1)?;
        match self.first("a whole number")? {
            (_, Value::Number(index)) if index.fract() == 0.0 && index.abs() < 1e6 => Ok(index as i64),
            (at, _) => Err(SyntaxError::new(at, "`nth` needs a whole number, counted from 0")),
        }
    }

    pub(super) fn only_locator(&mut self) -> Result<String, SyntaxError> {
        self.expect_no_more(1)?;
        match self.first("a locator")? {
            (_, Value::Locator(inner)) => Ok(inner.selector),
            (at, _) => Err(SyntaxError::new(at, format!("`{}` needs a locator", self.name))),
        }
    }

    pub(super) fn wrong(&self, position: usize, wanted: &str) -> SyntaxError {
        let at = self.arguments.get(position).map_or(self.at, |(at, _)| *at);
        SyntaxError::new(at, format!("`{}` needs {wanted}", self.name))
    }

    pub(super) fn unknown(&self) -> SyntaxError {
        let name = super::shortened(&self.name);
        SyntaxError::new(
            self.at,
            format!("`{name}` cannot stand here; a locator begins with {STARTS} and goes on with {STEPS}"),
        )
    }
}
