//! Chat completions for conversations: as a whole, or as a stream of events.

use super::{Reply, error_reply};
use crate::chat::{Chat, Said};
use crate::client::Arrived;
use crate::endpoint::Endpoint;
use crate::question::Finish;
use serde_json::{Value, json};
use std::convert::Infallible;

const END: &[u8] = b"[DONE]";
/// Tokens a second that nobody writes. Words that come faster were held back on their way.
const FASTEST_WRITING: f64 = 10_000.0;

/// The body of a request.
pub(crate) fn body(endpoint: &Endpoint, chat: &Chat) -> Vec<u8> {
    let mut body = json!({
        "model": endpoint.model,
        "messages": chat.turns,
        "temperature": chat.temperature,
        "top_p": chat.top_p,
        "seed": chat.seed,
        "stream": chat.is_streamed,
    });
    body[endpoint.name_of_limit()] = json!(chat.max_tokens);
    if chat.is_streamed {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if let Some(thinking) = chat.thinking {
        body["chat_template_kwargs"] = json!({ "enable_thinking": thinking });
    }
    body.to_string().into_bytes()
}

/// What came back under status 200. A server that knows no streams sends a whole answer, whatever was asked.
pub(crate) fn reply(arrived: &Arrived) -> Reply<Said> {
    let bytes = &arrived.bytes;
    let mut heard = Heard::default();
    let problem = if bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice(bytes)
            .map_err(|error| Reply::Nonsense(format!("the answer is no JSON: {error}")))
            .and_then(|whole| heard.take(&whole, "message", None))
    } else {
        events(arrived).try_for_each(|(event, at_ms)| {
            let piece = serde_json::from_slice(event)
                .map_err(|error| Reply::Nonsense(format!("an event of the answer is no JSON: {error}")))?;
            heard.take(&piece, "delta", Some(at_ms))
        })
    };
    match (problem, heard.finish) {
        (Err(Reply::Error { status, message }), _) => Reply::Error { status, message },
        (Err(Reply::Nonsense(what)), _) => Reply::Nonsense(what),
        (Ok(()), None) => Reply::Nonsense("the answer broke off".to_owned()),
        (Ok(()), Some(finish)) => {
            let first_token_ms = heard.first_token_ms();
            Reply::Answer(Said { finish, first_token_ms, total_ms: arrived.total_ms, ..heard.said })
        }
    }
}

/// The data of each event, with the time the end of its line came.
fn events(arrived: &Arrived) -> impl Iterator<Item = (&[u8], f64)> {
    let mut end = 0;
    arrived.bytes.split_inclusive(|byte| *byte == b'\n').filter_map(move |line| {
        end += line.len();
        let data = line.strip_prefix(b"data:")?.trim_ascii();
        (data != END && !data.is_empty()).then(|| (data, arrived.time_of(end)))
    })
}

/// What came instead of an answer.
type Problem = Reply<Infallible>;

/// An answer while it is put together.
#[derive(Default)]
struct Heard {
    said: Said,
    finish: Option<Finish>,
    /// When the first and the last words or thoughts came.
    words_ms: Option<(f64, f64)>,
}

impl Heard {
    fn take(&mut self, piece: &Value, words_in: &str, at_ms: Option<f64>) -> Result<(), Problem> {
        let choice = &piece["choices"][0];
        if let Some(error) = [&piece["error"], &choice["error"]].into_iter().find(|error| !error.is_null()) {
            return Err(error_reply(error));
        }
        let words = &choice[words_in];
        let thoughts = [&words["reasoning_content"], &words["reasoning"]].into_iter().find_map(Value::as_str);
        let (text, thoughts) = (super::openai::content(&words["content"]), thoughts.unwrap_or_default());
        if !(text.is_empty() && thoughts.is_empty()) {
            self.words_ms = at_ms.map(|at_ms| (self.words_ms.map_or(at_ms, |(first, _)| first), at_ms));
        }
        self.said.text += &text;
        self.said.thoughts += thoughts;
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(super::openai::finish(reason));
        }
        if let Some(model) = piece["model"].as_str().filter(|_| self.said.model.is_empty()) {
            self.said.model = model.chars().take(200).collect();
        }
        let usage = &piece["usage"];
        if usage.is_object() {
            self.said.tokens_in = usage["prompt_tokens"].as_u64();
            self.said.tokens_cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
            self.said.tokens_out = usage["completion_tokens"].as_u64();
        }
        Ok(())
    }

    /// When the first word came. A stream that arrives in one burst, as behind a proxy that collects answers, does not tell when it was written.
    fn first_token_ms(&self) -> Option<f64> {
        let (first, last) = self.words_ms?;
        let others = self.said.tokens_out.unwrap_or_default().saturating_sub(1);
        (others as f64 * 1000.0 <= FASTEST_WRITING * (last - first)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Turn;
    use crate::endpoint::Dialect;

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint { dialect: Dialect::OpenAi, base_url: base_url.to_owned(), model: "m".to_owned(), price: None }
    }

    fn chat(is_streamed: bool) -> Chat {
        let turns = vec![Turn { role: "user", content: "Well?".to_owned() }];
        Chat { turns, temperature: 0.1, top_p: 1.0, max_tokens: 400, seed: 7, is_streamed, thinking: None }
    }

    fn arrived(pieces: &[&str]) -> Arrived {
        let mut arrived = Arrived::default();
        arrived.total_ms = 100.0;
        for (number, piece) in pieces.iter().enumerate() {
            arrived.push(piece.as_bytes(), 10.0 * (number + 1) as f64);
        }
        arrived
    }

    fn said(pieces: &[&str]) -> Said {
        match reply(&arrived(pieces)) {
            Reply::Answer(said) => said,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_the_protocol_fixes_is_sent_and_nothing_else() {
        let body: Value =
            serde_json::from_slice(&super::body(&endpoint("https://llm.example/v1"), &chat(false))).unwrap();
        let expected = json!({ "model": "m", "messages": [{ "role": "user", "content": "Well?" }], "temperature": 0.1, "top_p": 1.0,
            "seed": 7, "stream": false, "max_tokens": 400 });
        assert_eq!(body, expected);
        let body: Value =
            serde_json::from_slice(&super::body(&endpoint("https://api.openai.com/v1"), &chat(true))).unwrap();
        assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(400), &Value::Null));
        assert_eq!(body["stream_options"], json!({ "include_usage": true }));
        let without_thinking = Chat { thinking: Some(false), ..chat(false) };
        let body: Value =
            serde_json::from_slice(&super::body(&endpoint("https://llm.example/v1"), &without_thinking)).unwrap();
        assert_eq!(body["chat_template_kwargs"], json!({ "enable_thinking": false }));
    }

    #[test]
    fn a_stream_is_put_together_whatever_the_pieces_it_comes_in() {
        let whole = "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"ANSWER\"}}]}\r\n\n: a comment\ndata: {\"choices\":[{\"delta\":{\"content\":\": ß\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\ndata: [DONE]\n\n";
        let expected = said(&[whole]);
        assert_eq!(
            (expected.text.as_str(), expected.model.as_str(), expected.finish),
            ("ANSWER: ß", "m-1", Finish::Stop)
        );
        assert_eq!((expected.tokens_in, expected.tokens_cached, expected.tokens_out), (Some(9), Some(4), Some(2)));
        for cut in (0..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
            let said = said(&[&whole[..cut], &whole[cut..]]);
            assert_eq!(
                Said { first_token_ms: None, ..said },
                Said { first_token_ms: None, ..expected.clone() },
                "{cut}"
            );
        }
    }

    #[test]
    fn the_first_token_is_the_first_word_not_the_first_event() {
        let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
        let word = "data: {\"choices\":[{\"delta\":{\"content\":\"C\"},\"finish_reason\":\"length\"}]}\n\n";
        let said = said(&[role, &word[..9], &word[9..], "data: [DONE]\n\n"]);
        assert_eq!((said.first_token_ms, said.total_ms, said.finish), (Some(30.0), 100.0, Finish::Length));
    }

    #[test]
    fn a_stream_that_came_in_one_burst_was_taken_for_one_that_was_written_in_no_time() {
        let word = |words: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n");
        let end = |tokens: u32| {
            format!(
                "data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}],\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":{tokens}}}}}\n\n"
            )
        };
        let first = |pieces: &[&str]| said(pieces).first_token_ms;
        let (one, other) = (word("ANSWER"), word(": C"));
        assert_eq!(first(&[&format!("{one}{other}{}", end(5))]), None, "all at once");
        assert_eq!(first(&[&format!("{one}{other}"), &end(5)]), None, "the end came later, and no word");
        assert_eq!(first(&[&one, &other, &end(5)]), Some(10.0));
        assert_eq!(first(&[&one, &other, &end(400)]), None, "four hundred tokens in ten milliseconds");
        assert_eq!(first(&[&one, &end(1)]), Some(10.0), "one token is no burst");
    }

    #[test]
    fn thoughts_are_kept_apart_from_words() {
        let thought = "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n";
        let word = "data: {\"choices\":[{\"delta\":{\"content\":\"C\"},\"finish_reason\":\"stop\"}]}\n";
        let said = said(&[thought, word]);
        assert_eq!((said.thoughts.as_str(), said.text.as_str(), said.first_token_ms), ("hm", "C", Some(10.0)));
    }

    #[test]
    fn a_whole_answer_is_read_although_a_stream_was_asked_for() {
        let said = said(&[
            "{\"choices\":[{\"message\":{\"content\":\"C\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}",
        ]);
        assert_eq!((said.text.as_str(), said.first_token_ms, said.tokens_out), ("C", None, Some(1)));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let cut = "data: {\"choices\":[{\"delta\":{\"content\":\"AN\"}}]}\n\n";
        assert_eq!(reply(&arrived(&[cut])), Reply::Nonsense("the answer broke off".to_owned()));
        assert_eq!(reply(&arrived(&[])), Reply::Nonsense("the answer broke off".to_owned()));
        assert!(matches!(reply(&arrived(&["data: {\"cho\n"])), Reply::Nonsense(_)));
        let error = "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n";
        assert_eq!(reply(&arrived(&[cut, error])), Reply::Error { status: 429, message: "slow down".to_owned() });
    }
}
