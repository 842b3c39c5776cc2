//! Parts of an answer by byte, and answers that the caller has already (RFC 9110 §13 and §14).

use std::ops::Range;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::problem::{Kind, Problem};

/// Answers `text`, as much of it as the headers ask for.
pub(super) fn respond(headers: &HeaderMap, text: String, media_type: &str, tag: &str) -> Response {
    let tag = format!("\"{tag}\"");
    if names(headers.get(header::IF_NONE_MATCH), &tag) {
        return head(StatusCode::NOT_MODIFIED.into_response(), media_type, &tag);
    }
    let length = text.len();
    let asked = headers.get(header::RANGE).filter(|_| {
        // A part of what the caller has another version of would be of no use.
        headers.get(header::IF_RANGE).is_none_or(|value| value.as_bytes() == tag.as_bytes())
    });
    match asked.and_then(|value| parse(value.to_str().ok()?, length)) {
        None => head(text.into_response(), media_type, &tag),
        Some(range) if range.is_empty() => {
            let detail = format!("there are {length} bytes");
            let mut response =
                Problem::with_detail(Kind::RangeNotSatisfiable, detail).into_response();
            content_range(&mut response, &format!("bytes */{length}"));
            response
        }
        Some(range) => {
            let shown = format!("bytes {}-{}/{length}", range.start, range.end - 1);
            let mut bytes = text.into_bytes();
            bytes.truncate(range.end);
            let part = bytes.split_off(range.start);
            let mut response = (StatusCode::PARTIAL_CONTENT, part).into_response();
            content_range(&mut response, &shown);
            head(response, media_type, &tag)
        }
    }
}

fn head(mut response: Response, media_type: &str, tag: &str) -> Response {
    let rows = [
        (header::CONTENT_TYPE, media_type),
        (header::ETAG, tag),
        (header::ACCEPT_RANGES, "bytes"),
        // It may be deleted, and it is nobody else's.
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    for (name, value) in rows {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn content_range(response: &mut Response, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
}

/// Whether a list of tags names this one, weakly or not.
fn names(list: Option<&HeaderValue>, tag: &str) -> bool {
    let list = list.and_then(|value| value.to_str().ok()).unwrap_or_default();
    list.split(',')
        .map(str::trim)
        .any(|given| given == "*" || given.trim_start_matches("W/") == tag)
}

/// The one range that is asked for, empty where it lies outside; `None` where there is none that
/// we take, and all is answered.
fn parse(value: &str, length: usize) -> Option<Range<usize>> {
    let (unit, range) = value.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || range.contains(',') {
        return None;
    }
    let range = if first.is_empty() {
        length.saturating_sub(number(last)?)..length
    } else {
        let start = number(first)?;
        let end = if last.is_empty() { usize::MAX } else { number(last)? };
        if end < start {
            return None;
        }
        start..end.saturating_add(1).min(length)
    };
    Some(if range.start < range.end { range } else { 0..0 })
}

/// Digits; a number too large to be counted is as large as can be.
fn number(digits: &str) -> Option<usize> {
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
            assert_eq!(parse(value, 10), wanted, "{value}");
        }
        assert_eq!(parse("bytes=0-", 0), Some(0..0));
    }

    #[test]
    fn tags_are_found_in_lists() {
        let given = |value: &'static str| names(Some(&HeaderValue::from_static(value)), "\"a\"");
        assert!(given("\"a\"") && given("\"b\", W/\"a\"") && given("*"));
        assert!(!given("\"b\"") && !given("a") && !names(None, "\"a\""));
    }
}
