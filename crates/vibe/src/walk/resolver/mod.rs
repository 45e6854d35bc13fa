//! The resolver: walks without a model. A sentence is read as clauses, each is resolved on the page as it is seen, and acted on only
//! where there is no doubt which element is meant.

mod account;
mod choosing;
mod clause;
mod find;
mod noted;
mod tokens;
mod walking;

use super::course::Walker;
use super::error::WalkError;
use super::stage::Stage;
use super::target;
use crate::reading;
use crate::task::Substep;
use benchwright_domain::vibe::trace::{self, Action, Attempt, Node, Sight, SubstepTrace, WalkerKind};
pub(super) use clause::tells_to_note;
use clause::{Clause, Scope, Value, clauses};
use find::{Finder, Search};
use walking::{Walking, agreement, find_way, opener, to_target};

/// Version of the resolver; raised when it would act differently.
pub const VERSION: u32 = 3;

/// What a button says that agrees, and one that does not.
const AGREES: [&str; 12] =
    ["yes", "ok", "okay", "confirm", "continue", "proceed", "delete", "remove", "sure", "really", "accept", "agree"];
const REFUSES: [&str; 7] = ["no", "cancel", "keep", "back", "close", "dismiss", "don't"];

/// Walks without a model.
#[derive(Debug, Default)]
pub struct Resolver {
    /// What a tester was told to note.
    notes: Vec<String>,
    address: Option<String>,
    /// The reference of what was acted on last.
    last: Option<String>,
    /// What was clicked last, by name.
    clicked: String,
}

/// Why a clause was not done.
#[derive(Debug)]
enum Trouble {
    /// The app does not allow it.
    Impossible(String),
    /// It cannot be told what is meant.
    Unsure(String),
    /// The walk is over.
    Walk(WalkError),
}

impl From<WalkError> for Trouble {
    fn from(error: WalkError) -> Self {
        Self::Walk(error)
    }
}

impl Walker for Resolver {
    fn identity(&self) -> trace::Walker {
        trace::Walker { kind: WalkerKind::Resolver, version: VERSION, model: None }
    }

    async fn substep(&mut self, stage: &mut Stage, number: u32, substep: &Substep) -> Result<SubstepTrace, WalkError> {
        stage.begin_step()?;
        let trace = stage.begin(number, substep, WalkerKind::Resolver).await?;
        let mut walking = Walking::new(stage, trace);
        let attempt = match clauses(&substep.text) {
            Err(reason) => Attempt::Unsure { reason },
            Ok(clauses) => self.walk(&mut walking, &clauses).await?,
        };
        walking.record().attempt = attempt;
        walking.settle(&substep.expect).await?;
        walking.end().await
    }
}

impl Resolver {
    /// Does the clauses in turn; the first that cannot be done ends the substep.
    async fn walk(&mut self, walking: &mut Walking<'_>, clauses: &[Clause]) -> Result<Attempt, WalkError> {
        for clause in clauses {
            // A dialog that came up before is answered when it is known what the sentence says next.
            let done = match self.answer_dialog(walking, clause).await {
                Ok(()) => self.do_clause(walking, clause).await,
                other => other,
            };
            match done {
                Ok(()) => {}
                Err(Trouble::Impossible(reason)) => return Ok(Attempt::Impossible { reason }),
                Err(Trouble::Unsure(reason)) => return Ok(Attempt::Unsure { reason }),
                Err(Trouble::Walk(error)) => return Err(error),
            }
        }
        Ok(Attempt::Done)
    }

    async fn do_clause(&mut self, walking: &mut Walking<'_>, clause: &Clause) -> Result<(), Trouble> {
        match clause {
            Clause::Look | Clause::Scroll => Ok(()),
            Clause::OpenApp | Clause::FirstPage => walking.act(Action::Navigate { url: "/".to_owned() }).await,
            Clause::OpenNoted => {
                let noted = self.address.clone().ok_or_else(|| Trouble::Unsure("no address was noted".to_owned()))?;
                walking.act(Action::Navigate { url: noted }).await
            }
            Clause::NoteAddress => {
                self.address = Some(walking.stage.sight().await?.url);
                Ok(())
            }
            Clause::Note { after } => self.note(walking, after).await,
            Clause::Reload => walking.act(Action::Reload).await,
            Clause::Back => walking.act(Action::Back).await,
            Clause::Forward => walking.act(Action::Forward).await,
            Clause::Press { keys } => walking.act(Action::Press { target: None, keys: keys.clone() }).await,
            Clause::GoTo { name } => self.go_to(walking, name).await,
            Clause::Open { names, unless_open } => self.open(walking, names, *unless_open).await,
            Clause::Click { name, scope } => self.click(walking, name, scope).await,
            Clause::DoubleClick { name, scope } => {
                let target = self.pressable(walking, name, scope).await?;
                walking.act(Action::DoubleClick { target }).await
            }
            Clause::Hover { name, scope } => {
                let target = self.pressable(walking, name, scope).await?;
                walking.act(Action::Hover { target }).await
            }
            Clause::Drag { what, onto } => {
                let from = self.pressable(walking, what, &Scope::default()).await?;
                let to = self.pressable(walking, onto, &Scope::default()).await?;
                walking.act(Action::Drag { from, to }).await
            }
            Clause::Fill { value, field, scope } => {
                let text = self.value(value)?;
                self.fill(walking, field, &text, scope).await
            }
            Clause::Set { field, value, scope } => self.set(walking, field, value, scope).await,
            Clause::Clear { field, scope } => self.clear(walking, field, scope).await,
            Clause::Choose { option, field, scope } => self.choose(walking, option, field.as_deref(), scope).await,
            Clause::Tick { name, on, scope } => self.tick(walking, name, *on, scope).await,
            Clause::Upload { file, field } => self.upload(walking, file, field.as_deref()).await,
            Clause::Search { text } => self.search(walking, text).await,
            Clause::SignIn { with, must } => self.sign_in(walking, with, *must).await,
            Clause::SignUp { with, must } => self.sign_up(walking, with, *must).await,
            Clause::SignOut => self.sign_out(walking).await,
            Clause::Confirm => self.confirm(walking).await,
            Clause::Dismiss => walking.act(Action::Dialog { accept: false, text: None }).await,
            Clause::SwitchTab => {
                walking.act(Action::SwitchTab { tab: u32::from(walking.stage.tabs().len() > 1) }).await
            }
            Clause::CloseTab => {
                let last = u32::try_from(walking.stage.tabs().len().saturating_sub(1)).unwrap_or_default();
                walking.act(Action::CloseTab { tab: last }).await
            }
        }
    }

    fn value(&self, value: &Value) -> Result<String, Trouble> {
        let noted =
            |note: Option<&String>| note.cloned().ok_or_else(|| Trouble::Unsure("nothing was noted".to_owned()));
        match value {
            Value::Text(text) => Ok(text.clone()),
            Value::Noted(None) => noted(self.notes.last()),
            Value::Noted(Some(which)) => noted(self.notes.get(*which)),
        }
    }

    async fn click(&mut self, walking: &mut Walking<'_>, name: &str, scope: &Scope) -> Result<(), Trouble> {
        if walking.stage.page().open_dialog().is_some() {
            let first = name.to_lowercase();
            let refuses = REFUSES.iter().any(|word| first.split(|c: char| !c.is_alphanumeric()).next() == Some(word));
            return walking.act(Action::Dialog { accept: !refuses, text: None }).await;
        }
        let target = self.pressable(walking, name, scope).await?;
        name.clone_into(&mut self.clicked);
        self.last = Some(target.reference.clone());
        walking.act(Action::Click { target }).await
    }

    /// Finds what is pressed; looks into menus that are closed if it is nowhere else.
    async fn pressable(
        &mut self,
        walking: &mut Walking<'_>,
        name: &str,
        scope: &Scope,
    ) -> Result<trace::Target, Trouble> {
        let last = self.last.clone();
        let look = |sight: &Sight| to_target(sight, Finder::new(sight, last.as_deref()).pressable(name, scope));
        match walking.look_for(look).await {
            Err(Trouble::Impossible(reason)) => {
                if walking.open_menu(scope).await? {
                    walking.look_for(look).await.map_err(|_| Trouble::Impossible(reason))
                } else {
                    Err(Trouble::Impossible(reason))
                }
            }
            other => other,
        }
    }

    /// Goes to a page by its link. Somebody who finds none begins at the first page; somebody who is there already stays.
    async fn go_to(&mut self, walking: &mut Walking<'_>, name: &str) -> Result<(), Trouble> {
        let scope = Scope::default();
        let sight = walking.stage.sight().await?;
        let now = |sight: &Sight| to_target(sight, find_way(sight, name));
        let mut way = match now(&sight) {
            Err(Trouble::Impossible(_)) => self.pressable(walking, name, &scope).await,
            found => found,
        };
        if let Err(Trouble::Impossible(reason)) = way {
            let sight = walking.stage.sight().await?;
            let headings = reading::named(&sight, name, |node| node.role == "heading");
            if !headings.is_empty() {
                return Ok(());
            }
            walking.act(Action::Navigate { url: "/".to_owned() }).await?;
            way = walking.look_for(now).await.map_err(|_| Trouble::Impossible(reason));
        }
        let target = way?;
        self.last = None;
        walking.act(Action::Click { target }).await
    }

    /// Opens an entry: by its own link, by the one link or opening button of its row, or by clicking it.
    async fn open(&mut self, walking: &mut Walking<'_>, names: &[String], unless_open: bool) -> Result<(), Trouble> {
        let sight = walking.stage.sight().await?;
        let is_open = |sight: &Sight| {
            names.iter().all(|name| {
                !reading::named(sight, name, |node| {
                    node.role == "heading" && node.level.is_some_and(|level| level <= 2)
                })
                .is_empty()
            })
        };
        if unless_open && is_open(&sight) {
            return Ok(());
        }
        let name = names.last().cloned().unwrap_or_default();
        let target = walking
            .look_for(|sight| match Finder::new(sight, None).pressable(&name, &Scope::default()) {
                Search::Found(node) if node.role != "text" => Ok(target::of(sight, node)),
                other => {
                    opener(sight, &name).map_or_else(|| to_target(sight, other), |node| Ok(target::of(sight, node)))
                }
            })
            .await?;
        self.last = None;
        walking.act(Action::Click { target }).await
    }

    async fn fill(&mut self, walking: &mut Walking<'_>, field: &str, text: &str, scope: &Scope) -> Result<(), Trouble> {
        let target = self.field(walking, field, scope, find::takes_text).await?;
        self.last = Some(target.reference.clone());
        walking.act(Action::Fill { target, text: text.to_owned() }).await
    }

    async fn clear(&mut self, walking: &mut Walking<'_>, field: &str, scope: &Scope) -> Result<(), Trouble> {
        let target = self.field(walking, field, scope, |_| true).await?;
        let sight = walking.stage.sight().await?;
        let node = target::find(&sight, &target);
        if node.is_some_and(|node| node.value.as_deref().unwrap_or_default().is_empty() || !node.options.is_empty()) {
            return Ok(());
        }
        self.last = Some(target.reference.clone());
        walking.act(Action::Clear { target }).await
    }

    async fn field(
        &mut self,
        walking: &mut Walking<'_>,
        label: &str,
        scope: &Scope,
        wanted: impl Fn(&Node) -> bool,
    ) -> Result<trace::Target, Trouble> {
        let last = self.last.clone();
        walking
            .look_for(|sight| match Finder::new(sight, last.as_deref()).field(sight, label, scope) {
                Search::Found(node) if !wanted(node) => Err(Trouble::Impossible(format!("\"{label}\" takes no text"))),
                other => to_target(sight, other),
            })
            .await
    }

    async fn tick(&mut self, walking: &mut Walking<'_>, name: &str, on: bool, scope: &Scope) -> Result<(), Trouble> {
        let target = walking
            .look_for(|sight| {
                let found = reading::switches(sight, name);
                let found = match &found[..] {
                    [_, _, ..] if !scope.is_empty() => {
                        Finder::new(sight, None).any(name, scope, |node| node.checked.is_some())
                    }
                    [] => Search::Missing(format!("there is nothing to tick called \"{name}\"")),
                    [only] => Search::Found(only),
                    several => Search::Ambiguous(format!("{} boxes are called \"{name}\"", several.len())),
                };
                to_target(sight, found)
            })
            .await?;
        self.last = Some(target.reference.clone());
        walking.act(Action::Check { target, checked: on }).await
    }

    async fn upload(&mut self, walking: &mut Walking<'_>, file: &str, field: Option<&str>) -> Result<(), Trouble> {
        let is_file = |node: &Node| node.input.as_deref() == Some("file");
        let target = walking
            .look_for(|sight| {
                let fields: Vec<&Node> = match field {
                    Some(field) => reading::named(sight, field, is_file),
                    None => reading::all(&sight.root).into_iter().filter(|node| is_file(node)).collect(),
                };
                let found = match fields[..] {
                    [only] => Search::Found(only),
                    [] => Search::Missing("there is no field for files".to_owned()),
                    _ => Search::Ambiguous(format!("there are {} fields for files", fields.len())),
                };
                to_target(sight, found)
            })
            .await?;
        walking.act(Action::Upload { target, files: vec![file.to_owned()] }).await
    }

    async fn search(&mut self, walking: &mut Walking<'_>, text: &str) -> Result<(), Trouble> {
        let target = walking
            .look_for(|sight| {
                let boxes: Vec<&Node> =
                    reading::all(&sight.root).into_iter().filter(|node| node.role == "searchbox").collect();
                match boxes[..] {
                    [only] => Ok(target::of(sight, only)),
                    _ => to_target(sight, Finder::new(sight, None).field(sight, "Search", &Scope::default())),
                }
            })
            .await?;
        walking.act(Action::Fill { target: target.clone(), text: text.to_owned() }).await?;
        walking.act(Action::Press { target: Some(target), keys: "Enter".to_owned() }).await
    }

    /// A dialog of the browser that nobody speaks of is agreed to: the sentence asked for what it asks about.
    async fn answer_dialog(&mut self, walking: &mut Walking<'_>, next: &Clause) -> Result<(), Trouble> {
        let Some(dialog) = walking.stage.page().open_dialog() else { return Ok(()) };
        let speaks_of_it = matches!(next, Clause::Confirm | Clause::Dismiss | Clause::Click { .. } | Clause::Look);
        if speaks_of_it && (dialog.kind != "alert" || *next == Clause::Look) {
            return Ok(());
        }
        walking.act(Action::Dialog { accept: true, text: None }).await
    }

    /// Agrees if asked: to a dialog of the browser, or to a question of the page. Nothing to agree to is fine.
    async fn confirm(&mut self, walking: &mut Walking<'_>) -> Result<(), Trouble> {
        if walking.stage.page().open_dialog().is_some() {
            return walking.act(Action::Dialog { accept: true, text: None }).await;
        }
        let sight = walking.stage.sight().await?;
        match agreement(&sight, walking.before_last.as_ref(), &self.clicked) {
            Some(node) => {
                let target = target::of(&sight, node);
                walking.act(Action::Click { target }).await
            }
            None => Ok(()),
        }
    }
}
