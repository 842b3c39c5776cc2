//! Range requests and conditional requests (RFC 9110 §13 and §14).

use std::ops::Range;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::problem::{Kind, Problem};

/// Responds with `text`, or with the range of it that the headers ask for.
pub(super) fn respond_with_range(
    headers: &HeaderMap,
    text: String,
    media_type: &str,
    tag: &str,
) -> Response {
    let tag = format!("\"{tag}\"");
    if lists_tag(headers.get(header::IF_NONE_MATCH), &tag) {
        return with_headers(StatusCode::NOT_MODIFIED.into_response(), media_type, &tag);
    }
    let length = text.len();
    let header = headers.get(header::RANGE).filter(|_| {
        // A caller with parts of another version cannot use a part of this one.
        headers.get(header::IF_RANGE).is_none_or(|value| value.as_bytes() == tag.as_bytes())
    });
    match header.and_then(|value| parse_range(value.to_str().ok()?, length)) {
        None => with_headers(text.into_response(), media_type, &tag),
        Some(range) if range.is_empty() => {
            let detail = format!("there are {length} bytes");
            let mut response =
                Problem::with_detail(Kind::RangeNotSatisfiable, detail).into_response();
            set_content_range(&mut response, &format!("bytes */{length}"));
            response
        }
        Some(range) => {
            let content_range = format!("bytes {}-{}/{length}", range.start, range.end - 1);
            let mut bytes = text.into_bytes();
            bytes.truncate(range.end);
            let part = bytes.split_off(range.start);
            let mut response = (StatusCode::PARTIAL_CONTENT, part).into_response();
            set_content_range(&mut response, &content_range);
            with_headers(response, media_type, &tag)
        }
    }
}

fn with_headers(mut response: Response, media_type: &str, tag: &str) -> Response {
    let rows = [
        (header::CONTENT_TYPE, media_type),
        (header::ETAG, tag),
        (header::ACCEPT_RANGES, "bytes"),
        // The text may be deleted, and it belongs to one tenant.
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    for (name, value) in rows {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn set_content_range(response: &mut Response, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
}

/// Checks whether a list of tags contains this one, as a strong or a weak tag.
pub(super) fn lists_tag(list: Option<&HeaderValue>, tag: &str) -> bool {
    let list = list.and_then(|value| value.to_str().ok()).unwrap_or_default();
    list.split(',')
        .map(str::trim)
        .any(|other| other == "*" || other.trim_start_matches("W/") == tag)
}

/// Parses a range; it is empty if it is outside of the text. Returns `None` if the header is not
/// one range of bytes: then the response is the whole text.
fn parse_range(value: &str, length: usize) -> Option<Range<usize>> {
    let (unit, range) = value.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || range.contains(',') {
        return None;
    }
    let range = if first.is_empty() {
        length.saturating_sub(parse_digits(last)?)..length
    } else {
        let start = parse_digits(first)?;
        let end = if last.is_empty() { usize::MAX } else { parse_digits(last)? };
        if end < start {
            return None;
        }
        start..end.saturating_add(1).min(length)
    };
    Some(if range.start < range.end { range } else { 0..0 })
}

/// Parses digits; a number that is too large becomes `usize::MAX`.
fn parse_digits(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_read_as_the_standard_has_it() {
        let rows = [
            ("bytes=0-0", Some(0..1)),
            ("bytes=2-4", Some(2..5)),
            ("bytes=2-", Some(2..10)),
            ("bytes=8-99", Some(8..10)),
            ("bytes=-3", Some(7..10)),
            ("bytes=-99", Some(0..10)),
            ("Bytes=0-99999999999999999999999", Some(0..10)),
            ("bytes=10-", Some(0..0)),
            ("bytes=-0", Some(0..0)),
            ("bytes=99999999999999999999999-", Some(0..0)),
            ("bytes=4-2", None),
            ("bytes=0-1,3-4", None),
            ("lines=1-2", None),
            ("bytes=-", None),
            ("bytes=a-b", None),
            ("bytes=+1-2", None),
            ("bytes", None),
        ];
        for (value, wanted) in rows {
            assert_eq!(parse_range(value, 10), wanted, "{value}");
        }
        assert_eq!(parse_range("bytes=0-", 0), Some(0..0));
    }

    #[test]
    fn tags_are_found_in_lists() {
        let lists =
            |value: &'static str| lists_tag(Some(&HeaderValue::from_static(value)), "\"a\"");
        assert!(lists("\"a\"") && lists("\"b\", W/\"a\"") && lists("*"));
        assert!(!lists("\"b\"") && !lists("a") && !lists_tag(None, "\"a\""));
    }
}
