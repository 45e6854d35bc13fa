//! The models under test, as `models.yaml` names them, and what they cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Format version of [`Models`], which is `models.yaml`.
pub const MODELS_FORMAT: u32 = 1;
const TOKENS_PER_PRICE: f64 = 1e6;
const MAX_TEMPERATURE: f64 = 2.0;
/// Far above what anybody asks, and low enough that no sum of costs is infinite.
const MAX_PRICE: f64 = 1e6;

/// `models.yaml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Models {
    /// Format version.
    pub format: u32,
    /// The models.
    pub models: Vec<Model>,
}

/// A model under test, and how it is asked. What is absent is not sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Its id with its provider.
    pub id: String,
    /// What readers see; its id where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who offers it.
    pub provider: String,
    /// Where it is asked; the provider's own place where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The provider's word for how much it is to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Whether it sees pictures.
    pub vision: bool,
    /// Whether its weights can be had.
    pub open_weights: bool,
    /// What it costs; absent when nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ListPrice>,
}

/// A list price without discount, in dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPrice {
    /// Tokens it reads that no cache holds.
    pub input: f64,
    /// Tokens it writes, thinking included.
    pub output: f64,
    /// Tokens it reads from the cache; as `input` where the list has no such price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Tokens it writes to the cache; as `input` where the list has no such price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// The day on which the list said so, such as 2026-11-17.
    pub date: String,
}

/// How many tokens went where. No token is counted twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Read, and in no cache.
    pub input: u64,
    /// Written, thinking included.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
}

impl Tokens {
    /// All of them.
    pub fn total(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write].into_iter().fold(self.input, u64::saturating_add)
    }
}

impl ListPrice {
    /// Dollars for so many tokens, caching counted.
    pub fn cost(&self, tokens: &Tokens) -> f64 {
        let parts = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read, self.cache_read.unwrap_or(self.input)),
            (tokens.cache_write, self.cache_write.unwrap_or(self.input)),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / TOKENS_PER_PRICE
    }

    fn check(&self) -> Result<(), &'static str> {
        let prices = [Some(self.input), Some(self.output), self.cache_read, self.cache_write];
        if !prices.iter().flatten().all(|price| (0.0..=MAX_PRICE).contains(price)) {
            return Err("a price is a number of dollars per million tokens, from 0 to a million");
        }
        let is_day = self.date.len() == 10 && self.date.parse::<jiff::civil::Date>().is_ok();
        if is_day { Ok(()) } else { Err("the date of a price is a day such as 2026-11-17") }
    }
}

impl Model {
    /// A model of which nothing but its id is known.
    pub fn undescribed(id: &str, provider: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: None,
            provider: provider.to_owned(),
            endpoint: None,
            temperature: None,
            top_p: None,
            reasoning_effort: None,
            vision: false,
            open_weights: false,
            price: None,
        }
    }

    /// What readers see.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    /// Dollars for so many tokens; unknown without a price, and never 0 for that reason.
    pub fn cost(&self, tokens: &Tokens) -> Option<f64> {
        self.price.as_ref().map(|price| price.cost(tokens))
    }

    /// The entry without its address, which may be one that only its owner is to know.
    pub fn without_address(&self) -> Self {
        Self { endpoint: None, ..self.clone() }
    }

    /// Whether the entry makes sense, or what is wrong with it.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.id.trim().is_empty() || self.provider.trim().is_empty() {
            return Err("a model needs an id and a provider");
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=MAX_TEMPERATURE).contains(&temperature)) {
            return Err("a temperature lies between 0 and 2");
        }
        if self.top_p.is_some_and(|top_p| !(top_p > 0.0 && top_p <= 1.0)) {
            return Err("top_p lies above 0 and is at most 1");
        }
        self.price.as_ref().map_or(Ok(()), ListPrice::check)
    }
}

impl Models {
    /// Whether every entry makes sense and every id is there once.
    pub fn check(&self) -> Result<(), ModelError> {
        if self.format != MODELS_FORMAT {
            return Err(ModelError::Format(self.format));
        }
        let mut seen = BTreeSet::new();
        for model in &self.models {
            model.check().map_err(|what| ModelError::Entry { model: model.id.clone(), what })?;
            if !seen.insert(&model.id) {
                return Err(ModelError::Entry { model: model.id.clone(), what: "it is named twice" });
            }
        }
        Ok(())
    }

    /// The model with an id.
    pub fn get(&self, id: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.id == id)
    }

    /// The model with an id and its price, without which no budget can be kept.
    pub fn under_budget(&self, id: &str, limit_usd: f64) -> Result<(&Model, &ListPrice), ModelError> {
        let model = self.get(id).ok_or_else(|| ModelError::Unknown(id.to_owned()))?;
        match &model.price {
            Some(price) => Ok((model, price)),
            None => Err(ModelError::Unpriced { model: id.to_owned(), limit_usd }),
        }
    }
}

/// What is wrong with `models.yaml`, or with what is asked of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Written for another version.
    #[error("read models of format {0}: this version reads format {MODELS_FORMAT}")]
    Format(u32),
    /// An entry makes no sense.
    #[error("accept the model `{model}`: {what}")]
    Entry {
        /// Its id.
        model: String,
        /// What is wrong.
        what: &'static str,
    },
    /// There is no such model.
    #[error("find the model `{0}`: it has no entry in models.yaml")]
    Unknown(String),
    /// Its price is not known.
    #[error(
        "run `{model}`: its price is unknown, so the budget of ${limit_usd:.2} cannot be kept; give its price in models.yaml, or no budget"
    )]
    Unpriced {
        /// The model.
        model: String,
        /// The budget.
        limit_usd: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn price() -> ListPrice {
        ListPrice {
            input: 3.0,
            output: 15.0,
            cache_read: Some(0.3),
            cache_write: Some(3.75),
            date: "2026-11-17".to_owned(),
        }
    }

    fn models(prices: &[Option<ListPrice>]) -> Models {
        let entry = |(number, price): (usize, &Option<ListPrice>)| Model {
            id: format!("p/m{number}"),
            name: None,
            provider: "p".to_owned(),
            endpoint: None,
            temperature: Some(1.0),
            top_p: None,
            reasoning_effort: Some("high".to_owned()),
            vision: true,
            open_weights: false,
            price: price.clone(),
        };
        Models { format: MODELS_FORMAT, models: prices.iter().enumerate().map(entry).collect() }
    }

    #[test]
    fn caching_is_counted() {
        let tokens = Tokens { input: 100_000, output: 10_000, cache_read: 2_000_000, cache_write: 200_000 };
        // 0.30 + 0.15 + 0.60 + 0.75.
        assert!((price().cost(&tokens) - 1.8).abs() < 1e-12);
        let without = ListPrice { cache_read: None, cache_write: None, ..price() };
        assert!((without.cost(&tokens) - (0.3 + 0.15 + 6.0 + 0.6)).abs() < 1e-12);
        assert_eq!(tokens.total(), 2_310_000);
    }

    #[test]
    fn an_unknown_price_is_an_unknown_cost_and_keeps_no_budget() {
        let models = models(&[Some(price()), None]);
        assert_eq!(models.check(), Ok(()));
        assert_eq!(models.get("p/m1").unwrap().cost(&Tokens { input: 5, ..Tokens::default() }), None);
        assert!(models.under_budget("p/m0", 5.0).is_ok());
        let refused = models.under_budget("p/m1", 5.0).unwrap_err();
        assert_eq!(refused, ModelError::Unpriced { model: "p/m1".to_owned(), limit_usd: 5.0 });
        assert!(refused.to_string().contains("budget of $5.00"), "{refused}");
        assert_eq!(models.under_budget("p/m2", 5.0), Err(ModelError::Unknown("p/m2".to_owned())));
    }

    #[test]
    fn entries_that_make_no_sense_are_refused() {
        let wrong = |change: fn(&mut Model)| {
            let mut models = models(&[Some(price()), None]);
            change(&mut models.models[0]);
            models.check().unwrap_err().to_string()
        };
        assert!(wrong(|model| model.id = "p/m1".to_owned()).ends_with("it is named twice"));
        assert!(wrong(|model| model.temperature = Some(3.0)).contains("temperature"));
        assert!(wrong(|model| model.top_p = Some(0.0)).contains("top_p"));
        assert!(wrong(|model| model.provider.clear()).contains("provider"));
        for input in [-1.0, 1e300, f64::INFINITY] {
            let refused = models(&[Some(ListPrice { input, ..price() })]).check().unwrap_err();
            assert!(refused.to_string().contains("dollars"), "{input}: {refused}");
        }
        assert!(
            wrong(|model| model.price = Some(ListPrice { cache_read: Some(f64::NAN), ..price() })).contains("dollars")
        );
        for date in ["", "17.11.2026", "2026-13-01", "2026-11-17T10:00:00"] {
            let mut models = models(&[Some(ListPrice { date: date.to_owned(), ..price() })]);
            models.models[0].name = Some("M".to_owned());
            assert!(models.check().unwrap_err().to_string().contains("day"), "{date}");
        }
    }

    #[test]
    fn a_word_nobody_knows_is_a_mistake() {
        let text = r#"{"id": "a", "provider": "p", "vision": true, "open_weights": true, "temprature": 1}"#;
        assert!(serde_json::from_str::<Model>(text).unwrap_err().to_string().contains("temprature"));
    }

    proptest! {
        #[test]
        fn cost_adds_up(a: [u32; 4], b: [u32; 4]) {
            let tokens = |[input, output, cache_read, cache_write]: [u32; 4]| Tokens {
                input: input.into(), output: output.into(), cache_read: cache_read.into(), cache_write: cache_write.into(),
            };
            let both = Tokens {
                input: tokens(a).input + tokens(b).input,
                output: tokens(a).output + tokens(b).output,
                cache_read: tokens(a).cache_read + tokens(b).cache_read,
                cache_write: tokens(a).cache_write + tokens(b).cache_write,
            };
            let sum = price().cost(&tokens(a)) + price().cost(&tokens(b));
            prop_assert!((price().cost(&both) - sum).abs() <= 1e-9 * (1.0 + sum));
        }
    }
}
