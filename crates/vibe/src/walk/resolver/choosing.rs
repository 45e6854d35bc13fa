//! Choosing: in lists of the browser, lists of the page, groups of circles, rows of buttons.

use super::clause::Scope;
use super::find::{Finder, Search};
use super::walking::{Walking, to_target};
use super::{Resolver, Trouble};
use crate::reading::{Closeness, closeness};
use crate::walk::target;
use benchwright_domain::vibe::trace::{Action, Node, Sight};

impl Resolver {
    /// Sets a field to a value, whatever kind of field it is.
    pub(super) async fn set(
        &mut self,
        walking: &mut Walking<'_>,
        field: &str,
        value: &str,
        scope: &Scope,
    ) -> Result<(), Trouble> {
        let last = self.last.clone();
        let target = walking
            .look_for(|sight| to_target(sight, Finder::new(sight, last.as_deref()).field(sight, field, scope)))
            .await;
        let target = match target {
            Ok(target) => target,
            Err(Trouble::Impossible(_)) => return self.choose(walking, value, Some(field), scope).await,
            Err(trouble) => return Err(trouble),
        };
        let sight = walking.stage.sight().await?;
        let is_list = target::find(&sight, &target).is_some_and(is_list);
        if is_list {
            return self.choose(walking, value, Some(field), scope).await;
        }
        self.last = Some(target.reference.clone());
        walking.act(Action::Fill { target, text: value.to_owned() }).await
    }

    pub(super) async fn choose(
        &mut self,
        walking: &mut Walking<'_>,
        option: &str,
        field: Option<&str>,
        scope: &Scope,
    ) -> Result<(), Trouble> {
        let last = self.last.clone();
        let find = |sight: &Sight| find_choice(sight, last.as_deref(), option, field, scope).map(|choice| choice.0);
        walking.look_for(find).await?;
        let sight = walking.stage.sight().await?;
        let (target, how) = find_choice(&sight, last.as_deref(), option, field, scope)?;
        self.last = Some(target.reference.clone());
        walking
            .act(match how {
                How::Select(label) => Action::Select { target, options: vec![label] },
                How::Check => Action::Check { target, checked: true },
                How::Click => Action::Click { target },
                How::Fill => Action::Fill { target, text: option.to_owned() },
            })
            .await
    }
}

/// How something is chosen.
enum How {
    Select(String),
    Check,
    Click,
    Fill,
}

type Choice = (benchwright_domain::vibe::trace::Target, How);

fn find_choice(
    sight: &Sight,
    last: Option<&str>,
    option: &str,
    field: Option<&str>,
    scope: &Scope,
) -> Result<Choice, Trouble> {
    let finder = Finder::new(sight, last);
    let Some(field) = field else {
        let found = finder.any(option, scope, is_choice);
        return to_target(sight, found.clone()).map(|target| (target, how_of(&found)));
    };
    if let Search::Found(list) = finder.field(sight, field, scope) {
        return in_list(sight, list, option, field);
    }
    let group = finder.group(field, scope);
    if let Search::Found(group) = group {
        let found = finder.inside(group, option, is_choice);
        return to_target(sight, found.clone()).map(|target| (target, how_of(&found)));
    }
    // Circles or buttons beside a text that nothing ties to them.
    let mut near = scope.clone();
    near.texts.push(field.to_owned());
    let found = finder.any(option, &near, is_choice);
    match to_target(sight, found.clone()) {
        Ok(target) => Ok((target, how_of(&found))),
        Err(Trouble::Unsure(reason)) => Err(Trouble::Unsure(reason)),
        Err(_) => match finder.field(sight, field, scope) {
            Search::Ambiguous(reason) => Err(Trouble::Unsure(reason)),
            _ => Err(Trouble::Impossible(format!("there is no choice called \"{field}\" with \"{option}\""))),
        },
    }
}

fn in_list(sight: &Sight, list: &Node, option: &str, field: &str) -> Result<Choice, Trouble> {
    let target = target::of(sight, list);
    if list.options.is_empty() {
        let how = if is_list(list) { How::Select(option.to_owned()) } else { How::Fill };
        return Ok((target, how));
    }
    if list.input.is_some() {
        return Ok((target, How::Fill));
    }
    let offered = list.options.iter().filter(|offer| !offer.disabled);
    let close: Vec<(Closeness, &str)> =
        offered.filter_map(|offer| Some((closeness(&offer.label, option)?, offer.label.as_str()))).collect();
    let best = close.iter().map(|(close, _)| *close).min();
    let mut labels: Vec<&str> =
        close.iter().filter(|(close, _)| Some(*close) == best).map(|(_, label)| *label).collect();
    labels.dedup();
    match labels[..] {
        [] => Err(Trouble::Impossible(format!("\"{field}\" does not offer \"{option}\""))),
        [only] => Ok((target, How::Select(only.to_owned()))),
        _ => Err(Trouble::Unsure(format!("{} options of \"{field}\" fit \"{option}\"", labels.len()))),
    }
}

fn is_list(node: &Node) -> bool {
    !node.options.is_empty() && node.input.is_none()
        || (matches!(node.role.as_str(), "combobox" | "listbox") && node.input.is_none())
}

fn is_choice(node: &Node) -> bool {
    node.reference.is_some()
        && matches!(node.role.as_str(), "radio" | "option" | "tab" | "button" | "checkbox" | "menuitemradio" | "switch")
}

fn how_of(found: &Search<'_>) -> How {
    match found {
        Search::Found(node) if matches!(node.role.as_str(), "radio" | "checkbox" | "switch") => How::Check,
        _ => How::Click,
    }
}
