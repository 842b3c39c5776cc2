//! Checks the host name of each request, and the origin of the web page that sent it.
//!
//! A browser sends the requests of any page to any server that its machine can reach. A page cannot
//! choose the headers `host`, `origin` and `sec-fetch-site`, so they are checked. `host` stops DNS
//! rebinding: a name that is pointed at this machine after its page was loaded, so that the browser
//! treats the page as one of this server. The other two headers stop pages of every other origin.

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
/// Length of the longest DNS name.
const MAX_NAME_BYTES: usize = 255;
/// Characters of a foreign origin that an error message quotes.
const MAX_SHOWN_CHARS: usize = 200;
/// The value of `--allow-host` for any name.
const ANY_HOST: &str = "*";

/// Routes of health checks. They reveal nothing, and are requested by any host name.
pub(super) const HEALTH: &[&str] = &["/healthz", "/readyz"];
/// Routes that browsers open as pages, so links on other sites may lead to them.
const PAGES: &[&str] = &[
    "/",
    "/docs",
    "/docs/",
    "/docs/guide",
    "/docs/guide/",
    "/docs/guide/{file}",
    "/problems",
    "/problems/{code}",
    "/compilations/{id}",
];

/// The settings of the checks, and the state that shows whether callers need a key.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    state: AppState,
    hosts: Arc<[String]>,
    origins: Arc<[HeaderValue]>,
}

/// The host that a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Host {
    /// In lower case, without brackets and without a final dot.
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

    /// Checks whether a host may be served without a key. An IP address may, because DNS cannot
    /// point it to another machine.
    fn allows(&self, host: &Host) -> bool {
        host.is_address
            || host.name == "localhost"
            || self.hosts.iter().any(|name| *name == host.name || name == ANY_HOST)
    }

    /// Checks whether the request comes from a page of another origin that no setting allows.
    fn is_foreign(&self, headers: &HeaderMap, host: &Host) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (Some(origin), None) if self.origins.contains(origin) => return false,
            (Some(origin), None) if !host.is_origin(origin) => return true,
            (Some(_), Some(_)) => return true,
            _ => {}
        }
        // `same-site` is not enough: another port or a subdomain is another origin.
        let is_same_origin =
            |site: &HeaderValue| matches!(site.as_bytes(), b"same-origin" | b"none");
        !headers.get_all(FETCH_SITE).iter().all(is_same_origin)
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

    /// Reads the host of a request. The error is the detail of the problem.
    fn read(request: &Request) -> Result<Self, &'static str> {
        const MALFORMED: &str = "the host must be a name or an address, with a port or without";
        let mut headers = request.headers().get_all(header::HOST).iter();
        let header = headers.next();
        if headers.next().is_some() {
            return Err("send one `host` header, not several");
        }
        let parse = |text: &str| Self::parse(text).ok_or(MALFORMED);
        let header = header
            .map(|value| value.to_str().map_err(|_| MALFORMED).and_then(parse))
            .transpose()?;
        let target = request.uri().authority().map(|name| parse(name.as_str())).transpose()?;
        // In HTTP/2 the target contains the host, so the header is optional.
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

    /// Checks whether a page of this origin was loaded from this host. The scheme is not compared,
    /// because a proxy in front may end TLS.
    fn is_origin(&self, origin: &HeaderValue) -> bool {
        let parts = origin.to_str().ok().and_then(|text| text.split_once("://"));
        let Some((scheme, Some(origin))) = parts.map(|(scheme, host)| (scheme, Self::parse(host)))
        else {
            return false;
        };
        let default_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        origin.name == self.name
            && origin.port.unwrap_or(default_port) == self.port.unwrap_or(default_port)
    }
}

/// Refuses requests without exactly one valid host, and stores the host in the request for
/// [`check`].
pub(super) async fn check_host(mut request: Request, next: Next) -> Response {
    match Host::read(&request) {
        Ok(host) => {
            request.extensions_mut().insert(host);
        }
        // Simple health checkers speak HTTP/1.0, which needs no host.
        Err(_) if request.version() < Version::HTTP_11 && is_one_of(&request, HEALTH) => {}
        Err(detail) => return Problem::with_detail(Kind::InvalidHost, detail).into_response(),
    }
    next.run(request).await
}

/// Refuses host names that are not allowed without a key, and pages of other origins.
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

/// Checks whether a browser opens a page of this server in a tab, not inside of another page.
fn opens_page(request: &Request) -> bool {
    let has =
        |name: &str, wanted: &str| request.headers().get(name).is_some_and(|value| value == wanted);
    let is_document = !request.headers().contains_key(FETCH_DEST) || has(FETCH_DEST, "document");
    *request.method() == Method::GET
        && has(FETCH_MODE, "navigate")
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
    fn an_origin_is_ours_if_host_and_port_are_the_same() {
        let is_same = |host: &str, origin: &'static str| {
            Host::parse(host).unwrap().is_origin(&HeaderValue::from_static(origin))
        };
        for (host, origin) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("a.example", "https://a.example"),
            ("A.example:443", "https://a.example"),
            ("a.example", "http://a.example:80"),
            ("[::1]:8080", "http://[::1]:8080"),
        ] {
            assert!(is_same(host, origin), "{host} {origin}");
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
            assert!(!is_same(host, origin), "{host} {origin}");
        }
    }
}
