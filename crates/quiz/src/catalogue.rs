//! The models a visitor can choose, as data: `models.json` beside this crate's sources.

use crate::prompt::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const MODELS: &str = include_str!("../models.json");

/// Which engine runs a model in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrowserEngine {
    /// WebLLM, on the graphics processor. Its weights come from the listed hosts.
    Webllm,
    /// llama.cpp as WebAssembly. Its weights come from this site.
    Wllama,
}

impl BrowserEngine {
    /// As it is written in files.
    pub fn as_str(self) -> &'static str {
        ["webllm", "wllama"][self as usize]
    }
}

/// A published accuracy, for a dashed line beside results on the same source. It is drawn only with a source that somebody read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// As a share.
    pub accuracy: f64,
    /// How it was measured.
    pub protocol: String,
    /// Where it was published.
    pub source_url: String,
}

/// A model of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogueModel {
    /// What it is called in submissions; for WebLLM the package's own id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What runs it.
    pub engine: BrowserEngine,
    /// How its weights are stored.
    pub quantisation: String,
    /// Bytes of its file, where it is one file.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// How many parameters it has, as its maker's own configuration counts them. What a download weighs is estimated from it.
    #[serde(default)]
    pub parameters: Option<u64>,
    /// The memory it needs, as the engine's own list says or as it was measured.
    pub memory_mb: u32,
    /// Whether WebLLM's own list counts it among the models for adapters that allow only small buffers.
    #[serde(default)]
    pub small_buffers: bool,
    /// Its licence, where we know it.
    #[serde(default)]
    pub licence: Option<String>,
    /// Where its weights come from; absent where they come from this site.
    #[serde(default)]
    pub source_url: Option<String>,
    /// The name of its file among the weights of this site.
    #[serde(default)]
    pub file: Option<String>,
    /// The hash of that file.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Whether its template opens a block of thinking unless it is told not to, as the protocol does.
    pub thinking: bool,
    /// Whether its template knows no system turn.
    pub system_in_user: bool,
    /// What else to know before it is chosen.
    #[serde(default)]
    pub note: Option<String>,
    /// A published accuracy.
    #[serde(default)]
    pub baseline: Option<Baseline>,
}

impl CatalogueModel {
    /// What its template needs. Thinking is off in every protocol; a run with it on says so itself.
    pub fn template(&self) -> Template {
        Template { system_in_user: self.system_in_user, thinking: false }
    }

    /// What its download weighs, as far as that follows from its parameters: thirty-two weights of four bits share a scale of sixteen or
    /// thirty-two. Tokenizer and library are a few megabytes beside it.
    pub fn estimated_bytes(&self) -> Option<u64> {
        let sixteenths_each = match self.quantisation.as_str() {
            "q4f16_1" => 9,
            "q4f32_1" => 10,
            "q0f16" => 32,
            "q0f32" => 64,
            _ => return None,
        };
        Some(self.parameters? * sixteenths_each / 16)
    }
}

/// The models that are offered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Format version.
    pub format: u32,
    /// Where a browser may have to connect to for weights that this site does not serve.
    pub hosts: Vec<String>,
    /// The models, smallest first within each engine.
    pub models: Vec<CatalogueModel>,
}

impl Catalogue {
    /// The catalogue of this version.
    pub fn shipped() -> Result<Self, String> {
        serde_json::from_str(MODELS).map_err(|error| format!("read models.json: {error}"))
    }

    /// A model by its id.
    pub fn model(&self, id: &str) -> Option<&CatalogueModel> {
        self.models.iter().find(|model| model.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_catalogue_can_be_read_and_every_model_has_weights_somewhere() {
        let catalogue = Catalogue::shipped().unwrap();
        let ids: BTreeSet<&str> = catalogue.models.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(ids.len(), catalogue.models.len());
        for model in &catalogue.models {
            let is_ours = model.engine == BrowserEngine::Wllama;
            assert_eq!((is_ours, !is_ours), (model.file.is_some(), model.source_url.is_some()), "{}", model.id);
        }
    }

    #[test]
    fn weights_from_elsewhere_come_from_listed_hosts_only() {
        let catalogue = Catalogue::shipped().unwrap();
        for url in catalogue.models.iter().filter_map(|model| model.source_url.as_deref()) {
            assert!(catalogue.hosts.iter().any(|host| url.starts_with(&format!("{host}/"))), "{url}");
        }
        assert!(catalogue.hosts.iter().all(|host| host.starts_with("https://")));
    }

    #[test]
    fn what_a_download_weighs_is_known_estimated_or_said_to_be_unknown() {
        let catalogue = Catalogue::shipped().unwrap();
        let megabytes = |id: &str| catalogue.model(id).unwrap().estimated_bytes().unwrap() / 1_000_000;
        // As they were measured elsewhere, tokenizer included: 672 and 1,733 MiB.
        assert_eq!(megabytes("Llama-3.2-1B-Instruct-q4f16_1-MLC"), 695);
        assert_eq!(megabytes("Llama-3.2-3B-Instruct-q4f16_1-MLC"), 1_807);
        assert_eq!(megabytes("SmolLM2-135M-Instruct-q0f32-MLC"), 538);
        let unknown = catalogue.models.iter().filter(|model| model.bytes.or(model.estimated_bytes()).is_none());
        assert!(unknown.clone().all(|model| model.name == "Qwen3.5 0.8B"), "{:?}", unknown.collect::<Vec<_>>());
    }

    #[test]
    fn weights_fit_into_the_memory_that_a_model_needs() {
        for model in Catalogue::shipped().unwrap().models {
            let weights = model.bytes.or(model.estimated_bytes()).unwrap_or_default();
            assert!(weights < u64::from(model.memory_mb) << 20, "{}: {weights} bytes", model.id);
        }
    }

    #[test]
    fn no_baseline_is_printed_from_memory() {
        assert!(Catalogue::shipped().unwrap().models.iter().all(|model| model.baseline.is_none()));
    }
}
