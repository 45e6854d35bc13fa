//! Verbatim constraints: exact copy, colours and names in what a visitor gets. Comments, tests, stories and documentation do not count.

mod colour;
mod copy;
mod markup;
mod script;
mod style;

use crate::file::{Language, Nature};
use crate::script::Script;
use colour::Colour;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a value is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintKind {
    /// The text, letter by letter.
    ExactCopy,
    /// A colour, in any notation.
    HexValue,
    /// A name in markup or styles.
    Structural,
}

/// What must appear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// How it is looked for.
    pub kind: ConstraintKind,
    /// What is looked for.
    pub value: String,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The line, cut, with secrets masked.
    pub text: String,
}

/// Where one constraint was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// Files that satisfy it.
    pub files: usize,
    /// The first of them.
    pub hits: Vec<Hit>,
    /// Places where the words stand but do not count: comments, tests, documentation, part of something longer.
    pub elsewhere: Vec<Hit>,
}

/// Places kept of each constraint.
pub const KEPT: usize = 5;

/// Constraints, made ready for the search.
pub struct Search {
    wanted: Vec<Wanted>,
}

struct Wanted {
    kind: ConstraintKind,
    value: String,
    colour: Option<Colour>,
    /// A structural name without its brackets, dot or hash, in lower case.
    name: String,
}

impl Search {
    /// For these constraints.
    pub fn new(constraints: &[Constraint]) -> Self {
        let ready = |constraint: &Constraint| {
            let value = copy::folded(&constraint.value);
            let name = value.trim_start_matches(['<', '.', '#']).trim_end_matches(['>', '/']).trim().to_lowercase();
            Wanted { kind: constraint.kind, colour: colour::parse(&value), name, value }
        };
        Self { wanted: constraints.iter().map(ready).collect() }
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.wanted.len()
    }
}

/// The search in one file: the first byte at which each constraint is satisfied.
pub struct InFile<'s> {
    search: &'s Search,
    found: Vec<Option<usize>>,
}

impl<'s> InFile<'s> {
    /// Nothing found yet.
    pub fn new(search: &'s Search) -> Self {
        Self { search, found: vec![None; search.wanted.len()] }
    }

    /// Whether every constraint is satisfied, so that nothing is left to look for.
    pub fn is_done(&self) -> bool {
        self.found.iter().all(Option::is_some)
    }

    /// What was found, by constraint.
    pub fn found(self) -> Vec<Option<usize>> {
        self.found
    }

    /// A script was read.
    pub fn script(&mut self, script: &Script<'_, '_>) {
        script::read(self, script);
    }

    /// Everything of a file that is not a script.
    pub fn rest(&mut self, text: &str, name: &str, nature: Nature) {
        match nature.language {
            Language::Markup | Language::Component | Language::Mdx => markup::read(self, text, name, nature.language),
            Language::Style => style::read(self, text, 0),
            Language::Json if is_content(name) => self.json(text),
            _ => {}
        }
    }

    fn json(&mut self, text: &str) {
        static STRING: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new(r#""(?:[^"\\\n]|\\.)*""#).expect("the pattern is fixed"));
        for found in STRING.find_iter(text) {
            if let Ok(value) = serde_json::from_str::<String>(found.as_str()) {
                self.copy(&value, found.start());
                self.colours(&value, found.start());
            }
        }
    }

    /// A piece of text a visitor reads. `\0` stands where something unknown is inserted.
    fn copy(&mut self, text: &str, at: usize) {
        for index in 0..self.found.len() {
            let wanted = &self.search.wanted[index];
            if wanted.kind == ConstraintKind::ExactCopy
                && self.found[index].is_none()
                && copy::satisfies(text, &wanted.value)
            {
                self.found[index] = Some(at);
            }
        }
    }

    /// A piece of text that may hold colours.
    fn colours(&mut self, text: &str, at: usize) {
        for index in 0..self.found.len() {
            let wanted = &self.search.wanted[index];
            if wanted.kind != ConstraintKind::HexValue || self.found[index].is_some() {
                continue;
            }
            let place = match wanted.colour {
                Some(colour) => colour::find(text, colour),
                None => text.to_lowercase().find(&wanted.value.to_lowercase()),
            };
            self.found[index] = place.map(|place| at + place);
        }
    }

    /// Names of elements, classes, ids, roles, attributes, identifiers.
    fn names<'n>(&mut self, names: impl IntoIterator<Item = &'n str>, at: usize) {
        if !self.search.wanted.iter().any(|wanted| wanted.kind == ConstraintKind::Structural) {
            return;
        }
        let names: BTreeSet<String> = names.into_iter().map(str::to_lowercase).collect();
        for index in 0..self.found.len() {
            let wanted = &self.search.wanted[index];
            if wanted.kind == ConstraintKind::Structural && self.found[index].is_none() && names.contains(&wanted.name)
            {
                self.found[index] = Some(at);
            }
        }
    }

    /// Code without its comments, for structural values that are more than a name.
    fn code(&mut self, text: &str, at: usize) {
        for index in 0..self.found.len() {
            let wanted = &self.search.wanted[index];
            let is_phrase = wanted.value.contains(|c: char| c.is_whitespace() || "(:={@[".contains(c));
            if wanted.kind == ConstraintKind::Structural && is_phrase && self.found[index].is_none() {
                let squeezed = |text: &str| text.to_lowercase().split_whitespace().collect::<String>();
                self.found[index] = squeezed(text).contains(&squeezed(&wanted.value)).then_some(at);
            }
        }
    }

    /// Whether structural values are wanted at all.
    fn wants_structure(&self) -> bool {
        self.search.wanted.iter().any(|wanted| wanted.kind == ConstraintKind::Structural)
    }
}

/// Whether an attribute holds names of classes, which no visitor reads: `class`, `:class`, `class:list`, `className`.
fn holds_classes(attribute: &str) -> bool {
    is_class_name(attribute) || attribute.split(':').any(|part| part.eq_ignore_ascii_case("class"))
}

/// `className`, `containerClassName`, `classNames`.
fn is_class_name(property: &str) -> bool {
    property.to_ascii_lowercase().contains("classname")
}

/// Where the words of a constraint stand anyhow, for the report of one that is not satisfied.
pub fn anywhere(search: &Search, index: usize, text: &str) -> Option<usize> {
    text.find(&search.wanted[index].value)
}

/// JSON that holds words for visitors, not settings of tools.
fn is_content(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let tools = [
        "package.json",
        "package-lock.json",
        "components.json",
        "vercel.json",
        "turbo.json",
        "composer.json",
        "bun.lock",
        "deno.json",
        "firebase.json",
    ];
    !tools.contains(&base) && !base.starts_with("tsconfig") && !base.starts_with("jsconfig") && !base.starts_with('.')
}
