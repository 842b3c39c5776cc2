//! Settings of the server: its addresses, its threads, its models and origins.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use hyper::http::HeaderValue;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Server")]
pub struct ServerConfig {
    /// Address and port to listen on, or a port of 127.0.0.1; port 0 picks a free one and prints it
    ///
    /// `8080`, `:8080` and `localhost:8080` are 127.0.0.1:8080.
    #[arg(
        long,
        env = "CONTEXTURE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address
    )]
    pub listen: SocketAddr,

    /// Serve callers without a key on an address that other machines can reach
    ///
    /// Without this flag the server refuses to start on anything but a loopback address, because
    /// everybody who reaches it could use it.
    #[arg(long, env = "CONTEXTURE_ALLOW_ANONYMOUS")]
    pub allow_anonymous: bool,

    /// JSON file with rows to add to the table of models, or to replace
    ///
    /// A list of objects with `name`, `context_window` and `max_output`, and if wanted the other
    /// columns that `contexture models --json` prints; `GET /models` shows the table that results.
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    pub models_file: Option<PathBuf>,

    /// Host names that are served while no key is needed, such as `contexture.internal`; `*` for any
    ///
    /// May be given more than once, or as a list with commas; ports are not compared. IP addresses
    /// and `localhost` are always served. Any other name could belong to a web page that points it
    /// at this machine (DNS rebinding). Once callers need a key, every name is served.
    #[arg(
        long,
        env = "CONTEXTURE_ALLOW_HOST",
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = host
    )]
    pub allow_host: Vec<String>,

    /// Origins whose pages may use the server, such as `https://app.example.com`; none unless given
    ///
    /// May be given more than once, or as a list with commas. Compared as a whole. Requests from
    /// pages of other origins are refused.
    #[arg(
        long,
        env = "CONTEXTURE_CORS_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ',',
        value_parser = origin
    )]
    pub cors_origin: Vec<HeaderValue>,

    /// Threads that compile, and threads that speak HTTP, 1,024 at most; one a core when not given
    #[arg(long, env = "CONTEXTURE_WORKERS", value_name = "N", value_parser = workers)]
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

/// Threads of a kind that a server may be given: more would not be faster, and may not start.
const MAX_WORKERS: usize = 1_024;

/// Reads the number of threads.
fn workers(text: &str) -> Result<usize, String> {
    match super::positive_size(text)? {
        count if count > MAX_WORKERS => Err(format!("must be at most {MAX_WORKERS}")),
        count => Ok(count),
    }
}

/// Reads an address with a port, or a port of loopback.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    if let Some(port) = local_port(text) {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    text.parse().map_err(|_| {
        "must be an IP address and a port, such as 127.0.0.1:8080 or 0.0.0.0:8080, or a port alone"
            .to_owned()
    })
}

/// Reads a port of this machine: alone, or after a colon or `localhost:`.
pub fn local_port(text: &str) -> Option<u16> {
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    port.parse().ok().filter(|_| !port.starts_with('+'))
}

/// A name in lower case, or the star.
fn host(text: &str) -> Result<String, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let name = text.strip_suffix('.').unwrap_or(text);
    if text == "*" || (!name.is_empty() && name.bytes().all(is_name)) {
        return Ok(name.to_ascii_lowercase());
    }
    Err("must be a host name such as contexture.internal, without a port, or `*`".to_owned())
}

/// Scheme, host and port, as a browser writes them.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let wrong = || "must be an origin such as https://app.example.com, without a path".to_owned();
    let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
    let is_host =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
    // Extensions and desktop applications have schemes of their own.
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| is_host(byte) && !b":[]".contains(&byte) || byte == b'+');
    let fits = is_scheme && !host.is_empty() && host.bytes().all(is_host);
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
    fn a_port_alone_is_one_of_loopback() {
        let read = |text: &str| listen_address(text).map(|address| address.to_string());
        for text in ["8080", ":8080", "localhost:8080", "127.0.0.1:8080"] {
            assert_eq!(read(text).as_deref(), Ok("127.0.0.1:8080"), "{text}");
        }
        assert_eq!(read("0.0.0.0:80").as_deref(), Ok("0.0.0.0:80"));
        assert_eq!(read("[::1]:80").as_deref(), Ok("[::1]:80"));
        for bad in ["", ":", "65536", "-1", "+80", "host:80", "127.0.0.1", "localhost", "::1:x"] {
            assert!(listen_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn workers_are_bounded() {
        assert_eq!(workers("1024"), Ok(1024));
        for bad in ["0", "1025", "100000000", "99999999999999999999", "x"] {
            assert!(workers(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_is_a_name_without_a_port() {
        assert_eq!(host("Contexture.internal.").as_deref(), Ok("contexture.internal"));
        assert_eq!(host("*").as_deref(), Ok("*"));
        for bad in ["", ".", "a:80", "*.example", "http://a", "a b", "[::1]"] {
            assert!(host(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_origin_has_no_path_and_no_star() {
        for good in [
            "https://app.example.com",
            "http://localhost:3000",
            "http://[::1]:80",
            "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb",
        ] {
            assert!(origin(good).is_ok(), "{good}");
        }
        for bad in ["*", "null", "https://", "https://a.example/", "https://*.example", "HTTPS://a"]
        {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
