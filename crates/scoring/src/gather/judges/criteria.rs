//! What judges are asked: the published criteria in words of our own, and what the prompt adds.

use crate::evidence::EvidenceKind;
use crate::evidence::judgement::Criterion;
use crate::prompt::{ChecklistItem, Prompt};

const INTENT: [(&str, &str, &str); 4] = [
    (
        "intent_match",
        "Intent match",
        "Is this the app the requirement describes, for the people it names, and not merely something near it?",
    ),
    (
        "feature_completeness",
        "Feature completeness",
        "How much of what the requirement asks for can be seen, or reached by a control that can be seen?",
    ),
    (
        "content_relevance",
        "Content relevance",
        "Are words, data and pictures about this very product, rather than filler that would fit any?",
    ),
    (
        "flow_coherence",
        "Flow coherence",
        "Would a newcomer know where to begin and what comes next, without dead ends or parts that contradict each other?",
    ),
];

const LOOKS: [(&str, &str, &str); 8] = [
    (
        "visual_hierarchy",
        "Visual hierarchy",
        "Does the eye find the most important thing first, then the next, by size, weight and place?",
    ),
    (
        "typography",
        "Typography",
        "Are typefaces, sizes and line lengths few, deliberate, readable and used the same way throughout?",
    ),
    (
        "color_harmony",
        "Color harmony",
        "Do the colours belong together, carry meaning consistently and leave text easy to read?",
    ),
    (
        "whitespace",
        "Whitespace",
        "Is the spacing even and generous enough to group what belongs together and part what does not?",
    ),
    (
        "brand_fit",
        "Brand fit",
        "Does the look suit the product and its audience, as far as the requirement or the page tells them?",
    ),
    (
        "cta_prominence",
        "Prominence of the main action",
        "Can the main thing to do be told from everything else at first glance?",
    ),
    (
        "mobile_layout",
        "Mobile layout",
        "On the phone: is everything there, in a sensible order, large enough to read and touch, and nothing cut off?",
    ),
    (
        "overall_polish",
        "Overall polish",
        "Alignment, icons, pictures, corners, shadows, states: do the details look finished?",
    ),
];

const COPY: [(&str, &str, &str); 3] = [
    (
        "copy_specificity",
        "Copy specificity",
        "Do headings and paragraphs say things that are true of this product only, instead of phrases that fit any?",
    ),
    (
        "no_fabricated_trust",
        "No fabricated trust",
        "Is the page free of invented praise: customers, logos, figures, ratings or quotations nothing stands behind? 5 means it has none.",
    ),
    (
        "cta_clarity",
        "Clarity of the main action",
        "Do the labels of buttons say what will happen? Wording that the requirement demands is never held against the page.",
    ),
];

const MAINTAINABILITY: [(&str, &str, &str); 5] = [
    (
        "naming",
        "Naming",
        "Do names of files, functions, variables and types say what they are, in one style, without riddles?",
    ),
    (
        "separation_of_concerns",
        "Separation of concerns",
        "Are data access, state, rules and presentation apart, so that one can change without the others? One file of many hundred lines \
         that does everything is a 1.",
    ),
    (
        "component_reuse",
        "Component reuse",
        "Is what appears several times written once and used again, instead of copied and changed a little?",
    ),
    (
        "prop_typing",
        "Typing of props and data",
        "Do types say what components and functions take and give back? `any`, casts and untyped objects count against it; plain \
         JavaScript can reach 3 with checks or JSDoc.",
    ),
    (
        "secret_handling",
        "Handling of secrets",
        "Are keys, passwords and tokens kept out of the code and of what reaches the browser? Masked literals in the excerpt were \
         real literals in the source. Public keys that are meant for browsers are fine.",
    ),
];

/// The criteria of a kind, with the prompt's own: one with the id of a published one takes its place.
pub fn of(kind: EvidenceKind, prompt: Option<&Prompt>) -> Vec<Criterion> {
    let (published, extras): (Vec<_>, &[ChecklistItem]) = match kind {
        EvidenceKind::Intent => (INTENT.to_vec(), prompt.map_or(&[], |prompt| &prompt.functional_checklist.extra)),
        EvidenceKind::Looks => {
            let placeholders = prompt.is_some_and(|prompt| prompt.visual_checklist.placeholder_copy);
            let copy = if placeholders { &[][..] } else { &COPY[..] };
            let published = LOOKS.iter().chain(copy).copied().collect();
            (published, prompt.map_or(&[], |prompt| &prompt.visual_checklist.extra))
        }
        _ => (MAINTAINABILITY.to_vec(), &[]),
    };
    let mut criteria: Vec<Criterion> =
        published.into_iter().map(|(id, label, description)| criterion(id, label, description)).collect();
    for extra in extras {
        let own = criterion(&extra.id, &extra.label, &extra.description);
        match criteria.iter_mut().find(|known| known.id == own.id) {
            Some(known) => *known = own,
            None => criteria.push(own),
        }
    }
    criteria
}

fn criterion(id: &str, label: &str, description: &str) -> Criterion {
    Criterion { id: id.to_owned(), label: label.to_owned(), description: description.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample;

    fn ids(kind: EvidenceKind, prompt: Option<&Prompt>) -> Vec<String> {
        of(kind, prompt).into_iter().map(|criterion| criterion.id).collect()
    }

    #[test]
    fn the_published_criteria_are_asked() {
        assert_eq!(
            ids(EvidenceKind::Intent, None),
            ["intent_match", "feature_completeness", "content_relevance", "flow_coherence"]
        );
        assert_eq!(ids(EvidenceKind::Looks, None).len(), 11);
        assert_eq!(
            ids(EvidenceKind::Maintainability, None),
            ["naming", "separation_of_concerns", "component_reuse", "prop_typing", "secret_handling"]
        );
    }

    #[test]
    fn a_prompt_may_add_replace_and_expect_placeholder_text() {
        let mut prompt = sample::prompt(&[]);
        let extra = |id: &str| ChecklistItem { id: id.into(), label: "Own".into(), description: "Own words".into() };
        prompt.functional_checklist.extra = vec![extra("flow_coherence"), extra("keeps_drafts")];
        prompt.visual_checklist.placeholder_copy = true;
        prompt.visual_checklist.extra = vec![extra("dark_mode")];
        let intent = of(EvidenceKind::Intent, Some(&prompt));
        assert_eq!((intent.len(), intent[3].description.as_str()), (5, "Own words"));
        let looks = ids(EvidenceKind::Looks, Some(&prompt));
        assert_eq!((looks.len(), looks.last().map(String::as_str)), (9, Some("dark_mode")));
        assert!(!looks.contains(&"copy_specificity".to_owned()));
    }
}
