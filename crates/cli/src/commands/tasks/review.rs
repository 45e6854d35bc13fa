//! `benchwright tasks review`: what people decide about workflows, in two passes.

use super::bad_input;
use crate::args::TasksReviewArguments;
use crate::commands::counted;
use crate::exit::{BAD_INPUT, Failure};
use crate::{environment, outputs};
use benchwright_vibe::task::Files;
use benchwright_vibe::task::review::{
    self, Decided, Decision, Item, Opinion, Opinions, PASSES, REVIEW, Review, Standing,
};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::process::ExitCode;

/// A task under review.
struct Desk {
    files: Files,
    review: Review,
    /// Id, text and hash of every workflow.
    workflows: Vec<(String, String, String)>,
}

/// Runs the command.
pub fn run(arguments: &TasksReviewArguments) -> Result<ExitCode, Failure> {
    let folder = &arguments.folder;
    let files = Files::read(folder).map_err(bad_input)?;
    let workflows = review::workflows(&files)
        .map_err(|refusal| Failure::BadInput(format!("{}: {}", folder.display(), refusal.problem)))?;
    let mut desk = Desk { review: Review::of(folder).map_err(bad_input)?, files, workflows };
    let Some(reviewer) = &arguments.reviewer else { return Ok(desk.show()) };
    match &arguments.decisions {
        Some(file) => desk.take_down(reviewer, &Opinions::read(file).map_err(bad_input)?)?,
        None if environment::is_asked_in_person() => {
            desk.ask(reviewer, &mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
        }
        None => {
            return Err(Failure::BadInput(
                "there is no terminal to ask on; give the decisions in a file, with --decisions FILE".to_owned(),
            ));
        }
    }
    outputs::replace(&folder.join(REVIEW), desk.review.written().map_err(bad_input)?.as_bytes())?;
    desk.show();
    Ok(ExitCode::SUCCESS)
}

impl Desk {
    /// Prints how far the review is.
    fn show(&self) -> ExitCode {
        let width = self.workflows.iter().map(|(id, ..)| id.len()).max().unwrap_or_default();
        let mut open = 0;
        for (id, _, about) in &self.workflows {
            let words = match self.review.standing(id, about) {
                Standing::Accepted => "accepted".to_owned(),
                Standing::Refused(decision) => format!("to be changed: {}", decision.name()),
                Standing::Open(missing) => format!("open: {missing} of {PASSES} passes missing"),
            };
            open += usize::from(words != "accepted");
            println!("{id:width$}  {words}");
        }
        println!(
            "{} of {} accepted by two reviewers",
            self.workflows.len() - open,
            counted(self.workflows.len(), "workflow")
        );
        if open == 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) }
    }

    /// Takes down the opinions of a file; all of them or none.
    fn take_down(&mut self, reviewer: &str, opinions: &Opinions) -> Result<(), Failure> {
        if let Some(unknown) =
            opinions.workflows.keys().find(|id| !self.workflows.iter().any(|(known, ..)| known == *id))
        {
            return Err(Failure::BadInput(format!("{} has no workflow `{unknown}`", self.files.folder)));
        }
        for (id, opinion) in &opinions.workflows {
            self.decide(reviewer, id, opinion.clone())?;
        }
        Ok(())
    }

    fn decide(&mut self, reviewer: &str, id: &str, opinion: Opinion) -> Result<(), Failure> {
        let about = self.workflows.iter().find(|(known, ..)| known == id).map(|(_, _, about)| about.clone());
        let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        let decided = Decided { reviewer: reviewer.to_owned(), day, about: about.unwrap_or_default(), opinion };
        self.review.decide(id, decided).map_err(bad_input)
    }

    /// Asks about every workflow that is open to this reviewer, until all are decided or the reviewer leaves.
    fn ask(&mut self, reviewer: &str, answers: &mut impl BufRead, screen: &mut impl Write) -> Result<(), Failure> {
        let lost = |error: std::io::Error| Failure::Environment(format!("cannot talk to the terminal: {error}"));
        let open = |(id, _, about): &&(String, String, String)| self.review.is_open_to(reviewer, id, about);
        let open: Vec<(String, String, String)> = self.workflows.iter().filter(open).cloned().collect();
        let spec = self.files.spec.clone();
        writeln!(screen, "{spec}").map_err(lost)?;
        for (number, (id, text, _)) in open.iter().enumerate() {
            writeln!(screen, "\n--- {} of {}\n{text}\n", number + 1, open.len()).map_err(lost)?;
            match opinion(answers, screen).map_err(lost)? {
                Some(opinion) => self.decide(reviewer, id, opinion)?,
                None => break,
            }
        }
        Ok(())
    }
}

/// One opinion; none when the reviewer leaves.
fn opinion(answers: &mut impl BufRead, screen: &mut impl Write) -> std::io::Result<Option<Opinion>> {
    let mut checklist = BTreeMap::new();
    for item in Item::ALL {
        match choice(answers, screen, &format!("{} [y/n/q] ", item.question()), &["y", "n", "q"])? {
            Some("y") => checklist.insert(item, true),
            Some("n") => checklist.insert(item, false),
            _ => return Ok(None),
        };
    }
    let may_accept = checklist.values().all(|yes| *yes);
    let (words, known): (&str, &[&'static str]) = if may_accept {
        ("Accept, modify or reject? [a/m/r/q] ", &["a", "m", "r", "q"])
    } else {
        ("Modify or reject? [m/r/q] ", &["m", "r", "q"])
    };
    let decision = match choice(answers, screen, words, known)? {
        Some("a") => Decision::Accept,
        Some("m") => Decision::Modify,
        Some("r") => Decision::Reject,
        _ => return Ok(None),
    };
    let mut note = String::new();
    while decision != Decision::Accept && note.trim().is_empty() {
        write!(screen, "What should change, or why must it go? ")?;
        screen.flush()?;
        if answers.read_line(&mut note)? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(Opinion { decision, checklist, note: note.trim().to_owned() }))
}

/// Asks until the answer is a known one; none at the end of input.
fn choice(
    answers: &mut impl BufRead,
    screen: &mut impl Write,
    words: &str,
    known: &[&'static str],
) -> std::io::Result<Option<&'static str>> {
    loop {
        write!(screen, "{words}")?;
        screen.flush()?;
        let mut line = String::new();
        if answers.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let typed = line.trim().to_lowercase();
        if let Some(found) = known.iter().find(|it| **it == typed) {
            return Ok(Some(found));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(typed: &str) -> (Option<Opinion>, String) {
        let mut screen = Vec::new();
        let opinion = opinion(&mut typed.as_bytes(), &mut screen).unwrap();
        (opinion, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn a_workflow_that_is_all_the_list_asks_for_can_be_accepted() {
        let (opinion, _) = asked("y\nY\nwhat?\ny\ny\ny\ny\na\n");
        let opinion = opinion.unwrap();
        assert_eq!((opinion.decision, opinion.checklist.len()), (Decision::Accept, 6));
    }

    #[test]
    fn one_that_is_not_can_be_changed_or_dropped_and_needs_a_reason() {
        let (opinion, screen) = asked("y\nn\ny\ny\ny\ny\na\nm\n\nuse the browser\n");
        let opinion = opinion.unwrap();
        assert_eq!((opinion.decision, opinion.note.as_str()), (Decision::Modify, "use the browser"));
        assert!(screen.contains("Modify or reject?") && !screen.contains("Accept,"), "{screen}");
    }

    #[test]
    fn whoever_leaves_decides_nothing() {
        assert_eq!(asked("y\nq\n").0, None);
        assert_eq!(asked("y\ny\n").0, None);
    }
}
