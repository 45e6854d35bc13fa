//! How the sixteen models were asked.

use benchwright_domain::vibe::model::{MODELS_FORMAT, Model, Models};
use std::collections::BTreeSet;

/// Id, provider, temperature, top-p, reasoning effort, vision, open weights. What is absent is not sent.
type Asked = (&'static str, &'static str, Option<f64>, Option<f64>, Option<&'static str>, bool, bool);

#[rustfmt::skip]
const ASKED: [Asked; 16] = [
    ("gpt-5.3-codex-api-preview", "openai", None, None, Some("xhigh"), true, false),
    ("claude-opus-4-6", "anthropic", Some(1.0), Some(1.0), None, true, false),
    ("gpt-5.2", "openai", None, Some(1.0), Some("xhigh"), true, false),
    ("claude-sonnet-4-6", "anthropic", Some(1.0), Some(1.0), None, true, false),
    ("claude-opus-4-6-thinking", "anthropic", Some(1.0), None, None, true, false),
    ("gpt-5.2-codex", "openai", None, Some(1.0), Some("high"), true, false),
    ("gemini-3.1-pro-preview", "google", Some(1.0), Some(1.0), Some("high"), true, false),
    ("glm-5", "zai", Some(1.0), Some(0.95), None, false, true),
    ("gemini-3-flash-preview", "google", Some(1.0), None, Some("high"), true, false),
    ("qwen3.5-plus-thinking", "alibaba", Some(0.6), None, None, true, true),
    ("kimi-k2.5-thinking", "kimi", Some(1.0), Some(0.95), None, true, true),
    ("MiniMax-M2.5", "minimax", Some(1.0), Some(0.95), None, false, true),
    ("gpt-5-mini-2025-08-07", "openai", None, None, Some("high"), true, false),
    ("claude-haiku-4-5-20251001-thinking", "anthropic", Some(1.0), Some(1.0), None, true, false),
    ("deepseek-v3p2-thinking", "deepseek", Some(1.0), None, Some("high"), false, true),
    ("grok-4-1-fast-reasoning", "xai", Some(0.7), Some(0.95), None, true, false),
];

#[test]
fn sixteen_models_of_nine_providers() {
    let entry = |(id, provider, temperature, top_p, effort, vision, open_weights): Asked| Model {
        id: id.to_owned(),
        name: None,
        provider: provider.to_owned(),
        endpoint: None,
        temperature,
        top_p,
        reasoning_effort: effort.map(str::to_owned),
        vision,
        open_weights,
        price: None,
    };
    let models = Models { format: MODELS_FORMAT, models: ASKED.into_iter().map(entry).collect() };
    assert_eq!(models.check(), Ok(()));
    let providers: BTreeSet<&str> = models.models.iter().map(|model| model.provider.as_str()).collect();
    assert_eq!((models.models.len(), providers.len()), (16, 9));
    let blind: Vec<&str> = models.models.iter().filter(|model| !model.vision).map(|model| model.id.as_str()).collect();
    assert_eq!(blind, ["glm-5", "MiniMax-M2.5", "deepseek-v3p2-thinking"]);
    assert_eq!(models.models.iter().filter(|model| model.open_weights).count(), 5);
    let read: Models = serde_json::from_str(&serde_json::to_string(&models).unwrap()).unwrap();
    assert_eq!(read, models);
    // None of them has a price here, so none can be run under a budget.
    assert!(models.models.iter().all(|model| models.under_budget(&model.id, 100.0).is_err()));
}
