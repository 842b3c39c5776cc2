//! Values by their text, if a document quotes them by one rule.
//!
//! The rule: a value that holds a blank or a mark, or that would read as something else than text,
//! is in single quotes, or in double quotes if it holds a single one; all others are
//! bare. A value that was in another way has a backslash before it.

use std::borrow::Cow;

/// The sign before a value that is shown as it was.
const VERBATIM_SIGN: char = '\\';

/// The text that shows the value `raw`, and whether it follows the rule.
pub(super) fn show_value(raw: &str) -> (Cow<'_, str>, bool) {
    let text = match raw.as_bytes() {
        [b'\'', inner @ .., b'\''] if !inner.contains(&b'\'') => raw.get(1..raw.len() - 1),
        [b'"', inner @ .., b'"'] if !inner.contains(&b'"') && !inner.contains(&b'\\') => {
            raw.get(1..raw.len() - 1)
        }
        _ => Some(raw),
    };
    match text {
        Some(text) if !text.starts_with(VERBATIM_SIGN) && write_value(text) == raw => {
            (text.into(), true)
        }
        _ => (format!("{VERBATIM_SIGN}{raw}").into(), false),
    }
}

/// Writes a value from the text that [`show_value`] made.
pub(super) fn write_value(text: &str) -> Cow<'_, str> {
    if let Some(raw) = text.strip_prefix(VERBATIM_SIGN) {
        return raw.into();
    }
    if !needs_quotes(text) {
        return text.into();
    }
    let quote = if text.contains('\'') { '"' } else { '\'' };
    format!("{quote}{text}{quote}").into()
}

fn needs_quotes(text: &str) -> bool {
    const WORDS: [&str; 8] = ["true", "false", "null", "~", "yes", "no", "on", "off"];
    let mark = |byte: u8| {
        matches!(
            byte,
            b' ' | b','
                | b':'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'#'
                | b'&'
                | b'*'
                | b'!'
                | b'|'
                | b'>'
                | b'%'
                | b'@'
                | b'\''
                | b'"'
                | b'`'
        )
    };
    let bare = text.strip_prefix(['+', '-', '.']).unwrap_or(text);
    let is_number = bare.starts_with(|first: char| first.is_ascii_digit())
        && bare.bytes().all(|byte| byte.is_ascii_digit() || b"+-._:eExX".contains(&byte));
    text.is_empty()
        || is_number
        || text.bytes().any(mark)
        || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_rule_stands_without_quotes() {
        for (raw, text) in [
            ("'Aruban florin'", "Aruban florin"),
            ("\"Saint John's\"", "Saint John's"),
            ("'533'", "533"),
            ("'+2'", "+2"),
            ("''", ""),
            (".aw", ".aw"),
            ("'no'", "no"),
        ] {
            assert_eq!(show_value(raw), (text.into(), true));
            assert_eq!(write_value(text), raw);
        }
        for raw in
            ["two words", "'bare'", "\"a b\"", "'it''s'", "\\x", "'", "\"", "12", "\"\\n it's\""]
        {
            let (text, follows) = show_value(raw);
            assert!(!follows && text == format!("\\{raw}") && write_value(&text) == raw, "{raw}");
        }
    }
}
