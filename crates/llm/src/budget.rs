//! What calls cost, and a limit that is kept before it is passed.

use crate::dialogue::{Dialogue, Speech, Tokens};
use crate::error::LlmError;
use crate::question::{Part, Question};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Text has at least about three bytes per token in every language and tokenizer we know; two leave room.
const BYTES_PER_TOKEN: usize = 2;
const TOKENS_OF_FRAME: u64 = 500;

/// What a model costs, in dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// Tokens it is shown.
    pub input: f64,
    /// Tokens it produces, thinking included.
    pub output: f64,
    /// Tokens it still knows from before; as `input` where nobody said.
    pub cache_read: Option<f64>,
    /// Tokens it is to remember; as `input` where nobody said.
    pub cache_write: Option<f64>,
}

impl Price {
    /// Dollars for so many tokens.
    pub fn of(self, tokens_in: u64, tokens_out: u64) -> f64 {
        (tokens_in as f64 * self.input + tokens_out as f64 * self.output) / 1_000_000.0
    }

    /// Dollars for a call of a dialogue, the provider's own cache counted.
    pub fn of_call(self, tokens: &Tokens) -> f64 {
        let cached = tokens.cache_read as f64 * self.cache_read.unwrap_or(self.input);
        let kept = tokens.cache_write as f64 * self.cache_write.unwrap_or(self.input);
        self.of(tokens.input, tokens.output) + (cached + kept) / 1_000_000.0
    }

    /// The most a question can cost a model that counts at most so many tokens for a picture.
    pub fn worst(self, question: &Question, per_image: u64) -> f64 {
        let schema = text_tokens(&question.schema.schema.to_string());
        let shown = TOKENS_OF_FRAME + text_tokens(&question.system) + schema + part_tokens(&question.parts, per_image);
        self.of(shown, u64::from(question.max_tokens))
    }

    /// The same for the next answer of a dialogue.
    pub fn worst_next(self, dialogue: &Dialogue, per_image: u64) -> f64 {
        let tools = dialogue.tools.iter().map(|tool| {
            text_tokens(&tool.name) + text_tokens(&tool.description) + text_tokens(&tool.parameters.to_string())
        });
        let turns = dialogue.turns.iter().map(|turn| match turn {
            Speech::Ours(parts) => part_tokens(parts, per_image),
            Speech::Results { results, parts } => {
                results.iter().map(|result| text_tokens(&result.text)).sum::<u64>() + part_tokens(parts, per_image)
            }
            Speech::Model(utterance) => text_tokens(&utterance.kept.to_string()) + text_tokens(&utterance.text),
        });
        let schema = dialogue.schema.as_ref().map_or(0, |schema| text_tokens(&schema.schema.to_string()));
        let shown = TOKENS_OF_FRAME + text_tokens(&dialogue.system) + schema + tools.sum::<u64>() + turns.sum::<u64>();
        let dearest = Self { input: self.input.max(self.cache_write.unwrap_or(self.input)), ..self };
        dearest.of(shown, u64::from(dialogue.max_tokens))
    }
}

fn text_tokens(text: &str) -> u64 {
    (text.len() / BYTES_PER_TOKEN) as u64
}

fn part_tokens(parts: &[Part], per_image: u64) -> u64 {
    let tokens = parts.iter().map(|part| match part {
        Part::Text(words) => text_tokens(words),
        Part::Image { .. } => per_image,
    });
    tokens.sum()
}

/// Dollars a run may spend. What is under way counts at its worst, so the limit holds however calls end.
#[derive(Debug)]
pub struct Budget {
    limit: Option<f64>,
    state: Mutex<State>,
    settled: Notify,
}

#[derive(Debug, Default)]
struct State {
    spent: f64,
    reserved: f64,
}

impl Budget {
    /// A budget; without a limit it only counts.
    pub fn new(limit: Option<f64>) -> Self {
        Self::with_spent(limit, 0.0)
    }

    /// One of which so much is spent already.
    pub fn with_spent(limit: Option<f64>, spent: f64) -> Self {
        Self { limit, state: Mutex::new(State { spent, reserved: 0.0 }), settled: Notify::new() }
    }

    /// Dollars spent so far. A call that was cut off counts at its worst: it may have been billed.
    pub fn spent(&self) -> f64 {
        self.locked().spent
    }

    /// Sets aside what a call may cost. Waits for calls under way if their end may leave enough; refuses if nothing can.
    pub(crate) async fn reserve(&self, model: &str, worst: Option<f64>) -> Result<Reservation<'_>, LlmError> {
        let Some(limit) = self.limit else {
            return Ok(Reservation { budget: self, worst: worst.unwrap_or(0.0), charge: Charge::Nothing });
        };
        let worst = worst.ok_or_else(|| LlmError::PriceUnknown { model: model.to_owned(), limit })?;
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            {
                let mut state = self.locked();
                if state.spent + worst > limit {
                    let left = (limit - state.spent).max(0.0);
                    return Err(LlmError::OverBudget { model: model.to_owned(), worst, left, limit });
                }
                if state.spent + state.reserved + worst <= limit {
                    state.reserved += worst;
                    return Ok(Reservation { budget: self, worst, charge: Charge::Nothing });
                }
            }
            settled.await;
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Clone, Copy)]
enum Charge {
    Nothing,
    Worst,
    Exactly(f64),
}

/// Dollars set aside for one call. What is not settled when it ends is given back.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    worst: f64,
    charge: Charge,
}

impl Reservation<'_> {
    /// From here on the provider may bill us, whatever becomes of the answer.
    pub(crate) fn may_be_billed(&mut self) {
        self.charge = Charge::Worst;
    }

    /// The provider turned the call away unbilled.
    pub(crate) fn not_billed(&mut self) {
        self.charge = Charge::Nothing;
    }

    /// The call is over and cost that much; a cost nobody knows counts at its worst.
    pub(crate) fn settle(&mut self, cost: Option<f64>) {
        self.charge = cost.map_or(Charge::Worst, Charge::Exactly);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        {
            let mut state = self.budget.locked();
            if self.budget.limit.is_some() {
                state.reserved = (state.reserved - self.worst).max(0.0);
            }
            state.spent += match self.charge {
                Charge::Nothing => 0.0,
                Charge::Worst => self.worst,
                Charge::Exactly(cost) => cost,
            };
        }
        self.budget.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Schema;
    use std::sync::Arc;

    fn question(text: &str, images: usize) -> Question {
        let image = Part::Image { media_type: "image/jpeg", bytes: vec![0; 10] };
        Question {
            system: String::new(),
            parts: std::iter::once(Part::Text(text.to_owned())).chain(std::iter::repeat_n(image, images)).collect(),
            schema: Schema { name: "s".to_owned(), schema: serde_json::json!({}) },
            max_tokens: 1_000,
            seed: 0,
            repeat: 0,
        }
    }

    #[test]
    fn the_worst_case_counts_text_pictures_and_all_the_tokens_it_may_produce() {
        let price = Price { input: 1.0, output: 10.0, ..Price::default() };
        let bare = price.worst(&question("", 0), 2_500);
        assert!((bare - (501.0 + 10_000.0) / 1e6).abs() < 1e-12, "{bare}");
        let whole = price.worst(&question(&"x".repeat(2_000), 2), 2_500);
        assert!((whole - bare - (1_000.0 + 5_000.0) / 1e6).abs() < 1e-12, "{whole}");
    }

    #[tokio::test]
    async fn a_call_that_could_pass_the_limit_is_refused_before_it_is_made() {
        let budget = Budget::new(Some(1.0));
        budget.reserve("m", Some(0.6)).await.unwrap().settle(Some(0.5));
        assert_eq!(budget.spent(), 0.5);
        let refused = budget.reserve("m", Some(0.6)).await.unwrap_err();
        assert!(matches!(refused, LlmError::OverBudget { left, .. } if left == 0.5), "{refused}");
        assert!(budget.reserve("m", Some(0.5)).await.is_ok());
    }

    #[tokio::test]
    async fn an_unknown_price_is_refused_under_a_limit_and_only_then() {
        let refused = Budget::new(Some(1.0)).reserve("m", None).await.unwrap_err();
        assert!(matches!(refused, LlmError::PriceUnknown { .. }), "{refused}");
        assert!(Budget::new(None).reserve("m", None).await.is_ok());
    }

    #[tokio::test]
    async fn what_is_under_way_is_waited_for_rather_than_refused() {
        let budget = Arc::new(Budget::new(Some(1.0)));
        let first = budget.reserve("m", Some(0.9)).await.unwrap();
        let other = Arc::clone(&budget);
        let waiting = tokio::spawn(async move { other.reserve("m", Some(0.9)).await.map(drop) });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        assert_eq!(waiting.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn a_call_that_was_cut_off_counts_at_its_worst_and_one_that_was_turned_away_not_at_all() {
        let budget = Budget::new(Some(1.0));
        let mut cut_off = budget.reserve("m", Some(0.25)).await.unwrap();
        cut_off.may_be_billed();
        drop(cut_off);
        let mut turned_away = budget.reserve("m", Some(0.25)).await.unwrap();
        turned_away.may_be_billed();
        turned_away.not_billed();
        drop(turned_away);
        assert_eq!(budget.spent(), 0.25);
    }
}
