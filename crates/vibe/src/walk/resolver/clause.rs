//! Sentences as clauses: what a tester is asked to do, one thing after the other.

use super::tokens::{Token, tokens};

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Clause {
    OpenApp,
    OpenNoted,
    FirstPage,
    GoTo {
        name: String,
    },
    /// Opens what is called so; with a kind when the sentence names one, as in `the invoice of "X"`.
    Open {
        names: Vec<String>,
        unless_open: bool,
    },
    Click {
        name: String,
        scope: Scope,
    },
    DoubleClick {
        name: String,
        scope: Scope,
    },
    Hover {
        name: String,
        scope: Scope,
    },
    Drag {
        what: String,
        onto: String,
    },
    Fill {
        value: Value,
        field: String,
        scope: Scope,
    },
    Choose {
        option: String,
        field: Option<String>,
        scope: Scope,
    },
    Set {
        field: String,
        value: String,
        scope: Scope,
    },
    Clear {
        field: String,
        scope: Scope,
    },
    Tick {
        name: String,
        on: bool,
        scope: Scope,
    },
    Upload {
        file: String,
        field: Option<String>,
    },
    Press {
        keys: String,
    },
    Search {
        text: String,
    },
    SignIn {
        with: Vec<(String, String)>,
        must: bool,
    },
    SignUp {
        with: Vec<(String, String)>,
        must: bool,
    },
    SignOut,
    Reload,
    Back,
    Forward,
    Scroll,
    Confirm,
    Dismiss,
    NoteAddress,
    /// Notes what stands after some words, such as an order number.
    Note {
        after: Vec<String>,
    },
    SwitchTab,
    CloseTab,
    /// Nothing to do but to look.
    Look,
}

/// What is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// What was noted last, or as the first or second.
    Noted(Option<usize>),
}

/// Which of several things is meant: the one in the row or card that says all of this.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) texts: Vec<String>,
    /// Whether it is only a guess, carried on from the clause before.
    pub(super) soft: bool,
}

impl Scope {
    fn of(texts: Vec<String>) -> Self {
        Self { texts, soft: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Words with which a clause begins.
const VERBS: [&str; 42] = [
    "open",
    "go",
    "click",
    "double-click",
    "press",
    "hit",
    "type",
    "enter",
    "write",
    "fill",
    "choose",
    "select",
    "pick",
    "set",
    "change",
    "replace",
    "correct",
    "clear",
    "empty",
    "leave",
    "tick",
    "untick",
    "check",
    "uncheck",
    "sign",
    "log",
    "try",
    "reload",
    "refresh",
    "look",
    "expect",
    "verify",
    "note",
    "confirm",
    "delete",
    "search",
    "upload",
    "attach",
    "hover",
    "drag",
    "scroll",
    "switch",
];
const MORE_VERBS: [&str; 5] = ["close", "accept", "dismiss", "wait", "see"];
/// Words with which a remark begins that asks for nothing.
const REMARKS: [&str; 9] = ["which", "because", "since", "so", "without", "as", "again", "still", "if"];

/// What a sentence asks for, or the words of it that were not understood.
pub(super) fn clauses(sentence: &str) -> Result<Vec<Clause>, String> {
    let tokens = tokens(sentence);
    let mut reading = Reading { verb: String::new(), scope: Scope::default(), found: Vec::new() };
    for sentence in tokens.split(|token| *token == Token::Stop) {
        // What follows a full stop and asks for nothing says what should be so.
        if !reading.found.is_empty() && sentence.first().is_some_and(|first| !is_verb(first)) {
            reading.found.push(Clause::Look);
            continue;
        }
        for part in parts(sentence) {
            reading.take(part)?;
        }
    }
    if reading.found.is_empty() { Err("there is nothing to do in it".to_owned()) } else { Ok(reading.found) }
}

/// Whether a sentence tells to note something, understood or not as a whole.
pub(crate) fn tells_to_note(sentence: &str) -> bool {
    let tokens = tokens(sentence);
    let notes = |part: &[Token]| part.first().is_some_and(|first| first.is_word("note"));
    tokens.split(|token| *token == Token::Stop).flat_map(parts).any(notes)
}

fn is_verb(token: &Token) -> bool {
    matches!(token, Token::Word(word) if VERBS.contains(&word.as_str()) || MORE_VERBS.contains(&word.as_str()))
}

fn is_joint(token: &Token) -> bool {
    *token == Token::Pause || token.is_word("and") || token.is_word("then")
}

/// Cuts a sentence where, after a comma, `and` or `then`, another thing to do begins.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut cuts = vec![0];
    let mut at = 0;
    while at < tokens.len() {
        if is_joint(&tokens[at]) {
            let next = at + tokens[at..].iter().take_while(|token| is_joint(token)).count();
            if tokens.get(next).is_some_and(|token| begins_part(token, &tokens[next..])) {
                cuts.push(next);
            }
            at = next;
        } else {
            at += 1;
        }
    }
    cuts.push(tokens.len());
    let ended = cuts.windows(2).map(|pair| trimmed(&tokens[pair[0]..pair[1]]));
    ended.filter(|part| !part.is_empty()).collect()
}

fn begins_part(token: &Token, rest: &[Token]) -> bool {
    let continues_signing = token.is_word("the") && rest.iter().take(5).any(|token| matches!(token, Token::Quote(_)));
    is_verb(token) || matches!(token, Token::Quote(_)) || continues_signing || is_remark(token)
}

fn is_remark(token: &Token) -> bool {
    matches!(token, Token::Word(word) if REMARKS.contains(&word.as_str()))
}

fn trimmed(part: &[Token]) -> &[Token] {
    let end = part.iter().rposition(|token| !is_joint(token)).map_or(0, |last| last + 1);
    &part[..end]
}

/// What was understood so far.
struct Reading {
    verb: String,
    scope: Scope,
    found: Vec<Clause>,
}

impl Reading {
    fn take(&mut self, part: &[Token]) -> Result<(), String> {
        let Some(first) = part.first() else { return Ok(()) };
        match first {
            Token::Word(word) if is_verb(first) => {
                word.clone_into(&mut self.verb);
                self.begin(&part[1..], part)
            }
            _ if is_remark(first) => Ok(()),
            _ => self.go_on(part),
        }
    }

    fn begin(&mut self, rest: &[Token], part: &[Token]) -> Result<(), String> {
        let misunderstood = || Err(spoken(part));
        let quotes = quotes(rest);
        // To check that something is so is to look; to check a box is to tick it.
        if self.verb == "check" && rest.first().is_some_and(|word| word.is_word("that") || word.is_word("whether")) {
            "expect".clone_into(&mut self.verb);
        }
        let clause = match self.verb.as_str() {
            "expect" | "verify" | "look" | "see" | "wait" => Clause::Look,
            "reload" | "refresh" => Clause::Reload,
            "scroll" => Clause::Scroll,
            "open" => match opened(rest, quotes) {
                Some(clause) => clause,
                None => return misunderstood(),
            },
            "go" => match gone_to(rest, &quotes) {
                Some(clause) => clause,
                None => return misunderstood(),
            },
            "press" => match &quotes[..] {
                [keys, ..] if benchwright_browser::is_key(keys) => Clause::Press { keys: keys.clone() },
                [] => return self.press_key(rest, part),
                _ => return self.point(rest, part),
            },
            "type" | "enter" | "write" | "fill" => return self.fill(rest, part),
            "choose" | "select" | "pick" => return self.choose(rest, part),
            "set" | "change" | "replace" | "correct" => return self.set(rest, part),
            "clear" | "empty" => match &quotes[..] {
                [field, scope @ ..] => Clause::Clear { field: field.clone(), scope: self.scoped(rest, scope) },
                [] => return misunderstood(),
            },
            "leave" => match &quotes[..] {
                [field, scope @ ..] if rest.iter().any(|token| token.is_word("empty")) => {
                    Clause::Clear { field: field.clone(), scope: self.scoped(rest, scope) }
                }
                _ => Clause::Look,
            },
            "tick" | "untick" | "check" | "uncheck" => match &quotes[..] {
                [name, scope @ ..] => {
                    let on = !self.verb.starts_with("un");
                    Clause::Tick { name: name.clone(), on, scope: self.scoped(rest, scope) }
                }
                [] => return misunderstood(),
            },
            "sign" | "log" | "try" => match signed(rest, self.verb == "try") {
                Some(clause) => clause,
                None => return misunderstood(),
            },
            "note" => noted(rest, quotes),
            "confirm" | "accept" => Clause::Confirm,
            "dismiss" => Clause::Dismiss,
            "delete" => match &quotes[..] {
                [] => return misunderstood(),
                texts => {
                    let scope = Scope::of(texts.to_vec());
                    self.found.push(Clause::Click { name: "Delete".to_owned(), scope });
                    Clause::Confirm
                }
            },
            "search" => match &quotes[..] {
                [text, ..] => Clause::Search { text: text.clone() },
                [] => return misunderstood(),
            },
            "upload" | "attach" => match &quotes[..] {
                [file, rest @ ..] => Clause::Upload { file: file.clone(), field: rest.first().cloned() },
                [] => return misunderstood(),
            },
            "drag" => match &quotes[..] {
                [what, onto] => Clause::Drag { what: what.clone(), onto: onto.clone() },
                _ => return misunderstood(),
            },
            "switch" => Clause::SwitchTab,
            "close" if quotes.is_empty() => Clause::CloseTab,
            "click" | "hit" | "double-click" | "hover" | "close" => return self.point(rest, part),
            _ => return misunderstood(),
        };
        self.found.push(clause);
        Ok(())
    }

    /// A part that leaves its verb out, because it is the one before.
    fn go_on(&mut self, part: &[Token]) -> Result<(), String> {
        if part.iter().any(|token| token.is_word("into")) {
            return self.fill(part, part);
        }
        match self.verb.as_str() {
            "expect" | "verify" | "look" | "see" | "leave" | "note" => Ok(()),
            "click" | "hit" | "press" | "double-click" | "hover" => {
                let before = self.scope.clone();
                self.point(part, part)?;
                if let Some(Clause::Click { scope, .. }) = self.found.last_mut()
                    && scope.is_empty()
                {
                    *scope = Scope { soft: true, ..before.clone() };
                    self.scope = before;
                }
                Ok(())
            }
            "choose" | "select" | "pick" => self.choose(part, part),
            "set" | "change" | "replace" | "correct" => self.set(part, part),
            "sign" | "try" | "log" => self.sign_on(part),
            "tick" | "untick" | "check" | "uncheck" | "clear" | "open" | "delete" | "go" => self.begin(part, part),
            _ => Err(spoken(part)),
        }
    }

    fn point(&mut self, rest: &[Token], part: &[Token]) -> Result<(), String> {
        let [name, scope @ ..] = &quotes(rest)[..] else { return Err(spoken(part)) };
        let name = name.clone();
        let scope = self.scoped(rest, scope);
        self.found.push(match self.verb.as_str() {
            "double-click" => Clause::DoubleClick { name, scope },
            "hover" => Clause::Hover { name, scope },
            _ => Clause::Click { name, scope },
        });
        Ok(())
    }

    fn press_key(&mut self, rest: &[Token], part: &[Token]) -> Result<(), String> {
        let key = rest.iter().find_map(|token| match token {
            Token::Word(word) => {
                let mut letters = word.chars();
                let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
                benchwright_browser::is_key(&capital).then_some(capital)
            }
            _ => None,
        });
        self.found.push(Clause::Press { keys: key.ok_or_else(|| spoken(part))? });
        Ok(())
    }

    fn fill(&mut self, rest: &[Token], part: &[Token]) -> Result<(), String> {
        let into = rest.iter().position(|token| token.is_word("into") || token.is_word("in"));
        let Some(into) = into else { return Err(spoken(part)) };
        let (what, place) = rest.split_at(into);
        let value = match &quotes(what)[..] {
            [text] => Value::Text(text.clone()),
            [] if mentions(what, &["noted", "same", "second", "first"]) => Value::Noted(which(what)),
            _ => return Err(spoken(part)),
        };
        let [field, scope @ ..] = &quotes(place)[..] else { return Err(spoken(part)) };
        let scope = self.scoped(place, scope);
        self.found.push(Clause::Fill { value, field: field.clone(), scope });
        Ok(())
    }

    fn choose(&mut self, rest: &[Token], part: &[Token]) -> Result<(), String> {
        match &quotes(rest)[..] {
            [] => Err(spoken(part)),
            [option] => {
                self.found.push(Clause::Choose { option: option.clone(), field: None, scope: Scope::default() });
                Ok(())
            }
            [option, field, scope @ ..] => {
                let scope = self.scoped(rest, scope);
                self.found.push(Clause::Choose { option: option.clone(), field: Some(field.clone()), scope });
                Ok(())
            }
        }
    }

    /// `"Jars" [for "X"] to "5"`, `the content of "Notes" with "Y"`.
    fn set(&mut self, rest: &[Token], part: &[Token]) -> Result<(), String> {
        let to = rest.iter().rposition(|token| token.is_word("to") || token.is_word("with"));
        let (Some(to), [field, ..]) = (to, &quotes(rest)[..]) else { return Err(spoken(part)) };
        let (place, what) = rest.split_at(to);
        let ([value], [_, scope @ ..]) = (&quotes(what)[..], &quotes(place)[..]) else { return Err(spoken(part)) };
        let scope = self.scoped(place, scope);
        self.found.push(Clause::Set { field: field.clone(), value: value.clone(), scope });
        Ok(())
    }

    /// `the password "x"` after `sign in with the e-mail "y"`.
    fn sign_on(&mut self, part: &[Token]) -> Result<(), String> {
        match self.found.last_mut() {
            Some(Clause::SignIn { with, .. } | Clause::SignUp { with, .. }) => {
                with.extend(labelled(part));
                Ok(())
            }
            _ => Err(spoken(part)),
        }
    }

    /// The row or card that is meant. `there` is where the clause before was.
    fn scoped(&mut self, rest: &[Token], texts: &[String]) -> Scope {
        let scope = if !texts.is_empty() {
            Scope::of(texts.to_vec())
        } else if rest.last().is_some_and(|token| token.is_word("there")) {
            Scope { soft: false, ..self.scope.clone() }
        } else {
            Scope::of(meant(rest))
        };
        self.scope = scope.clone();
        scope
    }
}

/// `for the draft`: an entry that is not quoted.
fn meant(rest: &[Token]) -> Vec<String> {
    let Some(at) = rest.iter().position(|token| token.is_word("for")) else { return Vec::new() };
    let words = rest[at + 1..].iter().filter_map(|token| match token {
        Token::Word(word) if !matches!(word.as_str(), "the" | "this" | "that" | "a" | "an" | "again" | "too") => {
            Some(word.clone())
        }
        _ => None,
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() || words.len() > 3 { Vec::new() } else { vec![words.join(" ")] }
}

fn quotes(tokens: &[Token]) -> Vec<String> {
    let quoted = tokens.iter().filter_map(|token| match token {
        Token::Quote(text) => Some(text.clone()),
        _ => None,
    });
    quoted.collect()
}

fn mentions(tokens: &[Token], words: &[&str]) -> bool {
    tokens.iter().any(|token| words.iter().any(|word| token.is_word(word)))
}

fn which(tokens: &[Token]) -> Option<usize> {
    if mentions(tokens, &["second"]) {
        Some(1)
    } else if mentions(tokens, &["first"]) {
        Some(0)
    } else {
        None
    }
}

fn opened(rest: &[Token], names: Vec<String>) -> Option<Clause> {
    if mentions(rest, &["noted"]) {
        return Some(Clause::OpenNoted);
    }
    if names.is_empty() {
        return mentions(rest, &["app", "application", "site", "website"]).then_some(Clause::OpenApp);
    }
    Some(Clause::Open { names, unless_open: mentions(rest, &["if"]) })
}

fn gone_to(rest: &[Token], names: &[String]) -> Option<Clause> {
    if mentions(rest, &["back"]) {
        return Some(Clause::Back);
    }
    if mentions(rest, &["forward"]) {
        return Some(Clause::Forward);
    }
    match names {
        [name, ..] => Some(Clause::GoTo { name: name.clone() }),
        [] if mentions(rest, &["first", "start", "home"]) => Some(Clause::FirstPage),
        [] if mentions(rest, &["noted"]) => Some(Clause::OpenNoted),
        [] => None,
    }
}

fn signed(rest: &[Token], tries: bool) -> Option<Clause> {
    let how = rest.iter().find(|token| ["in", "up", "out"].iter().any(|word| token.is_word(word)))?;
    let with = labelled(rest);
    Some(match how {
        how if how.is_word("out") => Clause::SignOut,
        how if how.is_word("up") => Clause::SignUp { with, must: !tries },
        _ => Clause::SignIn { with, must: !tries },
    })
}

/// Texts with the words right before them: `the e-mail "x"`.
fn labelled(tokens: &[Token]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for token in tokens {
        match token {
            Token::Word(word)
                if matches!(
                    word.as_str(),
                    "with" | "the" | "a" | "an" | "to" | "sign" | "in" | "up" | "and" | "log" | "try"
                ) =>
            {
                words.clear();
            }
            Token::Word(word) => words.push(word),
            Token::Quote(text) => {
                found.push((words.join(" "), text.clone()));
                words.clear();
            }
            Token::Pause | Token::Stop => words.clear(),
        }
    }
    found
}

fn noted(rest: &[Token], quotes: Vec<String>) -> Clause {
    if mentions(rest, &["address"]) {
        return Clause::NoteAddress;
    }
    if !quotes.is_empty() {
        return Clause::Note { after: quotes };
    }
    let words = rest.iter().filter_map(|token| match token {
        Token::Word(word) if !matches!(word.as_str(), "the" | "this" | "that" | "too" | "its" | "new") => {
            Some(word.as_str())
        }
        _ => None,
    });
    Clause::Note { after: vec![words.collect::<Vec<_>>().join(" ")] }
}

/// Tokens as they were said, for people.
fn spoken(part: &[Token]) -> String {
    let said = part.iter().map(|token| match token {
        Token::Word(word) => word.clone(),
        Token::Quote(text) => format!("\"{text}\""),
        Token::Pause => ",".to_owned(),
        Token::Stop => ".".to_owned(),
    });
    format!("\"{}\" is not understood", said.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::folder::{Files, tasks_in};
    use crate::task::{Occasion, load};
    use std::path::Path;

    fn scope(texts: &[&str]) -> Scope {
        Scope::of(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    fn click(name: &str, scope: Scope) -> Clause {
        Clause::Click { name: name.to_owned(), scope }
    }

    fn fill(text: &str, field: &str, scope: Scope) -> Clause {
        Clause::Fill { value: Value::Text(text.to_owned()), field: field.to_owned(), scope }
    }

    #[test]
    fn verbs_carry_over_commas_and_ands() {
        assert_eq!(
            clauses("Type \"a\" into \"Name\", \"b\" into \"E-mail\" and click \"Save\" for \"X\", then \"Hand out\".")
                .unwrap(),
            [
                fill("a", "Name", scope(&[])),
                fill("b", "E-mail", scope(&[])),
                click("Save", scope(&["X"])),
                click("Hand out", Scope { soft: true, ..scope(&["X"]) }),
            ]
        );
        assert_eq!(
            clauses("Set \"From\" to \"1\" and \"Until\" to \"2\" and expect \"A\", \"B\" and \"C\".").unwrap(),
            [
                Clause::Set { field: "From".to_owned(), value: "1".to_owned(), scope: scope(&[]) },
                Clause::Set { field: "Until".to_owned(), value: "2".to_owned(), scope: scope(&[]) },
                Clause::Look,
            ]
        );
    }

    #[test]
    fn the_entry_that_is_meant_is_read_with_what_is_done() {
        assert_eq!(
            clauses("Type \"3\" into \"How many\" for \"Bun\" and click \"Add\" there.").unwrap(),
            [fill("3", "How many", scope(&["Bun"])), click("Add", scope(&["Bun"]))]
        );
        assert_eq!(
            clauses("Click \"Book\" for the time on \"2026-11-20\" at \"10:00\".").unwrap(),
            [click("Book", scope(&["2026-11-20", "10:00"]))]
        );
        assert_eq!(clauses("Click \"Send\" for the draft.").unwrap(), [click("Send", scope(&["draft"]))]);
        assert_eq!(clauses("Delete \"X\" too.").unwrap(), [click("Delete", scope(&["X"])), Clause::Confirm]);
    }

    #[test]
    fn a_full_stop_ends_what_is_done_and_checking_that_something_is_so_is_looking() {
        assert_eq!(
            clauses("Click \"Save\". The book should be marked \"Read\". Click \"Close\".").unwrap(),
            [click("Save", scope(&[])), Clause::Look, click("Close", scope(&[]))]
        );
        assert_eq!(clauses("Reload the page and check that \"X\" is there.").unwrap(), [Clause::Reload, Clause::Look]);
        let tick = Clause::Tick { name: "Urgent".to_owned(), on: true, scope: scope(&[]) };
        assert_eq!(clauses("Check \"Urgent\".").unwrap(), [tick]);
    }

    #[test]
    fn accounts_notes_and_pages_are_understood() {
        let with = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(label, text)| ((*label).to_owned(), (*text).to_owned())).collect()
        };
        assert_eq!(
            clauses("Sign out and try to sign in with the e-mail \"a@b\" and the password \"p\".").unwrap(),
            [Clause::SignOut, Clause::SignIn { with: with(&[("e-mail", "a@b"), ("password", "p")]), must: false }]
        );
        assert_eq!(
            clauses("Sign up with the shop name \"S\", the e-mail \"a@b\" and the password \"p\".").unwrap(),
            [Clause::SignUp { with: with(&[("shop name", "S"), ("e-mail", "a@b"), ("password", "p")]), must: true }]
        );
        assert_eq!(
            clauses("Note the order number, go to \"My order\" and type the number you noted into \"Order number\".")
                .unwrap(),
            [
                Clause::Note { after: vec!["order number".to_owned()] },
                Clause::GoTo { name: "My order".to_owned() },
                Clause::Fill { value: Value::Noted(None), field: "Order number".to_owned(), scope: scope(&[]) },
            ]
        );
        assert_eq!(clauses("Open the app.").unwrap(), [Clause::OpenApp]);
        assert!(clauses("Juggle \"three\" balls.").unwrap_err().contains("not understood"));
    }

    #[test]
    fn telling_to_note_is_understood_whatever_else_a_sentence_says() {
        for sentence in [
            "Note the address of this page, sign out and open it again.",
            "Click \"Save\" and note the code that stands after \"Code\".",
            "Click \"Save\". The code is shown, note it.",
            "Juggle \"three\" balls and note the number.",
        ] {
            assert!(tells_to_note(sentence), "{sentence}");
        }
        for sentence in ["Type the code you noted into \"Note\".", "Click \"Note\" and expect \"a, note b\" as a note."]
        {
            assert!(!tells_to_note(sentence), "{sentence}");
        }
    }

    #[test]
    fn every_sentence_of_our_own_tasks_is_understood() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks");
        let occasion = Occasion { seed: "1".to_owned(), today: jiff::civil::date(2026, 11, 17) };
        let mut read = 0;
        for folder in tasks_in(&folder).unwrap() {
            let task = load(&Files::read(&folder).unwrap()).unwrap();
            for workflow in &task.workflows {
                for substep in workflow.on(&task.id, &occasion).substeps {
                    let understood = clauses(&substep.text);
                    assert!(understood.is_ok(), "{}: {} → {understood:?}", workflow.id, substep.text);
                    read += 1;
                }
            }
        }
        assert!(read > 1_000, "{read} sentences");
    }
}
