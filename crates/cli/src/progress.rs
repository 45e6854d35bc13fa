//! Live progress: one line per lane on a terminal, plain lines elsewhere.

use crate::environment;
use benchwright_scoring::record::{Lane, Progress};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shows what a run is doing.
pub enum Display {
    /// Nothing.
    Silent,
    /// A line per event, for logs.
    Lines {
        /// When the run began.
        begun: Instant,
        /// Stands before every line when several runs share the log.
        label: String,
        /// Why something could not be gathered, as it was said last.
        last_reason: Mutex<String>,
    },
    /// A line per lane, redrawn in place.
    Lanes {
        /// All lines.
        all: MultiProgress,
        /// The lines by lane.
        bars: Mutex<BTreeMap<Lane, ProgressBar>>,
    },
}

impl Display {
    /// The display that fits where standard error goes.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            Self::Silent
        } else if environment::can_redraw() {
            Self::Lanes { all: MultiProgress::new(), bars: Mutex::new(BTreeMap::new()) }
        } else {
            Self::lines(String::new())
        }
    }

    /// Plain lines with a label, for runs side by side.
    pub fn labelled(quiet: bool, label: &str) -> Self {
        if quiet { Self::Silent } else { Self::lines(format!("[{label}] ")) }
    }

    fn lines(label: String) -> Self {
        Self::Lines { begun: Instant::now(), label, last_reason: Mutex::default() }
    }

    /// Shows one event.
    pub fn show(&self, event: &Progress) {
        match self {
            Self::Silent => {}
            Self::Lines { begun, label, last_reason } => {
                if let Some(line) = plain(&shortened(event, last_reason)) {
                    eprintln!("{:6.1} s  {label}{line}", begun.elapsed().as_secs_f64());
                }
            }
            Self::Lanes { all, bars } => {
                let Ok(mut bars) = bars.lock() else { return };
                redraw(all, &mut bars, event);
            }
        }
    }

    /// Takes the lines away, so that what follows starts on a clean screen.
    pub fn clear(&self) {
        if let Self::Lanes { all, .. } = self {
            let _ = all.clear();
        }
    }
}

/// How many of many things are done, redrawn in place; nothing where that is not possible.
pub struct Counter {
    bar: Option<ProgressBar>,
}

impl Counter {
    /// Counts `what`.
    pub fn new(what: &str, quiet: bool) -> Self {
        let style = ProgressStyle::with_template(&format!("{{pos}} of {{len}} {what}, {{per_sec}}, {{eta}} left"));
        let bar = (!quiet && environment::can_redraw())
            .then(|| ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())));
        Self { bar }
    }

    /// Shows where it stands.
    pub fn show(&self, done: usize, of: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// One reason may hold for many kinds of evidence; it is said in full once.
fn shortened(event: &Progress, last_reason: &Mutex<String>) -> Progress {
    let mut event = event.clone();
    if let Progress::Gathered { absence: Some(reason), .. } = &mut event
        && let Ok(mut last) = last_reason.lock()
    {
        if *last == *reason {
            "as before".clone_into(reason);
        } else {
            last.clone_from(reason);
        }
    }
    event
}

fn plain(event: &Progress) -> Option<String> {
    words(event).map(|(lane, words)| format!("{:<6}  {words}", lane.name()))
}

/// An event in words, with the lane it is of; nothing for the end of a lane.
pub fn words(event: &Progress) -> Option<(Lane, String)> {
    match event {
        Progress::Step { lane, what } => Some((*lane, what.clone())),
        Progress::Gathered { lane, kind, seconds, absence: None } => {
            Some((*lane, format!("{kind} gathered in {seconds:.1} s")))
        }
        Progress::Gathered { lane, kind, absence: Some(reason), .. } => Some((*lane, format!("{kind}: {reason}"))),
        Progress::Done { .. } => None,
    }
}

fn redraw(all: &MultiProgress, bars: &mut BTreeMap<Lane, ProgressBar>, event: &Progress) {
    let lane = match event {
        Progress::Step { lane, .. } | Progress::Gathered { lane, .. } | Progress::Done { lane } => *lane,
    };
    let bar = bars.entry(lane).or_insert_with(|| {
        let bar = all.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix:<7}{msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.set_prefix(lane.name());
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    });
    match event {
        Progress::Step { what, .. } => bar.set_message(what.clone()),
        Progress::Gathered { kind, absence, .. } => {
            bar.set_message(
                absence.as_ref().map_or_else(|| format!("{kind} gathered"), |why| format!("{kind}: {why}")),
            );
        }
        Progress::Done { .. } => bar.finish_with_message("done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_name_the_lane_and_what_happened() {
        let gathered = |absence: Option<&str>| Progress::Gathered {
            lane: Lane::Page,
            kind: "axe".to_owned(),
            seconds: 1.26,
            absence: absence.map(str::to_owned),
        };
        assert_eq!(plain(&gathered(None)).unwrap(), "page    axe gathered in 1.3 s");
        assert_eq!(plain(&gathered(Some("it crashed"))).unwrap(), "page    axe: it crashed");
        let last = Mutex::default();
        let said = |why| plain(&shortened(&gathered(why), &last)).unwrap();
        assert_eq!(said(Some("it crashed")), "page    axe: it crashed");
        assert_eq!(said(Some("it crashed")), "page    axe: as before");
        assert_eq!(said(None), "page    axe gathered in 1.3 s");
        assert_eq!(said(Some("it is gone")), "page    axe: it is gone");
    }
}
