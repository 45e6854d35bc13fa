//! What people say of the apps of a study.

use super::{Built, Collection, is_first};
use crate::vibe::evaluation::Evaluation;
use crate::vibe::study::Rating;
use std::collections::BTreeSet;

/// What a person said of one workflow of an evaluated app.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The app.
    pub evaluation: &'a Evaluation,
    /// Who.
    pub by: &'a str,
    /// The workflow.
    pub workflow: &'a str,
    /// Whether each substep passes, in order; absent where nobody could tell.
    pub marks: &'a [Option<bool>],
}

impl Collection {
    /// Adds what people said of apps that are part of the study. Who said something twice is heard once, on the newest evaluation.
    pub fn hear(&mut self, mut said: Vec<Said<'_>>) {
        said.sort_by(|one, other| other.evaluation.started_at.cmp(&one.evaluation.started_at));
        let is_studied =
            |said: &&Said<'_>| is_first(said.evaluation) && self.studied.contains(&Built::of(said.evaluation));
        let mut heard: BTreeSet<_> = self.study.ratings.iter().map(key).collect();
        let ratings = said.iter().filter(is_studied).map(rating).filter(|rating| heard.insert(key(rating)));
        let ratings: Vec<Rating> = ratings.collect();
        self.study.ratings.extend(ratings);
    }
}

fn rating(said: &Said<'_>) -> Rating {
    Rating {
        rater: said.by.to_owned(),
        human: true,
        model: said.evaluation.app.model.clone(),
        task: said.evaluation.task.id.clone(),
        run: said.evaluation.app.run,
        workflow: said.workflow.to_owned(),
        marks: said.marks.to_vec(),
    }
}

fn key(rating: &Rating) -> (String, String, String, u32, String) {
    (rating.rater.clone(), rating.model.clone(), rating.task.clone(), rating.run, rating.workflow.clone())
}
