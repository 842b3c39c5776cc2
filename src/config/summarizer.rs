//! Settings of the model that writes summaries.

use std::fmt;
use std::str::FromStr;

use super::positive;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Summaries")]
pub struct SummarizerConfig {
    /// An OpenAI-compatible endpoint that writes summaries, such as `https://api.openai.com/v1`
    ///
    /// Old turns that leave a history go there. Without it, and where it fails, summaries are
    /// quotes from the turns themselves. It may be on a private address, over http too.
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_URL",
        value_name = "URL",
        requires = "summarizer_model"
    )]
    pub summarizer_url: Option<SummarizerUrl>,

    /// The model that the endpoint is asked for
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_MODEL",
        value_name = "NAME",
        requires = "summarizer_url"
    )]
    pub summarizer_model: Option<String>,

    /// The endpoint's key, where it wants one
    ///
    /// Set the variable: what stands on a command line can be read by others.
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_KEY",
        value_name = "SECRET",
        hide_env_values = true,
        requires = "summarizer_url"
    )]
    pub summarizer_key: Option<SummarizerKey>,

    /// Milliseconds that a summary may take, tries included; never more than a request has left
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_TIMEOUT_MS",
        value_name = "MS",
        default_value = "20000",
        value_parser = positive
    )]
    pub summarizer_timeout_ms: u64,

    /// Bytes of a conversation that the model is given at most; the middle of a longer one is left out
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_MAX_INPUT_BYTES",
        value_name = "BYTES",
        default_value = "200000",
        value_parser = positive
    )]
    pub summarizer_max_input_bytes: u64,
}

impl Default for SummarizerConfig {
    fn default() -> Self {
        Self {
            summarizer_url: None,
            summarizer_model: None,
            summarizer_key: None,
            summarizer_timeout_ms: 20_000,
            summarizer_max_input_bytes: 200_000,
        }
    }
}

/// The address of chat completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummarizerUrl(String);

impl SummarizerUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SummarizerUrl {
    type Err = String;

    /// Takes the endpoint's base, or the whole address.
    fn from_str(text: &str) -> Result<Self, String> {
        const PATH: &str = "/chat/completions";
        let text = text.trim_end_matches('/');
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if host.is_empty() || host.contains('@') || !is_plain || text.contains(['?', '#']) {
            return Err("must be an http or https URL without user, query or fragment".to_owned());
        }
        let path = if text.ends_with(PATH) { "" } else { PATH };
        Ok(Self(format!("{text}{path}")))
    }
}

/// A key that is not shown.
#[derive(Clone)]
pub struct SummarizerKey(String);

impl SummarizerKey {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SummarizerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SummarizerKey")
    }
}

impl FromStr for SummarizerKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("must be visible characters");
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_and_a_whole_address_are_the_same() {
        let of = |text: &str| text.parse::<SummarizerUrl>().map(|url| url.0);
        let whole = Ok("http://localhost:11434/v1/chat/completions".to_owned());
        for text in [
            "http://localhost:11434/v1",
            "http://localhost:11434/v1/",
            "http://localhost:11434/v1/chat/completions",
        ] {
            assert_eq!(of(text), whole);
        }
        for text in ["", "localhost", "ftp://a/b", "https://", "https://u:p@a/v1", "https://a/?k=1"]
        {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let key: SummarizerKey = "sk-abc".parse().unwrap();
        assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("sk-abc", "SummarizerKey"));
        assert!("".parse::<SummarizerKey>().is_err() && "a b".parse::<SummarizerKey>().is_err());
    }
}
