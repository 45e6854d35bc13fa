//! Which questions a run asks, and in which order.
//!
//! Questions are chosen cell by cell: the twelve cells are the four groups times the three difficulties. Those of one subject stand
//! together, because the examples before them are the same and an engine need read them only once.

use crate::FORMAT;
use crate::bank::Bank;
use crate::question::{Difficulty, Group, Question, Source, sha256_hex};
use benchwright_domain::statistics::SplitMix64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The ids of all frozen sets. Those of a source exist where its questions do.
pub const SET_IDS: [&str; 6] = ["own-12", "own-36", "own-120", "mmlu-12", "mmlu-36", "mmlu-120"];
/// How many questions a quick run may have.
pub const QUICK_COUNTS: [usize; 4] = [3, 10, 20, 40];

/// How many questions of each cell the frozen sets have.
const PER_CELL: [usize; 3] = [1, 3, 10];
const CELLS: usize = Group::ALL.len() * Difficulty::ALL.len();
/// Frozen sets are made of the first rows of a cell, so that questions which are added later change none of them. MMLU is never added to.
const OWN_ROWS_PER_CELL: usize = 20;
/// What a question's place in the frozen sets depends on, besides its id.
const SALT: &str = "benchwright frozen sets 1";

/// How frozen sets are chosen, in words.
pub fn rule_of_sets() -> String {
    format!(
        "Of each subject and difficulty the questions with the smallest SHA-256 of “{SALT}/” and the question’s id; of our own only the \
         first {OWN_ROWS_PER_CELL} in the order of their file take part. Subjects, and questions within one, are asked in the order of \
         the same hash."
    )
}

/// How quick runs are drawn, in words.
pub const RULE_OF_DRAWS: &str = "SplitMix64, begun with the seed, is asked for: a shuffle (Fisher and Yates) of the twelve pairs of \
    subject and difficulty; for each pair in their own order its questions, one index after the other without replacement, from those \
    sorted by id; a shuffle of the subjects that occur. Every pair gets an equal share; what is left over goes to the first pairs of \
    the shuffle that leave no subject and no difficulty with two questions more than another.";

/// A frozen set: the same questions in the same order for everybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionSet {
    /// Format version.
    pub format: u32,
    /// Such as `own-36`.
    pub id: String,
    /// Where its questions come from.
    pub source: Source,
    /// Its questions in the order they are asked: those of one subject together.
    pub question_ids: Vec<String>,
    /// The SHA-256 of its id and those of its questions, each followed by a line feed.
    pub sha256: String,
}

/// A quick run: questions drawn by a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct QuickDraw {
    /// Where its questions come from.
    pub source: Source,
    /// One of [`QUICK_COUNTS`].
    pub count: usize,
    /// The seed of the draw.
    pub seed: u32,
}

/// What a run asks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// A frozen set, by its id.
    Set(String),
    /// A quick run.
    Quick(QuickDraw),
}

impl Selection {
    /// The seed that [`crate::question_seed`] takes.
    pub fn run_seed(&self) -> u32 {
        match self {
            Self::Set(_) => 0,
            Self::Quick(draw) => draw.seed,
        }
    }
}

/// The frozen sets of a source: 12, 36 and 120 questions, each set part of the next. A set is left out where a cell has too few questions.
///
/// The rule: of each cell the questions with the smallest `SHA-256("benchwright frozen sets 1/" + id)`, compared as hexadecimal text; for
/// our own questions only the first twenty of the cell in the order of their file take part. Subjects are asked in the order of the same
/// hash of their names, the questions of a subject in the order of theirs.
pub fn frozen_sets(bank: &Bank) -> Vec<QuestionSet> {
    let key = |text: &str| sha256_hex(format!("{SALT}/{text}").as_bytes());
    let mut cells = cells(bank.questions.iter());
    for questions in cells.values_mut() {
        if bank.source == Source::Own {
            questions.truncate(OWN_ROWS_PER_CELL);
        }
        questions.sort_by_cached_key(|question| key(&question.id));
    }
    let enough =
        |per_cell: &usize| cells.len() == CELLS && cells.values().all(|questions| questions.len() >= *per_cell);
    let set = |per_cell: usize| {
        let mut chosen: Vec<&Question> = cells.values().flat_map(|questions| &questions[..per_cell]).copied().collect();
        chosen.sort_by_cached_key(|question| (key(&question.subject), key(&question.id)));
        let id = format!("{}-{}", bank.source.as_str(), per_cell * CELLS);
        QuestionSet::new(id, bank.source, chosen.into_iter().map(|question| question.id.clone()).collect())
    };
    PER_CELL.into_iter().filter(enough).map(set).collect()
}

impl QuestionSet {
    fn new(id: String, source: Source, question_ids: Vec<String>) -> Self {
        let lines: String = [&id].into_iter().chain(&question_ids).flat_map(|line| [line.as_str(), "\n"]).collect();
        Self { format: FORMAT, source, sha256: sha256_hex(lines.as_bytes()), id, question_ids }
    }
}

type Cell = (Group, Difficulty);

fn cells<'a>(questions: impl Iterator<Item = &'a Question>) -> BTreeMap<Cell, Vec<&'a Question>> {
    let mut cells: BTreeMap<Cell, Vec<&Question>> = BTreeMap::new();
    for question in questions {
        cells.entry((question.group, question.difficulty)).or_default().push(question);
    }
    cells
}

/// The ids of the questions of a quick run, in the order they are asked; nothing when the count is none of [`QUICK_COUNTS`], the bank of
/// another source, or a cell has too few questions.
///
/// The generator is [`SplitMix64`], begun with the seed, and asked in this order: a shuffle of the twelve cells; for each cell in their
/// own order, its questions, one index after the other without replacement; a shuffle of the subjects that occur. Cells hold their
/// questions in the order of their ids as texts. Every cell gets an equal share; what is left over goes to the first cells of the shuffle
/// that leave no group and no difficulty with two questions more than another.
pub fn draw(bank: &Bank, draw: QuickDraw) -> Option<Vec<String>> {
    if !QUICK_COUNTS.contains(&draw.count) || bank.source != draw.source {
        return None;
    }
    let mut random = SplitMix64::new(u64::from(draw.seed));
    let mut order: Vec<usize> = (0..CELLS).collect();
    shuffle(&mut order, &mut random);
    let extra = spread(&order, draw.count % CELLS);
    let mut sorted: Vec<&Question> = bank.questions.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let mut cells = cells(sorted.into_iter());
    let mut chosen: Vec<&Question> = Vec::with_capacity(draw.count);
    for cell in 0..CELLS {
        let key = (Group::ALL[cell / Difficulty::ALL.len()], Difficulty::ALL[cell % Difficulty::ALL.len()]);
        for _ in 0..draw.count / CELLS + usize::from(extra.contains(&cell)) {
            let questions = cells.get_mut(&key).filter(|questions| !questions.is_empty())?;
            chosen.push(questions.remove(random.next_index(questions.len())));
        }
    }
    let subjects: BTreeSet<&str> = chosen.iter().map(|question| question.subject.as_str()).collect();
    let mut subjects: Vec<&str> = subjects.into_iter().collect();
    shuffle(&mut subjects, &mut random);
    let of_subject = |subject| chosen.iter().filter(move |question| question.subject == subject);
    Some(subjects.into_iter().flat_map(of_subject).map(|question| question.id.clone()).collect())
}

/// Fisher and Yates' shuffle.
fn shuffle<T>(items: &mut [T], random: &mut SplitMix64) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.next_index(last + 1));
    }
}

/// The cells that get one question more: the first of the order for which no group and no difficulty gets two more than another.
fn spread(order: &[usize], count: usize) -> Vec<usize> {
    fn extend(order: &[usize], count: usize, taken: &mut Vec<usize>) -> bool {
        if taken.len() == count {
            return is_even(taken);
        }
        for (at, cell) in order.iter().enumerate().take((order.len() + taken.len() + 1).saturating_sub(count)) {
            taken.push(*cell);
            if extend(&order[at + 1..], count, taken) {
                return true;
            }
            taken.pop();
        }
        false
    }
    let mut taken = Vec::with_capacity(count);
    extend(order, count, &mut taken);
    taken
}

fn is_even(cells: &[usize]) -> bool {
    let difficulties = Difficulty::ALL.len();
    let within_one =
        |counts: &[usize]| counts.iter().max().zip(counts.iter().min()).is_none_or(|(most, least)| most - least <= 1);
    let (mut by_group, mut by_difficulty) = ([0; Group::ALL.len()], [0; Difficulty::ALL.len()]);
    for cell in cells {
        by_group[cell / difficulties] += 1;
        by_difficulty[cell % difficulties] += 1;
    }
    within_one(&by_group) && within_one(&by_difficulty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Letter, question_id};
    use proptest::prelude::*;

    /// So many questions in each cell; science has two subjects.
    fn bank(per_cell: usize) -> Bank {
        let mut questions = Vec::new();
        for group in Group::ALL {
            for (level, difficulty) in Difficulty::ALL.into_iter().enumerate() {
                for number in 0..per_cell {
                    let half = if group == Group::Science && number % 2 == 1 { "_two" } else { "" };
                    let subject = format!("own_{}{half}", group.as_str());
                    let row = level * per_cell + number;
                    let choices = ["1", "2", "3", "4"].map(str::to_owned);
                    let id = question_id(&subject, row, "?", &choices, Letter::A);
                    questions.push(Question {
                        id,
                        subject,
                        group,
                        difficulty,
                        question: "?".to_owned(),
                        choices,
                        answer: Letter::A,
                    });
                }
            }
        }
        Bank { source: Source::Own, questions, examples: BTreeMap::new() }
    }

    fn question<'a>(bank: &'a Bank, id: &str) -> &'a Question {
        bank.question(id).unwrap()
    }

    /// No two of these numbers differ by more than one.
    fn assert_even(counts: impl IntoIterator<Item = usize>) {
        let counts: Vec<usize> = counts.into_iter().collect();
        assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
    }

    fn assert_grouped(bank: &Bank, ids: &[String]) {
        let mut subjects: Vec<&str> = ids.iter().map(|id| question(bank, id).subject.as_str()).collect();
        subjects.dedup();
        assert_eq!(subjects.iter().collect::<BTreeSet<_>>().len(), subjects.len(), "a subject is asked in two places");
    }

    #[test]
    fn frozen_sets_are_balanced_nested_and_grouped() {
        let bank = bank(20);
        let sets = frozen_sets(&bank);
        assert_eq!(sets.iter().map(|set| set.id.as_str()).collect::<Vec<_>>(), ["own-12", "own-36", "own-120"]);
        for (set, per_cell) in sets.iter().zip(PER_CELL) {
            let chosen = cells(set.question_ids.iter().map(|id| question(&bank, id)));
            assert!(chosen.len() == CELLS && chosen.values().all(|questions| questions.len() == per_cell));
            assert_grouped(&bank, &set.question_ids);
            assert_eq!(set.sha256.len(), 64);
        }
        let ids = |at: usize| sets[at].question_ids.iter().collect::<BTreeSet<_>>();
        assert!(ids(0).is_subset(&ids(1)) && ids(1).is_subset(&ids(2)));
    }

    #[test]
    fn questions_that_are_added_later_change_no_set() {
        let mut grown = bank(20);
        let before = frozen_sets(&grown);
        let mut added = grown.questions[0].clone();
        added.id = "own_cs/999/0123456789ab".to_owned();
        grown.questions.push(added);
        assert_eq!(frozen_sets(&grown), before);
    }

    #[test]
    fn too_few_questions_make_smaller_sets_only() {
        assert_eq!(frozen_sets(&bank(9)).len(), 2);
        assert_eq!(frozen_sets(&bank(0)).len(), 0);
        assert_eq!(draw(&bank(3), QuickDraw { source: Source::Own, count: 40, seed: 1 }), None);
        assert_eq!(draw(&bank(9), QuickDraw { source: Source::Mmlu, count: 10, seed: 1 }), None);
        assert_eq!(draw(&bank(9), QuickDraw { source: Source::Own, count: 11, seed: 1 }), None);
    }

    /// Whoever writes the generator again must come to these.
    #[test]
    fn a_published_draw() {
        let ids = draw(&bank(20), QuickDraw { source: Source::Own, count: 3, seed: 7 }).unwrap();
        let rows: Vec<String> = ids.iter().map(|id| id.rsplit_once('/').unwrap().0.to_owned()).collect();
        assert_eq!(rows, ["own_engineering/9", "own_math/58", "own_science_two/35"]);
    }

    proptest! {
        #[test]
        fn draws_are_balanced_grouped_and_without_repeats(seed: u32, which in 0..QUICK_COUNTS.len()) {
            let bank = bank(20);
            let count = QUICK_COUNTS[which];
            let ids = draw(&bank, QuickDraw { source: Source::Own, count, seed }).unwrap();
            prop_assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), count);
            let chosen: Vec<&Question> = ids.iter().map(|id| question(&bank, id)).collect();
            assert_even(Group::ALL.map(|group| chosen.iter().filter(|one| one.group == group).count()));
            assert_even(Difficulty::ALL.map(|level| chosen.iter().filter(|one| one.difficulty == level).count()));
            let cells = cells(chosen.into_iter());
            assert_even((0..CELLS).map(|cell| cells.values().nth(cell).map_or(0, Vec::len)));
            assert_grouped(&bank, &ids);
        }

        #[test]
        fn the_same_seed_draws_the_same_whatever_the_order_of_the_bank(seed: u32) {
            let one = bank(5);
            let mut other = one.clone();
            other.questions.reverse();
            let quick = QuickDraw { source: Source::Own, count: 20, seed };
            prop_assert_eq!(draw(&one, quick), draw(&other, quick));
        }
    }

    #[test]
    fn every_cell_and_every_question_has_its_turn() {
        let bank = bank(4);
        let drawn: BTreeSet<String> =
            (0..400).flat_map(|seed| draw(&bank, QuickDraw { source: Source::Own, count: 3, seed }).unwrap()).collect();
        assert_eq!(drawn.len(), bank.questions.len());
    }
}
