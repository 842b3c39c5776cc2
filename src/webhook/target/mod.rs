//! Checks the URLs of hooks. The addresses of a name are checked when it is called.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::address::Policy;

const MAX_URL_BYTES: usize = 2048;
/// The lowest port that is not one of the well-known services.
const MIN_FREE_PORT: u16 = 1024;

impl Policy {
    /// Returns the URL in its final form, or what is wrong with it. A literal address is checked
    /// now; a name is checked by its addresses with each call.
    pub fn check_url(&self, text: &str) -> Result<String, String> {
        if text.len() > MAX_URL_BYTES {
            return Err(format!("must be at most {MAX_URL_BYTES} bytes"));
        }
        let url = Url::parse(text).map_err(|error| format!("is no URL: {error}"))?;
        let is_https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err("must be an https URL".to_owned()),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a user or password: use `headers`".to_owned());
        }
        if url.fragment().is_some() {
            return Err("must not hold a fragment".to_owned());
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if !matches!(port, 80 | 443) && port < MIN_FREE_PORT {
            return Err(format!("must use port 80, 443, or one from {MIN_FREE_PORT}"));
        }
        for address in addresses(&url)? {
            self.check(address, port, is_https).map_err(|blocked| blocked.to_string())?;
        }
        if !is_https && !self.allows_http() {
            return Err("must be an https URL".to_owned());
        }
        Ok(url.into())
    }
}

/// The addresses that a URL contains, or means to any reader; `None` for other names.
fn addresses(url: &Url) -> Result<Vec<IpAddr>, String> {
    Ok(match url.host() {
        Some(Host::Ipv4(address)) => vec![address.into()],
        Some(Host::Ipv6(address)) => vec![address.into()],
        Some(Host::Domain(name)) => local(name).unwrap_or_default(),
        None => return Err("must name a host".to_owned()),
    })
}

/// The addresses of `localhost` and names below it, regardless of name servers (RFC 6761).
pub(super) fn local(name: &str) -> Option<Vec<IpAddr>> {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let is_local = name == "localhost" || name.ends_with(".localhost");
    is_local.then(|| vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
}

#[cfg(test)]
mod tests;
