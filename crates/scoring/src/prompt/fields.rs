//! What the fields of a prompt must look like. Everything refused here is refused with the place of the field.

use super::{BackendProbe, SetupStep};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The shortest requirement text, in characters.
const MIN_PROMPT_CHARS: usize = 20;

/// All fields any step may have. Serde's own tagged enums pass through an untyped value, in which `no` is a boolean and
/// `012` a number; read this way they stay the texts they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepFields {
    kind: StepKind,
    expr: Option<String>,
    locator: Option<String>,
    value: Option<String>,
    key: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StepKind {
    Evaluate,
    Fill,
    Click,
    Press,
    Reload,
    WaitFor,
    RevealLoginForm,
}

impl TryFrom<StepFields> for SetupStep {
    type Error = String;

    fn try_from(mut step: StepFields) -> Result<Self, String> {
        let made = match step.kind {
            StepKind::Evaluate => Self::Evaluate { expr: given(&mut step.expr, "expr")? },
            StepKind::Fill => Self::Fill {
                locator: given(&mut step.locator, "locator")?,
                value: step.value.take().ok_or("a `fill` step needs `value`; write \"\" to empty the field")?,
            },
            StepKind::Click => Self::Click { locator: given(&mut step.locator, "locator")? },
            StepKind::Press => {
                Self::Press { locator: given(&mut step.locator, "locator")?, key: given(&mut step.key, "key")? }
            }
            StepKind::Reload => Self::Reload {},
            StepKind::WaitFor => Self::WaitFor { locator: given(&mut step.locator, "locator")? },
            StepKind::RevealLoginForm => Self::RevealLoginForm {},
        };
        let fields = [("expr", &step.expr), ("locator", &step.locator), ("value", &step.value), ("key", &step.key)];
        match fields.into_iter().find(|(_, value)| value.is_some()) {
            Some((name, _)) => Err(format!("this kind of step has no `{name}`; remove it or choose another kind")),
            None => Ok(made),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProbeFields {
    kind: ProbeKind,
    #[serde(deserialize_with = "text")]
    id: String,
    #[serde(deserialize_with = "text")]
    path: String,
    expect_status: Vec<u16>,
    forbid_body_contains: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProbeKind {
    UnauthGet,
    CrossUserGet,
}

impl TryFrom<ProbeFields> for BackendProbe {
    type Error = String;

    fn try_from(probe: ProbeFields) -> Result<Self, String> {
        let ProbeFields { kind, id, path, expect_status, mut forbid_body_contains } = probe;
        if expect_status.is_empty() || !expect_status.iter().all(|status| (100..600).contains(status)) {
            return Err("`expect_status` needs at least one HTTP status, such as 401".to_owned());
        }
        match kind {
            ProbeKind::UnauthGet if forbid_body_contains.is_some() => {
                Err("`forbid_body_contains` belongs to `cross_user_get` probes only; remove it".to_owned())
            }
            ProbeKind::UnauthGet => Ok(Self::UnauthGet { id, path, expect_status }),
            ProbeKind::CrossUserGet => {
                let forbid_body_contains = given(&mut forbid_body_contains, "forbid_body_contains")?;
                Ok(Self::CrossUserGet { id, path, expect_status, forbid_body_contains })
            }
        }
    }
}

fn given(field: &mut Option<String>, name: &str) -> Result<String, String> {
    field
        .take()
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| format!("`{name}` is missing or empty; fill it in"))
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() { Err(D::Error::custom("this text is empty; fill it in")) } else { Ok(text) }
}

pub(super) fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(Some)
}

pub(super) fn requirement<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().chars().count() < MIN_PROMPT_CHARS {
        return Err(D::Error::custom(format!(
            "the prompt needs at least {MIN_PROMPT_CHARS} characters; say what to build"
        )));
    }
    Ok(text)
}

pub(super) fn tier<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let tier = u8::deserialize(deserializer)?;
    if (1..=3).contains(&tier) { Ok(tier) } else { Err(D::Error::custom("the tier must be 1, 2 or 3")) }
}

pub(super) fn kebab_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let id = String::deserialize(deserializer)?;
    if is_words_joined_by(&id, '-') {
        return Ok(id);
    }
    Err(D::Error::custom("an id must be kebab-case: lower-case letters and digits, words joined by `-`"))
}

pub(super) fn snake_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let id = String::deserialize(deserializer)?;
    if is_words_joined_by(&id, '_') {
        return Ok(id);
    }
    Err(D::Error::custom("an id must be snake_case: lower-case letters and digits, words joined by `_`"))
}

fn is_words_joined_by(id: &str, joint: char) -> bool {
    id.split(joint)
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}
