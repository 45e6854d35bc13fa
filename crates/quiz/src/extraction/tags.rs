//! Tags in an output: blocks of reasoning, tokens of chat templates printed as text, and a little HTML.

use std::ops::Range;

/// What a tag means to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    ReasoningBegins,
    ReasoningEnds,
    /// An answer begins: the end of its reasoning, if there is any.
    AnswerBegins,
    /// The end of a turn, or the beginning of the next one.
    ChatToken,
    /// `<b>` and its kin, read as two stars.
    Bold,
    /// Read as the end of a line.
    LineBreak,
    /// Left out.
    Nothing,
}

/// A tag, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    pub meaning: Meaning,
    pub range: Range<usize>,
}

/// A tag longer than this is none.
const LONGEST: usize = 48;
/// Names of tokens that mark a part of a turn. `<|…|>` around any other name begins or ends one: every family of models has its own.
const PARTS: [&[u8]; 10] = [
    b"begin_of_box",
    b"begin_of_solution",
    b"begin_of_thought",
    b"channel",
    b"constrain",
    b"end_of_box",
    b"end_of_solution",
    b"end_of_thought",
    b"im_sep",
    b"message",
];
/// How models of one family begin their reasoning and their answer.
const CHANNELS: [(&[u8], Meaning); 2] = [
    (b"<|channel|>analysis<|message|>", Meaning::ReasoningBegins),
    (b"<|channel|>final<|message|>", Meaning::AnswerBegins),
];

/// All tags of a text with a meaning, in order.
pub(super) fn tags(text: &str) -> Vec<Tag> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(distance) = bytes[at..].iter().position(|byte| *byte == b'<') {
        let start = at + distance;
        if let Some((words, meaning)) = CHANNELS.iter().find(|(words, _)| bytes[start..].starts_with(words)) {
            at = start + words.len();
            found.push(Tag { meaning: *meaning, range: start..at });
            continue;
        }
        at = start + 1;
        let window = &bytes[at..bytes.len().min(at + LONGEST)];
        let Some(length) = window.iter().position(|byte| matches!(byte, b'>' | b'<')) else { continue };
        if window[length] == b'>'
            && let Some(meaning) = meaning(&window[..length])
        {
            at += length + 1;
            found.push(Tag { meaning, range: start..at });
        }
    }
    found
}

/// What stands between the angle brackets.
fn meaning(inside: &[u8]) -> Option<Meaning> {
    if let Some(name) = between_bars(inside) {
        let is_part = PARTS.contains(&name.to_ascii_lowercase().as_slice());
        return Some(if is_part { Meaning::LineBreak } else { Meaning::ChatToken });
    }
    let (closing, name) = match inside {
        [b'/', name @ ..] => (true, name),
        name => (false, name),
    };
    let name = name.trim_ascii().to_ascii_lowercase();
    let name = name.strip_suffix(b"/").unwrap_or(&name).trim_ascii_end();
    Some(match name {
        b"think" | b"thinking" | b"reasoning" | b"thought" if closing => Meaning::ReasoningEnds,
        b"think" | b"thinking" | b"reasoning" | b"thought" => Meaning::ReasoningBegins,
        b"s" | b"bos" | b"eos" | b"start_of_turn" | b"end_of_turn" | b"end_of_utterance" => Meaning::ChatToken,
        b"b" | b"strong" | b"u" => Meaning::Bold,
        b"br" | b"p" | b"li" => Meaning::LineBreak,
        b"i" | b"em" | b"span" | b"div" | b"answer" | b"code" => Meaning::Nothing,
        _ => return None,
    })
}

/// `|im_end|`, and with wide bars `｜User｜`. In `<|v|>` and `x <| f |> g` no token is named.
fn between_bars(inside: &[u8]) -> Option<&[u8]> {
    const WIDE: &[u8] = "｜".as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii();
    let name = [b"|", WIDE].into_iter().find_map(|bar| inside.strip_prefix(bar)?.strip_suffix(bar))?;
    (name.len() > 1 && name.iter().all(is_part)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(text: &str) -> Vec<Meaning> {
        tags(text).into_iter().map(|tag| tag.meaning).collect()
    }

    #[test]
    fn tags_are_told_from_comparisons() {
        assert_eq!(meanings("x < 5 and y > 3, <letter>, a<b"), []);
        assert_eq!(meanings("<think>a</THINK >"), [Meaning::ReasoningBegins, Meaning::ReasoningEnds]);
        assert_eq!(meanings("<|im_end|><|im_start|>user</s>"), [Meaning::ChatToken; 3]);
        assert_eq!(meanings("<|begin_of_box|>B<|END|>"), [Meaning::LineBreak, Meaning::ChatToken]);
        assert_eq!(meanings("<|end_of_turn|><｜User｜><｜end▁of▁sentence｜>"), [Meaning::ChatToken; 3]);
        let channels = "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>B";
        let ends = [Meaning::ChatToken, Meaning::ChatToken, Meaning::AnswerBegins];
        assert_eq!(meanings(channels), [&[Meaning::ReasoningBegins][..], &ends].concat());
        assert_eq!(meanings("<b>C</b><br/>"), [Meaning::Bold, Meaning::Bold, Meaning::LineBreak]);
        assert_eq!(meanings("1 <<b>"), [Meaning::Bold]);
    }

    #[test]
    fn bars_in_formulas_are_no_turns() {
        assert_eq!(meanings("the mean speed <|v|>, <||>, x <| f |> g, <|x - y|>, <|p+q|>"), []);
        assert_eq!(meanings("<|im_end|><|eot_id|><|fim-pad|><｜end▁of▁sentence｜><|7B|>"), [Meaning::ChatToken; 5]);
    }
}
