//! The judge lane: language models look at what was gathered. Making ready what they see is work and done first; asking them is only
//! waiting, so it may overlap the quiet lane.

use super::{LOCK_LIMIT, Run};
use crate::evidence::{Absence, Evidence, EvidenceKind, Judgement, Piece};
use crate::gather::judges::{Case, Jury, Panel};
use crate::gather::tree::Tree;
use crate::gather::{GatherError, StepError};
use crate::record::{Lane, RecordError};
use benchwright_sandbox::quiet::QuietLock;
use std::time::Instant;

/// Evidence that judges give.
pub const KINDS: [EvidenceKind; 3] = [EvidenceKind::Intent, EvidenceKind::Looks, EvidenceKind::Maintainability];

/// What the judges will be shown, or why they will not be asked; nothing where nobody wants to know.
#[derive(Default)]
pub struct Prepared([Option<Result<Case, StepError>>; 3]);

/// Makes ready what the judges are shown.
pub async fn prepare(run: Run<'_>, gathered: &Evidence, tree: Option<&Tree>) -> Result<Prepared, GatherError> {
    if !KINDS.iter().any(|kind| run.wants(*kind)) {
        return Ok(Prepared::default());
    }
    let _busy = QuietLock::shared(&run.bench.quiet_lock, LOCK_LIMIT).await?;
    run.desk.step(Lane::Judge, "preparing what the judges see");
    let panel = Panel { desk: run.desk, request: run.request, gathered, tree };
    let mut cases = [None, None, None];
    for (kind, case) in KINDS.into_iter().zip(&mut cases) {
        if run.wants(kind) {
            *case = Some(panel.prepare(kind).await);
        }
    }
    Ok(Prepared(cases))
}

/// Asks the judges, all at once. `before` is what the run had when it began: judges who were asked in vain then are not forgotten.
pub async fn lane(run: Run<'_>, prepared: Prepared, before: &Evidence) -> Result<Evidence, GatherError> {
    let mut evidence = Evidence::default();
    if prepared.0.iter().all(Option::is_none) {
        return Ok(evidence);
    }
    run.desk.step(Lane::Judge, "asking the judges");
    let jury = Jury::seat(&run.request.judging, &run.bench.judges, charged(before));
    let [intent, looks, maintainability] = prepared.0;
    let (intent, looks, maintainability) = tokio::join!(
        hear(run, &jury, EvidenceKind::Intent, intent, &before.intent),
        hear(run, &jury, EvidenceKind::Looks, looks, &before.looks),
        hear(run, &jury, EvidenceKind::Maintainability, maintainability, &before.maintainability),
    );
    evidence.intent = intent?;
    evidence.looks = looks?;
    evidence.maintainability = maintainability?;
    run.desk.done(Lane::Judge);
    Ok(evidence)
}

/// Dollars that the budget was charged before the run went on, also for what came to no verdict. Each piece says what all of them had
/// been charged when it was kept, so the last one knows most; of older runs only what calls say is known.
fn charged(before: &Evidence) -> f64 {
    let judged = [&before.intent, &before.looks, &before.maintainability];
    let calls = judged.into_iter().flat_map(Piece::asked).flat_map(|opinion| &opinion.calls);
    let said = calls.filter_map(|call| call.cost_usd).sum();
    judged.into_iter().filter_map(Piece::charged_usd).fold(said, f64::max)
}

async fn hear(
    run: Run<'_>,
    jury: &Result<Jury, Absence>,
    kind: EvidenceKind,
    case: Option<Result<Case, StepError>>,
    before: &Piece<Judgement>,
) -> Result<Piece<Judgement>, RecordError> {
    let Some(case) = case else { return Ok(Piece::default()) };
    let begun = Instant::now();
    let answer = match (jury, case) {
        (Ok(jury), Ok(case)) => jury.judge(case).await,
        (_, Err(error)) => Err(error),
        (Err(absence), _) => Err(StepError::Absent(absence.clone())),
    };
    run.desk.keep(Lane::Judge, kind, begun, remembering(before, answer))
}

/// The answer, and with it what was paid for earlier tries that came to no verdict.
fn remembering(before: &Piece<Judgement>, answer: Result<Judgement, StepError>) -> Result<Judgement, StepError> {
    let Err(Absence::Unjudged { opinions: in_vain, charged_usd, .. }) = &before.value else { return answer };
    let kept = |reason: String, without_input: bool| Absence::Unjudged {
        reason,
        opinions: in_vain.clone(),
        charged_usd: *charged_usd,
        without_input,
    };
    let error = match answer {
        Ok(judgement) => return Ok(Judgement { in_vain: in_vain.clone(), ..judgement }),
        Err(error) => error,
    };
    Err(StepError::Absent(match error {
        StepError::Absent(Absence::Unjudged { reason, opinions, charged_usd, without_input }) => {
            let opinions = in_vain.iter().cloned().chain(opinions).collect();
            Absence::Unjudged { reason, opinions, charged_usd, without_input }
        }
        StepError::Absent(Absence::NoInput { reason }) => kept(reason, true),
        StepError::Absent(_) | StepError::Record(_) => return Err(error),
        fault => kept(fault.to_string(), false),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::judgement::{Call, Opinion};

    fn asked(cost_usd: Option<f64>) -> Vec<Opinion> {
        vec![Opinion { calls: vec![Call { cost_usd, ..Call::default() }], ..Opinion::default() }]
    }

    fn unjudged(cost_usd: Option<f64>, charged_usd: Option<f64>) -> Piece<Judgement> {
        let (reason, opinions) = ("no answer".to_owned(), asked(cost_usd));
        Piece::absent(Absence::Unjudged { reason, opinions, charged_usd, without_input: false })
    }

    #[test]
    fn calls_whose_cost_nobody_knows_are_not_forgotten_when_a_run_goes_on() {
        let judged = Judgement { judges: asked(Some(0.25)), charged_usd: Some(0.5), ..Judgement::default() };
        let before = Evidence {
            intent: Piece::present(judged, 1.0),
            looks: unjudged(None, Some(0.75)),
            maintainability: Piece::absent(Absence::NotRendered),
            ..Evidence::default()
        };
        assert_eq!(charged(&before), 0.75);
    }

    #[test]
    fn of_older_runs_what_calls_say_is_counted() {
        let old = r#"{"kind":"unjudged","reason":"x","opinions":[]}"#;
        let looks = Piece::absent(serde_json::from_str(old).unwrap());
        let before = Evidence { intent: unjudged(Some(0.25), None), looks, ..Evidence::default() };
        assert_eq!(charged(&before), 0.25);
    }

    #[test]
    fn a_run_that_goes_on_without_the_key_does_not_forget_what_judges_cost() {
        let no_key = Absence::NoInput { reason: "set TEST_KEY".to_owned() };
        let answer = remembering(&unjudged(Some(0.25), Some(0.5)), Err(StepError::Absent(no_key.clone())));
        let Err(StepError::Absent(absence)) = answer else { panic!("{answer:?}") };
        assert_eq!((absence.outcome(), absence.is_failure()), (no_key.outcome(), false));
        let stored = serde_json::to_string(&absence).unwrap();
        let kept: Piece<Judgement> = Piece::absent(serde_json::from_str(&stored).unwrap());
        assert_eq!((kept.asked().len(), kept.charged_usd()), (1, Some(0.5)));
        assert_eq!(charged(&Evidence { looks: kept, ..Evidence::default() }), 0.5);
    }

    #[test]
    fn a_fault_of_ours_does_not_forget_what_earlier_tries_cost() {
        let answer = remembering(&unjudged(Some(0.25), Some(0.5)), Err(StepError::Page("no picture".to_owned())));
        let Err(StepError::Absent(absence)) = answer else { panic!("{answer:?}") };
        let kept: Piece<Judgement> = Piece::absent(absence);
        assert_eq!((kept.asked().len(), kept.charged_usd()), (1, Some(0.5)));
    }
}
