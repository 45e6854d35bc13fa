//! One reading of the whole tree, for all three questions.

use crate::banner::{are_banners_believed, says_generated};
use crate::file::{Language, Nature, is_minified, text_of};
use crate::findings::{Class, PatternFinding, SecretFinding, Severity, Side};
use crate::graph::{self, Alias, Node, Package, Project, Sides};
use crate::mask::{Lines, column, line_text, masked};
use crate::patterns::{self, Candidate, Scope, firebase, markup, settings, sql};
use crate::room::{Room, with_room};
use crate::script::{Facts, Script, source_type, with_script};
use crate::secrets::{self, Found};
use crate::verbatim::{self, Constraint, Hit, InFile, KEPT, Search, Sighting};
use crate::walk::{self, Entry, Limits};
use oxc::span::SourceType;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What a tree tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Text files that were read.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Scripts that were parsed.
    pub scripts: usize,
    /// Scripts the parser could make nothing of, or that are too large for it.
    pub unparsed: usize,
    /// A limit was reached, or something could not be read.
    pub truncated: bool,
    /// Files by who runs them: client, server.
    pub client_files: usize,
    /// Files that run on a server only.
    pub server_files: usize,
    /// Secrets, in order of file and line.
    pub secrets: Vec<SecretFinding>,
    /// Anti-patterns, in order of file and line.
    pub patterns: Vec<PatternFinding>,
    /// The same in files whose banners say that a tool wrote them, as far as banners are believed.
    pub patterns_in_generated: Vec<PatternFinding>,
    /// Code files whose banners say that a tool wrote them.
    pub generated_files: usize,
    /// Whether those banners are believed: not where they cover too much of the code.
    pub banners_believed: bool,
    /// Files named like seed, test or demo data that an entry of the app leads to all the same.
    pub deployed_fixtures: BTreeSet<String>,
    /// One for each constraint, in their order.
    pub sightings: Vec<Sighting>,
}

/// Why a tree cannot be read. Completes "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The root cannot be listed.
    #[error("read the source folder: {0}")]
    Root(#[source] io::Error),
    /// No thread could be started, or one of ours panicked.
    #[error("read the source folder: a reader did not start or stopped unexpectedly")]
    Reader,
}

static SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)<script\b([^>]*)>((?s:.)*?)</script>").expect("the pattern is fixed"));
static SOURCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i)\bsrc\s*=\s*["']?([^"'\s>]+)"#).expect("the pattern is fixed"));
static FRONTMATTER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\A\s*---\r?\n((?s:.)*?)\n---").expect("the pattern is fixed"));

/// Reads a tree once.
pub fn survey(root: &Path, constraints: &[Constraint], limits: &Limits) -> Result<Survey, SurveyError> {
    let listing = walk::list(root, limits).map_err(SurveyError::Root)?;
    let search = Search::new(constraints);
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let read_some = |room: &Room| {
        let mut read = Vec::new();
        while let Some(entry) = listing.entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            if begun.elapsed() > limits.time {
                break;
            }
            read.push(read_file(entry, &search, limits, room));
        }
        read
    };
    let read = with_room(limits.threads, limits.script_tokens, read_some).ok_or(SurveyError::Reader)?;
    let mut files: Vec<FileRead> = read.into_iter().flatten().collect();
    let truncated = listing.truncated || files.len() < listing.entries.len();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(conclude(files, &search, limits, truncated))
}

/// What one file tells.
#[derive(Default)]
struct FileRead {
    name: String,
    bytes: u64,
    is_text: bool,
    unreadable: bool,
    scripts: usize,
    unparsed: usize,
    nature: Option<Nature>,
    generated: bool,
    secrets: Vec<FoundSecret>,
    seen: Vec<Seen>,
    node: Option<Node>,
    package: Option<Package>,
    aliases: Vec<Alias>,
    sql: Option<(sql::Statements, Vec<PatternFinding>)>,
    hits: Vec<Option<Hit>>,
    elsewhere: Vec<Option<Hit>>,
}

/// A secret, and whether nothing but the file's name makes it a fixture.
struct FoundSecret {
    finding: SecretFinding,
    fixture_by_name: bool,
}

/// An anti-pattern before it is known who runs the file.
struct Seen {
    finding: PatternFinding,
    scope: Scope,
    in_server_function: bool,
    is_test: bool,
    generated: bool,
}

fn read_file(entry: &Entry, search: &Search, limits: &Limits, room: &Room) -> FileRead {
    let mut read = FileRead { name: entry.name.clone(), bytes: entry.bytes, ..FileRead::default() };
    let mut bytes = Vec::with_capacity(entry.bytes as usize);
    let opened = File::open(&entry.path).and_then(|file| file.take(limits.file_bytes).read_to_end(&mut bytes));
    read.unreadable = opened.is_err();
    if let Some(text) = text_of(bytes).filter(|_| !read.unreadable) {
        read.is_text = true;
        look(&mut read, &text, search, limits, room);
    }
    read
}

/// A text with what is needed to quote from it.
struct Quoted<'t> {
    name: &'t str,
    text: &'t str,
    lines: Lines,
    hidden: Vec<Range<usize>>,
}

impl Quoted<'_> {
    fn place(&self, at: usize) -> (u32, u32, String) {
        let (line, range) = self.lines.line(at);
        (line, column(self.text, &range, at), line_text(self.text, range, &self.hidden, at))
    }

    fn hit(&self, at: usize) -> Hit {
        let (line, _, text) = self.place(at);
        Hit { file: self.name.to_owned(), line, text }
    }

    fn finding(&self, rule: &'static str, at: usize) -> PatternFinding {
        let (line, column, text) = self.place(at);
        let severity = patterns::pattern(rule).map_or(Severity::Medium, |pattern| pattern.severity);
        PatternFinding {
            file: self.name.to_owned(),
            line,
            column,
            rule: rule.to_owned(),
            severity,
            side: Side::Neither,
            text,
        }
    }
}

fn look(read: &mut FileRead, text: &str, search: &Search, limits: &Limits, room: &Room) {
    let name = read.name.clone();
    let nature = Nature::of(&name);
    let is_bundle = is_minified(&name, text);
    let too_large = text.len() > limits.script_bytes;
    let minified = is_bundle || too_large;
    let found = secrets::scan(text, nature, is_lockfile(&name), minified);
    let base = name.rsplit('/').next().unwrap_or(&name);
    if base == "package.json" {
        read.package = graph::package(&name, text);
    } else if base.starts_with("tsconfig") || base.starts_with("jsconfig") {
        read.aliases = graph::aliases(&name, text);
    }
    let mut looked = Looked {
        room,
        verbatim: InFile::new(search),
        candidates: Vec::new(),
        node: Node::default(),
        parsed: 0,
        unparsed: 0,
    };
    if !minified {
        look_at_code(&mut looked, &name, text, nature, &found);
    }
    let statements = (nature.language == Language::Sql && !minified).then(|| sql::read(text));
    let hits = looked.verbatim.found();
    let nothing = found.is_empty() && looked.candidates.is_empty() && statements.is_none();
    read.scripts = looked.parsed;
    read.nature = Some(nature);
    read.generated = says_generated(text);
    let is_code = matches!(nature.language, Language::Script | Language::Component | Language::Markup | Language::Mdx);
    read.unparsed = looked.unparsed + usize::from(is_code && too_large && !is_bundle);
    read.node = is_code.then_some(Node { language: Some(nature.language), ..looked.node });
    let missed =
        (0..search.len()).any(|index| hits[index].is_none() && verbatim::anywhere(search, index, text).is_some());
    if nothing && hits.iter().all(Option::is_none) && !missed {
        return;
    }
    let mut hidden: Vec<_> = found.iter().map(|found| found.value.clone()).collect();
    hidden.extend(looked.candidates.iter().filter_map(|candidate| candidate.hidden.clone()));
    let quoted = Quoted { name: &name, text, lines: Lines::of(text), hidden };
    read.secrets = found.iter().map(|found| secret(&quoted, found)).collect();
    let functions = read.node.as_ref().map(|node| node.facts.server_functions.clone()).unwrap_or_default();
    let seen = |candidate: &Candidate| Seen {
        finding: quoted.finding(candidate.rule, candidate.at),
        scope: candidate.scope,
        in_server_function: functions.iter().any(|(start, end)| (*start..*end).contains(&candidate.at)),
        is_test: nature.is_test,
        generated: read.generated,
    };
    read.seen = looked.candidates.iter().map(seen).collect();
    read.sql = statements.map(|statements| {
        let places = statements.changes.iter().map(|(at, _)| quoted.finding("supabase_rls_missing", *at)).collect();
        (statements, places)
    });
    read.elsewhere = hits
        .iter()
        .enumerate()
        .map(
            |(index, hit)| {
                if hit.is_some() { None } else { verbatim::anywhere(search, index, text).map(|at| quoted.hit(at)) }
            },
        )
        .collect();
    read.hits = hits.into_iter().map(|hit| hit.map(|at| quoted.hit(at))).collect();
}

fn secret(quoted: &Quoted<'_>, found: &Found) -> FoundSecret {
    let (line, column, text) = quoted.place(found.value.start);
    let finding = SecretFinding {
        file: quoted.name.to_owned(),
        line,
        column,
        rule: found.rule.to_owned(),
        masked: masked(&quoted.text[found.value.clone()]),
        text,
        class: found.class,
    };
    FoundSecret { finding, fixture_by_name: found.fixture_by_name }
}

fn is_lockfile(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock"]
        .contains(&base)
}

/// What is collected of one file.
struct Looked<'s> {
    room: &'s Room,
    verbatim: InFile<'s>,
    candidates: Vec<Candidate>,
    node: Node,
    parsed: usize,
    unparsed: usize,
}

fn look_at_code(looked: &mut Looked<'_>, name: &str, text: &str, nature: Nature, found: &[Found]) {
    let shown = !nature.is_test && nature.language != Language::Prose;
    match nature.language {
        Language::Script => looked.script(text, source_type(name), 0, found, shown),
        Language::Markup | Language::Component | Language::Mdx => looked.markup(text, nature.language, found, shown),
        Language::Rules => looked.candidates.extend(firebase::rules(text)),
        Language::Json => looked.candidates.extend(firebase::database(text)),
        _ => {}
    }
    looked.candidates.extend(settings::candidates(text, nature.language));
    if shown && !looked.verbatim.is_done() {
        looked.verbatim.rest(text, name, nature);
    }
}

impl Looked<'_> {
    fn script(&mut self, text: &str, kind: SourceType, offset: usize, found: &[Found], shown: bool) {
        let read = |script: &Script<'_, '_>| {
            if shown && !self.verbatim.is_done() {
                self.verbatim.script(script);
            }
            (Facts::of(script), patterns::script::candidates(script, found))
        };
        match with_script(self.room, text, kind, offset, read) {
            Some((facts, candidates)) => {
                self.parsed += 1;
                self.candidates.extend(candidates);
                self.add(facts);
            }
            None => self.unparsed += 1,
        }
    }

    /// A component may have several scripts, which are one module.
    fn add(&mut self, facts: Facts) {
        let mine = &mut self.node.facts;
        mine.imports.extend(facts.imports);
        mine.server_functions.extend(facts.server_functions);
        mine.use_client |= facts.use_client;
        mine.use_server |= facts.use_server;
        mine.starts_client |= facts.starts_client;
        mine.starts_server |= facts.starts_server;
    }

    fn markup(&mut self, text: &str, language: Language, found: &[Found], shown: bool) {
        if let Some(code) =
            FRONTMATTER.captures(text).and_then(|found| found.get(1)).filter(|_| language == Language::Component)
        {
            self.script(code.as_str(), SourceType::ts(), code.start(), found, shown);
            self.node.hydrates = text.contains("client:");
        }
        for block in SCRIPT.captures_iter(text).take(200) {
            let attributes = block.get(1).map_or("", |attributes| attributes.as_str());
            if let Some(source) = SOURCE.captures(attributes) {
                self.node.sources.push(source[1].to_owned());
            }
            let lower = attributes.to_ascii_lowercase();
            let is_data = lower.contains("json") || lower.contains("importmap") || lower.contains("template");
            if let Some(code) = block.get(2).filter(|code| !is_data && !code.as_str().trim().is_empty()) {
                let kind = if language == Language::Markup { SourceType::unambiguous() } else { SourceType::ts() };
                self.script(code.as_str(), kind, code.start(), found, shown);
            }
        }
        if language == Language::Component {
            self.candidates.extend(markup::candidates(text));
        }
    }
}

/// Puts the files together: who runs what, which findings count, what the migrations leave open.
fn conclude(files: Vec<FileRead>, search: &Search, limits: &Limits, truncated: bool) -> Survey {
    let mut survey = Survey { truncated, sightings: vec![Sighting::default(); search.len()], ..Survey::default() };
    let mut project = Project::default();
    let mut secrets = Vec::new();
    let mut seen = Vec::new();
    let mut statements = Vec::new();
    let mut fixtures = BTreeSet::new();
    let mut code = Code::default();
    for mut file in files {
        survey.truncated |= file.unreadable;
        if !file.is_text {
            continue;
        }
        survey.files += 1;
        survey.bytes += file.bytes;
        survey.scripts += file.scripts;
        survey.unparsed += file.unparsed;
        secrets.append(&mut file.secrets);
        sight(&mut survey.sightings, file.hits, file.elsewhere);
        project.packages.extend(file.package);
        project.aliases.append(&mut file.aliases);
        if file.nature.is_some_and(|nature| nature.is_fixture) {
            fixtures.insert(file.name.clone());
        }
        if let Some(node) = file.node {
            code.add(file.bytes, file.generated);
            project.nodes.insert(file.name.clone(), node);
        }
        seen.append(&mut file.seen);
        statements.extend(file.sql.map(|sql| (file.name, sql)));
    }
    let sides = project.sides();
    let count = |side: Side| project.nodes.keys().filter(|name| sides.of(name) == side).count();
    (survey.client_files, survey.server_files) = (count(Side::Client), count(Side::Server));
    (survey.generated_files, survey.banners_believed) =
        (code.generated_files, are_banners_believed(code.generated_bytes, code.bytes));
    survey.deployed_fixtures = fixtures.into_iter().filter(|name| sides.of(name) != Side::Neither).collect();
    survey.secrets = secrets.into_iter().map(|found| classed(found, &survey.deployed_fixtures)).collect();
    let counting = seen.into_iter().filter_map(|seen| placed(seen, &project, &sides));
    let (generated, counted): (Vec<_>, Vec<_>) =
        counting.partition(|(_, generated)| *generated && survey.banners_believed);
    survey.patterns = counted.into_iter().map(|(finding, _)| finding).collect();
    survey.patterns_in_generated = generated.into_iter().map(|(finding, _)| finding).collect();
    survey.patterns.extend(open_tables(&project, &statements));
    for findings in [&mut survey.patterns, &mut survey.patterns_in_generated] {
        findings.sort();
        findings.dedup();
    }
    survey.secrets.sort();
    cap(&mut survey, limits);
    survey
}

/// How much code there is, and how much of it calls itself generated.
#[derive(Default)]
struct Code {
    bytes: u64,
    generated_bytes: u64,
    generated_files: usize,
}

impl Code {
    fn add(&mut self, bytes: u64, generated: bool) {
        self.bytes += bytes;
        if generated {
            self.generated_bytes += bytes;
            self.generated_files += 1;
        }
    }
}

/// What is deployed with the app is no fixture, whatever its file is called.
fn classed(found: FoundSecret, deployed: &BTreeSet<String>) -> SecretFinding {
    let live = found.fixture_by_name && deployed.contains(&found.finding.file);
    let class = if live { Class::Live } else { found.finding.class };
    SecretFinding { class, ..found.finding }
}

fn cap(survey: &mut Survey, limits: &Limits) {
    survey.truncated |= survey.secrets.len() > limits.findings || survey.patterns.len() > limits.findings;
    survey.secrets.truncate(limits.findings);
    survey.patterns.truncate(limits.findings);
    survey.patterns_in_generated.truncate(limits.findings);
}

fn sight(sightings: &mut [Sighting], hits: Vec<Option<Hit>>, elsewhere: Vec<Option<Hit>>) {
    for (sighting, hit) in sightings.iter_mut().zip(hits) {
        sighting.files += usize::from(hit.is_some());
        sighting.hits.extend(hit.filter(|_| sighting.hits.len() < KEPT));
    }
    for (sighting, hit) in sightings.iter_mut().zip(elsewhere) {
        sighting.elsewhere.extend(hit.filter(|_| sighting.elsewhere.len() < KEPT));
    }
}

/// A finding with who runs its file, if that makes it count; and whether its file calls itself generated. A test is one only as long as
/// nothing leads to it that is deployed.
fn placed(seen: Seen, project: &Project, sides: &Sides) -> Option<(PatternFinding, bool)> {
    let side = sides.of(&seen.finding.file);
    let moved = seen.in_server_function && side == Side::Client && project.keeps_server_functions(&seen.finding.file);
    let side = if moved { Side::Server } else { side };
    let counts = seen.scope.includes(side, sides.entries_known) && !(seen.is_test && side == Side::Neither);
    counts.then_some((PatternFinding { side, ..seen.finding }, seen.generated))
}

/// Tables and policies, by the state after all migrations. Only where browsers talk to the database does it matter.
fn open_tables(project: &Project, files: &[(String, (sql::Statements, Vec<PatternFinding>))]) -> Vec<PatternFinding> {
    let by_folder = files.iter().any(|(name, _)| name.split('/').any(|part| part == "supabase"));
    let by_words = files.iter().any(|(_, (statements, _))| statements.names_supabase);
    let uses_supabase = by_folder || by_words || project.depends_on("@supabase/");
    let statements: Vec<_> = files.iter().map(|(_, (statements, _))| statements).collect();
    let mut told = BTreeSet::new();
    sql::judge(&statements, uses_supabase)
        .into_iter()
        .filter_map(|(file, at, rule)| {
            let (statements, places) = &files[file].1;
            let index = statements.changes.iter().position(|(one, _)| *one == at)?;
            let severity = patterns::pattern(rule)?.severity;
            let place = places.get(index)?.clone();
            told.insert((file, at, rule)).then_some(PatternFinding { rule: rule.to_owned(), severity, ..place })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_time_leaves_out_is_said() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.ts"), "export const a = 1;").unwrap();
        let in_time = survey(folder.path(), &[], &Limits::default()).unwrap();
        assert_eq!((in_time.files, in_time.truncated), (1, false));
        let late = survey(folder.path(), &[], &Limits { time: Duration::ZERO, ..Limits::default() }).unwrap();
        assert_eq!((late.files, late.truncated), (0, true));
    }
}
