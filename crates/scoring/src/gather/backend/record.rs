//! Creating a record through the app's own form, whatever the records are called.

use super::discretion::Discretion;
use super::fill::fill;
use super::hands::{Patience, Visitor};
use super::survey::{Control, Field, Survey, has_word, plain};
use crate::gather::StepError;
use crate::prompt::RecordForm;
use std::time::Duration;

/// How long the app may take to show a form or the way to one.
const FORM_LIMIT: Duration = Duration::from_secs(10);
/// How long a control may take to open its form.
const OPEN_LIMIT: Duration = Duration::from_secs(5);
/// How long the app may take to save and show a record.
const SAVE_LIMIT: Duration = Duration::from_secs(12);
/// How long a quiet page is watched before it counts as having nothing more to say.
const SETTLED: Duration = Duration::from_millis(1_500);
/// Ways of the app's navigation that are tried.
const MAX_WAYS: usize = 6;

/// What the prompt says of its records; nothing when it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordShape {
    /// What a record is called: contact, order, note.
    pub noun: Option<String>,
    /// Fields by label, with the value they get if it matters.
    pub fields: Vec<(String, Option<String>)>,
}

impl From<&RecordForm> for RecordShape {
    fn from(form: &RecordForm) -> Self {
        let fields = form.fields.iter().map(|field| (field.label.clone(), field.value.clone()));
        Self { noun: Some(form.noun.clone()), fields: fields.collect() }
    }
}

/// Where a record was seen.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The address that showed it.
    pub address: String,
    /// Names of what was clicked on the way there.
    pub ways: Vec<String>,
}

/// How creating went.
#[derive(Debug, Default)]
pub struct Creation {
    /// Whether the app took the record.
    pub accepted: bool,
    /// Whether it showed it.
    pub visible: bool,
    pub trail: Trail,
    pub note: String,
}

/// Finds the form, fills it with the marker, sends it and looks for the record.
pub async fn create(
    visitor: &Visitor,
    shape: &RecordShape,
    marker: &str,
    discretion: &Discretion,
) -> Result<Creation, StepError> {
    let landing = visitor.page.url();
    let mut ways = Vec::new();
    let Some((survey, group)) = find_form(visitor, shape, &mut ways).await? else {
        return Ok(Creation { note: "no form to create a record was found".to_owned(), ..Creation::default() });
    };
    let Some(marked) = fill(visitor, shape, marker, &survey, group).await? else {
        return Ok(Creation { note: "the form has no field that takes a text".to_owned(), ..Creation::default() });
    };
    visitor.page.clear_log();
    send(visitor, &survey, group, &marked).await?;
    let mut creation = outcome(visitor, marker, &survey, discretion).await?;
    creation.trail = Trail { address: visitor.page.url(), ways };
    if creation.accepted && !creation.visible {
        look_elsewhere(visitor, shape, marker, &landing, &mut creation).await?;
    }
    Ok(creation)
}

/// A form that is there, or behind a control, or behind a way of the navigation.
async fn find_form(
    visitor: &Visitor,
    shape: &RecordShape,
    ways: &mut Vec<String>,
) -> Result<Option<(Survey, usize)>, StepError> {
    let ready = |seen: &Survey| form_in(seen, shape, true).is_some() || opener_in(seen, shape).is_some();
    let mut tried = Vec::new();
    for attempt in 0..=MAX_WAYS {
        let limit = if attempt == 0 { FORM_LIMIT } else { OPEN_LIMIT };
        let survey = look_when_settled(visitor, limit, ready).await?;
        if let Some(group) = form_in(&survey, shape, true) {
            return Ok(Some((survey, group)));
        }
        if let Some(opener) = opener_in(&survey, shape).cloned()
            && !tried.contains(&opener.name)
        {
            tried.push(opener.name.clone());
            visitor.click(&opener).await?;
            let (opened, found) = visitor.look_until(OPEN_LIMIT, |seen| form_in(seen, shape, false).is_some()).await?;
            if let Some(group) = form_in(&opened, shape, false).filter(|_| found) {
                return Ok(Some((opened, group)));
            }
        }
        let now = visitor.look().await?;
        if let Some(group) = form_in(&now, shape, false) {
            return Ok(Some((now, group)));
        }
        let Some(way) = way_in(&now, shape, &tried).cloned() else { return Ok(None) };
        tried.push(way.name.clone());
        ways.push(way.name.clone());
        visitor.click(&way).await?;
    }
    Ok(None)
}

/// Looks until `ready`, but no longer than until the page has settled.
async fn look_when_settled(
    visitor: &Visitor,
    limit: Duration,
    ready: impl Fn(&Survey) -> bool,
) -> Result<Survey, StepError> {
    let mut patience = Patience::new(limit, SETTLED);
    loop {
        let survey = visitor.look().await?;
        if ready(&survey) || visitor.waits_no_longer(&mut patience).await {
            return Ok(survey);
        }
    }
}

/// The group that creates a record. `surely`: its button says so, or it has the fields the prompt names.
fn form_in(survey: &Survey, shape: &RecordShape, surely: bool) -> Option<usize> {
    let worth = |group: usize| -> Option<usize> {
        let about = &survey.groups[group];
        let heading = plain(&about.heading);
        let fields: Vec<&Field> = survey.fields_of(group).collect();
        let other = fields.iter().any(|field| field.is_password())
            || fields.iter().any(|field| field.region == "footer" || field.region == "header" || field.region == "nav")
            || about.role == "search"
            || has_word(&heading, &["settings", "profile", "newsletter", "subscribe", "preferences"]);
        let inputs = fields.iter().filter(|field| field.is_input()).count();
        if other || !fields.iter().any(|field| field.is_free_text() || field.kind == "email") || inputs == 0 {
            return None;
        }
        let named = shape
            .fields
            .iter()
            .filter(|(label, _)| fields.iter().any(|field| field.words().contains(&plain(label))))
            .count();
        let saves = survey.controls_of(group).any(Control::saves);
        let invites = fields.iter().any(|field| has_word(&plain(&field.placeholder), &["add", "new", "write", "what"]));
        if surely && !(saves || invites || (named > 0 && named == shape.fields.len())) {
            return None;
        }
        Some(
            100 * named
                + 20 * usize::from(about.dialog)
                + 10 * usize::from(saves)
                + 5 * usize::from(invites)
                + inputs.min(4),
        )
    };
    (0..survey.groups.len())
        .filter_map(|group| Some((worth(group)?, group)))
        .max_by_key(|(worth, group)| (*worth, usize::MAX - group))
        .map(|(_, group)| group)
}

/// The control that opens the form: the one that names the record, else the first that adds something.
fn opener_in<'a>(survey: &'a Survey, shape: &RecordShape) -> Option<&'a Control> {
    let mut openers: Vec<&Control> = survey
        .controls
        .iter()
        .filter(|control| control.opens_a_form() && !control.disabled && control.region != "footer")
        .filter(|control| control.group.is_none() || !control.submit)
        .collect();
    if let Some(noun) = &shape.noun {
        let noun = plain(noun);
        openers.sort_by_key(|control| !plain(&control.name).contains(&noun));
    }
    openers.into_iter().next()
}

fn way_in<'a>(survey: &'a Survey, shape: &RecordShape, tried: &[String]) -> Option<&'a Control> {
    let noun = shape.noun.as_deref().map(plain);
    let here = |control: &&Control| control.is_way_around(noun.as_deref()) && !tried.contains(&control.name);
    let names = |control: &&Control| noun.as_ref().is_some_and(|noun| plain(&control.name).contains(noun));
    let mut ways = survey.controls.iter().filter(here);
    ways.clone().find(names).or_else(|| ways.find(|control| control.region == "nav" || control.region == "header"))
}

async fn send(visitor: &Visitor, form: &Survey, group: usize, marked: &Field) -> Result<(), StepError> {
    let candidates: Vec<&Control> = form.controls_of(group).filter(|control| control.saves()).collect();
    let button = candidates.iter().rev().find(|control| control.submit).or_else(|| candidates.last());
    let submit = form.controls_of(group).filter(|control| control.submit && !control.is_social());
    match button.copied().or_else(|| submit.last()) {
        Some(button) => visitor.click(button).await,
        None => visitor.enter(marked).await,
    }
}

/// Waits for the record to show, for the server to take it, or for the form to refuse it.
async fn outcome(
    visitor: &Visitor,
    marker: &str,
    form: &Survey,
    discretion: &Discretion,
) -> Result<Creation, StepError> {
    let mut patience = Patience::new(SAVE_LIMIT, SETTLED);
    loop {
        if visitor.reads(marker, false).await? {
            return Ok(Creation { accepted: true, visible: true, ..Creation::default() });
        }
        if !visitor.waits_no_longer(&mut patience).await {
            continue;
        }
        let status = written_status(visitor, marker);
        let survey = visitor.look().await?;
        let note = match (status, survey.refusal(form)) {
            (Some(status), _) if status >= 400 => format!("the server answered the new record with {status}"),
            (_, Some(text)) => format!("the page says: {}", discretion.quote(&text)),
            (Some(_), None) => "the server took the record, but the page does not show it".to_owned(),
            (None, None) if survey.fields.iter().any(|field| field.invalid) => {
                "the form refused what was filled in".to_owned()
            }
            (None, None) => "the form was sent, but no record shows".to_owned(),
        };
        let accepted = status.is_some_and(|status| status < 400);
        return Ok(Creation { accepted, note, ..Creation::default() });
    }
}

/// The answer to the request that carried the marker to a server.
fn written_status(visitor: &Visitor, marker: &str) -> Option<u16> {
    let carries = |body: &String| body.contains(marker);
    let written = visitor.page.exchanges().into_iter().rev().find(|exchange| {
        exchange.method != "GET" && exchange.request_body.as_ref().is_some_and(carries) && exchange.status.is_some()
    });
    written.and_then(|exchange| exchange.status)
}

/// The app took the record and shows it on another page than the form's.
async fn look_elsewhere(
    visitor: &Visitor,
    shape: &RecordShape,
    marker: &str,
    landing: &str,
    creation: &mut Creation,
) -> Result<(), StepError> {
    let found = |creation: &mut Creation, ways: Vec<String>| {
        creation.visible = true;
        creation.note.clear();
        creation.trail = Trail { address: visitor.page.url(), ways };
    };
    visitor.open(landing).await?;
    if visitor.sees(marker, false, OPEN_LIMIT).await? {
        found(creation, Vec::new());
        return Ok(());
    }
    let mut tried = Vec::new();
    for _ in 0..MAX_WAYS {
        let survey = visitor.look().await?;
        let Some(way) = way_in(&survey, shape, &tried).cloned() else { break };
        visitor.click(&way).await?;
        tried.push(way.name.clone());
        if visitor.sees(marker, false, OPEN_LIMIT).await? {
            found(creation, vec![way.name]);
            return Ok(());
        }
    }
    Ok(())
}

/// Looks for the record in the page that shows now, then where it was seen before.
pub async fn find(visitor: &Visitor, trail: &Trail, marker: &str) -> Result<bool, StepError> {
    if visitor.sees(marker, true, OPEN_LIMIT).await? {
        return Ok(true);
    }
    if !trail.address.is_empty() && visitor.page.url() != trail.address {
        visitor.open(&trail.address).await?;
        if visitor.sees(marker, true, OPEN_LIMIT).await? {
            return Ok(true);
        }
    }
    for name in &trail.ways {
        let (survey, found) = visitor
            .look_until(OPEN_LIMIT / 2, |seen| seen.controls.iter().any(|control| &control.name == name))
            .await?;
        let Some(way) = survey.controls.iter().find(|control| &control.name == name).filter(|_| found) else { break };
        visitor.click(way).await?;
        if visitor.sees(marker, true, OPEN_LIMIT).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::super::survey::Group;
    use super::super::survey::tests::control;
    use super::*;

    fn field(number: usize, kind: &str, label: &str) -> Field {
        Field { number, kind: kind.into(), label: label.into(), group: Some(0), ..Field::default() }
    }

    fn orders() -> Survey {
        Survey {
            fields: vec![field(0, "number", "Quantity"), field(1, "date", "Due"), field(2, "text", "Customer")],
            controls: vec![Control { submit: true, group: Some(0), ..control("Add order") }],
            groups: vec![Group::default()],
            ..Survey::default()
        }
    }

    #[test]
    fn peer_defect_a_form_need_not_be_about_contacts() {
        let survey = orders();
        assert_eq!(form_in(&survey, &RecordShape::default(), true), Some(0));
    }

    #[test]
    fn searches_logins_and_footers_are_not_forms_of_records() {
        let mut survey = orders();
        survey.fields = vec![field(0, "search", "Search")];
        assert_eq!(form_in(&survey, &RecordShape::default(), false), None);
        survey.fields = vec![field(0, "email", "E-mail"), field(1, "password", "Password")];
        assert_eq!(form_in(&survey, &RecordShape::default(), false), None);
        survey.fields = vec![Field { region: "footer".into(), ..field(0, "email", "Newsletter") }];
        assert_eq!(form_in(&survey, &RecordShape::default(), false), None);
    }
}
