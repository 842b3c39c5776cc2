//! The body of a request for a model: read whole, decoded, or passed on where it cannot be.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::{StreamExt as _, stream};
use http_body_util::BodyExt as _;

use super::failure::RelayFailure;
use crate::gateway::{CodingError, ContentCoding};
use crate::http::arrival::{ArrivalPace, TooSlow};
use crate::http::problem::Kind;
use crate::http::state::AppState;
use crate::service::Services;
use crate::service::gateway::EditSkip;

/// A body that was read, or that is passed on.
#[derive(Debug)]
pub(super) enum Upload {
    Whole(WholeUpload),
    /// What has come and what comes, for a body that is not read.
    Passed(Body, EditSkip),
}

/// A body that was read.
#[derive(Debug)]
pub(super) struct WholeUpload {
    /// The bytes as they came.
    pub(super) bytes: Bytes,
    /// The text; none if it is not UTF-8.
    pub(super) text: Option<Arc<str>>,
}

impl Upload {
    /// Reads a body of at most `max_bytes`, coded and decoded. A larger one, or one for which there is
    /// no memory, is passed on; one that is larger only once it is decoded is refused.
    pub(super) async fn read(
        app: &AppState,
        services: &Services,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, RelayFailure> {
        let coding = coding(headers)?;
        let max_bytes = app.max_decoded_bytes;
        let bytes = match collect(services, body, max_bytes).await? {
            Collected::All(bytes) => bytes,
            Collected::Part(body, reason) => return Ok(Self::Passed(body, reason)),
        };
        if coding == ContentCoding::Identity {
            let text = std::str::from_utf8(&bytes).ok().map(Arc::from);
            return Ok(Self::Whole(WholeUpload { bytes, text }));
        }
        let coded = bytes.clone();
        let decoded = app.pool.look(move || coding.decode(&coded, max_bytes)).await;
        match decoded {
            Ok(Ok(decoded)) => {
                let text = String::from_utf8(decoded).ok().map(Arc::from);
                Ok(Self::Whole(WholeUpload { bytes, text }))
            }
            Ok(Err(CodingError::TooLarge)) => Err(refusal(Kind::BodyTooLarge)),
            Ok(Err(error @ CodingError::Invalid)) => Err(RelayFailure::new(
                StatusCode::BAD_REQUEST,
                Kind::InvalidEncoding.code(),
                error.to_string(),
            )),
            Err(_) => Ok(Self::Whole(WholeUpload { bytes, text: None })),
        }
    }
}

enum Collected {
    All(Bytes),
    Part(Body, EditSkip),
}

async fn collect(
    services: &Services,
    mut body: Body,
    max_bytes: usize,
) -> Result<Collected, RelayFailure> {
    let (mut chunks, mut total) = (Vec::new(), 0_usize);
    let pace = ArrivalPace::start();
    loop {
        let frame = pace.next(total, body.frame()).await.map_err(too_slow)?;
        let Some(frame) = frame else { return Ok(Collected::All(join(chunks, total))) };
        let broken = |_| {
            let message = "the body of the request ended early";
            RelayFailure::new(StatusCode::BAD_REQUEST, Kind::InvalidRequest.code(), message)
        };
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        total = total.saturating_add(data.len());
        chunks.push(data);
        let reason = match services.reserve(total) {
            _ if total > max_bytes => EditSkip::TooLarge,
            Ok(()) => continue,
            Err(_) => EditSkip::Overloaded,
        };
        let begun = stream::iter(chunks.into_iter().map(Ok::<_, axum::Error>));
        let body = Body::from_stream(begun.chain(body.into_data_stream()));
        return Ok(Collected::Part(body, reason));
    }
}

/// Joins chunks; one alone is not copied.
fn join(mut chunks: Vec<Bytes>, total: usize) -> Bytes {
    if chunks.len() == 1 {
        return chunks.pop().unwrap_or_default();
    }
    let mut all = Vec::with_capacity(total);
    for chunk in chunks {
        all.extend_from_slice(&chunk);
    }
    all.into()
}

fn coding(headers: &HeaderMap) -> Result<ContentCoding, RelayFailure> {
    let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
    let coding = match (values.next(), values.next()) {
        (None, _) => Some(ContentCoding::Identity),
        (Some(value), None) => value.to_str().ok().and_then(ContentCoding::parse),
        (Some(_), Some(_)) => None,
    };
    coding.ok_or_else(|| {
        let message = "send the body plain, or in one of gzip, deflate, br and zstd";
        RelayFailure::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Kind::UnsupportedEncoding.code(),
            message,
        )
    })
}

fn too_slow(slow: TooSlow) -> RelayFailure {
    let kind = Kind::RequestTimeout;
    RelayFailure::new(kind.status(), kind.code(), slow.to_string())
}

fn refusal(kind: Kind) -> RelayFailure {
    RelayFailure::new(kind.status(), kind.code(), kind.title())
}
