//! The tags of a page and the text between them. What is no tag is text; a tag, a comment or a
//! script that nothing closes makes text of the rest, so that each byte is looked at once or twice.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HtmlToken {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
    /// Of a tag's name.
    pub(super) name: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Text,
    Open,
    Close,
    /// A comment.
    Comment,
    /// A declaration or an instruction.
    Declaration,
    /// Text from a mark on that nothing closes.
    Rest,
}

/// The tokens of a page, without gaps.
pub(super) fn tokens(text: &str) -> Vec<HtmlToken> {
    /// Bytes of a token, about.
    const DEFAULT_TOKEN_BYTES: usize = 32;
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(text.len() / DEFAULT_TOKEN_BYTES);
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        let start = at + found;
        let token = match token(bytes, start) {
            ScanStep::Token(token) => token,
            ScanStep::Text => {
                at = start + 1;
                continue;
            }
            ScanStep::Open => {
                push_text(&mut tokens, TokenKind::Text, from..start);
                push_text(&mut tokens, TokenKind::Rest, start..bytes.len());
                return tokens;
            }
        };
        push_text(&mut tokens, TokenKind::Text, from..start);
        let raw = raw_end(bytes, &token);
        from = token.range.end;
        tokens.push(token);
        if let Some(end) = raw {
            push_text(&mut tokens, TokenKind::Text, from..end);
            from = end;
        }
        at = from;
    }
    push_text(&mut tokens, TokenKind::Text, from..bytes.len());
    tokens
}

fn push_text(tokens: &mut Vec<HtmlToken>, kind: TokenKind, range: Range<usize>) {
    if !range.is_empty() {
        let name = range.start..range.start;
        tokens.push(HtmlToken { kind, range, name });
    }
}

enum ScanStep {
    Token(HtmlToken),
    /// The bracket is text.
    Text,
    /// Nothing closes it.
    Open,
}

fn token(bytes: &[u8], start: usize) -> ScanStep {
    let rest = bytes.get(start..).unwrap_or_default();
    let aside = |kind, length: Option<usize>| match length {
        Some(length) => {
            let range = start..start + length;
            ScanStep::Token(HtmlToken { kind, range, name: start..start })
        }
        None => ScanStep::Open,
    };
    match rest {
        [b'<', b'!', b'-', b'-', after @ ..] => {
            aside(TokenKind::Comment, memchr::memmem::find(after, b"-->").map(|end| end + 7))
        }
        [b'<', b'!' | b'?', ..] => {
            aside(TokenKind::Declaration, memchr::memchr(b'>', rest).map(|end| end + 1))
        }
        [b'<', b'/', first, ..] if first.is_ascii_alphabetic() => {
            tag(bytes, start, TokenKind::Close)
        }
        [b'<', first, ..] if first.is_ascii_alphabetic() => tag(bytes, start, TokenKind::Open),
        _ => ScanStep::Text,
    }
}

fn tag(bytes: &[u8], start: usize, kind: TokenKind) -> ScanStep {
    let head = start + if kind == TokenKind::Close { 2 } else { 1 };
    let rest = bytes.get(head..).unwrap_or_default();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let Some(length) = rest.iter().position(ends) else { return ScanStep::Open };
    let name = head..head + length;
    let mut at = name.end;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(next) = memchr::memchr3(b'>', b'"', b'\'', rest) else { return ScanStep::Open };
        let mark = rest.get(next).copied().unwrap_or_default();
        at += next + 1;
        if mark == b'>' {
            return ScanStep::Token(HtmlToken { kind, range: start..at, name });
        }
        // A quote opens a value after `=` only.
        let head = bytes.get(..at - 1).unwrap_or_default().trim_ascii_end();
        if head.ends_with(b"=") && head.len() > name.end {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(close) = memchr::memchr(mark, rest) else { return ScanStep::Open };
            at += close + 1;
        }
    }
}

/// End of the text of a script or of a style, which holds no tags.
fn raw_end(bytes: &[u8], token: &HtmlToken) -> Option<usize> {
    let name = bytes.get(token.name.clone())?;
    let is_raw = [&b"script"[..], b"style"].iter().any(|raw| raw.eq_ignore_ascii_case(name));
    if token.kind != TokenKind::Open || !is_raw {
        return None;
    }
    let from = token.range.end;
    let rest = bytes.get(from..)?;
    let closes = |at: &usize| {
        let head = rest.get(at + 2..at + 2 + name.len());
        rest.get(at + 1) == Some(&b'/') && head.is_some_and(|head| head.eq_ignore_ascii_case(name))
    };
    Some(from + memchr::memchr_iter(b'<', rest).find(closes).unwrap_or(rest.len()))
}

/// An attribute with the blanks before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HtmlAttribute {
    pub(super) range: Range<usize>,
    pub(super) name: Range<usize>,
    /// Without its quotes.
    pub(super) value: Range<usize>,
}

/// The attributes of a tag.
pub(super) fn attributes(text: &str, tag: &HtmlToken) -> Vec<HtmlAttribute> {
    let bytes = text.as_bytes().get(..tag.range.end.saturating_sub(1)).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = tag.name.end;
    while at < bytes.len() {
        let start = at;
        at = skip(bytes, at, |byte| byte.is_ascii_whitespace() || byte == b'/');
        let name_start = at;
        // An equals sign may begin a name.
        at = skip(bytes, at + 1, |byte| {
            !(byte.is_ascii_whitespace() || matches!(byte, b'=' | b'/'))
        });
        if name_start >= bytes.len() {
            break;
        }
        let name = name_start..at.min(bytes.len());
        let equals = skip(bytes, at, |byte| byte.is_ascii_whitespace());
        let mut value = name.end..name.end;
        at = name.end;
        if bytes.get(equals) == Some(&b'=') {
            let from = skip(bytes, equals + 1, |byte| byte.is_ascii_whitespace());
            let rest = bytes.get(from..).unwrap_or_default();
            (value, at) = if let Some(mark @ (b'"' | b'\'')) = rest.first() {
                let length = memchr::memchr(*mark, rest.get(1..).unwrap_or_default());
                let end = length.map_or(bytes.len(), |length| from + 1 + length);
                (from + 1..end, (end + 1).min(bytes.len()))
            } else {
                let end = skip(bytes, from, |byte| !byte.is_ascii_whitespace());
                (from..end, end)
            };
        }
        found.push(HtmlAttribute { range: start..at, name, value });
    }
    found
}

fn skip(bytes: &[u8], from: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    (from + rest.iter().take_while(|byte| holds(**byte)).count()).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<(TokenKind, &str)> {
        tokens(text).into_iter().map(|token| (token.kind, &text[token.range])).collect()
    }

    fn pairs(tag: &str) -> Vec<(&str, &str)> {
        let token = tokens(tag).remove(0);
        let attributes = attributes(tag, &token);
        attributes.into_iter().map(|found| (&tag[found.name], &tag[found.value])).collect()
    }

    #[test]
    fn tags_end_behind_their_values() {
        assert_eq!(
            of(
                "<!DOCTYPE html><a href='x>y' b=\">\">1 < 2</a><!-- <b> --><script>a<b>'</SCRIPT ><br/>don't"
            ),
            [
                (TokenKind::Declaration, "<!DOCTYPE html>"),
                (TokenKind::Open, "<a href='x>y' b=\">\">"),
                (TokenKind::Text, "1 < 2"),
                (TokenKind::Close, "</a>"),
                (TokenKind::Comment, "<!-- <b> -->"),
                (TokenKind::Open, "<script>"),
                (TokenKind::Text, "a<b>'"),
                (TokenKind::Close, "</SCRIPT >"),
                (TokenKind::Open, "<br/>"),
                (TokenKind::Text, "don't"),
            ]
        );
        assert_eq!(of("a<b c"), [(TokenKind::Text, "a"), (TokenKind::Rest, "<b c")]);
        assert_eq!(of("<b><!-- x"), [(TokenKind::Open, "<b>"), (TokenKind::Rest, "<!-- x")]);
    }

    #[test]
    fn attributes_are_read_as_browsers_read_them() {
        assert_eq!(
            pairs("<a href=\"x y\" b='1' c = d e=f/g h i=''/>"),
            [("href", "x y"), ("b", "1"), ("c", "d"), ("e", "f/g"), ("h", ""), ("i", "")]
        );
        assert_eq!(pairs("<a>"), []);
        assert_eq!(pairs("<br / >"), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn tokens_tile_any_text(text in "([<>/!?a-c\"'= -]|<a |</a>|<!--|-->|<script>|</script>|é){0,60}") {
            let mut from = 0;
            for token in tokens(&text) {
                prop_assert_eq!(token.range.start, from);
                prop_assert!(!text[token.range.clone()].is_empty());
                from = token.range.end;
                let mut inside = token.name.end;
                for attribute in attributes(&text, &token) {
                    if token.kind == TokenKind::Open {
                        prop_assert!(attribute.range.start >= inside && attribute.range.end < from);
                        prop_assert!(text.get(attribute.value).is_some());
                        inside = attribute.range.end;
                    }
                }
            }
            prop_assert_eq!(from, text.len());
        }
    }
}
