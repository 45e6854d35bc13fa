//! Looks for secrets in the source: our own patterns always, the user's scanners where they are installed.

use super::StepError;
use super::install::blocking;
use super::reading::Reading;
use crate::conduct::Workbench;
use crate::evidence::Secrets;
use crate::evidence::secrets::{BUILT_IN, CodeFinding, Scanner, Secret, VERSION};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::process::{self, Limits, Program, is_executable};
use benchwright_source::{Class, class_of, list};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TIME: Duration = Duration::from_mins(2);
const VERSION_TIME: Duration = Duration::from_secs(20);
const OUTPUT: usize = 16 * 1024 * 1024;
/// Findings kept of one foreign scanner.
const KEPT: usize = 500;

/// Looks for secrets in the source: our own patterns always, the user's scanners where they are installed.
pub async fn scan(reading: &Reading, bench: &Workbench, scratch: &Scratch) -> Result<Secrets, StepError> {
    scan_with(reading, &bench.path_variable, scratch).await
}

async fn scan_with(reading: &Reading, path_variable: &str, scratch: &Scratch) -> Result<Secrets, StepError> {
    let survey = reading.survey().await?;
    let findings: Vec<_> = survey.secrets.iter().map(|found| Secret::own(found.clone())).collect();
    let own = Scanner { name: BUILT_IN.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), failure: None };
    let mut secrets = Secrets {
        version: VERSION,
        files: survey.files,
        truncated: survey.truncated,
        scanners: vec![own],
        findings,
        code: Vec::new(),
    };
    let desk = Desk { root: &reading.tree.root, path_variable, scratch };
    let (semgrep, trufflehog) = tokio::join!(desk.ask(&SEMGREP), desk.ask(&TRUFFLEHOG));
    for answer in [semgrep, trufflehog].into_iter().flatten() {
        add(&mut secrets, answer, &survey.deployed_fixtures);
    }
    secrets.findings.sort();
    secrets.code.sort();
    Ok(secrets)
}

/// A scanner of the user's.
struct Foreign {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Names of files by which an app can tell it where not to look.
    heeds: &'static [&'static str],
    read: fn(&[u8]) -> Result<Vec<Reported>, String>,
}

static SEMGREP: Foreign = Foreign {
    name: "semgrep",
    // A comment of the app's excuses nothing.
    arguments: &[
        "scan",
        "--json",
        "--quiet",
        "--metrics=off",
        "--disable-nosem",
        "--config",
        "p/secrets",
        "--config",
        "p/owasp-top-ten",
    ],
    heeds: &[".semgrepignore", ".gitignore"],
    read: read_semgrep,
};

/// Verification would send what was found to the services it belongs to, which is nobody's business but the owner's.
static TRUFFLEHOG: Foreign = Foreign {
    name: "trufflehog",
    arguments: &["filesystem", "--json", "--no-update", "--no-verification"],
    heeds: &[],
    read: read_trufflehog,
};

/// What a scanner says, without the value.
#[derive(Debug, PartialEq, Eq)]
struct Reported {
    file: String,
    line: u32,
    rule: String,
    is_secret: bool,
}

struct Answer {
    scanner: Scanner,
    reported: Vec<Reported>,
}

struct Desk<'a> {
    root: &'a Path,
    path_variable: &'a str,
    scratch: &'a Scratch,
}

impl Desk<'_> {
    /// Runs a scanner, if it is installed. One that fails is listed as such and takes nothing from the others.
    async fn ask(&self, foreign: &Foreign) -> Option<Answer> {
        let program = find(foreign.name, self.path_variable)?;
        let version = self.run(&program, &["--version"], VERSION_TIME).await.unwrap_or_default();
        let version = first_line(&String::from_utf8_lossy(&version));
        let (reported, failure) = match self.reported(foreign, &program).await {
            Ok(reported) => (reported, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        Some(Answer { scanner: Scanner { name: foreign.name.to_owned(), version, failure }, reported })
    }

    /// What a scanner reports. One that heeds files of the app looks at a copy without them.
    async fn reported(&self, foreign: &Foreign, program: &Path) -> Result<Vec<Reported>, String> {
        let copy = if foreign.heeds.is_empty() { None } else { Some(self.copy_without(foreign.heeds).await?) };
        let root = copy.as_deref().unwrap_or(self.root);
        let root_text = root.to_string_lossy().into_owned();
        let mut arguments = foreign.arguments.to_vec();
        arguments.push(&root_text);
        let output = self.run(program, &arguments, TIME).await;
        if let Some(copy) = &copy {
            let _ = tokio::fs::remove_dir_all(copy).await;
        }
        Ok(relative(&root_text, (foreign.read)(&output?)?))
    }

    async fn copy_without(&self, names: &'static [&'static str]) -> Result<PathBuf, String> {
        let copy = self.scratch.fresh_folder("scanned").map_err(|error| format!("failed to {error}"))?;
        let (from, into) = (self.root.to_owned(), copy.clone());
        blocking(move || copy_text(&from, &into, names)).await.map_err(|error| error.to_string())?;
        Ok(copy)
    }

    async fn run(&self, program: &Path, arguments: &[&str], time: Duration) -> Result<Vec<u8>, String> {
        let home = self.scratch.folder("scanners").map_err(|error| format!("failed to {error}"))?;
        let program =
            Program::new(program).args(arguments).folder(&home).env("PATH", self.path_variable).env("HOME", &home);
        let limits = Limits { time, stdout_bytes: OUTPUT };
        let done = process::run(&program, b"", limits, Some(self.scratch))
            .await
            .map_err(|error| format!("failed to {error}"))?;
        match () {
            () if done.timed_out => Err(format!("it was over its limit of {} s", time.as_secs())),
            () if done.truncated => Err("it wrote more than 16 MB".to_owned()),
            () if done.succeeded() => Ok(done.stdout),
            // Neither scanner is told to end with an error when it finds something, so one that does has not looked at everything.
            () => Err("it ended with an error, so what it says is not the whole answer".to_owned()),
        }
    }
}

/// Copies what our own eyes read of a source, without files of some names.
fn copy_text(root: &Path, into: &Path, left_out: &[&str]) -> io::Result<()> {
    let listing = list(root, &benchwright_source::Limits::default())?;
    let is_left_out = |path: &str| left_out.iter().any(|name| Path::new(path).ends_with(name));
    for entry in listing.entries.into_iter().filter(|entry| !is_left_out(&entry.name)) {
        // A file that we may not open is closed to the scanner too.
        let Ok(file) = File::open(&entry.path) else { continue };
        let place = into.join(&entry.name);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        io::copy(&mut file.take(entry.bytes), &mut File::create(&place)?)?;
    }
    Ok(())
}

/// Paths relative to the root; what lies outside or is not the app's own is dropped, before anything is cut.
fn relative(root: &str, reported: Vec<Reported>) -> Vec<Reported> {
    reported
        .into_iter()
        .filter_map(|mut one| {
            let inside = one.file.strip_prefix(root).map(|rest| rest.trim_start_matches('/').to_owned());
            one.file = inside.or_else(|| (!one.file.starts_with('/')).then(|| one.file.clone()))?;
            class_of(&one.file).is_some().then_some(one)
        })
        .take(KEPT)
        .collect()
}

fn find(name: &str, path_variable: &str) -> Option<PathBuf> {
    let folders = path_variable.split(':').filter(|folder| folder.starts_with('/'));
    folders.map(|folder| Path::new(folder).join(name)).find(|path| is_executable(path))
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("unknown").chars().take(60).collect()
}

#[derive(Deserialize)]
struct SemgrepReport {
    #[serde(default)]
    results: Vec<SemgrepResult>,
}

#[derive(Deserialize)]
struct SemgrepResult {
    check_id: String,
    path: String,
    start: SemgrepPlace,
}

#[derive(Deserialize)]
struct SemgrepPlace {
    line: u32,
}

fn read_semgrep(output: &[u8]) -> Result<Vec<Reported>, String> {
    let report: SemgrepReport =
        serde_json::from_slice(output).map_err(|_| "its answer is not the JSON it promises".to_owned())?;
    let told = report.results.into_iter().map(|one| {
        let lower = one.check_id.to_lowercase();
        let is_secret =
            ["secrets.", "secret", "hardcoded", "hard-coded", "detected-"].iter().any(|word| lower.contains(word));
        let rule = one.check_id.rsplit('.').next().unwrap_or(&one.check_id).chars().take(80).collect();
        Reported { file: one.path, line: one.start.line, rule, is_secret }
    });
    Ok(told.collect())
}

fn read_trufflehog(output: &[u8]) -> Result<Vec<Reported>, String> {
    let text = String::from_utf8_lossy(output);
    let mut told = Vec::new();
    for line in text.lines().filter(|line| line.trim_start().starts_with('{')) {
        let json: serde_json::Value =
            serde_json::from_str(line).map_err(|_| "its answer is not the JSON it promises".to_owned())?;
        let place = &json["SourceMetadata"]["Data"]["Filesystem"];
        // Messages of its own log have no place.
        let Some(file) = place["file"].as_str() else { continue };
        told.push(Reported {
            file: file.to_owned(),
            line: place["line"].as_u64().unwrap_or(1) as u32,
            rule: json["DetectorName"].as_str().unwrap_or("secret").chars().take(80).collect(),
            is_secret: true,
        });
    }
    Ok(told)
}

/// Unites what a scanner says with what is known: the same line of the same file is the same finding.
fn add(secrets: &mut Secrets, answer: Answer, deployed: &BTreeSet<String>) {
    let name = answer.scanner.name.clone();
    secrets.scanners.push(answer.scanner);
    for one in answer.reported {
        let Some(class) = class_of(&one.file) else { continue };
        let class = if deployed.contains(&one.file) { Class::Live } else { class };
        if !one.is_secret {
            let scanner = name.clone();
            secrets.code.push(CodeFinding { file: one.file, line: one.line, rule: one.rule, scanner, class });
            continue;
        }
        let known = secrets.findings.iter_mut().find(|known| known.file == one.file && known.line == one.line);
        match known {
            Some(known) if known.scanners.contains(&name) => {}
            Some(known) => known.scanners.push(name.clone()),
            None => secrets.findings.push(Secret {
                file: one.file,
                line: one.line,
                column: None,
                rule: one.rule,
                masked: None,
                text: String::new(),
                class,
                scanners: vec![name.clone()],
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::reading;
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// A stand-in program that answers `--version` and otherwise prints `answer`.
    fn stand_in(folder: &Path, name: &str, answer: &str) {
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '{name} 9.9'; exit 0; fi\nfor root; do :; done\n{answer}\n"
        );
        std::fs::write(folder.join(name), script).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn key() -> String {
        format!("const k = 'sk_{}';\n", "live_51Nq8ZtLkR3mXvB7wYcHdPsEgJf")
    }

    async fn scanned(programs: &[(&str, &str)]) -> Secrets {
        scanned_in(&[("src/a.ts", &key()), ("seed.ts", "let a = 1"), ("b.env", "X=1")], programs).await
    }

    async fn scanned_in(files: &[(&str, &str)], programs: &[(&str, &str)]) -> Secrets {
        let bin = tempfile::tempdir().unwrap();
        for (name, answer) in programs {
            stand_in(bin.path(), name, answer);
        }
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "test").unwrap();
        let (_folder, reading) = reading(files, Vec::new());
        let path = format!("{}:/usr/bin:/bin", bin.path().display());
        scan_with(&reading, &path, &scratch).await.unwrap()
    }

    #[tokio::test]
    async fn without_foreign_scanners_only_ours_is_listed() {
        let secrets = scanned(&[]).await;
        assert_eq!(secrets.scanners.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), [BUILT_IN]);
        assert_eq!(secrets.findings.len(), 1);
        assert!(!serde_json::to_string(&secrets).unwrap().contains("Nq8ZtLkR3m"));
    }

    #[tokio::test]
    async fn findings_of_semgrep_and_trufflehog_are_united_by_line_and_their_values_dropped() {
        let semgrep = r#"printf '{"results":[{"check_id":"generic.secrets.security.detected-stripe-api-key","path":"%s/src/a.ts","start":{"line":1},"extra":{"lines":"RAWVALUE"}},{"check_id":"javascript.express.audit.xss","path":"%s/src/a.ts","start":{"line":2}},{"check_id":"x.secrets.y","path":"%s/node_modules/a.js","start":{"line":2}}]}' "$root" "$root" "$root""#;
        let trufflehog = r#"printf '{"level":"info","msg":"scanning"}\n{"SourceMetadata":{"Data":{"Filesystem":{"file":"%s/b.env","line":1}}},"DetectorName":"Custom","Raw":"RAWVALUE"}\n{"SourceMetadata":{"Data":{"Filesystem":{"file":"%s/seed.ts","line":1}}},"DetectorName":"Custom","Raw":"RAWVALUE"}\n' "$root" "$root""#;
        let secrets = scanned(&[("semgrep", semgrep), ("trufflehog", trufflehog)]).await;
        let json = serde_json::to_string(&secrets).unwrap();
        assert!(!json.contains("RAWVALUE"), "{json}");
        assert_eq!(
            secrets.scanners.iter().map(|one| one.version.as_str()).skip(1).collect::<Vec<_>>(),
            ["semgrep 9.9", "trufflehog 9.9"]
        );
        let known = secrets.findings.iter().find(|one| one.file == "src/a.ts").unwrap();
        assert_eq!(known.scanners, [BUILT_IN, "semgrep"]);
        let class = |file: &str| secrets.findings.iter().find(|one| one.file == file).map(|one| one.class);
        assert_eq!((class("b.env"), class("seed.ts")), (Some(Class::Live), Some(Class::Fixture)));
        assert_eq!((secrets.findings.len(), secrets.code.len()), (3, 1));
    }

    #[tokio::test]
    async fn a_scanner_that_fails_is_listed_as_failed_and_takes_nothing_away() {
        for (semgrep, trufflehog) in [
            ("echo not json", "exit 3"),
            (r#"echo '{"results":[],"errors":[{"message":"no rules"}]}'; exit 2"#, "echo '{}'; exit 1"),
        ] {
            let secrets = scanned(&[("semgrep", semgrep), ("trufflehog", trufflehog)]).await;
            let failed = secrets.scanners[1..].iter().filter(|scanner| scanner.failure.is_some()).count();
            assert_eq!(failed, 2, "{:?}", secrets.scanners);
            assert_eq!(secrets.findings.len(), 1);
        }
    }

    #[tokio::test]
    async fn an_app_cannot_tell_semgrep_where_not_to_look() {
        let place = r#"{"check_id":"x.secrets.y","path":"%s/b.env","start":{"line":1}}"#;
        let semgrep = format!(
            "hidden=$(find \"$root\" -name .semgrepignore -o -name .gitignore)\n\
             [ -n \"$hidden\" ] && {{ echo '{{\"results\":[]}}'; exit 0; }}\n\
             [ -f \"$root/b.env\" ] && printf '{{\"results\":[{place}]}}' \"$root\""
        );
        let files = [(".semgrepignore", "*"), ("src/.gitignore", "*"), ("src/a.ts", "let a = 1"), ("b.env", "X=1")];
        let secrets = scanned_in(&files, &[("semgrep", &semgrep)]).await;
        assert_eq!(secrets.scanners[1].failure, None);
        let found: Vec<_> = secrets.findings.iter().map(|one| (one.file.as_str(), one.scanners.clone())).collect();
        assert_eq!(found, [("b.env", vec!["semgrep".to_owned()])]);
    }

    #[tokio::test]
    async fn findings_in_foreign_packages_do_not_crowd_out_those_in_the_app() {
        let place =
            r#"{"SourceMetadata":{"Data":{"Filesystem":{"file":"%s/FILE","line":1}}},"DetectorName":"Custom"}\n"#;
        let [foreign, own] = ["node_modules/a.js", "b.env"].map(|file| place.replace("FILE", file));
        let script = format!("for n in $(seq {KEPT}); do printf '{foreign}' \"$root\"; done\nprintf '{own}' \"$root\"");
        let secrets = scanned(&[("trufflehog", &script)]).await;
        assert!(secrets.findings.iter().any(|one| one.file == "b.env"), "{:?}", secrets.findings);
    }
}
