//! The order in which every format tells the story: what was lost, what could not be measured, what passed, what had no input.

use crate::{Report, number, text};
use benchwright_domain::report::{OutcomeKind, ScorerReport};
use benchwright_domain::{Item, ItemStatus};

/// Less than this shows as 0.00 points.
const NOTHING_LOST: f64 = 0.005;

/// All scorers of a report, sorted into the sections of a report.
pub struct Ledger<'a> {
    /// Scored with points lost, or below their pass mark; the largest loss first.
    pub lost: Vec<Entry<'a>>,
    /// Our fault.
    pub errored: Vec<Entry<'a>>,
    /// Scored with nothing lost.
    pub passed: Vec<Entry<'a>>,
    /// Without input, by reason.
    pub no_input: Vec<Group<'a>>,
    /// Not asked for, by reason.
    pub not_applicable: Vec<Group<'a>>,
}

/// One scorer with the key it has in the report.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub key: &'a str,
    pub scorer: &'a ScorerReport,
}

/// Scorers that have no score for the same reason.
pub struct Group<'a> {
    pub reason: String,
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Entry<'a> {
    /// The id as shown: `F1`, or the key the user gave to a scorer of their own.
    pub fn badge(&self) -> String {
        self.scorer.id.map_or_else(|| text::line_within(self.key, 40), |id| id.to_string())
    }

    pub fn score(&self) -> f64 {
        number::finite(self.scorer.score.unwrap_or_default()).clamp(0.0, 1.0)
    }

    pub fn points_lost(&self) -> f64 {
        number::finite(self.scorer.points_lost).max(0.0)
    }

    pub fn is_weightless(&self) -> bool {
        number::finite(self.scorer.share) < NOTHING_LOST
    }

    /// All items, those whose change wins most back first; items that do not say what they are worth keep their order behind.
    pub fn items(&self) -> Vec<&'a Item> {
        let mut items: Vec<_> = self.scorer.details.items.iter().collect();
        items.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
        items
    }

    /// The items that did not hold, in the order of [`Entry::items`].
    pub fn failed(&self) -> Vec<&'a Item> {
        self.items().into_iter().filter(|item| item.status == ItemStatus::Failed).collect()
    }

    /// Composite points that would come back if this item alone were mended, where that is known and worth showing.
    pub fn points_of(&self, item: &Item) -> Option<f64> {
        let points = gain(item) * number::finite(self.scorer.share);
        (item.status == ItemStatus::Failed && points >= NOTHING_LOST).then_some(points)
    }

    fn is_scored(&self) -> bool {
        self.scorer.outcome == OutcomeKind::Scored
    }

    /// Whether so little was lost that it shows as nothing.
    pub fn is_whole(&self) -> bool {
        self.points_lost() < NOTHING_LOST
    }

    fn is_lost(&self) -> bool {
        self.is_scored() && (!self.is_whole() || self.scorer.passed == Some(false))
    }
}

impl<'a> Ledger<'a> {
    pub fn of(report: &'a Report) -> Self {
        let mut entries: Vec<_> = report.scorers.iter().map(|(key, scorer)| Entry { key, scorer }).collect();
        entries.sort_by_key(|entry| (entry.scorer.id.is_none(), entry.scorer.id, entry.key));
        let with = |kind| entries.iter().copied().filter(move |entry| entry.scorer.outcome == kind);
        let mut lost: Vec<_> = entries.iter().copied().filter(Entry::is_lost).collect();
        lost.sort_by(|a, b| b.points_lost().total_cmp(&a.points_lost()));
        Self {
            lost,
            errored: with(OutcomeKind::Errored).collect(),
            passed: with(OutcomeKind::Scored).filter(|entry| !entry.is_lost()).collect(),
            no_input: by_reason(with(OutcomeKind::NoInput)),
            not_applicable: by_reason(with(OutcomeKind::NotApplicable)),
        }
    }

    pub fn points_lost(&self) -> f64 {
        self.lost.iter().map(Entry::points_lost).sum()
    }

    pub fn scored_count(&self) -> usize {
        self.lost.len() + self.passed.len()
    }

    pub fn count(&self) -> usize {
        let grouped = |groups: &[Group]| groups.iter().map(|group| group.entries.len()).sum::<usize>();
        self.scored_count() + self.errored.len() + grouped(&self.no_input) + grouped(&self.not_applicable)
    }
}

fn gain(item: &Item) -> f64 {
    number::finite(item.gain.unwrap_or_default()).clamp(0.0, 1.0)
}

/// Groups in the order in which their first member stands.
fn by_reason<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for entry in entries {
        let reason = reason(entry.scorer);
        match groups.iter_mut().find(|group| group.reason == reason) {
            Some(group) => group.entries.push(entry),
            None => groups.push(Group { reason, entries: vec![entry] }),
        }
    }
    groups
}

/// Why there is no score, cleaned.
pub fn reason(scorer: &ScorerReport) -> String {
    scorer
        .reason
        .as_deref()
        .map(text::line)
        .filter(|reason| !reason.is_empty())
        .unwrap_or_else(|| "no reason given".into())
}
