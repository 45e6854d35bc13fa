//! Logging out, and making sure that it happened.

use super::hands::Visitor;
use super::record::Trail;
use super::survey::{Control, Survey};
use crate::gather::StepError;
use std::time::Duration;

/// How long the app may take to show that somebody left.
const LEAVE_LIMIT: Duration = Duration::from_secs(6);
/// How long a menu may take to open.
const MENU_LIMIT: Duration = Duration::from_millis(1_200);
/// Menus that are opened in search of the way out.
const MAX_MENUS: usize = 8;

/// How logging out went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedOut {
    pub ok: bool,
    pub note: String,
}

/// Finds the way out, takes it, and looks whether the record can still be seen.
pub async fn sign_out(visitor: &Visitor, trail: &Trail, marker: &str) -> Result<LoggedOut, StepError> {
    let Some((way, menu)) = find_way_out(visitor).await? else {
        let note = "no control to log out was found, not in menus either; the session was cleared instead".to_owned();
        return Ok(LoggedOut { ok: false, note });
    };
    // Only here does "Really log out?" mean yes.
    visitor.page.accept_dialogs(true);
    let taken = take(visitor, &way).await;
    visitor.page.accept_dialogs(false);
    taken?;
    let place = menu.map(|name| format!("found in the menu `{name}`")).unwrap_or_default();
    verify(visitor, trail, marker, place).await
}

async fn take(visitor: &Visitor, way: &Control) -> Result<(), StepError> {
    visitor.click(way).await?;
    let (survey, _) = visitor
        .look_until(LEAVE_LIMIT, |seen| has_left(seen) || seen.log_out().is_some_and(|way| way.region == "dialog"))
        .await?;
    if let Some(confirm) = survey.log_out().filter(|way| way.region == "dialog") {
        visitor.click(confirm).await?;
        visitor.look_until(LEAVE_LIMIT, has_left).await?;
    }
    Ok(())
}

fn has_left(survey: &Survey) -> bool {
    survey.log_out().is_none() && survey.offers_login()
}

/// A session that still opens the record was not ended, whatever the page shows.
async fn verify(visitor: &Visitor, trail: &Trail, marker: &str, place: String) -> Result<LoggedOut, StepError> {
    let address = if trail.address.is_empty() { visitor.start() } else { &trail.address };
    visitor.open(address).await?;
    let (_, left) = visitor.look_until(LEAVE_LIMIT / 3, has_left).await?;
    visitor.settle(LEAVE_LIMIT).await;
    let shown = if left { visitor.reads(marker, true).await? } else { visitor.sees(marker, true, LEAVE_LIMIT).await? };
    if shown {
        let note = "after logging out, the record is still shown when the page is loaded again".to_owned();
        return Ok(LoggedOut { ok: false, note });
    }
    let survey = visitor.look().await?;
    if survey.log_out().is_some() && survey.password().is_none() {
        let note = "after logging out, the page still offers to log out when it is loaded again".to_owned();
        return Ok(LoggedOut { ok: false, note });
    }
    Ok(LoggedOut { ok: true, note: place })
}

/// The control, and the name of the menu it was in.
async fn find_way_out(visitor: &Visitor) -> Result<Option<(Control, Option<String>)>, StepError> {
    let survey = visitor.look().await?;
    if let Some(way) = survey.log_out() {
        return Ok(Some((way.clone(), None)));
    }
    let mut tried: Vec<(String, usize)> = Vec::new();
    for _ in 0..MAX_MENUS {
        let survey = visitor.look().await?;
        let Some(menu) = next_menu(&survey, &tried).cloned() else { break };
        tried.push((menu.name.clone(), position(&survey, &menu)));
        visitor.click(&menu).await?;
        let (opened, found) = visitor.look_until(MENU_LIMIT, |seen| seen.log_out().is_some()).await?;
        if let Some(way) = opened.log_out().filter(|_| found) {
            return Ok(Some((way.clone(), Some(menu.name))));
        }
        visitor.escape().await?;
    }
    Ok(None)
}

/// The likeliest menu that was not opened yet: in the header first.
fn next_menu<'a>(survey: &'a Survey, tried: &[(String, usize)]) -> Option<&'a Control> {
    let fresh =
        |control: &&Control| control.is_menu() && !tried.contains(&(control.name.clone(), position(survey, control)));
    let mut menus: Vec<&Control> = survey.controls.iter().filter(fresh).collect();
    menus.sort_by_key(|control| (!matches!(control.region.as_str(), "header" | "nav"), !control.opens));
    menus.into_iter().next()
}

/// Which of the controls of the same name it is.
fn position(survey: &Survey, control: &Control) -> usize {
    survey.controls.iter().filter(|other| other.name == control.name && other.number < control.number).count()
}

#[cfg(test)]
mod tests {
    use super::super::survey::tests::control;
    use super::*;

    #[test]
    fn menus_of_the_header_are_opened_first_and_each_once() {
        let menu = |name: &str, region: &str| Control { opens: true, region: region.into(), ..control(name) };
        let survey =
            Survey { controls: vec![menu("Sort", ""), menu("", "header"), control("Save")], ..Survey::default() };
        let first = next_menu(&survey, &[]).unwrap();
        assert_eq!(first.name, "");
        assert_eq!(next_menu(&survey, &[(String::new(), 0)]).unwrap().name, "Sort");
        assert!(next_menu(&survey, &[(String::new(), 0), ("Sort".into(), 0)]).is_none());
    }
}
