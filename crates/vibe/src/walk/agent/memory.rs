//! What a model remembers of a walk: everything it said and was told, and of the page the last full view with its changes since. Older views
//! are left out, so that a long walk does not cost more with every step.

use crate::walk::observation::Observation;
use benchwright_llm::{Part, Speech, ToolResult, Utterance};

/// Changes that may follow a full view before the page is told as a whole again.
const MOST_CHANGES: usize = 4;
/// Pictures that are kept.
const MOST_PICTURES: usize = 2;
const LEFT_OUT: &str = "(An earlier view of the page is left out.)";

/// A view of the page.
#[derive(Debug)]
struct View {
    text: String,
    picture: Option<Part>,
    is_full: bool,
}

#[derive(Debug)]
enum Turn {
    Model(Utterance),
    Us { results: Vec<ToolResult>, words: String, view: Option<usize> },
}

/// The dialogue so far.
#[derive(Debug, Default)]
pub(super) struct Memory {
    turns: Vec<Turn>,
    views: Vec<View>,
    last: Option<Observation>,
}

impl Memory {
    /// Notes what the model said.
    pub(super) fn said(&mut self, utterance: Utterance) {
        self.turns.push(Turn::Model(utterance));
    }

    /// Tells the model what came of its calls and something else, without showing the page.
    pub(super) fn tell(&mut self, results: Vec<ToolResult>, words: String) {
        self.turns.push(Turn::Us { results, words, view: None });
    }

    /// Tells the model what came of its calls, and how the page is now. `marked` puts marks around what a page says.
    pub(super) fn show(
        &mut self,
        results: Vec<ToolResult>,
        words: String,
        page: Observation,
        picture: Option<Part>,
        marked: impl Fn(&str) -> String,
    ) {
        let changes = self.changes_since_full();
        let difference = self.last.as_ref().filter(|_| changes < MOST_CHANGES).and_then(|last| page.since(last));
        let is_full = difference.is_none() || self.views.is_empty();
        let text = match difference {
            Some(difference) if !is_full => marked(&difference),
            _ => marked(&page.text()),
        };
        self.views.push(View { text, picture, is_full });
        self.turns.push(Turn::Us { results, words, view: Some(self.views.len() - 1) });
        self.last = Some(page);
    }

    fn changes_since_full(&self) -> usize {
        self.views.iter().rev().take_while(|view| !view.is_full).count()
    }

    fn last_full(&self) -> usize {
        self.views.iter().rposition(|view| view.is_full).unwrap_or(0)
    }

    /// The turns as they are sent.
    pub(super) fn turns(&self) -> Vec<Speech> {
        self.turns.iter().map(|turn| self.spoken(turn)).collect()
    }

    /// How many turns will be sent again just so: those before the last full view.
    pub(super) fn lasting_turns(&self) -> usize {
        let full = self.last_full();
        let holds = |turn: &Turn| matches!(turn, Turn::Us { view: Some(view), .. } if *view == full);
        self.turns.iter().position(holds).unwrap_or(0)
    }

    fn spoken(&self, turn: &Turn) -> Speech {
        match turn {
            Turn::Model(utterance) => Speech::Model(utterance.clone()),
            Turn::Us { results, words, view } => {
                let mut parts = Vec::new();
                if !words.is_empty() {
                    parts.push(Part::Text(words.clone()));
                }
                parts.extend(view.iter().flat_map(|view| self.viewed(*view)));
                match results.is_empty() {
                    true => Speech::Ours(parts),
                    false => Speech::Results { results: results.clone(), parts },
                }
            }
        }
    }

    fn viewed(&self, place: usize) -> Vec<Part> {
        let Some(view) = self.views.get(place).filter(|_| place >= self.last_full()) else {
            return vec![Part::Text(LEFT_OUT.to_owned())];
        };
        let picture = view.picture.clone().filter(|_| place + MOST_PICTURES >= self.views.len());
        std::iter::once(Part::Text(view.text.clone())).chain(picture).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::observation::Part as Where;
    use benchwright_domain::details::Rect;
    use benchwright_domain::vibe::trace::{Node, Sight, TRACE_FORMAT};

    fn page(url: &str, changed: usize) -> Observation {
        let text = |number: usize| Node {
            role: "text".to_owned(),
            name: format!("line {number}{}", if number == changed { " changed" } else { "" }),
            place: Some(Rect { x: 0.0, y: number as f64, width: 9.0, height: 1.0 }),
            ..Node::default()
        };
        let root = Node { role: "document".to_owned(), children: (0..50).map(text).collect(), ..Node::default() };
        let sight = Sight {
            format: TRACE_FORMAT,
            url: url.to_owned(),
            title: String::new(),
            tabs: Vec::new(),
            dialog: None,
            scrolled: (0.0, 0.0),
            page: (100.0, 100.0),
            root,
            cut: false,
        };
        Observation::of(&sight, (100, 100), Where::Window)
    }

    fn texts(memory: &Memory) -> Vec<String> {
        let text = |speech: &Speech| match speech {
            Speech::Ours(parts) | Speech::Results { parts, .. } => match &parts[..] {
                [Part::Text(text), ..] => text.clone(),
                _ => String::new(),
            },
            Speech::Model(_) => "said".to_owned(),
        };
        memory.turns().iter().map(text).collect()
    }

    fn look(memory: &mut Memory, url: &str, changed: usize) {
        let picture = Part::Image { media_type: "image/jpeg", bytes: vec![1] };
        memory.show(Vec::new(), String::new(), page(url, changed), Some(picture), str::to_owned);
        memory.said(Utterance::default());
    }

    #[test]
    fn only_the_last_full_view_and_its_changes_stay() {
        let mut memory = Memory::default();
        look(&mut memory, "http://a/", 99);
        look(&mut memory, "http://a/", 3);
        assert!(texts(&memory)[0].starts_with("Page: http://a/"));
        assert!(texts(&memory)[2].starts_with("Changed"), "{:?}", texts(&memory));
        assert_eq!(memory.lasting_turns(), 0);
        look(&mut memory, "http://b/", 99);
        let now = texts(&memory);
        assert_eq!((now[0].as_str(), now[2].as_str()), (LEFT_OUT, LEFT_OUT));
        assert!(now[4].starts_with("Page: http://b/"));
        assert_eq!(memory.lasting_turns(), 4);
    }

    #[test]
    fn after_some_changes_the_page_is_told_as_a_whole_again() {
        let mut memory = Memory::default();
        for changed in 0..6 {
            look(&mut memory, "http://a/", changed);
        }
        let full: Vec<bool> = memory.views.iter().map(|view| view.is_full).collect();
        assert_eq!(full, [true, false, false, false, false, true]);
        let pictures = memory.turns().iter().filter(|turn| matches!(turn, Speech::Ours(parts) if parts.len() == 2)).count();
        assert_eq!(pictures, 1, "older pictures go with their views");
    }
}
