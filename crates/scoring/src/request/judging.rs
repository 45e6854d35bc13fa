use serde::{Deserialize, Serialize};

/// Who judges, and at what price. Keys are not part of it, only the names of the variables they come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judging {
    /// One judge, or two of different families and a third who decides between them. Nobody judges when it is empty.
    pub judges: Vec<Judge>,
    /// Dollars that all judges of a run may cost together; no limit when absent.
    pub budget_usd: Option<f64>,
    /// Which repetition this is. Another number is a fresh opinion, whatever is in the cache.
    pub repeat: u32,
    /// For providers that can be made to repeat themselves.
    pub seed: u64,
    /// Whether answers are kept, and equal questions answered from what was kept.
    pub cache: bool,
    /// Variables that should have held a key and did not.
    pub missing_keys: Vec<String>,
}

/// How a provider wants to be spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Chat completions, as OpenRouter, OpenAI and most others speak them.
    #[default]
    OpenaiCompatible,
    /// Anthropic's messages.
    Anthropic,
}

/// A language model that judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    /// Its name at the provider.
    pub model: String,
    /// How to speak to it.
    #[serde(default)]
    pub provider: Provider,
    /// Where it is.
    pub base_url: String,
    /// The variable with the key; empty when it takes none.
    #[serde(default)]
    pub key_variable: String,
    /// Dollars per million tokens it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_price: Option<f64>,
    /// Dollars per million tokens it produces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_price: Option<f64>,
}

/// Where a judge is when nobody says.
pub const OPEN_ROUTER: &str = "https://openrouter.ai/api/v1";
/// The judge when nobody names one.
pub const DEFAULT_MODEL: &str = "google/gemini-2.5-pro";
/// What that one costs, in dollars per million tokens read and written: the list price for prompts of up to 200,000 tokens, of which a
/// question to a judge has about a tenth, as known in November 2026. It is there to keep the budget; what a call really cost is what
/// the provider says.
const DEFAULT_PRICE: (f64, f64) = (1.25, 10.0);
/// Dollars a run may spend on judges when nobody says.
pub const DEFAULT_BUDGET_USD: f64 = 1.0;

impl Default for Judging {
    fn default() -> Self {
        Self {
            judges: vec![Judge::on_open_router(DEFAULT_MODEL)],
            budget_usd: Some(DEFAULT_BUDGET_USD),
            repeat: 0,
            seed: 20_260_101,
            cache: true,
            missing_keys: Vec::new(),
        }
    }
}

impl Judging {
    /// Nobody judges: the user does not want it, or the run is from before there were judges.
    pub fn nobody() -> Self {
        Self { judges: Vec::new(), ..Self::default() }
    }

    /// The first judge whose price must be known to keep the budget, and is not.
    pub fn without_price(&self) -> Option<&Judge> {
        self.budget_usd?;
        self.judges.iter().find(|judge| judge.input_price.is_none() || judge.output_price.is_none())
    }
}

impl Judge {
    /// A model at OpenRouter. The price is known for the default one only: prices change, and a wrong one is worse than none.
    pub fn on_open_router(model: &str) -> Self {
        let price = (model == DEFAULT_MODEL).then_some(DEFAULT_PRICE);
        Self {
            model: model.to_owned(),
            provider: Provider::OpenaiCompatible,
            base_url: OPEN_ROUTER.to_owned(),
            key_variable: "OPENROUTER_API_KEY".to_owned(),
            input_price: price.map(|(input, _)| input),
            output_price: price.map(|(_, output)| output),
        }
    }

    /// Whose model it is: the vendor before the slash, or what the name begins with. Judges of one family share its taste.
    pub fn family(&self) -> String {
        let name = self.model.to_lowercase();
        if let Some((vendor, _)) = name.split_once('/') {
            return vendor.trim_start_matches('~').to_owned();
        }
        let known = [
            ("gpt", "openai"),
            ("chatgpt", "openai"),
            ("o1", "openai"),
            ("o3", "openai"),
            ("o4", "openai"),
            ("claude", "anthropic"),
            ("gemini", "google"),
            ("gemma", "google"),
            ("mistral", "mistralai"),
            ("llama", "meta-llama"),
            ("grok", "x-ai"),
        ];
        let vendor = known.iter().find(|(start, _)| name.starts_with(start)).map(|(_, vendor)| (*vendor).to_owned());
        vendor.unwrap_or_else(|| name.split(['-', ':', '.']).next().unwrap_or_default().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_the_vendor_however_the_model_is_named() {
        let family = |model: &str| Judge::on_open_router(model).family();
        assert_eq!(family("google/gemini-2.5-pro"), family("gemini-2.5-flash"));
        assert_eq!(family("anthropic/claude-sonnet"), family("claude-opus"));
        assert_ne!(family("openai/gpt-5"), family("google/gemini-2.5-pro"));
        assert_eq!(family("qwen2.5:7b"), "qwen2");
    }

    #[test]
    fn a_budget_needs_a_price_for_every_judge() {
        let mut judging = Judging::default();
        assert_eq!(judging.without_price(), None);
        judging.judges.push(Judge::on_open_router("acme/unheard-of"));
        assert_eq!(judging.without_price().unwrap().model, "acme/unheard-of");
        judging.budget_usd = None;
        assert_eq!(judging.without_price(), None);
    }

    #[test]
    fn a_run_frozen_before_there_were_judges_has_none_and_an_empty_table_has_the_usual_one() {
        let mut old = serde_json::to_value(crate::request::Request::new("https://app.example/")).unwrap();
        old.as_object_mut().unwrap().remove("judging");
        let old: crate::request::Request = serde_json::from_value(old).unwrap();
        assert_eq!(old.judging, Judging::nobody());
        assert_eq!(serde_json::from_str::<Judging>("{}").unwrap(), Judging::default());
    }
}
