//! The language models that commands ask: where they are, with which key, at which price, within which budget.

use crate::args::AskArguments;
use crate::config::read_text;
use crate::environment;
use crate::exit::Failure;
use benchwright_domain::vibe::model::{Model, Models};
use benchwright_domain::yaml;
use benchwright_llm::{ApiKey, Client, Dialect, Endpoint, Limits, LlmError, Price, Retry, Settings};
use benchwright_scoring::request::OPEN_ROUTER;
use benchwright_vibe::llm::{self, DEFAULT_MODEL_AT_OPEN_ROUTER, Llm, THINKING_TOKENS};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The evaluator of the published benchmark, through OpenRouter.
pub const DEFAULT_MODEL: &str = DEFAULT_MODEL_AT_OPEN_ROUTER;
/// The same at its own provider.
const DEFAULT_AT_ITS_PROVIDER: &str = llm::DEFAULT_MODEL;

const DEFAULT_BUDGET_USD: f64 = 25.0;
const ANTHROPIC: &str = "https://api.anthropic.com/v1";
const MAX_NODES: usize = 20_000;
/// What an entry says of a model that is not to think.
const NO_EFFORT: &str = "none";

/// A model that can be asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Where it is and what it costs.
    pub endpoint: Endpoint,
    /// What opens its door.
    pub key: ApiKey,
    /// Whether it sees pictures.
    sees: bool,
    /// Whether it is told to think.
    thinks: bool,
}

impl Asked {
    /// The same as an evaluator that walks or judges.
    pub fn evaluator(self, client: Arc<Client>) -> Llm {
        let thinking_tokens = self.thinks.then_some(THINKING_TOKENS);
        Llm { client, endpoint: self.endpoint, key: Some(self.key), sees: self.sees, thinking_tokens }
    }

    /// How it is asked, for results; no secrets.
    pub fn settings(&self) -> [(&'static str, String); 3] {
        let thinking = if self.thinks { THINKING_TOKENS } else { 0 };
        [
            ("endpoint", without_secrets(&self.endpoint.base_url)),
            ("vision", self.sees.to_string()),
            ("thinking_tokens", thinking.to_string()),
        ]
    }
}

/// An address without whatever might open a door.
fn without_secrets(base_url: &str) -> String {
    let Ok(url) = url::Url::parse(base_url) else { return String::new() };
    format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'))
}

/// Finds a model: by its entry in models.yaml, by what the command line says, by the defaults.
pub fn find(model: &str, arguments: &AskArguments) -> Result<Asked, Failure> {
    let known = arguments.models.as_deref().map(read).transpose()?;
    let entry = known.as_ref().and_then(|models| models.get(model));
    let named = arguments.base_url.as_deref().or_else(|| entry.and_then(|entry| entry.endpoint.as_deref()));
    let usual_place = if model == DEFAULT_AT_ITS_PROVIDER { ANTHROPIC } else { OPEN_ROUTER };
    let base_url = named.unwrap_or(usual_place);
    let dialect = if base_url.starts_with(ANTHROPIC) { Dialect::Anthropic } else { Dialect::OpenAi };
    let listed = entry.and_then(|entry| entry.price.as_ref()).map(|price| Price {
        input: price.input,
        output: price.output,
        cache_read: price.cache_read,
        cache_write: price.cache_write,
    });
    let usual = llm::default_endpoint(dialect);
    let usual = usual.price.filter(|_| usual.model == model && usual.base_url == base_url);
    let endpoint =
        Endpoint { dialect, base_url: base_url.to_owned(), model: model.to_owned(), price: listed.or(usual) };
    endpoint.check().map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
    let budget = budget(arguments)?;
    if let Some(limit) = budget.filter(|_| endpoint.price.is_none()) {
        return Err(Failure::BadInput(format!(
            "the price of {model} is unknown, so the budget of ${limit:.2} cannot be kept; give it in models.yaml (--models FILE), or lift \
             the limit with --budget inf"
        )));
    }
    let key = key(&endpoint, arguments.key_variable.as_deref())?;
    let is_default = model == DEFAULT_MODEL || model == DEFAULT_AT_ITS_PROVIDER;
    let sees = entry.map_or(is_default, |entry| entry.vision);
    // An entry with nothing but a price takes nothing away from the default evaluator.
    let effort = entry.and_then(|entry| entry.reasoning_effort.as_deref());
    let thinks = effort.map_or(is_default, |effort| effort != NO_EFFORT);
    Ok(Asked { endpoint, key, sees, thinks })
}

/// The default model where it could be asked: through OpenRouter or at its own provider, wherever there is a key.
pub fn default_at_hand(arguments: &AskArguments) -> Option<&'static str> {
    let named: &[&'static str] = match arguments.base_url.as_deref() {
        None => &[DEFAULT_MODEL, DEFAULT_AT_ITS_PROVIDER],
        Some(base_url) if base_url.starts_with(ANTHROPIC) => &[DEFAULT_AT_ITS_PROVIDER],
        Some(_) => &[DEFAULT_MODEL],
    };
    named.iter().copied().find(|model| find(model, arguments).is_ok())
}

/// The model that is asked when nobody names one.
pub fn default(arguments: &AskArguments) -> &'static str {
    default_at_hand(arguments).unwrap_or(DEFAULT_MODEL)
}

fn key(endpoint: &Endpoint, variable: Option<&str>) -> Result<ApiKey, Failure> {
    let host = url::Url::parse(&endpoint.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let usual = match host.as_deref() {
        Some("openrouter.ai") => Some("OPENROUTER_API_KEY"),
        Some("api.openai.com") => Some("OPENAI_API_KEY"),
        Some("api.anthropic.com") => Some("ANTHROPIC_API_KEY"),
        _ if endpoint.is_on_this_machine() => Some(""),
        _ => None,
    };
    let base_url = &endpoint.base_url;
    let variable = variable.or(usual).ok_or_else(|| {
        Failure::BadInput(format!(
            "say which environment variable holds the key for {base_url}, with --key-variable NAME"
        ))
    })?;
    // A model on the user's own machine takes no key; providers that want one say so.
    let key = if variable.is_empty() { ApiKey::new("none") } else { environment::key(variable) };
    key.ok_or_else(|| Failure::BadInput(format!("{variable} holds no key for {base_url}; set it and try again")))
}

/// Dollars that may be spent; no limit when absent.
pub fn budget(arguments: &AskArguments) -> Result<Option<f64>, Failure> {
    match arguments.budget {
        None => Ok(Some(DEFAULT_BUDGET_USD)),
        Some(limit) if limit == f64::INFINITY => Ok(None),
        Some(limit) if limit > 0.0 => Ok(Some(limit)),
        Some(limit) => {
            Err(Failure::BadInput(format!("--budget {limit} is not a sum in dollars above 0; `inf` lifts the limit")))
        }
    }
}

/// A client that keeps the budget. `attempt` is how long one answer may take.
pub fn client(arguments: &AskArguments, attempt: Duration) -> Result<Client, Failure> {
    let whole = attempt.saturating_mul(4).max(Duration::from_mins(40));
    Ok(Client::new(Settings {
        budget_usd: budget(arguments)?,
        cache: environment::answers_folder(),
        retry: Retry::patient(),
        limits: Limits { attempt, whole, ..Limits::default() },
        ..Settings::default()
    }))
}

/// What models.yaml says of a model under test, for its runs; nothing without the file or without an entry.
pub fn described(model: &str, arguments: &AskArguments) -> Result<Option<Model>, Failure> {
    let known = arguments.models.as_deref().map(read).transpose()?;
    Ok(known.and_then(|models| models.get(model).map(Model::without_address)))
}

/// Reads models.yaml.
pub fn read(file: &Path) -> Result<Models, Failure> {
    let name = file.display();
    let models: Models = yaml::read(&read_text(file)?, MAX_NODES).map_err(|refusal| {
        Failure::BadInput(format!("{name}:{}:{}: {}", refusal.line, refusal.column, refusal.problem))
    })?;
    models.check().map_err(|error| Failure::BadInput(format!("{name}: failed to {error}")))?;
    Ok(models)
}

/// A question that got no answer, as a failure: too dear and unreachable are for the user to mend.
pub fn unanswered(error: &LlmError) -> Failure {
    let text = format!("failed to {error}");
    match error {
        LlmError::Address { .. } | LlmError::Refused { .. } | LlmError::PriceUnknown { .. } => Failure::BadInput(text),
        _ => Failure::Environment(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests::text_of;

    fn at(base_url: &str) -> AskArguments {
        AskArguments { base_url: Some(base_url.to_owned()), ..AskArguments::default() }
    }

    #[test]
    fn a_budget_without_a_price_is_refused() {
        let here = at("http://127.0.0.1:1/v1");
        assert!(text_of(find("m", &here)).contains("the price of m is unknown"));
        let unlimited = AskArguments { budget: Some(f64::INFINITY), ..here.clone() };
        assert_eq!(find("m", &unlimited).unwrap().endpoint.price, None);
        assert!(text_of(find("m", &AskArguments { budget: Some(-1.0), ..here })).contains("above 0"));
    }

    #[test]
    fn a_price_in_models_yaml_keeps_the_budget() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("models.yaml");
        let entry = "{ id: m, provider: p, endpoint: 'http://127.0.0.1:1/v1', vision: true, open_weights: true, \
                     price: { input: 1, output: 2, date: 2026-11-17 } }";
        std::fs::write(&file, format!("format: 1\nmodels: [{entry}]\n")).unwrap();
        let asked = find("m", &AskArguments { models: Some(file.clone()), ..AskArguments::default() }).unwrap();
        assert_eq!(asked.endpoint.base_url, "http://127.0.0.1:1/v1");
        assert_eq!(asked.endpoint.price.map(|price| (price.input, price.output)), Some((1.0, 2.0)));
        std::fs::write(&file, "format: 1\nmodels: [{ id: m }]\n").unwrap();
        assert!(text_of(read(&file)).contains("models.yaml:2:"));
    }

    #[test]
    fn the_default_evaluator_thinks_unless_its_entry_says_that_it_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("models.yaml");
        let thinks = |model: &str, effort: &str| {
            let entry = format!(
                "{{ id: {model}, provider: p, vision: true, open_weights: false, \
                 price: {{ input: 3, output: 15, date: 2026-11-17 }}{effort} }}"
            );
            std::fs::write(&file, format!("format: 1\nmodels: [{entry}]\n")).unwrap();
            let asked = AskArguments { models: Some(file.clone()), ..at("http://127.0.0.1:1/v1") };
            find(model, &asked).unwrap().thinks
        };
        for default in [DEFAULT_MODEL, DEFAULT_AT_ITS_PROVIDER] {
            assert!(thinks(default, "") && thinks(default, ", reasoning_effort: low"));
            assert!(!thinks(default, ", reasoning_effort: none"));
        }
        assert!(thinks("m", ", reasoning_effort: high"));
        assert!(!thinks("m", "") && !thinks("m", ", reasoning_effort: none"));
    }

    #[test]
    fn a_key_never_goes_where_nobody_sent_it() {
        let elsewhere = AskArguments { budget: Some(f64::INFINITY), ..at("https://llm.example/v1") };
        assert!(text_of(find("m", &elsewhere)).contains("--key-variable"));
        let missing = AskArguments { key_variable: Some("BENCHWRIGHT_NO_SUCH_KEY".to_owned()), ..elsewhere };
        assert!(text_of(find("m", &missing)).contains("BENCHWRIGHT_NO_SUCH_KEY holds no key"));
    }
}
