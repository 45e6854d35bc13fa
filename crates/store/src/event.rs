//! The events of a run's log.

use benchwright_domain::BlobId;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// Format version of a run directory; raised when a reader of the old form would misread the new one. A new kind of event does
/// not raise it, because old readers see such an event as [`EventBody::Unknown`].
pub const RUN_FORMAT: u32 = 1;

/// What a run is, written once as its first event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Format version of the directory, [`RUN_FORMAT`] in what this build writes.
    pub format: u32,
    /// Id of the run.
    pub id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Version of Benchwright that started it.
    pub benchwright: String,
    /// What was asked; opaque to the store.
    pub request: Value,
}

/// One event with its place in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// From 0, without gaps.
    pub sequence: u64,
    /// Milliseconds since the run started, as the writer's clock had it; 0 in the first event.
    pub at_ms: u64,
    /// What happened.
    pub body: EventBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventBody {
    /// The run began.
    Started { header: RunHeader },
    /// A piece of evidence was gathered and is in `blob`.
    Evidence {
        kind: String,
        version: u32,
        blob: BlobId,
        #[serde(serialize_with = "finite")]
        seconds: f64,
    },
    /// A piece of evidence could not be gathered; `absence` says why and is opaque to the store.
    Absent {
        kind: String,
        absence: Value,
        #[serde(serialize_with = "finite")]
        seconds: f64,
    },
    /// A killed run was taken up again by this version of Benchwright.
    Resumed { benchwright: String },
    /// The run was stopped in an orderly way.
    Interrupted { reason: String },
    /// Something a reader of the log should know.
    Note { text: String },
    /// All evidence is there; `run.json` follows.
    Finished {},
    /// Somebody decided what may be shown of the run. Such events may follow its end.
    Moderated { act: Act },
    /// A person said what passes of a workflow of an evaluated app. Such events may follow its end as well.
    Reviewed { review: Review },
    /// Written by a newer Benchwright; can be read past, never written.
    #[serde(other, skip_serializing)]
    Unknown,
}

/// What a person says of one workflow of an evaluated app. The last one of a person counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Who; a name the operator chose.
    pub by: String,
    /// The workflow.
    pub workflow: String,
    /// Whether each substep passes, in order; absent where the reviewer could not tell.
    pub marks: Vec<Option<bool>>,
    /// When, RFC 3339, UTC.
    pub at: String,
}

/// A decision about what may be shown of a run, with its reason. The last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// What was decided.
    pub decision: Decision,
    /// Why. It is public.
    pub reason: String,
    /// Who decided; a name the operator chose, public as well.
    pub by: String,
    /// When, RFC 3339, UTC.
    pub at: String,
}

/// What somebody may decide about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Keep it off the boards until somebody has looked at it.
    Quarantine,
    /// Show it again.
    Release,
    /// Remove everything but its events.
    TakeDown,
}

impl Decision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Quarantine, Self::Release, Self::TakeDown];

    /// The name used in JSON and in the index.
    pub fn key(self) -> &'static str {
        match self {
            Self::Quarantine => "quarantine",
            Self::Release => "release",
            Self::TakeDown => "take_down",
        }
    }
}

impl EventBody {
    /// Whether the event must be on the disk before the run goes on.
    pub(crate) fn is_durable(&self) -> bool {
        !matches!(self, Self::Resumed { .. } | Self::Note { .. })
    }
}

/// JSON has no NaN; a duration that is none becomes 0 rather than a frame that cannot be read back.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn finite<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(if seconds.is_finite() { *seconds } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_a_newer_version_reads_as_unknown() {
        let text = r#"{"sequence":3,"at_ms":9,"body":{"event":"rescored","by":["a",{"b":1}],"score":0.5}}"#;
        let event: Event = serde_json::from_str(text).unwrap();
        assert_eq!(event, Event { sequence: 3, at_ms: 9, body: EventBody::Unknown });
        assert!(serde_json::to_string(&event).is_err(), "an unknown event must never be written");
    }

    #[test]
    fn a_known_event_with_a_new_field_is_still_known() {
        let text = r#"{"sequence":3,"at_ms":9,"body":{"event":"note","text":"hello","colour":"green"}}"#;
        let event: Event = serde_json::from_str(text).unwrap();
        assert_eq!(event.body, EventBody::Note { text: "hello".to_owned() });
    }

    #[test]
    fn a_duration_that_is_no_number_is_written_as_zero() {
        let body = EventBody::Absent { kind: "page".to_owned(), absence: Value::Null, seconds: f64::NAN };
        let text = serde_json::to_string(&body).unwrap();
        assert!(text.contains(r#""seconds":0.0"#), "{text}");
    }
}
