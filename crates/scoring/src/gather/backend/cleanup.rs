//! Takes back what the run put into the app, and touches nothing else.

use super::hands::{Patience, Visitor};
use super::record::{self, Trail};
use super::survey::{Control, Survey, has_word, plain};
use crate::gather::StepError;
use std::time::Duration;

/// How long the app may take to delete.
const DELETE_LIMIT: Duration = Duration::from_secs(4);

/// Deletes the marked record with the control in its own row; whether it is gone.
pub async fn delete(visitor: &Visitor, trail: &Trail, marker: &str) -> Result<bool, StepError> {
    if !visitor.reads(marker, true).await? && !record::find(visitor, trail, marker).await? {
        return Ok(false);
    }
    let Some(control) = visitor.delete_control(marker).await? else { return Ok(false) };
    // Only here does "Delete it?" mean yes.
    visitor.page.accept_dialogs(true);
    let gone = press(visitor, control, marker).await;
    visitor.page.accept_dialogs(false);
    gone
}

async fn press(visitor: &Visitor, control: usize, marker: &str) -> Result<bool, StepError> {
    visitor.click_number(control).await?;
    if vanishes(visitor, marker, DELETE_LIMIT / 4).await? {
        return Ok(true);
    }
    let survey = visitor.look().await?;
    if let Some(confirm) = confirmation(&survey) {
        visitor.click(confirm).await?;
    }
    vanishes(visitor, marker, DELETE_LIMIT).await
}

/// The button of the dialog that asks whether we mean it.
fn confirmation(survey: &Survey) -> Option<&Control> {
    survey.controls.iter().find(|control| {
        let name = plain(&control.name);
        control.region == "dialog"
            && has_word(&name, &["delete", "remove", "confirm", "yes", "ok"])
            && !has_word(&name, &["account", "all", "everything"])
    })
}

async fn vanishes(visitor: &Visitor, marker: &str, limit: Duration) -> Result<bool, StepError> {
    let mut patience = Patience::new(limit, limit);
    let mut absent = 0;
    // A page between two documents shows nothing for a moment.
    while absent < 2 {
        absent = if visitor.reads(marker, true).await? { 0 } else { absent + 1 };
        if absent == 0 && visitor.waits_no_longer(&mut patience).await {
            return Ok(false);
        }
        visitor.settle(limit / 4).await;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::super::survey::tests::control;
    use super::*;

    #[test]
    fn only_a_dialog_is_confirmed_and_never_one_about_everything() {
        let dialog = |name: &str| Control { region: "dialog".into(), ..control(name) };
        let survey = |controls| Survey { controls, ..Survey::default() };
        assert!(confirmation(&survey(vec![control("Delete")])).is_none());
        assert!(confirmation(&survey(vec![dialog("Delete account")])).is_none());
        assert!(confirmation(&survey(vec![dialog("Cancel"), dialog("Yes, delete")])).is_some());
    }
}
