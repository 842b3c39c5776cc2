//! Settings of logs and traces.

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
    #[arg(long, env = "CONTEXTURE_LOG", value_name = "FILTER", default_value = "info")]
    pub log_level: String,

    /// Where traces are sent, in builds with the feature `otlp`: the base URL of a collector that takes
    /// OTLP over HTTP, such as `http://127.0.0.1:4318`
    #[cfg(feature = "otlp")]
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,
}
