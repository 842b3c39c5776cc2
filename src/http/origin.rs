//! Which host names the server serves, and which web pages may use it.
//!
//! A browser sends requests for any page to any server that its machine can reach. What a page
//! cannot choose are the headers `host`, `origin` and `sec-fetch-site`, so they decide. `host` stops
//! a name that is pointed at this machine once its page is loaded (DNS rebinding): the browser takes
//! that page for one of ours. The other two stop pages of every other origin.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::auth;
use super::problem::{Kind, Problem};
use super::state::AppState;
use crate::config::ServerConfig;

const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";
const FETCH_DEST: &str = "sec-fetch-dest";
/// The longest name of DNS.
const MAX_NAME_BYTES: usize = 255;
/// The part of a foreign origin that an error repeats.
const MAX_SHOWN_CHARS: usize = 200;
/// The value of `--allow-host` for any name.
const ANY_HOST: &str = "*";

/// Routes of health checkers: they reveal nothing, and are asked by whatever name is at hand.
const HEALTH: &[&str] = &["/healthz", "/readyz"];
/// Routes that are opened as a page, so that a link on another site may lead to them.
const PAGES: &[&str] =
    &["/", "/docs", "/docs/", "/problems", "/problems/{code}", "/compilations/{id}"];

/// The settings that decide, and what is needed to find out whether callers need a key.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    state: AppState,
    hosts: Arc<[String]>,
    origins: Arc<[HeaderValue]>,
}

/// The host that a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Host {
    /// In lower case, without brackets and without the dot of the root.
    name: String,
    is_address: bool,
    port: Option<u16>,
}

impl Rules {
    pub(super) fn new(state: AppState, config: &ServerConfig) -> Self {
        Self {
            state,
            hosts: config.allow_host.as_slice().into(),
            origins: config.cors_origin.as_slice().into(),
        }
    }

    /// Whether a name is safe to serve without a key. An address cannot be pointed elsewhere.
    fn allows(&self, host: &Host) -> bool {
        host.is_address
            || host.name == "localhost"
            || self.hosts.iter().any(|name| *name == host.name || name == ANY_HOST)
    }

    /// Whether a page of another origin asks, which no setting allows.
    fn is_foreign(&self, headers: &HeaderMap, host: &Host) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (Some(origin), None) if self.origins.contains(origin) => return false,
            (Some(origin), None) if !host.is_origin(origin) => return true,
            (Some(_), Some(_)) => return true,
            _ => {}
        }
        // Another port or a subdomain is the same site, and another origin all the same.
        let is_own = |site: &HeaderValue| matches!(site.as_bytes(), b"same-origin" | b"none");
        !headers.get_all(FETCH_SITE).iter().all(is_own)
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        let name_end = if text.starts_with('[') {
            text.find(']')? + 1
        } else {
            text.find(':').unwrap_or(text.len())
        };
        let (name, rest) = text.split_at_checked(name_end)?;
        let port = match rest.strip_prefix(':') {
            Some("") => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            None if rest.is_empty() => None,
            _ => return None,
        };
        if let Some(inner) = name.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Self { name: address.to_string(), is_address: true, port });
        }
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_name = (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(fits);
        let is_address = name.parse::<Ipv4Addr>().is_ok();
        is_name.then_some(Self { name, is_address, port })
    }

    /// The host of a request; else what is wrong with it.
    fn of(request: &Request) -> Result<Self, &'static str> {
        const WRONG: &str = "the host must be a name or an address, with a port or without";
        let mut headers = request.headers().get_all(header::HOST).iter();
        let header = headers.next();
        if headers.next().is_some() {
            return Err("send one `host` header, not several");
        }
        let parse = |text: &str| Self::parse(text).ok_or(WRONG);
        let header =
            header.map(|value| value.to_str().map_err(|_| WRONG).and_then(parse)).transpose()?;
        let target = request.uri().authority().map(|name| parse(name.as_str())).transpose()?;
        // In HTTP/2 the target has it, and the header may be left out.
        let needs_header = request.version() < Version::HTTP_2;
        match (target, header) {
            (Some(target), Some(header)) if target != header => {
                Err("the request's target and its `host` header name different hosts")
            }
            (_, Some(host)) => Ok(host),
            (Some(host), None) if !needs_header => Ok(host),
            _ => Err("the `host` header is missing"),
        }
    }

    /// Whether a page of this origin was loaded from this host. The scheme is not compared: a proxy
    /// in front may end TLS.
    fn is_origin(&self, origin: &HeaderValue) -> bool {
        let parts = origin.to_str().ok().and_then(|text| text.split_once("://"));
        let Some((scheme, Some(origin))) = parts.map(|(scheme, host)| (scheme, Self::parse(host)))
        else {
            return false;
        };
        let usual = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        origin.name == self.name && origin.port.unwrap_or(usual) == self.port.unwrap_or(usual)
    }
}

/// Refuses requests that do not name one host, and hands the host on to [`check`].
pub(super) async fn check_host(mut request: Request, next: Next) -> Response {
    match Host::of(&request) {
        Ok(host) => {
            request.extensions_mut().insert(host);
        }
        // Simple health checkers speak HTTP/1.0, which needs no host.
        Err(_) if request.version() < Version::HTTP_11 && is_one_of(&request, HEALTH) => {}
        Err(detail) => return Problem::with_detail(Kind::InvalidHost, detail).into_response(),
    }
    next.run(request).await
}

/// Refuses names that the server is not known by, and pages of other origins.
pub(super) async fn check(State(rules): State<Rules>, request: Request, next: Next) -> Response {
    if is_one_of(&request, HEALTH) {
        return next.run(request).await;
    }
    let Some(host) = request.extensions().get::<Host>().cloned() else {
        return Problem::new(Kind::InvalidHost).into_response();
    };
    if !rules.allows(&host) {
        match auth::needs_key(&rules.state).await {
            Ok(true) => {}
            Ok(false) => return host_not_allowed(&host).into_response(),
            Err(problem) => return problem.into_response(),
        }
    }
    if rules.is_foreign(request.headers(), &host) && !opens_page(&request) {
        return cross_origin(request.headers().get(header::ORIGIN)).into_response();
    }
    next.run(request).await
}

fn is_one_of(request: &Request, routes: &[&str]) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    path.is_some_and(|path| routes.contains(&path.as_str()))
}

/// Whether the browser opens a page of ours, in a tab and not inside of another page.
fn opens_page(request: &Request) -> bool {
    let says =
        |name: &str, wanted: &str| request.headers().get(name).is_some_and(|value| value == wanted);
    let is_document = !request.headers().contains_key(FETCH_DEST) || says(FETCH_DEST, "document");
    *request.method() == Method::GET
        && says(FETCH_MODE, "navigate")
        && is_document
        && is_one_of(request, PAGES)
}

fn host_not_allowed(host: &Host) -> Problem {
    let detail = format!(
        "this server is not known as `{}`: as long as it needs no key, use its IP address or \
         `localhost`, or start it with --allow-host {} (CONTEXTURE_ALLOW_HOST)",
        host.name, host.name
    );
    Problem::with_detail(Kind::HostNotAllowed, detail)
}

fn cross_origin(origin: Option<&HeaderValue>) -> Problem {
    let origin = origin.map(|origin| String::from_utf8_lossy(origin.as_bytes()));
    let page = match origin.as_deref() {
        None => "a page of another origin".to_owned(),
        Some("null") => "a page without an origin (`null`)".to_owned(),
        Some(origin) => {
            let shown: String = origin.chars().take(MAX_SHOWN_CHARS).collect();
            format!("a page of `{shown}`")
        }
    };
    let detail = format!(
        "{page} may not use this server; --cors-origin (CONTEXTURE_CORS_ORIGIN) allows origins"
    );
    Problem::with_detail(Kind::CrossOrigin, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_a_port_or_without() {
        let rows = [
            ("LocalHost", "localhost", false, None),
            ("localhost.:80", "localhost", false, Some(80)),
            ("a_b.example:", "a_b.example", false, None),
            ("127.0.0.1:8080", "127.0.0.1", true, Some(8080)),
            ("[::1]", "::1", true, None),
            ("[0:0::1]:65535", "::1", true, Some(65_535)),
        ];
        for (text, name, is_address, port) in rows {
            let host = Host { name: name.to_owned(), is_address, port };
            assert_eq!(Host::parse(text), Some(host), "{text}");
        }
        let long = "a".repeat(256);
        for bad in [
            "",
            ".",
            ":80",
            "a b",
            "a/b",
            "user@a",
            "a:b",
            "a:+80",
            "a:65536",
            "a:80:80",
            "::1",
            "[::1",
            "[::1]80",
            "[a]",
            "[fe80::1%25eth0]",
            "a,b",
            "a%00b",
            "\u{e4}",
            &long,
        ] {
            assert_eq!(Host::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_origin_is_ours_where_host_and_port_are_the_same() {
        let is_own = |host: &str, origin: &'static str| {
            Host::parse(host).unwrap().is_origin(&HeaderValue::from_static(origin))
        };
        for (host, origin) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("a.example", "https://a.example"),
            ("A.example:443", "https://a.example"),
            ("a.example", "http://a.example:80"),
            ("[::1]:8080", "http://[::1]:8080"),
        ] {
            assert!(is_own(host, origin), "{host} {origin}");
        }
        for (host, origin) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8081"),
            ("127.0.0.1:8080", "http://127.0.0.1"),
            ("a.example", "http://a.example:8080"),
            ("a.example", "https://b.a.example"),
            ("a.example", "null"),
            ("a.example", "a.example"),
            ("a.example", "file://a.example"),
            ("a.example", "http://a.example/x"),
            ("a.example", "http://a.example@b.example"),
            ("a.example", ""),
        ] {
            assert!(!is_own(host, origin), "{host} {origin}");
        }
    }
}
