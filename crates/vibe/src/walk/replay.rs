//! A recorded walk, done again: every target is found anew and verified before anything is done to it, and where the app is no longer as it
//! was, somebody else takes over. A plan holds variables, not values: each run brings its own.

mod refill;

use super::course::Walker;
use super::error::WalkError;
use super::hybrid;
use super::resolver::tells_to_note;
use super::slips;
use super::stage::Stage;
use super::target;
use crate::hex::hex;
use crate::task::{Substep, Workflow};
use benchwright_domain::vibe::trace::{
    self, Action, ActionTrace, Attempt, Ending, Sight, SubstepTrace, Trace, Usage, WalkerKind,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Format version of [`Plan`].
pub const PLAN_FORMAT: u32 = 2;
/// Raised when a plan would be played differently, and whenever those are others who walk where it does not fit.
pub const VERSION: u32 = 4 + hybrid::VERSION;

/// The values of a workflow's variables, by name.
pub type Values = BTreeMap<String, String>;

/// What was done in a walk, without the values of that run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Format version.
    pub format: u32,
    /// Hash of the bundle in which it was recorded.
    pub bundle: String,
    /// Hash of the workflow, as [`workflow_hash`] makes it.
    pub workflow: String,
    /// One for each substep before the first that tells to note something.
    pub substeps: Vec<PlannedSubstep>,
}

/// What was done for one substep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedSubstep {
    /// What became of it; absent when it cannot be played.
    pub attempt: Option<Attempt>,
    /// What to do, in order.
    pub actions: Vec<PlannedAction>,
}

/// One action of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedAction {
    /// What to do, with variables instead of values.
    pub action: Action,
    /// Whether it changed the page or asked the app for something.
    pub had_effect: bool,
}

/// Names a workflow by its sentences and variables, whatever their values.
pub fn workflow_hash(workflow: &Workflow) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    };
    add(&workflow.id);
    for (name, template) in &workflow.variables {
        add(name);
        add(&format!("{template:?}"));
    }
    for substep in &workflow.substeps {
        add(&substep.text);
    }
    hex(&digest.finalize())
}

impl Plan {
    /// The plan of a walk. `workflow` is the one with variables, `values` are those that were walked with. It ends where something is to be
    /// noted: that is another thing in every walk, and only whoever noted it can type it in or go there.
    pub fn of(trace: &Trace, bundle: &str, workflow: &Workflow, values: &Values) -> Self {
        let known = trace.substeps.iter().take_while(|substep| !tells_to_note(&substep.text));
        Self {
            format: PLAN_FORMAT,
            bundle: bundle.to_owned(),
            workflow: workflow_hash(workflow),
            substeps: known.map(|substep| planned(substep, &trace.origin, values)).collect(),
        }
    }

    /// Whether it is one for this bundle and this workflow.
    pub fn is_for(&self, bundle: &str, workflow: &Workflow) -> bool {
        self.format == PLAN_FORMAT && self.bundle == bundle && self.workflow == workflow_hash(workflow)
    }
}

fn planned(substep: &SubstepTrace, origin: &str, values: &Values) -> PlannedSubstep {
    let actions: Vec<PlannedAction> = worth_doing_again(substep)
        .map(|done| PlannedAction {
            action: refill::emptied(&done.action, origin, values),
            had_effect: done.effect.tree || done.effect.url.is_some() || done.effect.requests > 0,
        })
        .collect();
    let is_known = match substep.attempt {
        Attempt::Done => refill::holds_all(&substep.text, &actions, values) && refill::is_told(&substep.text, &actions),
        // Nothing of it is played, so nothing need be whole.
        Attempt::Impossible { .. } => true,
        Attempt::NotAttempted { .. } | Attempt::Unsure { .. } => false,
    };
    PlannedSubstep { attempt: is_known.then(|| substep.attempt.clone()), actions }
}

/// What was done and worked. What a model put right afterwards is left out: a replay knows better from the start.
fn worth_doing_again(substep: &SubstepTrace) -> impl Iterator<Item = &ActionTrace> {
    let slipped = move |place: usize| substep.by == WalkerKind::Agent && slips::is_put_right(&substep.actions, place);
    let numbered = substep.actions.iter().enumerate().filter(move |(place, _)| !slipped(*place));
    let done = numbered.map(|(_, action)| action).filter(|action| action.failed.is_none());
    done.filter(|action| !matches!(action.action, Action::FindText { .. }))
}

/// Plays a plan; where it ends or no longer fits, the fallback walks on to the end. What was impossible is tried again by the fallback, because
/// nobody can see whether it still is, and the plan goes on behind it.
pub struct Replay<Fallback> {
    plan: Plan,
    values: Values,
    fallback: Fallback,
    has_left: bool,
}

impl<Fallback: Walker> Replay<Fallback> {
    /// A replay with the values of this run.
    pub fn new(plan: Plan, values: Values, fallback: Fallback) -> Self {
        Self { plan, values, fallback, has_left: false }
    }

    /// What to do for a substep, if the plan knows.
    fn next(&self, number: u32) -> Option<(Attempt, Vec<PlannedAction>)> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        let planned = self.plan.substeps.get(place).filter(|_| !self.has_left)?;
        let refilled = |planned: &PlannedAction| PlannedAction {
            action: refill::filled(&planned.action, &self.values),
            had_effect: planned.had_effect,
        };
        Some((planned.attempt.clone()?, planned.actions.iter().map(refilled).collect()))
    }
}

impl<Fallback: Walker> Walker for Replay<Fallback> {
    fn identity(&self) -> trace::Walker {
        trace::Walker { kind: WalkerKind::Replay, version: VERSION, model: self.fallback.identity().model }
    }

    async fn substep(&mut self, stage: &mut Stage, number: u32, substep: &Substep) -> Result<SubstepTrace, WalkError> {
        let next = self.next(number);
        self.has_left |= next.is_none();
        let Some((Attempt::Done, actions)) = next else {
            return self.fallback.substep(stage, number, substep).await;
        };
        let mut trace = stage.begin(number, substep, WalkerKind::Replay).await?;
        stage.begin_step()?;
        for planned in actions {
            let fits = match verified(stage, &planned.action).await? {
                None => false,
                Some(action) => {
                    let done = stage.perform(&action).await?;
                    let had_effect = done.effect.tree || done.effect.url.is_some() || done.effect.requests > 0;
                    let fits = done.failed.is_none() && (had_effect || !planned.had_effect);
                    trace.actions.push(done);
                    fits
                }
            };
            if !fits {
                self.has_left = true;
                return self.fallback.take_over(stage, substep, trace).await;
            }
        }
        let end = stage.end_of_search();
        stage.look_until_all_holds(&substep.expect, end).await?;
        stage.conclude(trace).await
    }

    fn usage(&self) -> Option<Usage> {
        self.fallback.usage()
    }

    fn ending(&self) -> Option<Ending> {
        self.fallback.ending()
    }
}

/// The action with targets as they are on the page now; none when one of them is not there, covered or out of order, or when there is no
/// such dialog or tab. All of it may come later than it was recorded.
async fn verified(stage: &mut Stage, action: &Action) -> Result<Option<Action>, WalkError> {
    let (wanted, end) = (refill::targets(action), stage.end_of_search());
    if wanted.is_empty() {
        let is_possible = stage.settle_until(end, |sight| has_what_it_needs(sight, action)).await?;
        return Ok(is_possible.then(|| action.clone()));
    }
    let aim = |sight: &Sight| {
        let found: Option<Vec<_>> = wanted
            .iter()
            .map(|target| {
                let node = target::find_again(sight, target).filter(|node| !node.covered && !node.disabled)?;
                Some(target::of(sight, node))
            })
            .collect();
        found.map(|found| refill::aimed(action, found))
    };
    stage.look_until(end, aim).await
}

/// Whether there is the dialog that an action answers, or the tab that it turns to or closes.
fn has_what_it_needs(sight: &Sight, action: &Action) -> bool {
    match action {
        Action::Dialog { .. } => sight.dialog.is_some(),
        Action::SwitchTab { tab } | Action::CloseTab { tab } => {
            usize::try_from(*tab).is_ok_and(|tab| tab < sight.tabs.len())
        }
        _ => true,
    }
}
