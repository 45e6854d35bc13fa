//! Whether a run is the one its ticket was issued for: the same model and protocol, the same questions in their order, the same prompts.

use super::{Expected, Reason, ReasonCode};
use crate::prompt::PromptHashes;
use crate::submission::{Answer, Submission};

/// Tokens that a chat template may add to a prompt: the marks of turns, a date, a preamble.
const TEMPLATE_TOKENS: usize = 1_000;

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
    if submission.answers.iter().map(|answer| &answer.question_id).eq(expected.order) {
        found.extend(wrong_prompt(submission, expected));
    } else {
        let (answers, wanted) = (submission.answers.len(), expected.order.len());
        found.push(Reason::new(
            ReasonCode::WrongQuestions,
            format!("its {answers} answers are not those to the ticket's {wanted} questions in their order"),
        ));
    }
    found
}

/// The first prompt that is not what it must be, or has more tokens than it can have. Thinking may be on or off, which the prompt's hash
/// tells; the rest of what a template needs is the catalogue's to say.
fn wrong_prompt(submission: &Submission, expected: &Expected) -> Option<Reason> {
    let mut template = submission.template;
    if let Some(known) = expected.template {
        template.system_in_user = known.system_in_user;
    }
    let seed = expected.selection.run_seed();
    let mut alike: Option<(&str, PromptHashes)> = None;
    let problem = |answer: &Answer| {
        let Some(question) = expected.bank.question(&answer.question_id) else { return Some(not_the_prompt(answer)) };
        // The questions of a subject stand together.
        let same = alike.take().filter(|(subject, _)| *subject == question.subject);
        let (_, hashes) = alike.insert(same.unwrap_or_else(|| {
            let examples = expected.bank.examples_for(question);
            (&question.subject, PromptHashes::new(submission.protocol, template, examples))
        }));
        if hashes.sha256(question, seed) != answer.prompt_sha256 {
            return Some(not_the_prompt(answer));
        }
        // A token has at least one byte.
        let most = hashes.bytes_at_most(question) + TEMPLATE_TOKENS;
        (answer.prompt_tokens as usize > most).then(|| too_many_tokens(answer, most))
    };
    submission.answers.iter().find_map(problem)
}

fn not_the_prompt(answer: &Answer) -> Reason {
    let text = format!("the prompt of {} is not the one of this protocol", answer.question_id);
    Reason::new(ReasonCode::WrongPrompt, text)
}

fn too_many_tokens(answer: &Answer, most: usize) -> Reason {
    let Answer { question_id, prompt_tokens, .. } = answer;
    let text = format!("{prompt_tokens} tokens in the prompt of {question_id}, which cannot have more than {most}");
    Reason::new(ReasonCode::WrongTokens, text)
}
