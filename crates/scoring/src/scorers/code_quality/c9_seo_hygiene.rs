//! # What it measures
//!
//! Whether the page tells search engines and link previews what it is: up to ten checks on the rendered document and its two well-known
//! files.
//!
//! # Why it matters
//!
//! A page called "Vite App" without a description is a page nobody finds and nobody clicks when a friend shares it.
//!
//! # How it is scored
//!
//! `passed checks / checks that apply`; it passes when all of them hold. The prompt says in `seo_applicable` which checks apply; a prompt
//! that names none makes C9 not applicable. Without a prompt, the four that suit every page run: title, description, language and headings.
//!
//! | check | holds when |
//! |---|---|
//! | `title` | 10 to 70 characters, and not a builder's stub such as "Create Next App" |
//! | `meta_description` | 50 to 300 characters |
//! | `canonical` | a canonical link that is, or resolves to, an http(s) address |
//! | `og_tags` | `og:title`, `og:description` and `og:type` all have content |
//! | `twitter_card` | `twitter:card` has content |
//! | `json_ld` | there is structured data, and every block of it is valid JSON |
//! | `lang` | `<html lang>` looks like a language tag: `en`, `pt-BR`, `zh-Hant` |
//! | `heading_hierarchy` | exactly one visible first-level heading, and no heading more than one level below the one before it |
//! | `robots_txt` | `/robots.txt` answers 200 with something that is not an HTML page |
//! | `sitemap_xml` | `/sitemap.xml` answers 200 with something that is not an HTML page |
//!
//! Characters are Unicode characters after trimming and folding white space. `aria-level` and `role="heading"` are honoured; headings that
//! nobody can see do not count.
//!
//! # Where we differ
//!
//! The peer harness accepts any text as structured data or language, rejects relative canonical links (the browser resolves them, and so
//! do we), counts hidden headings, lets a single-page app's HTML pass as `robots.txt`, and scores nothing without a prompt.

use crate::evidence::content::{Content, Heading, WellKnown};
use crate::evidence::{Evidence, EvidenceKind};
use crate::prompt::SeoCheck;
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C9,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The page introduces itself well to search engines",
    failed_title: "The page does not introduce itself well to search engines",
    needs: &[EvidenceKind::Content],
    source: include_str!("c9_seo_hygiene.rs"),
    score,
};

/// The checks that suit every page.
const WITHOUT_PROMPT: [SeoCheck; 4] =
    [SeoCheck::Title, SeoCheck::MetaDescription, SeoCheck::Lang, SeoCheck::HeadingHierarchy];

/// Titles that builders put in and nobody changed, in lower case.
const STUB_TITLES: [&str; 22] = [
    "untitled",
    "untitled document",
    "document",
    "empty project",
    "vite",
    "vite app",
    "vite + react",
    "vite + react + ts",
    "vite + vue",
    "vite + svelte",
    "vite + preact",
    "react app",
    "next app",
    "next.js app",
    "create next app",
    "nuxt app",
    "my v0 project",
    "lovable app",
    "lovable generated project",
    "page title",
    "app",
    "home",
];

const SHOWN: usize = 10;

fn score(evidence: &Evidence) -> Assessment {
    let (applicable, skipped_because) = match &evidence.prompt {
        Some(prompt) if prompt.seo_applicable.is_empty() => {
            return Outcome::NotApplicable { reason: "the prompt asks for no SEO checks".to_owned() }.into();
        }
        Some(prompt) => (prompt.seo_applicable.as_slice(), "The prompt does not ask for it"),
        None => (WITHOUT_PROMPT.as_slice(), "No prompt asks for it"),
    };
    match evidence.content.get() {
        Ok(content) => assess(content, applicable, skipped_because),
        Err(outcome) => outcome.into(),
    }
}

fn assess(content: &Content, applicable: &[SeoCheck], skipped_because: &str) -> Assessment {
    let items: Vec<Item> = SeoCheck::ALL
        .into_iter()
        .map(|check| {
            if applicable.contains(&check) {
                examine(check, content)
            } else {
                Item::new(check.id(), ItemStatus::NotApplicable, skipped_because)
            }
        })
        .collect();
    let with = |status| items.iter().filter(|item| item.status == status).count();
    let (passed, failed) = (with(ItemStatus::Passed), with(ItemStatus::Failed));
    let total = passed + failed;
    if total == 0 {
        return Outcome::NotApplicable { reason: "none of the SEO checks could be made".to_owned() }.into();
    }
    let gain = |item: Item| if item.status == ItemStatus::Failed { item.gain(1.0 / total as f64) } else { item };
    let details =
        Details::default().fact("passed_checks", passed).fact("checks", total).items(items.into_iter().map(gain));
    Assessment::scored(UnitScore::ratio(passed, total), failed == 0, details)
}

fn examine(check: SeoCheck, content: &Content) -> Item {
    match check {
        SeoCheck::Title => title(&content.title),
        SeoCheck::MetaDescription => description(content.description.as_deref().unwrap_or_default()),
        SeoCheck::Canonical => canonical(content),
        SeoCheck::OgTags => open_graph(content),
        SeoCheck::TwitterCard => twitter_card(content),
        SeoCheck::JsonLd => json_ld(content),
        SeoCheck::Lang => lang(content.lang.as_deref()),
        SeoCheck::HeadingHierarchy => headings(&content.headings),
        SeoCheck::RobotsTxt => well_known(check, "/robots.txt", content.robots_txt.as_ref()),
        SeoCheck::SitemapXml => well_known(check, "/sitemap.xml", content.sitemap_xml.as_ref()),
    }
}

fn title(title: &str) -> Item {
    let title = title.trim();
    let length = title.chars().count();
    let stub = STUB_TITLES.contains(&title.to_lowercase().as_str());
    let holds = (10..=70).contains(&length) && !stub;
    let measured = if stub { format!("a builder's stub, \"{title}\"") } else { characters(title, length) };
    Item::check("title", holds, "The title says what the page is", "The title does not say what the page is")
        .measured(measured)
        .expected("10 to 70 characters, no stub")
        .fix("Write a `<title>` of 10 to 70 characters: what the page offers, then whose it is.")
}

fn characters(text: &str, length: usize) -> String {
    if length == 0 { "none".to_owned() } else { format!("{}: \"{}\"", count(length, "character"), cut(text, 120)) }
}

fn description(text: &str) -> Item {
    let text = text.trim();
    let length = text.chars().count();
    let holds = (50..=300).contains(&length);
    Item::check(
        "meta_description",
        holds,
        "The description has a good length",
        "The description is missing or has a bad length",
    )
    .measured(characters(text, length))
    .expected("50 to 300 characters")
    .fix("Add `<meta name=\"description\" content=\"…\">` with one or two sentences of 50 to 300 characters.")
}

fn canonical(content: &Content) -> Item {
    let is_web = |url: &str| {
        let lower = url.to_lowercase();
        lower.starts_with("http://") || lower.starts_with("https://")
    };
    let link = content.canonical.first();
    let holds = link.and_then(|link| link.resolved.as_deref()).is_some_and(is_web);
    let measured = match link {
        None => "none".to_owned(),
        Some(link) if link.href.is_empty() => "an empty link".to_owned(),
        Some(link) => cut(&link.href, 200),
    };
    Item::check("canonical", holds, "The page names its canonical address", "The page names no canonical address")
        .measured(measured)
        .expected("a link that leads to an http(s) address")
        .fix("Add `<link rel=\"canonical\" href=\"https://…\">` with the address the page should be known by.")
}

fn open_graph(content: &Content) -> Item {
    let tags = &content.open_graph;
    let missing: Vec<&str> =
        [("og:title", &tags.title), ("og:description", &tags.description), ("og:type", &tags.kind)]
            .into_iter()
            .filter(|(_, value)| value.as_deref().is_none_or(|value| value.trim().is_empty()))
            .map(|(name, _)| name)
            .collect();
    let measured = if missing.is_empty() { "all three".to_owned() } else { format!("missing: {}", missing.join(", ")) };
    Item::check(
        "og_tags",
        missing.is_empty(),
        "Link previews get title, description and type",
        "Link previews lack Open Graph tags",
    )
    .measured(measured)
    .expected("og:title, og:description and og:type")
    .fix("Add the missing `<meta property=\"og:…\" content=\"…\">` tags to the head.")
}

fn twitter_card(content: &Content) -> Item {
    let card = content.twitter_card.as_deref().map(str::trim).filter(|card| !card.is_empty());
    Item::check("twitter_card", card.is_some(), "The page names its card type", "The page names no card type")
        .measured(card.map_or_else(|| "none".to_owned(), |card| cut(card, 80)))
        .expected("twitter:card with content")
        .fix("Add `<meta name=\"twitter:card\" content=\"summary_large_image\">`.")
}

fn json_ld(content: &Content) -> Item {
    let broken: Vec<_> = content.json_ld.iter().filter(|block| !block.parses).collect();
    let holds = !content.json_ld.is_empty() && broken.is_empty();
    let measured = match (content.json_ld.len(), broken.len()) {
        (0, _) => "none".to_owned(),
        (blocks, 0) => format!("{}, all valid", count(blocks, "block")),
        (blocks, broken) => format!("{broken} of {} not valid JSON", count(blocks, "block")),
    };
    let places = broken.iter().map(|block| Place::Text {
        text: format!("{}: {}", block.error.as_deref().unwrap_or("not an object or a list"), block.start),
    });
    Item::check("json_ld", holds, "The structured data is valid", "There is no valid structured data")
        .measured(measured)
        .expected("at least one block, all valid JSON")
        .fix("Add `<script type=\"application/ld+json\">` with a valid schema.org object.")
        .places(places, SHOWN)
}

fn lang(lang: Option<&str>) -> Item {
    let tag = lang.unwrap_or_default().trim();
    Item::check("lang", is_language_tag(tag), "The page names its language", "The page does not name its language")
        .measured(if tag.is_empty() { "none".to_owned() } else { format!("\"{}\"", cut(tag, 40)) })
        .expected("a language tag such as `en` or `pt-BR`")
        .fix("Set it on the root element: `<html lang=\"en\">`.")
}

/// Whether a text has the shape of a BCP 47 tag: a language of two or three letters, then subtags of up to eight letters and digits.
fn is_language_tag(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let language = parts.next().unwrap_or_default();
    let is_language = (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_language
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn headings(headings: &[Heading]) -> Item {
    let visible: Vec<&Heading> = headings.iter().filter(|heading| heading.visible).collect();
    let top: Vec<&Heading> = visible.iter().copied().filter(|heading| heading.level == 1).collect();
    let skipped: Vec<(&Heading, &Heading)> =
        visible.windows(2).filter(|pair| pair[1].level > pair[0].level + 1).map(|pair| (pair[0], pair[1])).collect();
    let holds = top.len() == 1 && skipped.is_empty();
    let measured = format!("{}, {}", count(top.len(), "first-level heading"), count(skipped.len(), "skipped level"));
    let surplus = top
        .iter()
        .skip(1)
        .map(|heading| heading.element().place("full", Some("a further first-level heading".to_owned())));
    let jumps = skipped.iter().map(|(before, after)| {
        after.element().place("full", Some(format!("level {} follows level {}", after.level, before.level)))
    });
    Item::check("heading_hierarchy", holds, "The headings form an outline", "The headings do not form an outline")
        .measured(measured)
        .expected("exactly one visible `<h1>`, no level skipped on the way down")
        .fix("Keep one `<h1>` for the page, and follow each heading by one at most one level deeper.")
        .places(surplus.chain(jumps), SHOWN)
}

fn well_known(check: SeoCheck, path: &str, answer: Option<&WellKnown>) -> Item {
    let Some(answer) = answer else {
        return Item::new(check.id(), ItemStatus::NotApplicable, format!("{path} was not asked for"));
    };
    let html_type = answer.content_type.as_deref().is_some_and(|kind| kind.to_lowercase().contains("text/html"));
    let html = answer.starts_like_html || html_type;
    let holds = answer.status == Some(200) && !html && answer.bytes > 0;
    let measured = match answer.status {
        None => "no answer".to_owned(),
        Some(200) if html => "an HTML page, not the file".to_owned(),
        Some(200) if answer.bytes == 0 => "an empty file".to_owned(),
        Some(status) => format!("status {status}"),
    };
    Item::check(check.id(), holds, &format!("{path} is there"), &format!("{path} is missing"))
        .measured(measured)
        .expected("status 200 with the file itself")
        .fix(format!("Serve a real {path}; keep the app's catch-all route from answering for it."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::content::{Canonical, JsonLd};
    use crate::evidence::sample::{content, heading, prompt};
    use crate::evidence::{Absence, Piece};

    fn assessed(content: Content, checks: Option<&[SeoCheck]>) -> Assessment {
        let content = Piece::present(content, 1.0);
        score(&Evidence { prompt: checks.map(prompt), content, ..Evidence::default() })
    }

    fn status(check: SeoCheck, content: &Content) -> ItemStatus {
        examine(check, content).status
    }

    fn holds(check: SeoCheck, content: &Content) -> bool {
        status(check, content) == ItemStatus::Passed
    }

    #[test]
    fn a_good_page_passes_all_ten() {
        let assessment = assessed(content(), Some(&SeoCheck::ALL));
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ONE, true));
        assert_eq!(assessment.details.facts["checks"], 10);
    }

    #[test]
    fn without_a_prompt_four_checks_run_and_the_rest_are_named() {
        let details = assessed(content(), None).details;
        assert_eq!(details.facts["checks"], 4);
        let skipped = details.items.iter().filter(|item| item.status == ItemStatus::NotApplicable).count();
        assert_eq!((details.items.len(), skipped), (10, 6));
    }

    #[test]
    fn a_prompt_that_names_no_checks_makes_it_not_applicable() {
        assert!(matches!(assessed(content(), Some(&[])).outcome, Outcome::NotApplicable { .. }));
    }

    #[test]
    fn the_score_is_the_share_of_checks_and_each_failed_one_carries_its_part() {
        let page = Content { title: "App".into(), ..content() };
        let assessment = assessed(page, None);
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::new(0.75), false));
        let item = assessment.details.items.iter().find(|item| item.id == "title").unwrap();
        assert_eq!(item.gain, Some(0.25));
        assert!(item.fix.is_some() && item.measured.is_some() && item.expected.is_some());
    }

    #[test]
    fn the_title_has_ten_to_seventy_characters_and_is_no_stub() {
        let with = |title: &str| holds(SeoCheck::Title, &Content { title: title.to_owned(), ..content() });
        assert!(with(&"ä".repeat(10)) && with(&"x".repeat(70)));
        assert!(!with(&"x".repeat(9)) && !with(&"x".repeat(71)) && !with("  short   "));
        assert!(!with("Create Next App") && !with("Vite + React + TS") && !with("Lovable Generated Project"));
    }

    #[test]
    fn the_description_has_fifty_to_three_hundred_characters() {
        let with = |length: usize| {
            holds(SeoCheck::MetaDescription, &Content { description: Some("é".repeat(length)), ..content() })
        };
        assert!(with(50) && with(300) && !with(49) && !with(301));
        assert!(!holds(SeoCheck::MetaDescription, &Content { description: None, ..content() }));
    }

    #[test]
    fn peer_defect_a_relative_canonical_link_is_resolved() {
        let with = |href: &str, resolved: Option<&str>| {
            let link = Canonical { href: href.to_owned(), resolved: resolved.map(str::to_owned) };
            holds(SeoCheck::Canonical, &Content { canonical: vec![link], ..content() })
        };
        assert!(with("/a", Some("https://app.test/a")));
        assert!(!with("", None) && !with("mailto:x", Some("mailto:x")));
        assert!(!holds(SeoCheck::Canonical, &Content { canonical: vec![], ..content() }));
    }

    #[test]
    fn all_three_open_graph_tags_are_needed() {
        let mut page = content();
        page.open_graph.kind = None;
        let item = examine(SeoCheck::OgTags, &page);
        assert_eq!((item.status, item.measured.as_deref()), (ItemStatus::Failed, Some("missing: og:type")));
    }

    #[test]
    fn peer_defect_structured_data_must_be_valid_json() {
        let broken = JsonLd { parses: false, error: Some("Unexpected token".into()), start: "{oops".into() };
        let page = Content { json_ld: vec![broken], ..content() };
        assert!(!holds(SeoCheck::JsonLd, &page));
        assert!(!holds(SeoCheck::JsonLd, &Content { json_ld: vec![], ..content() }));
    }

    #[test]
    fn peer_defect_the_language_must_look_like_one() {
        for (tag, expected) in [
            ("en", true),
            ("pt-BR", true),
            ("zh-Hant-TW", true),
            ("", false),
            ("english", false),
            ("en_US", false),
            ("e", false),
            ("en-", false),
        ] {
            assert_eq!(is_language_tag(tag), expected, "{tag}");
        }
    }

    #[test]
    fn headings_have_one_top_and_skip_no_level_downwards() {
        let with = |levels: &[u8]| {
            let headings = levels.iter().map(|level| heading(*level, true)).collect();
            holds(SeoCheck::HeadingHierarchy, &Content { headings, ..content() })
        };
        assert!(with(&[1, 2, 3, 2]) && with(&[1, 2, 3, 4, 2]) && with(&[2, 1, 2]));
        assert!(!with(&[1, 3]) && !with(&[1, 1]) && !with(&[2, 3]) && !with(&[]));
    }

    #[test]
    fn peer_defect_hidden_headings_do_not_count() {
        let page = Content { headings: vec![heading(1, true), heading(1, false), heading(2, true)], ..content() };
        assert!(holds(SeoCheck::HeadingHierarchy, &page));
        let page = Content { headings: vec![heading(1, false), heading(2, true)], ..content() };
        assert!(!holds(SeoCheck::HeadingHierarchy, &page));
    }

    #[test]
    fn peer_defect_a_single_page_apps_html_is_no_robots_txt() {
        let mut page = content();
        page.robots_txt = Some(WellKnown {
            status: Some(200),
            content_type: Some("text/html; charset=utf-8".into()),
            starts_like_html: true,
            bytes: 900,
        });
        assert!(!holds(SeoCheck::RobotsTxt, &page));
        page.robots_txt = Some(WellKnown::default());
        assert!(!holds(SeoCheck::RobotsTxt, &page));
        page.robots_txt = None;
        assert_eq!(status(SeoCheck::RobotsTxt, &page), ItemStatus::NotApplicable);
    }

    #[test]
    fn a_page_that_did_not_render_is_no_input() {
        let evidence = Evidence { content: Piece::absent(Absence::NotRendered), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::NoInput { .. }));
    }
}
