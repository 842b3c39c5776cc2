//! The cookie of the console: what signs a browser in after it has sent its key once.
//!
//! The cookie holds a token that only this server knows, no key. Scripts cannot read it, and browsers
//! do not send it with requests of other sites. A page on another port of this host is the same site,
//! so requests that change something need a header, too, which such a page can neither read nor send.

use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::problem::{Kind, Problem};
use crate::domain::ContentHash;
use crate::service::console_sessions::CONSOLE_SESSION_TTL;

const NAME: &str = "contexture-console";
/// The header with the token that requests which change something need.
pub(super) const CSRF_HEADER: &str = "contexture-csrf";

/// The token in a request's cookie.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionCookie<'r>(pub(super) &'r str);

impl<'r> SessionCookie<'r> {
    /// Reads the first cookie of this name.
    pub(super) fn read(headers: &'r HeaderMap) -> Option<Self> {
        let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
        let mut tokens = pairs.filter(|(name, _)| name.trim() == NAME);
        tokens.next().map(|(_, token)| Self(token.trim())).filter(|found| !found.0.is_empty())
    }

    /// The token that a request with this cookie proves itself by. It does not reveal the cookie.
    pub(super) fn csrf_token(self) -> String {
        ContentHash::of(&format!("csrf:{}", self.0)).to_string()
    }

    /// Refuses a request that may change something and lacks the header.
    pub(super) fn check(self, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
        if method.is_safe() {
            return Ok(());
        }
        let given = headers.get(CSRF_HEADER).map(HeaderValue::as_bytes);
        // Both are hashes of a secret, so the time of the comparison reveals nothing of use.
        if given == Some(self.csrf_token().as_bytes()) {
            return Ok(());
        }
        let detail = format!(
            "a request with the console's cookie that changes something needs `{CSRF_HEADER}`, \
             which `GET /console/session` returns"
        );
        Err(Problem::with_detail(Kind::Forbidden, detail))
    }

    /// Returns the header that sets the cookie. `is_https`: whether the page came over TLS.
    pub(super) fn set(self, is_https: bool) -> Option<HeaderValue> {
        let seconds = CONSOLE_SESSION_TTL.as_secs();
        let secure = if is_https { "; Secure" } else { "" };
        let token = self.0;
        HeaderValue::from_str(&format!(
            "{NAME}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        ))
        .ok()
    }

    /// Returns the header that removes the cookie.
    pub(super) fn removal() -> HeaderValue {
        HeaderValue::from_static(
            "contexture-console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others() {
        let read = |texts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for text in texts {
                headers.append(header::COOKIE, HeaderValue::from_static(text));
            }
            SessionCookie::read(&headers).map(|cookie| cookie.0.to_owned())
        };
        assert_eq!(read(&["a=b; contexture-console=t ;c=d"]).as_deref(), Some("t"));
        assert_eq!(read(&["a=b", "contexture-console=t"]).as_deref(), Some("t"));
        for none in [&["a=b"][..], &["contexture-console="], &["xcontexture-console=t"], &[]] {
            assert_eq!(read(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_request_that_changes_something_needs_the_header() {
        let cookie = SessionCookie("token");
        let mut headers = HeaderMap::new();
        assert!(cookie.check(&Method::GET, &headers).is_ok());
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(cookie.check(&method, &headers).is_err());
        }
        headers.insert(CSRF_HEADER, HeaderValue::from_str(&cookie.csrf_token()).unwrap());
        assert!(cookie.check(&Method::POST, &headers).is_ok());
        assert!(SessionCookie("other").check(&Method::POST, &headers).is_err());
    }
}
