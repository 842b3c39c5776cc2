//! Files of pages that the program holds as gzip.

use std::io::Read as _;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use flate2::read::GzDecoder;

use super::problem::{Kind, Problem};

/// Answers with a file that is held as gzip: as it is to a caller that takes gzip, else expanded.
pub(super) fn respond(headers: &HeaderMap, compressed: &'static [u8]) -> Result<Response, Problem> {
    let mut response = if accepts_gzip(headers) {
        ([(header::CONTENT_ENCODING, "gzip")], compressed).into_response()
    } else {
        expand(compressed)?.into_response()
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Ok(response)
}

/// Checks whether the caller takes a response that is compressed with gzip.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let refused = weight.trim().strip_prefix("q=").is_some_and(|weight| {
                weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
            });
            name.trim().eq_ignore_ascii_case("gzip") && !refused
        })
}

fn expand(compressed: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut plain = Vec::new();
    GzDecoder::new(compressed).read_to_end(&mut plain).map_err(|error| {
        tracing::error!(%error, "an embedded file cannot be read");
        Problem::new(Kind::Internal)
    })?;
    Ok(plain)
}
