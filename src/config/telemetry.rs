//! Settings of logs and traces.

use tracing_subscriber::EnvFilter;

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// A line for people
    Text,
    /// A JSON object a line, for machines
    Json,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Logs")]
pub struct TelemetryConfig {
    /// Form of the log lines on standard error
    #[arg(long, env = "CONTEXTURE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// What to log: a level, or a filter such as `info,contexture::http=debug`
    ///
    /// Logs never hold message text, at no level.
    #[arg(long, env = "CONTEXTURE_LOG", value_name = "FILTER", default_value = "info", value_parser = log_filter)]
    pub log_level: String,

    /// Where traces are sent, in builds with the feature `otlp`: the base URL of a collector that takes
    /// OTLP over HTTP, such as `http://127.0.0.1:4318`
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,
}

/// Reads a filter of log lines, and keeps its text.
fn log_filter(text: &str) -> Result<String, String> {
    if EnvFilter::builder().parse(text).is_ok() {
        return Ok(text.to_owned());
    }
    Err("must be error, warn, info, debug, trace or off, or a list of them for parts of the program, such as \
         `info,contexture::http=debug`"
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_level_or_a_list() {
        for good in ["info", "off", "info,contexture::http=debug", "contexture[span]=trace"] {
            assert_eq!(log_filter(good).as_deref(), Ok(good));
        }
        for bad in ["a=b=c", "info,x=loud"] {
            assert!(log_filter(bad).is_err(), "{bad}");
        }
    }
}
