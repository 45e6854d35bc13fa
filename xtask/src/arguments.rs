//! The few flags the commands take.

use crate::failure::Failure;

/// What follows the command's name.
pub struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub fn new(words: impl Iterator<Item = String>) -> Self {
        Self { words: words.collect() }
    }

    pub fn none() -> Self {
        Self { words: Vec::new() }
    }

    pub fn asks_for_help(&self) -> bool {
        self.words.iter().any(|word| word == "--help" || word == "-h")
    }

    /// Takes a flag such as `--check`.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// Takes a number such as `--pairs 3`, from 0 to 10,000.
    pub fn number(&mut self, name: &str, default: usize) -> Result<usize, Failure> {
        let Some(at) = self.words.iter().position(|word| word == name) else { return Ok(default) };
        self.words.remove(at);
        let text = if at < self.words.len() { self.words.remove(at) } else { String::new() };
        match text.parse() {
            Ok(number) if number <= 10_000 => Ok(number),
            _ => Err(Failure::usage(format!("{name} needs a number up to 10000, not `{text}`"))),
        }
    }

    /// Takes names such as `--only page,zip`; all of them when the flag is not there.
    pub fn choice(&mut self, name: &str, known: &[&'static str]) -> Result<Vec<&'static str>, Failure> {
        let Some(at) = self.words.iter().position(|word| word == name) else { return Ok(known.to_vec()) };
        self.words.remove(at);
        let text = if at < self.words.len() { self.words.remove(at) } else { String::new() };
        let find = |word: &str| known.iter().copied().find(|one| *one == word.trim());
        let chosen: Option<Vec<_>> = text.split(',').map(find).collect();
        chosen.ok_or_else(|| Failure::usage(format!("{name} takes some of {}, not `{text}`", known.join(","))))
    }

    /// Takes names such as `--task leave-desk,plant-diary` that nobody here knows; none when the flag is not there.
    pub fn names(&mut self, name: &str) -> Result<Vec<String>, Failure> {
        let Some(at) = self.words.iter().position(|word| word == name) else { return Ok(Vec::new()) };
        self.words.remove(at);
        let text = if at < self.words.len() { self.words.remove(at) } else { String::new() };
        let names: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
        let is_name =
            |word: &String| !word.is_empty() && word.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-');
        if names.iter().all(is_name) {
            Ok(names)
        } else {
            Err(Failure::usage(format!("{name} takes names, not `{text}`")))
        }
    }

    /// Takes the first word that is no flag.
    pub fn word(&mut self) -> Option<String> {
        let at = self.words.iter().position(|word| !word.starts_with('-'))?;
        Some(self.words.remove(at))
    }

    /// Refuses whatever is left.
    pub fn finish(self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Failure::usage(format!("unexpected argument `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Arguments {
        Arguments::new(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_and_numbers_are_taken_and_the_rest_is_refused() {
        let mut arguments = given("--check --pairs 4 more");
        assert!(arguments.flag("--check"));
        assert!(!arguments.flag("--check"));
        assert_eq!(arguments.number("--pairs", 3).unwrap(), 4);
        assert_eq!(arguments.number("--kills", 7).unwrap(), 7);
        assert_eq!(arguments.word().as_deref(), Some("more"));
        assert_eq!(arguments.word(), None);
        assert!(given("even more").finish().unwrap_err().message.contains("`even`"));
    }

    #[test]
    fn a_choice_is_everything_unless_it_is_made() {
        let known = ["page", "zip", "scan"];
        assert_eq!(given("").choice("--only", &known).unwrap(), known);
        assert_eq!(given("--only zip,scan").choice("--only", &known).unwrap(), ["zip", "scan"]);
        for text in ["--only", "--only page,zap"] {
            assert!(given(text).choice("--only", &known).unwrap_err().message.contains("page,zip,scan"), "{text}");
        }
    }

    #[test]
    fn names_are_taken_as_they_are() {
        assert_eq!(given("").names("--task").unwrap(), [""; 0]);
        assert_eq!(given("--task leave-desk,plant-diary").names("--task").unwrap(), ["leave-desk", "plant-diary"]);
        for text in ["--task", "--task ,", "--task ../x"] {
            assert_eq!(given(text).names("--task").unwrap_err().code, 2, "{text}");
        }
    }

    #[test]
    fn a_number_that_is_none_is_refused() {
        for text in ["--pairs", "--pairs many", "--pairs -1", "--pairs 99999999"] {
            assert_eq!(given(text).number("--pairs", 3).unwrap_err().code, 2, "{text}");
        }
    }
}
