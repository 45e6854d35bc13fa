use super::*;
use crate::walk::{InMemory, Keeper as _};
use benchwright_domain::vibe::trace::{Effect, Fact, Node, SightRef, Target};

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

fn click(role: &str, name: &str) -> Action {
    Action::Click { target: Target { role: role.to_owned(), name: name.to_owned(), ..Target::default() } }
}

/// How an action of a walk came out.
enum Came {
    Worked,
    DidNothing,
    Failed(&'static str),
}

fn slipping(by: WalkerKind, done: Vec<(Action, Came)>) -> SubstepTrace {
    let actions: Vec<Action> = done.iter().map(|(action, _)| action.clone()).collect();
    let mut substep = walked(by, "Press \"Save\".", &actions);
    for (action, (_, came)) in substep.actions.iter_mut().zip(done) {
        action.effect.tree = matches!(came, Came::Worked);
        action.failed = if let Came::Failed(why) = came { Some(why.to_owned()) } else { None };
    }
    substep
}

/// The mark, and whether the walker is suspected.
fn judged(mut substep: SubstepTrace, expect: &[Expectation]) -> (Mark, bool) {
    expect.clone_into(&mut substep.expect);
    let mut kept = InMemory::default();
    let blob = kept.keep(&serde_json::to_vec(&page("Fern saved")).unwrap()).unwrap();
    substep.after = Some(SightRef { id: "s1".to_owned(), blob, screenshot: None });
    let verdict = verdict_on(&substep, &kept);
    (verdict.mark, verdict.walker_suspected)
}

#[test]
fn what_a_model_puts_right_itself_is_not_held_against_the_app() {
    let covered = || (click("button", "Save"), Came::Failed("something covers it"));
    let dead = || (click("generic", "Save"), Came::DidNothing);
    let saved = || (click("button", "Save"), Came::Worked);
    let seen = [Expectation::Text("Fern saved".to_owned())];
    for expect in [&seen[..], &[]] {
        for slip in [covered, dead] {
            let walked = slipping(WalkerKind::Agent, vec![slip(), saved()]);
            assert_eq!(judged(walked, expect), (Mark::Pass, false));
        }
        let strict = judged(slipping(WalkerKind::Resolver, vec![covered(), saved()]), expect);
        assert_eq!(strict, (Mark::Fail, false), "a sentence names each of its clicks");
    }
    let strict = judged(slipping(WalkerKind::Resolver, vec![dead(), saved()]), &[]);
    assert_eq!(strict, (Mark::Fail, false));
    let unseen = [Expectation::Text("Ivy saved".to_owned())];
    assert_eq!(judged(slipping(WalkerKind::Agent, vec![covered(), saved()]), &unseen), (Mark::Fail, true));
    assert_eq!(judged(slipping(WalkerKind::Agent, vec![saved()]), &unseen), (Mark::Fail, false));
}

#[test]
fn what_a_model_leaves_wrong_fails() {
    let home = || (click("link", "Home"), Came::Worked);
    let scroll = || (Action::Scroll { target: None, x: 0, y: 500 }, Came::Failed("the page is gone"));
    let wait =
        || (Action::Wait { milliseconds: 1, text: Some("Saved".to_owned()) }, Came::Failed("\"Saved\" did not appear"));
    let covered = || (click("button", "Save"), Came::Failed("something covers it"));
    let dead = || (click("button", "Save"), Came::DidNothing);
    let saved = || (click("button", "Save"), Came::Worked);
    let seen = [Expectation::Text("Fern saved".to_owned())];
    let by_model = |done| slipping(WalkerKind::Agent, done);
    assert_eq!(judged(by_model(vec![saved(), covered()]), &seen), (Mark::Fail, true));
    assert_eq!(judged(by_model(vec![scroll(), covered()]), &seen), (Mark::Fail, true), "no scroll hides a click");
    assert_eq!(judged(by_model(vec![dead()]), &[]), (Mark::Fail, false), "a dead button is the app's");
    assert_eq!(judged(by_model(vec![dead(), home()]), &[]), (Mark::Fail, false), "going away saves nothing");
    assert_eq!(judged(by_model(vec![dead(), (Action::Reload, Came::Worked)]), &[]), (Mark::Fail, false));
    assert_eq!(judged(by_model(vec![saved(), scroll(), wait()]), &seen), (Mark::Pass, false), "these only look");
}

#[test]
fn signing_in_is_told_from_assigning() {
    let nothing_failed = substep(Expectation::Absent(String::new()), None);
    for (reason, category) in [
        ("there is no form to sign in with", FailureCategory::Authorization),
        ("the form is still there, nobody was signed up", FailureCategory::Authorization),
        ("no button \"Log out\" is there", FailureCategory::Authorization),
        ("The sign-in page never opens.", FailureCategory::Authorization),
        ("no button \"Assign\" is there", FailureCategory::MissingFeature),
        ("no field \"Assign in turn\" is there", FailureCategory::MissingFeature),
        ("no link \"Design\" is there", FailureCategory::MissingFeature),
    ] {
        assert_eq!(blocked(&nothing_failed, reason), category, "{reason}");
    }
}
