//! Settings of the model that writes summaries.

use super::{ChatKey, ChatUrl, positive};

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Summaries")]
pub struct SummarizerConfig {
    /// An OpenAI-compatible endpoint that writes summaries, such as `https://api.openai.com/v1`
    ///
    /// Old turns that leave a history go there. Without it, and if it fails, summaries are
    /// quotes from the turns themselves. It may be on a private address, over http too.
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_URL",
        value_name = "URL",
        requires = "summarizer_model"
    )]
    pub summarizer_url: Option<ChatUrl>,

    /// The model that the endpoint is asked for
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_MODEL",
        value_name = "NAME",
        requires = "summarizer_url"
    )]
    pub summarizer_model: Option<String>,

    /// The endpoint's key, if it needs one
    ///
    /// Set the variable: a command line can be read by others.
    #[arg(
        long,
        env = "CONTEXTURE_SUMMARIZER_KEY",
        value_name = "SECRET",
        hide_env_values = true,
        requires = "summarizer_url"
    )]
    pub summarizer_key: Option<ChatKey>,

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
