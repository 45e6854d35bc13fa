//! Accounts: signing in, up and out as a person would.

use super::clause::Scope;
use super::find::{Finder, Search};
use super::walking::{Walking, to_target};
use super::{Resolver, Trouble};
use crate::reading::{self, Tree, closeness, is_field};
use crate::walk::target;
use benchwright_domain::vibe::trace::{Action, Node, Sight, Target};

const SIGN_IN: [&str; 4] = ["Sign in", "Log in", "Login", "Sign-in"];
const SIGN_UP: [&str; 6] = ["Sign up", "Create account", "Create an account", "Register", "Create my account", "Join"];
const SIGN_OUT: [&str; 5] = ["Sign out", "Log out", "Logout", "Sign-out", "Log off"];
const E_MAIL: [&str; 8] =
    ["E-mail", "Email", "E-mail address", "Email address", "Mail", "Username", "User name", "Login"];
/// How many pages to go through on the way to a form.
const WAYS: usize = 3;

/// A form with the fields that were asked for and the button that sends it.
struct Form {
    fields: Vec<(Target, String)>,
    send: Target,
}

impl Resolver {
    pub(super) async fn sign_in(
        &mut self,
        walking: &mut Walking<'_>,
        with: &[(String, String)],
        must: bool,
    ) -> Result<(), Trouble> {
        self.enter(walking, with, &SIGN_IN).await?;
        if must { self.see_inside(walking, &SIGN_IN, "signed in").await } else { Ok(()) }
    }

    pub(super) async fn sign_up(
        &mut self,
        walking: &mut Walking<'_>,
        with: &[(String, String)],
        must: bool,
    ) -> Result<(), Trouble> {
        self.enter(walking, with, &SIGN_UP).await?;
        if must { self.see_inside(walking, &SIGN_UP, "signed up").await } else { Ok(()) }
    }

    /// Finds the form, on this page or behind the link to it, fills it in and sends it.
    async fn enter(
        &mut self,
        walking: &mut Walking<'_>,
        with: &[(String, String)],
        names: &[&str],
    ) -> Result<(), Trouble> {
        for way in 0..WAYS {
            let sight = walking.stage.sight().await?;
            if let Some(form) = form(&sight, with, names) {
                return self.send(walking, form).await;
            }
            let link = first_found(&sight, names, &Scope::default());
            match link {
                Some(target) => walking.act(Action::Click { target }).await?,
                None if way == 0 => {
                    walking.stage.look_at_rest().await?;
                    let again = walking.stage.sight().await?;
                    if form_is_there(&again, with, names) {
                        continue;
                    }
                    walking.act(Action::Navigate { url: "/".to_owned() }).await?;
                }
                None => break,
            }
        }
        Err(Trouble::Impossible(format!("there is no form to {} with", names[0].to_lowercase())))
    }

    async fn send(&mut self, walking: &mut Walking<'_>, form: Form) -> Result<(), Trouble> {
        for (target, text) in form.fields {
            walking.act(Action::Fill { target, text }).await?;
        }
        self.last = None;
        walking.act(Action::Click { target: form.send }).await
    }

    /// Somebody who is in sees no password field of the form any more.
    async fn see_inside(&mut self, walking: &mut Walking<'_>, names: &[&str], done: &str) -> Result<(), Trouble> {
        let end = std::time::Instant::now() + walking.stage.settings().look_for;
        loop {
            let sight = walking.stage.sight().await?;
            if sends(&sight, names).is_empty() || !has_password(&sight) {
                return Ok(());
            }
            if std::time::Instant::now() >= end {
                return Err(Trouble::Impossible(format!("the form is still there, nobody was {done}")));
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            walking.stage.look().await?;
        }
    }

    pub(super) async fn sign_out(&mut self, walking: &mut Walking<'_>) -> Result<(), Trouble> {
        let look = |sight: &Sight| {
            let found = first_found(sight, &SIGN_OUT, &Scope::default());
            found.ok_or_else(|| Trouble::Impossible("there is no way to sign out".to_owned()))
        };
        let target = match walking.look_for(look).await {
            Err(Trouble::Impossible(reason)) => {
                let opened = walking.open_account().await? || walking.open_menu(&Scope::default()).await?;
                if !opened {
                    return Err(Trouble::Impossible(reason));
                }
                walking.look_for(look).await?
            }
            other => other?,
        };
        self.last = None;
        "Sign out".clone_into(&mut self.clicked);
        walking.act(Action::Click { target }).await
    }
}

impl Walking<'_> {
    /// Opens the menu of an account: what can be pressed in the page's head and says account, profile or an e-mail address.
    async fn open_account(&mut self) -> Result<bool, Trouble> {
        let sight = self.stage.sight().await?;
        let says_so = |node: &Node| {
            let name = node.name.to_lowercase();
            matches!(node.role.as_str(), "button" | "link" | "generic" | "combobox")
                && node.reference.is_some()
                && (["account", "profile", "user"].iter().any(|word| reading::contains(&name, word))
                    || name.contains('@'))
        };
        let found: Vec<&Node> = reading::all(&sight.root).into_iter().filter(|node| says_so(node)).collect();
        let [only] = found[..] else { return Ok(false) };
        let target = target::of(&sight, only);
        self.act(Action::Click { target }).await?;
        Ok(true)
    }
}

/// The first of several names under which something can be pressed without doubt.
fn first_found(sight: &Sight, names: &[&str], scope: &Scope) -> Option<Target> {
    let finder = Finder::new(sight, None);
    names.iter().find_map(|name| match finder.pressable(name, scope) {
        Search::Found(node)
            if closeness(&node.name, name) <= Some(reading::Closeness::Begins)
                && node.role != "text"
                && node.role != "heading" =>
        {
            to_target(sight, Search::Found(node)).ok()
        }
        _ => None,
    })
}

fn has_password(sight: &Sight) -> bool {
    reading::all(&sight.root).iter().any(|node| node.input.as_deref() == Some("password"))
}

fn form_is_there(sight: &Sight, with: &[(String, String)], names: &[&str]) -> bool {
    form(sight, with, names).is_some()
}

/// Buttons that send a form of this kind.
fn sends<'a>(sight: &'a Sight, names: &[&str]) -> Vec<&'a Node> {
    let close = |node: &Node| {
        names.iter().any(|name| closeness(&node.name, name).is_some_and(|close| close <= reading::Closeness::Begins))
    };
    reading::all(&sight.root).into_iter().filter(|node| node.role == "button" && close(node)).collect()
}

/// The smallest part of the page with a button of these names and all the fields that were asked for.
fn form(sight: &Sight, with: &[(String, String)], names: &[&str]) -> Option<Form> {
    let tree = Tree::of(sight);
    let mut best: Option<(usize, Form)> = None;
    for send in sends(sight, names) {
        let place = tree.place_of(send)?;
        let fields = |home: usize| -> Option<Vec<(Target, String)>> {
            with.iter()
                .map(|(label, text)| Some((target::of(sight, field_in(&tree, home, label)?), text.clone())))
                .collect()
        };
        let found = tree.upwards(place).find_map(|home| Some((tree.depth(home), fields(home)?)));
        if let Some((depth, fields)) = found
            && best.as_ref().is_none_or(|(deepest, _)| depth > *deepest)
        {
            best = Some((depth, Form { fields, send: target::of(sight, send) }));
        }
    }
    best.map(|(_, form)| form)
}

/// The one field of a label in a part of the page. An e-mail has many names, and a password is known by its dots.
fn field_in<'a>(tree: &Tree<'a>, home: usize, label: &str) -> Option<&'a Node> {
    let fields: Vec<&Node> = reading::all(tree.node(home)).into_iter().filter(|node| is_field(node)).collect();
    let is_mail =
        E_MAIL.iter().any(|name| closeness(label, name).is_some_and(|close| close <= reading::Closeness::Folded));
    let names: Vec<&str> = if is_mail { E_MAIL.to_vec() } else { vec![label] };
    let called: Vec<&Node> =
        names.iter().map(|name| best_called(&fields, name)).find(|called| !called.is_empty()).unwrap_or_default();
    if let [only] = called[..] {
        return Some(only);
    }
    let kind = if label == "password" {
        "password"
    } else if is_mail {
        "email"
    } else {
        return None;
    };
    let typed: Vec<&Node> = fields.into_iter().filter(|node| node.input.as_deref() == Some(kind)).collect();
    match typed[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn best_called<'a>(fields: &[&'a Node], name: &str) -> Vec<&'a Node> {
    let close = |node: &Node| {
        let hint = node.placeholder.as_deref().and_then(|hint| closeness(hint, name));
        [closeness(&node.name, name), hint].into_iter().flatten().min()
    };
    let best = fields.iter().filter_map(|node| close(node)).min();
    fields.iter().copied().filter(|node| best.is_some() && close(node) == best).collect()
}
