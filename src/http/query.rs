//! Reads paths and query strings.

use std::borrow::Cow;

use axum::extract::Request;
use axum::http::Uri;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use percent_encoding::percent_decode_str;

use super::problem::Problem;
use crate::json::MAX_WHOLE_NUMBER;

/// Rows of a page if the query has no `limit`.
const DEFAULT_PAGE_ROWS: u64 = 100;
const MAX_PAGE_ROWS: u64 = 1_000;

/// The query parameters of a request. All of them are known, and none is repeated.
#[derive(Debug)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub(super) fn parse(uri: &Uri, parameters: &[&str]) -> Result<Self, Problem> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let text = uri.query().unwrap_or_default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                return Err(Problem::invalid("", "the query is not UTF-8, percent-encoded"));
            };
            if !parameters.contains(&name.as_str()) {
                let list =
                    if parameters.is_empty() { "none".to_owned() } else { parameters.join(", ") };
                let detail = format!("unknown parameter `{name}`; this path knows {list}");
                return Err(Problem::invalid("", detail));
            }
            if pairs.iter().any(|(earlier, _)| *earlier == name) {
                return Err(Problem::invalid("", format!("the parameter `{name}` stands twice")));
            }
            pairs.push((name, value));
        }
        Ok(Self { pairs })
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Reads `limit`, the rows of a page.
    pub(super) fn limit(&self) -> Result<usize, Problem> {
        let limit = self.whole("limit")?.unwrap_or(DEFAULT_PAGE_ROWS);
        let limit = usize::try_from(limit).ok().filter(|_| (1..=MAX_PAGE_ROWS).contains(&limit));
        limit.ok_or_else(|| {
            Problem::invalid("", format!("the parameter `limit` must be from 1 to {MAX_PAGE_ROWS}"))
        })
    }

    /// Reads `cursor`: the name after which a list continues, as [`encode_cursor`] wrote it.
    pub(super) fn cursor(&self) -> Result<Option<String>, Problem> {
        let Some(text) = self.get("cursor") else { return Ok(None) };
        let name = decode_cursor(text).filter(|name| !name.is_empty());
        name.map(Some).ok_or_else(invalid_cursor)
    }

    /// Reads `cursor`: the number after which a list continues.
    pub(super) fn number_cursor(&self) -> Result<Option<u64>, Problem> {
        self.whole("cursor").map_err(|_| invalid_cursor())
    }

    /// Reads a parameter with a closed list of values.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let row = words.iter().find(|(word, _)| *word == value);
        row.map(|(_, choice)| Some(*choice)).ok_or_else(|| {
            let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let list = list.join(", ");
            Problem::invalid("", format!("the parameter `{name}` must be one of {list}"))
        })
    }

    /// Reads a whole number.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.parse().ok().filter(|number| *number <= MAX_WHOLE_NUMBER);
        number.map(Some).ok_or_else(|| {
            let detail = format!(
                "the parameter `{name}` must be a whole number from 0 to {MAX_WHOLE_NUMBER}"
            );
            Problem::invalid("", detail)
        })
    }
}

/// Returns the problem of a NUL in a path or query, if there is one. No stored name, id or text
/// contains a NUL, and not every database can compare it. `route` is the path's template.
pub(super) fn find_nul(uri: &Uri, route: &str) -> Option<Problem> {
    const NUL: &str = "%00";
    let segment = uri.path().split('/').zip(route.split('/')).find(|(text, _)| text.contains(NUL));
    if let Some((_, name)) = segment {
        let detail = format!("the path's `{name}` must not contain the character NUL");
        return Some(Problem::invalid("", detail));
    }
    let query = uri.query().unwrap_or_default();
    let pair = query.split('&').find(|pair| pair.contains(NUL))?;
    let name = pair.split('=').next().and_then(decode).unwrap_or_default();
    let detail =
        format!("the parameter `{}` must not contain the character NUL", name.escape_debug());
    Some(Problem::invalid("", detail))
}

/// Returns the second segment of a path, such as `ID` of `/keys/ID`, without decoding it. Ids and
/// most names have no character that needs decoding; with any other text, nothing is found.
pub(super) fn name_of(request: &Request) -> &str {
    request.uri().path().split('/').nth(2).unwrap_or_default()
}

/// Decodes a part of a path; `None` if it is not percent-encoded UTF-8.
pub(super) fn decode_path(text: &str) -> Option<String> {
    let is_escape = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

/// Encodes the text of a cursor in characters that need no percent-encoding.
pub(super) fn encode_cursor(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

/// Decodes the text of a cursor; `None` if [`encode_cursor`] did not write it.
pub(super) fn decode_cursor(text: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// Returns the problem of a cursor that no list returned.
pub(super) fn invalid_cursor() -> Problem {
    Problem::invalid("", "the parameter `cursor` must be the `next_cursor` of an answer")
}

/// Decodes a part of a query: percent-encoding, and `+` for a space.
fn decode(text: &str) -> Option<String> {
    decode_path(&text.replace('+', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<Query, Problem> {
        Query::parse(&format!("/x?{text}").parse().unwrap(), &["a", "b c"])
    }

    #[test]
    fn parameters_are_decoded() {
        let parsed = query("a=%C3%A4+%26%3d&b%20c").unwrap();
        assert_eq!(parsed.get("a"), Some("\u{e4} &="));
        assert_eq!(parsed.get("b c"), Some(""));
        assert_eq!(query("&").unwrap().get("a"), None);
        assert_eq!(query("a=12").unwrap().whole("a").unwrap(), Some(12));
    }

    #[test]
    fn unknown_repeated_and_unencoded_parameters_are_refused() {
        for bad in ["x=1", "a=1&a=1", "a=%", "a=%4", "a=%+4", "a=%ff", "A=1"] {
            assert!(query(bad).is_err(), "{bad}");
        }
        for bad in ["a=", "a=-1", "a=1.5", "a=x"] {
            assert!(query(bad).unwrap().whole("a").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cursor_is_one_that_a_list_returned() {
        let cursor = |text: &str| {
            let uri = format!("/x?cursor={text}").parse().unwrap();
            Query::parse(&uri, &["cursor"]).unwrap().cursor()
        };
        for name in ["a", "\u{e4}/b", "cmp_0199"] {
            assert_eq!(cursor(&encode_cursor(name)).unwrap().as_deref(), Some(name));
        }
        for bad in ["", "x", "zzz", "a%20b", "_w", &encode_cursor("a\0")] {
            assert!(cursor(bad).is_err(), "{bad}");
        }
    }
}
