//! The half of S1 that looks at the source.

use super::s1_secrets_and_headers::Half;
use crate::evidence::Evidence;
use crate::evidence::secrets::{CodeFinding, Secret, Secrets};
use crate::scorers::words::{count, cut};
use benchwright_domain::{Details, Item, ItemStatus, Outcome, Place, UnitScore};
use benchwright_source::{Class, SECRETS};
use std::collections::BTreeMap;

const PLACES: usize = 10;
const RULES_SHOWN: usize = 40;

/// Judges the source: any live finding takes everything.
pub(super) fn judge(evidence: &Evidence) -> Result<Half, Outcome> {
    let secrets = evidence.secrets.get()?;
    if secrets.files == 0 {
        return Err(Outcome::NoInput { reason: "the source holds no text file to look at".to_owned() });
    }
    let live = secrets.findings.iter().filter(|one| one.class == Class::Live).count();
    let code = secrets.code.iter().filter(|one| one.class == Class::Live).count();
    let scanners: Vec<String> = secrets
        .scanners
        .iter()
        .filter(|one| one.failure.is_none())
        .map(|one| format!("{} {}", one.name, one.version).trim().to_owned())
        .collect();
    let mut details = Details::default()
        .fact("secrets_found", live)
        .fact("secrets_in_fixtures", secrets.findings.len() - live)
        .fact("code_findings", code)
        .fact("files_scanned", secrets.files)
        .fact("scanners", scanners.join(", "))
        .items(items(secrets, live == 0));
    for scanner in &secrets.scanners {
        if let Some(failure) = &scanner.failure {
            details = details.note(format!("{} is installed but gave no answer: {failure}.", scanner.name));
        }
    }
    if secrets.truncated {
        details =
            details.note("The source is larger than what is searched for secrets, or parts of it could not be read.");
    }
    let clean = live + code == 0;
    Ok(Half { score: if clean { UnitScore::ONE } else { UnitScore::ZERO }, passed: clean, details })
}

fn items(secrets: &Secrets, no_secret: bool) -> Vec<Item> {
    let mut by_rule: BTreeMap<(Class, &str), Vec<&Secret>> = BTreeMap::new();
    for finding in &secrets.findings {
        by_rule.entry((finding.class, &finding.rule)).or_default().push(finding);
    }
    let mut code: BTreeMap<(Class, &str, &str), Vec<&CodeFinding>> = BTreeMap::new();
    for finding in &secrets.code {
        code.entry((finding.class, &finding.scanner, &finding.rule)).or_default().push(finding);
    }
    let classes = by_rule.keys().map(|(class, _)| class).chain(code.keys().map(|(class, ..)| class));
    // Only mending all of them brings the score back, so each is given its share of that.
    let gain = 1.0 / classes.filter(|class| **class == Class::Live).count().max(1) as f64;
    let own = by_rule.iter().map(|((class, rule), found)| item(*class, rule, found, gain)).take(RULES_SHOWN);
    let foreign = code.iter().map(|((class, scanner, rule), found)| code_item(*class, scanner, rule, found, gain));
    let none = "No secret that somebody could use is in the source";
    let none = no_secret.then(|| Item::new("secrets", ItemStatus::Passed, none));
    none.into_iter().chain(own).chain(foreign.take(RULES_SHOWN)).collect()
}

fn code_item(class: Class, scanner: &str, rule: &str, found: &[&CodeFinding], gain: f64) -> Item {
    let place = |one: &&CodeFinding| Place::Code {
        file: one.file.clone(),
        line: one.line,
        column: None,
        text: format!("found by {scanner}; no secret"),
    };
    let (rule, scanner) = (cut(rule, 80), cut(scanner, 40));
    let item = match class {
        Class::Live => Item::new(&rule, ItemStatus::Failed, format!("{scanner} finds `{rule}` in the code"))
            .severity("high")
            .expected("none")
            .fix(format!("Change the code as {scanner} says; its registry explains the rule under its name.")),
        Class::Fixture => Item::new(
            format!("fixture_{rule}"),
            ItemStatus::Info,
            format!("{scanner} finds `{rule}` in tests or seed data"),
        ),
    };
    weighed(item.measured(count(found.len(), "place")).places(found.iter().map(place), PLACES), class, gain)
}

fn weighed(item: Item, class: Class, gain: f64) -> Item {
    if class == Class::Live { item.gain(gain) } else { item }
}

fn item(class: Class, rule: &str, found: &[&Secret], gain: f64) -> Item {
    let known = SECRETS.iter().find(|one| one.id == rule).map_or("A secret", |one| one.title);
    let item = match class {
        Class::Live => Item::new(rule, ItemStatus::Failed, format!("{known} is in the source"))
            .severity("critical")
            .expected("none")
            .fix("Revoke it where it was issued, take it out of the source and its history, and read it from an environment variable of the server."),
        Class::Fixture => Item::new(format!("fixture_{rule}"), ItemStatus::Info, format!("{known} is in seed, test or demo data")),
    };
    let item = item.measured(count(found.len(), "place")).places(found.iter().map(|one| place(one)), PLACES);
    weighed(item, class, gain)
}

fn place(secret: &Secret) -> Place {
    let masked = secret.masked.as_deref().unwrap_or("the value is not shown");
    let text = if secret.text.is_empty() {
        format!("{masked} (found by {})", secret.scanners.join(", "))
    } else {
        secret.text.clone()
    };
    Place::Code { file: secret.file.clone(), line: secret.line, column: secret.column, text: cut(&text, 200) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::evidence::secrets::BUILT_IN;

    pub(crate) fn secret(class: Class) -> Secret {
        Secret {
            file: "src/a.ts".to_owned(),
            line: 4,
            column: Some(9),
            rule: "hardcoded_password".to_owned(),
            masked: Some("T… (14 characters, #a1b2c3)".to_owned()),
            text: "password: '…[masked]'".to_owned(),
            class,
            scanners: vec![BUILT_IN.to_owned()],
        }
    }

    #[test]
    fn a_live_secret_is_an_item_with_a_fix_and_a_masked_place() {
        let found = secret(Class::Live);
        let item = item(Class::Live, "hardcoded_password", &[&found], 1.0);
        assert_eq!((item.status, item.gain), (ItemStatus::Failed, Some(1.0)));
        assert!(item.fix.is_some() && matches!(&item.places[0], Place::Code { text, .. } if text.contains("masked")));
    }
}
