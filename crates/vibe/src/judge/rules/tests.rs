use super::*;
use benchwright_domain::vibe::trace::{Effect, Fact, Node, Target, WalkerKind};

fn page(words: &str) -> Sight {
    let text = Node { role: "text".to_owned(), name: words.to_owned(), ..Node::default() };
    let root = Node { role: "document".to_owned(), children: vec![text], ..Node::default() };
    Sight {
        format: 1,
        url: "http://app/list#top".to_owned(),
        title: String::new(),
        tabs: Vec::new(),
        dialog: None,
        scrolled: (0.0, 0.0),
        page: (0.0, 0.0),
        root,
        cut: false,
    }
}

fn substep(expect: Expectation, failed: Option<&str>) -> SubstepTrace {
    let fact = |text: &str| Fact { id: "f1".to_owned(), kind: FactKind::FailedRequest, text: text.to_owned() };
    SubstepTrace {
        number: 1,
        text: "Click \"Delete\" and expect that \"Fern\" is gone.".to_owned(),
        expect: vec![expect],
        critical: false,
        by: WalkerKind::Resolver,
        attempt: Attempt::Done,
        actions: Vec::new(),
        before: None,
        after: None,
        facts: failed.map(fact).into_iter().collect(),
        note: String::new(),
    }
}

fn mark(expect: &Expectation, failed: Option<&str>, words: &str) -> Mark {
    decided(&substep(expect.clone(), failed), &page(words)).mark
}

#[test]
fn nothing_is_missing_from_a_page_that_is_an_error_or_empty() {
    let absent = Expectation::Absent("Fern".to_owned());
    let apart = Expectation::Apart(vec!["Fern".to_owned(), "Ivy".to_owned()]);
    for gone in [&absent, &apart] {
        assert_eq!(mark(gone, None, "Ivy"), Mark::Pass);
        assert_eq!(mark(gone, None, " "), Mark::Fail, "an empty page");
        assert_eq!(mark(gone, Some("GET http://app/list: 500"), "Something went wrong"), Mark::Fail);
        assert_eq!(mark(gone, Some("POST http://app/list: 503"), "Something went wrong"), Mark::Fail);
        assert_eq!(mark(gone, Some("GET http://app/picture.png: 500"), "Ivy"), Mark::Pass, "the page itself is fine");
        assert_eq!(mark(gone, Some("GET http://app/list: 403"), "This page is not for you"), Mark::Pass);
    }
    let shown = Expectation::Text("Something".to_owned());
    assert_eq!(
        mark(&shown, Some("GET http://app/list: 500"), "Something went wrong"),
        Mark::Pass,
        "what is there is there"
    );
}

/// A substep without an expectation, as it was walked.
fn walked(by: WalkerKind, text: &str, actions: &[Action]) -> SubstepTrace {
    let action = |action: &Action| ActionTrace {
        id: "a1".to_owned(),
        action: action.clone(),
        point: None,
        failed: None,
        effect: Effect { tree: true, ..Effect::default() },
        at_ms: 0,
        took_ms: 1,
        screenshot: None,
    };
    SubstepTrace {
        text: text.to_owned(),
        expect: Vec::new(),
        by,
        actions: actions.iter().map(action).collect(),
        ..substep(Expectation::Absent(String::new()), None)
    }
}

#[test]
fn what_is_only_looked_for_is_undecided_without_an_expectation() {
    let find = Action::FindText { text: "Fern".to_owned() };
    let scroll = Action::Scroll { target: None, x: 0, y: 500 };
    let click = Action::Click { target: Target::default() };
    for sentence in ["Check that \"Fern\" is listed.", "Confirm \"Fern\" is listed.", "\"Fern\" should be listed."] {
        for (by, actions) in [
            (WalkerKind::Resolver, vec![]),
            (WalkerKind::Agent, vec![]),
            (WalkerKind::Agent, vec![find.clone(), scroll.clone()]),
            (WalkerKind::Agent, vec![click.clone()]),
        ] {
            let finding = decided(&walked(by, sentence, &actions), &page("Ivy"));
            assert_eq!(finding.mark, Mark::Undecided, "{sentence} {actions:?}");
        }
    }
}

#[test]
fn where_nothing_was_done_nothing_passes() {
    let find = Action::FindText { text: "Fern".to_owned() };
    let click = Action::Click { target: Target::default() };
    let mark = |actions: &[Action]| decided(&walked(WalkerKind::Agent, "Open \"Fern\".", actions), &page("Ivy")).mark;
    assert_eq!(mark(&[]), Mark::Undecided);
    assert_eq!(mark(std::slice::from_ref(&find)), Mark::Undecided);
    assert_eq!(mark(&[find, click]), Mark::Pass);
}
