//! Counts, shares, phases and cost of a trajectory, under published names and with published rounding.

use super::{Category, CategoryCounts, CategoryShares, Counter, PHASES, Trajectory, phases};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The tool by which a model says that it is done.
const FINISH: &str = "finish";

/// How everything is counted, for readers of the numbers.
pub const METHOD: &str = "\
A tool call is an action of the agent that a tool call of the model led to; calls that were refused before they became actions are \
invalid_tool_calls. Categories by name of the tool: execute_bash Bash; str_replace_editor and edit_file Edit, looking included; browser \
Browser; execute_sql SQL; apply_migration Migrate; all else Other. Shares are percentages of all tool calls, finish included. Duration is \
from the first event to the last. Responses are counted once, however many calls they hold. Accumulated cost and tokens are the harness' \
own counter; sums over responses lack the answers that led to no call. Phases: ten slices of equal time from the agent's first action to \
its last, and ten of equal number of calls. What is not known is null.";

/// What is counted of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Facts {
    /// How many events there are.
    pub events: usize,
    /// When the first happened.
    pub first_timestamp: String,
    /// When the last happened.
    pub last_timestamp: String,
    /// Seconds between them, to a thousandth.
    pub duration_s: f64,
    /// How many calls became actions.
    pub tool_calls: u64,
    /// By name of the tool.
    pub tool_call_counts: BTreeMap<String, u64>,
    /// By category.
    pub category_counts: CategoryCounts,
    /// Percent by category, to a hundredth; absent without calls.
    pub category_share_pct: Option<CategoryShares>,
    /// The same without the call that says that all is done.
    pub category_share_pct_excl_finish: Option<CategoryShares>,
    /// Calls of the browser.
    pub browser_calls: u64,
    /// Calls of the editor.
    pub edit_calls: u64,
    /// Of those, the ones that only looked.
    pub edit_views: u64,
    /// And the ones that changed something.
    pub edit_writes: u64,
    /// By kind of action.
    pub action_counts: BTreeMap<String, u64>,
    /// By kind of observation.
    pub observation_counts: BTreeMap<String, u64>,
    /// Calls that were refused.
    pub invalid_tool_calls: u64,
    /// Observations of errors.
    pub error_observations: u64,
    /// Shell commands that failed.
    pub bash_nonzero_exits: u64,
    /// Browser calls that failed.
    pub browser_errors: u64,
    /// Answers of the model that led to calls.
    pub llm_responses: u64,
    /// Dollars by the harness' own counter; absent when it has none.
    pub accumulated_cost_usd: Option<f64>,
    /// Tokens by the harness' own counter; absent when it has none.
    pub accumulated_token_usage: Option<Counter>,
    /// Dollars of the answers that say so, to a millionth; absent when none does.
    pub sum_response_cost_usd: Option<f64>,
    /// Tokens of the answers.
    pub sum_response_tokens: ResponseTokens,
    /// Seconds the answers took, to a thousandth.
    pub sum_response_llm_seconds: f64,
    /// When the browser was first called, as a share of the time, to a ten-thousandth; absent when never.
    pub first_browser_call_at_fraction_of_time: Option<f64>,
    /// Calls by category in ten slices of equal time.
    pub phase_time_deciles: [CategoryCounts; PHASES],
    /// Calls by category in ten slices of equal number.
    pub phase_count_deciles: [CategoryCounts; PHASES],
    /// Whether the model said that it is done.
    pub finished: bool,
}

/// Tokens of answers, under the names that OpenHands' model library uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResponseTokens {
    /// Read, and in no cache.
    pub in_tokens: u64,
    /// Written, without thoughts.
    pub out_tokens: u64,
    /// Thoughts.
    pub reasoning_tokens: u64,
    /// Read from the cache.
    pub cache_read_tokens: u64,
    /// Written to the cache.
    pub cache_write_tokens: u64,
    /// All that was read.
    pub total_input_tokens: u64,
    /// All that was written.
    pub total_output_tokens: u64,
}

impl ResponseTokens {
    /// All that are counted, under whichever names.
    pub(super) fn total(&self) -> u64 {
        let parts = self.in_tokens.saturating_add(self.out_tokens).saturating_add(self.reasoning_tokens);
        let cached = self.cache_read_tokens.saturating_add(self.cache_write_tokens);
        let sums = self.total_input_tokens.saturating_add(self.total_output_tokens);
        parts.saturating_add(cached).max(sums)
    }

    fn add(self, more: &Self) -> Self {
        Self {
            in_tokens: self.in_tokens.saturating_add(more.in_tokens),
            out_tokens: self.out_tokens.saturating_add(more.out_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(more.reasoning_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(more.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(more.cache_write_tokens),
            total_input_tokens: self.total_input_tokens.saturating_add(more.total_input_tokens),
            total_output_tokens: self.total_output_tokens.saturating_add(more.total_output_tokens),
        }
    }
}

impl Trajectory {
    /// Counts everything.
    pub fn facts(&self) -> Facts {
        let mut tools: BTreeMap<String, u64> = BTreeMap::new();
        let mut categories = CategoryCounts::default();
        let mut without_finish = CategoryCounts::default();
        for call in &self.calls {
            *tools.entry(call.tool.clone()).or_default() += 1;
            categories.add(call.category, 1);
            without_finish.add(call.category, u64::from(call.tool != FINISH));
        }
        let shares = |counts: CategoryCounts| counts.shares().map(|shares| shares.map(|share| rounded(share, 2)));
        let costs: Vec<f64> = self.responses.iter().filter_map(|response| response.cost_usd).collect();
        let first_browse = self.calls.iter().find(|call| call.category == Category::Browser);
        Facts {
            events: self.events,
            first_timestamp: self.first_timestamp.clone(),
            last_timestamp: self.last_timestamp.clone(),
            duration_s: rounded(self.seconds, 3),
            tool_calls: self.calls.len() as u64,
            tool_call_counts: tools,
            category_counts: categories,
            category_share_pct: shares(categories),
            category_share_pct_excl_finish: shares(without_finish),
            browser_calls: categories.browser,
            edit_calls: categories.edit,
            edit_views: self.edit_views,
            edit_writes: self.edit_writes,
            action_counts: self.actions.clone(),
            observation_counts: self.observations.clone(),
            invalid_tool_calls: self.invalid_calls,
            error_observations: self.error_observations,
            bash_nonzero_exits: self.failed_commands,
            browser_errors: self.browser_errors,
            llm_responses: self.responses.len() as u64,
            accumulated_cost_usd: self.counter.as_ref().and_then(|counter| counter.cost_usd),
            accumulated_token_usage: self.counter.clone(),
            sum_response_cost_usd: (!costs.is_empty()).then(|| rounded(costs.iter().sum(), 6)),
            sum_response_tokens: self
                .responses
                .iter()
                .fold(ResponseTokens::default(), |sum, response| sum.add(&response.tokens)),
            sum_response_llm_seconds: rounded(self.responses.iter().filter_map(|response| response.seconds).sum(), 3),
            first_browser_call_at_fraction_of_time: first_browse.map(|call| rounded(call.at, 4)),
            phase_time_deciles: phases::by_time(&self.calls),
            phase_count_deciles: phases::by_count(&self.calls),
            finished: self.finished,
        }
    }
}

/// To so many decimals, as printing rounds: the nearest, by the number's exact value.
fn rounded(value: f64, decimals: usize) -> f64 {
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_printing() {
        assert_eq!(rounded(17.857_142, 2), 17.86);
        // The number next to 2.675 is a little less than that.
        assert_eq!(rounded(2.675, 2), 2.67);
        assert_eq!(rounded(0.0, 4), 0.0);
    }
}
