//! The parts of a server that its settings name: models, keys, hooks, upstreams.
//!
//! They are read and checked before the database is opened, so that a start that is refused leaves no
//! new database, and nothing here writes.

use std::net::SocketAddr;
use std::path::Path;

use super::Error;
use super::hooks::{self, HookParts};
use crate::config::{self, Config, ProxySettings};
use crate::domain::{Key, KeyHash, Models};
use crate::pack::PublicKeys;
use crate::service::auth::KeySources;
use crate::telemetry::Metrics;
use crate::upstream::UpstreamClient;
use crate::webhook::Summarizer;

/// What was read.
#[derive(Debug)]
pub(super) struct SettingParts {
    pub(super) models: Models,
    pub(super) key_sources: KeySources,
    pub(super) file_keys: Vec<(Key, KeyHash)>,
    pub(super) pack_keys: PublicKeys,
    pub(super) hooks: HookParts,
    pub(super) summarizer: Option<Summarizer>,
    /// None without an upstream.
    pub(super) upstreams: Option<UpstreamClient>,
}

impl SettingParts {
    /// Reads the files. `own`: the address of this server, which hooks and the gateway must not call.
    pub(super) fn read(config: &Config, own: SocketAddr, metrics: &Metrics) -> Result<Self, Error> {
        let mut models = Models::built_in();
        if let Some(path) = &config.server.models_file {
            models.extend(config::read_models(path)?);
        }
        let key_sources = KeySources {
            bootstrap: config.keys.bootstrap_key.as_ref().map(|key| key.reveal().to_owned()),
            has_file: config.keys.keys_file.is_some(),
            records_in_full: config.hooks.dev,
        };
        let file_keys = config.keys.keys_file.as_deref().map(config::read_keys).transpose()?;
        let pack_keys = config.packs.pack_keys_file.as_deref().map(read_pack_keys).transpose()?;
        let upstreams = if config.gateway.upstream.is_empty() {
            None
        } else {
            let proxy = ProxySettings::from_environment();
            Some(UpstreamClient::new(&config.gateway, &proxy, own)?)
        };
        Ok(Self {
            models,
            key_sources,
            file_keys: file_keys.unwrap_or_default(),
            pack_keys: pack_keys.unwrap_or_default(),
            hooks: hooks::read(&config.hooks, Some(own), metrics)?,
            summarizer: hooks::summarizer(config, own)?,
            upstreams,
        })
    }
}

/// Reads the public keys that packs must be signed with.
fn read_pack_keys(file: &Path) -> Result<PublicKeys, Error> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| Error::PackKeys { file: file.to_path_buf(), source })?;
    PublicKeys::parse(&text).map_err(|line| Error::PackKey { file: file.to_path_buf(), line })
}
