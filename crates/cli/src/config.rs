//! Settings: the command line over the settings file over the defaults.

use crate::args::{GateChoice, JudgeArguments, Printing, ScoreArguments};
use crate::corpus;
use crate::environment;
use crate::exit::Failure;
use crate::judges::{self, JudgeSettings, JudgeTable};
use crate::outputs::{Destination, Format};
use crate::verdict::{Expectations, FailUnder};
use benchwright_domain::{Gate, ScorerId, yaml};
use benchwright_sandbox::archive::{self, ArchiveLimits};
use benchwright_scoring::prompt::{self, Prompt};
use benchwright_scoring::request::{
    Access, Accounts, CommandScorer, Judging, LighthouseSettings, Limits, Request, Serve, Submission,
};
use benchwright_scoring::serve::Content;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use url::Url;

const DEFAULT_FILE: &str = "benchwright.toml";
const DEFAULT_OUT: &str = "benchwright-report";
const MAX_FILE_BYTES: u64 = 256 * 1024;
const MOST_RUNS: usize = 50;
const MOST_ROUTES: usize = 20;
const START_SECONDS: f64 = 180.0;
/// Stands for the address of a folder that is not served yet.
const TO_BE_SERVED: &str = "http://127.0.0.1/";

/// The settings file. Names are those of the command line's options.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the user's, and none excludes another")]
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct File {
    url: Option<String>,
    serve: Option<PathBuf>,
    serve_timeout: Option<f64>,
    prompt: Option<String>,
    source: Option<PathBuf>,
    runs: Option<usize>,
    routes: Option<Vec<String>>,
    signed_in: bool,
    allow_local: bool,
    tool: Option<String>,
    only: Option<Vec<String>>,
    gate: Option<String>,
    header: Vec<String>,
    cookie: Vec<String>,
    basic_auth: Option<String>,
    accounts: Option<PathBuf>,
    accept_invalid_certificates: bool,
    browser: Option<PathBuf>,
    timeout: Option<f64>,
    out: Option<PathBuf>,
    json: bool,
    quiet: bool,
    fail_under: Option<FailUnder>,
    baseline: Option<PathBuf>,
    format: Option<Vec<Format>>,
    lighthouse_runs: Option<usize>,
    lighthouse_min_index_share: Option<f64>,
    lighthouse_max_steal_share: Option<f64>,
    scorer: Vec<CommandScorer>,
    judge: Vec<JudgeTable>,
    judge_budget: Option<f64>,
    judge_cache: Option<bool>,
    judge_repeat: Option<u32>,
    no_judges: Option<bool>,
}

/// Everything a run needs to know from the user.
#[derive(Debug)]
pub struct Settings {
    /// What to score and how.
    pub request: Request,
    /// What opens the door.
    pub access: Access,
    /// The browser, if one was named.
    pub browser: Option<PathBuf>,
    /// Complete runs.
    pub runs: usize,
    /// Where everything goes.
    pub out: Destination,
    /// What to print.
    pub printing: Printing,
    /// What makes the exit code 1.
    pub expectations: Expectations,
}

/// Reads the settings of `score` and `gather`.
pub fn settings(arguments: &ScoreArguments) -> Result<Settings, Failure> {
    settings_over(arguments, read_file(arguments.measuring.config.as_deref())?)
}

/// Reads the settings of one app of many. What opens the door of the app that the settings file names is not sent to the others.
pub fn settings_of_entry(arguments: &ScoreArguments) -> Result<Settings, Failure> {
    let mut file = read_file(arguments.measuring.config.as_deref())?;
    if file.url.is_some() || file.serve.is_some() {
        (file.header, file.cookie, file.basic_auth) = (Vec::new(), Vec::new(), None);
    }
    settings_over(arguments, file)
}

fn settings_over(arguments: &ScoreArguments, file: File) -> Result<Settings, Failure> {
    let measuring = &arguments.measuring;
    let judging = judging_of(&measuring.judging, &file)?;
    let (url, login, serve) = match what(arguments, &file)? {
        What::Address(text) => {
            let (url, login) = address(&text)?;
            (url, login, None)
        }
        What::Folder(folder) => {
            let seconds = arguments.serve_timeout.or(file.serve_timeout);
            (TO_BE_SERVED.to_owned(), None, Some(served_folder(&folder, seconds)?))
        }
    };
    let own_source = serve.as_ref().filter(|(_, content)| matches!(content, Content::Package { .. }));
    let own_source = own_source.map(|(serve, _)| serve.folder.clone());
    let door = &arguments.door;
    let basic_auth = door.basic_auth.clone().or(file.basic_auth);
    let headers = if door.headers.is_empty() { file.header } else { door.headers.clone() };
    let cookies = if door.cookies.is_empty() { file.cookie } else { door.cookies.clone() };
    let mut access = access(&headers, &cookies, basic_auth.as_deref())?;
    access.basic_auth = access.basic_auth.or(login);
    access.accounts = door.accounts.clone().or(file.accounts).map(|path| read_accounts(&path)).transpose()?;
    let gate = match (arguments.gate, file.gate.as_deref()) {
        (Some(choice), _) => gate(choice),
        (None, None | Some("null")) => Gate::Null,
        (None, Some("zero")) => Gate::Zero,
        (None, Some(other)) => {
            return Err(Failure::BadInput(format!("gate = \"{other}\" is not a choice; it is \"null\" or \"zero\"")));
        }
    };
    let mut lighthouse = LighthouseSettings::default();
    let lighthouse_runs = measuring.lighthouse_runs.or(file.lighthouse_runs).or(Some(lighthouse.runs));
    lighthouse.runs = between("--lighthouse-runs", lighthouse_runs, 1, 9)?;
    lighthouse.min_index_share =
        share("lighthouse-min-index-share", file.lighthouse_min_index_share, lighthouse.min_index_share)?;
    lighthouse.max_steal_share =
        share("lighthouse-max-steal-share", file.lighthouse_max_steal_share, lighthouse.max_steal_share)?;
    let mut limits = Limits::default();
    if let Some(timeout) = measuring.timeout.or(file.timeout) {
        limits.navigation_seconds = up_to_ten_minutes("--timeout", timeout)?;
    }
    let signed_in = arguments.signed_in || file.signed_in;
    if signed_in && access.accounts.is_none() {
        return Err(Failure::BadInput("--signed-in needs the accounts to sign in with: --accounts FILE".to_owned()));
    }
    let routes = arguments.routes.clone().or(file.routes).unwrap_or_default();
    let tool = arguments.tool.clone().or(file.tool).map(|name| tool(&name)).transpose()?;
    let request = Request {
        judging,
        prompt: arguments.prompt.clone().or(file.prompt).map(|named| read_prompt(&named)).transpose()?,
        serve: serve.map(|(serve, _)| serve),
        source: arguments
            .source
            .clone()
            .or(file.source)
            .or(own_source)
            .map(|path| existing_source(&path))
            .transpose()?,
        routes: same_origin_routes(&url, &routes)?,
        signed_in,
        allow_local: measuring.allow_local || file.allow_local,
        submission: tool.map(|tool| Submission { tool, ..Submission::default() }),
        only: measuring.only.clone().or(file.only).map(|ids| selected(&ids)).transpose()?,
        gate,
        accept_invalid_certificates: measuring.accept_invalid_certificates || file.accept_invalid_certificates,
        lighthouse,
        commands: added_scorers(file.scorer)?,
        access_names: access.names(),
        accounts: access.accounts.is_some(),
        limits,
        ..Request::new(url)
    };
    let formats = arguments.printing.format.clone().or(file.format);
    let out = arguments.out.clone().or(file.out);
    let baseline = arguments.printing.baseline.clone().or(file.baseline);
    let printing = Printing {
        json: arguments.printing.json || file.json,
        quiet: arguments.printing.quiet || file.quiet,
        ..arguments.printing.clone()
    };
    let expectations = Expectations::of(arguments.printing.fail_under, file.fail_under.as_ref(), baseline.as_deref())?;
    Ok(Settings {
        request,
        access,
        browser: measuring.browser.clone().or(file.browser),
        runs: between("--runs", arguments.runs.or(file.runs), 1, MOST_RUNS)?,
        out: Destination::of(out.as_deref(), Path::new(DEFAULT_OUT), formats.as_deref()),
        printing,
        expectations,
    })
}

/// What is to be scored.
enum What {
    /// What is deployed there.
    Address(String),
    /// What is in there.
    Folder(PathBuf),
}

/// The command line goes before the settings file, whichever of the two it names.
fn what(arguments: &ScoreArguments, file: &File) -> Result<What, Failure> {
    let wrong = |text: &str| Err(Failure::BadInput(text.to_owned()));
    for (url, serve) in [(&arguments.url, &arguments.serve), (&file.url, &file.serve)] {
        match (url, serve) {
            (Some(_), Some(_)) => return wrong("an address and --serve exclude each other: give one of the two"),
            (Some(url), None) => return Ok(What::Address(url.clone())),
            (None, Some(folder)) => return Ok(What::Folder(folder.clone())),
            (None, None) => {}
        }
    }
    wrong(
        "which app? give its address: benchwright score https://app.example, or its folder: benchwright score --serve DIR",
    )
}

/// A folder that can be served, and what is in it.
fn served_folder(folder: &Path, start_seconds: Option<f64>) -> Result<(Serve, Content), Failure> {
    let start_seconds = up_to_ten_minutes("--serve-timeout", start_seconds.unwrap_or(START_SECONDS))?;
    let found = folder
        .canonicalize()
        .map_err(|error| Failure::BadInput(format!("cannot serve {}: {error}", folder.display())))?;
    let content = Content::of(&found)?;
    Ok((Serve { folder: found, start_seconds }, content))
}

fn up_to_ten_minutes(option: &str, seconds: f64) -> Result<f64, Failure> {
    if seconds > 0.0 && seconds <= 600.0 {
        return Ok(seconds);
    }
    Err(Failure::BadInput(format!("{option} {seconds} is not between 0 and 600 seconds")))
}

/// Who judges, when nothing else is asked of the settings file.
pub fn judging(config: Option<&Path>, arguments: &JudgeArguments) -> Result<Judging, Failure> {
    judging_of(arguments, &read_file(config)?)
}

fn judging_of(arguments: &JudgeArguments, file: &File) -> Result<Judging, Failure> {
    let settings = JudgeSettings {
        tables: file.judge.clone(),
        budget: file.judge_budget,
        cache: file.judge_cache,
        repeat: file.judge_repeat,
        nobody: file.no_judges.unwrap_or(false),
    };
    let mut judging = judges::judging(arguments, &settings)?;
    judging.missing_keys = environment::missing_keys(&judging);
    Ok(judging)
}

/// The domain's word for a choice.
pub fn gate(choice: GateChoice) -> Gate {
    match choice {
        GateChoice::Null => Gate::Null,
        GateChoice::Zero => Gate::Zero,
    }
}

/// What a run that was made before is held to: the command line over the settings file of this folder.
pub fn expectations(printing: &Printing) -> Result<Expectations, Failure> {
    let file = read_file(None)?;
    let baseline = printing.baseline.clone().or(file.baseline);
    Expectations::of(printing.fail_under, file.fail_under.as_ref(), baseline.as_deref())
}

fn read_file(named: Option<&Path>) -> Result<File, Failure> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    if named.is_none() && !path.exists() {
        return Ok(File::default());
    }
    let text = read_text(path)?;
    toml::from_str(&text).map_err(|error| {
        let (line, column) = place(&text, error.span().map_or(0, |span| span.start));
        Failure::BadInput(format!(
            "{}:{line}:{column}: {}",
            path.display(),
            yaml::readable(&yaml::expectation(error.message()))
        ))
    })
}

/// Line and column, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Reads a small text file.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let metadata = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(wrong(format!("it is larger than {} KB", MAX_FILE_BYTES / 1024)));
    }
    fs::read_to_string(path).map_err(|error| wrong(error.to_string()))
}

/// A prompt by the id it has in the corpus, or by its file.
pub fn read_prompt(named: &str) -> Result<Prompt, Failure> {
    let path = Path::new(named);
    let looks_like_a_file = named.contains(['/', '\\', '.']);
    if let Some(prompt) = corpus::find(named).filter(|_| !looks_like_a_file) {
        return prompt;
    }
    if !looks_like_a_file && !path.exists() {
        let text = format!("`{named}` is neither a prompt of the corpus nor a file; the corpus has {}", corpus::ids());
        return Err(Failure::BadInput(text));
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    prompt::load(&read_text(path)?, &name).map_err(|error| Failure::BadInput(error.to_string()))
}

/// Reads the file of test accounts.
pub fn read_accounts(path: &Path) -> Result<Accounts, Failure> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    Accounts::load(&read_text(path)?, &name).map_err(|error| Failure::BadInput(format!("failed to {error}")))
}

/// A source that does not exist or cannot be opened is an error: scoring without it would look like another app, not like a typo.
pub fn existing_source(path: &Path) -> Result<PathBuf, Failure> {
    let wrong =
        |what: &dyn std::fmt::Display| Failure::BadInput(format!("cannot read the source {}: {what}", path.display()));
    let found = fs::metadata(path).map_err(|error| wrong(&error))?;
    if found.is_file() {
        let refused = |error| Failure::BadInput(format!("failed to {error}"));
        archive::inspect(path, ArchiveLimits::default()).map_err(refused)?;
    } else if !found.is_dir() {
        return Err(wrong(&"it is neither a folder nor a file"));
    }
    path.canonicalize().map_err(|error| wrong(&error))
}

/// Routes as paths of the app's own origin, each once.
pub fn same_origin_routes(url: &str, routes: &[String]) -> Result<Vec<String>, Failure> {
    let wrong = |route: &str, why: &str| Failure::BadInput(format!("--routes `{route}`: {why}"));
    let base = Url::parse(url).map_err(|error| Failure::Bug(error.to_string()))?;
    let mut found: Vec<String> = Vec::new();
    for route in routes.iter().map(|route| route.trim()).filter(|route| !route.is_empty()) {
        if !route.starts_with('/') || route.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(wrong(route, "a route is a path of the app, such as /pricing"));
        }
        let resolved = base.join(route).map_err(|error| wrong(route, &error.to_string()))?;
        if resolved.origin() != base.origin() {
            return Err(wrong(route, "it leads to another origin"));
        }
        let path = resolved[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
        if !found.contains(&path) {
            found.push(path);
        }
    }
    if found.len() > MOST_ROUTES {
        return Err(Failure::BadInput(format!("--routes: at most {MOST_ROUTES} routes are looked at")));
    }
    Ok(found)
}

/// The name of a tool: lower-case words joined by dashes.
pub fn tool(name: &str) -> Result<String, Failure> {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if name.len() <= 60 && name.split('-').all(is_word) {
        return Ok(name.to_owned());
    }
    Err(Failure::BadInput(format!("the tool `{name}` must be lower-case letters and digits, words joined by `-`")))
}

/// The address without credentials, and the credentials.
fn address(text: &str) -> Result<(String, Option<(String, String)>), Failure> {
    let wrong = |why: &str| Failure::BadInput(format!("`{text}` is not an address to score: {why}"));
    let mut url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            let guess = format!("https://{}", text.trim_start_matches('/'));
            let words = if Url::parse(&guess).is_ok() {
                format!("try {guess}")
            } else {
                "no address looks like that".to_owned()
            };
            wrong(&words)
        }
        other => wrong(&other.to_string()),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("only http and https can be scored; a folder on this machine can with --serve DIR"));
    }
    let login = (!url.username().is_empty())
        .then(|| (url.username().to_owned(), url.password().unwrap_or_default().to_owned()));
    if login.is_some() {
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    Ok((url.to_string(), login))
}

/// Reads headers, cookies and a login from their command-line forms.
pub fn access(headers: &[String], cookies: &[String], basic_auth: Option<&str>) -> Result<Access, Failure> {
    let pair = |text: &str, by: char, option: &str| -> Result<(String, String), Failure> {
        let (name, value) = text.split_once(by).filter(|(name, _)| !name.trim().is_empty()).ok_or_else(|| {
            Failure::BadInput(format!("{option} needs the form NAME{by}VALUE (its value is not shown here)"))
        })?;
        if text.contains(['\r', '\n']) {
            return Err(Failure::BadInput(format!("{option} {name}: line breaks are not allowed")));
        }
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    Ok(Access {
        headers: headers.iter().map(|text| pair(text, ':', "--header")).collect::<Result<_, _>>()?,
        cookies: cookies.iter().map(|text| pair(text, '=', "--cookie")).collect::<Result<_, _>>()?,
        basic_auth: basic_auth.map(|text| pair(text, ':', "--basic-auth")).transpose()?,
        accounts: None,
    })
}

fn selected(ids: &[String]) -> Result<BTreeSet<ScorerId>, Failure> {
    let ids: Vec<_> = ids.iter().filter(|id| !id.trim().is_empty()).collect();
    if ids.is_empty() {
        return Err(Failure::BadInput("--only names no scorer".to_owned()));
    }
    ids.iter().map(|id| id.parse().map_err(|error| Failure::BadInput(format!("--only: {error}")))).collect()
}

/// A number of things, within its limits.
pub fn between(option: &str, value: Option<usize>, least: usize, most: usize) -> Result<usize, Failure> {
    match value {
        Some(count) if !(least..=most).contains(&count) => {
            Err(Failure::BadInput(format!("{option} {count} is not between {least} and {most}")))
        }
        value => Ok(value.unwrap_or(least)),
    }
}

fn share(name: &str, value: Option<f64>, default: f64) -> Result<f64, Failure> {
    match value {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(Failure::BadInput(format!("{name} = {value} is not between 0 and 1")))
        }
        value => Ok(value.unwrap_or(default)),
    }
}

fn added_scorers(scorers: Vec<CommandScorer>) -> Result<Vec<CommandScorer>, Failure> {
    let mut seen = BTreeSet::new();
    for scorer in &scorers {
        let well_formed = !scorer.id.is_empty()
            && scorer.id.len() <= 40
            && scorer.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !well_formed {
            let text = format!("[[scorer]] id \"{}\" must be lower-case letters, digits and dashes", scorer.id);
            return Err(Failure::BadInput(text));
        }
        if scorer.id.parse::<ScorerId>().is_ok() || !seen.insert(scorer.id.clone()) {
            return Err(Failure::BadInput(format!("[[scorer]] id \"{}\" is taken; choose another", scorer.id)));
        }
        if scorer.command.is_empty() {
            return Err(Failure::BadInput(format!("[[scorer]] \"{}\" has an empty command", scorer.id)));
        }
    }
    Ok(scorers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests::text_of;

    #[test]
    fn credentials_in_the_address_move_to_basic_auth() {
        let (url, login) = address("https://me:s3cret@app.example/x").unwrap();
        assert_eq!(url, "https://app.example/x");
        assert_eq!(login, Some(("me".to_owned(), "s3cret".to_owned())));
    }

    #[test]
    fn an_address_without_scheme_gets_a_suggestion() {
        assert!(text_of(address("app.example")).contains("try https://app.example"));
        assert!(text_of(address("file:///etc/passwd")).contains("only http and https"));
    }

    #[test]
    fn an_address_and_a_folder_exclude_each_other_and_the_command_line_goes_first() {
        let given = |url: Option<&str>, serve: Option<&str>| (url.map(str::to_owned), serve.map(PathBuf::from));
        let decided = |(url, serve), (file_url, file_serve)| {
            let arguments = ScoreArguments { url, serve, ..ScoreArguments::default() };
            let file = File { url: file_url, serve: file_serve, ..File::default() };
            what(&arguments, &file).map(|what| match what {
                What::Address(url) => url,
                What::Folder(folder) => folder.display().to_string(),
            })
        };
        let (neither, both) = (given(None, None), given(Some("https://app.example"), Some("app")));
        assert!(text_of(decided(both.clone(), neither.clone())).contains("exclude each other"));
        assert!(text_of(decided(neither.clone(), both.clone())).contains("exclude each other"));
        assert!(text_of(decided(neither.clone(), neither.clone())).contains("--serve DIR"));
        assert_eq!(decided(given(None, Some("mine")), both.clone()).unwrap(), "mine");
        assert_eq!(decided(given(Some("https://b.example"), None), both).unwrap(), "https://b.example");
        assert_eq!(decided(neither, given(None, Some("app"))).unwrap(), "app");
    }

    #[test]
    fn a_secret_never_shows_in_an_error() {
        assert!(!text_of(access(&["s3cret".to_owned()], &[], None)).contains("s3cret"));
        assert!(!text_of(access(&[], &[], Some("s3cret"))).contains("s3cret"));
    }

    #[test]
    fn an_added_scorer_may_not_take_a_published_id() {
        let scorer = |id: &str| CommandScorer { id: id.to_owned(), command: vec!["true".to_owned()] };
        assert!(text_of(added_scorers(vec![scorer("c3")])).contains("taken"));
        assert!(text_of(added_scorers(vec![scorer("a"), scorer("a")])).contains("taken"));
        assert!(text_of(added_scorers(vec![scorer("../x")])).contains("lower-case"));
        assert_eq!(added_scorers(vec![scorer("mine")]).unwrap().len(), 1);
    }

    #[test]
    fn unknown_scorers_are_refused() {
        assert!(text_of(selected(&["f3".to_owned()])).contains("`f3`"));
    }

    #[test]
    fn routes_are_paths_of_the_same_origin() {
        let routes = |list: &[&str]| {
            same_origin_routes("https://app.example/start", &list.iter().map(|r| (*r).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(routes(&["/a", " /b?c=1#d", "/a", "/x/../b?c=1"]).unwrap(), ["/a", "/b?c=1"]);
        for wrong in ["about", "//evil.example/", "https://evil.example/", "/a b", "/\\evil.example"] {
            assert!(text_of(routes(&[wrong])).contains("--routes"), "{wrong}");
        }
        let many: Vec<String> = (0..21).map(|number| format!("/{number}")).collect();
        assert!(text_of(same_origin_routes("https://app.example", &many)).contains("at most 20"));
    }

    #[test]
    fn a_prompt_is_known_by_its_id_and_an_unknown_one_names_the_others() {
        let (id, _) = corpus::PROMPTS[0];
        assert_eq!(read_prompt(id).unwrap().id, id);
        assert!(text_of(read_prompt("no-such-prompt")).contains(id));
        assert!(text_of(read_prompt("nowhere.yaml")).contains("nowhere.yaml"));
    }
}
