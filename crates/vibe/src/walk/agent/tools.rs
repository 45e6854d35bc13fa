//! What a model may call, and what it means by a call.

use benchwright_llm::{Tool, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a model wants. References are those of the newest observation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Move {
    Navigate {
        url: String,
    },
    Click {
        r#ref: String,
    },
    DoubleClick {
        r#ref: String,
    },
    Fill {
        r#ref: String,
        text: String,
    },
    Clear {
        r#ref: String,
    },
    Press {
        keys: String,
        r#ref: Option<String>,
    },
    Select {
        r#ref: String,
        options: Vec<String>,
    },
    Check {
        r#ref: String,
        checked: bool,
    },
    Hover {
        r#ref: String,
    },
    Focus {
        r#ref: String,
    },
    Scroll {
        y: i32,
        #[serde(default)]
        x: i32,
        r#ref: Option<String>,
    },
    Drag {
        from: String,
        to: String,
    },
    Upload {
        r#ref: String,
        files: Vec<String>,
    },
    Download {
        r#ref: String,
    },
    Back {},
    Forward {},
    Reload {},
    Wait {
        #[serde(default = "a_second")]
        milliseconds: u32,
        text: Option<String>,
    },
    SwitchTab {
        tab: u32,
    },
    CloseTab {
        tab: u32,
    },
    Dialog {
        accept: bool,
        text: Option<String>,
    },
    FindText {
        text: String,
    },
    More {
        part: Option<Side>,
        r#ref: Option<String>,
    },
    NextSubstep {
        outcome: Outcome,
        note: String,
    },
    Done {
        reason: String,
    },
}

/// Which part of the page to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Side {
    Above,
    Below,
    Here,
}

/// What became of a substep, as the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Done,
    Impossible,
    Unsure,
}

fn a_second() -> u32 {
    1_000
}

/// What a call means, or what is wrong with it in words for the model.
pub(super) fn read(call: &ToolCall) -> Result<Move, String> {
    let mut arguments = call.arguments.clone()?;
    let Some(fields) = arguments.as_object_mut() else { return Err("the arguments are no JSON object".to_owned()) };
    if !ALL.iter().any(|(name, ..)| *name == call.name) {
        let names: Vec<&str> = ALL.iter().map(|(name, ..)| *name).collect();
        return Err(format!("there is no tool {}; there are {}", shown(&call.name), names.join(", ")));
    }
    fields.insert("tool".to_owned(), json!(call.name));
    serde_json::from_value(arguments).map_err(|error| format!("the arguments of {} are wrong: {error}", call.name))
}

fn shown(name: &str) -> String {
    name.chars().filter(char::is_ascii_graphic).take(40).collect()
}

/// Everything a model may call.
pub(super) fn all() -> Vec<Tool> {
    let tool = |(name, description, required, optional): &(&str, &str, &str, &str)| Tool {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        parameters: parameters(required, optional),
    };
    ALL.iter().map(tool).collect()
}

/// Name, when to call it, arguments it needs, arguments it may have.
const ALL: [(&str, &str, &str, &str); 25] = [
    ("navigate", "Opens an address. Only the start page `/` and addresses that the substep names.", "url", ""),
    ("click", "Clicks an element.", "ref", ""),
    ("double_click", "Clicks an element twice.", "ref", ""),
    (
        "fill",
        "Puts a text into a field in place of what is there. Dates as 2026-01-31, times as 13:05.",
        "ref text",
        "",
    ),
    ("clear", "Empties a field.", "ref", ""),
    (
        "press",
        "Presses a key or a chord such as Enter, Escape or Control+A, on an element or where the focus is.",
        "keys",
        "ref",
    ),
    ("select", "Chooses options of a list, native or drawn by the page, by what they show.", "ref options", ""),
    ("check", "Ticks or unticks a box, a switch or a radio button.", "ref checked", ""),
    ("hover", "Moves the mouse over an element.", "ref", ""),
    ("focus", "Puts the focus on an element.", "ref", ""),
    ("scroll", "Scrolls the page, or the element, by pixels; positive is down.", "y", "x ref"),
    ("drag", "Drags one element to another.", "from to", ""),
    (
        "upload",
        "Gives files to a field. Say names with an ending, such as photo.png; their contents are made up.",
        "ref files",
        "",
    ),
    ("download", "Clicks what starts a download and waits for it.", "ref", ""),
    ("back", "Goes back in the history.", "", ""),
    ("forward", "Goes forward in the history.", "", ""),
    ("reload", "Loads the page again.", "", ""),
    ("wait", "Waits, or waits until a text is there.", "", "milliseconds text"),
    ("switch_tab", "Goes to another tab, by its number in the list of tabs.", "tab", ""),
    ("close_tab", "Closes a tab, by its number in the list of tabs.", "tab", ""),
    ("dialog", "Answers the dialog of the browser that is open.", "accept", "text"),
    ("find_text", "Looks for a text on the whole page, without scrolling, and says where it is.", "text", ""),
    (
        "more",
        "Tells another part of the page without scrolling: the window above or below, or all that is in an element.",
        "",
        "part ref",
    ),
    (
        "next_substep",
        "Ends the current substep. `done`: everything it asks for was done, whatever the app made of it. `impossible`: something it asks for \
         cannot be done in this app. `unsure`: it cannot be told what is meant. The note says what you saw.",
        "outcome note",
        "",
    ),
    ("done", "Ends the whole walk early, when no further substep can be tried at all.", "reason", ""),
];

fn parameters(required: &str, optional: &str) -> Value {
    let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let all = names(required).into_iter().chain(names(optional));
    let properties: serde_json::Map<String, Value> = all
        .map(|name| {
            let of = property(&name);
            (name, of)
        })
        .collect();
    json!({ "type": "object", "properties": properties, "required": names(required), "additionalProperties": false })
}

fn property(name: &str) -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    match name {
        "ref" | "from" | "to" => json!({ "type": "string", "description": "a reference such as e12" }),
        "x" | "y" | "tab" | "milliseconds" => json!({ "type": "integer" }),
        "checked" | "accept" => json!({ "type": "boolean" }),
        "options" | "files" => texts,
        "part" => json!({ "type": "string", "enum": ["above", "below", "here"] }),
        "outcome" => json!({ "type": "string", "enum": ["done", "impossible", "unsure"] }),
        _ => json!({ "type": "string" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall { id: "c".to_owned(), name: name.to_owned(), arguments: Ok(arguments) }
    }

    #[test]
    fn every_tool_can_be_called_with_what_its_schema_asks_for() {
        for tool in all() {
            let required = tool.parameters["required"].as_array().unwrap();
            let example = |name: &str| match &tool.parameters["properties"][name] {
                property if property["type"] == "integer" => json!(1),
                property if property["type"] == "boolean" => json!(true),
                property if property["type"] == "array" => json!(["a"]),
                property => property["enum"].get(0).cloned().unwrap_or_else(|| json!("e1")),
            };
            let arguments: serde_json::Map<String, Value> = required
                .iter()
                .map(|name| (name.as_str().unwrap().to_owned(), example(name.as_str().unwrap())))
                .collect();
            assert!(read(&call(&tool.name, Value::Object(arguments))).is_ok(), "{}", tool.name);
        }
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said() {
        assert!(read(&call("click", json!({}))).unwrap_err().contains("missing field `ref`"));
        assert!(read(&call("click", json!({ "ref": 3 }))).unwrap_err().contains("invalid type"));
        assert!(read(&call("click", json!({ "ref": "e1", "force": true }))).unwrap_err().contains("unknown field"));
        assert!(
            read(&call("evaluate", json!({})))
                .unwrap_err()
                .starts_with("there is no tool evaluate; there are navigate")
        );
        let broken = ToolCall { arguments: Err("no JSON".to_owned()), ..call("click", json!({})) };
        assert_eq!(read(&broken), Err("no JSON".to_owned()));
    }

    #[test]
    fn defaults_are_filled_in() {
        assert_eq!(read(&call("wait", json!({}))), Ok(Move::Wait { milliseconds: 1_000, text: None }));
        assert_eq!(read(&call("scroll", json!({ "y": 300 }))), Ok(Move::Scroll { y: 300, x: 0, r#ref: None }));
    }
}
