//! No output breaks the extraction, and whatever it says is true of the output. `cargo xtask fuzz` runs it.
#![no_main]

use benchwright_quiz::{Rule, extract};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // The first lines are the choices, so that they take part.
    let mut lines = text.splitn(5, '\n');
    let choices: [String; 4] = std::array::from_fn(|_| lines.next().unwrap_or_default().to_owned());
    let output = lines.next().unwrap_or_default();
    let read = extract(output, &choices);
    assert_eq!(read.tier, read.rule.tier());
    assert_eq!(read.letter.is_none(), read.rule == Rule::NoAnswer);
    assert_eq!(read.letter.is_none(), read.span.is_none());
    if let Some([start, end]) = read.span {
        assert!(start < end && output.get(start..end).is_some());
        let utf16 = |to: usize| output[..to].encode_utf16().count();
        assert_eq!(read.utf16_span, Some([utf16(start), utf16(end)]));
    }
    assert_eq!(read, extract(output, &choices));
});
