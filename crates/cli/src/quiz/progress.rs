//! What a run is doing: a line that is redrawn where that is possible, and a line for every answer.

use crate::environment;
use benchwright_quiz::{Extraction, Question};
use benchwright_report::{number, text};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Shows how a run goes.
pub struct Watch {
    of: usize,
    quiet: bool,
    bar: Option<ProgressBar>,
}

impl Watch {
    /// Watches a run of so many questions, some of which have answers already.
    pub fn new(of: usize, answered: usize, quiet: bool) -> Self {
        let bar = (!quiet && environment::can_redraw()).then(|| {
            let bar = ProgressBar::new(of as u64).with_position(answered as u64);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} of {len}  {msg}  {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { of, quiet, bar }
    }

    /// A step before the first question.
    pub fn step(quiet: bool, what: &str) {
        if !quiet {
            eprintln!("{what}");
        }
    }

    /// A question is asked.
    pub fn asks(&self, at: usize, question: &Question) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("question {}: {}", at + 1, text::line_within(&question.question, 60)));
        }
    }

    /// It was answered.
    pub fn answered(&self, at: usize, question: &Question, reading: &Extraction, total_ms: f64) {
        let verdict = match reading.letter {
            Some(letter) if letter == question.answer => format!("{letter} right"),
            Some(letter) => format!("{letter} wrong"),
            None => "- none".to_owned(),
        };
        self.say(at, question, &format!("{verdict}, tier {}, {}", reading.tier, number::seconds(total_ms / 1000.0)));
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// The engine failed on it.
    pub fn failed(&self, at: usize, question: &Question, what: &str) {
        self.say(at, question, &format!("engine failed: {}", text::line_within(what, 200)));
    }

    fn say(&self, at: usize, question: &Question, what: &str) {
        let line = format!("{:>3} of {}  {:<28} {what}", at + 1, self.of, text::line_within(&question.subject, 28));
        match &self.bar {
            Some(bar) => bar.println(line),
            None if !self.quiet => eprintln!("{line}"),
            None => {}
        }
    }

    /// Takes the redrawn line away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
