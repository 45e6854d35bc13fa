//! What an evaluation is doing: a line per workflow that is being walked where lines can be redrawn, and a line per workflow that is done.

use crate::environment;
use benchwright_report::{number, text};
use benchwright_vibe::evaluate::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shows how an evaluation goes.
pub struct Watch {
    quiet: bool,
    begun: Instant,
    /// Stands before every line when several evaluations share the terminal.
    label: String,
    all: Option<MultiProgress>,
    bars: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Watch {
    /// Watches an evaluation alone.
    pub fn new(quiet: bool) -> Self {
        let all = (!quiet && environment::can_redraw()).then(MultiProgress::new);
        Self { quiet, begun: Instant::now(), label: String::new(), all, bars: Mutex::default() }
    }

    /// Watches one of several.
    pub fn labelled(quiet: bool, label: &str) -> Self {
        Self { quiet, begun: Instant::now(), label: format!("[{label}] "), all: None, bars: Mutex::default() }
    }

    /// Shows one event.
    pub fn show(&self, progress: &Progress) {
        match progress {
            Progress::Step(what) => self.say(what),
            Progress::Began { workflow } => self.draw(workflow),
            Progress::Ended(judged) => {
                let verdict = &judged.verdict;
                self.erase(&verdict.workflow);
                let passed = verdict.substeps.iter().filter(|substep| substep.passed()).count();
                let word = if verdict.passes() { "passes" } else { "fails" };
                self.say(&format!(
                    "{} {word}, {passed} of {} substeps, {}",
                    text::line_within(&verdict.workflow, 60),
                    verdict.substeps.len(),
                    number::seconds(judged.seconds)
                ));
            }
        }
    }

    fn say(&self, what: &str) {
        let line = format!("{:6.1} s  {}{what}", self.begun.elapsed().as_secs_f64(), self.label);
        match &self.all {
            Some(all) => {
                let _ = all.println(line);
            }
            None if !self.quiet => eprintln!("{line}"),
            None => {}
        }
    }

    fn draw(&self, workflow: &str) {
        let (Some(all), Ok(mut bars)) = (&self.all, self.bars.lock()) else { return };
        let bar = all.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} walking {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(text::line_within(workflow, 60));
        bar.enable_steady_tick(Duration::from_millis(120));
        bars.insert(workflow.to_owned(), bar);
    }

    fn erase(&self, workflow: &str) {
        if let Some(bar) = self.bars.lock().ok().and_then(|mut bars| bars.remove(workflow)) {
            bar.finish_and_clear();
        }
    }

    /// Takes the redrawn lines away.
    pub fn clear(&self) {
        if let Some(all) = &self.all {
            let _ = all.clear();
        }
    }
}
