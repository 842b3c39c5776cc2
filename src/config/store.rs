//! Settings of the store: its database, and how long and how much it keeps.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::QuotasConfig;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Store")]
pub struct StoreConfig {
    /// `sqlite:<file>`, `postgres://…`, or `memory:` to keep nothing past a stop
    ///
    /// A missing file is created, with three more next to it while the server runs. A database
    /// of PostgreSQL may have any number of servers; to one on another host the connection is
    /// encrypted unless the URL says `sslmode=disable`.
    #[arg(
        long,
        env = "CONTEXTURE_DATABASE_URL",
        value_name = "URL",
        default_value = "sqlite:contexture.db"
    )]
    pub database_url: DatabaseUrl,

    /// Seconds that an original is kept after it was last stored
    #[arg(
        long,
        env = "CONTEXTURE_ARTIFACTS_TTL_SECONDS",
        value_name = "SECONDS",
        default_value_t = 7 * 24 * 3600,
        value_parser = super::positive
    )]
    pub artifacts_ttl_seconds: u64,

    /// How long events are kept; a reader that was away for longer misses some
    #[arg(
        long,
        env = "CONTEXTURE_EVENTS_TTL_SECONDS",
        value_name = "SECONDS",
        default_value_t = 7 * 24 * 3600,
        value_parser = super::positive
    )]
    pub events_ttl_seconds: u64,

    /// Seconds that a session is kept after it was last used, unless it has a time to live of its own
    #[arg(
        long,
        env = "CONTEXTURE_SESSIONS_TTL_SECONDS",
        value_name = "SECONDS",
        default_value_t = 30 * 24 * 3600,
        value_parser = super::positive
    )]
    pub sessions_ttl_seconds: u64,

    /// Seconds before a session's prefix runs out in its provider's cache at which `cache:expiring` is
    /// published; 0 publishes none
    #[arg(
        long,
        env = "CONTEXTURE_CACHE_EXPIRING_SECONDS",
        value_name = "SECONDS",
        default_value_t = 40
    )]
    pub cache_expiring_seconds: u64,

    /// Artifacts that a tenant may keep; a cleanup takes the least recently read beyond
    #[arg(
        long,
        env = "CONTEXTURE_ARTIFACTS_MAX_COUNT",
        value_name = "N",
        default_value_t = 100_000
    )]
    pub artifacts_max_count: u64,

    /// Bytes of artifacts that a tenant may keep; a cleanup takes the least recently read beyond
    #[arg(
        long,
        env = "CONTEXTURE_ARTIFACTS_MAX_BYTES",
        value_name = "BYTES",
        default_value_t = 1 << 30
    )]
    pub artifacts_max_bytes: u64,

    /// Bytes of original messages that a tenant may keep for `/expand`; a cleanup takes the oldest beyond
    #[arg(
        long,
        env = "CONTEXTURE_ORIGINALS_MAX_BYTES",
        value_name = "BYTES",
        default_value_t = 4 << 30
    )]
    pub originals_max_bytes: u64,

    /// Milliseconds from one cleanup to the next
    #[arg(
        long,
        env = "CONTEXTURE_CLEANUP_INTERVAL_MS",
        value_name = "MS",
        default_value_t = 60_000,
        value_parser = super::positive
    )]
    pub cleanup_interval_ms: u64,

    #[command(flatten)]
    pub quotas: QuotasConfig,
}

impl StoreConfig {
    pub fn artifacts_ttl(&self) -> Duration {
        Duration::from_secs(self.artifacts_ttl_seconds)
    }

    pub fn events_ttl(&self) -> Duration {
        Duration::from_secs(self.events_ttl_seconds)
    }

    pub fn sessions_ttl(&self) -> Duration {
        Duration::from_secs(self.sessions_ttl_seconds)
    }

    pub fn cache_expiring(&self) -> Duration {
        Duration::from_secs(self.cache_expiring_seconds)
    }

    pub fn cleanup_interval(&self) -> Duration {
        Duration::from_millis(self.cleanup_interval_ms)
    }
}

/// The kind of a store, and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(PostgresUrl),
    Memory,
}

/// A URL with a password in it, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(Box<str>);

impl PostgresUrl {
    /// The whole of it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match url::Url::parse(&self.0) {
            Ok(url) => {
                let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
                write!(f, "postgres://{}{port}{}", url.host_str().unwrap_or_default(), url.path())
            }
            Err(_) => f.write_str("postgres:"),
        }
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if matches!(text, "memory:" | "sqlite::memory:") {
            return Ok(Self::Memory);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(PostgresUrl(text.into())));
        }
        let file = text.strip_prefix("sqlite:").map(|rest| rest.strip_prefix("//").unwrap_or(rest));
        match file {
            Some(file) if !file.is_empty() => Ok(Self::Sqlite(file.into())),
            _ => {
                let detail = "must be `sqlite:` and a file, `postgres://` and so on, or `memory:`";
                Err(detail.to_owned())
            }
        }
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "sqlite:{}", file.display()),
            Self::Postgres(url) => url.fmt(f),
            Self::Memory => f.write_str("memory:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_file_or_memory() {
        let file = |path: &str| Ok(DatabaseUrl::Sqlite(path.into()));
        assert_eq!("sqlite:contexture.db".parse(), file("contexture.db"));
        assert_eq!("sqlite:///data/c.db".parse(), file("/data/c.db"));
        assert_eq!("memory:".parse(), Ok(DatabaseUrl::Memory));
        let url: DatabaseUrl = "postgres://me:secret@db:5433/contexture?user=x".parse().unwrap();
        assert_eq!(url.to_string(), "postgres://db:5433/contexture");
        assert!(!format!("{url:?}").contains("secret"));
        assert_eq!("sqlite::memory:".parse(), Ok(DatabaseUrl::Memory));
        for bad in ["", "sqlite:", "sqlite://", "contexture.db", "mysql://host/db"] {
            assert!(bad.parse::<DatabaseUrl>().is_err(), "{bad}");
        }
    }
}
