//! submissions.yaml: many apps to score. Everything the file alone can tell is checked while it is read, with line and column.

use crate::exit::Failure;
use benchwright_domain::yaml;
use benchwright_scoring::request::{Account, Accounts, Submission};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The largest file that is read.
pub const MAX_BYTES: usize = 1024 * 1024;
const MOST_ENTRIES: usize = 1000;
/// Ample for so many entries.
const MOST_NODES: usize = 60_000;

/// The file. Field names are those of the published format; snake_case is understood too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    schema: Option<Spanned<u32>>,
    runs: Vec<Spanned<Fields>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Fields {
    tool: Spanned<String>,
    prompt: Spanned<String>,
    url: String,
    source: Option<PathBuf>,
    #[serde(default, alias = "run_idx")]
    run_idx: u32,
    #[serde(default, alias = "tool_version")]
    tool_version: Option<String>,
    #[serde(default, alias = "prompt_submitted_at", deserialize_with = "moment")]
    prompt_submitted_at: Option<jiff::Timestamp>,
    #[serde(default, alias = "first_render_at", deserialize_with = "moment")]
    first_render_at: Option<jiff::Timestamp>,
    #[serde(default, alias = "working_build_at", deserialize_with = "moment")]
    working_build_at: Option<jiff::Timestamp>,
    #[serde(default, deserialize_with = "amount")]
    duration: Option<f64>,
    #[serde(default, deserialize_with = "amount")]
    cost: Option<f64>,
    note: Option<String>,
    #[serde(default)]
    routes: Vec<String>,
    backend: Option<Backend>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Backend {
    user_a: Account,
    user_b: Account,
    #[serde(default, rename = "backend_url", alias = "backendUrl")]
    address: Option<String>,
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

/// Reads the entries of a file; `name` is for messages.
pub fn read(text: &str, name: &str) -> Result<Vec<Entry>, Failure> {
    if text.len() > MAX_BYTES {
        return Err(Failure::BadInput(format!("{name} is larger than {} KB", MAX_BYTES / 1024)));
    }
    let wrong =
        |line: u64, column: u64, problem: String| Failure::BadInput(format!("{name}:{line}:{column}: {problem}"));
    let file: File =
        yaml::read(text, MOST_NODES).map_err(|refusal| wrong(refusal.line, refusal.column, refusal.problem))?;
    if let Some(schema) = file.schema.as_ref().filter(|schema| schema.value != 1) {
        let place = &schema.referenced;
        let problem = format!("schema {} is not known; this version reads schema 1", schema.value);
        return Err(wrong(place.line(), place.column(), problem));
    }
    if file.runs.is_empty() || file.runs.len() > MOST_ENTRIES {
        return Err(wrong(1, 1, format!("`runs` must hold between 1 and {MOST_ENTRIES} entries")));
    }
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut entries = Vec::new();
    for run in file.runs {
        let Spanned { value: fields, referenced, .. } = run;
        for (what, text) in [("tool", &fields.tool), ("prompt", &fields.prompt)] {
            if crate::config::tool(&text.value).is_err() {
                let problem = format!(
                    "the {what} `{}` must be lower-case letters and digits, words joined by `-`",
                    yaml::readable(&text.value)
                );
                return Err(wrong(text.referenced.line(), text.referenced.column(), problem));
            }
        }
        let entry = entry(fields, referenced.line());
        if let Some(first) = seen.insert(entry.key(), entry.line) {
            let problem = format!("{} stands twice, here and on line {first}; give each its own runIdx", entry.key());
            return Err(wrong(referenced.line(), referenced.column(), problem));
        }
        entries.push(entry);
    }
    Ok(entries)
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

fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<jiff::Timestamp>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = || serde::de::Error::custom("this must be a time such as 2026-11-16T10:15:00Z");
    text.parse().map(Some).map_err(|_| wrong())
}

fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value = f64::deserialize(deserializer)?;
    let sensible = value.is_finite() && value >= 0.0;
    if sensible { Ok(Some(value)) } else { Err(serde::de::Error::custom("this must be a number, 0 or more")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        match read(text, "s.yaml") {
            Err(Failure::BadInput(text)) => text,
            Err(other) => panic!("{other:?}"),
            Ok(entries) => panic!("{} entries were read", entries.len()),
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
        let entries = read(PEER, "s.yaml").unwrap();
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
        let text = refusal(twice);
        assert!(text.starts_with("s.yaml:3:") && text.contains("line 2"), "{text}");
    }

    #[test]
    fn times_that_run_backwards_are_left_out_and_said() {
        let text = "runs:\n  - tool: kiln\n    prompt: todo\n    url: a\n    promptSubmittedAt: 2026-11-16T10:00:00Z\n    workingBuildAt: 2026-11-16T09:00:00Z\n";
        let entry = &read(text, "s.yaml").unwrap()[0];
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
