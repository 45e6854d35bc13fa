//! Every kind of mistake, each made alone in a task without any.

use super::*;
use std::fmt::Write as _;

const CANARY: &str = "benchwright-canary-0123456789abcdef0123456789abcdef";

const TASK_FILE: &str = "\
format: 1
id: jam-shelf
version: 1
title: Jam shelf
domain: individual
difficulty: easy
split: validation
access: mixed
canary: benchwright-canary-0123456789abcdef0123456789abcdef
";

const SPEC_FILE: &str = "\
# Jam shelf

I make jam and want to know what is on my shelf. Anyone may look; to change something I sign in with the e-mail
\"me@jam.example\" and the password \"Plum-Stone-7\".

The page has the heading \"My jam\" and the button \"Add jar\". It asks for the \"Fruit\" and the number of \"Jars\",
and \"Save\" puts the jam on the list. Everything is kept when I reload the page. A jam can be deleted with \"Delete\".
When the number is missing it says \"How many jars?\". A jam without any jars left is shown with the word \"Empty\".
Below the list stands the number of all my jars, such as \"Total 12\". I do not need anything else: no pictures, no
recipes and no messages. It should be easy to read on the old screen in my kitchen, with large letters, and it should
be quick. My family will use it too, so please keep the words plain and the buttons big.

<!-- benchwright-canary-0123456789abcdef0123456789abcdef -->
";

/// Line 5 of `workflows.yaml` begins the first workflow.
const FIRST: &str = "  - id: add-a-jar
    title: Add a jar
    purpose: A jam that was added is on the list.
    kind: core
    variables:
      fruit: Plum {unique}
    explained:
      Total 3: three jars and no others
    substeps:
      - Open the app and expect the heading \"My jam\".
      - Sign in with the e-mail \"me@jam.example\" and the password \"Plum-Stone-7\".
      - do: Type {fruit} into \"Fruit\" and \"3\" into \"Jars\", then click \"Save\".
        expect: [{ text: \"{fruit}\" }, { together: [\"{fruit}\", \"3\"] }]
        critical: true
      - Expect \"Total 3\".
";

fn good() -> Files {
    let mut workflows = format!("format: 1\ntask: jam-shelf\ncanary: {CANARY}\nworkflows:\n{FIRST}");
    for (number, kind) in (2..=6).zip(["core", "core", "edge", "edge", "regression"]) {
        let _ = write!(
            workflows,
            "  - id: look-{number}\n    title: Look {number}\n    purpose: The page can be looked at by anyone.\n    \
             kind: {kind}\n    substeps:\n      - Open the app.\n      - Expect \"My jam\".\n      \
             - {{ do: Expect \"Add jar\"., critical: true }}\n"
        );
    }
    Files { folder: "corpus/jam-shelf".to_owned(), task: TASK_FILE.to_owned(), spec: SPEC_FILE.to_owned(), workflows }
}

fn told(files: &Files) -> Vec<String> {
    check(files).iter().map(|problem| problem.to_string().replace("corpus/jam-shelf/", "")).collect()
}

/// The complaints about the good task after one edit.
fn after(file: File, find: &str, replace: &str) -> Vec<String> {
    let mut files = good();
    let text = match file {
        File::Task => &mut files.task,
        File::Spec => &mut files.spec,
        File::Workflows => &mut files.workflows,
    };
    assert!(text.contains(find), "{find} is not in the file");
    *text = text.replacen(find, replace, 1);
    told(&files)
}

/// Asserts that an edit leads to exactly one complaint, which begins and goes on as given.
fn one(file: File, (find, replace): (&str, &str), place: &str, words: &str) {
    let told = after(file, find, replace);
    assert_eq!(told.len(), 1, "{find} -> {replace}: {told:#?}");
    assert!(told[0].starts_with(place), "{find} -> {replace}: {}", told[0]);
    assert!(told[0].contains(words), "{find} -> {replace}: {}", told[0]);
}

/// The same, with `¦` in the edit where the complaint must point to.
fn marked(file: File, find: &str, replace: &str, words: &str) {
    let told = after(file, find, &replace.replace('¦', ""));
    let text = match file {
        File::Task => good().task,
        File::Spec => good().spec,
        File::Workflows => good().workflows,
    };
    let edited = text.replacen(find, replace, 1);
    let before = &edited[..edited.find('¦').unwrap()];
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    let place = format!(":{}:{column}: ", before.matches('\n').count() + 1);
    assert_eq!(told.len(), 1, "{find} -> {replace}: {told:#?}");
    assert!(told[0].contains(&place) && told[0].contains(words), "{find} -> {replace}: {} {place}", told[0]);
}

#[test]
fn a_good_task_has_no_problems_and_loads() {
    assert_eq!(told(&good()), Vec::<String>::new());
    let task = read::load(&good()).unwrap();
    assert_eq!((task.workflows.len(), task.substeps()), (6, 19));
    assert!(!task.spec.contains("canary"));
    let step = &task.workflows[0].substeps[2];
    assert!(step.critical && step.expect.len() == 2);
    let occasion = crate::task::Occasion { seed: "s".to_owned(), today: jiff::civil::date(2026, 11, 17) };
    let walked = task.workflows[0].on(&task.id, &occasion);
    let crate::task::Expectation::Text(fruit) = &walked.substeps[2].expect[0] else { panic!("{walked:?}") };
    assert_eq!(
        walked.substeps[2].text,
        format!("Type \"{fruit}\" into \"Fruit\" and \"3\" into \"Jars\", then click \"Save\".")
    );
}

#[test]
fn files_of_another_shape_are_refused_where_they_differ() {
    let task = |find, replace, place, words| one(File::Task, (find, replace), place, words);
    task("title: Jam", "titel: Jam", "task.yaml:4:1: error: ", "unknown field");
    task("version: 1", "version: one", "task.yaml:3:10: error: ", "expected a whole number");
    task("domain: individual", "domain: hobby", "task.yaml:5:9: error: ", "solo-founder");
    task("split: validation\n", "", "task.yaml:8:1: error: ", "split");
    task("id: jam", "id: a\nid: jam", "task.yaml:3:1: error: ", "duplicate");
    task(
        "access: mixed",
        "access: mixed\nlimits: { call_seconds: x }",
        "task.yaml:9:25: error: ",
        "expected a whole number",
    );
    let workflows = |find, replace, place, words| one(File::Workflows, (find, replace), place, words);
    workflows("kind: core", "kind: main", "workflows.yaml:8:11: error: ", "core");
    workflows("{ text: \"{fruit}\" }", "{ texts: \"{fruit}\" }", "workflows.yaml:17:", "together");
    workflows(
        "- Open the app and",
        "- [1]\n      - Open the app and",
        "workflows.yaml:14:9: error: ",
        "a sentence, or `do`",
    );
    workflows("critical: true", "critical: perhaps", "workflows.yaml:18:19: error: ", "expected");
    workflows("critical: true", "crucial: true", "workflows.yaml:18:9: error: ", "unknown field");
    workflows("Expect \"Total 3\"", "Expect the line: \"Total 3\"", "workflows.yaml:19:", "in single quotes");
}

#[test]
fn ids_sizes_and_formats_are_checked() {
    let task = |find, replace, place, words| one(File::Task, (find, replace), place, words);
    task("format: 1", "format: 7", "task.yaml:1:9: error: ", "write 1");
    task("version: 1", "version: 0", "task.yaml:3:10: error: ", "begin with 1");
    task("title: Jam shelf", "title: J", "task.yaml:4:8: error: ", "3 to 80 characters");
    task("access: mixed", "access: mixed\nlimits: { call_seconds: 0 }", "task.yaml:9:9: error: ", "at least 1");
    task("access: mixed", "access: mixed\nservices: [email, email]", "task.yaml:9:19: error: ", "twice");
    let workflows = |find, replace, place, words| one(File::Workflows, (find, replace), place, words);
    workflows("format: 1", "format: 2", "workflows.yaml:1:9: error: ", "write 1");
    workflows("task: jam-shelf", "task: jam", "workflows.yaml:2:7: error: ", "`jam-shelf`");
    workflows("id: add-a-jar", "id: Add_a_jar", "workflows.yaml:5:9: error: ", "kebab-case");
    workflows("id: look-3", "id: look-2", "workflows.yaml:28:9: error: ", "another workflow has the id");
    workflows("title: Look 3", "title: look 2", "workflows.yaml:29:12: error: ", "another workflow has the title");
    workflows("A jam that was added is on the list.", "Adding.", "workflows.yaml:7:14: error: ", "20 to 400");
    workflows(
        "- Open the app.\n      - Expect \"My jam\".\n",
        "- Open the app.\n",
        "workflows.yaml:20:9: error: ",
        "3 to 30 substeps",
    );
    let long = format!("- Expect \"Total 3\"{}.\n", " again".repeat(70));
    one(File::Workflows, ("- Expect \"Total 3\".\n", &long), "workflows.yaml:19:9", "8 to 400");
    workflows("[\"{fruit}\", \"3\"]", "[\"{fruit}\"]", "workflows.yaml:16:9: error: ", "two texts or more");
    workflows("{ text: \"{fruit}\" }", "{ text: \"\" }", "workflows.yaml:17:26: error: ", "empty");
    workflows("kind: regression", "kind: edge", "workflows.yaml:2:7: warning: ", "`regression`");
    workflows("        critical: true\n", "", "workflows.yaml:5:9: warning: ", "critical");
    let short = good();
    let cut = short.workflows.find("  - id: look-6").unwrap();
    let few = told(&Files { workflows: short.workflows[..cut].to_owned(), ..short });
    assert!(few.iter().any(|line| line.starts_with("workflows.yaml:2:7: error: a task has 6 to 23")), "{few:#?}");
    let named = check(&Files { folder: "corpus/jam".to_owned(), ..good() });
    assert!(named[0].to_string().starts_with("corpus/jam/task.yaml:2:5: error: the id is `jam-shelf`"), "{named:?}");
    let long = SPEC_FILE.replacen("I make jam", &"I make jam and ".repeat(300), 1);
    assert!(told(&Files { spec: long, ..good() })[0].starts_with("spec.md:1:1: error: a specification has 100 to 800"));
}

#[test]
fn the_canary_is_in_all_three_files_and_hidden_from_models() {
    one(File::Task, ("canary: benchwright-canary-0", "canary: canary-0"), "task.yaml:9:9: error: ", "32 random");
    one(
        File::Workflows,
        ("canary: benchwright-canary-0", "canary: benchwright-canary-1"),
        "workflows.yaml:3:9: error: ",
        "not the canary",
    );
    one(File::Spec, ("<!-- benchwright", "<!-- bench"), "spec.md:1:1: error: ", "the canary is missing");
    one(File::Spec, ("<!-- benchwright", "<!-- --> benchwright"), "spec.md:1:1: error: ", "outside of a comment");
}

#[test]
fn variables_are_declared_used_new_in_every_run_and_of_one_workflow() {
    let workflows = |find, replace, place, words| one(File::Workflows, (find, replace), place, words);
    workflows(
        "fruit: Plum {unique}",
        "fruit: Plum {unique}\n      spare: Fig {unique}",
        "workflows.yaml:11:14: error: ",
        "no substep uses",
    );
    workflows("Type {fruit} into", "Type {fruits} into", "workflows.yaml:16:18: error: ", "`{fruits}` is not among");
    workflows(
        "{ text: \"{fruit}\" }",
        "{ text: \"{fruits}\" }",
        "workflows.yaml:17:27: error: ",
        "`{fruits}` is not among",
    );
    workflows("Plum {unique}", "Plum", "workflows.yaml:10:14: error: ", "the same in every run");
    workflows("Plum {unique}", "Plum {now}", "workflows.yaml:10:19: error: ", "makes no value");
    workflows("Plum {unique}", "plum.{unique}@mail.com", "workflows.yaml:10:14: error: ", "@example.com");
    let told = after(File::Workflows, "fruit: Plum {unique}", "Fruit: Plum {unique}");
    assert!(told[0].contains("snake_case"), "{told:#?}");
    let other = "    kind: core\n    variables: { jam: \"plum {unique}\" }\n    substeps:\n      - Open the app.\n      - Expect {jam}.\n";
    workflows(
        "    kind: core\n    substeps:\n      - Open the app.\n",
        other,
        "workflows.yaml:24:23: error: ",
        "`add-a-jar` has the same value",
    );
}

#[test]
fn what_is_tested_was_asked_for_or_is_typed_or_is_explained() {
    let total = "Expect \"Total 3\".";
    let workflows = |find, replace, words| marked(File::Workflows, find, replace, words);
    workflows("the heading \"My jam\"", "the heading ¦\"My jams\"", "error: `My jams` is neither");
    workflows("{ text: \"{fruit}\" }", "{ text: ¦\"Saved\" }", "error: `Saved` is neither");
    workflows(
        "Type {fruit} into",
        "Type {fruit}, ¦\"Fig\" into",
        "error: `Fig` is not in the specification; make what",
    );
    workflows("Total 3: three", "Total 4: ¦four\n      Total 3: three", "error: nothing relies on `Total 4`");
    workflows("then click \"Save\"", "then click ¦Save", "error: `Save` looks like a name");
    workflows(total, "Expect \"Total 3\" and ¦sort the list.", "error: the specification never speaks of `sort`");
    workflows("heading \"My jam\"", "heading \"My jam\" of ¦{fruit", "error: this brace is never closed");
    workflows("heading \"My jam\"", "heading ¦\"My jam", "error: this quotation mark has no partner");
    marked(File::Spec, "no pictures", "no ¦React pictures", "warning: `react` is a technical word");
    let counted = "Expect \"3 Jars\" and \"Total 3\".";
    assert_eq!(after(File::Workflows, total, counted), Vec::<String>::new());
    workflows(total, "Expect \"Total 3\" and ¦\"4 Jars\".", "error: `4 Jars` is neither");
    let typed = "Change \"Jars\" to \"5\" and expect \"5\", then reload and delete it. Expect \"Total 3\".";
    assert_eq!(after(File::Workflows, total, typed), Vec::<String>::new());
}

#[test]
fn what_no_browser_can_do_and_what_leans_on_others_is_refused() {
    let total = "Expect \"Total 3\".";
    let workflows = |find, replace, words| marked(File::Workflows, find, replace, words);
    workflows(total, "Expect \"Total 3\" in the ¦database.", "a tester sees pages, not the database");
    workflows(total, "Wait ¦an hour and expect \"Total 3\".", "cannot be done in a browser");
    workflows(total, "Expect \"Total 3\" in your ¦inbox.", "without the service `email`");
    workflows(total, "Expect \"Total 3\" as in the ¦previous test.", "leans on something outside of this workflow");
    workflows(total, "Expect \"Total 3\" as in ¦look-2.", "leans on something outside of this workflow");
    workflows(total, "¦The total should be \"Total 3\".", "begins with what the tester does");
    workflows("- Open the app and expect", "- ¦Click reload and expect", "begin with `Open the app`");
    let mut mail = good();
    mail.task.push_str("services: [email]\n");
    mail.workflows = mail.workflows.replacen(total, "Expect \"Total 3\" in your inbox.", 1);
    assert_eq!(told(&mail), Vec::<String>::new());
}

#[test]
fn signing_in_fits_the_app_and_the_session() {
    let total = "Expect \"Total 3\".";
    let again = "Expect \"Total 3\" and ¦sign in with the e-mail \"me@jam.example\".";
    marked(File::Workflows, total, again, "error: somebody is signed in already; sign out first");
    marked(File::Workflows, "- Open the app.", "- Open the app and ¦sign out.", "error: nobody is signed in here");
    one(File::Task, ("access: mixed", "access: anyone"), "workflows.yaml:15:9: error: ", "nobody signs in to this app");
    let told = after(File::Task, "access: mixed", "access: accounts");
    assert_eq!(told.len(), 5, "{told:#?}");
    assert!(told[0].starts_with("workflows.yaml:20:9: error: nobody signs in, but the whole app"), "{told:#?}");
    one(File::Spec, ("sign in with", "come with"), "spec.md:1:1: error: ", "never says how to sign in");
    let fine = "Expect \"Total 3\" and sign out, sign in with the e-mail \"me@jam.example\", sign out, then try to sign in with the password \"Plum-Stone-7\" and expect to be asked to sign in.";
    assert_eq!(after(File::Workflows, total, fine), Vec::<String>::new());
}

#[test]
fn tasks_have_their_own_ids_and_canaries_and_stay_as_they_were_frozen() {
    let mut frozen = Frozen::default();
    frozen.freeze("jam-shelf", 1, freeze::hash(&good())).unwrap();
    assert_eq!(check_together(&[good()], &frozen), []);
    let twice: Vec<String> = check_together(&[good(), good()], &frozen).iter().map(ToString::to_string).collect();
    assert_eq!(twice.len(), 2);
    assert!(twice[0].contains("task.yaml:2:5: error: corpus/jam-shelf has the same id"), "{twice:#?}");
    assert!(twice[1].contains("task.yaml:9:9: error: corpus/jam-shelf has the same canary"), "{twice:#?}");
    let edited = Files { spec: good().spec + "\n", ..good() };
    let told = check_together(&[edited], &frozen)[0].to_string();
    assert!(told.contains("task.yaml:3:10: error: version 1 was changed after it was frozen"), "{told}");
}

#[test]
fn a_task_with_an_error_does_not_load() {
    let files = Files { task: TASK_FILE.replace("version: 1", "version: 0"), ..good() };
    let error = read::load(&files).unwrap_err().to_string();
    assert_eq!(error, "read task corpus/jam-shelf/task.yaml:3:10: versions begin with 1");
}
