//! What judges said of a submission: every answer, every call, what it cost.

use super::{Absence, Piece};
use benchwright_domain::BlobId;
use benchwright_domain::statistics::{Metric, krippendorff_alpha};
use serde::{Deserialize, Serialize};

/// Format version of [`Judgement`].
pub const VERSION: u32 = 1;

/// What judges said of a submission: every answer, every call, what it cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Format version.
    pub version: u32,
    /// What was judged: `intent`, `looks` or `maintainability`.
    pub kind: String,
    /// What was asked, in order.
    pub criteria: Vec<Criterion>,
    /// The judges who answered everything: one, or two.
    pub judges: Vec<Opinion>,
    /// The judge who was asked about what those two saw very differently.
    pub arbiter: Option<Opinion>,
    /// What judges said before the run was resumed, in tries that came to no verdict. It counts for nothing but was paid for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_vain: Vec<Opinion>,
    /// Dollars that the budget of the run's judges had been charged by then, calls that were cut off or named no price at their worst.
    /// Older runs did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged_usd: Option<f64>,
    /// The screenshots they were shown.
    pub images: Vec<Shown>,
    /// The source files they were shown.
    pub files: Vec<Excerpt>,
    /// Texts of the submission that seem to be meant for a judge.
    pub addressed_to_judge: Vec<String>,
    /// SHA-256 of what the first judge was shown, words and pictures.
    pub prompt_hash: String,
}

/// One thing judges were asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// Snake-case name.
    pub id: String,
    /// A few words.
    pub label: String,
    /// What they were told to look at.
    pub description: String,
}

/// What one judge said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// The model that was asked.
    pub model: String,
    /// The model that says it answered; empty when the provider does not say.
    pub answered_by: String,
    /// Whose model it is.
    pub family: String,
    /// One rating for every criterion it was asked about, in order.
    pub ratings: Vec<Rating>,
    /// What it says is missing.
    pub missing_features: Vec<String>,
    /// What else it says, cut.
    pub notes: String,
    /// Why earlier answers were not accepted.
    pub rejected: Vec<String>,
    /// Every call, the rejected ones included.
    pub calls: Vec<Call>,
}

/// A rating of one criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// The criterion.
    pub id: String,
    /// 1 to 5.
    pub score: u8,
    /// Why, cut.
    pub rationale: String,
}

/// One call to a model.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the call")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Tokens it was shown, if the provider says.
    pub tokens_in: Option<u64>,
    /// Tokens it produced, if the provider says.
    pub tokens_out: Option<u64>,
    /// Dollars this run paid for it; absent when nobody knows.
    pub cost_usd: Option<f64>,
    /// Whether the answer had been kept from an earlier run.
    pub cached: bool,
    /// Dollars the earlier run paid for it.
    pub recorded_cost_usd: Option<f64>,
    /// Attempts that failed before it.
    pub failed_attempts: u32,
    /// Whether the model answered at a temperature of its own, because it takes no other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_temperature: bool,
    /// Whether it was asked without a seed, because its provider takes none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_seed: bool,
    /// Whether the schema stood in its instructions, because its provider takes none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub schema_in_words: bool,
}

/// A screenshot as judges saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Name of the screenshot.
    pub name: String,
    /// The screenshot it was made from.
    pub blob: BlobId,
    /// Width it was scaled to.
    pub width: u32,
    /// Height it was scaled to.
    pub height: u32,
}

/// A source file as judges saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Path relative to the source root.
    pub path: String,
    /// Lines of the file.
    pub lines: usize,
    /// Lines that were shown.
    pub lines_shown: usize,
}

/// What all judges together say of one criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict<'a> {
    /// The criterion.
    pub criterion: &'a Criterion,
    /// 1 to 5: the mean of the judges, or the median of three where a third had to decide.
    pub value: f64,
    /// Each rating with the model that gave it, the arbiter's last.
    pub ratings: Vec<(&'a str, &'a Rating)>,
    /// Whether a third judge had to decide.
    pub arbitrated: bool,
}

/// What calls took, summed up. A sum with an unknown part is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expense {
    /// Calls, the rejected and the cached ones included.
    pub calls: usize,
    /// Calls that were answered from the cache.
    pub cached: usize,
    /// Tokens shown.
    pub tokens_in: Option<u64>,
    /// Tokens produced.
    pub tokens_out: Option<u64>,
    /// Dollars paid by this run.
    pub cost_usd: Option<f64>,
    /// Dollars that earlier runs paid for the answers used again.
    pub recorded_cost_usd: Option<f64>,
}

/// Two ratings further apart than this are a dispute.
const DISPUTE: u8 = 1;

/// The criteria that two opinions see very differently.
pub fn disputed(first: &Opinion, second: &Opinion) -> Vec<String> {
    let differs =
        |rating: &&Rating| second.score(&rating.id).is_some_and(|other| rating.score.abs_diff(other) > DISPUTE);
    first.ratings.iter().filter(differs).map(|rating| rating.id.clone()).collect()
}

impl Opinion {
    /// Its rating of a criterion.
    pub fn rating(&self, id: &str) -> Option<&Rating> {
        self.ratings.iter().find(|rating| rating.id == id)
    }

    fn score(&self, id: &str) -> Option<u8> {
        self.rating(id).map(|rating| rating.score)
    }
}

impl Judgement {
    /// What all judges together say, criterion by criterion. A criterion nobody rated is not part of it.
    pub fn verdicts(&self) -> Vec<Verdict<'_>> {
        self.criteria.iter().filter_map(|criterion| self.verdict(criterion)).collect()
    }

    fn verdict<'a>(&'a self, criterion: &'a Criterion) -> Option<Verdict<'a>> {
        let rating_of = |opinion: &'a Opinion| Some((opinion.model.as_str(), opinion.rating(&criterion.id)?));
        let mut ratings: Vec<_> = self.judges.iter().filter_map(rating_of).collect();
        let third = self.arbiter.as_ref().and_then(rating_of);
        let arbitrated = third.is_some();
        ratings.extend(third);
        if ratings.is_empty() {
            return None;
        }
        let mut scores: Vec<f64> = ratings.iter().map(|(_, rating)| f64::from(rating.score)).collect();
        scores.sort_by(f64::total_cmp);
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let value = if arbitrated { scores[scores.len() / 2] } else { mean };
        Some(Verdict { criterion, value, ratings, arbitrated })
    }

    /// Krippendorff's α of the two judges over all criteria, by interval distance. The arbiter is left out: it only saw disputes.
    /// Absent with one judge, and when no rating varies, because then there is nothing to agree about.
    pub fn alpha(&self) -> Option<f64> {
        if self.judges.len() < 2 {
            return None;
        }
        let score = |opinion: &Opinion, id: &str| opinion.score(id).map(f64::from);
        let units: Vec<Vec<Option<f64>>> = self
            .criteria
            .iter()
            .map(|criterion| self.judges.iter().map(|opinion| score(opinion, &criterion.id)).collect())
            .collect();
        krippendorff_alpha(&units, Metric::Interval).ok()
    }

    /// What everybody said whose word counts, the arbiter last.
    pub fn opinions(&self) -> impl Iterator<Item = &Opinion> {
        self.judges.iter().chain(&self.arbiter)
    }

    /// Everybody who was asked, in vain or not, in the order of asking.
    pub fn asked(&self) -> impl Iterator<Item = &Opinion> {
        self.in_vain.iter().chain(self.opinions())
    }
}

impl Piece<Judgement> {
    /// Everybody who was asked, also where they came to no verdict together.
    pub fn asked(&self) -> Vec<&Opinion> {
        match &self.value {
            Ok(judgement) => judgement.asked().collect(),
            Err(Absence::Unjudged { opinions, .. }) => opinions.iter().collect(),
            Err(_) => Vec::new(),
        }
    }

    /// Dollars that the budget of the run's judges had been charged when this was kept.
    pub fn charged_usd(&self) -> Option<f64> {
        match &self.value {
            Ok(judgement) => judgement.charged_usd,
            Err(Absence::Unjudged { charged_usd, .. }) => *charged_usd,
            Err(_) => None,
        }
    }
}

impl Expense {
    /// What all calls of these opinions took.
    pub fn of<'a>(opinions: impl IntoIterator<Item = &'a Opinion>) -> Self {
        let calls: Vec<&Call> = opinions.into_iter().flat_map(|opinion| &opinion.calls).collect();
        Self {
            calls: calls.len(),
            cached: calls.iter().filter(|call| call.cached).count(),
            tokens_in: calls.iter().map(|call| call.tokens_in).sum(),
            tokens_out: calls.iter().map(|call| call.tokens_out).sum(),
            cost_usd: calls.iter().map(|call| call.cost_usd).sum(),
            recorded_cost_usd: calls.iter().filter(|call| call.cached).map(|call| call.recorded_cost_usd).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(model: &str, scores: &[(&str, u8)]) -> Opinion {
        let rating =
            |(id, score): &(&str, u8)| Rating { id: (*id).to_owned(), score: *score, rationale: "seen".into() };
        Opinion { model: model.to_owned(), ratings: scores.iter().map(rating).collect(), ..Opinion::default() }
    }

    fn judgement(judges: Vec<Opinion>, arbiter: Option<Opinion>) -> Judgement {
        let criterion = |id: &str| Criterion { id: id.to_owned(), ..Criterion::default() };
        Judgement { criteria: ["a", "b", "c"].map(criterion).to_vec(), judges, arbiter, ..Judgement::default() }
    }

    #[test]
    fn two_judges_are_averaged_and_a_third_decides_by_the_median() {
        let judges = vec![opinion("x", &[("a", 5), ("b", 2), ("c", 1)]), opinion("y", &[("a", 4), ("b", 2), ("c", 4)])];
        assert_eq!(disputed(&judges[0], &judges[1]), ["c"]);
        let judgement = judgement(judges, Some(opinion("z", &[("c", 4)])));
        let values: Vec<_> = judgement.verdicts().iter().map(|verdict| (verdict.value, verdict.arbitrated)).collect();
        assert_eq!(values, [(4.5, false), (2.0, false), (4.0, true)]);
    }

    #[test]
    fn agreement_is_of_the_two_judges_and_absent_where_there_is_nothing_to_agree_about() {
        let scores = [("a", 5), ("b", 2), ("c", 1)];
        assert_eq!(judgement(vec![opinion("x", &scores), opinion("y", &scores)], None).alpha(), Some(1.0));
        assert_eq!(judgement(vec![opinion("x", &scores)], None).alpha(), None);
        let flat = [("a", 3), ("b", 3), ("c", 3)];
        assert_eq!(judgement(vec![opinion("x", &flat), opinion("y", &flat)], None).alpha(), None);
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown_and_not_less() {
        let call = |cost| Call { tokens_in: Some(10), tokens_out: None, cost_usd: cost, ..Call::default() };
        let mut one = judgement(vec![opinion("x", &[])], None);
        one.judges[0].calls = vec![call(Some(0.25)), call(Some(0.5))];
        let expense = Expense::of(one.asked());
        assert_eq!((expense.calls, expense.tokens_in, expense.tokens_out), (2, Some(20), None));
        assert_eq!((expense.cost_usd, expense.recorded_cost_usd), (Some(0.75), Some(0.0)));
        one.judges[0].calls.push(call(None));
        assert_eq!(Expense::of(one.asked()).cost_usd, None);
    }
}
