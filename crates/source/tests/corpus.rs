//! How good the rules are: precision and recall over the labelled snippets in `corpus/security`, printed and held.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its corpus must fail")]
#![allow(clippy::print_stdout, reason = "the numbers are meant to be read")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use benchwright_source::{Class, Limits, PATTERNS, SECRETS, survey};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snippet {
    id: String,
    frame: Frame,
    #[serde(default)]
    secrets: BTreeSet<String>,
    #[serde(default)]
    fixtures: BTreeSet<String>,
    #[serde(default)]
    patterns: BTreeSet<String>,
    #[serde(default)]
    #[allow(dead_code, reason = "for readers of the corpus")]
    why: Option<String>,
    files: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Frame {
    Vite,
    Next,
    Express,
    None,
}

impl Frame {
    /// The files every such project has.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Vite => &[
                ("index.html", "<div id=\"root\"></div><script type=\"module\" src=\"/src/main.tsx\"></script>"),
                (
                    "src/main.tsx",
                    "import { createRoot } from 'react-dom/client';\nimport App from './App';\ncreateRoot(document.getElementById('root')!).render(<App />);\n",
                ),
                ("package.json", "{ \"name\": \"app\", \"dependencies\": { \"react\": \"19\", \"vite\": \"7\" } }"),
            ],
            Self::Next => {
                &[("package.json", "{ \"name\": \"app\", \"dependencies\": { \"next\": \"16\", \"react\": \"19\" } }")]
            }
            Self::Express => &[(
                "package.json",
                "{ \"name\": \"api\", \"scripts\": { \"start\": \"node server.js\" }, \"dependencies\": { \"express\": \"5\" } }",
            )],
            Self::None => &[],
        }
    }
}

/// Right, wrong and missed findings.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Tally {
    fn precision(self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }
}

fn corpus(part: &str) -> Vec<Snippet> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/security").join(part);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            serde_saphyr::from_str::<Vec<Snippet>>(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
        })
        .collect()
}

/// Joins split keys and makes tokens.
fn spliced(text: &str) -> String {
    let mut joined = text.replace("{{~}}", "");
    while let Some(start) = joined.find("{{jwt role=") {
        let end = start + joined[start..].find("}}").unwrap();
        let role = joined[start + "{{jwt role=".len()..end].to_owned();
        let claims =
            format!(r#"{{"iss":"supabase","ref":"abcdefghijkl","role":"{role}","iat":1700000000,"exp":2015360000}}"#);
        let part = |bytes: &str| URL_SAFE_NO_PAD.encode(bytes);
        let token = format!(
            "{}.{}.{}",
            part(r#"{"alg":"HS256","typ":"JWT"}"#),
            part(&claims),
            part("a made-up signature of 32 bytes!")
        );
        joined.replace_range(start..end + 2, &token);
    }
    joined
}

/// What the rules find, as `kind/rule`.
fn found(snippet: &Snippet) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let frame = snippet.frame.files().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let mut files: BTreeMap<String, String> = frame.collect();
    files.extend(snippet.files.iter().map(|(name, text)| (name.clone(), spliced(text))));
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let survey = survey(folder.path(), &[], &Limits { threads: 1, ..Limits::default() }).unwrap();
    let secrets = survey.secrets.iter().map(|one| match one.class {
        Class::Live => format!("secret/{}", one.rule),
        Class::Fixture => format!("fixture/{}", one.rule),
    });
    secrets.chain(survey.patterns.iter().map(|one| format!("pattern/{}", one.rule))).collect()
}

fn expected(snippet: &Snippet) -> BTreeSet<String> {
    let named = |kind: &'static str, rules: &BTreeSet<String>| {
        rules.iter().map(move |rule| format!("{kind}/{rule}")).collect::<Vec<_>>()
    };
    [named("secret", &snippet.secrets), named("fixture", &snippet.fixtures), named("pattern", &snippet.patterns)]
        .concat()
        .into_iter()
        .collect()
}

fn judge(part: &str) -> (Tally, usize, usize) {
    let snippets = corpus(part);
    let mut tally = Tally::default();
    for snippet in &snippets {
        let (expected, found) = (expected(snippet), found(snippet));
        let one = Tally {
            right: expected.intersection(&found).count(),
            wrong: found.difference(&expected).count(),
            missed: expected.difference(&found).count(),
        };
        if one.wrong + one.missed > 0 {
            let wrong: Vec<_> = found.difference(&expected).collect();
            let missed: Vec<_> = expected.difference(&found).collect();
            println!("{part}/{}: wrong {wrong:?}, missed {missed:?}", snippet.id);
        }
        tally.add(one);
    }
    let negatives = snippets.iter().filter(|snippet| expected(snippet).is_empty()).count();
    (tally, snippets.len(), negatives)
}

fn tell(name: &str, (tally, snippets, negatives): (Tally, usize, usize)) {
    println!(
        "{name}: {snippets} snippets, {negatives} of which must not fire; precision {:.3}, recall {:.3} ({} right, {} wrong, {} missed)",
        tally.precision(),
        tally.recall(),
        tally.right,
        tally.wrong,
        tally.missed
    );
}

#[test]
fn the_rules_are_precise_and_miss_little() {
    let before = judge("before");
    let after = judge("after");
    let mut all = before;
    all.0.add(after.0);
    all.1 += after.1;
    all.2 += after.2;
    tell("before the rules", before);
    tell("after the rules", after);
    tell("all", all);
    assert!(all.1 >= 200 && before.1 * 3 >= all.1, "{} snippets, {} before the rules", all.1, before.1);
    assert!(all.2 * 2 >= all.1, "half must not fire: {} of {}", all.2, all.1);
    for (tally, ..) in [before, all] {
        assert!(tally.precision() >= 0.95, "precision {:.3}", tally.precision());
        assert!(tally.recall() >= 0.90, "recall {:.3}", tally.recall());
    }
}

/// Written with a known defect in mind, so they say nothing about how good the rules are; but it must not come back.
#[test]
fn what_was_mended_stays_mended() {
    let mended = judge("mended");
    tell("mended", mended);
    assert_eq!((mended.0.wrong, mended.0.missed), (0, 0));
    assert!(mended.0.right >= 6);
}

/// Every snippet there is.
fn everything() -> impl Iterator<Item = Snippet> {
    ["before", "after", "mended"].into_iter().flat_map(corpus)
}

#[test]
fn labels_name_rules_that_exist_and_ids_are_unique() {
    let mut ids = BTreeSet::new();
    for snippet in everything() {
        for rule in snippet.secrets.iter().chain(&snippet.fixtures) {
            assert!(SECRETS.iter().any(|one| one.id == rule), "{}: {rule}", snippet.id);
        }
        for rule in &snippet.patterns {
            assert!(PATTERNS.iter().any(|one| one.id == rule), "{}: {rule}", snippet.id);
        }
        assert!(ids.insert(snippet.id.clone()), "{}", snippet.id);
    }
}

#[test]
fn no_finding_shows_a_value() {
    for snippet in everything() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in &snippet.files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, spliced(text)).unwrap();
        }
        let survey = survey(folder.path(), &[], &Limits::default()).unwrap();
        let shown: Vec<_> = survey
            .secrets
            .iter()
            .flat_map(|one| [one.text.as_str(), one.masked.as_str()])
            .chain(survey.patterns.iter().map(|one| one.text.as_str()))
            .collect();
        for text in snippet.files.values() {
            // The halves of every split key, and tokens, must not appear.
            for half in text.split("{{~}}").skip(1).filter_map(|rest| rest.split(['\'', '"', '\n', '@']).next()) {
                let tail: String = half.chars().skip(12).take(12).collect();
                assert!(
                    tail.len() < 8 || shown.iter().all(|text| !text.contains(&tail)),
                    "{}: {tail} in {shown:?}",
                    snippet.id
                );
            }
        }
        assert!(shown.iter().all(|text| !text.contains("YSBtYWRlLXVwIHNpZ25hdHVyZSBvZi")), "{}", snippet.id);
    }
}
