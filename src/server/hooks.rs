//! Builds what hooks need in addition to the store: the client that calls them, the keys of their
//! secrets, and the operator's own hooks.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use secrecy::ExposeSecret as _;

use crate::config::{Config, DatabaseUrl, HooksConfig};
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

/// What hooks need of the settings, read and checked.
#[derive(Debug)]
pub(super) struct HookParts {
    /// None without a file of master keys.
    keys: Option<Keyring>,
    file: HooksFile,
    webhooks: Webhooks,
}

/// Reads the settings of hooks, and writes nothing. `listens` is the address of this server, which
/// hooks must not call; `None` if it does not listen.
pub(super) fn read(
    config: &HooksConfig,
    listens: Option<SocketAddr>,
    metrics: &Metrics,
) -> Result<HookParts, Error> {
    let policy = Policy {
        allow: config.hooks_allow_cidr.clone(),
        loopback: config.dev,
        own: listens.into_iter().collect(),
    };
    let keys = config.master_key_file.as_deref().map(master_keys).transpose()?;
    let file = match &config.hooks_file {
        Some(path) => HooksFile::read(&read_file(path, "--hooks-file")?, &policy)
            .map_err(|source| Error::Hooks { path: path.clone(), source })?,
        None => HooksFile::default(),
    };
    let webhooks = Webhooks::new(config, policy, Arc::new(Dns::system()), Clock::system())?;
    Ok(HookParts { keys, file, webhooks: webhooks.measured(metrics.clone()) })
}

impl HookParts {
    /// Builds the hooks. With `--dev` and a database in a file, the key of their secrets is made next to
    /// it.
    pub(super) fn complete(
        self,
        config: &HooksConfig,
        database: &DatabaseUrl,
    ) -> Result<Hooks, Error> {
        let keys = match (self.keys, database) {
            (Some(keys), _) => keys,
            (None, _) if !config.dev => Keyring::default(),
            (None, DatabaseUrl::Sqlite(database)) => dev_keys(database)?,
            (None, DatabaseUrl::Postgres(_) | DatabaseUrl::Memory) => {
                Keyring::generate().ok_or(Error::NoRandom)?
            }
        };
        Ok(Hooks::new(self.webhooks, keys, self.file))
    }
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

fn master_keys(path: &Path) -> Result<Keyring, Error> {
    let keys = Keyring::parse(&read_file(path, "--master-key-file")?)
        .map_err(|source| Error::Keys { path: path.to_owned(), source })?;
    // An empty file would leave secrets unsealed although the operator believes them sealed.
    if keys.is_empty() { Err(Error::NoKeys(path.to_owned())) } else { Ok(keys) }
}

/// The key of `--dev`, in a file next to the database, which is made if it is missing. Hooks that were
/// registered before a restart are called after it.
fn dev_keys(database: &Path) -> Result<Keyring, Error> {
    let mut path = database.as_os_str().to_owned();
    path.push("-dev-key");
    let path = PathBuf::from(path);
    if !path.exists() {
        let line = Keyring::generate_line().ok_or(Error::NoRandom)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options
            .open(&path)
            .and_then(|mut file| file.write_all(line.expose_secret().as_bytes()));
        match written {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                tracing::warn!(
                    %error,
                    "the key of --dev could not be stored; after a restart, hooks must be registered again"
                );
                return Keyring::generate().ok_or(Error::NoRandom);
            }
            _ => {}
        }
    }
    let text = read_file(&path, "--dev")?;
    Keyring::parse(&text).map_err(|source| Error::Keys { path, source })
}

fn read_file(path: &Path, setting: &'static str) -> Result<String, Error> {
    let path = path.to_owned();
    std::fs::read_to_string(&path).map_err(|source| Error::Read { path, setting, source })
}
