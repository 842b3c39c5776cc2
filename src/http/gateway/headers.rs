//! Which headers pass through the gateway: all but those of one connection, and our own.

use axum::http::{HeaderMap, HeaderName, header};

/// Beginnings of the names of our own headers.
const OWN: &[&str] = &["x-contexture-", "contexture-", "x-headroom-"];

/// Headers of one connection (RFC 9110 §7.6.1, and those of older proxies).
const HOP_BY_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers of a request that the client of the upstream writes itself.
const OF_CLIENT: &[&str] = &["host", "expect", "proxy-authorization"];

/// Removes from a request what is not for the upstream.
pub(super) fn strip_request(headers: &mut HeaderMap) {
    strip_hops(headers);
    for name in OF_CLIENT {
        headers.remove(*name);
    }
    remove_own(headers);
}

/// Removes from a response what is of the connection to the upstream alone.
pub(super) fn strip_response(headers: &mut HeaderMap) {
    strip_hops(headers);
}

fn strip_hops(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(*name);
    }
}

fn remove_own(headers: &mut HeaderMap) {
    let is_own = |name: &&HeaderName| OWN.iter().any(|start| name.as_str().starts_with(start));
    let own: Vec<HeaderName> = headers.keys().filter(is_own).cloned().collect();
    for name in own {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(pairs: &[(&'static str, &'static str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        strip_request(&mut headers);
        headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn headers_pass_but_for_those_of_the_connection_and_our_own() {
        let kept = stripped(&[
            ("authorization", "Bearer sk-1"),
            ("x-api-key", "sk-2"),
            ("anthropic-beta", "a,b"),
            ("anthropic-beta", "c"),
            ("connection", "keep-alive, x-hop"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("host", "localhost:8080"),
            ("expect", "100-continue"),
            ("x-contexture-key", "ctx_1"),
            ("x-contexture-mode", "off"),
            ("contexture-deadline-ms", "5"),
            ("x-headroom-proxy-token", "ctx_2"),
            ("content-length", "5"),
        ]);
        assert_eq!(
            kept,
            [
                "authorization: Bearer sk-1",
                "x-api-key: sk-2",
                "anthropic-beta: a,b",
                "anthropic-beta: c",
                "content-length: 5",
            ]
        );
    }
}
