//! Answers that repeat a secret of their hook, which would get into a prompt, a record or a log.

use std::borrow::Cow;

use secrecy::ExposeSecret as _;

use crate::hook::Endpoint;

/// Bytes of the shortest secret, or part of one, that is looked for: a shorter one is in many texts by
/// chance.
const MIN_SECRET_BYTES: usize = 8;
/// How often a text may be written as JSON inside of JSON.
const MAX_ESCAPE_LEVELS: usize = 4;

/// Whether an answer contains a secret of the hook, written as it is or with the escapes of JSON, or
/// ends in the middle of one, since a long answer is cut.
pub(super) fn leaks(endpoint: &Endpoint, answer: &str) -> bool {
    let mut text = Cow::Borrowed(answer);
    for _ in 0..MAX_ESCAPE_LEVELS {
        if shows_secret(endpoint, &text) {
            return true;
        }
        match unescape(&text) {
            Some(plain) => text = Cow::Owned(plain),
            None => return false,
        }
    }
    shows_secret(endpoint, &text)
}

fn shows_secret(endpoint: &Endpoint, text: &str) -> bool {
    let header = endpoint.headers.iter().any(|(_, value)| {
        let value = value.expose_secret();
        // The secret is the part after `Bearer`.
        shows(text, value) || value.split_once(' ').is_some_and(|(_, token)| shows(text, token))
    });
    header || endpoint.secrets.list().iter().any(|live| shows(text, &live.secret.reveal()))
}

fn shows(text: &str, secret: &str) -> bool {
    let ends_inside = || {
        let lengths = MIN_SECRET_BYTES..secret.len();
        lengths.filter_map(|length| secret.get(..length)).any(|part| text.ends_with(part))
    };
    secret.len() >= MIN_SECRET_BYTES && (text.contains(secret) || ends_inside())
}

/// The text with the escapes of JSON strings replaced, wherever they are; none if it has none.
fn unescape(text: &str) -> Option<String> {
    let mut rest = text;
    let mut plain = String::new();
    while let Some(at) = rest.find('\\') {
        plain.push_str(rest.get(..at)?);
        let escape = rest.get(at + 1..)?;
        let mut characters = escape.chars();
        let Some(kind) = characters.next() else {
            rest = escape;
            break;
        };
        let code = escape.get(1..5).filter(|_| kind == 'u');
        let code = code.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(code) = code {
            plain.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = escape.get(5..)?;
            continue;
        }
        plain.push(match kind {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            other => other,
        });
        rest = characters.as_str();
    }
    (rest.len() < text.len()).then(|| plain + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_json_are_replaced_once() {
        let of = |text| unescape(text);
        assert_eq!(of("plain"), None);
        assert_eq!(of(r#"a\/b\"c\\d"#).as_deref(), Some(r#"a/b"c\d"#));
        assert_eq!(of("\\u0061b\\u00e9\\ud800 \\u12").as_deref(), Some("ab\u{e9}\u{fffd} u12"));
        assert_eq!(of("ends\\").as_deref(), Some("ends"));
    }

    #[test]
    fn a_text_that_ends_inside_a_secret_shows_it() {
        assert!(shows("a swordfish-12", "swordfish-1"));
        assert!(shows("a swordfis", "swordfish-1"));
        assert!(!shows("a swordfi", "swordfish-1") && !shows("a swordfis.", "swordfish-1"));
        assert!(!shows("short", "short"));
    }
}
