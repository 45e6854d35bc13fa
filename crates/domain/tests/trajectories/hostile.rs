//! What is no trajectory, or tries to be too much of one.

use benchwright_domain::vibe::trajectory::lines::MAX_LINE_BYTES;
use benchwright_domain::vibe::trajectory::{MAX_EVENTS, Trajectory, TrajectoryError};
use proptest::prelude::*;

fn error(text: &str) -> String {
    Trajectory::read(text.as_bytes()).unwrap_err().to_string()
}

const EVENT: &str =
    r#"{"timestamp":"2026-03-01T10:00:00","source":"agent","action":"run","tool_call_metadata":{"function_name":"f"}}"#;

#[test]
fn other_files_are_told_apart() {
    assert_eq!(Trajectory::read(b""), Err(TrajectoryError::NoTrajectory));
    assert_eq!(Trajectory::read(b"\x1f\x8b\x08"), Err(TrajectoryError::NoTrajectory));
    assert_eq!(Trajectory::read(b" [ ] "), Err(TrajectoryError::Empty));
    assert!(error(r#"{"hello": 1}"#).contains("line 1"));
    assert!(error(r#"[{"source":"agent"}]"#).contains("event 1: its time cannot be read"));
    assert!(error(&format!("[{EVENT}] x")).contains("trailing"));
    assert!(error("[1, 2]").contains("invalid type"));
}

#[test]
fn our_lines_must_begin_as_they_should() {
    let begin = r#"{"at":"2026-03-01T10:00:00Z","body":{"event":"begin","format":1,"task":"t","model":"m"}}"#;
    let call = r#"{"at":"2026-03-01T10:00:00Z","body":{"event":"call","id":"a","response":1,"tool":"f"}}"#;
    assert!(error(call).contains("begins with one line"));
    assert!(error(&begin.replace("\"format\":1", "\"format\":2")).contains("another version"));
    assert!(error(&format!("{begin}\n{begin}\n")).contains("line 2"));
    assert!(error(&format!("{begin}\n{call}\n")).contains("no answer of this number"));
    assert_eq!(Trajectory::read(begin.as_bytes()), Err(TrajectoryError::Empty));
    let long = format!("{begin}\n{{\"at\":\"{}\"}}\n", "x".repeat(MAX_LINE_BYTES));
    assert!(error(&long).contains("too long"));
}

#[test]
fn events_names_and_nesting_without_end_are_refused() {
    let small = r#"{"timestamp":"2026-03-01T10:00"}"#;
    let many = format!("[{}{small}]", format!("{small},").repeat(MAX_EVENTS));
    assert!(error(&many).contains("more events than can be read"));
    let named = |name: &str| EVENT.replace("\"f\"", &format!("\"{name}\""));
    assert!(error(&format!("[{}]", named(&"x".repeat(1_000)))).contains("too long"));
    let kinds: Vec<String> = (0..2_000).map(|kind| EVENT.replace("\"run\"", &format!("\"k{kind}\""))).collect();
    assert!(error(&format!("[{}]", kinds.join(","))).contains("too many kinds"));
    // Texts are passed over, however deep they nest.
    let deep =
        EVENT.replace("\"source\"", &format!("\"content\":{}{},\"source\"", "[".repeat(100_000), "]".repeat(100_000)));
    assert_eq!(Trajectory::read(format!("[{deep}]").as_bytes()).unwrap().calls.len(), 1);
}

#[test]
fn complaints_do_not_repeat_what_they_read() {
    let secret = format!("[{{\"timestamp\": {{\"a\": \"{}\"}}}}]", "s3cret".repeat(10_000));
    assert!(error(&secret).len() < 600);
    let long = format!("[{{\"timestamp\": 1, \"source\": \"{}\"}}]", "x".repeat(100_000));
    assert!(error(&long).len() < 600);
}

#[test]
fn numbers_that_are_none_are_not_known() {
    let with = |cost: &str, tokens: &str| {
        let metrics = format!(
            r#""llm_metrics":{{"accumulated_cost":{cost},"accumulated_token_usage":{{"prompt_tokens":{tokens}}}}},"source""#
        );
        let text = format!("[{}]", EVENT.replace("\"source\"", &metrics));
        Trajectory::read(text.as_bytes()).unwrap().facts()
    };
    assert_eq!(with("-1", "5").accumulated_cost_usd, None);
    assert_eq!(with("\"12\"", "5").accumulated_cost_usd, None);
    let odd = with("2.5", "-5");
    assert_eq!((odd.accumulated_cost_usd, odd.accumulated_token_usage.unwrap().prompt_tokens), (Some(2.5), 0));
    let huge = with("1e308", "18446744073709551615");
    assert_eq!(huge.accumulated_token_usage.unwrap().prompt_tokens, u64::MAX);
}

proptest! {
    #[test]
    fn nothing_panics(bytes: Vec<u8>, start in prop::sample::select(vec!["[", "{", "[{", "{\"at\":"])) {
        let mut text = start.as_bytes().to_vec();
        text.extend(bytes);
        if let Ok(read) = Trajectory::read(&text) {
            prop_assert!(read.facts().duration_s.is_finite());
        }
    }

    #[test]
    fn a_cut_file_is_refused_or_read_and_never_more(at in 0..400_usize) {
        let whole = format!("[{EVENT},{EVENT},{EVENT}]");
        if let Ok(read) = Trajectory::read(&whole.as_bytes()[..at.min(whole.len())]) {
            prop_assert_eq!(read.events, 3);
        }
    }
}
