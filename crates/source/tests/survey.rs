//! The reading as a whole: hostile trees, who runs which file, and equal answers to equal questions.

#![allow(clippy::unwrap_used, reason = "a test that cannot make its tree must fail")]

use benchwright_source::{Class, Constraint, ConstraintKind, Limits, Side, Survey, survey};
use std::fs;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read(files: &[(&str, &str)]) -> Survey {
    survey(tree(files).path(), &[], &Limits::default()).unwrap()
}

fn stripe_key() -> String {
    ["sk_", "live_51Nq8ZtLkR3mXvB7wYcHdPsEgJf"].concat()
}

#[test]
fn a_line_of_fifty_megabytes_is_read_up_to_the_limit_and_searched() {
    let line = format!("var k='{}';{}", stripe_key(), "a=b+c;".repeat(9_000_000));
    let survey = read(&[("bundle.js", &line), ("src/a.ts", "export const a = 1;")]);
    assert!(survey.truncated);
    assert_eq!((survey.files, survey.scripts), (2, 1));
    assert_eq!(survey.secrets.len(), 1);
    assert!(survey.secrets[0].text.chars().count() < 220);
}

#[test]
fn what_is_no_text_or_no_program_is_survived() {
    let survey = read(&[
        ("a.ts", "const = = ;;; <<<<< {{{{"),
        ("b.ts", "\0\0\0binary"),
        ("package.json", "{ not json"),
        ("tsconfig.json", "[[["),
        ("supabase/x.sql", "create table $$ ''' ;;; --"),
        ("firestore.rules", "allow"),
        ("deep.tsx", &format!("export const a = {}1{};", "(".repeat(400), ")".repeat(400))),
    ]);
    assert_eq!(survey.files, 6);
    assert!(survey.patterns.is_empty() && survey.secrets.is_empty(), "{survey:?}");
}

#[test]
fn the_same_tree_gives_the_same_answer_however_many_threads_read_it() {
    let key = format!("export const k = '{}';", stripe_key());
    let files: Vec<(String, String)> = (0..40).map(|i| (format!("src/f{i}.ts"), key.clone())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = tree(&files);
    let wanted = [Constraint { kind: ConstraintKind::ExactCopy, value: "nothing".to_owned() }];
    let with = |threads| survey(folder.path(), &wanted, &Limits { threads, ..Limits::default() }).unwrap();
    assert_eq!(with(1), with(4));
    assert_eq!(with(2).secrets.len(), 40);
}

#[test]
fn peer_defect_client_and_server_are_told_by_imports_and_not_by_folders() {
    let uses_key = "export const key = process.env.STRIPE_SECRET_KEY;";
    let survey = read(&[
        ("backend/index.html", "<script type=\"module\" src=\"./boot.ts\"></script>"),
        ("backend/boot.ts", "import { key } from '../server/api/key';\nconsole.info(key.length);"),
        ("server/api/key.ts", uses_key),
        ("src/components/client/ui.ts", uses_key),
    ]);
    let found: Vec<_> = survey.patterns.iter().map(|one| (one.file.as_str(), one.side)).collect();
    assert_eq!(found, [("server/api/key.ts", Side::Client)]);
}

const PAGE: (&str, &str) = ("index.html", "<script type=\"module\" src=\"/src/main.ts\"></script>");

#[test]
fn a_password_that_is_deployed_is_no_fixture_whatever_its_file_is_called() {
    let password = "export const account = { login: 'ada', password: 'Tr0ub4dor&3x' };";
    let survey = read(&[
        PAGE,
        ("src/main.ts", "import { account } from './demo/account';\nconsole.info(account.login);"),
        ("src/demo/account.ts", password),
        ("scripts/seed.ts", password),
    ]);
    let classes: Vec<_> = survey.secrets.iter().map(|one| (one.file.as_str(), one.class)).collect();
    assert_eq!(classes, [("scripts/seed.ts", Class::Fixture), ("src/demo/account.ts", Class::Live)]);
    assert_eq!(survey.deployed_fixtures.iter().collect::<Vec<_>>(), ["src/demo/account.ts"]);
}

#[test]
fn a_file_that_is_deployed_is_no_test_whatever_it_is_called() {
    let sink = "export const show = (box: Element, html: string) => { box.innerHTML = html; };";
    let survey = read(&[
        PAGE,
        ("src/main.ts", "import { show } from './tests/show';\nshow(document.body, location.hash);"),
        ("src/tests/show.ts", sink),
        ("src/tests/other.ts", sink),
    ]);
    let found: Vec<_> = survey.patterns.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(found, ["src/tests/show.ts"]);
}

#[test]
fn what_calls_itself_generated_is_listed_apart_and_not_believed_of_everything() {
    let sink = "// @generated\nexport const show = (box: Element, html: string) => { box.innerHTML = html; };";
    let main = "import { show } from './show';\nshow(document.body, location.hash);";
    let long = "export const line = 'a line of code that somebody wrote';\n".repeat(20);
    let honest = read(&[PAGE, ("src/main.ts", main), ("src/show.ts", sink), ("src/long.ts", &long)]);
    assert_eq!((honest.patterns.len(), honest.patterns_in_generated.len()), (0, 1));
    assert_eq!((honest.generated_files, honest.banners_believed), (1, true));
    let hiding = format!("// @generated\n{long}");
    let hiding = read(&[PAGE, ("src/main.ts", main), ("src/show.ts", sink), ("src/long.ts", &hiding)]);
    assert_eq!((hiding.patterns.len(), hiding.patterns_in_generated.len()), (1, 0));
    assert_eq!((hiding.generated_files, hiding.banners_believed), (2, false));
}

#[test]
fn an_empty_tree_has_no_files() {
    assert_eq!(read(&[]).files, 0);
    assert!(survey(std::path::Path::new("/no/such/folder"), &[], &Limits::default()).is_err());
}
