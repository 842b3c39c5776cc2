//! Where to listen, and with how many threads.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Server")]
pub struct ServerConfig {
    /// Address and port to listen on; port 0 picks a free one and prints it
    #[arg(
        long,
        env = "CONTEXTURE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080"
    )]
    pub listen: SocketAddr,

    /// Serve callers without a key on an address that other machines can reach
    ///
    /// Without this flag the server refuses to start on anything but a loopback address, because
    /// whoever reaches it could use it.
    #[arg(long, env = "CONTEXTURE_ALLOW_ANONYMOUS")]
    pub allow_anonymous: bool,

    /// JSON file with rows to add to the table of models, or to replace
    ///
    /// A list of {"name", "context_window", "max_output", "family"?, "tokenizer"?, "factor"?,
    /// "prefill"?}; `GET /models` shows the table that results.
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    pub models_file: Option<PathBuf>,

    /// Threads that compile, and threads that speak HTTP; one a core when not given
    #[arg(long, env = "CONTEXTURE_WORKERS", value_name = "N", value_parser = super::positive_size)]
    pub workers: Option<usize>,

    /// Milliseconds that open requests get to finish after SIGTERM or Ctrl-C
    #[arg(
        long,
        env = "CONTEXTURE_SHUTDOWN_TIMEOUT_MS",
        value_name = "MS",
        default_value_t = 30_000
    )]
    pub shutdown_timeout_ms: u64,
}

impl ServerConfig {
    /// Threads to use: as set, else one a core.
    pub fn worker_count(&self) -> usize {
        self.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    pub fn shutdown_timeout(&self) -> Duration {
        Duration::from_millis(self.shutdown_timeout_ms)
    }
}
