//! submissions.yaml: many apps to score. Everything the file alone can tell is checked while it is read, with line and column.

mod file;

use crate::exit::Failure;
use benchwright_domain::yaml::{self, Refusal};
use benchwright_scoring::request::{Accounts, Submission};
use file::Fields;
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The largest file that is read.
pub const MAX_BYTES: usize = 1024 * 1024;
const MOST_ENTRIES: usize = 1000;

/// What a file asks for.
pub struct Submissions {
    /// The apps to score.
    pub entries: Vec<Entry>,
    /// What is wrong with the entries that cannot be used, with line and column.
    pub refused: Vec<String>,
}

/// One app to score.
#[derive(Clone)]
pub struct Entry {
    /// Where it stands in the file, from 1.
    pub line: u64,
    /// Id of its prompt.
    pub prompt: String,
    /// Its address, as it stands in the file.
    pub url: String,
    /// Its source, as it stands in the file.
    pub source: Option<PathBuf>,
    /// Further paths that count as part of the page.
    pub routes: Vec<String>,
    /// Who built it and what that took.
    pub submission: Submission,
    /// Two accounts of the app. They are never written anywhere.
    pub accounts: Option<Accounts>,
    /// What the user should know about this entry.
    pub warnings: Vec<String>,
}

impl Entry {
    /// What tells it from all others: `tool/prompt/index`. It is also its folder.
    pub fn key(&self) -> String {
        format!("{}/{}/{}", self.submission.tool, self.prompt, self.submission.run_index)
    }
}

/// Reads the entries of a file; `name` is for messages. A file without any that can be used is an error.
pub fn read(text: &str, name: &str) -> Result<Submissions, Failure> {
    if text.len() > MAX_BYTES {
        return Err(Failure::BadInput(format!("{name} is larger than {} KB", MAX_BYTES / 1024)));
    }
    let said = |wrong: Refusal| format!("{name}:{}:{}: {}", wrong.line, wrong.column, wrong.problem);
    let (entries, mut refused) = usable(text).map_err(|wrong| Failure::BadInput(said(wrong)))?;
    refused.sort_by_key(|wrong| (wrong.line, wrong.column));
    let refused: Vec<String> = refused.into_iter().map(said).collect();
    if entries.is_empty() {
        return Err(Failure::BadInput(refused.join("\n")));
    }
    Ok(Submissions { entries, refused })
}

/// The entries that can be used, and what is wrong with the others; an error where the file itself is wrong.
fn usable(text: &str) -> Result<(Vec<Entry>, Vec<Refusal>), Refusal> {
    let (file, mut refused) = file::read(text)?;
    if let Some(schema) = file.schema.as_ref().filter(|schema| schema.value != 1) {
        return Err(wrong(schema, format!("schema {} is not known; this version reads schema 1", schema.value)));
    }
    if !(1..=MOST_ENTRIES).contains(&(file.runs.len() + refused.len())) {
        let problem = format!("`runs` must hold between 1 and {MOST_ENTRIES} entries");
        return Err(Refusal { line: 1, column: 1, problem });
    }
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    let mut entries = Vec::new();
    for run in file.runs {
        match checked(run, &lines) {
            Ok(entry) => {
                lines.insert(entry.key(), entry.line);
                entries.push(entry);
            }
            Err(problem) => refused.push(problem),
        }
    }
    Ok((entries, refused))
}

/// An entry whose names are names and that does not stand in one of these lines already.
fn checked(run: Spanned<Fields>, lines: &BTreeMap<String, u64>) -> Result<Entry, Refusal> {
    for (what, text) in [("tool", &run.value.tool), ("prompt", &run.value.prompt)] {
        if crate::config::tool(&text.value).is_err() {
            let name = yaml::readable(&text.value);
            let problem = format!("the {what} `{name}` must be lower-case letters and digits, words joined by `-`");
            return Err(wrong(text, problem));
        }
    }
    let (line, column) = yaml::place(&run);
    let entry = entry(run.value, line);
    match lines.get(&entry.key()) {
        None => Ok(entry),
        Some(first) => {
            let problem = format!("{} stands twice, here and on line {first}; give each its own runIdx", entry.key());
            Err(Refusal { line, column, problem })
        }
    }
}

fn wrong<T>(place: &Spanned<T>, problem: String) -> Refusal {
    let (line, column) = yaml::place(place);
    Refusal { line, column, problem }
}

fn entry(fields: Fields, line: u64) -> Entry {
    let mut warnings = Vec::new();
    let begun = fields.prompt_submitted_at;
    let mut since = |name: &str, moment: Option<jiff::Timestamp>| {
        let seconds = moment?.duration_since(begun?).as_secs_f64();
        if seconds < 0.0 {
            warnings.push(format!("{name} lies before promptSubmittedAt and is left out"));
        }
        (seconds >= 0.0).then_some(seconds)
    };
    let first_render_seconds = since("firstRenderAt", fields.first_render_at);
    let working_build_seconds = since("workingBuildAt", fields.working_build_at).or(fields.duration);
    if fields.backend.as_ref().is_some_and(|backend| backend.address.is_some()) {
        warnings.push("backend_url is not used: what the app calls is seen in the browser".to_owned());
    }
    Entry {
        line,
        prompt: fields.prompt.value,
        url: fields.url,
        source: fields.source,
        routes: fields.routes,
        submission: Submission {
            tool: fields.tool.value,
            tool_version: fields.tool_version,
            run_index: fields.run_idx,
            first_render_seconds,
            working_build_seconds,
            cost_usd: fields.cost,
            note: fields.note,
        },
        accounts: fields.backend.map(|backend| Accounts { user_a: backend.user_a, user_b: backend.user_b }),
        warnings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        match read(text, "s.yaml") {
            Err(Failure::BadInput(text)) => text,
            Err(other) => panic!("{other:?}"),
            Ok(read) => panic!("{} entries were read", read.entries.len()),
        }
    }

    const PEER: &str = "\
schema: 1
runs:
  - tool: kiln
    prompt: todo
    url: https://kiln.example/
    source: kiln.zip
    runIdx: 2
    toolVersion: 2026-W46
    promptSubmittedAt: 2026-11-16T10:00:00Z
    firstRenderAt: 2026-11-16T10:00:42Z
    duration: 300
    cost: 1.25
    note: one retry
    backend:
      user_a: { email: a@example.com, password: first-secret }
      user_b: { email: b@example.com, password: second-secret }
      backend_url: https://api.example/
  - { tool: forge, prompt: todo, url: 'https://forge.example/' }
";

    #[test]
    fn the_published_format_is_understood() {
        let Submissions { entries, refused } = read(PEER, "s.yaml").unwrap();
        assert_eq!(refused, Vec::<String>::new());
        let first = &entries[0];
        assert_eq!(first.key(), "kiln/todo/2");
        assert_eq!(first.submission.first_render_seconds, Some(42.0));
        assert_eq!(first.submission.working_build_seconds, Some(300.0));
        assert_eq!(first.submission.cost_usd, Some(1.25));
        assert_eq!(first.accounts.as_ref().unwrap().user_b.password, "second-secret");
        assert!(first.warnings[0].contains("backend_url"));
        assert_eq!((entries[1].key().as_str(), entries[1].line), ("forge/todo/0", 18));
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_column() {
        let missing = refusal("runs:\n  - tool: kiln\n    prompt: todo\n");
        assert!(missing.starts_with("s.yaml:") && missing.contains("url"), "{missing}");
        assert!(refusal("schema: 2\nruns: []\n").contains("s.yaml:1:9: schema 2"));
        assert!(refusal("runs: []\n").contains("between 1 and"));
        let entry = "  - { tool: kiln, prompt: todo, url: 'https://a.example', ";
        assert!(refusal(&format!("runs:\n{entry}cost: -1 }}\n")).contains("0 or more"));
        assert!(refusal(&format!("runs:\n{entry}colour: red }}\n")).contains("colour"));
        assert!(refusal(&format!("runs:\n{entry}firstRenderAt: yesterday }}\n")).contains("2026-11-16T10:15:00Z"));
        assert!(
            refusal("runs:\n  - { tool: ../up, prompt: todo, url: x }\n").starts_with("s.yaml:2:13: the tool `../up`")
        );
    }

    #[test]
    fn a_duplicate_names_both_lines() {
        let twice =
            "runs:\n  - { tool: kiln, prompt: todo, url: a }\n  - { tool: kiln, prompt: todo, url: b, runIdx: 0 }\n";
        let read = read(twice, "s.yaml").unwrap();
        assert_eq!((read.entries.len(), read.entries[0].url.as_str()), (1, "a"));
        let text = &read.refused[0];
        assert!(text.starts_with("s.yaml:3:") && text.contains("line 2"), "{text}");
    }

    #[test]
    fn entries_that_are_wrong_leave_the_others_alone() {
        let text = "runs:
  - { tool: kiln, prompt: todo, url: a, cost: -1 }
  - { tool: forge, prompt: todo, url: &there 'https://a.example' }
  - { tool: loom, prompt: todo }
  - { tool: ../up, prompt: todo, url: a }
  - { tool: anvil, prompt: todo, url: *there, colour: red }
  - just a word
  - { tool: lathe, prompt: todo, url: *there }
";
        let read = read(text, "s.yaml").unwrap();
        let keys: Vec<_> = read.entries.iter().map(|entry| (entry.key(), entry.line, entry.url.as_str())).collect();
        let there = "https://a.example";
        assert_eq!(keys, [("forge/todo/0".to_owned(), 3, there), ("lathe/todo/0".to_owned(), 8, there)]);
        let expected = [(2, "0 or more"), (4, "url"), (5, "the tool `../up`"), (6, "colour"), (7, "expected")];
        assert_eq!(read.refused.len(), expected.len(), "{:#?}", read.refused);
        for (said, (line, words)) in read.refused.iter().zip(expected) {
            assert!(said.starts_with(&format!("s.yaml:{line}:")) && said.contains(words), "{said}");
        }
    }

    #[test]
    fn what_is_no_yaml_is_wrong_with_the_file() {
        let text = "runs:\n  - { tool: kiln, prompt: todo, url: a }\n  - { tool: forge, prompt: 'todo, url: a }\n";
        assert!(refusal(text).starts_with("s.yaml:"));
    }

    #[test]
    fn times_that_run_backwards_are_left_out_and_said() {
        let text = "runs:\n  - tool: kiln\n    prompt: todo\n    url: a\n    promptSubmittedAt: 2026-11-16T10:00:00Z\n    workingBuildAt: 2026-11-16T09:00:00Z\n";
        let entry = &read(text, "s.yaml").unwrap().entries[0];
        assert_eq!(entry.submission.working_build_seconds, None);
        assert!(entry.warnings[0].contains("workingBuildAt"));
    }

    #[test]
    fn an_alias_bomb_ends_at_once() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, of) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d"), ("f", "e")] {
            let aliases = vec![format!("*{of}"); 8].join(", ");
            bomb.extend([name, ": &", name, " [", &aliases, "]\n"]);
        }
        bomb.push_str("runs: *f\n");
        assert!(refusal(&bomb).starts_with("s.yaml:"));
    }

    #[test]
    fn a_wrong_type_does_not_show_a_password() {
        let text = "runs:\n  - tool: kiln\n    prompt: todo\n    url: a\n    backend:\n      user_a: { email: a, password: hunter2hunter2, extra: 1 }\n      user_b: { email: b, password: c }\n";
        assert!(!refusal(text).contains("hunter2"), "{}", refusal(text));
    }
}
