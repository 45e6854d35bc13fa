//! # What it measures
//!
//! Eight signs of careful design that a machine can measure: four of layout, four of the conventions in the style sheets.
//!
//! # Why it matters
//!
//! Room to breathe, readable text and lines that the eye can follow are what separates a page that is pleasant from one that is merely
//! complete. The four conventions are what makes styles keep working: for people who get dizzy, who use a keyboard, and who maintain
//! the page.
//!
//! # How it is scored
//!
//! `passed / checks that apply`; it passes from 0.75. Measured at 1440 × 900 on a clean load.
//!
//! | check | holds when |
//! |---|---|
//! | `whitespace` | at least 25 % of the first screen is empty background |
//! | `contrast` | at least 80 % of the sampled text reaches WCAG AA: 4.5:1, or 3:1 from 24 px or from 18.66 px bold |
//! | `font_size` | at least 80 % of the sampled text is 14 px or larger |
//! | `line_length` | in at least 70 % of the sampled blocks the longest line has at most 85 characters |
//! | `box_sizing` | at least 80 % of the first 200 elements with a box are `border-box` |
//! | `reduced_motion` | some media query asks for `prefers-reduced-motion` |
//! | `custom_properties` | at least 5 distinct custom properties are declared |
//! | `focus_visible` | at least one rule uses `:focus-visible` |
//!
//! *Whitespace* is read from the pixels of the screenshot, in cells of 20 × 20 pixels. A cell is empty when its pixels are all but equal (no
//! channel differs by more than 8 of 255) and it shows a background: the canvas, or the background colour or gradient of an element. Images,
//! video, canvas, frames and background images are content, however flat they are.
//!
//! *Text* is sampled evenly over the whole page, at most 400 runs of visible text; disabled controls are left out. Colours are what
//! the eye gets: any colour notation, alpha and opacity worked in, white where nothing is declared. Text over a picture, a gradient or another
//! painted layer has no single background; it is left out of the contrast check and counted apart.
//!
//! *Lines* are measured from the text itself: the width of a block's longest rendered line, divided by the mean width of its
//! characters. At most 400 blocks are sampled.
//!
//! A check with nothing to look at does not apply. The last three do not apply when the page has style sheets but the browser shows none
//! of them to scripts, because they come from another origin; unreadable ones beside readable ones are skipped.
//!
//! # Where we differ
//!
//! The peer harness counts an image, a canvas or any transparent element as whitespace, looks at the first 40 text nodes (hidden ones
//! and scripts included), cannot read `oklch()` and other modern colours, skips text on an undeclared background, ignores alpha, takes
//! pixels for points, measures the box instead of the line, and passes a check that had nothing to look at. A page without any style
//! sheet fails the three conventions here, since nothing was hidden from us.

use super::contrast::{ratio, required};
use crate::evidence::design::{Design, StyleSheets, TextBlock, TextSample};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut, percent, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::V2,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The page follows good design habits",
    failed_title: "The page breaks several good design habits",
    needs: &[EvidenceKind::Design],
    source: include_str!("v2_design_heuristics.rs"),
    score,
};

const PASS: f64 = 0.75;
const MIN_WHITESPACE: f64 = 0.25;
const MIN_FONT_PX: f64 = 14.0;
const MAX_LINE: f64 = 85.0;
const MIN_CUSTOM_PROPERTIES: usize = 5;
const SHOWN: usize = 10;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.design.get() {
        Ok(design) => assess(design),
        Err(outcome) => outcome.into(),
    }
}

fn assess(design: &Design) -> Assessment {
    let items = vec![
        whitespace(design.whitespace_share),
        contrast(&design.text),
        font_size(&design.text),
        line_length(&design.blocks),
        box_sizing(design),
        reduced_motion(&design.sheets),
        custom_properties(&design.sheets),
        focus_visible(&design.sheets),
    ];
    let with = |status| items.iter().filter(|item| item.status == status).count();
    let passed = with(ItemStatus::Passed);
    let total = passed + with(ItemStatus::Failed);
    if total == 0 {
        return Outcome::NotApplicable { reason: "there was nothing on the page to look at".to_owned() }.into();
    }
    let gain = |item: Item| if item.status == ItemStatus::Failed { item.gain(1.0 / total as f64) } else { item };
    let details = facts(design).fact("passed_checks", passed).fact("checks", total).items(items.into_iter().map(gain));
    let score = UnitScore::ratio(passed, total);
    Assessment::scored(score, score.value() >= PASS, details)
}

fn facts(design: &Design) -> Details {
    let unknown = design.text.iter().filter(|sample| sample.colors.is_none()).count();
    let mut details = Details::default()
        .fact("text_samples", design.text.len())
        .fact("text_runs", design.text_total)
        .fact("text_on_unknown_background", unknown)
        .fact("blocks_sampled", design.blocks.len())
        .fact("readable_sheets", design.sheets.readable)
        .fact("unreadable_sheets", design.sheets.unreadable)
        .fact("custom_properties", design.sheets.custom_properties);
    if let Some(share) = design.whitespace_share {
        details = details.fact("whitespace_share", rounded(share, 4));
    }
    if unknown > 0 {
        details = details.note(format!(
            "{} over pictures, gradients or other layers could not be judged for contrast.",
            count(unknown, "text sample")
        ));
    }
    if design.sheets.unreadable > 0 {
        details = details.note(format!(
            "{} of another origin could not be read: {}.",
            count(design.sheets.unreadable, "style sheet"),
            cut(&design.sheets.unreadable_urls.join(", "), 300)
        ));
    }
    if design.truncated {
        details = details.note("The page is so large that only part of it was looked at.");
    }
    details
}

/// Whether `part` is at least `percent` per cent of `whole`, without rounding.
fn reaches(part: usize, whole: usize, percent: usize) -> bool {
    part * 100 >= whole * percent
}

fn share(part: usize, whole: usize) -> String {
    format!("{} ({part} of {whole})", percent(part as f64 / whole.max(1) as f64))
}

fn nothing(id: &str, why: &str) -> Item {
    Item::new(id, ItemStatus::NotApplicable, why)
}

fn whitespace(share: Option<f64>) -> Item {
    let Some(share) = share else { return nothing("whitespace", "There was no screenshot to measure") };
    Item::check(
        "whitespace",
        share >= MIN_WHITESPACE,
        "The first screen has room to breathe",
        "The first screen is crowded",
    )
    .measured(percent(share))
    .expected("at least 25 % empty background")
    .fix("Add padding around sections and space between groups; let pictures leave room at their sides.")
}

fn contrast(text: &[TextSample]) -> Item {
    let known: Vec<(&TextSample, f64)> =
        text.iter().filter_map(|sample| Some((sample, ratio(sample.colors?)))).collect();
    if known.is_empty() {
        return nothing("contrast", "No text with a known background was found");
    }
    let mut weak: Vec<_> = known.iter().filter(|(sample, ratio)| *ratio < required(sample)).collect();
    weak.sort_by(|left, right| left.1.total_cmp(&right.1));
    let good = known.len() - weak.len();
    let places = weak.iter().map(|(sample, ratio)| {
        sample.element.place(
            "full",
            Some(format!("{ratio:.2}:1 where {}:1 is needed: \"{}\"", required(sample), cut(&sample.text, 60))),
        )
    });
    Item::check(
        "contrast",
        reaches(good, known.len(), 80),
        "Text stands out from its background",
        "Too much text is hard to read on its background",
    )
    .measured(share(good, known.len()))
    .expected("at least 80 % of the text at WCAG AA")
    .fix("Darken the text or lighten what is behind it until each ratio shown reaches its mark.")
    .places(places, SHOWN)
}

fn font_size(text: &[TextSample]) -> Item {
    if text.is_empty() {
        return nothing("font_size", "No visible text was found");
    }
    let mut small: Vec<_> = text.iter().filter(|sample| sample.font_size < MIN_FONT_PX).collect();
    small.sort_by(|left, right| left.font_size.total_cmp(&right.font_size));
    let good = text.len() - small.len();
    let places = small.iter().map(|sample| {
        sample.element.place("full", Some(format!("{} px: \"{}\"", sample.font_size, cut(&sample.text, 60))))
    });
    Item::check("font_size", reaches(good, text.len(), 80), "Text is large enough", "Too much text is small")
        .measured(share(good, text.len()))
        .expected("at least 80 % of the text at 14 px or more")
        .fix("Raise the font size of the text shown to 14 px or more.")
        .places(places, SHOWN)
}

fn line_length(blocks: &[TextBlock]) -> Item {
    if blocks.is_empty() {
        return nothing("line_length", "No blocks of text were found");
    }
    let mut long: Vec<_> = blocks.iter().filter(|block| block.longest_line > MAX_LINE).collect();
    long.sort_by(|left, right| right.longest_line.total_cmp(&left.longest_line));
    let good = blocks.len() - long.len();
    let places = long
        .iter()
        .map(|block| block.element.place("full", Some(format!("{:.0} characters a line", block.longest_line))));
    Item::check(
        "line_length",
        reaches(good, blocks.len(), 70),
        "Lines have a readable length",
        "Too many lines are too long",
    )
    .measured(share(good, blocks.len()))
    .expected("at least 70 % of the blocks with lines of up to 85 characters")
    .fix("Give running text a `max-width` of about 65ch.")
    .places(places, SHOWN)
}

fn box_sizing(design: &Design) -> Item {
    let boxes = &design.boxes;
    if boxes.elements == 0 {
        return nothing("box_sizing", "No elements were found");
    }
    Item::check(
        "box_sizing",
        reaches(boxes.border_box, boxes.elements, 80),
        "Boxes are sized by their border",
        "Boxes are sized by their content",
    )
    .measured(share(boxes.border_box, boxes.elements))
    .expected("at least 80 % of the first 200 elements `border-box`")
    .fix("Add `*, *::before, *::after { box-sizing: border-box; }` to the style sheet.")
}

/// A convention of the style sheets; not applicable when there are some but all are closed to us.
fn convention(sheets: &StyleSheets, item: Item) -> Item {
    let closed = sheets.readable == 0 && sheets.unreadable > 0;
    if closed && item.status == ItemStatus::Failed {
        return nothing(&item.id, "No style sheet could be read: all come from another origin without CORS");
    }
    item
}

fn reduced_motion(sheets: &StyleSheets) -> Item {
    let found = sheets.reduced_motion.as_deref();
    let item =
        Item::check("reduced_motion", found.is_some(), "Motion can be turned down", "Motion cannot be turned down")
            .measured(found.map_or_else(|| "no such media query".to_owned(), |text| cut(text, 120)))
            .expected("a media query for `prefers-reduced-motion`")
            .fix("Add `@media (prefers-reduced-motion: reduce) { … }` that stops animations and transitions.");
    convention(sheets, item)
}

fn custom_properties(sheets: &StyleSheets) -> Item {
    let holds = sheets.custom_properties >= MIN_CUSTOM_PROPERTIES;
    let names = sheets.custom_property_names.iter().take(SHOWN).map(|name| Place::Text { text: name.clone() });
    let item = Item::check(
        "custom_properties",
        holds,
        "Design values have names",
        "Design values are repeated instead of named",
    )
    .measured(if sheets.custom_properties == 1 {
        "1 custom property".to_owned()
    } else {
        format!("{} custom properties", sheets.custom_properties)
    })
    .expected("at least 5")
    .fix("Name colours, sizes and spaces as custom properties on `:root` and use them through `var()`.")
    .places(names, SHOWN);
    convention(sheets, item)
}

fn focus_visible(sheets: &StyleSheets) -> Item {
    let rules = sheets.focus_visible_rules;
    let item = Item::check(
        "focus_visible",
        rules > 0,
        "Keyboard focus has a style of its own",
        "Keyboard focus has no style of its own",
    )
    .measured(match &sheets.focus_visible_example {
        Some(example) => format!("{}, such as `{}`", count(rules, "rule"), cut(example, 80)),
        None => count(rules, "rule"),
    })
    .expected("at least 1 rule with `:focus-visible`")
    .fix("Add a rule such as `:focus-visible { outline: 2px solid; outline-offset: 2px; }`.");
    convention(sheets, item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::evidence::design::{BoxSizing, TextColors};

    const BLACK_ON_WHITE: TextColors = TextColors { foreground: [0.0; 3], background: [255.0; 3] };
    const WHITE_ON_WHITE: TextColors = TextColors { foreground: [255.0; 3], background: [255.0; 3] };

    fn text(number: usize, font_size: f64, colors: Option<TextColors>) -> Vec<TextSample> {
        let sample =
            TextSample { text: "Words".into(), font_size, font_weight: 400.0, colors, ..TextSample::default() };
        vec![sample; number]
    }

    fn blocks(number: usize, longest_line: f64) -> Vec<TextBlock> {
        vec![TextBlock { characters: 300, lines: 4, longest_line, ..TextBlock::default() }; number]
    }

    fn good() -> Design {
        Design {
            text: text(10, 16.0, Some(BLACK_ON_WHITE)),
            text_total: 10,
            blocks: blocks(10, 60.0),
            blocks_total: 10,
            boxes: BoxSizing { elements: 200, border_box: 200 },
            sheets: StyleSheets {
                readable: 1,
                reduced_motion: Some("(prefers-reduced-motion: reduce)".into()),
                custom_properties: 5,
                focus_visible_rules: 1,
                ..StyleSheets::default()
            },
            whitespace_share: Some(0.4),
            ..Design::default()
        }
    }

    fn assessed(design: Design) -> Assessment {
        score(&Evidence { design: Piece::present(design, 1.0), ..Evidence::default() })
    }

    fn status(design: Design, id: &str) -> ItemStatus {
        assessed(design).details.items.into_iter().find(|item| item.id == id).unwrap().status
    }

    fn mixed<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
        first.extend(second);
        first
    }

    #[test]
    fn a_careful_page_passes_all_eight() {
        let assessment = assessed(good());
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ONE, true));
        assert_eq!(assessment.details.facts["checks"], 8);
    }

    #[test]
    fn six_of_eight_pass_and_five_do_not() {
        let mut design = Design { whitespace_share: Some(0.1), blocks: blocks(3, 120.0), ..good() };
        assert_eq!(assessed(design.clone()).outcome, Outcome::scored(UnitScore::new(0.75), true));
        design.sheets.focus_visible_rules = 0;
        assert_eq!(assessed(design).outcome, Outcome::scored(UnitScore::new(0.625), false));
    }

    #[test]
    fn whitespace_needs_a_quarter_of_the_screen() {
        let with = |share| status(Design { whitespace_share: share, ..good() }, "whitespace");
        assert_eq!(with(Some(0.25)), ItemStatus::Passed);
        assert_eq!(with(Some(0.2499)), ItemStatus::Failed);
        assert_eq!(with(None), ItemStatus::NotApplicable);
    }

    #[test]
    fn contrast_needs_four_fifths_of_the_text() {
        let with = |weak| {
            let samples = mixed(text(10 - weak, 16.0, Some(BLACK_ON_WHITE)), text(weak, 16.0, Some(WHITE_ON_WHITE)));
            status(Design { text: samples, ..good() }, "contrast")
        };
        assert_eq!(with(2), ItemStatus::Passed);
        assert_eq!(with(3), ItemStatus::Failed);
    }

    #[test]
    fn peer_defect_white_on_white_in_any_notation_fails() {
        let design = Design { text: text(4, 16.0, Some(WHITE_ON_WHITE)), ..good() };
        assert_eq!(status(design, "contrast"), ItemStatus::Failed);
    }

    #[test]
    fn text_on_an_unknown_background_is_left_out_and_counted() {
        let design = Design { text: mixed(text(1, 16.0, Some(BLACK_ON_WHITE)), text(9, 16.0, None)), ..good() };
        let assessment = assessed(design);
        assert_eq!(assessment.details.facts["text_on_unknown_background"], 9);
        assert_eq!(assessment.details.items[1].status, ItemStatus::Passed);
        assert!(assessment.details.notes[0].contains("9 text samples"));
    }

    #[test]
    fn peer_defect_a_check_with_nothing_to_look_at_does_not_pass() {
        let design = Design { text: vec![], blocks: vec![], boxes: BoxSizing::default(), ..good() };
        let assessment = assessed(design);
        assert_eq!(assessment.details.facts["checks"], 4);
        for id in ["contrast", "font_size", "line_length", "box_sizing"] {
            let item = assessment.details.items.iter().find(|item| item.id == id).unwrap();
            assert_eq!(item.status, ItemStatus::NotApplicable, "{id}");
        }
    }

    #[test]
    fn font_size_lines_and_boxes_hold_at_their_marks() {
        let fonts = |small| {
            let samples = mixed(text(10 - small, 14.0, None), text(small, 13.9, None));
            status(Design { text: samples, ..good() }, "font_size")
        };
        assert_eq!((fonts(2), fonts(3)), (ItemStatus::Passed, ItemStatus::Failed));
        let lines = |long| {
            status(Design { blocks: mixed(blocks(10 - long, 85.0), blocks(long, 85.1)), ..good() }, "line_length")
        };
        assert_eq!((lines(3), lines(4)), (ItemStatus::Passed, ItemStatus::Failed));
        let boxes =
            |border_box| status(Design { boxes: BoxSizing { elements: 200, border_box }, ..good() }, "box_sizing");
        assert_eq!((boxes(160), boxes(159)), (ItemStatus::Passed, ItemStatus::Failed));
    }

    #[test]
    fn four_custom_properties_are_too_few() {
        let mut design = good();
        design.sheets.custom_properties = 4;
        assert_eq!(status(design, "custom_properties"), ItemStatus::Failed);
    }

    #[test]
    fn sheets_closed_to_scripts_make_the_conventions_not_applicable() {
        let sheets = |readable, unreadable| StyleSheets { readable, unreadable, ..StyleSheets::default() };
        let with = |sheets| assessed(Design { sheets, ..good() }).details.facts["checks"].clone();
        assert_eq!(with(sheets(0, 2)), 5);
        assert_eq!(with(sheets(1, 2)), 8);
        assert_eq!(with(sheets(0, 0)), 8);
    }

    #[test]
    fn the_weakest_text_is_shown_first_with_its_ratio() {
        let grey = TextColors { foreground: [170.0; 3], background: [255.0; 3] };
        let design = Design { text: mixed(text(1, 16.0, Some(grey)), text(1, 16.0, Some(WHITE_ON_WHITE))), ..good() };
        let item = assessed(design).details.items.remove(1);
        assert!(matches!(&item.places[0], Place::Element { note: Some(note), .. } if note.starts_with("1.00:1")));
        assert_eq!(item.gain, Some(1.0 / 8.0));
    }
}
