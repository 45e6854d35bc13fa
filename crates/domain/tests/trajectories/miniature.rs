//! A self-written miniature in both forms.

use benchwright_domain::vibe::Tokens;
use benchwright_domain::vibe::trajectory::lines::{Body, Ending, Line, Speaker, TRAJECTORY_FORMAT};
use benchwright_domain::vibe::trajectory::{Category, Facts, Trajectory};
use serde_json::{Value, json};

fn response(number: u64, calls: &[&str]) -> Value {
    json!({
        "output_text": "", "reasoning": null, "finish_reason": { "reason": "tool_calls" },
        "tool_calls": calls.iter().map(|id| json!({ "id": id, "args": "{}" })).collect::<Vec<_>>(),
        "metadata": {
            "cost": { "total": 0.25, "cache_write": null }, "duration_seconds": 2.5,
            "in_tokens": 100 * number, "out_tokens": 10, "reasoning_tokens": 5, "cache_read_tokens": null,
            "cache_write_tokens": 0, "total_input_tokens": 100 * number, "total_output_tokens": 15,
        },
    })
}

/// An action of the agent in OpenHands' form, with the counter after it.
fn action(second: u32, kind: &str, tool: &str, response: &Value, cost: f64) -> Value {
    json!({
        "id": second, "timestamp": format!("2026-03-01T10:00:{second:02}.000000"), "source": "agent", "action": kind,
        "args": { "command": "never read" },
        "tool_call_metadata": { "function_name": tool, "tool_call_id": "c", "model_response": response },
        "llm_metrics": {
            "accumulated_cost": cost,
            "accumulated_token_usage": { "model": "m", "prompt_tokens": 300, "completion_tokens": 30, "unknown": [] },
        },
    })
}

fn observation(second: u32, kind: &str, extras: &Value, caused: bool) -> Value {
    let mut event = json!({
        "timestamp": format!("2026-03-01T10:00:{second:02}.000000"), "source": "agent", "observation": kind,
        "content": "never read", "extras": extras,
    });
    if caused {
        event["cause"] = json!(second - 1);
        event["tool_call_metadata"] = json!({ "function_name": "execute_bash" });
    }
    event
}

/// Two calls in one answer, a failed command, a refused call, a look at a page, the end.
fn openhands() -> Value {
    let (first, second, third) = (response(1, &["a", "b"]), response(2, &["c"]), response(3, &["d"]));
    json!([
        { "timestamp": "2026-03-01T10:00:00.000000", "source": "user", "action": "message", "args": { "content": "spec" } },
        action(10, "edit", "str_replace_editor", &first, 0.25),
        action(11, "run", "execute_bash", &first, 0.25),
        observation(12, "edit", &json!({ "path": "x" }), true),
        observation(13, "run", &json!({ "metadata": { "exit_code": 2 } }), true),
        observation(14, "error", &json!({}), false),
        observation(15, "error", &json!({}), true),
        action(25, "browse_interactive", "browser", &second, 0.6),
        observation(26, "browse", &json!({ "error": true }), true),
        action(30, "finish", "finish", &third, 0.9),
    ])
}

fn facts(bytes: &[u8]) -> (Trajectory, Facts) {
    let trajectory = Trajectory::read(bytes).unwrap();
    let facts = trajectory.facts();
    (trajectory, facts)
}

#[test]
fn what_openhands_wrote_is_counted() {
    let (trajectory, facts) = facts(openhands().to_string().as_bytes());
    assert_eq!((facts.events, facts.duration_s, facts.tool_calls, facts.llm_responses), (10, 30.0, 4, 3));
    assert_eq!((facts.edit_views, facts.edit_writes, facts.edit_calls), (0, 1, 1));
    assert_eq!((facts.invalid_tool_calls, facts.error_observations), (1, 2));
    assert_eq!((facts.bash_nonzero_exits, facts.browser_errors, facts.finished), (1, 1, true));
    assert_eq!(facts.category_share_pct.unwrap().browser, 25.0);
    assert_eq!(facts.category_share_pct_excl_finish.unwrap().bash, 33.33);
    assert_eq!(facts.action_counts["message"], 1);
    // The counter has 0.15 more than the answers: what led to no call is in no list.
    assert_eq!((facts.accumulated_cost_usd, facts.sum_response_cost_usd), (Some(0.9), Some(0.75)));
    assert_eq!(facts.accumulated_token_usage.as_ref().unwrap().prompt_tokens, 300);
    assert_eq!((facts.sum_response_tokens.in_tokens, facts.sum_response_tokens.total_output_tokens), (600, 45));
    assert_eq!(facts.sum_response_llm_seconds, 7.5);
    // From second 10 to second 30, so second 25 is three quarters.
    assert_eq!(facts.first_browser_call_at_fraction_of_time, Some(0.75));
    assert_eq!((facts.phase_time_deciles[0].bash, facts.phase_time_deciles[7].browser), (1, 1));
    assert_eq!((facts.phase_time_deciles[9].other, facts.phase_count_deciles[2].bash), (1, 1));
    let categories: Vec<Category> = trajectory.strip().iter().map(|segment| segment.category).collect();
    assert_eq!(categories, [Category::Edit, Category::Bash, Category::Browser, Category::Other]);
}

#[test]
fn the_analysis_takes_the_counter_for_the_truth() {
    let (trajectory, _) = facts(openhands().to_string().as_bytes());
    let generation = trajectory.generation();
    assert_eq!((generation.cost_usd, generation.seconds, generation.turns), (Some(0.9), Some(30.0), Some(3)));
    assert_eq!(generation.tokens, Some(Tokens { input: 600, output: 45, cache_read: 0, cache_write: 0 }));
}

#[test]
fn tokens_for_nothing_are_tokens_of_an_unknown_cost() {
    let mut events = openhands();
    for event in events.as_array_mut().unwrap() {
        if let Some(cost) = event.pointer_mut("/llm_metrics/accumulated_cost") {
            *cost = json!(0.0);
        }
        if let Some(cost) = event.pointer_mut("/tool_call_metadata/model_response/metadata/cost/total") {
            *cost = json!(0.0);
        }
    }
    let (trajectory, counted) = facts(events.to_string().as_bytes());
    assert_eq!((counted.accumulated_cost_usd, counted.sum_response_cost_usd), (None, None));
    assert_eq!(trajectory.generation().cost_usd, None, "so that the list price can say it");
    for event in events.as_array_mut().unwrap() {
        if let Some(usage) = event.pointer_mut("/llm_metrics/accumulated_token_usage") {
            *usage = Value::Null;
        }
    }
    let (trajectory, _) = facts(events.to_string().as_bytes());
    assert_eq!(trajectory.generation().cost_usd, None, "the answers have tokens all the same");
    for event in events.as_array_mut().unwrap() {
        if let Some(response) = event.pointer_mut("/tool_call_metadata/model_response") {
            *response = Value::Null;
        }
    }
    let (trajectory, _) = facts(events.to_string().as_bytes());
    assert_eq!(trajectory.generation().cost_usd, Some(0.0), "nothing was asked, and that costs nothing");
}

fn line(second: u32, body: Body) -> Line {
    Line { at: format!("2026-03-01T10:00:{second:02}Z"), body }
}

fn ours(costs: [Option<f64>; 2]) -> String {
    let answer = |id: u64| Body::Response {
        id,
        cost_usd: costs[id as usize - 1],
        seconds: Some(1.5),
        tokens: Tokens { input: 100, output: 20, cache_read: 1_000, cache_write: 50 },
        reasoning_tokens: 5,
    };
    let call = |id: &str, response: u64, tool: &str, looked: bool| Body::Call {
        id: id.to_owned(),
        response,
        tool: tool.to_owned(),
        looked,
        input: json!({ "path": "a.txt" }),
    };
    let result = |call: Option<&str>, ended: Ending, exit_code: Option<i64>| Body::Result {
        call: call.map(str::to_owned),
        ended,
        exit_code,
        output: Value::Null,
    };
    let begin = Body::Begin { format: TRAJECTORY_FORMAT, task: "t".to_owned(), model: "p/m".to_owned() };
    let spec = Body::Message { from: Speaker::User, text: "build".to_owned() };
    let lines = [
        line(0, begin),
        line(0, spec),
        line(1, answer(1)),
        line(2, call("a", 1, "str_replace_editor", true)),
        line(3, call("b", 1, "execute_bash", false)),
        line(4, result(Some("a"), Ending::Ok, None)),
        line(5, result(Some("b"), Ending::Ok, Some(1))),
        line(6, result(None, Ending::Refused, None)),
        line(7, answer(2)),
        line(7, call("c", 2, "browser", false)),
        line(8, result(Some("c"), Ending::Error, None)),
        line(12, call("d", 2, "finish", false)),
    ];
    lines.iter().map(|line| line.to_text().unwrap()).collect()
}

#[test]
fn our_own_lines_are_counted_alike() {
    let (trajectory, facts) = facts(ours([Some(0.5), Some(0.25)]).as_bytes());
    assert_eq!((facts.events, facts.duration_s, facts.tool_calls, facts.llm_responses), (11, 12.0, 4, 2));
    assert_eq!((facts.edit_views, facts.edit_writes), (1, 0));
    assert_eq!((facts.invalid_tool_calls, facts.error_observations), (1, 2));
    assert_eq!((facts.bash_nonzero_exits, facts.browser_errors, facts.finished), (1, 1, true));
    assert_eq!((facts.accumulated_cost_usd, facts.sum_response_cost_usd), (Some(0.75), Some(0.75)));
    let counter = facts.accumulated_token_usage.unwrap();
    assert_eq!((counter.model.as_str(), counter.prompt_tokens, counter.cache_read_tokens), ("p/m", 200, 2_000));
    assert_eq!((facts.sum_response_tokens.reasoning_tokens, facts.sum_response_tokens.out_tokens), (10, 30));
    assert_eq!(facts.first_browser_call_at_fraction_of_time, Some(0.5));
    let generation = trajectory.generation();
    assert_eq!((generation.cost_usd, generation.seconds, generation.turns), (Some(0.75), Some(12.0), Some(2)));
}

#[test]
fn a_cost_that_nobody_knows_is_not_zero() {
    let (trajectory, facts) = facts(ours([Some(0.5), None]).as_bytes());
    assert_eq!((facts.accumulated_cost_usd, facts.sum_response_cost_usd), (None, Some(0.5)));
    assert_eq!(trajectory.generation().cost_usd, None);
    let (trajectory, facts) = self::facts(ours([None, None]).as_bytes());
    assert_eq!((facts.sum_response_cost_usd, trajectory.cost_usd()), (None, None));
}

#[test]
fn a_run_that_was_killed_leaves_what_it_did() {
    let whole = ours([None, None]);
    let cut = &whole[..whole.len() - 20];
    let (_, facts) = facts(cut.as_bytes());
    assert_eq!((facts.events, facts.tool_calls, facts.finished), (10, 3, false));
    // A broken line in the middle is another matter.
    let broken = whole.replacen("\"looked\":true", "\"looked\":tr", 1);
    let error = Trajectory::read(broken.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("line 4"), "{error}");
}
