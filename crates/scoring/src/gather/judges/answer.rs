//! Whether an answer is one: every criterion exactly once, whole numbers from 1 to 5, with a rationale. Anything else is asked for again.

use crate::evidence::judgement::{Criterion, Rating};
use benchwright_llm::{Answer, Finish};
use serde::Deserialize;
use serde_json::Value;

const RATIONALE_LIMIT: usize = 600;
const FEATURE_LIMIT: usize = 200;
const MAX_FEATURES: usize = 12;

/// An answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// In the order of the criteria.
    pub ratings: Vec<Rating>,
    /// What is missing.
    pub missing_features: Vec<String>,
    /// On the whole.
    pub notes: String,
}

#[derive(Deserialize)]
struct Said {
    criteria: Vec<SaidRating>,
    #[serde(default)]
    missing_features: Vec<String>,
    #[serde(default)]
    notes: Option<String>,
}

#[derive(Deserialize)]
struct SaidRating {
    id: String,
    score: Value,
    rationale: String,
}

/// Reads an answer, or says why it cannot be used, in words that go back to the judge.
pub fn read(answer: &Answer, criteria: &[Criterion]) -> Result<Accepted, String> {
    let said = parse(&answer.text).map_err(|why| match answer.finish {
        Finish::Length => "it was cut off at the limit of tokens".to_owned(),
        _ if answer.text.trim().is_empty() => "it was empty".to_owned(),
        _ => why,
    })?;
    if let Some(unknown) =
        said.criteria.iter().find(|rating| !criteria.iter().any(|known| known.id == rating.id.trim()))
    {
        return Err(format!("the id `{}` was not asked for", cut(&unknown.id, 60)));
    }
    let ratings = criteria.iter().map(|criterion| rating_of(&said, criterion)).collect::<Result<_, _>>()?;
    let features = said.missing_features.iter().map(|feature| cut(feature, FEATURE_LIMIT));
    Ok(Accepted {
        ratings,
        missing_features: features.filter(|feature| !feature.is_empty()).take(MAX_FEATURES).collect(),
        notes: cut(said.notes.as_deref().unwrap_or_default(), RATIONALE_LIMIT),
    })
}

fn rating_of(said: &Said, criterion: &Criterion) -> Result<Rating, String> {
    let id = &criterion.id;
    let mut found = said.criteria.iter().filter(|rating| rating.id.trim() == id);
    let rating = found.next().ok_or_else(|| format!("the id `{id}` is missing"))?;
    if found.next().is_some() {
        return Err(format!("the id `{id}` is there more than once"));
    }
    let score = whole(&rating.score).ok_or_else(|| format!("the score of `{id}` is no whole number from 1 to 5"))?;
    let rationale = cut(&rating.rationale, RATIONALE_LIMIT);
    if rationale.is_empty() {
        return Err(format!("`{id}` has no rationale"));
    }
    Ok(Rating { id: id.clone(), score, rationale })
}

/// A JSON number without a fraction, from 1 to 5. Texts are no numbers.
fn whole(score: &Value) -> Option<u8> {
    let number = score.as_f64()?;
    (number.fract() == 0.0 && (1.0..=5.0).contains(&number)).then_some(number as u8)
}

/// The JSON object in an answer; code fences and words around it are tolerated.
fn parse(text: &str) -> Result<Said, String> {
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return Err("it holds no JSON object".to_owned());
    };
    let object = text.get(start..=end).ok_or("it holds no JSON object")?;
    serde_json::from_str(object)
        .map_err(|error| format!("it does not fit the schema: {}", cut(&error.to_string(), 160)))
}

fn cut(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::scorers::cut(&line, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria() -> Vec<Criterion> {
        ["a", "b"].map(|id| Criterion { id: id.to_owned(), ..Criterion::default() }).to_vec()
    }

    fn answer(text: &str, finish: Finish) -> Answer {
        Answer { text: text.to_owned(), finish, ..Answer::default() }
    }

    fn said(text: &str) -> Result<Accepted, String> {
        read(&answer(text, Finish::Stop), &criteria())
    }

    fn ratings(list: &str) -> String {
        format!(r#"{{"criteria":[{list}],"missing_features":["search"],"notes":"fine"}}"#)
    }

    const A: &str = r#"{"id":"a","score":4,"rationale":"because"}"#;
    const B: &str = r#"{"id":"b","score":2,"rationale":"well"}"#;

    #[test]
    fn a_whole_answer_is_accepted_in_the_order_asked_with_or_without_fences() {
        let plain = ratings(&format!("{B},{A}"));
        let fenced = format!("Here you are:\n```json\n{plain}\n```\nGlad to help.");
        for text in [plain, fenced] {
            let accepted = said(&text).unwrap();
            assert_eq!(accepted.ratings.iter().map(|rating| rating.score).collect::<Vec<_>>(), [4, 2]);
            assert_eq!((accepted.missing_features, accepted.notes), (vec!["search".to_owned()], "fine".to_owned()));
        }
    }

    #[test]
    fn every_fault_is_refused_and_named() {
        let other = r#"{"id":"everything","score":5,"rationale":"told to"}"#;
        let wild = |score: &str| format!(r#"{{"id":"b","score":{score},"rationale":"x"}}"#);
        for (text, why) in [
            (ratings(A), "the id `b` is missing"),
            (ratings(&format!("{A},{B},{B}")), "the id `b` is there more than once"),
            (ratings(&format!("{A},{B},{other}")), "the id `everything` was not asked for"),
            (ratings(&format!("{A},{}", wild("6"))), "no whole number"),
            (ratings(&format!("{A},{}", wild("0"))), "no whole number"),
            (ratings(&format!("{A},{}", wild("3.5"))), "no whole number"),
            (ratings(&format!("{A},{}", wild("\"5\""))), "no whole number"),
            (ratings(&format!("{A},{}", wild("null"))), "no whole number"),
            (ratings(&format!("{A},{}", r#"{"id":"b","score":3,"rationale":" "}"#)), "no rationale"),
            (ratings(&format!("{A},{}", r#"{"id":"b","score":3}"#)), "does not fit the schema"),
            ("5 out of 5!".to_owned(), "no JSON object"),
            ("} nothing {".to_owned(), "no JSON object"),
            (r#"{"score": 5}"#.to_owned(), "does not fit the schema"),
            (String::new(), "it was empty"),
        ] {
            let refused = said(&text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn an_answer_that_ran_out_of_tokens_says_so() {
        let cut_off = r#"{"criteria":[{"id":"a","score":4,"#;
        let refused = read(&answer(cut_off, Finish::Length), &criteria()).unwrap_err();
        assert_eq!(refused, "it was cut off at the limit of tokens");
        let whole = ratings(&format!("{A},{B}"));
        assert!(read(&answer(&whole, Finish::Length), &criteria()).is_ok());
    }

    #[test]
    fn what_is_kept_has_limits() {
        let long = "word ".repeat(1_000);
        let list = format!(r#"{A},{{"id":"b","score":2.0,"rationale":"{long}"}}"#);
        let features: Vec<String> = (0..50).map(|n| format!("\"feature {n}\"")).collect();
        let text = format!(r#"{{"criteria":[{list}],"missing_features":[{}]}}"#, features.join(","));
        let accepted = said(&text).unwrap();
        assert_eq!(accepted.ratings[1].rationale.chars().count(), RATIONALE_LIMIT);
        assert_eq!(accepted.missing_features.len(), MAX_FEATURES);
    }
}
