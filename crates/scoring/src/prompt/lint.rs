//! Everything that can be said of a prompt file without running it.

use super::written::{Written, WrittenCriterion};
use super::{Assertion, CustomCheck, Locator, PromptError, SyntaxError, read};
use benchwright_domain::yaml::{self, Problem, Severity, Text, place, place_in};
use std::collections::BTreeSet;

/// The most problems told of one file.
const MAX_PROBLEMS: usize = 100;

/// All problems of a prompt file in the order of its lines; `file_name` may be a path.
pub fn lint(text: &str, file_name: &str) -> Vec<Problem> {
    let told = |severity, (line, column), problem: String| Problem {
        file: file_name.to_owned(),
        line,
        column,
        severity,
        problem: yaml::readable(&problem),
    };
    let mut problems = Vec::new();
    if let Err(error) = read::shape(text, file_name) {
        let (place, problem) = match error {
            PromptError::TooLarge { .. } => ((1, 1), error.to_string().replace("read prompt ", "")),
            PromptError::Invalid { line, column, problem, .. } => ((line, column), problem),
        };
        problems.push(told(Severity::Error, place, problem));
    }
    if let Ok(written) = read::written(text, file_name) {
        problems.extend(errors(text, &written).into_iter().map(|(at, problem)| told(Severity::Error, at, problem)));
        let warnings = warnings(&written, file_name);
        problems.extend(warnings.into_iter().map(|(at, problem)| told(Severity::Warning, at, problem)));
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems.dedup_by(|left, right| {
        (left.line, left.column) == (right.line, right.column) && left.problem == right.problem
    });
    problems.truncate(MAX_PROBLEMS);
    problems
}

type Told = ((u64, u64), String);

/// What makes a prompt of the right shape unusable, in the order of the file's lists.
pub(super) fn errors(file: &str, written: &Written) -> Vec<Told> {
    let mut found = repetitions(written);
    for list in [&written.must_have, &written.should_have] {
        for (position, criterion) in list.iter().enumerate() {
            if let Some(chain) = criterion.chain.as_ref().filter(|chain| chain.value && position == 0) {
                let problem = "the first criterion of a list has none before it to go on from; remove `chain`";
                found.push((place(chain), problem.to_owned()));
            }
            found.extend(grammar(file, criterion));
        }
    }
    found
}

fn grammar(file: &str, criterion: &WrittenCriterion) -> Vec<Told> {
    let mut found = Vec::new();
    let mut check = |text: Option<&Text>, what: &str, parse: &dyn Fn(&str) -> Result<(), SyntaxError>| {
        let Some(text) = text.filter(|text| !text.value.trim().is_empty()) else { return };
        if let Err(error) = parse(&text.value) {
            found.push((place_in(file, text, error.at), format!("this {what} cannot be used: {}", error.problem)));
        }
    };
    let is_locator = |text: &str| Locator::parse(text).map(drop);
    for step in &criterion.setup {
        check(step.locator.as_ref(), "locator", &is_locator);
        check(step.key.as_ref(), "key", &|key| {
            if benchwright_browser::is_key(key) {
                return Ok(());
            }
            Err(SyntaxError::new(0, "no keyboard has it; write Enter, Escape, ArrowDown, a or Control+A"))
        });
    }
    check(criterion.locator.as_ref(), "locator", &is_locator);
    check(criterion.assert.as_ref(), "assertion", &|text| Assertion::parse(text).map(drop));
    check(criterion.custom.as_ref(), "custom check", &|text| CustomCheck::parse(text).map(drop));
    found
}

fn repetitions(written: &Written) -> Vec<Told> {
    let lists: [(&str, Vec<&Text>); 4] = [
        ("`seo_applicable`", written.seo_applicable.iter().collect()),
        ("`visual_checklist`", written.visual_checklist.extra.iter().map(|named| &named.id).collect()),
        ("`functional_checklist`", written.functional_checklist.extra.iter().map(|named| &named.id).collect()),
        ("`backend_probes`", written.backend_probes.iter().map(|named| &named.id).collect()),
    ];
    let mut found = Vec::new();
    for (list, names) in lists {
        for again in repeated(names) {
            let problem = format!("`{}` stands twice in {list}; give each entry a name of its own", again.value);
            found.push((place(again), problem));
        }
    }
    found
}

/// Names that stood before them already.
fn repeated<'a>(names: impl IntoIterator<Item = &'a Text>) -> Vec<&'a Text> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| !seen.insert(name.value.as_str())).collect()
}

fn warnings(written: &Written, file_name: &str) -> Vec<Told> {
    let mut found = Vec::new();
    let file = std::path::Path::new(file_name);
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if let (Some(id), Some(stem)) = (&written.id, stem)
        && id.value != stem
    {
        let problem =
            format!("the id is `{}` but the file is named `{stem}`; `--prompt ID` finds files by name", id.value);
        found.push((place(id), problem));
    }
    let start = written.id.as_ref().map_or((1, 1), place);
    if written.must_have.is_empty() {
        let problem = if written.should_have.is_empty() {
            "there are no criteria, so F2 will not apply; add `must_have`"
        } else {
            "nothing must be there, so F2 always passes; move the essential criteria to `must_have`"
        };
        found.push((start, problem.to_owned()));
    }
    let criteria = || written.must_have.iter().chain(&written.should_have);
    for again in repeated(criteria().map(|criterion| &criterion.id)) {
        let problem = format!("`{}` stands twice in the criteria; it is told apart by a number", again.value);
        found.push((place(again), problem));
    }
    found.extend(criteria().flat_map(criterion_warnings));
    for value in written.verbatim_constraints.iter().filter_map(|constraint| constraint.value.as_ref()) {
        if value.value.trim() != value.value {
            found.push((place(value), "this text begins or ends with white space, which no page shows".to_owned()));
        }
    }
    found
}

fn criterion_warnings(criterion: &WrittenCriterion) -> Vec<Told> {
    let mut found = Vec::new();
    if criterion.assert.as_ref().is_some_and(|assert| assert.value.trim().starts_with("toHaveCountAtLeast(0)")) {
        let at = criterion.assert.as_ref().map_or((1, 1), place);
        found.push((at, "this holds on every page; ask for at least 1".to_owned()));
    }
    if let (Some(custom), Some(assert)) = (&criterion.custom, &criterion.assert)
        && Assertion::parse(&assert.value).is_ok_and(|assertion| assertion.check == super::Check::Hidden)
    {
        found.push((place(custom), "a hidden element has no place, so this check always fails".to_owned()));
    }
    for expr in criterion.setup.iter().filter_map(|step| step.expr.as_ref()) {
        if expr.value.contains("location.href") || expr.value.contains("location.assign") {
            found.push((place(expr), "after leaving the page, `waitFor` something of the next one".to_owned()));
        }
    }
    found
}
