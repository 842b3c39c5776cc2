//! Settings of the gateway: the providers that it forwards to, and what it does to requests.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use hyper::Uri;
use hyper::http::uri::{Authority, Scheme};
use secrecy::SecretString;

use crate::domain::{GatewayMode, ToolPattern};

/// The longest name of an upstream.
const MAX_NAME_BYTES: usize = 32;

/// Upstreams whose addresses are built in.
const BUILT_IN: &[(&str, &str)] = &[
    ("anthropic", "https://api.anthropic.com"),
    ("openai", "https://api.openai.com"),
    ("gemini", "https://generativelanguage.googleapis.com"),
    ("openrouter", "https://openrouter.ai/api"),
];

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Gateway")]
pub struct GatewayConfig {
    /// A provider that requests are forwarded to: `anthropic`, `openai`, `gemini`, `openrouter`, or `NAME=URL`
    ///
    /// May be given more than once, or as a list with commas. Without it the server forwards
    /// nothing. URLs are https; http is for loopback alone. Private addresses may be named.
    #[arg(long, env = "CONTEXTURE_UPSTREAM", value_name = "NAME[=URL]", value_delimiter = ',')]
    pub upstream: Vec<NamedUpstream>,

    /// Certificates (PEM) that upstreams may be signed by, in addition to the public authorities
    #[arg(long, env = "CONTEXTURE_UPSTREAM_CA_FILE", value_name = "FILE", requires = "upstream")]
    pub upstream_ca_file: Option<PathBuf>,

    /// What is done to requests for models: `off`, `observe`, `compress`, `fit` or `session`
    ///
    /// `off` relays, `observe` counts what would be saved, `compress` puts tool results into their
    /// form on arrival, `fit` also keeps requests within the window of their model, `session` also adds
    /// memory and state of the caller's key, which it needs. The header `x-contexture-mode` names
    /// another for one request.
    #[arg(long, env = "CONTEXTURE_GATEWAY_MODE", value_name = "MODE", default_value = "compress")]
    pub gateway_mode: GatewayMode,

    /// Tokens that a request may have in modes `fit` and `session`; without it as many as the window of its model
    ///
    /// The header `x-contexture-budget` names another number for one request.
    #[arg(long, env = "CONTEXTURE_GATEWAY_BUDGET", value_name = "TOKENS", value_parser = super::positive)]
    pub gateway_budget: Option<u64>,

    /// Tools whose results stay as they are, as patterns such as `mcp__db__*`
    ///
    /// May be given more than once, or as a list with commas. Results of tools that read files for
    /// edits and of memory tools always stay.
    #[arg(long, env = "CONTEXTURE_GATEWAY_PROTECT", value_name = "PATTERN", value_delimiter = ',')]
    pub gateway_protect: Vec<ToolPattern>,

    /// Milliseconds that the edits of a request may take; what is not decided then stays as it came
    #[arg(
        long,
        env = "CONTEXTURE_GATEWAY_DEADLINE_MS",
        value_name = "MS",
        default_value_t = 2_000,
        value_parser = super::positive
    )]
    pub gateway_deadline_ms: u64,

    /// Seconds that an upstream may send nothing before its response is given up
    #[arg(
        long,
        env = "CONTEXTURE_UPSTREAM_SILENCE_SECONDS",
        value_name = "SECONDS",
        default_value_t = 600,
        value_parser = super::positive
    )]
    pub upstream_silence_seconds: u64,
}

/// A provider under the name that paths have for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedUpstream {
    pub name: String,
    pub url: UpstreamUrl,
}

/// The address of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamUrl {
    pub scheme: Scheme,
    pub authority: Authority,
    /// What the paths of requests are appended to: empty, or with a slash first and none last.
    pub path: String,
}

/// The proxy that connections to https upstreams go through, and the hosts that they do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProxySettings {
    pub https: Option<String>,
    pub none_for: Option<String>,
}

impl ProxySettings {
    /// Reads `HTTPS_PROXY` and `NO_PROXY`, in either case.
    pub fn from_environment() -> Self {
        let read = |name: &str| variable(name).or_else(|| variable(&name.to_ascii_lowercase()));
        Self { https: read("HTTPS_PROXY"), none_for: read("NO_PROXY") }
    }
}

/// The variables by which clients of providers are told another address, the upstream of each, and
/// what follows the address.
const BASE_URL_VARIABLES: &[(&str, &str, &str)] = &[
    ("ANTHROPIC_BASE_URL", "anthropic", ""),
    ("OPENAI_BASE_URL", "openai", "/v1"),
    ("OPENAI_API_BASE", "openai", "/v1"),
    ("GOOGLE_GEMINI_BASE_URL", "gemini", ""),
];

/// The variables that have the keys of providers, for the upstream of each.
const KEY_VARIABLES: &[(&str, &str)] = &[
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("openai", "OPENAI_API_KEY"),
    ("gemini", "GEMINI_API_KEY"),
    ("openrouter", "OPENROUTER_API_KEY"),
];

/// Reads a variable that other programs read too; none if it is empty.
#[expect(clippy::disallowed_methods, reason = "settings are read in config/")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the variables that lead the clients of a process to a gateway at `address`.
pub fn base_url_variables(address: &str) -> Vec<(&'static str, String)> {
    let variable =
        |(name, _, path): &(&'static str, &str, &str)| (*name, format!("{address}{path}"));
    BASE_URL_VARIABLES.iter().map(variable).collect()
}

/// Returns the variables of this process's environment that lead clients of providers to another
/// address, with the address.
pub fn set_base_urls() -> Vec<(&'static str, String)> {
    BASE_URL_VARIABLES.iter().filter_map(|(name, ..)| Some((*name, variable(name)?))).collect()
}

/// The key of a provider.
#[derive(Debug)]
pub struct ProviderKey {
    /// The variable that it is from, or would be.
    pub variable: &'static str,
    pub key: Option<SecretString>,
}

/// Reads the key of an upstream with a built-in name from its variable; none for other names.
pub fn provider_key(upstream: &str) -> Option<ProviderKey> {
    let (_, name) = KEY_VARIABLES.iter().find(|(known, _)| *known == upstream)?;
    Some(ProviderKey { variable: name, key: variable(name).map(SecretString::from) })
}

impl GatewayConfig {
    /// Adds the upstreams that a command may use and that are not named: at the addresses that its
    /// environment has for them, else at the built-in ones. An error names the variable.
    pub fn add_usual_upstreams(&mut self) -> Result<(), String> {
        for (named, name, _) in BASE_URL_VARIABLES {
            if self.upstream.iter().any(|known| known.name == *name) {
                continue;
            }
            let url = variable(named);
            let text = url.map_or_else(|| (*name).to_owned(), |url| format!("{name}={url}"));
            let upstream = text.parse().map_err(|error| format!("{named}: {error}"))?;
            self.upstream.push(upstream);
        }
        Ok(())
    }

    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.gateway_deadline_ms)
    }

    pub fn silence(&self) -> Duration {
        Duration::from_secs(self.upstream_silence_seconds)
    }
}

impl FromStr for NamedUpstream {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, url) = match text.split_once('=') {
            Some((name, url)) => (name, Some(url)),
            None => (text, None),
        };
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=MAX_NAME_BYTES).contains(&name.len()) || !name.bytes().all(fits) {
            return Err(format!(
                "the name must be 1 to {MAX_NAME_BYTES} lower-case letters, digits and hyphens"
            ));
        }
        let url = match url {
            Some(url) => url,
            None => BUILT_IN.iter().find(|(built_in, _)| *built_in == name).map_or_else(
                || Err(format!("needs an address: {name}=https://…; known names: {}", names())),
                |(_, url)| Ok(*url),
            )?,
        };
        Ok(Self { name: name.to_owned(), url: url.parse()? })
    }
}

fn names() -> String {
    BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl FromStr for UpstreamUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "must be an https URL without user, query or fragment".to_owned();
        // A fragment is dropped by the parser.
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let parts = uri.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err(wrong());
        };
        let path = parts.path_and_query;
        let has_query = path.as_ref().is_some_and(|path| path.query().is_some());
        if has_query || text.contains('#') || authority.as_str().contains('@') {
            return Err(wrong());
        }
        if scheme == Scheme::HTTP && !is_loopback(authority.host()) {
            return Err("http is for loopback addresses alone: use https".to_owned());
        }
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(wrong());
        }
        let path = path.as_ref().map_or("", |path| path.path().trim_end_matches('/')).to_owned();
        Ok(Self { scheme, authority, path })
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let address = bare.parse::<std::net::IpAddr>();
    address.map_or_else(|_| host.eq_ignore_ascii_case("localhost"), |address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Result<String, String> {
        let url = text.parse::<NamedUpstream>()?.url;
        Ok(format!("{}://{}{}", url.scheme, url.authority, url.path))
    }

    #[test]
    fn a_name_has_an_address_of_its_own_or_a_built_in_one() {
        for (text, wanted) in [
            ("anthropic", "https://api.anthropic.com"),
            ("openrouter", "https://openrouter.ai/api"),
            ("openai=https://proxy.example/v1/", "https://proxy.example/v1"),
            ("near=http://127.0.0.1:9/", "http://127.0.0.1:9"),
            ("near=http://[::1]:9", "http://[::1]:9"),
            ("near=http://localhost:9", "http://localhost:9"),
            ("private=https://10.0.0.7:8443/a/b", "https://10.0.0.7:8443/a/b"),
        ] {
            assert_eq!(url(text).as_deref(), Ok(wanted), "{text}");
        }
        for bad in [
            "",
            "other",
            "Anthropic",
            "a/b=https://c",
            "=https://c",
            "a=",
            "a=https://",
            "a=/path",
            "a=ftp://c",
            "a=http://10.0.0.7",
            "a=http://c.example",
            "a=https://u:p@c",
            "a=https://c?x=1",
            "a=https://c#x",
        ] {
            assert!(url(bad).is_err(), "{bad}");
        }
        assert!(url("other").unwrap_err().contains("anthropic, openai"));
    }
}
