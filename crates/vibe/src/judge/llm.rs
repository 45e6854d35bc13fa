//! A model that judges: it reads the stored trace, all of it in one question, and gives one verdict for each substep. It has no tools and sees
//! nothing of the app but what was kept.

mod answer;
mod brief;

use crate::line::flat;
use crate::llm::{self, Llm, Stop};
use crate::walk::Archive;
use benchwright_domain::vibe::evaluation::SecondOpinion;
use benchwright_domain::vibe::trace::{Ending, SubstepTrace, Trace, Usage};
use benchwright_domain::vibe::verdict::{Mark, SubstepVerdict, WorkflowKind, WorkflowState, WorkflowVerdict};
use benchwright_llm::{Dialogue, LlmError, Part, Speech};

/// Raised when the judge asks something else, or reads the same answer differently.
pub const VERSION: u32 = 3;
/// How often a model is asked for an answer that can be used.
const MOST_ATTEMPTS: usize = 3;
/// How much of a wrong answer it is shown again.
const LONGEST_REPEATED: usize = 20_000;

/// What a model is told whatever it judges. It is that of [`VERSION`].
pub fn instructions() -> &'static str {
    brief::RULES
}

/// A judge with a model.
#[derive(Debug, Clone)]
pub struct LlmJudge {
    llm: Llm,
}

/// What a judge says, and what saying it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Exactly one verdict for each substep, in order.
    pub verdict: WorkflowVerdict,
    /// What the model took.
    pub usage: Usage,
    /// Why nothing more could be asked, of this trace or of any other. Then there is no verdict in truth.
    pub stopped: Option<Stop>,
}

/// Why there is no answer that can be used.
enum Unanswered {
    Stopped(Stop),
    Other(String),
}

impl From<LlmError> for Unanswered {
    fn from(error: LlmError) -> Self {
        Stop::of(&error).map_or_else(|| Self::Other(error.to_string()), Self::Stopped)
    }
}

impl LlmJudge {
    /// A judge that asks this model.
    pub fn new(llm: Llm) -> Self {
        Self { llm }
    }

    /// Who it is, in results.
    pub fn name(&self) -> &str {
        self.llm.id()
    }

    /// Judges a walk. A model that gives no usable answer makes the workflow one without an answer, which fails and is counted apart.
    pub async fn judge(&self, trace: &Trace, kept: &dyn Archive) -> Judgement {
        let mut usage = Usage::default();
        if trace.substeps.iter().all(|substep| substep.before.is_none()) {
            let verdicts = trace.substeps.iter().map(|substep| unseen(substep, "the walk never reached it")).collect();
            let verdict = verdict(trace, state_of(&trace.ending), verdicts, &usage);
            return Judgement { verdict, usage, stopped: None };
        }
        match self.asked(trace, kept, &mut usage).await {
            Ok(answer) => {
                let state = match state_of(&trace.ending) {
                    WorkflowState::Judged if answer.is_ambiguous => WorkflowState::AmbiguousSpec,
                    state => state,
                };
                Judgement { verdict: verdict(trace, state, answer.verdicts, &usage), usage, stopped: None }
            }
            Err(unanswered) => {
                let (why, stopped) = match unanswered {
                    Unanswered::Stopped(stop) => (stop.reason().to_owned(), Some(stop)),
                    Unanswered::Other(why) => (why, None),
                };
                let reason = format!("the judge gave no usable answer: {why}");
                let verdicts = trace.substeps.iter().map(|substep| undecided(substep, &reason)).collect();
                let verdict = verdict(trace, WorkflowState::NoAnswer, verdicts, &usage);
                Judgement { verdict, usage, stopped }
            }
        }
    }

    /// What this judge says beside another one's verdict on the same trace.
    pub async fn second_opinion(&self, trace: &Trace, kept: &dyn Archive) -> SecondOpinion {
        let judgement = self.judge(trace, kept).await;
        SecondOpinion { judge: self.name().to_owned(), verdict: judgement.verdict }
    }

    /// Asks until the answer can be used, telling the model what was wrong with the last one.
    async fn asked(&self, trace: &Trace, kept: &dyn Archive, usage: &mut Usage) -> Result<answer::Answer, Unanswered> {
        let brief = brief::of(trace, kept, self.llm.sees);
        let mut dialogue = Dialogue {
            system: brief.system,
            tools: Vec::new(),
            turns: vec![Speech::Ours(brief.parts)],
            lasting_turns: 1,
            schema: Some(answer::schema(trace.substeps.len())),
            max_tokens: llm::MAX_TOKENS,
            thinking_tokens: self.llm.thinking_tokens,
        };
        let mut wrong = String::new();
        for _ in 0..MOST_ATTEMPTS {
            let mut said = self.llm.converse(&dialogue).await?;
            llm::add(usage, &said);
            match answer::read(&said.text, trace) {
                Ok(answer) => return Ok(answer),
                Err(why) => wrong = flat(&why),
            }
            said.text = said.text.chars().take(LONGEST_REPEATED).collect();
            said.calls.clear();
            let complaint =
                format!("Your last answer cannot be used: {wrong}. Answer again, with one verdict for every substep.");
            dialogue.turns.extend([Speech::Model(said), Speech::Ours(vec![Part::Text(complaint)])]);
        }
        Err(Unanswered::Other(wrong))
    }
}

/// What the end of a walk makes of a workflow, before anything is judged.
pub fn state_of(ending: &Ending) -> WorkflowState {
    match ending {
        Ending::Walked => WorkflowState::Judged,
        Ending::AppDown { .. } => WorkflowState::AppDown,
        Ending::Stuck { .. } => WorkflowState::EvaluatorStuck,
        Ending::TimedOut { .. } => WorkflowState::TimedOut,
        Ending::NoAnswer { .. } | Ending::BudgetSpent { .. } | Ending::Refused { .. } => WorkflowState::NoAnswer,
    }
}

fn verdict(trace: &Trace, state: WorkflowState, substeps: Vec<SubstepVerdict>, usage: &Usage) -> WorkflowVerdict {
    let evaluation_usd = if usage.calls == 0 { Some(0.0) } else { usage.usd };
    WorkflowVerdict { workflow: trace.workflow.clone(), kind: WorkflowKind::default(), state, substeps, evaluation_usd }
}

fn unseen(substep: &SubstepTrace, reason: &str) -> SubstepVerdict {
    SubstepVerdict {
        critical: substep.critical,
        not_attempted: true,
        reason: reason.to_owned(),
        ..SubstepVerdict::new(substep.number, Mark::Fail)
    }
}

fn undecided(substep: &SubstepTrace, reason: &str) -> SubstepVerdict {
    SubstepVerdict {
        critical: substep.critical,
        reason: reason.to_owned(),
        ..SubstepVerdict::new(substep.number, Mark::Undecided)
    }
}

#[cfg(test)]
mod tests;
