//! What can be set: one struct a section, flags with an environment variable each.
//!
//! The doc comments are the manual: clap prints them under `contexture serve --help`. Nothing
//! else in the program reads the environment.

mod chat;
mod environment;
mod gateway;
mod hooks;
mod keys;
mod limits;
mod memory;
mod models;
mod packs;
mod quotas;
mod server;
mod settings;
mod skills;
mod store;
mod summarizer;
mod telemetry;

pub use chat::{ChatKey, ChatUrl};
pub use environment::{is_set, set_names, variable_of_file};
pub use gateway::{
    GatewayConfig, NamedUpstream, ProviderKey, ProxySettings, UpstreamUrl, base_url_variables,
    provider_key, set_base_urls,
};
pub use hooks::{AllowCidr, HooksConfig};
pub use keys::{
    Error as KeysError, KeysConfig, SecretText, add as add_key, parse as parse_keys,
    read as read_keys, remove as remove_key,
};
pub use limits::LimitsConfig;
pub use memory::MemoryConfig;
pub use models::{Error as ModelsError, parse as parse_models, read as read_models};
pub use packs::PacksConfig;
pub use quotas::QuotasConfig;
pub use server::{ServerConfig, listen_address, local_port};
pub use settings::{Setting, SettingSource, settings_in_force};
pub use skills::{ReadSkill, SkillsConfig, read as read_skills};
pub use store::{DatabaseUrl, PostgresUrl, StoreConfig};
pub use summarizer::SummarizerConfig;
pub use telemetry::{LogFormat, TelemetryConfig};

/// Every setting of `contexture serve`.
#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub server: ServerConfig,
    #[command(flatten)]
    pub store: StoreConfig,
    #[command(flatten)]
    pub keys: KeysConfig,
    #[command(flatten)]
    pub memory: MemoryConfig,
    #[command(flatten)]
    pub hooks: HooksConfig,
    #[command(flatten)]
    pub gateway: GatewayConfig,
    #[command(flatten)]
    pub summarizer: SummarizerConfig,
    #[command(flatten)]
    pub packs: PacksConfig,
    #[command(flatten)]
    pub skills: SkillsConfig,
    #[command(flatten)]
    pub limits: LimitsConfig,
    #[command(flatten)]
    pub telemetry: TelemetryConfig,
    /// The flags with their values, for an operator to look at; empty unless the command line was
    /// read by [`settings_in_force`].
    #[arg(skip)]
    pub settings: Vec<Setting>,
}

/// Reads a whole number above zero, for sizes and times that must not be zero.
fn positive(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(0) => Err("must be more than zero".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// Like [`positive`], for counts and sizes held in memory.
fn positive_size(text: &str) -> Result<usize, String> {
    positive(text)?.try_into().map_err(|_| "is larger than this machine can count".to_owned())
}
