//! Everything that is told from the source without an install, beside a bare ESLint and a bare tsc.

use super::measured::{Job, alternate};
use super::{Bench, Sample};
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::{Verdict, median};
use crate::{project, setup};
use benchwright_fixtures::{Server, Site};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

const SCORERS: &str = "c1,c2,c6,f6,s1,s2";
const EVIDENCE: [&str; 5] = ["lint", "types", "verbatim", "secrets", "patterns"];

/// The rules of `instruments/source/lint.mjs`, loaded from the same files.
const CONFIG: &str = "import { createRequire } from 'node:module';
const require = createRequire('INSTRUMENTS/package.json');
const { rule } = require('./node_modules/eslint-plugin-sonarjs/cjs/S3776/rule.js');
export default [
  { files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'] },
  ...require('typescript-eslint').configs.recommended,
  {
    plugins: { sonarjs: { rules: { 'cognitive-complexity': rule } } },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
    rules: { 'no-console': 'warn', 'no-debugger': 'error', 'sonarjs/cognitive-complexity': ['error', 15] },
  },
];
";

/// How often the sample's modules stand in the larger tree: some 9,000 lines, as a generator writes them for an app that does something.
const COPIES: usize = 16;

/// One of our runs.
struct Ours {
    /// From the start of the run until the last of the source's evidence was there.
    gathered: f64,
    /// The whole process, with the page it also has to load.
    wall: f64,
}

/// A tree of source, and what was measured on it.
struct Measured {
    name: &'static str,
    pairs: Vec<(Ours, f64)>,
}

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let sample = bench.sample()?;
    let server = Server::start(Site::folder(&sample.built)).naming("serve the built app")?;
    let larger = larger_tree(sample)?;
    let trees = [("as it is", &sample.source), ("sixteen times over", &larger)];
    let measured = trees.map(|(name, tree)| measure(bench, sample, &server.url(), name, tree));
    let [small, large] = measured;
    Ok(outcome(&[small?, large?]))
}

/// The sample with its modules copied beside themselves, so that starting programs is not all that is measured.
fn larger_tree(sample: &Sample) -> Result<PathBuf, Failure> {
    let tree = sample.source.with_extension("larger");
    super::sample::copy(&sample.source, &tree)?;
    for number in 2..=COPIES {
        super::sample::copy(&sample.source.join("src"), &tree.join(format!("src/copy-{number}")))?;
    }
    Ok(tree)
}

fn measure(bench: &Bench, sample: &Sample, url: &str, name: &'static str, tree: &Path) -> Result<Measured, Failure> {
    let tools = BareTools::new(bench, tree)?;
    let job = Job { url, scorers: SCORERS, prompt: &sample.prompt, source: Some(tree), accounts: None };
    let ours = || {
        let wall = bench.ours.score(&job)?.wall_seconds;
        Ok(Ours { gathered: bench.ours.gathered_after(&EVIDENCE)?, wall })
    };
    println!("bench: the app {name}: one run of each to warm the caches, not counted");
    ours()?;
    tools.run()?;
    // These take seconds, not minutes: three times as many pairs cost little and say more.
    let pairs = alternate(
        bench.pairs * 3,
        ours,
        || tools.run(),
        |number, ours, bare| {
            println!(
                "bench: pair {number}: ours {:.2} s (process {:.2} s), bare tools {bare:.2} s",
                ours.gathered, ours.wall
            );
        },
    )?;
    Ok(Measured { name, pairs })
}

fn outcome(trees: &[Measured]) -> Outcome {
    let mut table = Table::new(["tree", "pair", "ours, s", "our whole process, s", "ESLint beside tsc, s"]);
    let mut raw = Vec::new();
    for tree in trees {
        for (number, (ours, bare)) in (1_usize..).zip(&tree.pairs) {
            table.row([tree.name.into(), number.into(), ours.gathered.into(), ours.wall.into(), (*bare).into()]);
            raw.push(Json::object([
                ("tree", tree.name.into()),
                ("ours_seconds", ours.gathered.into()),
                ("ours_process_seconds", ours.wall.into()),
                ("bare_seconds", (*bare).into()),
            ]));
        }
    }
    let verdict = |tree: &Measured| {
        let ratios = tree.pairs.iter().map(|(ours, bare)| ours.gathered / bare).collect();
        Verdict::new(
            format!("source without install, {}, ours / bare ESLint beside bare tsc", tree.name),
            1.3,
            median(ratios),
        )
    };
    Outcome {
        kind: "source",
        title: "what the source tells without an install, beside bare ESLint and tsc".to_owned(),
        about: format!(
            "Interleaved pairs on the source of the sample app `{}`, once as it is (some 500 lines: starting programs is most of it) and once \
             with its modules {COPIES} times, scorers {SCORERS}. Ours is the time from the start of the run until all that comes from the \
             source was there, while the browser loads the page on the same cores for what F6 and S1 want to know of it; the whole \
             process, with that page and the reports, stands beside it. The other side is one ESLint process with the same rules and \
             one `tsc --noEmit --strict` on the app's own project, started together, until both have ended.",
            super::sample::NAME
        ),
        table,
        verdicts: trees.iter().map(verdict).collect(),
        raw: Json::List(raw),
    }
}

/// ESLint and tsc as anybody would run them.
struct BareTools {
    node: PathBuf,
    modules: PathBuf,
    config: PathBuf,
    tree: PathBuf,
}

impl BareTools {
    fn new(bench: &Bench, tree: &Path) -> Result<Self, Failure> {
        let instruments = project::root().join("instruments");
        let config = bench.file("eslint.config.mjs", &CONFIG.replace("INSTRUMENTS", &instruments.to_string_lossy()))?;
        let modules = instruments.join("node_modules");
        Ok(Self { node: setup::pinned_node()?, modules, config, tree: tree.to_owned() })
    }

    /// Seconds until both have ended. Both must complain: the sample has faults for either.
    fn run(&self) -> Result<f64, Failure> {
        let started = Instant::now();
        let eslint = self.start(&self.modules.join("eslint/bin/eslint.js"), |call| {
            call.arg("--config").arg(&self.config).arg(".")
        })?;
        let tsc = self.start(&self.modules.join("typescript/bin/tsc"), |call| {
            call.words("--noEmit --strict --project tsconfig.app.json")
        })?;
        for (name, mut child) in [("ESLint", eslint), ("tsc", tsc)] {
            let status = child.wait().naming("wait for a bare tool")?;
            if !matches!(status.code(), Some(1 | 2)) {
                return Err(Failure::check(format!("{name} found nothing in the sample: it ended with {status}")));
            }
        }
        Ok(started.elapsed().as_secs_f64())
    }

    fn start(&self, script: &Path, with: impl FnOnce(Call) -> Call) -> Result<Child, Failure> {
        let mut command = with(Call::new(&self.node).arg(script).dir(&self.tree)).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().naming("start a bare tool")
    }
}
