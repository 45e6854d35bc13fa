//! What a model answered, as far as it is an answer at all.

use benchwright_llm::{Answer, Finish};
use serde::de::DeserializeOwned;

/// How much of a parser's complaint is passed on: it may quote what it read.
const MAX_COMPLAINT: usize = 300;

/// The JSON object in an answer; code fences and words around it are tolerated. Otherwise why not, in words that can go back to the
/// model.
pub(crate) fn object<T: DeserializeOwned>(answer: &Answer) -> Result<T, String> {
    let text = answer.text.as_str();
    let object = text.find('{').zip(text.rfind('}')).and_then(|(start, end)| text.get(start..=end));
    let parsed = match object {
        None if text.trim().is_empty() => Err("it was empty".to_owned()),
        None => Err("it holds no JSON object".to_owned()),
        Some(object) => serde_json::from_str(object).map_err(|error| {
            let complaint: String = error.to_string().chars().take(MAX_COMPLAINT).collect();
            format!("it does not fit the schema: {complaint}")
        }),
    };
    parsed.map_err(|why| match answer.finish {
        Finish::Length => "it was cut off at the limit of tokens".to_owned(),
        _ => why,
    })
}

/// One line of at most so many characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|character| !character.is_control()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(text: &str, finish: Finish) -> Result<Value, String> {
        object(&Answer { text: text.to_owned(), finish, ..Answer::default() })
    }

    #[test]
    fn an_object_is_found_among_words() {
        assert_eq!(read("Sure:\n```json\n{\"a\": {\"b\": 1}}\n```", Finish::Stop), Ok(json!({ "a": { "b": 1 } })));
    }

    #[test]
    fn what_is_no_answer_says_why() {
        assert_eq!(read(" \n", Finish::Stop).unwrap_err(), "it was empty");
        assert_eq!(read("} no {", Finish::Stop).unwrap_err(), "it holds no JSON object");
        assert!(read("{\"a\": }", Finish::Stop).unwrap_err().starts_with("it does not fit the schema"));
        assert_eq!(read("{\"a\": }", Finish::Length).unwrap_err(), "it was cut off at the limit of tokens");
    }

    #[test]
    fn a_line_is_one_line_without_anything_a_terminal_obeys() {
        assert_eq!(line("a\n b\u{1b}[31m c", 5), "a b[3");
    }
}
