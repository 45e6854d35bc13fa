//! A model that walks: it is shown the page and calls tools, substep by substep. It does not grade.

mod calls;
mod circles;
mod memory;
mod prompt;
mod tools;

use super::course::{Walker, ending_of};
use super::error::{Limit, WalkError};
use super::observation::{Observation, Part};
use super::stage::Stage;
use crate::llm::marks::Marks;
use crate::llm::{self, Llm, Stop, picture};
use crate::task::{Substep, Workflow};
use benchwright_domain::vibe::trace::{self, Attempt, Ending, SubstepTrace, Usage, WalkerKind};
use benchwright_llm::{Dialogue, LlmError, Tool, ToolResult, Utterance};
use circles::Circles;
use memory::Memory;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Raised when the agent would act differently on the same answers of a model, or when it tells a model something else.
pub const VERSION: u32 = 5;
/// Answers in a row that call no tool.
const MOST_IDLE: u32 = 3;
/// Calls of one answer that are carried out.
const MOST_CALLS: usize = 10;
/// Pixels of the long side of a screenshot.
const PICTURE_SIDE: u32 = 1_280;

/// What a model is told whatever it walks: its rules, and its tools. They are those of [`VERSION`].
pub fn instructions() -> (&'static str, Vec<Tool>) {
    (prompt::RULES, tools::all())
}

/// A model on its way through one workflow.
pub struct Agent {
    llm: Llm,
    workflow: Workflow,
    marks: Marks,
    memory: Memory,
    circles: Circles,
    usage: Usage,
    /// References it was ever shown.
    known: BTreeSet<String>,
    /// Results of the calls that ended the last substep; they are told with the next one.
    pending: Vec<ToolResult>,
    /// The last substep it was asked to walk.
    last: u32,
    idle: u32,
    /// Why it gave the walk up.
    quit: Option<String>,
    ending: Option<Ending>,
}

/// Whether a substep goes on after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// With the next call or the next answer.
    On,
    /// With the next answer: the page is another one.
    Moved,
    /// It is over.
    Concluded,
}

impl Agent {
    /// A model that is about to walk. The workflow has values instead of variables.
    pub fn new(llm: Llm, workflow: &Workflow) -> Self {
        Self {
            llm,
            workflow: workflow.clone(),
            marks: Marks::fresh(),
            memory: Memory::default(),
            circles: Circles::default(),
            usage: Usage::default(),
            known: BTreeSet::new(),
            pending: Vec::new(),
            last: 0,
            idle: 0,
            quit: None,
            ending: None,
        }
    }

    /// Walks what is left of a substep. What ends the walk by the model's fault leaves what it did until then in the trace.
    async fn go_on(
        &mut self,
        stage: &mut Stage,
        substep: &Substep,
        mut trace: SubstepTrace,
    ) -> Result<SubstepTrace, WalkError> {
        trace.by = WalkerKind::Agent;
        if let Some(reason) = &self.quit {
            trace.attempt = Attempt::NotAttempted { reason: reason.clone() };
            return stage.conclude(trace).await;
        }
        self.circles.begin_anew();
        self.set_out(stage, substep, &trace).await?;
        loop {
            match self.step(stage, substep, &mut trace).await {
                Ok(Flow::Concluded) => break,
                Ok(_) => {}
                Err(error) if is_own(&error) => {
                    trace.attempt = Attempt::Unsure { reason: error.to_string() };
                    self.ending = Some(ending_of(&error));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        stage.conclude(trace).await
    }

    /// Tells the model which substep it is at, and shows the page.
    async fn set_out(&mut self, stage: &mut Stage, substep: &Substep, trace: &SubstepTrace) -> Result<(), WalkError> {
        let done: Vec<String> = trace.actions.iter().map(|action| format!("{:?}", action.action)).collect();
        let mut words = prompt::turn(trace.number, substep);
        if !done.is_empty() {
            // Actions name elements as the page does.
            let done = self.marks.around("page", &done.join("\n"));
            words = format!("{words}\nOf this substep the following was done already:\n{done}");
        }
        if self.last == 0 {
            words = format!("{}\n{words}", prompt::workflow(&self.workflow, stage.origin()));
        }
        if trace.number > self.last + 1 {
            let by_others = format!("Substeps {} to {} were done by others.", self.last + 1, trace.number - 1);
            words = format!("{by_others}\n{words}");
        }
        self.last = trace.number;
        let results = std::mem::take(&mut self.pending);
        self.show(stage, results, words).await
    }

    async fn show(&mut self, stage: &mut Stage, results: Vec<ToolResult>, words: String) -> Result<(), WalkError> {
        let sight = stage.sight().await?;
        let page = Observation::of(&sight, stage.viewport(), Part::Window);
        self.known.extend(page.references().map(str::to_owned));
        let photograph = if self.llm.sees { stage.photograph().await } else { None };
        let picture = photograph.and_then(|png| picture::small(&png, PICTURE_SIDE));
        let marks = &self.marks;
        self.memory.show(results, words, page, picture, |text| marks.around("page", text));
        Ok(())
    }

    /// One answer of the model and what it calls.
    async fn step(
        &mut self,
        stage: &mut Stage,
        substep: &Substep,
        trace: &mut SubstepTrace,
    ) -> Result<Flow, WalkError> {
        stage.begin_step()?;
        let utterance = self.ask(stage).await?;
        let calls = utterance.calls.clone();
        self.memory.said(utterance);
        if calls.is_empty() {
            return self.was_idle();
        }
        self.idle = 0;
        let mut flow = Flow::On;
        let mut results = Vec::new();
        for (place, call) in calls.iter().enumerate() {
            let came = if flow == Flow::On && place < MOST_CALLS {
                self.carry_out(stage, substep, call, trace).await?
            } else {
                calls::Came::failed("not done: something before it changed the page or ended the substep")
            };
            flow = if flow == Flow::On { came.flow } else { flow };
            results.push(ToolResult { call: call.id.clone(), text: came.text, failed: came.failed });
        }
        if flow == Flow::Concluded {
            self.pending = results;
        } else {
            self.show(stage, results, String::new()).await?;
        }
        Ok(flow)
    }

    fn was_idle(&mut self) -> Result<Flow, WalkError> {
        self.idle += 1;
        if self.idle >= MOST_IDLE {
            return Err(WalkError::NoAnswer { reason: format!("{MOST_IDLE} answers in a row called no tool") });
        }
        let words = "Answer by calling tools; `next_substep` ends the substep.";
        self.memory.tell(Vec::new(), words.to_owned());
        Ok(Flow::On)
    }

    async fn ask(&mut self, stage: &mut Stage) -> Result<Utterance, WalkError> {
        let dialogue = Dialogue {
            system: prompt::system(&self.marks),
            tools: tools::all(),
            turns: self.memory.turns(),
            lasting_turns: self.memory.lasting_turns(),
            schema: None,
            max_tokens: llm::MAX_TOKENS,
            thinking_tokens: self.llm.thinking_tokens,
        };
        let limits = stage.settings().limits;
        let step = Duration::from_secs(u64::from(limits.step_seconds));
        let app = stage.settings().app_end.map(|end| end.saturating_duration_since(Instant::now()));
        let answered = tokio::time::timeout(app.map_or(step, |app| app.min(step)), self.llm.converse(&dialogue)).await;
        let Ok(answered) = answered else {
            stage.check_time()?;
            return Err(WalkError::LimitReached(Limit::StepSeconds(step.as_secs())));
        };
        let utterance = answered.map_err(|error| unanswered(stage, &error))?;
        llm::add(&mut self.usage, &utterance);
        Ok(utterance)
    }
}

impl Walker for Agent {
    fn identity(&self) -> trace::Walker {
        trace::Walker { kind: WalkerKind::Agent, version: VERSION, model: Some(self.llm.id().to_owned()) }
    }

    async fn substep(&mut self, stage: &mut Stage, number: u32, substep: &Substep) -> Result<SubstepTrace, WalkError> {
        let begun = stage.begin(number, substep, WalkerKind::Agent).await?;
        self.go_on(stage, substep, begun).await
    }

    async fn take_over(
        &mut self,
        stage: &mut Stage,
        substep: &Substep,
        begun: SubstepTrace,
    ) -> Result<SubstepTrace, WalkError> {
        let begun = SubstepTrace { attempt: Attempt::Done, after: None, ..begun };
        self.go_on(stage, substep, begun).await
    }

    fn usage(&self) -> Option<Usage> {
        (self.usage.calls > 0).then(|| self.usage.clone())
    }

    fn ending(&self) -> Option<Ending> {
        self.ending.clone()
    }
}

/// Whether the walk ends by the model's own fault, so that what it did until then is worth keeping.
fn is_own(error: &WalkError) -> bool {
    matches!(
        error,
        WalkError::LimitReached(_)
            | WalkError::NoAnswer { .. }
            | WalkError::BudgetSpent { .. }
            | WalkError::Refused { .. }
            | WalkError::Stuck { .. }
    )
}

fn unanswered(stage: &Stage, error: &LlmError) -> WalkError {
    match Stop::of(error) {
        Some(Stop::Budget(reason)) => WalkError::BudgetSpent { reason },
        Some(Stop::Refusal(reason)) => WalkError::Refused { reason },
        None => stage.check_time().err().unwrap_or_else(|| WalkError::NoAnswer { reason: error.to_string() }),
    }
}
