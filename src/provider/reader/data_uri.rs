//! Data URIs and base64, in the forms in which programs write them.
//!
//! Media keep one form: standard base64 with padding, without white space. What is no base64 stays
//! as it is, and the provider decides.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;

use crate::domain::MediaSource;

/// The media type that a data URI names, empty if it names none, and its content. `None`: it is no
/// data URI.
pub(super) fn read(text: &str) -> Option<(&str, MediaSource)> {
    if !is_one(text) {
        return None;
    }
    let (head, payload) = text.get(5..)?.split_once(',')?;
    let mut pieces = head.split(';').map(str::trim);
    let media_type = pieces.next().unwrap_or_default();
    if pieces.any(|piece| piece.eq_ignore_ascii_case("base64")) {
        return Some((
            media_type,
            MediaSource::Base64(standard(&percent_decode_str(payload).decode_utf8_lossy())),
        ));
    }
    let bytes: Vec<u8> = percent_decode_str(payload).collect();
    let kind = media_type.to_ascii_lowercase();
    let is_text = kind.is_empty() || kind.starts_with("text/") || kind == "image/svg+xml";
    let source = match String::from_utf8(bytes) {
        Ok(text) if is_text => MediaSource::Text(text.replace('\0', "\u{fffd}").into()),
        Ok(text) => MediaSource::Base64(STANDARD.encode(text).into()),
        Err(error) => MediaSource::Base64(STANDARD.encode(error.as_bytes()).into()),
    };
    Some((if kind.is_empty() { "text/plain" } else { media_type }, source))
}

/// Whether a text begins as a data URI does.
pub(super) fn is_one(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Base64 in its standard form: without white space, with `+` and `/`, with padding.
pub(super) fn standard(text: &str) -> Arc<str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if text.len().is_multiple_of(4) && text.bytes().all(is_plain) {
        return Arc::from(text);
    }
    let mut found = String::with_capacity(text.len() + 3);
    for character in text.chars() {
        match character {
            _ if character.is_ascii_whitespace() => {}
            '-' => found.push('+'),
            '_' => found.push('/'),
            '=' => break,
            _ if u8::try_from(character).is_ok_and(is_plain) => found.push(character),
            _ => return Arc::from(text),
        }
    }
    while !found.len().is_multiple_of(4) {
        found.push('=');
    }
    Arc::from(found)
}

/// Whether a text in the place of an address is the base64 of a medium: long, of nothing
/// but its characters, and with a beginning that decodes.
pub(super) fn is_bare_base64(text: &str) -> bool {
    const MIN_BYTES: usize = 32;
    let is_base64 = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
    };
    text.len() >= MIN_BYTES
        && text.bytes().all(is_base64)
        && STANDARD.decode(standard(text).get(..MIN_BYTES / 2).unwrap_or_default()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_of_any_form_are_read() {
        let base64 = |text: &str| MediaSource::Base64(text.into());
        let plain = |text: &str| MediaSource::Text(text.into());
        for (uri, media_type, source) in [
            ("data:image/png;base64,QUJD", "image/png", base64("QUJD")),
            ("DATA:image/png;charset=utf-8;base64,QU\nJD", "image/png", base64("QUJD")),
            ("data:image/png;name=a.png;BASE64,QUI%3D", "image/png", base64("QUI=")),
            ("data:;base64,QUJD", "", base64("QUJD")),
            ("data:text/plain,a%20b", "text/plain", plain("a b")),
            ("data:,100%", "text/plain", plain("100%")),
            ("data:image/svg+xml;utf8,%3Csvg/%3E", "image/svg+xml", plain("<svg/>")),
            ("data:image/png,%89P", "image/png", base64("iVA=")),
        ] {
            assert_eq!(read(uri), Some((media_type, source)), "{uri}");
        }
        assert_eq!(read("https://e.com/a,b"), None);
        assert_eq!(read("data:nothing"), None);
    }

    #[test]
    fn base64_gets_its_standard_form() {
        for (before, after) in [
            ("QUJD", "QUJD"),
            (" QU\r\nJD ", "QUJD"),
            ("QUI", "QUI="),
            ("-_-_", "+/+/"),
            ("a.b", "a.b"),
        ] {
            assert_eq!(&*standard(before), after);
        }
        assert!(is_bare_base64(&"QUJD".repeat(10)));
        assert!(!is_bare_base64("https://example.com/an/address/that/is/long.png"));
        assert!(!is_bare_base64("QUJD"));
    }
}
