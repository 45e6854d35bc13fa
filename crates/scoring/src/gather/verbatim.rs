//! Looks for the prompt's verbatim constraints in the source.

use super::StepError;
use super::reading::Reading;
use crate::evidence::Verbatim;
use crate::evidence::verbatim::{Looked, VERSION};

/// Looks for the prompt's verbatim constraints in the source.
pub async fn look(reading: &Reading) -> Result<Verbatim, StepError> {
    let survey = reading.survey().await?;
    let constraints = reading
        .constraints
        .iter()
        .zip(&survey.sightings)
        .map(|(asked, seen)| Looked {
            kind: asked.kind,
            value: asked.value.clone(),
            place: asked.place.clone(),
            files: seen.files,
            hits: seen.hits.clone(),
            elsewhere: seen.elsewhere.clone(),
        })
        .collect();
    Ok(Verbatim { version: VERSION, files: survey.files, truncated: survey.truncated, constraints })
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::reading;
    use super::*;
    use crate::prompt::{VerbatimConstraint, VerbatimType};

    fn asked(kind: VerbatimType, value: &str) -> VerbatimConstraint {
        VerbatimConstraint { kind, value: value.to_owned(), place: "somewhere".to_owned() }
    }

    async fn found(files: &[(&str, &str)], kind: VerbatimType, value: &str) -> bool {
        let (_folder, reading) = reading(files, vec![asked(kind, value)]);
        look(&reading).await.unwrap().constraints[0].files > 0
    }

    #[tokio::test]
    async fn peer_defect_copy_in_comments_tests_and_readme_does_not_count() {
        let files = [
            ("README.md", "Get started"),
            ("src/a.tsx", "// Get started\nexport default () => <b>{/* Get started */}</b>;"),
            ("src/a.test.tsx", "it('says Get started', () => screen.getByText('Get started'))"),
            ("index.html", "<!-- Get started --><p>Hello</p>"),
            ("src/b.tsx", "export const B = () => <a>Get started for free</a>;"),
        ];
        let (_folder, reading) = reading(&files, vec![asked(VerbatimType::ExactCopy, "Get started")]);
        let looked = look(&reading).await.unwrap();
        assert_eq!(looked.constraints[0].files, 0);
        assert!(looked.constraints[0].elsewhere.len() >= 4, "{:?}", looked.constraints[0].elsewhere);
    }

    #[tokio::test]
    async fn peer_defect_copy_is_found_however_it_is_written() {
        for code in [
            "export const A = () => <h1>\n  Notes that\n  stay &amp; stick\n</h1>;",
            "export const A = () => <h1>Notes that <em>stay</em> &amp; stick</h1>;",
            "export const A = () => <h1>Notes that{' '}{'stay & stick'}</h1>;",
            "const how = 'stay';\nexport const a = `Notes that ${how} & stick`;",
            "export const a = 'Notes that ' + 'stay ' + \"& stick\";",
        ] {
            assert!(found(&[("src/a.tsx", code)], VerbatimType::ExactCopy, "Notes that stay & stick").await, "{code}");
        }
        let vue = "<template><h1>Notes that stay &amp; stick</h1></template>";
        assert!(found(&[("src/A.vue", vue)], VerbatimType::ExactCopy, "Notes that stay & stick").await);
        let json = r#"{"hero": "Notes that stay & stick"}"#;
        assert!(found(&[("src/locales/en.json", json)], VerbatimType::ExactCopy, "Notes that stay & stick").await);
    }

    #[tokio::test]
    async fn names_of_classes_are_no_copy_and_words_beside_them_are() {
        for code in [
            "export const A = () => <i className=\"badge free\" />;",
            "export const A = ({ on }) => <i className={on ? 'badge ' + 'free' : `free`} />;",
            "export const a = cva('b', { variants: { price: { none: 'free' } } });",
            "document.querySelector('.badge .free').classList.add('free');",
            "label.className = 'free'; export const a = h('i', { className: 'free' });",
        ] {
            assert!(!found(&[("src/a.tsx", code)], VerbatimType::ExactCopy, "free").await, "{code}");
            assert!(found(&[("src/a.tsx", code)], VerbatimType::Structural, "free").await, "{code}");
        }
        for code in [
            "export const A = () => <input className=\"badge\" placeholder=\"free\" />;",
            "tags.add('free');",
            "export const a = createElement('b', { className: 'badge' }, 'free');",
            "label.setAttribute('aria-label', 'free');",
        ] {
            assert!(found(&[("src/a.tsx", code)], VerbatimType::ExactCopy, "free").await, "{code}");
        }
    }

    #[tokio::test]
    async fn peer_defect_colours_are_found_in_any_notation_but_not_in_comments() {
        let colour = VerbatimType::HexValue;
        assert!(found(&[("a.scss", "$brand: rgb(170, 187, 204);")], colour, "#AABBCC").await);
        assert!(found(&[("a.tsx", "export const A = () => <i className=\"bg-[#abc]\" />;")], colour, "#AABBCC").await);
        assert!(!found(&[("a.css", "/* #aabbcc */ a { color: red }")], colour, "#AABBCC").await);
        assert!(!found(&[("a.ts", "// #aabbcc\nexport const a = '#aabbcd';")], colour, "#AABBCC").await);
    }

    #[tokio::test]
    async fn structural_names_are_names_and_not_words() {
        let name = VerbatimType::Structural;
        assert!(
            found(&[("a.tsx", "export const A = () => <nav className=\"site-nav big\" />;")], name, "site-nav").await
        );
        assert!(found(&[("a.html", "<main role=\"feed\"></main>")], name, "feed").await);
        assert!(found(&[("a.css", ".hero-grid { display: grid }")], name, ".hero-grid").await);
        assert!(
            found(
                &[("a.css", "@media (prefers-color-scheme:dark) { a { color: red } }")],
                name,
                "@media (prefers-color-scheme: dark)"
            )
            .await
        );
        assert!(!found(&[("a.tsx", "export const A = () => <p>our site-nav is nice</p>;")], name, "site-nav").await);
        assert!(!found(&[("a.ts", "// site-nav\nexport const a = 1;")], name, "site-nav").await);
    }
}
