//! Reading a path: what it names, and what stands behind its `?`.

use axum::extract::Request;
use axum::http::Uri;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;

use super::problem::Problem;

/// Rows of a page where the query does not say.
const USUAL: u64 = 100;
const MOST: u64 = 1_000;
/// The largest whole number that is taken: beyond it JSON's are not exact.
pub(super) const LARGEST: u64 = 1 << 53;

/// The parameters of a request: every one known, none twice.
#[derive(Debug)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub(super) fn of(uri: &Uri, known: &[&str]) -> Result<Self, Problem> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let given = uri.query().unwrap_or_default();
        for pair in given.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                return Err(Problem::invalid("", "the query is not UTF-8, percent-encoded"));
            };
            if !known.contains(&name.as_str()) {
                let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let detail = format!("unknown parameter `{name}`; this path knows {list}");
                return Err(Problem::invalid("", detail));
            }
            if pairs.iter().any(|(given, _)| *given == name) {
                return Err(Problem::invalid("", format!("the parameter `{name}` stands twice")));
            }
            pairs.push((name, value));
        }
        Ok(Self { pairs })
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// `limit`: the rows of a page.
    pub(super) fn limit(&self) -> Result<usize, Problem> {
        let limit = self.whole("limit")?.unwrap_or(USUAL);
        let limit = usize::try_from(limit).ok().filter(|_| (1..=MOST).contains(&limit));
        limit.ok_or_else(|| {
            Problem::invalid("", format!("the parameter `limit` must be from 1 to {MOST}"))
        })
    }

    /// The name behind which a list goes on, as [`encode_cursor`] wrote it.
    pub(super) fn cursor(&self) -> Result<Option<String>, Problem> {
        let Some(given) = self.get("cursor") else { return Ok(None) };
        let name = decode_cursor(given).filter(|name| !name.is_empty());
        name.map(Some).ok_or_else(no_cursor)
    }

    /// The number behind which a list goes on.
    pub(super) fn number_cursor(&self) -> Result<Option<u64>, Problem> {
        self.whole("cursor").map_err(|_| no_cursor())
    }

    /// One of a closed list of words.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let known = words.iter().find(|(word, _)| *word == value).map(|(_, known)| Some(*known));
        known.ok_or_else(|| {
            let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let list = list.join(", ");
            Problem::invalid("", format!("the parameter `{name}` must be one of {list}"))
        })
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.parse().ok().filter(|number| *number <= LARGEST);
        number.map(Some).ok_or_else(|| {
            let detail =
                format!("the parameter `{name}` must be a whole number from 0 to {LARGEST}");
            Problem::invalid("", detail)
        })
    }
}

/// The fault of a NUL in a path or query; none where there is none. No name, id or text that is
/// looked for holds one, and not every database can compare it. `route` is the path's template.
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

/// What a path names behind its noun, as it stands there. Ids and most names have no character that
/// needs decoding; what cannot be one names nothing.
pub(super) fn name_of(request: &Request) -> &str {
    request.uri().path().split('/').nth(2).unwrap_or_default()
}

/// A part of a path as text; none where it is not UTF-8, percent-encoded.
pub(super) fn decode_path(text: &str) -> Option<String> {
    // In a path a plus is a plus.
    decode(&text.replace('+', "%2B"))
}

/// A cursor's text in letters that need no encoding.
pub(super) fn encode_cursor(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

/// The text of a cursor; none where it is none of ours.
pub(super) fn decode_cursor(text: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// What is said of a cursor that no list gave.
pub(super) fn no_cursor() -> Problem {
    Problem::invalid("", "the parameter `cursor` must be the `next_cursor` of an answer")
}

/// Undoes `%20` and `+`.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, behind) = rest.split_at_checked(2)?;
                let digits = std::str::from_utf8(digits).ok()?;
                if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return None;
                }
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = behind;
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<Query, Problem> {
        Query::of(&format!("/x?{text}").parse().unwrap(), &["a", "b c"])
    }

    #[test]
    fn parameters_are_decoded() {
        let given = query("a=%C3%A4+%26%3d&b%20c").unwrap();
        assert_eq!(given.get("a"), Some("\u{e4} &="));
        assert_eq!(given.get("b c"), Some(""));
        assert_eq!(query("&").unwrap().get("a"), None);
        assert_eq!(query("a=12").unwrap().whole("a").unwrap(), Some(12));
    }

    #[test]
    fn what_is_not_known_twice_or_not_encoded_is_refused() {
        for bad in ["x=1", "a=1&a=1", "a=%", "a=%4", "a=%+4", "a=%ff", "A=1"] {
            assert!(query(bad).is_err(), "{bad}");
        }
        for bad in ["a=", "a=-1", "a=1.5", "a=x"] {
            assert!(query(bad).unwrap().whole("a").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cursor_is_what_a_list_gave() {
        let cursor = |given: &str| {
            let uri = format!("/x?cursor={given}").parse().unwrap();
            Query::of(&uri, &["cursor"]).unwrap().cursor()
        };
        for name in ["a", "\u{e4}/b", "cmp_0199"] {
            assert_eq!(cursor(&encode_cursor(name)).unwrap().as_deref(), Some(name));
        }
        for bad in ["", "x", "zzz", "a%20b", "_w", &encode_cursor("a\0")] {
            assert!(cursor(bad).is_err(), "{bad}");
        }
    }
}
