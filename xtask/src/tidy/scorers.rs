//! A scorer is one file: four headings, one pure function, tests below.

use super::Violation;
use super::source::Tree;

const FOLDER: &str = "crates/scoring/src/scorers/";
const HEADINGS: [&str; 4] =
    ["//! # What it measures", "//! # Why it matters", "//! # How it is scored", "//! # Where we differ"];
const NOT_IN_A_SCORER: [&str; 6] = ["async ", ".await", "std::fs", "SystemTime", "Instant::", "Dimension::"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.files().filter(|(path, _)| is_scorer(path)).flat_map(|(path, text)| check_scorer(path, text)).collect()
}

/// `scorers/<dimension>/<id>_<name>.rs`; module lists and what scorers share are not scorers.
fn is_scorer(path: &str) -> bool {
    let Some((_, file)) = path.strip_prefix(FOLDER).and_then(|rest| rest.split_once('/')) else { return false };
    let Some((id, _)) = file.strip_suffix(".rs").and_then(|name| name.split_once('_')) else { return false };
    let mut letters = id.chars();
    letters.next().is_some_and(|first| "fcvs".contains(first)) && id.len() > 1 && letters.all(|c| c.is_ascii_digit())
}

fn check_scorer(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("//! # ")).collect();
    if headings != HEADINGS {
        found.push(Violation::new(path, 1, "its documentation needs exactly the four headings of a scorer, in order"));
    }
    if !text.contains("#[test]") {
        found.push(Violation::new(path, 1, "a scorer has its tests in the same file"));
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for (number, line) in (1..).zip(code.lines()).filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for token in NOT_IN_A_SCORER.iter().filter(|token| line.contains(**token)) {
            found.push(Violation::new(path, number, format!("`{}` has no place in a scorer", token.trim())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! F1.\n//! # What it measures\n//! # Why it matters\n//! # How it is scored\n//! # Where we differ\nfn score() {}\n#[cfg(test)]\nmod tests {\n#[test]\nfn t() {}\n}\n";

    #[test]
    fn a_scorer_is_known_by_its_name() {
        for (path, is) in [
            ("functional/f1_render.rs", true),
            ("functional/mod.rs", false),
            ("mod.rs", false),
            ("visual/contrast_maths.rs", false),
            ("security/s1_x.rs", true),
        ] {
            assert_eq!(is_scorer(&format!("{FOLDER}{path}")), is, "{path}");
        }
    }

    #[test]
    fn headings_tests_and_purity_are_asked_for() {
        assert_eq!(check_scorer("a.rs", GOOD), []);
        assert_eq!(check_scorer("a.rs", &GOOD.replace("# Why it matters", "# Why")).len(), 1);
        assert_eq!(check_scorer("a.rs", &GOOD.replace("#[test]", "")).len(), 1);
        let awaits = GOOD.replace("fn score() {}", "fn score() { x.await }");
        assert_eq!(check_scorer("a.rs", &awaits)[0].line, 6);
    }
}
