//! The two walks through the app: one user who leaves and comes back, and one user in two places.

use super::discretion::Discretion;
use super::hands::Visitor;
use super::login::{self, Login};
use super::probes::{self, Found};
use super::record::{self, Creation, RecordShape, Trail};
use super::{cleanup, logout};
use crate::evidence::backend::{Lifecycle, Step, StepName};
use crate::gather::StepError;
use crate::prompt::BackendProbe;
use crate::request::{Access, Account, Accounts, Request};
use benchwright_browser::Browser;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What every walk works with.
pub struct Walk<'a> {
    pub browser: &'a Browser,
    pub request: &'a Request,
    pub access: &'a Access,
    pub accounts: &'a Accounts,
    pub discretion: Discretion,
    pub shape: RecordShape,
    pub records: &'a Records,
}

/// Markers of the records that the app may have of this run now.
#[derive(Default)]
pub struct Records(Mutex<BTreeSet<String>>);

impl Records {
    pub fn added(&self, marker: &str) {
        self.lock().insert(marker.to_owned());
    }

    pub fn gone(&self, marker: &str) {
        self.lock().remove(marker);
    }

    /// In the order of their names.
    pub fn markers(&self) -> Vec<String> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Walk<'_> {
    /// Somebody new, who shares nothing with anybody.
    pub async fn visitor(&self) -> Result<Visitor, StepError> {
        Visitor::new(self.browser, self.request, self.access).await
    }

    pub fn prompt_probes(&self) -> &[BackendProbe] {
        self.request.prompt.as_ref().map_or(&[], |prompt| &prompt.backend_probes)
    }

    async fn log_in(
        &self,
        visitor: &Visitor,
        account: &Account,
        diary: &mut Diary,
        step: StepName,
    ) -> Result<bool, StepError> {
        let login = login::sign_in(visitor, account, &self.discretion).await?;
        diary.write(step, login.is_in(), login.note());
        if let Login::Wall(wall) = &login {
            diary.lifecycle.wall = Some(wall.clone());
        }
        Ok(login.is_in())
    }

    async fn create(&self, visitor: &Visitor, marker: &str) -> Result<Creation, StepError> {
        // Whatever ends the walk from here on, the app may have the record.
        self.records.added(marker);
        let creation = record::create(visitor, &self.shape, marker, &self.discretion).await?;
        if !creation.accepted {
            self.records.gone(marker);
        }
        Ok(creation)
    }
}

/// Writes steps down as they happen.
struct Diary {
    lifecycle: Lifecycle,
}

impl Diary {
    fn new(marker: &str) -> Self {
        Self { lifecycle: Lifecycle { marker: marker.to_owned(), ..Lifecycle::default() } }
    }

    fn write(&mut self, step: StepName, ok: bool, note: String) {
        self.lifecycle.steps.push(Step { step, ok, note });
    }
}

/// What is left after the round trip.
pub struct RoundTrip {
    pub lifecycle: Lifecycle,
    /// The user's context, if it is logged in at the end.
    pub signed_in: Option<Visitor>,
    /// Whether a record was created that was not deleted again, so that it may still be in the app.
    pub left_behind: bool,
}

/// Log in, create, log out, log in again, look.
pub async fn round_trip(walk: &Walk<'_>, marker: &str) -> Result<RoundTrip, StepError> {
    let account = &walk.accounts.user_a;
    let mut visitor = walk.visitor().await?;
    let mut diary = Diary::new(marker);
    if !walk.log_in(&visitor, account, &mut diary, StepName::InitialLogin).await? {
        visitor.leave().await;
        return Ok(RoundTrip { lifecycle: diary.lifecycle, signed_in: None, left_behind: false });
    }
    let creation = walk.create(&visitor, marker).await?;
    diary.write(StepName::CreateRecord, creation.accepted, creation.note.clone());
    diary.write(StepName::VisibleAfterCreate, creation.visible, String::new());
    let out = logout::sign_out(&visitor, &creation.trail, marker).await?;
    diary.write(StepName::Logout, out.ok, out.note);
    // What the browser alone remembers is no record: only the server may bring it back. A session that outlived its log-out goes too.
    visitor.forget_everything().await?;
    let again = walk.log_in(&visitor, account, &mut diary, StepName::Relogin).await?;
    let mut persists = false;
    if again {
        persists = creation.accepted && record::find(&visitor, &creation.trail, marker).await?;
        diary.write(StepName::PersistsAfterRelogin, persists, lost_note(&creation, persists));
    }
    let deleted = persists && cleanup::delete(&visitor, &creation.trail, marker).await?;
    // What a list does not show may stand on its next page, behind a filter, or come late.
    let left_behind = creation.accepted && !deleted;
    if deleted {
        walk.records.gone(marker);
    }
    let signed_in = if again { Some(visitor) } else { leave(visitor).await };
    Ok(RoundTrip { lifecycle: diary.lifecycle, signed_in, left_behind })
}

async fn leave(visitor: Visitor) -> Option<Visitor> {
    visitor.leave().await;
    None
}

fn lost_note(creation: &Creation, persists: bool) -> String {
    match (creation.accepted, persists) {
        (_, true) => String::new(),
        (true, false) => "the record is gone after logging in again in an emptied browser".to_owned(),
        (false, false) => "there is no record to look for".to_owned(),
    }
}

/// What is left after the walk in two places.
pub struct CrossSession {
    pub lifecycle: Lifecycle,
    /// The owner's context, if it is logged in and the record was created.
    pub owner: Option<Visitor>,
    pub trail: Trail,
    /// Requests that brought the record when its owner loaded the page again.
    pub found: Vec<Found>,
}

/// One context creates; another one, which shares nothing with it, looks.
pub async fn cross_session(walk: &Walk<'_>, marker: &str) -> Result<CrossSession, StepError> {
    let account = &walk.accounts.user_b;
    let first = walk.visitor().await?;
    let mut diary = Diary::new(marker);
    let nothing = |lifecycle| CrossSession { lifecycle, owner: None, trail: Trail::default(), found: Vec::new() };
    if !walk.log_in(&first, account, &mut diary, StepName::ContextALogin).await? {
        first.leave().await;
        return Ok(nothing(diary.lifecycle));
    }
    let creation = walk.create(&first, marker).await?;
    diary.write(StepName::ContextACreate, creation.accepted, creation.note.clone());
    let found = if creation.accepted {
        probes::discover(&first, &creation.trail, marker, &walk.discretion).await?
    } else {
        Vec::new()
    };
    let second = walk.visitor().await?;
    let inside = walk.log_in(&second, account, &mut diary, StepName::ContextBLogin).await?;
    if inside {
        let seen = creation.accepted && record::find(&second, &creation.trail, marker).await?;
        let note = if seen {
            String::new()
        } else {
            "a browser that shares nothing with the first does not show the record".to_owned()
        };
        diary.write(StepName::RecordVisibleInContextB, seen, note);
    }
    let (owner, other) = if inside { (second, first) } else { (first, second) };
    other.leave().await;
    if !creation.accepted {
        owner.leave().await;
        return Ok(nothing(diary.lifecycle));
    }
    Ok(CrossSession { lifecycle: diary.lifecycle, owner: Some(owner), trail: creation.trail, found })
}
