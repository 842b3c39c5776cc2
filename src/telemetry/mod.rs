//! What an operator sees: logs, one line an event on standard error, as text or JSON, and figures
//! ([`Metrics`]).
//!
//! A message can be read by itself and carries fields as well; units stand in the name
//! (`duration_ms`). Message text, bodies and secrets are never logged, at no level.

mod metrics;

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

pub use self::metrics::{Metrics, Stream};
use crate::config::{LogFormat, TelemetryConfig};

/// Why logs cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{filter}` is no log filter (--log-level, CONTEXTURE_LOG)")]
    Filter { filter: String, source: tracing_subscriber::filter::ParseError },
}

/// Starts logging for the whole process; a second call changes nothing.
pub fn init(config: &TelemetryConfig) -> Result<(), Error> {
    let filter = EnvFilter::builder()
        .parse(&config.log_level)
        .map_err(|source| Error::Filter { filter: config.log_level.clone(), source })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = match config.log_format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    // Only a logger that stands already can be the reason, and then there is one.
    drop(started);
    Ok(())
}
