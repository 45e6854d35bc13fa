//! One substep while the resolver walks it: acting, looking for things, waiting for what is expected.

use super::clause::Scope;
use super::find::{Finder, Search};
use super::{AGREES, REFUSES, Trouble};
use crate::judge::expectation::all_hold;
use crate::reading::{self, Closeness, Tree, closeness};
use crate::task::Expectation;
use crate::walk::error::WalkError;
use crate::walk::stage::Stage;
use crate::walk::target;
use benchwright_domain::vibe::trace::{Action, Node, Sight, SubstepTrace, Target};

/// How often a page that grows is scrolled on in search of something.
const SCROLLS: usize = 8;
/// Pixels of one such scroll.
const FAR: i32 = 20_000;
/// What buttons say behind which more is hidden.
const MENUS: [&str; 9] = ["menu", "account", "profile", "more", "options", "actions", "settings", "user", "navigation"];

/// One substep while it is walked.
pub(super) struct Walking<'a> {
    pub(super) stage: &'a mut Stage,
    trace: SubstepTrace,
    /// The page before the last action.
    pub(super) before_last: Option<Sight>,
}

impl<'a> Walking<'a> {
    pub(super) fn new(stage: &'a mut Stage, trace: SubstepTrace) -> Self {
        Self { stage, trace, before_last: None }
    }

    pub(super) fn record(&mut self) -> &mut SubstepTrace {
        &mut self.trace
    }

    pub(super) async fn end(self) -> Result<SubstepTrace, WalkError> {
        self.stage.conclude(self.trace).await
    }

    /// Does one action and writes it down.
    pub(super) async fn act(&mut self, action: Action) -> Result<(), Trouble> {
        self.before_last = Some(self.stage.sight().await?);
        let done = self.stage.perform(&action).await?;
        let failed = done.failed.clone();
        self.trace.actions.push(done);
        match failed {
            None => Ok(()),
            Some(reason) => Err(Trouble::Impossible(reason)),
        }
    }

    /// Looks until something is there, as long as the settings say; then once more further down a page that grows.
    pub(super) async fn look_for(
        &mut self,
        look: impl Fn(&Sight) -> Result<Target, Trouble>,
    ) -> Result<Target, Trouble> {
        let end = self.stage.end_of_search();
        if let Some(found) = self.stage.look_until(end, |sight| look(sight).ok()).await? {
            return Ok(found);
        }
        let mut found = look(&self.stage.sight().await?);
        if matches!(found, Err(Trouble::Impossible(_))) {
            for _ in 0..SCROLLS {
                if !self.scroll_on().await? {
                    break;
                }
                let sight = self.stage.sight().await?;
                found = look(&sight);
                if found.is_ok() {
                    break;
                }
            }
        }
        found
    }

    /// Scrolls to the end of the page. Whether there was more than before.
    async fn scroll_on(&mut self) -> Result<bool, Trouble> {
        let before = self.stage.sight().await?;
        let (_, height) = self.stage.viewport();
        if before.page.1 <= f64::from(height) + before.scrolled.1 + 1.0 || self.stage.page().open_dialog().is_some() {
            return Ok(false);
        }
        self.act(Action::Scroll { target: None, x: 0, y: FAR }).await?;
        let after = self.stage.sight().await?;
        Ok(after.page.1 > before.page.1 || reading::text_of(&after.root) != reading::text_of(&before.root))
    }

    /// Opens a menu that is closed, in the row or card that is meant if one is. Whether there was one.
    pub(super) async fn open_menu(&mut self, scope: &Scope) -> Result<bool, Trouble> {
        let sight = self.stage.sight().await?;
        let finder = Finder::new(&sight, None);
        let menus: Vec<&Node> = reading::all(&sight.root).into_iter().filter(|node| is_menu(node)).collect();
        let menus: Vec<&Node> =
            menus.into_iter().filter(|menu| scope.is_empty() || finder.is_home(menu, scope)).collect();
        let [menu] = menus[..] else { return Ok(false) };
        let target = target::of(&sight, menu);
        self.act(Action::Click { target }).await?;
        Ok(true)
    }

    /// Waits until what is expected can be seen, as long as the settings say, and looks further down a page that grows.
    pub(super) async fn settle(&mut self, expected: &[Expectation]) -> Result<(), WalkError> {
        let end = self.stage.end_of_search();
        loop {
            let is_seen = self.stage.look_until_all_holds(expected, end).await?;
            let asks = self.stage.page().open_dialog().is_some();
            if asks && (!is_seen || expected.is_empty()) {
                self.drop_trouble(Action::Dialog { accept: true, text: None }).await?;
            } else if is_seen {
                return Ok(());
            } else {
                return self.look_closer(expected).await;
            }
        }
    }

    async fn look_closer(&mut self, expected: &[Expectation]) -> Result<(), WalkError> {
        let sight = self.stage.sight().await?;
        for expectation in expected {
            if let Expectation::Choice(choice) = expectation
                && let [list] = reading::fields_called(&sight, &choice.label)[..]
                && list.options.is_empty()
                && list.expanded != Some(true)
            {
                let target = target::of(&sight, list);
                self.drop_trouble(Action::Click { target }).await?;
            }
        }
        for _ in 0..SCROLLS {
            let sight = self.stage.sight().await?;
            if all_hold(expected, &sight) {
                break;
            }
            match self.scroll_on().await {
                Ok(true) => {}
                Err(Trouble::Walk(error)) => return Err(error),
                _ => break,
            }
        }
        Ok(())
    }

    /// Acts on the side; that it does not work is no matter.
    async fn drop_trouble(&mut self, action: Action) -> Result<(), WalkError> {
        match self.act(action).await {
            Err(Trouble::Walk(error)) => Err(error),
            _ => Ok(()),
        }
    }
}

/// What was found, as the target of an action.
pub(super) fn to_target(sight: &Sight, found: Search<'_>) -> Result<Target, Trouble> {
    match found {
        Search::Found(node) => Ok(target::of(sight, node)),
        Search::Missing(reason) => Err(Trouble::Impossible(reason)),
        Search::Ambiguous(reason) => Err(Trouble::Unsure(reason)),
    }
}

fn is_menu(node: &Node) -> bool {
    let is_button =
        matches!(node.role.as_str(), "button" | "combobox" | "menuitem" | "generic") && !node.disabled && !node.covered;
    let name = node.name.to_lowercase();
    let says_so = MENUS.iter().any(|menu| reading::contains(&name, menu))
        || matches!(node.name.trim(), "☰" | "⋮" | "…" | "⋯" | "...");
    is_button && node.reference.is_some() && (node.expanded == Some(false) || (node.role == "button" && says_so))
}

/// The way to a page: what leads there in the page's frame, or else anywhere.
pub(super) fn find_way<'a>(sight: &'a Sight, name: &str) -> Search<'a> {
    let finder = Finder::new(sight, None);
    let tree = finder.tree();
    let leads = |node: &Node| matches!(node.role.as_str(), "link" | "tab" | "button" | "menuitem");
    let ways: Vec<&Node> = reading::named(sight, name, |node| node.reference.is_some() && leads(node));
    let in_frame = |node: &&Node| {
        let frame = ["navigation", "banner", "tablist", "menubar", "menu"];
        tree.place_of(node)
            .is_some_and(|place| tree.upwards(place).any(|above| frame.contains(&tree.node(above).role.as_str())))
    };
    let framed: Vec<&Node> = ways
        .iter()
        .copied()
        .filter(|node| in_frame(node) && closeness(&node.name, name) <= Some(Closeness::Begins))
        .collect();
    match framed[..] {
        [only] => Search::Found(only),
        _ => finder.pressable(name, &Scope::default()),
    }
}

/// What opens the entry of a name: the one link of its row or card, or the one button that says so.
pub(super) fn opener<'a>(sight: &'a Sight, name: &str) -> Option<&'a Node> {
    let tree = Tree::of(sight);
    let leaves = tree.leaves().iter().filter(|leaf| reading::contains(&leaf.text, name) && !tree.is_live(leaf.node));
    let mut entries: Vec<usize> = leaves.filter_map(|leaf| tree.entry_of(leaf.node)).collect();
    entries.dedup();
    let [entry] = entries[..] else { return None };
    let inside = reading::all(tree.node(entry));
    let openers: Vec<&Node> = inside
        .iter()
        .copied()
        .filter(|node| {
            ["open", "view", "show", "details", "see"].iter().any(|word| closeness(&node.name, word).is_some())
        })
        .filter(|node| matches!(node.role.as_str(), "link" | "button"))
        .collect();
    let links: Vec<&Node> = inside.iter().copied().filter(|node| node.role == "link").collect();
    match (&openers[..], &links[..]) {
        ([only], _) | ([], [only]) => Some(only),
        _ => None,
    }
}

/// The button that agrees to a question of the page: in its dialog, or one that has just appeared.
pub(super) fn agreement<'a>(sight: &'a Sight, before: Option<&Sight>, clicked: &str) -> Option<&'a Node> {
    let buttons = |root: &'a Node| -> Vec<&'a Node> {
        reading::all(root).into_iter().filter(|node| node.role == "button" && !node.disabled && !node.covered).collect()
    };
    let is_dialog = |node: &&Node| matches!(node.role.as_str(), "dialog" | "alertdialog");
    let offered = if let Some(dialog) = reading::all(&sight.root).into_iter().rfind(is_dialog) {
        buttons(dialog)
    } else {
        let before = before.map(|before| reading::all(&before.root)).unwrap_or_default();
        let now = reading::all(&sight.root);
        let so_many = |nodes: &[&Node], name: &str| nodes.iter().filter(|other| other.name == name).count();
        let is_new = |node: &&Node| so_many(&now, &node.name) > so_many(&before, &node.name);
        buttons(&sight.root).into_iter().filter(is_new).collect()
    };
    let agrees: Vec<&Node> = offered.into_iter().filter(|node| does_agree(&node.name, clicked)).collect();
    let plainly: Vec<&Node> = agrees.iter().copied().filter(|node| first_word(&node.name) == "yes").collect();
    match (&agrees[..], &plainly[..]) {
        ([only], _) | (_, [only]) => Some(only),
        _ => None,
    }
}

fn does_agree(name: &str, clicked: &str) -> bool {
    let repeats = !clicked.is_empty() && closeness(name, clicked).is_some_and(|close| close <= Closeness::Begins);
    let first = first_word(name);
    repeats || (AGREES.contains(&first.as_str()) && !REFUSES.contains(&first.as_str()))
}

fn first_word(name: &str) -> String {
    name.to_lowercase()
        .split(|character: char| !character.is_alphanumeric() && character != '\'')
        .find(|word| !word.is_empty())
        .unwrap_or_default()
        .to_owned()
}
