use super::*;
use benchwright_domain::vibe::trace::{Fact, Node, WalkerKind};

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
