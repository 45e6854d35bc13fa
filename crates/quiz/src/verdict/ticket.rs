//! Whether a run is the one its ticket was issued for: the same model and protocol, the same questions in their order, the same prompts.

use super::{Expected, Reason, ReasonCode};
use crate::prompt::PromptHashes;
use crate::submission::{Answer, Submission};

/// What does not fit the ticket.
pub(super) fn problems(submission: &Submission, expected: &Expected) -> Vec<Reason> {
    let mut found = Vec::new();
    let model = submission.model.catalogue_id.as_deref().or(submission.model.custom_name.as_deref());
    let same = submission.selection().as_ref() == Some(expected.selection)
        && submission.protocol == expected.protocol
        && model == Some(expected.model);
    if !same {
        found.push(Reason::new(
            ReasonCode::NotTheTicket,
            "the questions, the protocol or the model are not those of the ticket",
        ));
    }
    if !submission.answers.iter().map(|answer| &answer.question_id).eq(expected.order) {
        let (answers, wanted) = (submission.answers.len(), expected.order.len());
        found.push(Reason::new(
            ReasonCode::WrongQuestions,
            format!("its {answers} answers are not those to the ticket's {wanted} questions in their order"),
        ));
    } else if let Some(id) = wrong_prompt(submission, expected) {
        found.push(Reason::new(ReasonCode::WrongPrompt, format!("the prompt of {id} is not the one of this protocol")));
    }
    found
}

/// The first question whose prompt is not what it must be. Thinking may be on or off, which the prompt's hash tells; the rest of what a
/// template needs is the catalogue's to say.
fn wrong_prompt<'a>(submission: &'a Submission, expected: &Expected) -> Option<&'a str> {
    let mut template = submission.template;
    if let Some(known) = expected.template {
        template.system_in_user = known.system_in_user;
    }
    let seed = expected.selection.run_seed();
    let mut alike: Option<(&str, PromptHashes)> = None;
    let mut is_right = |answer: &Answer| {
        let Some(question) = expected.bank.question(&answer.question_id) else { return false };
        // The questions of a subject stand together.
        let same = alike.take().filter(|(subject, _)| *subject == question.subject);
        let (_, hashes) = alike.insert(same.unwrap_or_else(|| {
            let examples = expected.bank.examples_for(question);
            (&question.subject, PromptHashes::new(submission.protocol, template, examples))
        }));
        hashes.sha256(question, seed) == answer.prompt_sha256
    };
    let wrong = submission.answers.iter().find(|answer| !is_right(answer));
    wrong.map(|answer| answer.question_id.as_str())
}
