//! Limits per caller, and for all callers together.

use std::time::Duration;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitsConfig {
    /// Bytes of a request body as sent; more is a 413
    #[arg(
        long,
        env = "CONTEXTURE_MAX_BODY_BYTES",
        value_name = "BYTES",
        default_value_t = 16 * 1024 * 1024,
        value_parser = super::positive_size
    )]
    pub max_body_bytes: usize,

    /// Bytes of a request body once decompressed; more is a 413
    #[arg(
        long,
        env = "CONTEXTURE_MAX_DECODED_BYTES",
        value_name = "BYTES",
        default_value_t = 32 * 1024 * 1024,
        value_parser = super::positive_size
    )]
    pub max_decoded_bytes: usize,

    /// Milliseconds until the head of a request must have arrived
    ///
    /// Also how long a connection may stay open with nothing asked.
    #[arg(
        long,
        env = "CONTEXTURE_HEADER_TIMEOUT_MS",
        value_name = "MS",
        default_value_t = 5_000,
        value_parser = super::positive
    )]
    pub header_timeout_ms: u64,

    /// Milliseconds until the whole body of a request must have arrived; later is a 408
    #[arg(
        long,
        env = "CONTEXTURE_BODY_TIMEOUT_MS",
        value_name = "MS",
        default_value_t = 30_000,
        value_parser = super::positive
    )]
    pub body_timeout_ms: u64,

    /// Connections open at once; requests on further ones get a 503, but for those about health
    ///
    /// Those that have shown no valid key, where one is needed, or have only read pages that need none,
    /// are a quarter of them at most.
    #[arg(
        long,
        env = "CONTEXTURE_MAX_CONNECTIONS",
        value_name = "N",
        default_value_t = 4096,
        value_parser = super::positive_size
    )]
    pub max_connections: usize,
}

impl LimitsConfig {
    pub fn header_timeout(&self) -> Duration {
        Duration::from_millis(self.header_timeout_ms)
    }

    pub fn body_timeout(&self) -> Duration {
        Duration::from_millis(self.body_timeout_ms)
    }
}
