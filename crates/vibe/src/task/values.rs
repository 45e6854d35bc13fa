//! The values a tester brings along: templates in the file, other texts on every occasion.

use super::Workflow;
use super::sentence::Fault;
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const KNOWN: &str = "{unique}, {digits}, {day}, {day+3}, {day-3}, {monday} and {monday+3}";
/// Neither vowels, which make words, nor what is easily mistaken for something else.
const ALPHABET: &[u8] = b"bcdfghjkmnpqrstvwxz23456789";
/// Characters of `{unique}` and `{digits}`.
const LENGTH: usize = 6;
/// Most days a date may lie away.
const MOST_DAYS: i32 = 3_660;

/// When a workflow is walked. Two occasions with different seeds share no unique value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// Anything that no other run has.
    pub seed: String,
    /// The date in the browser.
    pub today: Date,
}

/// How a value is made, such as `Fern {unique}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Segment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Literal(String),
    Unique,
    Digits,
    /// So many days from today.
    Day(i32),
    /// So many days from the first Monday that is a week away or more.
    Monday(i32),
}

/// The values of a workflow's variables on an occasion.
pub(super) fn of(task: &str, workflow: &Workflow, occasion: &Occasion) -> BTreeMap<String, String> {
    let value = |(name, template): (&String, &Template)| {
        let key = Sha256::digest([occasion.seed.as_str(), task, &workflow.id, name].join("\0"));
        (name.clone(), template.value(&key, occasion.today))
    };
    workflow.variables.iter().map(value).collect()
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let mut segments = Vec::new();
        let (mut rest, mut at) = (text, 0);
        while let Some((before, generator)) = rest.split_once('{') {
            at += before.chars().count();
            let (name, after) =
                generator.split_once('}').ok_or_else(|| Fault::new(at, "this brace is never closed"))?;
            let segment = generated(name)
                .ok_or_else(|| Fault::new(at, format!("`{{{name}}}` makes no value; known are {KNOWN}")))?;
            segments.extend((!before.is_empty()).then(|| Segment::Literal(before.to_owned())));
            segments.push(segment);
            at += name.chars().count() + 2;
            rest = after;
        }
        segments.extend((!rest.is_empty()).then(|| Segment::Literal(rest.to_owned())));
        Ok(Self(segments))
    }

    /// Whether no two occasions and no two variables have the same value.
    pub fn is_unique(&self) -> bool {
        self.0.iter().any(|segment| matches!(segment, Segment::Unique | Segment::Digits))
    }

    /// Whether it is a date and nothing else.
    pub(super) fn is_date(&self) -> bool {
        matches!(self.0[..], [Segment::Day(_) | Segment::Monday(_)])
    }

    fn value(&self, key: &[u8], today: Date) -> String {
        let made = self.0.iter().map(|segment| match segment {
            Segment::Literal(text) => text.clone(),
            Segment::Unique => picked(key, ALPHABET),
            Segment::Digits => picked(key, b"123456789"),
            Segment::Day(days) => shifted(today, *days).to_string(),
            Segment::Monday(days) => shifted(next_monday(today), *days).to_string(),
        });
        made.collect()
    }
}

fn generated(name: &str) -> Option<Segment> {
    let days = |rest: &str| match rest {
        "" => Some(0),
        // A date without a sign would be read as `{day3}`.
        number => number.starts_with(['+', '-']).then(|| number.parse().ok()).flatten(),
    };
    let near = |days: &i32| days.abs() <= MOST_DAYS;
    match name {
        "unique" => Some(Segment::Unique),
        "digits" => Some(Segment::Digits),
        _ => match (name.strip_prefix("day"), name.strip_prefix("monday")) {
            (Some(rest), _) => days(rest).filter(near).map(Segment::Day),
            (_, Some(rest)) => days(rest).filter(near).map(Segment::Monday),
            _ => None,
        },
    }
}

fn picked(key: &[u8], alphabet: &[u8]) -> String {
    key.iter().take(LENGTH).map(|byte| char::from(alphabet[usize::from(*byte) % alphabet.len()])).collect()
}

fn shifted(date: Date, days: i32) -> Date {
    let span: Span = days.days();
    date.saturating_add(span)
}

fn next_monday(today: Date) -> Date {
    let mut date = shifted(today, 7);
    while date.weekday() != Weekday::Monday {
        date = shifted(date, 1);
    }
    date
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Kind;
    use jiff::civil::date;

    fn values(seed: &str, today: Date, templates: &[(&str, &str)]) -> BTreeMap<String, String> {
        let variables =
            templates.iter().map(|(name, text)| ((*name).to_owned(), Template::parse(text).unwrap())).collect();
        let workflow = Workflow {
            id: "w".to_owned(),
            title: String::new(),
            purpose: String::new(),
            kind: Kind::Core,
            variables,
            substeps: Vec::new(),
        };
        of("t", &workflow, &Occasion { seed: seed.to_owned(), today })
    }

    #[test]
    fn values_are_the_same_for_a_seed_and_others_for_another() {
        let templates = [("a", "Fern {unique}"), ("b", "Fern {unique}"), ("n", "INV-{digits}")];
        let first = values("1", date(2026, 11, 17), &templates);
        assert_eq!(first, values("1", date(2027, 1, 1), &templates));
        let second = values("2", date(2026, 11, 17), &templates);
        for name in ["a", "b", "n"] {
            assert_ne!(first[name], second[name]);
        }
        assert_ne!(first["a"], first["b"], "variables of one workflow differ too");
        assert!(first["a"].starts_with("Fern ") && first["a"].len() == 11, "{first:?}");
        assert!(first["n"][4..].bytes().all(|byte| byte.is_ascii_digit()) && first["n"].len() == 10, "{first:?}");
    }

    #[test]
    fn dates_count_from_today_and_from_a_monday_to_come() {
        let templates =
            [("t", "{day}"), ("y", "{day-1}"), ("m", "{day+14}"), ("mon", "{monday}"), ("fri", "{monday+4}")];
        let made = values("1", date(2026, 12, 29), &templates);
        assert_eq!((&*made["t"], &*made["y"], &*made["m"]), ("2026-12-29", "2026-12-28", "2027-01-12"));
        assert_eq!((&*made["mon"], &*made["fri"]), ("2027-01-11", "2027-01-15"));
        assert_eq!(values("1", date(2026, 11, 16), &templates)["mon"], "2026-11-23", "a Monday has the next one");
    }

    #[test]
    fn what_makes_no_value_is_told_with_its_place() {
        for (text, at) in [("é {day3}", 2), ("{now}", 0), ("a {unique", 2), ("{day+9999}", 0), ("{monday+}", 0)] {
            assert_eq!(Template::parse(text).unwrap_err().at, at, "{text}");
        }
        assert!(Template::parse("{day}").unwrap().is_date());
        assert!(!Template::parse("{day} {unique}").unwrap().is_date());
        assert!(!Template::parse("12").unwrap().is_unique());
    }
}
