//! What somebody asks for, checked: everything that is wrong is named at once.

use crate::refusal::{Refused, Wrong};
use crate::state::Terms;
use benchwright_domain::{Order, ScorerId};
use benchwright_store::jobs::Priority;
use serde::Deserialize;
use url::Url;

const LONGEST_URL: usize = 2000;
const LONGEST_NAME: usize = 60;
const LONGEST_NOTE: usize = 500;
const MOST_SECONDS: f64 = 1e8;
const MOST_USD: f64 = 1e6;

/// What is asked for, as it arrives.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The address.
    #[serde(default)]
    pub url: String,
    /// Id of the prompt.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The scorers to run.
    #[serde(default)]
    pub only: Option<Vec<String>>,
    /// The tool that built the app.
    #[serde(default)]
    pub tool: Option<String>,
    /// Its version.
    #[serde(default)]
    pub tool_version: Option<String>,
    /// Which repetition this is.
    #[serde(default)]
    pub run_index: u32,
    /// Seconds from the prompt to a working build.
    #[serde(default)]
    pub working_build_seconds: Option<f64>,
    /// Dollars.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Anything else.
    #[serde(default)]
    pub note: Option<String>,
    /// Which jobs go first.
    #[serde(default)]
    pub priority: Priority,
}

impl Asked {
    /// The order it is, or everything that is wrong with it.
    pub fn order(self, terms: &Terms) -> Result<Order, Refused> {
        let mut wrong = Vec::new();
        let mut say = |field, problem: Option<&str>| {
            wrong.extend(problem.map(|text| Wrong { field, text: text.to_owned() }));
        };
        say("url", wrong_address(&self.url));
        let prompt = given(self.prompt);
        let known = |id: &String| terms.prompts.iter().any(|prompt| prompt.id == *id);
        say(
            "prompt",
            prompt
                .as_ref()
                .filter(|id| !known(id))
                .map(|_| "There is no such prompt; leave it out or choose one of the list."),
        );
        let only: Option<Vec<String>> = self.only.filter(|only| !only.is_empty());
        let unknown = |only: &Vec<String>| only.iter().any(|id| id.parse::<ScorerId>().is_err());
        say(
            "only",
            only.as_ref().filter(|only| unknown(only)).map(|_| "`only` names scorers by their ids, such as f1 or c3."),
        );
        let tool = given(self.tool);
        say(
            "tool",
            tool.as_ref().filter(|name| !is_slug(name)).map(
                |_| "The tool is named in lower-case letters and digits, words joined by `-`, at most 60 characters.",
            ),
        );
        let tool_version = given(self.tool_version);
        say(
            "tool_version",
            tool_version
                .as_ref()
                .filter(|text| !is_line(text, LONGEST_NAME))
                .map(|_| "The tool's version has at most 60 characters."),
        );
        say("run_index", (self.run_index > 1000).then_some("The repetition is a number from 0 to 1000."));
        let sensible = |value: Option<f64>, most: f64| value.is_none_or(|value| (0.0..=most).contains(&value));
        say(
            "working_build_seconds",
            (!sensible(self.working_build_seconds, MOST_SECONDS))
                .then_some("The build time is a number of seconds, 0 or more."),
        );
        say("cost_usd", (!sensible(self.cost_usd, MOST_USD)).then_some("The cost is a number of dollars, 0 or more."));
        let note = given(self.note);
        say(
            "note",
            note.as_ref()
                .filter(|text| !is_line(text, LONGEST_NOTE))
                .map(|_| "The note is one line of at most 500 characters."),
        );
        if !wrong.is_empty() {
            return Err(Refused::Wrong(wrong));
        }
        Ok(Order {
            prompt,
            only,
            tool,
            tool_version,
            run_index: self.run_index,
            working_build_seconds: self.working_build_seconds,
            cost_usd: self.cost_usd,
            note,
            ..Order::of(self.url.trim())
        })
    }
}

/// Whether an address leads to somebody's own network is for the worker's proxy to see; its name alone tells nothing.
fn wrong_address(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Some("Which app? Give its address, such as https://app.example.");
    }
    let Ok(url) = Url::parse(text) else { return Some("This is not an address; it looks like https://app.example.") };
    if text.len() > LONGEST_URL {
        return Some("The address is too long.");
    }
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Some("Only http and https addresses can be scored.");
    }
    let has_login = !url.username().is_empty() || url.password().is_some();
    has_login.then_some("The address must not hold a name and a password: it is public.")
}

/// A text that is empty was not given.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn is_line(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(char::is_control)
}

fn is_slug(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= LONGEST_NAME && name.split('-').all(is_word)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail at once")]
mod tests {
    use super::*;
    use crate::state::PromptChoice;

    fn terms() -> Terms {
        let prompts = vec![PromptChoice { id: "todo".to_owned(), title: "Todo".to_owned() }];
        Terms { prompts, ..Terms::default() }
    }

    fn asked(json: &str) -> Asked {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_order_says_what_was_asked() {
        let order =
            asked(r#"{"url":" https://app.example/x ","prompt":"todo","tool":"kiln-2","only":["f1"],"note":""}"#);
        let order = order.order(&terms()).unwrap();
        assert_eq!((order.url.as_str(), order.prompt.as_deref()), ("https://app.example/x", Some("todo")));
        assert_eq!((order.tool.as_deref(), order.note), (Some("kiln-2"), None));
    }

    #[test]
    fn everything_that_is_wrong_is_named_at_once() {
        let hostile = asked(
            r#"{"url":"javascript:alert(1)","prompt":"../../etc/passwd","tool":"Kiln!","only":["f99"],"cost_usd":-1,"note":"a\nb"}"#,
        );
        let Err(Refused::Wrong(wrong)) = hostile.order(&terms()) else { panic!("it was taken") };
        let fields: Vec<_> = wrong.iter().map(|wrong| wrong.field).collect();
        assert_eq!(fields, ["url", "prompt", "only", "tool", "cost_usd", "note"]);
    }

    #[test]
    fn addresses_that_cannot_be_scored_are_refused() {
        let long = format!("https://app.example/{}", "x".repeat(LONGEST_URL));
        for url in [
            "",
            "app.example",
            "ftp://app.example/",
            "file:///etc/passwd",
            "https://me:pw@app.example/",
            "http://",
            &long,
        ] {
            assert!(wrong_address(url).is_some(), "{url}");
        }
        assert_eq!(wrong_address("http://127.0.0.1:3000/"), None, "names and numbers are judged at the proxy");
    }
}
