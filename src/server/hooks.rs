//! Builds what hooks need in addition to the store: the client that calls them, the keys of their
//! secrets, and the operator's own hooks.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Config, HooksConfig};
use crate::domain::Clock;
use crate::service::hooks::{Hooks, HooksFile, HooksFileError};
use crate::telemetry::Metrics;
use crate::webhook::{BadKey, Dns, Keyring, Policy, SetupError, Summarizer, Webhooks};

/// The cause of a failed setup of hooks. The text names the file and the setting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the file {} cannot be read ({setting})", path.display())]
    Read { path: PathBuf, setting: &'static str, source: std::io::Error },
    #[error("the master key file {} (--master-key-file)", path.display())]
    Keys { path: PathBuf, source: BadKey },
    #[error("the master key file {} holds no key (--master-key-file)", .0.display())]
    NoKeys(PathBuf),
    #[error("the machine gives no random bytes for a key")]
    NoRandom,
    #[error("the hooks file {} (--hooks-file)", path.display())]
    Hooks { path: PathBuf, source: HooksFileError },
    #[error("hooks cannot be called (--hooks-ca-file)")]
    Client(#[from] SetupError),
}

/// Builds the hooks from the settings. `listens` is the address of this server, which hooks must
/// not call; `None` if it does not listen.
pub(super) fn build(
    config: &HooksConfig,
    listens: Option<SocketAddr>,
    metrics: &Metrics,
) -> Result<Hooks, Error> {
    let policy = Policy {
        allow: config.hooks_allow_cidr.clone(),
        loopback: config.dev,
        own: listens.into_iter().collect(),
    };
    let keys = keys(config)?;
    let file = match &config.hooks_file {
        Some(path) => HooksFile::read(&read(path, "--hooks-file")?, &policy)
            .map_err(|source| Error::Hooks { path: path.clone(), source })?,
        None => HooksFile::default(),
    };
    let webhooks = Webhooks::new(config, policy, Arc::new(Dns::system()), Clock::system())?;
    Ok(Hooks::new(webhooks.measured(metrics.clone()), keys, file))
}

/// Builds the client of the model that writes summaries, if one is configured.
pub(super) fn summarizer(
    config: &Config,
    listens: SocketAddr,
) -> Result<Option<Summarizer>, Error> {
    let certificates = config.hooks.hooks_ca_file.as_deref();
    let resolver = Arc::new(Dns::system());
    let summarizer =
        Summarizer::new(&config.summarizer, listens, certificates, resolver, Clock::system())?;
    Ok(summarizer)
}

fn keys(config: &HooksConfig) -> Result<Keyring, Error> {
    let Some(path) = &config.master_key_file else {
        if config.dev {
            return Keyring::generate().ok_or(Error::NoRandom);
        }
        return Ok(Keyring::default());
    };
    let keys = Keyring::parse(&read(path, "--master-key-file")?)
        .map_err(|source| Error::Keys { path: path.clone(), source })?;
    // An empty file would leave secrets unsealed although the operator believes them sealed.
    if keys.is_empty() { Err(Error::NoKeys(path.clone())) } else { Ok(keys) }
}

fn read(path: &Path, setting: &'static str) -> Result<String, Error> {
    let path = path.to_owned();
    std::fs::read_to_string(&path).map_err(|source| Error::Read { path, setting, source })
}
