//! What two accounts could do, and what they could see of each other. E-mail addresses, passwords, tokens and answers are not part of it.

use serde::{Deserialize, Serialize};

/// Format version of [`Backend`]. Since 2, a status that a prompt does not expect is told apart from data that leaked.
pub const VERSION: u32 = 2;

/// What two accounts could do, and what they could see of each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Backend {
    /// One user logs in, creates a record, logs out, logs in again.
    pub round_trip: Lifecycle,
    /// The same user in two contexts that share nothing.
    pub cross_session: Lifecycle,
    /// What strangers and other users could read.
    pub probes: Probes,
    /// Markers of records that were not deleted again and may still be in the app; nothing else of the run is.
    pub left_behind: Vec<String>,
}

impl Backend {
    /// Whether one of the users was not let in with the account that was given, though no wall stood there.
    pub fn refused_an_account(&self) -> bool {
        let refused = |walk: &Lifecycle| walk.wall.is_none() && walk.steps.first().is_some_and(|login| !login.ok);
        refused(&self.round_trip) || refused(&self.cross_session)
    }
}

/// The steps of one walk through the app, in order; those that were not reached are not in the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// The text that marks the record this walk created.
    pub marker: String,
    /// What was done and how it went.
    pub steps: Vec<Step>,
    /// What stood in the way and nobody could have passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Which one.
    pub step: StepName,
    /// Whether it succeeded.
    pub ok: bool,
    /// What was seen, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The steps of both walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    InitialLogin,
    CreateRecord,
    VisibleAfterCreate,
    Logout,
    Relogin,
    PersistsAfterRelogin,
    ContextALogin,
    ContextACreate,
    ContextBLogin,
    RecordVisibleInContextB,
}

impl StepName {
    /// The steps of F7, in order.
    pub const ROUND_TRIP: [Self; 6] = [
        Self::InitialLogin,
        Self::CreateRecord,
        Self::VisibleAfterCreate,
        Self::Logout,
        Self::Relogin,
        Self::PersistsAfterRelogin,
    ];

    /// The steps of F8, in order.
    pub const CROSS_SESSION: [Self; 4] =
        [Self::ContextALogin, Self::ContextACreate, Self::ContextBLogin, Self::RecordVisibleInContextB];

    /// The published name.
    pub fn id(self) -> &'static str {
        match self {
            Self::InitialLogin => "initial_login",
            Self::CreateRecord => "create_record",
            Self::VisibleAfterCreate => "visible_after_create",
            Self::Logout => "logout",
            Self::Relogin => "relogin",
            Self::PersistsAfterRelogin => "persists_after_relogin",
            Self::ContextALogin => "context_a_login",
            Self::ContextACreate => "context_a_create",
            Self::ContextBLogin => "context_b_login",
            Self::RecordVisibleInContextB => "record_visible_in_context_b",
        }
    }
}

/// Something that keeps out everybody who has no more than an e-mail address and a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wall {
    /// What it is.
    pub kind: WallKind,
    /// What was seen of it, in words.
    pub seen: String,
}

/// The kinds of walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WallKind {
    /// A puzzle for humans.
    Captcha,
    /// A code that is sent or generated elsewhere.
    SecondFactor,
    /// A link or code in an e-mail before the first login.
    EmailVerification,
}

impl WallKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Captcha => "a captcha",
            Self::SecondFactor => "a one-time code",
            Self::EmailVerification => "an e-mail that must be confirmed first",
        }
    }
}

/// What strangers and other users could read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Probes {
    /// The text that marks the record the probes look for.
    pub marker: String,
    /// Requests whose answer held the record when its owner loaded the page.
    pub endpoints: Vec<Endpoint>,
    /// The probes, in order.
    pub probes: Vec<Probe>,
    /// Why no probe could be made, if none could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
}

/// A request whose answer held the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// GET, POST, …
    pub method: String,
    /// Its address; what looks like a token or belongs to an account is masked.
    pub url: String,
    /// `json`, `rsc`, `html` or `text`.
    pub kind: String,
    /// Length of the largest list in the answer, for JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<usize>,
}

/// One probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// `unauth_read`, `cross_user_read`, or the id of a probe of the prompt.
    pub id: String,
    /// Who asked.
    pub visitor: ProbeVisitor,
    /// How it came out.
    pub verdict: ProbeVerdict,
    /// What was seen, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What was asked.
    pub requests: Vec<ProbeRequest>,
}

/// Who makes the requests of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeVisitor {
    /// Somebody who never logged in.
    Stranger,
    /// The other account.
    OtherUser,
}

/// How a probe came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeVerdict {
    /// The backend kept the data to itself.
    Held,
    /// It gave away what it must not.
    Leaked,
    /// It answered with another status than the prompt expects, and nothing was seen that must not be.
    Unexpected,
    /// The probe could not be made; it counts neither way.
    NotMade,
}

/// One request of a probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRequest {
    /// GET, POST, …
    pub method: String,
    /// Its address, masked.
    pub url: String,
    /// The status, if there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Whether the answer gave away what it must not.
    pub leaked: bool,
    /// Why there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_names_of_steps_are_the_stored_ones() {
        for step in StepName::ROUND_TRIP.into_iter().chain(StepName::CROSS_SESSION) {
            assert_eq!(serde_json::to_string(&step).unwrap(), format!("\"{}\"", step.id()));
        }
    }

    #[test]
    fn an_account_is_refused_at_the_first_login_and_by_no_wall() {
        let walk = |ok, wall| Lifecycle {
            steps: vec![Step { step: StepName::InitialLogin, ok, note: String::new() }],
            wall,
            ..Lifecycle::default()
        };
        let refused = |round_trip, cross_session| {
            Backend { round_trip, cross_session, ..Backend::default() }.refused_an_account()
        };
        let captcha = || Some(Wall { kind: WallKind::Captcha, seen: String::new() });
        assert!(!refused(walk(true, None), walk(true, None)));
        assert!(refused(walk(false, None), walk(true, None)) && refused(walk(true, None), walk(false, None)));
        assert!(!refused(walk(false, captcha()), walk(false, captcha())));
    }

    #[test]
    fn verdicts_of_version_1_are_read_as_they_were_meant() {
        let stored = r#"{"id":"seed","visitor":"other_user","verdict":"leaked","requests":
            [{"method":"GET","url":"https://app.test/api/notes","status":404,"leaked":true}]}"#;
        let probe: Probe = serde_json::from_str(stored).unwrap();
        assert_eq!((probe.verdict, probe.requests[0].leaked), (ProbeVerdict::Leaked, true));
    }
}
