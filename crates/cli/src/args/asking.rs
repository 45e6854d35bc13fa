//! How a language model is asked, whichever command asks it.

use clap::Args;
use std::path::PathBuf;

/// Where models are, and what they may cost.
#[derive(Debug, Clone, Default, Args)]
pub struct AskArguments {
    /// Address of the endpoint, up to and including the version [default: https://openrouter.ai/api/v1].
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Environment variable with its key [default: the usual one of the endpoint; none for this machine].
    #[arg(long, value_name = "NAME")]
    pub key_variable: Option<String>,
    /// models.yaml, where endpoints and prices of models stand.
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,
    /// Dollars that may be spent on models; `inf` lifts the limit [default: 25].
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    pub budget: Option<f64>,
}
