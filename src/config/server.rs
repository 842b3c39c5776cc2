//! Where to listen, and with how many threads.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use hyper::http::HeaderValue;

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
    /// A list of objects with `name`, `context_window` and `max_output`, and where wanted `family`,
    /// `tokenizer`, `factor` and `prefill`; `GET /models` shows the table that results.
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    pub models_file: Option<PathBuf>,

    /// Origins whose pages may read answers, such as `https://app.example.com`; none unless given
    ///
    /// May be given more than once, or as a list with commas. Compared as a whole.
    #[arg(
        long,
        env = "CONTEXTURE_CORS_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ',',
        value_parser = origin
    )]
    pub cors_origin: Vec<HeaderValue>,

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

/// Scheme, host and port, as a browser writes them.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let wrong = || "must be an origin such as https://app.example.com, without a path".to_owned();
    let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
    let is_host =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
    let fits = matches!(scheme, "http" | "https") && !host.is_empty() && host.bytes().all(is_host);
    HeaderValue::from_str(text).ok().filter(|_| fits).ok_or_else(wrong)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_no_path_and_no_star() {
        for good in ["https://app.example.com", "http://localhost:3000", "http://[::1]:80"] {
            assert!(origin(good).is_ok(), "{good}");
        }
        for bad in ["*", "null", "https://", "https://a.example/", "https://*.example", "HTTPS://a"]
        {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
