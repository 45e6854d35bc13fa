//! Lints the source with ESLint and measures its complexity, in one pass.

use super::StepError;
use super::tree::Tree;
use super::workspace::{SCRIPTS, Survey, copy_into, survey};
use crate::conduct::Workbench;
use crate::evidence::survey::SkipReason;
use crate::evidence::{Absence, Lint};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::instrument::{Instrument, Role};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Everything but a pathological tree is done in seconds.
const LIMIT: Duration = Duration::from_mins(3);
const TOOLS: [&str; 3] = ["eslint", "typescript-eslint", "eslint-plugin-sonarjs"];

/// Lints the source with ESLint and measures its complexity, in one pass.
pub async fn run(tree: &Tree, bench: &Workbench, scratch: &Scratch) -> Result<Lint, StepError> {
    let work = scratch.fresh_folder("lint")?;
    let folder = work.join("source");
    let mut instrument = Instrument::start(&bench.instruments, &Role::source(&work), scratch)?;
    // The linter loads while the files are read. Should loading fail, the call below says so.
    let warming = async {
        let _ = instrument.call("warm", json!({"tool": "lint"}), LIMIT).await;
        Ok(())
    };
    let (surveyed, ()) = tokio::try_join!(prepare(tree, &folder), warming)?;
    let answer = instrument.call("lint", json!({"folder": folder}), LIMIT).await;
    instrument.close().await;
    let answer = answer.map_err(|error| StepError::Page(format!("ESLint gave no verdict: failed to {error}")))?;
    let lint: Lint = serde_json::from_value(answer)
        .map_err(|error| StepError::Page(format!("ESLint's answer is not understood: {error}")))?;
    let versions = bench.instruments.versions();
    let tools = TOOLS.iter().filter_map(|name| Some(((*name).to_owned(), versions.get(*name)?.clone()))).collect();
    Ok(Lint { tools, skipped: surveyed.skipped, ..lint })
}

/// Copies what is to be linted; what is left of the survey tells what is not.
async fn prepare(tree: &Tree, folder: &Path) -> Result<Survey, StepError> {
    let mut survey = survey(&tree.root, &SCRIPTS).await?;
    let (generated, files): (Vec<_>, Vec<_>) =
        std::mem::take(&mut survey.files).into_iter().partition(|file| file.generated);
    for file in &generated {
        survey.skipped.add(&file.path, SkipReason::Generated);
    }
    if files.is_empty() {
        return Err(StepError::Absent(nothing_to_lint(&survey)));
    }
    copy_into(folder, files).await?;
    Ok(survey)
}

fn nothing_to_lint(survey: &Survey) -> Absence {
    let skipped = survey.skipped.files();
    if skipped == 0 {
        return Absence::NotAsked { reason: "the source holds no JavaScript or TypeScript".to_owned() };
    }
    let reason = format!(
        "none of the {skipped} scripts in the source was written by hand: they are minified, generated or too large"
    );
    Absence::NoInput { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_without_scripts_is_not_the_same_as_one_with_built_scripts_only() {
        let mut survey = Survey::default();
        survey.skipped.add("node_modules", SkipReason::Folder);
        assert!(matches!(nothing_to_lint(&survey), Absence::NotAsked { .. }));
        survey.skipped.add("app.min.js", SkipReason::Minified);
        assert!(matches!(nothing_to_lint(&survey), Absence::NoInput { .. }));
    }
}
