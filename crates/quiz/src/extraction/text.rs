//! The part of an output that is read, as plain text, with a way back to the output.

use super::fold::{Fold, fold};
use super::tags::{Meaning, Tag, tags};
use std::borrow::Cow;
use std::ops::Range;

/// No more than so many bytes of an output are read, half of them from its end. 400 tokens are fewer, even of the longest.
const MOST_BYTES: usize = 64 * 1024;
/// What templates of chats call the model at the beginning of its turn.
const SPEAKER: &str = "assistant";

/// What is read of an output.
#[derive(Debug)]
pub(super) struct Text<'a> {
    pub plain: Cow<'a, str>,
    output: &'a str,
    /// Where the plain text goes on elsewhere in the output, or is of another length there: offset here and offset there.
    jumps: Vec<(u32, usize)>,
    /// Where tokens of chat templates stood.
    turns: Vec<u32>,
    /// Only a block of reasoning could be read.
    pub from_reasoning: bool,
    /// A block of reasoning does not end.
    pub reasoning_is_cut: bool,
}

impl<'a> Text<'a> {
    /// The part of an output to be read.
    pub fn of(output: &'a str) -> Self {
        let has_tags = output.as_bytes().contains(&b'<');
        if !has_tags && output.is_ascii() && is_read_whole(output) {
            return Self::borrowed(output);
        }
        Self::made_plain(output)
    }

    #[inline(never)]
    fn made_plain(output: &'a str) -> Self {
        let mut builder = Builder::new(output);
        let parts = parts(output);
        let found = tags_in(output, &parts);
        let reasoning = Reasoning::of(&parts, &found);
        let says_something = |inside| reasoning.inside(inside).any(|range| has_letters(&output[range]));
        let read_reasoning = !says_something(false) && says_something(true);
        let all_tags: Vec<&Tag> = found.iter().flatten().collect();
        for range in reasoning.inside(read_reasoning) {
            builder.push_range(range, &all_tags);
        }
        builder.finish(read_reasoning, reasoning.is_open)
    }

    fn borrowed(output: &'a str) -> Self {
        Self {
            plain: Cow::Borrowed(output),
            output,
            jumps: Vec::new(),
            turns: Vec::new(),
            from_reasoning: false,
            reasoning_is_cut: false,
        }
    }

    /// Where the first turn ends: before a token of a chat template that follows any text but the name of who speaks.
    pub fn first_turn_end(&self) -> usize {
        let begin = self.plain.bytes().position(says_something).unwrap_or_default();
        let header = if self.plain[begin..].starts_with(SPEAKER) { SPEAKER.len() } else { 0 };
        let end = self.turns.iter().map(|turn| *turn as usize).find(|end| *end > begin + header);
        end.unwrap_or(self.plain.len())
    }

    /// The place in the output of a place in the plain text.
    pub fn in_output(&self, place: Range<usize>) -> [usize; 2] {
        if matches!(self.plain, Cow::Borrowed(_)) {
            return [place.start, place.end];
        }
        let start = self.output.floor_char_boundary(self.origin(place.start));
        let last = self.origin(place.end.saturating_sub(1).max(place.start));
        [start, self.output.ceil_char_boundary(last + 1)]
    }

    fn origin(&self, offset: usize) -> usize {
        let after = self.jumps.partition_point(|(here, _)| *here as usize <= offset);
        let (here, there) = after.checked_sub(1).map_or((0, 0), |at| self.jumps[at]);
        // A character that became longer must not reach into the next one.
        let next = self.jumps.get(after).map_or(self.output.len(), |(_, next)| *next);
        let origin = there + (offset - here as usize);
        if next > there { origin.min(next - 1) } else { origin }
    }

    /// A place in the output, in UTF-16 code units.
    pub fn in_utf16(&self, [start, end]: [usize; 2]) -> [usize; 2] {
        if matches!(self.plain, Cow::Borrowed(_)) {
            return [start, end];
        }
        let before = units(&self.output[..start]);
        [before, before + units(&self.output[start..end])]
    }
}

fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Whether nothing of an output is left out.
pub(super) fn is_read_whole(output: &str) -> bool {
    output.len() <= MOST_BYTES
}

/// The whole output, or its beginning and its end.
fn parts(output: &str) -> Vec<Range<usize>> {
    let half = MOST_BYTES / 2;
    let end = if is_read_whole(output) { output.len() } else { output.floor_char_boundary(half) };
    let rest = output.ceil_char_boundary(output.len().saturating_sub(half).max(end))..output.len();
    [0..end, rest].into_iter().filter(|part| !part.is_empty()).collect()
}

fn tags_in(output: &str, parts: &[Range<usize>]) -> Vec<Vec<Tag>> {
    parts.iter().map(|part| moved(tags(&output[part.clone()]), part.start)).collect()
}

fn moved(mut tags: Vec<Tag>, by: usize) -> Vec<Tag> {
    for tag in &mut tags {
        tag.range = tag.range.start + by..tag.range.end + by;
    }
    tags
}

/// Whether the first thing that an output says stands in a block of reasoning.
pub fn begins_with_reasoning(output: &str) -> bool {
    let parts = parts(output);
    let reasoning = Reasoning::of(&parts, &tags_in(output, &parts));
    let mut ranges = reasoning.ranges.into_iter();
    ranges.find(|(range, _)| has_letters(&output[range.clone()])).is_some_and(|(_, is_reasoning)| is_reasoning)
}

fn has_letters(text: &str) -> bool {
    text.bytes().any(says_something)
}

pub(super) fn says_something(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// The parts of an output between the tags of reasoning.
struct Reasoning {
    /// In order, and whether each is reasoning.
    ranges: Vec<(Range<usize>, bool)>,
    is_open: bool,
}

impl Reasoning {
    /// A block that ends without a beginning began with the output: some templates open it in the prompt.
    fn of(parts: &[Range<usize>], tags: &[Vec<Tag>]) -> Self {
        let mut found = Self { ranges: Vec::new(), is_open: false };
        // Everything before this is known to be reasoning or not.
        let mut settled = 0;
        for (part, tags) in parts.iter().zip(tags) {
            let mut from = part.start;
            for tag in tags {
                let ends = match tag.meaning {
                    Meaning::ReasoningBegins if !found.is_open => false,
                    Meaning::ReasoningEnds => true,
                    // Where no reasoning is open any more, this answer is that of a later turn.
                    Meaning::AnswerBegins if found.is_open || settled == 0 => true,
                    _ => continue,
                };
                found.ranges.push((from..tag.range.start, ends));
                if ends && !found.is_open {
                    found.ranges[settled..].iter_mut().for_each(|(_, is_reasoning)| *is_reasoning = true);
                }
                if ends {
                    settled = found.ranges.len();
                }
                found.is_open = !ends;
                from = tag.range.end;
            }
            found.ranges.push((from..part.end, found.is_open));
        }
        found
    }

    fn inside(&self, reasoning: bool) -> impl Iterator<Item = Range<usize>> + Clone {
        self.ranges.iter().filter(move |(_, is_reasoning)| *is_reasoning == reasoning).map(|(range, _)| range.clone())
    }
}

/// Makes plain text of parts of an output.
struct Builder<'a> {
    output: &'a str,
    plain: String,
    jumps: Vec<(u32, usize)>,
    turns: Vec<u32>,
    /// Where in the output the next character would come from if nothing were changed.
    expected: usize,
}

impl<'a> Builder<'a> {
    fn new(output: &'a str) -> Self {
        let plain = String::with_capacity(output.len().min(MOST_BYTES) + 8);
        Self { output, plain, jumps: Vec::new(), turns: Vec::new(), expected: 0 }
    }

    /// A range without the tags in it; between ranges there is always the end of a line.
    fn push_range(&mut self, range: Range<usize>, tags: &[&Tag]) {
        if range.is_empty() {
            return;
        }
        if !self.plain.is_empty() {
            self.push_as("\n", range.start);
        }
        let mut from = range.start;
        let first = tags.partition_point(|tag| tag.range.start < range.start);
        for tag in tags[first..].iter().take_while(|tag| tag.range.end <= range.end) {
            self.push_text(from..tag.range.start);
            from = tag.range.end;
            let read_as = match tag.meaning {
                Meaning::ChatToken | Meaning::LineBreak | Meaning::AnswerBegins => "\n",
                Meaning::Bold => "**",
                _ => "",
            };
            if tag.meaning == Meaning::ChatToken {
                self.turns.push(self.plain.len() as u32);
            }
            self.push_as(read_as, tag.range.start);
        }
        self.push_text(from..range.end);
    }

    fn push_text(&mut self, range: Range<usize>) {
        let text = &self.output[range.clone()];
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().position(|byte| *byte >= 0x80).unwrap_or(bytes.len() - at);
            self.push_same(range.start + at, plain);
            at += plain;
            let Some(character) = text[at..].chars().next() else { break };
            let length = character.len_utf8();
            match fold(character) {
                Fold::Same => self.push_same(range.start + at, length),
                Fold::As(read_as) => self.push_as(read_as, range.start + at),
            }
            at += length;
        }
    }

    fn push_same(&mut self, from: usize, length: usize) {
        if length > 0 {
            self.jump_to(from);
            self.plain.push_str(&self.output[from..from + length]);
            self.expected = from + length;
        }
    }

    fn push_as(&mut self, read_as: &str, from: usize) {
        if !read_as.is_empty() {
            self.jump_to(from);
            self.plain.push_str(read_as);
            self.expected = from + read_as.len();
        }
    }

    fn jump_to(&mut self, from: usize) {
        if self.expected != from {
            self.jumps.push((self.plain.len() as u32, from));
        }
    }

    fn finish(self, from_reasoning: bool, reasoning_is_cut: bool) -> Text<'a> {
        let Self { output, plain, jumps, turns, .. } = self;
        Text { plain: Cow::Owned(plain), output, jumps, turns, from_reasoning, reasoning_is_cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(output: &str) -> String {
        Text::of(output).plain.into_owned()
    }

    /// The part of the output behind some plain text.
    fn behind<'a>(output: &'a str, found: &str) -> &'a str {
        let text = Text::of(output);
        let start = text.plain.find(found).unwrap();
        let [from, to] = text.in_output(start..start + found.len());
        &output[from..to]
    }

    #[test]
    fn what_looks_like_ascii_is_read_as_ascii() {
        assert_eq!(plain("ＡＮＳＷＥＲ：\u{a0}Ⓒ\u{200b}。"), "ANSWER: C.");
        assert_eq!(plain("a\u{2028}b “c” 𝐃"), "a\nb \"c\" D");
        assert_eq!(plain("naïve 答案"), "naïve 答案");
    }

    #[test]
    fn reasoning_is_read_only_when_there_is_nothing_else() {
        for (output, read, from_reasoning, is_cut) in [
            ("<think>A</think> B", " B", false, false),
            ("x <think>A</think>\nB", "x \n\nB", false, false),
            ("<think>A</think> \n", "A", true, false),
            ("<think>so D", "so D", true, true),
            ("so D</think>", "so D", true, false),
            ("first B<think>so D", "first B", false, true),
            ("hm</thinking>C", "C", false, false),
            ("<|channel|>analysis<|message|>A<|channel|>final<|message|>B", "B", false, false),
            ("<|channel|>final<|message|>B<|return|><|channel|>final<|message|>C", "B\n\nC", false, false),
        ] {
            let text = Text::of(output);
            assert_eq!(text.plain.trim_start_matches('\n'), read, "{output}");
            assert_eq!((text.from_reasoning, text.reasoning_is_cut), (from_reasoning, is_cut), "{output}");
        }
    }

    #[test]
    fn tokens_of_templates_end_a_line() {
        let text = Text::of("ANSWER: C<|im_end|>\n<|im_start|>user");
        assert_eq!((text.plain.as_ref(), text.first_turn_end()), ("ANSWER: C\n\n\nuser", 9));
    }

    #[test]
    fn the_name_of_the_speaker_is_no_turn_of_its_own() {
        for (output, first_turn) in [
            ("<|start_header_id|>assistant<|end_header_id|>\n\nC<|eot_id|>", "\nassistant\n\n\nC"),
            ("<|im_start|>assistant\nC<|im_end|>", "\nassistant\nC"),
            ("<|im_start|>C<|im_end|>\nD", "\nC"),
        ] {
            let text = Text::of(output);
            assert_eq!(&text.plain[..text.first_turn_end()], first_turn, "{output}");
        }
    }

    #[test]
    fn places_lead_back_to_the_output() {
        assert_eq!(behind("x ＡＮＳＷＥＲ：Ｃ y", "ANSWER:C"), "ＡＮＳＷＥＲ：Ｃ");
        assert_eq!(behind("é <think>no</think>é C", "C"), "C");
        assert_eq!(behind("see ⒝ there", "b"), "⒝");
        assert_eq!(behind("Ⅷ B", "B"), "B");
        assert_eq!(behind("Ⅷ B", "VIII"), "Ⅷ");
        assert_eq!(behind("<b>C</b> x", "C"), "C");
        let output = "é𝐃 ANSWER: C";
        let text = Text::of(output);
        let at = text.plain.find("ANSWER").unwrap();
        let span = text.in_output(at..at + 9);
        assert_eq!(text.in_utf16(span), [4, 13]);
    }

    #[test]
    fn of_a_huge_output_the_beginning_and_the_end_are_read() {
        let output = format!("begin {} end", "é".repeat(MOST_BYTES));
        let text = Text::of(&output);
        assert!(text.plain.len() <= MOST_BYTES + 1 && text.plain.starts_with("begin") && text.plain.ends_with("end"));
        assert_eq!(text.in_output(text.plain.len() - 3..text.plain.len()), [output.len() - 3, output.len()]);
    }

    proptest! {
        #[test]
        fn every_place_leads_to_whole_characters(output in "[a-dA-D <>/|é答Ｃ⒝Ⅷ\u{200b}\n]{0,40}|(<think>|</think>|<b>|<\\|x\\|>|C|é|Ⅷ){0,12}", cut in 0.0..1.0_f64) {
            let text = Text::of(&output);
            let length = text.plain.len();
            let start = text.plain.floor_char_boundary((cut * length as f64) as usize);
            for end in (start + 1..=length).filter(|end| text.plain.is_char_boundary(*end)) {
                let [from, to] = text.in_output(start..end);
                prop_assert!(from < to && to <= output.len());
                prop_assert!(output.is_char_boundary(from) && output.is_char_boundary(to));
                let [from16, to16] = text.in_utf16([from, to]);
                prop_assert!(from16 < to16 && to16 <= output.encode_utf16().count());
            }
        }
    }
}
