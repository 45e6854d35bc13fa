//! What there is to review, and which of it is whose.

use super::Reviews;
use super::entrance::Reviewer;
use crate::refusal::Refused;
use crate::state::Intake;
use benchwright_domain::vibe::review::{AppToReview, Assignment};
use benchwright_store::index::vibe::IndexedApp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How long a list of all apps is good enough. What somebody saves is looked at anew at once.
const GOOD_FOR: Duration = Duration::from_secs(5);

/// The list that was made last, and when.
pub type Candidates = Option<(Instant, Arc<Vec<Candidate>>)>;

/// An app that people should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub app: AppToReview,
    /// What its task is called.
    pub title: String,
    /// Ids of its workflows.
    pub workflows: Vec<String>,
    /// Who said something of which workflows.
    pub said: BTreeMap<String, BTreeSet<String>>,
}

/// An app as one reviewer knows it.
#[derive(Debug, Clone)]
pub struct Item {
    /// A name that says nothing of the app.
    pub name: String,
    /// What it is called on pages.
    pub label: String,
    /// The run in which it was evaluated; never shown.
    pub run: String,
    /// What its task is called.
    pub title: String,
    pub done: usize,
    pub workflows: usize,
}

/// Everything there is to review.
pub async fn candidates(intake: &Intake, reviews: &Reviews) -> Result<Arc<Vec<Candidate>>, Refused> {
    let kept = reviews.candidates.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, list)) = kept.filter(|(made, _)| made.elapsed() < GOOD_FOR) {
        return Ok(list);
    }
    let list = Arc::new(of_apps(&intake.queue.index().evaluations().await?));
    *reviews.candidates.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), Arc::clone(&list)));
    Ok(list)
}

/// Forgets the list, because something was said.
pub fn forget(reviews: &Reviews) {
    *reviews.candidates.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// What one reviewer is to look at, task by task.
pub fn items(reviews: &Reviews, candidates: &[Candidate], reviewer: &Reviewer) -> Vec<Item> {
    let apps: Vec<AppToReview> = candidates.iter().map(|candidate| candidate.app.clone()).collect();
    let begun = candidates
        .iter()
        .flat_map(|candidate| candidate.said.keys().map(|name| (candidate.app.task.as_str(), name.as_str())));
    let begun: BTreeSet<(&str, &str)> = begun.collect();
    let assignment = Assignment::of(&reviewer.pool, &apps, &begun, &reviews.seed);
    let mut letters: BTreeMap<&str, usize> = BTreeMap::new();
    let mine = assignment.items(&reviewer.name);
    let known = mine.into_iter().filter_map(|app| candidates.iter().find(|candidate| candidate.app == *app));
    let item = |candidate: &Candidate, place: usize| Item {
        name: Assignment::name(&reviews.seed, &reviewer.name, &candidate.app.run),
        label: format!("App {}", letters_of(place)),
        run: candidate.app.run.clone(),
        title: candidate.title.clone(),
        done: candidate.said.get(&reviewer.name).map_or(0, BTreeSet::len),
        workflows: candidate.workflows.len(),
    };
    known
        .map(|candidate| {
            let place = letters.entry(&candidate.app.task).or_default();
            *place += 1;
            item(candidate, *place - 1)
        })
        .collect()
}

/// A, B, …, Z, AA, AB, …
fn letters_of(place: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(place % 26).unwrap_or_default());
    if place < 26 { letter.to_string() } else { format!("{}{letter}", letters_of(place / 26 - 1)) }
}

/// The apps that count in the agreement and can be deployed again. The newest version of a task and the newest app of a model
/// count; of several evaluations of that app, the one that people spoke of most.
fn of_apps(apps: &[IndexedApp]) -> Vec<Candidate> {
    let mut versions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut groups: BTreeMap<(&str, &str, u32), Vec<&IndexedApp>> = BTreeMap::new();
    // The list begins with the newest.
    for app in apps {
        let evaluation = &app.evaluation;
        let version = versions.entry(&evaluation.task.id).or_insert(&evaluation.task_hash);
        let counts = evaluation.app.evaluation == 0 && evaluation.app.variant.is_empty() && evaluation.is_whole();
        if counts && *version == evaluation.task_hash {
            let key = (evaluation.task.id.as_str(), evaluation.app.model.as_str(), evaluation.app.run);
            groups.entry(key).or_default().push(app);
        }
    }
    groups.into_values().filter_map(|group| chosen(&group)).collect()
}

fn chosen(group: &[&IndexedApp]) -> Option<Candidate> {
    let bundle = group.first()?.evaluation.app.bundle.as_ref()?;
    let same = group.iter().filter(|app| app.evaluation.app.bundle.as_ref() == Some(bundle) && app.evaluation.started);
    // Of equals the last one is taken: the list is turned around, so that this is the newest.
    let app = same.rev().max_by_key(|app| app.reviews.len())?;
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for review in &app.reviews {
        said.entry(review.by.clone()).or_default().insert(review.workflow.clone());
    }
    let evaluation = &app.evaluation;
    Some(Candidate {
        app: AppToReview { task: evaluation.task.id.clone(), run: app.run.clone() },
        title: evaluation.task_title.clone(),
        workflows: evaluation.workflows.iter().map(|workflow| workflow.verdict.workflow.clone()).collect(),
        said,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_letters_for_any_number_of_apps() {
        let letters: Vec<String> = [0, 25, 26, 27, 701, 702].into_iter().map(letters_of).collect();
        assert_eq!(letters, ["A", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
