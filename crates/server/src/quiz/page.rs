//! The page that runs models in the visitor's browser. It alone may do more than the other pages: compile WebAssembly, start workers, and
//! connect to the hosts of a model's weights once the visitor has chosen such a model.

use super::{isolated, view};
use crate::encoding::Encoded;
use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use benchwright_quiz::{
    BrowserEngine, Catalogue, CatalogueModel, MAX_TOKENS, QUICK_COUNTS, SYSTEM_TEXT, TEMPERATURE, predicted_half_width,
};
use benchwright_report::{number, text};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    /// WebLLM once the visitor has chosen a model whose weights come from elsewhere.
    engine: Option<BrowserEngine>,
}

#[derive(Template)]
#[template(path = "quiz/run.html")]
struct Page {
    shell: Shell,
    style: String,
    /// Where the page's files are; absent before `cargo xtask setup` made them.
    bundle: Option<Files>,
    source: Option<&'static str>,
    sets: Vec<SetLine>,
    draws: Vec<(usize, String)>,
    models: Vec<ModelLine>,
    system_text: &'static str,
    temperature: f64,
    max_tokens: u32,
}

struct Files {
    script: String,
}

struct SetLine {
    id: String,
    questions: usize,
    width: String,
    sha256: String,
    is_default: bool,
}

struct ModelLine {
    id: String,
    name: String,
    engine: &'static str,
    quantisation: String,
    size: String,
    memory: String,
    licence: String,
    note: String,
    runs: u64,
    is_here: bool,
    is_elsewhere: bool,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let mut response = kept(&site, &headers, "/quiz".to_owned(), make(&site)).await?;
    let reaches_out = asked.engine == Some(BrowserEngine::Webllm);
    let policy = HeaderValue::try_from(policy(&site.quiz.catalogue, reaches_out));
    let policy = policy.map_err(|error| Problem::Failed(format!("failed to write the policy: {error}")))?;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    isolated(&mut response);
    Ok(response)
}

/// What the page may do.
fn policy(catalogue: &Catalogue, reaches_out: bool) -> String {
    let hosts = if reaches_out { format!(" {}", catalogue.hosts.join(" ")) } else { String::new() };
    format!(
        "default-src 'none'; style-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; img-src 'self'; \
         connect-src 'self'{hosts}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// How many runs count or are shown, by the id of the model.
pub async fn runs_of_models(site: &Site) -> Result<BTreeMap<String, u64>, Problem> {
    let mut runs = BTreeMap::new();
    for pool in site.index.pools().await?.into_iter().filter(|pool| !pool.key.custom) {
        *runs.entry(pool.key.model).or_default() += pool.runs + pool.others;
    }
    Ok(runs)
}

fn download_size(model: &CatalogueModel) -> String {
    match (model.bytes, model.estimated_bytes()) {
        (Some(bytes), _) => number::bytes(bytes as f64),
        (None, Some(bytes)) => format!("about {}, estimated", number::bytes(bytes as f64)),
        (None, None) => "not known to us".to_owned(),
    }
}

async fn make(site: &Site) -> Result<Encoded, Problem> {
    let runs = runs_of_models(site).await?;
    let library = &site.quiz.library;
    let default = library.default_set();
    let width = |n: usize| {
        predicted_half_width(n as u64)
            .map_or_else(String::new, |half| format!("about ±{:.0} points", 100.0 * number::finite(half)))
    };
    let set = |set: &benchwright_quiz::QuestionSet| SetLine {
        id: set.id.clone(),
        questions: set.question_ids.len(),
        width: width(set.question_ids.len()),
        sha256: set.sha256.clone(),
        is_default: default.is_some_and(|default| default.id == set.id),
    };
    let model = |model: &CatalogueModel| ModelLine {
        id: model.id.clone(),
        name: model.name.clone(),
        engine: match model.engine {
            BrowserEngine::Webllm => "WebLLM on WebGPU",
            BrowserEngine::Wllama => "llama.cpp as WebAssembly",
        },
        quantisation: model.quantisation.clone(),
        size: download_size(model),
        memory: format!("{} MB", model.memory_mb),
        licence: model.licence.clone().unwrap_or_else(|| "see its own page".to_owned()),
        note: model.note.as_deref().map(|note| text::line_within(note, 200)).unwrap_or_default(),
        runs: runs.get(&model.id).copied().unwrap_or_default(),
        is_here: is_here(site, model),
        is_elsewhere: model.source_url.is_some(),
    };
    html(&Page {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        bundle: site.quiz.bundle.as_ref().map(|bundle| Files { script: bundle.script() }),
        source: library.banks().first().map(|bank| view::source_name(bank.source)),
        sets: library.sets().iter().map(set).collect(),
        draws: QUICK_COUNTS.into_iter().map(|count| (count, width(count))).collect(),
        models: site.quiz.catalogue.models.iter().map(model).collect(),
        system_text: SYSTEM_TEXT,
        temperature: TEMPERATURE,
        max_tokens: MAX_TOKENS,
    })
}

/// Whether this site serves the weights of a model.
pub fn is_here(site: &Site, model: &CatalogueModel) -> bool {
    model.file.as_deref().zip(site.quiz.weights.as_ref()).is_some_and(|(file, weights)| weights.has(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimated_download_is_called_one_and_an_unknown_one_too() {
        let catalogue = Catalogue::shipped().unwrap();
        let size = |id: &str| download_size(catalogue.model(id).unwrap());
        assert_eq!(size("smollm2-135m-instruct-q4_1"), "93.8 MiB");
        assert_eq!(size("Llama-3.2-1B-Instruct-q4f16_1-MLC"), "about 662.9 MiB, estimated");
        assert_eq!(size("Qwen3.5-0.8B-q4f16_1-MLC"), "not known to us");
    }

    #[test]
    fn hosts_are_named_only_when_a_model_comes_from_there() {
        let catalogue = Catalogue { hosts: vec!["https://models.example".to_owned()], ..Catalogue::default() };
        assert!(policy(&catalogue, false).contains("connect-src 'self'; "));
        assert!(policy(&catalogue, true).contains("connect-src 'self' https://models.example; "));
        for reaches_out in [false, true] {
            let policy = policy(&catalogue, reaches_out);
            assert!(!policy.contains("'unsafe-eval'") && !policy.contains("unsafe-inline") && !policy.contains('*'));
        }
    }
}
