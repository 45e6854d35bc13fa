//! Prompt files, good and bad.

use benchwright_domain::yaml::Severity;
use benchwright_scoring::prompt::{
    BackendProbe, Criterion, MAX_PROMPT_BYTES, Prompt, PromptError, SeoCheck, SetupStep, VerbatimType, lint, load,
};
use proptest::prelude::*;
use std::path::Path;

const SMALLEST: &str = "id: a-page\ntier: 1\nprompt: Build a page about lighthouses.\n";

/// Where and why the smallest prompt with these lines appended is refused.
fn refusal(more: &str) -> (u64, u64, String) {
    refusal_of(&format!("{SMALLEST}{more}"))
}

fn refusal_of(text: &str) -> (u64, u64, String) {
    match load(text, "bad.yaml") {
        Err(PromptError::Invalid { file, line, column, problem }) => {
            assert_eq!(file, "bad.yaml");
            (line, column, problem)
        }
        other => panic!("not refused as invalid: {other:?}"),
    }
}

#[test]
fn the_smallest_prompt_has_every_default() {
    let prompt = load(SMALLEST, "a.yaml").unwrap();
    assert_eq!((prompt.id.as_str(), prompt.tier), ("a-page", 1));
    assert!(prompt.must_have.is_empty() && prompt.should_have.is_empty() && prompt.verbatim_constraints.is_empty());
    assert!(prompt.seo_applicable.is_empty() && prompt.backend_probes.is_empty());
    assert!(prompt.visual_checklist.extra.is_empty() && !prompt.functional_checklist.placeholder_copy);
}

const FULL: &str = r#"
id: crm
tier: 3
prompt: >
  Build a small address book
  with accounts.
must_have:
  - id: list
    locator: getByRole('list')
    assert: toHaveCountAtLeast(1)
    custom: boundingBox.y < 900
    setup:
      - { kind: evaluate, expr: localStorage.clear() }
      - { kind: fill, locator: getByLabel('Name'), value: no }
      - { kind: fill, locator: getByLabel('Name'), value: "" }
      - { kind: click, locator: getByText('Save') }
      - { kind: press, locator: getByLabel('Name'), key: Enter }
      - { kind: reload }
      - { kind: waitFor, locator: getByText('Saved') }
      - { kind: revealLoginForm }
should_have:
  - { id: yes, locator: getByText(/012/), assert: toBeVisible() }
verbatim_constraints:
  - { type: exact_copy, value: on, where: the button }
  - { type: hex_value, value: '#fff', where: background }
  - { type: structural, value: main, where: markup }
seo_applicable: [title, meta_description, canonical, og_tags, twitter_card, json_ld, lang, heading_hierarchy, robots_txt, sitemap_xml]
visual_checklist:
  placeholder_copy: true
  extra: [{ id: calm_look, label: Calm, description: Is it calm? }]
functional_checklist:
  extra: [{ id: calm_look, label: Calm, description: Is it calm? }]
backend_probes:
  - { kind: unauth_get, id: closed, path: /api/contacts, expect_status: [401, 403] }
  - { kind: cross_user_get, id: mine, path: /api/contacts, expect_status: [200], forbid_body_contains: off }
"#;

#[test]
fn every_field_is_read_and_words_that_yaml_takes_for_values_stay_words() {
    let prompt = load(FULL, "crm.yaml").unwrap();
    assert_eq!(prompt.prompt, "Build a small address book with accounts.\n");
    let list = &prompt.must_have[0];
    assert_eq!(list.custom.as_deref(), Some("boundingBox.y < 900"));
    let text = str::to_owned;
    let name = || text("getByLabel('Name')");
    assert_eq!(
        list.setup,
        [
            SetupStep::Evaluate { expr: text("localStorage.clear()") },
            SetupStep::Fill { locator: name(), value: text("no") },
            SetupStep::Fill { locator: name(), value: text("") },
            SetupStep::Click { locator: text("getByText('Save')") },
            SetupStep::Press { locator: name(), key: text("Enter") },
            SetupStep::Reload {},
            SetupStep::WaitFor { locator: text("getByText('Saved')") },
            SetupStep::RevealLoginForm {},
        ]
    );
    let odd = &prompt.should_have[0];
    assert_eq!(
        (odd.id.as_str(), odd.locator.as_str(), odd.assert.as_str()),
        ("yes", "getByText(/012/)", "toBeVisible()")
    );
    let kinds: Vec<_> = prompt.verbatim_constraints.iter().map(|constraint| constraint.kind).collect();
    assert_eq!(kinds, [VerbatimType::ExactCopy, VerbatimType::HexValue, VerbatimType::Structural]);
    assert_eq!(prompt.verbatim_constraints[0].value, "on");
    assert_eq!(prompt.verbatim_constraints[1].place, "background");
    assert_eq!(prompt.seo_applicable, SeoCheck::ALL);
    assert!(prompt.visual_checklist.placeholder_copy);
    assert_eq!(prompt.visual_checklist.extra[0].id, "calm_look");
    assert_eq!(
        prompt.backend_probes,
        [
            BackendProbe::UnauthGet { id: text("closed"), path: text("/api/contacts"), expect_status: vec![401, 403] },
            BackendProbe::CrossUserGet {
                id: text("mine"),
                path: text("/api/contacts"),
                expect_status: vec![200],
                forbid_body_contains: text("off"),
            },
        ]
    );
}

#[test]
fn a_prompt_frozen_into_a_run_reads_back_the_same() {
    let prompt = load(FULL, "crm.yaml").unwrap();
    let frozen = serde_json::to_string(&prompt).unwrap();
    assert_eq!(serde_json::from_str::<Prompt>(&frozen).unwrap(), prompt);
    assert!(frozen.contains(r#"{"kind":"waitFor","locator":"getByText('Saved')"}"#), "{frozen}");
    assert!(frozen.contains(r#""kind":"unauth_get""#), "{frozen}");
    assert!(frozen.contains(r#"{"type":"exact_copy","value":"on","where":"the button"}"#), "{frozen}");
}

#[test]
fn the_hash_input_depends_on_the_meaning_and_not_on_the_spelling() {
    let spelled = "# a comment\nprompt: 'Build a page about lighthouses.'\ntier: 1\nmust_have: []\nid: \"a-page\"\n";
    let prompt = load(SMALLEST, "a.yaml").unwrap();
    assert_eq!(prompt.hash_input(), load(spelled, "b.yaml").unwrap().hash_input());
    let other = load(&SMALLEST.replace("tier: 1", "tier: 2"), "a.yaml").unwrap();
    assert_ne!(prompt.hash_input(), other.hash_input());
}

#[test]
fn optional_fields_leave_the_hash_of_prompts_without_them_alone() {
    let criteria = "must_have:\n  - { id: a, locator: getByRole('main'), assert: toBeVisible }\n";
    let plain = load(&format!("{SMALLEST}{criteria}"), "a.yaml").unwrap().hash_input();
    for field in ["record", "title", "chain"] {
        assert!(!plain.contains(field), "{plain}");
    }
    let more = "    title: The page has a main part\n    chain: true\n\
        record:\n  noun: contact\n  fields:\n    - { label: Name }\n    - { label: Company, value: Anvil & Co }\n";
    let next = "  - id: b\n    locator: getByRole('main')\n    assert: toBeVisible\n";
    let prompt = load(&format!("{SMALLEST}{criteria}{next}{more}"), "a.yaml").unwrap();
    let record = prompt.record.as_ref().unwrap();
    assert_eq!((record.noun.as_str(), record.fields.len()), ("contact", 2));
    assert_eq!((record.fields[0].value.as_deref(), record.fields[1].value.as_deref()), (None, Some("Anvil & Co")));
    assert!(prompt.must_have[1].chain && !prompt.must_have[0].chain);
    assert_eq!(prompt.must_have[1].title.as_deref(), Some("The page has a main part"));
    assert_eq!(serde_json::from_str::<Prompt>(&prompt.hash_input()).unwrap(), prompt);
    assert!(refusal("record:\n  noun: ''\n").2.contains("empty"));
}

/// A criterion with these fields, in the smallest prompt.
fn criterion(fields: &str) -> String {
    format!("must_have:\n  - id: x\n{fields}")
}

#[test]
fn what_a_criterion_says_is_refused_at_its_line_and_column() {
    let refused = |fields: &str| refusal(&criterion(fields));
    let assert = "    assert: toBeVisible\n";
    let (line, column, problem) = refused(&format!("    locator: getByRol('main')\n{assert}"));
    assert_eq!((line, column), (6, 14));
    assert!(problem.starts_with("this locator cannot be used: `getByRol` cannot stand here"), "{problem}");
    let (line, column, _) = refused(&format!("    locator: \"getByRole('link', {{ nam: 'a' }})\"\n{assert}"));
    assert_eq!((line, column), (6, 35));
    let (line, column, problem) = refused(&format!("    locator: 'getByText(''a'', {{ exact: 1 }})'\n{assert}"));
    assert_eq!((line, column), (6, 41));
    assert!(problem.contains("`exact` must be true or false"), "{problem}");
    let (line, column, problem) = refused(&format!("    locator: getByText(/a/ix)\n{assert}"));
    assert_eq!((line, column), (6, 27));
    assert!(problem.contains("`x` is no flag"), "{problem}");
    let (line, column, problem) = refused("    locator: getByRole('main')\n    assert: toBeThere\n");
    assert_eq!((line, column), (7, 13));
    assert!(problem.contains("no assertion `toBeThere`; known are toBeVisible, "), "{problem}");
    let custom = "    custom: boundingBox.y < tall\n";
    let (line, column, problem) = refused(&format!("    locator: getByRole('main')\n{assert}{custom}"));
    assert_eq!((line, column), (8, 29));
    assert!(problem.starts_with("this custom check cannot be used"), "{problem}");
    let setup = "    setup:\n      - { kind: press, locator: getByRole('textbox'), key: Entr }\n";
    let (line, column, problem) = refused(&format!("    locator: getByRole('main')\n{assert}{setup}"));
    assert_eq!((line, column), (9, 60));
    assert!(problem.contains("no keyboard has it"), "{problem}");
    let setup = "    setup:\n      - { kind: click, locator: \"document.querySelector('a')\" }\n";
    assert_eq!(refused(&format!("    locator: getByRole('main')\n{assert}{setup}")).0, 9);
    let (line, _, problem) = refused(&format!("    locator: getByRole('main')\n{assert}    chain: true\n"));
    assert_eq!(line, 8);
    assert!(problem.contains("none before it to go on from"), "{problem}");
}

#[test]
fn a_lint_tells_all_problems_at_once_and_what_only_looks_wrong() {
    let text = format!(
        "{SMALLEST}must_have:\n  - {{ id: a, locator: getByRol('main'), assert: toBeVisble }}\n\
         \x20 - {{ id: a, locator: locator('main'), assert: toHaveCountAtLeast(0) }}\n\
         verbatim_constraints:\n  - {{ type: exact_copy, value: ' x', where: y }}\n"
    );
    let problems = lint(&text, "prompts/other.yaml");
    let errors: Vec<_> = problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    let warnings: Vec<_> = problems.iter().filter(|problem| problem.severity == Severity::Warning).collect();
    assert_eq!(errors.len(), 2, "{problems:#?}");
    assert_eq!(warnings.len(), 4, "{problems:#?}");
    assert_eq!(
        warnings[0].to_string(),
        "prompts/other.yaml:1:5: warning: the id is `a-page` but the file is named `other`; `--prompt ID` finds files by name"
    );
    assert!(errors.iter().all(|error| error.line == 5 || error.line == 6));
    assert!(lint("id: a\ntier: 9\nprompt: x\n", "a.yaml").iter().any(|problem| problem.line == 2));
    assert_eq!(lint(&"x".repeat(MAX_PROMPT_BYTES + 1), "a.yaml").len(), 1);
    let good = "must_have:\n  - { id: a, locator: getByRole('main'), assert: toBeVisible }\n";
    assert_eq!(lint(&format!("{SMALLEST}{good}"), "a-page.yaml"), []);
}

#[test]
fn the_names_of_seo_checks_are_the_published_ones() {
    for check in SeoCheck::ALL {
        assert_eq!(serde_json::to_value(check).unwrap(), check.id());
    }
}

#[test]
fn an_unknown_key_is_an_error_at_its_line() {
    let (line, _, problem) = refusal("must_hav: []\n");
    assert_eq!(line, 4);
    assert!(problem.contains("must_hav") && problem.contains("must_have"), "{problem}");
    let (line, _, problem) =
        refusal("must_have:\n  - id: x\n    locator: getByRole('main')\n    assert: toBeVisible\n    asert: z\n");
    assert_eq!(line, 8);
    assert!(problem.contains("asert"), "{problem}");
    let (line, _, problem) = refusal("visual_checklist:\n  extras: []\n");
    assert_eq!(line, 5);
    assert!(problem.contains("extras"), "{problem}");
}

#[test]
fn the_message_names_file_line_column_and_remedy() {
    let error = load(&SMALLEST.replace("a-page", "A Page"), "prompts/a.yaml").unwrap_err().to_string();
    assert_eq!(
        error,
        "read prompt prompts/a.yaml:1:5: an id must be kebab-case: lower-case letters and digits, words joined by `-`"
    );
}

#[test]
fn ids_tiers_and_texts_out_of_range_are_errors_at_their_line() {
    for id in ["a_page", "-a", "a--b", "a-", "\"\"", "é"] {
        assert_eq!(refusal_of(&SMALLEST.replace("a-page", id)).0, 1, "{id}");
    }
    for tier in ["0", "4", "-1", "one", "1.5"] {
        assert_eq!(refusal_of(&SMALLEST.replace("tier: 1", &format!("tier: {tier}"))).0, 2, "{tier}");
    }
    let (line, _, problem) = refusal_of("id: a\ntier: 1\nprompt: Build it.\n");
    assert_eq!(line, 3);
    assert!(problem.contains("at least 20 characters"), "{problem}");
    let (line, _, problem) = refusal("must_have:\n  - id: x\n    locator: ' '\n    assert: toBeVisible\n");
    assert_eq!(line, 6);
    assert!(problem.contains("empty"), "{problem}");
    let (line, _, problem) =
        refusal("visual_checklist:\n  extra:\n    - { id: Calm-Look, label: a, description: b }\n");
    assert_eq!(line, 6);
    assert!(problem.contains("snake_case"), "{problem}");
    assert_eq!(refusal("visual_checklist:\n  placeholder_copy: yes\n").0, 5);
    let (line, _, problem) = refusal("seo_applicable:\n  - title\n  - hreflang\n");
    assert_eq!(line, 6);
    assert!(problem.contains("hreflang") && problem.contains("sitemap_xml"), "{problem}");
}

#[test]
fn a_locator_that_needs_quotes_is_said_to_need_them() {
    let (line, _, problem) = refusal("must_have:\n  - id: x\n    locator: getByRole('link', { name: 'Home' })\n");
    assert_eq!(line, 6);
    assert!(problem.contains("in quotes"), "{problem}");
}

#[test]
fn a_missing_field_is_named() {
    let (_, _, problem) = refusal_of("id: a\ntier: 1\n");
    assert!(problem.contains("prompt"), "{problem}");
    let (line, _, problem) = refusal("must_have:\n  - id: x\n    assert: toBeVisible\n");
    assert!((4..=7).contains(&line) && problem.contains("locator"), "{line} {problem}");
}

#[test]
fn a_repeated_name_is_an_error_at_the_second_place() {
    let (line, _, problem) = refusal("seo_applicable:\n  - title\n  - lang\n  - title\n");
    assert_eq!(line, 7);
    assert!(problem.contains("`title` stands twice in `seo_applicable`"), "{problem}");
    let item = "    - { id: calm, label: a, description: b }\n";
    assert_eq!(refusal(&format!("functional_checklist:\n  extra:\n{item}{item}")).0, 7);
    let probe = "  - { kind: unauth_get, id: closed, path: /a, expect_status: [401] }\n";
    assert_eq!(refusal(&format!("backend_probes:\n{probe}{probe}")).0, 6);
}

#[test]
fn a_repeated_name_of_a_criterion_gets_a_number_and_is_told() {
    let criterion = |id: &str| format!("  - id: {id}\n    locator: getByRole('main')\n    assert: toBeVisible\n");
    let list = |ids: &[&str]| ids.iter().map(|id| criterion(id)).collect::<String>();
    let file = format!("{SMALLEST}must_have:\n{}should_have:\n{}", list(&["a", "a", "b"]), list(&["a-2", "a", "b"]));
    let prompt = load(&file, "smallest.yaml").unwrap();
    let ids = |list: &[Criterion]| list.iter().map(|criterion| criterion.id.clone()).collect::<Vec<_>>();
    assert_eq!(
        (ids(&prompt.must_have), ids(&prompt.should_have)),
        (
            vec!["a".to_owned(), "a-3".to_owned(), "b".to_owned()],
            vec!["a-2".to_owned(), "a-4".to_owned(), "b-2".to_owned()],
        )
    );
    let told = lint(&file, "smallest.yaml");
    let repeated: Vec<_> = told.iter().filter(|problem| problem.problem.contains("stands twice")).collect();
    assert_eq!(repeated.len(), 3, "{told:?}");
    assert!(repeated.iter().all(|problem| problem.severity == Severity::Warning));
    assert_eq!((repeated[0].line, repeated[0].column), (8, 9));
    assert_eq!(repeated[0].problem, "`a` stands twice in the criteria; it is told apart by a number");
}

#[test]
fn a_repeated_key_is_an_error() {
    let (line, _, problem) = refusal("tier: 2\n");
    assert_eq!(line, 4);
    assert!(problem.contains("tier"), "{problem}");
}

#[test]
fn steps_and_probes_with_missing_or_foreign_fields_are_errors() {
    let step = |step: &str| {
        let (line, _, problem) = refusal(&format!(
            "must_have:\n  - id: x\n    locator: getByRole('main')\n    assert: toBeVisible\n    setup:\n      - {step}\n"
        ));
        assert!((8..=10).contains(&line), "{step}: line {line}");
        problem
    };
    assert!(step("{ kind: click }").contains("`locator` is missing"));
    assert!(step("{ kind: press, locator: x }").contains("`key` is missing"));
    assert!(step("{ kind: fill, locator: x }").contains("needs `value`"));
    assert!(step("{ kind: reload, locator: x }").contains("has no `locator`"));
    assert!(step("{ kind: click, locator: x, value: y }").contains("has no `value`"));
    assert!(step("{ kind: hover, locator: x }").contains("hover"));
    assert!(step("{ kind: click, locater: x }").contains("locater"));
    let probe = |probe: &str| refusal(&format!("backend_probes:\n  - {probe}\n")).2;
    assert!(probe("{ kind: unauth_get, id: a, path: /, expect_status: [] }").contains("at least one HTTP status"));
    assert!(probe("{ kind: unauth_get, id: a, path: /, expect_status: [99] }").contains("at least one HTTP status"));
    assert!(
        probe("{ kind: unauth_get, id: a, path: /, expect_status: [401], forbid_body_contains: x }").contains("only")
    );
    assert!(probe("{ kind: cross_user_get, id: a, path: /, expect_status: [401] }").contains("`forbid_body_contains`"));
}

#[test]
fn hostile_files_end_at_once_with_an_error() {
    let too_large = format!("{SMALLEST}# {}\n", "x".repeat(MAX_PROMPT_BYTES));
    assert!(matches!(load(&too_large, "a.yaml"), Err(PromptError::TooLarge { .. })));
    let mut lines = vec!["a: &a [x, x, x, x, x, x, x, x, x]".to_owned()];
    for (inner, name) in ["a", "b", "c", "d", "e", "f", "g"].iter().zip(["b", "c", "d", "e", "f", "g", "h"]) {
        lines.push(format!("{name}: &{name} [{}]", vec![format!("*{inner}"); 9].join(", ")));
    }
    refusal_of(&lines.join("\n"));
    refusal_of(&format!("visual_checklist: &a [x, x]\nseo_applicable: [{}]\n{SMALLEST}", "*a, ".repeat(10_000)));
    refusal_of(&format!("must_have: &m [{}]\n{SMALLEST}should_have: [*m, *m]\n", "[".repeat(5_000)));
    refusal_of(&"[".repeat(100_000));
    refusal_of(&"- ".repeat(100_000));
    refusal_of(&"{a: ".repeat(50_000));
    refusal_of(&format!("{SMALLEST}---\n{SMALLEST}"));
    refusal_of("");
    refusal_of("just words");
    refusal_of("\u{1b}[31m: \u{0}");
    refusal(&format!("seo_applicable: [{}]\n", "title, ".repeat(30_000)));
    refusal("<<: { tier: 2 }\n");
}

#[test]
fn a_few_aliases_are_fine_and_many_are_not() {
    let with_aliases = |count: usize| {
        let aliases: Vec<_> =
            (0..count).map(|id| format!("  - {{ id: c{id}, locator: *main, assert: toBeVisible }}")).collect();
        let first = "  - { id: first, locator: &main getByRole('main'), assert: toBeVisible }";
        load(&format!("{SMALLEST}must_have:\n{first}\n{}\n", aliases.join("\n")), "a.yaml")
    };
    assert_eq!(with_aliases(5).unwrap().must_have[5].locator, "getByRole('main')");
    assert!(matches!(with_aliases(100), Err(PromptError::Invalid { .. })));
}

#[test]
fn what_is_said_of_a_file_holds_no_control_characters() {
    let (_, _, problem) = refusal("\"\\e[31mred\": 1\n");
    assert!(!problem.chars().any(char::is_control), "{problem:?}");
}

/// Every prompt of the corpus, with the name of its file.
fn corpus() -> Vec<(String, Prompt)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/prompts");
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("prompts can be read");
        load(&text, &path.display().to_string()).expect("prompts are right")
    };
    let paths = std::fs::read_dir(folder).expect("the corpus is there").flatten().map(|entry| entry.path());
    paths.map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), read(&path))).collect()
}

#[test]
fn every_prompt_of_the_corpus_loads_and_is_named_like_its_file() {
    let corpus = corpus();
    assert!(corpus.len() >= 12, "{}", corpus.len());
    for (file, prompt) in corpus {
        assert_eq!(file, format!("{}.yaml", prompt.id));
    }
}

#[test]
fn every_prompt_of_the_corpus_has_criteria_verbatim_constraints_and_both_checklists() {
    for (file, prompt) in corpus() {
        assert!(!prompt.must_have.is_empty() && !prompt.should_have.is_empty(), "{file}: criteria");
        assert!(!prompt.verbatim_constraints.is_empty(), "{file}: verbatim constraints");
        assert!(!prompt.functional_checklist.extra.is_empty(), "{file}: functional checklist");
        assert!(!prompt.visual_checklist.extra.is_empty(), "{file}: visual checklist");
    }
}

#[test]
fn the_sample_prompt_asks_for_what_the_sample_app_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/prompts/harbor-coffee-landing.yaml");
    let prompt = load(&std::fs::read_to_string(path).unwrap(), "harbor-coffee-landing.yaml").unwrap();
    assert_eq!(prompt.tier, 1);
    assert_eq!(
        prompt.seo_applicable,
        [SeoCheck::Title, SeoCheck::MetaDescription, SeoCheck::Lang, SeoCheck::HeadingHierarchy, SeoCheck::OgTags]
    );
    assert_eq!(prompt.verbatim_constraints.len(), 2);
    assert!(prompt.must_have.len() >= 3 && prompt.should_have.len() >= 2);
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics_and_is_no_prompt(text in "(?s).{0,200}") {
        prop_assert!(load(&text, "a.yaml").is_err());
    }

    #[test]
    fn a_prompt_with_any_line_of_text_in_it_is_read_or_refused_and_hashes_the_same(text in "[ -~]{1,60}") {
        let quoted = serde_json::to_string(&text).unwrap();
        let yaml = format!("{SMALLEST}verbatim_constraints: [{{ type: exact_copy, value: {quoted}, where: title }}]\n");
        match load(&yaml, "a.yaml") {
            Ok(prompt) => prop_assert_eq!(&prompt.verbatim_constraints[0].value, &text),
            Err(error) => prop_assert!(text.trim().is_empty(), "{error}"),
        }
    }
}
