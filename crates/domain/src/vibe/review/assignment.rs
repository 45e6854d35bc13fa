//! Who reviews which app. Nothing is kept: the same pool, apps and seed give the same answer to everybody who asks.

use crate::statistics::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};

/// How many people look at every app.
pub const REVIEWERS: usize = 2;

/// An app that people should look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AppToReview {
    /// The task it was built for.
    pub task: String,
    /// The run in which it was evaluated.
    pub run: String,
}

/// Who reviews which task. All apps of a task are seen by the same people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment<'a> {
    seed: &'a str,
    apps: &'a [AppToReview],
    tasks: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Assignment<'a> {
    /// Shares the tasks among a pool. Whoever has begun with a task (task and reviewer in `begun`) keeps it; what is missing to
    /// two is filled up with whoever has least to do, and by lot among equals.
    pub fn of(
        pool: &'a BTreeSet<String>,
        apps: &'a [AppToReview],
        begun: &BTreeSet<(&str, &str)>,
        seed: &'a str,
    ) -> Self {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for app in apps {
            *sizes.entry(&app.task).or_default() += 1;
        }
        let has_begun = |task: &str, reviewer: &str| begun.contains(&(task, reviewer));
        let mut tasks: BTreeMap<&str, BTreeSet<&str>> = sizes
            .keys()
            .map(|task| (*task, pool.iter().map(String::as_str).filter(|it| has_begun(task, it)).collect()))
            .collect();
        let mut loads: BTreeMap<&str, usize> = pool.iter().map(|reviewer| (reviewer.as_str(), 0)).collect();
        for (task, reviewers) in &tasks {
            for reviewer in reviewers {
                *loads.entry(reviewer).or_default() += sizes[task];
            }
        }
        for (task, reviewers) in &mut tasks {
            while reviewers.len() < REVIEWERS {
                let free = pool.iter().map(String::as_str).filter(|reviewer| !reviewers.contains(reviewer));
                let Some(next) = free.min_by_key(|reviewer| (loads[reviewer], lot(&[seed, task, reviewer]))) else {
                    break;
                };
                reviewers.insert(next);
                *loads.entry(next).or_default() += sizes[task];
            }
        }
        Self { seed, apps, tasks }
    }

    /// Who reviews a task.
    pub fn reviewers(&self, task: &str) -> Vec<&'a str> {
        self.tasks.get(task).into_iter().flatten().copied().collect()
    }

    /// What one reviewer sees, task by task. The order of tasks, and of the apps of each, is another for every reviewer.
    pub fn items(&self, reviewer: &str) -> Vec<&'a AppToReview> {
        let is_mine = |app: &&AppToReview| self.tasks.get(app.task.as_str()).is_some_and(|it| it.contains(reviewer));
        let mut items: Vec<&AppToReview> = self.apps.iter().filter(is_mine).collect();
        let place = |app: &&AppToReview| {
            let of_task = lot(&[self.seed, reviewer, &app.task]);
            (of_task, app.task.clone(), lot(&[self.seed, reviewer, &app.task, &app.run]), app.run.clone())
        };
        items.sort_by_cached_key(place);
        items
    }

    /// A name for an item that says nothing of the app, and is another for every reviewer.
    pub fn name(seed: &str, reviewer: &str, run: &str) -> String {
        format!("{:016x}", lot(&[seed, "name", reviewer, run]))
    }
}

/// A number that nobody chose: FNV-1a over the parts, well stirred. The same parts give the same number for ever.
fn lot(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    SplitMix64::new(hash).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pool(size: usize) -> BTreeSet<String> {
        (0..size).map(|number| format!("person-{number}")).collect()
    }

    fn apps(sizes: &[usize]) -> Vec<AppToReview> {
        let of_task = |(task, size): (usize, &usize)| {
            (0..*size).map(move |run| AppToReview { task: format!("task-{task}"), run: format!("{task}-{run}") })
        };
        sizes.iter().enumerate().flat_map(of_task).collect()
    }

    proptest! {
        #[test]
        fn every_app_is_seen_by_two_and_whoever_sees_one_app_of_a_task_sees_all(
            people in 0_usize..9, sizes in prop::collection::vec(1_usize..6, 0..12), seed in "[a-z]{0,6}"
        ) {
            let (pool, apps) = (pool(people), apps(&sizes));
            let assignment = Assignment::of(&pool, &apps, &BTreeSet::new(), &seed);
            for app in &apps {
                let seen = pool.iter().filter(|person| assignment.items(person).contains(&app)).count();
                prop_assert_eq!(seen, people.min(REVIEWERS));
            }
            for person in &pool {
                let items = assignment.items(person);
                for (task, size) in sizes.iter().enumerate() {
                    let places: Vec<usize> = items.iter().enumerate()
                        .filter(|(_, app)| app.task == format!("task-{task}")).map(|(place, _)| place).collect();
                    prop_assert!(places.is_empty() || places.len() == *size);
                    // The apps of a task follow one another, so that they are compared while they are remembered.
                    prop_assert!(places.windows(2).all(|two| two[1] == two[0] + 1));
                }
            }
        }

        #[test]
        fn nobody_has_much_more_to_do_than_anybody_else(
            people in 2_usize..9, sizes in prop::collection::vec(1_usize..6, 1..12), seed in "[a-z]{0,6}"
        ) {
            let (pool, apps) = (pool(people), apps(&sizes));
            let assignment = Assignment::of(&pool, &apps, &BTreeSet::new(), &seed);
            let loads: Vec<usize> = pool.iter().map(|person| assignment.items(person).len()).collect();
            let spread = loads.iter().max().unwrap() - loads.iter().min().unwrap();
            prop_assert!(spread <= *sizes.iter().max().unwrap(), "{loads:?}");
        }

        #[test]
        fn what_was_begun_is_kept_when_people_come_and_go(
            people in 2_usize..6, joining in 0_usize..4, sizes in prop::collection::vec(1_usize..4, 1..8), seed in "[a-z]{0,6}"
        ) {
            let (before, after, apps) = (pool(people), pool(people + joining), apps(&sizes));
            let first = Assignment::of(&before, &apps, &BTreeSet::new(), &seed);
            let begun: BTreeSet<(&str, &str)> = apps.iter()
                .flat_map(|app| first.reviewers(&app.task).into_iter().map(|person| (app.task.as_str(), person))).collect();
            let second = Assignment::of(&after, &apps, &begun, &seed);
            for app in &apps {
                prop_assert_eq!(first.reviewers(&app.task), second.reviewers(&app.task));
            }
        }
    }

    #[test]
    fn an_order_is_the_seeds_and_the_reviewers_and_nobody_elses() {
        let (pool, apps) = (pool(2), apps(&[8, 8, 8]));
        let none = BTreeSet::new();
        let order = |person: &str, seed: &str| -> Vec<String> {
            Assignment::of(&pool, &apps, &none, seed).items(person).iter().map(|app| app.run.clone()).collect()
        };
        assert_eq!(order("person-0", "a"), order("person-0", "a"));
        assert_ne!(order("person-0", "a"), order("person-1", "a"));
        assert_ne!(order("person-0", "a"), order("person-0", "b"));
        let written: Vec<String> = apps.iter().map(|app| app.run.clone()).collect();
        assert_ne!(order("person-0", "a"), written);
        assert_eq!(order("somebody else", "a"), Vec::<String>::new());
    }

    #[test]
    fn orders_are_the_same_for_ever() {
        let (pool, apps) = (pool(2), apps(&[3, 2]));
        let none = BTreeSet::new();
        let assignment = Assignment::of(&pool, &apps, &none, "published");
        let order: Vec<&str> = assignment.items("person-0").iter().map(|app| app.run.as_str()).collect();
        assert_eq!(order, ["0-1", "0-2", "0-0", "1-0", "1-1"]);
        assert_eq!(Assignment::name("published", "person-0", "0-0"), "8365071765f1fc4c");
    }

    #[test]
    fn a_name_is_another_for_everybody() {
        let name = |seed, person, run| Assignment::name(seed, person, run);
        let names =
            BTreeSet::from([name("s", "a", "r"), name("s", "b", "r"), name("t", "a", "r"), name("s", "a", "q")]);
        assert_eq!(names.len(), 4);
    }
}
