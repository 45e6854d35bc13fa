//! Carrying out what a model calls, and telling it what came of it.

use super::circles::{Repeated, standpoint};
use super::tools::{self, Move, Outcome, Side};
use super::{Agent, Flow};
use crate::line::{blank, flat};
use crate::task::Substep;
use crate::walk::error::WalkError;
use crate::walk::observation::{self, Observation, Part};
use crate::walk::stage::Stage;
use crate::walk::target;
use benchwright_domain::vibe::trace::{Action, ActionTrace, Attempt, Node, Sight, SubstepTrace, Target};
use benchwright_llm::ToolCall;
use std::fmt::Write as _;

/// Places of a text that are told.
const MOST_FOUND: usize = 8;
const LONGEST_FOUND: usize = 160;

/// What came of a call.
pub(super) struct Came {
    pub(super) text: String,
    pub(super) failed: bool,
    pub(super) flow: Flow,
}

impl Came {
    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: true, flow: Flow::On }
    }

    fn told(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: false, flow: Flow::On }
    }
}

impl Agent {
    /// Does what a call asks for. What the model got wrong is told to the model; an error ends the walk.
    pub(super) async fn carry_out(
        &mut self,
        stage: &mut Stage,
        substep: &Substep,
        call: &ToolCall,
        trace: &mut SubstepTrace,
    ) -> Result<Came, WalkError> {
        let wanted = match tools::read(call) {
            Ok(wanted) => wanted,
            Err(wrong) => return Ok(Came::failed(wrong)),
        };
        match wanted {
            Move::NextSubstep { outcome, note } => Ok(conclude(trace, outcome, note)),
            Move::Done { reason } => Ok(self.quit(trace, &reason)),
            Move::More { part, r#ref } => self.more(stage, part, r#ref).await,
            Move::Navigate { url } if !may_open(&url, substep, stage.origin()) => {
                Ok(Came::failed("refused: no substep names this address; use the app's own links and buttons"))
            }
            other => {
                let sight = stage.sight().await?;
                match self.action(stage, &sight, other) {
                    Ok(action) => self.perform(stage, &sight, action, trace).await,
                    Err(wrong) => Ok(Came::failed(wrong)),
                }
            }
        }
    }

    async fn perform(
        &mut self,
        stage: &mut Stage,
        before: &Sight,
        action: Action,
        trace: &mut SubstepTrace,
    ) -> Result<Came, WalkError> {
        let repeated = self.circles.note(standpoint(before), &format!("{action:?}"));
        if let Repeated::TooOften(times) = repeated {
            let reason = format!("the same step was repeated {times} times on a page that did not change");
            return Err(WalkError::Stuck { reason });
        }
        let done = stage.perform(&action).await?;
        let mut came = self.told(&done);
        if let Action::FindText { text } = &action {
            came.text = self.found(&stage.sight().await?, stage.viewport(), text);
        }
        if let Repeated::Times(times) = repeated {
            // Writing to a string cannot fail.
            let _ = write!(
                came.text,
                " You have done exactly this {times} times on the same page: try something else, or end the substep."
            );
        }
        trace.actions.push(done);
        Ok(came)
    }

    /// The action a model means, with its target as it is on the page now.
    fn action(&self, stage: &Stage, sight: &Sight, wanted: Move) -> Result<Action, String> {
        let at = |reference: &str| self.target(sight, reference);
        Ok(match wanted {
            Move::Navigate { url } => Action::Navigate { url },
            Move::Click { r#ref } => Action::Click { target: at(&r#ref)? },
            Move::DoubleClick { r#ref } => Action::DoubleClick { target: at(&r#ref)? },
            Move::Fill { r#ref, text } => Action::Fill { target: at(&r#ref)?, text },
            Move::Clear { r#ref } => Action::Clear { target: at(&r#ref)? },
            Move::Press { keys, r#ref } => Action::Press { target: r#ref.as_deref().map(at).transpose()?, keys },
            Move::Select { r#ref, options } => Action::Select { target: at(&r#ref)?, options },
            Move::Check { r#ref, checked } => Action::Check { target: at(&r#ref)?, checked },
            Move::Hover { r#ref } => Action::Hover { target: at(&r#ref)? },
            Move::Focus { r#ref } => Action::Focus { target: at(&r#ref)? },
            Move::Scroll { x, y, r#ref } => Action::Scroll { target: r#ref.as_deref().map(at).transpose()?, x, y },
            Move::Drag { from, to } => Action::Drag { from: at(&from)?, to: at(&to)? },
            Move::Upload { r#ref, files } => Action::Upload { target: at(&r#ref)?, files },
            Move::Download { r#ref } => Action::Download { target: at(&r#ref)? },
            Move::Back {} => Action::Back,
            Move::Forward {} => Action::Forward,
            Move::Reload {} => Action::Reload,
            Move::Wait { milliseconds, text } => Action::Wait { milliseconds, text },
            Move::SwitchTab { tab } => Action::SwitchTab { tab: place_of(tab, stage.current) },
            Move::CloseTab { tab } => Action::CloseTab { tab: place_of(tab, stage.current) },
            Move::Dialog { accept, text } => Action::Dialog { accept, text },
            Move::FindText { text } => Action::FindText { text },
            Move::More { .. } | Move::NextSubstep { .. } | Move::Done { .. } => {
                return Err("this is nothing to do on a page".to_owned());
            }
        })
    }

    fn target(&self, sight: &Sight, reference: &str) -> Result<Target, String> {
        match observation::find(&sight.root, reference) {
            Some(node) => Ok(target::of(sight, node)),
            None if self.known.contains(reference) => {
                Err(format!("{reference} is not on the page any more; use a reference of the newest view"))
            }
            None => Err(format!("no element has the reference \"{}\"", shown(reference))),
        }
    }

    async fn more(
        &mut self,
        stage: &mut Stage,
        side: Option<Side>,
        reference: Option<String>,
    ) -> Result<Came, WalkError> {
        let sight = stage.sight().await?;
        let step = format!("more {side:?} {reference:?}");
        if let Repeated::TooOften(times) = self.circles.note(standpoint(&sight), &step) {
            return Err(WalkError::Stuck { reason: format!("the same part of the page was asked for {times} times") });
        }
        let part = match (&reference, side) {
            (Some(reference), _) => Part::Inside(reference),
            (None, Some(Side::Above)) => Part::Windows(-1),
            (None, Some(Side::Below) | None) => Part::Windows(1),
            (None, Some(Side::Here)) => Part::Window,
        };
        let told = Observation::of(&sight, stage.viewport(), part);
        self.known.extend(told.references().map(str::to_owned));
        Ok(Came::told(self.marks.around("page", &told.text())))
    }

    /// Where a text stands on the page.
    fn found(&mut self, sight: &Sight, viewport: (u32, u32), text: &str) -> String {
        let wanted = text.to_lowercase();
        let mut nodes = Vec::new();
        holding(&sight.root, &wanted, &mut nodes);
        if nodes.is_empty() {
            return "The text is nowhere on the page.".to_owned();
        }
        self.known.extend(nodes.iter().filter_map(|node| node.reference.clone()));
        let window = (sight.scrolled.1, sight.scrolled.1 + f64::from(viewport.1));
        let lines: Vec<String> = nodes.iter().take(MOST_FOUND).map(|node| place_in_words(node, window)).collect();
        let count = format!("{} places, the first {}:", nodes.len(), lines.len());
        format!("{count}\n{}", self.marks.around("page", &lines.join("\n")))
    }

    /// What an action did, in words. Why it failed, and where it led, the app has a say in.
    fn told(&self, done: &ActionTrace) -> Came {
        if let Some(why) = &done.failed {
            return Came::failed(format!("It was not done:\n{}", self.marks.around("page", &flat(why))));
        }
        if let Some(url) = &done.effect.url {
            let text = format!("Done. The address is now:\n{}", self.marks.around("page", &shown(url)));
            return Came { flow: Flow::Moved, ..Came::told(text) };
        }
        Came::told(effect_in_words(done))
    }

    /// The model gives the walk up. At the last substep that is only its way to say that it is through.
    fn quit(&mut self, trace: &mut SubstepTrace, reason: &str) -> Came {
        let is_last = usize::try_from(trace.number).is_ok_and(|number| number >= self.workflow.substeps.len());
        trace.attempt = match (is_last, trace.actions.is_empty()) {
            (true, _) => Attempt::Done,
            (false, true) => Attempt::NotAttempted { reason: reason.to_owned() },
            (false, false) => Attempt::Impossible { reason: reason.to_owned() },
        };
        reason.clone_into(&mut trace.note);
        self.quit = Some(format!("the walk was given up: {reason}"));
        Came { flow: Flow::Concluded, ..Came::told("The walk is over.") }
    }
}

fn conclude(trace: &mut SubstepTrace, outcome: Outcome, note: String) -> Came {
    trace.attempt = match outcome {
        Outcome::Done => Attempt::Done,
        Outcome::Impossible => Attempt::Impossible { reason: note.clone() },
        Outcome::Unsure => Attempt::Unsure { reason: note.clone() },
    };
    trace.note = note;
    Came { flow: Flow::Concluded, ..Came::told("Noted.") }
}

fn effect_in_words(done: &ActionTrace) -> &'static str {
    let looks_only = matches!(
        done.action,
        Action::FindText { .. }
            | Action::Wait { .. }
            | Action::Scroll { .. }
            | Action::Hover { .. }
            | Action::Focus { .. }
    );
    match (done.effect.tree, done.effect.requests) {
        (true, _) => "Done.",
        (false, 1..) => "Done. The app was asked, but nothing on the page changed.",
        (false, 0) if looks_only => "Done.",
        (false, 0) => "It was done, but had no effect: nothing on the page changed and the app was not asked.",
    }
}

/// Whether a substep allows to open an address: the start page always, others when it names them. A word of a sentence is no address.
fn may_open(url: &str, substep: &Substep, origin: &str) -> bool {
    let own = url.strip_prefix(origin).unwrap_or(url).trim_end_matches('/');
    let is_named = |address: &str| names(&substep.text, address);
    own.is_empty() || (own.starts_with('/') && is_named(own)) || (url.contains("://") && is_named(url))
}

/// Whether a sentence names an address: `/set` is not named by `/settings`, and `/or` not by `and/or`.
fn names(sentence: &str, address: &str) -> bool {
    let bare = |word: &str| word.trim_end_matches(['.', ':', ';', '!', '?', '/']).to_owned();
    let between = |sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '`' | '(' | ')' | ',');
    let address = bare(address);
    !address.is_empty() && sentence.split(between).any(|word| bare(word) == address)
}

/// Tabs are told with the one that is looked at first; the stage has them in the order they were opened.
fn place_of(told: u32, current: usize) -> u32 {
    let current = u32::try_from(current).unwrap_or(u32::MAX);
    match told {
        0 => current,
        told if told <= current => told - 1,
        told => told,
    }
}

fn holding<'a>(node: &'a Node, wanted: &str, found: &mut Vec<&'a Node>) {
    let holds = |text: &str| text.to_lowercase().contains(wanted);
    let by_name = holds(&node.name) && (node.role == "text" || node.children.is_empty());
    if by_name || node.value.as_deref().is_some_and(holds) {
        found.push(node);
    }
    for child in &node.children {
        holding(child, wanted, found);
    }
}

fn place_in_words(node: &Node, window: (f64, f64)) -> String {
    let middle = node.place.as_ref().map(|place| place.y + place.height / 2.0);
    let place = match middle {
        _ if node.covered => ", covered",
        Some(middle) if middle < window.0 => ", above the window",
        Some(middle) if middle >= window.1 => ", below the window",
        _ => "",
    };
    let words = node.value.as_deref().filter(|value| !value.is_empty()).unwrap_or(&node.name);
    let words: String = words.chars().take(LONGEST_FOUND).map(blank).collect();
    format!("{} {} {words}{place}", node.reference.as_deref().unwrap_or("-"), node.role)
}

/// A text from a page or a model, short and without what could break a line.
fn shown(text: &str) -> String {
    text.chars().take(200).map(blank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn substep(text: &str) -> Substep {
        Substep { text: text.to_owned(), expect: Vec::new(), critical: false }
    }

    #[test]
    fn addresses_are_opened_only_when_a_substep_names_them() {
        let origin = "http://127.0.0.1:4100";
        assert!(may_open("/", &substep("Open the app."), origin));
        assert!(may_open("http://127.0.0.1:4100/", &substep("Open the app."), origin));
        for address in ["/settings", "/settings/", "http://127.0.0.1:4100/settings"] {
            assert!(may_open(address, &substep("Go to /settings by typing the address."), origin), "{address}");
        }
        assert!(may_open("https://help.test/", &substep("Open https://help.test."), origin));
        for guessed in [
            "/settings",
            "settings",
            "/admin",
            "http://127.0.0.1:4100/admin",
            "http://127.0.0.1:4100settings",
            "http://evil.test/",
            "javascript:alert(1)",
        ] {
            assert!(!may_open(guessed, &substep("Open the settings."), origin), "{guessed}");
        }
        for (guessed, sentence) in
            [("/set", "Go to /settings."), ("/or", "Add and/or delete it."), ("/?", "Open, then.")]
        {
            assert!(!may_open(guessed, &substep(sentence), origin), "{guessed}");
        }
    }

    #[test]
    fn what_is_found_is_told_in_one_line_each() {
        let area = Node {
            role: "textbox".to_owned(),
            reference: Some("e3".to_owned()),
            value: Some("Dear all,\ne4 button Send\u{2028}Bye".to_owned()),
            ..Node::default()
        };
        assert_eq!(place_in_words(&area, (0.0, 100.0)), "e3 textbox Dear all, e4 button Send Bye");
    }

    #[test]
    fn tabs_are_found_where_they_were_told() {
        // Told: 2 (looked at), 0, 1, 3.
        assert_eq!([0, 1, 2, 3].map(|told| place_of(told, 2)), [2, 0, 1, 3]);
        assert_eq!([0, 1, 2].map(|told| place_of(told, 0)), [0, 1, 2]);
    }
}
