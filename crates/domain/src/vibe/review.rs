//! People who review apps: what they read, who sees which app in which order, and how well they know the trade.
//!
//! One reviewer sees all apps of a task, so that each is held to the same measure; every app is seen by two, so that there is
//! something to compare. Nobody is told whose app it is or what others said.

mod assignment;
mod calibration;

pub use assignment::{AppToReview, Assignment, REVIEWERS};
pub use calibration::{CALIBRATION_FORMAT, Calibration, Key};

use serde::{Deserialize, Serialize};

/// What a reviewer reads of a task, with the values of one occasion filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// The task in a few words.
    pub title: String,
    /// What the app was asked to be.
    pub spec: String,
    /// What to try.
    pub workflows: Vec<SheetWorkflow>,
}

/// One way through the app.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetWorkflow {
    /// Its name.
    pub id: String,
    /// A few words.
    pub title: String,
    /// What it is about.
    pub purpose: String,
    /// One sentence each.
    pub substeps: Vec<String>,
}
