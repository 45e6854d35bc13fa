//! Who judges: the command line over the `[[judge]]` tables over the default.

use crate::args::JudgeArguments;
use crate::exit::Failure;
use benchwright_llm::{Dialect, Endpoint};
use benchwright_scoring::request::{Judge, Judging, OPEN_ROUTER, Provider};
use serde::Deserialize;

const MOST_JUDGES: usize = 3;

/// What the settings file says of judges.
#[derive(Debug, Default)]
pub struct JudgeSettings {
    /// The `[[judge]]` tables.
    pub tables: Vec<JudgeTable>,
    /// `judge-budget`.
    pub budget: Option<f64>,
    /// `judge-cache`.
    pub cache: Option<bool>,
    /// `judge-repeat`.
    pub repeat: Option<u32>,
    /// `no-judges`.
    pub nobody: bool,
}

/// One `[[judge]]` table. There is no place for a key: it would be read by everybody who reads the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct JudgeTable {
    model: String,
    provider: Option<Provider>,
    base_url: Option<String>,
    key_variable: Option<String>,
    input_price: Option<f64>,
    output_price: Option<f64>,
}

/// Decides who judges and what they may cost.
pub fn judging(arguments: &JudgeArguments, file: &JudgeSettings) -> Result<Judging, Failure> {
    if arguments.no_judges || (file.nobody && arguments.judges.is_empty()) {
        return Ok(Judging::nobody());
    }
    let usual = Judging::default();
    let judges = if arguments.judges.is_empty() {
        file.tables.iter().map(judge).collect::<Result<Vec<_>, _>>()?
    } else {
        arguments.judges.iter().map(|model| named(model, &file.tables)).collect::<Result<Vec<_>, _>>()?
    };
    let judging = Judging {
        judges: if judges.is_empty() { usual.judges } else { judges },
        budget_usd: budget(arguments.judge_budget.or(file.budget), usual.budget_usd)?,
        repeat: file.repeat.unwrap_or(usual.repeat),
        cache: file.cache.unwrap_or(usual.cache),
        seed: usual.seed,
        missing_keys: Vec::new(),
    };
    check(&judging)?;
    Ok(judging)
}

fn named(model: &str, tables: &[JudgeTable]) -> Result<Judge, Failure> {
    match tables.iter().find(|table| table.model == model) {
        Some(table) => judge(table),
        None => Ok(Judge::on_open_router(model)),
    }
}

fn judge(table: &JudgeTable) -> Result<Judge, Failure> {
    let provider = table.provider.unwrap_or_default();
    let usual_base = match provider {
        Provider::OpenaiCompatible => OPEN_ROUTER,
        Provider::Anthropic => "https://api.anthropic.com/v1",
    };
    let base_url = table.base_url.clone().unwrap_or_else(|| usual_base.to_owned());
    let usual = Judge::on_open_router(&table.model);
    let same_place = base_url == OPEN_ROUTER;
    Ok(Judge {
        key_variable: match &table.key_variable {
            Some(name) => name.clone(),
            None => usual_variable(&table.model, provider, &base_url)?.to_owned(),
        },
        input_price: table.input_price.or(usual.input_price.filter(|_| same_place)),
        output_price: table.output_price.or(usual.output_price.filter(|_| same_place)),
        model: table.model.clone(),
        provider,
        base_url,
    })
}

/// The variable a key is usually kept in. A model on this machine needs none.
fn usual_variable(model: &str, provider: Provider, base_url: &str) -> Result<&'static str, Failure> {
    let host = url::Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    match (provider, host.as_str()) {
        (_, "localhost" | "127.0.0.1" | "[::1]") => Ok(""),
        (_, "openrouter.ai") => Ok("OPENROUTER_API_KEY"),
        (_, "api.openai.com") => Ok("OPENAI_API_KEY"),
        (Provider::Anthropic, _) => Ok("ANTHROPIC_API_KEY"),
        _ => Err(Failure::BadInput(format!(
            "[[judge]] \"{model}\": say which environment variable holds the key for {base_url}, as key-variable = \"NAME\""
        ))),
    }
}

fn budget(given: Option<f64>, usual: Option<f64>) -> Result<Option<f64>, Failure> {
    match given {
        None => Ok(usual),
        Some(limit) if limit == f64::INFINITY => Ok(None),
        Some(limit) if limit > 0.0 => Ok(Some(limit)),
        Some(limit) => Err(Failure::BadInput(format!(
            "--judge-budget {limit} is not a sum in dollars above 0; `inf` lifts the limit, --no-judges asks nobody"
        ))),
    }
}

fn check(judging: &Judging) -> Result<(), Failure> {
    let judges = &judging.judges;
    if judges.len() > MOST_JUDGES {
        return Err(Failure::BadInput(format!(
            "{} judges were named; two judge and a third decides between them, so {MOST_JUDGES} are the most",
            judges.len()
        )));
    }
    for (number, judge) in judges.iter().enumerate() {
        let model = &judge.model;
        if judges[..number].iter().any(|other| other.model == *model && other.base_url == judge.base_url) {
            return Err(Failure::BadInput(format!(
                "the judge \"{model}\" was named twice; a second opinion needs another model"
            )));
        }
        if let Some(kin) = judges[..number].iter().find(|other| other.family() == judge.family()) {
            return Err(Failure::BadInput(format!(
                "the judges \"{}\" and \"{model}\" are of one family ({}) and share its taste; name one of another family",
                kin.model,
                judge.family()
            )));
        }
        let priced = judge.input_price.is_some() == judge.output_price.is_some();
        let sane = [judge.input_price, judge.output_price]
            .into_iter()
            .flatten()
            .all(|price| price.is_finite() && price >= 0.0);
        if !priced || !sane {
            return Err(Failure::BadInput(format!(
                "[[judge]] \"{model}\": input-price and output-price belong together and are dollars per million tokens"
            )));
        }
        let dialect = match judge.provider {
            Provider::OpenaiCompatible => Dialect::OpenAi,
            Provider::Anthropic => Dialect::Anthropic,
        };
        let endpoint = Endpoint { dialect, base_url: judge.base_url.clone(), model: model.clone(), price: None };
        endpoint.check().map_err(|error| Failure::BadInput(format!("[[judge]] \"{model}\": failed to {error}")))?;
    }
    let Some(judge) = judging.without_price() else { return Ok(()) };
    Err(Failure::BadInput(format!(
        "the price of the judge \"{0}\" is unknown, so the budget of ${1:.2} cannot be kept; say what it costs per million tokens in \
         benchwright.toml:\n\n  [[judge]]\n  model = \"{0}\"\n  input-price = 1.25\n  output-price = 10.0\n\nor lift the limit with \
         --judge-budget inf",
        judge.model,
        judging.budget_usd.unwrap_or_default()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(judges: &[&str]) -> JudgeArguments {
        JudgeArguments { judges: judges.iter().map(|model| (*model).to_owned()).collect(), ..JudgeArguments::default() }
    }

    fn file(text: &str) -> JudgeSettings {
        #[derive(Deserialize)]
        struct Tables {
            judge: Vec<JudgeTable>,
        }
        JudgeSettings { tables: toml::from_str::<Tables>(text).unwrap().judge, ..JudgeSettings::default() }
    }

    fn refusal(result: Result<Judging, Failure>) -> String {
        match result {
            Err(Failure::BadInput(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_a_word_the_published_judge_is_asked_within_a_dollar() {
        let judging = judging(&arguments(&[]), &JudgeSettings::default()).unwrap();
        assert_eq!(judging, Judging::default());
        assert_eq!((judging.judges[0].model.as_str(), judging.budget_usd), ("google/gemini-2.5-pro", Some(1.0)));
    }

    #[test]
    fn tables_name_providers_prices_and_the_variables_keys_come_from() {
        let file = file(
            "[[judge]]\nmodel = \"claude-x\"\nprovider = \"anthropic\"\ninput-price = 3\noutput-price = 15\n\
             [[judge]]\nmodel = \"qwen\"\nbase-url = \"http://127.0.0.1:11434/v1\"\ninput-price = 0\noutput-price = 0\n",
        );
        let judging = judging(&arguments(&[]), &file).unwrap();
        assert_eq!(judging.judges[0].base_url, "https://api.anthropic.com/v1");
        assert_eq!(judging.judges[0].key_variable, "ANTHROPIC_API_KEY");
        assert_eq!((judging.judges[1].key_variable.as_str(), judging.judges[1].input_price), ("", Some(0.0)));
    }

    #[test]
    fn a_named_judge_takes_its_table_along() {
        let file = file("[[judge]]\nmodel = \"a/b\"\ninput-price = 1\noutput-price = 2\n");
        let judging = judging(&arguments(&["a/b"]), &file).unwrap();
        assert_eq!((judging.judges.len(), judging.judges[0].output_price), (1, Some(2.0)));
    }

    #[test]
    fn a_budget_without_a_price_is_refused_at_the_start_and_says_how_to_give_one() {
        let text = refusal(judging(&arguments(&["acme/unheard-of"]), &JudgeSettings::default()));
        assert!(text.contains("input-price = 1.25") && text.contains("--judge-budget inf"), "{text}");
        let unlimited = JudgeArguments { judge_budget: Some(f64::INFINITY), ..arguments(&["acme/unheard-of"]) };
        assert_eq!(judging(&unlimited, &JudgeSettings::default()).unwrap().budget_usd, None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let none = JudgeSettings::default();
        let broke = JudgeArguments { judge_budget: Some(-1.0), ..arguments(&[]) };
        assert!(refusal(judging(&broke, &none)).contains("above 0"));
        let twice = arguments(&["google/gemini-2.5-pro", "google/gemini-2.5-pro"]);
        assert!(refusal(judging(&twice, &none)).contains("named twice"));
        let table = |more: &str| file(&format!("[[judge]]\nmodel = \"m\"\n{more}\n"));
        assert!(refusal(judging(&arguments(&[]), &table("input-price = 1"))).contains("belong together"));
        let elsewhere = "base-url = \"https://llm.example/v1\"\ninput-price = 1\noutput-price = 1";
        assert!(refusal(judging(&arguments(&[]), &table(elsewhere))).contains("key-variable"));
        let clear = "base-url = \"http://llm.example/v1\"\nkey-variable = \"K\"\ninput-price = 1\noutput-price = 1";
        assert!(refusal(judging(&arguments(&[]), &table(clear))).contains("use https"));
        assert!(refusal(judging(&arguments(&["a", "b", "c", "d"]), &none)).contains("3 are the most"));
    }

    #[test]
    fn nobody_judges_when_nobody_is_wanted() {
        let off = JudgeArguments { no_judges: true, ..arguments(&[]) };
        assert!(judging(&off, &JudgeSettings::default()).unwrap().judges.is_empty());
        let file = JudgeSettings { nobody: true, ..JudgeSettings::default() };
        assert!(judging(&arguments(&[]), &file).unwrap().judges.is_empty());
        assert_eq!(judging(&arguments(&["google/gemini-2.5-pro"]), &file).unwrap().judges.len(), 1);
    }
}
