//! The address of a server, and why a request to it has no response.

use std::error::Error;
use std::io;

use hyper::Uri;
use hyper_util::client::legacy;

use crate::config::local_port;

/// Reads the address of a server: a URL, a host with or without a port, or a port of this machine.
pub(super) fn server_url(text: &str) -> Result<Uri, String> {
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let url = match local_port(text) {
        // A name is kept, because a server may listen at its IPv6 address alone.
        Some(port) if !text.starts_with("localhost") => format!("http://127.0.0.1:{port}"),
        _ if is_port(text.strip_prefix(':').unwrap_or(text)) => return Err(wrong_port()),
        _ if text.contains("://") => text.to_owned(),
        _ => format!("http://{text}"),
    };
    let uri: Uri = url.parse().map_err(|error| format!("{error}"))?;
    let wrong = || "must be the address of a server, such as http://127.0.0.1:8080".to_owned();
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(wrong());
    };
    if authority.host().is_empty() {
        return Err(wrong());
    }
    let port = authority.as_str().rsplit_once(authority.host()).map_or("", |(_, port)| port);
    let port = port.strip_prefix(':').unwrap_or_default();
    if !port.is_empty() && !port.parse::<u16>().is_ok_and(|port| port > 0) {
        return Err(wrong_port());
    }
    Ok(uri)
}

fn wrong_port() -> String {
    "the port must be a number from 1 to 65535".to_owned()
}

/// The address as it is shown: without a user and a password.
pub(super) fn shown_address(server: &Uri) -> String {
    let text = server.to_string();
    let user = server.authority().and_then(|own| own.as_str().rsplit_once('@'));
    let text = match user {
        Some((user, _)) => text.replacen(&format!("{user}@"), "", 1),
        None => text,
    };
    text.trim_end_matches('/').to_owned()
}

/// Says why a request to a server has no response.
pub(super) fn describe_failure(server: &Uri, error: &legacy::Error) -> String {
    let address = shown_address(server);
    if error.is_connect() {
        return describe_connect_failure(server, &address, error);
    }
    if find::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
        let advice = match server.scheme_str() {
            Some("http") => ": if it expects TLS, name it with https:// (--server, CONTEXTURE_URL)",
            _ => "",
        };
        return format!("{address} does not respond in HTTP{advice}");
    }
    format!("{address} closed the connection before it responded")
}

/// Whether nothing accepts connections at the address.
pub(super) fn is_refused(error: &legacy::Error) -> bool {
    let kind = find::<io::Error>(error).map(io::Error::kind);
    error.is_connect() && kind == Some(io::ErrorKind::ConnectionRefused)
}

fn describe_connect_failure(server: &Uri, address: &str, error: &legacy::Error) -> String {
    // The resolver's own error differs by system; the connector names its step in these words.
    if causes(error).any(|cause| cause.to_string() == "dns error") {
        let host = server.host().unwrap_or_default();
        return format!("no address is known for the name {host} (--server, CONTEXTURE_URL)");
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return match tls {
            rustls::Error::InvalidMessage(_) => no_tls(address),
            tls => format!("no TLS connection to {address}: {tls}"),
        };
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => format!(
            "no server answers at {address}: start one with `contexture serve`, or name another \
             with --server or CONTEXTURE_URL"
        ),
        Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
            if server.scheme_str() == Some("https") =>
        {
            no_tls(address)
        }
        _ => {
            let cause = causes(error).last().map(ToString::to_string).unwrap_or_default();
            format!("no connection to {address}: {cause}")
        }
    }
}

fn no_tls(address: &str) -> String {
    format!("{address} does not speak TLS: name it with http:// (--server, CONTEXTURE_URL)")
}

/// An error and its causes, with those that an [`io::Error`] contains.
fn causes<'e>(error: &'e legacy::Error) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error as &'e (dyn Error + 'static)), |error| {
        let error: &'e (dyn Error + 'static) = *error;
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.map(|inner| inner as &'e (dyn Error + 'static)).or_else(|| error.source())
    })
}

/// The innermost cause of a type.
fn find<E: Error + 'static>(error: &legacy::Error) -> Option<&E> {
    causes(error).filter_map(|cause| cause.downcast_ref()).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_with_or_without_a_scheme() {
        let read = |text: &str| server_url(text).map(|uri| uri.to_string());
        assert_eq!(read("127.0.0.1:8080").unwrap(), "http://127.0.0.1:8080/");
        assert_eq!(read("localhost").unwrap(), "http://localhost/");
        assert_eq!(read("[::1]:80").unwrap(), "http://[::1]:80/");
        assert_eq!(read("[::1]").unwrap(), "http://[::1]/");
        assert_eq!(read("https://ctx.example/base/").unwrap(), "https://ctx.example/base/");
        for text in ["", "ftp://example.com", "http://", "http:///x", "a b"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let shown = |text| shown_address(&server_url(text).unwrap());
        assert_eq!(shown("http://u:PW@a.example:8080/x/"), "http://a.example:8080/x");
        assert_eq!(shown("u:PW@a.example"), "http://a.example");
        assert_eq!(shown("a.example"), "http://a.example");
    }

    #[test]
    fn a_bare_port_is_one_of_this_machine() {
        for text in ["18400", ":18400", "127.0.0.1:18400"] {
            assert_eq!(server_url(text).unwrap(), "http://127.0.0.1:18400/", "{text}");
        }
    }

    #[test]
    fn a_port_that_is_none_is_refused_as_one() {
        for text in
            ["70000", ":70000", "localhost:70000", "https://a.example:65536/x", "[::1]:0", "0"]
        {
            assert_eq!(server_url(text), Err(wrong_port()), "{text}");
        }
    }
}
