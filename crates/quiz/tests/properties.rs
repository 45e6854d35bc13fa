//! What holds of every output, whatever a model writes.

use benchwright_quiz::{Extraction, Flag, Letter, Rule, extract};
use proptest::prelude::*;

/// Pieces that rules look for, and any text between them.
fn outputs() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "ANSWER: ",
        "**",
        "\\boxed{",
        "}",
        "(",
        ")",
        "A",
        "B",
        "C",
        "D",
        " or ",
        "\n",
        ". ",
        "the answer is ",
        "I choose ",
        "therefore ",
        "option ",
        " is correct",
        " not ",
        "<think>",
        "</think>",
        "<|im_end|>",
        "red",
        "green",
        "blue",
        "black",
        "答案是",
        "Ｃ",
        "А",
        "é",
        "🙂",
    ]);
    let piece =
        prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => "\\PC{0,8}", 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn read(output: &str) -> Extraction {
    extract(output, &["red", "green", "blue", "black"].map(str::to_owned))
}

/// Texts of choices in which much denies, asks or names a letter.
fn choice_texts() -> impl Strategy<Value = String> {
    let first =
        prop::sample::select(vec!["not", "never", "false", "wrong", "it", "can't", "ruled", "neither", "-5", "x"]);
    let other = prop::sample::select(vec![
        "not",
        "never",
        "False,",
        "wrong;",
        "incorrect.",
        "B",
        "is",
        "cannot",
        "out",
        "(not",
        "or",
        "4.5",
        "\nis",
        "true?",
    ]);
    (first, prop::collection::vec(other, 0..6)).prop_map(|(first, others)| format!("{first} {}", others.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_letter_with_its_own_text_is_that_letter_whatever_the_text_denies(text in choice_texts(), letter in 0..4_usize) {
        let mut choices = ["red", "green", "blue", "black"].map(str::to_owned);
        choices[letter].clone_from(&text);
        let read = extract(&format!("ANSWER: {}) {text}", ["A", "B", "C", "D"][letter]), &choices);
        prop_assert_eq!((read.letter.map(Letter::index), read.tier), (Some(letter), 1));
    }

    #[test]
    fn a_result_is_whole(output in outputs()) {
        let read = read(&output);
        prop_assert_eq!(read.tier, read.rule.tier());
        prop_assert_eq!(read.letter.is_none(), read.rule == Rule::NoAnswer);
        prop_assert_eq!(read.letter.is_none(), read.span.is_none());
        prop_assert!(read.flags.is_sorted_by(|a, b| a < b), "each flag once and in order: {:?}", read.flags);
        if let Some([start, end]) = read.span {
            prop_assert!(start < end && output.get(start..end).is_some());
            let utf16 = |to: usize| output[..to].encode_utf16().count();
            prop_assert_eq!(read.utf16_span, Some([utf16(start), utf16(end)]));
        }
    }

    #[test]
    fn reading_again_reads_the_same(output in outputs()) {
        prop_assert_eq!(read(&output), read(&output));
    }

    /// But for the vote, which weighs letters by their place in the whole text.
    #[test]
    fn white_space_around_an_output_changes_no_letter(output in outputs(), before in "[ \n]{0,3}", after in "[ \n]{0,3}") {
        let (plain, padded) = (read(output.trim()), read(&format!("{before}{}{after}", output.trim())));
        if plain.tier < 4 || padded.tier < 4 {
            prop_assert_eq!((plain.letter, plain.rule), (padded.letter, padded.rule));
        }
    }

    #[test]
    fn an_answer_line_at_the_end_of_prose_counts(prose in "[a-z ,]{0,200}", letter in "[A-D]") {
        let read = read(&format!("{prose}.\nANSWER: {letter}"));
        prop_assert_eq!(read.letter.map(|found| found.as_char().to_string()), Some(letter));
        prop_assert_eq!(read.tier, 1);
    }

    #[test]
    fn nothing_of_another_turn_is_read(first in outputs(), second in outputs()) {
        let turn = format!("say {first}").replace("<|im_end|>", " ").replace("think>", "");
        let (alone, followed) = (read(&turn), read(&format!("{turn}<|im_end|>{}", second.replace("think>", ""))));
        prop_assert_eq!((alone.letter, alone.rule, alone.span), (followed.letter, followed.rule, followed.span));
    }

    #[test]
    fn what_is_after_a_chat_template_token_and_a_new_item_is_not_read(letter in "[A-D]", other in "[A-D]") {
        let output = format!("ANSWER: {letter}\n\nWhich colour has the sky?\nA. red\nB. green\nC. blue\nD. black\nANSWER: {other}");
        let read = read(&output);
        prop_assert_eq!(read.letter.map(|found| found.as_char().to_string()), Some(letter));
        prop_assert!(read.flags.contains(&Flag::RanOn));
    }
}

#[test]
fn the_middle_of_what_is_too_long_is_left_out_and_that_is_said() {
    let filler = "word ".repeat(8_000);
    let middle = read(&format!("{filler}\nANSWER: B\n{filler}"));
    assert_eq!((middle.letter, middle.flags.contains(&Flag::PartlyRead)), (None, true));
    let end = read(&format!("{filler}{filler}\nANSWER: B"));
    assert_eq!((end.tier, end.flags), (1, vec![Flag::PartlyRead]));
    assert!(!read(&filler).flags.contains(&Flag::PartlyRead));
}
