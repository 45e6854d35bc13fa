//! A board elsewhere: a ticket before the run, the run afterwards.

use super::banks::Asked;
use crate::exit::Failure;
use benchwright_quiz::{Example, Protocol, Question, QuickDraw, Source, Submission};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

const LIMIT: Duration = Duration::from_mins(1);
const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// Questions of a run: the largest set has 120.
const MOST_QUESTIONS: usize = 1_000;

/// A board.
pub struct Board {
    base: Url,
    http: reqwest::Client,
}

/// What a run is begun with.
#[derive(Debug, Deserialize)]
pub struct Ticket {
    /// To be sent with the run.
    #[serde(rename = "ticket")]
    pub text: String,
    set: Option<String>,
    quick: Option<QuickDraw>,
    order: Vec<String>,
    questions: Vec<Question>,
    examples: BTreeMap<String, Vec<Example>>,
}

/// What a board says of a run it has taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Its id there.
    pub id: String,
    /// Where it can be seen.
    pub address: String,
    /// What became of it: confirmed, unconfirmed or flagged.
    pub state: String,
    /// Why.
    #[serde(default)]
    pub reasons: Vec<Value>,
    /// Removes the run again.
    pub delete_token: String,
}

#[derive(Deserialize)]
struct Catalogue {
    models: Vec<CatalogueModel>,
}

#[derive(Deserialize)]
struct CatalogueModel {
    id: String,
    #[serde(default)]
    sha256: Option<String>,
}

impl Board {
    /// A board at an address.
    pub fn at(address: &str) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::BadInput(format!("cannot share to {address}: {why}"));
        let base = Url::parse(address).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("an address begins with https:// or http:// and holds no password".to_owned()));
        }
        // Whoever installed a provider first wins; it is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(LIMIT)
            .user_agent(concat!("benchwright/", env!("CARGO_PKG_VERSION")));
        let is_plain = base.scheme() == "http";
        let builder = if is_plain { builder.no_proxy().tls_certs_only(Vec::new()) } else { builder };
        let http =
            builder.build().map_err(|error| Failure::Environment(format!("cannot prepare to share: {error}")))?;
        Ok(Self { base, http })
    }

    /// Where it is.
    pub fn address_text(&self) -> String {
        self.base.to_string()
    }

    /// The id a file has in the board's catalogue, if it is one of the board's own.
    pub async fn catalogue_id(&self, file_sha256: &str) -> Result<Option<String>, Failure> {
        let catalogue: Catalogue = self.send(self.http.get(self.address("api/v1/quiz/catalogue")?)).await?;
        let known = catalogue.models.into_iter().find(|model| model.sha256.as_deref() == Some(file_sha256));
        Ok(known.map(|model| model.id))
    }

    /// Begins a run there, with the board's own questions.
    pub async fn ticket(&self, selection: &Value, model: &str, protocol: Protocol) -> Result<Ticket, Failure> {
        let mut body = selection.clone();
        body["model"] = json!(model);
        body["protocol"] = json!(protocol);
        self.send(self.post("api/v1/quiz/tickets", &body)?).await
    }

    /// Shares a run.
    pub async fn share(&self, submission: &Submission) -> Result<Receipt, Failure> {
        let receipt: Receipt = self.send(self.post("api/v1/quiz/runs", submission)?).await?;
        let address = self.base.join(&receipt.address).map_err(|error| self.strange(&error.to_string()))?;
        Ok(Receipt { address: address.to_string(), ..receipt })
    }

    fn address(&self, tail: &str) -> Result<Url, Failure> {
        let mut base = self.base.clone();
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        base.join(tail).map_err(|error| Failure::BadInput(format!("cannot share to {}: {error}", self.base)))
    }

    fn post(&self, tail: &str, body: &impl Serialize) -> Result<reqwest::RequestBuilder, Failure> {
        let bytes = serde_json::to_vec(body).map_err(|error| Failure::Bug(error.to_string()))?;
        Ok(self.http.post(self.address(tail)?).header("content-type", "application/json").body(bytes))
    }

    async fn send<T: DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> Result<T, Failure> {
        let unreachable = |error: reqwest::Error| {
            Failure::BadInput(format!("the board at {} does not answer: {}", self.base, error.without_url()))
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(unreachable)? {
            if bytes.len() + piece.len() > MAX_ANSWER_BYTES {
                return Err(self.strange("it sends more than anybody needs"));
            }
            bytes.extend_from_slice(&piece);
        }
        if !status.is_success() {
            return Err(self.refusal(status.as_u16(), &bytes));
        }
        serde_json::from_slice(&bytes).map_err(|error| self.strange(&error.to_string()))
    }

    fn refusal(&self, status: u16, bytes: &[u8]) -> Failure {
        let said: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let why = said["error"].as_str().unwrap_or("no reason given");
        let why = benchwright_report::text::line_within(why, 300);
        Failure::BadInput(format!("the board at {} refuses ({status}): {why}", self.base))
    }

    fn strange(&self, what: &str) -> Failure {
        Failure::BadInput(format!("the board at {} gives an answer that cannot be used: {what}", self.base))
    }
}

impl Ticket {
    /// The board's questions, in its order. `ours` is our own selection of the same name, where there is one.
    pub fn asked(self, source: Source, ours: Option<Asked>) -> Result<Asked, Failure> {
        let wrong = |what: &str| Failure::BadInput(format!("the board's ticket cannot be used: {what}"));
        if self.order.is_empty() || self.order.len() > MOST_QUESTIONS {
            return Err(wrong("it has no questions, or too many"));
        }
        let find = |id: &String| self.questions.iter().find(|question| question.id == *id).cloned();
        let questions: Option<Vec<Question>> = self.order.iter().map(find).collect();
        let questions = questions.ok_or_else(|| wrong("it names questions it does not have"))?;
        if questions.iter().any(|question| !self.examples.contains_key(&question.subject)) {
            return Err(wrong("examples are missing"));
        }
        // The hash of our set says nothing about theirs unless they are the same.
        let set_sha256 = ours.filter(|ours| ours.questions == questions).and_then(|ours| ours.set_sha256);
        Ok(Asked { set: self.set, quick: self.quick, set_sha256, source, questions, examples: self.examples })
    }
}
