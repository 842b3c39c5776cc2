//! Telemetry for the operator: logs, one line an event on standard error, as text or JSON, metrics
//! ([`Metrics`]) and, if they are enabled, traces ([`trace`]).
//!
//! A message can be read by itself and has fields as well; units are part of the name
//! (`duration_ms`). Message text, bodies and secrets are never logged, at any level.

mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
pub mod trace;

use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

pub use self::metrics::{GatewayUsage, Metrics, Stream};
use crate::config::{LogFormat, TelemetryConfig};

/// Why logs or traces cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{filter}` is no log filter (--log-level, CONTEXTURE_LOG)")]
    Filter { filter: String, source: tracing_subscriber::filter::ParseError },

    #[cfg(feature = "otlp")]
    #[error("traces cannot be sent to `{endpoint}` (--otlp-endpoint)")]
    Traces { endpoint: String, source: opentelemetry_otlp::ExporterBuildError },
}

/// The target of the spans of traces. Nothing else has it.
const TRACE_TARGET: &str = "contexture::trace";

/// Crates whose log lines quote their input: their lines are dropped, whatever the filter says.
const SILENCED_CRATES: &[&str] = &["rmcp"];

/// Logs and traces as long as they are wanted. What still waits to be sent is sent on drop.
#[derive(Debug)]
#[must_use = "traces end with it"]
pub struct TelemetryGuard {
    #[cfg(feature = "otlp")]
    traces: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}

/// Starts logging, and traces if an endpoint is set, for the whole process; a second call changes
/// nothing.
pub fn init(config: &TelemetryConfig) -> Result<TelemetryGuard, Error> {
    let filter = EnvFilter::builder()
        .parse(&config.log_level)
        .map_err(|source| Error::Filter { filter: config.log_level.clone(), source })?;
    let lines =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(has_colors());
    let lines = match config.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let ours =
        filter_fn(|line| !SILENCED_CRATES.iter().any(|name| line.target().starts_with(name)));
    let lines = lines.with_filter(silent(filter)).with_filter(ours);
    #[cfg(feature = "otlp")]
    let started = {
        let traces = match config.otlp_endpoint.as_deref() {
            Some(endpoint) => Some(
                otlp::provider(endpoint)
                    .map_err(|source| Error::Traces { endpoint: endpoint.to_owned(), source })?,
            ),
            None => None,
        };
        let sent = traces.as_ref().map(otlp::layer);
        (
            tracing_subscriber::registry().with(lines).with(sent).try_init(),
            TelemetryGuard { traces },
        )
    };
    #[cfg(not(feature = "otlp"))]
    let started = (tracing_subscriber::registry().with(lines).try_init(), TelemetryGuard {});
    // The only possible reason is that there is a logger already.
    drop(started.0);
    #[cfg(not(feature = "otlp"))]
    if config.otlp_endpoint.is_some() {
        tracing::warn!(
            "this build cannot send traces, so --otlp-endpoint (OTEL_EXPORTER_OTLP_ENDPOINT) has no \
             effect; a build with the feature otlp can"
        );
    }
    Ok(started.1)
}

/// Whether log lines have colours: as everything else that goes to standard error.
fn has_colors() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}

/// A filter that no span of a trace passes.
fn silent(filter: EnvFilter) -> EnvFilter {
    match format!("{TRACE_TARGET}=off").parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    }
}

#[cfg(feature = "otlp")]
impl Drop for TelemetryGuard {
    fn drop(&mut self) {
        if let Some(traces) = &self.traces {
            // A failure is in the log already.
            let _ = traces.shutdown();
        }
    }
}
