//! None of the questions stands in MMLU. The data are not part of the project: BENCHWRIGHT_DATA names the folder that holds `mmlu`.

use crate::{all_texts, files, plain};
use std::collections::HashMap;
use std::path::Path;
use std::{env, fs};

/// Those of `questions` whose words occur in `text` one after the other.
fn found_in<'a>(questions: &[&'a str], text: &str) -> Vec<&'a str> {
    let text = plain(text);
    let words: Vec<&str> = text.split(' ').collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, word) in words.iter().enumerate() {
        places.entry(word).or_default().push(place);
    }
    let occurs = |question: &&str| {
        let question = plain(question);
        let wanted: Vec<&str> = question.split(' ').collect();
        // Where the rarest of its words stands, the others must stand around it.
        let rarest = (0..wanted.len()).min_by_key(|i| places.get(wanted[*i]).map_or(0, Vec::len)).unwrap();
        let starts = places.get(wanted[rarest]).into_iter().flatten().filter_map(|place| place.checked_sub(rarest));
        starts.into_iter().any(|start| words[start..].starts_with(&wanted))
    };
    questions.iter().copied().filter(occurs).collect()
}

#[test]
fn a_copy_is_found_whatever_its_punctuation() {
    let data = "Which sea is deepest?,Red,Dead,Black,White,C\n\"What is 2 + 2, then?\",1,2,3,4,D\n";
    let questions = ["What is 2 + 2 then?", "What is 2 + 3?", "Which sea is the deepest?", "which sea is DEEPEST"];
    assert_eq!(found_in(&questions, data), ["What is 2 + 2 then?", "which sea is DEEPEST"]);
}

#[test]
fn no_question_stands_in_mmlu() {
    let Some(data) = env::var_os("BENCHWRIGHT_DATA") else {
        eprintln!("SKIPPED: BENCHWRIGHT_DATA is not set, so the questions were not compared with MMLU");
        return;
    };
    let ours = files();
    let questions: Vec<&str> = all_texts(&ours).iter().map(|(question, _)| *question).collect();
    let mut files = 0;
    for split in ["dev", "test"] {
        for entry in fs::read_dir(Path::new(&data).join("mmlu").join(split)).unwrap() {
            let path = entry.unwrap().path();
            let copies = found_in(&questions, &fs::read_to_string(&path).unwrap());
            assert!(copies.is_empty(), "{}: {copies:?}", path.display());
            files += 1;
        }
    }
    assert!(files >= 114, "only {files} files of MMLU were there");
}
