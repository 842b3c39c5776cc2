//! Finds the end of a text in quotes, by the two rules that formats have for a quote inside of it.

/// The byte after the text in quotes at the head of some bytes, if a quote inside of it is written
/// twice: a field of CSV, a value of YAML in single quotes.
pub(crate) fn doubled_quote_end(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        at += memchr::memchr(quote, bytes.get(at..)?)? + 1;
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// The same if a backslash is before a quote inside of it: a string of JSON, a value of YAML in
/// double quotes.
pub(crate) fn escaped_quote_end(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)? + 1;
        if bytes.get(at - 1) == Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// The byte after the value of YAML in quotes, single or double, at the head of some bytes.
pub(crate) fn yaml_quote_end(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'"' => escaped_quote_end(bytes),
        _ => doubled_quote_end(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_end_where_they_close() {
        for (text, end) in [
            (r#""a"b"#, Some(3)),
            (r#""a""b"c"#, Some(6)),
            (r#""""#, Some(2)),
            (r#"""""#, None),
            (r#""a\"b"#, Some(4)),
            ("\"", None),
            ("", None),
        ] {
            assert_eq!(doubled_quote_end(text.as_bytes()), end, "{text}");
        }
        for (text, end) in [
            (r#""a"b"#, Some(3)),
            (r#""a\"b"c"#, Some(6)),
            (r#""a\\"b"#, Some(5)),
            (r#""a\"#, None),
        ] {
            assert_eq!(escaped_quote_end(text.as_bytes()), end, "{text}");
        }
        assert_eq!(yaml_quote_end(br"'it''s \' a"), Some(9));
        assert_eq!(yaml_quote_end(br#""it\"s" a"#), Some(7));
    }
}
