//! The source lane: everything that is told from the source alone. Reading, linting, type checking and installing run side by side.

use super::{LOCK_LIMIT, Run};
use crate::evidence::{Evidence, EvidenceKind, Piece};
use crate::gather::reading::Reading;
use crate::gather::tree::Tree;
use crate::gather::types::Checker;
use crate::gather::{Desk, GatherError, StepError, audit, install, lint, patterns, secrets, source, verbatim};
use crate::plan::Plan;
use crate::record::{Lane, RecordError};
use benchwright_sandbox::quiet::QuietLock;
use serde::Serialize;
use std::time::Instant;

/// Evidence that needs the source.
pub const KINDS: [EvidenceKind; 8] = [
    EvidenceKind::Source,
    EvidenceKind::Verbatim,
    EvidenceKind::Secrets,
    EvidenceKind::Patterns,
    EvidenceKind::Lint,
    EvidenceKind::Types,
    EvidenceKind::Install,
    EvidenceKind::Audit,
];

/// What the lane found, and the tree it looked at, for whoever wants to quote from it.
#[derive(Default)]
pub struct Found {
    pub evidence: Evidence,
    pub tree: Option<Tree>,
}

/// Gathers what the source is needed for.
pub async fn lane(run: Run<'_>) -> Result<Found, GatherError> {
    let mut found = Found::default();
    let Some(given) = run.request.source.as_deref() else { return Ok(found) };
    if !KINDS.iter().chain(&[EvidenceKind::Maintainability]).any(|kind| run.wants(*kind)) {
        return Ok(found);
    }
    let _busy = QuietLock::shared(&run.bench.quiet_lock, LOCK_LIMIT).await?;
    run.desk.step(Lane::Source, "opening the source");
    let tree = match Tree::open(given, run.scratch).await {
        Ok(tree) => tree,
        Err(error) => return fail_all(run, found, &error),
    };
    let evidence = &mut found.evidence;
    let (read, linted, installed, audited) =
        tokio::join!(read(run, &tree), lint(run, &tree), install_and_check(run, &tree), audit(run, &tree));
    (evidence.source, evidence.verbatim, evidence.secrets, evidence.patterns) = read?;
    evidence.lint = linted?;
    (evidence.install, evidence.types) = installed?;
    evidence.audit = audited?;
    run.desk.done(Lane::Source);
    found.tree = Some(tree);
    Ok(found)
}

type Read = (
    Piece<crate::evidence::Source>,
    Piece<crate::evidence::Verbatim>,
    Piece<crate::evidence::Secrets>,
    Piece<crate::evidence::Patterns>,
);

/// What our own eyes see. The secret scan also starts scanners of the user's, so it is not merely reading.
async fn read(run: Run<'_>, tree: &Tree) -> Result<Read, RecordError> {
    let constraints = run.request.prompt.as_ref().map(|prompt| prompt.verbatim_constraints.clone()).unwrap_or_default();
    let reading = Reading::new(tree, constraints);
    Ok((
        step(run, EvidenceKind::Source, "measuring the source", source::describe(tree)).await?,
        step(run, EvidenceKind::Verbatim, "looking for verbatim constraints", verbatim::look(&reading)).await?,
        step(run, EvidenceKind::Secrets, "looking for secrets", secrets::scan(&reading, run.bench, run.scratch))
            .await?,
        step(run, EvidenceKind::Patterns, "looking for security anti-patterns", patterns::scan(&reading)).await?,
    ))
}

async fn lint(run: Run<'_>, tree: &Tree) -> Result<Piece<crate::evidence::Lint>, RecordError> {
    step(run, EvidenceKind::Lint, "linting the source", lint::run(tree, run.bench, run.scratch)).await
}

/// Types are checked against what was installed, so checking waits for it; the compiler does not, and reads ahead.
async fn install_and_check(
    run: Run<'_>,
    tree: &Tree,
) -> Result<(Piece<crate::evidence::Install>, Piece<crate::evidence::Types>), RecordError> {
    let mut modules = None;
    let installing = async {
        let (install, installed) = install::run(tree, run.bench, run.scratch).await?;
        modules = installed;
        Ok(install)
    };
    let install = async move {
        if run.wants(EvidenceKind::Install) {
            return step(run, EvidenceKind::Install, "installing from the lockfiles", installing).await;
        }
        // A run that goes on was installed before, and has to be again for its types; what came of it is recorded already.
        if run.wants(EvidenceKind::Types) && Plan::of(run.request).evidence.contains(&EvidenceKind::Install) {
            run.desk.step(Lane::Source, "installing again, for the types");
            let _ = installing.await;
        }
        Ok(Piece::default())
    };
    let (install, checker) = tokio::join!(install, start_compiler(run, tree));
    let checking = async {
        let Some(checker) = checker else { return Err(StepError::Page("the compiler was not started".to_owned())) };
        checker?.check(modules.as_ref(), run.bench).await
    };
    let types = step(run, EvidenceKind::Types, "checking types", checking).await?;
    Ok((install?, types))
}

async fn start_compiler(run: Run<'_>, tree: &Tree) -> Option<Result<Checker, StepError>> {
    if !run.wants(EvidenceKind::Types) {
        return None;
    }
    let mut started = Checker::start(tree, run.bench, run.scratch).await;
    if let Ok(checker) = &mut started
        && run.wants(EvidenceKind::Install)
    {
        checker.read_ahead().await;
    }
    Some(started)
}

async fn audit(run: Run<'_>, tree: &Tree) -> Result<Piece<crate::evidence::Audit>, RecordError> {
    step(run, EvidenceKind::Audit, "asking the registry for advisories", audit::run(tree, run.bench, run.scratch)).await
}

/// Does one step, if it is wanted, and records what came of it.
async fn step<T: Serialize>(
    run: Run<'_>,
    kind: EvidenceKind,
    what: &str,
    work: impl Future<Output = Result<T, StepError>>,
) -> Result<Piece<T>, RecordError> {
    if !run.wants(kind) {
        return Ok(Piece::default());
    }
    run.desk.step(Lane::Source, what);
    let begun = Instant::now();
    let result = work.await;
    run.desk.keep(Lane::Source, kind, begun, result)
}

/// Source that cannot be opened is said once per kind; the page is scored all the same.
fn fail_all(run: Run<'_>, mut found: Found, error: &StepError) -> Result<Found, GatherError> {
    let absence = Desk::absence_of(error);
    for kind in KINDS.into_iter().filter(|kind| run.wants(*kind)) {
        found.evidence.set_absent(kind, absence.clone());
        run.desk.absent::<()>(Lane::Source, kind, absence.clone(), 0.0)?;
    }
    run.desk.done(Lane::Source);
    Ok(found)
}
