use crate::budget::Price;
use crate::error::LlmError;
use reqwest::Url;

/// More than providers count for a picture whose long side has 1280 pixels: 4,096 and a frame by patches of 16 pixels, 3,779 by
/// OpenAI's patches at their dearest, under 2,300 with others.
const TOKENS_PER_IMAGE: u64 = 5_000;
/// Six tiles of 5,667 tokens and 2,833 besides: this model costs as much per picture as its larger sibling, and so counts many more tokens.
const TOKENS_PER_IMAGE_OF_GPT_4O_MINI: u64 = 36_835;

/// How a provider wants to be spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Chat completions, as OpenAI defined them and OpenRouter, local servers and most others speak them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// A model, where it is, and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// How to speak to it.
    pub dialect: Dialect,
    /// Up to and including the version: `https://openrouter.ai/api/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// What it costs, if anybody said.
    pub price: Option<Price>,
}

impl Endpoint {
    /// Says what is wrong with the address, before anything is asked.
    pub fn check(&self) -> Result<(), LlmError> {
        self.address().map(drop)
    }

    /// The same for a model that is asked without a key, as servers in a local network are.
    pub fn check_without_key(&self) -> Result<(), LlmError> {
        self.address_for(false).map(drop)
    }

    /// Whether it is on this machine, where no key is needed.
    pub fn is_on_this_machine(&self) -> bool {
        Url::parse(&self.base_url).is_ok_and(|url| is_loopback(&url))
    }

    /// Where requests go.
    pub(crate) fn address(&self) -> Result<Url, LlmError> {
        self.address_for(true)
    }

    /// Where requests go, with a key or without.
    pub(crate) fn address_for(&self, has_key: bool) -> Result<Url, LlmError> {
        let wrong = |why: &str| LlmError::Address { base_url: shown(&self.base_url), why: why.to_owned() };
        let path = match self.dialect {
            Dialect::OpenAi => "chat/completions",
            Dialect::Anthropic => "messages",
        };
        let url = Url::parse(&format!("{}/{path}", self.base_url.trim_end_matches('/')))
            .map_err(|error| wrong(&error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it holds a user or password; keys come from the environment"));
        }
        // A key must not cross a network in the clear.
        match url.scheme() {
            "https" => Ok(url),
            "http" if !has_key || is_loopback(&url) => Ok(url),
            "http" => Err(wrong("plain http would show the key to the network; use https")),
            _ => Err(wrong("only https, or http where no key goes along or on this machine, can be used")),
        }
    }

    /// OpenRouter says what a call cost and limits thinking, if asked; others refuse fields they do not know.
    pub(crate) fn is_open_router(&self) -> bool {
        Url::parse(&self.base_url)
            .ok()
            .and_then(|url| url.host_str().map(|host| host == "openrouter.ai" || host.ends_with(".openrouter.ai")))
            .unwrap_or(false)
    }

    /// The most tokens it counts for a picture as we send them.
    pub(crate) fn tokens_per_image(&self) -> u64 {
        if self.model.contains("gpt-4o-mini") { TOKENS_PER_IMAGE_OF_GPT_4O_MINI } else { TOKENS_PER_IMAGE }
    }

    /// What the most tokens are called. OpenAI's own endpoint has renamed a field that everybody else kept.
    pub(crate) fn name_of_limit(&self) -> &'static str {
        let is_open_ai = Url::parse(&self.base_url).ok().is_some_and(|url| url.host_str() == Some("api.openai.com"));
        if is_open_ai { "max_completion_tokens" } else { "max_tokens" }
    }
}

/// Whether an address stays on this machine.
fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address fit for a message: without what stands before an `@`.
fn shown(base_url: &str) -> String {
    match (base_url.split_once("://"), base_url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://***@{rest}"),
        _ => base_url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str, dialect: Dialect) -> Endpoint {
        Endpoint { dialect, base_url: base_url.to_owned(), model: "m".to_owned(), price: None }
    }

    #[test]
    fn both_dialects_have_their_path_and_a_final_slash_does_not_matter() {
        let chat = endpoint("https://openrouter.ai/api/v1/", Dialect::OpenAi).address().unwrap();
        assert_eq!(chat.as_str(), "https://openrouter.ai/api/v1/chat/completions");
        let messages = endpoint("https://api.anthropic.com/v1", Dialect::Anthropic).address().unwrap();
        assert_eq!(messages.as_str(), "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn a_key_never_travels_in_the_clear_beyond_this_machine() {
        for good in ["http://127.0.0.1:8080/v1", "http://[::1]:1/v1", "http://localhost:11434/v1"] {
            assert!(endpoint(good, Dialect::OpenAi).address().is_ok(), "{good}");
        }
        for bad in ["http://llm.example/v1", "ftp://x/v1", "nonsense", "http://localhost.evil.example/v1"] {
            assert!(endpoint(bad, Dialect::OpenAi).address().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_model_in_the_local_network_that_needs_no_key_was_refused_for_the_sake_of_one() {
        let of = |base_url: &str| endpoint(base_url, Dialect::OpenAi);
        for good in ["http://192.168.1.20:11434/v1", "http://llm.example/v1", "https://llm.example/v1"] {
            assert_eq!(of(good).check_without_key(), Ok(()), "{good}");
        }
        assert!(of("http://192.168.1.20:11434/v1").check().is_err(), "with a key");
        for bad in ["ftp://192.168.1.20/v1", "http://me:s3cret@192.168.1.20/v1"] {
            assert!(of(bad).check_without_key().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_password_in_the_address_is_refused_without_being_shown() {
        let error = endpoint("https://me:s3cret@llm.example/v1", Dialect::OpenAi).address().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    }

    #[test]
    fn only_open_router_gets_what_only_it_understands() {
        assert!(endpoint("https://openrouter.ai/api/v1", Dialect::OpenAi).is_open_router());
        assert!(!endpoint("https://openrouter.ai.evil.example/v1", Dialect::OpenAi).is_open_router());
    }

    #[test]
    fn a_picture_is_reserved_at_what_the_dearest_models_count_for_it() {
        let of = |model: &str| Endpoint { model: model.to_owned(), ..endpoint("https://x/v1", Dialect::OpenAi) };
        assert!(of("gpt-5-nano").tokens_per_image() > (1_536.0_f64 * 2.46).ceil() as u64);
        assert!(of("mistralai/pixtral-12b").tokens_per_image() > 1_024 * 1_024 / (16 * 16));
        assert_eq!(of("openai/gpt-4o-mini-2024-07-18").tokens_per_image(), 2_833 + 6 * 5_667);
    }
}
