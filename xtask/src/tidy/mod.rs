//! `cargo xtask tidy`: what can be checked of the architecture's invariants by reading the sources.

mod dependencies;
mod documents;
mod purity;
mod scorers;
mod source;
mod text;

use crate::arguments::Arguments;
use crate::failure::{Done, Failure};
use source::Tree;
use std::fmt;

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    path: String,
    line: usize,
    what: String,
}

impl Violation {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.what)
    }
}

const CHECKS: [fn(&Tree) -> Vec<Violation>; 5] =
    [dependencies::check, purity::check, scorers::check, text::check, documents::check];

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    let tree = Tree::of_project()?;
    let mut found: Vec<Violation> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    found.sort();
    for violation in &found {
        println!("{violation}");
    }
    match found.len() {
        0 => {
            println!("tidy: {} files, nothing to complain about", tree.len());
            Ok(())
        }
        count => Err(Failure::check(format!("{count} to mend"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_prints_as_an_editor_can_jump_to() {
        assert_eq!(Violation::new("src/a.rs", 7, "is wrong").to_string(), "src/a.rs:7: is wrong");
    }
}
